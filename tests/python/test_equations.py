"""Any first-order system from Python: `ct.Equations`."""
import math

import numpy as np
import pytest

import catena as ct


def lorenz(**changes):
    numbers = {"sigma": 10, "rho": 28, "beta": "8/3", **changes}
    return ct.Equations({"x": "sigma*(y - x)", "y": "x*(rho - z) - y", "z": "x*y - beta*z"},
                        states={"x": 1, "y": 1, "z": 1}, parameters=numbers)


def oscillator():
    return ct.Equations({"q": "p", "p": "-q"}, states={"q": 1.0, "p": 0.0}, invariants={"H": "(p^2 + q^2)/2"})


def test_objects_dictionaries_and_the_shipped_scene_give_the_same_bits():
    runs = [ct.simulate(scene, duration=5) for scene in
            ("lorenz", lorenz(), [lorenz()], ct.Scene(lorenz()), {"simulation": {"duration": 5}, "equations": lorenz()})]
    for run in runs[1:]:
        assert np.array_equal(run.rows, runs[0].rows)
    assert np.array_equal(ct.simulate(lorenz(rho=30), duration=5).z,
                          ct.simulate("lorenz", duration=5, set={"equations.parameters.rho": 30}).z)


def test_columns_are_the_states_and_invariants_by_name():
    run = ct.simulate(oscillator(), duration=10)
    assert run.state_names == ["q", "p"]
    assert np.abs(run.q - np.cos(run.t)).max() < 1e-14
    assert np.abs(run.p + np.sin(run.t)).max() < 1e-14
    assert np.abs(run.H - 0.5).max() < 1e-15 and 0 < np.abs(run.H_error).max() < 1e-15
    assert run.summary["energy_error_relative"] is None
    assert "energy" not in repr(run) and "done" in repr(run)


def test_dense_output_and_events():
    event = ct.Event("q", direction="falling", name="zero")
    run = ct.simulate(oscillator(), duration=20, events=[event])
    assert np.allclose(run.t_events[0], [math.pi / 2 + 2 * math.pi * k for k in range(3)], rtol=0, atol=1e-14)
    assert np.allclose(run.y_events[0][:, 1], -1.0, atol=1e-14)
    for t in (0.1234, 7.0, 19.99):
        assert np.abs(run.sol(t) - [math.cos(t), -math.sin(t)]).max() < 2e-14
    assert abs(run.sol.rows([3.0], ["q"]).q[0] - math.cos(3)) < 1e-14


def test_equations_as_functions():
    system = ct.System(lorenz())
    assert np.array_equal(system.rhs(0.0, [1.0, 2.0, 3.0]), [10.0, 23.0, 2.0 - 8.0 / 3.0 * 3.0])
    c = ct.System(oscillator()).taylor(6)
    assert np.allclose(c[:, 0], [1, 0, -1 / 2, 0, 1 / 24, 0, -1 / 720], rtol=0, atol=1e-17)
    assert "x' = sigma*(y - x)" in ct.equations(lorenz())
    assert r"\dot{q}" in ct.equations(oscillator(), latex=True)
    lab = ct.Lab(oscillator())
    lab.advance(until=1.0)
    assert math.isnan(lab.energy_error)


def test_methods_agree_and_are_compared_by_their_states():
    found = ct.compare(lorenz(), ["rk4"], steps=[0.004, 0.002, 0.001], duration=1)
    assert abs(found.measured_order("rk4") - 4) < 0.2
    assert all(math.isnan(score.mean_energy_error) for score in found.scores)
    found.plot()
    with pytest.raises(ValueError, match="has no energy"):
        found.plot("energy")


def test_mistakes_name_the_formula():
    with pytest.raises(ct.InputError, match="dot.x: unknown name 'z'"):
        ct.simulate(ct.Equations({"x": "z"}, states={"x": 1}), duration=1)
    with pytest.raises(ct.InputError, match="state 'v' has no rate"):
        ct.simulate(ct.Equations({"x": "v"}, states={"x": 1, "v": 0}), duration=1)
    with pytest.raises(ct.InputError, match="know no gravity"):
        ct.simulate(lorenz(), duration=1, gravity=9.81)
    with pytest.raises(ct.InputError, match="not both"):
        ct.simulate([lorenz(), ct.Chain([ct.Link(length=1, mass=1)])], duration=1)
    with pytest.raises(ct.InputError, match="which states are positions"):
        ct.simulate(lorenz(), duration=1, method="verlet", step=0.01)
    with pytest.raises(TypeError, match="rates"):
        ct.Equations({"x": "1"}, states={"x": 1}, rates={"x": 1})


def test_a_formula_that_ends_is_named():
    run = ct.simulate(ct.Equations({"x": "-1/x"}, states={"x": 1}), duration=2)
    assert not run.success and "dot.x: '-1/x' grows without bound" in run.message
    assert np.abs(run.x - np.sqrt(1 - 2 * run.t)).max() < 1e-13
