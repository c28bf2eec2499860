"""Scenes: from files, from dictionaries, from objects."""
from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Union

from . import _engine
from ._files import must_open
from ._method import Step, Tableau, own_method
from ._part import Part, plain, scene_text, toml, written
from ._parts import Body, Chain, Equations, Event, Force, Joint, Lagrangian, Simulation
from ._pickled import Pickled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._method import Method
    from ._parts import Formulation, Precision, Vector
    from ._trace import Formula

    Parts = Sequence[Part | Mapping[str, Any]]
    EventLike = Union[str, Event, Formula, Callable[..., Any], Mapping[str, Any]]
    SceneLike = Union["Scene", Chain, Lagrangian, Equations, Mapping[str, Any], str, os.PathLike[str], Iterable[Part]]

_LISTS: dict[type, str] = {Body: "bodies", Joint: "joints", Force: "forces", Event: "events"}
_SINGLE: dict[type, str] = {Lagrangian: "lagrangian", Equations: "equations", Simulation: "simulation"}


class Scene(Pickled):
    """What is simulated: chains or bodies, a Lagrangian or equations, what acts on them, and settings.

    Made of parts; `Scene.read` reads a file or a shipped scene, `Scene.parse` text, `Scene.from_dict` a dictionary.
    Settings that are given here hold unless `simulate` is given others.

    >>> import catena as ct
    >>> arm = ct.Link(length=1, mass=1, theta="90 deg")
    >>> scene = ct.Scene(ct.Chain([arm, arm]), ct.Force("drag", density=1.2, coefficient=0.5, area=0.01), duration=5)
    >>> scene.check()["degrees_of_freedom"]
    2
    """

    def __init__(self, *parts: Part, name: str = "scene", **settings: Any) -> None:
        table: dict[str, Any] = {}
        chains = [part for part in parts if isinstance(part, Chain)]
        if len(chains) == 1:
            table["chain"] = chains[0].to_dict()
        elif chains:
            table["chains"] = [chain.to_dict() for chain in chains]
        for part in parts:
            if isinstance(part, Chain):
                continue
            if type(part) in _LISTS:
                table.setdefault(_LISTS[type(part)], []).append(part.to_dict())
            elif type(part) in _SINGLE:
                table[_SINGLE[type(part)]] = part.to_dict()
            else:
                raise TypeError(f"a scene is made of chains, bodies, joints, forces, events, a Lagrangian, equations; "
                                f"got {part!r}")
        if settings:
            table.setdefault("simulation", {}).update(plain(settings))
        self._set(scene_text(table), "<scene>", name, False)

    def _set(self, text: str, source: str, name: str, places: bool) -> None:
        self.text = text
        self.source = source
        self.name = name
        self._places = places

    @classmethod
    def _of(cls, text: str, source: str, name: str, places: bool) -> Scene:
        scene = cls.__new__(cls)
        scene._set(text, source, name, places)
        return scene

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Scene:
        """The scene in a file (TOML or JSON), or the shipped scene of that name. OSError where neither can be read."""
        named = os.fspath(path)
        try:
            text, source, name = _engine.find_scene(named)
        except _engine.InputError as error:
            must_open(named, str(error))
            raise
        return cls._of(text, source, name, True)

    @classmethod
    def parse(cls, text: str, *, source: str = "<text>", name: str = "scene") -> Scene:
        """The scene that TOML or JSON text describes."""
        return cls._of(text, source, name, True)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any], *, name: str = "scene") -> Scene:
        """The scene of a dictionary with the keys of scene files; parts may stand in it as objects."""
        return cls._of(scene_text(plain(dict(table))), "<scene>", name, False)

    def to_dict(self) -> dict[str, Any]:
        """The scene as a dictionary."""
        if self.text.lstrip().startswith("{"):
            return dict(json.loads(self.text))
        return dict(json.loads(self._read({}, [], []).json))

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def check(self, **settings: Any) -> dict[str, Any]:
        """Validates the scene, with settings as for `simulate`: what would run, and its degrees of freedom."""
        return _engine.Motion(prepared(self, **settings)).facts()

    def _read(self, given: dict[str, str], set_: list[str], events: list[str]) -> _engine.Scene:
        return _engine.read_scene(self.text, self.source, self.name, self._places, given, set_, events)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scene) and (self.text, self.name) == (other.text, other.name)

    def __hash__(self) -> int:
        return hash((self.text, self.name))

    def __repr__(self) -> str:
        return f"<Scene {self.name}>"


def as_scene(what: SceneLike) -> Scene:
    """A scene of anything that can be one."""
    if isinstance(what, Scene):
        return what
    if isinstance(what, (Chain, Lagrangian, Equations)):
        return Scene(what)
    if isinstance(what, Mapping):
        return Scene.from_dict(what)
    if isinstance(what, (str, os.PathLike)):
        return Scene.read(what)
    if isinstance(what, (list, tuple)):
        return Scene(*what)
    raise TypeError(f"a scene is a file, a shipped scene's name, a dictionary or parts, got {what!r}")


def _event_text(event: Any) -> str:
    event = written(event)
    return event if isinstance(event, str) else toml(event)


def _formulations_of(scene: SceneLike) -> list[str]:
    """Where the formulations of a scene's chains stand."""
    table = as_scene(scene).to_dict()
    if "chain" not in table and not table.get("chains"):
        raise ValueError("formulation is for scenes with chains, and this one has none")
    return [*(["chain.formulation"] if "chain" in table else []),
            *(f"chains.{k + 1}.formulation" for k in range(len(table.get("chains", []))))]


def prepared(
    scene: SceneLike,
    *,
    duration: float | None = None,
    sample: float | None = None,
    method: Method | None = None,
    tolerance: float | None = None,
    step: float | None = None,
    order: int | None = None,
    max_step: float | None = None,
    gravity: float | Vector | None = None,
    precision: Precision | None = None,
    formulation: Formulation | None = None,
    events: Iterable[EventLike] = (),
    set: Mapping[str, Any] | None = None,
) -> _engine.Scene:
    """The engine's scene with settings applied. All mistakes are reported at once."""
    own = None if method is None else own_method(method)
    numbers = {"duration": duration, "sample": sample, "tolerance": tolerance, "step": step, "order": order,
               "max_step": max_step}
    given = {key: str(plain(value)) for key, value in numbers.items() if value is not None}
    fields = {"simulation.gravity": gravity, "simulation.precision": precision}
    changes = [f"{path}={toml(value)}" for path, value in fields.items() if value is not None]
    if formulation is not None:
        changes += [f"{path}={toml(formulation)}" for path in _formulations_of(scene)]
    changes += [f"{path}={toml(value)}" for path, value in (set or {}).items()]
    if isinstance(own, str):
        given["method"] = own
    if isinstance(own, Tableau):
        changes.append(f"method={toml(own.to_dict())}")
        given["method"] = "custom"
    if isinstance(own, Step):
        changes.append("simulation.method=\"taylor\"")
        changes.append("simulation.order=default")
    read = as_scene(scene)._read(given, changes, [_event_text(event) for event in events])
    return read.with_function(own.name, own.order, own.function) if isinstance(own, Step) else read


def _listed(topic: str) -> list[dict[str, Any]]:
    return list(json.loads(_engine.list_json(topic)))


def methods() -> list[dict[str, Any]]:
    """The integrators, for `method=`.

    >>> import catena as ct
    >>> "taylor" in [method["name"] for method in ct.methods()]
    True
    """
    return _listed("methods")


def quantities() -> list[dict[str, Any]]:
    """What can be recorded, for `quantities=`."""
    return _listed("quantities")


def joints() -> list[dict[str, Any]]:
    """Kinds of joints."""
    return _listed("joints")


def shapes() -> list[dict[str, Any]]:
    """Shapes of bodies."""
    return _listed("shapes")


def forces() -> list[dict[str, Any]]:
    """Force laws, with their equations and fields."""
    return _listed("forces")


def functions() -> list[dict[str, Any]]:
    """Functions that formulas may call."""
    return _listed("functions")


def scenes() -> list[dict[str, Any]]:
    """The shipped scenes, to be used by name.

    >>> import catena as ct
    >>> "double-pendulum" in [scene["name"] for scene in ct.scenes()]
    True
    """
    return _listed("scenes")


def studies() -> list[dict[str, Any]]:
    """Shipped comparisons of methods."""
    return _listed("studies")


def sweeps() -> list[dict[str, Any]]:
    """Shipped plans of many cases, for `sweep`."""
    return _listed("sweeps")


def schema() -> dict[str, Any]:
    """JSON Schema of scenes."""
    return dict(json.loads(_engine.schema()))


def starter(name: str = "scene") -> str:
    """A commented scene to start from, as TOML."""
    return _engine.starter(name)
