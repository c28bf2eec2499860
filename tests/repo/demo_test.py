"""The demo keeps its word: every path it prints exists, every number is the one measured, every command runs."""
import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATENA = None


def plain(value, digits=2):
    rounded = float(f"{value:.{digits - 1}e}")
    return f"{rounded:.15g}" if 1e-5 < abs(rounded) < 1e5 else f"{rounded:.{digits - 1}e}"


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.place.name)
        command = [sys.executable, ROOT / "tools/show.py", "demo", "--catena", CATENA, "--out", cls.folder / "out"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cls.folder)
        assert done.returncode == 0, done.stderr
        cls.said = done.stdout
        cls.summary = json.loads((cls.folder / "out/summary.json").read_text(encoding="utf-8"))
        cls.facts = json.loads((cls.folder / "out/demo.json").read_text(encoding="utf-8"))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def commands(self):
        return [line.strip() for line in self.said.split("try next\n")[1].splitlines() if line.strip()]

    def test_every_path_it_prints_exists(self):
        above = self.said.split("try next\n")[0]
        paths = re.findall(r"\S*/out/\S+", above)
        self.assertGreaterEqual(len(paths), 6)
        for path in paths:
            with self.subTest(path):
                self.assertTrue(Path(path).exists())

    def test_every_number_is_the_one_measured(self):
        summary, facts = self.summary, self.facts
        self.assertEqual(facts["energy_error_relative"], summary["energy_error_relative"])
        self.assertEqual(facts["speed"], summary["simulated_seconds"] / summary["wall_seconds"])
        self.assertIn(f"{plain(summary['simulated_seconds'])} s of motion in {plain(summary['wall_seconds'])} s, "
                      f"{plain(summary['simulated_seconds'] / summary['wall_seconds'])} times real time", self.said)
        self.assertIn(f"energy held to {summary['energy_error_relative']:.1e} of its scale", self.said)
        self.assertIn(f"position right to {plain(facts['position_error_at_half'], 1)} m after", self.said)
        self.assertIn(f"{plain(facts['position_error'], 1)} m at the end", self.said)
        runs = json.loads((self.folder / "out/methods/compare.json").read_text(encoding="utf-8"))["runs"]
        self.assertIn("taylor", facts["fastest"])
        for method, seconds in facts["fastest"].items():
            self.assertEqual(seconds, min(run["seconds"] for run in runs
                                          if run["method"] == method and run["position_error"] < 1e-8))
            self.assertIn(f"{method} in {plain(1e3 * seconds)} ms", self.said)
        self.assertIn(f"1 m apart after {facts['one_metre_after']:.4g} s", self.said)

    def test_the_motion_is_right_while_it_can_be(self):
        # Errors start at some 1e-16 and grow by 1e12 within 10 s (measured: 1.3e-4 m there); two digits of air.
        self.assertLess(self.facts["position_error_at_half"], 1e-2)
        self.assertLess(self.facts["energy_error_relative"], 1e-13)
        self.assertGreater(self.facts["one_metre_after"], 1.0)

    def test_every_command_it_prints_runs(self):
        for command in self.commands():
            with self.subTest(command):
                done = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False, cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_page_shows_only_what_is_there_each_with_its_command(self):
        page = (self.folder / "out/index.html").read_text(encoding="utf-8")
        references = re.findall(r'(?:src|href)="([^"]+)"', page)
        self.assertGreaterEqual(len(references), 7)
        for reference in references:
            self.assertTrue((self.folder / "out" / reference).exists(), reference)
        self.assertEqual(page.count("<figure"), page.count("<code>"))


class FirstPicture(unittest.TestCase):
    """`./dev demo` shows a picture before the whole program is compiled."""

    def objects_of(self, target):
        folder = Path(CATENA).parent
        if not (folder / "build.ninja").exists():
            self.skipTest("not built by Ninja")
        done = subprocess.run(["ninja", "-C", folder, "-t", "inputs", target], capture_output=True, text=True, check=True)
        return {line.strip() for line in done.stdout.splitlines() if line.endswith(".o")}

    def test_it_compiles_nothing_that_a_picture_does_without(self):
        first, whole = self.objects_of("catena_first"), self.objects_of("catena")
        self.assertGreater(len(first), 100)
        # But for the lab, which is compiled twice, all of it is a part of the program.
        self.assertLessEqual(len(first - whole), 3)
        for unneeded in ("catena_commands", "catena_record", "catena_analyze", "catena_threads", "catena_sweep", "variation.cpp", "_recorded"):
            self.assertFalse([one for one in first if unneeded in one], unneeded)

    def test_it_is_drawn_by_the_library_alone(self):
        program = Path(CATENA).parent / "catena-first"
        if not program.exists():
            self.skipTest("./dev demo was not run here from the start")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([program, ROOT / "scenes/demo.toml", folder], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater((Path(folder) / "paths.png").stat().st_size, 10_000)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("catena", type=Path)
    options, rest = parser.parse_known_args()
    CATENA = options.catena.resolve()
    unittest.main(argv=[sys.argv[0], *rest])
