"""The part of docs/validation.md about chaos: published exponents, laws that they obey, and how often error bars hold.

usage: chaos_validation.py CATENA [--runs N] [--only lorenz,order,linear,..] [--page docs/validation.md]
It prints a table for each part, or puts those into the page in place of the ones there: `--only` leaves the others as they are.
`./dev validate` makes all 2000 runs, which with the rest is a quarter of an hour of one core.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile

REGULAR_STAR = ("px=0.42", "py=0.04")
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


def order_lines(program):
    """Laws of GALI and MEGNO (C. Skokos et al. 2007; P. M. Cincotta, C. Simo 2000) for two stars of the energy 1/8."""
    def found(*words):
        return analyzed(program, "indicators", "henon-heiles", "--only", "megno,gali,lyapunov", "--duration", "5000", *words)

    def at_last(one):
        return one["course"]["values"][-1] * math.log(10.0)

    def power(one):
        """Of time, by a line through the logarithms from a tenth of the time on."""
        points = [(math.log(at), value * math.log(10.0)) for at, value in zip(one["course"]["at"], one["course"]["values"])
                  if at > 0.1 * one["course"]["at"][-1]]
        return statistics.linear_regression(*zip(*points)).slope

    regular = found(*(word for value in REGULAR_STAR for word in ("--set", "equations.states." + value)))
    lines = [f"| regular star: GALI_2, GALI_3, GALI_4 as powers of time | 0, -2, -4 | "
             f"{', '.join(f'{power(regular[name]):.2f}' for name in ('gali_2', 'gali_3', 'gali_4'))} |",
             f"| regular star: MEGNO | 2 | {regular['megno']['value']:.3f} |"]
    chaotic = found()
    exponent, error = chaotic["lyapunov"]["value"], chaotic["lyapunov"]["error"]
    rates = [-at_last(chaotic[name]) / chaotic[name]["course"]["at"][-1] for name in ("gali_2", "gali_3", "gali_4")]
    lines.append(f"| chaotic star: GALI_2, GALI_3, GALI_4 fall by exp(-rate t), rates over the exponent {exponent:.4f} +- {error:.4f} | "
                 f"1, 2, 4 | {', '.join(f'{rate / exponent:.2f}' for rate in rates)} |")
    lines.append(f"| chaotic star: MEGNO over exponent x 5000 s / 2 | 1 | {chaotic['megno']['value'] / (2500 * exponent):.2f} |")
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
    def doublings(start):
        found = analyzed(program, "orbit", "driven-pendulum", "--along", "forces.1.parameters.drive", "--from", start, "--to", "1.085",
                         "--branches", "6")
        return sorted(one["parameter"] for one in found["special"] if one["kind"] == "doubling")

    at, again = doublings("1.0"), doublings("0.95")
    error = max(abs(a - b) for a, b in zip(at, again))
    ratios = []
    for a, b, c in zip(at, at[1:], at[2:]):
        ratio = (b - a) / (c - b)
        ratios.append(f"{ratio:.4f} +- {2 * error * (1 + ratio) / (c - b):.1g}")
    return [f"| driven pendulum, Q = 2, w = 2/3: drives at which periods double | 1.0663, 1.0793, 1.0821, 1.0827 | "
            f"{', '.join(f'{one:.7f}' for one in at)}; two continuations, from 1.0 and from 0.95, differ by {error:.1g} |",
            f"| driven pendulum: ratios of their distances | toward 4.669 | {', '.join(ratios)} |"]


def similar_lines(program):
    """Four times as long, twice as slow."""
    return agreement(analyzed(program, "lyapunov", "double-pendulum", "--duration", "2000"),
                     analyzed(program, "lyapunov", "double-pendulum", "--set", "chain.links.*.length=4", "--duration", "4000"),
                     "a double pendulum, and twice that of one with links four times as long", 2.0, 2000.0)


FOUR_BAR = """[simulation]
duration = 20
[lagrangian]
coordinates = { a = 1.3804114649542962, b = 0.41369612829840297, c = 1.4563768589560337 }
rates = { a = -2.0 }
kinetic = '''0.5*(0.5*0.16/3)*a'^2 + 0.5/12*b'^2 + 0.5*((0.4*cos(a)*a' + 0.5*cos(b)*b')^2
  + (0.4*sin(a)*a' + 0.5*sin(b)*b')^2) + 0.5*(0.8*0.64/3)*c'^2'''
potential = "9.81*(0.5*0.2*sin(a) + (0.4*sin(a) + 0.5*sin(b)) + 0.8*0.4*sin(c))"
dissipation = "0.5*0.3*a'^2"
forces = { a = "-5*cos(3*t)" }
constraints = ["0.4*cos(a) + cos(b) - 0.8*cos(c) - 0.9", "0.4*sin(a) + sin(b) - 0.8*sin(c)"]
"""
# J, I: of an arm about its hinge, across and along it; S: of spindle and sleeve.
GOVERNOR = """[simulation]
duration = 20
[lagrangian]
coordinates = { p = 0.0, a = "45 deg" }
rates = { p = 10.0 }
parameters = { J = "0.2*0.16/12 + 0.2*0.15^2 + 0.24*0.045^2 + 0.6*0.05^2 + 0.8*0.35^2", I = "0.24*0.045^2", S = "0.015^2 + 0.25*0.03^2" }
kinetic = "0.5*S*p'^2 + J*a'^2 + (I*cos(a)^2 + J*sin(a)^2)*p'^2 + 0.5*0.5*(0.4*sin(a)*a')^2"
potential = "-2*0.8*9.81*0.35*cos(a) - 0.5*9.81*0.4*cos(a) + 20*(0.4*(cos(pi/4) - cos(a)) + 0.05)^2"
dissipation = "0.5*(0.4*sin(a)*a')^2 + 0.5*0.05*p'^2"
forces = { p = "cos(4*t)" }
"""


def loop_lines(program):
    """Loops of bodies, shaken and damped, the first one chaotic, and the same by their angles."""
    lines = []
    for name, duration, equations, words in (
            ("four-bar", "500", FOUR_BAR, ("joints.drive.damping=0.3", "joints.drive.rate=2", 'joints.drive.motor={torque="5*cos(3*t)"}')),
            ("governor", "100", GOVERNOR, ("joints.guide.damping=1", "joints.bearing.damping=0.05", 'joints.bearing.motor={torque="cos(4*t)"}'))):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name + ".toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(equations)
            by_angles = analyzed(program, "lyapunov", path, "--duration", duration)
        by_bodies = analyzed(program, "lyapunov", name, "--duration", duration, *(word for one in words for word in ("--set", one)))
        lines += agreement(by_bodies, by_angles, f"{name}, shaken, {duration} s: by bodies and by its Lagrangian", 1.0, float(duration))
    return lines


def agreement(one, other, what, factor=1.0, duration=0.0):
    """Exponents of two scenes that must be the same but for a factor. What has no exponent falls like (1 + log T)/T."""
    lines = []
    slow = (1 + math.log(duration)) / duration if duration else 0.0
    for k, (a, e, b, f) in enumerate(zip(one["exponents"], one["errors"], other["exponents"], other["errors"])):
        lines.append(f"| {what}, exponent {k + 1}: {a:.4f} +- {e:.4f}, {factor * b:.4f} +- {factor * f:.4f} | "
                     f"0 within {2 * math.hypot(e, factor * f) + slow:.2g} | {abs(a - factor * b):.2g} |")
    return lines


def section_lines(program):
    lines = []
    for scene, when, axes in (("double-pendulum", "theta_1", "theta_2,theta_dot_2"), ("lorenz", "z - 27", "x,y")):
        found = analyzed(program, "section", scene, "--when", when, "--axes", axes, "--duration", "1000")
        lines.append(f"| {scene}, section {when} = 0: residual at {len(found['points'])} points | 1e-14 of its scale | "
                     f"{found['residual'] / found['scale']:.1e} |")
    return lines


PARTS = {"lorenz": ("Lorenz, 10, 28, 8/3", lorenz_lines), "order": ("Henon and Heiles' stars of the energy 1/8, 5000 s", order_lines),
         "linear": ("Linear systems", linear_lines), "conservative": ("Conservative systems", conservative_lines),
         "similar": ("Similar chains", similar_lines), "loops": ("Loops", loop_lines), "cascade": ("The driven pendulum", cascade_lines),
         "section": ("Sections", section_lines), "coverage": ("Error bars", coverage_lines)}
TITLE = "## Chaos and order"
INTRODUCTION = "By `catena analyze` ([how](theory/chaos.md)); errors are standard errors."


def chaos_parts(program, runs, only):
    """The text of each part, by its title."""
    parts = {}
    for name in only:
        title, make = PARTS[name]
        lines = ["", f"### {title}", "", "| what | asked | reached |", "|---|---|---|"]
        lines += make(program, runs) if name == "coverage" else make(program)
        print("\n".join(lines), flush=True)
        parts[title] = "\n".join(lines)
    return parts


def put_into(page, parts):
    """Parts in place of those that the page has; others stay."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    before, found, after = text.partition("\n" + TITLE + "\n")
    section, rest = after, ""
    if found and "\n## " in after:
        section, rest = after[:after.index("\n## ")], after[after.index("\n## "):]
    kept = {}
    for one in ("\n" + section).split("\n### ")[1:]:
        title = one.partition("\n")[0]
        kept[title] = "\n### " + one.rstrip("\n")
    kept.update(parts)
    ordered = [kept[title] for title, _ in PARTS.values() if title in kept]
    with open(page, "w", encoding="utf-8") as file:
        file.write("\n".join([before.rstrip("\n") + "\n", TITLE, "", INTRODUCTION, *ordered]) + "\n" + rest)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catena")
    parser.add_argument("--runs", type=int, default=2000, help="motions of each system whose intervals are looked at")
    parser.add_argument("--only", default=",".join(PARTS), help="these parts alone, with commas between")
    parser.add_argument("--page", help="put the table into this page")
    arguments = parser.parse_args()
    parts = chaos_parts(arguments.catena, arguments.runs, arguments.only.split(","))
    if arguments.page:
        put_into(arguments.page, parts)


if __name__ == "__main__":
    main()
