"""Formulas as text: drawn at random over all functions of the program, and rewritten in another frame."""
import re

KINKED = {"abs", "min", "max", "step"}
JUMPING = {"sign", "choose"}
GROWING = {"exp", "sinh", "cosh", "pow"}  # take a bounded argument, lest they leave all scale
NAME = re.compile(r"(?<![\w.'])([A-Za-z_]\w*'?)(?!\s*\()")


def number(value):
    return f"({value!r})" if value < 0 else repr(value)


def replaced(formula, names):
    """The formula with names replaced by texts, all at once."""
    if not isinstance(formula, str):
        return formula
    return NAME.sub(lambda match: names.get(match.group(1), match.group(1)), formula)


def combined(weights, formulas):
    """Sum of weights times formulas; a number where all are numbers."""
    terms = [(w, f) for w, f in zip(weights, formulas) if w != 0 and f not in (0, "0", 0.0)]
    if all(not isinstance(f, str) for _, f in terms):
        return float(sum(w * f for w, f in terms))
    return " + ".join(f"{number(float(w))}*({f})" for w, f in terms) or "0"


class Draw:
    """Random formulas of given names. `tags` gathers what is sharp in them."""

    def __init__(self, rng, functions, tags):
        self.rng = rng
        self.tags = tags
        self.sharp = False  # whether the formula at hand may have kinks and jumps
        self.smooth, self.kinked, self.jumping = [], [], []
        for function in functions:
            name = function["name"]
            kind = self.kinked if name in KINKED else self.jumping if name in JUMPING else self.smooth
            kind.append(function)

    def amplitude(self, size):
        return round(self.rng.uniform(0.2, 1.0) * size * self.rng.choice((-1, 1)), 3)

    def linear(self, names):
        """A small sum of names, of size about 1."""
        some = self.rng.sample(names, min(len(names), 2))
        terms = [f"{number(round(self.rng.uniform(-2, 2), 2))}*{name}" for name in some]
        return " + ".join([*terms, number(round(self.rng.uniform(-1, 1), 2))])

    def argument(self, domain, names, depth):
        inner = self.term(names, depth - 1)
        if "-1 <= x <= 1" in domain:
            return f"0.9*sin({inner})"
        if "> 0" in domain or ">= 0" in domain:
            return f"1.5 + sin({inner})"
        if "pi/2" in domain:
            return f"1.2*tanh({inner})"
        return inner

    def call(self, function, names, depth):
        name = function["name"]
        usage = self.rng.choice(function["usage"].split(" or "))
        count = usage.count(",") + 1
        arguments = [self.argument(function["domain"], names, depth) for _ in range(count)]
        if name in GROWING:
            arguments = [f"cos({argument})" for argument in arguments]
        if name == "pow":
            arguments = [f"1.5 + sin({arguments[0]})", self.rng.choice(["2", "0.5", "-1.5"])]
        if name == "atan2":
            arguments[1] = f"2 + cos({arguments[1]})"
        if name == "ratio":
            arguments[1] = f"2 + sin({arguments[1]})"
        return f"{name}({', '.join(arguments)})"

    def term(self, names, depth):
        if depth <= 0 or self.rng.random() < 0.25:
            return self.linear(names)
        pick = self.rng.random()
        if pick < 0.2:
            return f"({self.term(names, depth - 1)})*({self.term(names, depth - 1)})"
        if pick < 0.3:
            return f"({self.term(names, depth - 1)})/(1.5 + ({self.linear(names)})^2)"
        pool = self.smooth
        if self.sharp and pick > 0.85 and self.jumping:
            pool = self.jumping
            self.tags.add("jumps")
        elif self.sharp and pick > 0.5 and self.kinked:
            pool = self.kinked
            self.tags.add("kinks")
        return self.call(self.rng.choice(pool), names, depth)

    def pulse(self):
        """Something short in time."""
        self.tags.add("pulses")
        centre, rate = round(self.rng.uniform(0.3, 1.5), 3), round(10 ** self.rng.uniform(0.5, 3))
        return self.rng.choice([f"exp(-({rate}*(t-{centre}))^2)", f"(1+tanh({rate}*(t-{centre})))",
                                f"1/(1+({rate}*(t-{centre}))^2)"])

    def formula(self, size, names, depth=2):
        """A formula of about this size; a plain number now and then."""
        if self.rng.random() < 0.15:
            return self.amplitude(size)
        self.sharp = self.rng.random() < 0.08
        if "t" in names and self.rng.random() < 0.04:
            return f"{number(self.amplitude(size))}*{self.pulse()}"
        return f"{number(self.amplitude(size))}*{self.bounded(names, depth)}"

    def bounded(self, names, depth):
        inner = self.term(names, depth)
        return self.rng.choice([f"sin({inner})", f"tanh({inner})", f"atan({inner})", f"({inner})/(1 + norm({inner}, 1))"])

    def potential(self, size, names):
        """A potential energy without jumps: those would be forces without bound."""
        for _ in range(20):
            before = set(self.tags)
            formula = self.formula(size, names)
            if "jumps" in self.tags - before:
                self.tags.intersection_update(before)
                continue
            return formula if isinstance(formula, str) else repr(formula)
        return f"{number(self.amplitude(size))}*sin({self.linear(names)})"

    def kinked_motion(self, size):
        """A motion whose rate jumps: steady for a while, then at rest, or the other way round."""
        self.tags.add("kinks")
        rate, at = round(self.rng.uniform(0.3, 2) * size, 2), round(self.rng.uniform(0.1, 0.9), 2)
        return self.rng.choice([f"{rate}*min(t, {at})", f"{rate}*max(t - {at}, 0)", f"{rate}*abs(t - {at}) - {rate}*{at}"])

    def motion(self, size):
        """A smooth function of time."""
        rate, phase = round(self.rng.uniform(0.5, 6), 2), round(self.rng.uniform(0, 3), 2)
        return f"{number(self.amplitude(size))}*sin({rate}*t + {phase})"
