"""The audit passes on scenes that are known to be right, draws the same ones again, and finds errors that were planted."""
import os
import random
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/audit"))
import compare  # noqa: E402
import frames  # noqa: E402
import hostile  # noqa: E402
import laws  # noqa: E402

CATENA = sys.argv.pop()
SHARP = "kinks,jumps,pulses,slack,loop,limits"
# Left out: `precision`, whose runs with 34 digits take minutes.
LAWS = ("runs,balance,tolerance,methods,formulations,plane,turned,shifted,mirrored,units,galilei,restart,reversal,"
        "order,spelling,columns,newton,momentum,resume")

# A program that hands everything on to the real one, and changes what it says as the planted error has it.
PLANTED = '''#!{python} -B
import re, subprocess, sys
arguments, text = sys.argv[1:], sys.stdin.read() if "-" in sys.argv[1:2] + sys.argv[2:3] else ""
done = subprocess.run([{catena!r}, *arguments], input=text, capture_output=True, text=True)
out, status = done.stdout, done.returncode


def changed(out, column, change):
    """Rows with change(t, value) in the columns whose name matches."""
    lines, names = [], None
    for line in out.splitlines():
        if not line.startswith("#"):
            words = line.split(",")
            if names is None:
                names = words
            else:
                words = [repr(change(float(words[0]), float(w))) if re.match(column, n) else w for n, w in zip(names, words)]
            line = ",".join(words)
        lines.append(line)
    return "\\n".join(lines) + "\\n"


if arguments[0] == "run" and status == 0:
    {error}
sys.stdout.write(out)
sys.stderr.write(done.stderr)
sys.exit(status)
'''


def audit(program, *options):
    """Exit status and report of an audit whose findings go nowhere else."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-B", ROOT / "tools/audit", "--program", program, "--keep", folder, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr, sorted(os.listdir(folder))


class Audit(unittest.TestCase):
    def finds(self, error, law, *options):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "planted"
            program.write_text(PLANTED.format(python=sys.executable, catena=CATENA, error=error), encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            options = ["--seed", "1", "--without", "kinks,jumps,pulses", "--trials", "3", *options]
            status, report, kept = audit(program, "--only", law, *options)
        self.assertEqual(status, 1, report)
        self.assertIn(f", {law}: ", report)
        self.assertTrue(any(name.startswith(law) and name.endswith(".toml") for name in kept), kept)

    def test_it_passes_where_nothing_is_wrong(self):
        status, report, kept = audit(CATENA, "--seed", "1", "--scenes", "60", "--without", SHARP, "--only", LAWS)
        self.assertEqual((status, kept), (0, []), report)
        self.assertIn("0 findings", report)

    def test_a_seed_gives_the_same_scenes(self):
        first, second = (audit(CATENA, "--seed", "7", "--scenes", "6", "--only", "runs")[1].split(" runs: ")[1] for _ in "ab")
        self.assertEqual(first, second)

    def test_a_place_that_is_off_in_other_frames_is_found(self):
        error = 'out = changed(out, "^x_", lambda t, x: x + 1e-7 * t) if \'"direction"\' in text else out'
        self.finds(error, "shifted", "--scenes", "16")

    def test_a_velocity_that_is_not_the_rate_of_its_place_is_found(self):
        self.finds('out = changed(out, "^vy_", lambda t, v: 1.001 * v + 1e-4)', "columns", "--scenes", "8")

    def test_a_force_that_is_not_that_of_its_law_is_found(self):
        self.finds('out = changed(out, "^v[xyz]_", lambda t, v: v + 1e-3 * t)', "newton", "--scenes", "30")

    def test_an_energy_that_drifts_is_found(self):
        error = 'out = re.sub(r\'"energy_error_relative":[^,]*\', \'"energy_error_relative":1e-6\', out)'
        self.finds(error, "balance", "--scenes", "2")

    def test_a_column_without_numbers_is_found(self):
        self.finds('out = changed(out, "^z_", lambda t, z: float("nan") if t > 0.5 else z)', "runs", "--scenes", "6")

    def test_a_pole_that_a_disturbance_passes_by_is_no_disagreement(self):
        """The rate of an azimuth is no number at a pole, and any number beside it."""
        nan, t = float("nan"), numpy.array([0.0, 1.0])
        base = {"t": t, "phi_dot_1": numpy.array([nan, 3.0]), "x_1": numpy.array([1.0, 2.0])}
        twin = {**base, "phi_dot_1": numpy.array([1e9, 3.0])}
        self.assertEqual(compare.disagreement(base, base, base, twin), "")
        self.assertIn("x_1", compare.disagreement(base, {**base, "x_1": numpy.array([1.0, 2.1])}, base, twin))

    def test_errors_that_are_equal_at_two_steps_are_not_taken_for_small(self):
        """E(h) = a h^2 - b h^3 has the same size at 0.001 and at nearly half of it."""
        def run(h):
            return {"t": numpy.array([0.0, 1.0]), "x_1": numpy.array([1.0, 2.0 + 660 * h**2 - 5.5e5 * h**3])}

        method = {"name": "rkmk2", "order": "2", "adaptive": False}
        *others, fine = (run(float(step)) for _, step in laws.accuracies(method, set()))
        exact = run(0.0)
        spread = [(other, fine) for other in others]
        self.assertEqual(compare.disagreement(exact, fine, exact, exact, spread), "")
        two = [(run(0.001), run(0.0005))]
        self.assertIn("x_1", compare.disagreement(exact, run(0.0005), exact, exact, two))

    def test_a_scene_with_nothing_to_change_is_left_alone(self):
        with self.assertRaises(frames.NotApplicable):
            hostile.odd({"simulation": {"duration": 1.0}}, random.Random(1))

    def test_a_crash_is_found(self):
        self.finds("status = 139", "runs", "--scenes", "2")


if __name__ == "__main__":
    unittest.main()
