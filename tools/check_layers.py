#!/usr/bin/env python3
"""Checks every #include against src/catena/layers.txt, directly and through any chain of headers; that only some rooms
see the libraries of file formats; and that the tests' folders are the rooms.

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

# Folders of tests that are about programs and the repository, not about a room of the library.
OTHER_TESTS = {"allocation", "blender", "cli", "compat", "fuzz", "library", "packages", "python", "references", "repo", "support", "wasm", "web"}


class Room:
    """A row of the table: the rooms it may include or reach through headers, itself among them."""

    def __init__(self, name, number, include):
        self.name, self.number, self.include = name, number, include


def read_table(path, complain):
    """{room: Room}; a row may name only rows above it, or a folder of such rows, so there are no cycles."""
    table = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, rest = line.partition(":")
        name = name.strip()
        if not colon:
            complain(path, number, "expected 'room: rooms it may include'")
            continue
        include = {name}
        for other in rest.split():
            meant = {room for room in table if room == other or room.startswith(other + "/")}
            if not meant:
                complain(path, number, f"'{name}' may include '{other}', which is no row above it")
            include |= meant
        table[name] = Room(name, number, include)
    return table


class Tree:
    """All sources, which room each belongs to, and what each includes."""

    def __init__(self, root, table):
        self.root, self.table = root, table
        self.source_root = root / "src" / "catena"
        self.files = {}
        for path in self._sources(self.source_root):
            self.files[path] = path.parent.relative_to(self.source_root).as_posix()
        for path in self._sources(root / "apps"):
            self.files[path] = path.parent.relative_to(root).as_posix()
        self.includes = {path: self._includes(path) for path in self.files}

    @staticmethod
    def _sources(folder):
        found = (path for path in folder.rglob("*") if path.suffix in SOURCES) if folder.is_dir() else ()
        return sorted(path for path in found if "node_modules" not in path.parts)

    def _includes(self, path):
        """[(line, text, quote, file or None)]"""
        found = []
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            if match:
                quote, target = match.groups()
                found.append((number, target, self._reached(path, quote, target)))
        return found

    def _reached(self, path, quote, target):
        """The file of the tree that an include means; a file that is not there counts by its folder."""
        if target.startswith("catena/"):
            public = self.root / "apps" / "library" / target
            return public if public in self.files else self.source_root.parent / target
        if quote == "<":
            return None
        beside = (path.parent / target).resolve()  # "../dynamics/chain.h" does not slip through
        above = [parent / target for parent in path.parents if parent.is_relative_to(self.root / "apps")]
        common = [self.root / "apps" / "common" / target]
        for candidate in [beside, *above, *common]:
            if candidate in self.files:
                return candidate
        return beside if beside.is_relative_to(self.source_root) else None

    def room_of(self, path):
        if path in self.files:
            return self.files[path]
        return path.parent.relative_to(self.source_root).as_posix()

    def chains(self, path):
        """{file reached: chain of files to it}, nearest first."""
        found, queue = {}, [(path, ())]
        while queue:
            at, way = queue.pop(0)
            for _, _, reached in self.includes.get(at, ()):
                if reached is not None and reached not in found and reached != path:
                    found[reached] = way + (reached,)
                    queue.append((reached, way + (reached,)))
        return found


def check_file(tree, path, complain):
    room = tree.table[tree.files[path]]
    for number, target, reached in tree.includes[path]:
        if reached is not None and tree.room_of(reached) not in room.include:
            may = " ".join(name for name in tree.table if name in room.include)
            complain(path, number, f"'{room.name}' may not include '{target}'; it may include: {may}")
        for library, pattern, folders in LIBRARIES:
            if pattern.match(target) and room.name.split("/")[0] not in folders:
                only = " ".join(sorted(folders))
                complain(path, number, f"'{room.name}' may not see {library} ('{target}'); only these may: {only}")
    told = set(room.include)  # one way to each room is enough
    for reached, way in tree.chains(path).items():
        if len(way) > 1 and tree.room_of(reached) not in told:
            told.add(tree.room_of(reached))
            names = " > ".join(step.name for step in way)
            complain(path, 1, f"'{room.name}' may not see '{tree.room_of(reached)}', but reaches it: {names}")


def check_tests(root, table, complain):
    """Every folder of tests is a room, or one of the few others."""
    tests = root / "tests"
    for path in sorted(tests.rglob("*_test.cpp")):
        folder = path.parent.relative_to(tests).as_posix()
        if folder not in table and folder.split("/")[0] not in OTHER_TESTS:
            complain(path, 1, f"'{folder}' is no room; tests stand in the folder of the room that they are about")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="of the repository")
    root = parser.parse_args().root.resolve()
    table_path = root / "src" / "catena" / "layers.txt"
    complaints = []

    def complain(path, number, message):
        complaints.append(f"{path.relative_to(root)}:{number}: {message}")

    if not table_path.is_file():
        print(f"{table_path}: not found", file=sys.stderr)
        return 1
    table = read_table(table_path, complain)
    tree = Tree(root, table)
    for path, room in tree.files.items():
        if room not in table:
            complain(path, 1, f"stands in '{room}', which has no row in {table_path.name}")
        else:
            check_file(tree, path, complain)
    for room in table.values():
        if room.name not in tree.files.values():
            complain(table_path, room.number, f"room '{room.name}' has no sources")
    check_tests(root, table, complain)

    for line in complaints:
        print(line, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
