"""`./dev validate` with the default method alone: every reference problem is met, and the page says so."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATENA = sys.argv.pop()


class Validation(unittest.TestCase):
    def test_taylor_reaches_every_reference(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            command = [sys.executable, ROOT / "tools/validate.py", CATENA, page, "--methods", "taylor"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("taylor misses 0 of what was asked", done.stdout)
            text = page.read_text(encoding="utf-8")
        self.assertNotIn("not reached", text)
        for reference in (ROOT / "tests/references").glob("*.json"):
            self.assertIn(f"`tests/references/{reference.name}`", text)


if __name__ == "__main__":
    unittest.main()
