"""Keyframes in bulk, with actions as Blender has had them (fcurves in the action) and as it has them since 4.4
(layers, strips, slots). Knows nothing of simulations."""
import sys
import zlib

import numpy as np

LINEAR = 1  # of a keyframe's `interpolation`


def has_layers(action):
    """Blender 4.3 has layers as well, unfinished and with other names."""
    bpy = sys.modules.get("bpy")
    return hasattr(action, "layers") and (bpy is None or bpy.app.version >= (4, 4, 0))


def slot_of(data):
    """What tells which part of its action an object uses; "" where actions have no parts."""
    slot = getattr(data, "action_slot", None)
    return slot.identifier if slot is not None and has_layers(data.action) else ""


def use_action(data, action, slot):
    data.action = action
    if not slot or not has_layers(action):
        return
    for one in action.slots:
        if one.identifier == slot:
            data.action_slot = one


def new_curves(actions, owner, name):
    """A new action for an object, in use by it, and where its curves are made. `actions`: bpy.data.actions."""
    action = actions.new(name)
    data = owner.animation_data_create()
    if has_layers(action):
        slot = action.slots.new(id_type=getattr(owner, "id_type", "OBJECT"), name=owner.name)
        strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
        curves = strip.channelbag(slot, ensure=True).fcurves
        data.action = action
        data.action_slot = slot
    else:
        curves = action.fcurves
        data.action = action
    return action, curves


def write_curve(curves, path, index, frames, values):
    """One curve through all points, with straight lines between."""
    curve = curves.new(path, index=index)
    points = curve.keyframe_points
    points.add(len(frames))
    both = np.empty((len(frames), 2), dtype=np.float32)
    both[:, 0], both[:, 1] = frames, values
    points.foreach_set("co", both.ravel())
    points.foreach_set("interpolation", np.full(len(frames), LINEAR, dtype=np.int8))
    curve.update()


def write_action(actions, owner, name, frames, channels):
    """`channels`: pairs of a property's name and values [rows, components]."""
    action, curves = new_curves(actions, owner, name)
    write_curves(curves, frames, channels)
    return action


def write_curves(curves, frames, channels):
    for path, values in channels:
        for index in range(values.shape[1]):
            write_curve(curves, path, index, frames, values[:, index])


def curves_in_use(data):
    """Where further curves of an object's action are made."""
    if not has_layers(data.action):
        return data.action.fcurves
    return data.action.layers[0].strips[0].channelbag(data.action_slot, ensure=True).fcurves


def curves_of(action):
    """All curves of an action, wherever they are kept."""
    if not has_layers(action):
        return list(action.fcurves)
    found = []
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                found += list(bag.fcurves)
    return found


def sum_of(action):
    """A number that changes when any key of an action does, as text."""
    sum_ = 0
    for curve in curves_of(action):
        points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", points)
        sum_ = zlib.crc32(points.tobytes(), sum_)
    return str(sum_)
