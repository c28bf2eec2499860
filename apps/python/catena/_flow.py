"""The motion as a function of its start and of numbers of its scene, with its exact derivatives."""
from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping

from . import _engine
from ._lab import _duration_of
from ._columns import Columns, Events
from ._scene import Scene, as_scene, prepared

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._method import Array
    from ._scene import SceneLike

# A start further than this from what the constraints allow, relative to its size, was hardly meant so.
_FAR = 1e-4


def _words(given: str | Iterable[str]) -> list[str]:
    words = given.split(",") if isinstance(given, str) else list(given)
    return [word.strip() for word in words if word.strip()]


class _Directions:
    """Derivatives along followed directions, the parameters and a basis of allowed changes, as those one asks for."""

    def __init__(self, parameters: int, basis: Array, allowed: Array, lanes: int) -> None:
        self._parameters = parameters
        self.basis = basis
        self._allowed = allowed
        self._lanes = lanes

    def by(self, word: str, rates: Array, of_state: bool = False) -> Array:
        """[.., directions] -> [.., parameters], [.., n] or [.., k]."""
        if word == "parameters":
            return rates[..., : self._parameters]
        along = rates[..., self._parameters :]
        if word == "basis":
            return along
        if word != "start":
            raise ValueError(f"derivatives are by 'parameters', 'start' or 'basis', got {word!r}")
        by_start: Array = along @ self._allowed
        if of_state:  # integrals along the motion stand behind it, and begin at what they are given
            for lane in range(self._lanes, by_start.shape[-1]):
                by_start[..., lane, lane] = 1.0
        return by_start


class FlowEvents(Events):
    """What happened of one event on the way: its rows, the states there, and the derivatives of both.

    y: the state at each, [events, n]. d(name, by) are derivatives at the event itself, whose time changes as well: of
    "time", of "y" or of a recorded column, [events, .., numbers].
    """

    def __init__(self, name: str, columns: list[str], rows: Array, y: Array, rates: Array | None, y_rates: Array | None,
                 directions: _Directions | None) -> None:
        super().__init__(name, columns, rows, None if rates is None or directions is None
                         else directions.by("parameters", rates))
        self.y = y
        self._all_rates = rates
        self._y_rates = y_rates
        self._directions = directions

    def d(self, name: str, by: str = "parameters") -> Array:
        """Derivatives of "time", "y" or a column, by "parameters", "start" or "basis": [events, (n,) numbers]."""
        if self._directions is None or self._all_rates is None or self._y_rates is None:
            raise ValueError("this motion was computed with derivatives=False")
        if name == "y" and "y" not in self:
            return self._directions.by(by, self._y_rates, of_state=True)
        return self._directions.by(by, self._all_rates[:, self._column(name)])


class Arrival:
    """Where a motion has come: what a `Flow` returns. For several times every array has them as its last axis.

    t: the times. y: the state there, [n]; y_dot: its rate dy/dt, which is its derivative with respect to t.
    d_start: derivatives of y with respect to the start, [n, n]. A start is brought to what the constraints allow, and these
        are derivatives through that: of a change that is not allowed, the allowed part counts.
    d_parameters: with respect to the parameters, [n, parameters].
    start: where it began. basis: orthonormal changes of it that the constraints allow, [n, k]; d_basis: derivatives along
        them, [n, k], which cost no more than they are.
    stopped: the time at which an event stopped the motion, or None; what lies behind it is NaN.
    """

    def __init__(self, found: Mapping[str, Any], times: Array, parameters: int, derivatives: bool) -> None:
        import numpy as np

        self._single = times.ndim == 0
        self.t: Array = times
        self.start: Array = found["start"]
        self.stopped: float | None = found["stopped"]
        self.steps: int = found["steps"]
        wanted, n = times.size, len(self.start)
        self._count = count = len(found["times"])
        rows = self._padded(found["rows"].reshape(count, -1) if count else np.empty((0, 0)), wanted)
        self.columns = Columns(found["stems"] if rows.shape[1] else [], rows)
        self.y: Array = self._shaped(self._padded(found["states"].reshape(count, n), wanted))
        self.y_dot: Array = self._shaped(self._padded(found["speeds"].reshape(count, n), wanted))
        self._directions: _Directions | None = None
        if derivatives:
            k = len(found["basis"]) // n
            self._directions = _Directions(parameters, found["basis"].reshape(k, n).T, found["allowed"].reshape(k, n),
                                           found["lanes"])
            rates = found["rates"].reshape(count, parameters + k, n).transpose(0, 2, 1)
            self._rates = self._padded(rates, wanted)
            width = rows.shape[1]
            row_rates = found["row_rates"].reshape(count, parameters + k, width) if width else np.empty((count, parameters + k, 0))
            self._row_rates = self._padded(row_rates.transpose(0, 2, 1), wanted)
        self._events = found["events"]

    def _padded(self, rows: Array, wanted: int) -> Array:
        """With NaN behind a stop."""
        import numpy as np

        if len(rows) == wanted:
            return rows
        padded: Array = np.full((wanted, *rows.shape[1:]), np.nan)
        padded[: len(rows)] = rows
        return padded

    def _shaped(self, rows: Array) -> Array:
        import numpy as np

        shaped: Array = rows[0] if self._single else np.moveaxis(rows, 0, -1)
        return shaped

    def _followed(self) -> _Directions:
        if self._directions is None:
            raise ValueError("this motion was computed with derivatives=False")
        return self._directions

    @property
    def basis(self) -> Array:
        return self._followed().basis

    @property
    def d_basis(self) -> Array:
        return self._shaped(self._followed().by("basis", self._rates))

    @property
    def d_start(self) -> Array:
        return self._shaped(self._followed().by("start", self._rates, of_state=True))

    @property
    def d_parameters(self) -> Array:
        return self._shaped(self._followed().by("parameters", self._rates))

    def __getitem__(self, name: str) -> Array:
        """A column or a stem of the quantities asked for: a number or [links]."""
        return self._shaped(self.columns[name])

    def d(self, name: str, by: str = "parameters") -> Array:
        """Derivatives of a column, [numbers], or of a stem, [links, numbers]; by "parameters", "start" or "basis"."""
        place = self.columns._place(name)
        rates = self._followed().by(by, self._row_rates[:, place])
        return self._shaped(rates)

    @property
    def events(self) -> dict[str, FlowEvents]:
        """What happened on the way, by the events' names."""
        import numpy as np

        out = {}
        n = len(self.start)
        for name, columns, rows, rates, states, by_state in self._events:
            count, wide = len(rows), self._directions is not None
            out[name] = FlowEvents(
                name, columns, np.array(rows, dtype=float).reshape(count, len(columns)), states.reshape(count, n),
                np.array(rates, dtype=float).reshape(count, len(columns), -1) if wide and count else None,
                by_state.reshape(count, -1, n).transpose(0, 2, 1) if wide and count else None, self._directions)
        return out

    def __repr__(self) -> str:
        when = f"t = {float(self.t)} s" if self._single else f"{self.t.size} times"
        return f"<Arrival at {when}, {len(self.start)} numbers in the state, {self.steps} steps>"


class Bend:
    """How derivatives of a motion change along a direction: what `Flow.hvp` returns. Times are the last axis, as of `Arrival`.

    t: the times. y: the state there, [n]. d_along: its derivative along the direction, [n].
    d: derivatives of y with respect to each parameter (or lane of the start), [n, numbers], and
    d2: how they change along the direction: second derivatives times it, [n, numbers].
    """

    def __init__(self, found: Mapping[str, Any], times: Array, n: int, numbers: int) -> None:
        import numpy as np

        self._single = times.ndim == 0
        self.t: Array = times
        count = times.size
        self.y: Array = self._shaped(found["states"].reshape(count, n))
        self.d_along: Array = self._shaped(found["along"].reshape(count, n))
        self.d: Array = self._shaped(found["first"].reshape(count, numbers, n).transpose(0, 2, 1))
        self.d2: Array = self._shaped(found["second"].reshape(count, numbers, n).transpose(0, 2, 1))
        rows = found["rows"].reshape(count, numbers, -1) if found["rows"].size else np.empty((count, numbers, 0))
        self._rows: Array = rows.transpose(0, 2, 1)
        self._columns = Columns(found["stems"] if rows.size else [], np.zeros((count, rows.shape[2])))

    def _shaped(self, rows: Array) -> Array:
        import numpy as np

        shaped: Array = rows[0] if self._single else np.moveaxis(rows, 0, -1)
        return shaped

    def __getitem__(self, name: str) -> Array:
        """Second derivatives times the direction, of a column, [numbers], or of a stem, [links, numbers]."""
        return self._shaped(self._rows[:, self._columns._place(name)])

    def __repr__(self) -> str:
        when = f"t = {float(self.t)} s" if self._single else f"{self.t.size} times"
        return f"<Bend at {when}, {self.d2.shape[1]} numbers>"


class Flow:
    """The motion of a scene as a function of its start and of numbers of the scene; `catena.flow` makes it.

    start: the scene's own start. parameters: the paths of the numbers. values: what they are in the scene.
    state_names: what the numbers of a state are.
    """

    def __init__(self, scene: SceneLike, parameters: Iterable[str], settings: Mapping[str, Any]) -> None:
        given = as_scene(scene)
        with_end: dict[str, Any] = {"duration": _duration_of(given), **settings}
        read = prepared(given, **with_end)
        self._engine = _engine.Flow(read, list(parameters))
        if self._engine.is_rewritten:
            warnings.warn("the states of a flow are those of unit vectors: `state_names` has what they are, and states of "
                          "runs in another `formulation` are others; motion, columns and events are the same",
                          RuntimeWarning, stacklevel=3)
        self.parameters: list[str] = self._engine.paths
        self.values: Array = self._engine.values
        self.start: Array = self._engine.start
        self.state_names: list[str] = self._engine.state_names()
        self._told = False  # what its first motion with derivatives warns of
        #: The scene as it was understood; a chain that a parameter leads out of its plane is computed in space, and one in
        #: another formulation (angles, chart, lie) in unit vectors.
        self.scene = Scene._of(self._engine.json, given.source, read.name, False)

    def __call__(self, t: npt.ArrayLike, start: npt.ArrayLike | None = None, parameters: npt.ArrayLike | None = None, *,
                 t_start: float = 0.0, derivatives: bool = True, quantities: str | Iterable[str] = ()) -> Arrival:
        """The motion at t (one time, or several that grow) from `start` at t_start.

        start: a state; None: the scene's own, which may depend on the parameters, and then so do the derivatives.
        parameters: their values; None: as in the scene. quantities: columns to have there, too.

        Angles that count turns, of links in a plane and of joints, begin within half a turn of those in the scene.
        """
        import numpy as np

        times = self._times(t)
        values = self.values if parameters is None else np.asarray(parameters, dtype=float)
        found = self._engine.move(times.ravel(), None if start is None else np.asarray(start, dtype=float), float(t_start),
                                  values, derivatives, _words(quantities))
        if derivatives and not self._told:
            self._told = True
            for said in found["warnings"]:
                warnings.warn(said, RuntimeWarning, stacklevel=2)
        if start is not None:
            self._tell_if_far(np.asarray(start, dtype=float), found["start"])
        return Arrival(found, times, len(self.parameters), derivatives)

    @staticmethod
    def _times(t: npt.ArrayLike) -> Array:
        import numpy as np

        times: Array = np.asarray(t, dtype=float)
        if times.ndim > 1:
            raise ValueError(f"times stand one behind the other: give one list of them, got the shape {times.shape}")
        back = np.flatnonzero(np.diff(times.ravel()) < 0)
        if back.size:
            raise ValueError(f"times must grow: t[{back[0] + 1}] = {times[back[0] + 1]} comes behind {times[back[0]]}")
        return times

    def hvp(self, t: npt.ArrayLike, along: npt.ArrayLike | Mapping[str, float] | None = None, start: npt.ArrayLike | None = None,
            parameters: npt.ArrayLike | None = None, *, along_start: npt.ArrayLike | None = None, by: str = "parameters",
            t_start: float = 0.0, quantities: str | Iterable[str] = ()) -> Bend:
        """Second derivatives of the motion at t times a direction, exact as the first ones: Hessian-vector products.

        along: the direction, one number for each parameter, or {path: number}; along_start: its part in the state, [n].
        by: "parameters" or "start": which derivatives are looked at along it. Other arguments: as of a call.
        Of chains, Lagrangians and equations, by the method `taylor`.

        >>> import catena as ct
        >>> flow = ct.flow("double-pendulum", "chain.links.*.theta")
        >>> flow.hvp(2.0, {"chain.links.2.theta": 1.0}).d2.shape
        (8, 2)
        """
        import numpy as np

        times = self._times(t)
        if by not in ("parameters", "start"):
            raise ValueError(f"second derivatives are by 'parameters' or 'start', got {by!r}")
        if isinstance(along, Mapping):
            unknown = [path for path in along if path not in self.parameters]
            if unknown:
                raise ValueError(f"{unknown[0]} is none of the flow's parameters: {', '.join(self.parameters) or 'there are none'}")
            weights = np.array([float(along.get(path, 0.0)) for path in self.parameters])
        else:
            weights = np.zeros(len(self.parameters)) if along is None else np.asarray(along, dtype=float)
        lanes = np.zeros(len(self.start)) if along_start is None else np.asarray(along_start, dtype=float)
        if not weights.any() and not lanes.any():
            raise ValueError("there is no direction: give `along`, a number for each parameter, or `along_start`")
        values = self.values if parameters is None else np.asarray(parameters, dtype=float)
        found = self._engine.bend(times.ravel(), None if start is None else np.asarray(start, dtype=float), float(t_start),
                                  values, weights, lanes, by == "start", _words(quantities))
        return Bend(found, times, len(self.start), len(self.start) if by == "start" else len(self.parameters))

    def _tell_if_far(self, given: Array, used: Array) -> None:
        import numpy as np

        off = np.abs(used - given)
        lane = int(np.argmax(off))
        if off[lane] > _FAR * (1.0 + float(np.abs(given).max())):
            warnings.warn(f"the start is not what the constraints allow: it was moved by up to {off[lane]:.2g}, in "
                          f"{self.state_names[lane]}; `start` of what is returned has where the motion began",
                          RuntimeWarning, stacklevel=3)

    def __reduce__(self) -> tuple[Any, ...]:
        return Flow, (self.scene, self.parameters, {})  # other processes make their own; settings are in the scene

    def __repr__(self) -> str:
        return f"<Flow of {self.scene.name}: {len(self.start)} numbers in the state, {len(self.parameters)} parameters>"


def flow(scene: SceneLike, parameters: str | Iterable[str] = (), **settings: Any) -> Flow:
    """The motion of a scene as a function of (start, parameters), with its exact derivatives with respect to both.

    parameters: numbers of the scene by their paths, as "chain.links.1.length" or "chain.links.*.theta".
    settings: as for `simulate`: method, tolerance, events, set and so on.

    >>> import catena as ct
    >>> flow = ct.flow("double-pendulum", "chain.links.*.length")
    >>> there = flow(2.0)
    >>> there.y.shape, there.d_start.shape, there.d_parameters.shape
    ((8,), (8, 8), (8, 2))
    >>> on = flow(5.0, there.y, t_start=2.0)
    >>> abs(on.y - flow(5.0).y).max() < 1e-12
    True
    """
    return Flow(scene, _words(parameters), settings)
