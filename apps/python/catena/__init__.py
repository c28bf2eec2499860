"""Catena: pendulum chains and mechanisms, simulated to the last digits.

>>> import catena as ct
>>> chain = ct.Chain([ct.Link(length=1, mass=1, theta=2.0)] * 3)
>>> run = ct.simulate(chain, duration=10, method="taylor", tolerance=1e-14)
>>> run.positions.shape
(1001, 3, 3)
>>> run.sol(2.345).shape
(12,)

Scenes: `Scene`, `Chain`, `Link`, `Body`, `Joint`, `Force`, `Event`, `Lagrangian`, `Equations`, files, dictionaries, shipped
scenes. Formulas: `t`, `x`, `y`, `z`, `vx`, `vy`, `vz`, `symbol`, computed with; `table`, `sampled`.
Runs: `simulate`, `load`, `Run`. As a function with derivatives: `flow`. By hand: `Lab`. Equations: `System`, `Lie`, `equations`.
Methods: `compare`, `measured_order`, `Tableau`, `Step`. Chaos and order: `lyapunov`, `indicators`, `section`, `bifurcation`.
Equilibria and orbits: `modes`, `linearise`, `orbit`. Measurements: `fit`. Many cases: `sweep`, `load_sweep`, `Sweep`. What there is:
`methods`, `quantities`, `forces`, `joints`, `shapes`, `functions`, `scenes`, `studies`, `sweeps`.
"""
from ._analyze import (
    Bifurcation,
    Indicator,
    Indicators,
    Lyapunov,
    Section,
    bifurcation,
    indicators,
    lyapunov,
    section,
)
from ._columns import Columns, Events
from ._compare import Comparison, Score, compare, measured_order
from ._engine import InputError, version as __version__
from ._flow import Arrival, Bend, Flow, flow
from ._fit import Fit, fit
from ._find import LinearModel, Modes, Orbit, Orbits, linearise, modes, orbit
from ._lab import Lab, Lie, System, equations
from ._method import Step, Tableau
from ._parts import Body, BodyPart, Chain, Equations, Event, Force, Joint, Lagrangian, Link, Simulation
from ._run import Run, Solution, load, simulate
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
    sweeps,
)
from ._sweep import Sweep, load_sweep, sweep
from ._view import View
from ._trace import Formula, sampled, symbol, table
from ._trace import t as t, vx as vx, vy as vy, vz as vz, x as x, y as y, z as z  # not for `import *`

__all__ = [
    "Arrival",
    "Bend",
    "Bifurcation",
    "Body",
    "BodyPart",
    "Chain",
    "Columns",
    "Comparison",
    "Equations",
    "Event",
    "Events",
    "Flow",
    "Fit",
    "Force",
    "Formula",
    "Indicator",
    "Indicators",
    "InputError",
    "Joint",
    "Lab",
    "Lagrangian",
    "Lie",
    "LinearModel",
    "Link",
    "Lyapunov",
    "Modes",
    "Orbit",
    "Orbits",
    "Run",
    "Scene",
    "Score",
    "Section",
    "Simulation",
    "Solution",
    "Step",
    "Sweep",
    "System",
    "Tableau",
    "View",
    "__version__",
    "bifurcation",
    "compare",
    "equations",
    "flow",
    "fit",
    "forces",
    "functions",
    "indicators",
    "joints",
    "linearise",
    "load",
    "load_sweep",
    "lyapunov",
    "measured_order",
    "methods",
    "modes",
    "orbit",
    "quantities",
    "sampled",
    "scenes",
    "schema",
    "section",
    "shapes",
    "simulate",
    "starter",
    "studies",
    "sweep",
    "sweeps",
    "symbol",
    "table",
]
