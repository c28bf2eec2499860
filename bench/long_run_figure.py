#!/usr/bin/python3
"""Draw what bench_long_run kept: root mean square of the energy error over all orbits against the steps.

usage: bench/long_run_figure.py [-o FIGURE]

Reads bench/results/long_run_*_links.csv, prints the fitted power of the time for each, and fails unless it is that
of a random walk, 0.5 within 0.1, over at least 16 orbits of 1e7 steps; of bodies 1e6 steps are asked for.
"""

import argparse
import csv
import math
import pathlib
import sys

RESULTS = pathlib.Path(__file__).resolve().parent / "results"
COLOURS = ("#0072b2", "#d55e00")


def read(path):
    """Steps, root mean squares, number of orbits."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    errors = {}
    for row in rows:
        errors.setdefault(int(row["steps"]), []).append(float(row["energy_error"]))
    steps = sorted(errors)
    sizes = [math.sqrt(sum(e * e for e in errors[s]) / len(errors[s])) for s in steps]
    return steps, sizes, min(len(e) for e in errors.values())


def fitted_power(steps, sizes):
    x, y = [math.log(s) for s in steps], [math.log(s) for s in sizes]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def draw(runs, figure):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "catena"
    from matplotlib import pyplot

    _, axes = pyplot.subplots(figsize=(6.4, 3.8))
    for (name, (steps, sizes, _)), colour in zip(runs.items(), COLOURS):
        power = fitted_power(steps, sizes)
        axes.loglog(steps, sizes, "o-", ms=3, lw=1, color=colour, label=f"{name}: $t^{{{power:.2f}}}$")
    steps, sizes, _ = next(iter(runs.values()))
    axes.loglog(steps, [1.6 * sizes[0] * math.sqrt(s / steps[0]) for s in steps], "--", color="0.6", lw=1, label="$t^{1/2}$")
    axes.set_xlabel("steps of taylor, tolerance 1e-18")
    axes.set_ylabel("energy error over its scale, RMS")
    axes.legend(frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(True, which="major", color="0.92")
    pyplot.tight_layout()
    pyplot.savefig(figure, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", help="write the figure here, PNG or SVG")
    arguments = parser.parse_args()
    runs, good = {}, True
    for path in sorted(RESULTS.glob("long_run_*_links.csv")):
        steps, sizes, orbits = read(path)
        power = fitted_power(steps, sizes)
        name = path.stem.removeprefix("long_run_").replace("_", " ")
        walks = abs(power - 0.5) <= 0.1 and orbits >= 16 and steps[-1] >= 1e7
        print(f"{name}: {orbits} orbits, {steps[-1]} steps, {sizes[-1]:.1e} at the end, t^{power:.3f}{'' if walks else ' (not a random walk)'}")
        runs[name] = (steps, sizes, orbits)
        good = good and walks
    for name in ("four_bar", "double_rod"):
        steps, sizes, orbits = read(RESULTS / f"long_run_{name}.csv")
        power = fitted_power(steps, sizes)
        walks = abs(power - 0.5) <= 0.1 and orbits >= 16 and steps[-1] >= 1e6
        print(f"{name.replace('_', ' ')}: {orbits} orbits, {steps[-1]} steps, {sizes[-1]:.1e} at the end, t^{power:.3f}{'' if walks else ' (not a random walk)'}")
        good = good and walks
    if arguments.output:
        draw(runs, arguments.output)
    sys.exit(0 if good and len(runs) == 2 else 1)


if __name__ == "__main__":
    main()
