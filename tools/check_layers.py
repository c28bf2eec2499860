#!/usr/bin/env python3
"""Checks every #include against src/catena/layers.txt, and that only io and draw see file formats.

usage: check_layers.py [--root FOLDER]      exit status 1 if an include breaks a rule
"""
import argparse
import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
SOURCES = {".h", ".hpp", ".inl", ".c", ".cc", ".cpp"}

# Headers of libraries that only some folders may see.
LIBRARIES = [
    ("TOML", re.compile(r"toml\+\+/|toml(\+\+)?\.h"), {"io", "draw"}),
    ("JSON", re.compile(r"nlohmann/"), {"io", "draw", "apps"}),
    ("HDF5", re.compile(r"hdf5|H5|highfive/"), {"io", "draw"}),
    ("ZIP", re.compile(r"minizip/|zlib\.h|unzip\.h|zip\.h"), {"io", "draw"}),
    ("Cairo", re.compile(r"cairo"), {"io", "draw"}),
    ("CLI11", re.compile(r"CLI/"), {"apps"}),
]


def read_table(path, complain):
    """{folder: folders it may include besides itself}; a row may name only rows above it, so there are no cycles."""
    table = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, rest = line.partition(":")
        if not colon:
            complain(path, number, "expected 'folder: folders it may include'")
            continue
        for other in rest.split():
            if other not in table:
                complain(path, number, f"'{name}' may include '{other}', which is no row above it")
        table[name.strip()] = set(rest.split())
    return table


def included_folder(path, quote, target, source_root):
    """The folder of src/catena that an include reaches into, or None."""
    if target.startswith("catena/"):
        parts = target.split("/")
        return parts[1] if len(parts) > 2 else None
    if quote == "<":
        return None
    reached = (path.parent / target).resolve()  # "../dynamics/chain.h" does not slip through
    try:
        parts = reached.relative_to(source_root.resolve()).parts
    except ValueError:
        return None
    return parts[0] if len(parts) > 1 else None


def check_file(path, folder, table, source_root, complain):
    allowed = table[folder] | {folder}
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        reached = included_folder(path, quote, target, source_root)
        if reached is not None and reached not in allowed:
            may = " ".join(name for name in table if name in allowed)
            complain(path, number, f"'{folder}' may not include '{target}'; it may include: {may}")
        for library, pattern, folders in LIBRARIES:
            if pattern.match(target) and folder not in folders:
                only = " ".join(sorted(folders))
                complain(path, number, f"'{folder}' may not see {library} ('{target}'); only these may: {only}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="of the repository")
    root = parser.parse_args().root.resolve()
    source_root = root / "src" / "catena"
    table_path = source_root / "layers.txt"
    complaints = []

    def complain(path, number, message):
        complaints.append(f"{path.relative_to(root)}:{number}: {message}")

    if not table_path.is_file():
        print(f"{table_path}: not found", file=sys.stderr)
        return 1
    table = read_table(table_path, complain)

    def sources(folder):
        found = (path for path in folder.rglob("*") if path.suffix in SOURCES)
        return sorted(path for path in found if "node_modules" not in path.parts)

    for path in sources(source_root):
        folder = path.relative_to(source_root).parts[0]
        if path.parent == source_root:
            complain(path, 1, "stands in no folder of the table")
        elif folder in table and folder != "apps":
            check_file(path, folder, table, source_root, complain)
    for folder in sorted(path for path in source_root.iterdir() if path.is_dir()):
        if folder.name not in table or folder.name == "apps":
            complain(table_path, 1, f"folder '{folder.name}' has no row")
    if (root / "apps").is_dir():
        if "apps" not in table:
            complain(table_path, 1, "no row 'apps'")
        else:
            for path in sources(root / "apps"):
                check_file(path, "apps", table, source_root, complain)

    for line in complaints:
        print(line, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
