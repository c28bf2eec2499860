"""What the Python package of version 0.1.0 saved, for tests/python/test_compat.py: later versions open it.

`record.py FOLDER` writes the files with the package that is installed. Those beside this script were written by 0.1.0
with NumPy 1.24 and stay as they are; what later versions save anew gets a folder of its own.
"""
import json
import pickle
import sys
from pathlib import Path

import own_methods

import catena as ct

# Each is run, pickled, and its values written down.
RUNS = {
    "double-pendulum": lambda: ct.simulate("double-pendulum", duration=0.5, sample=0.1, events=["theta_1"],
                                           quantities="angles,energies"),
    "four-bar": lambda: ct.simulate("four-bar", times=[0.1, 0.25], quantities="position"),
    "double-double": lambda: ct.simulate("pendulum", duration=0.2, sample=0.1, precision="double-double",
                                         quantities="angles"),
    "stopped": lambda: ct.simulate("pendulum", duration=9, sample=1, events=[ct.Event("theta_1", name="down", stop=1)],
                                   quantities="theta,energy"),
    "function": lambda: ct.simulate("double-pendulum", method=own_methods.my_euler, step=0.01, duration=0.5, sample=0.1,
                                    quantities="angles"),
    "step": lambda: ct.simulate("pendulum", method=ct.Step(own_methods.my_midpoint, order=2, name="middle"), step=0.05,
                                duration=0.5, sample=0.1, quantities="angles"),
    "tableau": lambda: ct.simulate("pendulum", method=ct.Tableau(a=[[], ["1/2"]], b=[0, 1], name="midpoint"),
                                   step=0.05, duration=0.5, sample=0.1, quantities="angles"),
}

# Each is advanced to 0.3 s, its checkpoint kept, and the state at 0.6 s written down.
LABS = {
    "taylor": ("double-pendulum", {}),
    "spatial": ("spherical-pendulum", {}),
    "rk4": ("double-pendulum", {"method": "rk4", "step": 0.01}),
    "dop853": ("elastic-pendulum", {"method": "dop853", "tolerance": 1e-11}),
    "radau5": ("pendulum", {"method": "radau5", "tolerance": 1e-9}),
    "bodies": ("four-bar", {}),
    "quad": ("pendulum", {"precision": "quad"}),
    "lagrangian": ("cart-pole", {}),
}


def parts():
    """One of each kind of part, and scenes from everything that makes one."""
    arm = ct.Link(length=1, mass=2.5, theta="90 deg", theta_dot=0.25)
    chain = ct.Chain([arm, ct.Link(length=0.5, mass=1, direction=[0, 1, -1])], pivot=[0, 0, 1])
    drag = ct.Force("drag", density=1.2, coefficient=0.5, area=0.01)
    rod = ct.Body(name="rod", shape="rod", length=1.0, mass=1.0, position=[0.5, 0, 0])
    joint = ct.Joint(kind="revolute", bodies=["ground", "rod"], point=[0, 0, 0], axis=[0, 1, 0], name="axle")
    pendulum = ct.Lagrangian("m*l^2*theta'^2/2 + m*g*l*cos(theta)", coordinates={"theta": 1.5},
                             parameters={"m": 2, "l": 1, "g": 9.81})
    return {
        "link": arm, "chain": chain, "force": drag, "body": rod, "joint": joint, "lagrangian": pendulum,
        "piece": ct.BodyPart(shape="box", size=[1, 1, 2], mass=3, position=[0, 0, 1]),
        "event": ct.Event("theta_1", name="down", direction="rising", record=["theta_dot_1"]),
        "simulation": ct.Simulation(duration=2, gravity=[0, 0, -1.62]),
        "scene of parts": ct.Scene(chain, drag, duration=2, name="arm"),
        "scene of bodies": ct.Scene(rod, joint, duration=2),
        "scene of text": ct.Scene.parse("[simulation]\nduration = 1\n[[chain.links]]\nlength = 1\nmass = 1\n", name="text"),
        "scene shipped": ct.Scene.read("double-pendulum"),
        "scene of a dictionary": ct.Scene.from_dict({"simulation": {"duration": 1}, "chain": chain}),
    }


def values_of(run):
    numbers = run.rows.tolist()
    return {
        "columns": run.columns, "rows": numbers, "states": run.y.T.tolist(), "state_names": run.state_names,
        "method": run.summary["method"], "order": run.summary["order"], "steps": run.summary["steps"],
        "outcome": run.summary["outcome"], "message": run.message, "status": run.status,
        "events": {name: table.rows.tolist() for name, table in run.events.items()},
        "between": {str(t): run.sol(t).tolist() for t in (0.0, 0.123, 0.2)},
        "scene": run.scene.to_dict(),
    }


def record_runs(folder):
    expected = {}
    for name, simulate in RUNS.items():
        run = simulate()
        expected[name] = values_of(run)
        (folder / f"run-{name}.pickle").write_bytes(pickle.dumps(run, protocol=4))
    for ending in ("h5", "csv", "json", "npz"):
        RUNS["function"]().save(folder / f"run-function.{ending}")
        RUNS["tableau"]().save(folder / f"run-tableau.{ending}")
    return expected


def record_labs(folder):
    expected = {}
    for name, (scene, settings) in LABS.items():
        lab = ct.Lab(scene, **settings)
        lab.advance(until=0.3)
        (folder / f"lab-{name}.checkpoint").write_bytes(lab.checkpoint())
        begins = lab.step_start
        lab.advance(until=0.6)
        expected[name] = {"begins": begins, "state": lab.state_at(0.6).tolist() if lab.step_start <= 0.6 else None}
    return expected


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    made = parts()
    (folder / "parts.pickle").write_bytes(pickle.dumps(made, protocol=4))
    expected = {
        "version": ct.__version__,
        "parts": {name: one.to_dict() for name, one in made.items()},
        "names": {name: one.name for name, one in made.items() if name.startswith("scene")},
        "runs": record_runs(folder),
        "labs": record_labs(folder),
    }
    (folder / "expected.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
