#!/usr/bin/env python3
"""Makes docs/keys.md, the tables of keys, joints, laws and functions, from the program's own tables; and the add-on's
catalog.json, the same joints and laws for Blender.

usage: key_pages.py CATENA [--check]

--check writes nothing and fails when the page is not what the program says, when the guide leaves out a key or a kind of
joint, or when one of its tables names a key that there is not.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
HEAD = """# Keys of scenes

Made from the program's tables by `tools/key_pages.py`; a test fails when it is out of date. [The guide](guide.md) explains
them; `catena list keys` shows the same.
"""


def listed(catena, topic):
    done = subprocess.run([catena, "list", topic, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def code(text):
    return f"`{text}`" if text else ""


def standard(field):
    if field["required"]:
        return "required"
    return code(field["default"])


def joint_keys(joint):
    """What says where a joint of this kind is, and its number or curve."""
    where = {"point": ["point"], "ends": ["points"], "curve": ["point"], "ties": ["joints"]}[joint["place"]]
    axes = {"none": [], "orientation": ["axes"], "one": ["axis"], "two": ["axis", "axis2"], "one-or-two": ["axis", "axis2"]}
    own = [key for key in (joint["value"], joint["curve"]) if key]
    return ", ".join(code(key) for key in where + axes[joint["axes"]] + own)


def page(catena):
    text = HEAD
    for section in listed(catena, "keys"):
        rows = [[code(f["name"]), standard(f), f["summary"] + (f", {f['unit']}" if f["unit"] else "")] for f in section["fields"]]
        text += f"\n## {section['section']}\n\n{section['summary'][0].upper() + section['summary'][1:]}.\n\n"
        text += table(["key", "default", "meaning"], rows)
    text += "\n## Kinds of joints\n\n"
    text += table(["kind", "takes away", "coordinate", "columns", "keys", "what it is"],
                  [[code(j["name"]), j["equations"], j["coordinate"], ", ".join(j["shows"]), joint_keys(j), j["summary"]]
                   for j in listed(catena, "joints")])
    text += "\n## Force laws\n\n"
    text += table(["kind", "keys", "what it is", "equation"],
                  [[code(law["kind"]), ", ".join(code(f["name"]) for f in law["fields"] if f["name"] != "kind"), law["summary"],
                    law["equation"]] for law in listed(catena, "forces")])
    text += "\n## Functions of formulas\n\n"
    text += table(["function", "meaning", "where"],
                  [[code(f["usage"]), f["summary"], f["domain"]] for f in listed(catena, "functions")])
    return text


def guide_mistakes(catena):
    """Keys and kinds of joints that the guide leaves out, and keys in its tables that there are not."""
    guide = (DOCS / "guide.md").read_text()
    known, mistakes = set(), []
    for section in listed(catena, "keys"):
        for field in section["fields"]:
            known.add(field["name"])
            if not re.search(rf"(?<![\w-]){re.escape(field['name'])}(?![\w-])", guide):
                mistakes.append(f"docs/guide.md says nothing of {section['section']}.{field['name']}")
    for joint in listed(catena, "joints"):
        if joint["name"] not in guide:
            mistakes.append(f"docs/guide.md says nothing of the joint {joint['name']}")
    for head, body in re.findall(r"^\| (key[^|\n]*) \|[^\n]*\n\|[-|]+\|\n((?:\|[^\n]*\n)+)", guide, re.MULTILINE):
        for line in body.splitlines():
            for key in re.findall(r"`([a-z_0-9]+)`", line.split("|")[1]):
                if key not in known:
                    mistakes.append(f"docs/guide.md, table of {head.strip()}: there is no key {key}")
    return mistakes


def catalog(catena):
    return json.dumps({topic: listed(catena, topic) for topic in ("joints", "forces")}, indent=1) + "\n"


def main(catena, check):
    made = {DOCS / "keys.md": page(catena), ROOT / "apps" / "blender" / "catena" / "catalog.json": catalog(catena)}
    if not check:
        for path, text in made.items():
            path.write_text(text)
        return 0
    mistakes = guide_mistakes(catena)
    for path, text in made.items():
        if not path.exists() or path.read_text() != text:
            mistakes.append(f"{path.relative_to(ROOT)} is not what the program says: run tools/key_pages.py CATENA")
    print("\n".join(mistakes) or "the tables of keys are what the program says")
    return 1 if mistakes else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2:] == ["--check"]))
