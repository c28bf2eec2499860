"""Formulas written by computing with them: `ct.x`, `ct.t` and functions of these are what scenes have as texts."""
from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any, Callable, Sequence, Union

from ._pickled import Pickled

if TYPE_CHECKING:
    import os

    import numpy.typing as npt

    FormulaLike = Union["Formula", float, str, Callable[..., Any]]
    FormulasLike = Union[Sequence[Union["Formula", float, str]], Callable[..., Any]]

# How tightly what a formula is written with binds: a sum least, a name most.
_SUM, _PRODUCT, _POWER, _NAME = 1, 2, 3, 4
_LONGEST = 1_000_000  # characters that the engine reads

# What NumPy calls its functions, and what formulas do.
_UFUNCS = {
    "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "log", "sqrt": "sqrt", "absolute": "abs", "fabs": "abs",
    "sign": "sign", "arctan2": "atan2", "hypot": "norm", "minimum": "min", "maximum": "max", "fmin": "min", "fmax": "max",
}
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b, "power": lambda a, b: a**b, "float_power": lambda a, b: a**b,
    "negative": lambda a: -a, "positive": lambda a: a, "square": lambda a: a * a, "reciprocal": lambda a: 1 / a,
    "deg2rad": lambda a: a * (math.pi / 180), "radians": lambda a: a * (math.pi / 180),
    "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b, "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
}
_INSTEAD = ("write it with operators and NumPy's functions (np.sin, np.where(ct.x > 0, a, b)); a function of one number that "
            "cannot be written so becomes a table: ct.sampled(function, ct.t, 0, 10)")


class Formula(Pickled):
    """A formula, as `ct.x` is one: what is computed with it is written down, and the engine makes series of that.

    Operators, powers and NumPy's functions work; `np.where(ct.x > 0, a, b)`, `np.minimum` and the like decide. It stands
    wherever scenes have formulas; `str` shows it.

    >>> import catena as ct, numpy as np
    >>> print(-2 * np.sin(3 * ct.t)**2 + ct.x / (1 + ct.vx))
    -2*sin(3*t)^2 + x/(1 + vx)
    >>> ct.Force("formula", force=[-3 * ct.x, 0, 0])
    Force(kind='formula', force=['-3*x', 0, 0])
    """

    def __init__(self, text: str, binding: int = _NAME) -> None:
        if len(text) > _LONGEST:
            raise ValueError(f"the formula has grown beyond {_LONGEST} characters; formulas repeat what is used twice")
        self._text = text
        self._binding = binding

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Formula {self._text if len(self._text) <= 80 else self._text[:77] + '...'}>"

    @property
    def dot(self) -> Formula:
        """Its rate, as Lagrangians have them: `ct.symbol("x").dot` is x'."""
        if self._binding != _NAME or not self._text.replace("_", "a").replace("'", "").isalnum():
            raise TypeError(f"only names have rates, not {self._text}")
        return Formula(self._text + "'")

    def _in(self, binding: int) -> str:
        return self._text if self._binding >= binding else f"({self._text})"

    def __add__(self, other: Any) -> Formula:
        return _joined(self, " + ", other, _SUM, _SUM)

    def __radd__(self, other: Any) -> Formula:
        return _joined(other, " + ", self, _SUM, _SUM)

    def __sub__(self, other: Any) -> Formula:
        return _joined(self, " - ", other, _SUM, _PRODUCT)

    def __rsub__(self, other: Any) -> Formula:
        return _joined(other, " - ", self, _SUM, _PRODUCT)

    def __mul__(self, other: Any) -> Formula:
        return _joined(self, "*", other, _PRODUCT, _PRODUCT)

    def __rmul__(self, other: Any) -> Formula:
        return _joined(other, "*", self, _PRODUCT, _PRODUCT)

    def __truediv__(self, other: Any) -> Formula:
        return _joined(self, "/", other, _PRODUCT, _POWER)

    def __rtruediv__(self, other: Any) -> Formula:
        return _joined(other, "/", self, _PRODUCT, _POWER)

    def __pow__(self, other: Any) -> Formula:
        return _joined(self, "^", other, _NAME, _NAME)

    def __rpow__(self, other: Any) -> Formula:
        return _joined(other, "^", self, _NAME, _NAME)

    def __neg__(self) -> Formula:
        return Formula("-" + self._in(_PRODUCT), _PRODUCT)

    def __pos__(self) -> Formula:
        return self

    def __abs__(self) -> Formula:
        return call("abs", self)

    def __gt__(self, other: Any) -> Condition:
        return Condition(self - other, self, ">", other)

    def __ge__(self, other: Any) -> Condition:
        return Condition(self - other, self, ">=", other)

    def __lt__(self, other: Any) -> Condition:
        return Condition(other - self, self, "<", other)

    def __le__(self, other: Any) -> Condition:
        return Condition(other - self, self, "<=", other)

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} is a formula: it has no truth value before the motion is there; {_INSTEAD}")

    def __float__(self) -> float:
        raise TypeError(f"{self!r} is a formula and no number yet; {_INSTEAD}")

    __int__ = __index__ = __complex__ = __float__  # type: ignore[assignment]

    def __iter__(self) -> Any:
        raise TypeError(f"{self!r} is one formula, not a list of them")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = ufunc.__name__
        if method != "__call__" or options or (name not in _UFUNCS and name not in _OPERATORS):
            raise TypeError(f"formulas know no numpy.{name}; {_INSTEAD}")

        def one(*values: Any) -> Any:
            return _OPERATORS[name](*values) if name in _OPERATORS else call(_UFUNCS[name], *values)

        if not any(getattr(value, "ndim", 0) for value in inputs):
            return one(*(value.item() if hasattr(value, "item") else value for value in inputs))
        import numpy as np

        return np.frompyfunc(one, len(inputs), 1)(*(np.asarray(value, dtype=object) for value in inputs))

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function.__name__ == "where" and len(arguments) == 3 and not options:
            return where(*arguments)
        if function.__name__ == "clip" and len(arguments) == 3 and not options:
            return call("min", call("max", arguments[0], arguments[1]), arguments[2])
        raise TypeError(f"formulas know no numpy.{function.__name__}; {_INSTEAD}")

    def __getattr__(self, name: str) -> Any:
        # NumPy asks the items of its arrays for sin(), sqrt() and so on.
        if name in _UFUNCS:
            return lambda *others: call(_UFUNCS[name], self, *others)
        raise AttributeError(f"a formula has no '{name}'")


class Condition:
    """What `ct.x > 1` is: for `np.where(ct.x > 1, a, b)`."""

    def __init__(self, difference: Any, left: Formula, sign: str, right: Any) -> None:
        self.difference = difference
        self.strict = sign in "<>"
        self._text = f"{left} {sign} {right}"

    def __bool__(self) -> bool:
        raise TypeError(f"whether {self._text} is not known before the motion is there; {_INSTEAD}")

    def __repr__(self) -> str:
        return f"<Condition {self._text}>"

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function.__name__ == "where" and len(arguments) == 3 and not options:
            return where(*arguments)
        raise TypeError(f"conditions know no numpy.{function.__name__}; {_INSTEAD}")


def _number(value: Any) -> Formula:
    """A number, or a formula, as a formula."""
    if isinstance(value, Formula):
        return value
    if hasattr(value, "item") and not getattr(value, "ndim", 0):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"formulas are made of numbers and formulas, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"formulas have finite numbers, got {value!r}")
    return Formula(repr(value), _PRODUCT if math.copysign(1, value) < 0 else _NAME)


def _joined(left: Any, sign: str, right: Any, binding_left: int, binding_right: int) -> Formula:
    if getattr(left, "ndim", 0) or getattr(right, "ndim", 0) or isinstance(left, (str, list, tuple)) or isinstance(
            right, (str, list, tuple)):
        return NotImplemented
    binding = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "^": _POWER}[sign.strip()]
    return Formula(_number(left)._in(binding_left) + sign + _number(right)._in(binding_right), binding)


def call(function: str, *arguments: Any) -> Formula:
    return Formula(f"{function}({', '.join(_number(one)._text for one in arguments)})")


def symbol(name: str) -> Formula:
    """A name of formulas: a column in events, a coordinate, a parameter. `ct.t`, `ct.x`, `ct.vx` and so on are there already.

    >>> import catena as ct
    >>> ct.Event(ct.symbol("theta_1") - 0.5)
    Event(when='theta_1 - 0.5')
    """
    if not name.strip("'").replace("_", "a").isalnum() or name[0].isdigit():
        raise ValueError(f"a name begins with a letter and has letters, digits and _, got {name!r}")
    return Formula(name)


def where(condition: Condition, a: Any, b: Any) -> Any:
    """`a` where the condition holds, otherwise `b`: what `np.where` is for formulas."""
    if not isinstance(condition, Condition):
        raise TypeError(f"where needs a condition, as ct.x > 0, got {condition!r}")
    difference = _number(condition.difference)
    if condition.strict:  # choose(c, a, b) is a where c >= 0
        return call("choose", -difference, b, a)
    return call("choose", difference, a, b)


def table(rows: str | os.PathLike[str] | npt.ArrayLike, at: Formula | float, column: str = "") -> Formula:
    """Measured values, as a formula: the cubic spline through the rows (x, y) of a CSV file or of an array, at `at`.

    Its error is of order 4 in the distance of the rows where the data are smooth; outside of its rows it keeps the first or
    the last value. column: which one of a file with more than two.

    >>> import catena as ct
    >>> print(ct.table([(0, 0), (1, 2), (2, 1)], ct.t))
    table("0 0; 1 2; 2 1", t)
    """
    if isinstance(rows, str) or hasattr(rows, "__fspath__"):
        import os

        named = os.fspath(rows)  # type: ignore[arg-type]
        if '"' in named or '"' in column:
            raise ValueError("files and columns of tables have no quotes in their names")
        return Formula(f'table("{named}", {_number(at)}' + (f', "{column}")' if column else ")"))
    import numpy as np

    values = np.asarray(rows, dtype=float)
    if values.ndim != 2 or values.shape[1] != 2 or column:
        raise ValueError(f"rows are pairs (x, y): an array [rows, 2], got the shape {values.shape}")
    written = "; ".join(" ".join(repr(int(one) if one == int(one) and abs(one) < 1e15 else float(one)) for one in row)
                        for row in values)
    return Formula(f'table("{written}", {_number(at)})')


def sampled(function: Callable[[float], float], at: Formula, start: float, end: float, rows: int = 1001) -> Formula:
    """A function of one number, whatever it computes with, as a formula: the spline through `rows` values of it.

    The error is of order 4 in the distance of the rows; twice as many rows leave a sixteenth of it.

    >>> import catena as ct, math
    >>> print(ct.sampled(lambda t: math.gamma(1 + t), ct.t, 0, 1, 3))
    table("0 1; 0.5 0.886226925452758; 1 1", t)
    """
    import numpy as np

    places = np.linspace(start, end, rows)
    return table(np.array([(place, float(function(float(place)))) for place in places]), at)


def traced(function: Callable[..., Any]) -> Any:
    """What a function writes down: its parameters are the names of formulas, called as they are."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        raise TypeError(f"{function!r} says not what its parameters are called; write a function of t, x, ..") from None
    given, named = [], {}
    for one in parameters:
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            raise TypeError(f"{_called(function)}: parameters of a formula have names, as in lambda t, x: -3 * x")
        if one.default is not one.empty:
            continue
        if one.kind is one.KEYWORD_ONLY:
            named[one.name] = symbol(one.name)
        else:
            given.append(symbol(one.name))
    try:
        return function(*given, **named)
    except TypeError as error:
        if "is a formula" in str(error) or "not known before" in str(error) or "formulas know" in str(error):
            raise TypeError(f"{_called(function)}: {error}") from None
        raise


def _called(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", function)).replace("<lambda>", "the function")


#: What formulas of forces know: time, place and velocity.
t, x, y, z, vx, vy, vz = (symbol(name) for name in ("t", "x", "y", "z", "vx", "vy", "vz"))
