"""Stepping by hand, and the equations as functions."""
import math

import numpy as np
import pytest

import catena as ct


def chain(count=3, **options):
    rng = np.random.default_rng(7)
    links = [ct.Link(length=1 + 0.1 * k, mass=1 + 0.5 * k, direction=rng.normal(size=3), rate=rng.normal(size=3))
             for k in range(count)]
    return ct.Chain(links, **options)


def test_steps_by_hand_are_those_of_a_run():
    lab = ct.Lab("double-pendulum", duration=5)
    while lab.time < 5:
        lab.advance()
    run = ct.simulate("double-pendulum", duration=5)
    assert lab.steps == run.summary["steps"] and lab.evaluations == run.nfev
    assert np.array_equal(lab.sample(5.0).rows[0], run.rows[-1])
    assert np.array_equal(lab.state_at(5.0), run.y[:, -1])


def test_advance_until_reaches_the_time():
    lab = ct.Lab("double-pendulum")
    assert lab.advance(until=2) >= 2 > lab.step_start
    with pytest.raises(ValueError, match="not in the last step"):
        lab.sample(0.0)


def test_a_checkpoint_goes_on_with_the_same_bits():
    lab = ct.Lab("double-pendulum")
    lab.advance(until=1)
    saved = lab.checkpoint()
    lab.advance(until=3)
    other = ct.Lab("double-pendulum")
    other.restore(saved)
    other.advance(until=3)
    assert np.array_equal(lab.state, other.state) and lab.time == other.time


def test_events_by_hand():
    lab = ct.Lab("pendulum", events=[ct.Event("theta_1", name="down", stop=2)])
    while not lab.stopped:
        lab.advance()
    assert len(lab.events["down"]) == 2
    assert np.abs(lab.events["down"].theta_1).max() < 1e-12


def test_a_step_that_fails_says_why():
    lab = ct.Lab("elastic-chain", method="rk4", step=0.5)
    with pytest.raises(RuntimeError, match="smaller step"):
        lab.advance(until=1000)


def test_the_right_hand_side_of_a_pendulum_is_the_textbook_one():
    system = ct.System(ct.Chain([ct.Link(length=2, mass=3, theta=0.7, theta_dot=1.1)], formulation="angles"))
    assert np.allclose(system.start, [0.7, 1.1])
    assert np.allclose(system.rhs(0, system.start), [1.1, -9.81 / 2 * math.sin(0.7)], rtol=1e-15)
    assert system.energy(system.start) == pytest.approx(3 * (0.5 * 2**2 * 1.1**2 - 9.81 * 2 * math.cos(0.7)), rel=1e-14)


@pytest.mark.parametrize("scene", ["double-pendulum", "four-bar", "elastic-pendulum", "magnetic-pendulum"])
def test_the_series_begins_with_state_and_right_hand_side_and_is_the_motion(scene):
    system = ct.System(scene)
    series = system.taylor(12)
    assert np.array_equal(series[0], system.start)
    assert np.allclose(series[1], system.rhs(0, system.start), rtol=1e-11, atol=1e-11)
    run = ct.simulate(scene, duration=0.01)
    h = 0.001
    # h^13 is far below roundoff; the last digits differ as sums do.
    assert np.allclose(np.polynomial.polynomial.polyval(h, series), run.sol(h), rtol=1e-11, atol=1e-11)


def test_projection_brings_a_state_back():
    system = ct.System(chain())
    pushed = system.start * 1.001
    back = system.project(pushed)
    lengths = np.linalg.norm(back[:9].reshape(3, 3), axis=0)
    assert np.abs(lengths - 1).max() < 1e-6 < np.abs(np.linalg.norm(pushed[:9].reshape(3, 3), axis=0) - 1).max()


def hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def test_the_matrices_on_the_sphere_are_those_of_the_paper():
    given = chain()
    lie = ct.Lie(given)
    rng = np.random.default_rng(3)
    q = rng.normal(size=(3, 3))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    omega = np.cross(q, rng.normal(size=(3, 3)))
    mass = np.array([link.mass for link in given.links])
    length = np.array([link.length for link in given.links])
    carried = np.cumsum(mass[::-1])[::-1]
    R, r = np.zeros((9, 9)), np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            m = carried[max(i, j)] * length[i] * length[j]
            R[3 * i:3 * i + 3, 3 * j:3 * j + 3] = m * (np.eye(3) if i == j else hat(q[i]).T @ hat(q[j]))
            if i != j:
                r[i] += m * (omega[j] @ omega[j]) * np.cross(q[i], q[j])
        r[i] += carried[i] * length[i] * np.cross(q[i], [0, 0, -9.81])
    assert np.allclose(lie.R(q), R, rtol=1e-14, atol=1e-14)
    assert np.allclose(lie.r(q, omega), r, rtol=1e-13, atol=1e-13)
    omega_dot = np.linalg.solve(R, r.ravel()).reshape(3, 3)
    # The condition number of R is of order 10 here.
    assert np.allclose(lie.omega_dot(q, omega), omega_dot, rtol=1e-12, atol=1e-12)
    assert np.allclose(lie.f(q, omega), np.hstack([omega, np.cross(q, omega_dot)]), rtol=1e-12, atol=1e-12)


def test_the_field_on_the_sphere_agrees_with_the_tensions():
    given = chain()
    lie = ct.Lie(given)
    system = ct.System(given, set={"chain.plane": "none"})
    u, w = system.start[:9].reshape(3, 3).T, system.start[9:].reshape(3, 3).T
    w_dot = system.rhs(0, system.start)[9:].reshape(3, 3).T
    # omega = u x w, so omega' = u x w'.
    assert np.allclose(lie.omega_dot(u, np.cross(u, w)), np.cross(u, w_dot), rtol=1e-12, atol=1e-12)


def test_shapes_are_checked():
    with pytest.raises(ValueError, match=r"q must have the shape \(3, 3\)"):
        ct.Lie(chain()).R(np.zeros(9))
    with pytest.raises(ValueError, match="the state must have"):
        ct.System("pendulum").rhs(0, [1.0])
