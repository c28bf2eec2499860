"""Where a scene can rest, how it swings about that, and motions that repeat."""
from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, overload

from . import _engine
from ._pickled import Pickled
from ._scene import prepared

if TYPE_CHECKING:
    from ._method import Array
    from ._scene import SceneLike


def _array(rows: list[Any], width: int | None = None) -> Array:
    import numpy

    found = numpy.asarray(rows, dtype=float)
    return found if width is None else found.reshape(len(rows), width)


class LinearModel(NamedTuple):
    """x' = a x + b u, y = c x + d u: x, u and y are differences from the equilibrium. The first four are what
    `scipy.signal.StateSpace` and `control.ss` take."""

    a: Array
    b: Array
    c: Array
    d: Array
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    equilibrium: dict[str, float]


class Modes(Pickled):
    """An equilibrium with the small motions about it."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        #: Everything, as `catena analyze modes --json` has it.
        self.found = dict(found)
        #: Columns at the equilibrium.
        self.equilibrium: dict[str, float] = found["equilibrium"]
        #: None where the linear equations do not decide.
        self.stable: bool | None = found["stable"]
        self.stability: str = found["stability"]
        #: rad/s, and as parts of critical damping.
        self.frequencies = _array(found["frequencies"])
        self.damping = _array(found["damping"])
        self.eigenvalues = _array(found["eigenvalues"], 2) @ [1, 1j]
        #: One dictionary of columns a mode; the largest is 1. Complex where parts move out of step.
        self.shapes: list[dict[str, Any]] = [_shape(mode) for mode in found["modes"]]
        self.model = LinearModel(
            _array(found["a"]),
            _array(found["b"], len(found["inputs"])),
            _array(found["c"]),
            _array(found["d"], len(found["inputs"])),
            found["states"],
            found["inputs"],
            found["outputs"],
            found["equilibrium"],
        )

    def __repr__(self) -> str:
        return f"<Modes {', '.join(f'{w:.4g}' for w in self.frequencies[:6])} rad/s: {self.stability}>"


def _shape(mode: Mapping[str, Any]) -> dict[str, Any]:
    if "shape_imaginary" not in mode:
        return dict(mode["shape"])
    return {name: complex(real, mode["shape_imaginary"][name]) for name, real in mode["shape"].items()}


class Orbit(Pickled):
    """A periodic orbit, and where it was followed along a number, its branches."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        #: Everything, as `catena analyze orbit --json` has it.
        self.found = dict(found)
        self.period: float = found["period"]
        #: Complex; those that are 1 for the flow and for what it keeps come last.
        self.multipliers = _array(found["multipliers"], 2) @ [1, 1j]
        self.stable: bool = found["stable"]
        #: A state on it.
        self.start = _array(found["start"])
        self.branches: list[dict[str, Any]] = found.get("branches", [])
        #: Folds, doublings and branch points, each with `kind`, `parameter`, `period`.
        self.special: list[dict[str, Any]] = found.get("special", [])
        #: Of doublings one behind the other: each distance over the next.
        self.ratios: list[float] = found.get("ratios", [])
        #: Of a search: the integral of p dq over the period, where momenta are known; motions that symmetries make of it.
        self.action: float | None = found.get("action")
        self.images: int = found.get("images", 1)

    def __repr__(self) -> str:
        return f"<Orbit of period {self.period:.6g} s, {'stable' if self.stable else 'unstable'}>"


class Orbits(list[Orbit]):
    """Periodic orbits that a search found, by period."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        super().__init__(Orbit(one) for one in found["orbits"])
        #: Everything, as `catena analyze orbit --search --json` has it.
        self.found = dict(found)


def modes(
    scene: SceneLike,
    *,
    outputs: Iterable[str] = (),
    inputs: Iterable[str] = (),
    at: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Modes:
    """The equilibrium nearest to the scene's start: its stability, frequencies, mode shapes and linear model.

    at: start values by their paths, from which it is looked for, as in {"chain.links.1.theta": 3.0}.
    outputs, inputs: of the linear model; columns, and paths of numbers that are inputs beside the motors.
    settings: as for `simulate`.

    >>> import catena as ct
    >>> found = ct.modes("double-pendulum")
    >>> [round(w, 6) for w in found.frequencies.tolist()]
    [2.397199, 5.787351]
    >>> ct.modes("pendulum", at={"chain.links.1.theta": 3.0}).stable
    False
    """
    changes = {**(settings.pop("set", None) or {}), **(at or {})}
    ready = prepared(scene, set=changes, **settings)
    found = Modes(json.loads(_engine.modes(ready, list(outputs), list(inputs))))
    for warning in found.found["warnings"]:
        warnings.warn(warning, RuntimeWarning, stacklevel=2)
    return found


def linearise(
    scene: SceneLike,
    *,
    at: Mapping[str, Any] | None = None,
    outputs: Iterable[str] = (),
    inputs: Iterable[str] = (),
    **settings: Any,
) -> LinearModel:
    """The linear model about the equilibrium nearest to the start, or to `at`: motors are its inputs, columns its outputs.

    >>> import catena as ct
    >>> model = ct.linearise("pendulum", outputs=["x_1"])
    >>> model.states
    ['theta_1', 'theta_dot_1']
    >>> model.a.round(12).tolist()
    [[0.0, 1.0], [-9.81, 0.0]]
    >>> model.c.round(12).tolist()
    [[1.0, 0.0]]
    """
    return modes(scene, at=at, outputs=outputs, inputs=inputs, **settings).model


@overload
def orbit(scene: SceneLike, *, search: None = None, **settings: Any) -> Orbit: ...
@overload
def orbit(scene: SceneLike, *, search: int, **settings: Any) -> Orbits: ...


def orbit(
    scene: SceneLike,
    *,
    period: float | None = None,
    multiple: int = 1,
    symmetric: bool = False,
    along: str | None = None,
    start: float | None = None,
    end: float | None = None,
    record: str = "",
    branches: int = 12,
    points: int = 400,
    search: int | None = None,
    returns: int = 3,
    when: str = "",
    direction: str = "rising",
    energy: float | None = None,
    seed: int = 1,
    **settings: Any,
) -> Orbit | Orbits:
    """The periodic orbit near the scene's start: period, Floquet multipliers, stability.

    period: of the drive, where it is not found; otherwise about how long the orbit takes.
    multiple: a driven motion that repeats after so many periods of the drive.
    along, start, end: a number of the scene by its path, along which the orbit is followed from `start` to `end`, with
    the branches that begin at doublings and branch points.
    record: the column that stands for the motion in `branches`.
    search: instead, so many starts on a section, each closed; a list of all orbits found. The section is
    where `when` vanishes, or a coordinate passes its mean; orbits close after `returns` returns at most, and have the
    `energy` that is given, or that of the scene.

    >>> import catena as ct
    >>> found = ct.orbit("pendulum", set={"chain.links.1.theta": 2.0})
    >>> found.stable, len(found.multipliers)
    (True, 2)
    """
    if (along is None) != (start is None) or (along is None) != (end is None):
        raise TypeError("to follow an orbit, along=, start= and end= are needed together")
    ready = prepared(scene, **settings)
    if search is not None:
        if along is not None or symmetric or multiple != 1:
            raise TypeError("along=, symmetric= and multiple= are for one orbit, and search= looks for many")
        many = Orbits(json.loads(_engine.orbits(ready, int(search), returns, when, direction, energy, period, seed)))
        for note in many.found["notes"]:
            warnings.warn(note, RuntimeWarning, stacklevel=2)
        if many.found["interrupted"]:
            warnings.warn("interrupted: some orbits are left out", RuntimeWarning, stacklevel=2)
        return many
    if when or energy is not None:
        raise TypeError("when= and energy= are for search=: give that, too")
    text = _engine.orbit(ready, period, multiple, symmetric, record, along or "", float(start or 0.0), float(end or 0.0),
                         branches, points)
    found = Orbit(json.loads(text))
    for warning in found.found["warnings"]:
        warnings.warn(warning, RuntimeWarning, stacklevel=2)
    if found.found.get("interrupted"):
        warnings.warn("interrupted: some branches are left out", RuntimeWarning, stacklevel=2)
    return found
