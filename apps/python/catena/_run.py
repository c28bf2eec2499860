"""Whole runs: rows as NumPy arrays, dense output, events, files."""
from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping

from . import _engine
from ._columns import Columns, Events
from ._files import must_open
from ._method import Step, own_method
from ._pickled import Pickled, known
from ._scene import Scene, as_scene, prepared

if TYPE_CHECKING:
    import matplotlib.axes
    import numpy as np
    import numpy.typing as npt

    from ._figures import Animation
    from ._method import Array, Method, StepFunction
    from ._parts import Event, Formulation, Precision, Vector
    from ._scene import EventLike, SceneLike
    from ._view import View

_STATUS = {"done": 0, "stopped-by-event": 1, "failed": -1, "interrupted": -2}


def given_state(y: npt.ArrayLike) -> tuple[Array, Array]:
    """A state [n], or pairs [2, n] of numbers and what they cannot hold."""
    import numpy as np

    values = np.asarray(y, dtype=float)
    if values.ndim == 2 and len(values) == 2:
        return np.ascontiguousarray(values[0]), np.ascontiguousarray(values[1])
    if values.ndim != 1:
        raise ValueError(f"a state is a list of numbers, or [2, n] of pairs, got the shape {values.shape}")
    return values, np.zeros_like(values)


class Solution(Pickled):
    """The motion between the rows: `sol(t)` is the state at any time of the run, as `solve_ivp` gives it.

    It goes on from checkpoints of the run, with the same bits; times in growing order cost least. Several threads may
    ask at once: one is answered after the other.
    """

    def __init__(self, scene: Scene, step: Step | None, checkpoints: list[tuple[float, bytes]], end: float,
                 refusal: str, derivatives: list[str] | None = None, start: tuple[Array, Array] | None = None) -> None:
        # What the motion is computed from, and not the run itself: a run that nobody needs goes at once, with its rows.
        self._scene = scene
        self._step = step
        self._checkpoints = checkpoints
        self._refusal = refusal
        self._derivatives = derivatives or []
        self._start = start
        self._track: _engine.Track | None = None
        self.t_min = 0.0
        self.t_max = end

    def _engine_scene(self) -> _engine.Scene:
        """The scene with the run's own method; ValueError where that cannot be had."""
        if self._refusal:
            raise ValueError(self._refusal)
        return prepared(self._scene, method=self._step)

    def _tracked(self) -> _engine.Track:
        if self._track is None:
            self._track = _engine.Track(self._engine_scene(), self._checkpoints, self.t_max,
                                        self.__dict__.get("_derivatives", []), self.__dict__.get("_start"))
        return self._track

    def __call__(self, t: npt.ArrayLike, derivatives: bool = False) -> Any:
        """The state at t: [n] for one time, [n, times] for several, whatever their order; [n, ..] for times in a grid.

        derivatives: the pair of that and of its derivatives, as `jacobian` has them.
        """
        states = self._shaped(t, self._tracked().states)
        return (states, self.jacobian(t)) if derivatives else states

    def pair(self, t: npt.ArrayLike) -> Array:
        """The state at t as pairs, [2, n, ..]: its doubles, and what these cannot hold of 32 digits."""
        import numpy as np

        tracked = self._tracked()
        flat = self._shaped(t, lambda times: tracked.states(times, True))
        pair: Array = np.stack([flat[: tracked.dimension], flat[tracked.dimension :]])
        return pair

    def jacobian(self, t: npt.ArrayLike) -> Array:
        """Derivatives of the state at t with respect to the numbers of a run with derivatives=..: [n, numbers] for one
        time, [n, numbers, times] for several."""
        import numpy as np

        count = len(self.__dict__.get("_derivatives", []))
        if count == 0:
            raise ValueError("this run follows no derivatives: name numbers of the scene, simulate(.., derivatives=[..])")
        flat = self._shaped(t, self._tracked().rates)
        shaped: Array = np.moveaxis(flat.reshape(count, -1, *flat.shape[1:]), 0, 1)
        return shaped

    def _shaped(self, t: npt.ArrayLike, ask: Callable[[Array], Array]) -> Array:
        """[numbers, ..] at all times, which are asked for in growing order."""
        import numpy as np

        times = np.asarray(t, dtype=float)
        order = np.argsort(times, axis=None, kind="stable")
        found = ask(times.ravel()[order])
        out = np.empty_like(found)
        out[order] = found
        shaped: Array = out.T.reshape(found.shape[1], *times.shape)
        return shaped

    def rows(self, t: npt.ArrayLike, quantities: Iterable[str] = ()) -> Columns:
        """Columns at any times of the run, one row for each, in the order given."""
        import numpy as np

        times = np.atleast_1d(np.asarray(t, dtype=float))
        if times.ndim > 1:
            raise ValueError(f"rows stand one behind the other: give one list of times, got the shape {times.shape}")
        order = np.argsort(times, kind="stable")
        stems, rows = self._tracked().rows(times[order], list(quantities))
        out = np.empty_like(rows)
        out[order] = rows
        return Columns(stems, out)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_track": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = known(state)
        run = state.get("_run")  # in pickles of version 0.1.0, beside nothing else of use
        self.__dict__.update(state if run is None else vars(run.__dict__.get("sol", self)))


class Run(Columns):
    """A run: its rows as arrays by name, and the fields that `scipy.integrate.solve_ivp` returns.

    t, y, sol, t_events, y_events, nfev, status, message and success are as there; y is the engine's state,
    [n, rows], whose numbers `state_names` names. status: 0 done, 1 an event stopped it, -1 it failed, -2 interrupted.
    Any other column or stem is an attribute, too: `theta`, `theta_1`, `energy_error`; the column y is `run["y"]`. Arrays
    are views of one block.

    >>> import catena as ct
    >>> run = ct.simulate("double-pendulum", duration=2, sample=0.5)
    >>> run.t
    array([0. , 0.5, 1. , 1.5, 2. ])
    >>> run.theta.shape, run.positions.shape
    ((5, 2), (5, 2, 3))
    >>> abs(run.energy_error).max() < 1e-13
    True
    """

    def __init__(self, scene: Scene, step: Step | None, quantities: list[str], times: Array | None,
                 result: Mapping[str, Any], refusal: str = "", start: tuple[Array, Array] | None = None) -> None:
        #: The numbers of the scene that derivatives are with respect to, by their paths.
        self.derivatives: list[str] = list(result.get("derivatives", []))
        #: Rows with all derivatives behind their columns.
        self._whole: Array = result["rows"]
        width = sum(max(1, len(labels)) for _, labels in result["stems"])
        super().__init__(result["stems"], self._whole[:, :width] if self.derivatives else self._whole)
        #: The scene as it was understood, with all settings.
        self.scene = scene
        #: The summary of the run, as `catena run --json` gives it.
        self.summary: dict[str, Any] = json.loads(result["summary"])
        self.summary.pop("events", None)
        if step is not None:
            self.summary["own_method"] = True
        if start is not None:  # the scene does not say it
            self.summary["own_start"] = [numbers.tolist() for numbers in start]
        self._step = step
        self._quantities = quantities
        self._times = times
        self._states: Array | None = result["states"]
        self._checkpoints: list[tuple[float, bytes]] = result["checkpoints"]
        self._end: float = result["end"]
        self._events = [(name, columns, rows) for name, columns, rows, *_ in result["events"]]
        self._event_rates = {name: rates[0] for name, _, _, *rates in result["events"] if rates and self.derivatives}
        #: Dense output: the state at any time of the run.
        self.sol = self._solution(refusal)

    def _solution(self, refusal: str) -> Solution:
        own = self.summary.get("own_start")
        start = None if own is None else given_state(own)
        return Solution(self.scene, self._step, self._checkpoints, float(self.summary["simulated_seconds"]), refusal,
                        self.__dict__.get("derivatives", []), start)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("derivatives", [])  # version 0.1.0 had none
        self.__dict__.setdefault("_whole", self._rows)
        if "_scene" not in vars(self.sol):  # version 0.1.0 kept the run in it
            self.sol = self._solution("")

    def d(self, name: str) -> Array:
        """Derivatives of a column, [rows, numbers], or of a stem, [rows, links, numbers]; `derivatives` names the numbers.

        >>> import catena as ct
        >>> run = ct.simulate("pendulum", duration=1, sample=0.5, derivatives=["chain.links.1.length"])
        >>> run.d("theta_1").shape, run.d("x").shape
        ((3, 1), (3, 1, 1))
        """
        if not self.derivatives:
            raise ValueError("this run follows no derivatives: name numbers of the scene, simulate(.., derivatives=[..])")
        place = self._place(name)
        width = self._rows.shape[1]
        rates = self._whole[:, width:].reshape(len(self._whole), width - 1, len(self.derivatives))
        if isinstance(place, int):
            return rates[:, place - 1] if place > 0 else rates[:, 0] * 0
        return rates[:, place.start - 1 : place.stop - 1]

    def jacobian(self, t: npt.ArrayLike) -> Array:
        """Derivatives of the state at any time of the run, [n, numbers]; see Solution.jacobian."""
        return self.sol.jacobian(t)

    @property
    def y(self) -> Array:
        """The engine's state at each row, [n, rows]."""
        if self._states is None:
            self._states = self.sol(self.t).T
        return self._states.T

    @property
    def state_names(self) -> list[str]:
        """Names of the numbers in y."""
        return _engine.Motion(prepared(self.scene)).state_names()

    @property
    def events(self) -> dict[str, Events]:
        """What happened, by the events' names."""
        import numpy as np

        count = len(self.derivatives)
        rates = self.__dict__.get("_event_rates", {})  # version 0.1.0 had none
        return {name: Events(name, columns, np.array(rows, dtype=float).reshape(len(rows), len(columns)),
                             np.array(rates[name], dtype=float).reshape(len(rows), len(columns), count)
                             if name in rates else None)
                for name, columns, rows in self._events}

    @property
    def t_events(self) -> list[Array]:
        """Times of each event, in the order of the scene's events."""
        return [table.t for table in self.events.values()]

    @property
    def y_events(self) -> list[Array]:
        """States at each event, [events, n]."""
        return [self.sol(times).T for times in self.t_events]

    @property
    def nfev(self) -> int:
        """How many times the right-hand side was evaluated; a Taylor series counts once."""
        return int(self.summary["evaluations"])

    @property
    def status(self) -> int:
        """0: reached its end. 1: an event stopped it. -1: it failed. -2: interrupted."""
        return _STATUS[self.summary["outcome"]]

    @property
    def success(self) -> bool:
        return self.status >= 0

    @property
    def message(self) -> str:
        """What happened, in words."""
        outcome, reached = self.summary["outcome"], self.summary["simulated_seconds"]
        if outcome == "failed":
            return str(self.summary.get("message", "failed"))
        if outcome == "interrupted":
            return f"interrupted at t = {reached} of {self._end} s; resume() goes on"
        stopped = "an event stopped the run" if outcome == "stopped-by-event" else "done"
        return f"{stopped} at t = {reached} s"

    def resume(self, duration: float | None = None, *, on_interrupt: str = "return",
               progress: Callable[[float, float], None] | None = None) -> Run:
        """The run gone on, after an interrupt or to a longer `duration`: the same bits as a run in one piece."""
        if self._times is not None and duration is not None:
            raise ValueError("this run records the times it was given: give those and more to simulate instead")
        before = (self._whole, self.y.T, self._checkpoints[-1][1])
        scene = prepared(self.scene, method=self._step, duration=duration)
        result = _engine.simulate(scene, self._times, self._quantities, before, progress, self.derivatives)
        result["checkpoints"] = self._checkpoints[:-1] + result["checkpoints"]
        own = self.summary.get("own_start")
        again = Run(Scene._of(scene.json, self.scene.source, scene.name, False), self._step, self._quantities,
                    self._times, result, start=None if own is None else given_state(own))
        return _unless_interrupted(again, on_interrupt)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes .h5, .csv, .json or .npz, the same files as `catena run` writes."""
        summary = {**self.summary}
        if self._events:
            summary["events"] = {name: {"count": len(rows), "columns": columns, "rows": rows, **self._event_words(name)}
                                 for name, columns, rows in self._events}
        checkpoint = self._checkpoints[-1][1] if self._checkpoints else b""
        scene = self.scene.text if self.scene.text.lstrip().startswith("{") else json.dumps(self.scene.to_dict())
        _engine.save(os.fspath(path), scene, self._stems, self._whole, json.dumps(summary), checkpoint, self.derivatives)

    def _event_words(self, name: str) -> dict[str, Any]:
        """d_time and d_<column> of an event, as summaries have them: what is no number is null."""
        import numpy as np

        table = self.events[name]
        if table._rates is None:
            return {}
        plain = table._rates.astype(object)
        plain[~np.isfinite(table._rates)] = None
        return {"d_time" if column == "t" else "d_" + column: plain[:, at].tolist()
                for at, column in enumerate(table.columns)}

    def plot(self, *names: str, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Columns or stems over time, by matplotlib: `run.plot("theta")`."""
        from ._figures import plot_run

        return plot_run(self, names or ("theta",), ax)

    def animate(self, *, fps: float = 25, speed: float = 1, trail: float = 1) -> Animation:
        """The motion as a matplotlib animation. Notebooks show it inline as `view` does: a few hundred kB, with nothing from
        elsewhere; `.save("motion.mp4")` makes a film of it, where ffmpeg is.

        speed: seconds of motion per second shown; trail: seconds that the last end's trail lasts.
        """
        from ._figures import animate_run

        return animate_run(self, fps=fps, speed=speed, trail=trail)

    def view(self, *, fps: float = 30, speed: float = 1, trail: float = 1, size: tuple[int, int] = (480, 480)) -> View:
        """The motion as a picture in a notebook, that is turned by dragging; `.save("motion.html")` writes it. Without
        matplotlib."""
        from ._view import View

        return View(self, fps=fps, speed=speed, trail=trail, size=size)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        summary = self.summary
        error = summary["energy_error_relative"]  # systems of equations have none
        held = "" if error is None else f", energy held to {error:.1e}"
        return (f"<Run of {self.scene.name}: {len(self)} rows to t = {summary['simulated_seconds']} s, "
                f"{summary['method']}, {summary['steps']} steps{held}; {summary['outcome']}>")


def _unless_interrupted(run: Run, on_interrupt: str) -> Run:
    if run.summary["outcome"] != "interrupted":
        return run
    if on_interrupt == "raise":
        stopped = KeyboardInterrupt(run.message)
        stopped.run = run  # type: ignore[attr-defined]
        raise stopped
    warnings.warn(run.message, RuntimeWarning, stacklevel=3)
    return run


def simulate(
    scene: SceneLike,
    *,
    duration: float | None = None,
    sample: float | None = None,
    times: npt.ArrayLike | None = None,
    method: Method | None = None,
    tolerance: float | None = None,
    step: float | None = None,
    order: int | None = None,
    max_step: float | None = None,
    gravity: float | Vector | None = None,
    precision: Precision | None = None,
    formulation: Formulation | None = None,
    y0: npt.ArrayLike | None = None,
    quantities: str | Iterable[str] = (),
    events: Iterable[EventLike] = (),
    set: Mapping[str, Any] | None = None,
    derivatives: str | Iterable[str] = (),
    progress: Callable[[float, float], None] | None = None,
    on_interrupt: str = "return",
) -> Run:
    """Simulates a scene and returns the run.

    scene: a file, the name of a shipped scene, a dictionary, a Scene, a Chain, a Lagrangian, Equations or a list
        of parts.
    duration, sample, method, tolerance, step, order, max_step, gravity, precision: as in
    scenes; what is given here holds. formulation: of all chains.
    y0: the state at t = 0 in place of the scene's own start, as `run.y[:, 0]` or `System.start` have it, for every kind of
        scene; [2, n] are pairs of numbers and what they cannot hold. It is brought to what the constraints allow.
    method: a name, a Tableau, or a function (f, t, y, h) that takes one step.
    times: record exactly these times and no others; the last one ends the run.
    quantities: columns, stems or groups to record; default: all.
    events: formulas of columns, or Events; set: anything else, as {"chain.links.1.mass": 2}.
    derivatives: numbers of the scene by their paths, as "chain.links.1.length" or "chain.links.*.theta": `Run.d` then has
        the derivatives of every column with respect to them.
    progress: called with (time, end) now and then.
    on_interrupt: Ctrl-C stops the run and "return"s what was computed, with a warning; or "raise"s
    KeyboardInterrupt, whose attribute `run` has it.

    Mistakes are an InputError with the text of the command line. A run that fails on its way keeps its rows:
    `success` is False and `message` says why. What the summary's `warnings` say is also given as RuntimeWarning.

    >>> import catena as ct
    >>> chain = ct.Chain([ct.Link(length=1, mass=1, theta=2.0)] * 3)
    >>> run = ct.simulate(chain, duration=3, method="taylor", tolerance=1e-14)
    >>> run.success, run.positions.shape
    (True, (301, 3, 3))
    >>> ct.simulate("pendulum", method="tailor")
    Traceback (most recent call last):
    ...
    catena.InputError: method=tailor: simulation: unknown method 'tailor', did you mean 'taylor'?
    """
    if on_interrupt not in ("return", "raise"):
        raise ValueError(f"on_interrupt is 'return' or 'raise', got {on_interrupt!r}")
    recorded = None
    if times is not None:
        duration, recorded = _checked_times(times, duration, sample)
    given = prepared(scene, duration=duration, sample=sample, method=method, tolerance=tolerance, step=step,
                     order=order, max_step=max_step, gravity=gravity, precision=precision, formulation=formulation,
                     events=events, set=set)
    wanted = quantities.split(",") if isinstance(quantities, str) else list(quantities)
    wanted = [word.strip() for word in wanted if word.strip()]
    paths = derivatives.split(",") if isinstance(derivatives, str) else list(derivatives)
    paths = [path.strip() for path in paths if path.strip()]
    start = None if y0 is None else given_state(y0)
    if start is not None and paths:
        raise ValueError("y0 and derivatives exclude each other: ct.flow(scene, parameters)(t, y0) has both")
    result = _engine.simulate(given, recorded, wanted, None, progress, paths, start)
    own = None if method is None else own_method(method)
    understood = Scene._of(result["scene"], as_scene(scene).source, given.name, False)
    run = Run(understood, own if isinstance(own, Step) else None, wanted, recorded, result, start=start)
    for said in run.summary["warnings"]:
        warnings.warn(said, RuntimeWarning, stacklevel=2)
    return _unless_interrupted(run, on_interrupt)


def _checked_times(times: npt.ArrayLike, duration: float | None, sample: float | None) -> tuple[float | None, Array]:
    import numpy as np

    if duration is not None:
        raise ValueError("times and duration exclude each other: the last of the times ends the run")
    if sample is not None:
        raise ValueError("times and sample exclude each other: only the times given are recorded")
    recorded = np.atleast_1d(np.asarray(times, dtype=float))
    if recorded.ndim > 1:
        raise ValueError(f"rows stand one behind the other: give one list of times, got the shape {recorded.shape}")
    if recorded.size == 0:
        raise ValueError("times needs at least one time")
    wrong = np.flatnonzero(~(np.isfinite(recorded) & (recorded >= 0)))
    if wrong.size:
        raise ValueError(f"times are seconds from 0 on: times[{wrong[0]}] is {recorded[wrong[0]]}")
    back = np.flatnonzero(np.diff(recorded) <= 0)
    if back.size:
        before, behind = recorded[back[0]], recorded[back[0] + 1]
        raise ValueError(f"times must grow: times[{back[0] + 1}] = {behind} comes behind {before}; np.unique(times) sorts "
                         "them, and the run's sol.rows(times) takes them in any order")
    return (float(recorded[-1]) if recorded[-1] > 0 else None), recorded


def load(path: str | os.PathLike[str], *, method: Step | StepFunction | None = None) -> Run:
    """A recorded run: a file that `Run.save` or `catena run` wrote.

    Rows and summary are as they were written. Dense output and states are computed again when they are asked for, by
    the method that the run was made by. A file cannot hold a function: a run that was made by one has its rows, and
    with `method` that function, the motion between them, its states and resume() as well.
    """
    named = must_open(path)
    result = _engine.load(named)
    summary = json.loads(result["summary"]) if result["summary"] else {}
    if not summary:
        raise _engine.InputError(f"{named}: the run was cut off before its end: `catena run --resume` goes on")
    events = [(name, table["columns"], table["rows"], _event_rates(table)) for name, table in summary.get("events", {}).items()]
    scene = Scene._of(result["scene"], named, summary.get("scene", "scene"), False)
    simulated = float(summary["simulated_seconds"])
    checkpoint = [(simulated, result["checkpoint"])] if result["checkpoint"] else []
    function = _function_of(summary, scene)
    step = None if method is None else _given_back(summary, function, method)
    refusal = _refusal_of(summary, function if step is None else "")
    return Run(scene, step, _words_for(result["stems"]), None,
               {**result, "states": None, "checkpoints": checkpoint, "events": events, "end": simulated}, refusal,
               None if "own_start" not in summary else given_state(summary["own_start"]))


def _event_rates(table: Mapping[str, Any]) -> list[Any]:
    """Derivatives of a recorded event, [events][column][number]."""
    named = [table.get("d_time" if column == "t" else "d_" + column, []) for column in table["columns"]]
    return [list(row) for row in zip(*named)]


def _function_of(summary: Mapping[str, Any], scene: Scene) -> str:
    """The name of the function that took a recorded run's steps; "" where a method of the engine did."""
    method = str(summary["method"])
    if "own_method" in summary:
        return method
    simulation = scene.to_dict().get("simulation") or {}  # version 0.1.0 said so by two names that differ
    return "" if summary.get("changes") or method == simulation.get("method", "taylor") else method


def _given_back(summary: Mapping[str, Any], function: str, method: Step | StepFunction) -> Step:
    own = own_method(method)
    if not isinstance(own, Step):
        raise TypeError(f"method is the function that the run was made by, got {method!r}")
    if own.name != function:
        made_by = f"by '{function}'" if function else "by a method of the engine, which needs none"
        raise ValueError(f"method is the function that the run was made by: got '{own.name}', and it was made {made_by}")
    return Step(own.function, order=int(summary["order"]), name=own.name)


def _refusal_of(summary: Mapping[str, Any], absent: str) -> str:
    """Why the motion of a recorded run cannot be computed again; "" where it can."""
    if absent:
        return (f"this run was made by a function, '{absent}', which no file can hold: load(.., method={absent}) gives the "
                "motion between its rows, its states and resume()")
    changes = summary.get("changes") or []
    if changes:
        last = changes[-1]
        return (f"the method of this run was changed on its way, at t = {last['time']} s from {last['from']} to {last['to']}: "
                "it has its rows, but not the motion between them and its states; `catena run --resume` goes on with it")
    return ""


def _words_for(stems: list[tuple[str, list[str]]]) -> list[str]:
    return [f"{name}_{label}" for name, labels in stems for label in labels] + [
        name for name, labels in stems if not labels
    ]
