#!/usr/bin/env python3
"""The version, which CMakeLists.txt alone says, in the files of others that must repeat it.

usage: version.py [--check | --write]      nothing: prints it; --check: exit status 1 where a file says another one
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Where it is repeated: a pattern whose group `version` is the one to look at, and how it is written there.
DOTS, COMMAS = ".", ", "
PLACES = [
    ("CITATION.cff", r"^version: (?P<version>\S+)$", DOTS),
    ("apps/blender/catena/blender_manifest.toml", r'^version = "(?P<version>[^"]+)"$', DOTS),
    ("apps/blender/catena/__init__.py", r'"version": \((?P<version>[\d, ]+)\)', COMMAS),
    ("apps/web/package.json", r'^  "version": "(?P<version>[^"]+)"', DOTS),
    ("apps/web/package-lock.json", r'\A\{\n  "name": "[^"]+",\n  "version": "(?P<version>[^"]+)"', DOTS),
    ("apps/web/package-lock.json", r'^    "": \{\n      "name": "[^"]+",\n      "version": "(?P<version>[^"]+)"', DOTS),
    ("apps/npm/package.json", r'^  "version": "(?P<version>[^"]+)"', DOTS),
    # The newest release of the changelog.
    ("CHANGELOG.md", r"^## \[(?P<version>\d[^]]*)\]", DOTS),
]


def version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"^project\(catena VERSION (\d+\.\d+\.\d+) ", text, re.MULTILINE).group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    ours, wrong = version(), []
    if not (asked.check or asked.write):
        print(ours)
        return
    for name, pattern, between in PLACES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        found = re.search(pattern, text, re.MULTILINE)
        expected = ours.replace(".", between)
        if found and found["version"] == expected:
            continue
        if found and asked.write and name != "CHANGELOG.md":
            path.write_text(text[:found.start("version")] + expected + text[found.end("version"):], encoding="utf-8")
        else:
            wrong.append(f"{name}: says {found['version'] if found else 'no version'}, and CMakeLists.txt {ours}")
    if wrong:
        sys.exit("\n".join(wrong))


main()
