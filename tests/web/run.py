"""Runs tests of the lab with Vitest.

usage: run.py PART CATENA_PROGRAM      PART: a file or folder of apps/web/tests, or npm: the package apps/npm; exit status 77: not built here
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "apps/web"


def missing(part):
    """What is not there, in words; None if all is."""
    if not shutil.which("node"):
        return "no Node here"
    if not (WEB / "node_modules/vitest").is_dir():
        return "npm's packages are not installed: ./dev web"
    if not (ROOT / "build/wasm/apps/web/engine/catena.wasm").is_file():
        return "the engine is not built: ./dev web"
    if part.startswith("browser") and not (ROOT / "build/web/lab.html").is_file():
        return "the page is not built: ./dev web"
    if part.startswith(("browser", "npm")) and not any(shutil.which(name) for name in ("chromium", "chromium-browser")):
        return "no Chromium here"
    return None


def main():
    part, catena = sys.argv[1:]
    if reason := missing(part):
        print(f"nothing to test: {reason}")
        return 77
    if part == "npm":  # tests that Node runs by itself
        return subprocess.run(["node", "--test", str(ROOT / "tests/web/npm.test.mjs")], cwd=ROOT, check=False).returncode
    command = ["node", str(WEB / "node_modules/vitest/vitest.mjs"), "run", "--config", "vitest.config.ts", f"tests/{part}"]
    environment = {**os.environ, "CATENA_BINARY": catena, "NO_COLOR": "1"}
    status = subprocess.run(command, cwd=WEB, env=environment, check=False).returncode
    if status == 0 or not part.startswith("browser"):
        return status
    # A browser on a busy machine now and then drops a frame or a gesture; what is broken fails twice.
    print(f"web: {part} failed; once more", flush=True)
    return subprocess.run(command, cwd=WEB, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
