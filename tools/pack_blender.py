#!/usr/bin/env python3
"""Packs the Blender add-on into one zip, with the program inside.

usage: pack_blender.py CATENA ZIP [--no-libraries]

Libraries that the program needs and that a desktop may lack go beside it; those of the C library and of
graphics drivers never do.
"""
import argparse
import re
import subprocess
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "apps" / "blender" / "catena"
FOLDER = "catena/bin/linux-x64"
EVERYWHERE = re.compile(r"^(ld-linux.*|linux-vdso.*|lib(c|m|dl|rt|pthread|resolv|util)\.so.*)$")


def libraries(program):
    """Paths of the shared libraries that travel with it."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^\s*(\S+) => (\S+)", listed, re.MULTILINE)
    return [Path(path) for name, path in found if not EVERYWHERE.match(name) and Path(path).is_file()]


def add(archive, path, name, mode=0o644):
    entry = zipfile.ZipInfo(name, date_time=(2026, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, path.read_bytes())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=Path)
    parser.add_argument("zip", type=Path)
    parser.add_argument("--no-libraries", action="store_true")
    asked = parser.parse_args()
    with zipfile.ZipFile(asked.zip, "w") as archive:
        for path in sorted(SOURCE.rglob("*")):
            if path.is_file() and path.suffix in (".py", ".toml", ".json"):
                add(archive, path, "catena/" + path.relative_to(SOURCE).as_posix())
        add(archive, ROOT / "LICENSE", "catena/LICENSE")
        add(archive, asked.program, f"{FOLDER}/catena", 0o755)
        for path in [] if asked.no_libraries else libraries(asked.program):
            add(archive, path, f"{FOLDER}/lib/{path.name}")
    print(f"{asked.zip}: {asked.zip.stat().st_size / 1e6:.1f} MB")


main()
