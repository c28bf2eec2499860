"""What the parts of scenes have in common, and values as JSON and TOML."""
from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, ClassVar

from ._pickled import Pickled
from ._trace import Formula, traced

if TYPE_CHECKING:
    from collections.abc import Mapping


def plain(value: Any) -> Any:
    """`value` in what JSON knows: arrays become lists, parts dictionaries, formulas and what functions write down texts."""
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, Formula):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        return plain(value.tolist()) if getattr(value, "ndim", 0) else value.tolist()
    if callable(value):
        return plain(traced(value))
    return value


def scene_text(table: dict[str, Any]) -> str:
    """The text of a scene: JSON, which knows neither nan nor infinities; with such numbers TOML, which has words for
    them, so that the engine names the field they stand in."""
    if _is_finite(table):
        return json.dumps(table, ensure_ascii=False)
    return "".join(f"{_key(key)} = {toml(value)}\n" for key, value in table.items() if value is not None)


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_finite(one) for one in value.values())
    if isinstance(value, list):
        return all(_is_finite(one) for one in value)
    return not isinstance(value, float) or math.isfinite(value)


def _key(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if bare else json.dumps(name)


def toml(value: Any) -> str:
    """`value` as TOML in one line; None means "as if it were not there"."""
    value = plain(value)
    if value is None:
        return "default"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return "[" + ", ".join(toml(one) for one in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(key)} = {toml(one)}" for key, one in value.items()) + " }"
    raise TypeError(f"{value!r} has no place in a scene: give numbers, texts, lists or dictionaries")


def written(value: Any) -> Any:
    """What parts keep: formulas and functions as the texts that scenes have, so that parts can be shown, compared, pickled."""
    if isinstance(value, Formula) or (callable(value) and not isinstance(value, (Part, type))):
        return plain(value)
    if isinstance(value, (list, tuple)):
        return [written(one) for one in value] if any(written(one) is not one for one in value) else value
    if isinstance(value, dict):
        return {key: written(one) for key, one in value.items()}
    return value


def not_none(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


class Part(Pickled):
    """A part of a scene: what was given of its fields, as attributes. What was not given has its default."""

    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.__dict__.update({name: written(value) for name, value in given.items()})

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.fields:
            raise AttributeError(f"{type(self).__name__} has no field '{name}'; it has {', '.join(self.fields)}")
        super().__setattr__(name, written(value))

    def to_dict(self) -> dict[str, Any]:
        """The fields that were given, as a scene's table has them."""
        return {name: plain(self.__dict__[name]) for name in self.fields if self.__dict__.get(name) is not None}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Part) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(json.dumps(self.to_dict(), sort_keys=True))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self.fields if name in self.__dict__)
        return f"{type(self).__name__}({given})"
