"""Numbers as scenes write them. Plain Python, no bpy."""
import math

UNITS = {"rad": 1.0, "deg": math.pi / 180, "pi": math.pi}
SINGLE = 1e-6  # of a number: what single precision may change


def angle(value):
    """Radians of a number, or of text with a unit: "30 deg", "0.25 pi", and rates: "30 deg/s"."""
    if not isinstance(value, str):
        return float(value)
    number, _, unit = value.strip().partition(" ")
    return float(number) * UNITS[unit.strip().removesuffix("/s") or "rad"]


def same(value, default):
    """Equal but for single precision."""
    if isinstance(value, float) and isinstance(default, float):
        return abs(value - default) <= SINGLE * abs(default)
    return value == default
