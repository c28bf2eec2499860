"""What pages tell people to do works: scenes are saved, commands and Python are run, one page in one folder. Tutorials first, as they
stand; then every command on every other page.

usage: snippets_test.py CATENA [PYTHON_PACKAGE]
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "docs/start.md", *sorted((ROOT / "docs/tutorials").glob("*.md"))]
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
# Commands on the other pages: in blocks, and in lines that are indented.
COMMAND = re.compile(r"^(?: {4}|)((?:build/release/)?catena [a-z].*)$", re.MULTILINE)
# What pages speak of and do not make: a file, and the commands that make it.
MADE = {
    "cluster.md": [("plan.toml", ["sweep-plan"])],
    "exchange.md": [("four-bar.toml", ["convert", "four-bar.json", "four-bar.toml"]), ("run.h5", ["run", "pendulum", "-o", "run.h5"])],
    "custom.md": [("own.toml", ["block"])],
    "blender.md": [("scene.json", ["scene"])],
}
# Lines that need what a test has not, and why.
LEFT_OUT = {
    "catena fit SCENE DATA.csv": "stands for any",
    "--submit slurm": "needs Slurm: tests/cluster", "--status": "needs Slurm: tests/cluster", "map.*-of-64.h5": "needs Slurm: tests/cluster",
    "--method cvode": "needs SUNDIALS", "--method ida": "needs SUNDIALS",
    "catena merge part*.h5": "of its four shards two are written out",
    "catena lab": "serves until it is stopped: tests/cli", "on Debian": "a comment",
}
# Lines that take minutes are run for less.
SHORTER = {
    "catena sweep flip-map ": ["--set", "sweep.vary.1.count=16", "--set", "sweep.vary.2.count=16"],
    "catena sweep ftle": ["--set", "sweep.vary.1.count=4", "--set", "sweep.vary.2.count=4"],
    "catena sweep plan.toml": [],
    "catena analyze lyapunov lorenz --duration": ["--duration", "100"],
    "catena analyze lyapunov lorenz --error": ["--error", "0.1"],
    "catena analyze indicators henon": ["--duration", "300"],
    "catena analyze section henon": ["--duration", "100"],
    "catena analyze bifurcation": ["--count", "4", "--duration", "300"],
    "catena analyze orbit driven-pendulum": ["--to", "0.97"],
    "catena analyze orbit henon-heiles": ["--duration", "5"],
    "catena compare": ["--duration", "0.5"],
    "catena video": ["--size", "160x120", "--fps", "5"],
}
PLAN = """[sweep]
scene = "pendulum"

[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = 0.1
to = 1.0
count = 8

[[sweep.measures]]
name = "theta_1"
column = "theta_1"
"""

CATENA = Path(sys.argv.pop(1)).resolve()
PACKAGE = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir() else None


class Pages(unittest.TestCase):
    def perform(self, page, folder):
        """Returns how many commands were run."""
        count = 0
        for kind, title, body in BLOCK.findall(page.read_text(encoding="utf-8")):
            if title:
                (folder / title).write_text(body, encoding="utf-8")
            for line in body.splitlines() if kind == "sh" else []:
                words = shlex.split(line, comments=True)
                self.assertEqual(words[0], "catena", f"{page.name}: only commands of the program stand in blocks of sh: {line}")
                done = subprocess.run([str(CATENA), *words[1:]], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
                self.assertEqual(done.returncode, 0, f"{page.name}: {line}\n{done.stderr}")
                count += 1
        return count

    def test_do_what_they_say(self):
        run = 0
        for page in PAGES:
            with self.subTest(page.name), tempfile.TemporaryDirectory() as folder:
                run += self.perform(page, Path(folder))
        self.assertGreater(run, 25)

    def has_python(self):
        return PACKAGE is not None and (PACKAGE / "catena/_parts.py").exists()

    def test_python_does_what_it_says(self):
        if not self.has_python():
            self.skipTest("the Python module was not built")
        run = 0
        for page in [ROOT / "README.md", ROOT / "docs/python.md", *PAGES]:
            for kind, _, body in BLOCK.findall(page.read_text(encoding="utf-8")):
                if kind != "python":
                    continue
                with self.subTest(page.name), tempfile.TemporaryDirectory() as folder:
                    before = "import catena as ct\nimport numpy as np\n"
                    done = subprocess.run([sys.executable, "-c", before + body], cwd=folder, capture_output=True, text=True, timeout=300,
                                          check=False, env={**os.environ, "PYTHONPATH": str(PACKAGE), "MPLBACKEND": "Agg"})
                    self.assertEqual(done.returncode, 0, f"{page.name}:\n{body}\n{done.stderr}")
                    run += 1
        self.assertGreaterEqual(run, 3)

    def prepare(self, page, folder):
        """The files that a page begins with."""
        (folder / "scenes").symlink_to(ROOT / "scenes")
        (folder / "docs/pictures").mkdir(parents=True)
        (folder / "out").mkdir()
        text = page.read_text(encoding="utf-8")
        scene = json.dumps({"simulation": {"duration": 1}, "chain": {"links": [{"length": 1, "mass": 1, "theta": 1}]}})
        for name, made in MADE.get(page.name, []):
            if made == ["sweep-plan"]:
                (folder / name).write_text(PLAN, encoding="utf-8")
            elif made == ["block"]:
                (block,) = [body for kind, _, body in BLOCK.findall(text) if kind == "toml"]
                (folder / name).write_text(block + "[[chain.links]]\nlength = 1\nmass = 1\ntheta = 1\n", encoding="utf-8")
            elif made == ["scene"]:
                (folder / name).write_text(scene, encoding="utf-8")
            elif made[0] == "convert":
                (folder / "four-bar.json").write_text(scene, encoding="utf-8")
                self.run_line("catena " + " ".join(made), folder)
            else:
                self.run_line("catena " + " ".join(made), folder)
        for kind, title, body in BLOCK.findall(text):
            if title or (kind == "toml" and page.name == "README.md"):
                (folder / (title or "first.toml")).write_text(body, encoding="utf-8")

    def run_line(self, line, folder):
        extra = next((words for begin, words in SHORTER.items() if line.startswith(begin.rstrip())), [])
        if line.startswith("catena video") and re.search(r"--size|--at", line):
            extra = []
        if extra and "#" in line:
            line = line[:line.index("#")]
        done = subprocess.run(["bash", "-c", f"{line} {shlex.join(extra)}"], cwd=folder, capture_output=True, text=True, timeout=600, check=False,
                              env={**os.environ, "PATH": f"{CATENA.parent}:{os.environ['PATH']}"})
        self.assertEqual(done.returncode, 0, f"{line} {shlex.join(extra)}\n{done.stdout[-500:]}{done.stderr}")

    def test_every_command_on_every_page_runs(self):
        """One page at a time: CATENA_PAGE in the environment names one."""
        pages = [page for page in sorted((ROOT / "docs").rglob("*.md")) if page not in PAGES and page.parent.name not in ("decisions", "course")]
        only, run, left = os.environ.get("CATENA_PAGE"), 0, 0
        for page in [ROOT / "README.md", *pages]:
            if only and page.name != only:
                continue
            text = re.sub(r"\\\n +", " ", page.read_text(encoding="utf-8")).replace("build/release/catena", "catena")
            lines = [line for line in COMMAND.findall(text) if not re.search(r"[A-Z]{4,}(?!\w)", line.split("#")[0])]
            if not lines:
                continue
            with tempfile.TemporaryDirectory() as folder:
                self.prepare(page, Path(folder))
                for line in lines:
                    if any(word in line for word, why in LEFT_OUT.items() if why):
                        left += 1
                        continue
                    with self.subTest(page.name, line=line):
                        self.run_line(line, Path(folder))
                        run += 1
        print(f"pages: {run} commands were run, {left} need what a test has not")
        self.assertGreater(run, 0 if only else 90)


if __name__ == "__main__":
    unittest.main()
