"""Where objects were drawn, kept while a simulation moves them."""
from contextlib import contextmanager

from .keyframes import slot_of, use_action


def remember_pose(obj):
    settings = obj.catena
    settings.old_rotation_mode = obj.rotation_mode
    settings.old_location, settings.old_euler = obj.location, obj.rotation_euler
    settings.old_rotation = obj.rotation_quaternion


def put_back(obj):
    settings = obj.catena
    obj.rotation_mode = settings.old_rotation_mode or obj.rotation_mode
    obj.location, obj.rotation_euler = settings.old_location, settings.old_euler
    obj.rotation_quaternion = settings.old_rotation


@contextmanager
def as_drawn(scene, layer):
    """Objects stand at the scene's first frame where they were drawn: assembly and start values may have moved them
    from there before the motion began, and would do so again."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    moved = [(obj, obj.animation_data.action, slot_of(obj.animation_data)) for obj in scene.objects
             if obj.catena.has_result and obj.animation_data and obj.animation_data.action]
    for obj, _, _ in moved:
        obj.animation_data.action = None
        put_back(obj)
    scene.frame_set(scene.frame_start)
    layer.update()
    try:
        yield
    finally:
        for obj, action, slot in moved:
            obj.rotation_mode = "QUATERNION"
            use_action(obj.animation_data, action, slot)
        if moved or (frame, subframe) != (scene.frame_start, 0.0):
            scene.frame_set(frame, subframe=subframe)
