"""Blender's own rigid bodies and their constraints as bodies and joints."""
import bpy
import numpy as np
from mathutils import Vector

from . import chains
from .motion import fault_of_solid, merged

SHAPES = {"BOX": "box", "SPHERE": "sphere", "CAPSULE": "capsule", "CYLINDER": "cylinder", "CONE": "cone"}
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def is_closed(obj):
    mesh = obj.data
    mesh.calc_loop_triangles()
    points = np.array([vertex.co for vertex in mesh.vertices], dtype=float)
    triangles = np.array([one.vertices[:] for one in mesh.loop_triangles], dtype=int).reshape(-1, 3)
    return len(triangles) > 0 and not fault_of_solid(*merged(points, triangles))


def make_body(obj):
    """What could not be taken over, in words; "" for nothing."""
    rigid, settings = obj.rigid_body, obj.catena
    settings.role = "BODY"
    settings.fixed = rigid.type == "PASSIVE" and not rigid.kinematic
    settings.mass_by, settings.mass = "MASS", rigid.mass
    said = []
    shape = SHAPES.get(rigid.collision_shape, "mesh")
    if shape == "mesh" and not is_closed(obj):
        shape = "box"
        said.append("its mesh is not closed: its mass is spread over the box around it")
    settings.shape = shape
    if rigid.linear_damping > 0.05 or rigid.angular_damping > 0.11:  # Blender's defaults are 0.04 and 0.1
        said.append("its damping is left away: forces drag and velocity-damping are instead")
    return f"'{obj.name}': " + "; ".join(said) if said else ""


class Freedom:
    """Along or about each axis of a constraint: locked, free, or between limits."""

    def __init__(self, tie):
        self.tie = tie

    def is_locked(self, kind, axis):
        low, high = self.limits(kind, axis)
        return getattr(self.tie, f"use_limit_{kind}_{axis}") and high <= low

    def limits(self, kind, axis):
        return getattr(self.tie, f"limit_{kind}_{axis}_lower"), getattr(self.tie, f"limit_{kind}_{axis}_upper")

    def free(self, kind):
        return [axis for axis in "xyz" if not self.is_locked(kind, axis)]


def joint_of(tie):
    """The kind of joint, its axis, and along or about which axis its coordinate is; None where there is none of these freedoms."""
    if tie.type in ("FIXED", "POINT"):
        return {"FIXED": "fixed", "POINT": "ball"}[tie.type], "z", None
    if tie.type == "HINGE":
        return "revolute", "z", ("ang", "z")
    if tie.type == "SLIDER":
        return "prismatic", "x", ("lin", "x")
    if tie.type == "PISTON":
        return "cylindrical", "x", None
    if tie.type not in ("GENERIC", "GENERIC_SPRING"):
        return None
    freedom = Freedom(tie)
    lin, ang = freedom.free("lin"), freedom.free("ang")
    if not lin and not ang:
        return "fixed", "z", None
    if not lin and len(ang) == 3:
        return "ball", "z", None
    if not lin and len(ang) == 1:
        return "revolute", ang[0], ("ang", ang[0])
    if not ang and len(lin) == 1:
        return "prismatic", lin[0], ("lin", lin[0])
    if len(lin) == 1 and lin == ang:
        return "cylindrical", lin[0], None
    if len(lin) == 2 and len(ang) == 1 and ang[0] not in lin:
        return "planar", ang[0], None
    return None


def collection_of(scene, obj):
    """One of the object's that the scene shows: those of Blender's rigid bodies are in none."""
    shown = [scene.collection, *scene.collection.children_recursive]
    return next((one for one in obj.users_collection if one in shown), scene.collection)


def make_joint(scene, obj):
    """The joint that stands for a constraint; None, and why, where there is none."""
    tie = obj.rigid_body_constraint
    found = joint_of(tie)
    if found is None:
        return None, f"'{obj.name}': no joint has the freedoms of this constraint ({tie.type.lower()})"
    kind, axis, coordinate = found
    bodies = [one if one is not None and one.catena.role == "BODY" else None for one in (tie.object1, tie.object2)]
    if bodies == [None, None]:
        return None, f"'{obj.name}': it ties no bodies"
    if bodies[0] is None or bodies[1] is None:  # the ground is the first
        bodies = [None, bodies[0] or bodies[1]]
    matrix = obj.matrix_world
    along = (matrix.to_3x3() @ Vector(AXES[axis])).normalized()
    joint = chains.new_joint(collection_of(scene, obj), obj.name + " joint", kind, *bodies, matrix.translation, along,
                             max(obj.empty_display_size if obj.type == "EMPTY" else 0.1, 1e-3))
    said = ""
    if coordinate is not None:
        said = limit(joint.catena, tie, *coordinate)
    return joint, said and f"'{obj.name}': {said}"


def limit(settings, tie, kind, axis):
    """Limits and a spring along a joint's coordinate."""
    low, high = Freedom(tie).limits(kind, axis)
    if getattr(tie, f"use_limit_{kind}_{axis}") and high > low:
        settings.use_limits = True
        setattr(settings, "angle_limits" if kind == "ang" else "travel_limits", (low, high))
    spring = axis if kind == "lin" else "ang_" + axis
    if tie.type == "GENERIC_SPRING" and getattr(tie, f"use_spring_{spring}"):
        settings.stiffness = getattr(tie, f"spring_stiffness_{spring}")
        settings.damping = getattr(tie, f"spring_damping_{spring}")
    return "it breaks where the load is too large: this joint does not" if tie.use_breaking else ""


def without(context, obj, operator):
    """Blender's own operators take the active object, whatever the context says."""
    layer = context.view_layer
    before = layer.objects.active
    layer.objects.active = obj
    operator()
    layer.objects.active = before


def take_over(context):
    """What was made, and what was not or only in part, in words."""
    context.view_layer.update()
    scene, left = context.scene, []
    rigid = [obj for obj in scene.objects if obj.type == "MESH" and obj.rigid_body is not None
             and (obj.rigid_body.enabled or obj.rigid_body.type == "PASSIVE")]
    left += [said for said in map(make_body, rigid) if said]
    ties = [obj for obj in scene.objects if obj.rigid_body_constraint is not None and obj.rigid_body_constraint.enabled]
    made = 0
    for obj in ties:
        joint, said = make_joint(scene, obj)
        if said:
            left.append(said)
        if joint is not None:
            made += 1
            without(context, obj, bpy.ops.rigidbody.constraint_remove)
    for obj in rigid:
        without(context, obj, bpy.ops.rigidbody.object_remove)
    out = [f"{len(rigid)} bodies and {made} joints taken over"]
    if len(rigid) > 1:
        left.append("Blender's bodies touch each other; these pass through each other: there are no contacts")
    return out, left
