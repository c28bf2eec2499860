"""Figures by matplotlib: quantities over time, motions, comparisons of methods."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

try:
    import matplotlib.pyplot as plt
    from matplotlib.animation import FuncAnimation
except ImportError:
    raise ImportError("figures need matplotlib: apt install python3-matplotlib, or pip install matplotlib") from None
import numpy as np

from . import _engine
from ._scene import prepared, quantities

if TYPE_CHECKING:
    import matplotlib.axes
    import matplotlib.figure

    from ._compare import Comparison
    from ._fit import Fit
    from ._method import Array
    from ._run import Columns, Run
    from ._sweep import Sweep

_SYMBOLS = {"theta": "θ", "phi": "φ", "theta_dot": "θ'", "phi_dot": "φ'"}
_MOST_IN_LEGEND = 12
_PER_FRAME = 4  # points of a trail


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
    """A matplotlib animation that notebooks show inline."""

    def _repr_html_(self) -> str:
        return str(self.to_jshtml())


class _Skeleton:
    """Which points are joined by lines, in every frame: [frames, lines, points, 3]."""

    def __init__(self, run: Run, frames: Columns) -> None:
        facts = _engine.Motion(prepared(run.scene)).facts()
        self.lines: list[Array] = []
        positions = frames.positions
        at = 0
        for chain in facts["chains"]:
            count = chain["links"]
            ends = positions[:, at : at + count]
            may_move = chain["moving"] or bool(facts.get("bodies"))  # or hangs on a body
            self._add_chain(chain, ends, _pivots(chain, frames, ends, at, may_move))
            at += count
        self.ends = positions
        self.tip = at - 1  # whose trail is shown: the last link's, or the last body's where there are no chains
        self._add_bodies(facts, frames, positions[:, at:])

    def _add_chain(self, chain: dict[str, Any], ends: Array, pivot: Array) -> None:
        parents = list(chain["parent"])
        if parents == list(range(-1, len(parents) - 1)):
            self.lines.append(np.concatenate([pivot, ends], axis=1))
            return
        for k, parent in enumerate(parents):
            above = pivot[:, 0] if parent < 0 else ends[:, parent]
            self.lines.append(np.stack([above, ends[:, k]], axis=1))

    def _add_bodies(self, facts: dict[str, Any], frames: Columns, centres: Array) -> None:
        names = facts.get("bodies", [])
        if not names or "qw" not in frames:
            return
        labels = next(labels for stem, labels in frames._stems if stem == "qw")
        quaternions = np.stack([frames[stem] for stem in ("qw", "qx", "qy", "qz")], axis=-1)
        place = {name: k for k, name in enumerate(labels)}
        anchors: dict[int, list[Array]] = {}
        for joint in facts.get("joints", []):
            if joint["ties"]:
                continue
            for body, point in ((joint["a"], joint["in_a"]), (joint["b"], joint["in_b"])):
                if body >= 0 and names[body] in place:
                    anchors.setdefault(body, []).append(np.array(point, dtype=float))
        for body, points in anchors.items():
            k = place[names[body]]
            world = [centres[:, k] + _rotated(quaternions[:, k], point) for point in points]
            path = [world[0], centres[:, k], *world[1:]]
            self.lines.append(np.stack(path, axis=1))


def _pivots(chain: dict[str, Any], frames: Columns, ends: Array, at: int, may_move: bool) -> Array:
    """Where the chain hangs in each frame: one that moves is found from the first link."""
    if not may_move:
        return np.broadcast_to(np.array(chain["pivot"], dtype=float), (len(ends), 1, 3))
    length = np.full((len(ends), 1), chain["length"][0])
    strain = "strain_" + chain["name"] + "_1" if chain["name"] else "strain_1"
    if strain in frames:
        length = length * (1 + frames[strain][:, None])
    pivot: Array = ends[:, 0] - length * frames._vectors("u")[:, at]
    return pivot[:, None]


def _rotated(q: Array, v: Array) -> Array:
    w, u = q[:, :1], q[:, 1:]
    cross = np.cross(u, v)
    out: Array = v + 2 * (w * cross + np.cross(u, cross))
    return out


def _flat(points: Array) -> tuple[int, int] | None:
    """The two axes of a motion in a coordinate plane; None in space."""
    spread = np.ptp(points.reshape(-1, 3), axis=0)
    for away, axes in ((1, (0, 2)), (0, (1, 2)), (2, (0, 1))):
        if spread[away] <= 1e-9 * max(spread.max(), 1e-300):
            return axes
    return None


def animate_run(run: Run, *, fps: float, speed: float, trail: float) -> Animation:
    end = float(run.summary["simulated_seconds"])
    count = max(2, int(round(end / speed * fps)) + 1)
    times = np.linspace(0.0, end, (count - 1) * _PER_FRAME + 1)
    frames = run.sol.rows(times)
    skeleton = _Skeleton(run, frames)
    everything = np.concatenate([line.reshape(-1, 3) for line in skeleton.lines] + [skeleton.ends.reshape(-1, 3)])
    flat = _flat(everything)
    tail = max(1, int(round(trail * fps / speed * _PER_FRAME)))
    low, high = everything.min(axis=0), everything.max(axis=0)
    middle, half = (low + high) / 2, max(high - low) / 2 * 1.08 or 1.0
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
        at = frame * _PER_FRAME
        put(path, skeleton.ends[max(0, at - tail) : at + 1, skeleton.tip])
        for artist, line in zip(lines, skeleton.lines):
            put(artist, line[at])
        put(masses, skeleton.ends[at])
        title.set_text(f"t = {times[at]:.2f} s")
        return [path, *lines, masses, title]

    return Animation(figure, draw, frames=count, interval=1000 / fps)


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
