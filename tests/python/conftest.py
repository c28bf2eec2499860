"""What the tests share."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def program():
    """The command line: program("run", "demo") -> CompletedProcess."""
    binary = os.environ.get("CATENA_BINARY", ROOT / "build/release/catena")

    def run(*arguments, **options):
        command = [str(binary), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, **options)

    return run
