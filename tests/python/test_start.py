"""Starts from a state, exact pairs, pickles of systems and labs."""
import pickle
from decimal import Decimal, getcontext

import numpy as np
import pytest

import catena as ct

KINDS = ["double-pendulum", "conical", "elastic-pendulum", "four-bar", "governor", "henon-heiles", "lorenz", "tree", "cart-pole"]


@pytest.mark.parametrize("scene", KINDS)
def test_a_run_from_a_state_of_a_run_is_its_rest(scene):
    """Also of scenes with loops: autonomous ones, up to what roundoff grows to in half a second."""
    whole = ct.simulate(scene, duration=1.0, sample=0.25)
    rest = ct.simulate(scene, duration=0.5, sample=0.25, y0=whole.y[:, 2])
    size = 1 + np.abs(whole.y).max()
    assert np.abs(rest.y[:, 0] - whole.y[:, 2]).max() < 1e-14 * size
    assert np.abs(rest.y - whole.y[:, 2:]).max() < 1e-10 * size
    assert np.abs(rest.sol(0.125) - whole.sol(0.625)).max() < 1e-10 * size


@pytest.mark.parametrize("formulation", ["tension", "angles", "lie", "chart", "articulated", "multibody"])
def test_every_formulation_starts_from_its_own_state(formulation):
    chain = ct.Chain([ct.Link(length=1, mass=1, theta=0.5), ct.Link(length=0.7, mass=2, theta=1.0)])
    system = ct.System(chain, formulation=formulation)
    assert system.start.shape == (system.dimension,) == (len(system.state_names),)
    whole = ct.simulate(chain, duration=1, sample=0.5, formulation=formulation)
    rest = ct.simulate(chain, duration=0.5, sample=0.5, formulation=formulation, y0=whole.y[:, 1])
    assert np.abs(rest.positions[-1] - whole.positions[-1]).max() < 1e-11


def test_formulation_is_for_chains():
    with pytest.raises(ValueError, match="has none"):
        ct.System("lorenz", formulation="angles")


def test_a_lab_can_be_put_anywhere():
    lab = ct.Lab("double-pendulum")
    lab.advance(until=1)
    there = lab.state
    lab.state = ct.System("double-pendulum").start
    again = ct.simulate("double-pendulum", duration=1)
    begin = lab.time
    lab.advance(until=begin + 1)
    assert np.abs(lab.state_at(begin + 1) - again.y[:, -1]).max() < 1e-11
    assert np.abs(ct.Lab("double-pendulum", y0=there).state - there).max() < 1e-15


def test_wrong_states_are_refused_by_what_is_wrong():
    with pytest.raises(ValueError, match="the state must have 8 numbers|8"):
        ct.simulate("double-pendulum", duration=1, y0=[1.0, 2.0])
    with pytest.raises(ValueError, match="finite numbers"):
        ct.simulate("pendulum", duration=1, y0=[np.nan] * ct.System("pendulum").dimension)
    with pytest.raises(ValueError, match="ct.flow"):
        ct.simulate("pendulum", duration=1, y0=ct.System("pendulum").start, derivatives=["chain.links.1.length"])


@pytest.mark.parametrize("ending", ["h5", "json", "npz", "csv"])
def test_a_file_knows_where_its_run_began(ending, tmp_path, program):
    y0 = ct.simulate("double-pendulum", duration=1).y[:, -1]
    run = ct.simulate("double-pendulum", duration=1, y0=y0)
    run.save(tmp_path / f"run.{ending}")
    again = ct.load(tmp_path / f"run.{ending}")
    assert np.array_equal(again.sol(0.345), run.sol(0.345)) and np.array_equal(again.y, run.y)
    longer = again.resume(2)
    assert np.array_equal(longer.rows, ct.simulate("double-pendulum", duration=2, y0=y0).rows)
    assert np.array_equal(pickle.loads(pickle.dumps(run)).sol(0.7), run.sol(0.7))


def test_pairs_are_the_number_to_32_digits():
    run = ct.simulate("double-pendulum", precision="quad", duration=1, sample=0.5)
    high, low = run.pair("x_1")
    assert np.array_equal(high, run.x[:, 0]) and np.abs(low).max() <= np.spacing(1.0) and low[-1] != 0
    # A link keeps its length to the last of 32 digits: x^2 + z^2 of the first bob, exactly.
    x, y, z = (run.exact(f"{axis}_1")[-1] for axis in "xyz")
    getcontext().prec = 60
    length = (Decimal(1) * (x * x + y * y + z * z).numerator / (x * x + y * y + z * z).denominator).sqrt()
    assert abs(length - round(length, 10)) < Decimal("1e-30")
    with pytest.raises(ValueError, match="no column lo_energy"):
        run.pair("energy")
    with pytest.raises(ValueError, match="ask for one"):
        run.exact("theta")


def test_a_quad_run_goes_on_from_a_pair():
    whole = ct.simulate("double-pendulum", precision="quad", duration=1, sample=0.5)
    pair = whole.sol.pair(0.5)
    assert np.array_equal(pair[0], whole.y[:, 1])
    rest = ct.simulate("double-pendulum", precision="quad", duration=0.5, sample=0.5, y0=pair)
    off = [abs(a - b) for a, b in ((rest.exact("theta_2")[-1], whole.exact("theta_2")[-1]),)]
    assert float(max(off)) < 1e-27
    lab = ct.Lab("double-pendulum", precision="quad", y0=pair)
    assert lab.pair.shape == (2, 8) and np.abs(lab.pair - pair).max() < 1e-31


@pytest.mark.parametrize("scene", ["double-pendulum", "four-bar", "lorenz"])
def test_a_pickled_lab_goes_on_with_the_same_bits(scene):
    lab = ct.Lab(scene, events=[ct.Event("t - 0.3", name="soon")])
    lab.advance(until=1)
    copy = pickle.loads(pickle.dumps(lab))
    assert (copy.time, copy.step_start) == (lab.time, lab.step_start) and np.array_equal(copy.state, lab.state)
    assert {name: len(one) for name, one in copy.events.items()} == {name: len(one) for name, one in lab.events.items()}
    assert len(copy.events["soon"]) == 1
    for one in (lab, copy):
        one.advance(until=2)
    assert np.array_equal(copy.state, lab.state) and copy.time == lab.time and copy.steps == lab.steps
    fresh = pickle.loads(pickle.dumps(ct.Lab(scene)))
    assert fresh.time == 0 and np.array_equal(fresh.state, ct.Lab(scene).state)


def test_a_pickled_system_has_the_same_equations():
    system = ct.System("four-bar", gravity=5.0)
    copy = pickle.loads(pickle.dumps(system))
    assert np.array_equal(copy.rhs(0.0, system.start), system.rhs(0.0, system.start)) and copy.state_names == system.state_names
