"""The command `catena` of an installed package; `python -m catena` is the same."""
from __future__ import annotations

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "_program" / "bin" / "catena"


def main() -> None:
    if not PROGRAM.exists():
        sys.exit("catena: this package was built without the program; packages have it, or `./dev build` builds it")
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


if __name__ == "__main__":
    main()
