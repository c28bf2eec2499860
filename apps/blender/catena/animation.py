"""Runs as animation of objects, and back to how they were."""
import bpy
import numpy as np
from mathutils import Matrix

from . import motion, records
from .keyframes import slot_of, sum_of, use_action, write_action
from .poses import own_result, put_back, release_copies, remember_pose, take_edits
from .scene_export import frames_per_second

ACTION = "Catena "          # begins the names of actions made here
MOST_SHEAR = 1e-4


class AnimationError(Exception):
    def __init__(self, text, objects=()):
        super().__init__(text)
        self.objects = list(objects)


def frame_numbers(scene, times):
    """Frames of times in s from the scene's first frame; those that are whole but for roundoff are whole."""
    frames = scene.frame_start + np.asarray(times) * frames_per_second(scene)
    whole = np.round(frames)
    return np.where(np.abs(frames - whole) < 1e-4, whole, frames)


def own_action(obj):
    data = obj.animation_data
    return data.action if data and data.action and obj.catena.has_result else None


def moving_among(frames):
    """Those that the simulation moves."""
    return {name: frame for name, frame in frames.items() if not frame.obj.catena.fixed and not frame.driven}


class Worlds:
    """Matrices [rows, 4, 4] of objects in Blender units: moved by the run, or by a parent that is, or at rest."""

    def __init__(self, run, frames, unit, rows):
        self.run, self.rows = run, rows
        self.unit = unit
        self.moved = {frame.obj: (name, frame) for name, frame in frames.items()}
        self.known = {}

    def __getitem__(self, obj):
        if obj not in self.known:
            self.known[obj] = self.computed(obj)
        return self.known[obj]

    def computed(self, obj):
        if obj in self.moved:
            name, frame = self.moved[obj]
            positions, turns = self.run.poses(name)
            start = motion.matrices(frame.position[None] / self.unit, frame.orientation[None])[0]
            moves = motion.matrices(positions[:self.rows] / self.unit, turns[:self.rows])
            return moves @ (np.linalg.inv(start) @ frame.matrix)
        rest = np.array(obj.matrix_world, dtype=float)
        if obj.parent is None:
            return np.broadcast_to(rest, (self.rows, 4, 4))
        return self[obj.parent] @ (np.linalg.inv(np.array(obj.parent.matrix_world, dtype=float)) @ rest)


def basis_of(obj, worlds):
    """The object's own matrices: what its location, rotation and scale have to give."""
    if obj.parent is None:
        return worlds[obj]
    if obj.parent_type != "OBJECT":
        raise AnimationError(f"'{obj.name}' hangs on a part of '{obj.parent.name}' (bone or vertex): make it a child "
                             "of the object itself, or of none", [obj])
    inverse = np.linalg.inv(np.array(obj.matrix_parent_inverse, dtype=float))
    return inverse @ np.linalg.inv(worlds[obj.parent]) @ worlds[obj]


def channels_of(obj, worlds):
    scale = np.array(obj.scale, dtype=float) * np.array(obj.delta_scale, dtype=float)
    if np.abs(scale).min() < 1e-12:
        raise AnimationError(f"'{obj.name}' has a scale of zero", [obj])
    locations, turns, error = motion.basis_poses(basis_of(obj, worlds), scale)
    if error > MOST_SHEAR:
        raise AnimationError(f"'{obj.name}' cannot turn freely: its parent '{obj.parent.name if obj.parent else ''}' "
                             "has a scale that is not the same along all axes; apply it (Object > Apply > Scale)",
                             [obj])
    delta = Matrix.Identity(3)
    if obj.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
        delta = obj.delta_rotation_quaternion.to_matrix()
    else:
        delta = obj.delta_rotation_euler.to_matrix()
    if delta != Matrix.Identity(3):
        back = np.array(delta.inverted(), dtype=float)
        turns = motion.quaternions(back @ motion.matrices(locations, turns)[:, :3, :3])
    now = obj.matrix_basis.to_quaternion() if delta == Matrix.Identity(3) else None
    turns = motion.without_sign_flips(turns, near=np.array(now) if now else None)
    return [("location", locations - np.array(obj.delta_location)), ("rotation_quaternion", turns)]


def remember(obj):
    """What Clear brings back."""
    settings = obj.catena
    if settings.has_result:
        return
    remember_pose(obj)
    data = obj.animation_data
    settings.old_action = data.action if data else None
    if settings.old_action:
        settings.old_action.use_fake_user = True
        settings.old_slot = slot_of(data)


def take_delta(obj):
    """Rotations by quaternions see another delta than those by angles: it moves over."""
    if obj.rotation_mode not in ("QUATERNION", "AXIS_ANGLE"):
        obj.delta_rotation_quaternion = obj.delta_rotation_euler.to_quaternion()


def apply_run(context, run, frames):
    """Keyframes for all bodies that move. `frames` as exported; nothing is changed where it fails."""
    scene = context.scene
    rows = run.finite_rows()
    if rows == 0:
        raise AnimationError("the run has no rows that could be shown")
    gone = [frame.object_name for frame in frames.values() if frame.obj is None]
    if gone:
        raise AnimationError("not in the scene any more: " + ", ".join(f"'{name}'" for name in gone))
    moving = moving_among(frames)
    scene.frame_set(scene.frame_start)
    worlds = Worlds(run, frames, scene.unit_settings.scale_length or 1.0, rows)
    channels = {name: channels_of(frame.obj, worlds) for name, frame in moving.items()}
    numbers = frame_numbers(scene, run.times[:rows])
    for name, frame in moving.items():
        animate(frame.obj, numbers, channels[name])
    scene.frame_set(scene.frame_start)
    return rows


def animate(obj, numbers, channels):
    remember(obj)
    drop_action(obj)
    take_delta(obj)
    obj.rotation_mode = "QUATERNION"
    action = write_action(bpy.data.actions, obj, ACTION + obj.name, numbers, channels)
    obj.catena.has_result, obj.catena.result_sum = True, sum_of(action)
    own_result(obj)


def drop_action(obj):
    """Removes the action that a simulation made; others are only let go."""
    data = obj.animation_data
    if not data or not data.action:
        return
    action, own = data.action, own_action(obj)
    data.action = None
    if own and action.users == 0:
        bpy.data.actions.remove(action)


def clear_object(obj):
    settings = obj.catena
    drop_action(obj)
    settings.has_result, settings.result_name = False, ""
    put_back(obj)
    if settings.old_action:
        use_action(obj.animation_data_create(), settings.old_action, settings.old_slot)
        settings.old_action = None
    elif obj.animation_data and not obj.animation_data.drivers and not obj.animation_data.nla_tracks:
        obj.animation_data_clear()


def clear(context):
    """Everything as it was before the simulation, but for what was moved since; what an import made is removed. Returns
    how many objects."""
    count = 0
    release_copies()
    take_edits(context.scene)
    records.clear(context.scene)
    for obj in list(context.scene.objects):
        if obj.catena.created:
            remove(obj)
        elif obj.catena.has_result:
            clear_object(obj)
        else:
            continue
        count += 1
    for collection in list(bpy.data.collections):
        if collection.get("catena") and not collection.all_objects:
            bpy.data.collections.remove(collection)
    return count


def remove(obj):
    data, action = obj.data, obj.animation_data.action if obj.animation_data else None
    bpy.data.objects.remove(obj)
    if action and action.users == 0:
        bpy.data.actions.remove(action)
    if data and data.users == 0:
        bpy.data.batch_remove([data])
