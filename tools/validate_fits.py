#!/usr/bin/env python3
"""Fits many records made with noise, and counts how often their 95 % intervals hold the truth. Fits that do not converge are misses.

usage: validate_fits.py CATENA PAGE [--records N] [--chaotic N]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import tempfile

import make_fit_data

PENDULUM = {"chain.links.1.length": 0.82, "chain.links.1.theta": 0.7, "chain.velocity_damping": 0.08}


def numbers_of(table):
    return {path: make_fit_data.radians(value) for path, value in table.items()}


class Case:
    """Columns of a scene with the true numbers, and how they are measured."""

    def __init__(self, catena, name, scene, truth, sample, errors, more=()):
        self.catena, self.name, self.scene, self.truth, self.errors, self.more = catena, name, scene, truth, errors, list(more)
        self.rows = make_fit_data.rows(catena, scene, truth, sample, list(errors))

    def fitted(self, folder, seed):
        noise = random.Random(seed)
        names = list(self.errors)
        lines = [",".join([repr(row["t"]), *(repr(row[name] + noise.gauss(0, self.errors[name])) for name in names)])
                 for row in self.rows]
        data = pathlib.Path(folder) / f"{self.scene}-{seed}.csv"
        data.write_text("t," + ",".join(names) + "\n" + "\n".join(lines) + "\n")
        done = subprocess.run([self.catena, "fit", self.scene, str(data), "--json", "-q", *self.more], capture_output=True, text=True)
        data.unlink()
        return json.loads(done.stdout) if done.returncode == 0 else None


def counted(case, records):
    held = dict.fromkeys(case.truth, 0)
    lost = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda seed: case.fitted(folder, seed), range(1, records + 1)):
            if found is None or not found["converged"]:
                lost += 1
                continue
            for path, value in numbers_of(case.truth).items():
                low, high = found["intervals"][path] or (1, 0)
                held[path] += low <= value <= high
    return held, lost


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("catena")
    parser.add_argument("page")
    parser.add_argument("--records", type=int, default=2000)
    parser.add_argument("--chaotic", type=int, default=1000)
    given = parser.parse_args()
    catena = os.path.abspath(given.catena)
    free = ["--free", ",".join(PENDULUM)]
    cases = [(Case(catena, "damped pendulum, theta at 10 Hz for 8 s, an error of 0.02 rad", "pendulum-video", PENDULUM, 0.1,
                   {"theta_1": 0.02}, [*free, "--set", "fit.observe={}"]), given.records),
             (Case(catena, "double pendulum over ten Lyapunov times, angles at 100 Hz, errors of 0.01 and 0.07 rad",
                   "double-pendulum-record", make_fit_data.RECORD, 0.01, {"theta_1": 0.0105, "theta_2": 0.073}), given.chaotic)]
    text = ("# Validation of fits\n\nMade by `./dev validate`: records with noise are fitted, and it is counted how often the 95 % intervals "
            "hold the\ntruth. Fits that do not converge count as misses.\n")
    worst = True
    for case, records in cases:
        held, lost = counted(case, records)
        text += f"\n## {case.name[0].upper() + case.name[1:]}\n\n{records} records, {lost} did not converge.\n\n| number | held |\n|---|---|\n"
        for path, count in held.items():
            text += f"| `{path}` | {100 * count / records:.1f} % |\n"
        share = sum(held.values()) / (records * len(held))
        text += f"| all | {100 * share:.1f} % |\n"
        worst = worst and 0.93 <= share <= 0.97
    pathlib.Path(given.page).write_text(text)
    print(text)
    return 0 if worst else 1


if __name__ == "__main__":
    raise SystemExit(main())
