"""Bones and curves that follow bodies: each bone, and each point of a curve, moves as if it were a part of the body next to it."""
import bpy
from mathutils import Vector

from . import chains


def middle_of(obj):
    corners = [Vector(corner) for corner in obj.bound_box]
    return obj.matrix_world @ (sum(corners, Vector()) / len(corners))


def distance(point, body):
    """From the box around the body: 0 inside."""
    corners = [Vector(corner) for corner in body.bound_box]
    low = Vector(min(corner[i] for corner in corners) for i in range(3))
    high = Vector(max(corner[i] for corner in corners) for i in range(3))
    own = body.matrix_world.inverted() @ point
    nearest = Vector(min(max(own[i], low[i]), high[i]) for i in range(3))
    return (body.matrix_world @ nearest - point).length


def next_to(point, bodies):
    """The nearest body, by its box; of several that hold the point, the one whose middle is nearest."""
    return min(bodies, key=lambda body: (round(distance(point, body), 6), (middle_of(body) - point).length))


def handle(context, name, body, matrix):
    """An empty that stands at `matrix` in the world and moves with the body."""
    empty = bpy.data.objects.new(name, None)
    (body.users_collection or [context.collection])[0].objects.link(empty)
    empty.empty_display_size = 0.1 * max(max(body.dimensions), 1e-3)
    empty.matrix_world = matrix
    chains.hold(empty, body)
    empty.hide_render = True
    return empty


def follow_with_bones(context, armature, bodies):
    bones = armature.pose.bones
    for bone in bones:
        world = armature.matrix_world @ bone.matrix
        middle = armature.matrix_world @ ((bone.head + bone.tail) / 2)
        for old in [one for one in bone.constraints if one.name == "Catena"]:
            if old.target is not None:
                bpy.data.objects.remove(old.target)
            bone.constraints.remove(old)
        constraint = bone.constraints.new("COPY_TRANSFORMS")
        constraint.name = "Catena"
        constraint.target = handle(context, f"{armature.name} {bone.name}", next_to(middle, bodies), world)
    return f"{len(bones)} bones of '{armature.name}' follow bodies"


def points_of(curve):
    """Control points in the curve's own coordinates, with the numbers that hooks have for each."""
    number, out = 0, []
    for spline in curve.data.splines:
        if spline.type == "BEZIER":
            for point in spline.bezier_points:
                out.append((point.co, [number, number + 1, number + 2]))
                number += 3
        else:
            for point in spline.points:
                out.append((Vector(point.co[:3]), [number]))
                number += 1
    return out


def follow_with_curve(curve, bodies):
    groups = {}
    points = points_of(curve)
    for place, numbers in points:
        groups.setdefault(next_to(curve.matrix_world @ place, bodies).name, []).extend(numbers)
    for old in [one for one in curve.modifiers if one.name.startswith("Catena ")]:
        curve.modifiers.remove(old)
    for name, numbers in groups.items():
        body = bpy.data.objects[name]
        hook = curve.modifiers.new("Catena " + name, "HOOK")
        hook.object = body
        hook.vertex_indices_set(numbers)
        hook.matrix_inverse = body.matrix_world.inverted() @ curve.matrix_world
    return f"{len(points)} points of '{curve.name}' follow bodies"


def follow(context, obj, bodies):
    context.view_layer.update()
    return follow_with_bones(context, obj, bodies) if obj.type == "ARMATURE" else follow_with_curve(obj, bodies)
