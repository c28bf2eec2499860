"""Numbers of a scene from measurements."""
from __future__ import annotations

import json
import math
import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Union

from . import _engine
from ._files import must_open
from ._part import plain, toml
from ._pickled import Pickled
from ._scene import Scene, as_scene

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas

    from ._method import Array
    from ._scene import SceneLike

    Data = Union[Mapping[str, Any], "pandas.DataFrame", str, os.PathLike[str]]


class Fit(Pickled):
    """What `fit` found. Everything about numbers is by path: `found.values["chain.links.1.length"]`."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        import numpy as np

        said = json.loads(given["json"])
        #: The numbers that were found.
        self.values: dict[str, float] = said["values"]
        #: Their standard errors; nan where the data do not determine them, or a bound holds them.
        self.errors: dict[str, float] = {path: _number(error) for path, error in said["errors"].items()}
        #: Ends of the 95 % intervals.
        self.intervals: dict[str, tuple[float, float]] = {
            path: (math.nan, math.nan) if ends is None else (ends[0], ends[1]) for path, ends in said["intervals"].items()}
        self.correlation: dict[str, dict[str, float]] = {
            path: {other: _number(value) for other, value in row.items()} for path, row in said["correlation"].items()}
        #: What the data cannot tell, in words, by path.
        self.undetermined: dict[str, str] = said["undetermined"]
        #: "low" or "high", by path, of numbers that ended at a bound.
        self.at_bounds: dict[str, str] = said["at_bounds"]
        self.residual_rms: float = _number(said["residual_rms"])
        self.converged: bool = said["converged"]
        #: converged, not-converged, failed or interrupted, and why.
        self.outcome: str = said["outcome"]
        self.message: str = said["message"]
        #: Standard deviations of the data by column, as given or estimated.
        self.noise: dict[str, float] = {name: _number(value) for name, value in said["noise"].items()}
        self.iterations: int = said["iterations"]
        self.segments: int = said["segments"]
        #: All that the command line says with --json.
        self.details: dict[str, Any] = said
        #: The scene with the numbers that were found.
        self.scene = Scene.parse(given["scene"], name=given["name"])
        self.t: Array = given["times"]
        names = list(given["names"])
        self.measured: dict[str, Array] = {name: given["measured"][:, i] for i, name in enumerate(names)}
        has_model = len(given["modelled"]) > 0
        empty = np.full(len(self.t), math.nan)
        self.fitted: dict[str, Array] = {
            name: given["modelled"][:, i] if has_model else empty for i, name in enumerate(names)}

    @property
    def residuals(self) -> dict[str, Array]:
        """Measured less fitted, by column."""
        return {name: self.measured[name] - self.fitted[name] for name in self.measured}

    @property
    def covariance(self) -> Array:
        """Of the numbers in the order of `values`; nan where there is none."""
        import numpy as np

        rows = self.details["covariance"]
        return np.array([[_number(rows[a][b]) for b in self.values] for a in self.values], dtype=float)

    @property
    def summary(self) -> str:
        """The result as a table."""
        rows = [["number", "value", "error", "95 % from", "to"]]
        for path, value in self.values.items():
            low, high = self.intervals[path]
            rows.append([path, f"{value:.8g}", *("-" if math.isnan(x) else f"{x:.{n}g}" for x, n in
                                                ((self.errors[path], 2), (low, 8), (high, 8)))])
        widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
        lines = [row[0].ljust(widths[0]) + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
                 for row in rows]
        lines.append(f"residuals {self.residual_rms:.4g} (rms), {self.outcome} in {self.iterations} iterations")
        lines += [f"not determined: {text}" for text in dict.fromkeys(self.undetermined.values())]
        return "\n".join(lines)

    def plot(self) -> matplotlib.figure.Figure:
        """Measurements with the fitted motion, and below what is left between them."""
        from ._figures import plot_fit

        return plot_fit(self)

    def __repr__(self) -> str:
        return f"<Fit of {len(self.values)} numbers, {self.outcome}, residuals {self.residual_rms:.3g} (rms)>"


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _columns(data: Any) -> tuple[list[str], Array, Array]:
    """Names, times and values [row, name] of a dictionary or a DataFrame."""
    import numpy as np

    names = [str(name) for name in (data.columns if hasattr(data, "columns") else data)]
    if "t" not in names:
        raise ValueError(f"the data have no t, the time in s; they have {', '.join(names)}")
    columns = {name: np.asarray(data[name], dtype=float) for name in names}
    t = columns.pop("t")
    for name, values in columns.items():
        if values.shape != t.shape or t.ndim != 1:
            raise ValueError(f"{name} has the shape {values.shape} where t has {t.shape}")
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            warnings.warn(f"{name} is nan in {len(missing)} rows, the first of them {missing[0]}: taken as not measured",
                          RuntimeWarning, stacklevel=4)
        if np.isinf(values).any():
            raise ValueError(f"{name} is infinite in row {np.flatnonzero(np.isinf(values))[0]}")
    if not len(t):
        raise ValueError("the data have no rows")
    if not np.isfinite(t).all():
        raise ValueError(f"t is no number in row {np.flatnonzero(~np.isfinite(t))[0]}")
    if t[0] < 0:
        raise ValueError(f"t = {t[0]} in row 0 lies before the motion, which starts at t = 0")
    if (np.diff(t) < 0).any():
        raise ValueError(f"t goes back in row {np.flatnonzero(np.diff(t) < 0)[0] + 1}; rows must be in the order of time")
    return list(columns), t, np.column_stack(list(columns.values())) if columns else np.empty((len(t), 0))


def fit(
    scene: SceneLike,
    data: Data,
    free: Iterable[str] | None = None,
    *,
    noise: float | Mapping[str, float] | None = None,
    observe: Mapping[str, str] | None = None,
    parameters: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float | None, float | None]] | None = None,
    priors: Mapping[str, tuple[float, float]] | None = None,
    loss: str | None = None,
    segments: int | str | None = None,
    columns: Iterable[str] | None = None,
    set: Mapping[str, Any] | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Fit:
    """Finds numbers of a scene from measurements, by least squares with exact derivatives.

    data: columns by name, with t among them: a dictionary, a DataFrame or a CSV file. Names are columns of the scene, or
    those of `observe`, formulas of columns and `parameters`. free: paths, as "chain.links.1.length" or
    "fit.parameters.s"; default: those of the scene's [fit], whose other keys hold too where they are not given here.
    noise: standard deviation of the data, of all or by column; default: estimated. loss: squares, huber or cauchy.
    segments: of multiple shooting, a number or "auto". progress: called with the iteration and the rms of the residuals.

    >>> import numpy as np
    >>> import catena as ct
    >>> t = np.linspace(0, 5, 51)
    >>> swing = ct.Chain([ct.Link(length=0.9, mass=1, theta=0.1)])
    >>> found = ct.fit(swing, {"t": t, "theta_1": 0.1 * np.cos(3.0 * t)}, ["chain.links.1.length"])
    >>> round(found.values["chain.links.1.length"], 3)
    1.089
    """
    made = as_scene(scene)
    changes = [f"{path}={toml(value)}" for path, value in (set or {}).items()]
    if observe is not None:
        changes.append(f"fit.observe={toml(dict(observe))}")
    if parameters is not None:
        changes.append(f"fit.parameters={toml(plain(dict(parameters)))}")
    paths = [] if free is None else [free] if isinstance(free, str) else list(free)
    limited = list(dict.fromkeys([*(bounds or {}), *(priors or {})]))
    if limited:
        changes.append(f"fit.free={toml([_free(path, bounds or {}, priors or {}) for path in limited])}")
        paths = paths or limited
    asked: dict[str, Any] = {
        "free": paths,
        "noise": float(noise) if isinstance(noise, (int, float)) else None,
        "noise_of": {name: float(value) for name, value in noise.items()} if isinstance(noise, Mapping) else {},
        "columns": [] if columns is None else list(columns),
        "segments": None if segments is None else 0 if segments == "auto" else int(segments),
        "loss": loss,
    }
    measured: Any = must_open(data) if isinstance(data, (str, os.PathLike)) else _columns(data)
    given: dict[str, str] = {}
    if not isinstance(measured, str) and made.source == "<scene>" and "duration" not in made.to_dict().get("simulation", {}):
        given["duration"] = repr(float(max(measured[1][-1], 1e-9)))
    found = _engine.fit(made.text, made.source, made.name, given, changes, measured, asked, progress)
    for note in found["notes"]:
        warnings.warn(note, RuntimeWarning, stacklevel=2)
    out = Fit(found)
    if out.outcome == "interrupted":
        warnings.warn("interrupted: these are the best numbers so far", RuntimeWarning, stacklevel=2)
    elif not out.converged:
        warnings.warn(f"the fit did not converge: {out.message}", RuntimeWarning, stacklevel=2)
    return out


def _free(path: str, bounds: Mapping[str, Any], priors: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {"key": path}
    low, high = bounds.get(path, (None, None))
    if low is not None:
        out["low"] = float(low)
    if high is not None:
        out["high"] = float(high)
    if path in priors:
        out["prior"] = [float(value) for value in priors[path]]
    return out
