"""Catena: pendulum chains and mechanisms, simulated to the last digits.

>>> import catena as ct
>>> chain = ct.Chain([ct.Link(length=1, mass=1, theta=2.0)] * 3)
>>> run = ct.simulate(chain, duration=10, method="taylor", tolerance=1e-14)
>>> run.positions.shape
(1001, 3, 3)
>>> run.sol(2.345).shape
(12,)

Scenes: `Scene`, `Chain`, `Link`, `Body`, `Joint`, `Force`, `Event`, `Lagrangian`, `Equations`, files, dictionaries, shipped
scenes.
Runs: `simulate`, `load`, `Run`. Equilibria and orbits: `modes`, `linearise`, `orbit`. By hand: `Lab`. Equations: `System`, `Lie`, `equations`. Methods: `compare`, `measured_order`,
`Tableau`, `Step`. What there is: `methods`, `quantities`, `forces`, `joints`, `shapes`, `functions`, `scenes`, `studies`.
"""
from ._compare import Comparison, Score, compare, measured_order
from ._engine import InputError, version as __version__
from ._find import LinearModel, Modes, Orbit, linearise, modes, orbit
from ._lab import Lab, Lie, System, equations
from ._method import Step, Tableau
from ._parts import Body, BodyPart, Chain, Equations, Event, Force, Joint, Lagrangian, Link, Simulation
from ._run import Columns, Events, Run, Solution, load, simulate
from ._scene import (
    Scene,
    forces,
    functions,
    joints,
    methods,
    quantities,
    scenes,
    schema,
    shapes,
    starter,
    studies,
)

__all__ = [
    "Body",
    "BodyPart",
    "Chain",
    "Columns",
    "Comparison",
    "Equations",
    "Event",
    "Events",
    "Force",
    "InputError",
    "Joint",
    "Lab",
    "Lagrangian",
    "Lie",
    "LinearModel",
    "Link",
    "Modes",
    "Orbit",
    "Run",
    "Scene",
    "Score",
    "Simulation",
    "Solution",
    "Step",
    "System",
    "Tableau",
    "__version__",
    "compare",
    "equations",
    "forces",
    "functions",
    "joints",
    "linearise",
    "load",
    "measured_order",
    "methods",
    "modes",
    "orbit",
    "quantities",
    "scenes",
    "schema",
    "shapes",
    "simulate",
    "starter",
    "studies",
]
