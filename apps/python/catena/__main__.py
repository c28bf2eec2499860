"""The command `catena` of an installed package; `python -m catena` is the same."""
from __future__ import annotations

import os
import sys
from pathlib import Path

from ._kernels import engine_file

PROGRAM = Path(__file__).parent / "_program" / "bin" / "catena"


def main() -> None:
    if not PROGRAM.exists():
        sys.exit("catena: this package was built without the program; packages have it, or `./dev build` builds it")
    engine = engine_file()
    if engine is not None:  # the program of a wheel finds its commands there
        os.environ["CATENA_ENGINE"] = str(engine)
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


if __name__ == "__main__":
    main()
