#!/usr/bin/env python3
"""Makes docs/methods/README.md, the table of methods, from the program's own catalog.

usage: method_pages.py CATENA [--check]

--check writes nothing and fails when the table is not what the catalog says, or a method has no page of its own.
"""
import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "methods"
HEAD = """# Methods

Made from the catalog by `tools/method_pages.py`; a test fails when it is out of date.

| method | order | step | what it is | source |
|---|---|---|---|---|
"""


def table(methods):
    rows = ""
    for method in methods:
        step = f"chosen, tolerance {method['tolerance']:g}" if method["adaptive"] else "fixed, needs `step`"
        name = method["name"]
        rows += f"| [{name}]({name}.md) | {method['order']} | {step} | {method['summary']} | {method['source']} |\n"
    return HEAD + rows


def main(catena, check):
    listed = subprocess.run([catena, "list", "methods", "--json"], check=True, capture_output=True, text=True)
    methods = json.loads(listed.stdout)
    page = FOLDER / "README.md"
    if not check:
        page.write_text(table(methods))
        return 0
    mistakes = [f"docs/methods/{m['name']}.md is missing" for m in methods if not (FOLDER / f"{m['name']}.md").exists()]
    if not page.exists() or page.read_text() != table(methods):
        mistakes.append("docs/methods/README.md is not what the catalog says: run tools/method_pages.py CATENA")
    print("\n".join(mistakes) or f"{len(methods)} methods, each with its page")
    return 1 if mistakes else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] == ["--check"]))
