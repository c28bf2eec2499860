"""Catena in Blender: draw a mechanism, simulate it, watch it."""
bl_info = {  # for Blender before 4.2; later ones read blender_manifest.toml
    "name": "Catena",
    "author": "Catena authors",
    "version": (0, 2, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Catena",
    "description": "Simulate mechanisms and chains exactly",
    "category": "Physics",
}

from . import operators, overlay, panel, poses, properties

PARTS = (properties, operators, panel, overlay, poses)


def register():
    for part in PARTS:
        part.register()


def unregister():
    for part in reversed(PARTS):
        part.unregister()
