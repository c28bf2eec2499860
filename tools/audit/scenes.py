"""Random scenes over all that the program offers. A seed gives the same scenes."""
import math
import random

from formulas import Draw

PLACE = ["x", "y", "z"]
VELOCITY = ["vx", "vy", "vz", "speed"]

# What a number with this unit may be in a scene of metres, kilograms and seconds; fields and charges by the scene's own
# size of charges. Other units: 0.1 to 1.
SIZES = {"kg/s": (0.05, 0.5), "kg/m^3": (1, 60), "m^2": (0.02, 0.2), "m^3": (0.001, 0.02), "1/s": (0.05, 0.6),
         "m^3/s^2": (0.2, 3), "N/m": (5, 60), "N s/m": (0.1, 2), "m/s": (0.5, 3)}

FAMILIES = {"chain": 4, "tree": 2, "elastic": 2, "chains": 2, "bodies": 3, "mechanism": 4, "train": 2, "linkage": 2, "mixed": 3,
            "lagrangian": 3, "equations": 2}

ACTING = ("damping", "friction", "friction_rate", "stiffness", "rest", "limits", "limit_stiffness", "limit_damping")


def rounded(value, digits=3):
    return round(value, digits)


class Scene:
    """A scene as nested dicts, what is special about it, and the names of what moves."""

    def __init__(self, family):
        self.family = family
        self.tags = {family}
        self.tree = {"simulation": {"duration": 2.0}}
        self.masses = []  # names that laws may act on
        self.bodies = []
        self.shapes = {}  # of the bodies
        self.ends = ["", ""]  # of the spring at hand
        self.has = set()  # charge, moment, susceptibility: what masses carry


class Scenes:
    def __init__(self, offer, seed):
        self.offer = offer
        self.seed = seed

    def scene(self, number):
        return _Maker(self.offer, random.Random(f"{self.seed}/{number}")).scene()


class _Maker:
    def __init__(self, offer, rng):
        self.offer = offer
        self.rng = rng
        self.charge_size = rng.choice((1.0, 1e-5))

    def chance(self, probability):
        return self.rng.random() < probability

    def between(self, low, high):
        return rounded(self.rng.uniform(low, high))

    def vector(self, size):
        return [self.between(-size, size) for _ in range(3)]

    def unit(self):
        while True:
            v = [self.rng.gauss(0, 1) for _ in range(3)]
            norm = math.sqrt(sum(c * c for c in v))
            if norm > 0.1:
                return [c / norm for c in v]

    def scene(self):
        families = [family for family, weight in FAMILIES.items() for _ in range(weight)]
        scene = Scene(self.rng.choice([name for name in families if name in self.offer.schema or hasattr(self, name)]))
        self.draw = Draw(self.rng, self.offer.functions, scene.tags)
        scene.tree["simulation"]["duration"] = self.rng.choice((1.0, 2.0, 2.0, 4.0))
        getattr(self, scene.family)(scene)
        if scene.family not in ("lagrangian", "equations"):
            self.gravity(scene)
            for _ in range(self.rng.choice((0, 0, 1, 1, 2, 3))):
                self.law(scene)
        self.control(scene)
        if self.chance(0.12):
            self.event(scene)
        return scene

    def control(self, scene):
        """How steps are chosen: motions must not depend on it."""
        pick = self.rng.random()
        simulation = scene.tree["simulation"]
        if pick < 0.05:
            simulation["max_step"] = self.rng.choice((0.01, 0.05, 0.3))
        elif pick < 0.08:
            simulation["order"] = self.rng.randint(10, 40)
        elif pick < 0.1 and scene.family not in ("lagrangian", "equations"):
            simulation[self.rng.choice(("max_velocity_error", "max_momentum_error"))] = 1e-16

    def event(self, scene):
        """Events are found beside the motion and leave it alone."""
        columns = [f"x_{name}" for name in scene.bodies]
        columns += [f"z_{name.replace('chain.', '').replace('.', '_')}" for name in scene.masses if name not in scene.bodies]
        for table, key in (("lagrangian", "coordinates"), ("equations", "states")):
            columns += scene.tree.get(table, {}).get(key, {})
        name, level = self.rng.choice(columns), self.between(-1, 1)
        event = {"name": "watch", "when": self.rng.choice((f"{name} - ({level})", f"({name} - ({level}))^2 - 1e-12",
                                                          f"sign({name} - ({level}))", f"abs({name} - ({level})) - 0.1"))}
        event["direction"] = self.rng.choice(("rising", "falling", "any"))
        if self.chance(0.5):
            event["record"] = ["t", name] if self.chance(0.2) else [name]
        if self.chance(0.2):
            event["cooldown"] = 0.05
        scene.tree["events"] = [event]
        scene.tags.add("watched")

    def gravity(self, scene):
        pick = self.rng.random()
        if pick < 0.15:
            scene.tree["simulation"]["gravity"] = self.between(0, 20)
        elif pick < 0.3:
            scene.tree["simulation"]["gravity"] = self.vector(8)
        elif pick < 0.35:
            scene.tree["simulation"]["gravity"] = 0

    # ---- chains -----------------------------------------------------------------------------------------------

    def chain(self, scene):
        scene.tree["chain"] = self.one_chain(scene, "chain", self.rng.randint(1, 5))
        self.number_plane(scene)

    def tree(self, scene):
        scene.tree["chain"] = self.one_chain(scene, "chain", self.rng.randint(2, 6), tree=True)

    def elastic(self, scene):
        scene.tree["chain"] = self.one_chain(scene, "chain", self.rng.randint(1, 4), kind="elastic")

    def chains(self, scene):
        scene.tree["chains"] = []
        for i, name in enumerate(("left", "right")):
            kind = "elastic" if self.chance(0.2) else "rigid"
            chain = self.one_chain(scene, name, self.rng.randint(1, 3), kind=kind)
            chain["pivot"] = [rounded(2.5 * i), *chain["pivot"][1:]]
            scene.tree["chains"].append({"name": name, **chain})

    def number_plane(self, scene):
        if self.chance(0.1):
            scene.tree["chain"]["plane"] = "none"

    def one_chain(self, scene, name, count, kind="rigid", tree=False):
        planar = self.chance(0.4)
        azimuth = self.rng.choice((0, self.between(-3, 3)))
        if planar:
            scene.tags.add("planar")
        chain = {"pivot": self.pivot(scene)}
        if kind == "elastic":
            chain["kind"] = "elastic"
            if self.chance(0.25):
                chain["slack"] = True
                scene.tags.add("slack")
        if self.chance(0.15):
            chain["velocity_damping"] = self.between(0, 0.5)
            scene.tags.add("dissipates")
        chain["links"] = [self.link(scene, i, planar, azimuth, kind, tree) for i in range(count)]
        if not tree and self.chance(0.08):
            self.repeated(scene, chain["links"][-1])
        total = sum(link.get("repeat", 1) for link in chain["links"])
        scene.masses += [f"{name}.{i + 1}" for i in range(total)]
        return chain

    def repeated(self, scene, link):
        """One entry for several links, turned a little each."""
        link["repeat"] = self.rng.randint(2, 4)
        if "theta" in link:
            link["theta_step"] = self.between(-0.3, 0.3)
            if "phi_dot" in link:
                link["phi_step"] = f"{self.rng.randint(-20, 20)} deg"
        scene.tags.add("repeated")

    def pivot(self, scene):
        if self.chance(0.75):
            return self.vector(1) if self.chance(0.3) else [0, 0, 0]
        scene.tags.add("driven")
        return [self.draw.formula(0.2, ["t"]) if self.chance(0.2) else self.draw.motion(0.2) if self.chance(0.6) else
                self.draw.kinked_motion(0.3) if self.chance(0.3) else 0 for _ in range(3)]

    def link(self, scene, index, planar, azimuth, kind, tree):
        link = {"length": self.between(0.3, 1.2), "mass": self.between(0.2, 2)}
        self.start_of_link(scene, link, planar, azimuth, kind)
        if kind == "elastic":
            link["stiffness"] = self.between(20, 400)
            link["stretch"] = self.between(-0.1, 0.2)
            link["stretch_dot"] = self.between(-0.5, 0.5)
            if self.chance(0.3):
                link["axial_damping"] = self.between(0, 3)
                scene.tags.add("dissipates")
        elif self.chance(0.25):
            link["inertia"] = self.rng.choice(("rod", self.between(0.01, 0.2)))
            if link["inertia"] != "rod" or self.chance(0.5):
                link["center_of_mass"] = self.between(0.2, 1)
            scene.tags.add("solid")
        if tree and index > 1 and self.chance(0.5):
            link["parent"] = self.rng.randint(0, index)
            scene.tags.add("branched")
        self.joint_of_link(scene, link)
        self.carried(scene, link, along=True)
        return link

    def start_of_link(self, scene, link, planar, azimuth, kind):
        if planar:
            link["theta"] = self.between(-3, 3)
            link["phi"] = azimuth
            link["theta_dot"] = self.between(-3, 3)
        elif self.chance(0.2):
            link["direction"] = self.vector(1)
            link["direction"][0] += 1.5
            link["rate"] = self.vector(3)
            if kind == "rigid" and self.chance(0.3):
                link["hinge"] = self.perpendicular(link["direction"])
                scene.tags.add("hinged")
        elif self.chance(0.3):
            link["theta"] = f"{self.rng.randint(0, 180)} deg"
            link["phi"] = f"{self.between(-1, 1)} pi"
            link["theta_dot"] = f"{self.rng.randint(-90, 90)} deg/s"
        else:
            link.update(theta=self.between(0.1, 3), phi=self.between(-3, 3))
            link.update(theta_dot=self.between(-3, 3), phi_dot=self.between(-3, 3))

    def perpendicular(self, v):
        w = self.unit()
        return [v[1] * w[2] - v[2] * w[1], v[2] * w[0] - v[0] * w[2], v[0] * w[1] - v[1] * w[0]]

    def joint_of_link(self, scene, link):
        if self.chance(0.15):
            link["damping"] = self.vector(0.2) if self.chance(0.3) else self.between(0, 0.3)
            if isinstance(link["damping"], list):
                link["damping"] = [abs(c) for c in link["damping"]]
                scene.tags.add("uneven")
            scene.tags.add("dissipates")
        if self.chance(0.1):
            link["friction"] = self.between(0, 0.3)
            link["friction_rate"] = self.between(0.1, 1)
            scene.tags.add("dissipates")
        if self.chance(0.15):
            link["joint_stiffness"] = self.between(0, 5)
            if self.chance(0.4):
                link["joint_stiffness_law"] = "linear"

    def carried(self, scene, mass, along):
        """What laws act on. A link's moment may be a number, along it."""
        if self.chance(0.35):
            mass["charge"] = self.rng.uniform(-1, 1) * self.charge_size
            scene.has.add("charge")
        if self.chance(0.15):
            size = 30.0 if self.charge_size == 1 else 3e-5
            mass["moment"] = [c * size for c in self.vector(1)]
            if along and self.chance(0.5):
                mass["moment"] = mass["moment"][0]
            scene.has.add("moment")
        if self.chance(0.2):
            mass["drag_area"] = self.between(0.02, 0.3)
            scene.has.add("area")
        if self.chance(0.2):
            mass["volume"] = self.between(0.0005, 0.01)
            scene.has.add("volume")
            if self.charge_size == 1 and self.chance(0.4):
                mass["susceptibility"] = self.between(-0.01, 0.01)
                scene.has.add("susceptibility")

    # ---- laws -------------------------------------------------------------------------------------------------

    def law(self, scene):
        kind = self.rng.choice(list(self.offer.laws))
        law = {"kind": kind}
        for field in self.offer.laws[kind]["fields"]:
            name = field["name"]
            if name in ("kind", "on", "parameters", "point") or (not field["required"] and self.chance(0.35)):
                continue
            value = self.value(scene, kind, field)
            if value is not None:
                law[name] = value
        self.complete(scene, law)
        if "on" in self.offer.law_schemas[kind] and scene.masses and self.chance(0.4):
            law["on"] = self.rng.sample(scene.masses, self.rng.randint(1, len(scene.masses)))
            on_bodies = all(name in scene.bodies for name in law["on"])
            if on_bodies and "point" in self.offer.law_schemas[kind] and self.chance(0.4):
                law["point"] = self.vector(0.2)
        scene.tags.add(kind)
        if any(word in kind for word in ("drag", "damping")) or "damping" in law:
            scene.tags.add("dissipates")
        scene.tree.setdefault("forces", []).append(law)

    def complete(self, scene, law):
        """Keys that go together, or exclude one another."""
        kind = law["kind"]
        if "potential" in law and ("force" in law or "torque" in law or "field" in law):
            if self.chance(0.5):
                del law["potential"]
            else:
                for name in ("force", "torque", "field"):
                    law.pop(name, None)
        if kind == "formula" and not {"force", "torque", "potential"} & set(law):
            law["force"] = self.force(scene, 2)
        if kind in ("gravity", "electric") and not {"field", "potential"} & set(law):
            law["field"] = self.field(kind)
        if kind in ("coulomb", "point-charge"):
            if self.charge_size == 1:
                law["constant"] = self.between(0.5, 2)
            else:
                law.pop("constant", None)
        texts = [law.get("potential"), *law.get("force", []), *law.get("torque", []), *law.get("field", [])]
        if self.chance(0.2) and any(isinstance(text, str) for text in texts):
            law["parameters"] = {"k": self.between(0.5, 2)}
            for name in ("force", "torque", "field"):
                if name in law:
                    law[name] = [f"k*({text})" for text in law[name]]
            if "potential" in law:
                law["potential"] = f"k*({law['potential']})"

    def value(self, scene, kind, field):
        name, unit = field["name"], field["unit"]
        shape = self.offer.law_schemas[kind][name]
        if name in ("force", "torque"):
            return self.force(scene, 2 if name == "force" else 0.3)
        if name == "field":
            return self.field(kind)
        if name == "potential":
            size = 2 / self.charge_size if kind == "electric" else 2
            return self.draw.potential(size, PLACE + (["t"] if self.chance(0.3) else []))
        if name == "between":
            return self.ends(scene)
        if name == "position":
            return [rounded(c) for c in (self.between(-1, 1), self.between(-1, 1), -4.5)]
        if name == "points":
            solid = scene.shapes.keys() - {name for name, shape in scene.shapes.items() if shape == "point"}
            return [self.vector(0.2) if end in solid else [0, 0, 0] for end in scene.ends] if self.chance(0.6) else None
        if name == "velocity":
            return [self.draw.formula(3, ["t"]) if self.chance(0.6) else 0 for _ in range(3)]
        if name == "charge":
            return self.rng.uniform(0.5, 2) * self.charge_size
        if name == "moment":
            return [c * (30 if self.charge_size == 1 else 3e-5) for c in self.vector(1)]
        if name in ("height", "ground"):
            return {"height": self.between(1, 5), "ground": self.between(-12, -9)}[name]
        if shape.get("type") == "array":
            return self.vector(1)
        low, high = SIZES.get(unit, (0.1, 1))
        return self.between(low, high)

    def force(self, scene, size):
        names = PLACE + ["t"] if self.chance(0.6) else PLACE + ["t"] + VELOCITY
        scene.tags.add("drives")
        return [self.draw.formula(size, names) if self.chance(0.6) else 0 for _ in range(3)]

    def field(self, kind):
        size = {"gravity": 3, "electric": 2 / self.charge_size}.get(kind, 0.1 if self.charge_size == 1 else 1e5)
        names = PLACE + (["t"] if self.chance(0.4) else [])
        return [self.draw.formula(size, names) if self.chance(0.6) else 0 for _ in range(3)]

    def ends(self, scene):
        names = self.rng.sample(scene.masses, min(2, len(scene.masses)))
        scene.ends = [*names[:2], "", ""][:2]
        if not names:  # all are held: nothing to pull at
            return None
        if len(names) < 2 or self.chance(0.4):
            scene.ends[1] = ""
            return [names[0], [self.between(-2, 2), self.between(-2, 2), self.between(1, 2)]]
        return names

    # ---- bodies -----------------------------------------------------------------------------------------------

    def bodies(self, scene):
        """Free bodies, apart from one another."""
        scene.tree["bodies"] = [self.body(scene, i) for i in range(self.rng.randint(1, 3))]

    def mechanism(self, scene):
        scene.tree["bodies"] = [self.body(scene, i) for i in range(self.rng.randint(1, 4))]
        scene.tree["joints"] = []
        kinds = [kind for kind in self.offer.joints if not self.is_tie(kind)]
        if len(scene.bodies) > 1 and self.chance(0.35):  # joints that can be tied
            kinds = [kind for kind in kinds if self.offer.joints[kind]["coordinate"] in ("angle", "travel")]
        if self.chance(0.12):
            self.hold(scene, scene.tree["bodies"][0])
        for i in range(len(scene.bodies)):
            if (i == 0 or self.chance(0.9)) and not scene.tree["bodies"][i].get("fixed"):
                self.joint(scene, i, kinds)
        if len(scene.bodies) > 1 and self.chance(0.25):
            self.loop(scene)
        self.tie(scene)

    def hold(self, scene, body):
        """Fixed in the world: something to hold on to."""
        body["fixed"] = True
        for key in ("velocity", "angular_velocity"):
            body.pop(key, None)
        scene.masses.remove(body["name"])
        scene.tags.add("held")

    def train(self, scene):
        """Wheels and sliders on the ground, tied by gears and racks."""
        scene.tree["bodies"], scene.tree["joints"] = [], []
        kinds = [self.rng.choice(("revolute", "revolute", "prismatic", "screw")) for _ in range(self.rng.randint(1, 3))]
        for i, kind in enumerate(["revolute", *kinds]):
            body = self.body(scene, i)
            while body["shape"] == "point":
                body = self.again(scene, i)
            scene.tree["bodies"].append(body)
            self.joint(scene, i, [kind])
        names = [joint["name"] for joint in scene.tree["joints"]]
        for i, (first, second) in enumerate(zip(names, names[1:])):
            joints = [scene.tree["joints"][i], scene.tree["joints"][i + 1]]
            if any(set(joint.get("motor", {})) & {"angle", "travel"} for joint in joints[1:]):
                joints[1].pop("motor")
            coordinates = [self.offer.joints[joint["kind"]]["coordinate"] for joint in joints]
            ratio = self.between(0.3, 2) * self.rng.choice((-1, 1))
            if coordinates == ["angle", "angle"]:
                kind = "gear"
            elif coordinates == ["angle", "travel"]:
                kind = "rack"
            else:
                continue
            scene.tree["joints"].append({"name": f"tie{i}", "kind": kind, "joints": [first, second], "ratio": ratio})
            scene.tags.add(kind)

    def again(self, scene, index):
        """Another body in the place of the last one drawn."""
        scene.masses.pop()
        scene.bodies.pop()
        return self.body(scene, index)

    def linkage(self, scene):
        """Four bars in a plane, closed as drawn: crank, coupler and rocker between two pins of the ground."""
        crank, angle, across = self.between(0.2, 0.4), self.between(-3, 3), self.rng.choice(([0, 1, 0], [0, 0, 1]))
        a, d = [0.0, 0.0], [1.0, self.between(-0.3, 0.3)]
        b = [crank * math.cos(angle), crank * math.sin(angle)]
        c = [d[0] + self.between(-0.3, 0.3), d[1] + self.between(0.5, 0.9)]

        def place(p):
            return [p[0], 0.0, p[1]] if across[1] else [p[0], p[1], 0.0]

        scene.tree["bodies"], scene.tree["joints"] = [], []
        for name, (start, end) in zip("abc", ((a, b), (b, c), (c, d))):
            middle = [(start[i] + end[i]) / 2 for i in (0, 1)]
            turn = math.atan2(end[1] - start[1], end[0] - start[0])
            body = {"name": name, "shape": "rod", "length": math.dist(start, end), "mass": self.between(0.2, 2),
                    "position": place(middle), "orientation": {"axis": across, "angle": -turn if across[1] else turn}}
            self.carried(scene, body, along=False)
            scene.tree["bodies"].append(body)
            scene.masses.append(name)
            scene.bodies.append(name)
            scene.shapes[name] = "rod"
        if not self.chance(0.5):
            scene.tree["bodies"][0]["angular_velocity"] = [self.between(-3, 3) * c for c in across]
        for i, (bodies, at) in enumerate(((["ground", "a"], a), (["a", "b"], b), (["b", "c"], c), (["c", "ground"], d))):
            joint = {"name": f"j{i}", "kind": "revolute", "bodies": bodies, "point": place(at), "axis": across}
            if i == 0 or self.chance(0.3):
                self.acting(scene, joint)
            if i > 0 and set(joint.get("motor", {})) & {"angle", "travel"}:
                joint.pop("motor")
            scene.tree["joints"].append(joint)
        scene.tags |= {"loop", "revolute"}

    def mixed(self, scene):
        """Chains and bodies together: a chain on a body, or held at both ends, or beside one."""
        pick = self.rng.random()
        count = self.rng.randint(1, 4)
        if pick < 0.4:
            scene.tree["chain"] = chain = self.one_chain(scene, "chain", count)
            chain["pivot"] = [0, 0, 0]
            reach = 0.8 * sum(link["length"] for link in chain["links"])
            chain["end"] = [rounded(c * reach) for c in self.unit()]
            scene.tags.add("assembly")
            return
        scene.tree["bodies"] = [self.body(scene, 0)]
        scene.tree["chain"] = chain = self.one_chain(scene, "chain", count)
        if scene.tree["bodies"][0]["shape"] == "point" and pick > 0.7:
            pick = 0.9
        if 0.7 < pick < 0.8:  # its end on the body
            chain["pivot"] = [0, 0, 0]
            chain["end"], chain["end_point"] = scene.bodies[0], self.vector(0.2)
            scene.tags.add("assembly")
        elif pick < 0.8:
            chain["pivot"] = scene.bodies[0]
            if scene.tree["bodies"][0]["shape"] != "point":
                chain["pivot_point"] = self.vector(0.2)
            if self.chance(0.6):
                scene.tree["joints"] = []
                self.joint(scene, 0, [kind for kind in self.offer.joints if not self.is_tie(kind)])

    def body(self, scene, index):
        name = "abcdef"[index]
        body = {"name": name, "shape": self.rng.choice(self.offer.shapes)}
        self.extent(body)
        body["position"] = [rounded(1.5 * index + self.between(-0.3, 0.3)), *self.vector(0.6)[:2]]
        if body["shape"] != "point":
            body["orientation"] = self.orientation()
            body["angular_velocity"] = self.vector(2)
        body["velocity"] = self.vector(1)
        self.carried(scene, body, along=False)
        if body["shape"] == "point":
            body.pop("moment", None)
        scene.masses.append(name)
        scene.bodies.append(name)
        scene.shapes[name] = body["shape"]
        return body

    def extent(self, body):
        shape = body["shape"]
        body["mass"] = self.between(0.3, 3)
        if shape == "mesh":
            corners = [[0.4, 0, 0], [0, 0.5, 0], [0, 0, 0.3], [-0.2, -0.2, -0.2]]
            body["vertices"] = [[rounded(c + self.between(-0.05, 0.05)) for c in corner] for corner in corners]
            body["triangles"] = [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
        elif shape == "compound":
            del body["mass"]
            body["parts"] = [{"shape": "box", "size": [0.3, 0.2, 0.1], "mass": 0.5, "position": self.vector(0.3)}, self.part()]
        elif shape == "point":
            pass
        elif shape in ("rod",):
            body["length"] = self.between(0.3, 1)
        elif shape in ("sphere",):
            body["radius"] = self.between(0.1, 0.4)
        elif shape in ("cylinder", "capsule", "cone") and self.chance(0.5):
            body.update(radius=self.between(0.05, 0.2), length=self.between(0.5, 1))
        else:
            body["size"] = [self.between(0.1, 0.6), self.between(0.1, 0.6), self.between(0.7, 1)]
            if shape in ("cylinder", "capsule", "cone"):
                body["size"][1] = body["size"][0]
        if shape not in ("point", "mesh", "compound", "rod") and self.chance(0.2):
            del body["mass"]
            body["density"] = self.between(5, 30)
        elif shape not in ("point", "mesh", "compound") and self.chance(0.15):
            body["inertia"] = [self.between(0.1, 0.13), self.between(0.1, 0.13), self.between(0.1, 0.13)]

    def part(self):
        """Of a compound."""
        part = self.rng.choice(({"shape": "sphere", "radius": 0.1}, {"shape": "cone", "radius": 0.1, "length": 0.3},
                                {"shape": "capsule", "radius": 0.05, "length": 0.4}, {"shape": "rod", "length": 0.5},
                                {"shape": "mesh", "scale": 0.1, "vertices": [[3, 0, 0], [0, 4, 0], [0, 0, 3], [-1, -1, -1]],
                                 "triangles": [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]}))
        part = {**part, "position": self.vector(0.3)}
        if part["shape"] != "rod" and self.chance(0.3):
            part["density"] = self.between(20, 200)
        else:
            part["mass"] = self.between(0.2, 1)
        if part["shape"] != "sphere" and self.chance(0.6):
            part["orientation"] = self.orientation()
        return part

    def orientation(self):
        pick = self.rng.random()
        if pick < 0.3:
            return [1, 0, 0, 0]
        if pick < 0.5:
            return {"axis": self.unit(), "angle": f"{self.rng.randint(-180, 180)} deg"}
        if pick < 0.6:
            return {"euler_xyz": self.vector(1)}
        q = [self.rng.gauss(0, 1) for _ in range(4)]
        norm = math.sqrt(sum(c * c for c in q))
        return [c / norm for c in q]

    # ---- joints -----------------------------------------------------------------------------------------------

    def is_tie(self, kind):
        return kind in ("gear", "rack")

    def joint(self, scene, index, kinds):
        """Joins this body to one before it, or to the ground, by one of these kinds."""
        kind = self.rng.choice(kinds)
        body = scene.tree["bodies"][index]
        earlier = ["ground"]
        if body["shape"] != "point":
            earlier += [other["name"] for other in scene.tree["bodies"][:index] if other["shape"] != "point"]
        joint = {"name": f"j{index}", "kind": kind, "bodies": [self.rng.choice(earlier), body["name"]]}
        if self.chance(0.2):
            joint["bodies"].reverse()
        here = self.near(body, 0.5)
        axis = self.rng.choice(([0, 1, 0], [0, 0, 1], [1, 0, 0], self.unit()))
        if kind == "distance":
            there = [rounded(c + d) for c, d in zip(here, self.vector(1))]
            joint["points"] = [there, here] if joint["bodies"][1] == body["name"] else [here, there]
        else:
            joint["point"] = here
            if kind not in ("fixed", "ball"):
                joint["axis"] = axis
        if kind == "universal":
            joint["axis2"] = self.perpendicular(axis)
        if kind == "screw":
            joint["pitch"] = self.between(0.05, 0.5)
        if kind == "point-on-curve":
            joint["curve"] = ["cos(s)", "sin(s)", "0.2*s"]
        if body["shape"] == "point" and kind in ("fixed", "revolute", "prismatic", "cylindrical", "universal", "screw",
                                                  "planar", "constant-velocity"):
            joint["kind"] = "ball"
            for key in ("axis", "axis2", "pitch"):
                joint.pop(key, None)
        scene.tags.add(joint["kind"])
        self.acting(scene, joint)
        self.start_of_joint(scene, joint)
        scene.tree["joints"].append(joint)

    def start_of_joint(self, scene, joint):
        """Where assembly has something to do: coordinates that differ from the drawing, ends that are too far apart."""
        coordinate = self.offer.joints[joint["kind"]]["coordinate"]
        if joint["kind"] == "distance" and "stiffness" not in joint and self.chance(0.3):
            joint["length"] = rounded(math.dist(*joint["points"]) * self.between(0.9, 1.1))
            scene.tags.add("assembly")
        prescribed = set(joint.get("motor", {})) & {"angle", "travel"}
        if coordinate in ("angle", "travel") and not prescribed and self.chance(0.12):
            joint[coordinate] = self.between(-0.4, 0.4)
            if self.chance(0.5):
                joint["rate"] = self.between(-1, 1)
            scene.tags.add("assembly")
        elif joint["kind"] in ("ball", "fixed", "revolute") and "point" in joint and self.chance(0.1):
            shapes = [scene.shapes.get(name, "") for name in joint["bodies"]]
            if "point" in shapes:
                return
            del joint["point"]
            joint["anchors"] = [self.vector(0.3), self.vector(0.3)]
            if joint["kind"] == "revolute":
                del joint["axis"]
                joint["axes"] = [self.unit(), self.unit()]
            scene.tags.add("assembly")

    def near(self, body, distance):
        """A place of a body; a point has only its own."""
        if body["shape"] == "point":
            return list(body["position"])
        return [rounded(c + d) for c, d in zip(body["position"], self.vector(distance))]

    def acting(self, scene, joint):
        """What acts in a joint with a coordinate."""
        coordinate = self.offer.joints[joint["kind"]]["coordinate"]
        if joint["kind"] == "distance" and self.chance(0.3):
            joint["stiffness"] = self.between(5, 50)
            if self.chance(0.4):
                joint["damping"] = self.between(0.1, 1)
                scene.tags.add("dissipates")
        if coordinate not in ("angle", "travel"):
            return
        if self.chance(0.2):
            joint["damping"] = self.between(0.01, 0.5)
            scene.tags.add("dissipates")
        if self.chance(0.15):
            joint.update(friction=self.between(0.01, 0.3), friction_rate=self.between(0.1, 1))
            scene.tags.add("dissipates")
        if self.chance(0.25):
            joint["stiffness"] = self.between(0.5, 10)
            joint["rest"] = self.between(-0.5, 0.5)
        if self.chance(0.15):
            joint["limits"] = [self.between(-0.6, -0.1), self.between(0.1, 0.6)]
            joint["limit_stiffness"] = self.between(50, 500)
            if self.chance(0.5):
                joint["limit_damping"] = self.between(0, 5)
                scene.tags.add("dissipates")
            scene.tags.add("limits")
        if self.chance(0.3):
            self.motor(scene, joint, coordinate)

    def motor(self, scene, joint, coordinate):
        scene.tags.add("driven")
        if self.chance(0.4):
            motion = self.draw.kinked_motion(0.5) if self.chance(0.15) else self.draw.motion(0.5)
            joint["motor"] = {coordinate: motion}
            scene.tags.add("prescribed")
            for key in ACTING:
                joint.pop(key, None)
            return
        names = ["t", "q", "rate"] if self.chance(0.5) else ["t"]
        joint["motor"] = {"torque" if coordinate == "angle" else "force": self.draw.formula(1, names)}

    def loop(self, scene):
        first, second = self.rng.sample(scene.bodies, 2)
        bodies = {body["name"]: body for body in scene.tree["bodies"]}
        points = [self.near(bodies[name], 0.2) for name in (first, second)]
        scene.tree["joints"].append({"name": "loop", "kind": "distance", "bodies": [first, second], "points": points})
        scene.tags.add("loop")

    def tie(self, scene):
        """A gear or rack between two coordinates, where there are."""
        coordinates = {}
        for joint in scene.tree["joints"]:
            if not joint.get("motor"):
                coordinates.setdefault(self.offer.joints[joint["kind"]]["coordinate"], []).append(joint["name"])
        angles, travels = coordinates.get("angle", []), coordinates.get("travel", [])
        ratio = self.between(0.3, 2) * self.rng.choice((-1, 1))
        if len(angles) > 1 and self.chance(0.6):
            scene.tree["joints"].append({"name": "tie", "kind": "gear", "joints": angles[:2], "ratio": ratio})
            scene.tags.add("gear")
        elif angles and travels and self.chance(0.8):
            scene.tree["joints"].append({"name": "tie", "kind": "rack", "joints": [angles[0], travels[0]], "ratio": ratio})
            scene.tags.add("rack")

    # ---- formulas alone ---------------------------------------------------------------------------------------

    def lagrangian(self, scene):
        names = ["q1", "q2", "q3"][:self.rng.randint(1, 3)]
        table = {"coordinates": {name: self.between(-1, 1) for name in names},
                 "rates": {name: self.between(-1, 1) for name in names}}
        kinetic = [f"0.5*{self.between(1, 3)}*{name}'^2" for name in names]
        for a, b in zip(names, names[1:]):
            kinetic.append(f"{self.between(0, 0.5)}*cos({a} - {b})*{a}'*{b}'")
        potential = [f"0.5*{self.between(0.5, 4)}*{name}^2" for name in names]
        potential.append(self.draw.potential(1, names + (["t"] if self.chance(0.2) else [])))
        parts = {"kinetic": " + ".join(kinetic), "potential": " + ".join(potential)}
        if self.chance(0.3):
            parts = {"lagrangian": f"{parts['kinetic']} - ({parts['potential']})"}
        table.update(parts)
        if self.chance(0.25):
            table["dissipation"] = " + ".join(f"0.5*{self.between(0.05, 0.3)}*{name}'^2" for name in names)
            scene.tags.add("dissipates")
        if self.chance(0.3):
            table["forces"] = {names[0]: self.draw.formula(1, [*names, "t"])}
            scene.tags.add("drives")
        if len(names) > 1 and self.chance(0.5):
            self.constrain(scene, table)
        if self.chance(0.3):
            table["parameters"] = {"k": self.rng.choice(("2/3", "pi/4", self.between(0.5, 2)))}
            key = "lagrangian" if "lagrangian" in table else "potential"
            table[key] += f" {'-' if key == 'lagrangian' else '+'} 0.3*cos(k*{names[-1]})"
        scene.tree["lagrangian"] = table

    def constrain(self, scene, table):
        """A circle, at rest, breathing, or with a kink in its radius."""
        table["coordinates"].update(q1=0.6, q2=0.8)
        radius = self.rng.choice(("1", "1", "(1 + 0.2*sin(2*t))", "(1 + 0.2*max(t - 0.4, 0))"))
        if "max" in radius:
            scene.tags.add("kinks")
        table["constraints"] = [f"q1^2 + q2^2 - {radius}^2"]
        if radius == "1":
            table["rates"].update(q1=self.rng.choice((0.8, -0.4)))
            table["rates"].update(q2=-0.75 * table["rates"]["q1"])
            if self.chance(0.3):
                table["independent"] = ["q1", *list(table["coordinates"])[2:]]
        scene.tags |= {"constrained", "assembly"}

    def equations(self, scene):
        if self.chance(0.4):
            return self.hamiltonian(scene)
        names = ["a", "b", "c"][:self.rng.randint(1, 3)]
        table = {"states": {name: self.between(-1, 1) for name in names},
                 "parameters": {"k": self.rng.choice(("8/3", "pi/7", "sqrt(2)", self.between(0.5, 2)))}}
        table["dot"] = {name: f"-0.2*{name} - {self.between(0, 0.5)}*{name}^3 + {self.draw.formula(1, [*names, 't'])}"
                        for name in names}
        table["dot"][names[0]] += f" + 0.3*sin(k*{names[-1]})"
        scene.tree["equations"] = table
        scene.tags.add("dissipates")
        return None

    def hamiltonian(self, scene):
        """Rates from an energy that the motion keeps: powers and waves of one or two coordinates."""
        names = ["a", "b"][:self.rng.randint(1, 2)]
        stiff, bent, wave = ({name: self.between(*range_) for name in names} for range_ in ((0.5, 4), (0, 1), (0.5, 3)))
        size, phase = self.between(0.2, 1), " + ".join(f"{wave[name]}*{name}" for name in names)
        states, dot, energy = {}, {}, [f"{size}*cos({phase})"]
        for name in names:
            states[name], states[f"p{name}"] = self.between(-1, 1), self.between(-1, 1)
            dot[name] = f"p{name}"
            dot[f"p{name}"] = f"-{stiff[name]}*{name} - {bent[name]}*{name}^3 + {size}*{wave[name]}*sin({phase})"
            energy.append(f"p{name}^2/2 + {stiff[name]}*{name}^2/2 + {bent[name]}*{name}^4/4")
        scene.tree["equations"] = {"states": states, "dot": dot, "invariants": {"H": " + ".join(energy)}}
        scene.tags.add("invariants")
