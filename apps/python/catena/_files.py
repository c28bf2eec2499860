"""Trouble with files as Python has it: OSError and its kinds."""
from __future__ import annotations

import os
from typing import Any

from . import _engine

_kinds: dict[type[OSError], type[Any]] = {}


def _kind_of(error: OSError) -> type[Any]:
    """A kind of OSError that is an InputError as well, which some have learned to expect."""
    kind = type(error)
    if kind not in _kinds:
        name = f"Input{kind.__name__}"
        said = {"__str__": lambda self: self.args[0], "__doc__": kind.__doc__, "__module__": "catena"}
        _kinds[kind] = type(name, (_engine.InputError, kind), said)
    return _kinds[kind]


def file_error(path: str, error: OSError, text: str | None = None) -> OSError:
    """`error` about a file, as an InputError too. text: what is wrong and what would be right, in one line."""
    said = text or f"{path}: cannot open: {error.strerror}"
    made = _kind_of(error)(said)
    made.errno, made.strerror, made.filename = error.errno, error.strerror, path
    made.mistakes = [(path, 0, 0, said)]
    found: OSError = made
    return found


def must_open(path: str | os.PathLike[str], text: str | None = None) -> str:
    """The path, where a file is there that can be read; otherwise an OSError."""
    named = os.fspath(path)
    try:
        with open(named, "rb"):
            return named
    except OSError as error:
        raise file_error(named, error, text) from None
