#!/usr/bin/env python3
"""Runs a file of tests inside Blender, without a window.

usage: run.py FILE CATENA      exit status 77 where no Blender is installed
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    name, catena = sys.argv[1:3]
    blender = os.environ.get("BLENDER") or shutil.which("blender")
    if blender is None:
        print("no blender here")
        return 77
    env = dict(os.environ, CATENA_PROGRAM=catena, PYTHONDONTWRITEBYTECODE="1")
    words = [blender, "-b", "--factory-startup", "--python-exit-code", "1", "--python", str(HERE / name), "--",
             *sys.argv[3:]]
    return subprocess.run(words, env=env).returncode


sys.exit(main())
