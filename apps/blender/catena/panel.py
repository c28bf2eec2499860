"""The panel in the sidebar of the 3D view."""
import bpy

from . import blenders_own, forces, operators
from .properties import ON_CURVE, OPTIONAL, SLIDING, TIES, TURNING, TWO_ENDS
from .scene_export import ACTING, frames_per_second, is_given


SPRING = ("stiffness", "damping")


class CatenaPanel:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Catena"


class CATENA_PT_simulation(CatenaPanel, bpy.types.Panel):
    bl_label = "Simulation"
    bl_idname = "CATENA_PT_simulation"

    def draw(self, context):
        layout, settings = self.layout, context.scene.catena
        layout.prop(settings, "gravity_of")
        if blenders_own.uses_own_gravity(settings):
            draw_vector(layout, settings, "gravity")
        frames = context.scene.frame_end - context.scene.frame_start
        layout.label(text=f"{frames / frames_per_second(context.scene):.4g} s in {frames} frames", icon="TIME")
        simulation = operators.running
        if simulation is None:
            row = layout.row(align=True)
            row.scale_y = 1.4
            row.operator("catena.simulate", icon="PLAY")
            row = layout.row(align=True)
            row.operator("catena.check", icon="VIEWZOOM")
            row.operator("catena.clear", icon="TRASH")
        else:
            text = f"{100 * simulation.fraction:.0f} %, t = {simulation.time:.3g} s"
            if hasattr(layout, "progress"):
                layout.progress(factor=simulation.fraction, text=text)
            else:
                layout.label(text=text, icon="SORTTIME")
            layout.operator("catena.cancel", icon="CANCEL")
        report = settings.report.splitlines()
        if report:
            box = layout.box().column(align=True)
            for line in report:
                for part in wrapped(line, context.region.width):
                    box.label(text=part)


def wrapped(line, width):
    """Parts of a line that fit into so many pixels, roughly."""
    scale = bpy.context.preferences.system.ui_scale or 1.0  # 0 without a window
    most, parts = max(20, int(width / (8.5 * scale))), [""]
    for word in line.split(" "):
        if parts[-1] and len(parts[-1]) + 1 + len(word) > most:
            parts.append(word)
        else:
            parts[-1] = f"{parts[-1]} {word}".strip()
    return parts


class CATENA_PT_object(CatenaPanel, bpy.types.Panel):
    bl_label = "Object"
    bl_idname = "CATENA_PT_object"

    def draw(self, context):
        layout, obj = self.layout, context.object
        role = obj.catena.role if obj else "NONE"
        column = layout.column(align=True)
        column.operator("catena.body_add", icon="MESH_CUBE")
        column.operator_menu_enum("catena.joint_add", "kind", text="Add joint", icon="EMPTY_SINGLE_ARROW")
        column.operator("catena.force_add", icon="FORCE_FORCE")
        column.operator("catena.chain_add", icon="LINKED")
        if any(one.rigid_body is not None or one.rigid_body_constraint is not None for one in context.scene.objects):
            column.operator("catena.take_over", icon="RIGID_BODY")
        if obj is not None and obj.type in ("ARMATURE", "CURVE"):
            column.operator("catena.follow", icon="CON_FOLLOWTRACK")
        if role == "NONE":
            return
        layout.use_property_split = True
        layout.use_property_decorate = False
        row = layout.row()
        row.label(text=f"{obj.name}: {role.lower()}")
        row.operator("catena.role_remove", text="", icon="X")
        {"BODY": draw_body, "JOINT": draw_joint, "FORCE": draw_force}[role](layout, obj.catena)


def draw_body(layout, settings):
    layout.prop(settings, "fixed")
    layout.prop(settings, "use_inertia")
    if settings.use_inertia:
        layout.prop(settings, "mass")
        draw_vector(layout, settings, "inertia")
        draw_vector(layout, settings, "products")
    else:
        layout.prop(settings, "shape")
        if settings.shape != "point":
            layout.prop(settings, "mass_by", expand=True)
        layout.prop(settings, "density" if settings.mass_by == "DENSITY" and settings.shape != "point" else "mass")
    draw_vector(layout, settings, "velocity")
    draw_vector(layout, settings, "angular_velocity")
    layout.prop(settings, "use_fields")
    if settings.use_fields:
        layout.prop(settings, "charge")
        draw_vector(layout, settings, "moment")
        for key in ("susceptibility", "volume", "body_drag_area"):
            layout.prop(settings, key)


def draw_vector(layout, settings, key):
    """Its name above its numbers: beside them there is no room."""
    column = layout.column(align=True)
    column.use_property_split = False
    column.label(text=settings.bl_rna.properties[key].name)
    row = column.row(align=True)
    for index in range(len(getattr(settings, key))):
        row.prop(settings, key, index=index, text="")


def draw_joint(layout, settings):
    layout.prop(settings, "kind")
    if settings.kind in TIES:
        for key in ("joint_a", "joint_b", "ratio"):
            layout.prop(settings, key)
        return
    layout.prop(settings, "body_a")
    layout.prop(settings, "body_b")
    layout.prop(settings, "end")
    if settings.kind in TWO_ENDS:
        draw_optional(layout, settings, "use_length", "length")
        if settings.kind == "spring":
            layout.prop(settings, "stiffness")
            layout.prop(settings, "damping")
    if settings.kind == "screw":
        layout.prop(settings, "pitch")
    if settings.kind in ON_CURVE:
        for key in ("curve_x", "curve_y", "curve_z"):
            layout.prop(settings, key)
    if settings.kind in TURNING | SLIDING:
        draw_coordinate(layout, settings, settings.kind in TURNING)
    else:
        draw_idle(layout, settings)


def draw_idle(layout, settings):
    """What was given for another kind and does nothing here, so that it can be taken back."""
    idle = [key for key in ACTING if is_given(settings, key) and not (settings.kind == "spring" and key in SPRING)]
    if idle:
        layout.label(text="Without effect in this kind of joint:", icon="ERROR")
    for key in idle:
        layout.prop(settings, key)


def draw_optional(layout, settings, use, key):
    row = layout.row(align=True)
    row.prop(settings, use)
    if getattr(settings, use):
        row.prop(settings, key, text="")


def draw_coordinate(layout, settings, turns):
    draw_optional(layout, settings, "use_start", "start_angle" if turns else "start_travel")
    draw_optional(layout, settings, "use_rate", "rate")
    for key in ("damping", "friction", "stiffness"):
        layout.prop(settings, key)
    if settings.friction:
        layout.prop(settings, "friction_rate")
    if settings.stiffness:
        layout.prop(settings, "rest")
    layout.prop(settings, "use_limits")
    if settings.use_limits:
        for key in ("angle_limits" if turns else "travel_limits", "limit_stiffness", "limit_damping"):
            layout.prop(settings, key)
    layout.prop(settings, "motor")
    if settings.motor != "NONE":
        layout.prop(settings, "motor_formula")
        layout.prop(settings, "motor_parameters")


def draw_force(layout, settings):
    layout.prop(settings, "force_kind")
    layout.prop(settings, "force_on")
    if settings.force_on is None:
        layout.prop(settings, "force_group")
    elif settings.force_kind not in forces.WITH_POINT | {"wind"}:
        layout.prop(settings, "at_point")
        if settings.at_point and settings.force_kind in forces.OWN_POINT:
            draw_vector(layout, settings, "own_point")
    for key in forces.FIELDS_OF[settings.force_kind]:
        if forces.FIELDS[key][1] == "vector":
            draw_vector(layout, settings, forces.FIELDS[key][0])
            continue
        for name in forces.properties_of(key):
            layout.prop(settings, name)


class CATENA_PT_settings(CatenaPanel, bpy.types.Panel):
    bl_label = "Settings"
    bl_idname = "CATENA_PT_settings"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, settings = self.layout, context.scene.catena
        layout.prop(settings, "method")
        for key in OPTIONAL:
            draw_optional(layout, settings, "use_" + key, key)
        for key in ("precision", "keys_per_frame", "replace", "trails", "record", "show"):
            layout.prop(settings, key)


class CATENA_PT_files(CatenaPanel, bpy.types.Panel):
    bl_label = "Files"
    bl_idname = "CATENA_PT_files"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _):
        column = self.layout.column(align=True)
        column.operator("catena.export_scene", icon="EXPORT")
        column.operator("catena.import_run", icon="IMPORT")


CLASSES = (CATENA_PT_simulation, CATENA_PT_object, CATENA_PT_settings, CATENA_PT_files)


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)


def unregister():
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
