"""The same physics seen from elsewhere: scenes and results turned, mirrored, shifted, moving uniformly, in other units."""
import copy
import math

import numpy

from formulas import combined, number, replaced
from geometry import exponents, orientation_matrix, plain, quaternion, radians

MIRROR = numpy.diag([1.0, -1.0, 1.0])
ANGLE_UNITS = {"damping": "N m s", "friction": "N m", "friction_rate": "rad/s", "stiffness": "N m", "rest": "rad",
               "limits": "rad", "limit_stiffness": "N m", "limit_damping": "N m s", "rate": "rad/s"}
TRAVEL_UNITS = {"damping": "N s/m", "friction": "N", "friction_rate": "m/s", "stiffness": "N/m", "rest": "m",
                "limits": "m", "limit_stiffness": "N/m", "limit_damping": "N s/m^2", "rate": "m/s"}
FIELD_UNITS = {"gravity": "m/s^2", "electric": "V/m", "magnetic": "T"}
POTENTIAL_UNITS = {"formula": "J", "gravity": "m^2/s^2", "electric": "V"}
AXIAL_JOINTS = ("revolute", "screw")  # their axes are taken as axial vectors, so that angles keep their sign


class NotApplicable(Exception):
    """This frame has no such scene."""


def chains_of(tree):
    return [tree["chain"]] if "chain" in tree else tree.get("chains", [])


def canonical(tree):
    """The same scene with directions in place of angles, quaternions, and gravity as a vector."""
    tree = copy.deepcopy(tree)
    gravity = tree["simulation"].get("gravity", 9.81)
    if "lagrangian" not in tree and "equations" not in tree:
        tree["simulation"]["gravity"] = gravity if isinstance(gravity, list) else [0.0, 0.0, -float(gravity)]
    for chain in chains_of(tree):
        chain["links"] = [one for link in chain["links"] for one in _expanded(link)]
        for link in chain["links"]:
            if "direction" not in link:
                _directed(link)
    for body in tree.get("bodies", []):
        if body.get("shape") != "point":
            body["orientation"] = quaternion(orientation_matrix(body.get("orientation")))
    return tree


def _expanded(link):
    """An entry that stands for several links as so many entries."""
    count = link.pop("repeat", 1)
    steps = {name: radians(link.pop(f"{name}_step", 0)) for name in ("theta", "phi")}
    links = [copy.deepcopy(link) for _ in range(count)]
    for k, one in enumerate(links):
        for name, step in steps.items():
            if k and step:
                one[name] = radians(one.get(name, 0)) + k * step
        if k:
            one.pop("parent", None)
    return links


def _directed(link):
    theta, phi = radians(link.pop("theta", 0)), radians(link.pop("phi", 0))
    dtheta, dphi = radians(link.pop("theta_dot", 0)), radians(link.pop("phi_dot", 0))
    s, c, sp, cp = math.sin(theta), math.cos(theta), math.sin(phi), math.cos(phi)
    link["direction"] = [s * cp, s * sp, -c]
    link["rate"] = [c * cp * dtheta - s * sp * dphi, c * sp * dtheta + s * cp * dphi, s * dtheta]


class Frame:
    """x_new = length Q x_old + shift + velocity t_new, and t_old = t_new / time + delay."""

    def __init__(self, q=None, shift=(0, 0, 0), velocity=(0, 0, 0), length=1.0, mass=1.0, time=1.0, delay=0.0,
                 reverse=False):
        self.q = numpy.eye(3) if q is None else numpy.array(q, float)
        self.parity = round(float(numpy.linalg.det(self.q)))
        self.body = numpy.eye(3) if self.parity > 0 else MIRROR
        self.shift, self.velocity = numpy.array(shift, float), numpy.array(velocity, float)
        self.moving = bool(numpy.any(self.velocity))
        self.upright = bool(numpy.allclose(self.q[2], [0, 0, 1]))
        # The ampere is such that the magnetic constant keeps its value.
        self.scales = numpy.array([length, mass, time, math.sqrt(mass * length) / time])
        self.time, self.delay, self.reverse = time, delay, reverse
        self.names = self._names()

    def unit(self, unit):
        return float(numpy.prod(self.scales ** exponents(unit)))

    def _names(self):
        shifted = self.delay or self.time != 1 or self.reverse
        names = {"t": f"({number(self.delay)} {'-' if self.reverse else '+'} t/{number(self.time)})" if shifted else "t"}
        still = not self.moving and not numpy.any(self.shift) and numpy.all(self.scales == 1)
        if still and numpy.array_equal(self.q, numpy.eye(3)):
            return names
        length, rate = self.unit("m"), self.unit("m/s")
        place = [f"({name} - {number(float(d))} - {number(float(u))}*t)" if d or u else name
                 for name, d, u in zip("xyz", self.shift, self.velocity)]
        motion = [f"(v{name} - {number(float(u))})" if u else f"v{name}" for name, u in zip("xyz", self.velocity)]
        for i, name in enumerate("xyz"):
            names[name] = f"({combined(self.q[:, i] / length, place)})"
            names[f"v{name}"] = f"({combined(self.q[:, i] / rate, motion)})"
            names[f"w{name}"] = f"({combined(self.parity * self.q[:, i] * self.time, ['wx', 'wy', 'wz'])})"
        own_speed = f"norm({', '.join(names[f'v{name}'] for name in 'xyz')})"
        names["speed"] = own_speed if self.moving else f"(speed/{number(rate)})"
        names["m"] = f"(m/{number(self.unit('kg'))})"
        names["q"] = f"(q/{number(self.unit('C'))})"
        return names

    # ---- vectors ----------------------------------------------------------------------------------------------

    def place(self, x):
        if self.moving:
            raise NotApplicable("a place that rests")
        return plain(self.unit("m") * self.q @ x + self.shift)

    def polar(self, v, unit="1"):
        return plain(self.unit(unit) * self.q @ v)

    def axial(self, v, unit="1"):
        return plain(self.parity * self.unit(unit) * self.q @ v)

    def formulas(self, texts, unit, axial=False):
        weights = (self.parity if axial else 1) * self.unit(unit) * self.q
        inner = [replaced(text, self.names) for text in texts]
        return [combined(row, inner) for row in weights]

    def formula(self, text, unit):
        return combined([self.unit(unit)], [replaced(text, self.names)])

    # ---- scenes -----------------------------------------------------------------------------------------------

    def scene(self, tree, offer):
        tree = canonical(tree)
        simulation = tree["simulation"]
        simulation["duration"] *= self.time
        if "gravity" in simulation:
            simulation["gravity"] = self.polar(simulation["gravity"], "m/s^2")
        for chain in chains_of(tree):
            self.chain(chain, offer)
        for body in tree.get("bodies", []):
            self.a_body(body, offer)
        for joint in tree.get("joints", []):
            self.joint(joint, offer)
        for law in tree.get("forces", []):
            self.law(law, offer)
        if self.moving:
            self.medium(tree)
        for table in ("lagrangian", "equations"):
            if table in tree:
                self.written(tree[table])
        return tree

    def written(self, table):
        """Systems given by formulas have no frame but time."""
        if self.names.keys() != {"t"}:
            raise NotApplicable("a system given by formulas")
        for key in ("lagrangian", "kinetic", "potential", "dissipation"):
            if key in table:
                table[key] = replaced(table[key], self.names)
        for key in ("forces", "dot"):
            if key in table:
                table[key] = {name: replaced(text, self.names) for name, text in table[key].items()}
        if "constraints" in table:
            table["constraints"] = [replaced(text, self.names) for text in table["constraints"]]

    def scaled(self, table, keys):
        """Numbers by the units that the schema gives them."""
        for name, value in table.items():
            unit = unit_of(keys.get(name, {}))
            if unit and isinstance(value, (int, float)) and not isinstance(value, bool):
                table[name] = value * self.unit(unit)

    def chain(self, chain, offer):
        keys = offer.keys("chain")
        pivot = chain.get("pivot", [0, 0, 0])
        if isinstance(pivot, str):
            chain["pivot_point"] = plain(self.unit("m") * self.body @ chain.get("pivot_point", [0, 0, 0]))
        else:
            moved = self.formulas(pivot, "m")
            chain["pivot"] = [combined([1.0, 1.0, 1.0], [own, float(d), f"{number(float(u))}*t" if u else 0])
                              for own, d, u in zip(moved, self.shift, self.velocity)]
        if "end" in chain:
            if isinstance(chain["end"], str):
                chain["end_point"] = plain(self.unit("m") * self.body @ chain.get("end_point", [0, 0, 0]))
            else:
                chain["end"] = self.place(chain["end"])
        self.scaled(chain, keys)
        for i, link in enumerate(chain["links"]):
            if link.get("joint_stiffness") and link.get("parent", i) == 0 and not self.upright:
                raise NotApplicable("a joint at the pivot that knows the vertical")
            self.link(link, offer.keys("chain", "links"))

    def link(self, link, keys):
        direction, rate, moment = link.pop("direction"), link.pop("rate", [0, 0, 0]), link.pop("moment", 0)
        damping, hinge = link.pop("damping", 0), link.pop("hinge", None)
        self.scaled(link, keys)
        link["direction"], link["rate"] = self.polar(direction), self.polar(rate, "1/s")
        if isinstance(moment, list):
            link["moment"] = self.axial(moment, "A m^2")
        elif moment:
            link["moment"] = self.parity * moment * self.unit("A m^2")
        if hinge:
            link["hinge"] = self.polar(hinge)
        if isinstance(damping, list):
            if not numpy.all(numpy.isin(self.q, (-1, 0, 1))):
                raise NotApplicable("damping about the world's axes")
            damping = plain(numpy.abs(self.q) @ damping)
            link["damping"] = plain(self.unit("N m s") * numpy.array(damping))
        elif damping:
            link["damping"] = damping * self.unit("N m s")

    def a_body(self, body, offer):
        self.solid(body, offer.keys("bodies"))
        body["position"] = self.place(body.get("position", [0, 0, 0])) if not self.moving else plain(
            self.q @ body.get("position", [0, 0, 0]) + self.shift)
        if self.moving and (body.get("fixed") or "velocity" not in body):
            raise NotApplicable("a fixed body, or one whose velocity assembly finds")
        if "velocity" in body:  # what is given outranks what is left out
            body["velocity"] = plain(numpy.array(self.polar(body["velocity"], "m/s")) + self.velocity)
        if body.get("shape") == "point":
            return
        turn = self.q @ orientation_matrix(body["orientation"]) @ self.body
        body["orientation"] = quaternion(turn)
        if "angular_velocity" in body:
            body["angular_velocity"] = self.axial(body["angular_velocity"], "1/s")
        if "moment" in body:
            body["moment"] = plain(self.parity * self.unit("A m^2") * self.body @ body["moment"])

    def solid(self, body, keys):
        self.scaled(body, {name: key for name, key in keys.items() if name != "scale"})
        length = self.unit("m")
        if "size" in body:
            body["size"] = plain(length * numpy.array(body["size"]))
        if "inertia" in body:
            inertia = numpy.array(body["inertia"], float) * self.unit("kg m^2")
            body["inertia"] = (inertia if inertia.ndim == 1 else self.body @ inertia @ self.body).tolist()
        if "vertices" in body:
            body["vertices"] = [plain(length * self.body @ v) for v in body["vertices"]]
            if self.parity < 0:
                body["triangles"] = [triangle[::-1] for triangle in body["triangles"]]
        for part in body.get("parts", []):
            self.solid(part, keys)
            part["position"] = plain(length * self.body @ part.get("position", [0, 0, 0]))
            if "orientation" in part:
                part["orientation"] = quaternion(self.body @ orientation_matrix(part["orientation"]) @ self.body)

    def joint(self, joint, offer):
        if self.moving and ("ground" in joint.get("bodies", [])):
            raise NotApplicable("a joint on the ground")
        kind = joint["kind"]
        coordinate = offer.joints[kind]["coordinate"]
        if "point" in joint:
            joint["point"] = self._start(joint["point"])
        if "points" in joint:
            joint["points"] = [self._start(point) for point in joint["points"]]
        for name in ("anchors", "axes", "curve"):
            if name in joint and not (self.parity > 0 and "ground" not in joint["bodies"]):
                raise NotApplicable("places in the bodies' own frames")
        if "anchors" in joint:
            joint["anchors"] = [plain(self.unit("m") * numpy.array(anchor)) for anchor in joint["anchors"]]
        if "curve" in joint:
            if self.unit("m") != 1.0:  # assembly weighs the place along the curve, s, which has no unit
                raise NotApplicable("a curve that the start may be off")
        if "axis" in joint:
            joint["axis"] = self.axial(joint["axis"]) if kind in AXIAL_JOINTS else self.polar(joint["axis"])
        if "axis2" in joint:
            joint["axis2"] = self.polar(joint["axis2"])
        if "pitch" in joint:
            joint["pitch"] *= self.parity * self.unit("m")
        if "length" in joint:
            joint["length"] *= self.unit("m")
        if kind == "rack":
            joint["ratio"] *= self.unit("m")
        units = ANGLE_UNITS if coordinate == "angle" else TRAVEL_UNITS
        for name, unit in units.items():
            if name in joint:
                value = joint[name]
                joint[name] = ([radians(v) * self.unit(unit) for v in value] if isinstance(value, list)
                               else radians(value) * self.unit(unit))
        if "travel" in joint:
            joint["travel"] *= self.unit("m")
        if "motor" in joint:
            self.motor(joint["motor"], coordinate)

    def _start(self, point):
        """A place at the start, which goes on with the bodies it belongs to."""
        return plain(self.unit("m") * self.q @ point + self.shift)

    def motor(self, motor, coordinate):
        own = self.unit("m") if coordinate == "travel" else 1.0
        names = {"t": self.names["t"], "q": f"(q/{number(own)})", "rate": f"(rate*{number(self.time / own)})"}
        for name, unit in (("torque", "N m"), ("force", "N"), ("angle", "rad"), ("travel", "m")):
            if name in motor:
                motor[name] = combined([self.unit(unit)], [replaced(motor[name], names)])

    def law(self, law, offer):
        kind = law["kind"]
        fields = {field["name"]: field for field in offer.laws[kind]["fields"]}
        schema = offer.law_schemas[kind]
        if not numpy.allclose(self.scales, 1):
            for name, field in fields.items():
                if field["unit"] and schema[name].get("default") and name not in law:
                    law[name] = schema[name]["default"]
        if self.moving and kind in ("velocity-damping", "magnetic"):
            raise NotApplicable("a law that knows rest")
        if {"ground", "height", "exponent"} & law.keys() and law.get("height", 0):
            if not self.upright or self.velocity[2]:
                raise NotApplicable("a wind that knows the vertical")
            law["ground"] = law.get("ground", 0) * self.unit("m") + float(self.shift[2])
        for name in list(law):
            if name not in ("kind", "on", "parameters", "ground"):
                law[name] = self.law_value(law, name, fields[name], schema[name])

    def law_value(self, law, name, field, schema):
        kind, value = law["kind"], law[name]
        if name == "force":
            return self.formulas(value, "N")
        if name == "torque":
            return self.formulas(value, "N m", axial=True)
        if name == "field":
            return self.formulas(value, FIELD_UNITS[kind], axial=kind == "magnetic")
        if name == "potential":
            return self.formula(value, POTENTIAL_UNITS[kind])
        if name == "velocity":
            return [combined([1.0, 1.0], [text, float(u)]) for text, u in zip(self.formulas(value, "m/s"), self.velocity)]
        if name == "position":
            return self.place(value)
        if name == "moment":
            return self.axial(value, "A m^2")
        if name in ("point", "points"):
            vectors = [plain(self.unit("m") * self.body @ v) for v in (value if name == "points" else [value])]
            return vectors if name == "points" else vectors[0]
        if name == "between":
            return [self.place(end) if isinstance(end, list) else end for end in value]
        if isinstance(value, list):
            return self.formulas(value, field["unit"] or "1")
        if isinstance(value, (int, float)) and field["unit"]:
            return value * self.unit(field["unit"])
        return value

    def medium(self, tree):
        """Air at rest moves with everything else."""
        laws = tree.get("forces", [])
        for chain in chains_of(tree):
            if chain.get("velocity_damping"):
                raise NotApplicable("a law that knows rest")
        if any(law["kind"] == "drag" for law in laws) and not any(law["kind"] == "wind" for law in laws):
            laws.append({"kind": "wind", "velocity": plain(self.velocity)})

    # ---- results ----------------------------------------------------------------------------------------------

    def columns(self, columns, tree):
        """What the columns of the old scene are in the new one; those that have no simple counterpart are left out."""
        joints = {joint.get("name"): joint["kind"] for joint in tree.get("joints", [])}
        points = {body["name"] for body in tree.get("bodies", []) if body.get("shape") == "point"}
        t = columns["t"] * self.time
        new = {"t": t}
        for name, values in columns.items():
            stem, _, rest = name.partition("_")
            if len(stem) <= 2 and stem[-1:] in ("x",) and stem[:-1] in ("", "v", "u", "w", "f", "m"):
                triple = [f"{stem[:-1]}{c}_{rest}" for c in "xyz"]
                if all(key in columns for key in triple):
                    new.update(zip(triple, self._vector(stem[:-1], [columns[key] for key in triple], t)))
            elif stem == "qw" and rest not in points:
                keys = [f"q{c}_{rest}" for c in "wxyz"]
                rows = zip(*(columns[key] for key in keys))
                turned = [quaternion(self.q @ orientation_matrix(list(q)) @ self.body) for q in rows]
                new.update(zip(keys, numpy.array(turned).T))
            elif stem in ("angle", "travel"):
                joint = rest[:-4] if rest.endswith("_dot") else rest
                flip = joints.get(joint) in ("cylindrical", "planar") if stem == "angle" else joints.get(joint) == "screw"
                unit = ("1" if stem == "angle" else "m") + ("/s" if rest.endswith("_dot") else "")
                new[name] = values * self.unit(unit) * (self.parity if flip else 1)
            elif stem == "tension":
                new[name] = values * self.unit("N")
            elif stem == "strain" or name.startswith("unique"):
                new[name] = values
            elif name in ("kinetic", "elastic", "dissipated", "work") and not self.moving:
                new[name] = values * self.unit("J")
        return new

    def _vector(self, stem, v, t):
        v = numpy.array(v)
        unit = {"": "m", "v": "m/s", "u": "1", "w": "1/s", "f": "N", "m": "N m"}[stem]
        turned = (self.parity if stem in ("w", "m") else 1) * self.unit(unit) * self.q @ v
        if stem == "":
            turned = turned + self.shift[:, None] + self.velocity[:, None] * t
        if stem == "v":
            turned = turned + self.velocity[:, None]
        return turned


def unit_of(key):
    """The unit in a key's description: "pull per stretch [N/m]"."""
    text = key.get("description", "")
    return text[text.rindex("[") + 1:-1] if text.endswith("]") and "[" in text else ""
