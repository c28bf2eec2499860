"""Kinds of forces and their fields, once, for properties, panel, export and import. Plain Python, no bpy."""
from .numbers import same

# Kinds: the scene's word, a name, what it does, and its fields in the panel's order.
KINDS = [
    ("formula", "Formula", "Formulas of t, x, y, z, vx, vy, vz, speed, m: force and torque, or a potential energy",
     ["force", "torque", "potential", "parameters"]),
    ("drag", "Drag", "Resistance of the medium to motion through it", ["linear", "coefficient", "density", "area"]),
    ("wind", "Wind", "Velocity of the medium, which drag acts against",
     ["velocity", "height", "ground", "exponent", "parameters"]),
    ("buoyancy", "Buoyancy", "Weight of the medium that a body displaces", ["density", "volume"]),
    ("velocity-damping", "Velocity damping", "Takes the same share of every velocity away", ["rate"]),
    ("gravity", "Gravity", "Gravity that depends on place and time, beside the uniform one",
     ["field", "potential", "parameters"]),
    ("point-mass", "Heavy point", "Attraction by a heavy point, where the empty stands", ["strength"]),
    ("electric", "Electric field", "Acts on charges", ["field", "potential", "parameters"]),
    ("magnetic", "Magnetic field", "Acts on moving charges and on magnetic moments", ["field", "parameters"]),
    ("point-charge", "Point charge", "Electric field of a fixed charge, where the empty stands", ["charge", "constant"]),
    ("magnet", "Magnet", "Magnetic field of a fixed dipole, where the empty stands", ["moment"]),
    ("coulomb", "Coulomb", "Forces between all charges", ["constant"]),
    ("dipoles", "Dipoles", "Forces between all magnetic moments", []),
]
FIELDS_OF = {kind: fields for kind, _, _, fields in KINDS}
STANDING = {"point-mass", "point-charge", "magnet"}  # the empty is the source, and does not move
WITH_POINT = {"formula", "drag", "buoyancy"}         # with one body: the empty is where the force acts
MAY_HAVE_POINT = {"velocity-damping", "gravity", "electric", "magnetic"}  # likewise where that is asked for
OWN_POINT = STANDING | {"coulomb", "dipoles"}        # the empty stands for something else: the point is given by numbers

# Fields: the property's name or stem, what it holds, its label, and the scene's own default (None: none).
# formulas: three texts; formula: one; number; vector; parameters: names and numbers.
FIELDS = {
    "force": ("force", "formulas", "Force (N)", None),
    "torque": ("torque", "formulas", "Torque (N m)", ["0", "0", "0"]),
    "velocity": ("wind", "formulas", "Velocity (m/s)", None),
    "field": ("field", "formulas", "Field (m/s², V/m or T)", None),
    "potential": ("potential", "formula", "Or potential (J, J/kg or V)", ""),
    "parameters": ("parameters", "parameters", "Parameters", {}),
    "linear": ("drag_linear", "number", "Linear (kg/s)", 0.0),
    "coefficient": ("drag_coefficient", "number", "Coefficient", 0.47),
    "density": ("drag_density", "number", "Density (kg/m³)", 1.225),
    "area": ("drag_area", "number", "Area (m²)", 0.0),
    "volume": ("force_volume", "number", "Volume (m³)", 0.0),
    "rate": ("damping_rate", "number", "Rate (1/s)", None),
    "height": ("wind_height", "number", "Height (m)", 0.0),
    "ground": ("wind_ground", "number", "Ground (m)", 0.0),
    "exponent": ("wind_exponent", "number", "Exponent", 1 / 7),
    "strength": ("strength", "number", "Strength G M (m³/s²)", None),
    "charge": ("source_charge", "number", "Charge (C)", None),
    "constant": ("coulomb_constant", "number", "Constant (N m²/C², 0: the program's)", 0.0),
    "moment": ("source_moment", "vector", "Moment (A m²)", None),
}


def properties_of(key):
    """Names of the properties that hold a field."""
    stem, holds = FIELDS[key][:2]
    return [f"{stem}_{axis}" for axis in "xyz"] if holds == "formulas" else [stem]


def parameters_of(text):
    """"k = 0.5, omega = 2" as a dictionary; raises ValueError."""
    out = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals or not name.strip().isidentifier():
            raise ValueError(f"parameters are written as k = 0.5, omega = 2; cannot make sense of '{part}'")
        try:
            out[name.strip()] = float(value)
        except ValueError:
            raise ValueError(f"parameter {name.strip()} must be a number, got '{value.strip()}'") from None
    return out


def parameters_text(values):
    return ", ".join(f"{name} = {value!r}" for name, value in values.items())


def acts_at_point(settings):
    """Whether the empty's place is where the force acts on its body."""
    kind = settings.force_kind
    return settings.force_on is not None and (kind in WITH_POINT or (kind in MAY_HAVE_POINT and settings.at_point))


def value_of(settings, key):
    stem, holds = FIELDS[key][:2]
    if holds == "formulas":
        return [getattr(settings, name).strip() or "0" for name in properties_of(key)]
    value = getattr(settings, stem)
    if holds == "formula":
        return value.strip()
    if holds == "parameters":
        return parameters_of(value)
    return float(value) if holds == "number" else [float(part) for part in value]


def entry_of(settings):
    """A force's keys in a scene, but for what it acts on; those with the scene's own default are left out. Raises
    ValueError."""
    kind = settings.force_kind
    out = {key: value_of(settings, key) for key in FIELDS_OF[kind]}
    if out.get("potential"):  # instead of the vector
        out.pop("field", None)
        out.pop("force", None)
    return {"kind": kind, **{key: value for key, value in out.items() if not same(value, FIELDS[key][3])}}


def settle(settings, entry):
    """The settings of a force from its entry in a scene."""
    settings.at_point = "point" in entry
    settings.own_point = entry.get("point", (0, 0, 0))
    for key in FIELDS_OF[entry["kind"]]:
        stem, holds, _, default = FIELDS[key]
        value = entry.get(key, default)
        if value is None:
            continue
        if holds == "formulas":
            for name, formula in zip(properties_of(key), value):
                setattr(settings, name, str(formula))
        elif holds == "parameters":
            setattr(settings, stem, parameters_text(value))
        else:
            setattr(settings, stem, str(value) if holds == "formula" else value)
