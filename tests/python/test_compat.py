"""What the package of version 0.1.0 saved opens today: pickles, checkpoints, recorded runs (tests/compat/python)."""
import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import catena as ct

SAVED = Path(__file__).resolve().parents[1] / "compat/python"
EXPECTED = json.loads((SAVED / "expected.json").read_text(encoding="utf-8"))
sys.path.insert(0, str(SAVED))  # pickles name functions in own_methods

import own_methods
import record

# Rows and states are kept to the bit. What is computed again may differ by roundoff from one version to another, which a
# motion of half a second makes a hundred times larger at most.
AGAIN = {"rtol": 1e-11, "atol": 1e-11}


def opened(name):
    return pickle.loads((SAVED / name).read_bytes())


def test_the_files_are_those_of_the_first_version():
    assert EXPECTED["version"] == "0.1.0"
    assert set(EXPECTED["runs"]) == set(record.RUNS) and set(EXPECTED["labs"]) == set(record.LABS)


@pytest.mark.parametrize("name", EXPECTED["runs"])
def test_pickled_runs_have_their_values(name):
    run, was = opened(f"run-{name}.pickle"), EXPECTED["runs"][name]
    assert run.columns == was["columns"]
    assert np.array_equal(run.rows, np.array(was["rows"], dtype=float), equal_nan=True)
    assert np.array_equal(run.y.T, was["states"])
    assert run.state_names == was["state_names"]
    for key in ("method", "order", "steps", "outcome"):
        assert run.summary[key] == was[key], key
    assert (run.message, run.status) == (was["message"], was["status"])
    assert {event: table.rows.tolist() for event, table in run.events.items()} == was["events"]
    assert run.scene.to_dict() == was["scene"]


@pytest.mark.parametrize("name", EXPECTED["runs"])
def test_pickled_runs_have_their_motion_between_rows(name):
    run = opened(f"run-{name}.pickle")
    for t, state in EXPECTED["runs"][name]["between"].items():
        assert np.allclose(run.sol(float(t)), state, **AGAIN), t


@pytest.mark.parametrize("name", ["double-pendulum", "function"])
def test_pickled_runs_go_on(name):
    run = opened(f"run-{name}.pickle")
    longer, whole = run.resume(1.0), record.RUNS[name]().resume(1.0)
    assert len(longer) == 11 and np.allclose(longer.rows, whole.rows, **AGAIN)


def test_a_pickled_run_can_be_pickled_and_saved_again(tmp_path):
    run = opened("run-double-pendulum.pickle")
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.rows, run.rows) and np.array_equal(again.sol(0.123), run.sol(0.123))
    run.save(tmp_path / "run.h5")
    assert np.array_equal(ct.load(tmp_path / "run.h5").rows, run.rows)


def test_pickled_parts_and_scenes_have_their_values():
    parts = opened("parts.pickle")
    assert {name: one.to_dict() for name, one in parts.items()} == EXPECTED["parts"]
    for name, one in record.parts().items():
        assert parts[name] == one, name
    for name, scene in EXPECTED["names"].items():
        assert parts[name].name == scene
        assert parts[name].check()["degrees_of_freedom"] >= 1


def kept():
    """One of each sort of what people pickle."""
    run = ct.simulate("pendulum", duration=0.2, sample=0.1)
    return {"run": run, "rows": run.sol.rows([0.1]), "sol": run.sol, "scene": run.scene, "flow": ct.flow("pendulum"),
            "link": ct.Link(length=1, mass=1), "tableau": ct.Tableau(a=[[], ["1/2"]], b=[0, 1]),
            "step": ct.Step(own_methods.my_midpoint, order=2), "modes": ct.modes("pendulum", at={})}


@pytest.mark.parametrize("name", ["run", "rows", "sol", "scene", "flow", "link", "tableau", "step", "modes"])
def test_pickles_of_later_versions_are_refused(name, monkeypatch):
    one = kept()[name]
    now = pickle.dumps(one)
    monkeypatch.setattr(ct._pickled._engine, "version", "0.99.1")
    later = pickle.dumps(one)
    monkeypatch.undo()
    assert type(pickle.loads(now)) is type(one)
    with pytest.raises(ValueError, match=f"later version of catena wrote it: 0.99.1, and this is {ct.__version__}"):
        pickle.loads(later)


def test_the_version_in_a_pickle_is_no_field():
    link = pickle.loads(pickle.dumps(ct.Link(length=1, mass=1)))
    assert vars(link) == {"length": 1, "mass": 1} and link == ct.Link(length=1, mass=1)


def _off(one, other):
    return np.max(np.abs(np.asarray(one) - other))


@pytest.mark.parametrize("name", EXPECTED["labs"])
def test_checkpoints_of_labs_go_on(name):
    scene, settings = record.LABS[name]
    was = EXPECTED["labs"][name]
    lab = ct.Lab(scene, **settings)
    lab.restore((SAVED / f"lab-{name}.checkpoint").read_bytes())
    assert lab.step_start == was["begins"] or lab.time == was["begins"]
    lab.advance(until=0.6)
    if name == "radau5":  # solves its equations another way since 0.2.0: other results below its own error (tolerance 1e-9)
        exact = ct.Lab(scene)
        exact.advance(until=0.6)
        assert _off(lab.state_at(0.6), exact.state_at(0.6)) < _off(was["state"], exact.state_at(0.6)) < 1e-7
    else:
        assert np.allclose(lab.state_at(0.6), was["state"], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("ending", ["h5", "csv", "json", "npz"])
@pytest.mark.parametrize("name", ["function", "tableau"])
def test_saved_runs_of_ones_own_methods_have_their_rows(name, ending):
    run, was = ct.load(SAVED / f"run-{name}.{ending}"), EXPECTED["runs"][name]
    assert np.array_equal(run.rows, was["rows"])
    assert run.summary["method"] == was["method"] and run.summary["steps"] == was["steps"]
