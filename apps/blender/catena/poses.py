"""Where objects were drawn, kept while a simulation moves them; what was moved by hand since, and copies of them."""
from contextlib import contextmanager

import bpy
from mathutils import Euler, Quaternion, Vector

from .keyframes import curves_of, slot_of, sum_of, use_action

MOST_SLIP = 1e-6  # of a place or a quaternion: what is nearer to its curve than this was not moved


def remember_pose(obj):
    settings = obj.catena
    settings.old_rotation_mode = obj.rotation_mode
    settings.old_location, settings.old_euler = obj.location, obj.rotation_euler
    settings.old_rotation, settings.old_axis_angle = obj.rotation_quaternion, obj.rotation_axis_angle


def put_back(obj):
    settings = obj.catena
    obj.rotation_mode = settings.old_rotation_mode or obj.rotation_mode
    obj.location, obj.rotation_euler = settings.old_location, settings.old_euler
    obj.rotation_quaternion = settings.old_rotation
    if settings.is_property_set("old_axis_angle"):
        obj.rotation_axis_angle = settings.old_axis_angle


# ---- what was moved by hand -------------------------------------------------------------------------------


def turn_of(obj):
    """The rotation that an object's own numbers say."""
    if obj.rotation_mode == "QUATERNION":
        return Quaternion(obj.rotation_quaternion).normalized()
    if obj.rotation_mode == "AXIS_ANGLE":
        angle, *axis = obj.rotation_axis_angle
        return Quaternion(axis, angle)
    return obj.rotation_euler.to_quaternion()


def shown_by(obj, frame):
    """Location and rotation that the object's curves give it at a frame."""
    values = {(curve.data_path, curve.array_index): curve.evaluate(frame) for curve in curves_of(obj.animation_data.action)}
    location = Vector([values.get(("location", i), obj.location[i]) for i in range(3)])
    turn = [values.get(("rotation_quaternion", i)) for i in range(4)]
    return location, turn_of(obj) if None in turn else Quaternion(turn).normalized()


def take_edit(obj, frame):
    """What was moved by hand since the last simulation is drawn moved by as much. Returns whether it was."""
    location, turn = shown_by(obj, frame)
    moved, turned = obj.location - location, turn_of(obj) @ turn.inverted()
    slip = min((turned - Quaternion()).magnitude, (turned + Quaternion()).magnitude)
    if moved.length <= MOST_SLIP * (1 + location.length) and slip <= MOST_SLIP:
        return False
    settings = obj.catena
    settings.old_location = Vector(settings.old_location) + moved
    if slip > MOST_SLIP:
        turn_drawing(settings, turned)
    return True


def turn_drawing(settings, turned):
    mode = settings.old_rotation_mode or "QUATERNION"
    if mode == "QUATERNION":
        settings.old_rotation = turned @ Quaternion(settings.old_rotation)
    elif mode == "AXIS_ANGLE":
        angle, *axis = settings.old_axis_angle
        axis, angle = (turned @ Quaternion(axis, angle)).to_axis_angle()
        settings.old_axis_angle = (angle, *axis)
    else:
        old = Euler(settings.old_euler, mode)
        settings.old_euler = (turned @ old.to_quaternion()).to_euler(mode, old)


def simulated(scene):
    """Objects that stand where a simulation put them."""
    return [obj for obj in scene.objects if obj.catena.has_result and not obj.catena.created
            and obj.animation_data and obj.animation_data.action]


def take_edits(scene):
    """What was done by hand since the last simulation, in words."""
    frame = scene.frame_current + scene.frame_subframe
    moved = [obj.name for obj in simulated(scene) if take_edit(obj, frame)]
    keyed = [obj.name for obj in simulated(scene)
             if obj.catena.result_sum and obj.catena.result_sum != sum_of(obj.animation_data.action)]
    return ([f"'{name}' was moved since it was simulated, and begins there" for name in moved] +
            [f"keyframes of '{name}' were changed since it was simulated, and take no part" for name in keyed])


# ---- copies -----------------------------------------------------------------------------------------------


def own_result(obj):
    """Marks what a simulation or an import made of an object as its own, which copies of it do not share."""
    obj.catena.result_name = obj.name


def release_copies():
    """Copies of objects that were simulated are objects of their own, and stand where they are seen."""
    groups = {}
    for obj in bpy.data.objects:
        if obj.library is None and obj.catena.result_name and (obj.catena.has_result or obj.catena.created):
            groups.setdefault(obj.catena.result_name, []).append(obj)
    for name, group in groups.items():
        # The first one has the name still, or was renamed and its copies got longer ones.
        first = min(group, key=lambda obj: (obj.name != name, len(obj.name), obj.name))
        for obj in group:
            if obj is not first:
                release(obj)


def release(obj):
    settings, data = obj.catena, obj.animation_data
    if settings.has_result and data:
        action = data.action
        data.action = None
        if action and action.users == 0:
            bpy.data.actions.remove(action)
        if not data.drivers and not data.nla_tracks:
            obj.animation_data_clear()
        obj.rotation_mode = settings.old_rotation_mode or obj.rotation_mode  # Blender converts the rotation
    settings.has_result, settings.created, settings.result_name, settings.old_action = False, False, "", None


count = 0  # of objects when copies were looked for last


@bpy.app.handlers.persistent
def look_for_copies(*_):
    """At once, so that a copy does not jump to its original's place at the next frame."""
    global count
    if len(bpy.data.objects) != count:
        release_copies()
        count = len(bpy.data.objects)


def register():
    bpy.app.handlers.depsgraph_update_post.append(look_for_copies)


def unregister():
    bpy.app.handlers.depsgraph_update_post.remove(look_for_copies)


# ---- the drawing ------------------------------------------------------------------------------------------


@contextmanager
def as_drawn(scene, layer):
    """Objects stand at the scene's first frame where they were drawn: assembly and start values may have moved them
    from there before the motion began, and would do so again. Gives what was done by hand since, in words."""
    release_copies()
    edited = take_edits(scene)
    frame, subframe = scene.frame_current, scene.frame_subframe
    moved = [(obj, obj.animation_data.action, slot_of(obj.animation_data)) for obj in scene.objects
             if obj.catena.has_result and obj.animation_data and obj.animation_data.action]
    for obj, _, _ in moved:
        obj.animation_data.action = None
        put_back(obj)
    scene.frame_set(scene.frame_start)
    layer.update()
    try:
        yield edited
    finally:
        for obj, action, slot in moved:
            obj.rotation_mode = "QUATERNION"
            use_action(obj.animation_data, action, slot)
        if moved or (frame, subframe) != (scene.frame_start, 0.0):
            scene.frame_set(frame, subframe=subframe)
