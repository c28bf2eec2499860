"""When two runs disagree: beyond what a small disturbance of the start grows to."""
import copy
import re

import numpy

from geometry import radians

DISTURBANCE = 1e-10
ROUNDING = 2e-9  # of the size of a quantity: what two exact methods may differ by where nothing grows
GROWTH = 100  # so many times a disturbance's effect is no disagreement
LOST = 1e-4  # of its size: a motion that a disturbance changed by more is not compared any longer

VECTOR = re.compile(r"^(|v|u|w|f|m|p|l)([xyz])_(.+)$")
OWN = re.compile(r"^(step_size|constraint_error|energy_error|balance|rank|pole|p|l|unique)(_|$)")
ANGLES = re.compile(r"^(theta|phi)(_dot)?_")
SILENT_NAN = re.compile(r"^(phi_dot|theta_dot|phi|multiplier)_")


def group(name):
    """What a column is compared within: the components of all places, of all velocities, .."""
    match = VECTOR.match(name)
    if match:
        total = "_total" if match.group(3) == "total" else ""
        return match.group(1) + "x" + total
    if re.match(r"^q[wxyz]_", name):
        return "q"
    match = re.match(r"^(theta|phi|angle|travel)_.*?(_dot)?$", name) or re.match(r"^(theta_dot|phi_dot)_", name)
    if match:
        return match.group(1) + (match.group(2) or "" if match.lastindex and match.lastindex > 1 else "")
    match = re.match(r"^(tension|strain|kinetic|potential|energy|multiplier)_", name)
    return match.group(1) if match else name


ENERGIES = ("kinetic", "potential", "elastic", "energy", "dissipated", "work")


def groups(columns, skip=()):
    """Columns by group, without what is a run's own affair."""
    found = {}
    for name in columns:
        if name == "t" or OWN.match(name) or any(re.match(pattern, name) for pattern in skip):
            continue
        found.setdefault(group(name), []).append(name)
    return found


def difference(kind, names, a, b):
    """Largest difference in a group, row by row; nan where a column is nan on both sides counts as equal."""
    if kind == "q":
        return _turn(names, a, b)
    rows = []
    for name in names:
        if name not in a or name not in b:
            continue
        d = numpy.abs(a[name] - b[name])
        if kind in ("phi", "theta", "angle"):
            d = numpy.minimum(d, numpy.abs(2 * numpy.pi - d))
        rows.append(numpy.where(numpy.isnan(a[name]) & numpy.isnan(b[name]), 0.0, d))
    return numpy.max(rows, axis=0) if rows else numpy.zeros(len(a["t"]))


def _turn(names, a, b):
    """Quaternions mean the same with either sign."""
    total = numpy.zeros(len(a["t"]))
    for body in sorted({name[3:] for name in names}):
        keys = [f"q{c}_{body}" for c in "wxyz"]
        if not all(key in a and key in b for key in keys):
            continue
        p, q = numpy.array([a[k] for k in keys]), numpy.array([b[k] for k in keys])
        total = numpy.maximum(total, numpy.minimum(abs(p - q).max(axis=0), abs(p + q).max(axis=0)))
    return total


def size(kind, names, a, unit):
    values = [numpy.nanmax(numpy.abs(a[name])) for name in names if name in a and numpy.any(numpy.isfinite(a[name]))]
    if kind in ENERGIES:
        values += [numpy.nanmax(numpy.abs(a[name])) for name in ENERGIES if name in a]
    if kind in ("mx", "fx"):
        values += [numpy.nanmax(numpy.abs(a[name])) for name in a if re.match(r"^(f|m)[xyz]_|^tension_", name)]
    return max([1e-2 * unit, *values])


TRUST = 3  # so many times the difference between a method's own accuracies is its error


def disagreement(expected, found, base, twin, spread=(), skip=(), unit=1.0):
    """What differs most beyond its bound, in words; nothing where all agree. `expected` is what `found` should be; `base`
    and its disturbed `twin` say how far errors grow, `spread` are pairs of columns whose largest difference is the error of
    those in `expected`, to within a factor of TRUST."""
    worst, words = 1.0, ""
    if len(expected["t"]) != len(found["t"]):
        return f"{len(found['t'])} rows in place of {len(expected['t'])}"
    free = any(name.startswith("unique") and numpy.any(values == 0) for name, values in base.items())
    for kind, names in groups(expected, skip).items():
        names = [name for name in names if name in found]
        if not names or (free and kind in ("fx", "mx", "multiplier")):
            continue
        scale = size(kind, names, expected, unit)
        growth = difference(kind, [n for n in names if n in base], base, twin)
        # An azimuth's rate is no number at a pole, where the twin passes by: there a disturbance changes all of it.
        growth = numpy.maximum.accumulate(numpy.where(numpy.isnan(growth), numpy.inf, growth))
        base_scale = size(kind, [n for n in names if n in base], base, 1.0)
        bound = ROUNDING * scale + GROWTH * growth / base_scale * scale
        if spread:
            apart = numpy.max([difference(kind, names, one, other) for one, other in spread], axis=0)
            bound = bound + TRUST * numpy.maximum.accumulate(apart)
        d = difference(kind, names, expected, found)
        ratio = numpy.where(growth > LOST * base_scale, 0.0, d / bound)
        ratio = numpy.where(numpy.isnan(ratio), numpy.inf, ratio)
        if ratio.max() > worst:
            worst = ratio.max()
            row = int(numpy.argmax(ratio > 1))
            name = max(names, key=lambda n: numpy.nan_to_num(abs(expected[n][row] - found[n][row]), nan=numpy.inf))
            words = (f"{name} at t = {found['t'][row]:.6g}: {expected[name][row]:.15g} and {found[name][row]:.15g}, "
                     f"{d[row]:.2g} apart where {bound[row]:.2g} is allowed")
    return words


def not_numbers(result):
    """Columns with nan that say nothing about it. Systems without a mechanical energy have none in all rows."""
    columns = result.columns
    if "kinetic" in columns and numpy.all(numpy.isnan(columns["kinetic"])):
        columns = {name: values for name, values in columns.items() if not numpy.all(numpy.isnan(values))}
    bad = [name for name, values in columns.items() if not numpy.all(numpy.isfinite(values)) and not SILENT_NAN.match(name)]
    return f"not a number: {', '.join(bad[:5])}" if bad else ""


def disturbed(tree, rng, size=DISTURBANCE):
    """The scene with its start moved a little; what lies in a plane stays in it."""
    tree = copy.deepcopy(tree)

    def moved(table, *names):
        for name in names:
            if isinstance(table.get(name), list):
                table[name] = [c + rng.uniform(-1, 1) * size if isinstance(c, (int, float)) else c for c in table[name]]
            elif name in table:
                table[name] = radians(table[name]) + rng.choice((-1, 1)) * size

    for chain in [tree["chain"]] if "chain" in tree else tree.get("chains", []):
        for link in chain["links"]:
            planar = "phi_dot" not in link and "direction" not in link
            moved(link, "theta", "theta_dot", "direction", "rate", "stretch", "stretch_dot")
            if not planar:
                moved(link, "phi", "phi_dot")
    for body in tree.get("bodies", []):
        moved(body, "position", "velocity", "angular_velocity")
    for table, keys in (("lagrangian", ("coordinates", "rates")), ("equations", ("states",))):
        for key in keys:
            values = tree.get(table, {}).get(key)
            if values:
                tree[table][key] = {name: radians(value) + rng.choice((-1, 1)) * size for name, value in values.items()}
    return tree
