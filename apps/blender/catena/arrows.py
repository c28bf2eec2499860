"""Lines that show velocities, axes and limits. Plain NumPy, no bpy."""
import math

import numpy as np


def across(direction):
    """Two unit vectors that make a right-handed frame with a direction."""
    direction = np.asarray(direction, dtype=float) / max(np.linalg.norm(direction), 1e-300)
    other = np.array([1.0, 0, 0]) if abs(direction[0]) < 0.9 else np.array([0, 1.0, 0])
    first = np.cross(direction, other)
    first /= np.linalg.norm(first)
    return first, np.cross(direction, first)


def arrow(start, vector, head=0.15):
    """Pairs of points: a shaft and four strokes of a head."""
    start, vector = np.asarray(start, dtype=float), np.asarray(vector, dtype=float)
    length = np.linalg.norm(vector)
    if length == 0:
        return []
    end, (u, v) = start + vector, across(vector)
    back = end - head * vector
    lines = [start, end]
    for side in (u, -u, v, -v):
        lines += [end, back + 0.4 * head * length * side]
    return lines


def arc(center, axis, low, high, radius, zero=None):
    """Pairs of points: an arc about an axis between two angles, and its two ends' radii."""
    u, v = across(axis)
    if zero is not None and np.linalg.norm(np.cross(zero, axis)) > 1e-9:
        axis = np.asarray(axis) / np.linalg.norm(axis)
        u = np.asarray(zero) - np.dot(zero, axis) * axis
        u, v = u / np.linalg.norm(u), np.cross(axis, u / np.linalg.norm(u))
    steps = max(2, int(abs(high - low) / math.radians(6)) + 1)
    angles = np.linspace(low, high, steps + 1)
    points = [np.asarray(center) + radius * (math.cos(a) * u + math.sin(a) * v) for a in angles]
    lines = [center, points[0], center, points[-1]]
    for a, b in zip(points, points[1:]):
        lines += [a, b]
    return lines


def spin(center, rate, radius):
    """Pairs of points: three quarters of a circle about an angular velocity, with the head that shows its sense."""
    u, v = across(rate)
    lines = arc(center, rate, 0.0, 1.5 * math.pi, radius)[4:]
    tip = np.asarray(center) - radius * v
    for side in (0.2 * v, -0.2 * v):
        lines += [tip, tip + radius * (side - 0.25 * u)]
    return lines
