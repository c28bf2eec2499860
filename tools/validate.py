#!/usr/bin/env python3
"""Runs every reference problem by every method that applies, and writes what was asked and what was reached.

usage: validate.py CATENA PAGE [--only NAME] [--methods a,b]
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import validate_problems as reference_problems
from chaos_validation import PARTS, chaos_parts, put_into

TAYLOR_TOLERANCE = "1e-18"
TOLERANCE = "1e-13"
LONGEST = 120  # s for one run


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)  # runs start in a folder of their own

    def methods(self):
        return json.loads(self.output(["list", "methods", "--json"]))

    def output(self, arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, check=True).stdout


def settings(method, setup):
    """The arguments of a run, and how the page calls them."""
    if method["name"] == "taylor":
        return ["--tolerance", TAYLOR_TOLERANCE], f"tolerance {TAYLOR_TOLERANCE}"
    if method["adaptive"]:
        return ["--tolerance", TOLERANCE], f"tolerance {TOLERANCE}"
    return ["--step", repr(setup.step)], f"step {setup.step:g}"


def rows_of(csv):
    """Rows by column, and the summary behind them."""
    rows, names, summary = [], None, {}
    for line in csv.splitlines():
        if line.startswith("# summary: "):
            summary = json.loads(line[len("# summary: ") :])
        if line.startswith("#"):
            continue
        if names is None:
            names = line.split(",")
        else:
            rows.append(dict(zip(names, map(float, line.split(",")))))
    return rows, summary


class Result:
    def __init__(self, method, words):
        self.method = method
        self.words = words
        self.error = math.nan
        self.refused = ""  # why the method does not apply
        self.failed = ""
        self.steps = 0


def run(program, setup, method):
    arguments, words = settings(method, setup)
    result = Result(method, words)
    command = [program.path, "run"]
    text = None
    if isinstance(setup.scene, str):
        command.append(setup.scene)
    else:
        command.append("-")
        text = json.dumps(setup.scene)
    command += ["--method", method["name"], *arguments, "--times", ",".join(map(repr, setup.times)), "-o", "-"]
    command += ["--quantities", ",".join(setup.columns)]
    for override in ["simulation.step=default", "simulation.tolerance=default", *setup.overrides]:
        command += ["--set", override]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=LONGEST, cwd=folder)
        except subprocess.TimeoutExpired:
            result.failed = f"not done after {LONGEST} s"
            return result
    if done.returncode == 2:
        result.refused = done.stderr.strip().splitlines()[-1]
        return result
    rows, summary = rows_of(done.stdout)
    result.steps = summary.get("steps", 0)
    if done.returncode != 0 or len(rows) < len(setup.times):
        result.failed = summary.get("message") or done.stderr.strip().splitlines()[-1]
        return result
    result.error = setup.error(rows)
    return result


# ---- the page -------------------------------------------------------------------------------------------------


def short(value):
    return f"{value:.1e}" if math.isfinite(value) else "lost"


def meets(result, problem):
    return not result.failed and not result.refused and result.error <= problem.bound


def reason(text):
    """Why a method was refused, without its own name and the scene's."""
    start = text.find("needs ")
    return text[start:] if start >= 0 else text


def detail(problem, setup, results):
    lines = [f"### {setup.name}", ""]
    if setup.methods is not None:
        lines += [f"Only {', '.join(setup.methods)}: {setup.why_few}.", ""]
    lines += ["| method | order | settings | steps | error | |", "|---|---|---|---|---|---|"]
    for result in results:
        if result.refused:
            continue
        verdict = "as asked" if meets(result, problem) else "**not reached**"
        error = result.failed if result.failed else short(result.error)
        lines.append(
            f"| {result.method['name']} | {result.method['order']} | {result.words} | {result.steps} | {error} | {verdict} |"
        )
    refused = {}
    for result in results:
        if result.refused:
            refused.setdefault(reason(result.refused), []).append(result.method["name"])
    if refused:
        lines += ["", "Do not apply:", ""]
        lines += [f"- {', '.join(names)}: {why}" for why, names in refused.items()]
    return lines + [""]


def page(problems, all_results):
    lines = [
        "# Validation",
        "",
        "What the reference problems of `tests/references` ask, and what every method that applies reaches. Written by",
        "`./dev validate`; do not edit by hand. The last digits of errors near roundoff differ between machines.",
        "",
        f"`taylor` runs with tolerance {TAYLOR_TOLERANCE}, other methods that choose their steps with {TOLERANCE}, and",
        "methods of fixed step with a step that is the same for all of them on a problem. Methods of low order are here",
        "to show what they reach, not because they were expected to meet the bound. Speed is the matter of `./dev bench`.",
        "",
        "## Summary",
        "",
        "| problem | posed as | asked | taylor | methods that reach it |",
        "|---|---|---|---|---|",
    ]
    for problem in problems:
        for setup in problem.setups:
            results = all_results.get(id(setup), [])
            taylor = next((r for r in results if r.method["name"] == "taylor"), None)
            reached = "-" if taylor is None else taylor.failed or taylor.refused or short(taylor.error)
            if taylor is not None and not meets(taylor, problem):
                reached = f"**{reached}**"
            applying = [r for r in results if not r.refused]
            count = sum(meets(r, problem) for r in applying)
            lines.append(
                f"| {problem.title} | {setup.name} | {problem.bound:g} "
                f"{problem.unit} | {reached} | {count} of {len(applying)} |"
            )
    lines.append("")
    for problem in problems:
        lines += [
            f"## {problem.title}",
            "",
            f"`tests/references/{problem.source}.json`. Asked: {problem.asked}, to {problem.bound:g} {problem.unit}".rstrip()
            + ".",
            "",
        ]
        for setup in problem.setups:
            lines += detail(problem, setup, all_results.get(id(setup), []))
    return lines


def course_lines(program):
    """The course's cart-pole: mean energy errors at equal steps."""
    metrics = reference_problems.reference("cartpole")["source_metrics"]
    runs = json.loads(program.output(["compare", "cart-pole-course", "--json", "--quiet"]))["runs"]
    lines = [
        "## The course's cart-pole",
        "",
        "`tests/references/cartpole.json`. Asked: the course's mean absolute energy errors with cart position and pole",
        "angle integrated and the ball restored by Newton-Raphson to 1e-11, step 1 ms, 10001 steps: three digits for",
        "`euler`, a factor of 2 for `rk4`. `catena compare cart-pole-course` also shows the computing time per step.",
        "",
        "| method | asked | reached | constraints | |",
        "|---|---|---|---|---|",
    ]
    for run_ in runs:
        asked = metrics[run_["method"]]["mean_abs_energy_error_J"]
        ratio = run_["mean_energy_error"] / asked
        good = abs(ratio - 1) < 5e-4 if run_["method"] == "euler" else 0.5 < ratio < 2
        lines.append(
            f"| {run_['method']} | {asked:.7g} J | {run_['mean_energy_error']:.7g} J | {run_['constraint_error']:.0e} | "
            f"{'as asked' if good else '**not reached**'} |"
        )
    return lines + [""]


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).rstrip() + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catena")
    parser.add_argument("page")
    parser.add_argument("--only", help="problems whose reference's name has this in it")
    parser.add_argument("--methods", help="these methods alone, with commas between")
    arguments = parser.parse_args()
    program = Program(arguments.catena)
    methods = [m for m in program.methods() if m["name"] != "custom"]
    if arguments.methods:
        methods = [m for m in methods if m["name"] in arguments.methods.split(",")]
    problems = [p for p in reference_problems.problems() if not arguments.only or arguments.only in p.source]
    all_results, missed = {}, 0
    for problem in problems:
        for setup in problem.setups:
            chosen = [m for m in methods if setup.methods is None or m["name"] in setup.methods]
            results = [run(program, setup, method) for method in chosen]
            all_results[id(setup)] = results
            taylor = [r for r in results if r.method["name"] == "taylor"]
            missed += sum(not meets(r, problem) for r in taylor)
            shown = ", ".join(r.failed or r.refused or short(r.error) for r in taylor)
            count = sum(meets(r, problem) for r in results)
            print(f"{problem.title}, {setup.name}: asked {problem.bound:g}, taylor {shown or '-'}; {count} methods reach it",
                  flush=True)
        write(arguments.page, page(problems, all_results))  # what there is, should the rest be interrupted
    lines = page(problems, all_results)
    if not arguments.only or arguments.only in "cartpole":
        lines += course_lines(program)
    write(arguments.page, lines)
    # How often error bars hold takes thousands of runs, and has nothing to do with methods.
    if not arguments.methods and (not arguments.only or arguments.only in "chaos"):
        put_into(arguments.page, chaos_parts(arguments.catena, 2000, PARTS))
    print(f"wrote {arguments.page}; taylor misses {missed} of what was asked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
