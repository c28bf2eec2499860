"""Installs the build and uses it as another project would: by find_package, by pkg-config, from a folder of its own.

usage: library_test.py BUILD-FOLDER COMPILER
"""
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD, COMPILER = pathlib.Path(sys.argv[1]), sys.argv[2]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name) / "installed"
        cls.programs = pathlib.Path(cls.folder.name) / "programs"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        run("cmake", "-S", ROOT / "tests/library/consumer", "-B", cls.programs, "-G", "Ninja",
            f"-DCMAKE_PREFIX_PATH={cls.prefix}", f"-DEXAMPLES={ROOT / 'examples/cpp'}",
            f"-DCMAKE_CXX_COMPILER={COMPILER}")
        run("cmake", "--build", cls.programs)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_scene_file_is_run(self):
        out = pathlib.Path(self.folder.name) / "run.csv"
        said = run(self.programs / "examples/run_a_scene", ROOT / "scenes/double-pendulum.toml", out)
        self.assertRegex(said, r"energy held to \d\.\de-1[4-9]")
        rows = list(csv.reader(line for line in out.read_text().splitlines() if not line.startswith("#")))
        expected = run(self.prefix / "bin/catena", "run", ROOT / "scenes/double-pendulum.toml", "-o", "-")
        again = list(csv.reader(line for line in expected.splitlines() if not line.startswith("#")))
        self.assertEqual(rows, again, "the same bits as the program's")

    def test_mistakes_are_told_with_their_places(self):
        bad = pathlib.Path(self.folder.name) / "bad.toml"
        bad.write_text("[simulation]\nduration = 1\n[[chain.links]]\nlength = -1\nmass = 1\n")
        done = subprocess.run([self.programs / "examples/run_a_scene", bad, "out.csv"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad.toml:4:", done.stderr)

    def test_a_chain_is_stepped(self):
        self.assertIn("2.00 s: tip at", run(self.programs / "examples/step_a_chain"))

    def test_a_force_and_a_method_of_ones_own(self):
        self.assertRegex(run(self.programs / "examples/force_and_method"), r"order (3\.9|4\.0)")

    def test_what_the_header_promises(self):
        for program in ["promises", "promises_static"]:
            run(self.programs / program, self.folder.name)

    def test_pkg_config_finds_it(self):
        found = [str(path.parent) for path in self.prefix.rglob("catena.pc")]
        environment = dict(os.environ, PKG_CONFIG_PATH=found[0])
        flags = run("pkg-config", "--cflags", "--libs", "catena", env=environment).split()
        program = pathlib.Path(self.folder.name) / "step"
        run(COMPILER, "-std=c++20", ROOT / "examples/cpp/step_a_chain.cpp", "-o", program, *flags)
        library = next(self.prefix.rglob("libcatena.so")).parent
        run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(library)))

    def test_the_header_needs_the_standard_library_alone(self):
        installed = list(self.prefix.rglob("*.h"))
        self.assertEqual([path.name for path in installed], ["catena.h"])
        for name in re.findall(r"#\s*include\s*[<\"]([^>\"]+)", installed[0].read_text()):
            self.assertNotRegex(name, r"[./]", "a header of the standard library")

    def test_man_pages_tell_of_every_command(self):
        pages = {path.stem for path in self.prefix.rglob("*.1")}
        said = run(self.prefix / "bin/catena", "--help").split("Commands:")[1].split("Options:")[0]
        self.assertEqual(pages, {"catena"} | {f"catena-{name}" for name in re.findall(r"^  (\w+) ", said, re.MULTILINE)})
        page = next(self.prefix.rglob("catena-run.1")).read_text()
        for word in [".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", r"\-\-tolerance"]:
            self.assertIn(word, page)

    def test_only_the_public_names_are_seen(self):
        library = next(self.prefix.rglob("libcatena.so"))
        names = run("nm", "-DC", "--defined-only", library)
        ours = [line for line in names.splitlines() if "catena::" in line]
        self.assertGreater(len(ours), 40)
        self.assertEqual([line for line in ours if "catena::v0::" not in line], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
