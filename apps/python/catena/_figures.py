"""Figures by matplotlib: quantities over time, motions, comparisons of methods."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

try:
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation
except ImportError:
    raise ImportError("figures need matplotlib: apt install python3-matplotlib, or pip install matplotlib") from None
import numpy as np

from ._scene import quantities
from ._view import PER_FRAME, View

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

    from ._compare import Comparison
    from ._fit import Fit
    from ._method import Array
    from ._run import Run
    from ._sweep import Sweep

_SYMBOLS = {"theta": "θ", "phi": "φ", "theta_dot": "θ'", "phi_dot": "φ'"}
_MOST_IN_LEGEND = 12


def _axis_label(name: str) -> str:
    stems = [one for one in quantities() if name == one["stem"] or name.startswith(one["stem"] + "_")]
    if not stems:
        return name
    best = max(stems, key=lambda one: len(one["stem"]))
    word = _SYMBOLS.get(best["stem"], best["stem"].replace("_", " "))
    return f"{word} [{best['unit']}]" if best["unit"] else word


def plot_run(run: Run, names: Sequence[str], ax: matplotlib.axes.Axes | None) -> matplotlib.axes.Axes:
    if ax is None:
        _, ax = plt.subplots(figsize=(8, 4), layout="constrained")
    lines = 0
    for name in names:
        values = run[name].reshape(len(run), -1)
        labels: list[str] = next((labels for stem, labels in run._stems if labels and name in (stem, stem + "_each")), [])
        for k in range(values.shape[1]):
            ax.plot(run.t, values[:, k], linewidth=1.2, label=f"{name} {labels[k]}" if labels else name)
            lines += 1
    ax.set_xlabel("t [s]")
    ax.set_ylabel(", ".join(dict.fromkeys(_axis_label(name) for name in names)))
    ax.grid(alpha=0.3)
    ax.margins(x=0)
    if 1 < lines <= _MOST_IN_LEGEND:
        ax.legend(frameon=False)
    return ax


class Animation(FuncAnimation):  # type: ignore[misc]
    """A matplotlib animation; notebooks show its motion as a small picture of its own, which can be turned."""

    view: View

    def _repr_html_(self) -> str:
        self._draw_was_started = True  # it is shown, if not by matplotlib
        return self.view._repr_html_()


def animate_run(run: Run, *, fps: float, speed: float, trail: float) -> Animation:
    view = View(run, fps=fps, speed=speed, trail=trail)
    frames = view._frames
    skeleton, times, flat, tail, middle, half = (frames.skeleton, frames.times, frames.flat, frames.tail, frames.middle,
                                                 frames.half)
    figure = plt.figure(figsize=(5, 5), dpi=80, layout="constrained" if flat else None)
    axes = flat or (0, 1, 2)
    ax = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    for name, axis in zip("xyz", axes):
        getattr(ax, f"set_{name}lim")(middle[axis] - half, middle[axis] + half)
        getattr(ax, f"set_{name}label")("xyz"[axis] + " [m]")
    if flat:
        ax.set_aspect("equal")
    else:
        ax.set_box_aspect((1, 1, 1), zoom=0.92)
        ax.locator_params(nbins=4)
        figure.subplots_adjust(left=0, right=0.95, bottom=0.04, top=0.96)
    ax.grid(alpha=0.25)

    def shown(points: Array) -> list[Array]:
        return [points[..., axis] for axis in axes]

    (path,) = ax.plot(*shown(skeleton.ends[:1, skeleton.tip]), color="tab:orange", linewidth=1, alpha=0.7)
    lines = [ax.plot(*shown(line[0]), color="0.25", linewidth=1.8)[0] for line in skeleton.lines]
    (masses,) = ax.plot(*shown(skeleton.ends[0]), "o", color="tab:blue", markersize=6)
    title = ax.set_title("t = 0.00 s")
    plt.close(figure)  # notebooks would show the first frame as well

    def put(artist: Any, points: Array) -> None:
        columns = shown(points)
        artist.set_data(*columns[:2])
        if len(columns) == 3:
            artist.set_3d_properties(columns[2])

    def draw(frame: int) -> list[Any]:
        at = frame * PER_FRAME
        put(path, skeleton.ends[max(0, at - tail) : at + 1, skeleton.tip])
        for artist, line in zip(lines, skeleton.lines):
            put(artist, line[at])
        put(masses, skeleton.ends[at])
        title.set_text(f"t = {times[at]:.2f} s")
        return [path, *lines, masses, title]

    animation = Animation(figure, draw, frames=frames.count, interval=1000 / fps)
    animation.view = view
    return animation


def plot_fit(found: Fit) -> matplotlib.figure.Figure:
    names = list(found.measured)
    figure, panels = plt.subplots(2 * len(names), 1, figsize=(8, 1 + 2.4 * len(names)), layout="constrained", sharex=True,
                                  squeeze=False, height_ratios=[2, 1] * len(names))
    for k, name in enumerate(names):
        above, below = panels[2 * k, 0], panels[2 * k + 1, 0]
        above.plot(found.t, found.measured[name], ".", markersize=3, alpha=0.6, label="measured")
        above.plot(found.t, found.fitted[name], linewidth=1, label="fitted")
        above.set_ylabel(name)
        below.plot(found.t, found.residuals[name], ".", markersize=3)
        for level in (-2, 0, 2):
            below.axhline(level * found.noise[name], linewidth=0.5, color="0.5")
        below.set_ylabel("left")
    panels[0, 0].legend(frameon=False, fontsize="small")
    panels[-1, 0].set_xlabel("t [s]")
    return figure


def plot_comparison(comparison: Comparison, kind: str) -> matplotlib.figure.Figure:
    if kind == "energy":
        if all(np.isnan(score.mean_energy_error) for score in comparison.scores):
            raise ValueError("a system of equations has no energy; plot(\"work\") shows the errors of its states")
        return _energy_figure(comparison)
    if kind == "work":
        return _work_figure(comparison)
    raise ValueError(f"kind is 'work' or 'energy', got {kind!r}")


def _work_figure(comparison: Comparison) -> matplotlib.figure.Figure:
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.5), layout="constrained", sharey=True)
    methods = list(dict.fromkeys((score.method, score.order) for score in comparison.scores))
    for method, order in methods:
        scores = [score for score in comparison.scores if (score.method, score.order) == (method, order)]
        scores = [score for score in scores if score.position_error > 0]
        errors = [score.position_error for score in scores]
        found = comparison.measured_order(method, order)
        label = method if order is None else f"{method}, order {order}"
        label += "" if np.isnan(found) else f" (slope {found:.1f})"
        panels[0].loglog([score.evaluations for score in scores], errors, "o-", markersize=4, label=label)
        panels[1].loglog([score.seconds for score in scores], errors, "o-", markersize=4, label=label)
    panels[0].set_xlabel("evaluations")
    panels[1].set_xlabel("computing time [s]")
    of_states = all(np.isnan(score.mean_energy_error) for score in comparison.scores)
    panels[0].set_ylabel("largest error of the states" if of_states else "largest position error [m]")
    for panel in panels:
        panel.grid(alpha=0.3, which="both", linewidth=0.5)
    panels[1].legend(frameon=False, fontsize="small")
    return figure


def _energy_figure(comparison: Comparison) -> matplotlib.figure.Figure:
    figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
    methods = list(dict.fromkeys((score.method, score.order) for score in comparison.scores))
    for k, key in enumerate(methods):
        scores = [score for score in comparison.scores if (score.method, score.order) == key]
        for place, score in enumerate(scores):  # one colour per method, paler for its coarser settings
            errors = np.abs(score.energy_errors)
            ax.semilogy(score.times, np.where(errors > 0, errors, np.nan), linewidth=1, color=f"C{k % 10}",
                        alpha=0.35 + 0.65 * (place + 1) / len(scores), label=score.label if place + 1 == len(scores) else None)
    ax.set_xlabel("t [s]")
    ax.set_ylabel("|energy error| [J]")
    ax.grid(alpha=0.3, which="both", linewidth=0.5)
    ax.margins(x=0)
    ax.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def plot_sweep(sweep: Sweep, measure: str) -> matplotlib.figure.Figure:
    values = sweep.measures[measure]
    unit = sweep.units.get(measure, "")
    label = f"{measure} [{unit}]" if unit else measure
    grid = [axis for axis in sweep._axes if sweep.dimensions[axis["extent"]] != "sample" and axis["width"] == 1]
    figure, panel = plt.subplots(figsize=(6.5, 5), layout="constrained")

    def named(axis: dict[str, Any]) -> str:
        return f"{axis['name']} = {axis['keys'][0]}" + (f" [{axis['unit']}]" if axis["unit"] else "")

    if len(grid) >= 2 and values.ndim >= 2:
        first, second = grid[:2]
        # The others stay in their middle.
        place: Any = tuple(slice(None) if k in (first["extent"], second["extent"]) else values.shape[k] // 2 for k in range(values.ndim))
        mesh = panel.pcolormesh(np.asarray(first["values"]), np.asarray(second["values"]), values[place].T, shading="nearest",
                                cmap="viridis")
        figure.colorbar(mesh, ax=panel, label=label)
        panel.set_xlabel(named(first))
        panel.set_ylabel(named(second))
    elif len(grid) == 1 and values.ndim == 1:
        panel.plot(np.asarray(grid[0]["values"]), values, ".-", markersize=3)
        panel.set_xlabel(named(grid[0]))
        panel.set_ylabel(label)
        if grid[0]["log"]:
            panel.set_xscale("log")
    else:
        finite = values[np.isfinite(values)]
        panel.hist(finite, bins=int(np.clip(np.sqrt(finite.size), 8, 80)))
        panel.set_xlabel(label)
        panel.set_ylabel("cases")
    panel.set_title(f"{measure} of {sweep.scene.name}")
    return figure
