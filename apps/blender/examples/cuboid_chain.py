"""A chain of cuboids in zero gravity, hinged alternately about two axes. Some links are pushed, and the rest follows."""
import os
import sys

import bpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from stage import body, empty_stage, finish, joint, named

COUNT, LENGTH, GAP = 12, 0.4, 0.04


def build():
    scene = empty_stage(6.0, ground=None, eye=(1.4, -6.9, 2.9), target=(0.2, 0, 0.1))
    scene.catena.gravity = (0, 0, 0)
    pitch = LENGTH + GAP
    links = []
    for i in range(COUNT):
        x = (i - 0.5 * (COUNT - 1)) * pitch
        bpy.ops.mesh.primitive_cube_add(size=1, location=(x, 0, 0))
        size = (LENGTH, 0.22, 0.12) if i % 2 else (LENGTH, 0.12, 0.22)
        obj = named(f"cuboid.{i + 1:02d}", i % 6, rounded=0.03, size=size)
        links.append(body(obj, density=700))  # wood
    for i, (a, b) in enumerate(zip(links, links[1:])):
        x = 0.5 * (a.location.x + b.location.x)
        hinge = joint(f"hinge.{i + 1:02d}", "revolute", a, b, (x, 0, 0), (0, 1, 0) if i % 2 else (0, 0, 1), 0.2)
        hinge.catena.use_limits, hinge.catena.angle_limits = True, (-1.2, 1.2)
        hinge.catena.limit_stiffness, hinge.catena.limit_damping = 60.0, 2.0
    for i, spin in ((0, 1.0), (4, -0.7), (8, 0.5)):  # assembly makes the rest of the chain agree
        links[i].catena.velocity = (0, 0.9 * spin, 0.7 * spin)
    return scene


build()
finish()
