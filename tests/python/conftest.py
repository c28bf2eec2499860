"""What the tests share."""
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
SLOW_NOTEBOOKS = ("fastest-whip", "four-bar-for-a-curve", "shortest-swing-up")


@pytest.fixture(scope="session")
def program():
    """The command line: program("run", "demo") -> CompletedProcess."""
    binary = os.environ.get("CATENA_BINARY", ROOT / "build/release/catena")

    def run(*arguments, **options):
        command = [str(binary), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)

    return run


def from_pypi(folder, proof, *wanted):
    """A folder of build with packages from PyPI for this Python, kept there; None and why where they cannot be had.

    proof: a file of theirs that tells that they are there.
    """
    target = ROOT / "build" / folder
    if (target / proof).exists():
        return target, ""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    machine = sysconfig.get_platform().split("-")[-1]
    why = "no pip here"
    for python in filter(None, {sys.executable, shutil.which("python3")}):
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(target),
                   "--only-binary=:all:", "--implementation", "cp", "--abi", tag, "--abi", "abi3", "--abi", "none",
                   "--python-version", tag[2:], "--platform", f"manylinux_2_28_{machine}",
                   "--platform", f"manylinux_2_27_{machine}", "--platform", f"manylinux_2_17_{machine}",
                   "--platform", f"manylinux2014_{machine}", "--retries", "0", "--timeout", "10", *wanted]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
        if done.returncode == 0:
            return target, ""
        if "No module named pip" not in done.stderr:
            why = "PyPI cannot be reached: " + (done.stderr.strip().splitlines() or ["?"])[-1]
    return None, why


def run_notebook(path, folder):
    import nbclient
    import nbformat

    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(book, timeout=900, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    said = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in said)
    assert not any(output.output_type == "error" for output in said)
