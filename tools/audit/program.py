"""The program under audit: what it offers, and its runs."""
import csv
import json
import os
import resource
import signal
import subprocess

import numpy

CPU_SECONDS = 10  # of one run; scenes here take milliseconds, so that more is a hang
MORE_SECONDS = {"double-double": 60, "quad": 240}  # thirty to some hundred times slower: a step of several bodies takes 0.1 s
WALL_SECONDS = 1200  # a machine may be busy with other things; a run that waits for ever is a hang as well
HONEST = (0, 1, 2, 130)  # exit statuses that the program promises


class Result:
    """One run: its status, its rows by column, its summary, and what it said."""

    def __init__(self, status, columns, summary, said):
        self.status = status
        self.columns = columns
        self.summary = summary
        self.said = said

    @property
    def ok(self):
        return self.status == 0

    @property
    def refused(self):
        return self.status == 2

    def word(self):
        if self.ok:
            return "done"
        lines = self.said.strip().splitlines() or ["no message"]
        return f"exit status {self.status}: {' / '.join(lines[-3:])[:400]}"

    def trouble(self):
        """What no scene excuses: a crash, a hang, a report of a sanitizer; nothing otherwise."""
        if self.status in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"hangs: {self.said or f'no end after {CPU_SECONDS} s of computing'}"
        if self.status not in HONEST:
            return f"crashes: exit status {self.status}: {self.said[-400:]}"
        for word in ("AddressSanitizer", "LeakSanitizer", "runtime error:", "terminate called"):
            if word in self.said:
                start = self.said.index(word)
                return f"sanitizer: {self.said[max(0, start - 80):start + 400]}"
        if self.status != 0 and not self.said.strip():
            return f"exit status {self.status} without a message"
        return ""


def _limit(seconds):
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _number(word):
    try:
        return float(word)
    except ValueError:  # nothing, or what a case of a sweep is warned of
        return numpy.nan


def _rows(text):
    names, rows, summary = None, [], {}
    for line in text.splitlines():
        if line.startswith("# summary: "):
            summary = json.loads(line[len("# summary: "):])
        elif line.startswith("#"):
            continue
        elif names is None:
            names = line.split(",")
        else:
            rows.append([_number(word) for word in next(csv.reader([line]))])
    if names is None:
        return {}, summary
    table = numpy.array(rows).reshape(len(rows), len(names))
    return {name: table[:, i] for i, name in enumerate(names)}, summary


class Program:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.runs = 0

    def output(self, *arguments):
        command = [self.path, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=WALL_SECONDS).stdout

    def call(self, arguments, text=None):
        """Exit status, standard output and standard error."""
        self.runs += 1
        asked = [seconds for digits, seconds in MORE_SECONDS.items() if any(digits in word for word in arguments)]
        seconds = max(asked, default=CPU_SECONDS)
        try:
            done = subprocess.run([self.path, *arguments], input=text, capture_output=True, text=True, errors="replace",
                                  timeout=WALL_SECONDS, check=False,
                                  preexec_fn=lambda: _limit(seconds))
        except subprocess.TimeoutExpired:
            return -signal.SIGXCPU, "", f"no end after {WALL_SECONDS} s"
        said = done.stderr
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            said = f"no end after {seconds} s of computing"
        return done.returncode, done.stdout, said

    def run(self, scene, times, *options):
        """A run of a scene (as nested dicts) that records at these times."""
        arguments = ["run", "-", "-o", "-", "--times", ",".join(repr(float(t)) for t in times), *options]
        status, out, said = self.call(arguments, json.dumps(scene))
        columns, summary = _rows(out)
        return Result(status, columns, summary, said)


class Offer:
    """What the program says that scenes may contain: the audit draws from this, so that what is new is covered."""

    def __init__(self, program):
        def listed(what):
            return json.loads(program.output("list", what, "--json"))

        self.schema = json.loads(program.output("schema"))["properties"]
        self.methods = listed("methods")
        self.joints = {joint["name"]: joint for joint in listed("joints")}
        self.shapes = [shape["name"] for shape in listed("shapes")]
        self.functions = listed("functions")
        self.laws = {law["kind"]: law for law in listed("forces")}
        tables = self.schema["forces"]["items"]["oneOf"]
        self.law_schemas = {table["properties"]["kind"]["enum"][0]: table["properties"] for table in tables}
        self.formulations = self.schema["chain"]["properties"]["formulation"]["enum"]

    def keys(self, *path):
        """The table of keys at a place of scenes: keys("chain", "links")."""
        table = self.schema[path[0]]
        for name in path[1:]:
            table = table.get("items", table)["properties"][name]
        return table.get("items", table)["properties"]
