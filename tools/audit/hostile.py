"""Scenes with something odd in them: the program may refuse them, or run them, but in words, in time and with numbers."""
import copy

from frames import NotApplicable
from shrink import at, paths

NUMBERS = (0, -1, 1e9, 1e-9, 1e300, 1e-300, -1e300, 3, 0.5)
TEXTS = ("", "nan", "1/0", "log(0)", "sqrt(t)", "t^0.5", "1e400", "((", "sin", "x +", "9.9", "tan(t)", "exp(exp(9*t))",
         "1/(t - 0.01)", "abs(t - 0.01)", "choose(t - 0.01, 1, 0)", "sign(x)", "30 deg", "ground", "chain.1", "a")
OTHERS = ([], {}, True, [0, 0, 0], [1, 2], [[0, 0, 0]], None)


def odd_value(rng, value):
    """Something else of the same sort, as a rule."""
    if rng.random() < 0.1:
        return copy.deepcopy(rng.choice(OTHERS[:-1]))
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return rng.choice((*NUMBERS, -value, value * 1e6, value * 1e-6)) if rng.random() < 0.8 else rng.choice(TEXTS)
    return rng.choice(TEXTS)


def odd(tree, rng):
    """The scene with one or two places changed: another value, a key left out, an item twice."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 2))):
        places = [path for path in paths(tree) if path[0] != "simulation" or path[-1] == "gravity"]
        if not places:
            raise NotApplicable("nothing to change")
        path = rng.choice(places)
        parent, value = at(tree, path[:-1]), at(tree, path)
        pick = rng.random()
        if isinstance(value, (dict, list)) and pick < 0.3 and isinstance(parent, list):
            parent.append(copy.deepcopy(value))
        elif pick < 0.15 and isinstance(parent, dict):
            del parent[path[-1]]
        elif not isinstance(value, (dict, list)):
            parent[path[-1]] = odd_value(rng, value)
    tree["simulation"]["duration"] = 0.05
    return tree
