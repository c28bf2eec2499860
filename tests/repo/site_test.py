"""The site is whole: every page is in it, nothing is loaded from elsewhere, every shipped scene is in the gallery.

usage: site_test.py CATENA      exit status 77: MkDocs Material cannot be had here
"""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATENA = Path(sys.argv.pop(1)).resolve()


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.site = Path(cls.place.name) / "site"
        done = subprocess.run([sys.executable, ROOT / "tools/site.py", "--catena", CATENA, "--out", cls.site], capture_output=True,
                              text=True, check=False, timeout=900)
        if "No matching distribution" in done.stderr or "ENOTFOUND" in done.stderr:
            print("site: left out, its tools cannot be had here")
            sys.exit(77)
        assert done.returncode == 0, done.stdout + done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_every_page_is_in_it(self):
        for page in (ROOT / "docs").rglob("*.md"):
            place = page.relative_to(ROOT / "docs").with_suffix(".html")
            place = place.with_name("index.html") if place.name == "README.html" else place
            self.assertTrue((self.site / place).exists(), place)

    def test_nothing_is_loaded_from_elsewhere(self):
        for page in self.site.rglob("*.html"):
            if page.name == "lab.html":
                continue
            text = page.read_text(encoding="utf-8")
            loaded = re.findall(r'<(?:script|link|img|iframe)[^>]+(?:src|href)="(https?://[^"]+)"', text)
            self.assertEqual(loaded, [], page)

    def test_the_gallery_has_every_scene_and_the_search_every_page(self):
        gallery = (self.site / "gallery.html").read_text(encoding="utf-8")
        for scene in (ROOT / "scenes").glob("*.toml"):
            self.assertIn(f'id="{scene.stem}"', gallery)
        index = (self.site / "search/search_index.js").read_text(encoding="utf-8")
        for page in ("keys.html", "commands.html", "python-reference.html", "tutorials/lesson.html"):
            self.assertIn(page, index)


if __name__ == "__main__":
    unittest.main()
