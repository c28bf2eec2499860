"""Turns, quaternions and units."""
import math
import re

import numpy

UNITS = {"m": (1, 0, 0, 0), "kg": (0, 1, 0, 0), "s": (0, 0, 1, 0), "A": (0, 0, 0, 1), "C": (0, 0, 1, 1), "N": (1, 1, -2, 0),
         "J": (2, 1, -2, 0), "V": (2, 1, -3, -1), "T": (0, 1, -2, -1), "rad": (0, 0, 0, 0), "1": (0, 0, 0, 0)}
ANGLE = re.compile(r"^\s*([-+]?[0-9.eE+-]*?)\s*(deg|degrees?|°|rad|radians?|pi|π)(/s)?\s*$")


def exponents(unit):
    """Of metre, kilogram, second and ampere in a unit as the program writes it: "N m^2/C^2"."""
    total = numpy.zeros(4)
    top, *below = unit.split("/")
    for sign, words in [(1, top)] + [(-1, part) for part in below]:
        for word in words.split():
            name, _, power = word.partition("^")
            total += sign * int(power or 1) * numpy.array(UNITS[name])
    return total


def radians(value):
    """An angle as scenes write it."""
    if not isinstance(value, str):
        return float(value)
    digits, unit, _ = ANGLE.match(value).groups()
    size = float(digits) if digits not in ("", "-", "+") else float(digits + "1")
    return size * {"d": math.pi / 180, "°": math.pi / 180, "r": 1.0, "p": math.pi, "π": math.pi}[unit[0]]


def matrix(q):
    """The rotation of a quaternion w, x, y, z."""
    w, x, y, z = numpy.array(q) / numpy.linalg.norm(q)
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def quaternion(r):
    """The quaternion of a rotation, by the largest of its four squares."""
    t = numpy.trace(r)
    squares = [1 + t, 1 + 2 * r[0, 0] - t, 1 + 2 * r[1, 1] - t, 1 + 2 * r[2, 2] - t]
    k = int(numpy.argmax(squares))
    s = 2 * math.sqrt(squares[k])
    if k == 0:
        q = [s * s / 4, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]
    elif k == 1:
        q = [r[2, 1] - r[1, 2], s * s / 4, r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]]
    elif k == 2:
        q = [r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], s * s / 4, r[1, 2] + r[2, 1]]
    else:
        q = [r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], s * s / 4]
    return [float(c / s) for c in q]


def about(axis, angle):
    """The rotation about an axis."""
    a = numpy.array(axis, float) / numpy.linalg.norm(axis)
    k = numpy.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
    return numpy.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def orientation_matrix(value):
    """An orientation in any of the forms that scenes have."""
    if value is None:
        return numpy.eye(3)
    if isinstance(value, list):
        return matrix(value)
    if "axis" in value:
        return about(value["axis"], radians(value["angle"]))
    x, y, z = (radians(angle) for angle in value["euler_xyz"])
    return about([1, 0, 0], x) @ about([0, 1, 0], y) @ about([0, 0, 1], z)  # about x, then the new y, then the new z


def plain(vector):
    return [float(c) for c in vector]
