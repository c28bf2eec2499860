"""Files in and out: export, import into the same scene and into an empty one, glTF, cancelling, many keyframes."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import *

import time

import jsonschema

RUN_SCHEMA = json.loads(catena("schema", "--run"))


class Files(SceneTest):
    def test_export_run_elsewhere_and_import_gives_the_same_animation(self):
        load_example("four_bar.py")
        self.scene = bpy.context.scene
        exported = self.export()
        bpy.ops.catena.export_scene(filepath=self.path("scene.json"))
        for ending in ("json", "h5", "npz"):
            run = self.path("run." + ending)
            catena("run", self.path("scene.json"), "-o", run)
            bpy.ops.catena.import_run(filepath=run)
            catena("convert", run, self.path("as.json"))
            with open(self.path("as.json"), encoding="utf-8") as file:
                recorded = json.load(file)
            jsonschema.validate(recorded, RUN_SCHEMA)
            self.expect_motion(exported, recorded, every=10)
            bpy.ops.catena.clear()

    def test_a_file_that_is_no_run_is_refused(self):
        with open(self.path("no.json"), "w", encoding="utf-8") as file:
            file.write('{"simulation": {}}')
        self.assertIn("no recorded run", self.error_of(bpy.ops.catena.import_run, filepath=self.path("no.json")))
        self.error_of(bpy.ops.catena.import_run, filepath=self.path("not there.json"))


class WithoutAScene(SceneTest):
    def imported(self, scene, *options):
        catena("run", scene, "-o", self.path(scene + ".json"), *options)
        with open(self.path(scene + ".json"), encoding="utf-8") as file:
            run = json.load(file)
        jsonschema.validate(run, RUN_SCHEMA)
        bpy.ops.catena.import_run(filepath=self.path(scene + ".json"))
        return run

    def expect_bodies(self, run, sample, every=10):
        """Objects stand in their bodies' frames."""
        fps, columns = self.scene.render.fps / self.scene.render.fps_base, run["columns"]
        for k in range(0, len(columns["t"]), every):
            frame = self.scene.frame_start + columns["t"][k] * fps
            self.scene.frame_set(int(frame), subframe=frame - int(frame))
            for body in run["drawing"]["bodies"]:
                wanted = self.pose(columns, body["label"], k, 1.0)
                found = bpy.data.objects[body["name"]].matrix_world
                worst = max(abs(a - b) for u, v in zip(found, wanted) for a, b in zip(u, v))
                self.assertLess(worst, 1e-5, (body["name"], k))

    def test_objects_materials_joints_and_trails_are_made(self):
        run = self.imported("governor", "--duration", "1")
        self.expect_bodies(run, 0.01)
        spindle = bpy.data.objects["spindle"]
        self.assertEqual(len(spindle.data.materials), 1)
        np.testing.assert_allclose(spindle.dimensions, [0.1, 0.1, 0.6], atol=1e-3)
        self.assertEqual(bpy.data.objects["guide"].catena.kind, "prismatic")
        self.assertAlmostEqual(bpy.data.objects["guide"].catena.stiffness, 40.0)
        self.assertEqual(bpy.data.objects["left trail"].type, "CURVE")
        bpy.ops.catena.clear()
        self.assertEqual(len(self.scene.objects), 0)
        self.assertEqual(len(bpy.data.actions), 0)

    def test_a_new_scene_exports_again_and_moves_the_same_way(self):
        for name in ("governor", "boxes-on-a-hinge", "slider-crank", "intermediate-axis", "heavy-top"):
            bpy.ops.wm.read_homefile(use_empty=True)
            self.scene = bpy.context.scene
            self.scene.render.fps = 25
            run = self.imported(name, "--duration", "1", "--sample", "0.04")
            last = {body["name"]: self.pose(run["columns"], body["label"], -1, 1.0) for body in run["drawing"]["bodies"]}
            self.scene.frame_end = self.scene.frame_start + 25
            exported = self.export()
            again = self.recorded(exported)
            for body, wanted in last.items():
                found = self.pose(again["columns"], body, -1, 1.0)
                # Single precision at the start, 1 s of regular motion.
                worst = max(abs(a - b) for u, v in zip(found, wanted) for a, b in zip(u, v))
                self.assertLess(worst, 2e-4, (name, body))

    def test_chains_hang_from_each_other(self):
        run = self.imported("double-pendulum", "--duration", "2")
        columns = run["columns"]
        for k in (0, 50, 200):
            frame = 1 + columns["t"][k] * self.scene.render.fps
            self.scene.frame_set(int(frame), subframe=frame - int(frame))
            for i in (1, 2):
                end = Vector([columns[f"{axis}_{i}"][k] for axis in "xyz"])
                self.assertLess((bpy.data.objects[f"bob {i}"].matrix_world.translation - end).length, 1e-5)
                # The link's lower end, -1 along its own z, is at the bob.
                lower = bpy.data.objects[f"link {i}"].matrix_world @ Vector((0, 0, -1))
                self.assertLess((lower - end).length, 1e-4)

    def test_elastic_chains_stretch(self):
        run = self.imported("elastic-pendulum", "--duration", "1")
        columns = run["columns"]
        k = len(columns["t"]) // 2
        frame = 1 + columns["t"][k] * self.scene.render.fps
        self.scene.frame_set(int(frame), subframe=frame - int(frame))
        lower = bpy.data.objects["link 1"].matrix_world @ Vector((0, 0, -1))
        self.assertLess((lower - Vector([columns[f"{axis}_1"][k] for axis in "xyz"])).length, 1e-4)


class Gltf(SceneTest):
    def setUp(self):
        super().setUp()
        # Debian 12's importer is older than its NumPy, which no longer has these names.
        for name, kind in (("bool", bool), ("int", int), ("float", float)):
            if name not in vars(np):
                setattr(np, name, kind)

    def test_blender_reads_the_animation(self):
        catena("run", "four-bar", "-o", self.path("run.h5"), "--duration", "2", "--sample", "0.04")
        catena("convert", self.path("run.h5"), self.path("run.glb"))
        catena("convert", self.path("run.h5"), self.path("run.json"))
        with open(self.path("run.json"), encoding="utf-8") as file:
            columns = json.load(file)["columns"]
        addon_utils.enable("io_scene_gltf2")
        self.scene.render.fps = 25
        bpy.ops.import_scene.gltf(filepath=self.path("run.glb"))
        start = min(action.frame_range[0] for action in bpy.data.actions)
        for k in (0, 7, 25, 50):
            self.scene.frame_set(round(start) + k)
            for name in ("crank", "coupler", "rocker"):
                # The importer turns what y is in each node's own frame too, and its mesh with it.
                found = bpy.data.objects[name].matrix_world @ Matrix.Rotation(np.pi / 2, 4, "X")
                wanted = self.pose(columns, name, k, 1.0)
                worst = max(abs(a - b) for u, v in zip(found, wanted) for a, b in zip(u, v))
                self.assertLess(worst, 1e-5, (name, k))

    def test_blender_reads_chains(self):
        catena("run", "double-pendulum", "-o", self.path("run.h5"), "--duration", "1", "--sample", "0.04")
        catena("convert", self.path("run.h5"), self.path("run.glb"))
        addon_utils.enable("io_scene_gltf2")
        bpy.ops.import_scene.gltf(filepath=self.path("run.glb"))
        self.assertIn("bob_2", bpy.data.objects)
        self.assertIn("rod_2", bpy.data.objects)


class Background(SceneTest):
    def test_progress_and_cancel(self):
        from catena import program
        self.cube("a", shape="box", angular_velocity=(0.1, 3, 0.2))
        self.seconds(30000)
        exported = self.export()
        simulation = program.Simulation(CATENA, exported.scene)
        while not simulation.poll() and simulation.fraction == 0.0:
            time.sleep(0.02)
        self.assertFalse(simulation.poll(), simulation.standard_error())
        self.assertLess(simulation.fraction, 1.0)
        simulation.cancel()
        self.assertTrue(simulation.cancelled)
        self.assertEqual(simulation.status, 130)
        folder = simulation.folder
        simulation.close()
        self.assertFalse(folder.exists())

    def test_operators_are_one_step_to_undo(self):
        for operator in (bpy.ops.catena.simulate, bpy.ops.catena.import_run, bpy.ops.catena.clear,
                         bpy.ops.catena.chain_add, bpy.ops.catena.joint_add, bpy.ops.catena.body_add):
            self.assertIn("UNDO", operator_class(operator).bl_options)


def operator_class(operator):
    from catena import operators
    name = operator.idname_py()
    return next(one for one in operators.CLASSES if one.bl_idname == name)


class Many(SceneTest):
    def test_hundreds_of_bodies_over_thousands_of_frames(self):
        from catena.animation import apply_run
        from catena.motion import Run
        bodies, rows = 300, 2000
        mesh = bpy.data.meshes.new("dot")
        mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
        for i in range(bodies):
            obj = bpy.data.objects.new(f"b{i}", mesh)
            self.scene.collection.objects.link(obj)
            self.body(obj, shape="box")
        self.seconds((rows - 1) / 30)
        exported = self.export()
        t = np.arange(rows) / 30
        columns = {"t": t}
        for name in exported.frames:
            columns.update({f"{a}_{name}": np.sin(t + i) for i, a in enumerate("xyz")})
            columns.update({f"qw_{name}": np.cos(t), f"qx_{name}": np.sin(t), f"qy_{name}": 0 * t, f"qz_{name}": 0 * t})
        begin = time.perf_counter()
        apply_run(bpy.context, Run(columns, None, None, None), exported.frames)
        print(f"{bodies} bodies, {rows} frames: {time.perf_counter() - begin:.2f} s")
        self.expect_motion(exported, {"columns": columns}, every=777)


if __name__ == "__main__":
    main()
