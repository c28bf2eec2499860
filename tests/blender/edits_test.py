"""What people do between two simulations, and what Blender has of its own: copies, moves, keyframes, gravity, physics."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import *

import math
import stat


def select(*objects):
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


class Copies(SceneTest):
    def setUp(self):
        super().setUp()
        self.first = self.cube("first", location=(0, 0, 5), velocity=(1, 0, 0), angular_velocity=(0, 3, 0))
        self.seconds(1)
        bpy.ops.catena.simulate()

    def copy(self, obj, place):
        """As Shift D does."""
        select(obj)
        bpy.ops.object.duplicate()
        made = bpy.context.object
        self.assertIsNot(made, obj)
        bpy.context.view_layer.update()
        made.location = place
        bpy.context.view_layer.update()
        return made

    def test_a_copy_stays_where_it_was_put_and_is_simulated_from_there(self):
        for with_action in (True, False):
            bpy.context.preferences.edit.use_duplicate_action = with_action
            self.scene.frame_set(12)
            made = self.copy(self.first, (7, 2, 9))
            for frame in (1, 20, 31):
                self.scene.frame_set(frame)
                np.testing.assert_allclose(made.matrix_world.translation, (7, 2, 9), atol=1e-6)
            self.assertFalse(made.catena.has_result)
            self.assertIsNotNone(self.first.animation_data.action)
            exported = self.export()
            places = {body["name"]: body["position"] for body in exported.scene["bodies"]}
            np.testing.assert_allclose(places["first"], (0, 0, 5), atol=1e-6)
            np.testing.assert_allclose(places[made.name.replace(".", "-")], (7, 2, 9), atol=1e-6)
            bpy.ops.catena.simulate()
            self.expect_motion(exported, self.recorded(exported))
            bpy.data.objects.remove(made)

    def test_a_copy_keeps_how_it_stood_when_it_was_made(self):
        self.scene.frame_set(16)
        turned = self.first.matrix_world.to_quaternion()
        made = self.copy(self.first, (3, 0, 0))
        self.scene.frame_set(1)
        self.assertEqual(made.rotation_mode, "XYZ")
        self.assertLess(abs(1 - abs(turned.dot(made.matrix_world.to_quaternion()))), 1e-6)

    def test_a_renamed_original_is_still_the_original(self):
        self.first.name = "renamed"
        made = self.copy(self.first, (3, 0, 0))
        self.assertTrue(self.first.catena.has_result)
        self.assertFalse(made.catena.has_result)

    def test_copies_need_no_window_to_be_noticed(self):
        """As of a file, or of a script that never updates the scene."""
        made = self.first.copy()
        self.scene.collection.objects.link(made)
        made.location = (4, 0, 0)
        places = {body["name"]: body["position"] for body in self.export().scene["bodies"]}
        np.testing.assert_allclose(places["first-001"], (4, 0, 0), atol=1e-6)

    def test_clear_leaves_a_copy_of_what_an_import_made(self):
        catena("run", "governor", "-o", self.path("governor.json"), "--duration", "0.2")
        bpy.ops.catena.import_run(filepath=self.path("governor.json"))
        made = self.copy(bpy.data.objects["spindle"], (5, 5, 5))
        name = made.name
        bpy.ops.catena.clear()
        self.assertEqual([obj.name for obj in self.scene.objects if obj.type == "MESH"], ["first", name])


class Edits(SceneTest):
    def simulated(self, mode="XYZ"):
        obj = self.cube("body", location=(1, 2, 3), velocity=(0.5, 0, 1), angular_velocity=(0, 2, 1))
        obj.rotation_mode = mode
        if mode == "QUATERNION":
            obj.rotation_quaternion = Quaternion((0, 0, 1), 0.3)
        elif mode == "AXIS_ANGLE":
            obj.rotation_axis_angle = (0.3, 0, 0, 1)
        else:
            obj.rotation_euler = (0, 0, 0.3)
        bpy.context.view_layer.update()
        self.seconds(1)
        bpy.ops.catena.simulate()
        return obj

    def start(self):
        body = self.export().scene["bodies"][0]
        return body["position"], Quaternion(body["orientation"])

    def test_a_body_that_was_moved_begins_there(self):
        obj = self.simulated()
        obj.location.x += 4
        bpy.ops.catena.simulate()
        self.assertIn("'body' was moved since it was simulated", self.scene.catena.report)
        np.testing.assert_allclose(self.start()[0], (5, 2, 3), atol=1e-5)
        self.scene.frame_set(1)
        np.testing.assert_allclose(obj.matrix_world.translation, (5, 2, 3), atol=1e-5)
        bpy.ops.catena.simulate()  # and it is moved once
        self.assertNotIn("was moved", self.scene.catena.report)
        np.testing.assert_allclose(self.start()[0], (5, 2, 3), atol=1e-5)

    def test_at_any_frame_it_begins_moved_and_turned_by_as_much(self):
        for mode in ("XYZ", "ZYX", "QUATERNION", "AXIS_ANGLE"):
            bpy.ops.wm.read_homefile(use_empty=True)
            self.scene = bpy.context.scene
            obj = self.simulated(mode)
            self.scene.frame_set(20)
            turn = Quaternion((1, 2, 0), 0.4)
            obj.location += Vector((0, 0, -2))
            obj.rotation_quaternion = turn @ obj.rotation_quaternion
            place, drawn = self.start()
            np.testing.assert_allclose(place, (1, 2, 1), atol=1e-5)
            wanted = turn @ Quaternion((0, 0, 1), 0.3)
            self.assertLess(1 - abs(wanted.dot(drawn)), 1e-6, mode)
            bpy.ops.catena.clear()
            bpy.context.view_layer.update()
            self.assertEqual(obj.rotation_mode, mode)
            np.testing.assert_allclose(obj.matrix_world.translation, (1, 2, 1), atol=1e-5)
            self.assertLess(1 - abs(wanted.dot(obj.matrix_world.to_quaternion())), 1e-6, mode)

    def test_clear_brings_every_rotation_mode_back(self):
        for mode in ("XYZ", "QUATERNION", "AXIS_ANGLE"):
            bpy.ops.wm.read_homefile(use_empty=True)
            self.scene = bpy.context.scene
            obj = self.simulated(mode)
            self.scene.frame_set(25)
            bpy.ops.catena.clear()
            bpy.context.view_layer.update()
            np.testing.assert_allclose(obj.matrix_world.translation, (1, 2, 3), atol=0)
            self.assertLess(1 - abs(Quaternion((0, 0, 1), 0.3).dot(obj.matrix_world.to_quaternion())), 1e-6, mode)

    def test_keyframes_that_were_changed_by_hand_are_not_replaced_in_silence(self):
        obj = self.simulated()
        bpy.ops.catena.simulate()
        self.assertNotIn("keyframes", self.scene.catena.report)
        self.scene.frame_set(10)
        obj.location.x += 1
        obj.keyframe_insert("location", frame=10)  # as automatic keys do
        bpy.ops.catena.simulate()
        self.assertIn("keyframes of 'body' were changed since it was simulated, and take no part", self.scene.catena.report)
        bpy.ops.catena.simulate()
        self.assertNotIn("keyframes", self.scene.catena.report)

    def test_looking_on_is_no_edit(self):
        obj = self.simulated()
        for frame, subframe in ((1, 0.0), (7, 0.0), (12, 0.25), (31, 0.0), (40, 0.0)):
            self.scene.frame_set(frame, subframe=subframe)
            np.testing.assert_allclose(self.start()[0], (1, 2, 3), atol=0)
        self.assertTrue(obj.catena.has_result)


class Keyframes(SceneTest):
    def keyed(self, obj, path, values):
        """A key at every frame."""
        for frame, value in enumerate(values, start=self.scene.frame_start):
            setattr(obj, path, value)
            obj.keyframe_insert(path, frame=frame)
        self.scene.frame_set(self.scene.frame_start)

    def times(self):
        return np.arange(self.scene.frame_end - self.scene.frame_start + 1) / self.scene.render.fps

    def expect_followed(self, exported, run, tolerance=2e-5):
        """Bodies that keyframes drive are where these are, at each frame, and have them still."""
        columns = run["columns"]
        for k in range(len(columns["t"])):
            self.scene.frame_set(self.scene.frame_start + k)
            for name, frame in exported.frames.items():
                if not frame.driven:
                    continue
                start = rigid(Vector(frame.position), Quaternion(frame.orientation))
                wanted = self.pose(columns, name, k, 1.0) @ start.inverted() @ Matrix(frame.matrix.tolist())
                worst = max(abs(a - b) for u, v in zip(frame.obj.matrix_world, wanted) for a, b in zip(u, v))
                self.assertLess(worst, tolerance, (name, k))

    def test_a_keyframed_cart_swings_its_pendulum(self):
        self.seconds(2, fps=60)
        cart = self.cube("cart", scale=(0.4, 0.4, 0.2))
        bob = self.cube("bob", location=(0, 0, -1), scale=(0.1, 0.1, 0.1), shape="point")
        self.joint("hinge", "revolute", cart, bob, (0, 0, 0), (0, 1, 0))
        bob.catena.shape = "box"
        self.keyed(cart, "location", [(0.3 * math.sin(4 * t), 0, 0) for t in self.times()])
        action = cart.animation_data.action
        exported = self.export()
        bpy.ops.catena.simulate()
        self.assertIn("driven by keyframes: 'cart'", self.scene.catena.report)
        self.assertIs(cart.animation_data.action, action)
        run = self.recorded(exported)
        self.expect_followed(exported, run)
        exported.frames.pop("cart")
        self.expect_motion(exported, run)
        # The same by a formula; between frames the curve through them is off by 1e-8 m.
        scene = exported.scene
        motor = next(joint for joint in scene["joints"] if "motor" in joint)
        self.assertEqual(motor["bodies"], ["ground", "cart"])
        motor["motor"] = {"travel": "0.3*sin(4*t)"}
        other = self.recorded(exported)
        for column in ("x_bob", "z_bob", "x_cart"):
            np.testing.assert_allclose(run["columns"][column], other["columns"][column], atol=5e-6, err_msg=column)

    def test_a_keyframed_crank_turns_as_a_motor_does(self):
        load_example("four_bar.py")
        self.scene = bpy.context.scene
        by_motor = self.recorded(self.export())["columns"]
        crank, hinge = bpy.data.objects["crank"], next(obj for obj in self.scene.objects if obj.catena.motor != "NONE")
        hinge.catena.motor = "NONE"
        crank.rotation_mode = "QUATERNION"
        for k in range(self.scene.frame_end - self.scene.frame_start + 1):
            crank.location = [by_motor[f"{axis}_crank"][k] for axis in "xyz"]
            crank.rotation_quaternion = [by_motor[f"q{axis}_crank"][k] for axis in "wxyz"]
            for path in ("location", "rotation_quaternion"):
                crank.keyframe_insert(path, frame=self.scene.frame_start + k)
        self.scene.frame_set(self.scene.frame_start)
        exported = self.export()
        bpy.ops.catena.simulate()
        self.assertIn(f"joints of what keyframes hold already take no part: '{hinge.name}'", self.scene.catena.report)
        self.assertEqual(len(exported.carriers), 0)  # it turns about one point
        run = self.recorded(exported)["columns"]
        for column in ("x_rocker", "z_rocker", "x_coupler"):
            np.testing.assert_allclose(run[column], by_motor[column], atol=2e-4, err_msg=column)

    def test_turns_about_all_axes_and_moves_are_followed(self):
        self.seconds(1.5)
        body = self.cube("tumbling", scale=(1, 0.5, 0.2))
        self.cube("free", location=(5, 0, 0))
        body.rotation_mode = "XYZ"
        self.keyed(body, "location", [(t, math.sin(2 * t), 0.2 * t * t) for t in self.times()])
        self.keyed(body, "rotation_euler", [(2 * t, 0.8 * math.sin(3 * t), -t) for t in self.times()])
        exported = self.export()
        self.assertEqual(len(exported.carriers), 5)
        self.expect_followed(exported, self.recorded(exported))

    def test_somersaults_are_followed_too(self):
        self.seconds(1)
        body = self.cube("diver", scale=(0.3, 0.2, 1))
        self.cube("free", location=(5, 0, 0))
        body.rotation_mode = "QUATERNION"
        self.keyed(body, "rotation_quaternion", [Quaternion((1, 0, 0), 6.3 * t) @ Quaternion((0, 0, 1), 0.7 * t)
                                                 for t in self.times()])
        exported = self.export()
        self.expect_followed(exported, self.recorded(exported))

    def test_parents_constraints_drivers_and_fixed_bodies_drive_too(self):
        self.seconds(1)
        empty = bpy.data.objects.new("way", None)
        self.scene.collection.objects.link(empty)
        self.keyed(empty, "location", [(0, t, 0) for t in self.times()])
        child = self.cube("child")
        child.parent = empty
        follower = self.cube("follower", location=(3, 0, 0))
        follower.constraints.new("COPY_LOCATION").target = empty
        driven = self.cube("by driver", location=(0, 0, 4))
        driven.driver_add("rotation_euler", 2).driver.expression = "frame / 10"
        held = self.cube("held", location=(0, 0, 8), fixed=True)
        self.keyed(held, "location", [(0, 0, 8 + t) for t in self.times()])
        self.cube("free", location=(9, 0, 0))
        exported = self.export()
        self.assertEqual({name for name, frame in exported.frames.items() if frame.driven},
                         {"child", "follower", "by-driver", "held"})
        self.expect_followed(exported, self.recorded(exported))
        bpy.ops.catena.simulate()
        self.assertTrue(bpy.data.objects["free"].catena.has_result)
        for obj in (child, follower, driven, held):
            self.assertFalse(obj.catena.has_result)

    def test_keyframes_that_keep_a_body_still_hold_it(self):
        self.seconds(0.5)
        obj = self.cube("held")
        self.cube("free", location=(3, 0, 0))
        obj.keyframe_insert("location", frame=1)
        bodies = {body["name"]: body for body in self.export().scene["bodies"]}
        self.assertTrue(bodies["held"]["fixed"])
        self.assertNotIn("fixed", bodies["free"])

    def test_what_cannot_be_followed_is_named(self):
        self.seconds(1)
        grows = self.cube("grows")
        self.keyed(grows, "scale", [(1 + t, 1, 1) for t in self.times()])
        base = self.cube("base", location=(3, 0, 0))
        rider = self.cube("rider", location=(3, 0, 2))
        rider.parent = base
        self.keyed(rider, "location", [(0, t, 2) for t in self.times()])
        spun = self.cube("spun", location=(9, 0, 0))
        spun.rotation_mode, random, turns = "QUATERNION", np.random.default_rng(2), [Quaternion()]
        for _ in self.times()[1:]:
            turns.append(Quaternion(random.normal(size=3), 1.4) @ turns[-1])
        self.keyed(spun, "rotation_quaternion", turns)
        flipped = self.cube("flipped", location=(12, 0, 0))
        self.keyed(flipped, "rotation_euler", [(60 * t, 0, 0) for t in self.times()])
        text = self.error_of(bpy.ops.catena.simulate)
        self.assertIn("'grows': its keyframes change its size", text)
        self.assertIn("'rider': has keyframes and hangs on 'base', which is simulated", text)
        self.assertIn("'spun': its keyframes cannot be followed: it turns about too many axes", text)
        self.assertIn("'flipped': its keyframes cannot be followed: it turns by more than a quarter turn", text)

    def test_keyframes_of_joints_are_not_dropped_in_silence(self):
        self.seconds(0.5)
        obj = self.cube("a")
        hinge = self.joint("hinge", "revolute", None, obj, (0, 0, 0.5), (0, 1, 0))
        self.keyed(hinge, "location", [(t, 0, 0.5) for t in self.times()])
        bpy.ops.catena.check()
        self.assertIn("keyframes of joints and forces take no part: 'hinge'", self.scene.catena.report)


class BlendersOwn(SceneTest):
    def gravity(self):
        return self.export().scene["simulation"]["gravity"]

    def test_gravity_is_the_scenes_until_another_one_is_given(self):
        self.cube("a")
        self.seconds(0.2)
        self.assertEqual(self.gravity(), [0.0, 0.0, -9.81])
        self.scene.gravity = (0, 0, -1.62)
        self.assertEqual(self.gravity(), [0.0, 0.0, -1.62])
        bpy.ops.catena.simulate()
        self.assertIn("gravity is the scene's: 0, 0, -1.62 m/s²", self.scene.catena.report)
        self.scene.unit_settings.scale_length = 0.5
        self.assertEqual(self.gravity(), [0.0, 0.0, -0.81])
        self.scene.use_gravity = False
        self.assertEqual(self.gravity(), [0.0, 0.0, 0.0])
        self.scene.catena.gravity = (0, 1, -3)
        self.assertEqual(self.gravity(), [0.0, 1.0, -3.0])
        self.scene.catena.gravity_of = "SCENE"
        self.assertEqual(self.gravity(), [0.0, 0.0, 0.0])

    def test_a_gravity_of_an_older_file_holds(self):
        self.cube("a")
        self.scene.gravity = (0, 0, -1.62)
        self.scene.catena.gravity = (0, 0, -3)
        self.scene.catena.property_unset("gravity_of")  # which version 0.1.0 did not know
        self.assertEqual(self.gravity(), [0.0, 0.0, -3.0])

    def test_physics_that_takes_no_part_is_named(self):
        body = self.cube("body")
        other = self.cube("other", location=(3, 0, 0))
        other.catena.role = "NONE"
        for obj in (body, other):
            select(obj)
            bpy.ops.rigidbody.object_add()
        bpy.ops.object.empty_add(location=(1, 0, 0))
        bpy.context.object.name = "tie"
        bpy.ops.rigidbody.constraint_add()
        bpy.ops.object.effector_add(type="WIND")
        bpy.context.object.name = "breeze"
        self.seconds(0.2)
        for work in (bpy.ops.catena.check, bpy.ops.catena.simulate):
            work()
            report = self.scene.catena.report
            self.assertIn("rigid bodies take no part: 'other'", report)
            self.assertIn("remove Rigid Body from 'body'", report)
            self.assertIn("rigid body constraints take no part: 'tie'", report)
            self.assertIn("force fields take no part: 'breeze'", report)

    def test_what_a_joint_has_no_use_for_is_named(self):
        obj = self.cube("a")
        joint = self.joint("neck", "ball", None, obj, (0, 0, 0.5), damping=0.3, use_limits=True, motor="torque")
        self.seconds(0.2)
        bpy.ops.catena.check()
        self.assertIn("'neck' is a ball joint, which has no coordinate to act along: it does without damping, limits, motor",
                      self.scene.catena.report)
        for key, value in (("damping", 0.0), ("use_limits", False), ("motor", "NONE")):
            setattr(joint.catena, key, value)
        bpy.ops.catena.check()
        self.assertNotIn("neck", self.scene.catena.report)
        for kind in ("fixed", "universal", "cylindrical", "planar", "point-on-line"):
            joint.catena.kind, joint.catena.friction = kind, 0.1
            bpy.ops.catena.check()
            self.assertIn(f"is a {kind} joint, which has no coordinate to act along: it does without friction",
                          self.scene.catena.report)


class WrongPrograms(SceneTest):
    def setUp(self):
        super().setUp()
        self.cube("a")
        self.seconds(0.1)
        right = os.environ["CATENA_PROGRAM"]
        self.addCleanup(os.environ.__setitem__, "CATENA_PROGRAM", right)

    def script(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
        return path

    def test_a_wrong_program_ends_in_a_message(self):
        shell = "#!/bin/sh\n"
        version = shell + 'if [ "$1" = --version ]; then echo catena 0.1.0; exit; fi\n'
        programs = {
            "/bin/true": "is not the program catena",
            "/bin/false": "is not the program catena",
            "/bin/cat": "is not the program catena",
            "/no/such/program": "there is no program",
            self.folder.name: "there is no program",
            self.script("noise", "this is no program\n"): "",
            self.script("binary", "\x7fELF nothing"): "cannot be run",
            self.script("silent", version): "",
            self.script("chatty", version + "echo hello"): "",
            self.script("dying", version + "echo 'catena: no more' >&2; exit 3"): "no more",
            self.script("killed", version + "kill -9 $$"): "",
        }
        for program, said in programs.items():
            os.environ["CATENA_PROGRAM"] = program
            for work in (bpy.ops.catena.check, bpy.ops.catena.simulate):
                text = self.error_of(work)
                self.assertIn(said, text, program)
                self.assertNotIn("Traceback", text, program)
                self.assertTrue(self.scene.catena.report.strip(), program)
            from catena import operators
            self.assertIsNone(operators.running)

    def test_files_that_cannot_be_written_or_read_end_in_a_message(self):
        text = self.error_of(bpy.ops.catena.export_scene, filepath=self.path("no folder/scene.json"))
        self.assertNotIn("Traceback", text)
        for name in ("noise.npz", "noise.json", "noise.h5"):
            with open(self.path(name), "wb") as file:
                file.write(b"\xff\xfe no run \x00")
            self.assertNotIn("Traceback", self.error_of(bpy.ops.catena.import_run, filepath=self.path(name)))


class Meshes(SceneTest):
    def fault(self, change):
        import bmesh
        obj = self.cube("part")
        mesh = bmesh.new()
        mesh.from_mesh(obj.data)
        mesh.faces.ensure_lookup_table()
        change(bmesh, mesh)
        mesh.to_mesh(obj.data)
        text = self.error_of(bpy.ops.catena.check)
        self.assertIn("'part'", text)
        return text

    def test_holes(self):
        text = self.fault(lambda bmesh, mesh: bmesh.ops.delete(mesh, geom=[mesh.faces[0]], context="FACES_ONLY"))
        self.assertIn("is not closed: 4 edges", text)
        self.assertIn("Fill Holes", text)

    def test_a_face_that_looks_inside(self):
        self.assertIn("Recalculate Outside", self.fault(lambda _, mesh: mesh.faces[0].normal_flip()))

    def test_all_faces_look_inside(self):
        text = self.fault(lambda bmesh, mesh: bmesh.ops.reverse_faces(mesh, faces=mesh.faces))
        self.assertIn("its faces look inside", text)

    def test_a_plane_is_not_closed(self):
        bpy.ops.mesh.primitive_plane_add()
        self.body(bpy.context.object)
        self.assertIn("is not closed: 4 edges", self.error_of(bpy.ops.catena.check))

    def test_a_flat_box_has_no_volume(self):
        self.cube("sheet").data.transform(Matrix.Diagonal((1, 1, 0, 1)))
        self.assertIn("'sheet': its mesh", self.error_of(bpy.ops.catena.check))


if __name__ == "__main__":
    main()
