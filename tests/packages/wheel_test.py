"""The wheel in clean environments: nothing of Debian's Python, NumPy 1.26 and NumPy 2, from an empty folder.

usage: wheel_test.py      exit status 77: ./dev wheel was not run, or PyPI cannot be reached
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import zipfile
from pathlib import Path

from support import LEVELS, ROOT, TOOLS, built

MOST = 10e6  # bytes (docs/decisions/0229-same-code-at-the-same-place.md)
WHEEL = built("catena-*.whl", "./dev wheel")
NATIVE = ROOT / "build/release/catena"
NUMPYS = {"numpy-1": "numpy==1.26.4", "numpy-2": "numpy>=2"}
README = """
import catena as ct
chain = ct.Chain([ct.Link(length=1, mass=1, theta=2.0)] * 3)
run = ct.simulate(chain, duration=30, method="taylor", tolerance=1e-14)
assert run.positions.shape == (3001, 3, 3) and abs(run.energy_error).max() < 1e-11
assert run.sol(12.345).shape == (12,)
run.save("run.h5")
assert (ct.load("run.h5").rows == run.rows).all()
print(ct.__version__, ct._engine.build)
"""
# The largest of what an import costs beyond Python itself, of a few tries; the machine may be busy.
IMPORT = """
import time
start = time.process_time()
import catena
print(1e3 * (time.process_time() - start))
"""


def environment(name, numpy):
    """A folder with a Python of its own."""
    folder = TOOLS / "wheel-test" / name
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    done = subprocess.run([folder / "bin/pip", "install", "-q", numpy, WHEEL], capture_output=True, text=True, check=False)
    if done.returncode and ("No matching distribution" in done.stderr or "Connection" in done.stderr):
        print("wheel: left out, PyPI cannot be reached")
        sys.exit(77)
    assert done.returncode == 0, done.stderr
    return folder


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folders = {name: environment(name, numpy) for name, numpy in NUMPYS.items()}

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.empty = Path(place.name)

    def run_in(self, name, *words, **settings):
        """A program of an environment, in an empty folder, with nothing of this machine's settings."""
        clean = {"PATH": "/usr/bin:/bin", "HOME": str(self.empty), "LANG": "C.UTF-8", **settings}
        program, *rest = words
        done = subprocess.run([self.folders[name] / "bin" / program, *map(str, rest)], cwd=self.empty, env=clean, capture_output=True,
                              text=True, check=False, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def binaries(self):
        """Those that were unpacked."""
        unpacked = self.empty / ".cache/catena"
        found = [*unpacked.glob("engine-*/*.so"), *unpacked.glob("program-*/_program/bin/catena")]
        self.assertEqual(len(found), len(LEVELS) + 1)
        return found

    def test_the_example_runs_with_every_numpy_and_every_kernel(self):
        for name in self.folders:
            for level in LEVELS:
                with self.subTest(name, level=level):
                    self.run_in(name, "python", "-c", README, CATENA_KERNELS=level)

    def test_it_is_small(self):
        """A module for this kind of processors, what that for older ones differs by, and the page: nothing of ours is there twice."""
        self.assertLess(WHEEL.stat().st_size, MOST)

    def test_the_engine_of_older_processors_is_put_together_once(self):
        with zipfile.ZipFile(WHEEL) as archive:
            patches = [name for name in archive.namelist() if name.endswith(".so.patch")]
        self.assertEqual(len(patches), len(LEVELS) - 1)
        if not patches:
            return
        for _ in range(2):
            self.run_in("numpy-2", "python", "-c", "import catena", CATENA_KERNELS=LEVELS[-1])
            (engine,) = (self.empty / ".cache/catena").glob("engine-*/*")
            self.assertTrue(engine.name.startswith("_engine."))
        made = engine.stat().st_mtime_ns
        self.assertIn(LEVELS[-1], self.run_in("numpy-2", "catena", "--version", CATENA_KERNELS=LEVELS[-1]))
        self.assertEqual(engine.stat().st_mtime_ns, made)

    def test_the_program_works_without_a_home(self):
        """What lies packed is unpacked among temporary files then, for this user alone."""
        settings = {"HOME": "/proc/nowhere", "TMPDIR": str(self.empty)}
        self.assertIn("catena ", self.run_in("numpy-2", "catena", "--version", **settings))
        (own,) = self.empty.glob("catena-*")
        self.assertEqual(own.stat().st_mode & 0o077, 0)

    def test_importing_is_quick(self):
        """In 150 ms; the first time for each user the engine is unpacked, which takes some tenths of a second more."""
        first = float(self.run_in("numpy-2", "python", "-c", IMPORT))
        times = sorted(float(self.run_in("numpy-2", "python", "-c", IMPORT)) for _ in range(5))
        self.assertLess(times[0], 150)
        self.assertLess(first, 3000)
        print(f"wheel: {WHEEL.name}, {WHEEL.stat().st_size / 1e6:.2f} MB, imported in {times[0]:.0f} ms, the first time in {first:.0f} ms")

    def test_the_command_simulates_draws_and_makes_a_demo(self):
        self.run_in("numpy-2", "catena", "run", "double-pendulum", "-o", "run.h5")
        self.run_in("numpy-2", "catena", "plot", "run.h5", "-o", "figures")
        self.run_in("numpy-2", "catena", "demo")
        for file in ("figures/energies.png", "catena-demo/demo.png", "catena-demo/index.html"):
            self.assertGreater((self.empty / file).stat().st_size, 1000, file)
        self.assertIn("catena ", self.run_in("numpy-2", "python", "-m", "catena", "--version"))

    def test_kernels_for_older_processors_agree_within_the_stated_bound(self):
        """docs/start.md: 1e-12 after 3 s, for motions that let roundoff grow by no more than a hundred."""
        def rows(level, scene):
            text = self.run_in("numpy-2", "catena", "run", scene, "--times", "1,2,3", "-o", "-", "--quantities", "position", CATENA_KERNELS=level)
            return [[float(number) for number in line.split(",")] for line in text.splitlines() if re.match(r"\d", line)]

        for scene in ("pendulum", "double-pendulum", "spherical-pendulum", "elastic-pendulum", "four-bar", "governor"):
            first = rows(LEVELS[0], scene)
            self.assertEqual(len(first), 3)
            off = max(abs(one - other) for here, there in zip(first, rows(LEVELS[-1], scene)) for one, other in zip(here, there))
            print(f"wheel: kernels for older processors, {scene}: {off:.1e}")
            self.assertLess(off, 1e-12, scene)

    @unittest.skipUnless(NATIVE.exists(), "./dev build was not run here")
    def test_sweeps_have_the_bits_of_a_native_build(self):
        """Those of chains; where bodies start is not promised, and is near."""
        for sweep, near, *settings in (("flip-map", 0, "a=9", "b=9"), ("magnetic-basins", 0, "a=7", "b=7"), ("coupler-curves", 1e-12, "x=4", "z=3")):
            words = ["sweep", sweep, "-q", *(word for one in settings for word in ("--set", "sweep.vary." + one.replace("=", ".count="))), "-o"]
            self.run_in("numpy-2", "catena", *words, "wheel.csv", CATENA_KERNELS=LEVELS[0])
            subprocess.run([NATIVE, *words, self.empty / "native.csv"], check=True, timeout=600, capture_output=True)
            here, there = ([line for line in (self.empty / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
                           for name in ("wheel.csv", "native.csv"))
            self.assertGreater(len(here), 9)
            if near == 0:
                self.assertEqual(here, there, sweep)
            else:
                for one, other in zip(here[1:], there[1:], strict=True):
                    for x, y in zip(one.split(","), other.split(","), strict=True):
                        self.assertTrue(x == y or abs(float(x) - float(y)) <= near * max(1, abs(float(y))), (sweep, one, other))
            for file in self.empty.glob("*.csv*"):
                file.unlink()

    def test_a_motion_is_seen_in_the_labs_view_and_filmed(self):
        self.run_in("numpy-2", "python", "-c", "import catena as ct; ct.simulate('governor', duration=1).view().save('view.html')")
        self.assertIn('id="packed"', (self.empty / "view.html").read_text(encoding="utf-8"))
        if shutil.which("ffmpeg", path="/usr/bin:/bin"):
            self.run_in("numpy-2", "catena", "run", "double-pendulum", "-o", "run.h5")
            self.run_in("numpy-2", "catena", "video", "run.h5", "-o", "film.mp4")
            self.assertGreater((self.empty / "film.mp4").stat().st_size, 10000)

    def test_the_lab_is_served(self):
        program = self.folders["numpy-2"] / "bin/catena"
        with subprocess.Popen([program, "lab", "--no-open"], cwd=self.empty, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.empty)}) as served:
            try:
                address = served.stdout.readline().strip()
                for name, begins in (("", b"<!"), ("catena.wasm", b"\0asm"), ("catena-chaos.wasm", b"\0asm"), ("lab.js", b"")):
                    with urllib.request.urlopen(address + name, timeout=60) as answer:
                        content = answer.read()
                    self.assertTrue(content.lower().startswith(begins) and len(content) > 500, name)
            finally:
                served.terminate()

    def test_auditwheel_agrees_with_the_tag(self):
        tools = TOOLS / "auditwheel"
        if not (tools / "bin/auditwheel").exists():
            subprocess.run([sys.executable, "-m", "venv", tools], check=True)
            subprocess.run([tools / "bin/pip", "install", "-q", "auditwheel==6.8.2"], check=True)
        whole = self.empty / WHEEL.name  # with the binaries as they are, which it looks at
        for level in LEVELS:
            self.run_in("numpy-2", "catena", "--version", CATENA_KERNELS=level)
        with zipfile.ZipFile(WHEEL) as packed, zipfile.ZipFile(whole, "w") as archive:
            listed = ""
            for at, binary in enumerate(self.binaries()):
                archive.write(binary, f"catena/{at}/{binary.name}")
                listed += f"catena/{at}/{binary.name},,\n"
            for name in packed.namelist():
                archive.writestr(name, packed.read(name) + (listed.encode() if name.endswith("/RECORD") else b""))
        done = subprocess.run([tools / "bin/auditwheel", "show", "--json", whole], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        tag = re.search(r"manylinux_\d+_\d+_\w+?(?=\.whl)", WHEEL.name).group()
        said = done.stdout if done.stdout.strip().startswith("{") else json.dumps(done.stdout + done.stderr)
        self.assertIn(tag, said)

    def test_the_module_needs_the_c_library_alone(self):
        for level in LEVELS:
            self.run_in("numpy-2", "catena", "--version", CATENA_KERNELS=level)
        for binary in self.binaries():
            needed = re.findall(r"NEEDED.*\[(.*)\]", subprocess.run(["readelf", "-d", binary], capture_output=True, text=True,
                                                                    env={**os.environ, "LC_ALL": "C"}, check=True).stdout)
            self.assertLessEqual(set(needed), {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}, binary)


if __name__ == "__main__":
    unittest.main()
