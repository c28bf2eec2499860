"""The Blender scene as a Catena scene: docs/exchange.md."""
from dataclasses import dataclass, field

import bpy
import numpy as np

from . import blenders_own, prescribed
from .forces import OWN_POINT, STANDING, acts_at_point, entry_of, parameters_of
from .motion import fault_of_solid, merged, volume_and_center, volume_and_inertia
from .names import Names
from .numbers import same
from .poses import as_drawn
from .prescribed import NoPrescription
from .properties import ON_CURVE, OPTIONAL, SLIDING, TIES, TURNING, TWO_ENDS, WITH_AXIS
from .shapes import rotated

FORMAT = 1
MOST_SENT = 5000  # triangles of a mesh that a simulation is told; of more it gets mass and inertia
MOST_TILT = 1e-5  # rad: what single precision and careful drawing leave between parallel axes


class ExportError(Exception):
    """All mistakes at once; `objects` are the Blender objects that made them."""

    def __init__(self, mistakes):
        super().__init__("\n".join(f"'{obj.name}': {text}" if obj else text for obj, text in mistakes))
        self.objects = [obj for obj, _ in mistakes if obj]


@dataclass
class BodyFrame:
    """Where a body's frame is when it is exported: what connects its motion with that of the object. The object is
    kept by name: undo and redo make others of them while a simulation goes on."""
    object_name: str
    position: np.ndarray     # of the centre of mass, m
    orientation: np.ndarray  # w, x, y, z
    matrix: np.ndarray       # the object's own, Blender units
    driven: bool = False     # by keyframes of its own, which stay

    @property
    def obj(self):
        return bpy.data.objects.get(self.object_name)


@dataclass
class Exported:
    scene: dict
    names: Names
    frames: dict = field(default_factory=dict)  # by the body's name in the scene
    carriers: list = field(default_factory=list)  # bodies without mass that no object stands for
    notes: list = field(default_factory=list)     # what the report says besides
    warnings: list = field(default_factory=list)  # what was given and does nothing


def frames_per_second(scene):
    return scene.render.fps / scene.render.fps_base


def with_role(scene, role):
    found = [obj for obj in scene.objects if obj.catena.role == role]
    return sorted(found, key=lambda obj: obj.name)


def names_of(scene):
    return Names([obj.name for obj in scene.objects if obj.catena.role in ("BODY", "JOINT")])


def numbers(values):
    """Plain floats, without negative zeros."""
    return [float(value) + 0.0 for value in values]


class Exporter:
    def __init__(self, context, scene, edited=(), whole=True):
        self.scene = scene
        self.whole = whole  # with every triangle of every mesh
        self.layer = context.view_layer
        self.unit = scene.unit_settings.scale_length or 1.0
        self.depsgraph = context.evaluated_depsgraph_get()
        self.names = names_of(scene)
        self.mistakes = []
        self.frames = {}
        self.carriers, self.carrying = [], []  # bodies and joints that follow keyframes
        self.tracks = {}                       # of bodies that keyframes move
        self.notes = list(edited)
        self.warnings = []
        self.axes = [np.eye(3)[i] for i in range(3)]

    def complain(self, obj, text):
        self.mistakes.append((obj, text))

    def export(self):
        self.follow_keyframes()
        bodies = [self.body(obj) for obj in with_role(self.scene, "BODY")]
        if not bodies:
            self.complain(None, "there are no bodies: select mesh objects and press Add body")
        elif self.tracks and all(frame.driven or frame.obj.catena.fixed for frame in self.frames.values()):
            self.complain(None, "nothing is left to simulate: " + ", ".join(f"'{name}'" for name in self.tracks) + " goes "
                          "where its keyframes take it; Replace other animation (Settings) simulates it instead")
        # A gear stands behind the joints that it ties.
        joints = sorted(with_role(self.scene, "JOINT"), key=lambda obj: obj.catena.kind in TIES)
        joints = [self.joint(obj) for obj in self.useful(joints)]
        forces = [self.force(obj) for obj in with_role(self.scene, "FORCE")]
        if self.mistakes:
            raise ExportError(self.mistakes)
        out = {"format": FORMAT, "simulation": self.simulation(), "bodies": bodies + self.carriers}
        if joints or self.carrying:
            out["joints"] = self.carrying + joints
        if forces:
            out["forces"] = forces
        self.notes += blenders_own.gravity_note(self.scene)
        self.warnings += blenders_own.left_alone(self.scene)
        carriers = [one["name"] for one in self.carriers]
        return Exported(out, self.names, self.frames, carriers, self.notes, self.warnings)

    def simulation(self):
        settings, rate = self.scene.catena, frames_per_second(self.scene)
        frames = self.scene.frame_end - self.scene.frame_start
        if frames < 1:
            self.complain(None, "the scene's frame range is empty: set its start and end")
            raise ExportError(self.mistakes)
        out = {"duration": frames / rate, "sample": 1.0 / (rate * settings.keys_per_frame), "gravity": blenders_own.gravity_of(self.scene)}
        if settings.method != "taylor":
            out["method"] = settings.method
        out.update({key: getattr(settings, key) for key in OPTIONAL if getattr(settings, "use_" + key)})
        if settings.precision != "double":
            out["precision"] = settings.precision
        return out

    # ---- keyframes ------------------------------------------------------------------------------------------

    def follow_keyframes(self):
        """Finds the bodies that keyframes, drivers, constraints or a parent move; they drive the others."""
        if self.scene.catena.replace:
            return
        bodies = [obj for obj in with_role(self.scene, "BODY") if blenders_own.may_move(obj)]
        others = with_role(self.scene, "JOINT") + with_role(self.scene, "FORCE")
        others = [obj for obj in others if blenders_own.has_keyframes(obj)]
        found = blenders_own.tracks(self.scene, self.layer, bodies + others)
        self.tracks = {obj.name: found[obj.name] for obj in bodies
                       if blenders_own.has_keyframes(obj) or blenders_own.moves(found[obj.name])}
        idle = [obj for obj in others if blenders_own.moves(found[obj.name])]
        if idle:
            self.warnings.append(f"keyframes of joints and forces take no part: {blenders_own.quoted(idle)}; those of bodies "
                                 "do")
        if self.tracks:
            self.notes.append("driven by keyframes: " + ", ".join(f"'{name}'" for name in self.tracks))

    def drive(self, obj, out, frame):
        """Motors that take a body where its keyframes do, each along one axis. Bodies without mass stand between."""
        frame.driven = True
        for one in blenders_own.with_ancestors(obj.parent):
            if one.catena.role == "BODY" and one.name not in self.tracks and not one.catena.fixed:
                self.complain(obj, f"has keyframes and hangs on '{one.name}', which is simulated: remove one of both")
        track = self.tracks[obj.name]
        turns = track[:, :3, :3] @ np.linalg.inv(track[0, :3, :3])
        if np.abs(turns @ np.swapaxes(turns, 1, 2) - np.eye(3)).max() > 1e-4:
            return self.complain(obj, "its keyframes change its size, and bodies are rigid: keep its scale")
        centers = self.unit * track[:, :3, 3] + np.einsum("kij,j->ki", turns, frame.position - self.unit * track[0, :3, 3])
        try:
            ways, point = self.ways(centers, turns)
        except NoPrescription as error:
            return self.complain(obj, f"its keyframes cannot be followed: {error}")
        if not ways:
            out["fixed"] = True
        before = "ground"
        for i, (kind, coordinate, axis, values, tolerance) in enumerate(ways):
            name = out["name"] if i + 1 == len(ways) else self.carrier(obj, f"{out['name']}-{i + 1}", frame.position)
            pieces = prescribed.pieces(values, 1.0 / frames_per_second(self.scene), tolerance)
            self.carrying.append({"name": self.names.add(f"{out['name']}-way-{i + 1}", obj.name), "kind": kind,
                                  "bodies": [before, name], "point": numbers(point), "axis": self.axis(axis),
                                  "motor": {coordinate: prescribed.formula(pieces)}})
            before = name

    @staticmethod
    def ways(centers, turns):
        """Joints that go along a motion: (kind, coordinate, axis, values, what these may be off by), and where they are."""
        most, turn = 1e-6 * max(1e-3, np.abs(centers).max()), 2e-6
        about = [("revolute", "angle", axis, values, turn) for axis, values in prescribed.about_axes(turns, turn)]
        pivot = prescribed.pivot_of(centers, turns, most) if len(about) == 1 else None
        if pivot is not None:
            return about, pivot
        along = prescribed.along_axes(centers - centers[0], most)
        return [("prismatic", "travel", axis, values, most) for axis, values in along] + about, centers[0]

    def useful(self, joints):
        """All but those between bodies that keyframes hold already: Blender's digits would contradict them."""
        held = {None, *(frame.obj for frame in self.frames.values() if frame.driven or frame.obj.catena.fixed)}
        tied = {obj for joint in joints if joint.catena.kind in TIES for obj in (joint.catena.joint_a, joint.catena.joint_b)}

        def is_idle(joint):
            bodies = {joint.catena.body_a, joint.catena.body_b}
            moved = any(body is not None and body.name in self.tracks for body in bodies)
            return moved and bodies <= held and joint not in tied and joint.catena.kind not in TIES

        idle = [joint for joint in joints if is_idle(joint)]
        if idle:
            self.notes.append(f"joints of what keyframes hold already take no part: {blenders_own.quoted(idle)}")
        return [joint for joint in joints if joint not in idle]

    def carrier(self, obj, wanted, position):
        name = self.names.add(wanted, obj.name)
        self.carriers.append({"name": name, "mass": 0.0, "inertia": [0.0, 0.0, 0.0], "position": numbers(position)})
        return name

    # ---- bodies ---------------------------------------------------------------------------------------------

    def body(self, obj):
        settings = obj.catena
        out = {"name": self.names.scene[obj.name]}
        if settings.fixed and obj.name not in self.tracks:
            out["fixed"] = True
        if obj.type != "MESH":
            self.complain(obj, "only mesh objects can be bodies; remove it from the bodies")
            return out
        evaluated = obj.evaluated_get(self.depsgraph)
        matrix = np.array(evaluated.matrix_world, dtype=float)
        turn = np.array(evaluated.matrix_world.to_quaternion(), dtype=float)
        turn /= np.linalg.norm(turn)
        rotation = np.array(evaluated.matrix_world.to_quaternion().to_matrix(), dtype=float)
        shape, center = self.shape(obj, evaluated, matrix, rotation)
        out.update(shape)
        if "inertia" in shape:
            pass  # of a large mesh, which stays here
        elif settings.use_inertia:
            (xx, yy, zz), (xy, xz, yz) = numbers(settings.inertia), numbers(settings.products)
            out["mass"] = float(settings.mass)
            out["inertia"] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        elif settings.mass_by == "DENSITY" and settings.shape != "point":
            out["density"] = float(settings.density)
        else:
            out["mass"] = float(settings.mass)
        out["position"] = numbers(center)
        out["orientation"] = numbers(turn)
        driven = obj.name in self.tracks
        for key in ("velocity", "angular_velocity"):
            if any(getattr(settings, key)) and not driven:
                out[key] = numbers(getattr(settings, key))
        if settings.use_fields:
            out.update(body_fields(settings))
        self.frames[out["name"]] = BodyFrame(obj.name, np.array(center), turn, matrix)
        if driven:
            self.drive(obj, out, self.frames[out["name"]])
        return out

    def shape(self, obj, evaluated, matrix, rotation):
        """The scene's keys of the shape, and its centre of mass in the world, m."""
        kind = "mesh" if obj.catena.use_inertia else obj.catena.shape
        if kind == "point":
            return {"shape": "point"}, self.unit * matrix[:3, 3]
        if kind == "mesh":
            return self.mesh(obj, evaluated, matrix, rotation)
        axes = rotation.T @ matrix[:3, :3]
        scale = np.abs(np.diag(axes))
        if np.abs(axes - np.diag(np.diag(axes))).max() > 1e-4 * max(scale.max(), 1e-30):
            self.complain(obj, "is sheared by the scale of its parent, and a " + kind +
                          " cannot be: apply the parent's scale, or choose the shape Mesh")
            return {"shape": kind}, matrix[:3, 3]
        corners = np.array(evaluated.bound_box, dtype=float)
        low, high = corners.min(axis=0), corners.max(axis=0)
        size, middle = self.unit * scale * (high - low), 0.5 * (low + high)
        out, middle = self.fitted(kind, size, middle, low, high)
        return {"shape": kind, **out}, self.unit * (matrix[:3, :3] @ middle + matrix[:3, 3])

    @staticmethod
    def fitted(kind, size, middle, low, high):
        """Extents of a shape around a box, and the centre of its mass in the object's own coordinates."""
        if kind in ("box", "ellipsoid"):
            return {"size": numbers(size)}, middle
        if kind == "sphere":
            return {"radius": float(0.5 * size.max())}, middle
        if kind == "rod":
            return {"length": float(size[0]), "radius": float(0.5 * max(size[1], size[2]))}, middle
        radius, length = 0.5 * max(size[0], size[1]), size[2]
        if kind == "capsule":
            length = max(length, 2 * radius)
        if kind == "cone":
            middle = np.array([middle[0], middle[1], low[2] + 0.25 * (high[2] - low[2])])
        return {"radius": float(radius), "length": float(length)}, middle

    def mesh(self, obj, evaluated, matrix, rotation):
        mesh = evaluated.to_mesh()
        mesh.calc_loop_triangles()
        points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
        mesh.vertices.foreach_get("co", points)
        triangles = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", triangles)
        evaluated.to_mesh_clear()
        triangles = triangles.reshape(-1, 3)
        if len(triangles) == 0:
            self.complain(obj, "its mesh has no faces, so no volume: choose another shape or give it some")
            return {"shape": "mesh"}, matrix[:3, 3]
        points, triangles = merged(points.reshape(-1, 3).astype(float), triangles)
        if np.linalg.det(matrix[:3, :3]) < 0:  # mirrored: what was outside is inside
            triangles = triangles[:, ::-1]
        fault = "" if obj.catena.use_inertia else fault_of_solid(points @ matrix[:3, :3].T, triangles)
        if fault:
            self.complain(obj, fault)
        # In axes that are parallel to the body's, from the object's origin.
        own = self.unit * points @ (rotation.T @ matrix[:3, :3]).T
        center = np.zeros(3) if obj.catena.use_inertia else volume_and_center(own, triangles)[1]
        world = rotation @ center + self.unit * matrix[:3, 3]
        if not self.whole and not fault and len(triangles) > MOST_SENT:
            return self.weighed(obj, own - center, triangles), world
        return {"shape": "mesh", "vertices": own.tolist(), "triangles": triangles.tolist()}, world

    @staticmethod
    def weighed(obj, points, triangles):
        """A body with the mass and inertia of its mesh, for runs that draw nothing: `points` from the centre of mass."""
        settings = obj.catena
        if settings.use_inertia:
            (xx, yy, zz), (xy, xz, yz) = numbers(settings.inertia), numbers(settings.products)
            return {"mass": float(settings.mass), "inertia": [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]}
        volume, inertia = volume_and_inertia(points, triangles)
        density = float(settings.density) if settings.mass_by == "DENSITY" else float(settings.mass) / volume
        return {"mass": density * volume, "inertia": (density * inertia).tolist(), "volume": volume}

    # ---- joints and forces ----------------------------------------------------------------------------------

    def body_name(self, obj, body, side):
        if body is None:
            return "ground"
        if body.catena.role != "BODY" or self.scene.objects.get(body.name) is not body:
            self.complain(obj, f"its {side} body '{body.name}' is no body of this scene: select it and press Add body")
            return "ground"
        return self.names.scene[body.name]

    def frame(self, obj):
        matrix = np.array(obj.evaluated_get(self.depsgraph).matrix_world, dtype=float)
        axes = matrix[:3, :3] / np.maximum(np.linalg.norm(matrix[:3, :3], axis=0), 1e-30)
        return self.unit * matrix[:3, 3], axes

    def axis(self, drawn):
        """A joint's axis; one that is parallel to an earlier one but for single precision is parallel to it.
        Loops of hinges can move only where such axes agree to the last digit."""
        for known in self.axes:
            along = float(np.dot(known, drawn))
            if abs(along) > 0.5 and np.linalg.norm(drawn - np.sign(along) * known) < MOST_TILT:
                return numbers(np.sign(along) * known)
        self.axes.append(drawn / np.linalg.norm(drawn))
        return numbers(self.axes[-1])

    def joint(self, obj):
        settings, kind = obj.catena, obj.catena.kind
        out = {"name": self.names.scene[obj.name], "kind": "distance" if kind == "spring" else kind}
        if kind in TIES:
            return self.tie(obj, out)
        out["bodies"] = [self.body_name(obj, settings.body_a, "first"), self.body_name(obj, settings.body_b, "second")]
        if settings.body_a is None and settings.body_b is None:
            self.complain(obj, "joins nothing: choose its first or second body")
        elif settings.body_a is settings.body_b:
            self.complain(obj, f"joins '{settings.body_a.name}' with itself: choose another body")
        point, axes = self.frame(obj)
        if kind in TWO_ENDS:
            return self.two_ends(obj, out, point)
        if settings.end is not None:
            self.frames_of_both(obj, out, point, axes)
        else:
            out["point"] = numbers(point)
            if kind in WITH_AXIS:
                out["axis"] = self.axis(axes[:, 2])
            if kind == "universal":
                out["axis2"] = self.axis(axes[:, 0])
        if kind == "screw":
            out["pitch"] = float(settings.pitch)
        if kind in ON_CURVE:
            out["curve"] = [settings.curve_x, settings.curve_y, settings.curve_z]
        if kind in TURNING | SLIDING:
            self.act(obj, out, kind in TURNING)
        else:
            self.note_idle(obj, ())
        return out

    def note_idle(self, obj, but):
        """Says what a joint was given that its kind has no use for."""
        idle = [label for key, label in ACTING.items() if key not in but and is_given(obj.catena, key)]
        if idle:
            self.warnings.append(f"'{obj.name}' is a {obj.catena.kind} joint, which has no coordinate to act along: it does "
                                 f"without {', '.join(idle)}")

    def frames_of_both(self, obj, out, point, axes):
        """Anchors and axes in the bodies' own frames: drawn apart, brought together by assembly."""
        other, other_axes = self.frame(obj.catena.end)
        bodies = [self.frames.get(name) for name in out["bodies"]]
        out["anchors"] = [numbers(seen_by(body, point)) for body, point in zip(bodies, (point, other))]
        if obj.catena.kind in WITH_AXIS:
            drawn = [np.array(self.axis(one[:, 2])) for one in (axes, other_axes)]
            out["axes"] = [numbers(turned_into(body, axis)) for body, axis in zip(bodies, drawn)]

    def two_ends(self, obj, out, point):
        settings = obj.catena
        other = settings.end or settings.body_b
        if other is None:
            self.complain(obj, "has one end only: choose Other end, an object at the other one")
            return out
        self.note_idle(obj, ("stiffness", "damping") if settings.kind == "spring" else ())
        out["points"] = [numbers(point), numbers(self.frame(other)[0])]
        if settings.use_length:
            out["length"] = float(settings.length)
        if settings.kind == "spring":
            if settings.stiffness == 0 and settings.damping == 0:
                self.complain(obj, "is a spring without stiffness and damping: give it one of them")
            for key in ("stiffness", "damping"):
                if getattr(settings, key):
                    out[key] = float(getattr(settings, key))
        return out

    def tie(self, obj, out):
        settings = obj.catena
        joints = [settings.joint_a, settings.joint_b]
        if any(joint is None or joint.name not in self.names.scene or joint.catena.role != "JOINT" for joint in joints):
            self.complain(obj, "ties two joints: choose both")
            return out
        self.note_idle(obj, ())
        out["joints"] = [self.names.scene[joint.name] for joint in joints]
        out["ratio"] = float(settings.ratio)
        return out

    def act(self, obj, out, turns):
        """What acts along the joint's coordinate."""
        settings = obj.catena
        if settings.use_start:
            out["angle" if turns else "travel"] = float(settings.start_angle if turns else settings.start_travel)
        if settings.use_rate:
            out["rate"] = float(settings.rate)
        for key in ("damping", "friction", "stiffness"):
            if getattr(settings, key):
                out[key] = float(getattr(settings, key))
        if settings.friction and not same(float(settings.friction_rate), 1e-2):
            out["friction_rate"] = float(settings.friction_rate)
        if settings.stiffness and settings.rest:
            out["rest"] = float(settings.rest)
        if settings.use_limits:
            out["limits"] = numbers(settings.angle_limits if turns else settings.travel_limits)
            out["limit_stiffness"] = float(settings.limit_stiffness)
            if settings.limit_damping:
                out["limit_damping"] = float(settings.limit_damping)
        if settings.motor == "NONE":
            return
        if (settings.motor in ("angle", "torque")) != turns:
            self.complain(obj, "its motor is for a joint that " + ("slides" if turns else "turns") +
                          ": choose " + ("Angle or Torque" if turns else "Travel or Force"))
        out["motor"] = {settings.motor: settings.motor_formula}
        try:
            parameters = parameters_of(settings.motor_parameters)
        except ValueError as error:
            return self.complain(obj, str(error))
        if parameters:
            out["motor"]["parameters"] = parameters

    def force(self, obj):
        settings = obj.catena
        try:
            out = entry_of(settings)
        except ValueError as error:
            self.complain(obj, str(error))
            return {}
        point = self.frame(obj)[0]
        if settings.force_kind in STANDING:
            out["position"] = numbers(point)
        if settings.force_on is not None:
            out["on"] = [self.body_name(obj, settings.force_on, "own")]
            frame = self.frames.get(out["on"][0])
            if frame is not None and acts_at_point(settings):
                out["point"] = numbers(seen_by(frame, point))
            if settings.at_point and settings.force_kind in OWN_POINT:
                out["point"] = [float(part) for part in settings.own_point]
        elif settings.force_group is not None:
            out["on"] = [self.names.scene[one.name] for one in with_role(self.scene, "BODY")
                         if settings.force_group.all_objects.get(one.name) is one]
            if not out["on"]:
                self.complain(obj, f"its collection '{settings.force_group.name}' has no bodies")
        return out


# What acts along a joint's coordinate: properties, and their names in the panel.
ACTING = {"damping": "damping", "friction": "friction", "stiffness": "stiffness", "use_limits": "limits", "motor": "motor",
          "use_start": "start value", "use_rate": "start rate"}


def is_given(settings, key):
    return getattr(settings, key) not in (0.0, False, "NONE")


def body_fields(settings):
    """What forces of other kinds than gravity act on."""
    keys = ("charge", "susceptibility", "volume")
    out = {key: float(getattr(settings, key)) for key in keys if getattr(settings, key)}
    if any(settings.moment):
        out["moment"] = numbers(settings.moment)
    if settings.body_drag_area:
        out["drag_area"] = float(settings.body_drag_area)
    return out


def turned_into(frame, vector):
    """A vector of the world in a body's frame; of the ground as it is."""
    if frame is None:
        return vector
    return rotated(frame.orientation * np.array([1.0, -1.0, -1.0, -1.0]), np.asarray(vector)[None])[0]


def seen_by(frame, point):
    """A point of the world in a body's frame; of the ground as it is."""
    return point if frame is None else turned_into(frame, point - frame.position)


def export_scene(context, scene=None, whole=True):
    """The scene as it is drawn at its first frame; not `whole`: large meshes as their mass and inertia. Throws ExportError."""
    scene = scene or context.scene
    with as_drawn(scene, context.view_layer) as edited:
        return Exporter(context, scene, edited, whole).export()
