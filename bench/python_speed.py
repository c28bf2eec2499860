#!/usr/bin/env python3
"""Measures the Python package beside the command line.

usage: python_speed.py [--build FOLDER] [--rounds N]      FOLDER: build/release by default

Runs alternate, and the best round counts: what else the machine does only adds.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENE, SETTINGS = "horizontal-chain", {"duration": 4000, "sample": 1}


def command_line(build, folder):
    """Seconds of the whole program, and of its run, which includes recording."""
    options = [f"--{key}={value}" for key, value in SETTINGS.items()]
    start = time.perf_counter()
    done = subprocess.run([build / "catena", "run", SCENE, *options, "-o", folder / "run.npz", "--json"],
                          capture_output=True, text=True, check=True)
    return time.perf_counter() - start, json.loads(done.stdout)["wall_seconds"]


def in_python(catena):
    start = time.perf_counter()
    run = catena.simulate(SCENE, **SETTINGS)
    return time.perf_counter() - start, run.summary["wall_seconds"]


def import_seconds(build):
    """What `import catena` adds to an interpreter that does nothing."""
    def seconds(code):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": str(build / "python")})
        return time.perf_counter() - start

    pairs = [(seconds("import catena"), seconds("pass")) for _ in range(20)]
    return min(with_it for with_it, _ in pairs) - min(without for _, without in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    sys.path.insert(0, str(build / "python"))
    import catena

    in_python(catena)  # NumPy is loaded now
    with tempfile.TemporaryDirectory() as folder:
        rounds = [(*command_line(build, Path(folder)), *in_python(catena)) for _ in range(arguments.rounds)]
    program, program_run, call, call_run = (min(column) for column in zip(*rounds))
    print(f"{SCENE}, {SETTINGS['duration']} s")
    print(f"  the program {program:.3f} s, its run {program_run:.3f} s")
    print(f"  simulate    {call:.3f} s, its run {call_run:.3f} s")
    print(f"  simulate over the program {call / program:.3f}, run over run {call_run / program_run:.3f}")
    print(f"import catena: {1e3 * import_seconds(build):.0f} ms")
    start = time.perf_counter()
    run = catena.simulate("pendulum", duration=100, sample=1e-4, quantities="theta,energy_error")
    print(f"a million rows: {time.perf_counter() - start:.2f} s, {run.rows.shape}")


if __name__ == "__main__":
    main()
