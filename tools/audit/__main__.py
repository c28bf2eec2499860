#!/usr/bin/env python3
"""Looks for what is silently wrong: random scenes, each held to laws that need no reference.

`./dev audit --help` has the options; docs/audit.md says what is checked, and how to read a finding.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import signal
import sys
import time

import toml
from frames import NotApplicable
from laws import LAWS, Case
from program import Offer, Program
from scenes import Scenes
from shrink import shrunk

FREE = ("runs", "balance")  # laws that need no run of their own
LAWS_PER_SCENE = 5


def arguments():
    parser = argparse.ArgumentParser(prog="./dev audit", description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/catena", help="to audit; default: build/release/catena")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long; default 5")
    parser.add_argument("--nightly", action="store_const", dest="minutes", const=480.0, help="eight hours")
    parser.add_argument("--scenes", type=int, help="how many scenes, in place of a time")
    parser.add_argument("--seed", default=time.strftime("%Y%m%d"), help="a seed gives the same scenes; default: the date")
    parser.add_argument("--first", type=int, default=0, help="number of the first scene; with --scenes 1 one scene again")
    parser.add_argument("--only", default="", metavar="LAWS", help="these laws alone: " + ", ".join(LAWS))
    parser.add_argument("--without", default="", metavar="WORDS", help="no scenes with these: kinks, slack, loop, drag, ..")
    parser.add_argument("--keep", default="build/audit", metavar="FOLDER", help="where findings go; default: build/audit")
    parser.add_argument("--trials", type=int, default=150, help="smaller scenes to try per finding; default 150")
    options = parser.parse_args()
    unknown = [name for name in options.only.split(",") if name and name not in LAWS]
    if unknown:
        parser.error(f"no law is called {unknown[0]}; there are: {', '.join(LAWS)}")
    return options


class Audit:
    def __init__(self, options):
        self.options = options
        self.program = Program(options.program)
        self.offer = Offer(self.program)
        self.scenes = Scenes(self.offer, options.seed)
        self.only = [name for name in options.only.split(",") if name]
        self.without = {name for name in options.without.split(",") if name}
        self.counts = collections.Counter()
        self.checked = collections.Counter()
        self.seen = collections.Counter()
        self.findings = []
        self.started = time.monotonic()

    def over(self, number):
        if self.options.scenes is not None:
            return number >= self.options.first + self.options.scenes
        return time.monotonic() - self.started > 60 * self.options.minutes

    def go(self):
        number = self.options.first
        while not self.over(number):
            scene = self.scenes.scene(number)
            if not self.without & scene.tags:
                self.scene(number, scene)
                self.progress(number)
            number += 1

    def progress(self, number):
        if sys.stderr.isatty():
            done = self.counts
            print(f"\rscene {number}: {done['done']} ran, {done['refused']} refused, {len(self.findings)} findings ", end="",
                  file=sys.stderr, flush=True)

    def scene(self, number, scene):
        seed = f"{self.options.seed}/{number}"
        case = Case(self.program, self.offer, scene.tree, scene.tags, seed)
        self.counts["done" if case.base.ok else "refused" if case.base.refused else "failed"] += 1
        if case.base.ok:
            self.seen.update(scene.tags)
        for law in self.chosen(case, seed):
            wrong = self.verdict(law, case)
            if wrong:
                self.found(number, law, wrong, case)
                break

    def chosen(self, case, seed):
        """The laws to hold a scene to: those that cost nothing, and some of the others."""
        laws = self.only or list(LAWS)
        if not case.base.ok:
            return [law for law in laws if law == "runs"]
        others = [law for law in laws if law not in FREE]
        return [law for law in FREE if law in laws] + random.Random(seed).sample(others, min(len(others), LAWS_PER_SCENE))

    def verdict(self, law, case):
        try:
            wrong = LAWS[law](case)
        except NotApplicable:
            return ""
        self.checked[law] += 1
        return wrong

    def found(self, number, law, wrong, case):
        sort = self.sort(wrong)

        def fails(tree):
            trial = Case(self.program, self.offer, tree, case.tags, case.seed)
            if law != "runs" and not trial.base.ok:
                return False
            try:
                return self.sort(LAWS[law](trial)) == sort
            except (NotApplicable, KeyError, IndexError, ValueError, TypeError, ZeroDivisionError, AttributeError):
                return False

        trials = min(self.options.trials, 5) if sort == "hangs" else self.options.trials
        tree = shrunk(case.tree, fails, trials)
        small = Case(self.program, self.offer, tree, case.tags, case.seed)
        wrong = LAWS[law](small)
        self.keep(number, law, wrong, small)

    @staticmethod
    def sort(wrong):
        """What kind of failure: a smaller scene has to fail in the same way."""
        for word in ("hangs", "crashes", "sanitizer", "not a number", "does not", "apart", "energy"):
            if word in (wrong or ""):
                return word
        return "other" if wrong else ""

    def keep(self, number, law, wrong, case):
        os.makedirs(self.options.keep, exist_ok=True)
        text = toml.text(case.tree)
        name = f"{law}-{hashlib.sha1(text.encode()).hexdigest()[:8]}"
        lines = [f"# {law}: {LAWS[law].__doc__.split(chr(10))[0]}", f"# {wrong}",
                 f"# Seed {self.options.seed}, scene {number}; {', '.join(sorted(case.tags))}."]
        if case.other is not None:
            tree, options = case.other
            if options:
                lines.append(f"# Beside it: the scene with {' '.join(options)}.")
            if tree != case.tree:
                lines.append(f"# Beside it: {name}-other.toml.")
                with open(os.path.join(self.options.keep, f"{name}-other.toml"), "w", encoding="utf-8") as file:
                    file.write(toml.text(tree))
        with open(os.path.join(self.options.keep, f"{name}.toml"), "w", encoding="utf-8") as file:
            file.write("\n".join([*(line.replace("\n", " / ") for line in lines), "", text]))
        self.findings.append((law, wrong, name))
        print(f"\nFOUND scene {number}, {law}: {wrong}\n{text}", flush=True)

    def report(self):
        seconds = time.monotonic() - self.started
        done = self.counts
        print(f"\n{sum(done.values())} scenes in {seconds:.0f} s, {self.program.runs} runs: {done['done']} ran, "
              f"{done['refused']} refused, {done['failed']} failed")
        print("laws checked: " + ", ".join(f"{law} {count}" for law, count in self.checked.most_common()))
        never = [kind for kind in [*self.offer.laws, *self.offer.joints] if not self.seen[kind]]
        if never:
            print("never ran: " + ", ".join(never))
        for law, wrong, name in self.findings:
            print(f"  {law}: {wrong}  ({os.path.join(self.options.keep, name)}.toml)")
        print(f"{len(self.findings)} findings")


def main():
    audit = Audit(arguments())
    status = 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was found is told, whoever ends it
    try:
        audit.go()
    except KeyboardInterrupt:
        print("\ninterrupted: what was found so far", file=sys.stderr)
        status = 130
    audit.report()
    return status or (1 if audit.findings else 0)


if __name__ == "__main__":
    sys.exit(main())
