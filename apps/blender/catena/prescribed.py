"""Motions that keyframes give, as formulas of time for the motors of joints. Plain Python and NumPy, no bpy."""
import itertools

import numpy as np

from .motion import quaternions, without_sign_flips

MOST_TILT = np.radians(60.0)  # of the middle one of three angles: near a quarter turn the outer two are one
MOST_TURN = np.radians(90.0)  # from one frame to the next: beyond, nobody knows which way it went
BASES = 60                    # ways to choose three axes that are tried


class NoPrescription(Exception):
    """Keyframes that no chain of joints can follow."""


# ---- numbers over time ------------------------------------------------------------------------------------


def curvatures(values, step):
    """Second derivatives of the cubic spline through values at equal steps, without a knot next to each end."""
    bends = np.diff(values, 2) / step**2
    if len(bends) < 3:
        mean = bends.mean() if len(bends) else 0.0
        return np.full(len(values), mean)
    inner = solved(6 * bends[1:-1] - outer(bends))
    middle = np.concatenate([[bends[0]], inner, [bends[-1]]])
    return np.concatenate([[2 * middle[0] - middle[1]], middle, [2 * middle[-1] - middle[-2]]])


def outer(bends):
    """What is known already of the first and of the last equation."""
    known = np.zeros(len(bends) - 2)
    known[0] += bends[0]
    known[-1] += bends[-1]
    return known


def solved(right):
    """x with x[i - 1] + 4 x[i] + x[i + 1] = right[i]."""
    ratio, x = np.empty(len(right)), np.array(right, dtype=float)
    last = 0.0
    for i in range(len(x)):
        ratio[i] = 1.0 / (4.0 - last)
        x[i] = (x[i] - (x[i - 1] if i else 0.0)) * ratio[i]
        last = ratio[i]
    for i in range(len(x) - 2, -1, -1):
        x[i] -= ratio[i] * x[i + 1]
    return x


def slopes(values, bends, step):
    ahead = np.diff(values) / step - step * (2 * bends[:-1] + bends[1:]) / 6
    end = (values[-1] - values[-2]) / step + step * (2 * bends[-1] + bends[-2]) / 6
    return np.append(ahead, end)


def joined(values, rates, bends, i, j, step):
    """Coefficients of the polynomial of degree 5 in t - t_i with value, rate and second derivative of both ends."""
    h = (j - i) * step
    start = np.array([values[i], rates[i], bends[i] / 2])
    rest = np.array([values[j] - start @ [1, h, h * h], rates[j] - start @ [0, 1, 2 * h], bends[j] - 2 * start[2]])
    a, b, c = rest / [h**3, h**2, h]
    return np.concatenate([start, [10 * a - 4 * b + c / 2, (-15 * a + 7 * b - c) / h, (6 * a - 3 * b + c / 2) / h**2]])


def pieces(values, step, tolerance):
    """[(time, coefficients), ..]: a curve with continuous second derivatives through values at times 0, step, .. It is the
    cubic spline where that is needed, with as few pieces as meet all values within the tolerance."""
    values = np.asarray(values, dtype=float)
    bends = curvatures(values, step)
    rates = slopes(values, bends, step)
    out, i, span = [], 0, len(values) - 1
    while i < len(values) - 1:
        j = min(i + 2 * span, len(values) - 1)
        while True:
            curve = joined(values, rates, bends, i, j, step)
            times = np.arange(j - i + 1) * step
            if j == i + 1 or np.abs(np.polynomial.polynomial.polyval(times, curve) - values[i:j + 1]).max() <= tolerance:
                break
            j = i + max(1, (j - i) // 2)
        out.append((i * step, curve))
        i, span = j, j - i
    return out


def formula(parts):
    """The formula of t of pieces; deep ones are found by halving."""
    if len(parts) > 1:
        half = len(parts) // 2
        return f"choose(t - {number(parts[half][0])}, {formula(parts[half:])}, {formula(parts[:half])})"
    time, curve = parts[0]
    since = f"(t - {number(time)})" if time else "t"
    text = number(curve[-1])
    for one in curve[-2::-1]:
        text = f"({number(one)} + {since}*{text})"
    return text


def number(value):
    return f"{float(value) + 0.0:.17g}"


# ---- places and turns over time ---------------------------------------------------------------------------


def along_axes(moves, tolerance):
    """[(axis, values), ..] whose sum is `moves`, vectors [rows, 3] that begin with 0: one axis where they keep to it."""
    axis = main_axis(moves)
    along = moves @ axis
    if np.abs(moves - along[:, None] * axis).max() <= tolerance:
        return [(axis, along)] if np.abs(along).max() > tolerance else []
    return [(np.eye(3)[i], moves[:, i]) for i in range(3) if np.abs(moves[:, i]).max() > tolerance]


def main_axis(vectors):
    """The unit vector that they lie along best; one of the world's axes is exactly that."""
    axis = np.linalg.svd(vectors, full_matrices=False)[2][0]
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    axis[np.abs(axis) < 1e-6] = 0.0
    return axis / np.linalg.norm(axis)


def pivot_of(places, turns, tolerance):
    """The point about which a body only turns, whose centre goes along `places`, or None: p = c + R (p_0 - c)."""
    rows = (np.eye(3) - turns).reshape(-1, 3)
    right = (places - turns @ places[0]).reshape(-1)
    offset = np.linalg.lstsq(rows, right - rows @ places[0], rcond=1e-6)[0]  # the nearest one to where it begins
    left = np.abs(rows @ (places[0] + offset) - right).max()
    return places[0] + offset if left <= tolerance else None


def about_axes(turns, tolerance):
    """[(axis, angles), ..]: rotations [rows, 3, 3] that begin with none, as turns one after the other about axes that go
    along. Raises NoPrescription."""
    if turned_by(turns).max() > MOST_TURN:
        raise NoPrescription("it turns by more than a quarter turn from one frame to the next; let it turn more slowly")
    quats = without_sign_flips(quaternions(turns), near=np.array([1.0, 0.0, 0.0, 0.0]))
    axis = main_axis(quats[:, 1:])
    along = quats[:, 1:] @ axis
    if np.abs(quats[:, 1:] - along[:, None] * axis).max() <= tolerance:
        angles = np.unwrap(2 * np.arctan2(along, quats[:, 0]))
        return [(axis, angles - angles[0])] if np.abs(angles - angles[0]).max() > tolerance else []
    basis, order = least_tilt(turns)
    angles = three_angles(basis.T @ turns @ basis, order)
    return [(basis[:, i], np.unwrap(one)) for i, one in zip(order, angles) if np.abs(one).max() > tolerance]


def turned_by(turns):
    """Angles from each row to the next."""
    steps = quaternions(turns[1:] @ np.swapaxes(turns[:-1], 1, 2))
    return 2 * np.arctan2(np.linalg.norm(steps[:, 1:], axis=1), np.abs(steps[:, 0]))


def least_tilt(turns):
    """A basis and the order of its axes with which the middle angle stays small, the world's own where that will do. The
    outer angles then go by 1 / cos(tilt) of the turn at most; where they leap, the way between frames is another one."""
    most = np.minimum(turned_by(turns) * 1.1 / np.cos(MOST_TILT) + 1e-4, MOST_TURN)
    for basis in bases():
        seen = basis.T @ turns @ basis
        for order in itertools.permutations(range(3)):
            angles = np.unwrap(three_angles(seen, order), axis=1)
            if np.abs(angles[1]).max() <= MOST_TILT and (np.abs(np.diff(angles, axis=1)) <= most).all():
                return basis, order
    raise NoPrescription("it turns about too many axes; let it turn about fewer")


def bases():
    """The world's axes, and others in all directions."""
    yield np.eye(3)
    random = np.random.default_rng(1)
    for _ in range(BASES):
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
        yield axes * np.sign(np.linalg.det(axes))


def three_angles(turns, order):
    """a, b, c with turns = R_i(a) R_j(b) R_k(c), for the axes i, j, k of `order`."""
    i, j, k = order
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    tilt = np.arcsin(np.clip(sign * turns[:, i, k], -1.0, 1.0))
    return (np.arctan2(-sign * turns[:, j, k], turns[:, k, k]), tilt, np.arctan2(-sign * turns[:, i, j], turns[:, i, i]))
