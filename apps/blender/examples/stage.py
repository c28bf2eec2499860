"""What the examples share: an empty stage with light, ground and camera, coloured meshes, joints, and rendering.

Each example builds its scene from nothing:

    blender --python apps/blender/examples/four_bar.py
    blender -b --python apps/blender/examples/four_bar.py -- --simulate --frame 60 --render four_bar.png
"""
import argparse
import math
import sys

import bpy
from mathutils import Matrix, Vector

ADDON = "catena"
COLOURS = [(0x00, 0x72, 0xb2), (0xd5, 0x5e, 0x00), (0x00, 0x9e, 0x73), (0xb6, 0x5a, 0x94), (0xe6, 0x9f, 0x00),
           (0x56, 0xb4, 0xe9), (0x6b, 0x70, 0x78)]


def need_addon():
    if hasattr(bpy.types.Object, "catena"):
        return
    for name in (ADDON, "bl_ext.user_default." + ADDON):
        try:
            bpy.ops.preferences.addon_enable(module=name)
        except Exception:  # not installed under this name
            continue
        if hasattr(bpy.types.Object, "catena"):
            return
    sys.exit("the add-on Catena is not installed: Edit > Preferences > Add-ons > Install")


def empty_stage(seconds, frames_per_second=30, ground=0.0, eye=(3, -6, 2.5), target=(0, 0, 0)):
    need_addon()
    bpy.ops.wm.read_homefile(use_empty=True)
    need_addon()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = frames_per_second, 1, 1 + round(seconds * frames_per_second)
    if ground is not None:
        bpy.ops.mesh.primitive_plane_add(size=60, location=(0, 0, ground))
        paint(bpy.context.object, (0x9a, 0x9a, 0x96))
        bpy.context.object.name = "floor"
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    camera.location = eye
    camera.rotation_euler = (Vector(target) - Vector(eye)).to_track_quat("-Z", "Y").to_euler()
    scene.camera = camera
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_euler = 2.2, 0.1, (math.radians(35), math.radians(20), 0)
    scene.collection.objects.link(sun)
    world = bpy.data.worlds.new("sky")
    use_nodes(world)
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.75, 0.82, 0.9, 1)
    world.node_tree.nodes["Background"].inputs[1].default_value = 0.55
    scene.world = world
    scene.view_settings.view_transform = "Standard"
    return scene


def use_nodes(owner):
    """Since 5.0 there is no other way."""
    if bpy.app.version < (5, 0, 0):
        owner.use_nodes = True


def paint(obj, colour, metallic=0.0):
    shade = bpy.data.materials.new(obj.name)
    rgba = tuple((c / 255) ** 2.2 for c in colour) + (1.0,)
    shade.diffuse_color = rgba
    use_nodes(shade)
    shader = next(node for node in shade.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
    shader.inputs["Base Color"].default_value = rgba
    shader.inputs["Metallic"].default_value = metallic
    shader.inputs["Roughness"].default_value = 0.4
    obj.data.materials.clear()
    obj.data.materials.append(shade)
    return obj


def named(name, colour, rounded=0.0, size=None):
    """The object that an operator just made, with a name and a colour; `size` stretches its mesh."""
    obj = bpy.context.object
    if size is not None:
        obj.data.transform(Matrix.Diagonal((*size, 1.0)))
    obj.name = name
    if rounded:
        bevel = obj.modifiers.new("round", "BEVEL")
        bevel.width, bevel.segments = rounded, 3
    return paint(obj, COLOURS[colour] if isinstance(colour, int) else colour)


def body(obj, density=None, mass=None, shape="mesh", fixed=False):
    settings = obj.catena
    settings.role, settings.shape, settings.fixed = "BODY", shape, fixed
    if density is not None:
        settings.mass_by, settings.density = "DENSITY", density
    if mass is not None:
        settings.mass_by, settings.mass = "MASS", mass
    return obj


def joint(name, kind, first, second, point, axis=(0, 0, 1), size=0.3):
    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    settings = obj.catena
    settings.role, settings.kind, settings.body_a, settings.body_b = "JOINT", kind, first, second
    obj.empty_display_size = size
    obj.location = point
    obj.rotation_euler = Vector(axis).to_track_quat("Z", "Y").to_euler()
    return obj if first is None else follow(obj, first)


def follow(obj, parent):
    """For the eye alone: it moves with `parent`."""
    bpy.context.view_layer.update()
    obj.parent, obj.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    return obj


def finish():
    """What was asked for behind `--`."""
    words = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--frame", type=int)
    parser.add_argument("--render")
    parser.add_argument("--samples", type=int, default=48)
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--save")
    asked = parser.parse_args(words)
    scene = bpy.context.scene
    if asked.simulate:
        bpy.ops.catena.simulate()
        print(scene.catena.report)
    if asked.frame is not None:
        scene.frame_set(asked.frame)
    if asked.save:
        bpy.ops.wm.save_as_mainfile(filepath=asked.save)
    if asked.render:
        scene.render.engine = "CYCLES"
        scene.cycles.samples, scene.cycles.use_denoising = asked.samples, False
        scene.render.resolution_x, scene.render.resolution_y = asked.width, asked.width * 9 // 16
        scene.render.filepath = asked.render
        bpy.ops.render.render(write_still=True)
