"""What the program offers: kinds of joints and force laws. Plain Python, no bpy.

catalog.json is what `catena list .. --json` says, written by tools/key_pages.py; a test compares them. So the panel has every
kind also where the program is not there yet.
"""
import json
from pathlib import Path

OFFERS = json.loads((Path(__file__).resolve().parent / "catalog.json").read_text(encoding="utf-8"))
JOINTS = {joint["name"]: joint for joint in OFFERS["joints"]}
LAWS = {law["kind"]: law for law in OFFERS["forces"]}


def title(word):
    """"point-on-line" as a name: Point on line."""
    return word.replace("-", " ").capitalize()


def sentence(summary):
    return summary[:1].upper() + summary[1:]


def joints_that(is_one):
    return {name for name, joint in JOINTS.items() if is_one(joint)}


def fields_of(law):
    return {field["name"]: field for field in LAWS[law]["fields"]}


def default_of(key):
    """The default number of a law's field; None where it has none."""
    for law in LAWS:
        field = fields_of(law).get(key)
        if field and field["default"]:
            return float(field["default"])
    return None
