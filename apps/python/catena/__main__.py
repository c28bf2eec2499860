"""The command `catena` of an installed package; `python -m catena` is the same."""
from __future__ import annotations

import os
import sys

from ._kernels import engine_file, find_compiler, program_folder, put_beside


def main() -> None:
    program = program_folder() / "bin" / "catena"
    if not program.exists():
        sys.exit("catena: this package was built without the program; packages have it, or `./dev build` builds it")
    find_compiler()
    engine = engine_file()
    if engine is not None:  # the program of a wheel finds its commands there
        os.environ["CATENA_ENGINE"] = str(engine)
        put_beside(program, engine)
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
