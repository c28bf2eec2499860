"""Export, simulation and keyframes, inside Blender."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import *

from types import SimpleNamespace

import jsonschema

SCHEMA = json.loads(catena("schema"))


class Export(SceneTest):
    def test_an_exported_scene_keeps_to_the_schema_and_is_accepted(self):
        load_example("four_bar.py")
        exported = self.export()
        jsonschema.validate(exported.scene, SCHEMA)
        with open(self.path("scene.json"), "w", encoding="utf-8") as file:
            json.dump(exported.scene, file)
        check = json.loads(catena("check", self.path("scene.json"), "--json"))
        self.assertEqual(check["degrees_of_freedom"], 0)  # the motor takes the only one
        self.assertEqual(check["bodies"], 3)

    def test_mass_center_and_inertia_see_scale_parents_modifiers_and_origin(self):
        # A unit cube of scale (2, 1, 0.5), doubled by an array along its own x, its origin at a corner, in a
        # parent that is turned and scaled by 3: a box of 12 x 3 x 1.5 whose centre is far from the origin.
        parent = bpy.data.objects.new("parent", None)
        self.scene.collection.objects.link(parent)
        parent.location, parent.rotation_euler, parent.scale = (1, 2, 3), (0.3, -0.5, 0.8), (3, 3, 3)
        obj = self.cube("block", mass_by="DENSITY", density=10.0)
        obj.data.transform(Matrix.Translation((0.5, 0.5, 0.5)))
        obj.scale = (2, 1, 0.5)
        array = obj.modifiers.new("twice", "ARRAY")
        array.count, array.use_merge_vertices = 2, True
        array.relative_offset_displace = (1, 0, 0)
        obj.parent = parent
        bpy.context.view_layer.update()
        # The merged array has a wall inside: without it the mesh is a solid.
        array.relative_offset_displace = (1.5, 0, 0)
        exported = self.export()
        body = exported.scene["bodies"][0]
        # Two boxes of 6 x 3 x 1.5 with a gap of 3 between.
        center = parent.matrix_world @ (Matrix.Diagonal((2, 1, 0.5)) @ Vector((1.25, 0.5, 0.5)))
        np.testing.assert_allclose(body["position"], center, atol=1e-5)
        run = self.recorded(exported)
        shapes = run["drawing"]["bodies"][0]
        self.assertAlmostEqual(shapes["mass"], 10 * 2 * 6 * 3 * 1.5, delta=1e-3)
        points = np.array(shapes["shapes"][0]["vertices"]) + shapes["shapes"][0]["position"]
        np.testing.assert_allclose(points.max(axis=0), [7.5, 1.5, 0.75], atol=1e-5)
        np.testing.assert_allclose(points.min(axis=0), [-7.5, -1.5, -0.75], atol=1e-5)

    def test_units_count(self):
        self.scene.unit_settings.scale_length = 0.01  # what is 1 for Blender is 1 cm
        self.cube("a", location=(100, 0, 50), scale=(20, 10, 10), mass_by="DENSITY", density=1000.0)
        self.cube("b", location=(200, 0, 50), shape="box")
        self.joint("hinge", "revolute", bpy.data.objects["a"], bpy.data.objects["b"], (150, 0, 50))
        exported = self.export().scene
        np.testing.assert_allclose(exported["bodies"][0]["position"], [1, 0, 0.5], atol=1e-7)
        np.testing.assert_allclose(exported["bodies"][1]["size"], [0.01] * 3, atol=1e-9)
        np.testing.assert_allclose(exported["joints"][0]["point"], [1.5, 0, 0.5], atol=1e-7)
        np.testing.assert_allclose(np.ptp(exported["bodies"][0]["vertices"], axis=0), [0.2, 0.1, 0.1], atol=1e-7)

    def test_shapes_fit_the_mesh(self):
        for shape, keys in {"box": {"size": [2, 1, 0.5]}, "ellipsoid": {"size": [2, 1, 0.5]}, "sphere": {"radius": 1},
                            "rod": {"length": 2, "radius": 0.5}, "cylinder": {"radius": 1, "length": 0.5},
                            "capsule": {"radius": 1, "length": 2}, "cone": {"radius": 1, "length": 0.5}}.items():
            self.cube(shape, scale=(2, 1, 0.5), shape=shape)
            body = next(b for b in self.export().scene["bodies"] if b["name"] == shape)
            for key, value in keys.items():
                np.testing.assert_allclose(body[key], value, atol=1e-6, err_msg=shape)
        cone = next(b for b in self.export().scene["bodies"] if b["name"] == "cone")
        self.assertAlmostEqual(cone["position"][2], -0.25 + 0.5 / 4, places=6)

    def test_a_mirrored_object_is_not_inside_out(self):
        self.cube("mirror", scale=(-1, 1, 1))
        self.seconds(0.2)
        bpy.ops.catena.simulate()

    def test_every_kind_of_joint_is_accepted(self):
        kinds = ["revolute", "ball", "fixed", "prismatic", "cylindrical", "universal", "planar", "point-on-line",
                 "point-on-plane", "screw", "constant-velocity"]
        for i, kind in enumerate(kinds):
            obj = self.cube(f"b.{i}", location=(2 * i, 0, 0))
            self.joint(f"{kind} joint", kind, None, obj, (2 * i, 0, 0.5), (0, 1, 0))
        far = bpy.data.objects.new("far", None)
        self.scene.collection.objects.link(far)
        far.location = (0, 0, 3)
        self.joint("wire", "distance", bpy.data.objects["b.1"], None, (2, 0, 0.5), end=far)
        self.joint("coil", "spring", bpy.data.objects["b.1"], bpy.data.objects["b.3"], (2, 0, 0.5), stiffness=5.0)
        hinge, slide = bpy.data.objects["revolute joint"], bpy.data.objects["prismatic joint"]
        self.joint("teeth", "rack", None, None, (0, 0, 0), joint_a=hinge, joint_b=slide, ratio=0.1)
        hinge.catena.use_limits, hinge.catena.damping, hinge.catena.friction = True, 0.1, 0.05
        slide.catena.motor, slide.catena.motor_formula = "force", "sin(t) - q"
        self.seconds(0.1)
        jsonschema.validate(self.export().scene, SCHEMA)
        bpy.ops.catena.check()
        bpy.ops.catena.simulate()


class Simulate(SceneTest):
    def four_bar(self):
        load_example("four_bar.py")
        self.scene = bpy.context.scene
        return self.export()

    def test_objects_move_as_the_simulation_does_at_every_frame(self):
        exported = self.four_bar()
        bpy.ops.catena.simulate()
        worst = self.expect_motion(exported, self.recorded(exported))
        print("four-bar: largest deviation", worst)
        self.assertIn("energy error", self.scene.catena.report)

    def test_exporting_again_gives_the_same_scene(self):
        before = self.four_bar().scene
        bpy.ops.catena.simulate()
        self.scene.frame_set(40)
        expect_same(self, before, self.export().scene, 0.0)

    def test_simulating_again_replaces_its_own_animation(self):
        self.four_bar()
        bpy.ops.catena.simulate()
        count = len(bpy.data.actions)
        bpy.ops.catena.simulate()
        self.assertEqual(len(bpy.data.actions), count)

    def test_clear_brings_everything_back(self):
        exported = self.four_bar()
        names = [frame.obj.name for frame in exported.frames.values()]
        before = {name: (bpy.data.objects[name].matrix_world.copy(), bpy.data.objects[name].rotation_mode)
                  for name in names}
        self.scene.catena.trails = True
        bpy.ops.catena.simulate()
        self.assertTrue(any(obj.catena.created for obj in self.scene.objects))
        self.scene.frame_set(30)
        bpy.ops.catena.clear()
        bpy.context.view_layer.update()
        for name in names:
            obj = bpy.data.objects[name]
            self.assertEqual(obj.matrix_world, before[name][0])
            self.assertEqual(obj.rotation_mode, before[name][1])
            self.assertIsNone(obj.animation_data)
        self.assertEqual(len(bpy.data.actions), 0)
        self.assertFalse(any(obj.catena.created for obj in self.scene.objects))

    def test_rotations_do_not_flip_their_sign(self):
        obj = self.cube("top", scale=(1, 2, 3), angular_velocity=(0.2, 3.0, 0.1))
        self.seconds(20)
        exported = self.export()
        bpy.ops.catena.simulate()
        from catena.keyframes import curves_of
        curves = [c for c in curves_of(obj.animation_data.action) if c.data_path == "rotation_quaternion"]
        values = np.array([[p.co[1] for p in curve.keyframe_points] for curve in curves]).T
        self.assertTrue((np.einsum("ij,ij->i", values[1:], values[:-1]) > 0.9).all())
        # It turns over several times, so that recorded signs do flip somewhere or leave the half they began in.
        self.assertLess(np.einsum("ij,j->i", values, values[0]).min(), -0.5)
        self.expect_motion(exported, self.recorded(exported))

    def test_parents_that_move_stand_or_are_scaled(self):
        base = bpy.data.objects.new("base", None)
        self.scene.collection.objects.link(base)
        base.location, base.rotation_euler, base.scale = (0, 1, 2), (0.4, 0.2, 1.0), (2, 2, 2)
        first = self.cube("first", scale=(0.5, 0.3, 0.2), angular_velocity=(0, 2, 0))
        first.parent = base
        bpy.context.view_layer.update()
        second = self.cube("second", location=(1, 0, 0), scale=(0.2, 0.2, 0.6), velocity=(0, 0, 1),
                           angular_velocity=(1, 0, 2))
        follower = bpy.data.objects.new("between", None)
        self.scene.collection.objects.link(follower)
        follower.parent = base
        second.parent = follower
        second.delta_location = (0.1, 0, 0)
        second.delta_rotation_euler = (0, 0.3, 0)
        bpy.context.view_layer.update()
        self.seconds(1)
        exported = self.export()
        bpy.ops.catena.simulate()
        self.expect_motion(exported, self.recorded(exported))

    def test_a_child_of_a_moving_body_that_is_a_body_itself(self):
        first = self.cube("first", scale=(0.5, 0.5, 0.5), angular_velocity=(0, 2, 1))
        second = self.cube("second", location=(2, 0, 0), angular_velocity=(3, 0, 0))
        second.parent, second.matrix_parent_inverse = first, first.matrix_world.inverted()
        bpy.context.view_layer.update()
        self.seconds(2)
        exported = self.export()
        run = self.recorded(exported)
        for _ in range(2):  # again from where it was drawn
            bpy.ops.catena.simulate()
            self.expect_motion(exported, run)
            self.scene.frame_set(20)
        expect_same(self, exported.scene, self.export().scene, 0.0)

    def test_frame_rates_that_are_no_whole_number_and_units(self):
        self.scene.unit_settings.scale_length = 0.01
        self.cube("drop", location=(0, 0, 500), scale=(10, 10, 10), velocity=(1, 0, 2))
        self.seconds(1, fps=24)
        self.scene.render.fps_base = 1.001
        exported = self.export()
        bpy.ops.catena.simulate()
        self.expect_motion(exported, self.recorded(exported))
        # Free fall in Blender units, by the closed form.
        frame = self.scene.frame_start + 12
        self.scene.frame_set(frame)
        t = 12 * 1.001 / 24
        np.testing.assert_allclose(bpy.data.objects["drop"].matrix_world.translation,
                                   [100 * t, 0, 500 + 100 * (2 * t - 0.5 * 9.81 * t * t)], atol=1e-3)

    def test_an_origin_away_from_the_center_of_mass(self):
        obj = self.cube("bat", scale=(1, 0.2, 0.2), angular_velocity=(0, 3, 0))
        obj.data.transform(Matrix.Translation((0.5, 0, 0)))
        bpy.context.view_layer.update()
        self.scene.catena.gravity = (0, 0, 0)
        self.seconds(1)
        exported = self.export()
        bpy.ops.catena.simulate()
        self.expect_motion(exported, self.recorded(exported))
        # It turns about its centre, half a length from the origin.
        self.scene.frame_set(16)
        angle = 3 * 15 / 30
        np.testing.assert_allclose(obj.matrix_world.translation, [0.5 - 0.5 * np.cos(angle), 0, 0.5 * np.sin(angle)],
                                   atol=1e-5)

    def test_a_run_that_fails_is_shown_as_far_as_it_goes(self):
        obj = self.cube("wheel", shape="box")
        self.joint("axle", "revolute", None, obj, (0, 0, 0), (0, 1, 0), motor="torque",
                   motor_formula="sqrt(0.3 - t)")
        self.scene.catena.method, self.scene.catena.use_step = "rk4", True
        self.seconds(1)
        bpy.ops.catena.simulate()
        self.assertIn("failed at t = 0.", self.scene.catena.report)
        last = obj.animation_data.action.frame_range[1]
        self.assertTrue(2 < last < 12, last)

    def test_fixed_bodies_stay_and_hold(self):
        wall = self.cube("wall", fixed=True)
        arm = self.cube("arm", location=(1, 0, 0), shape="box")
        self.joint("hinge", "revolute", wall, arm, (0.5, 0, 0), (0, 1, 0))
        self.seconds(0.5)
        bpy.ops.catena.simulate()
        self.scene.frame_set(10)
        self.assertIsNone(wall.animation_data)
        self.assertLess(arm.matrix_world.translation.z, -0.01)


class OtherAnimation(SceneTest):
    def setUp(self):
        super().setUp()
        self.obj = self.cube("busy")
        self.seconds(0.5)
        self.obj.keyframe_insert("location", frame=1)
        self.action = self.obj.animation_data.action

    def test_it_is_never_overwritten_silently(self):
        text = self.error_of(bpy.ops.catena.simulate)
        self.assertIn("'busy'", text)
        self.assertIs(self.obj.animation_data.action, self.action)

    def test_replaced_when_asked_for_and_brought_back_by_clear(self):
        self.scene.catena.replace = True
        bpy.ops.catena.simulate()
        self.assertIsNot(self.obj.animation_data.action, self.action)
        bpy.ops.catena.clear()
        self.assertIs(self.obj.animation_data.action, self.action)


class Mistakes(SceneTest):
    def test_an_open_mesh_is_named(self):
        self.cube("good one")
        bad = self.cube("Bad cube.001")
        import bmesh
        mesh = bmesh.new()
        mesh.from_mesh(bad.data)
        mesh.faces.ensure_lookup_table()
        bmesh.ops.delete(mesh, geom=[mesh.faces[0]], context="FACES_ONLY")
        mesh.to_mesh(bad.data)
        text = self.error_of(bpy.ops.catena.simulate)
        self.assertIn("'Bad cube.001'", text)
        self.assertIn("not closed", text)
        self.assertIs(bpy.context.view_layer.objects.active, bad)
        self.assertIn("'Bad cube.001'", self.scene.catena.report)

    def test_all_of_ones_own_mistakes_are_named_at_once(self):
        obj = self.cube("a")
        self.joint("loose", "ball", None, None, (0, 0, 0))
        self.joint("twice", "ball", obj, obj, (0, 0, 0))
        self.joint("motorised", "prismatic", None, obj, (0, 0, 0), motor="torque")
        text = self.error_of(bpy.ops.catena.simulate)
        for name in ("'loose'", "'twice'", "'motorised'"):
            self.assertIn(name, text)

    def test_what_the_program_refuses_names_the_object(self):
        obj = self.cube("wheel.A")
        self.joint("motor (1)", "revolute", None, obj, (0, 0, 0), motor="torque", motor_formula="sin(")
        text = self.error_of(bpy.ops.catena.simulate)
        self.assertIn("'motor (1)'", text)

    def test_an_impossible_loop_names_its_joints(self):
        a = self.cube("left", location=(0, 0, 0), shape="box")
        self.joint("here", "fixed", None, a, (0, 0, 0))
        far = bpy.data.objects.new("far", None)
        self.scene.collection.objects.link(far)
        far.location = (5, 0, 0)
        self.joint("too short", "distance", a, None, (0.5, 0, 0), end=far, use_length=True, length=1.0)
        text = self.error_of(bpy.ops.catena.check)
        self.assertTrue("'too short'" in text or "'here'" in text, text)

    def test_a_sheared_shape_is_named(self):
        parent = bpy.data.objects.new("parent", None)
        self.scene.collection.objects.link(parent)
        parent.scale = (3, 1, 1)
        obj = self.cube("sheared", shape="box")
        obj.rotation_euler = (0, 0, 0.7)
        obj.parent = parent
        bpy.context.view_layer.update()
        self.assertIn("'sheared'", self.error_of(bpy.ops.catena.simulate))

    def test_a_turning_child_of_an_uneven_parent_is_named(self):
        parent = bpy.data.objects.new("parent", None)
        self.scene.collection.objects.link(parent)
        parent.scale = (3, 1, 1)
        obj = self.cube("child", angular_velocity=(0, 0, 1))
        obj.parent = parent
        bpy.context.view_layer.update()
        self.seconds(1)
        text = self.error_of(bpy.ops.catena.simulate)
        self.assertIn("'child'", text)
        self.assertIn("'parent'", text)
        self.assertIsNone(obj.animation_data)

    def test_nothing_to_simulate(self):
        self.assertIn("no bodies", self.error_of(bpy.ops.catena.simulate))


class Reports(SceneTest):
    def test_check_tells_freedom_redundancy_and_gaps(self):
        load_example("four_bar.py")
        scene = bpy.context.scene
        bpy.data.objects["drive"].catena.motor = "NONE"
        bpy.ops.catena.check()
        self.assertIn("1 degree of freedom", scene.catena.report)
        self.assertIn("redundant, harmless", scene.catena.report)


class Layout:
    """Stands for a panel's layout, and checks what it is asked to show against this Blender."""
    icons = bpy.types.UILayout.bl_rna.functions["prop"].parameters["icon"].enum_items.keys()

    def __init__(self, test):
        self.test = test

    def part(self, align=False):
        return Layout(self.test)

    row = column = box = part

    def label(self, text="", icon="NONE"):
        self.test.assertIn(icon, self.icons)

    def prop(self, settings, key, icon="NONE", text=None, index=-1, expand=False):
        self.test.assertIn(key, settings.bl_rna.properties)
        self.label(icon=icon)

    def operator(self, name, text=None, icon="NONE"):
        area, word = name.split(".")
        self.test.assertTrue(getattr(bpy.ops, area) and hasattr(bpy.types, f"{area.upper()}_OT_{word}"), name)
        self.label(icon=icon)

    def operator_menu_enum(self, name, key, text="", icon="NONE"):
        self.operator(name, text, icon)


class Panels(SceneTest):
    def drawn(self, panel, obj=None):
        context = SimpleNamespace(scene=self.scene, object=obj, region=SimpleNamespace(width=300))
        panel.draw(SimpleNamespace(layout=Layout(self)), context)

    def test_what_they_show_is_there(self):
        from catena import forces, panel, properties
        self.scene.catena.report = "a line that is much longer than the panel is wide, so that it is wrapped"
        self.scene.catena.use_step = True
        body = self.cube("body", use_fields=True)
        joint = self.joint("joint", "revolute", None, body, (0, 0, 0), use_limits=True, stiffness=1.0, friction=1.0,
                           motor="torque")
        force = bpy.data.objects.new("force", None)
        force.catena.role = "FORCE"
        for one in panel.CLASSES:
            for obj in (None, body, joint, force):
                self.drawn(one, obj)
        for kind in properties.DISPLAYS:
            joint.catena.kind = kind
            self.drawn(panel.CATENA_PT_object, joint)
        for kind in forces.FIELDS_OF:
            force.catena.force_kind = kind
            self.drawn(panel.CATENA_PT_object, force)
        body.catena.use_inertia = True
        self.drawn(panel.CATENA_PT_object, body)


class Chains(SceneTest):
    def test_by_count(self):
        bpy.ops.catena.chain_add(count=20, length=0.1)
        self.seconds(0.5)
        bpy.ops.catena.check()
        self.assertIn("20 bodies, 20 joints", self.scene.catena.report)
        self.assertIn("60 degrees of freedom", self.scene.catena.report)

    def test_along_a_curve_held_at_both_ends(self):
        bpy.ops.curve.primitive_bezier_curve_add()
        bpy.ops.catena.chain_add(count=12, hold_end=True)
        self.seconds(0.5)
        exported = self.export()
        bpy.ops.catena.simulate()
        self.expect_motion(exported, self.recorded(exported), every=5)
        # Both ends hold: the last link's far end stays where the curve ended.
        last = bpy.data.objects["link.012"]
        half = 0.5 * last.dimensions.z
        ends = []
        for frame in (1, 16):
            self.scene.frame_set(frame)
            ends.append(last.matrix_world @ Vector((0, 0, -half)))
        self.assertLess((ends[1] - ends[0]).length, 1e-5)


class Forces(SceneTest):
    def force(self, kind, body=None, point=(0, 0, 0), **settings):
        obj = bpy.data.objects.new(kind, None)
        self.scene.collection.objects.link(obj)
        obj.location = point
        obj.catena.role, obj.catena.force_kind, obj.catena.force_on = "FORCE", kind, body
        for key, value in settings.items():
            setattr(obj.catena, key, value)

    def test_a_force_at_a_point_pushes_and_turns(self):
        obj = self.cube("plank", scale=(2, 0.2, 0.2), shape="box", mass=3.0)
        self.scene.catena.gravity = (0, 0, 0)
        self.force("formula", obj, (1, 0, 0), force_z="0.6")
        self.seconds(0.5)
        exported = self.export()
        jsonschema.validate(exported.scene, SCHEMA)
        np.testing.assert_allclose(exported.scene["forces"][0]["point"], [1, 0, 0], atol=1e-6)
        bpy.ops.catena.simulate()
        run = self.recorded(exported)
        self.expect_motion(exported, run)
        # The centre of mass goes F t^2 / (2 m) up; at first the plank turns at F d / I about -y.
        t = run["columns"]["t"]
        self.assertAlmostEqual(run["columns"]["z_plank"][-1], 0.5 * 0.6 / 3 * t[-1] ** 2, places=12)
        inertia = 3.0 * (2**2 + 0.2**2) / 12
        self.assertAlmostEqual(run["columns"]["wy_plank"][1], -0.6 / inertia * t[1], delta=1e-6)

    def test_a_torque_drag_and_damping_are_accepted(self):
        obj = self.cube("a", shape="box", velocity=(1, 0, 0))
        self.force("formula", obj, torque_z="0.1*t")
        self.force("drag", None, drag_linear=0.5)
        self.force("wind", None, wind_x="1 + sin(t)")
        self.force("velocity-damping", obj)
        self.seconds(0.2)
        jsonschema.validate(self.export().scene, SCHEMA)
        bpy.ops.catena.simulate()


if __name__ == "__main__":
    main()
