#!/usr/bin/env python3
"""Draws the paths of a recorded run's bobs as an SVG, seen from above at an angle, with the chain at a few instants.

usage: draw_paths.py RUN.csv PICTURE.svg [--from S] [--to S] [--instants N] [--azimuth DEG]

RUN.csv is a recording of `catena run` with positions in it. Rows should lie close together, 2 ms or so: the paths are
drawn straight from one to the next, and points that make no difference to the eye are left out.
"""
import argparse
import json
import math
import re
import sys
from pathlib import Path

PAPER, INK, GROUND, FAINT, PLUMB = "#fcfcfa", "#22262b", "#f3f3ee", "#dfdfd8", "#b9b9b1"
# M. Okabe and K. Ito, "Color universal design" (2008): told apart by colour-blind people too.
FEW_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MANY_COLOURS = ("#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#e0a800")  # cividis, darkened at its end
ELEVATION = math.degrees(math.asin(math.tan(math.radians(30))))  # isometric: the three axes look equally long
FLATNESS = 0.12  # px that a path may leave out
AGES = 40        # shades from the oldest part of a path to the newest


class View:
    """Parallel projection of world points to the picture, in metres until scale and origin are set."""

    def __init__(self, azimuth):
        self.turn, self.lift = math.radians(azimuth), math.radians(ELEVATION)
        self.scale, self.origin = 1.0, (0.0, 0.0)

    def __call__(self, point):
        x, y, z = point
        right = -x * math.sin(self.turn) + y * math.cos(self.turn)
        near = x * math.cos(self.turn) + y * math.sin(self.turn)
        up = z * math.cos(self.lift) - near * math.sin(self.lift)
        return self.origin[0] + self.scale * right, self.origin[1] - self.scale * up

    def fit(self, points, width, height, margin):
        """Chooses scale and origin so that all points lie inside the margins, in the middle."""
        flat = [self(point) for point in points]
        left, right = min(p[0] for p in flat), max(p[0] for p in flat)
        top, bottom = min(p[1] for p in flat), max(p[1] for p in flat)
        self.scale = min((width - 2 * margin) / max(right - left, 1e-9),
                         (height - 2 * margin) / max(bottom - top, 1e-9))
        self.origin = (0.5 * (width - self.scale * (left + right)), 0.5 * (height - self.scale * (top + bottom)))


def read_run(path):
    """Times, the positions of each bob by name ("1", or "chain_1"), and the scene."""
    scene, header, rows = {}, None, []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("# scene: "):
                scene = json.loads(line[len("# scene: "):])
            elif line.startswith("#"):
                continue
            elif header is None:
                header = line.strip().split(",")
            else:
                rows.append([float(cell) for cell in line.split(",")])
    names = [name[2:] for name in header or [] if re.fullmatch(r"x_(.+_)?\d+", name)]
    if not names or not rows:
        sys.exit(f"{path}: no positions in it; record with --quantities position")
    place = {name: column for column, name in enumerate(header)}
    bobs = {name: [tuple(row[place[f"{axis}_{name}"]] for axis in "xyz") for row in rows] for name in names}
    return [row[0] for row in rows], bobs, scene


def joints_above(bobs, scene):
    """For each bob what its link hangs from: the name of another bob, or the place of the pivot."""
    above = {}
    for chain in scene.get("chains", [scene.get("chain", {})]):
        prefix = f"{chain['name']}_" if "name" in chain else ""
        count = 0
        for entry in chain.get("links", []):
            parent = entry.get("parent", count)
            for _ in range(entry.get("repeat", 1)):
                count += 1
                pivot = tuple(chain.get("pivot", (0.0, 0.0, 0.0)))
                above[f"{prefix}{count}"] = f"{prefix}{parent}" if parent else pivot
                parent = count
    return {name: above.get(name, (0.0, 0.0, 0.0)) for name in bobs}


def mixed(colour, other, share):
    """`share` of the other colour in the first one."""
    pairs = [(int(colour[i:i + 2], 16), int(other[i:i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def colours(count):
    if count <= len(FEW_COLOURS):
        return FEW_COLOURS[:count]
    places = [i * (len(MANY_COLOURS) - 1) / (count - 1) for i in range(count)]
    lower = [min(int(place), len(MANY_COLOURS) - 2) for place in places]
    return [mixed(MANY_COLOURS[k], MANY_COLOURS[k + 1], place - k) for place, k in zip(places, lower)]


def thinned(points):
    """The polyline without points that lie within FLATNESS of what remains (D. Douglas and T. Peucker, 1973)."""
    keep, spans = {0, len(points) - 1}, [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        (ax, ay), (bx, by) = points[first], points[last]
        square = (bx - ax) ** 2 + (by - ay) ** 2
        farthest, distance = None, FLATNESS
        for k in range(first + 1, last):
            x, y = points[k][0] - ax, points[k][1] - ay
            along = min(1.0, max(0.0, (x * (bx - ax) + y * (by - ay)) / square)) if square > 0 else 0.0
            away = math.hypot(x - along * (bx - ax), y - along * (by - ay))
            if away > distance:
                farthest, distance = k, away
        if farthest is not None:
            keep.add(farthest)
            spans += [(first, farthest), (farthest, last)]
    return [points[k] for k in sorted(keep)]


def path_data(points):
    """SVG path through the points: relative moves in tenths of a pixel, summed exactly."""
    tenths = [(round(10 * x), round(10 * y)) for x, y in points]
    moves = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(tenths, tenths[1:])]
    text = "".join(f"{'' if dx < 0 and i else ' ' if i else ''}{dx / 10:g}{'' if dy < 0 else ' '}{dy / 10:g}"
                   for i, (dx, dy) in enumerate(moves))
    return f"M{tenths[0][0] / 10:g} {tenths[0][1] / 10:g}l{text}"


def ring(center, radius, low):
    turns = [math.radians(degrees) for degrees in range(0, 360, 5)]
    return [(center[0] + radius * math.cos(a), center[1] + radius * math.sin(a), low) for a in turns]


def draw_floor(view, center, radii, low, tip):
    """Rings on the ground below the pivot, the plumb line down to them, and the shadow of the tip's path."""
    for r in reversed(radii):
        fill = GROUND if r == radii[-1] else "none"
        yield f'<path d="{path_data([view(p) for p in ring(center, r, low)])}z" fill="{fill}" stroke="{FAINT}"/>'
    shadow = thinned([view((x, y, low)) for x, y, _ in tip])
    yield f'<path d="{path_data(shadow)}" stroke="{FAINT}" stroke-width="1.6"/>'
    (ax, ay), (bx, by) = view(center), view((center[0], center[1], low))
    yield f'<path d="M{ax:.1f} {ay:.1f}V{by:.1f}" stroke="{PLUMB}" stroke-dasharray="2 5"/>'
    yield f'<circle cx="{bx:.1f}" cy="{by:.1f}" r="2.2" fill="{PLUMB}"/>'


def draw_paths(view, bobs, first, last, paint):
    """Older parts first and paler, so that the newest lie on top."""
    flat = {name: [view(point) for point in bobs[name][first:last + 1]] for name in bobs}
    count = last - first
    for age in range(AGES):
        begin, end = count * age // AGES, count * (age + 1) // AGES
        newness = (age + 1) / AGES
        for name, colour in paint.items():
            if end - begin < 1:
                continue
            shade = mixed(PAPER, colour, 0.34 + 0.66 * newness ** 1.4)
            data = path_data(thinned(flat[name][begin:end + 1]))
            yield f'<path d="{data}" stroke="{shade}" stroke-width="{0.7 + 1.1 * newness:.2f}"/>'


def draw_chain(view, bobs, above, row, paint, newness):
    """Rods and bobs at one instant."""
    rod = mixed(PAPER, INK, 0.2 + 0.8 * newness)
    for name in bobs:
        upper = above[name] if isinstance(above[name], tuple) else bobs[above[name]][row]
        (ax, ay), (bx, by) = view(upper), view(bobs[name][row])
        yield (f'<path d="M{ax:.1f} {ay:.1f}L{bx:.1f} {by:.1f}" stroke="{rod}" '
               f'stroke-width="{1 + 1.4 * newness:.1f}"/>')
    radius, rim = (5.2, 1.4) if len(bobs) <= 12 else (2.6, 0.5)
    for name in bobs:
        x, y = view(bobs[name][row])
        fill = mixed(PAPER, paint[name], 0.3 + 0.7 * newness)
        yield (f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius * (0.62 + 0.38 * newness):.1f}" fill="{fill}" '
               f'stroke="{PAPER}" stroke-width="{rim}"/>')


def draw_legend(span, gap, paint, width, height, margin):
    style = f'font-family="system-ui, sans-serif" font-size="13" fill="{mixed(PAPER, INK, 0.75)}"'
    y = height - margin / 2
    if len(paint) <= 8:
        for i, (name, colour) in enumerate(paint.items()):
            x = margin + 62 * i
            yield f'<circle cx="{x:.1f}" cy="{y - 4.5:.1f}" r="4.5" fill="{colour}"/>'
            yield f'<text x="{x + 10:.1f}" y="{y:.1f}" {style}>bob {name}</text>'
    words = f"t = {span[0]:g} to {span[1]:g} s; rings {gap:g} m apart"
    yield f'<text x="{width - margin:.1f}" y="{y:.1f}" text-anchor="end" {style}>{words}</text>'


def picture(times, bobs, scene, options):
    last = max(i for i, t in enumerate(times) if t <= options.end) if times[0] <= options.end else 0
    first = min(next((i for i, t in enumerate(times) if t >= options.start), last), last)
    above = joints_above(bobs, scene)
    pivots = list(dict.fromkeys(place for place in above.values() if isinstance(place, tuple)))
    paint = dict(zip(bobs, colours(len(bobs))))
    seen = [point for name in bobs for point in bobs[name][first:last + 1]] + pivots
    low = min(point[2] for point in seen)
    reach = max(math.hypot(p[0] - pivots[0][0], p[1] - pivots[0][1]) for p in seen)
    gap = 10.0 ** math.floor(math.log10(max(reach, 1e-9)))
    radii = [gap * k for k in range(1, max(1, int(reach / gap)) + 1)]
    view, width, height, margin = View(options.azimuth), options.width, options.height, 0.05 * options.width
    view.fit(seen + ring(pivots[0], radii[-1], low), width, height - 0.5 * margin, margin)
    rows = [first + (last - first) * k // max(1, options.instants - 1) for k in range(options.instants)] or [last]

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
           f'height="{height}" fill="none" stroke-linejoin="round">')
    yield f"<title>Paths of {len(bobs)} bobs</title>"
    yield f'<rect width="100%" height="100%" rx="10" fill="{PAPER}"/>'
    tip = bobs[list(bobs)[-1]][first:last + 1]
    yield from draw_floor(view, pivots[0], radii, low, tip)
    yield from draw_paths(view, bobs, first, last, paint)
    yield '<g stroke-linecap="round">'
    for k, row in enumerate(rows):
        yield from draw_chain(view, bobs, above, row, paint, (k + 1) / len(rows))
    for pivot in pivots:
        x, y = view(pivot)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{INK}" stroke="{PAPER}" stroke-width="1.4"/>'
    yield "</g>"
    yield from draw_legend((times[first], times[last]), gap, paint, width, height, margin)
    yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", metavar="RUN.csv")
    parser.add_argument("picture", metavar="PICTURE.svg", type=Path)
    parser.add_argument("--from", dest="start", metavar="S", type=float, default=0.0, help="first instant drawn")
    parser.add_argument("--to", dest="end", metavar="S", type=float, default=math.inf, help="last instant drawn")
    parser.add_argument("--instants", metavar="N", type=int, default=4, help="how often the chain is drawn (4)")
    parser.add_argument("--azimuth", metavar="DEG", type=float, default=45.0, help="where the eye is (45)")
    parser.add_argument("--width", metavar="PX", type=int, default=800, help="of the picture (800)")
    parser.add_argument("--height", metavar="PX", type=int, default=640, help="of the picture (640)")
    options = parser.parse_args()
    times, bobs, scene = read_run(options.run)
    options.picture.write_text("\n".join(picture(times, bobs, scene, options)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
