"""A scene that starts from a row of a run: to go on elsewhere, or backwards."""
import copy
import math

import numpy

from formulas import number, replaced
from frames import Frame, NotApplicable, canonical, chains_of
from geometry import matrix, orientation_matrix, plain, radians

MOTION_NAMES = ("vx", "vy", "vz", "speed", "wx", "wy", "wz", "rate")


def restarted(tree, columns, row, offer, backwards=False):
    """The scene as it is at a row, with time shifted so that it goes on; backwards: with all velocities reversed."""
    start = columns["t"][row]
    frame = Frame(delay=float(start), reverse=backwards)
    new = frame.scene(tree, offer)
    drawn = {body["name"]: body for body in canonical(tree).get("bodies", [])}
    sign = -1.0 if backwards else 1.0
    tree_chains = chains_of(new)
    for chain in tree_chains:
        _chain(chain, columns, row, sign, f"{chain['name']}_" if len(tree_chains) > 1 or "chains" in new else "")
    for body in new.get("bodies", []):
        _body(body, columns, row, sign)
    for joint in new.get("joints", []):
        _joint(joint, columns, row, drawn, offer)
    for law in new.get("forces", []):
        if law["kind"] == "spring" and "length" not in law:
            if any(link.get("inertia") for chain in tree_chains for link in chain["links"]):
                raise NotApplicable("a spring between centres of mass, which are not recorded")
            law["length"] = _spring_length(law, columns, drawn)
    for table, keys in (("lagrangian", ("coordinates", "rates")), ("equations", ("states", None))):
        if table in new:
            _coordinates(new[table], keys, columns, row, sign)
    if backwards:
        _reverse_currents(new)
    return new


def _coordinates(table, keys, columns, row, sign):
    table[keys[0]] = {name: float(columns[name][row]) for name in table[keys[0]]}
    if keys[1]:
        table[keys[1]] = {name: sign * float(columns[f"{name}_dot"][row]) for name in table[keys[0]]}


def _chain(chain, columns, row, sign, prefix):
    if "end" in chain or isinstance(chain.get("pivot"), str):
        raise NotApplicable("a chain that is held")
    elastic = chain.get("kind") == "elastic"
    driven = any(isinstance(c, str) for c in chain.get("pivot", []))
    if elastic and driven:
        raise NotApplicable("the rate of a link on a moving pivot")
    for i, link in enumerate(chain["links"]):
        if "repeat" in link:
            raise NotApplicable("repeated links")
        name = f"{prefix}{i + 1}"
        u = numpy.array([columns[f"u{c}_{name}"][row] for c in "xyz"])
        w = numpy.array([columns[f"w{c}_{name}"][row] for c in "xyz"])
        link["direction"] = plain(u)
        link["rate"] = plain(sign * numpy.cross(w, u))
        if elastic:
            parent = link.get("parent", i)
            v = numpy.array([columns[f"v{c}_{name}"][row] for c in "xyz"])
            if parent:
                v = v - numpy.array([columns[f"v{c}_{prefix}{parent}"][row] for c in "xyz"])
            link["stretch"] = float(columns[f"strain_{name}"][row]) * link["length"]
            link["stretch_dot"] = float(sign * v @ u)


def _body(body, columns, row, sign):
    name = body["name"]
    if body.get("fixed"):
        return
    body["position"] = [float(columns[f"{c}_{name}"][row]) for c in "xyz"]
    body["velocity"] = [float(sign * columns[f"v{c}_{name}"][row]) for c in "xyz"]
    if body.get("shape") != "point":
        body["orientation"] = [float(columns[f"q{c}_{name}"][row]) for c in "wxyz"]
        body["angular_velocity"] = [float(sign * columns[f"w{c}_{name}"][row]) for c in "xyz"]


def _joint(joint, columns, row, drawn, offer):
    """Places and axes where the bodies have taken them; coordinates count from the new start."""
    if joint["kind"] in ("gear", "rack"):
        return
    for name in ("anchors", "axes", "curve"):
        if name in joint:
            raise NotApplicable("places in the bodies' own frames")
    for name in ("angle", "travel", "rate"):
        joint.pop(name, None)
    first, second = (_carried(drawn, columns, row, name) for name in joint["bodies"])
    if "points" in joint:
        joint.setdefault("length", math.dist(*joint["points"]))
        joint["points"] = [plain(place(p)) for (place, _), p in zip((first, second), joint["points"])]
    if "point" in joint:
        joint["point"] = plain(second[0](joint["point"]))
    if "axis" in joint:
        axis = joint["axis"]
        joint["axis"] = plain(first[1](axis))
        if joint["kind"] in ("universal", "constant-velocity"):
            joint["axis2"] = plain(second[1](joint.get("axis2", axis)))
    coordinate = offer.joints[joint["kind"]]["coordinate"]
    column = f"{coordinate}_{joint['name']}"
    if coordinate and column in columns:
        _offset(joint, float(columns[column][row]), coordinate)


def _carried(drawn, columns, row, name):
    """What takes a place and a direction of the drawing to where a body has moved them since."""
    if name == "ground":
        return (lambda p: p), (lambda v: v)
    body = drawn[name]
    if body.get("fixed"):
        return (lambda p: p), (lambda v: v)
    now = numpy.array([columns[f"{c}_{name}"][row] for c in "xyz"])
    turn = numpy.eye(3)
    if body.get("shape") != "point":
        turn = matrix([columns[f"q{c}_{name}"][row] for c in "wxyz"]) @ orientation_matrix(body["orientation"]).T
    return (lambda p: now + turn @ (numpy.array(p) - body.get("position", [0, 0, 0]))), (lambda v: turn @ v)


def _offset(joint, q, coordinate):
    if "stiffness" in joint:
        joint["rest"] = radians(joint.get("rest", 0)) - q
    if "limits" in joint:
        joint["limits"] = [radians(limit) - q for limit in joint["limits"]]
    motor = joint.get("motor", {})
    for name in ("torque", "force"):
        if name in motor:
            motor[name] = replaced(motor[name], {"q": f"(q + {number(q)})"})
    if coordinate in motor:
        motor[coordinate] = f"({motor[coordinate]}) - {number(q)}"


def _spring_length(law, columns, drawn):
    """As drawn: bodies may start elsewhere, where joints or coordinates ask for it."""
    places = []
    for end, point in zip(law["between"], law.get("points", [[0, 0, 0]] * 2)):
        if isinstance(end, list):
            places.append(numpy.array(end))
            continue
        if end in drawn:
            body = drawn[end]
            turn = numpy.eye(3) if body.get("shape") == "point" else orientation_matrix(body["orientation"])
            places.append(numpy.array(body.get("position", [0, 0, 0])) + turn @ point)
            continue
        column = end if f"x_{end}" in columns else end.replace("chain.", "").replace(".", "_")
        place = numpy.array([columns[f"{c}_{column}"][0] for c in "xyz"])
        if f"qw_{column}" in columns:
            place = place + matrix([columns[f"q{c}_{column}"][0] for c in "wxyz"]) @ point
        places.append(place)
    return float(numpy.linalg.norm(places[0] - places[1]))


def _reverse_currents(tree):
    """Magnetic fields and moments are currents: they turn round with time."""
    def turned(value):
        return [f"-({c})" if isinstance(c, str) else -c for c in value] if isinstance(value, list) else -value

    for law in tree.get("forces", []):
        if law["kind"] == "magnetic":
            law["field"] = turned(law["field"])
        if law["kind"] == "magnet":
            law["moment"] = turned(law["moment"])
    holders = [link for chain in chains_of(tree) for link in chain["links"]] + tree.get("bodies", [])
    for holder in holders:
        if "moment" in holder:
            holder["moment"] = turned(holder["moment"])


def depends_on_motion(tree):
    """Whether something acts that changes when velocities are reversed."""
    texts = [text for law in tree.get("forces", []) for key in ("force", "torque", "field") for text in law.get(key, [])]
    texts += [str(value) for joint in tree.get("joints", []) for value in joint.get("motor", {}).values()]
    return any(name in str(text) for text in texts for name in MOTION_NAMES)
