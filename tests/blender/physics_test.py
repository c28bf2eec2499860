"""Blender's own rigid bodies taken over; forces and energies as curves; keys between frames; bones and curves that follow; large
meshes."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import *

import time


def rigid_body(obj, kind="ACTIVE", shape="BOX", mass=1.0):
    bpy.context.view_layer.objects.active = obj
    for one in bpy.context.view_layer.objects:
        one.select_set(one is obj)
    bpy.ops.rigidbody.object_add(type=kind)
    obj.rigid_body.collision_shape, obj.rigid_body.mass = shape, mass


class Cubes(SceneTest):
    def cube_of(self, name, location, scale=(1, 1, 1)):
        bpy.ops.mesh.primitive_cube_add(size=1, location=location)
        obj = bpy.context.object
        obj.name, obj.scale = name, scale
        return obj

    def pendulum(self, **settings):
        arm = self.cube("arm", (0.5, 0, 0), (1, 0.1, 0.1), shape="box", **settings)
        hinge = self.joint("hinge", "revolute", None, arm, (0, 0, 0), (0, 1, 0))
        self.seconds(1)
        return arm, hinge


class TakeOver(Cubes):
    def constraint(self, name, kind, first, second, location, **settings):
        obj = bpy.data.objects.new(name, None)
        self.scene.collection.objects.link(obj)
        obj.location = location
        bpy.context.view_layer.objects.active = obj
        for one in bpy.context.view_layer.objects:
            one.select_set(one is obj)
        bpy.ops.rigidbody.constraint_add(type=kind)
        tie = obj.rigid_body_constraint
        tie.object1, tie.object2 = first, second
        for key, value in settings.items():
            setattr(tie, key, value)
        return obj

    def test_bodies_and_a_hinge_move_as_if_they_had_been_made_here(self):
        base, arm = self.cube_of("base", (0, 0, 1)), self.cube_of("arm", (1.0, 0, 0), (1, 0.2, 0.2))
        rigid_body(base, "PASSIVE")
        rigid_body(arm, mass=2.5)
        tie = self.constraint("tie", "HINGE", base, arm, (0.5, 0, 0))
        tie.rotation_euler = (1.5707963, 0, 0)  # its z along -y
        self.assertEqual(bpy.ops.catena.take_over(), {"FINISHED"})
        self.assertIn("2 bodies and 1 joints", self.scene.catena.report)
        self.assertIsNone(arm.rigid_body)
        self.assertIsNone(tie.rigid_body_constraint)
        self.seconds(1)
        exported = self.export()
        (joint,) = exported.scene["joints"]
        self.assertEqual((joint["kind"], joint["bodies"]), ("revolute", ["base", "arm"]))
        np.testing.assert_allclose(np.abs(joint["axis"]), [0, 1, 0], atol=1e-6)
        self.assertEqual([body.get("mass") for body in exported.scene["bodies"] if not body.get("fixed")], [2.5])
        bpy.ops.catena.simulate()
        self.expect_motion(exported, self.recorded(exported))

    def test_every_constraint_becomes_the_joint_of_its_freedoms(self):
        free = {f"limit_lin_{axis}_{side}": value for axis in "xyz" for side, value in (("lower", 0.0), ("upper", 0.0))}
        locked = {f"use_limit_{kind}_{axis}": True for kind in ("lin", "ang") for axis in "xyz"}
        still = {f"limit_ang_{axis}_{side}": 0.0 for axis in "xyz" for side in ("lower", "upper")}
        everything = {**free, **locked, **still}
        cases = [("FIXED", {}, "fixed"), ("POINT", {}, "ball"), ("HINGE", {}, "revolute"), ("SLIDER", {}, "prismatic"),
                 ("PISTON", {}, "cylindrical"), ("GENERIC", everything, "fixed"),
                 ("GENERIC", {**everything, "use_limit_ang_x": False}, "revolute"),
                 ("GENERIC", {**everything, "use_limit_lin_y": False}, "prismatic"),
                 ("GENERIC", {**everything, "use_limit_lin_x": False, "use_limit_lin_y": False, "use_limit_ang_z": False}, "planar"),
                 ("GENERIC", {**everything, **{f"use_limit_ang_{axis}": False for axis in "xyz"}}, "ball")]
        for number, (kind, settings, wanted) in enumerate(cases):
            with self.subTest(kind, wanted=wanted, number=number):
                bpy.ops.wm.read_homefile(use_empty=True)
                addon_utils.enable("catena", default_set=True)
                self.scene = bpy.context.scene
                arm = self.cube_of("arm", (0, 0, 0))
                rigid_body(arm)
                self.constraint("tie", kind, None, arm, (0, 0, 0), **settings)
                bpy.ops.catena.take_over()
                (joint,) = [obj for obj in self.scene.objects if obj.catena.role == "JOINT"]
                self.assertEqual(joint.catena.kind, wanted)

    def test_limits_and_springs_come_along_and_what_has_no_joint_is_named(self):
        arm = self.cube_of("arm", (0, 0, 0))
        rigid_body(arm)
        self.constraint("stop", "HINGE", None, arm, (0, 0, 0), use_limit_ang_z=True, limit_ang_z_lower=-0.5, limit_ang_z_upper=0.25)
        loose = self.constraint("loose", "GENERIC", None, arm, (0, 0, 0))
        bpy.ops.catena.take_over()
        (joint,) = [obj for obj in self.scene.objects if obj.catena.role == "JOINT"]
        self.assertTrue(joint.catena.use_limits)
        np.testing.assert_allclose(joint.catena.angle_limits, (-0.5, 0.25))
        self.assertIn("'loose': no joint has the freedoms", self.scene.catena.report)
        self.assertIsNotNone(loose.rigid_body_constraint)


class Records(Cubes):
    def test_forces_and_energies_are_properties_with_curves(self):
        arm, hinge = self.pendulum()
        self.scene.catena.record = True
        bpy.ops.catena.simulate()
        exported = self.export()
        with open(self.path("scene.json"), "w", encoding="utf-8") as file:
            json.dump(exported.scene, file)
        catena("run", self.path("scene.json"), "-o", self.path("run.json"))
        with open(self.path("run.json"), encoding="utf-8") as file:
            columns = json.load(file)["columns"]
        for frame in (1, 10, 31):
            self.scene.frame_set(frame)
            row = frame - 1
            wanted = [columns[f"f{axis}_hinge"][row] for axis in "xyz"]
            np.testing.assert_allclose(list(hinge["reaction_force"]), wanted, rtol=1e-5, atol=1e-5)
            self.assertAlmostEqual(arm["kinetic_energy"], columns["kinetic_arm"][row], delta=1e-5)
            self.assertAlmostEqual(self.scene["catena_energy"], columns["energy"][row], delta=1e-5)
        bpy.ops.catena.clear()
        for owner in (arm, hinge, self.scene):
            self.assertEqual([key for key in owner.keys() if "energy" in key or "reaction" in key], [])
            self.assertFalse(owner.animation_data and owner.animation_data.action)

    def test_simulating_again_replaces_them_and_others_keyframes_stay(self):
        arm, hinge = self.pendulum()
        hinge.empty_display_size = 0.5
        hinge.keyframe_insert("empty_display_size", frame=1)
        own = hinge.animation_data.action
        self.scene.catena.record = True
        for _ in range(2):
            bpy.ops.catena.simulate()
        self.assertIn("'hinge' have no curves", self.scene.catena.report)
        self.assertEqual(hinge.animation_data.action, own)
        self.assertNotIn("were changed since", self.scene.catena.report)
        self.assertEqual(sum(action.name.startswith("Catena") for action in bpy.data.actions), 2)  # of the arm, of the scene


class Between(Cubes):
    def test_keys_between_frames_follow_a_fast_turn(self):
        arm, hinge = self.pendulum()
        hinge.catena.motor, hinge.catena.motor_formula = "angle", "40*t"
        self.scene.catena.keys_per_frame = 8
        bpy.ops.catena.simulate()
        fps = self.scene.render.fps
        for frame in (3.5, 7.25, 20.125):
            self.scene.frame_set(int(frame), subframe=frame % 1)
            turned = 40 * (frame - 1) / fps
            np.testing.assert_allclose(arm.matrix_world.translation, [0.5 * np.cos(turned), 0, -0.5 * np.sin(turned)], atol=2e-5)


class Followers(Cubes):
    def test_bones_move_as_parts_of_the_bodies_next_to_them(self):
        arm, _ = self.pendulum()
        other = self.cube("other", (5, 0, 0), shape="box")
        armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
        self.scene.collection.objects.link(armature)
        bpy.context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        parent = armature.data.edit_bones.new("first")
        parent.head, parent.tail = (0.1, 0, 0), (0.9, 0, 0)
        child = armature.data.edit_bones.new("second")
        child.head, child.tail, child.parent = (0.9, 0, 0), (5.2, 0, 0), parent
        bpy.ops.object.mode_set(mode="OBJECT")
        armature.select_set(True)
        bpy.ops.catena.follow()
        bpy.context.view_layer.update()
        before = {bone.name: armature.matrix_world @ bone.matrix for bone in armature.pose.bones}
        np.testing.assert_allclose(before["first"].translation, (0.1, 0, 0), atol=1e-6)
        bodies = {"first": arm, "second": other if (Vector((3.05, 0, 0)) - Vector((4.5, 0, 0))).length <
                  (Vector((3.05, 0, 0)) - Vector((1, 0, 0))).length else arm}
        start = {name: body.matrix_world.copy() for name, body in bodies.items()}
        bpy.ops.catena.simulate()
        for frame in (10, 31):
            self.scene.frame_set(frame)
            for bone in armature.pose.bones:
                body = bodies[bone.name]
                wanted = body.matrix_world @ start[bone.name].inverted() @ before[bone.name]
                np.testing.assert_allclose(armature.matrix_world @ bone.matrix, wanted, atol=2e-5)
        self.assertGreater(np.abs(np.array(arm.matrix_world) - np.array(start["first"])).max(), 0.1)

    def test_points_of_a_curve_move_with_their_bodies(self):
        for kind in ("POLY", "BEZIER"):
            with self.subTest(kind):
                self.setUp()
                arm, _ = self.pendulum()
                self.cube("post", (3, 0, 0), shape="box", fixed=True)
                data = bpy.data.curves.new("cable", "CURVE")
                data.dimensions = "3D"
                spline = data.splines.new(kind)
                if kind == "POLY":
                    spline.points.add(1)
                    for point, place in zip(spline.points, ((1, 0, 0), (3, 0, 0))):
                        point.co = (*place, 1)
                else:
                    spline.bezier_points.add(1)
                    for point, place in zip(spline.bezier_points, ((1, 0, 0), (3, 0, 0))):
                        point.co = point.handle_left = point.handle_right = place
                cable = bpy.data.objects.new("cable", data)
                self.scene.collection.objects.link(cable)
                for one in bpy.context.view_layer.objects:
                    one.select_set(one is cable)
                bpy.ops.catena.follow()
                bpy.ops.catena.simulate()
                self.scene.frame_set(20)
                mesh = cable.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
                ends = np.array([vertex.co for vertex in mesh.vertices])[[0, -1]]
                tip = arm.matrix_world @ Vector((0.5, 0, 0))
                np.testing.assert_allclose(ends, [tip, (3, 0, 0)], atol=2e-5)


class Large(Cubes):
    def torus(self, around, across):
        bpy.ops.mesh.primitive_torus_add(major_segments=around, minor_segments=across, major_radius=1, minor_radius=0.3)
        obj = bpy.context.object
        obj.name = "ring"
        return self.body(obj, angular_velocity=(1.0, 0.2, 3.0))

    def test_a_body_of_131072_vertices_is_simulated_in_a_second(self):
        """Processor time of Blender and of the program together."""
        self.torus(512, 256)
        self.seconds(1)
        before = os.times()
        bpy.ops.catena.simulate()
        after = os.times()
        spent = sum(after[:4]) - sum(before[:4])
        print(f"blender: 131072 vertices simulated in {spent:.2f} s of processor time")
        self.assertTrue(bpy.data.objects["ring"].catena.has_result)
        self.assertLess(spent, 1.0)

    def test_its_motion_is_that_of_its_mesh(self):
        ring = self.torus(96, 48)
        self.seconds(1)
        exported = self.export()  # with all of its 9216 triangles
        self.assertIn("vertices", exported.scene["bodies"][0])
        bpy.ops.catena.simulate()
        self.expect_motion(exported, self.recorded(exported))
        for settings in ({"mass_by": "DENSITY", "density": 300.0}, {"use_inertia": True, "mass": 2.0, "inertia": (1, 2, 2.5)}):
            self.body(ring, **settings)
            bpy.ops.catena.clear()
            exported = self.export()
            bpy.ops.catena.simulate()
            self.expect_motion(exported, self.recorded(exported))


if __name__ == "__main__":
    main()
