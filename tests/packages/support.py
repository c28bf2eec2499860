"""What tests of packages share."""
import platform
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES, TOOLS = ROOT / "build/packages", ROOT / "build/tools"
LEVELS = ["x86-64-v3", "x86-64-v2"] if platform.machine() == "x86_64" else [platform.machine()]


def built(pattern, how):
    """The newest file of this name; without any, there is nothing to test."""
    found = sorted(PACKAGES.glob(pattern), key=lambda path: path.stat().st_mtime)
    if not found:
        print(f"nothing to test: {how} was not run here")
        sys.exit(77)
    return found[-1]
