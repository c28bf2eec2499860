"""./dev says what it can do, helps with slips, and names what is missing instead of building without it."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOBODY = 65534


def dev(*arguments, root=ROOT, cwd="/", **options):
    command = [str(root / "dev"), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False, **options)


class Dev(unittest.TestCase):
    def commands(self):
        return re.findall(r"^  (\w+) ", dev().stdout, re.MULTILINE)

    def test_alone_it_lists_its_commands_from_anywhere(self):
        self.assertLessEqual({"demo", "build", "check", "test", "bench", "fmt"}, set(self.commands()))
        self.assertEqual(dev().stdout, dev("--help").stdout)

    def test_every_command_has_help(self):
        for command in self.commands():
            with self.subTest(command):
                done = dev(command, "--help")
                self.assertEqual(done.returncode, 0)
                self.assertIn(f"usage: ./dev {command}", done.stdout)

    def test_a_mistyped_command_gets_a_proposal(self):
        for typed, meant in (("tset", "test"), ("biuld", "build"), ("benhc", "bench"), ("chek", "check")):
            with self.subTest(typed):
                done = dev(typed)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"did you mean '{meant}'?", done.stderr)

    def test_a_word_like_nothing_gets_no_proposal(self):
        done = dev("xyzzy")
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("did you mean", done.stderr)

    def test_an_unknown_option_is_refused(self):
        self.assertEqual(dev("build", "--bogus").returncode, 2)

    @unittest.skipUnless(shutil.which("dpkg-query"), "needs Debian's dpkg")
    def test_without_root_it_names_all_missing_packages_in_one_command_and_stops(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            root.chmod(0o755)
            shutil.copy(ROOT / "dev", root)
            (root / "tools").mkdir()
            packages = "[build]\nno-such-one why\ndpkg why\nno-such-two why\n"
            (root / "tools/packages.txt").write_text(packages, encoding="utf-8")
            as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
            done = dev("demo", root=root, stdin=subprocess.DEVNULL, **as_nobody)
            self.assertEqual(done.returncode, 1)
            commands = [line for line in done.stderr.splitlines() if "apt-get install" in line]
            self.assertEqual(len(commands), 1, done.stderr)
            self.assertTrue(commands[0].endswith(" no-such-one no-such-two"), commands[0])
            self.assertFalse((root / "build").exists())


if __name__ == "__main__":
    unittest.main()
