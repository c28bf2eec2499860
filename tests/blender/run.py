#!/usr/bin/env python3
"""Runs a file of tests inside Blender: without a window, or for window_test.py with one on a display of its own.

usage: run.py FILE CATENA [NAME...]      exit status 77 where Blender, or Xvfb for a window, is not installed
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def in_background(blender, test, env, names):
    words = [blender, "-b", "--factory-startup", "--python-exit-code", "1", "--python", str(test), "--", *names]
    return subprocess.run(words, env=env).returncode


def in_a_window(blender, test, env):
    xvfb = shutil.which("Xvfb")
    if xvfb is None:
        print("no Xvfb here")
        return 77
    read, write = os.pipe()
    server = subprocess.Popen([xvfb, "-displayfd", str(write), "-screen", "0", "1200x800x24"], pass_fds=[write],
                              stderr=subprocess.DEVNULL)
    try:
        os.close(write)
        with os.fdopen(read) as display:
            env = dict(env, DISPLAY=":" + display.readline().strip(), LIBGL_ALWAYS_SOFTWARE="1")
        words = [blender, "--factory-startup", "--window-geometry", "0", "0", "1200", "800", "--python", str(test)]
        done = subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    finally:
        server.terminate()
        server.wait()
    print(done.stdout)
    # What fails while the panel or the overlay is drawn is printed, and nothing else comes of it.
    return 1 if "Traceback" in done.stdout or "OK" not in done.stdout else done.returncode


def main():
    name, catena = sys.argv[1:3]
    blender = os.environ.get("BLENDER") or shutil.which("blender")
    if blender is None:
        print("no blender here")
        return 77
    env = dict(os.environ, CATENA_PROGRAM=os.path.abspath(catena), PYTHONDONTWRITEBYTECODE="1")
    if name == "window_test.py":
        return in_a_window(blender, HERE / name, env)
    return in_background(blender, HERE / name, env, sys.argv[3:])


sys.exit(main())
