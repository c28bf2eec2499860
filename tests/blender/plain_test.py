#!/usr/bin/env python3
"""The modules of the add-on that need no Blender.

usage: plain_test.py CATENA
"""
import importlib
import json
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

import jsonschema
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
package = types.ModuleType("catena_addon")  # without its __init__, which needs bpy
package.__path__ = [str(ROOT / "apps" / "blender" / "catena")]
sys.modules["catena_addon"] = package
arrows, keyframes, motion, names, prescribed, program, shapes = (
    importlib.import_module("catena_addon." + name)
    for name in ("arrows", "keyframes", "motion", "names", "prescribed", "program", "shapes"))
CATENA = ""


def random_turns(count, seed=1):
    turns = np.random.default_rng(seed).normal(size=(count, 4))
    return turns / np.linalg.norm(turns, axis=1, keepdims=True)


class NameTest(unittest.TestCase):
    def test_names_become_those_of_scenes_and_stay_apart(self):
        both = names.Names(["Cube.001", "Cube 001", "ground", "1st", "Würfel", "", "a"])
        self.assertEqual(len(set(both.scene.values())), 7)
        for name in both.scene.values():
            self.assertRegex(name, r"^(?!(total|ground)$)[A-Za-z][A-Za-z0-9_-]*$")
        self.assertEqual(both.scene["a"], "a")

    def test_messages_speak_of_blenders_names(self):
        both = names.Names(["Cube.001", "door hinge"])
        text = ("/tmp/x/scene.json:1:52: body 'Cube-001': mass must be positive, got 0\n  {\"name\"\n   ^\n"
                "/tmp/x/scene.json:1:90: joint 'door-hinge': axis must not be zero\n")
        self.assertEqual(names.messages_of(text, both), ["body 'Cube.001': mass must be positive, got 0",
                                                         "joint 'door hinge': axis must not be zero"])
        self.assertEqual(both.mentioned(text), ["Cube.001", "door hinge"])


class RotationTest(unittest.TestCase):
    def test_matrices_and_quaternions_are_inverse(self):
        turns = random_turns(2000)
        turns = np.concatenate([turns, np.eye(4), -np.eye(4), [[0, 0.6, 0.8, 0]]])
        found = motion.quaternions(motion.matrices(np.zeros((len(turns), 3)), turns)[:, :3, :3])
        # q and -q are the same rotation; roundoff of a few products.
        self.assertLess(np.abs(np.abs(np.einsum("ij,ij->i", found, turns)) - 1).max(), 1e-14)

    def test_signs_follow_the_row_before(self):
        angle = np.linspace(0, 20, 500)
        smooth = np.stack([np.cos(angle / 2), np.sin(angle / 2), 0 * angle, 0 * angle], axis=1)
        signs = np.where(np.random.default_rng(2).random(500) < 0.5, -1.0, 1.0)
        found = motion.without_sign_flips(smooth * signs[:, None], near=smooth[0])
        np.testing.assert_array_equal(found, smooth)

    def test_what_a_scale_cannot_express_is_measured(self):
        turns = random_turns(50)
        bases = motion.matrices(np.zeros((50, 3)), turns) @ np.diag([2.0, 3.0, 0.5, 1.0])
        locations, found, error = motion.basis_poses(bases, [2.0, 3.0, 0.5])
        self.assertLess(error, 1e-13)
        sheared = np.diag([1.0, 2.0, 1.0, 1.0]) @ bases
        self.assertGreater(motion.basis_poses(sheared, [2.0, 3.0, 0.5])[2], 0.1)

    def test_links_are_laid_along_their_directions(self):
        directions = np.random.default_rng(3).normal(size=(300, 3))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        directions = np.concatenate([directions, [[0, 0, -1], [0, 0, 1]]])
        turns = motion.aligned(directions)
        down = motion.matrices(np.zeros((len(turns), 3)), turns)[:, :3, :3] @ np.array([0, 0, -1.0])
        np.testing.assert_allclose(down, directions, atol=1e-12)


class SolidTest(unittest.TestCase):
    def measure(self, drawn):
        corners, faces = shapes.mesh_of(drawn)
        triangles = np.array([(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)])
        return motion.volume_and_center(np.array(corners, dtype=float), triangles), triangles

    def test_meshes_of_shapes_are_closed_and_look_outward(self):
        # Polygons of 32 sides have 0.9936 of a circle's area; 16 bands take a little more off a ball.
        volumes = {"box": 0.3, "ellipsoid": np.pi / 6 * 0.3, "rod": np.pi / 4 * 0.25, "cylinder": np.pi / 4 * 0.36 * 2,
                   "cone": np.pi / 12 * 0.36 * 2, "capsule": np.pi / 4 * 0.36 * 1.4 + np.pi / 6 * 0.216}
        sizes = {"box": [1, 0.5, 0.6], "ellipsoid": [1, 0.5, 0.6], "rod": [1, 0.5, 0.5]}
        for shape, volume in volumes.items():
            (found, center), triangles = self.measure({"shape": shape, "size": sizes.get(shape, [0.6, 0.6, 2.0])})
            self.assertAlmostEqual(found / volume, 1.0, delta=0.025, msg=shape)
            np.testing.assert_allclose(center, [0, 0, 0.5 if shape == "cone" else 0], atol=1e-9, err_msg=shape)
            edges = [(a, b) for t in triangles for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))]
            self.assertEqual(len(edges), len(set(edges)), shape)
            self.assertEqual(set(edges), {(b, a) for a, b in edges}, shape)

    def test_the_center_does_not_depend_on_where_it_is_measured_from(self):
        (_, center), triangles = self.measure({"shape": "cone", "size": [1, 1, 2]})
        corners = np.array(shapes.mesh_of({"shape": "cone", "size": [1, 1, 2]})[0])
        moved = motion.volume_and_center(corners + [1e3, -2e3, 5e2], triangles)[1]
        np.testing.assert_allclose(moved - [1e3, -2e3, 5e2], center, atol=1e-9)

    def test_points_at_one_place_are_merged(self):
        points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0.0]])
        merged, triangles = motion.merged(points, np.array([[0, 1, 2], [3, 2, 1], [0, 3, 1]]))
        self.assertEqual(len(merged), 3)
        self.assertEqual(len(triangles), 2)


class ArrowTest(unittest.TestCase):
    def test_an_arrow_ends_where_the_vector_does(self):
        lines = np.array(arrows.arrow((1, 2, 3), (0, 0, 2)))
        self.assertEqual(len(lines) % 2, 0)
        np.testing.assert_allclose(lines[:2], [[1, 2, 3], [1, 2, 5]])
        self.assertEqual(arrows.arrow((0, 0, 0), (0, 0, 0)), [])

    def test_an_arc_is_right_handed_about_its_axis(self):
        lines = np.array(arrows.arc((0, 0, 0), (0, 0, 1), 0.0, np.pi / 2, 1.0, zero=(1, 0, 0)))
        np.testing.assert_allclose(lines[1], [1, 0, 0], atol=1e-12)
        np.testing.assert_allclose(lines[3], [0, 1, 0], atol=1e-12)


# ---- actions as Blender 5 has them: no `fcurves` in the action ------------------------------------------------
# Stand-ins, for where no such Blender is installed; run.py tests with real ones, by CATENA_BPY.


class Points(list):
    def add(self, count):
        self[:] = [None] * count
        self.sets = {}

    def foreach_set(self, key, values):
        self.sets[key] = np.array(values)


class Curve:
    def __init__(self, path, index):
        self.data_path, self.array_index, self.keyframe_points, self.updated = path, index, Points(), False

    def update(self):
        self.updated = True


class Curves(list):
    def new(self, data_path, *, index=0):
        self.append(Curve(data_path, index))
        return self[-1]


class LayeredAction:
    def __init__(self, name):
        self.name, action = name, self
        self.slots, self.layers = [], []
        bag = types.SimpleNamespace(fcurves=Curves(), slot=None)

        class Slots(list):
            def new(self, id_type, name):
                assert id_type == "OBJECT"
                self.append(types.SimpleNamespace(identifier="OB" + name))
                return self[-1]

        class Strip:
            channelbags = [bag]

            def channelbag(self, slot, *, ensure=False):
                assert ensure and slot in action.slots
                bag.slot = slot
                return bag

        class Strips(list):
            def new(self, *, type):
                assert type == "KEYFRAME"
                self.append(Strip())
                return self[-1]

        class Layers(list):
            def new(self, name):
                self.append(types.SimpleNamespace(name=name, strips=Strips()))
                return self[-1]

        self.slots, self.layers, self.bag = Slots(), Layers(), bag


class KeyframeTest(unittest.TestCase):
    def write(self, action_class):
        made = []
        actions = types.SimpleNamespace(new=lambda name: made.append(action_class(name)) or made[0])
        data = types.SimpleNamespace(action=None, action_slot=None)
        owner = types.SimpleNamespace(name="cube", animation_data_create=lambda: data)
        values = np.arange(12.0).reshape(4, 3)
        keyframes.write_action(actions, owner, "Catena cube", [1, 2, 3, 4], [("location", values)])
        return made[0], data, values

    def expect_curves(self, curves, values):
        self.assertEqual([(c.data_path, c.array_index) for c in curves], [("location", i) for i in range(3)])
        for curve in curves:
            found = curve.keyframe_points.sets["co"].reshape(-1, 2)
            np.testing.assert_array_equal(found[:, 0], [1, 2, 3, 4])
            np.testing.assert_array_equal(found[:, 1], values[:, curve.array_index])
            self.assertTrue((curve.keyframe_points.sets["interpolation"] == keyframes.LINEAR).all())
            self.assertTrue(curve.updated)

    def test_layered_actions(self):
        action, data, values = self.write(LayeredAction)
        self.expect_curves(action.bag.fcurves, values)
        self.assertIs(data.action, action)
        self.assertIs(data.action_slot, action.slots[0])
        self.assertIs(action.bag.slot, action.slots[0])
        self.assertEqual(len(keyframes.curves_of(action)), 3)
        slot = keyframes.slot_of(data)
        self.assertEqual(slot, "OBcube")
        data.action = data.action_slot = None
        keyframes.use_action(data, action, slot)
        self.assertIs(data.action_slot, action.slots[0])

    def test_actions_as_they_were(self):
        action, data, values = self.write(lambda name: types.SimpleNamespace(name=name, fcurves=Curves()))
        self.expect_curves(action.fcurves, values)
        self.assertIs(data.action, action)
        self.assertIsNone(data.action_slot)


# ---- with the program -----------------------------------------------------------------------------------------


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="catena-test-"))
        self.scene = {"format": 1, "simulation": {"duration": 0.5, "sample": 0.1},
                      "bodies": [{"name": "a", "shape": "box", "size": [1, 2, 3], "mass": 1.0, "velocity": [1, 0, 0],
                                  "angular_velocity": [0, 0, 2]}]}

    def tearDown(self):
        import shutil
        shutil.rmtree(self.folder)

    def test_a_simulation_in_the_background_comes_back(self):
        simulation = program.Simulation(CATENA, self.scene)
        simulation.wait()
        self.assertEqual(simulation.status, 0, simulation.standard_error())
        self.assertLess(simulation.summary()["energy_error_relative"], 1e-12)
        run = motion.read_run(simulation.run_file)
        positions, turns = run.poses("a")
        np.testing.assert_allclose(run.times, np.arange(6) / 10, atol=1e-12)
        np.testing.assert_allclose(positions[:, 0], run.times, atol=1e-12)
        np.testing.assert_allclose(positions[:, 2], -0.5 * 9.81 * run.times**2, atol=1e-12)
        np.testing.assert_allclose(2 * np.arctan2(turns[:, 3], turns[:, 0]), 2 * run.times, atol=1e-12)
        simulation.close()
        self.assertFalse(simulation.folder.exists())

    def test_json_and_npz_hold_the_same(self):
        path = self.folder / "scene.json"
        path.write_text(json.dumps(self.scene))
        for ending in ("json", "npz"):
            program.call(CATENA, "run", str(path), "-o", str(self.folder / f"run.{ending}"))
        a, b = (motion.read_run(self.folder / f"run.{ending}") for ending in ("json", "npz"))
        self.assertEqual(a.columns.keys(), b.columns.keys())
        for name in a.columns:
            np.testing.assert_array_equal(a.columns[name], b.columns[name], err_msg=name)
        self.assertEqual(a.scene, b.scene)

    def test_what_is_refused_says_whom(self):
        self.scene["bodies"][0]["mass"] = 0.0
        simulation = program.Simulation(CATENA, self.scene)
        simulation.wait()
        self.assertEqual(simulation.status, 2)
        said = names.messages_of(simulation.standard_error(), names.Names(["a"]))
        self.assertIn("'a'", said[0])
        simulation.close()

    def test_a_program_that_is_not_there_is_named(self):
        with self.assertRaises(program.ProgramError):
            program.find_program("/no/such/catena")

    def test_runs_of_shipped_scenes_keep_to_the_schema(self):
        schema = json.loads(program.call(CATENA, "schema", "--run"))
        for scene in ("governor", "double-pendulum", "elastic-chain", "gyroscope", "tree"):
            path = self.folder / f"{scene}.json"
            program.call(CATENA, "run", scene, "-o", str(path), "--duration", "0.1")
            run = json.loads(path.read_text())
            jsonschema.validate(run, schema)
            shown = motion.read_run(path)
            for body in shown.drawing["bodies"]:
                corners, faces = shapes.body_mesh(body["shapes"])
                self.assertTrue(faces or not body["shapes"], body["name"])
        broken = dict(run, format=2)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)
        with self.assertRaises(motion.RunError):
            motion.run_from_json(json.dumps(broken))

    def test_a_run_that_failed_is_shown_as_far_as_it_goes(self):
        columns = {"t": np.arange(4.0), "x_a": np.array([0, 1, np.nan, 3]), "y_a": np.zeros(4), "z_a": np.zeros(4)}
        self.assertEqual(motion.Run(columns, None, None, None).finite_rows(), 2)


def value_of(formula, t):
    """A formula of the scene's, by Python."""
    return eval(formula, {"choose": lambda c, a, b: a if c >= 0 else b, "t": t})


class Prescribed(unittest.TestCase):
    def curve(self, function, count=49, step=1 / 24, tolerance=1e-7):
        times = np.arange(count) * step
        parts = prescribed.pieces(function(times), step, tolerance)
        return times, parts, prescribed.formula(parts)

    def test_the_curve_goes_through_all_values(self):
        noise = np.random.default_rng(3).normal(size=200)
        for function in (np.sin, lambda t: np.abs(t - 1), lambda t: noise[:len(t)], lambda t: np.exp(-t * t)):
            for count in (2, 3, 4, 5, 49, 200):
                times, _, formula = self.curve(function, count)
                found = [value_of(formula, t) for t in times]
                np.testing.assert_allclose(found, function(times), atol=1.01e-7)

    def test_it_is_smooth_between_pieces(self):
        _, parts, _ = self.curve(lambda t: np.sin(5 * t) + np.abs(t - 1))
        self.assertGreater(len(parts), 5)
        for (start, before), (end, after) in zip(parts, parts[1:]):
            for order in range(3):
                left = np.polynomial.polynomial.polyder(before, order)
                right = np.polynomial.polynomial.polyder(after, order)
                self.assertAlmostEqual(np.polynomial.polynomial.polyval(end - start, left), right[0], delta=1e-10 * 100**order)

    def test_between_frames_it_is_the_function(self):
        # A cubic spline is off by 5/384 h^4 of the fourth derivative, and by more near the ends.
        _, _, formula = self.curve(np.sin, tolerance=0.0)
        between = np.linspace(0, 2, 500)
        found = [value_of(formula, t) for t in between]
        np.testing.assert_allclose(found, np.sin(between), atol=5e-7)

    def test_simple_motions_have_few_pieces(self):
        self.assertEqual(len(self.curve(lambda t: 3 * t - 1)[1]), 1)
        self.assertEqual(len(self.curve(lambda t: t**3 - t)[1]), 1)
        self.assertLess(len(self.curve(np.sin, tolerance=1e-6)[1]), 8)

    def test_three_angles_give_their_rotation_again(self):
        turns = motion.matrices(np.zeros((50, 3)), random_turns(50))[:, :3, :3]

        def about(axis, angles):
            quats = np.zeros((len(angles), 4))
            quats[:, 0], quats[:, 1 + axis] = np.cos(angles / 2), np.sin(angles / 2)
            return motion.matrices(np.zeros((len(angles), 3)), quats)[:, :3, :3]

        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
            a, b, c = (about(axis, angles) for axis, angles in zip(order, prescribed.three_angles(turns, order)))
            np.testing.assert_allclose(a @ b @ c, turns, atol=1e-12)

    def test_a_turn_about_a_point_is_found(self):
        angles, pivot, axis = np.linspace(0, 7, 60), np.array([1.0, -2.0, 0.5]), np.array([0.0, 0.6, 0.8])
        quats = np.concatenate([np.cos(angles / 2)[:, None], np.sin(angles / 2)[:, None] * axis], axis=1)
        turns = motion.matrices(np.zeros((60, 3)), quats)[:, :3, :3]
        places = pivot + turns @ np.array([0.3, 0.1, -0.4])
        found = prescribed.pivot_of(places, turns, 1e-9)
        np.testing.assert_allclose(np.cross(found - pivot, axis), 0, atol=1e-9)
        (one, values), = prescribed.about_axes(turns, 1e-9)
        np.testing.assert_allclose(one * values[-1], 7 * axis, atol=1e-6)
        self.assertIsNone(prescribed.pivot_of(places + angles[:, None], turns, 1e-9))


if __name__ == "__main__":
    CATENA = sys.argv.pop(1)
    unittest.main()
