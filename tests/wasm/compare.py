"""Compares what smoke.cpp says natively and as WebAssembly.

usage: compare.py NATIVE_PROGRAM WASM_PROGRAM.js      exit status 1: they differ; 77: one is not there
"""
import shutil
import subprocess
import sys
from pathlib import Path

LARGEST_DIFFERENCE = 1e-9  # m, at the end of motions of about 1 m; roundoff leaves 1e-15


def said(*command):
    """{(scene, key): text} of lines `scene key text`."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    if done.returncode != 0:
        sys.exit(f"{command[-1]} failed ({done.returncode}):\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return {(scene, key): text for scene, key, text in (line.split(" ", 2) for line in done.stdout.splitlines())}


def difference(native, wasm):
    """Largest one of two rows of numbers."""
    native, wasm = ([float(number) for number in row.split()] for row in (native, wasm))
    if len(native) != len(wasm) or len(native) < 4:
        return float("inf")
    return max(abs(a - b) if a == a and b == b else float("inf") for a, b in zip(native, wasm))


def main():
    native_program, wasm_program = sys.argv[1:]
    node = shutil.which("node") or shutil.which("nodejs")
    if not node or not Path(wasm_program).is_file():
        print(f"nothing to compare: {'no Node here' if not node else wasm_program + ' is not built'}")
        return 77
    native, wasm = said(native_program), said(node, wasm_program)
    bad = native.keys() != wasm.keys() or not native
    largest, ratios = 0.0, []
    for (scene, key), a in native.items():
        b = wasm.get((scene, key), "")
        if key == "seconds":
            ratios.append(float(b) / float(a))
            print(f"{scene}: {float(a) * 1e3:.3f} ms native, {float(b) * 1e3:.3f} ms wasm")
        elif key == "row":
            largest = max(largest, difference(a, b))
            print(f"{scene}: differs by {difference(a, b):.1e}")
        elif a != b:
            bad = True
            print(f"{scene}: says natively {a}\nand as wasm {b}")
    print(f"wasm: positions differ from native by {largest:.0e} at most; "
          f"takes {min(ratios):.1f} to {max(ratios):.1f} times as long")
    return 1 if bad or largest > LARGEST_DIFFERENCE else 0


if __name__ == "__main__":
    sys.exit(main())
