"""Chains of links: along a curve, or hanging straight down."""
import bpy
import numpy as np
from mathutils import Vector

from . import shapes
from .scene_import import coloured, new_mesh


def along_curve(obj, depsgraph, count):
    """count + 1 points in the world, at equal distances along the evaluated curve."""
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    points = np.array([tuple(evaluated.matrix_world @ vertex.co) for vertex in mesh.vertices]).reshape(-1, 3)
    evaluated.to_mesh_clear()
    if len(points) < 2:
        return None
    cyclic = obj.data.splines[0].use_cyclic_u
    if cyclic:
        points = np.concatenate([points, points[:1]])
    lengths = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    wanted = np.linspace(0.0, lengths[-1], count + 1)
    return np.stack([np.interp(wanted, lengths, points[:, i]) for i in range(3)], axis=1)


def straight_down(start, count, length):
    steps = np.arange(count + 1)[:, None] * np.array([0.0, 0.0, -length])
    return np.asarray(start, dtype=float) + steps


def make_chain(context, points, mass, thickness, kind, hold_start, hold_end, name="link"):
    """A capsule between each two points, joined by joints. Returns the links."""
    collection = bpy.data.collections.new("Chain")
    context.scene.collection.children.link(collection)
    links = [new_link(collection, f"{name}.{i + 1:03d}", a, b, mass, thickness, i)
             for i, (a, b) in enumerate(zip(points, points[1:]))]
    joints = [(None, links[0], points[0])] if hold_start else []
    joints += [(a, b, point) for a, b, point in zip(links, links[1:], points[1:])]
    joints += [(links[-1], None, points[-1])] if hold_end else []
    for a, b, point in joints:
        new_joint(collection, f"{name} joint", kind, a, b, point, size=2 * thickness)
    return links


def new_link(collection, name, a, b, mass, thickness, i):
    a, b = Vector(a), Vector(b)
    length, half = (b - a).length, 0.5 * (b - a).length
    radius = min(0.5 * thickness, 0.45 * length)
    mesh = new_mesh(name, *shapes.turned(shapes.ball_rings(radius, radius - half, half - radius)), True)
    mesh.materials.append(coloured(i))
    obj = bpy.data.objects.new(name, mesh)
    collection.objects.link(obj)
    obj.rotation_mode = "QUATERNION"
    obj.location, obj.rotation_quaternion = 0.5 * (a + b), Vector((0, 0, -1)).rotation_difference(b - a)
    obj.catena.role, obj.catena.shape, obj.catena.mass = "BODY", "capsule", mass
    return obj


def new_joint(collection, name, kind, a, b, point, axis=(0.0, 0.0, 1.0), size=0.2):
    """An empty of the kind, at `point` with z along `axis`; it moves with the first body."""
    obj = bpy.data.objects.new(name, None)
    collection.objects.link(obj)
    settings = obj.catena
    settings.role, settings.kind, settings.body_a, settings.body_b = "JOINT", kind, a, b
    obj.empty_display_size = size
    obj.rotation_mode = "QUATERNION"
    obj.location, obj.rotation_quaternion = point, Vector((0, 0, 1)).rotation_difference(Vector(axis))
    hold(obj, a)
    return obj


def hold(obj, parent):
    """Makes it a child of `parent` without moving it."""
    if parent is None:
        return
    obj.parent = parent
    obj.matrix_parent_inverse = world_matrix(parent).inverted()


def world_matrix(obj):
    """As it will be, also for an object that Blender has not evaluated yet."""
    basis = obj.matrix_basis
    return basis if obj.parent is None else world_matrix(obj.parent) @ obj.matrix_parent_inverse @ basis
