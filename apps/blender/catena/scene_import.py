"""Runs without their Blender scene: objects, materials, joints and trails are made from what the file says."""
import bpy
import numpy as np

from . import forces, motion, shapes
from .animation import ACTION, frame_numbers
from .keyframes import write_action
from .numbers import angle
from .poses import own_result, remember_pose
from .properties import DISPLAYS, ON_CURVE, OPTIONAL, TWO_ENDS

# M. Okabe and K. Ito, "Color universal design" (2008): told apart by colour-blind people too.
COLOURS = [(0x00, 0x72, 0xb2), (0xd5, 0x5e, 0x00), (0x00, 0x9e, 0x73), (0xb6, 0x5a, 0x94), (0xe6, 0x9f, 0x00),
           (0x56, 0xb4, 0xe9), (0x6b, 0x70, 0x78)]
MOST_TRAILS = 40


def linear(byte):
    part = byte / 255
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def use_nodes(owner):
    """Since 5.0 there is no other way."""
    if bpy.app.version < (5, 0, 0):
        owner.use_nodes = True


def material(name, colour, metallic=0.0):
    """Shared by all that ask for the same name."""
    found = bpy.data.materials.get(name)
    if found is not None:
        return found
    made = bpy.data.materials.new(name)
    rgba = tuple(linear(byte) for byte in colour) + (1.0,)
    made.diffuse_color = rgba
    use_nodes(made)
    shader = next((node for node in made.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader:
        shader.inputs["Base Color"].default_value = rgba
        shader.inputs["Metallic"].default_value = metallic
        shader.inputs["Roughness"].default_value = 0.45
    return made


def coloured(i):
    return material(f"Catena {i % len(COLOURS) + 1}", COLOURS[i % len(COLOURS)])


def steel():
    return material("Catena steel", (0x8a, 0x90, 0x99), 0.7)


def new_mesh(name, corners, faces, smooth):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(corner) for corner in corners], [], [tuple(face) for face in faces])
    if smooth:
        mesh.polygons.foreach_set("use_smooth", np.array([len(face) <= 4 for face in faces], dtype=bool))
    mesh.update()
    return mesh


class Importer:
    def __init__(self, context, run, name, trails=True):
        self.context, self.run, self.trails = context, run, trails
        self.unit = context.scene.unit_settings.scale_length or 1.0
        self.rows = run.finite_rows()
        self.frames = frame_numbers(context.scene, run.times[:self.rows])
        self.collection = bpy.data.collections.new(name)
        self.collection["catena"] = True
        context.scene.collection.children.link(self.collection)
        self.count = 0

    def place(self, obj):
        obj.catena.created = True
        obj.rotation_mode = "QUATERNION"
        self.collection.objects.link(obj)
        own_result(obj)
        return obj

    def animate(self, obj, locations, turns=None, scales=None, drawn=None):
        """`drawn`: location and rotation before assembly, where the scene has them."""
        channels = [("location", locations[:self.rows] / self.unit)]
        obj.location = channels[0][1][0]
        if turns is not None:
            turns = motion.without_sign_flips(turns[:self.rows])
            channels.append(("rotation_quaternion", turns))
            obj.rotation_quaternion = turns[0]
        if scales is not None:
            channels.append(("scale", scales[:self.rows]))
        assembled = False
        if drawn is not None:
            assembled = max(np.abs(locations[0] - np.array(drawn[0])).max(),
                            1 - abs(np.dot(turns[0], drawn[1]))) > 1e-9
            obj.location, obj.rotation_quaternion = np.array(drawn[0]) / self.unit, drawn[1]
            remember_pose(obj)
        moving = [(path, values) for path, values in channels if assembled or np.ptp(values, axis=0).max() > 0]
        if moving and self.rows > 1:
            write_action(bpy.data.actions, obj, ACTION + obj.name, self.frames, moving)
            obj.catena.has_result = True

    def trail(self, name, locations, shade):
        if not self.trails or self.count >= MOST_TRAILS or np.ptp(locations, axis=0).max() == 0:
            return
        self.count += 1
        self.place(new_trail(name, locations[:self.rows] / self.unit, shade))

    # ---- bodies ---------------------------------------------------------------------------------------------

    def bodies(self, drawing):
        entries = {body["name"]: body for body in (self.run.scene or {}).get("bodies", [])}
        made = {}
        for i, body in enumerate(drawing["bodies"]):
            positions, turns = self.body_poses(body)
            corners, faces = shapes.body_mesh(body["shapes"]) if body["shapes"] else shapes.ellipsoid([0.05] * 3)
            smooth = all(shapes.is_round(shape["shape"]) for shape in body["shapes"])
            corners = np.asarray(corners, dtype=float) / self.unit
            mesh = new_mesh(body["name"], corners.tolist(), faces, smooth)
            if smooth and hasattr(mesh, "use_auto_smooth"):
                mesh.use_auto_smooth = True
            mesh.materials.append(coloured(i))
            obj = self.place(bpy.data.objects.new(body["name"], mesh))
            settle_body(obj, entries.get(body["name"], {}), body)
            self.animate(obj, positions, turns, drawn=(body["position"], body["orientation"]))
            self.trail(body["name"] + " trail", positions, coloured(i))
            made[body["name"]] = obj
        return made

    def body_poses(self, body):
        if self.run.has(f"x_{body['label']}"):
            return self.run.poses(body["label"])
        ones = np.ones((self.rows, 1))  # fixed bodies need no columns
        return ones * np.array(body["position"]), ones * np.array(body["orientation"])

    # ---- joints ---------------------------------------------------------------------------------------------

    def joints(self, drawing, bodies):
        drawn = drawing["joints"] + [{**spring, "kind": "spring"} for spring in drawing["springs"]]
        made, size = {}, self.joint_size(bodies)
        for joint, entry in zip(drawn, self.joint_entries(drawn)):
            obj = self.place(bpy.data.objects.new(joint["name"], None))
            obj.catena.role = "JOINT"
            obj.catena.kind = joint["kind"]
            obj.empty_display_type, obj.empty_display_size = DISPLAYS[joint["kind"]], size
            made[joint["name"]] = obj
            settle_joint(obj, entry, made)
            if "bodies" in joint:
                self.place_joint(obj, joint, bodies, apart="anchors" in entry or "axes" in entry or "axis2" in entry)

    def joint_entries(self, drawn):
        """What the scene says of each joint that is drawn: by name; those without one stand in the scene's order.
        Springs may also stand among the forces, and are drawn by their number there."""
        scene = self.run.scene or {}
        named = {joint["name"]: joint for joint in scene.get("joints", []) if "name" in joint}
        named.update({f"force {i + 1}": force for i, force in enumerate(scene.get("forces", []))})
        unnamed = [joint for joint in scene.get("joints", []) if "name" not in joint]
        for joint in drawn:
            kind = "distance" if joint["kind"] == "spring" else joint["kind"]
            others = [entry for entry in unnamed if entry["kind"] == kind]
            entry = named.get(joint["name"]) or (others[0] if others else {})
            unnamed = [one for one in unnamed if one is not entry]
            yield entry

    def joint_size(self, bodies):
        widths = [max(obj.dimensions) for obj in bodies.values()]
        return 0.3 * float(np.median(widths)) if widths else 0.1

    def place_joint(self, obj, joint, bodies, apart):
        """`apart`: the bodies have points and axes of their own, which need not agree as drawn."""
        first, second = (bodies.get(name) for name in joint["bodies"])
        obj.catena.body_a, obj.catena.body_b = first, second
        axes = joint.get("axes", [[0, 0, 1], [0, 0, 1]])
        self.put(obj, first, joint["anchors"][0], axes[0])
        if apart or joint["kind"] in TWO_ENDS | ON_CURVE:
            end = self.place(bpy.data.objects.new(joint["name"] + " end", None))
            end.empty_display_size = 0.5 * obj.empty_display_size
            self.put(end, second, joint["anchors"][1], axes[1])
            obj.catena.end = end

    def put(self, obj, parent, point, axis):
        """At a point of its parent's frame, z along an axis; without a parent, of the world."""
        obj.parent = parent
        obj.location = np.asarray(point) / self.unit
        obj.rotation_quaternion = motion.aligned(-np.asarray([axis], dtype=float))[0]

    # ---- forces ---------------------------------------------------------------------------------------------

    def forces(self, bodies):
        for entry in (self.run.scene or {}).get("forces", []):
            names = [name for name in entry.get("on", []) if name in bodies]
            if entry["kind"] not in forces.FIELDS_OF or ("on" in entry and not names):
                continue  # springs are among the joints; links are no bodies
            if "on" not in entry:
                self.force(entry)
            elif len(names) == 1 or "point" in entry:
                for name in names:
                    self.force(entry, body=bodies[name])
            else:
                self.force(entry).catena.force_group = self.group(entry["kind"], [bodies[name] for name in names])

    def force(self, entry, body=None):
        obj = self.place(bpy.data.objects.new(entry["kind"], None))
        obj.catena.role, obj.catena.force_kind = "FORCE", entry["kind"]
        obj.empty_display_type = "SINGLE_ARROW"
        forces.settle(obj.catena, entry)
        obj.catena.force_on = body
        if entry["kind"] in forces.STANDING:
            self.put(obj, None, entry.get("position", (0, 0, 0)), (0, 0, 1))
        else:
            self.put(obj, body, (0, 0, 0) if entry["kind"] in forces.OWN_POINT else entry.get("point", (0, 0, 0)), (0, 0, 1))
        return obj

    def group(self, name, objects):
        made = bpy.data.collections.new(name)
        made["catena"] = True
        self.collection.children.link(made)
        for obj in objects:
            made.objects.link(obj)
        return made

    # ---- chains ---------------------------------------------------------------------------------------------

    def chains(self, drawing):
        for chain in drawing["chains"]:
            lengths = [link["length"] for link in chain["links"]]
            size = float(np.median(lengths)) / self.unit
            heaviest = max(link["mass"] for link in chain["links"]) or 1.0
            ball = new_mesh("bob", *shapes.ellipsoid([0.16 * size] * 3), True)
            rod = new_mesh("link", *shapes.turned([(0.02 * size, -1.0), (0.02 * size, 0.0)]), True)
            rod.materials.append(steel())
            ends = [self.run.vectors(link["label"]) for link in chain["links"]]
            if any(end is None for end in ends):
                raise motion.RunError("the run has no positions: record it with --quantities position")
            for i, link in enumerate(chain["links"]):
                self.bob(link, ball, ends[i], max(0.4, (link["mass"] / heaviest) ** (1 / 3)), i)
                self.link(link, rod, self.upper(chain, link, ends, i), ends[i])

    def upper(self, chain, link, ends, i):
        if link["parent"] > 0:
            return ends[link["parent"] - 1]
        along = self.run.vectors(link["label"], ("ux", "uy", "uz"))
        if chain["pivot_moves"] and along is not None:
            strain = self.run.columns.get("strain_" + link["label"], np.zeros(len(along)))
            return ends[i] - (link["length"] * (1 + strain))[:, None] * along
        return np.ones((len(ends[i]), 1)) * np.array(chain["pivot"])

    def bob(self, link, ball, ends, size, i):
        obj = self.place(bpy.data.objects.new("bob " + link["label"], ball.copy()))
        obj.data.materials.append(coloured(i))
        obj.scale = (size, size, size)
        self.animate(obj, ends)
        self.trail("trail " + link["label"], ends, coloured(i))

    def link(self, link, rod, uppers, ends):
        along = ends - uppers
        lengths = np.linalg.norm(along, axis=1, keepdims=True)
        obj = self.place(bpy.data.objects.new("link " + link["label"], rod))
        scales = np.concatenate([np.ones((len(lengths), 2)), lengths / self.unit], axis=1)
        obj.scale = scales[0]
        rigid = np.ptp(lengths) < 1e-6 * lengths.max()
        self.animate(obj, uppers, motion.aligned(along / np.maximum(lengths, 1e-300)), None if rigid else scales)


def new_trail(name, points, shade):
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.concatenate([points, np.ones((len(points), 1))], axis=1).ravel())
    curve.bevel_depth = 0.002 * float(np.ptp(points, axis=0).max())
    curve.bevel_resolution = 1
    curve.materials.append(shade)
    return bpy.data.objects.new(name, curve)


def settle_body(obj, entry, drawn):
    """A body's settings from its entry in the scene."""
    settings = obj.catena
    settings.role = "BODY"
    settings.fixed = drawn["fixed"]
    shape = entry.get("shape", "box")
    fits = shape in ("box", "sphere", "cylinder", "capsule", "cone", "ellipsoid", "rod", "point")
    settings.shape = shape if fits else "mesh"
    if "inertia" in entry or shape == "compound":
        m = drawn["inertia"]
        settings.use_inertia, settings.mass = True, drawn["mass"]
        settings.inertia, settings.products = [m[i][i] for i in range(3)], (m[0][1], m[0][2], m[1][2])
    elif "density" in entry:
        settings.mass_by, settings.density = "DENSITY", entry["density"]
    else:
        settings.mass = drawn["mass"]
    settings.velocity = entry.get("velocity", (0, 0, 0))
    settings.angular_velocity = entry.get("angular_velocity", (0, 0, 0))
    for key, name in (("charge", "charge"), ("moment", "moment"), ("susceptibility", "susceptibility"),
                      ("volume", "volume"), ("drag_area", "body_drag_area")):
        if key in entry:
            settings.use_fields = True
            setattr(settings, name, entry[key])


def settle_joint(obj, entry, made):
    settings = obj.catena
    for key in ("ratio", "pitch", "damping", "friction", "friction_rate", "stiffness", "limit_stiffness", "limit_damping"):
        if key in entry:
            setattr(settings, key, entry[key])
    for key in ("rest", "rate"):
        if key in entry:
            setattr(settings, key, angle(entry[key]))
    settings.use_rate = "rate" in entry
    if "joints" in entry:
        settings.joint_a, settings.joint_b = (made.get(name) for name in entry["joints"])
    if "curve" in entry:
        settings.curve_x, settings.curve_y, settings.curve_z = (str(formula) for formula in entry["curve"])
    if "length" in entry:
        settings.use_length, settings.length = True, entry["length"]
    if "angle" in entry:
        settings.use_start, settings.start_angle = True, angle(entry["angle"])
    if "travel" in entry:
        settings.use_start, settings.start_travel = True, entry["travel"]
    if "limits" in entry:
        settings.use_limits = True
        settings.angle_limits = settings.travel_limits = [angle(limit) for limit in entry["limits"]]
    for drive, formula in entry.get("motor", {}).items():
        if drive == "parameters":
            settings.motor_parameters = forces.parameters_text(formula)
        else:
            settings.motor, settings.motor_formula = drive, str(formula)


def import_run(context, run, name, trails=True):
    """Objects for everything in the run, in a collection of their own. Returns it."""
    if run.drawing is None:
        raise motion.RunError("the file does not say what there is to draw: convert it with catena convert, or open "
                              "the Blender scene that it was made from")
    importer = Importer(context, run, name, trails)
    if importer.rows == 0:
        raise motion.RunError("the run has no rows that could be shown")
    bodies = importer.bodies(run.drawing)
    importer.joints(run.drawing, bodies)
    importer.forces(bodies)
    importer.chains(run.drawing)
    fit_frame_range(context.scene, importer.frames[-1])
    settle_scene(context.scene, run.scene or {})
    return importer.collection


def settle_scene(scene, entry):
    simulation, settings = entry.get("simulation", {}), scene.catena
    gravity = simulation.get("gravity", 9.81)
    settings.gravity = (0, 0, -gravity) if isinstance(gravity, (int, float)) else gravity
    settings.method = simulation.get("method", "taylor")
    settings.precision = simulation.get("precision", "double")
    for key in OPTIONAL:
        setattr(settings, "use_" + key, key in simulation)
        if key in simulation:
            setattr(settings, key, simulation[key])


def fit_frame_range(scene, last):
    scene.frame_end = max(scene.frame_start + 1, int(np.ceil(last - 1e-6)))
    scene.frame_set(scene.frame_start)
