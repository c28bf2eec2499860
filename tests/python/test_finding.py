"""Equilibria, modes and periodic orbits."""
import math

import numpy as np
import pytest

import catena as ct


def test_modes_of_the_double_pendulum_are_its_closed_form():
    found = ct.modes("double-pendulum")
    expected = np.sqrt((2 + np.array([-1, 1]) * math.sqrt(2)) * 9.81)
    np.testing.assert_allclose(found.frequencies, expected, rtol=1e-14)
    assert found.stable is True
    assert found.shapes[0]["theta_1"] * found.shapes[0]["theta_2"] > 0 > found.shapes[1]["theta_1"] * found.shapes[1]["theta_2"]


def test_linear_model_has_the_eigenvalues_of_the_modes():
    model = ct.linearise("double-pendulum", outputs=["x_2", "tension_1"])
    found = np.sort(np.abs(np.linalg.eigvals(model.a)))
    np.testing.assert_allclose(found[::2], ct.modes("double-pendulum").frequencies, rtol=1e-11)
    assert model.c.shape == (2, 4) and model.b.shape == (4, 0) and model.d.shape == (2, 0)
    assert model.outputs == ["x_2", "tension_1"]


def test_at_says_where_the_search_begins():
    assert ct.modes("pendulum", at={"chain.links.1.theta": 3.0}).stable is False
    assert ct.modes("pendulum", at={"chain.links.1.theta": 0.3}).stable is True


def test_orbit_of_the_pendulum():
    found = ct.orbit("pendulum", set={"chain.links.1.theta": 1.0})
    np.testing.assert_array_equal(found.multipliers, [1, 1])
    run = ct.simulate("pendulum", set={"chain.links.1.theta": 1.0}, duration=found.period)
    assert abs(run["theta_1"][-1] - 1.0) < 1e-12


def test_mistakes_are_input_errors():
    with pytest.raises(ct.InputError, match="driven"):
        ct.modes("driven-pendulum")
    with pytest.raises(ct.InputError, match="equilibrium"):
        ct.orbit("pendulum", set={"chain.links.1.theta": 0.0})
    with pytest.raises(TypeError, match="along"):
        ct.orbit("pendulum", start=1.0)


def test_a_search_finds_each_orbit_once():
    found = ct.orbit("henon-heiles", search=60, energy=0.04, returns=1, duration=20)
    assert len(found) == 5 and sum(one.images for one in found) == 8
    assert found[0].stable and found[0].action > 0
    assert list(found) == sorted(found, key=lambda one: one.period)
    with pytest.raises(TypeError):
        ct.orbit("pendulum", energy=1.0)
    with pytest.raises(TypeError):
        ct.orbit("pendulum", search=10, symmetric=True)
