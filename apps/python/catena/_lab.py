"""A scene in motion, step by step, and its equations as functions to study."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable

from . import _engine
from ._pickled import Pickled, known
from ._columns import Columns, Events
from ._run import given_state
from ._scene import as_scene, prepared

if TYPE_CHECKING:
    import numpy.typing as npt

    from ._method import Array, Method
    from ._parts import Chain, Event
    from ._scene import SceneLike


class System(Pickled):
    """The equations of a scene as one system y' = f(t, y), as its formulation has them; `formulation=` is that of its chains.

    >>> import catena as ct
    >>> system = ct.System(ct.Chain([ct.Link(length=1, mass=1, theta=0.5)]), formulation="angles")
    >>> system.state_names
    ['theta_1', 'theta_dot_1']
    >>> system.rhs(0, system.start)
    array([ 0.        , -4.70316453])
    >>> system.taylor(3)[:, 0]
    array([ 0.5       ,  0.        , -2.35158227,  0.        ])
    """

    def __init__(self, scene: SceneLike, **settings: Any) -> None:
        settings.setdefault("duration", _duration_of(scene))
        self._scene, self._settings = as_scene(scene), settings
        self._begin()

    def _begin(self) -> None:
        self._motion = _engine.Motion(prepared(self._scene, **self._settings))
        #: The state at the start.
        self.start: Array = self._motion.state
        #: How many numbers the state has.
        self.dimension = self._motion.dimension

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_motion": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(known(state))
        self._begin()

    @property
    def state_names(self) -> list[str]:
        """Names of the state's numbers. s is across, in the plane of a planar chain."""
        return self._motion.state_names()

    def rhs(self, t: float, y: npt.ArrayLike) -> Array:
        """dy/dt at (t, y)."""
        return self._motion.rhs(t, y)

    def taylor(self, order: int, t: float = 0.0, y: npt.ArrayLike | None = None) -> Array:
        """Coefficients of the motion's power series through y at t, [order + 1, n]; default: from the start."""
        return self._motion.taylor(order, t, self.start if y is None else y)

    def project(self, y: npt.ArrayLike, t: float = 0.0) -> Array:
        """The allowed state next to y: unit vectors of length 1, joints closed."""
        return self._motion.project(t, y)

    def energies(self, y: npt.ArrayLike, t: float = 0.0) -> tuple[float, float, float]:
        """Kinetic, potential and elastic energy of a state, in J."""
        return self._motion.energies(t, y)

    def energy(self, y: npt.ArrayLike, t: float = 0.0) -> float:
        """Their sum."""
        return sum(self.energies(y, t))


class Lie:
    """The equations of a chain of point masses on (TS^2)^N, as in E. Celledoni et al. (2022):

    q'_i = omega_i x q_i and R(q) omega' = r(q, omega); f(q, omega) is the field in the algebra se(3)^N, with
    (omega_i, q_i x omega'_i) for link i. q and omega are arrays [N, 3]; row 3 i + c of R belongs to component c of
    link i.

    >>> import catena as ct, numpy as np
    >>> lie = ct.Lie(ct.Chain([ct.Link(length=1, mass=1), ct.Link(length=1, mass=1)]))
    >>> q = np.array([[0, 0, -1], [0.6, 0, -0.8]])
    >>> lie.R(q).shape, lie.f(q, np.zeros((2, 3))).shape
    ((6, 6), (2, 6))
    >>> np.allclose(lie.R(q) @ lie.omega_dot(q, np.zeros((2, 3))).ravel(), lie.r(q, np.zeros((2, 3))).ravel())
    True
    """

    def __init__(self, scene: SceneLike | Chain) -> None:
        settings = {"chain.formulation": "lie", "chain.plane": "none"}
        self._motion = _engine.Motion(prepared(scene, duration=_duration_of(scene), set=settings))
        #: How many links the chain has.
        self.links = self._motion.dimension // 6

    def _state(self, q: npt.ArrayLike, omega: npt.ArrayLike) -> Array:
        import numpy as np

        vectors = [np.asarray(one, dtype=float) for one in (q, omega)]
        for name, vector in zip(("q", "omega"), vectors):
            if vector.shape != (self.links, 3):
                raise ValueError(f"{name} must have the shape ({self.links}, 3), got {vector.shape}")
        return np.concatenate([vector.T.ravel() for vector in vectors])

    def R(self, q: npt.ArrayLike) -> Array:
        """The matrix of the equations, [3 N, 3 N], symmetric."""
        import numpy as np

        n = self.links
        matrix, _ = self._motion.lie_equations(self._state(q, np.zeros((n, 3))))
        turned: Array = matrix.reshape(3, n, 3, n).transpose(1, 0, 3, 2).reshape(3 * n, 3 * n)
        return turned

    def r(self, q: npt.ArrayLike, omega: npt.ArrayLike) -> Array:
        """Their right-hand side under gravity alone, [N, 3]."""
        _, right = self._motion.lie_equations(self._state(q, omega))
        turned: Array = right.reshape(3, self.links).T
        return turned

    def f(self, q: npt.ArrayLike, omega: npt.ArrayLike, t: float = 0.0) -> Array:
        """The field in the algebra, [N, 6]: (omega_i, q_i x omega'_i), with all that acts in the scene."""
        import numpy as np

        field = self._motion.lie_field(t, self._state(q, omega)).reshape(2, 3, self.links)
        turned: Array = np.concatenate([field[0].T, field[1].T], axis=1)
        return turned

    def omega_dot(self, q: npt.ArrayLike, omega: npt.ArrayLike, t: float = 0.0) -> Array:
        """omega', [N, 3], with all that acts in the scene."""
        import numpy as np

        state = np.concatenate([self._state(q, omega), np.zeros(self._motion.dimension - 6 * self.links)])
        rates = self._motion.rhs(t, state)[3 * self.links : 6 * self.links]
        turned: Array = rates.reshape(3, self.links).T
        return turned


class Lab(Pickled):
    """A scene in motion, to be advanced by hand.

    `advance` takes one step of the method; between `step_start` and `time` the motion is known at every instant. Several
    threads may share one: their calls come one after the other, each as a whole. It starts where the scene does, or in the
    state `y0`; another state can be given on the way. A pickle goes on where the lab was, with the same bits.

    >>> import catena as ct
    >>> lab = ct.Lab("double-pendulum")
    >>> while lab.time < 1:
    ...     _ = lab.advance()
    >>> lab.step_start < 1 <= lab.time
    True
    >>> lab.sample(1.0)["theta"].shape
    (1, 2)
    >>> lab.state = ct.System("double-pendulum").start
    >>> float(lab.energy_error)
    0.0
    """

    def __init__(self, scene: SceneLike, *, y0: npt.ArrayLike | None = None, **settings: Any) -> None:
        settings.setdefault("duration", _duration_of(scene))
        self._scene, self._settings = as_scene(scene), settings
        self._motion = _engine.Motion(prepared(self._scene, **settings))
        if y0 is not None:
            self._motion.set_state(given_state(y0))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_motion": self._motion.whole()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(known(state))
        whole = state["_motion"]
        self._motion = _engine.Motion(prepared(self._scene, **self._settings))
        self._motion.take_up(*whole)

    def advance(self, until: float | None = None) -> float:
        """One step, or as many as reach `until`; returns the time reached. RuntimeError says why it cannot go on."""
        return self._motion.advance(until)

    @property
    def time(self) -> float:
        """The end of the last step."""
        return self._motion.time

    @property
    def step_start(self) -> float:
        """The start of the last step."""
        return self._motion.step_start

    @property
    def steps(self) -> int:
        return self._motion.steps

    @property
    def rejected(self) -> int:
        return self._motion.rejected

    @property
    def evaluations(self) -> int:
        return self._motion.evaluations

    @property
    def energy_error(self) -> float:
        """The largest |energy - its start| so far, in J; of the balance where energy comes and goes."""
        return self._motion.energy_error

    @property
    def state(self) -> Array:
        """The engine's state at `time`. Another one may be given: the motion goes on from the allowed state next to it, and
        energies and events are counted from there. Angles that the state does not hold are within half a turn of the
        scene's start."""
        return self._motion.state

    @state.setter
    def state(self, y: npt.ArrayLike) -> None:
        self._motion.set_state(given_state(y))

    @property
    def pair(self) -> Array:
        """The state as pairs, [2, n]: its numbers, and what they cannot hold of the 32 digits of precision="quad"."""
        return self._motion.pair

    @property
    def state_names(self) -> list[str]:
        return self._motion.state_names()

    @property
    def settings(self) -> dict[str, Any]:
        """Method, order, degrees of freedom, chains, bodies and joints."""
        return self._motion.facts()

    def state_at(self, t: float) -> Array:
        """The state at t in the last step."""
        return self._motion.state_at(t)

    def sample(self, t: float | None = None, quantities: Iterable[str] = ()) -> Columns:
        """One row of columns at t in the last step; default: at `time`."""
        stems, row = self._motion.sample(t, list(quantities))
        return Columns(stems, row.reshape(1, -1))

    @property
    def events(self) -> dict[str, Events]:
        """What happened so far, by the events' names."""
        import numpy as np

        return {name: Events(name, columns, np.array(rows, dtype=float).reshape(len(rows), len(columns)))
                for name, columns, rows in self._motion.events()}

    @property
    def stopped(self) -> bool:
        """Whether an event has asked for the end of the run."""
        return self._motion.stopped

    def checkpoint(self) -> bytes:
        """All that is needed to go on from the start of the last step with the same bits."""
        return self._motion.checkpoint()

    def restore(self, checkpoint: bytes) -> None:
        """Takes up a checkpoint of the same scene."""
        self._motion.restore(checkpoint)


def equations(scene: SceneLike, *, latex: bool = False) -> str:
    """The equations that were derived for a small system, as text or for LaTeX: what `catena equations` prints.

    >>> import catena as ct
    >>> "theta" in ct.equations(ct.Chain([ct.Link(length=1, mass=1)]))
    True
    """
    return _engine.equations(prepared(scene, duration=_duration_of(scene)), latex)


def _duration_of(scene: SceneLike) -> float | None:
    """None where the scene says how long it runs; who steps by hand need not say."""
    given = as_scene(scene)
    if not given.text.lstrip().startswith("{"):
        return None
    return None if "duration" in (given.to_dict().get("simulation") or {}) else 1e6
