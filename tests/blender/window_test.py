"""The add-on in a window, as a person uses it: simulating in the background, cancelling, undo, drawing. Steps wait for
what they need, and Blender's own loop runs between them."""
import os
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from support import addon_utils, bpy

from catena import forces, operators, properties

LIMIT = 240  # s, for everything: a stuck step is a failure


def in_view(operator, *words, **arguments):
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, screen=window.screen, area=area, region=region):
        return operator(*words, **arguments)


def animated():
    return [obj.name for obj in bpy.data.objects if obj.catena.role == "BODY" and obj.animation_data]


def with_role(role):
    """Undo makes other objects of them: they are asked for anew each time."""
    return next(obj for obj in bpy.data.objects if obj.catena.role == role)


def idle():
    return operators.running is None


def story():
    """Yields what it waits for."""
    cube = bpy.data.objects["Cube"]
    cube.select_set(True)
    bpy.context.view_layer.objects.active = cube
    for area in bpy.context.window_manager.windows[0].screen.areas:
        if area.type == "VIEW_3D":
            area.spaces[0].show_region_ui = True
    in_view(bpy.ops.catena.body_add)
    in_view(bpy.ops.catena.joint_add, kind="revolute")
    with_role("JOINT").catena.use_limits = True
    bpy.data.objects["Cube"].catena.velocity = (0, 0, 0)
    bpy.data.objects["Cube"].catena.angular_velocity = (0, 1, 0)  # arrows, limits and axes are drawn now
    bpy.context.scene.frame_end = 20
    in_view(bpy.ops.ed.undo_push, message="a body on a hinge")

    assert in_view(bpy.ops.catena.simulate, "INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    assert not idle() and not animated(), "it runs in the background"
    yield idle
    assert animated() == ["Cube"], bpy.context.scene.catena.report
    assert "energy error" in bpy.context.scene.catena.report
    yield lambda: True
    in_view(bpy.ops.ed.undo)
    assert animated() == [] and not bpy.data.actions, "one step to undo"
    in_view(bpy.ops.ed.redo)
    assert animated() == ["Cube"]
    in_view(bpy.ops.catena.clear)
    assert animated() == []

    # The panel shows every kind of force and joint.
    in_view(bpy.ops.catena.force_add)
    for role, key, kinds in (("FORCE", "force_kind", forces.FIELDS_OF), ("JOINT", "kind", properties.DISPLAYS)):
        bpy.context.view_layer.objects.active = with_role(role)
        for kind in kinds:
            setattr(with_role(role).catena, key, kind)
            operators.redraw(bpy.context)
            yield lambda: True
    bpy.data.objects["Cube"].catena.use_fields = True
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    yield lambda: True
    for role in ("FORCE", "JOINT"):
        bpy.data.objects.remove(with_role(role))

    bpy.context.scene.frame_end = 1000000
    in_view(bpy.ops.catena.simulate, "INVOKE_DEFAULT")
    yield lambda: operators.running.fraction > 0
    assert in_view(bpy.ops.catena.cancel) == {"FINISHED"}
    yield idle
    assert animated() == [] and bpy.context.scene.catena.report == "cancelled"


def end(status):
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # a window asks whether to save otherwise


def step():
    try:
        if time.monotonic() - begin > LIMIT:
            raise TimeoutError("stuck")
        if waiting[0]():
            waiting[0] = next(steps)
        return 0.1
    except StopIteration:
        print("the story is over: OK")
        end(0)
    except BaseException:
        traceback.print_exc()
        end(1)


begin, steps, waiting = time.monotonic(), story(), [lambda: True]
addon_utils.enable("catena", default_set=True)
bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(step, first_interval=1.0, persistent=True)
