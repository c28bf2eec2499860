"""A four-bar linkage with a motor: the crank turns steadily, the rocker swings."""
import os
import sys
from math import acos, atan2, cos, hypot, pi, sin

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import body, empty_stage, finish, follow, joint, named

CRANK, COUPLER, ROCKER, BASE = 0.4, 1.1, 0.8, 1.0  # lengths, m
HEIGHT = 0.6
STEEL = (0x70, 0x76, 0x80)


def bar(name, start, end, y, colour):
    """A flat bar between two pins, at a depth of its own."""
    dx, dz = end[0] - start[0], end[1] - start[1]
    middle = (0.5 * (start[0] + end[0]), y, HEIGHT + 0.5 * (start[1] + end[1]))
    bpy.ops.mesh.primitive_cube_add(size=1, location=middle, rotation=(0, -atan2(dz, dx), 0))
    obj = named(name, colour, rounded=0.025, size=(hypot(dx, dz) + 0.12, 0.06, 0.12))
    return body(obj, density=2700)  # aluminium


def pin_at(point, length):
    bpy.ops.mesh.primitive_cylinder_add(radius=0.03, depth=length, location=point, rotation=(0.5 * pi, 0, 0))
    return named("pin", STEEL)


def build():
    scene = empty_stage(4.0, eye=(0.5, -3.6, 1.2), target=(0.5, 0, 0.75))
    # Where two circles meet: the pin between coupler and rocker, with the crank upright.
    pin = (0.0, CRANK)
    across, along = CRANK, BASE
    distance = hypot(across, along)
    angle = atan2(-across, along) + acos((COUPLER**2 + distance**2 - ROCKER**2) / (2 * COUPLER * distance))
    top = (pin[0] + COUPLER * cos(angle), pin[1] + COUPLER * sin(angle))
    crank = bar("crank", (0, 0), pin, 0.0, 1)
    coupler = bar("coupler", pin, top, -0.07, 0)
    rocker = bar("rocker", (BASE, 0), top, 0.0, 2)
    world = lambda point, y: (point[0], y, HEIGHT + point[1])
    drive = joint("drive", "revolute", None, crank, world((0, 0), 0.0), (0, -1, 0))
    joint("crank pin", "revolute", crank, coupler, world(pin, -0.035), (0, -1, 0))
    joint("rocker pin", "revolute", coupler, rocker, world(top, -0.035), (0, -1, 0))
    joint("pivot", "revolute", None, rocker, world((BASE, 0), 0.0), (0, -1, 0))
    drive.catena.motor, drive.catena.motor_formula = "angle", "pi*t"  # half a turn each second
    # For the eye alone: posts, and pins that move with their bars.
    for x in (0.0, BASE):
        bpy.ops.mesh.primitive_cube_add(size=1, location=(x, 0.14, 0.5 * HEIGHT))
        named("post", STEEL, rounded=0.02, size=(0.1, 0.1, HEIGHT + 0.08))
        pin_at(world((x, 0), 0.05), 0.26)
    for point in (pin, top):
        follow(pin_at(world(point, -0.04), 0.18), coupler)
    return scene


build()
finish()
