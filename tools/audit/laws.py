"""The laws that every scene is held to. Each is a function of a case that returns what is wrong in words, or nothing, and
raises NotApplicable where it says nothing about the scene."""
import copy
import json
import os
import random
import tempfile

import numpy

import toml
from compare import ANGLES, disagreement, disturbed, group, groups, not_numbers, size
from frames import Frame, MIRROR, NotApplicable, canonical, chains_of
from geometry import about
from hostile import odd
from physics import Forces
from program import _rows
from shrink import at, paths, with_value
from states import depends_on_motion, restarted

SHARP = {"kinks", "jumps", "pulses", "slack", "limits"}  # what is not analytic along the motion
FRAME_SKIPS = (ANGLES.pattern, r"^potential", r"^energy", r"^[pl][xyz]_", r"^(kinetic)_")


class Case:
    """A scene with its run by the default method, and its disturbed twin's."""

    def __init__(self, program, offer, tree, tags, seed):
        self.program, self.offer, self.tree, self.tags, self.seed = program, offer, tree, tags, seed
        duration = tree["simulation"]["duration"]
        # Uneven, so that no row is at the very moment of a kink: there velocities are those before it, and seen
        # backwards those behind it.
        self.times = [duration * share for share in (0, 0.0213, 0.1037, 0.2071, 0.3519, 0.5083, 0.7529, 1)]
        self.base = program.run(tree, self.times)
        self._twin = None
        self.other = None  # the scene that was run beside it, and with which options: for reports

    def rng(self, law):
        return random.Random(f"{self.seed}/{law}")

    @property
    def twin(self):
        if self._twin is None:
            self._twin = self.program.run(disturbed(self.tree, random.Random(f"{self.seed}/twin")), self.times)
        return self._twin

    def run(self, tree, times=None, *options):
        self.other = (tree, options)
        return self.program.run(tree, self.times if times is None else times, *options)

    def agrees(self, result, expected=None, spread=(), skip=(), unit=1.0, may_refuse=True):
        """What is wrong with a run that should be like the base."""
        trouble = result.trouble()
        if trouble:
            return trouble
        if result.refused and may_refuse:
            raise NotApplicable(result.word())
        if not result.ok:
            return f"the base runs, the other does not: {result.word()}"
        if not self.twin.ok:
            raise NotApplicable("the disturbed scene does not run")
        wrong = not_numbers(result)
        if wrong:
            return wrong
        expected = self.base.columns if expected is None else expected
        return disagreement(expected, result.columns, self.base.columns, self.twin.columns, spread, skip, unit)


def runs(case):
    """It runs or is refused, in time, in words, and with numbers in all columns."""
    if not case.base.ok:
        return case.base.trouble()
    return not_numbers(case.base)


def balance(case):
    """Energy, less what is done, plus what is lost, stays as it is."""
    summary = case.base.summary
    error = summary.get("energy_error_relative")
    if error is None:
        return _kept(case)
    if any("the force there is infinite" in warning for warning in summary.get("warnings", [])):
        raise NotApplicable("an energy that jumps, and the program says so")
    gap = summary.get("constraint_error") or 0.0
    if gap > 1e-9:
        return f"joints open by {gap:.2g}"
    # What moves by 1e-6 m/s has as little energy as the last digits of where it is, to which the tolerance is absolute.
    largest = max(numpy.nanmax(numpy.abs(case.base.columns[name])) for name in ("kinetic", "potential", "elastic", "energy"))
    roundoff = 1e-14 * largest / (summary.get("energy_scale") or 1.0)
    return f"energy is off by {error:.2g} of its scale" if error > 1e-9 + roundoff else ""


def _kept(case):
    """Invariants of equations: those that more digits keep, doubles keep to theirs."""
    names = [f"{name}_error" for name in case.tree.get("equations", {}).get("invariants", {})]
    if not names:
        raise NotApplicable("no energy")
    exact = case.run(case.tree, None, "--set", "simulation.precision=double-double")
    if not exact.ok:
        raise NotApplicable(exact.word())
    for name in names:
        change, finer = (numpy.abs(result.columns[name]).max() for result in (case.base, exact))
        scale = max(1.0, numpy.abs(case.base.columns[name.removesuffix("_error")]).max())
        if finer < 1e-20 * scale and change > 1e-13 * scale:
            return f"{name} reaches {change:.2g}, and {finer:.2g} in double-double"
    return ""


def tolerance(case):
    """A finer tolerance and another order change nothing but the last digits."""
    order = case.rng("tolerance").choice((12, 20, 45))
    options = case.rng("tolerance").choice((["--tolerance", "1e-18"], ["--order", str(order)]))
    return case.agrees(case.run(case.tree, None, *options))


# Methods of one's own: Kutta's rule of thirds and eighths, and Ralston's of third order.
TABLEAUS = (
    {"a": [[], ["1/3"], ["-1/3", 1], [1, -1, 1]], "b": ["1/8", "3/8", "3/8", "1/8"], "c": [0, "1/3", "2/3", 1]},
    {"a": [[], [0.5], [0, 0.75]], "b": ["2/9", "1/3", "4/9"], "c": [0, 0.5, 0.75]},
)


def accuracies(method, tags):
    """Settings for one method, coarse to fine. E(h) = a h^p + b h^(p+1) + .. may be equal at two steps, near the step where it
    is largest, however large it is: their difference says nothing there. Three steps and more are not all at such a place. Over
    kinks errors follow no order, and two of them may happen to be alike as well."""
    if method["adaptive"]:
        return [["--tolerance", tolerance] for tolerance in ("1e-10", "1e-12")]
    low = method["name"] == "custom" or method["order"] in ("1", "2", "3")
    if SHARP & tags:
        steps = ("0.001", "0.00083", "0.00062", "0.0005") if low else ("0.005", "0.0041", "0.0031", "0.0025")
    else:
        steps = ("0.001", "0.0005", "0.00025") if low else ("0.005", "0.0035", "0.0025")
    return [["--step", step] for step in steps]


def methods(case):
    """Another method, at several accuracies whose differences say how exact it is."""
    apart = ("taylor", "euler", "lie-euler")
    method = case.rng("methods").choice([m for m in case.offer.methods if m["name"] not in apart])
    tree = case.tree
    if method["name"] == "custom":
        tree = {**tree, "method": case.rng("tableau").choice(TABLEAUS)}
    *others, fine = (case.run(tree, None, "--method", method["name"], *setting) for setting in accuracies(method, case.tags))
    for result in (*others, fine):
        trouble = result.trouble()
        if trouble:
            return f"{method['name']}: {trouble}"
        if not result.ok:
            raise NotApplicable(result.word())
    wrong = case.agrees(fine, spread=[(other.columns, fine.columns) for other in others])
    return f"{method['name']}: {wrong}" if wrong else ""


def precision(case):
    """More digits."""
    which = case.rng("precision").choice(("double-double", "quad"))
    options = ["--set", f"simulation.precision={which}"]
    result = case.run(case.tree, None, *options)
    if "a lower order" in result.said:  # where a law has no slope: series of a high one end a little before it
        result = case.run(case.tree, None, *options, "--order", "12")
    wrong = case.agrees(result)
    return f"{which}: {wrong}" if wrong else ""


def formulations(case):
    """The same chain by other equations."""
    if not chains_of(case.tree) or any(chain.get("kind") == "elastic" for chain in chains_of(case.tree)):
        raise NotApplicable("no rigid chain")
    rng = case.rng("formulations")
    tree = copy.deepcopy(case.tree)
    formulation = rng.choice(case.offer.formulations)
    for chain in chains_of(tree):
        chain["formulation"] = formulation
    method = rng.choice(("taylor", "taylor", "dop853"))
    options = ["--method", method, "--tolerance", "1e-15" if method == "taylor" else "1e-13"]
    skip = (ANGLES.pattern,) if formulation in ("chart", "multibody") else ()  # these have ranges of their own
    wrong = case.agrees(case.run(tree, None, *options), skip=skip)
    return f"{formulation}: {wrong}" if wrong else ""


def plane(case):
    """In a plane and in space."""
    if not chains_of(case.tree):
        raise NotApplicable("no chain")
    tree = copy.deepcopy(case.tree)
    for chain in chains_of(tree):
        chain["plane"] = "none"
    result = case.run(tree)
    return case.agrees(result, skip=(ANGLES.pattern,), may_refuse=False)


def _framed(case, frame):
    tree = frame.scene(case.tree, case.offer)
    result = case.run(tree, [t * frame.time for t in case.times])
    expected = frame.columns(case.base.columns, case.tree)
    return case.agrees(result, expected, skip=FRAME_SKIPS, unit=min(1.0, *frame.scales), may_refuse=False)


def turned(case):
    """Turned in space, gravity with it; about the vertical where something knows the vertical."""
    rng = case.rng("turned")
    q = about([rng.gauss(0, 1) for _ in range(3)], rng.uniform(0.5, 3))
    upright = about([0, 0, 1], rng.uniform(0.5, 3))
    quarter = numpy.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for turn in rng.choice(((q, upright, quarter), (upright, quarter))):
        try:
            return _framed(case, Frame(q=turn))
        except NotApplicable as reason:
            last = reason
    raise last


def shifted(case):
    """Somewhere else."""
    rng = case.rng("shifted")
    return _framed(case, Frame(shift=[round(rng.uniform(-5, 5), 3) for _ in range(3)]))


def mirrored(case):
    """In a mirror."""
    turn = about([0, 0, 1], case.rng("mirrored").choice((0, 1.1)))
    try:
        return _framed(case, Frame(q=turn @ MIRROR))
    except NotApplicable:
        return _framed(case, Frame(q=MIRROR))


def units(case):
    """Measured in other units."""
    rng = case.rng("units")
    length, mass, time = (round(2.0 ** rng.uniform(-2, 2), 3) for _ in range(3))
    return _framed(case, Frame(length=length, mass=mass, time=time))


def galilei(case):
    """Seen from a train that moves uniformly."""
    rng = case.rng("galilei")
    for chain in chains_of(case.tree):
        if "end" in chain:
            raise NotApplicable("an end that rests")
    return _framed(case, Frame(velocity=[round(rng.uniform(-2, 2), 3) for _ in range(3)]))


def _goes_on(case, row, backwards):
    tree = restarted(case.tree, case.base.columns, row, case.offer, backwards)
    start = case.times[row]
    rows = list(range(row, -1, -1)) if backwards else list(range(row, len(case.times)))
    times = [abs(case.times[r] - start) for r in rows]
    tree["simulation"]["duration"] = times[-1]
    result = case.run(tree, times)
    sign = -1.0 if backwards else 1.0

    def seen(columns):
        seen = {name: values[rows] for name, values in columns.items()}
        for name in seen:
            if name.startswith(("vx_", "vy_", "vz_", "wx_", "wy_", "wz_")) or name.endswith("_dot"):
                seen[name] = sign * seen[name]
        return seen

    joints = [rf"^(angle|travel)_{joint['name']}$" for joint in case.tree.get("joints", [])]
    skip = (ANGLES.pattern, r"^(dissipated|work|energy|potential)", r"^[pl][xyz]_", r"^multiplier", *joints)
    return _like(case, result, seen, skip)


def _like(case, result, seen, skip):
    """Errors of the first part grow in the second: the twin's difference is taken as its largest."""
    trouble = result.trouble()
    if trouble or not result.ok:
        return trouble or f"the base runs, from its own state it does not: {result.word()}"
    if not case.twin.ok:
        raise NotApplicable("the disturbed scene does not run")
    expected, base, twin = (seen(columns) for columns in (case.base.columns, case.base.columns, case.twin.columns))
    expected["t"] = result.columns["t"]
    for name in base:
        gap = numpy.abs(base[name] - twin[name])
        if name != "t" and not name.startswith("q"):
            twin[name] = base[name] + numpy.nanmax(gap) if numpy.any(numpy.isfinite(gap)) else twin[name]
    return disagreement(expected, result.columns, base, twin, skip=skip)


def restart(case):
    """A scene that starts where the run was half-way, with time shifted, goes on as the run did."""
    return _goes_on(case, 4, backwards=False)


def reversal(case):
    """Where nothing dissipates, reversed velocities lead back to the start."""
    dissipative = {"drag", "wind", "velocity-damping"} & {law["kind"] for law in case.tree.get("forces", [])}
    lost = case.base.columns.get("dissipated")
    if dissipative or depends_on_motion(case.tree) or (lost is not None and numpy.any(numpy.abs(lost) > 0)):
        raise NotApplicable("dissipation")
    if "equations" in case.tree or "dissipates" in case.tags:
        raise NotApplicable("dissipation")
    return _goes_on(case, 5, backwards=True)


def order(case):
    """Lists in another order describe the same scene."""
    tree = copy.deepcopy(case.tree)
    lists = [name for name in ("bodies", "joints", "forces", "chains") if len(tree.get(name, [])) > 1]
    if not lists:
        raise NotApplicable("no lists")
    for name in lists:
        tree[name].reverse()
    ties = [joint for joint in tree.get("joints", []) if "joints" in joint]
    if ties:
        tree["joints"] = [joint for joint in tree["joints"] if "joints" not in joint] + ties
    return case.agrees(case.run(tree), may_refuse=False, skip=(ANGLES.pattern,))


def spelling(case):
    """Directions in place of angles, quaternions in place of axes, TOML in place of JSON."""
    tree = canonical(case.tree)
    case.other = (tree, ())
    times = ",".join(repr(float(t)) for t in case.times)
    status, out, said = case.program.call(["run", "-", "-o", "-", "--times", times], toml.text(tree))
    columns, summary = _rows(out)
    result = type(case.base)(status, columns, summary, said)
    return case.agrees(result, may_refuse=False, skip=(ANGLES.pattern,))


def columns(case):
    """Velocities are the rates of places, angular velocities those of directions, totals the sums of their parts."""
    if SHARP & case.tags:
        raise NotApplicable("not smooth")
    count = 15
    nodes = (1 - numpy.cos(numpy.pi * numpy.arange(count) / (count - 1))) / 2
    start = case.times[-1] * case.rng("columns").uniform(0.1, 0.9)
    for width in (0.02, 0.004, 0.0008):
        result = case.run(case.tree, start + width * nodes)
        if not result.ok:
            return "" if result.refused else result.word()
        wrong, error = _slopes(result.columns, nodes, start, width)
        if error < 1e-6:  # else the motion is too fast for these polynomials, and shorter ones are tried
            return wrong or _sums(result.columns)
    raise NotApplicable("too fast for polynomials")


def _slopes(columns, nodes, start, width):
    """The first column that is not the rate of its own, in words, and how far polynomials are from the columns they follow:
    the difference between those through all nodes and through every second one, as a part of the column's size."""
    rate, coarse = _differentiation(nodes) / width, _differentiation(nodes[::2]) / width
    worst, words = 0.0, ""
    for name, of in _rates(columns):
        slope = (rate @ columns[of])[::2]
        values = columns[name][::2]
        scale = max(numpy.abs(values).max(), numpy.abs(columns[of]).max(), 1.0)
        worst = max(worst, numpy.abs(coarse @ columns[of][::2] - slope).max() / scale)
        gap = numpy.abs(slope - values)
        if gap.max() > 2e-7 * scale and not words:
            row = int(numpy.argmax(gap))
            t = start + width * nodes[2 * row]
            words = f"{name} = {values[row]:.12g} at t = {t:.6g}, but {of} changes at {slope[row]:.12g}"
    return words, worst


def newton(case):
    """Mass times acceleration is the sum of forces, computed from the laws' equations apart from the program."""
    tree = case.tree
    held = tree.get("joints") or any(body.get("fixed") for body in tree.get("bodies", []))
    if SHARP & case.tags or held or "lagrangian" in tree or "equations" in tree:
        raise NotApplicable("not smooth, or held by joints")
    for chain in chains_of(tree):
        held = isinstance(chain.get("pivot"), str) or "end" in chain
        odd = {"inertia", "center_of_mass", "damping", "friction", "joint_stiffness", "hinge", "repeat"}
        if held or any(odd & link.keys() or isinstance(link.get("moment"), (int, float)) for link in chain["links"]):
            raise NotApplicable("links that are not point masses")
    count, width = 15, 0.004
    nodes = (1 - numpy.cos(numpy.pi * numpy.arange(count) / (count - 1))) / 2
    start = case.times[-1] * case.rng("newton").uniform(0.0, 0.9)
    result = case.run(tree, start + width * nodes)
    if not result.ok:
        raise NotApplicable(result.word())
    row = count // 2
    forces = Forces(tree, case.offer, result.columns, row)
    rate = (_differentiation(nodes) / width)[row]
    for mass in forces.masses:
        name = mass.name.replace("chain.", "").replace(".", "_")
        change = mass.mass * numpy.array([rate @ result.columns[f"v{c}_{name}"] for c in "xyz"])
        total = forces.force(mass) + _pulls(forces, mass, result.columns, row)
        scale = max(1.0, numpy.abs(total).max(), 9.81 * mass.mass)
        gap = numpy.abs(change - total).max()
        if gap > 3e-6 * scale:
            return f"{mass.name} at t = {start + width * nodes[row]:.6g}: m a = {change}, forces by the equations: {total}"
    return ""


def _pulls(forces, mass, columns, row):
    """What links do to a bob: its own pulls it up, those below it pull it along them."""
    total = numpy.zeros(3)
    for chain in chains_of(forces.tree):
        owner = chain.get("name", "chain")
        for i, link in enumerate(chain["links"]):
            other = next(m for m in forces.masses if m.name == f"{owner}.{i + 1}")
            tension = columns[f"tension_{other.name.replace('chain.', '').replace('.', '_')}"][row]
            if other is mass:
                total = total - tension * other.u
            elif mass.name == f"{owner}.{link.get('parent', i)}":
                total = total + tension * other.u
    return total


def _differentiation(x):
    """Matrix that takes values at these nodes to the slopes of their polynomial (barycentric form)."""
    n = len(x)
    w = numpy.array([1 / numpy.prod(x[i] - numpy.delete(x, i)) for i in range(n)])
    d = numpy.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j:
                d[i, j] = w[j] / w[i] / (x[i] - x[j])
        d[i, i] = -d[i].sum()
    return d


def _rates(columns):
    for name in columns:
        if name[:2] in ("x_", "y_", "z_"):
            yield f"v{name}", name
        if name.startswith(("angle_", "travel_")) and not name.endswith("_dot") and f"{name}_dot" in columns:
            yield f"{name}_dot", name
        if f"{name}_dot" in columns and not name.startswith(("angle_", "travel_", "theta_", "phi_")):
            yield f"{name}_dot", name


def _sums(columns):
    for stem in ("px", "py", "pz", "kinetic"):
        parts = [values for name, values in columns.items() if name.startswith(f"{stem}_") and not name.endswith("_total")]
        total = columns.get(f"{stem}_total", columns.get(stem) if stem == "kinetic" else None)
        if parts and total is not None:
            gap = numpy.abs(numpy.sum(parts, axis=0) - total).max()
            if gap > 1e-10 * max(1.0, numpy.abs(total).max()):
                return f"the parts of {stem} add up to {numpy.sum(parts, axis=0)[0]:.12g}, the total is {total[0]:.12g}"
    if "energy" in columns and "elastic" in columns:
        gap = numpy.abs(columns["kinetic"] + columns["potential"] + columns["elastic"] - columns["energy"]).max()
        if gap > 1e-10 * max(1.0, numpy.abs(columns["energy"]).max()):
            return f"energy is not the sum of its parts, by {gap:.2g}"
    return ""


def momentum(case):
    """The change of momentum is the impulse of weight and of what holds the system (dp/dt = m g + reactions)."""
    tree = case.tree
    inner = {"spring", "coulomb", "dipoles"}
    outside = [law for law in tree.get("forces", []) if law["kind"] not in inner]
    fixed_ends = [end for law in tree.get("forces", []) for end in law.get("between", []) if isinstance(end, list)]
    pushing = [j for j in tree.get("joints", []) if ({"stiffness", "damping", "friction", "limits"} & j.keys() or
               "force" in j.get("motor", {})) and case.offer.joints[j["kind"]]["coordinate"] != "angle"]
    if outside or fixed_ends or pushing or SHARP & case.tags or "px_total" not in case.base.columns:
        raise NotApplicable("forces from outside that are not recorded")
    if any(chain.get("velocity_damping") for chain in chains_of(tree)) or any("joints" in j for j in tree.get("joints", [])):
        raise NotApplicable("forces from outside that are not recorded")
    if any(body.get("fixed") for body in tree.get("bodies", [])):
        raise NotApplicable("what holds a fixed body is not recorded")
    gravity, mass = canonical(tree)["simulation"]["gravity"], _mass(tree)
    x, w = numpy.polynomial.legendre.leggauss(40)
    finer, v = numpy.polynomial.legendre.leggauss(80)
    half = min(0.1, case.times[-1] / 2)
    times = numpy.concatenate([[0.0], half * (1 + x), half * (1 + finer), [2 * half]])
    order = numpy.argsort(times)
    result = case.run(tree, times[order])
    if not result.ok:
        raise NotApplicable(result.word())
    rows = {name: values[numpy.argsort(order)] for name, values in result.columns.items()}
    for i, c in enumerate("xyz"):
        force = _held(tree, rows, c) + mass * gravity[i]
        impulse, change = half * (v @ force[41:121]), rows[f"p{c}_total"][-1] - rows[f"p{c}_total"][0]
        scale = max(1.0, mass * 9.81, numpy.abs(force).max())
        error = abs(impulse - half * (w @ force[1:41]))
        if error > 1e-3 * scale * half:  # a whip that cracks: neither rule has seen it all
            raise NotApplicable("forces too sharp for the quadrature")
        if abs(impulse - change) > 1e-8 * scale + error:
            return f"p{c}_total changes by {change:.12g}, the impulse of weight and reactions is {impulse:.12g}"
    return ""


def _mass(tree):
    masses = [link["mass"] for chain in chains_of(canonical(tree)) for link in chain["links"]]
    for body in tree.get("bodies", []):
        parts = body.get("parts", [body])
        if any("mass" not in part for part in parts):
            raise NotApplicable("a mass that is not written")
        masses += [part["mass"] for part in parts]
    return sum(masses)


def _held(tree, rows, c):
    force = numpy.zeros(len(rows["t"]))
    for chain in chains_of(tree):
        owner = f"{chain['name']}_" if "name" in chain else ""
        for end in ("pivot", "end"):
            if not isinstance(chain.get(end, []), str) and f"f{c}_{owner}{end}" in rows:  # a body's pull is inside
                force = force + rows[f"f{c}_{owner}{end}"]
    for joint in tree.get("joints", []):
        bodies = joint.get("bodies", [])
        if "ground" in bodies:
            force = force + (1 if bodies[1] != "ground" else -1) * rows[f"f{c}_{joint['name']}"]
    return force


def hostile(case):
    """A scene with something odd in it is refused in words, or runs in time and with numbers."""
    rng = case.rng("hostile")
    for _ in range(4):
        tree = odd(case.tree, rng)
        result = case.run(tree, (0, 0.01, 0.05))
        if result.trouble().startswith("hangs"):  # or is it only a long way?
            tree["simulation"]["duration"] = 1e-6
            result = case.run(tree, (0, 1e-6))
        wrong = result.trouble() or (not_numbers(result) if result.ok else "")
        if wrong:
            return wrong
    return ""


def resume(case):
    """A run in two parts has the same bits as one."""
    duration = case.tree["simulation"]["duration"]
    with tempfile.TemporaryDirectory() as folder:
        scene = os.path.join(folder, "scene.json")
        with open(scene, "w", encoding="utf-8") as file:
            json.dump(case.tree, file)
        half, end, whole = (os.path.join(folder, f"{name}.csv") for name in ("half", "end", "whole"))
        sample = ["--sample", repr(duration / 8)]
        calls = [["run", scene, "-o", whole, *sample], ["run", scene, "-o", half, *sample, "--duration", repr(duration / 2)],
                 ["run", "--resume", half, "--duration", repr(duration), "-o", end]]
        for call in calls:
            status, _, said = case.program.call(call)
            if status != 0:
                return f"{' '.join(call[:2])}: exit status {status}: {said[-300:]}"
        one, two = (_rows(open(name, encoding="utf-8").read())[0] for name in (whole, end))
    for name in one:
        if not numpy.array_equal(one[name], two.get(name, numpy.array([])), equal_nan=True):
            return f"{name} differs between one run and two"
    return ""


def events(case):
    """Every sign change between rows is an event, and every event one of those."""
    rng = case.rng("events")
    candidates = [name for name in case.base.columns if name[:2] in ("x_", "z_", "vx", "vz") and
                  not name.endswith("total") and numpy.ptp(case.base.columns[name]) > 1e-3]
    if not candidates or SHARP & case.tags:
        raise NotApplicable("nothing that moves smoothly")
    name = rng.choice(candidates)
    level = float(numpy.mean(case.base.columns[name])) + 0.0123
    duration = case.times[-1]
    times = numpy.linspace(0, duration, 801)
    result = case.run(case.tree, times, "--event", f"{name} - ({level!r})")
    if not result.ok:
        return f"with an event: {result.word()}"
    (table,) = [events for name, events in result.summary["events"].items() if name != "watch"]
    found = numpy.array([row[table["columns"].index("t")] for row in table["rows"]])
    values = result.columns[name] - level
    crossings = numpy.nonzero(values[:-1] * values[1:] < 0)[0]
    for row in crossings:
        inside = numpy.sum((found >= times[row]) & (found <= times[row + 1]))
        if inside % 2 == 0:
            return f"{name} passes {level!r} between {times[row]:.6g} and {times[row + 1]:.6g}, and {inside} events are there"
    return ""


def _number(case, law):
    """A number of the scene at random: where it is, its path as people write it, and its value."""
    numbers = [path for path in paths(case.tree) if isinstance(at(case.tree, path), float) and
               (path[0] != "simulation" or "gravity" in path) and not {"vertices", "triangles"} & set(path)]
    if not numbers:
        raise NotApplicable("no numbers")
    path = case.rng(law).choice(numbers)
    return path, ".".join(str(key + 1) if isinstance(key, int) else key for key in path), at(case.tree, path)


def derivatives(case):
    """Derivatives with respect to a number are what differences of runs come to."""
    path, written, value = _number(case, "derivatives")
    result = case.run(case.tree, None, "--derivatives", written)
    trouble = result.trouble()
    if trouble or not result.ok:
        if not trouble and (result.refused or "derivatives" in result.said):
            raise NotApplicable(result.word())
        return trouble or f"the base runs, with derivatives by {written} it does not: {result.word()}"
    case.other = (case.tree, ("--derivatives", written))
    slopes = []
    for step in (1e-4, 5e-5):
        step *= max(1.0, abs(value))
        ends = [case.program.run(with_value(case.tree, path, value + side * step), case.times) for side in (1, -1)]
        if not all(end.ok for end in ends):
            raise NotApplicable("it does not run with a number beside it")
        slopes.append({name: (ends[0].columns[name] - ends[1].columns[name]) / (2 * step)
                       for name in result.columns if name in ends[0].columns})
    coarse, fine = slopes
    for kind, names in groups(result.columns, (r"^d1_", r"^(theta|phi)")).items():
        names = [name for name in names if f"d1_{name}" in result.columns and name in fine]
        if not names:
            continue
        found, better, apart = (numpy.array(rows) for rows in (
            [result.columns[f"d1_{name}"] for name in names], [(4 * fine[name] - coarse[name]) / 3 for name in names],
            [numpy.abs(fine[name] - coarse[name]) for name in names]))
        scale = max(numpy.nanmax(numpy.abs(better)), size(kind, names, result.columns, 1.0))
        allowed = 1e-5 * scale + numpy.maximum.accumulate(numpy.max(apart, axis=0))
        gap = numpy.abs(found - better)
        wrong = ~(gap <= allowed) & (allowed < 1e-2 * scale) & numpy.isfinite(better)
        if numpy.any(wrong):
            which, row = (int(i) for i in numpy.argwhere(wrong)[0])
            return (f"{names[which]} changes with {written} by {found[which, row]:.10g} at t = {case.times[row]:.6g}, and by "
                    f"differences of runs by {better[which, row]:.10g}: {gap[which, row]:.2g} apart where {allowed[row]:.2g} is allowed")
    return ""


def sweep(case):
    """A case of a sweep is the run with its number."""
    path, written, value = _number(case, "sweep")
    other = value * 1.01 + 0.003
    run = case.run(with_value(case.tree, path, other))
    if not run.ok or not case.twin.ok:
        raise NotApplicable(run.word())
    names = [name for kind in groups(run.columns, (ANGLES.pattern,)).values() for name in kind][:12]
    tree = {**case.tree, "sweep": {"vary": [{"key": written, "values": [value, other]}],
                                   "measures": [{"name": f"m{i}", "column": name} for i, name in enumerate(names)]}}
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "cases.csv")
        plan = os.path.join(folder, "plan.toml")
        with open(plan, "w", encoding="utf-8") as out:
            out.write(toml.text(tree))
        status, _, said = case.program.call(["sweep", plan, "-o", file, "--threads", "1", "-q"])
        if status == 2:
            raise NotApplicable(said[-300:])
        if status != 0:
            return f"its sweep: exit status {status}: {said[-300:]}"
        columns, _ = _rows(open(file, encoding="utf-8").read())
    last = {name: columns[f"m{i}"] for i, name in enumerate(names)}
    case.other = (tree, ())
    for row, seen in enumerate((case.base, run)):
        for name in names:
            kind = group(name)
            scale = size(kind, [name], seen.columns, 1.0)
            growth = abs(case.base.columns[name] - case.twin.columns[name]).max()
            allowed = 2e-9 * scale + 100 * growth
            if allowed < 1e-4 * scale and not abs(last[name][row] - seen.columns[name][-1]) <= allowed:
                return (f"{name} at the end with {written} = {(value, other)[row]!r}: {seen.columns[name][-1]:.15g} in a run, "
                        f"{last[name][row]:.15g} in a sweep")
    return ""


LAWS = {law.__name__: law for law in (
    runs, balance, tolerance, methods, precision, formulations, plane, turned, shifted, mirrored, units, galilei, restart,
    reversal, order, spelling, columns, newton, momentum, resume, events, hostile, derivatives, sweep)}
