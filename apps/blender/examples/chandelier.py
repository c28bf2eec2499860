"""A chandelier on a chain of ball joints, pulled to the side and let go; its lamps hang from ball joints as well."""
import os
import sys
from math import cos, pi, sin

import bpy
from mathutils import Matrix, Vector

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import body, empty_stage, finish, follow, joint, named

TOP, LINKS, LINK, RING, LAMPS = Vector((0, 0, 3.2)), 6, 0.22, 0.7, 6
LEAN = Matrix.Rotation(0.5, 3, "Y")  # how far it is pulled


def place(point):
    """A place of the chandelier as it hangs, where it is when it is pulled."""
    return TOP + LEAN @ (Vector(point) - TOP)


def leaned(obj):
    obj.location = place(obj.location)
    obj.rotation_euler = (LEAN @ obj.rotation_euler.to_matrix()).to_euler()
    return obj


def build():
    scene = empty_stage(6.0, eye=(3.3, -7.0, 2.4), target=(-0.1, 0, 2.15))
    bpy.ops.mesh.primitive_cylinder_add(radius=0.12, depth=0.06, location=TOP + Vector((0, 0, 0.03)))
    named("ceiling rose", (0x8a, 0x90, 0x99))
    links = []
    for i in range(LINKS):
        bpy.ops.mesh.primitive_cylinder_add(radius=0.018, depth=LINK, location=TOP - Vector((0, 0, (i + 0.5) * LINK)))
        links.append(body(leaned(named(f"link.{i + 1}", 6)), mass=0.15))
    height = TOP.z - LINKS * LINK
    bpy.ops.mesh.primitive_torus_add(major_radius=RING, minor_radius=0.035, location=(0, 0, height - 0.25))
    ring = leaned(named("ring", 4))
    body(ring, mass=3.0)
    joint("ceiling", "ball", None, links[0], TOP, size=0.08)
    for i, (a, b) in enumerate(zip(links, links[1:])):
        joint(f"ball.{i + 1}", "ball", a, b, place((0, 0, TOP.z - (i + 1) * LINK)), size=0.06)
    joint("hub", "ball", links[-1], ring, place((0, 0, height)), size=0.08)
    for k in range(LAMPS):
        angle = 2 * pi * k / LAMPS
        x, y = RING * cos(angle), RING * sin(angle)
        # A stay from the hub to the ring, for the eye alone: a child of the ring moves with it.
        bpy.ops.mesh.primitive_cylinder_add(radius=0.008, depth=1)
        stay = named(f"stay.{k + 1}", 6)
        along = Vector((x, y, -0.25))
        stay.location = place(Vector((0, 0, height)) + 0.5 * along)
        stay.rotation_euler = (LEAN @ along.to_track_quat("Z", "Y").to_matrix()).to_euler()
        stay.scale = (1, 1, along.length)
        follow(stay, ring)
        bpy.ops.mesh.primitive_cone_add(radius1=0.12, radius2=0.05, depth=0.22, location=(x, y, height - 0.41))
        lamp = leaned(named(f"lamp.{k + 1}", k % 6))
        body(lamp, mass=0.4)
        joint(f"hook.{k + 1}", "ball", ring, lamp, place((x, y, height - 0.29)), size=0.06)
    return scene


build()
finish()
