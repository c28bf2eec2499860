"""A motion as a picture that plays in notebooks and browsers: small, turned by hand, and with nothing from elsewhere."""
from __future__ import annotations

import gzip
import html
import json
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _engine
from ._kernels import program_folder
from ._scene import prepared

if TYPE_CHECKING:
    import os

    import numpy as np

    from ._columns import Columns
    from ._method import Array
    from ._run import Run

PER_FRAME = 4  # points of a trail
_FINEST = 32000  # of half the picture: a tenth of a pixel on any screen


class Skeleton:
    """Which points are joined by lines, in every frame: [frames, points, 3] of each line."""

    def __init__(self, run: Run, frames: Columns) -> None:
        motion = _engine.Motion(prepared(run.scene))
        facts = motion.facts()
        self.things: dict[str, Any] = json.loads(motion.things())
        self.lines: list[Array] = []
        if self.things["coordinates"]:
            self.ends, self.tip = _point(self.things, frames)[:, None], 0
            return
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
        import numpy as np

        parents = list(chain["parent"])
        if parents == list(range(-1, len(parents) - 1)):
            self.lines.append(np.concatenate([pivot, ends], axis=1))
            return
        for k, parent in enumerate(parents):
            above = pivot[:, 0] if parent < 0 else ends[:, parent]
            self.lines.append(np.stack([above, ends[:, k]], axis=1))

    def _add_bodies(self, facts: dict[str, Any], frames: Columns, centres: Array) -> None:
        import numpy as np

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


def _point(things: dict[str, Any], frames: Columns) -> Array:
    """A system given by formulas is a point in the space of its coordinates: the second one up, or into the depth where there are
    three, as in the lab."""
    import numpy as np

    names = [one["name"] for one in things["coordinates"]]
    axes = names[:3] if len(names) > 2 else [names[0], None, *names[1:]]
    zero = np.zeros(len(frames[names[0]]))
    point: Array = np.stack([frames[name] if name else zero for name in (*axes, None)[:3]], axis=1)
    return point


def _pivots(chain: dict[str, Any], frames: Columns, ends: Array, at: int, may_move: bool) -> Array:
    """Where the chain hangs in each frame: one that moves is found from the first link."""
    import numpy as np

    if not may_move:
        return np.broadcast_to(np.array(chain["pivot"], dtype=float), (len(ends), 1, 3))
    length = np.full((len(ends), 1), chain["length"][0])
    strain = "strain_" + chain["name"] + "_1" if chain["name"] else "strain_1"
    if strain in frames:
        length = length * (1 + frames[strain][:, None])
    pivot: Array = ends[:, 0] - length * frames._vectors("u")[:, at]
    return pivot[:, None]


def _rotated(q: Array, v: Array) -> Array:
    import numpy as np

    w, u = q[:, :1], q[:, 1:]
    cross = np.cross(u, v)
    out: Array = v + 2 * (w * cross + np.cross(u, cross))
    return out


def flat_axes(points: Array) -> tuple[int, int] | None:
    """The two axes of a motion in a coordinate plane; None in space."""
    import numpy as np

    spread = np.ptp(points.reshape(-1, 3), axis=0)
    for away, axes in ((1, (0, 2)), (0, (1, 2)), (2, (0, 1))):
        if spread[away] <= 1e-9 * max(spread.max(), 1e-300):
            return axes
    return None


class Frames:
    """A run at equal times: where everything is, and what of it is drawn."""

    def __init__(self, run: Run, fps: float, speed: float, trail: float) -> None:
        import numpy as np

        end = float(run.summary["simulated_seconds"])
        self.count = max(2, int(round(end / speed * fps)) + 1)
        self.times = np.linspace(0.0, end, (self.count - 1) * PER_FRAME + 1)
        self.skeleton = Skeleton(run, run.sol.rows(self.times))
        everything = np.concatenate([line.reshape(-1, 3) for line in self.skeleton.lines]
                                    + [self.skeleton.ends.reshape(-1, 3)])
        self.flat = flat_axes(everything)
        self.tail = max(1, int(round(trail * fps / speed * PER_FRAME)))
        low, high = everything.min(axis=0), everything.max(axis=0)
        self.middle, self.half = (low + high) / 2, float(max(high - low)) / 2 * 1.08 or 1.0
        self.fps = fps


def labs_view() -> str | None:
    """The lab's own view as a script, where the page is installed or was built; else None."""
    built = [folder / "web/page" for folder in list(Path(_engine.__file__).resolve().parents)[3:4]]  # of a working copy
    for folder in (program_folder() / "share/catena/lab", Path("/usr/share/catena/lab"), *built):
        script = folder / "catena-view.js"
        if script.exists():
            return script.read_text(encoding="utf-8")
    return None


def _shorts(points: Array) -> str:
    """Numbers of 16 bits as text."""
    import numpy as np

    return b64encode(np.rint(points).astype("<i2").tobytes()).decode()


def _things(run: Run, frames: Frames) -> dict[str, Any]:
    """What the lab's view draws by, and where all of it is in each frame."""
    import numpy as np

    things, columns, count = frames.skeleton.things, run.sol.rows(frames.times[::PER_FRAME]), frames.count
    ends, pivots, at = frames.skeleton.ends[::PER_FRAME], [], 0
    for chain in things["chains"]:
        links = len(chain["length"])
        pivots.append(np.broadcast_to(_pivots({**chain, "links": links}, columns, ends[:, at : at + links], at, chain["moving"]), (count, 1, 3)))
        at += links
    places, turns = [], []
    for body in things["bodies"]:
        moves = "x_" + body["name"] in columns
        still = np.broadcast_to(np.array(body["position"], dtype=float), (count, 3))
        places.append(np.stack([columns[f"{axis}_{body['name']}"] for axis in "xyz"], axis=1) if moves else still)
        turned = np.broadcast_to(np.array(body["orientation"], dtype=float), (count, 4))
        if "qw_" + body["name"] in columns:
            turned = np.stack([columns[f"{part}_{body['name']}"] for part in ("qw", "qx", "qy", "qz")], axis=1)
        turns.append(turned)
    if things["coordinates"]:
        places.append(frames.skeleton.ends[::PER_FRAME, 0])
        turns.append(np.broadcast_to(np.array([1.0, 0, 0, 0]), (count, 4)))

    def listed(parts: list[Array]) -> str:
        every = np.concatenate([part.reshape(count, -1, 3) for part in parts], axis=1) if parts else np.zeros((count, 0, 3))
        return _shorts((every - frames.middle) / frames.half * _FINEST)

    every_turn = np.stack(turns, axis=1) if turns else np.zeros((count, 0, 4))
    return {**things, "ends": listed([ends[:, :at]]), "pivots": listed(pivots), "places": listed(places), "turns": _shorts(every_turn * 32767)}


class View:
    """A run that plays in a notebook: the wheel zooms, a double click sets everything back, and what moves in space is turned by
    dragging. It is the lab's own view where the page is installed (as in wheels) or was built; otherwise a plain drawing of lines.

    >>> import catena as ct
    >>> ct.simulate("conical", duration=1).view()
    <View of conical: 31 frames, ... kB>
    """

    def __init__(self, run: Run, *, fps: float = 30, speed: float = 1, trail: float = 1, size: tuple[int, int] = (480, 480)) -> None:
        self._name = run.scene.name
        self._size = size
        self._run = run
        self._trail = trail
        self._frames = Frames(run, fps, speed, trail)

    def page(self) -> str:
        """The picture as a page of its own, as HTML."""
        script = labs_view()
        return self._plain_page() if script is None else self._page_of_the_lab(script)

    def _page_of_the_lab(self, script: str) -> str:
        frames = self._frames
        data = {"frames": frames.count, "fps": frames.fps, "end": float(frames.times[-1]), "trail": self._trail, "middle": list(frames.middle),
                "half": frames.half, "finest": _FINEST, **_things(self._run, frames)}
        page = _LAB_PAGE.replace("@NAME@", html.escape(self._name))
        for word, text in (("@MOTION@", json.dumps(data, allow_nan=False)), ("@SCRIPT@", script)):
            page = page.replace(word, b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode())
        return page

    def _plain_page(self) -> str:
        import numpy as np

        frames = self._frames
        skeleton = frames.skeleton

        def packed(points: Array) -> str:
            scaled = np.rint((points - frames.middle) / frames.half * _FINEST)
            return b64encode(scaled.astype("<i2").tobytes()).decode()

        shown = [line[::PER_FRAME] for line in skeleton.lines]
        data = {
            "frames": frames.count, "per": PER_FRAME, "fps": frames.fps, "end": float(frames.times[-1]),
            "lines": [line.shape[1] for line in shown], "masses": skeleton.ends.shape[1], "tail": frames.tail,
            "points": packed(np.concatenate([*shown, skeleton.ends[::PER_FRAME]], axis=1)),
            "trail": packed(skeleton.ends[:, skeleton.tip]), "finest": _FINEST, "half": frames.half,
            # Turned about z and then up; a motion in a plane is seen from its front.
            "view": {None: [0.6, 0.35], (0, 2): [0, 0], (1, 2): [np.pi / 2, 0], (0, 1): [0, np.pi / 2]}[frames.flat],
        }
        return _PAGE.replace("DATA", json.dumps(data)).replace("NAME", html.escape(self._name))

    def _repr_html_(self) -> str:
        width, height = self._size
        return (f'<iframe srcdoc="{html.escape(self.page())}" width="{width}" height="{height + 40}" sandbox="allow-scripts" '
                f'style="border:0; max-width:100%" title="{html.escape(self._name)}"></iframe>')

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page: one HTML file that plays anywhere."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page())

    def __repr__(self) -> str:
        return f"<View of {self._name}: {self._frames.count} frames, {len(self.page()) / 1e3:.0f} kB>"


# Nothing comes from elsewhere: browsers see to it.
_CLOSED = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">"""
_STYLE = """:root { color-scheme: light dark; font-size: 13px; } body { margin: 0; font: 13px system-ui, sans-serif; }
canvas { display: block; width: 100%; height: calc(100vh - 36px); touch-action: none; cursor: grab; }
div { display: flex; gap: 8px; align-items: center; height: 36px; padding: 0 8px; } input { flex: 1; }"""

# Script and motion are packed: a browser unpacks them.
_LAB_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">CLOSED<title>@NAME@</title><style>
STYLE
</style></head><body><canvas aria-label="@NAME@"></canvas>
<div><button aria-label="play or pause"></button><input type="range" min="0" value="0" step="1" aria-label="time"><output></output>
<button aria-label="flat or in space"></button></div>
<script type="text/plain" id="packed">@SCRIPT@</script><script type="text/plain" id="motion">@MOTION@</script>
<script>
const unpacked = (id) => new Response(new Blob([Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0))])
  .stream().pipeThrough(new DecompressionStream("gzip"))).text();
Promise.all([unpacked("packed"), unpacked("motion")]).then(([script, motion]) => {
  document.getElementById("motion").textContent = motion;
  document.head.append(Object.assign(document.createElement("script"), { textContent: script }));
});
</script></body></html>
""".replace("STYLE", _STYLE).replace("CLOSED", _CLOSED)

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">CLOSED<title>NAME</title><style>
STYLE
</style></head><body><canvas aria-label="NAME"></canvas>
<div><button aria-label="play or pause">&#10074;&#10074;</button><input type="range" min="0" step="1" aria-label="time"><output></output></div>
<script>
const d = DATA, canvas = document.querySelector("canvas"), pen = canvas.getContext("2d");
const button = document.querySelector("button"), slider = document.querySelector("input"), said = document.querySelector("output");
const numbers = (text) => new Int16Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const points = numbers(d.points), trail = numbers(d.trail), each = d.lines.reduce((a, b) => a + b, 0) + d.masses;
let [turn, up] = d.view, zoom = 1, frame = 0, playing = true, before = null, held = null;
slider.max = d.frames - 1;
const dark = matchMedia("(prefers-color-scheme: dark)");
function draw() {
  const ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
  if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, w, h);
  const scale = zoom * Math.min(w, h) / 2 / d.finest, [a, b, c, s] = [Math.cos(turn), Math.sin(turn), Math.cos(up), Math.sin(up)];
  const at = (array, i) => {
    const x = array[3 * i], y = array[3 * i + 1], z = array[3 * i + 2], across = a * x + b * y, away = a * y - b * x;
    return [w / 2 + scale * across, h / 2 - scale * (c * z + s * away)];
  };
  const path = (array, first, count) => {
    pen.beginPath();
    for (let i = 0; i < count; ++i) pen.lineTo(...at(array, first + i));
    pen.stroke();
  };
  const k = Math.floor(frame), end = k * d.per, from = Math.max(0, end - d.tail);
  pen.lineJoin = "round";
  pen.lineWidth = 1; pen.strokeStyle = "#e8833a"; path(trail, from, end - from + 1);
  pen.lineWidth = 2; pen.strokeStyle = dark.matches ? "#ccc" : "#444";
  let first = k * each;
  for (const count of d.lines) { path(points, first, count); first += count; }
  pen.fillStyle = "#3b82c4";
  for (let i = 0; i < d.masses; ++i) { pen.beginPath(); pen.arc(...at(points, first + i), 4, 0, 7); pen.fill(); }
  slider.value = k;
  said.textContent = "t = " + (d.end * k / (d.frames - 1)).toFixed(2) + " s";
}
function tick(now) {
  if (playing && before !== null) frame = (frame + (now - before) / 1000 * d.fps) % d.frames;
  before = now;
  draw();
  requestAnimationFrame(tick);
}
button.onclick = () => { playing = !playing; button.textContent = playing ? "\\u275a\\u275a" : "\\u25b6"; };
slider.oninput = () => { frame = +slider.value; if (playing) button.click(); };
canvas.onpointerdown = (e) => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
canvas.onpointermove = (e) => {
  if (!held) return;
  turn -= (e.clientX - held[0]) / 150;
  up = Math.max(-1.571, Math.min(1.571, up + (e.clientY - held[1]) / 150));
  held = [e.clientX, e.clientY];
};
canvas.onpointerup = canvas.onpointercancel = () => { held = null; };
canvas.onwheel = (e) => { e.preventDefault(); zoom = Math.max(0.2, Math.min(20, zoom * Math.exp(-e.deltaY / 600))); };
canvas.ondblclick = () => { [turn, up] = d.view; zoom = 1; };
requestAnimationFrame(tick);
</script></body></html>
""".replace("STYLE", _STYLE).replace("CLOSED", _CLOSED)
