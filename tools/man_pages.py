#!/usr/bin/env python3
"""Writes man pages from what the program says of itself: catena.1, and catena-COMMAND.1 for each command.

usage: man_pages.py CATENA FOLDER
"""
import pathlib
import re
import subprocess
import sys


def said(catena, *words):
    return subprocess.run([catena, *words], capture_output=True, text=True, check=True, env={"COLUMNS": "90"}).stdout


def escaped(line):
    line = line.replace("\\", r"\e").replace("-", r"\-")
    return r"\&" + line if line[:1] in (".", "'") else line


def sections(text):
    """[(heading, lines)] of a help text: a line that ends in a colon, or begins with Usage, opens one."""
    found = []
    for line in text.splitlines():
        opening = re.match(r"^(Examples|Commands|Kinds|Arguments|Options):$", line)
        usage = re.match(r"^Usage: (.*)$", line)
        if opening:
            found.append((opening[1].upper(), []))
        elif usage:
            found += [("SYNOPSIS", [usage[1]]), ("DESCRIPTION", [])]
        elif found:
            found[-1][1].append(line)
    order = {"SYNOPSIS": 0, "DESCRIPTION": 1, "EXAMPLES": 9}
    return sorted(found, key=lambda section: order.get(section[0], 5))


def page(name, summary, version, text, see):
    out = [f'.TH {name.upper()} 1 "" "{version}" "Catena"', ".SH NAME", rf"{escaped(name)} \- {escaped(summary)}"]
    for heading, lines in sections(text):
        body = "\n".join(escaped(line) for line in lines).strip("\n")
        out += [f".SH {heading}", ".nf", body, ".fi"]
    return "\n".join(out + [".SH SEE ALSO", escaped(see), ""])


def main(catena, folder):
    folder.mkdir(parents=True, exist_ok=True)
    version, top = said(catena, "--version").strip(), said(catena, "--help")
    commands = re.findall(r"^  (\w+)  +(.*)$", dict(sections_by_name(top))["COMMANDS"], re.MULTILINE)
    see = ", ".join(f"catena-{name}(1)" for name, _ in commands)
    (folder / "catena.1").write_text(
        page("catena", "simulates chains of pendulums and mechanisms, exactly and fast", version, top, see))
    for name, summary in commands:
        (folder / f"catena-{name}.1").write_text(
            page(f"catena-{name}", summary, version, said(catena, name, "--help"), "catena(1)"))


def sections_by_name(text):
    return [(heading, "\n".join(lines)) for heading, lines in sections(text)]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]))
