"""Meshes of the shapes that scenes know, for runs whose objects are not in the Blender file. No bpy."""
import math

import numpy as np

AROUND, ALONG = 32, 16


def box(size):
    x, y, z = (0.5 * s for s in size)
    corners = [(i * x, j * y, k * z) for k in (-1, 1) for j in (-1, 1) for i in (-1, 1)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return corners, faces


def turned(rings):
    """A body of revolution about z through rings of (radius, height) from below; radius 0 is a tip."""
    corners, starts, faces = [], [], []
    for radius, height in rings:
        starts.append(len(corners))
        if radius == 0:
            corners.append((0.0, 0.0, height))
            continue
        for i in range(AROUND):
            angle = 2 * math.pi * i / AROUND
            corners.append((radius * math.cos(angle), radius * math.sin(angle), height))

    def at(ring, i):
        return starts[ring] + (0 if rings[ring][0] == 0 else i % AROUND)

    for k in range(len(rings) - 1):
        for i in range(AROUND):
            face = [at(k, i), at(k, i + 1), at(k + 1, i + 1), at(k + 1, i)]
            faces.append(tuple(dict.fromkeys(face)))
    if rings[0][0] > 0:
        faces.append(tuple(at(0, i) for i in reversed(range(AROUND))))
    if rings[-1][0] > 0:
        faces.append(tuple(at(len(rings) - 1, i) for i in range(AROUND)))
    return corners, faces


def ball_rings(radius, low, high):
    """Half a ball below `low` and half above `high`."""
    rings = []
    for k in range(ALONG + 1):
        angle = math.pi * (k / ALONG - 0.5)
        r = 0.0 if k in (0, ALONG) else radius * math.cos(angle)
        if 2 * k == ALONG and high > low:
            rings += [(radius, low), (radius, high)]
        else:
            rings.append((r, radius * math.sin(angle) + (low if 2 * k <= ALONG else high)))
    return rings


def rod(size):
    length, radius = size[0], 0.5 * size[1]
    corners, faces = turned([(radius, -0.5 * length), (radius, 0.5 * length)])
    return [(z, x, y) for x, y, z in corners], faces


def ellipsoid(size):
    corners, faces = turned(ball_rings(1.0, 0.0, 0.0))
    return [(0.5 * x * size[0], 0.5 * y * size[1], 0.5 * z * size[2]) for x, y, z in corners], faces


def mesh_of(drawn):
    """Corners and faces of one entry of a drawing's `shapes`, in its own frame."""
    shape, size = drawn["shape"], drawn.get("size", (1.0, 1.0, 1.0))
    if shape == "mesh":
        return drawn["vertices"], drawn["triangles"]
    if shape == "rod":
        return rod(size)
    if shape in ("sphere", "ellipsoid"):
        return ellipsoid(size)
    radius, half = 0.5 * size[0], 0.5 * size[2]
    if shape == "cylinder":
        return turned([(radius, -half), (radius, half)])
    if shape == "capsule":
        return turned(ball_rings(radius, radius - half, half - radius))
    if shape == "cone":  # placed by its base
        return turned([(radius, 0.0), (0.0, size[2])])
    return box(size)


def rotated(turn, points):
    """Points [n, 3] turned by a unit quaternion w, x, y, z."""
    axis = np.asarray(turn[1:], dtype=float)
    once = np.cross(axis, points)
    return points + 2 * (turn[0] * once + np.cross(axis, once))


def body_mesh(shapes):
    """All shapes of a body as one mesh, in the body's frame."""
    corners, faces = [], []
    for drawn in shapes:
        part, part_faces = mesh_of(drawn)
        placed = rotated(drawn["orientation"], np.asarray(part, dtype=float)) + np.asarray(drawn["position"])
        faces += [tuple(int(i) + len(corners) for i in face) for face in part_faces]
        corners += [tuple(point) for point in placed.tolist()]
    return corners, faces


def is_round(shape):
    return shape not in ("box", "mesh")
