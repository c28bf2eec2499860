"""The laws of `catena list forces`, written down once more from their equations: what acts on a mass at a row of a run."""
import math

import numpy

from frames import NotApplicable, canonical, chains_of
from geometry import matrix

MU0 = 1.25663706127e-6
CLOSE = 1e-3  # m: of differences of fourth order for gradients


ORDINARY = ("acos", "asin", "atan", "atan2", "cos", "cosh", "exp", "log", "sin", "sinh", "sqrt", "tan", "tanh")
FUNCTIONS = {name: getattr(math, name) for name in ORDINARY}
FUNCTIONS.update(erf=math.erf, logistic=lambda x: 0.5 * (1 + math.tanh(x / 2)),
                 softplus=lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))))
FUNCTIONS.update(abs=abs, min=min, max=max, pow=pow, pi=math.pi, norm=lambda *v: math.sqrt(sum(c * c for c in v)),
                 ratio=lambda a, b: 0.0 if a == b == 0 else a / b, sign=lambda x: float(numpy.sign(x)),
                 choose=lambda c, a, b: a if c >= 0 else b,
                 step=lambda x: min(max(x, 0.0), 1.0) ** 2 * (3 - 2 * min(max(x, 0.0), 1.0)))


def value(formula, names):
    """A formula's value. Python's ** binds as ^ does."""
    if not isinstance(formula, str):
        return float(formula)
    try:
        return float(eval(formula.replace("^", "**"), {"__builtins__": {}}, {**FUNCTIONS, **names}))  # drawn by the audit
    except NameError as unknown:
        raise NotApplicable(str(unknown)) from unknown


class Mass:
    """A link's bob or a body at one instant."""

    def __init__(self, name, table, x, v, w, turn, u, mass):
        self.name, self.table = name, table
        self.x, self.v, self.w, self.turn, self.u, self.mass = x, v, w, turn, u, mass
        self.charge = table.get("charge", 0.0)

    def moment(self):
        moment = self.table.get("moment", 0.0)
        if isinstance(moment, list):
            return self.turn @ moment if self.turn is not None else numpy.array(moment, float)
        return moment * self.u if self.u is not None else numpy.zeros(3)

    def magnetised(self):
        """chi vol / (2 mu0)"""
        chi = self.table.get("susceptibility", 0.0)
        if chi and "volume" not in self.table:
            raise NotApplicable("the volume of a shape")
        return chi * self.table.get("volume", 0.0) / (2 * MU0)

    def at(self, law):
        """Place and velocity of the point that a law acts on."""
        arm = numpy.zeros(3)
        if self.turn is not None and "point" in law:
            arm = self.turn @ law["point"]
        return self.x + arm, self.v + numpy.cross(self.w, arm)


def masses(tree, columns, row):
    """All that move by themselves, and the links' own tables."""
    def vector(stem, name):
        return numpy.array([columns[f"{stem}{c}_{name}"][row] for c in "xyz"])

    found = []
    for chain in chains_of(tree):
        owner = chain.get("name", "chain")
        prefix = f"{owner}_" if "chains" in tree else ""
        for i, link in enumerate(chain["links"]):
            name = f"{prefix}{i + 1}"
            found.append(Mass(f"{owner}.{i + 1}", link, vector("", name), vector("v", name), vector("w", name), None,
                              vector("u", name), link["mass"]))
    for body in tree.get("bodies", []):
        name = body["name"]
        speed = numpy.linalg.norm(vector("v", name))
        mass = body.get("mass", numpy.linalg.norm(vector("p", name)) / speed if speed else math.nan)
        solid = body.get("shape") != "point"
        turn = matrix([columns[f"q{c}_{name}"][row] for c in "wxyz"]) if solid else numpy.eye(3)
        w = vector("w", name) if solid else numpy.zeros(3)
        found.append(Mass(name, body, vector("", name), vector("v", name), w, turn, None, mass))
    return found


class Forces:
    def __init__(self, tree, offer, columns, row):
        self.tree = canonical(tree)
        self.laws = self.tree.get("forces", [])
        self.defaults = {kind: {name: key["default"] for name, key in table.items() if "default" in key}
                         for kind, table in offer.law_schemas.items()}
        self.t = columns["t"][row]
        self.masses = masses(self.tree, columns, row)
        around = ("magnetic", "magnet", "electric", "point-charge", "wind", "drag")
        if len({str(law.get("point")) for law in self.laws if law["kind"] in around}) > 1:
            raise NotApplicable("sources at different points")
        if chains_of(self.tree) and any("torque" in law for law in self.laws):
            raise NotApplicable("couples on links, which push their ends apart")

    def get(self, law, name):
        return law.get(name, self.defaults[law["kind"]].get(name))

    def on(self, law, mass):
        names = law.get("on")
        return names is None or mass.name in names or mass.name.partition(".")[0] in names

    def names(self, law, mass, x, v):
        names = dict(zip(("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"), (*x, *v, *mass.w)))
        return {**names, "t": self.t, "speed": float(numpy.linalg.norm(v)), "m": mass.mass, "q": mass.charge,
                **law.get("parameters", {})}

    def vector(self, texts, law, mass, x, v):
        names = self.names(law, mass, x, v)
        return numpy.array([value(text, names) for text in texts])

    def slope(self, function, x):
        """Gradient by differences of fourth order."""
        gradient = []
        for unit in numpy.eye(3) * CLOSE:
            near, far = (function(x + unit) - function(x - unit)), (function(x + 2 * unit) - function(x - 2 * unit))
            gradient.append((8 * near - far) / (12 * CLOSE))
        return numpy.array(gradient)

    def sources(self, kinds, mass):
        return [law for law in self.laws if law["kind"] in kinds and self.on(law, mass)]

    def medium(self, mass, x, v):
        total = numpy.zeros(3)
        for law in self.sources(("wind",), mass):
            height, ground = self.get(law, "height") or 0, self.get(law, "ground") or 0
            share = 1.0
            if height:
                share = max(0.0, (x[2] - ground) / height) ** self.get(law, "exponent")
            total = total + share * self.vector(law["velocity"], law, mass, x, v)
        return total

    def electric_potential(self, law, mass, v):
        return lambda x: value(law["potential"], self.names(law, mass, x, v))

    def electric(self, mass, x, v):
        total = numpy.zeros(3)
        for law in self.sources(("electric", "point-charge"), mass):
            if law["kind"] == "point-charge":
                d = x - law["position"]
                total = total + self.get(law, "constant") * law["charge"] * d / numpy.linalg.norm(d) ** 3
            elif "field" in law:
                total = total + self.vector(law["field"], law, mass, x, v)
            else:
                total = total - self.slope(self.electric_potential(law, mass, v), x)
        return total

    def magnetic(self, mass, x, v):
        total = numpy.zeros(3)
        for law in self.sources(("magnetic", "magnet"), mass):
            if law["kind"] == "magnetic":
                total = total + self.vector(law["field"], law, mass, x, v)
            else:
                total = total + dipole(numpy.array(law["moment"]), x - law["position"])
        return total

    def of_law(self, law, mass):
        """The force of one law of its own on a mass."""
        kind = law["kind"]
        x, v = mass.at(law)
        if kind == "formula":
            if "potential" in law:
                return -self.slope(lambda p: value(law["potential"], self.names(law, mass, p, v)), x)
            return self.vector(law.get("force", [0, 0, 0]), law, mass, x, v)
        if kind == "drag":
            s = v - self.medium(mass, x, v)
            area = law.get("area", mass.table.get("drag_area", 0.0))
            thick = self.get(law, "density") * self.get(law, "coefficient") * area / 2
            return -(self.get(law, "linear") or 0) * s - thick * numpy.linalg.norm(s) * s
        if kind == "buoyancy":
            volume = law.get("volume", mass.table.get("volume", 0.0 if mass.u is not None else None))
            if volume is None:
                raise NotApplicable("the volume of a shape")
            return -self.get(law, "density") * volume * numpy.array(self.tree["simulation"]["gravity"])
        if kind == "velocity-damping":
            return -law["rate"] * mass.mass * v
        if kind == "gravity":
            if "field" in law:
                return mass.mass * self.vector(law["field"], law, mass, x, v)
            return -mass.mass * self.slope(lambda p: value(law["potential"], self.names(law, mass, p, v)), x)
        if kind == "point-mass":
            d = x - law["position"]
            return -law["strength"] * mass.mass * d / numpy.linalg.norm(d) ** 3
        if kind == "coulomb":
            return self.coulomb(law, mass)
        if kind == "spring":
            return self.spring(law, mass)
        if kind == "dipoles":
            return self.dipoles(law, mass)
        raise NotApplicable(f"the law {kind}")

    def coulomb(self, law, mass):
        total, (x, _) = numpy.zeros(3), mass.at(law)
        for other in self.masses:
            if other is not mass and self.on(law, other):
                d = x - other.at(law)[0]
                total = total + self.get(law, "constant") * mass.charge * other.charge * d / numpy.linalg.norm(d) ** 3
        return total

    def dipoles(self, law, mass):
        if any(other.magnetised() for other in self.masses):
            raise NotApplicable("induced moments")
        x, _ = mass.at(law)

        def energy(place):
            field = sum((dipole(other.moment(), place - other.at(law)[0]) for other in self.masses
                         if other is not mass and self.on(law, other)), numpy.zeros(3))
            return -mass.moment() @ field

        return -self.slope(energy, x)

    def spring(self, law, mass):
        ends = [self.end(law, i) for i in (0, 1)]
        if mass.name not in law["between"] or "length" not in law:
            if mass.name in law["between"]:
                raise NotApplicable("a spring at rest at the start")
            return numpy.zeros(3)
        mine = law["between"].index(mass.name)
        d, rate = ends[mine][0] - ends[1 - mine][0], ends[mine][1] - ends[1 - mine][1]
        size = numpy.linalg.norm(d)
        pull = (self.get(law, "stiffness") or 0) * (size - law["length"])
        pull += (self.get(law, "damping") or 0) * (rate @ d) / size
        return -pull * d / size

    def end(self, law, i):
        end = law["between"][i]
        if isinstance(end, list):
            return numpy.array(end, float), numpy.zeros(3)
        mass = next(mass for mass in self.masses if mass.name == end)
        return mass.at({"point": law["points"][i]} if "points" in law else {})

    def fields(self, mass):
        """What charges and moments feel of all sources together."""
        sources = self.sources(("electric", "point-charge", "magnetic", "magnet"), mass)
        if not sources:
            return numpy.zeros(3)
        x, v = mass.at(sources[0])
        force = mass.charge * self.electric(mass, x, v)
        if any(law["kind"] in ("magnetic", "magnet") for law in sources):
            moment, soft = mass.moment(), mass.magnetised()

            def energy(place):
                b = self.magnetic(mass, place, v)
                return moment @ b + soft * (b @ b)

            force = force + mass.charge * numpy.cross(v, self.magnetic(mass, x, v)) + self.slope(energy, x)
        return force

    def force(self, mass):
        """All that acts on a mass but what holds it."""
        total = mass.mass * numpy.array(self.tree["simulation"]["gravity"]) + self.fields(mass)
        for law in self.laws:
            if law["kind"] not in ("wind", "electric", "point-charge", "magnetic", "magnet") and self.on(law, mass):
                total = total + self.of_law(law, mass)
        for chain in chains_of(self.tree):
            if any(mass.table is link for link in chain["links"]):
                total = total - chain.get("velocity_damping", 0.0) * mass.mass * mass.v
        return total


def dipole(moment, d):
    size = numpy.linalg.norm(d)
    return MU0 / (4 * math.pi) * (3 * (moment @ d) * d / size ** 5 - moment / size ** 3)
