"""The example scripts build scenes that can be simulated, and the add-on installs from its zip."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import *


class Examples(SceneTest):
    def simulated(self, name, every):
        load_example(name)
        self.scene = bpy.context.scene
        exported = self.export()
        bpy.ops.catena.simulate()
        print(name, self.scene.catena.report.replace("\n", "; "))
        run = self.recorded(exported)
        self.expect_motion(exported, run, every)
        return run

    def test_four_bar(self):
        run = self.simulated("four_bar.py", 10)
        # The crank turns as its motor says: half a turn each second.
        angle = run["columns"]["angle_drive"]
        np.testing.assert_allclose(angle, np.pi * np.array(run["columns"]["t"]), atol=1e-9)

    def test_a_chain_of_cuboids_keeps_its_momentum(self):
        run = self.simulated("cuboid_chain.py", 20)
        for column in ("px_total", "py_total", "pz_total", "lx_total", "ly_total", "lz_total"):
            values = np.array(run["columns"][column])
            # Springs at the limits act between the links alone.
            self.assertLess(np.ptp(values), 1e-9 * max(1.0, np.abs(values).max()), column)

    def test_a_chandelier_keeps_its_energy(self):
        run = self.simulated("chandelier.py", 20)
        self.assertLess(run["summary"]["energy_error_relative"], 1e-11)
        self.assertEqual(run["summary"]["degrees_of_freedom"], 3 * 13)


class Tutorial(SceneTest):
    """The steps of docs/blender.md, by the same buttons."""

    def bar(self, name, location, scale, angle=0.0):
        bpy.ops.mesh.primitive_cube_add(size=2, location=location, rotation=(0, np.radians(angle), 0))
        bpy.context.object.name, bpy.context.object.scale = name, scale

    def select(self, *names):
        for obj in self.scene.objects:
            obj.select_set(obj.name in names)
        bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]

    def test_a_moving_four_bar(self):
        self.bar("crank", (0, 0, 0.25), (0.05, 0.05, 0.3))
        self.bar("coupler", (1, -0.12, 1), (1.17, 0.05, 0.05), -26.565)
        self.bar("rocker", (2, 0, 0.75), (0.05, 0.05, 0.8))
        self.select("crank", "coupler", "rocker")
        bpy.ops.catena.body_add()
        bpy.context.view_layer.update()
        for point, names in (((0, 0, 0), ["crank"]), ((0, -0.06, 0.5), ["crank", "coupler"]),
                             ((2, -0.06, 1.5), ["coupler", "rocker"]), ((2, 0, 0), ["rocker"])):
            self.scene.cursor.location = point
            self.select(*names)
            bpy.ops.catena.joint_add(kind="revolute")
            bpy.context.view_layer.update()
        joints = [obj.name for obj in self.scene.objects if obj.catena.role == "JOINT"]
        self.assertEqual(joints, ["revolute", "revolute.001", "revolute.002", "revolute.003"])
        bpy.ops.catena.check()
        self.assertIn("1 degree of freedom", self.scene.catena.report)
        drive = bpy.data.objects["revolute"]
        drive.catena.motor, drive.catena.motor_formula = "angle", "2*pi*t"
        self.seconds(2)
        exported = self.export()
        bpy.ops.catena.simulate()
        self.assertNotIn("come apart", self.scene.catena.report)
        self.expect_motion(exported, self.recorded(exported), every=5)
        # Half a turn of the crank in half a second: its middle is below the pivot.
        self.scene.frame_set(16)
        np.testing.assert_allclose(bpy.data.objects["crank"].matrix_world.translation, [0, 0, -0.25], atol=1e-5)


class Installation(SceneTest):
    def installed(self, install, module):
        """What a fresh Blender says that installs the zip and simulates with the program inside."""
        zip_file = self.path("catena-blender.zip")
        subprocess.run(["/usr/bin/python3", str(ROOT / "tools" / "pack_blender.py"), CATENA, zip_file, "--no-libraries"],
                       check=True)
        code = (f"import bpy, sys, importlib; {install}; "
                "bpy.ops.mesh.primitive_cube_add(); bpy.context.object.catena.role = 'BODY'; "
                "print(bpy.ops.catena.simulate()); "
                f"print('program', importlib.import_module('{module}.operators').find_program())")
        home = self.path("home")
        os.makedirs(home)
        env = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, BLENDER_USER_RESOURCES=home,
                   BLENDER_USER_SCRIPTS=os.path.join(home, "scripts"))
        del env["CATENA_PROGRAM"]
        done = subprocess.run(blender_command(code, zip_file), capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("{'FINISHED'}", done.stdout)
        self.assertIn(os.path.join("bin", "linux-x64", "catena"), done.stdout)

    def test_the_zip_installs_and_brings_its_program(self):
        self.installed("bpy.ops.preferences.addon_install(filepath=sys.argv[-1]); "
                       "bpy.ops.preferences.addon_enable(module='catena')", "catena")


if bpy.app.version >= (4, 2, 0):  # Blender has extensions since then
    class Extension(Installation):
        def test_the_zip_installs_and_brings_its_program(self):
            self.installed("bpy.ops.extensions.package_install_files(filepath=sys.argv[-1], repo='user_default', "
                           "enable_on_install=True)", "bl_ext.user_default.catena")


if __name__ == "__main__":
    main()
