"""What the add-on keeps in a Blender file: settings of bodies, joints, forces and of the simulation, in SI units."""
import bpy
from bpy.props import (BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, IntProperty,
                       PointerProperty, StringProperty)

from . import catalog, forces

SHAPES = [
    ("mesh", "Mesh", "The solid that the evaluated mesh bounds; it must be closed"),
    ("box", "Box", "The box around the mesh, along the object's own axes"),
    ("sphere", "Sphere", "The ball as wide as the mesh"),
    ("cylinder", "Cylinder", "Along the object's z"),
    ("capsule", "Capsule", "A cylinder with round ends, along the object's z"),
    ("cone", "Cone", "Along the object's z, base below"),
    ("ellipsoid", "Ellipsoid", "As wide as the mesh along each of the object's axes"),
    ("rod", "Rod", "A thin rod along the object's x"),
    ("point", "Point", "A mass without extent at the object's origin"),
]
# Files keep a kind by its number: these came first, in this order, and new ones follow.
NUMBERED = ["revolute", "ball", "fixed", "prismatic", "cylindrical", "universal", "planar", "point-on-line", "point-on-plane",
            "distance", "spring", "gear", "rack", "screw", "constant-velocity"]


def joint_items():
    """Kinds of joints for a menu: the scene's word, a name, what it is, its number."""
    kinds = NUMBERED + [kind for kind in catalog.JOINTS if kind not in NUMBERED]
    summaries = {kind: catalog.sentence(joint["summary"]) for kind, joint in catalog.JOINTS.items()}
    summaries["spring"] = "A spring or damper between two points"
    return [(kind, catalog.title(kind), summaries[kind], number) for number, kind in enumerate(kinds)]


def display_of(joint):
    """How the empty of a joint shows what it is."""
    if joint["place"] == "ties":
        return "CIRCLE"
    if joint["place"] != "point":
        return "PLAIN_AXES"
    return {"none": "SPHERE", "orientation": "CUBE", "two": "ARROWS"}.get(joint["axes"], "SINGLE_ARROW")


JOINTS = joint_items()
DISPLAYS = {**{kind: display_of(joint) for kind, joint in catalog.JOINTS.items()}, "spring": "PLAIN_AXES"}
WITH_AXIS = catalog.joints_that(lambda joint: joint["axes"] in ("one", "two", "one-or-two"))
TURNING = catalog.joints_that(lambda joint: joint["coordinate"] == "angle")
SLIDING = catalog.joints_that(lambda joint: joint["coordinate"] == "travel")
TWO_ENDS = catalog.joints_that(lambda joint: joint["place"] == "ends") | {"spring"}
TIES = catalog.joints_that(lambda joint: joint["place"] == "ties")
ON_CURVE = catalog.joints_that(lambda joint: joint["place"] == "curve")
OPTIONAL = ("tolerance", "step", "order")  # settings of the simulation that a switch `use_..` turns on


def is_mesh(_, obj):
    return obj.type == "MESH"


def is_joint(_, obj):
    return obj.catena.role == "JOINT"


def show_kind(settings, _):
    """The empty looks like its kind."""
    obj = settings.id_data
    if obj.type == "EMPTY":
        obj.empty_display_type = DISPLAYS[settings.kind]


class CatenaObject(bpy.types.PropertyGroup):
    role: EnumProperty(name="Role", items=[("NONE", "None", ""), ("BODY", "Body", ""), ("JOINT", "Joint", ""),
                                           ("FORCE", "Force", "")], default="NONE")
    # Bodies
    fixed: BoolProperty(name="Fixed", description="Stays where it is")
    shape: EnumProperty(name="Shape", items=SHAPES, description="What its mass is spread over")
    mass_by: EnumProperty(name="By", items=[("MASS", "Mass", "kg"), ("DENSITY", "Density", "kg/m³")])
    mass: FloatProperty(name="Mass (kg)", default=1.0, min=0.0, precision=4)
    density: FloatProperty(name="Density (kg/m³)", default=1000.0, min=0.0)
    use_inertia: BoolProperty(name="Own inertia",
                              description="Mass and inertia are given; the centre of mass is the object's origin")
    inertia: FloatVectorProperty(name="Moments xx, yy, zz (kg m²)", size=3, default=(1.0, 1.0, 1.0), precision=5,
                                 description="About the origin, along the object's own axes")
    products: FloatVectorProperty(name="Products xy, xz, yz (kg m²)", size=3, precision=5,
                                  description="The entries of the matrix off its diagonal")
    velocity: FloatVectorProperty(name="Velocity (m/s)", size=3, precision=4,
                                  description="Of the centre of mass at the start, world")
    angular_velocity: FloatVectorProperty(name="Angular velocity (rad/s)", size=3, precision=4,
                                          description="At the start, world")
    use_fields: BoolProperty(name="Charge, magnetism, drag", description="What forces of other kinds act on")
    charge: FloatProperty(name="Charge (C)", precision=9)
    moment: FloatVectorProperty(name="Magnetic moment (A m²)", size=3, precision=4,
                                description="In the object's own axes")
    susceptibility: FloatProperty(name="Susceptibility", precision=5,
                                  description="Positive is drawn into magnetic fields")
    volume: FloatProperty(name="Volume (m³)", min=0.0, precision=5, description="0: that of the shape")
    body_drag_area: FloatProperty(name="Drag area (m²)", min=0.0, precision=5)
    # Joints
    kind: EnumProperty(name="Kind", items=JOINTS, update=show_kind)
    body_a: PointerProperty(name="First", type=bpy.types.Object, poll=is_mesh, description="Empty: the ground")
    body_b: PointerProperty(name="Second", type=bpy.types.Object, poll=is_mesh, description="Empty: the ground")
    end: PointerProperty(name="Other end", type=bpy.types.Object,
                         description="Its origin is the point on the second body, its z the axis there; assembly brings "
                                     "both together. Empty: the same point and axis, of a rod the body's own origin")
    joint_a: PointerProperty(name="First joint", type=bpy.types.Object, poll=is_joint)
    joint_b: PointerProperty(name="Second joint", type=bpy.types.Object, poll=is_joint)
    ratio: FloatProperty(name="Ratio", default=-1.0, precision=4,
                         description="Gear: second angle per first; rack: m of travel per rad")
    pitch: FloatProperty(name="Pitch (m/rad)", default=0.01, precision=5)
    curve_x: StringProperty(name="Curve x (m)", default="cos(s)", description="A formula of s, in the first body's frame")
    curve_y: StringProperty(name="y (m)", default="sin(s)")
    curve_z: StringProperty(name="z (m)", default="0")
    use_length: BoolProperty(name="Length", description="Otherwise the distance at the start")
    length: FloatProperty(name="Length (m)", default=1.0, min=1e-6, precision=4)
    use_start: BoolProperty(name="Start value", description="Assembly meets this value of the joint's coordinate")
    start_angle: FloatProperty(name="Angle", subtype="ANGLE")
    start_travel: FloatProperty(name="Travel (m)", precision=4)
    use_rate: BoolProperty(name="Start rate", description="Assembly meets this rate of the joint's coordinate")
    rate: FloatProperty(name="Rate (rad/s or m/s)", precision=4)
    damping: FloatProperty(name="Damping", min=0.0, precision=4, description="N m s, or N s/m")
    friction: FloatProperty(name="Friction", min=0.0, precision=4, description="N m, or N")
    friction_rate: FloatProperty(name="Friction's rate", default=1e-2, min=1e-9, precision=5,
                                 description="At which friction has 0.71 of its size, rad/s or m/s")
    stiffness: FloatProperty(name="Stiffness", min=0.0, precision=4, description="N m/rad, or N/m")
    rest: FloatProperty(name="At rest", precision=4, description="Coordinate at which the spring is at rest, rad or m")
    use_limits: BoolProperty(name="Limits")
    angle_limits: FloatVectorProperty(name="Limits", size=2, subtype="NONE", unit="ROTATION", default=(-0.7854, 0.7854))
    travel_limits: FloatVectorProperty(name="Limits (m)", size=2, default=(-0.5, 0.5), precision=4)
    limit_stiffness: FloatProperty(name="Limit stiffness", default=1000.0, min=1e-9)
    limit_damping: FloatProperty(name="Limit damping", min=0.0)
    motor: EnumProperty(name="Motor", items=[
        ("NONE", "None", ""), ("angle", "Angle", "The angle follows a formula of t"),
        ("torque", "Torque", "A torque, N m"), ("travel", "Travel", "The travel follows a formula of t"),
        ("force", "Force", "A force, N")])
    motor_formula: StringProperty(name="Formula", default="2*pi*t",
                                  description="Of t; torque and force may use q, rate and any joint's coordinate")
    motor_parameters: StringProperty(name="Parameters",
                                     description="Names for numbers in the formula: k = 0.5, omega = 2")
    # Forces
    force_kind: EnumProperty(name="Kind", items=[kind[:3] for kind in forces.KINDS])
    force_on: PointerProperty(name="On", type=bpy.types.Object, poll=is_mesh, description="Empty: every body")
    force_group: PointerProperty(name="On all of", type=bpy.types.Collection,
                                 description="Instead of one body: every body of a collection")
    at_point: BoolProperty(name="At a point", description="Acts at a point of the body, and not at its centre of mass: "
                           "where the empty is, or for sources that stand elsewhere the point given")
    own_point: FloatVectorProperty(name="Point (m)", size=3, precision=4, description="In the body's own frame")
    drag_linear: FloatProperty(name="Linear (kg/s)", min=0.0, precision=4)
    drag_coefficient: FloatProperty(name="Coefficient", default=0.47, min=0.0)
    drag_density: FloatProperty(name="Density (kg/m³)", default=1.225, min=0.0)
    drag_area: FloatProperty(name="Area (m²)", default=0.01, min=0.0, precision=5, description="0: each body's own")
    damping_rate: FloatProperty(name="Rate (1/s)", default=0.1, min=0.0, precision=4)
    force_volume: FloatProperty(name="Volume (m³)", min=0.0, precision=5, description="0: each body's own")
    wind_height: FloatProperty(name="Height (m)", min=0.0,
                               description="Above ground, where the wind has its velocity; 0: everywhere")
    wind_ground: FloatProperty(name="Ground (m)", description="Its z, below which there is no wind")
    wind_exponent: FloatProperty(name="Exponent", default=1 / 7, min=0.0, description="Of the wind's profile")
    strength: FloatProperty(name="Strength G M (m³/s²)", default=1.0, min=0.0)
    source_charge: FloatProperty(name="Charge (C)", default=1e-6, precision=9)
    coulomb_constant: FloatProperty(name="Constant (N m²/C²)", default=0.0, min=0.0,
                                    description="Coulomb's constant; 0: the one that the program has")
    source_moment: FloatVectorProperty(name="Moment (A m²)", size=3, default=(0.0, 0.0, 1.0), precision=4)
    potential: StringProperty(name="Or potential", description="Instead of the vector; J, per kg or per C")
    parameters: StringProperty(name="Parameters", description="Names for numbers in formulas: k = 0.5, omega = 2")
    # What a simulation put there
    has_result: BoolProperty()
    records: BoolProperty(description="Has forces or energies of a simulation as custom properties")
    result_name: StringProperty(description="Of the object that it was made for: copies have another one")
    result_sum: StringProperty(description="Of its keyframes as they were made: people may change them")
    created: BoolProperty(description="By an import: Clear removes it")
    old_action: PointerProperty(type=bpy.types.Action)
    old_slot: StringProperty()
    old_rotation_mode: StringProperty()
    old_location: FloatVectorProperty(size=3)
    old_rotation: FloatVectorProperty(size=4)
    old_euler: FloatVectorProperty(size=3)
    old_axis_angle: FloatVectorProperty(size=4)


for key, (_, holds, label, _) in forces.FIELDS.items():
    for name, axis in zip(forces.properties_of(key), "xyz") if holds == "formulas" else ():
        CatenaObject.__annotations__[name] = StringProperty(name=label if axis == "x" else axis, default="0")


def use_own_gravity(settings, _):
    settings.gravity_of = "OWN"


class CatenaScene(bpy.types.PropertyGroup):
    gravity_of: EnumProperty(name="Gravity", items=[
        ("SCENE", "Of the scene", "Blender's own: properties of the scene, Gravity"), ("OWN", "Own", "As given here")])
    gravity: FloatVectorProperty(name="Gravity (m/s²)", size=3, default=(0.0, 0.0, -9.81), update=use_own_gravity)
    method: StringProperty(name="Method", default="taylor", description="A name from `catena list methods`")
    use_tolerance: BoolProperty(name="Tolerance", description="Otherwise the method's own")
    tolerance: FloatProperty(name="Tolerance", default=1e-10, min=1e-32, max=1.0, precision=12)
    use_step: BoolProperty(name="Step", description="Needed by methods of fixed step")
    step: FloatProperty(name="Step (s)", default=1e-3, min=1e-9, precision=6)
    use_order: BoolProperty(name="Order", description="Of taylor; otherwise chosen from the tolerance")
    order: IntProperty(name="Order", default=20, min=2, max=200)
    precision: EnumProperty(name="Precision", items=[
        ("double", "Double", "16 digits"),
        ("double-double", "Double-double", "32 digits, for taylor and bulirsch-stoer"),
        ("quad", "Quad", "34 digits, for taylor and bulirsch-stoer")])
    replace: BoolProperty(name="Replace other animation",
                          description="Objects that are animated already get the simulation instead; their own "
                                      "actions are kept, and Clear brings them back")
    keys_per_frame: IntProperty(name="Keys per frame", default=1, min=1, max=32,
                                description="More than one follow fast motions between frames, as motion blur shows them")
    trails: BoolProperty(name="Trails", description="Draws the path of each body's centre of mass")
    record: BoolProperty(name="Forces and energies",
                         description="As custom properties with curves: reaction_force and reaction_moment of joints (N, N m), "
                                     "kinetic_energy and potential_energy of bodies, catena_energy and so on of the scene (J)")
    records: BoolProperty()
    show: BoolProperty(name="Show axes and velocities", default=True)
    report: StringProperty(description="Lines of the last report")


class CatenaPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: StringProperty(name="Program", subtype="FILE_PATH",
                            description="Where catena is. Empty: the one inside the add-on, or the one in PATH")

    def draw(self, _):
        self.layout.prop(self, "program")


CLASSES = (CatenaObject, CatenaScene, CatenaPreferences)


def preferred_program():
    addon = bpy.context.preferences.addons.get(__package__)
    return bpy.path.abspath(addon.preferences.program) if addon and addon.preferences else ""


def register():
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Object.catena = PointerProperty(type=CatenaObject)
    bpy.types.Scene.catena = PointerProperty(type=CatenaScene)


def unregister():
    del bpy.types.Scene.catena
    del bpy.types.Object.catena
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
