"""Blender's own physics and animation, as far as they concern a simulation: what is taken over, and what takes no part."""
import numpy as np

EARTH = (0.0, 0.0, -9.81)
TRANSFORMS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "delta_location",
              "delta_rotation_euler", "delta_rotation_quaternion")


def quoted(objects):
    return ", ".join(f"'{obj.name}'" for obj in objects)


# ---- gravity ----------------------------------------------------------------------------------------------


def uses_own_gravity(settings):
    """Files of version 0.1.0 have a gravity of their own or none."""
    said = settings.is_property_set("gravity_of")
    return settings.gravity_of == "OWN" if said else settings.is_property_set("gravity")


def gravity_of(scene):
    """In m/s²."""
    if uses_own_gravity(scene.catena):
        return [float(part) + 0.0 for part in scene.catena.gravity]
    if not scene.use_gravity:
        return [0.0, 0.0, 0.0]
    if np.allclose(scene.gravity, EARTH, rtol=1e-6, atol=0.0):  # whatever a unit is: nobody has said otherwise
        return list(EARTH)
    unit = scene.unit_settings.scale_length or 1.0
    return [float(f"{unit * part:.7g}") + 0.0 for part in scene.gravity]


def gravity_note(scene):
    """What stands in the report where Blender's gravity is not the usual one."""
    gravity = gravity_of(scene)
    if uses_own_gravity(scene.catena) or gravity == list(EARTH):
        return []
    return ["gravity is the scene's: " + ", ".join(f"{part:g}" for part in gravity) + " m/s²"]


# ---- animation --------------------------------------------------------------------------------------------


def has_keyframes(obj):
    """Whether an action, drivers or strips of its own move it, and not a simulation."""
    data = obj.animation_data
    if not data or obj.catena.has_result or obj.catena.records:
        return False
    drivers = any(driver.data_path.split("[")[0] in TRANSFORMS for driver in data.drivers)
    return bool(data.action or drivers or any(not track.mute for track in data.nla_tracks))


def with_ancestors(obj):
    while obj is not None:
        yield obj
        obj = obj.parent


def may_move(obj):
    """Whether anything of Blender's may move it: keyframes, constraints, or those of a parent."""
    return any(has_keyframes(one) or any(not constraint.mute for constraint in one.constraints)
               for one in with_ancestors(obj))


def tracks(scene, layer, objects):
    """Matrices [frames, 4, 4] of objects at all frames of the scene, which ends at its first one."""
    found = {obj.name: [] for obj in objects}
    if not objects:
        return {}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        depsgraph = layer.depsgraph
        for obj in objects:
            found[obj.name].append(np.array(obj.evaluated_get(depsgraph).matrix_world, dtype=float))
    scene.frame_set(scene.frame_start)
    return {name: np.array(matrices) for name, matrices in found.items()}


def moves(matrices):
    size = max(1.0, np.abs(matrices).max())
    return bool(np.ptp(matrices, axis=0).max() > 1e-6 * size)


# ---- what takes no part -----------------------------------------------------------------------------------


def left_alone(scene):
    """Notes on Blender's own physics, which takes no part in a simulation."""
    rigid = [obj for obj in scene.objects if obj.rigid_body is not None]
    both = [obj for obj in rigid if obj.catena.role == "BODY"]
    alone = [obj for obj in rigid if obj.catena.role != "BODY"]
    ties = [obj for obj in scene.objects if obj.rigid_body_constraint is not None and obj.catena.role != "JOINT"]
    fields = [obj for obj in scene.objects if obj.field is not None and obj.field.type != "NONE"]
    out = []
    if alone:
        out.append(f"Blender's rigid bodies take no part: {quoted(alone)}; Take over rigid bodies makes them bodies")
    if both:
        out.append(f"Blender moves its rigid bodies itself, whatever was simulated: remove Rigid Body from {quoted(both)}")
    if ties:
        out.append(f"Blender's rigid body constraints take no part: {quoted(ties)}; Take over rigid bodies makes them joints")
    if fields:
        out.append(f"Blender's force fields take no part: {quoted(fields)}; Add force has wind, fields and formulas")
    return out
