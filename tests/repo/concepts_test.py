"""What a formulation of a chain lacks is named when it is compiled, and nothing is left out in silence."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A formulation that has everything, by borrowing it.
CHAIN = """
#include "catena/dynamics/chain/chain_concept.h"
#include "catena/dynamics/chain/rigid_chain.h"
namespace catena {
struct Own : RigidChain<2> {
  using RigidChain<2>::RigidChain;
  %s
};
static_assert(CheckedChain<Own>::kPassed);
}
"""


def messages(change):
    """What the compiler says of such a chain."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "own.cpp"
        source.write_text(CHAIN % change, encoding="utf-8")
        compiler = os.environ.get("CXX") or shutil.which("c++")
        result = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{ROOT / 'src'}", str(source)],
                                capture_output=True, text=True, check=False)
    return result.returncode, result.stderr


class ChainConcept(unittest.TestCase):
    def test_a_whole_one_passes(self):
        self.assertEqual(messages(""), (0, ""))

    def test_functions_that_are_not_there_are_named(self):
        names = ("settle", "energy", "smooth_until", "advance", "lane_names")
        status, said = messages("\n".join(f"void {name}() = delete;" for name in names))
        self.assertNotEqual(status, 0)
        for name in names:
            self.assertRegex(said, f"a chain needs [^\n]*{name}")

    def test_a_function_with_other_arguments_is_named(self):
        status, said = messages("void project(const double* hi, double* lo, double t);")
        self.assertNotEqual(status, 0)
        self.assertIn("a chain needs void project(const double* hi, double* lo)", said)


if __name__ == "__main__":
    unittest.main()
