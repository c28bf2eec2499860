#!/usr/bin/env python3
"""Checks that a part describes itself once: an example of each sort is mentioned in few files of the sources.

usage: check_rows.py [--list]      exit status 1 if an example has spread; --list shows the files

A joint, a formulation, a function, a format, a command is a row (and its own file where it has one). Its name anywhere else is something that
the next one of its sort would have to repeat.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENDINGS = {".cpp", ".h", ".ts", ".tsx", ".py"}
# The sort, where to look, how the example is written, and the files that may mention it.
EXAMPLES = [
    ("joint point-on-curve", ["src", "apps"], r"point[-_]on[-_]curve", ["src/catena/model/joint_kinds.h"]),
    ("formulation chart", ["src", "apps"], r"Formulation::chart\b|\"chart\"",
     ["src/catena/model/formulations.h", "src/catena/dynamics/chain/chain_unit.cpp"]),
    ("format npz", ["src", "apps/cli", "apps/common", "apps/python/engine"], r"\b(?:open|write)_npz\b|\"\.npz\"",
     ["src/catena/io/record/record.cpp", "src/catena/io/record/npz.cpp", "src/catena/io/record/sweep_file.cpp"]),
    ("command convert", ["src", "apps/cli"], r"\bconvert_command\b|\"convert\"",
     ["apps/cli/main.cpp", "apps/cli/commands/convert.cpp"]),
    ("function erf", ["src", "apps"], r"\bOp::erf\b|\"erf\"|^  erf,$",
     ["src/catena/expr/functions.h", "src/catena/expr/function_rows.h"]),
    ("column unique", ["src", "apps/cli"], r"\"unique\"", ["src/catena/observe/quantities.cpp"]),
]


def mentions(folders, pattern):
    found = set()
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in ENDINGS or "node_modules" in path.parts or "tests" in path.parts:
                continue
            if re.search(pattern, path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE):
                found.add(path.relative_to(ROOT).as_posix())
    return found


def main(show):
    mistakes = []
    for what, folders, pattern, allowed in EXAMPLES:
        found = mentions(folders, pattern)
        if show:
            print(f"{what}: {', '.join(sorted(found))}")
        mistakes += [f"{what} is mentioned in {path}: let it follow from its row" for path in sorted(found - set(allowed))]
        mistakes += [f"{what} is not in {path}: has its row moved?" for path in allowed if path not in found]
    print("\n".join(mistakes) or f"{len(EXAMPLES)} examples, each in its row")
    return 1 if mistakes else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--list"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:] == ["--list"]))
