"""Draws what a mechanism has and Blender does not show: velocities, axes, limits, and which bodies a joint joins."""
import bpy
import gpu
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

from . import arrows
from .properties import SLIDING, TURNING, WITH_AXIS

COLOURS = {"velocity": (0.0, 0.62, 0.45, 1.0), "spin": (0.84, 0.37, 0.0, 1.0), "axis": (0.34, 0.71, 0.91, 1.0),
           "limit": (0.90, 0.62, 0.0, 1.0), "link": (0.6, 0.6, 0.65, 0.7)}
handle = None


def body_lines(obj, lines, unit):
    settings, center = obj.catena, obj.matrix_world.translation
    lines["velocity"] += arrows.arrow(center, Vector(settings.velocity) / unit)
    if any(settings.angular_velocity):
        size = 0.6 * max(obj.dimensions)
        rate = Vector(settings.angular_velocity).normalized()
        lines["spin"] += arrows.arrow(center, size * rate) + arrows.spin(center, rate, 0.5 * size)


def joint_lines(obj, lines, unit):
    settings, point = obj.catena, obj.matrix_world.translation
    size = obj.empty_display_size
    for body in (settings.body_a, settings.body_b):
        if body is not None and body.name in bpy.context.view_layer.objects:
            lines["link"] += [point, body.matrix_world.translation]
    if settings.end is not None:
        lines["axis"] += [point, settings.end.matrix_world.translation]
    if settings.kind not in WITH_AXIS:
        return
    axis = (obj.matrix_world.to_3x3() @ Vector((0, 0, 1))).normalized()
    lines["axis"] += arrows.arrow(point - 0.5 * size * axis, size * axis)
    if not settings.use_limits:
        return
    if settings.kind in TURNING:
        body = settings.body_b or settings.body_a
        zero = body.matrix_world.translation - point if body else None
        lines["limit"] += arrows.arc(point, axis, *settings.angle_limits, 0.7 * size, zero)
    elif settings.kind in SLIDING:
        low, high = (point + limit / unit * axis for limit in settings.travel_limits)
        lines["limit"] += [low, high]


def all_lines(context):
    """Pairs of points by what they show."""
    lines = {what: [] for what in COLOURS}
    unit = context.scene.unit_settings.scale_length or 1.0
    for obj in context.visible_objects:
        if obj.catena.role == "BODY":
            body_lines(obj, lines, unit)
        elif obj.catena.role == "JOINT":
            joint_lines(obj, lines, unit)
    return lines


def draw():
    context = bpy.context
    if not context.scene.catena.show or not context.space_data.overlay.show_overlays:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR" if bpy.app.version >= (4, 0, 0) else "3D_UNIFORM_COLOR")
    gpu.state.line_width_set(2.0)
    gpu.state.blend_set("ALPHA")
    shader.bind()
    for what, points in all_lines(context).items():
        if points:
            shader.uniform_float("color", COLOURS[what])
            batch_for_shader(shader, "LINES", {"pos": [tuple(point) for point in points]}).draw(shader)
    gpu.state.line_width_set(1.0)
    gpu.state.blend_set("NONE")


def register():
    global handle
    if not bpy.app.background:
        handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_VIEW")


def unregister():
    global handle
    if handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
        handle = None
