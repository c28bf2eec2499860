"""The same motion by several methods: how far off each is, and what it costs."""
from __future__ import annotations

import json
import math
import os
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, overload

from . import _engine
from ._files import must_open
from ._method import Tableau, own_method
from ._part import plain, toml
from ._pickled import Pickled
from ._columns import Columns
from ._scene import prepared

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas

    from ._method import Array, Method
    from ._scene import SceneLike


class Score(Pickled):
    """One method with its settings: errors against the reference, and cost."""

    def __init__(self, given: Mapping[str, Any], stems: list[tuple[str, list[str]]]) -> None:
        self.label: str = given["label"]
        self.method: str = given["method"]
        self.step: float | None = given["step"]
        self.tolerance: float | None = given["tolerance"]
        self.order: int | None = given["order"]
        self.summary: dict[str, Any] = json.loads(given["summary"])
        #: Largest and mean |energy - its start|, J.
        self.largest_energy_error: float = given["largest_energy_error"]
        self.mean_energy_error: float = given["mean_energy_error"]
        #: Largest change of the vertical angular momentum where it is conserved; nan elsewhere.
        self.momentum_error: float = given["momentum_error"]
        #: Largest distance of a link's end from the reference over the rows, and at the end, m.
        self.position_error: float = given["position_error"]
        self.final_error: float = given["final_error"]
        self.times: Array = given["times"]
        self.energy_errors: Array = given["energy_errors"]
        self.step_sizes: Array = given["step_sizes"]
        #: All columns, where `keep_rows` was asked for.
        self.rows: Columns | None = Columns(stems, given["rows"]) if len(given["rows"]) else None

    @property
    def steps(self) -> int:
        return int(self.summary["steps"])

    @property
    def evaluations(self) -> int:
        return int(self.summary["evaluations"])

    @property
    def seconds(self) -> float:
        """Computing time of the steps."""
        return float(self.summary["step_seconds"])

    def __repr__(self) -> str:
        return f"<Score {self.label}: error {self.position_error:.1e} m, {self.steps} steps, {self.seconds:.2g} s>"


class Comparison(Pickled):
    """What `compare` found. `scores` has one entry per method and setting."""

    def __init__(self, found: _engine.Compared) -> None:
        stems = found.stems
        self.scores = [Score(one, stems) for one in found.scores]
        #: Methods that do not apply to the scene, each with the reason.
        self.left_out = list(found.left_out)
        self.duration = found.duration
        #: What errors are measured against, and how exact that is itself, m.
        self.reference = found.reference
        self.reference_error = found.reference_error
        #: Whether Ctrl-C left some methods out.
        self.interrupted = found.interrupted
        keys = {(score.method, score.order) for score in self.scores}
        self._orders = {key: found.fitted_order(*key) for key in keys}

    def measured_order(self, method: str, order: int | None = None) -> float:
        """The order of convergence that the errors at different steps show; nan where they show none."""
        found = self._orders.get((method, order))
        return math.nan if found is None else found

    def to_dataframe(self) -> pandas.DataFrame:
        """One row per score."""
        import pandas

        names = ["label", "method", "step", "tolerance", "order", "steps", "evaluations", "seconds", "position_error",
                 "final_error", "largest_energy_error", "mean_energy_error", "momentum_error"]
        return pandas.DataFrame([{name: getattr(score, name) for name in names} for score in self.scores])

    def table(self) -> str:
        """The scores as text."""
        rows = [("method", "steps", "evaluations", "position error", "energy error")]
        rows += [(score.label, str(score.steps), str(score.evaluations), f"{score.position_error:.2e}",
                  f"{score.largest_energy_error:.2e}") for score in self.scores]
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join(lines + [f"{label}  does not apply: {reason}" for label, reason in self.left_out])

    def plot(self, kind: str = "work") -> matplotlib.figure.Figure:
        """Figures of the comparison: "work" (error against evaluations and seconds), "energy" (its error over time)."""
        from ._figures import plot_comparison

        return plot_comparison(self, kind)

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.scores)}, reference {self.reference}, exact to {self.reference_error:.0e} m>"


@overload
def compare(
    scene: SceneLike,
    methods: Iterable[Method],
    *,
    steps: Sequence[float] = (),
    tolerances: Sequence[float] = (),
    orders: Sequence[int] = (),
    duration: float | None = None,
    sample: float | None = None,
    set: Mapping[str, Any] | None = None,
    keep_rows: bool = False,
    least_seconds: float = 0.02,
) -> Comparison: ...


@overload
def compare(
    scene: str | os.PathLike[str],
    methods: None = None,
    *,
    steps: Sequence[float] = (),
    tolerances: Sequence[float] = (),
    orders: Sequence[int] = (),
    duration: float | None = None,
    sample: float | None = None,
    set: Mapping[str, Any] | None = None,
    keep_rows: bool = False,
    least_seconds: float = 0.02,
) -> Any: ...


def compare(
    scene: SceneLike,
    methods: Iterable[Method] | None = None,
    *,
    steps: Sequence[float] = (),
    tolerances: Sequence[float] = (),
    orders: Sequence[int] = (),
    duration: float | None = None,
    sample: float | None = None,
    set: Mapping[str, Any] | None = None,
    keep_rows: bool = False,
    least_seconds: float = 0.02,
) -> Any:
    """Runs a scene by several methods and measures each against a Taylor solution of its own.

    methods: names, Tableaus and step functions. Those of fixed step run with each of `steps`, the others with each
    of `tolerances`, taylor also with each of `orders`. Without methods, `scene` names a study: one of `studies()`, or
    a file; what is given beside it goes before its own. A study with cases gives a dictionary of comparisons.
    least_seconds: short runs are repeated for so long, for their time.

    >>> import catena as ct
    >>> def my_euler(f, t, y, h):
    ...     return y + h * f(t, y)
    >>> found = ct.compare("pendulum", [my_euler, "rk4"], steps=[0.002, 0.001], duration=1)
    >>> [score.label for score in found.scores]
    ['my_euler, step 0.002', 'my_euler, step 0.001', 'rk4, step 0.002', 'rk4, step 0.001']
    >>> round(found.measured_order("my_euler")), round(found.measured_order("rk4"))
    (1, 4)
    >>> [score.label for score in ct.compare("cart-pole-course", duration=0.1).scores]
    ['euler, step 0.001', 'rk4, step 0.001']
    """
    if methods is None:
        if not isinstance(scene, (str, os.PathLike)):
            raise TypeError("compare needs methods=, or the name of a study")
        study = _study_named(os.fspath(scene), list(steps), list(tolerances), list(orders))
        length, between = (None if value is None else str(plain(value)) for value in (duration, sample))
        changes = [f"{path}={toml(value)}" for path, value in (set or {}).items()]
        scenes = [study.scene(i, length, between, changes) for i in range(max(1, len(study.cases)))]
        return _study(study, scenes, keep_rows, least_seconds)
    settings: dict[str, Any] = {"duration": duration, "sample": sample, "set": set}
    base = prepared(scene, method="taylor", **settings)
    contenders: list[tuple[str, float | None, float | None, int | None, _engine.Scene | None]] = []
    for method in methods:
        own = own_method(method)
        if isinstance(own, str):
            named = _engine.contenders([own], list(steps), list(tolerances), list(orders))
            contenders += [(*one, None) for one in named]
            continue
        if isinstance(own, Tableau) and own.adaptive:
            carrier = prepared(scene, method=own, **settings)
            allowed: list[float | None] = [*tolerances] or [None]
            contenders += [(own.name, None, tolerance, None, carrier) for tolerance in allowed]
            continue
        carrier = prepared(scene, method=own, step=steps[0] if len(steps) else None, **settings)
        contenders += [(own.name, float(step), None, None, carrier) for step in steps]
    if not contenders:
        raise ValueError("nothing to compare: methods of fixed step need steps=, for example steps=[0.01, 0.005]")
    return _kept(Comparison(_engine.compare(base, contenders, keep_rows, least_seconds)))


def _study_named(name: str, steps: list[float], tolerances: list[float], orders: list[int]) -> _engine.Study:
    try:
        return _engine.Study(name, steps, tolerances, orders)
    except _engine.InputError as error:
        if name.endswith(".toml"):
            must_open(name, str(error))
        raise


def _study(study: _engine.Study, scenes: list[_engine.Scene], keep_rows: bool, least_seconds: float) -> Any:
    found = []
    for scene in scenes:
        found.append(_kept(Comparison(study.compare(scene, keep_rows, least_seconds))))
        if found[-1].interrupted:
            break
    return dict(zip(study.cases, found)) if study.cases else found[0]


def _kept(found: Comparison) -> Comparison:
    if found.interrupted:
        warnings.warn("interrupted: some methods are left out", RuntimeWarning, stacklevel=3)
    return found


def measured_order(
    method: Method,
    scene: SceneLike = "double-pendulum",
    *,
    steps: Sequence[float] | None = None,
    tolerances: Sequence[float] = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9),
    order: int | None = None,
    duration: float | None = 1.0,
) -> float:
    """The order of convergence of a method, measured on a scene: how the error at the end falls with the step.

    steps: default: halved from 1/50 s on. Errors at the level of roundoff, or too large to be of a solution, do not
    count; nan where fewer than two are left.

    >>> import catena as ct
    >>> def heun(f, t, y, h):
    ...     k = f(t, y)
    ...     return y + h / 2 * (k + f(t + h, y + h * k))
    >>> abs(ct.measured_order(heun) - 2) < 0.2
    True
    """
    own = own_method(method)
    sizes = [0.02 / 2**k for k in range(6)] if steps is None else list(steps)
    found = compare(scene, [method], steps=sizes, tolerances=tolerances, orders=[] if order is None else [order],
                    duration=duration, least_seconds=0)
    return found.measured_order(own if isinstance(own, str) else own.name, order)
