#!/usr/bin/env python3
"""Checks that what Markdown pages name exists: links, anchors, paths, ./dev commands, catena commands.

usage: check_pages.py [--root FOLDER] [--catena PROGRAM]      exit status 1 if a page names what is not there
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

FOLDERS = ("src", "apps", "tests", "docs", "scenes", "bench", "tools", "cmake")
FENCE = re.compile(r"^\s*(```+|~~~+)\s*([\w+-]*)")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
LINK_DEFINITION = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
PATH = re.compile(r"(?:\./)?((?:%s)/[^\s`'\"()\[\],;|]*)" % "|".join(FOLDERS))
DEV_COMMAND = re.compile(r"(?:^|[\s(;&|])\./dev ([a-z][a-z0-9_-]*)")
CATENA_COMMAND = re.compile(r"(?:^|[$(;&|])\s*(?:\S*/)?catena ([a-z][a-z0-9_-]*)")
SHELL = {"", "sh", "bash", "shell", "console", "text"}  # kinds of code block in which commands stand
COMMAND_ROW = re.compile(r"^ {1,4}([a-z][a-z0-9_-]*)(?:,? |$)")


class Page:
    """A page, line by line: prose without its code spans, the spans, or a line of a code block."""

    def __init__(self, path):
        self.prose, self.spans, self.block_lines, self.headings = [], [], [], []
        fence = kind = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = FENCE.match(line)
            if fence is None and match:
                fence, kind = match.group(1), match.group(2).lower()
            elif fence is not None and match and match.group(1).startswith(fence) and not match.group(2):
                fence = None
            elif fence is not None:
                self.block_lines.append((number, line, kind))
            elif re.match(r"^(?: {4,}|\t)(?![-*+]|\d+\.)\S", line):
                self.block_lines.append((number, line, ""))
            else:
                if re.match(r"^#{1,6} ", line):
                    self.headings.append(line.lstrip("#").strip())
                self.spans += [(number, match.group(2).strip()) for match in CODE_SPAN.finditer(line)]
                self.prose.append((number, CODE_SPAN.sub("``", line)))

    def anchors(self):
        """As GitHub makes them: lower case, spaces to hyphens, other punctuation dropped, -1 on repetition."""
        found = set()
        for heading in self.headings:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            unique, count = slug, 0
            while unique in found:
                count += 1
                unique = f"{slug}-{count}"
            found.add(unique)
        return found


def commands_in_help(program, cwd):
    """Names in the list of commands that `program --help` prints, or None when it cannot be run."""
    try:
        command = [str(program), "--help"]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    lines = done.stdout.splitlines()
    heads = [i for i, line in enumerate(lines) if re.match(r"^(sub)?commands:?\s*$", line, re.IGNORECASE)]
    listed = lines[heads[0] + 1:] if heads else lines
    return {match.group(1) for match in map(COMMAND_ROW.match, listed) if match}


def exists(root, named):
    """Whether a path that a page names exists; <placeholder>, {a,b} and * stand for anything."""
    named = re.sub(r":\d+(:\d+)?$", "", named).rstrip(".:/")
    named = re.sub(r"<[^>]*>|\{[^}]*\}|\.\.\.", "*", named)
    if "*" in named:
        return any(True for _ in root.glob(named))
    return (root / named).exists()


def check_links(root, path, page, complain):
    for number, text in page.prose:
        for target in LINK.findall(text) + LINK_DEFINITION.findall(text):
            if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.IGNORECASE):
                continue
            file, _, anchor = target.partition("#")
            reached = path if not file else (root / file[1:] if file.startswith("/") else path.parent / unquote(file))
            if not reached.exists():
                complain(path, number, f"link to '{target}', which does not exist")
            elif anchor and reached.suffix == ".md" and anchor.lower() not in Page(reached).anchors():
                complain(path, number, f"link to '{target}', where no heading has that name")


def check_commands(path, page, known, pattern, called, complain):
    code = page.spans + [(number, line) for number, line, kind in page.block_lines if kind in SHELL]
    for number, text in code:
        for command in pattern.findall(text):
            if command not in known:
                complain(path, number, f"'{called} {command}' is no command; there are: {' '.join(sorted(known))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent, help="of the repository")
    parser.add_argument("--catena", type=Path, help="the program (default: build/release/catena)")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    program = (arguments.catena or root / "build" / "release" / "catena").resolve()
    complaints = []

    def complain(path, number, message):
        complaints.append((path.relative_to(root).as_posix(), number, message))

    dev_commands = commands_in_help(root / "dev", root)
    catena_commands = commands_in_help(program, root) if program.exists() else None
    if not dev_commands:
        print("note: no ./dev --help here, its commands are not checked")
    if not catena_commands:
        print("note: no program with commands here, catena commands are not checked")

    pages = [path for path in (root / "README.md", root / "CONTRIBUTING.md") if path.exists()]
    pages += sorted((root / "docs").rglob("*.md"))
    for path in pages:
        page = Page(path)
        check_links(root, path, page, complain)
        for number, span in page.spans:
            for word in span.split():
                match = PATH.match(word)
                if match and not exists(root, match.group(1)):
                    complain(path, number, f"names '{match.group(1)}', which does not exist")
        if dev_commands:
            check_commands(path, page, dev_commands, DEV_COMMAND, "./dev", complain)
        if catena_commands:
            check_commands(path, page, catena_commands, CATENA_COMMAND, "catena", complain)

    for name, number, message in sorted(complaints):
        print(f"{name}:{number}: {message}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
