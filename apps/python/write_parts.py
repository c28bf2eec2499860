"""Writes the classes of a scene's parts, with the fields of the engine's own table.

usage: write_parts.py ENGINE_MODULE OUTPUT
"""
import importlib.util
import json
import keyword
import os
import re
import sys
import textwrap

CLASSES = {
    "simulation": ("Simulation", "How long, how exactly and with which method."),
    "chain": ("Chain", "One chain of links."),
    "chain.links": ("Link", "A link of a chain."),
    "bodies": ("Body", "A rigid body."),
    "bodies.parts": ("BodyPart", "A part of a compound body."),
    "joints": ("Joint", "What ties two bodies to one another, or one to the ground."),
    "events": ("Event", "Instants to find: the roots of a formula of columns and t."),
    "forces": ("Force", "What else acts, a law with its kind."),
    "lagrangian": ("Lagrangian", "A system given by its Lagrangian, instead of chains and bodies."),
    "equations": ("Equations", "Any first-order system, given by formulas of its rates, instead of all other parts."),
}
# What comes without a keyword, and lists of further parts that a table of fields does not name.
POSITIONAL = {"Chain": "links", "Event": "when", "Force": "kind", "Lagrangian": "lagrangian", "Equations": "dot"}
LISTS = {"Chain": [("links", "Sequence[Link | Mapping[str, Any]]", "the links, from the pivot on", True)],
         "Body": [("parts", "Sequence[BodyPart | Mapping[str, Any]]", "of a compound body", False)]}
EXAMPLES = {
    "Link": ["Link(length=1, mass=1, theta=2.0)", "Link(length=1, mass=1, theta=2.0)"],
    "Chain": ["Chain([Link(length=1, mass=1, theta=\"120 deg\")] * 3).to_dict()[\"links\"][2]",
              "{'length': 1, 'mass': 1, 'theta': '120 deg'}"],
    "Event": ["Event(\"theta_1\", direction=\"rising\", stop=3)",
              "Event(when='theta_1', direction='rising', stop=3)"],
    "Equations": ["Equations({\"x\": \"v\", \"v\": \"-x\"}, states={\"x\": 1, \"v\": 0}).states",
                  "{'x': 1, 'v': 0}"],
}

# As the formats page has it, for an engine whose table does not have it yet.
LAGRANGIAN = [
    ("lagrangian", "str", "kinetic less potential energy; x' is the rate of x"),
    ("kinetic", "str", "instead, with potential: the kinetic energy"),
    ("potential", "str", "the potential energy"),
    ("coordinates", "Mapping[str, float | str]", "names and start values of the coordinates"),
    ("rates", "Mapping[str, float | str]", "start values of their rates"),
    ("parameters", "Mapping[str, float]", "names for numbers that the formulas use"),
    ("constraints", "Sequence[str]", "formulas that stay zero"),
    ("dissipation", "str", "Rayleigh's dissipation function"),
    ("forces", "Mapping[str, str]", "further generalised forces, by coordinate"),
]

HEAD = '''"""The parts of scenes. Written at build time from the engine's table of fields: see `write_parts.py`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._part import Part, not_none

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    import numpy as np
    import numpy.typing as npt

    from ._trace import FormulaLike, FormulasLike

    Vector = Sequence[float] | npt.NDArray[np.float64]
    Precision = {precision}
    Formulation = {formulation}
    MethodName = {method}
'''


def engine_from(path):
    spec = importlib.util.spec_from_file_location("_engine", path)
    sys.setdlopenflags(os.RTLD_LAZY)  # that of a wheel has names that Python never calls
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def literal(words):
    return "Literal[" + ", ".join(f'"{word}"' for word in words) + "]"


def type_of(path, field, engine):
    """The type of a field's values: of those that are words the words, so that a wrong one is a mistake before anything runs."""
    names = {("simulation", "method"): "methods", ("forces", "kind"): "forces"}.get((path, field["name"]))
    if names is not None:
        return literal(words_of(engine, names))
    return literal(field["choices"]) if field["choices"] and field["type"] == "str" else field["type"]


def words_of(engine, names):
    key = {"methods": "name", "forces": "kind"}[names]
    return [one[key] for one in json.loads(engine.list_json(names))] + (["custom"] if names == "methods" else [])


def described(field):
    unit = f" [{field['unit']}]" if field["unit"] else ""
    default = f" Default: {field['default']}." if field["default"] else ""
    choices = f" One of {', '.join(field['choices'])}." if field["choices"] else ""
    text = f"{field['summary']}{unit}."
    return re.sub(r"\.\.$", ".", text) + choices + default


def class_text(name, summary, path, fields, engine):
    lists = LISTS.get(name, [])
    listed = {one[0] for one in lists}
    entries = [(field, kind, text, needed) for field, kind, text, needed in lists]
    entries += [(f["name"], type_of(path, f, engine), described(f), f["required"]) for f in fields if f["name"] not in listed]
    first = POSITIONAL.get(name)
    entries.sort(key=lambda entry: (entry[0] != first, not entry[3]))
    doc = [summary, ""]
    if name in EXAMPLES:
        doc += [f">>> {EXAMPLES[name][0]}", EXAMPLES[name][1], ""]
    for field, _, text, _ in entries:
        doc += textwrap.wrap(f"{field}: {text}", 110, subsequent_indent="    ")
    arguments = []
    for field, kind, _, needed in entries:
        parameter = f"{field}_" if keyword.iskeyword(field) else field
        arguments.append(f"{parameter}: {kind}" if needed else f"{parameter}: {kind} | None = None")
    star = 1 if first else 0
    arguments.insert(star, "*")
    given = ", ".join(f'"{f}": {f}{"_" if keyword.iskeyword(f) else ""}' for f, *_ in entries)
    names = ", ".join(f'"{f}"' for f, *_ in entries)
    body = "\n".join(f"    {line}".rstrip() for line in doc)
    lines = [f"class {name}(Part):", f'    """{body.strip()}', '    """', "", f"    fields = ({names},)", ""]
    lines += [f"    {field}: {kind}" for field, kind, _, _ in entries if not keyword.iskeyword(field)]
    lines += ["", "    def __init__(", "        self,"]
    lines += [f"        {argument}," for argument in arguments]
    lines += ["    ) -> None:", f"        super().__init__(not_none({{{given}}}))"]
    return "\n".join(lines).replace("\\", "\\\\")


def main():
    engine, output = sys.argv[1:]
    engine = engine_from(engine)
    sections = {path: fields for path, _, fields in engine.sections()}
    sections.setdefault("lagrangian", [{"name": name, "type": kind, "summary": summary, "unit": "", "default": "",
                                        "choices": [], "required": False} for name, kind, summary in LAGRANGIAN])
    order = sorted((path for path in CLASSES if path in sections), key=lambda path: ("links" not in path and "parts" not in path))
    texts = [class_text(*CLASSES[path], path, sections[path], engine) for path in order]
    choices = {field["name"]: field["choices"] for path in ("simulation", "chain") for field in sections[path]}
    head = HEAD.format(precision=literal(choices["precision"]), formulation=literal(choices["formulation"]),
                       method=literal(words_of(engine, "methods")))
    with open(output, "w", encoding="utf-8") as file:
        file.write(head + "".join(f"\n\n{text}\n" for text in texts))


if __name__ == "__main__":
    main()
