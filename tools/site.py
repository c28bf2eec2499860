#!/usr/bin/env python3
"""Builds the site of the documentation from docs/ into build/site, which needs no server.

usage: site.py [--catena PROGRAM] [--out FOLDER]

Pages are those of docs/ with the README's neighbours; written here are the pages of commands (what the program says), of
the Python package (its docstrings) and the gallery (every shipped scene, live where build/web has the lab). MkDocs Material
comes from PyPI once, into build/tools. A link that leads nowhere ends it with status 1.
"""
import argparse
import ast
import html
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS, SOURCE, TOOLS = ROOT / "docs", ROOT / "build/site-source", ROOT / "build/tools/site"
NEEDS, SHIM = "mkdocs-material==9.8.1", "iframe-worker@1.0.4"
# Pages from elsewhere: where they stand in the site.
OTHERS = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md", "README.md": "index.md"}
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
TUTORIALS = ["first-chain", "mechanism", "forces", "chaos", "fitting", "cluster", "blender", "lesson"]
NAVIGATION = {
    "Start": ["index.md", "start.md"],
    "Tutorials": [f"tutorials/{name}.md" for name in TUTORIALS] + ["course/README.md", "course/README.ja.md"],
    "How to": ["guide.md", "lab.md", "python.md", "cpp.md", "blender.md", "fitting.md", "sweeps.md", "cluster.md", "exchange.md"],
    "Reference": ["keys.md", "commands.md", "python-reference.md", "files.md", "notation.md"],
    "Methods": ["methods/README.md", "methods/*"],
    "Theory": ["theory/chain.md", "theory/*"],
    "Gallery": ["gallery.md"],
    "Checks": ["benchmarks.md", "validation.md", "validation-fits.md", "audit.md"],
    "Inside": ["architecture.md", "contributing.md", "security.md", "changelog.md"],
    "Decisions": ["decisions/*"],
}
STYLE = """
.md-grid { max-width: 76rem; }
.md-typeset pre > code, .md-typeset code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
.catena-scene { aspect-ratio: 4 / 3; max-width: 48rem; border: 1px solid var(--md-default-fg-color--lightest); border-radius: 4px; }
"""
# Browsers have room for a few live pictures: those in sight are there, the others wait.
SCRIPT = """
const watch = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    target.replaceChildren();
    if (!isIntersecting) continue;
    const lab = document.createElement('catena-lab');
    lab.setAttribute('src', target.dataset.lab);
    lab.setAttribute('scene', target.dataset.scene);
    lab.setAttribute('panels', 'none');
    lab.setAttribute('theme', document.body.dataset.mdColorScheme === 'slate' ? 'dark' : 'light');
    target.append(lab);
  }
}, { rootMargin: '50px' });
for (const place of document.querySelectorAll('.catena-scene')) watch.observe(place);
"""


# ---- pages ------------------------------------------------------------------------------------------------


def place_of(path):
    """Where a file of the repository stands in the site; None if it does not."""
    try:
        inside = path.relative_to(ROOT).as_posix()
    except ValueError:
        return None
    if inside in OTHERS:
        return OTHERS[inside]
    return inside[len("docs/"):] if inside.startswith("docs/") and path.is_file() else None


def copy_page(path):
    """With links as the site has them; what is not in the site stays as a name."""
    target = SOURCE / place_of(path)

    def turned(match):
        picture, text, link = match.groups()
        if re.match(r"[a-z]+:|#", link):
            return match.group()
        name, _, anchor = link.partition("#")
        place = place_of((path.parent / name).resolve())
        if place is None:
            return f"`{text}`" if "`" not in text else text
        relative = os.path.relpath(SOURCE / place, target.parent)
        return f"{picture}[{text}]({relative}{'#' + anchor if anchor else ''})"

    parts = re.split(r"(^```.*?^```)", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    write(target, "".join(part if part.startswith("```") else LINK.sub(turned, part) for part in parts))


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def said(program, *words):
    return subprocess.run([str(program), *words], capture_output=True, text=True, check=True).stdout


def commands_page(program):
    """What the program says of each of its commands."""
    out = ["# Commands\n\nWhat `catena COMMAND --help` says.\n"]
    top = said(program, "--help")
    for name in re.findall(r"^  (\w+)  +\S", top[top.index("Commands:"):top.index("Options:")], re.MULTILINE):
        text = said(program, name, "--help")
        out.append(f"\n## {name}\n\n```text\n{text.strip()}\n```\n")
        kinds = re.search(r"^Kinds:\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
        for kind in re.findall(r"^  (\w+)  ", kinds.group(1), re.MULTILINE) if kinds else []:
            out.append(f"\n### {name} {kind}\n\n```text\n{said(program, name, kind, '--help').strip()}\n```\n")
    return "".join(out)


def documented(node):
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node)


def signature(node):
    return re.sub(r"\s+", " ", ast.unparse(node.args)) if isinstance(node, ast.FunctionDef) else ""


def python_page():
    """Every public name of the package with its docstring."""
    folder = ROOT / "apps/python/catena"
    public = ast.literal_eval(re.search(r"__all__ = (\[.*?\])", (folder / "__init__.py").read_text(encoding="utf-8"), re.DOTALL).group(1))
    found = {}
    for path in sorted(folder.glob("_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if documented(node) and node.name in public:
                found[node.name] = node
    out = ["# The Python package, name by name\n\n[The guide](python.md) tells how they are used. `Link`, `Body`, `Joint` and the other parts of\n"
           "scenes have the keys of [the tables](keys.md) as arguments.\n"]
    for name, node in sorted(found.items(), key=lambda item: item[0].lower()):
        out.append(f"\n## {name}\n\n```python\n{name}({signature(node)})\n```\n\n```text\n{ast.get_docstring(node)}\n```\n")
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                if documented(one) and not one.name.startswith("_"):
                    out.append(f"\n**{name}.{one.name}** `({signature(one)})`: {ast.get_docstring(one).split(chr(10) + chr(10))[0]}\n")
    return "".join(out)


def summary_of(scene):
    lines = []
    for line in scene.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(lines)


def gallery_page(has_lab):
    out = ["# Gallery\n\nEvery scene that is shipped, by its name: `catena run NAME`, `catena lab NAME`."]
    if has_lab:
        out.append(" Those in sight are live: drag, turn, zoom.\n\nAny page shows one in three lines:\n\n```html\n"
                   '<script src="lab/catena-lab.js"></script>\n<catena-lab scene="double-pendulum"></catena-lab>\n```\n')
    else:
        out.append(" They are live where the lab was built (`./dev web`) before the site.\n")
    for scene in sorted((ROOT / "scenes").glob("*.toml")):
        out.append(f"\n## {scene.stem}\n\n{html.escape(summary_of(scene), quote=False)}\n\n")
        if has_lab:
            out.append(f'<div class="catena-scene" data-scene="{scene.stem}" data-lab="lab/lab.html"></div>\n')
    return "".join(out)


# ---- the whole --------------------------------------------------------------------------------------------


def navigation():
    """Every page once; one that no row names is a mistake."""
    pages = {path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.md")}
    named = {page for rows in NAVIGATION.values() for page in rows}
    left, out = pages - named, []
    for title, rows in NAVIGATION.items():
        entries = []
        for row in rows:
            if row.endswith("/*"):
                entries += sorted(page for page in left if page.startswith(row[:-1]))
            elif row in pages:
                entries.append(row)
        left -= set(entries)
        out.append({title: entries})
    if left:
        sys.exit("no row of NAVIGATION in tools/site.py names these pages: " + ", ".join(sorted(left)))
    return out


def configuration(out, has_lab):
    lines = ["site_name: Catena", "site_description: Pendulum chains and mechanisms, simulated to the last digits",
             f"docs_dir: {json.dumps(str(SOURCE))}", f"site_dir: {json.dumps(str(out))}", "use_directory_urls: false", "strict: true",
             "nav: " + json.dumps(navigation()),
             "theme: " + json.dumps({"name": "material", "font": False, "language": "en", "features":
                                     ["navigation.tabs", "navigation.top", "navigation.indexes", "search.suggest", "content.code.copy"],
                                     "palette": [{"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "blue grey",
                                                  "toggle": {"icon": "material/weather-night", "name": "dark"}},
                                                 {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "blue grey",
                                                  "toggle": {"icon": "material/weather-sunny", "name": "light"}}]}),
             'plugins: ["search", "offline"]',
             "markdown_extensions: " + json.dumps(["tables", "attr_list", "admonition", {"toc": {"permalink": True}}, "pymdownx.highlight",
                                                   "pymdownx.superfences"]),
             'extra_css: ["site.css"]',
             "extra_javascript: " + json.dumps(["lab/catena-lab.js", "site.js"] if has_lab else [])]
    # Anchors are checked by tools/check_pages.py, in the form that both make.
    lines.append("validation: " + json.dumps({"links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}}))
    return "\n".join(lines) + "\n"


def mkdocs():
    program = TOOLS / "bin/mkdocs"
    if not program.exists():
        venv.create(TOOLS, with_pip=True)
        subprocess.run([TOOLS / "bin/pip", "install", "-q", NEEDS], check=True)
    return program


def bring_search_home(out):
    """Searching from a disk needs a script that the theme would load from elsewhere: it is put beside the pages."""
    shim, elsewhere = TOOLS / "node_modules/iframe-worker/shim/index.js", "https://unpkg.com/iframe-worker/shim"
    if not shim.exists():
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", TOOLS, SHIM], check=True)
    shutil.copyfile(shim, out / "assets/iframe-worker.js")
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if elsewhere in text:
            place = os.path.relpath(out / "assets/iframe-worker.js", page.parent)
            page.write_text(text.replace(elsewhere, place), encoding="utf-8")


def gather(program):
    """The site's sources; whether the lab is in it."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for path in sorted(DOCS.rglob("*")):
        if path.suffix == ".md":
            copy_page(path)
        elif path.is_file() and path.suffix in (".png", ".svg", ".webp", ".gif", ".py", ".ipynb"):
            target = SOURCE / path.relative_to(DOCS)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    for name in OTHERS:
        if (ROOT / name).exists():
            copy_page(ROOT / name)
    has_lab = (ROOT / "build/web/lab.html").exists()
    if has_lab:
        (SOURCE / "lab").mkdir()
        shutil.copyfile(ROOT / "build/web/lab.html", SOURCE / "lab/lab.html")
        shutil.copyfile(ROOT / "build/web/page/catena-lab.js", SOURCE / "lab/catena-lab.js")
        write(SOURCE / "site.js", SCRIPT)
    write(SOURCE / "site.css", STYLE)
    write(SOURCE / "gallery.md", gallery_page(has_lab))
    write(SOURCE / "python-reference.md", python_page())
    if program.exists():
        write(SOURCE / "commands.md", commands_page(program))
    else:
        print(f"the page of commands is left out: there is no {program}")
    return has_lab


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--catena", metavar="PROGRAM", type=Path, default=ROOT / "build/release/catena")
    parser.add_argument("--out", metavar="FOLDER", type=Path, default=ROOT / "build/site")
    asked = parser.parse_args()
    has_lab = gather(asked.catena)
    out = asked.out.resolve()
    write(ROOT / "build/mkdocs.yml", configuration(out, has_lab))
    done = subprocess.run([mkdocs(), "build", "-q", "-f", ROOT / "build/mkdocs.yml"], check=False,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    if done.returncode:
        sys.exit(done.returncode)
    bring_search_home(out)
    print(f"{len(list(out.rglob('*.html')))} pages: open {out}/index.html")


if __name__ == "__main__":
    main()
