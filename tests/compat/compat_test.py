"""What version 0.1.0 wrote opens, says the same, and goes on: scenes, runs in every format, checkpoints, a journal.

usage: compat_test.py CATENA
"""
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
RUNS = HERE / "runs"
CATENA = Path(sys.argv.pop(1)).resolve()


def catena(*arguments, cwd=None):
    done = subprocess.run([str(CATENA), *map(str, arguments)], capture_output=True, text=True, timeout=300, cwd=cwd, check=False)
    return done.returncode, done.stdout, done.stderr


def rows_of(path):
    """{column: values} of a CSV file, as numbers."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    table = list(csv.reader(lines))
    return {name: [float(row[i]) for row in table[1:]] for i, name in enumerate(table[0])}


class Compatibility(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_every_scene_is_read(self):
        scenes = sorted((HERE / "scenes").glob("*.toml"))
        self.assertGreater(len(scenes), 40)
        for scene in scenes:
            with self.subTest(scene.name):
                status, _, said = catena("check", scene)
                self.assertEqual(status, 0, said)

    def test_runs_open_in_every_format_with_the_same_bits(self):
        for recorded in sorted(RUNS.glob("*.csv")):
            expected = rows_of(recorded)
            for suffix in (".h5", ".json", ".npz", ".csv"):
                with self.subTest(recorded.with_suffix(suffix).name):
                    out = self.folder / (recorded.stem + suffix + ".csv")
                    status, _, said = catena("convert", recorded.with_suffix(suffix), out)
                    self.assertEqual(status, 0, said)
                    got = rows_of(out)
                    self.assertEqual(got.keys(), expected.keys())
                    for name, values in expected.items():
                        self.assertEqual([v.hex() for v in got[name]], [v.hex() for v in values], name)

    def test_runs_with_more_digits_open(self):
        out = self.folder / "digits.csv"
        self.assertEqual(catena("convert", RUNS / "digits.h5", out)[0], 0)
        columns = json.loads((RUNS / "digits.json").read_text(encoding="utf-8"))["columns"]
        self.assertEqual(rows_of(out)["lo_x_1"], columns["lo_x_1"])

    def test_checkpoints_resume_to_what_an_unbroken_run_gave(self):
        """whole.json: the last row of unbroken runs, of version 0.1.0 too."""
        whole = json.loads((RUNS / "whole.json").read_text(encoding="utf-8"))
        for recorded in sorted(RUNS.glob("*.h5")):
            if recorded.stem == "digits":
                continue
            with self.subTest(recorded.stem):
                resumed = self.folder / "resumed.csv"
                status, _, said = catena("run", "--resume", recorded, "--duration", "0.6", "-o", resumed)
                self.assertEqual(status, 0, said)
                got = rows_of(resumed)
                self.assertEqual(got["t"][-1], 0.6)
                for name, value in whole[recorded.stem].items():
                    self.assertAlmostEqual(got[name][-1], value, delta=1e-9, msg=name)

    def test_a_journal_that_a_kill_left_is_taken_up(self):
        journal = self.folder / "killed.h5.part"
        journal.write_bytes((RUNS / "killed.h5.part").read_bytes())
        out = self.folder / "killed.csv"
        status, _, said = catena("convert", journal, out)
        self.assertEqual(status, 0, said)
        times = rows_of(out)["t"]
        self.assertGreater(len(times), 10)
        resumed = self.folder / "resumed.csv"
        status, _, said = catena("run", "--resume", journal, "--duration", repr(times[-1] + 0.4), "-o", resumed)
        self.assertEqual(status, 0, said)
        self.assertEqual(rows_of(resumed)["energy"][: len(times)], rows_of(out)["energy"])


if __name__ == "__main__":
    unittest.main()
