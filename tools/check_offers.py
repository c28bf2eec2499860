#!/usr/bin/env python3
"""Compares what the command line, the page and Python offer, by asking each of them.

usage: check_offers.py --catena PROGRAM --python FOLDER [--engine FOLDER]

PROGRAM: the command line; the first FOLDER holds the Python package, the second the page's engine (catena.js and
catena.wasm). Without the engine only two are compared. Exit status 1 if one offers what another does not; pointer
interaction is the page's own and is not compared.
"""
import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOPICS = ("scenes", "methods", "quantities", "forces", "joints", "shapes", "functions")
NAME = {"quantities": "stem", "forces": "kind"}


def names(topic, entries):
    """What is compared: methods of a library of its own are only where that library is."""
    return {entry[NAME.get(topic, "name")] for entry in entries if not entry.get("library")}


def fields(schema, section):
    """Names of a section's fields, of all variants together."""
    items = schema["properties"][section].get("items", {})
    found = set(items.get("properties", {}))
    for variant in items.get("oneOf", []) + items.get("anyOf", []):
        found |= set(variant.get("properties", {}))
    return found


def from_schema(schema):
    """What scenes may say: sections, and the fields of events, forces and joints."""
    out = {"sections": set(schema["properties"]), "settings": set(schema["properties"]["simulation"]["properties"])}
    for section in ("events", "forces", "bodies", "joints"):
        out[f"fields of {section}"] = fields(schema, section)
    return out


def of_command_line(catena):
    def said(*arguments):
        return json.loads(subprocess.run([catena, *arguments], capture_output=True, text=True, check=True).stdout)

    lists = {topic: names(topic, said("list", topic, "--json")) for topic in TOPICS}
    return {**lists, **from_schema(said("schema"))}


def of_python(folder):
    code = """if True:
        import json, sys
        import catena
        topics = sys.argv[1].split(",")
        print(json.dumps({"schema": catena.schema(), **{topic: getattr(catena, topic)() for topic in topics}}))
    """
    command = [sys.executable, "-c", code, ",".join(TOPICS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PYTHONPATH": str(folder)})
    said = json.loads(done.stdout)
    return {**{topic: names(topic, said[topic]) for topic in TOPICS}, **from_schema(said["schema"])}


def of_page(engine):
    """Asks the engine in Node. The page's scenes are the files that its bundler takes in."""
    code = """
        import { readFileSync } from 'node:fs';
        const [folder] = process.argv.slice(1);
        const source = readFileSync(`${folder}/catena.js`, 'utf8');
        const { default: make } = await import('data:text/javascript;base64,' + Buffer.from(source).toString('base64'));
        const engine = await make({ wasmBinary: readFileSync(`${folder}/catena.wasm`) });
        const request = JSON.stringify({ do: 'info' });
        const size = engine.lengthBytesUTF8(request) + 1;
        const place = engine._malloc(size);
        engine.stringToUTF8(request, place, size);
        console.log(engine.UTF8ToString(engine._catena_call(place)));
    """
    done = subprocess.run(["node", "--input-type=module", "-e", code, str(engine)], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the page's engine does not answer: {done.stderr.strip()}")
    said = json.loads(done.stdout)
    presets = (ROOT / "apps/web/src/presets.ts").read_text(encoding="utf-8")
    if "../../../scenes/*.toml" not in presets:
        sys.exit("apps/web/src/presets.ts no longer takes in scenes/*.toml: tell this script where the page's scenes come from")
    out = {"scenes": {path.stem for path in (ROOT / "scenes").glob("*.toml")}}
    for topic in TOPICS[1:]:
        out[topic] = names(topic, said.get(topic, []))
    return {**out, **from_schema(said["schema"])}


def differences(offers):
    """One line for each thing that some have and others lack."""
    lines = []
    topics = list(dict.fromkeys(topic for offer in offers.values() for topic in offer))
    for topic in topics:
        everything = set().union(*(offer.get(topic, set()) for offer in offers.values()))
        for name in sorted(everything):
            lacking = [who for who, offer in offers.items() if name not in offer.get(topic, set())]
            if lacking:
                lines.append(f"{topic}: '{name}' is missing from {' and '.join(lacking)}")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--catena", required=True, help="the command line")
    parser.add_argument("--python", required=True, type=Path, help="folder that holds the package catena")
    parser.add_argument("--engine", type=Path, help="folder of the page's catena.js and catena.wasm")
    arguments = parser.parse_args()
    offers = {"the command line": of_command_line(arguments.catena), "Python": of_python(arguments.python)}
    if arguments.engine and (arguments.engine / "catena.wasm").is_file():
        offers["the page"] = of_page(arguments.engine)
    else:
        print("the page is left out: its engine is not built")
    found = differences(offers)
    for line in found:
        print(line)
    if found:
        sys.exit(1)
    counts = ", ".join(f"{len(entries)} {topic}" for topic, entries in offers["Python"].items())
    print(f"{', '.join(offers)} offer the same: {counts}")


if __name__ == "__main__":
    main()
