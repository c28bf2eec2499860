#!/usr/bin/env python3
"""Writes the reference of docs/cpp.md from the public header: its declarations with the comments above them.

usage: cpp_reference.py [--check]      --check: exit status 1 if the page says something else
"""
import itertools
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER, PAGE = ROOT / "apps/library/catena/catena.h", ROOT / "docs/cpp.md"
MARK = "<!-- made from apps/library/catena/catena.h by tools/cpp_reference.py -->\n"
# Copies, moves, what is inside: what a class has anyway, or nobody calls.
HIDDEN = re.compile(r"~|&&|const Scene& other|operator=|Inside|friend|Error\(std")


def blocks(text):
    """Declarations at the outermost level, each with the comment lines above it."""
    body = text.split("inline namespace v0 {", 1)[1].split("}  // namespace v0")[0]
    found, lines, depth = [], [], 0
    for line in body.splitlines():
        if not line.strip() and depth == 0:
            if lines:
                found.append(lines)
            lines = []
            continue
        depth += line.count("{") - line.count("}")
        lines.append(line)
    return found + ([lines] if lines else [])


def shown(lines):
    """A block as people need it: nothing private, no bodies, no words for the compiler."""
    out, private = [], False
    for line in lines:
        line = line.replace("CATENA_EXPORT ", "")
        if line.strip() in ("public:", "private:"):
            private = line.strip() == "private:"
            continue
        if line.startswith("};"):
            private = False
        if private or (line.startswith("  ") and HIDDEN.search(line)):
            continue
        out.append(line)
    while len(out) > 1 and not out[-2].strip():
        del out[-2]
    return out


def reference():
    parts = []
    for lines in blocks(HEADER.read_text(encoding="utf-8")):
        lines = shown(lines)
        above = list(itertools.takewhile(lambda line: line.startswith("// "), lines))
        if any(line.startswith("// ") for line in lines[len(above):]):  # several declarations, each with its own word
            above = []
        words = textwrap.fill(" ".join(line[3:] for line in above), 120)
        code = "\n".join("    " + line for line in lines[len(above):] if line.strip())
        parts.append((words + "\n\n" if words else "") + code + "\n")
    return "\n".join(parts)


def main(check):
    page = PAGE.read_text(encoding="utf-8")
    head = page.split(MARK)[0]
    wanted = head + MARK + "\n" + reference()
    if page == wanted:
        return 0
    if check:
        print("docs/cpp.md does not say what the header says: run tools/cpp_reference.py")
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:] == ["--check"]))
