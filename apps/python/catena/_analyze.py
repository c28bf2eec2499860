"""Chaos and order: exponents with error bars, indicators, sections, bifurcation diagrams."""
from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Sequence

from . import _engine
from ._pickled import Pickled
from ._scene import prepared

if TYPE_CHECKING:
    import matplotlib.axes

    from ._method import Array
    from ._scene import SceneLike


def _array(values: Any) -> Array:
    """null is nan."""
    import numpy

    return numpy.array(values, dtype=float)


def _counts(values: Any) -> Array:
    import numpy

    return numpy.array(values, dtype=int)


def _told(found: Mapping[str, Any]) -> Mapping[str, Any]:
    if found.get("outcome") == "failed":
        raise RuntimeError(found.get("message", "the motion failed"))
    if found.get("outcome") == "interrupted":
        warnings.warn("interrupted: this is what there is so far", RuntimeWarning, stacklevel=4)
    return found


def _axes(ax: matplotlib.axes.Axes | None) -> matplotlib.axes.Axes:
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


class Lyapunov(Pickled):
    """What `lyapunov` found."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        #: Exponents from the largest to the smallest, their standard errors, and halves of their 95 % intervals, 1/s.
        self.exponents = _array(found["exponents"])
        self.errors = _array(found["errors"])
        self.intervals = _array(found["intervals"])
        #: Dimension by Kaplan and Yorke; nan where more exponents are needed.
        self.kaplan_yorke = float(_array(found["kaplan_yorke"]))
        self.kaplan_yorke_error = float(_array(found["kaplan_yorke_error"]))
        #: Sum of the positive exponents, 1/s.
        self.entropy = float(found["entropy"])
        self.entropy_error = float(found["entropy_error"])
        self.duration: float = found["duration"]
        #: Whether the largest exponent lies above what order would show, and whether error bars can be relied on.
        self.chaotic: bool = found["chaotic"]
        self.settled: bool = found["settled"]
        #: Exponents of each start.
        self.starts = _array(found["starts"])
        #: Running values: times, and [exponent, time].
        self.times = _array(found["running"]["times"])
        self.running = _array(found["running"]["exponents"])
        #: Laws that the exponents must satisfy: name, meaning, off_by, allowed, holds.
        self.checks: list[dict[str, Any]] = found["checks"]
        self.notes: list[str] = found["notes"]
        #: With vectors=True: pairs of covariant vectors, and how often the angle between them was in each degree.
        self.angle_pairs = [tuple(one["vectors"]) for one in found.get("angles", [])]
        self.angles = _array([one["counts"] for one in found.get("angles", [])])

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Running values, and the means with their 95 % intervals."""
        ax = _axes(ax)
        for k, course in enumerate(self.running):
            line = ax.semilogx(self.times, course, label=f"{k + 1}")[0]
            low, high = self.exponents[k] - self.intervals[k], self.exponents[k] + self.intervals[k]
            ax.axhspan(low, high, color=line.get_color(), alpha=0.2)
        ax.set_xlabel("t / s")
        ax.set_ylabel("exponent / (1/s)")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        shown = ", ".join(f"{value:.4g} +- {error:.1g}" for value, error in zip(self.exponents, self.errors))
        return f"<Lyapunov {shown} after {self.duration:.6g} s>"


def lyapunov(
    scene: SceneLike,
    *,
    exponents: int | None = None,
    duration: float | None = None,
    error: float | None = None,
    starts: int = 2,
    seed: int = 1,
    vectors: bool = False,
    tolerance: float | None = None,
    set: Mapping[str, Any] | None = None,
) -> Lyapunov:
    """Lyapunov exponents with standard errors, by tangents that go through the equations themselves.

    exponents: how many, from the largest; None: all. duration: of each start, None: twenty times the scene's. error:
    the duration is doubled until all standard errors are below this. vectors: covariant vectors, too.

    >>> import catena as ct
    >>> found = ct.lyapunov("lorenz", duration=100)
    >>> bool(found.chaotic), round(float(found.exponents.sum()), 9)
    (True, -13.666666667)
    """
    own = prepared(scene, duration=duration, tolerance=tolerance, set=set)
    length = float(duration) if duration is not None else 20.0 * own.simulation["duration"]
    found = _engine.lyapunov(own, exponents or 0, length, error, starts, seed, vectors)
    return Lyapunov(_told(json.loads(found)))


class Indicator(Pickled):
    """One indicator: `value`, `error` (nan: none is known), `verdict`, `reason`; `at` and `course` where it has one."""

    def __init__(self, name: str, found: Mapping[str, Any]) -> None:
        self.name = name
        self.value = float(_array(found["value"]))
        self.error = float(_array(found["error"]))
        self.verdict: str = found["verdict"]
        self.reason: str = found["reason"]
        course = found.get("course", {})
        self.label: str = course.get("label", "")
        self.at = _array(course.get("at", []))
        self.course = _array(course.get("values", []))

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        ax = _axes(ax)
        ax.plot(self.at, self.course)
        ax.set_ylabel(self.label or self.name)
        ax.set_title(f"{self.name}: {self.verdict}")
        return ax

    def __repr__(self) -> str:
        return f"<{self.name} {self.value:.6g}: {self.verdict}>"


class Indicators(Pickled, Mapping[str, Indicator]):
    """What `indicators` found, by name."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self._all = {name: Indicator(name, one) for name, one in found.items()}

    def __getitem__(self, name: str) -> Indicator:
        return self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def plot(self) -> Any:
        """Those that have a course, one below the other."""
        import matplotlib.pyplot

        shown = [one for one in self._all.values() if len(one.at) and one.name not in ("spectrum", "correlation_dimension")]
        figure, axes = matplotlib.pyplot.subplots(len(shown), 1, squeeze=False, figsize=(7, 2.2 * len(shown)))
        for one, ax in zip(shown, axes[:, 0]):
            one.plot(ax)
        figure.tight_layout()
        return figure

    def __repr__(self) -> str:
        return "\n".join(f"{one.name:<22} {one.value:<12.6g} {one.verdict:<10} {one.reason}" for one in self._all.values())


def indicators(
    scene: SceneLike,
    *,
    only: Iterable[str] = (),
    duration: float | None = None,
    column: str = "",
    seed: int = 1,
    tolerance: float | None = None,
    set: Mapping[str, Any] | None = None,
) -> Indicators:
    """Indicators of order and chaos (MEGNO, SALI, GALI, FLI, ..), each with a verdict and its reason.

    >>> import catena as ct
    >>> found = ct.indicators("henon-heiles", only=["megno"], duration=1000, set={"equations.states.px": 0.42,
    ...     "equations.states.py": 0.04})
    >>> found["megno"].verdict
    'regular'
    """
    own = prepared(scene, duration=duration, tolerance=tolerance, set=set)
    return Indicators(json.loads(_engine.indicators(own, own.simulation["duration"], list(only), column, seed)))


class Section(Pickled):
    """What `section` found. `points[i]` was passed at `times[i]` by start `starts[i]`, from 1."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.axes: tuple[str, str] = (found["axes"][0], found["axes"][1])
        self.starts = _counts(found["starts"])
        self.points = _array(found["points"]).reshape(-1, 2)
        self.times = _array(found["times"])
        #: Of each start: state, energy, points, mean_return, winding, winding_error, indicator.
        self.motions: list[dict[str, Any]] = found["motions"]
        #: The largest value of the formula at the points, and its scale along the motions.
        self.residual = float(found["residual"])
        self.scale = float(found["scale"])
        self.notes: list[str] = found["notes"]

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """The points, coloured by start, or by the indicator of their motion."""
        ax = _axes(ax)
        shown = [one["indicator"] for one in self.motions]
        by_indicator = any(one is not None for one in shown)
        colours = [shown[k - 1] if shown[k - 1] is not None else 0.0 for k in self.starts] if by_indicator else self.starts
        ax.scatter(self.points[:, 0], self.points[:, 1], c=colours, s=1.5, cmap="viridis", linewidths=0)
        ax.set_xlabel(self.axes[0])
        ax.set_ylabel(self.axes[1])
        return ax

    def __repr__(self) -> str:
        return f"<Section of {len(self.points)} points, {len(self.motions)} starts>"


def section(
    scene: SceneLike,
    when: str,
    axes: Sequence[str],
    *,
    direction: str = "rising",
    starts: int | Sequence[Mapping[str, Any]] = 1,
    energy: float | None = None,
    indicator: str = "",
    duration: float | None = None,
    tolerance: float | None = None,
    set: Mapping[str, Any] | None = None,
) -> Section:
    """Where motions pass the surface on which the formula `when` vanishes.

    starts: so many, spread over the section on one energy (that of the scene, or `energy`); or a list of changes of
    the scene, as for `set`.
    indicator: of each motion, in `motions`, by which `plot` colours.

    >>> import catena as ct
    >>> found = ct.section("henon-heiles", "x", ["y", "py"], duration=100)
    >>> found.points.shape[1], found.residual <= 1e-14
    (2, True)
    """
    if len(axes) != 2:
        raise ValueError("a section has two axes")
    own = prepared(scene, duration=duration, tolerance=tolerance, set=set)
    scenes: list[_engine.Scene] = []
    if not isinstance(starts, int):
        scenes = [prepared(scene, duration=duration, tolerance=tolerance, set={**(set or {}), **one}) for one in starts]
        starts = 1
    found = _engine.section(own, when, direction, (axes[0], axes[1]), own.simulation["duration"], starts, energy, scenes, indicator)
    return Section(_told(json.loads(found)))


class Bifurcation(Pickled):
    """What `bifurcation` found: `values[i]` at `parameters[i]` on the way up, `down[i]` on the way back."""

    def __init__(self, found: Mapping[str, Any], along: str, record: str) -> None:
        self.parameters = _array(found["parameters"])
        self.values = [_array(one) for one in found["values"]]
        self.down = [_array(one) for one in found["down"]]
        #: After so many values they repeat; 0: they do not.
        self.periods = _counts(found["periods"])
        self.down_periods = _counts(found["down_periods"])
        self.notes: list[str] = found["notes"]
        self._labels = (along, record)

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        ax = _axes(ax)
        for name, side in (("down", self.down), ("up", self.values)):
            points = [(parameter, value) for parameter, values in zip(self.parameters, side) for value in values]
            if points:
                ax.plot(*zip(*points), ",", label=name)
        ax.set_xlabel(self._labels[0])
        ax.set_ylabel(self._labels[1])
        ax.legend()
        return ax

    def __repr__(self) -> str:
        return f"<Bifurcation of {len(self.parameters)} parameters>"


def bifurcation(
    scene: SceneLike,
    along: str,
    values: Iterable[float],
    record: str,
    *,
    when: str = "",
    direction: str = "rising",
    period: float | None = None,
    duration: float | None = None,
    skip: float | None = None,
    down: bool = True,
    fresh: bool = False,
    tolerance: float | None = None,
    set: Mapping[str, Any] | None = None,
) -> Bifurcation:
    """Where a motion ends up as the number `along` of its scene takes the `values`, up and down again.

    record: a column, or a formula of columns, at multiples of `period`, or where the formula `when` vanishes.
    duration: for each value; the first half, or `skip` seconds, are left out. fresh: each from the scene's own start.
    """
    if bool(when) == (period is not None):
        raise ValueError("say when to record: when= or period=, one of them")
    parameters = [float(value) for value in values]
    scenes = [prepared(scene, duration=duration, tolerance=tolerance, set={**(set or {}), along: value})
              for value in parameters]
    if not scenes:
        raise ValueError("bifurcation needs values")
    found = _engine.bifurcation(parameters, scenes, when, direction, period, record, scenes[0].simulation["duration"], skip, down, fresh)
    return Bifurcation(_told(json.loads(found)), along, record)
