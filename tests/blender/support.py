"""What the tests inside Blender share."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
ADDON = ROOT / "apps" / "blender"
sys.path[:0] = [str(ADDON), str(HERE)]

import bpy  # first: as a module of Python, it brings the others
import addon_utils
import numpy as np
from mathutils import Matrix, Quaternion, Vector

CATENA = os.environ["CATENA_PROGRAM"]
addon_utils.enable("catena", default_set=True)


def catena(*words):
    done = subprocess.run([CATENA, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


# As a module, Blender 4.2 crashes while Python ends, once a property has a callback.
LEAVE = "import os, sys; sys.stdout.flush(); sys.stderr.flush(); os._exit({})"


def blender_command(code, *words):
    """What runs a line of Python in a Blender of its own, of the kind that runs this one."""
    if bpy.app.binary_path:
        return [bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1", "--python-expr", code, "--",
                *words]
    return [sys.executable, "-c", code + "; " + LEAVE.format(0), *words]


class SceneTest(unittest.TestCase):
    def setUp(self):
        bpy.ops.wm.read_homefile(use_empty=True)
        addon_utils.enable("catena", default_set=True)
        self.scene = bpy.context.scene
        self.folder = tempfile.TemporaryDirectory(prefix="catena-test-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def seconds(self, duration, fps=30):
        self.scene.render.fps = fps
        self.scene.frame_start, self.scene.frame_end = 1, 1 + round(duration * fps)

    def cube(self, name, location=(0, 0, 0), scale=(1, 1, 1), **settings):
        bpy.ops.mesh.primitive_cube_add(size=1, location=location)
        obj = bpy.context.object
        obj.name = name
        obj.scale = scale
        self.body(obj, **settings)
        bpy.context.view_layer.update()
        return obj

    @staticmethod
    def body(obj, **settings):
        obj.catena.role = "BODY"
        for key, value in settings.items():
            setattr(obj.catena, key, value)
        return obj

    def joint(self, name, kind, first, second, point, axis=(0, 0, 1), **settings):
        obj = bpy.data.objects.new(name, None)
        self.scene.collection.objects.link(obj)
        obj.catena.role, obj.catena.kind, obj.catena.body_a, obj.catena.body_b = "JOINT", kind, first, second
        obj.location = point
        obj.rotation_euler = Vector(axis).to_track_quat("Z", "Y").to_euler()
        for key, value in settings.items():
            setattr(obj.catena, key, value)
        return obj

    def export(self):
        from catena.scene_export import export_scene
        return export_scene(bpy.context)

    def error_of(self, operator, **arguments):
        """The text of the error that an operator reports."""
        with self.assertRaises(RuntimeError) as caught:
            operator(**arguments)
        return str(caught.exception)

    def recorded(self, exported):
        """The run of an exported scene, by the program alone."""
        with open(self.path("alone.json"), "w", encoding="utf-8") as file:
            json.dump(exported.scene, file)
        catena("run", self.path("alone.json"), "-o", self.path("run.json"))
        with open(self.path("run.json"), encoding="utf-8") as file:
            return json.load(file)

    def expect_motion(self, exported, run, every=1, tolerance=1e-5):
        """Each object is where its body is, at each frame: by mathutils, independent of the add-on's arrays.
        Blender keeps single precision: 1e-5 of the size of the scene."""
        unit = self.scene.unit_settings.scale_length
        columns, worst = run["columns"], 0.0
        fps = self.scene.render.fps / self.scene.render.fps_base
        for k in range(0, len(columns["t"]), every):
            self.assertAlmostEqual(columns["t"][k] * fps, k, places=6)
            self.scene.frame_set(self.scene.frame_start + k)
            for name, frame in exported.frames.items():
                if frame.obj.catena.fixed:
                    continue
                pose = self.pose(columns, name, k, unit)
                start = rigid(Vector(frame.position) / unit, Quaternion(frame.orientation))
                wanted = pose @ start.inverted() @ Matrix(frame.matrix.tolist())
                found = frame.obj.matrix_world
                size = max(1.0, max(abs(x) for row in wanted for x in row))
                worst = max(worst, max(abs(a - b) for u, v in zip(found, wanted) for a, b in zip(u, v)) / size)
        self.assertLess(worst, tolerance)
        return worst

    @staticmethod
    def pose(columns, name, k, unit):
        position = Vector([columns[f"{axis}_{name}"][k] / unit for axis in "xyz"])
        if f"qw_{name}" not in columns:
            return Matrix.Translation(position)
        return rigid(position, Quaternion([columns[f"q{part}_{name}"][k] for part in "wxyz"]))


def rigid(position, turn):
    return Matrix.Translation(position) @ turn.to_matrix().to_4x4()


def expect_same(test, a, b, tolerance, where="scene"):
    """Equal but for numbers, which may differ by single precision."""
    if isinstance(a, dict):
        test.assertEqual(a.keys(), b.keys(), where)
        for key in a:
            expect_same(test, a[key], b[key], tolerance, f"{where}.{key}")
    elif isinstance(a, list) and a and isinstance(a[0], list):
        np.testing.assert_allclose(a, b, atol=tolerance, rtol=tolerance, err_msg=where)
    elif isinstance(a, list):
        test.assertEqual(len(a), len(b), where)
        for i, (x, y) in enumerate(zip(a, b)):
            expect_same(test, x, y, tolerance, f"{where}[{i}]")
    elif isinstance(a, float):
        test.assertAlmostEqual(a, b, delta=tolerance * max(1.0, abs(a)), msg=where)
    else:
        test.assertEqual(a, b, where)


def load_example(name):
    """Builds an example's scene as its script does."""
    path = str(ADDON / "examples" / name)
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), {"__file__": path, "__name__": "__main__"})


def main():
    """Blender ends with the exit status of an exception, not of unittest."""
    print("Blender", bpy.app.version_string, flush=True)
    arguments = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    sys.argv = [sys.argv[0]]
    result = unittest.main(module="__main__", argv=["tests", *arguments], exit=False).result
    status = 0 if result.wasSuccessful() and result.testsRun else 1
    if not bpy.app.binary_path:
        exec(LEAVE.format(status))
    if status:
        sys.stdout.flush()
        raise SystemExit(status)
