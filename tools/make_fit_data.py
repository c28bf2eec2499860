#!/usr/bin/env python3
"""Makes the measurements in scenes/data: motions of the scenes with the true numbers, and normal noise.

usage: make_fit_data.py CATENA [--check]

--check writes nothing and fails where the data are not what this tool writes.
"""
import csv
import math
import pathlib
import random
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "data"

# The numbers that the fits are to find.
VIDEO = {"chain.links.1.length": 0.82, "chain.links.1.theta": "40 deg", "chain.velocity_damping": 0.08}
CAMERA = {"u0": 640.0, "v0": 120.0, "s": 412.0}
RECORD = {"chain.links.1.length": 1.0, "chain.links.2.length": 1.0, "chain.links.2.mass": 1.0,
          "chain.links.1.theta": "120 deg", "chain.links.2.theta": "10 deg"}


def radians(value):
    """A number of these tables in SI units."""
    return math.radians(float(value.split()[0])) if isinstance(value, str) else value


def rows(catena, scene, numbers, sample, columns):
    changes = [word for path, value in numbers.items() for word in ("--set", f"{path}={value}")]
    done = subprocess.run([catena, "run", scene, "-q", "--sample", str(sample), "--quantities", ",".join(columns), "-o", "-",
                           *changes], check=True, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
    return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(lines)]


def text_of(comment, header, lines):
    text = f"# {comment}\n# Made by tools/make_fit_data.py.\n{','.join(header)}\n"
    return text + "".join(",".join(line) + "\n" for line in lines)


def video(catena):
    noise = random.Random(1)
    lines = []
    for row in rows(catena, "pendulum-video", VIDEO, 1 / 30, ["x_1", "z_1"]):
        u = CAMERA["u0"] + CAMERA["s"] * row["x_1"] + noise.gauss(0, 1)
        v = CAMERA["v0"] - CAMERA["s"] * row["z_1"] + noise.gauss(0, 1)
        lines.append((f"{row['t']:.6f}", f"{u:.2f}", f"{v:.2f}"))
    return text_of("Where the bob of a pendulum is in 30 frames a second, to about a pixel.",
                   ("t [s]", "u [px]", "v [px]"), lines)


def record(catena):
    noise = random.Random(2)
    found = rows(catena, "double-pendulum-record", RECORD, 0.01, ["theta_1", "theta_2"])
    errors = {name: 0.01 * (sum(row[name] ** 2 for row in found) / len(found)) ** 0.5 for name in ("theta_1", "theta_2")}
    lines = [(f"{row['t']:.4f}", *(f"{row[name] + noise.gauss(0, error):.6f}" for name, error in errors.items()))
             for row in found]
    return text_of("Angles of a double pendulum, 100 times a second, with an error of one per cent of their size.",
                   ("t [s]", "theta_1 [rad]", "theta_2 [rad]"), lines)


def main(catena, check):
    made = {"pendulum-video.csv": video(catena), "double-pendulum-record.csv": record(catena)}
    other = [name for name, text in made.items() if not (DATA / name).exists() or (DATA / name).read_text() != text]
    if check:
        print("\n".join(f"scenes/data/{name} is not what tools/make_fit_data.py writes" for name in other) or "the data are what their tool writes")
        return 1 if other else 0
    for name, text in made.items():
        (DATA / name).write_text(text)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] == ["--check"]))
