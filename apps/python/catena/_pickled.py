"""Pickles know the version that made them: a later one may mean what this one does not know, and is refused by name."""
from __future__ import annotations

from typing import Any

from . import _engine

_KEY = "_pickled_by"


class Pickled:
    """Base of what people keep in pickles. Version 0.1.0 wrote no version; what it wrote opens."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, _KEY: _engine.version}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(known(state))


def known(state: dict[str, Any]) -> dict[str, Any]:
    """The state in a pickle without its version; ValueError where that is later than this one."""
    version = state.get(_KEY)
    reason = _engine.too_late(version) if version is not None else ""
    if reason:
        raise ValueError(f"this pickle cannot be opened: {reason}")
    return {key: value for key, value in state.items() if key != _KEY}
