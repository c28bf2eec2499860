"""Files in and out: export, import into the same scene and into an empty one, glTF, cancelling, many keyframes."""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import *

import time

import jsonschema

SCENE_SCHEMA = json.loads(catena("schema"))
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
        drawn = next(body for body in run["drawing"]["bodies"] if body["name"] == "spindle")
        np.testing.assert_allclose(spindle.dimensions, drawn["shapes"][0]["size"], atol=1e-3)
        self.assertEqual(bpy.data.objects["guide"].catena.kind, "prismatic")
        guide = next(joint for joint in run["scene"]["joints"] if joint["name"] == "guide")
        self.assertAlmostEqual(bpy.data.objects["guide"].catena.stiffness, guide["stiffness"], places=4)
        self.assertEqual(bpy.data.objects["left trail"].type, "CURVE")
        bpy.ops.catena.clear()
        self.assertEqual(len(self.scene.objects), 0)
        self.assertEqual(len(bpy.data.actions), 0)

    def test_a_new_scene_exports_again_and_moves_the_same_way(self):
        for name in ("governor", "boxes-on-a-hinge", "slider-crank", "intermediate-axis", "heavy-top", "four-bar",
                     "cart-pole-balanced", "gyroscope"):
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

    def exported_again(self, scene, duration=0.6):
        """A scene, its run, and what Blender exports after importing that run."""
        bpy.ops.wm.read_homefile(use_empty=True)
        self.scene = bpy.context.scene
        simulation = {"duration": duration, "sample": 0.04, "gravity": [0.0, 0.5, -9.0], "tolerance": 1e-12, "order": 18}
        scene = {"format": 1, "simulation": simulation, **scene}
        with open(self.path("made.json"), "w", encoding="utf-8") as file:
            json.dump(scene, file)
        catena("run", self.path("made.json"), "-o", self.path("made-run.json"))
        self.scene.render.fps = 25
        bpy.ops.catena.import_run(filepath=self.path("made-run.json"))
        exported = self.export()
        jsonschema.validate(exported.scene, SCENE_SCHEMA)
        expect_same(self, simulation, exported.scene["simulation"], 1e-6)
        with open(self.path("made-run.json"), encoding="utf-8") as file:
            return scene, json.load(file), exported

    def expect_same_motion(self, run, again, tolerance):
        """Columns agree at the last row: single precision at the start, regular motion."""
        for name, values in run["columns"].items():
            if name.split("_")[0] in ("x", "y", "z", "qw", "qx", "qy", "qz"):
                self.assertAlmostEqual(values[-1], again["columns"][name][-1], delta=tolerance, msg=name)

    def test_forces_of_every_kind_come_back_as_they_were(self):
        forces = [
            {"kind": "formula", "force": ["k*sin(t)", "0", "0.1*vx"], "parameters": {"k": 0.3}, "on": ["a"],
             "point": [0.5, 0.0, 0.0]},
            {"kind": "formula", "potential": "0.5*x^2", "on": ["b"], "point": [0.0, 0.0, 0.0]},
            {"kind": "drag", "linear": 0.25, "coefficient": 0.5, "area": 0.5},
            {"kind": "wind", "velocity": ["1 + sin(t)", "0", "0"], "height": 2.0, "ground": -1.0},
            {"kind": "buoyancy", "density": 100.0, "volume": 0.125, "on": ["a"], "point": [0.0, 0.0, 0.25]},
            {"kind": "velocity-damping", "rate": 0.5, "on": ["b"]},
            {"kind": "gravity", "field": ["0", "0.5*x", "0"], "on": ["a", "b"]},
            {"kind": "gravity", "potential": "0.25*y^2"},
            {"kind": "gravity", "field": ["0.5", "0", "0"], "on": ["b"], "point": [0.0, 0.25, 0.0]},
            {"kind": "point-mass", "strength": 2.0, "position": [3.0, 0.0, 0.5]},
            {"kind": "electric", "field": ["0", "0", "2"]},
            {"kind": "magnetic", "field": ["0", "4", "0"]},
            {"kind": "point-charge", "charge": -0.5, "constant": 2.0, "position": [-1.0, 2.0, 0.0]},
            {"kind": "magnet", "moment": [0.0, 0.0, 512.0], "position": [0.0, 0.0, -2.0]},
            {"kind": "point-mass", "strength": 1.0, "position": [0.0, 4.0, 0.5], "on": ["a"], "point": [0.25, 0.0, 0.125]},
            {"kind": "coulomb", "constant": 0.5, "on": ["a", "b"]},
            {"kind": "dipoles"},
        ]
        known = {kind for one in SCENE_SCHEMA["properties"]["forces"]["items"]["oneOf"]
                 for kind in one["properties"]["kind"]["enum"]}
        self.assertEqual({force["kind"] for force in forces} | {"spring"}, known)
        bodies = [{"name": name, "shape": "box", "size": [1.0, 0.5, 0.25], "mass": 2.0, "position": [x, 0.0, 0.5],
                   "charge": 0.5, "moment": [0.0, 64.0, 0.0], "susceptibility": 0.25, "volume": 0.125, "drag_area": 0.25}
                  for name, x in (("a", 0.0), ("b", 2.0))]
        scene, run, exported = self.exported_again({"bodies": bodies, "forces": forces})
        self.assertEqual(len(exported.scene["forces"]), len(forces))
        order = lambda force: json.dumps(force, sort_keys=True)
        for wanted, found in zip(sorted(forces, key=order), sorted(exported.scene["forces"], key=order)):
            expect_same(self, wanted, found, 1e-6, wanted["kind"])
        for wanted, found in zip(bodies, exported.scene["bodies"]):
            expect_same(self, wanted, {key: found[key] for key in wanted}, 1e-6, wanted["name"])
        self.expect_same_motion(run, self.recorded(exported), 1e-5)

    def test_springs_among_the_forces_become_springs(self):
        body = {"name": "weight", "shape": "sphere", "radius": 0.25, "mass": 2.0, "position": [0.5, 0.0, -1.0]}
        spring = {"kind": "spring", "between": [[0, 0, 1], "weight"], "points": [[0, 0, 0], [0, 0, 0.25]],
                  "stiffness": 40.0, "damping": 0.5, "length": 1.5}
        _, run, exported = self.exported_again({"bodies": [body], "forces": [spring]})
        self.assertEqual(bpy.data.objects["force 1"].catena.kind, "spring")
        found = exported.scene["joints"][0]
        expect_same(self, {"stiffness": 40.0, "damping": 0.5, "length": 1.5, "points": [[0.0, 0, 1], [0.5, 0, -0.75]]},
                    {key: found[key] for key in ("stiffness", "damping", "length", "points")}, 1e-6)
        self.expect_same_motion(run, self.recorded(exported), 1e-5)

    def test_start_values_are_met_once(self):
        """Assembly turns the bodies from where they are drawn; a scene exported later begins there again."""
        rod = {"shape": "rod", "length": 1.0, "radius": 0.05, "mass": 1.0}
        bodies = [{"name": "upper", **rod, "position": [0.5, 0.0, 0.0]},
                  {"name": "lower", **rod, "position": [1.5, 0.0, 0.0]}]
        joints = [{"name": "shoulder", "kind": "revolute", "bodies": ["ground", "upper"], "point": [0, 0, 0],
                   "axis": [0, 1, 0], "angle": "30 deg", "rate": 0.5, "stiffness": 3.0, "rest": 0.25},
                  {"kind": "revolute", "bodies": ["upper", "lower"], "point": [1, 0, 0], "axis": [0, 1, 0],
                   "angle": "0.25 pi", "friction": 0.5, "friction_rate": 0.125, "limits": [-1.0, 1.0],
                   "limit_stiffness": 100.0, "motor": {"torque": "k*t", "parameters": {"k": 0.5}}}]
        _, run, exported = self.exported_again({"bodies": bodies, "joints": joints})
        shoulder, elbow = sorted(exported.scene["joints"], key=lambda joint: "motor" in joint)
        self.assertAlmostEqual(shoulder["angle"], np.pi / 6, places=6)
        self.assertAlmostEqual(elbow["angle"], np.pi / 4, places=6)
        self.assertEqual(elbow["motor"], {"torque": "k*t", "parameters": {"k": 0.5}})
        self.assertAlmostEqual(elbow["friction_rate"], 0.125)
        np.testing.assert_allclose([body["position"] for body in exported.scene["bodies"]], [[1.5, 0, 0], [0.5, 0, 0]],
                                   atol=1e-6)
        self.expect_same_motion(run, self.recorded(exported), 1e-5)
        # What is seen at the first frame is assembled.
        self.scene.frame_set(self.scene.frame_start)
        np.testing.assert_allclose(bpy.data.objects["upper"].matrix_world.translation,
                                   [0.5 * np.cos(np.pi / 6), 0, -0.5 * np.sin(np.pi / 6)], atol=1e-6)
        # The same where Blender simulates twice.
        for _ in range(2):
            bpy.ops.catena.simulate()
            self.scene.frame_set(self.scene.frame_end)
            np.testing.assert_allclose(bpy.data.objects["upper"].matrix_world.translation,
                                       [run["columns"][f"{axis}_upper"][-1] for axis in "xyz"], atol=1e-5)

    def test_joints_drawn_apart_and_with_two_axes(self):
        bodies = [{"name": name, "shape": "box", "size": [0.5, 0.25, 0.25], "mass": 1.0, "position": [x, 0.125, 0.0]}
                  for name, x in (("a", 0.0), ("b", 1.0), ("c", 2.0))]
        joints = [{"name": "hinge", "kind": "revolute", "bodies": ["ground", "a"], "anchors": [[0, 0, 0], [-0.25, 0, 0]],
                   "axes": [[0, 1, 0], [0, 1, 0]]},
                  {"name": "cross", "kind": "universal", "bodies": ["a", "b"], "anchors": [[0.25, 0, 0], [-0.25, 0, 0]],
                   "axes": [[0, 1, 0], [0, 0, 1]]},
                  {"name": "last", "kind": "universal", "bodies": ["b", "c"], "point": [1.5, 0.125, 0.0],
                   "axis": [0, 1, 0], "axis2": [0, 0, 1]}]
        _, run, exported = self.exported_again({"bodies": bodies, "joints": joints})
        found = {joint["name"]: joint for joint in exported.scene["joints"]}
        for wanted in joints[:2]:
            for key in ("anchors", "axes"):
                np.testing.assert_allclose(found[wanted["name"]][key], wanted[key], atol=1e-6)
        self.expect_same_motion(run, self.recorded(exported), 1e-5)

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


    def test_a_chain_on_a_cart_moves_with_it(self):
        run = self.imported("cart-with-links", "--duration", "1")
        columns = run["columns"]
        for k in (0, 30, 100):
            frame = 1 + columns["t"][k] * self.scene.render.fps
            self.scene.frame_set(int(frame), subframe=frame - int(frame))
            hook = bpy.data.objects["cart"].matrix_world @ Vector((0, 0, -0.1))
            self.assertLess((bpy.data.objects["link 1"].matrix_world.translation - hook).length, 1e-5)


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
        self.assertNotEqual(simulation.status, 0)
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
        begin = time.process_time()
        apply_run(bpy.context, Run(columns, None, None, None), exported.frames)
        print(f"{bodies} bodies, {rows} frames: {time.process_time() - begin:.2f} s of processor time")
        self.expect_motion(exported, {"columns": columns}, every=777)


if __name__ == "__main__":
    main()
