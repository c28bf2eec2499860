"""Forces of joints and energies of a run as custom properties with curves, for drivers and graphs. In SI units."""
import bpy
import numpy as np

from .keyframes import curves_in_use, curves_of, sum_of, write_action, write_curves

ACTION = "Catena records "
OF_BODIES = {"kinetic_energy": "kinetic", "potential_energy": "potential"}
OF_JOINTS = {"reaction_force": "fx fy fz", "reaction_moment": "mx my mz"}
OF_SCENE = {"catena_kinetic": "kinetic", "catena_potential": "potential", "catena_elastic": "elastic", "catena_energy": "energy",
            "catena_dissipated": "dissipated", "catena_work": "work"}


def path_of(name):
    return f'["{name}"]'


def channels_of(run, rows, properties, label):
    """Pairs of a property's name and its values [rows, components], of those that the run has."""
    out = []
    for name, stems in properties.items():
        columns = [f"{stem}_{label}" if label else stem for stem in stems.split()]
        if run.has(*columns):
            out.append((name, np.stack([run.columns[column][:rows] for column in columns], axis=1)))
    return out


def put(owner, frames, channels):
    """The properties with their first values, and curves. Whether there are curves: an action of another's stays as it is."""
    for name, values in channels:
        first = [float(value) for value in values[0]]
        owner[name] = first if len(first) > 1 else first[0]
    pairs = [(path_of(name), values) for name, values in channels]
    data = owner.animation_data
    if data is not None and data.action is not None:
        ours = owner.catena.records or getattr(owner.catena, "has_result", False)
        if not ours:
            return False
        write_curves(curves_in_use(data), frames, pairs)
        if getattr(owner.catena, "has_result", False):
            owner.catena.result_sum = sum_of(data.action)
    else:
        write_action(bpy.data.actions, owner, ACTION + owner.name, frames, pairs)
    owner.catena.records = True
    return True


def write(context, run, frames, joints):
    """Records of all bodies, joints and of the whole; what could not be shown, in words. `frames`: of the bodies; `joints`: the
    objects of their names."""
    from .animation import frame_numbers

    clear(context.scene)
    rows = run.finite_rows()
    numbers = frame_numbers(context.scene, run.times[:rows])
    wanted = [(frame.obj, OF_BODIES, name) for name, frame in frames.items() if not frame.obj.catena.fixed and not frame.driven]
    wanted += [(obj, OF_JOINTS, name) for name, obj in joints.items() if obj is not None]
    wanted.append((context.scene, OF_SCENE, ""))
    held = []
    for owner, properties, label in wanted:
        channels = channels_of(run, rows, properties, label)
        if channels and not put(owner, numbers, channels):
            held.append(owner.name)
    return [f"forces and energies of {', '.join(repr(name) for name in held)} have no curves: they have keyframes of their own"
            ] if held else []


def clear(scene):
    """No records any more. Curves of what a simulation moves go with its action, or here where that stays."""
    for owner in [scene, *scene.objects]:
        if not owner.catena.records:
            continue
        owner.catena.records = False
        for name in (*OF_BODIES, *OF_JOINTS, *OF_SCENE):
            if name in owner:
                del owner[name]
        data = owner.animation_data
        if data is None or data.action is None:
            continue
        action = data.action
        if action.name.startswith(ACTION):
            data.action = None
            if action.users == 0:
                bpy.data.actions.remove(action)
            if not data.drivers and not data.nla_tracks:
                owner.animation_data_clear()
            continue
        bag = curves_in_use(data)
        for curve in [one for one in curves_of(action) if one.data_path.startswith('["')]:
            bag.remove(curve)
        if getattr(owner.catena, "has_result", False):
            owner.catena.result_sum = sum_of(action)
