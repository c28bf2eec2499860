"""What the buttons do."""
import json
import os
import tempfile

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import animation, chains, followers, program, records, scene_export, scene_import, takeover
from .animation import AnimationError
from .motion import RunError, read_run
from .names import messages_of
from .program import ProgramError
from .properties import JOINTS, WITH_AXIS, preferred_program
from .scene_export import ExportError

MOST_GAP = 1e-6  # m or rad: a joint that is open by more than this came apart
running = None   # the Simulation in the background


def find_program():
    return program.find_program(os.environ.get("CATENA_PROGRAM", "") or preferred_program())


def show(context, lines):
    context.scene.catena.report = "\n".join(lines)


def point_out(context, objects):
    """Selects the objects that are to blame."""
    objects = [obj for obj in objects if obj and obj.name in context.view_layer.objects]
    if not objects or context.mode != "OBJECT":
        return
    for obj in context.view_layer.objects:
        obj.select_set(obj in objects)
    context.view_layer.objects.active = objects[0]


class Reporting:
    """Mistakes become reports that name objects."""

    def fail(self, context, error, names=None):
        objects, lines = list(getattr(error, "objects", [])), []
        if isinstance(error, ProgramError) and error.output:
            lines = messages_of(error.output, names) if names else []
            if names:
                objects = [context.scene.objects.get(name) for name in names.mentioned(error.output)]
            lines = lines or [error.output.strip() or str(error)]
        lines = lines or str(error).splitlines()
        show(context, lines)
        point_out(context, objects)
        self.report({"ERROR"}, "\n".join(lines))
        return {"CANCELLED"}


class CATENA_OT_body_add(bpy.types.Operator):
    bl_idname = "catena.body_add"
    bl_label = "Add body"
    bl_description = "The selected mesh objects become bodies"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return any(obj.type == "MESH" for obj in context.selected_objects)

    def execute(self, context):
        for obj in context.selected_objects:
            if obj.type == "MESH":
                obj.catena.role = "BODY"
        return {"FINISHED"}


class CATENA_OT_role_remove(bpy.types.Operator):
    bl_idname = "catena.role_remove"
    bl_label = "Remove"
    bl_description = "The selected objects are no bodies, joints or forces any more"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        for obj in context.selected_objects:
            obj.catena.role = "NONE"
        return {"FINISHED"}


class CATENA_OT_joint_add(bpy.types.Operator):
    bl_idname = "catena.joint_add"
    bl_label = "Add joint"
    bl_description = "A joint at the 3D cursor, between the two selected bodies or between one and the ground"
    bl_options = {"REGISTER", "UNDO"}

    kind: EnumProperty(name="Kind", items=JOINTS)
    axis: EnumProperty(name="Axis", items=[(a, a, "") for a in "XYZ"], default="Y")

    def execute(self, context):
        bodies = [obj for obj in context.selected_objects if obj.catena.role == "BODY"]
        if len(bodies) not in (1, 2):
            self.report({"ERROR"}, "select one body, or two")
            return {"CANCELLED"}
        active = context.view_layer.objects.active
        bodies.sort(key=lambda obj: obj is active)  # the active one is the second
        first, second = bodies if len(bodies) == 2 else (None, bodies[0])
        axis = [float(a == self.axis) for a in "XYZ"] if self.kind in WITH_AXIS else (0, 0, 1)
        size = 0.5 * max(min(max(obj.dimensions) for obj in bodies), 0.1)
        joint = chains.new_joint(second.users_collection[0], self.kind, self.kind, first, second,
                                 context.scene.cursor.location, axis, size)
        for obj in context.selected_objects:
            obj.select_set(False)
        joint.select_set(True)
        context.view_layer.objects.active = joint
        return {"FINISHED"}


class CATENA_OT_force_add(bpy.types.Operator):
    bl_idname = "catena.force_add"
    bl_label = "Add force"
    bl_description = "A force at the 3D cursor on the active body, by formulas"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        body = context.view_layer.objects.active
        obj = bpy.data.objects.new("force", None)
        context.collection.objects.link(obj)
        obj.empty_display_type = "SINGLE_ARROW"
        obj.location = context.scene.cursor.location
        obj.catena.role = "FORCE"
        if body is not None and body.catena.role == "BODY":
            obj.catena.force_on = body
            chains.hold(obj, body)
        return {"FINISHED"}


class CATENA_OT_chain_add(bpy.types.Operator):
    bl_idname = "catena.chain_add"
    bl_label = "Add chain"
    bl_description = "Links along the active curve, or hanging from the 3D cursor"
    bl_options = {"REGISTER", "UNDO"}

    count: IntProperty(name="Links", default=10, min=1, max=10000)
    length: FloatProperty(name="Length of a link", default=0.2, min=1e-4, description="Without a curve")
    mass: FloatProperty(name="Mass of a link (kg)", default=0.1, min=1e-6, precision=4)
    thickness: FloatProperty(name="Thickness", default=0.04, min=1e-4)
    kind: EnumProperty(name="Joints", items=[joint for joint in JOINTS if joint[0] in ("ball", "universal")])
    hold_start: BoolProperty(name="Hold the start", default=True)
    hold_end: BoolProperty(name="Hold the end")
    use_curve: BoolProperty(name="Along the curve", default=True)

    def execute(self, context):
        active = context.view_layer.objects.active
        points = chains.straight_down(context.scene.cursor.location, self.count, self.length)
        if self.use_curve and active is not None and active.type == "CURVE":
            points = chains.along_curve(active, context.evaluated_depsgraph_get(), self.count)
            if points is None:
                self.report({"ERROR"}, f"'{active.name}' has no length: draw it first")
                return {"CANCELLED"}
        chains.make_chain(context, points, self.mass, self.thickness, self.kind, self.hold_start, self.hold_end)
        return {"FINISHED"}


class CATENA_OT_take_over(bpy.types.Operator):
    bl_idname = "catena.take_over"
    bl_label = "Take over rigid bodies"
    bl_description = "Blender's own rigid bodies and their constraints become bodies and joints; Blender's go"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        lines, left = takeover.take_over(context)
        show(context, lines + left)
        self.report({"WARNING" if left else "INFO"}, "; ".join(lines + left))
        return {"FINISHED"}


class CATENA_OT_follow(bpy.types.Operator):
    bl_idname = "catena.follow"
    bl_label = "Follow bodies"
    bl_description = "Bones of selected armatures and points of selected curves follow the bodies next to them"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return any(obj.type in ("ARMATURE", "CURVE") for obj in context.selected_objects)

    def execute(self, context):
        bodies = scene_export.with_role(context.scene, "BODY")
        if not bodies:
            self.report({"ERROR"}, "there are no bodies to follow: select mesh objects and press Add body")
            return {"CANCELLED"}
        lines = [followers.follow(context, obj, bodies) for obj in context.selected_objects if obj.type in ("ARMATURE", "CURVE")]
        show(context, lines)
        self.report({"INFO"}, "; ".join(lines))
        return {"FINISHED"}


# ---- checking and simulating --------------------------------------------------------------------------------


def counted(count, one, many):
    return f"{count} {one if count == 1 else many}"


def check_report(text, names):
    data = program.understood(text, "check")
    lines = [", ".join([counted(data["degrees_of_freedom"], "degree of freedom", "degrees of freedom"),
                        counted(data.get("bodies", 0), "body", "bodies"),
                        counted(data.get("joints", 0), "joint", "joints")])]
    constraints = data.get("constraints", {})
    redundant = constraints.get("redundant", {})
    if redundant:
        parts = [f"{count} of '{names.blender.get(name, name)}'" for name, count in redundant.items()]
        lines.append("redundant, harmless: " + ", ".join(parts))
    elif constraints:
        lines.append("no joint is redundant")
    assembly = data.get("assembly", {})
    if assembly.get("largest_move", 0) > 1e-6 or assembly.get("largest_turn", 0) > 1e-6:
        lines.append(f"gaps: bodies move by up to {assembly['largest_move']:.3g} m and "
                     f"{assembly['largest_turn']:.3g} rad to close them")
    elif assembly:
        lines.append("no gaps")
    return lines


class CATENA_OT_check(Reporting, bpy.types.Operator):
    bl_idname = "catena.check"
    bl_label = "Check"
    bl_description = "Degrees of freedom, redundant joints and gaps"

    def execute(self, context):
        names = scene_export.names_of(context.scene)
        try:
            exported = scene_export.export_scene(context, whole=False)
            with tempfile.TemporaryDirectory(prefix="catena-") as folder:
                path = os.path.join(folder, "scene.json")
                with open(path, "w", encoding="utf-8") as file:
                    json.dump(exported.scene, file)
                lines = check_report(program.call(find_program(), "check", path, "--json"), exported.names)
        except (ExportError, ProgramError, OSError) as error:
            return self.fail(context, error, names)
        lines += exported.notes + exported.warnings
        show(context, lines)
        self.report({"WARNING" if exported.warnings else "INFO"}, "; ".join(lines))
        return {"FINISHED"}


def run_report(summary, names=None):
    lines = [f"{summary['method']}, order {summary['order']}, {summary['steps']} steps in "
             f"{summary['wall_seconds']:.3g} s",
             f"energy error {summary['energy_error_relative']:.2g} of the largest energy"]
    if summary.get("constraint_error") is not None:
        lines.append(f"largest gap {summary['constraint_error']:.2g}")
    if summary.get("constraint_error") is not None and summary["constraint_error"] > MOST_GAP:
        lines.append("the joints come apart, so this is no motion of the mechanism: a loop does not fit, such as hinges "
                     "whose axes are not quite parallel")
    said = [str(summary[key]) for key in ("message", "advice") if summary.get(key)]
    if summary.get("outcome") == "failed":
        said.insert(0, f"failed at t = {summary['simulated_seconds']:.4g} s, shown so far:")
    return lines + [names.in_blender(line) if names else line for line in said]


def report_run(operator, context, lines, summary, warnings=()):
    gap = summary.get("constraint_error")
    bad = warnings or (gap is not None and gap > MOST_GAP) or summary.get("outcome") == "failed"
    lines = [*lines, *warnings]
    show(context, lines)
    operator.report({"WARNING" if bad else "INFO"}, "; ".join(lines))


class CATENA_OT_simulate(Reporting, bpy.types.Operator):
    bl_idname = "catena.simulate"
    bl_label = "Simulate"
    bl_description = "Runs the scene and brings the motion back as keyframes"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, _):
        return running is None

    def start(self, context):
        """Whether the program runs; otherwise it was said why not."""
        global running
        try:
            self.exported = scene_export.export_scene(context, whole=False)
            recorded = "position,orientation" + (",reactions,energies" if context.scene.catena.record else "")
            running = program.Simulation(find_program(), self.exported.scene, recorded)
        except (ExportError, ProgramError, OSError) as error:
            self.fail(context, error, scene_export.names_of(context.scene))
        return running is not None

    def finish(self, context):
        """The keyframes, once the program has ended."""
        global running
        simulation, running = running, None
        try:
            if simulation.cancelled:
                show(context, ["cancelled"])
                return {"CANCELLED"}
            if not simulation.run_file.exists():
                raise ProgramError("catena run failed", simulation.standard_error())
            run = read_run(simulation.run_file)
            summary = simulation.summary()
            animation.apply_run(context, run, self.exported.frames)
            if context.scene.catena.record:
                recorded = {name: bpy.data.objects.get(self.exported.names.blender.get(name, name)) for name in run.joint_names()}
                self.exported.notes += records.write(context, run, self.exported.frames, recorded)
            if context.scene.catena.trails:
                add_trails(context, run, self.exported)
            lines = run_report(summary, self.exported.names) + self.exported.notes
            report_run(self, context, lines, summary, self.exported.warnings)
            return {"FINISHED"}
        except (ProgramError, AnimationError, RunError, OSError) as error:
            return self.fail(context, error, self.exported.names)
        finally:
            simulation.close()

    def execute(self, context):
        if not self.start(context):
            return {"CANCELLED"}
        running.wait()
        return self.finish(context)

    def invoke(self, context, _):
        if bpy.app.background:
            return self.execute(context)
        if not self.start(context):
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.1, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def cancel(self, context):
        """Blender ends it by itself, as when another file is opened."""
        global running
        context.window_manager.event_timer_remove(self.timer)
        if running is not None:
            running.close()
            running = None

    def modal(self, context, event):
        if event.type == "ESC" and event.value == "PRESS":
            running.cancel()
        if event.type != "TIMER" and not running.cancelled:
            return {"PASS_THROUGH"}
        redraw(context)
        if not running.poll():
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self.timer)
        result = self.finish(context)
        redraw(context)
        return result


def redraw(context):
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()


class CATENA_OT_cancel(bpy.types.Operator):
    bl_idname = "catena.cancel"
    bl_label = "Cancel"
    bl_description = "Ends the simulation; nothing is changed"

    @classmethod
    def poll(cls, _):
        return running is not None

    def execute(self, _):
        running.cancel()
        return {"FINISHED"}


class CATENA_OT_clear(bpy.types.Operator):
    bl_idname = "catena.clear"
    bl_label = "Clear"
    bl_description = "Removes what simulations and imports made; everything is where it was"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        count = animation.clear(context)
        show(context, [])
        self.report({"INFO"}, f"{count} objects cleared")
        return {"FINISHED"}


def add_trails(context, run, exported):
    unit, rows = context.scene.unit_settings.scale_length or 1.0, run.finite_rows()
    for i, (name, frame) in enumerate(exported.frames.items()):
        old = context.scene.objects.get(frame.obj.name + " trail")
        if old is not None and old.catena.created:
            animation.remove(old)
        points = run.poses(name)[0][:rows] / unit
        if not frame.obj.catena.fixed and not frame.driven and np.ptp(points, axis=0).max() > 0:
            trail = scene_import.new_trail(frame.obj.name + " trail", points, scene_import.coloured(i))
            trail.catena.created = True
            frame.obj.users_collection[0].objects.link(trail)


# ---- files ----------------------------------------------------------------------------------------------------


class CATENA_OT_export(Reporting, bpy.types.Operator, ExportHelper):
    bl_idname = "catena.export_scene"
    bl_label = "Export scene"
    bl_description = "Writes the scene as JSON, so that it can be simulated elsewhere: catena run scene.json -o run.json"

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json", options={"HIDDEN"})

    def execute(self, context):
        try:
            exported = scene_export.export_scene(context)
        except ExportError as error:
            return self.fail(context, error)
        try:
            with open(self.filepath, "w", encoding="utf-8") as file:
                json.dump(exported.scene, file, indent=1)
                file.write("\n")
        except OSError as error:
            return self.fail(context, error)
        lines = [f"wrote {self.filepath}", *exported.notes, *exported.warnings]
        show(context, lines)
        self.report({"WARNING" if exported.warnings else "INFO"}, "; ".join(lines))
        return {"FINISHED"}


def opened_run(path):
    """JSON and NPZ as they are, others through the program."""
    if not path.endswith((".h5", ".csv", ".npz")):
        return read_run(path)
    with tempfile.TemporaryDirectory(prefix="catena-") as folder:
        converted = os.path.join(folder, "run.json")
        program.call(find_program(), "convert", path, converted)
        return read_run(converted)


class CATENA_OT_import(Reporting, bpy.types.Operator, ImportHelper):
    bl_idname = "catena.import_run"
    bl_label = "Import run"
    bl_description = "Brings a recorded run as animation to the objects it was made from; without them, makes objects"
    bl_options = {"REGISTER", "UNDO"}

    filename_ext = ".json"
    filter_glob: StringProperty(default="*.json;*.npz;*.h5;*.csv", options={"HIDDEN"})
    create: BoolProperty(name="New objects", description="Also where the scene has objects of these names")
    trails: BoolProperty(name="Trails", default=True, description="For new objects")

    def execute(self, context):
        try:
            run = opened_run(self.filepath)
            frames = {} if self.create else self.matching(context, run)
            if frames:
                rows = animation.apply_run(context, run, frames)
                what = f"{len(frames)} objects"
            else:
                name = os.path.splitext(os.path.basename(self.filepath))[0]
                collection = scene_import.import_run(context, run, name, self.trails)
                rows, what = run.finite_rows(), f"{len(collection.objects)} new objects"
        except (OSError, RunError, ProgramError, AnimationError) as error:
            return self.fail(context, error)
        lines = [f"{what}, {rows} rows"]
        if run.summary.get("energy_error_relative") is not None:
            lines += run_report(run.summary)
        report_run(self, context, lines, run.summary)
        return {"FINISHED"}

    @staticmethod
    def matching(context, run):
        """Frames of the run's bodies where all of them are in the scene; otherwise none."""
        wanted = run.body_names()
        if not wanted:
            return {}
        try:
            exported = scene_export.export_scene(context)
        except ExportError:
            return {}
        frames = exported.frames
        wanted = [name for name in wanted if name not in exported.carriers]
        return {name: frames[name] for name in wanted} if set(wanted) <= set(frames) else {}


CLASSES = (CATENA_OT_body_add, CATENA_OT_role_remove, CATENA_OT_joint_add, CATENA_OT_force_add, CATENA_OT_chain_add,
           CATENA_OT_take_over, CATENA_OT_follow, CATENA_OT_check, CATENA_OT_simulate, CATENA_OT_cancel, CATENA_OT_clear, CATENA_OT_export, CATENA_OT_import)


def export_item(menu, _):
    menu.layout.operator(CATENA_OT_export.bl_idname, text="Catena scene (.json)")


def import_item(menu, _):
    menu.layout.operator(CATENA_OT_import.bl_idname, text="Catena run (.json, .npz, .h5, .csv)")


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.TOPBAR_MT_file_export.append(export_item)
    bpy.types.TOPBAR_MT_file_import.append(import_item)


def unregister():
    if running is not None:
        running.close()
    bpy.types.TOPBAR_MT_file_import.remove(import_item)
    bpy.types.TOPBAR_MT_file_export.remove(export_item)
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
