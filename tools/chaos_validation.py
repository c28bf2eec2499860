"""The part of docs/validation.md about chaos: published exponents, laws that they obey, and how often error bars hold.

usage: chaos_validation.py CATENA [--runs N] [--only lorenz,linear,conservative,cascade,section,coverage] [--page docs/validation.md]
Alone it prints the table, or puts it into the page in place of the one there. `./dev validate` makes all 2000 runs, ten minutes
of one core.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile

LORENZ = (0.90563, 0.0, -14.5723)  # D. Viswanath, Physica D 190 (2004) 115; J. C. Sprott (2003)


def analyzed(program, *words):
    return json.loads(subprocess.run([program, "analyze", *words, "--json", "-q"], check=True, capture_output=True,
                                     text=True).stdout)


def check(found, name):
    return next(one for one in found["checks"] if one["name"] == name)


def lorenz_lines(program):
    found = analyzed(program, "lyapunov", "lorenz", "--duration", "1000", "--error", "5e-4")
    lines = []
    for k, published in enumerate(LORENZ):
        value, error = found["exponents"][k], found["errors"][k]
        lines.append(f"| Lorenz, exponent {k + 1} | {published:g} | {value:.5f} +- {error:.5f} |")
    lines.append(f"| Lorenz, dimension | 2.062 | {found['kaplan_yorke']:.5f} +- {found['kaplan_yorke_error']:.5f} |")
    lines.append(f"| Lorenz, sum | -41/3 within 1e-10 | off by {abs(sum(found['exponents']) + 41 / 3):.1e} |")
    return lines


def conservative_lines(program):
    lines = []
    for scene, duration in (("double-pendulum", 500), ("spherical-pendulum", 500), ("spring-pendulum", 200),
                            ("rods", 20), ("four-bar", 10), ("governor", 10)):
        found = analyzed(program, "lyapunov", scene, "--duration", str(duration))
        lines.append(f"| {scene}, {duration} s: sum with Liouville's density | 0 within 1e-10 | "
                     f"{check(found, 'sum')['off_by']:.1e} |")
        for name in ("pairs", "zeros"):
            one = check(found, name)
            lines.append(f"| {scene}: {name} | 0 within {one['allowed']:.2g} | {one['off_by']:.2g} |")
    return lines


def coverage(program, runs, scene, value, duration, *words):
    """How many of the motions have a 95 % interval that holds the value; and their mean, which must be it."""
    hold = all_runs = 0
    values = []
    seeds = max(1, round(runs / 250))
    for seed in range(1, seeds + 1):
        found = analyzed(program, "lyapunov", scene, "--exponents", "1", "--starts", str(runs // seeds + 1), "--seed", str(seed),
                         "--duration", str(duration), "--tolerance", "1e-9", *words)
        for (own,), (interval,) in zip(found["starts"][1:], found["start_intervals"][1:]):  # all have the first in common
            hold += abs(own - value) <= interval
            all_runs += 1
            values.append(own)
    share = hold / all_runs
    error = math.sqrt(share * (1 - share) / all_runs)
    return (f"{100 * share:.1f} +- {100 * error:.1f} % of {all_runs}; their mean {statistics.fmean(values):.5f} +- "
            f"{statistics.stdev(values) / math.sqrt(all_runs):.5f}")


def coverage_lines(program, runs):
    lines = [f"| Lorenz: 95 % intervals of motions of 300 s that hold {LORENZ[0]} | 93 to 97 % | "
             f"{coverage(program, runs, 'lorenz', LORENZ[0], 300)} |"]
    drive = ("--set", "forces.1.parameters.drive=1.15")
    found = analyzed(program, "lyapunov", "driven-pendulum", "--exponents", "1", "--duration", "200000", "--starts", "5",
                     "--tolerance", "1e-9", *drive)
    long_run, error = found["exponents"][0], found["errors"][0]
    lines.append(f"| driven pendulum at 1.15, motions of 2000 s, likewise ({long_run:.5f} +- {error:.5f} in 1000000 s) | 93 to 97 % | "
                 f"{coverage(program, runs, 'driven-pendulum', long_run, 2000, *drive)} |")
    return lines


def linear_lines(program):
    """Real eigenvalues 0.3, -0.2, -1, and the pair -0.1 +- 2i."""
    with tempfile.TemporaryDirectory() as folder:
        def exponents(name, equations):
            path = os.path.join(folder, name + ".toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write("[simulation]\nduration = 100\n[equations]\n" + equations)
            return analyzed(program, "lyapunov", path, "--duration", "1000", "--starts", "1")["exponents"]

        real = exponents("real", 'states = { x = 1.0, y = 0.5, z = -0.3 }\n'
                                 'dot = { x = "0.3*x + y", y = "-0.2*y + 2*z", z = "-z" }\n')
        pair = exponents("pair", 'states = { x = 1.0, v = 0.0 }\ndot = { x = "v", v = "-4.01*x - 0.2*v" }\n')
    off = max(abs(own - value) for own, value in zip(real, (0.3, -0.2, -1.0)))
    return [f"| linear, real eigenvalues 0.3, -0.2, -1, 1000 s | 1e-12 | off by {off:.1e} |",
            f"| linear, a pair -0.1 +- 2 i: their sum | -0.2 within 1e-12 | off by {abs(sum(pair) + 0.2):.1e} |",
            f"| linear, the pair: each | -0.1 within 2/T = 2e-3 | off by {max(abs(own + 0.1) for own in pair):.1e} |"]


def cascade_lines(program):
    """Period doublings of the driven pendulum by continuation, and the ratios of their distances."""
    found = analyzed(program, "orbit", "driven-pendulum", "--along", "forces.1.parameters.drive", "--from", "1.0", "--to", "1.085",
                     "--branches", "6")
    at = sorted(one["parameter"] for one in found["special"] if one["kind"] == "doubling")
    lines = [f"| driven pendulum, Q = 2, w = 2/3: drives at which periods double | 1.0663, 1.0793, 1.0821, 1.0827 | "
             f"{', '.join(f'{one:.5f}' for one in at)} |"]
    ratios = [(b - a) / (c - b) for a, b, c in zip(at, at[1:], at[2:])]
    return lines + [f"| driven pendulum: ratios of their distances | toward 4.669 | {', '.join(f'{one:.3f}' for one in ratios)} |"]


def section_lines(program):
    lines = []
    for scene, when, axes in (("double-pendulum", "theta_1", "theta_2,theta_dot_2"), ("lorenz", "z - 27", "x,y")):
        found = analyzed(program, "section", scene, "--when", when, "--axes", axes, "--duration", "1000")
        lines.append(f"| {scene}, section {when} = 0: residual at {len(found['points'])} points | 1e-14 of its scale | "
                     f"{found['residual'] / found['scale']:.1e} |")
    return lines


PARTS = {"lorenz": lorenz_lines, "linear": linear_lines, "cascade": cascade_lines, "conservative": conservative_lines, "section": section_lines, "coverage": coverage_lines}
TITLE = "## Chaos and order"


def chaos_lines(program, runs=2000, only=tuple(PARTS)):
    lines = ["", TITLE, "", "By `catena analyze` ([how](theory/chaos.md)); errors are standard errors.", "",
             "| what | asked | reached |", "|---|---|---|"]
    for name in only:
        found = PARTS[name](program, runs) if name == "coverage" else PARTS[name](program)
        lines += found
        print("\n".join(found), flush=True)
    return lines


def put_into(page, lines):
    """The section in place of the one that the page has, or at its end."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    before, found, after = text.partition("\n" + TITLE + "\n")
    rest = after[after.index("\n## "):] if found and "\n## " in after else ""
    with open(page, "w", encoding="utf-8") as file:
        file.write(before.rstrip("\n") + "\n" + "\n".join(lines) + "\n" + rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catena")
    parser.add_argument("--runs", type=int, default=2000, help="motions of each system whose intervals are looked at")
    parser.add_argument("--only", default=",".join(PARTS), help="these parts alone, with commas between")
    parser.add_argument("--page", help="put the table into this page")
    arguments = parser.parse_args()
    lines = chaos_lines(arguments.catena, arguments.runs, arguments.only.split(","))
    if arguments.page:
        put_into(arguments.page, lines)


if __name__ == "__main__":
    main()
