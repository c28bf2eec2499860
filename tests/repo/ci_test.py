"""What GitHub runs is what people type: every command of the CI file is one of ./dev, and a linter finds nothing in it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE, TOOLS = ROOT / ".github/workflows/ci.yml", ROOT / "build/tools/ci"


class Ci(unittest.TestCase):
    def test_it_calls_dev_alone(self):
        commands = re.findall(r"^ +- run: (.+)$", FILE.read_text(encoding="utf-8"), re.MULTILINE)
        known = re.findall(r"^  (\w+) ", subprocess.run([ROOT / "dev"], capture_output=True, text=True, check=True).stdout, re.MULTILINE)
        asked = [command.split()[1] for command in commands if command.startswith("./dev ")]
        self.assertLessEqual({"test", "release", "docs"}, set(asked))
        self.assertLessEqual(set(asked), set(known))
        for command in commands:
            self.assertTrue(command.startswith(("./dev ", "apt-get update && ")), command)

    @staticmethod
    def had(program, package):
        """Whether a tool of PyPI is here, or can be."""
        if not (TOOLS / "bin/python").exists():
            subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
        if not (TOOLS / "bin" / program).exists():
            subprocess.run([TOOLS / "bin/pip", "install", "-q", package], capture_output=True, text=True, check=False, timeout=300)
        return (TOOLS / "bin" / program).exists()

    def expect_nothing_said(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @staticmethod
    def linter():
        """actionlint: one that is installed, or built once by Go, of a version that Debian's Go can build. None without."""
        program = shutil.which("actionlint") or TOOLS / "bin/actionlint"
        if not Path(program).exists() and shutil.which("go"):
            settings = {**os.environ, "GOBIN": str(TOOLS / "bin"), "GOFLAGS": "", "GOPATH": str(TOOLS / "go")}
            subprocess.run(["go", "install", "-modcacherw", "github.com/rhysd/actionlint/cmd/actionlint@v1.6.27"], capture_output=True,
                           env=settings, check=False, timeout=500)
        return program if Path(program).exists() else None

    def test_a_linter_finds_nothing(self):
        linter = self.linter()
        if linter is None:
            self.skipTest("actionlint cannot be had here: neither it nor Go is installed, or no module can be fetched")
        self.expect_nothing_said(linter, "-no-color", FILE)
        with tempfile.TemporaryDirectory() as folder:  # and it does look
            wrong = Path(folder) / "wrong.yml"
            wrong.write_text(FILE.read_text(encoding="utf-8").replace("github.sha", "github.shaa", 1), encoding="utf-8")
            said = subprocess.run([linter, "-no-color", wrong], capture_output=True, text=True, check=False)
            self.assertIn('property "shaa" is not defined', said.stdout)

    def test_it_keeps_to_the_schema_of_such_files(self):
        if not self.had("check-jsonschema", "check-jsonschema==0.39.0"):
            self.skipTest("check-jsonschema cannot be had here")
        self.expect_nothing_said(TOOLS / "bin/check-jsonschema", "--builtin-schema", "vendor.github-workflows", FILE)

    def test_every_step_has_what_it_needs(self):
        """Of what actionlint looks for: jobs that run somewhere, steps that do one thing, actions with a version, outputs that are
        uploaded from where ./dev puts them."""
        text = FILE.read_text(encoding="utf-8")
        jobs = re.split(r"^  (?=\w+:$)", text[text.index("\njobs:\n") + 7:], flags=re.MULTILINE)[1:]
        self.assertGreaterEqual(len(jobs), 3)
        for job in jobs:
            self.assertIn("runs-on:", job)
            self.assertRegex(job, r"timeout-minutes: \d+")
        for used in re.findall(r"uses: (\S+)", text):
            self.assertRegex(used, r"^actions/(checkout|cache|upload-artifact)@v\d+$")
        for path in re.findall(r"^ +path: (build\S+)", text, re.MULTILINE):
            self.assertIn(path, ("build/logs", "build/packages", "build/site"))


if __name__ == "__main__":
    unittest.main()
