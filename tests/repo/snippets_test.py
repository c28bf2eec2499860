"""What the first pages tell people to do works: scenes are saved, commands are run, one page in one folder.

usage: snippets_test.py CATENA
"""
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
CATENA = Path(sys.argv.pop(1)).resolve()


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


if __name__ == "__main__":
    unittest.main()
