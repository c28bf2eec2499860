#!/usr/bin/env python3
"""Runs a file of tests inside Blender: without a window, or for window_test.py with one on a display of its own.

usage: run.py FILE CATENA [NAME...]      exit status 77 where Blender, or Xvfb for a window, is not installed

BLENDER in the environment names another Blender than the one in PATH. CATENA_BPY names Pythons, with colons between,
that have Blender as the module bpy; the tests without a window run in each of them as well.
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


def in_module(python, test, env, names):
    return subprocess.run([python, str(test), "--", *names], env=env).returncode


def main():
    name, catena, *names = sys.argv[1:]
    test = HERE / name
    env = dict(os.environ, CATENA_PROGRAM=os.path.abspath(catena), PYTHONDONTWRITEBYTECODE="1")
    blender = os.environ.get("BLENDER") or shutil.which("blender")
    if name == "window_test.py":
        return in_a_window(blender, test, env) if blender else 77
    runs = [lambda: in_background(blender, test, env, names)] if blender else []
    for python in filter(None, os.environ.get("CATENA_BPY", "").split(os.pathsep)):
        runs.append(lambda python=python: in_module(python, test, env, names))
    return max([run() for run in runs], key=abs, default=77)


sys.exit(main())
