"""Methods of one's own: Butcher tableaus and step functions."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Union

from ._part import plain
from ._pickled import Pickled

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from ._parts import MethodName

    Array = npt.NDArray[np.float64]
    Rhs = Callable[[float, Array], Array]
    StepFunction = Callable[[Rhs, float, Array, float], Array]


class Tableau(Pickled):
    """An explicit Runge-Kutta method by its Butcher tableau.

    a: weights of the earlier slopes in each stage, one row per stage, the first one empty.
    b: weights of the slopes in the step.
    b_hat: weights of another order, for the error estimate; with it the method chooses its step.
    c: times of the stages; left out: the sums of the rows of a.
    Numbers may be fractions in text, such as "1/3". Its order is found from the order conditions.

    >>> import catena as ct
    >>> ralston = ct.Tableau(a=[[], ["2/3"]], b=["1/4", "3/4"], name="ralston")
    >>> run = ct.simulate("pendulum", method=ralston, step=1e-3, duration=1)
    >>> run.summary["order"]
    2
    """

    def __init__(self, a: Sequence[Sequence[float | str]], b: Sequence[float | str], *,
                 b_hat: Sequence[float | str] | None = None, c: Sequence[float | str] | None = None,
                 name: str = "custom") -> None:
        self.a = plain(a)
        self.b = plain(b)
        self.b_hat = None if b_hat is None else plain(b_hat)
        self.c = None if c is None else plain(c)
        self.name = name

    @property
    def adaptive(self) -> bool:
        """Whether it chooses its step: it does if it has an error estimate."""
        return self.b_hat is not None

    def to_dict(self) -> dict[str, Any]:
        """The table [method] of a scene."""
        given = {"a": self.a, "b": self.b, "b_hat": self.b_hat, "c": self.c}
        return {key: value for key, value in given.items() if value is not None}

    def __repr__(self) -> str:
        return f"Tableau(name={self.name!r}, stages={len(self.b)}, adaptive={self.adaptive})"


class Step(Pickled):
    """A method that is a function: `function(f, t, y, h)` returns the state at t + h from y at t.

    f(t, y) is the right-hand side. `order` is the order of the method, for the dense output between its steps: a
    larger one than it has does no harm. A plain function serves as `method=` just as well.

    >>> import catena as ct
    >>> euler = ct.Step(lambda f, t, y, h: y + h * f(t, y), order=1, name="my-euler")
    >>> ct.simulate("pendulum", method=euler, step=1e-3, duration=1).success
    True
    """

    def __init__(self, function: StepFunction, *, order: int = 4, name: str | None = None) -> None:
        if not callable(function):
            raise TypeError("a step is a function (f, t, y, h) -> y at t + h")
        if order < 1:
            raise ValueError(f"order must be at least 1, got {order}")
        self.function = function
        self.order = order
        named = getattr(function, "__name__", "function")
        self.name = name or ("function" if named == "<lambda>" else named)

    def __repr__(self) -> str:
        return f"Step({self.name!r}, order={self.order})"


if TYPE_CHECKING:
    Method = Union[MethodName, Tableau, Step, StepFunction]


def own_method(method: Method) -> str | Tableau | Step:
    """A plain function becomes a Step."""
    if isinstance(method, (str, Tableau, Step)):
        return method
    if callable(method):
        return Step(method)
    raise TypeError(f"method is a name, a Tableau or a function (f, t, y, h), got {method!r}")
