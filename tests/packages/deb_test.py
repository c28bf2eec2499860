"""The Debian packages in a clean tree: installed, used, removed again, and nothing is left. The tarball in one that has
nothing but the C library.

usage: deb_test.py      exit status 77: ./dev deb was not run, or there is no debootstrap, root or mirror
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import PACKAGES, TOOLS, built

TREE = TOOLS / "debian-tree"
NAMES = ["catena", "libcatena0", "python3-catena"]


def leave(why):
    print(f"nothing to test: {why}")
    sys.exit(77)


def clean_tree():
    """A minimal Debian with Python and NumPy, made once; a copy of it is used."""
    if os.getuid() != 0 or not Path("/usr/sbin/debootstrap").exists():
        leave("needs root and debootstrap")
    if not (TREE / "usr/bin/python3").exists():
        shutil.rmtree(TREE, ignore_errors=True)
        done = subprocess.run(["/usr/sbin/debootstrap", "--variant=minbase", "--include=python3-numpy", "bookworm", TREE], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            leave("debootstrap failed: " + done.stdout[-300:])


def files_in(tree):
    ignored = ("proc", "var/lib/dpkg", "var/cache", "var/log", "etc/ld.so.cache", "var/lib/systemd", "tmp")
    return {path for path in (one.relative_to(tree).as_posix() for one in tree.rglob("*")) if not path.startswith(ignored)}


class Debian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.debs = [built(f"{name}_*.deb", "./dev deb") for name in NAMES]
        clean_tree()

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.tree = Path(place.name) / "tree"
        subprocess.run(["cp", "-a", TREE, self.tree], check=True)

    def inside(self, *words):
        done = subprocess.run(["/usr/sbin/chroot", self.tree, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/tmp", *words],
                              capture_output=True, text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_packages_are_installed_used_and_removed(self):
        before = files_in(self.tree)
        for deb in self.debs:
            shutil.copy(deb, self.tree / "tmp")
        (self.tree / "proc/self").mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "proc", "proc", self.tree / "proc"], check=True)
        self.addCleanup(subprocess.run, ["umount", "-q", self.tree / "proc"], check=False)
        self.inside("dpkg", "-i", *(f"/tmp/{deb.name}" for deb in self.debs))
        self.assertIn("catena ", self.inside("catena", "--version"))
        self.inside("catena", "run", "double-pendulum", "-o", "/tmp/run.h5")
        self.inside("catena", "plot", "/tmp/run.h5", "-o", "/tmp/figures")
        self.inside("python3", "-c", "import catena as ct; assert ct.simulate('pendulum', duration=1).success; ct.load('/tmp/run.h5')")
        self.assertIn("libcatena.so.0", self.inside("ldconfig", "-p"))
        self.inside("dpkg", "--purge", *NAMES)
        subprocess.run(["umount", self.tree / "proc"], check=True)
        self.assertEqual(sorted(files_in(self.tree) - before), [])

    def test_the_tarball_needs_the_c_library_alone(self):
        tarball = built("catena-*-linux-*.tar.gz", "./dev deb")
        bare = self.tree.parent / "bare"
        (bare / "lib64").mkdir(parents=True)
        for name in ("lib64/ld-linux-x86-64.so.2", "lib/x86_64-linux-gnu/libc.so.6", "lib/x86_64-linux-gnu/libm.so.6"):
            (bare / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(os.path.realpath(self.tree / name), bare / name)
        subprocess.run(["tar", "xzf", tarball, "--strip-components=1", "-C", bare], check=True)
        (bare / "proc").mkdir()
        (bare / "tmp").mkdir()
        subprocess.run(["mount", "-t", "proc", "proc", bare / "proc"], check=True)
        self.addCleanup(subprocess.run, ["umount", bare / "proc"], check=False)
        for words in (["--version"], ["demo", "-o", "/tmp/demo"]):
            done = subprocess.run(["/usr/sbin/chroot", bare, "/bin/catena", *words], capture_output=True, text=True, check=False, env={})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertGreater((bare / "tmp/demo/demo.png").stat().st_size, 1000)


if __name__ == "__main__":
    unittest.main()
