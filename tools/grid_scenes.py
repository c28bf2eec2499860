#!/usr/bin/env python3
"""Writes mechanisms of many like parts as scenes: `tools/grid_scenes.py chain-mail 30`.

The shipped scenes ladder, scissor-lift, chain-mail and strandbeest are what it writes without numbers; `--check` compares them.
"""
import math
import pathlib
import sys


def number(value):
    text = f"{value:.15g}"
    return "0" if text == "-0" else text


class Scene:
    """Rods along planes of x and z, named, and joints between them."""

    def __init__(self, about, settings):
        self.lines = [f"# {line}" for line in about] + ["[simulation]"] + settings
        self.joints = []

    def rod(self, name, start, end, mass=None):
        length = math.dist(start, end)
        middle = [(a + b) / 2 for a, b in zip(start, end)]
        angle = math.degrees(math.atan2(-(end[2] - start[2]), end[0] - start[0]))
        self.lines += ["", "[[bodies]]", f'name = "{name}"', 'shape = "rod"', f"length = {number(length)}",
                       f"mass = {number(length if mass is None else mass)}",
                       f"position = [{', '.join(map(number, middle))}]"]
        if number(angle) != "0":
            self.lines.append(f'orientation = {{ axis = [0, 1, 0], angle = "{number(angle)} deg" }}')

    def joint(self, kind, first, second, point, more=()):
        at = ", ".join(map(number, point))
        self.joints += ["", "[[joints]]", f'kind = "{kind}"', f'bodies = ["{first}", "{second}"]', f"point = [{at}]"]
        if kind == "revolute":
            self.joints.append("axis = [0, 1, 0]")
        self.joints += list(more)

    def hinge(self, first, second, point, more=()):
        self.joint("revolute", first, second, point, more)

    def text(self):
        return "\n".join(self.lines + self.joints) + "\n"


def ladder(cells=40):
    scene = Scene(["A rope ladder: rails and rungs on hinges, each cell a loop of its own that can shear."],
                  ["duration = 5.0"])
    side, high = 0.4, 0.3
    for k in range(1, cells + 1):
        for name, x in (("left", 0.0), ("right", side)):
            top, end = (x, 0, -high * (k - 1)), (x, 0, -high * k)
            scene.rod(f"{name}{k}", top, end)
            more = ["rate = 1.5"] if k == 1 and name == "left" else []
            scene.hinge(f"{name}{k - 1}" if k > 1 else "ground", f"{name}{k}", top, more)
        scene.rod(f"rung{k}", (0, 0, -high * k), (side, 0, -high * k))
        scene.hinge(f"left{k}", f"rung{k}", (0, 0, -high * k))
        scene.hinge(f"right{k}", f"rung{k}", (side, 0, -high * k))
    return scene.text()


def scissor_lift(stages=8):
    scene = Scene(["A scissor lift: crossed bars in stages; a motor at one foot turns all of them, the other foot slides."],
                  ["duration = 6.283185307179586"])
    wide, high = 0.8, 0.3
    for k in range(1, stages + 1):
        low, top = high * (k - 1), high * k
        scene.rod(f"up{k}", (0, 0, low), (wide, 0, top))
        scene.rod(f"down{k}", (0, 0, top), (wide, 0, low))
        scene.hinge(f"up{k}", f"down{k}", (wide / 2, 0, (low + top) / 2))
        if k > 1:
            scene.hinge(f"down{k - 1}", f"up{k}", (0, 0, low))
            scene.hinge(f"up{k - 1}", f"down{k}", (wide, 0, low))
    scene.hinge("ground", "up1", (0, 0, 0), ['motor = { angle = "0.35*(cos(t) - 1)" }'])
    scene.joint("point-on-line", "ground", "down1", (wide, 0, 0), ["axis = [1, 0, 0]"])
    return scene.text()


def chain_mail(wide=8, high=0):
    """Rings of four rods that share their sides, on ball joints, held along one edge."""
    high = high or wide
    scene = Scene([f"A curtain of chain mail: {wide} x {high} rings of four rods on ball joints, each side shared by two rings.",
                   "It hangs from its upper edge, and a gust has just hit it."], ["duration = 1.0"])
    size = 0.1
    ends = {}
    for i in range(wide + 1):
        for j in range(high + 1):
            here = (size * i, 0, -size * j)
            for name, to in ((f"across{i}-{j}", (i + 1, j)), (f"down{i}-{j}", (i, j + 1))):
                if to[0] > wide or to[1] > high or (j == 0 and to[1] == 0):
                    continue
                scene.rod(name, here, (size * to[0], 0, -size * to[1]))
                first, second = (2.0 * math.sin(math.pi * x / wide) * z / high for x, z in ((i, j), to))
                turning = (second - first) / size
                turning = [0, 0, turning] if to[0] > i else [turning, 0, 0]
                scene.lines += [f"velocity = [0, {number((first + second) / 2)}, 0]",
                                f"angular_velocity = [{', '.join(map(number, turning))}]"]
                for node in ((i, j), to):
                    ends.setdefault(node, []).append(name)
    for (i, j), rods in ends.items():
        at = (size * i, 0, -size * j)
        if j == 0:
            rods = ["ground"] + rods
        for other in rods[1:]:
            scene.joint("ball", rods[0], other, at)
    return scene.text()


def meeting(a, from_a, b, from_b, side):
    """Where two circles meet: to the left of the way from a to b (side = 1), or to its right."""
    x, z = b[0] - a[0], b[2] - a[2]
    apart = math.hypot(x, z)
    along = (apart**2 + from_a**2 - from_b**2) / (2 * apart)
    off = side * math.sqrt(from_a**2 - along**2)
    return (a[0] + (along * x - off * z) / apart, a[1], a[2] + (along * z + off * x) / apart)


def strandbeest(pairs=3):
    scene = Scene(["Legs of Theo Jansen's Strandbeest on one crankshaft: eleven rods each, on hinges, walking on the spot."],
                  ["duration = 6.283185307179586"])
    unit = 0.01
    a, b, c, d, e, f, g, h, i, j, k, low, m = (unit * length for length in (
        38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15))
    for p in range(1, pairs + 1):
        y = 0.25 * (p - 1)
        phase = 2 * math.pi * (p - 1) / pairs + 0.3
        centre, pin = (0, y, 0), (m * math.cos(phase), y, m * math.sin(phase))
        crank = f"crank{p}"
        scene.rod(crank, centre, pin)
        if p == 1:
            scene.hinge("ground", crank, centre, ['motor = { angle = "2*t" }'])
        else:
            scene.joint("fixed", "crank1", crank, centre)
        for way, name in ((1, "l"), (-1, "r")):
            hip = (-way * a, y, -low)
            top = meeting(pin, j, hip, b, -way)
            knee = meeting(pin, k, hip, c, way)
            out = meeting(hip, d, top, e, way)
            heel = meeting(out, f, knee, g, -way)
            foot = meeting(knee, i, heel, h, way)
            rods = {"j": (pin, top), "b": (hip, top), "d": (hip, out), "e": (top, out), "k": (pin, knee),
                    "c": (hip, knee), "f": (out, heel), "g": (heel, knee), "h": (heel, foot), "i": (knee, foot)}
            for rod, (start, end) in rods.items():
                scene.rod(f"{rod}{p}{name}", start, end)
            meet = [(pin, [crank, "j", "k"]), (hip, ["ground", "b", "d", "c"]), (top, ["b", "j", "e"]),
                    (out, ["d", "e", "f"]), (knee, ["c", "k", "g", "i"]), (heel, ["f", "g", "h"]), (foot, ["h", "i"])]
            for at, there in meet:
                full = [one if one in ("ground", crank) else f"{one}{p}{name}" for one in there]
                for other in full[1:]:
                    scene.hinge(full[0], other, at)
    return scene.text()


SCENES = {"ladder": ladder, "scissor-lift": scissor_lift, "chain-mail": chain_mail, "strandbeest": strandbeest}


def check():
    folder = pathlib.Path(__file__).resolve().parent.parent / "scenes"
    wrong = [name for name, write in SCENES.items() if (folder / f"{name}.toml").read_text() != write()]
    if wrong:
        sys.exit(f"tools/grid_scenes.py writes other scenes than those shipped: {', '.join(wrong)}")


def main(arguments):
    if arguments == ["--check"]:
        return check()
    if not arguments or arguments[0] not in SCENES:
        sys.exit(f"usage: grid_scenes.py {'|'.join(SCENES)} [NUMBER..] | --check")
    sys.stdout.write(SCENES[arguments[0]](*map(int, arguments[1:])))


if __name__ == "__main__":
    main(sys.argv[1:])
