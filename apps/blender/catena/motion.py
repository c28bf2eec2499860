"""Recorded runs as arrays, and rigid motions as locations and rotations. Plain Python and NumPy, no bpy."""
import json
import zipfile

import numpy as np


class RunError(Exception):
    """A file that is no recorded run that can be shown."""


class Run:
    """A recorded run: columns by name, and what stands beside them."""

    def __init__(self, columns, scene, summary, drawing):
        self.columns, self.scene, self.summary, self.drawing = columns, scene, summary or {}, drawing
        self.times = columns["t"]

    def has(self, *names):
        return all(name in self.columns for name in names)

    def vectors(self, label, stems=("x", "y", "z")):
        """An array [rows, len(stems)], or None where a column is missing."""
        names = [f"{stem}_{label}" for stem in stems]
        return np.stack([self.columns[name] for name in names], axis=1) if self.has(*names) else None

    def body_names(self):
        """Names of all bodies whose motion is in the columns, in their order."""
        bodies = (self.scene or {}).get("bodies", [])
        return [body["name"] for body in bodies if self.has(f"x_{body['name']}")]

    def joint_names(self):
        """Names of all joints whose forces are in the columns."""
        joints = (self.scene or {}).get("joints", [])
        return [joint["name"] for joint in joints if "name" in joint and self.has(f"fx_{joint['name']}")]

    def poses(self, label):
        """Positions [rows, 3] and unit quaternions w, x, y, z [rows, 4] of a body."""
        positions = self.vectors(label)
        if positions is None:
            raise RunError(f"the run has no positions of '{label}': record it with --quantities position,orientation")
        turns = self.vectors(label, ("qw", "qx", "qy", "qz"))
        if turns is None:  # a point
            turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(positions), 1))
        return positions, turns

    def finite_rows(self):
        """How many rows from the first on have only numbers: a run that failed may end with others."""
        bad = np.zeros(len(self.times), dtype=bool)
        for name, column in self.columns.items():
            if name.split("_")[0] in ("x", "y", "z", "qw", "qx", "qy", "qz"):
                bad |= ~np.isfinite(column)
        return int(np.argmax(bad)) if bad.any() else len(bad)


def number(value):
    if value is None:
        return np.nan
    return float(value)  # "inf" and "-inf" as well


def run_from_json(text):
    try:
        data = json.loads(text)
    except ValueError as error:
        raise RunError(f"this is no JSON: {error}") from None
    if not isinstance(data, dict) or "t" not in data.get("columns", {}):
        raise RunError("this is no recorded run: it has no columns")
    if data.get("format", 1) != 1:
        raise RunError(f"a later version wrote this run: format {data['format']}, and this add-on reads 1")
    columns = {}
    for name, values in data["columns"].items():
        try:
            columns[name] = np.array(values, dtype=float)
        except (TypeError, ValueError):
            columns[name] = np.array([number(value) for value in values])
    return Run(columns, data.get("scene"), data.get("summary"), data.get("drawing"))


def run_from_npz(path):
    try:
        return arrays_of(path)
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise RunError(f"this is no recorded run: {error}") from None


def arrays_of(path):
    with np.load(path) as arrays:
        stems = json.loads(str(arrays["stems"]))
        alone = {stem[0] for stem in stems if len(stem) == 1}
        columns = {}
        for stem, *labels in stems:
            if not labels:
                columns[stem] = arrays[stem]
                continue
            block = arrays[stem + "_each" if stem in alone else stem]
            for i, label in enumerate(labels):
                columns[f"{stem}_{label}"] = block[:, i]
        scene, summary = str(arrays["scene"]), str(arrays["summary"])
    return Run(columns, json.loads(scene) if scene else None, json.loads(summary) if summary else None, None)


def read_run(path):
    if str(path).endswith(".npz"):
        return run_from_npz(path)
    with open(path, encoding="utf-8", errors="replace") as file:
        return run_from_json(file.read())


# ---- rotations --------------------------------------------------------------------------------------------


def matrices(positions, turns):
    """Rigid motions [rows, 4, 4] from positions and quaternions w, x, y, z."""
    w, x, y, z = np.moveaxis(turns / np.linalg.norm(turns, axis=1, keepdims=True), 1, 0)
    out = np.zeros((len(positions), 4, 4))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    out[:, :3, 3] = positions
    out[:, 3, 3] = 1.0
    return out


def quaternions(rotations):
    """Unit quaternions w, x, y, z [rows, 4] of rotation matrices [rows, 3, 3]: S. W. Shepperd (1978), which
    divides by the largest component."""
    m = rotations
    a, b, c = m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]
    squares = np.stack([1 + a + b + c, 1 + a - b - c, 1 - a + b - c, 1 - a - b + c], axis=1) / 4
    xy, xz, yz = m[:, 0, 1] + m[:, 1, 0], m[:, 0, 2] + m[:, 2, 0], m[:, 1, 2] + m[:, 2, 1]
    wx, wy, wz = m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]
    four = 4 * squares
    candidates = np.stack([np.stack([four[:, 0], wx, wy, wz], 1), np.stack([wx, four[:, 1], xy, xz], 1),
                           np.stack([wy, xy, four[:, 2], yz], 1), np.stack([wz, xz, yz, four[:, 3]], 1)], axis=1)
    chosen = candidates[np.arange(len(m)), np.argmax(squares, axis=1)]
    return chosen / np.linalg.norm(chosen, axis=1, keepdims=True)


def without_sign_flips(turns, near=None):
    """q and -q are the same rotation: each row gets the sign that is nearest to the row before, the first one
    that nearest to `near`."""
    turns = np.array(turns, dtype=float)
    if len(turns) == 0:
        return turns
    signs = np.ones(len(turns))
    signs[1:] = np.where(np.einsum("ij,ij->i", turns[1:], turns[:-1]) < 0, -1.0, 1.0)
    if near is not None and np.dot(turns[0], near) < 0:
        signs[0] = -1.0
    return turns * np.cumprod(signs)[:, None]


def basis_poses(bases, scale):
    """Locations, quaternions and a measure of what they cannot express, of matrices [rows, 4, 4] that should
    be location x rotation x scale. The measure is 0 where they are."""
    locations = bases[:, :3, 3]
    rotations = bases[:, :3, :3] / np.asarray(scale, dtype=float)[None, None, :]
    error = np.abs(rotations @ np.swapaxes(rotations, 1, 2) - np.eye(3)).max() if len(bases) else 0.0
    return locations, quaternions(rotations), float(error)


def aligned(directions):
    """Quaternions that turn -z to unit vectors, about an axis across both."""
    x, y, z = np.moveaxis(directions, 1, 0)
    turns = np.stack([1 - z, y, -x, np.zeros_like(x)], axis=1)  # (1 - z, -z cross u)
    up = np.linalg.norm(turns, axis=1) < 1e-12
    turns[up] = [0.0, 1.0, 0.0, 0.0]
    return without_sign_flips(turns / np.linalg.norm(turns, axis=1, keepdims=True))


# ---- solids -----------------------------------------------------------------------------------------------


def volume_and_center(points, triangles):
    """Of the solid that triangles bound, by tetrahedra from one of its points. The centre of the points where
    there is no volume."""
    points = np.asarray(points, dtype=float)
    if len(triangles) == 0:
        return 0.0, points.mean(axis=0) if len(points) else np.zeros(3)
    middle = points.mean(axis=0)
    a, b, c = (points[triangles[:, i]] - middle for i in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    volume = volumes.sum()
    if abs(volume) < 1e-300:
        return 0.0, middle
    return float(volume), middle + (volumes[:, None] * (a + b + c) / 4).sum(axis=0) / volume


def fault_of_solid(points, triangles):
    """What keeps triangles from bounding a solid, in Blender's words; "" where they do."""
    remedy = "or choose another shape than Mesh"
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]).astype(np.int64)
    many = len(points)  # an edge as one number: sorting pairs takes ten times as long
    counts = np.unique(edges.min(axis=1) * many + edges.max(axis=1), return_counts=True)[1]
    if (counts != 2).any():
        number = int((counts != 2).sum())
        return (f"its mesh is not closed: {number} {'edge has' if number == 1 else 'edges have'} one face, or more than two, "
                "and not two; in edit mode, Select > All by Trait > Non Manifold shows them, and Mesh > Clean Up > Fill "
                f"Holes closes holes; {remedy}")
    if len(np.unique(edges[:, 0] * many + edges[:, 1])) < len(edges):
        return f"its faces do not all look outside: in edit mode, Mesh > Normals > Recalculate Outside; {remedy}"
    extent = float(np.ptp(points, axis=0).max())
    volume = volume_and_center(points, triangles)[0]
    if abs(volume) < 1e-13 * extent**3:
        return f"its mesh is flat, so it has no volume: give it some thickness (modifier Solidify), {remedy}"
    if volume < 0:
        return f"its faces look inside: in edit mode, Mesh > Normals > Recalculate Outside; {remedy}"
    return ""


def volume_and_inertia(points, triangles):
    """Of the solid of density 1 that triangles bound, about the origin of the points: the volume and the matrix [3, 3]."""
    a, b, c = (np.asarray(points, dtype=float)[triangles[:, i]] for i in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    # Over a tetrahedron with one corner in the origin: integral of x x^T = V / 20 (s s^T + a a^T + b b^T + c c^T), s their sum.
    squares = sum(np.einsum("i,ij,ik->jk", volumes, one, one) for one in (a + b + c, a, b, c)) / 20
    return float(volumes.sum()), np.trace(squares) * np.eye(3) - squares


def merged(points, triangles):
    """Points at one place become one, triangles without area go: what is closed to the eye is closed then."""
    points, index = np.unique(np.asarray(points, dtype=float), axis=0, return_inverse=True)
    triangles = index.reshape(-1)[triangles]
    sound = ((triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2]) &
             (triangles[:, 2] != triangles[:, 0]))
    return points, triangles[sound]
