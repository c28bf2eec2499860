"""Each checker accepts a good tree and refuses every bad one, at the right place."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"

DEV = '#!/bin/sh\nprintf "usage\\n\\n  build  x\\n  test   y\\n"\n'
CATENA = '#!/bin/sh\nprintf "Usage: catena\\n\\nSubcommands:\\n  run    x\\n  list   y\\n"\n'


def checked(checker, files):
    """Exit status and complaints of a checker on a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
        command = [sys.executable, str(TOOLS / checker), "--root", folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stderr


class Layers(unittest.TestCase):
    GOOD = {
        "src/catena/layers.txt": "# a comment\nbase:\ndynamics/chain: base\ndynamics/world: base dynamics\n"
                                 "integrate: base\nio: base\napps/cli: io\n",
        "src/catena/base/a.h": "#include <vector>\n",
        "src/catena/dynamics/chain/b.h": "",
        "src/catena/dynamics/chain/b.cpp": '#include "catena/base/a.h"\n#include "catena/dynamics/chain/b.h"\n',
        "src/catena/dynamics/world/w.h": '#include "catena/dynamics/chain/b.h"\n',
        "src/catena/integrate/c.h": '#include "local.h"\n',
        "src/catena/io/d.cpp": "#include <toml++/toml.h>\n#include <hdf5.h>\n",
        "apps/cli/main.cpp": '#include <CLI/CLI.hpp>\n#include <nlohmann/json.hpp>\n#include "catena/io/d.h"\n',
        "tests/dynamics/chain/b_test.cpp": "",
        "tests/cli/run_test.cpp": "",
    }

    def refuses(self, changes, *expected):
        status, complaints = checked("check_layers.py", {**self.GOOD, **changes})
        self.assertEqual(status, 1, complaints)
        for text in expected:
            self.assertIn(text, complaints)

    def test_a_good_tree_is_accepted(self):
        self.assertEqual(checked("check_layers.py", self.GOOD), (0, ""))

    def test_an_include_of_a_room_not_in_the_row_is_refused(self):
        self.refuses({"src/catena/integrate/c.h": '\n#include "catena/dynamics/chain/b.h"\n'},
                     "src/catena/integrate/c.h:2:", "it may include: base integrate")
        self.refuses({"src/catena/dynamics/chain/b.h": '#include "catena/dynamics/world/w.h"\n'}, "chain/b.h:1:")

    def test_angle_brackets_and_relative_paths_do_not_slip_through(self):
        self.refuses({"src/catena/integrate/c.h": "# include <catena/dynamics/chain/b.h>\n"}, "integrate/c.h:1:")
        self.refuses({"src/catena/integrate/c.h": '#include "../dynamics/chain/b.h"\n'}, "integrate/c.h:1:")

    def test_what_is_reached_through_other_headers_counts(self):
        through = {"src/catena/layers.txt": "base:\ndynamics/chain: base\ndynamics/world: base dynamics\n"
                                            "integrate: base\nio: base dynamics/world\napps/cli: io\n",
                   "src/catena/io/d.h": '#include "catena/dynamics/world/w.h"\n'}
        self.refuses(through, "io/d.h:1: 'io' may not see 'dynamics/chain', but reaches it: w.h > b.h",
                     "apps/cli/main.cpp:1: 'apps/cli' may not see 'dynamics/world', but reaches it: d.h > w.h")

    def test_apps_keep_to_their_row(self):
        self.refuses({"apps/cli/main.cpp": '#include "catena/dynamics/chain/b.h"\n'}, "apps/cli/main.cpp:1:")

    def test_a_folder_without_a_row_and_a_row_without_a_folder_are_refused(self):
        self.refuses({"src/catena/extra/e.h": "\n"}, "stands in 'extra', which has no row")
        self.refuses({"src/catena/dynamics/e.h": "\n"}, "stands in 'dynamics', which has no row")
        self.refuses({"src/catena/layers.txt": self.GOOD["src/catena/layers.txt"] + "draw: base\n"}, "no sources")

    def test_tests_stand_in_the_folder_of_a_room(self):
        self.refuses({"tests/multibody/a_test.cpp": ""}, "tests/multibody/a_test.cpp:1: 'multibody' is no room")

    def test_file_formats_stay_in_io_and_draw(self):
        for header in ("toml++/toml.h", "nlohmann/json.hpp", "hdf5.h", "minizip/zip.h", "cairo/cairo.h",
                       "CLI/CLI.hpp"):
            with self.subTest(header):
                self.refuses({"src/catena/base/a.h": f"#include <{header}>\n"}, "src/catena/base/a.h:1:")
        self.refuses({"apps/cli/main.cpp": "#include <hdf5.h>\n"}, "apps/cli/main.cpp:1:")

    def test_a_table_with_a_cycle_is_refused(self):
        cycle = "base: io\ndynamics/chain:\ndynamics/world:\nintegrate:\nio: base\napps/cli: io\n"
        self.refuses({"src/catena/layers.txt": cycle}, "layers.txt:1:")


class Pages(unittest.TestCase):
    GOOD = {
        "dev": DEV,
        "build/release/catena": CATENA,
        "src/catena/layers.txt": "",
        "docs/guide.md": "# The guide\n\n[up](../README.md#start-here), [here](#the-guide)\n",
        "README.md": "# Start here\n[guide](docs/guide.md) [web](https://example.org/x.md)\n"
                     "`src/catena/layers.txt` `src/*/layers.txt` `tests` `catena run X` `./dev test -k a`\n"
                     "The catena does not break.\n\n    ./dev build\n    build/release/catena list scenes\n\n"
                     "```python\nimport catena as c\n```\n```sh\n./dev test  # [not](a/link)\n```\n",
    }

    def refuses(self, page, *expected):
        status, complaints = checked("check_pages.py", {**self.GOOD, "docs/page.md": page})
        self.assertEqual(status, 1, complaints)
        for text in expected:
            self.assertIn(text, complaints)

    def test_a_good_tree_is_accepted(self):
        self.assertEqual(checked("check_pages.py", self.GOOD), (0, ""))

    def test_a_link_to_nothing_is_refused(self):
        self.refuses("ok\n\n[a](gone.md)\n", "docs/page.md:3: link to 'gone.md'")
        self.refuses("[a]: gone.md\n", "docs/page.md:1:")

    def test_an_anchor_without_a_heading_is_refused(self):
        self.refuses("[a](guide.md#no-such-part)\n", "docs/page.md:1:")

    def test_a_path_to_nothing_is_refused(self):
        self.refuses("see `src/catena/gone.h`\n", "docs/page.md:1: names 'src/catena/gone.h'")
        self.refuses("see `src/*/gone_*.h`\n", "docs/page.md:1:")

    def test_a_dev_command_that_does_not_exist_is_refused(self):
        self.refuses("run `./dev fly`\n", "docs/page.md:1: './dev fly'")
        self.refuses("```sh\n./dev fly\n```\n", "docs/page.md:2:")

    def test_a_catena_command_that_does_not_exist_is_refused(self):
        self.refuses("run `catena fly scene`\n", "docs/page.md:1: 'catena fly'")
        self.refuses("x\n\n    $ build/release/catena fly\n", "docs/page.md:3:")


if __name__ == "__main__":
    unittest.main()
