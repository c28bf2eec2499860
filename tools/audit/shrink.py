"""Smaller scenes that still fail."""
import copy

KEPT = {"name", "kind", "shape", "duration", "length", "mass", "bodies", "links", "coordinates", "simulation"}


def paths(tree, prefix=()):
    """All places of a scene, outermost first."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*prefix, key)
    for key, value in items:
        yield from paths(value, (*prefix, key))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def without(tree, path):
    tree = copy.deepcopy(tree)
    del at(tree, path[:-1])[path[-1]]
    return tree


def with_value(tree, path, value):
    tree = copy.deepcopy(tree)
    at(tree, path[:-1])[path[-1]] = value
    return tree


def smaller(tree):
    """Scenes a little smaller than this one, the boldest first."""
    for path in list(paths(tree)):
        parent = at(tree, path[:-1])
        if isinstance(parent, dict) and path[-1] not in KEPT:
            yield without(tree, path)
        elif isinstance(parent, list) and isinstance(parent[path[-1]], dict):
            yield without(tree, path)
    for path in list(paths(tree)):
        value = at(tree, path)
        if isinstance(value, str) and any(c in value for c in "*(") and len(value) > 3:
            yield with_value(tree, path, 0)
            for part in _parts(value):
                yield with_value(tree, path, part)
        elif isinstance(value, float) and path[-1] != "duration":
            for simple in (0, 1, round(value, 1)):
                if simple != value and len(repr(simple)) < len(repr(value)):
                    yield with_value(tree, path, simple)
    if tree["simulation"]["duration"] > 0.1:
        yield with_value(tree, ("simulation", "duration"), tree["simulation"]["duration"] / 2)


def _parts(formula):
    """What stands inside the formula's outermost brackets."""
    depth, start, found = 0, 0, []
    for i, c in enumerate(formula):
        if c == "(":
            if depth == 0:
                start = i + 1
            depth += 1
        elif c == ")":
            depth -= 1
            if depth == 0 and "," not in formula[start:i]:
                found.append(formula[start:i])
    return sorted((part for part in found if len(part) > 1 and part != formula), key=len)[:3]


def shrunk(tree, fails, budget):
    """The smallest scene found within so many trials for which `fails(tree)` still holds."""
    trials = 0
    progress = True
    while progress and trials < budget:
        progress = False
        for candidate in smaller(tree):
            trials += 1
            if fails(candidate):
                tree, progress = candidate, True
                break
            if trials >= budget:
                break
    return tree
