"""One run and one Lab in the hands of several threads: everyone gets what one alone would get."""
import threading

import numpy as np
import pytest

import catena as ct


def in_threads(count, work):
    """Runs work(k) in `count` threads at once; what went wrong in any of them comes through."""
    begin, wrong = threading.Barrier(count), []

    def guarded(k):
        begin.wait(60)
        try:
            work(k)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    if wrong:
        raise wrong[0]


def my_midpoint(f, t, y, h):
    return y + h * f(t + h / 2, y + h / 2 * f(t, y))


@pytest.mark.parametrize("scene, settings", [
    ("double-pendulum", {}), ("four-bar", {}), ("elastic-pendulum", {"method": "dop853"}), ("cart-pole", {}),
    ("double-pendulum", {"method": my_midpoint, "step": 0.01}), ("pendulum", {"precision": "quad"})])
def test_dense_output_is_the_same_from_every_thread(scene, settings):
    run = ct.simulate(scene, duration=2, sample=0.5, **settings)
    times = [np.random.default_rng(k).uniform(0, 2, 60) for k in range(4)]
    alone = [run.sol(t) for t in times]
    found = [None] * 4

    def ask(k):
        found[k] = np.stack([run.sol(t) for t in times[k]], axis=1)

    in_threads(4, ask)
    for one, other in zip(alone, found):
        assert np.array_equal(one, other)


def test_rows_between_rows_are_the_same_from_every_thread():
    run = ct.simulate("four-bar", duration=2, sample=0.5)
    times = np.linspace(0, 2, 40)
    alone = run.sol.rows(times, ["position", "energies"])

    def ask(k):
        for t in np.roll(np.arange(40), 10 * k):
            assert np.array_equal(run.sol.rows(times[t], ["position", "energies"]).rows[0], alone.rows[t])

    in_threads(4, ask)


@pytest.mark.parametrize("scene, settings", [("double-pendulum", {}), ("four-bar", {}),
                                             ("pendulum", {"method": my_midpoint, "step": 0.01})])
def test_a_lab_takes_each_step_as_a_whole(scene, settings):
    lab = ct.Lab(scene, **settings)

    def work(k):
        for _ in range(50):
            lab.advance()
            row = lab.sample()  # at the end of the last step, whoever took it
            assert abs(row["energy_error"][0]) <= lab.energy_error
            assert lab.checkpoint() and len(lab.state) and lab.steps and lab.settings

    in_threads(4, work)
    alone = ct.Lab(scene, **settings)
    for _ in range(200):
        alone.advance()
    assert (lab.steps, lab.time) == (alone.steps, alone.time)
    assert np.array_equal(lab.state, alone.state)


def test_reaching_a_time_is_one_call():
    lab = ct.Lab("double-pendulum")
    reached = []

    def work(k):
        reached.append(lab.advance(until=1 + k))

    in_threads(4, work)
    alone = ct.Lab("double-pendulum")
    while alone.steps < lab.steps:
        alone.advance()
    assert max(reached) == lab.time == alone.time and np.array_equal(lab.state, alone.state)


def test_a_lab_can_be_looked_at_while_it_moves():
    lab = ct.Lab("horizontal-chain")
    lengths = lab.settings["chains"][0]["length"]
    moved = threading.Event()

    def work(k):
        if k == 0:
            lab.advance(until=3)
            moved.set()
            return
        while not moved.is_set():
            state, time = lab.sample(None, ["position"]), lab.time
            # Links of a chain have their lengths, at whatever time it was looked at.
            ends = np.vstack([np.zeros(3), state.positions[0]])
            assert np.allclose(np.linalg.norm(np.diff(ends, axis=0), axis=1), lengths, atol=1e-9)
            assert time <= lab.time

    in_threads(3, work)


def test_the_equations_are_the_same_from_every_thread():
    system = ct.System("four-bar")
    series, rates = system.taylor(12), system.rhs(0, system.start)

    def work(k):
        for _ in range(50):
            assert np.array_equal(system.taylor(12), series)
            assert np.array_equal(system.rhs(0, system.start), rates)

    in_threads(4, work)


def test_a_step_function_cannot_ask_the_lab_that_waits_for_it():
    said = []

    def curious(f, t, y, h):
        for ask in (lambda: lab.time, lab.sample, lab.advance, lab.checkpoint):
            with pytest.raises(RuntimeError, match="a step is being taken"):
                ask()
            said.append(t)
        return y + h * f(t, y)

    lab = ct.Lab("pendulum", method=curious, step=0.1)
    assert lab.advance(until=0.3) == pytest.approx(0.3)
    assert len(said) >= 12 and lab.time == pytest.approx(0.3)


def test_another_lab_may_be_asked_on_the_way():
    other = ct.Lab("pendulum")

    def step(f, t, y, h):
        other.advance(until=t)
        return y + h * f(t, y)

    lab = ct.Lab("pendulum", method=step, step=0.1)
    lab.advance(until=1)
    assert other.time >= 0.9 - 1e-12


def test_pickling_a_run_while_others_ask_it():
    import pickle

    run = ct.simulate("double-pendulum", duration=1, sample=0.5)
    expected = run.sol(0.3)

    def work(k):
        for _ in range(20):
            again = pickle.loads(pickle.dumps(run)) if k % 2 else run
            assert np.array_equal(again.sol(0.3), expected)

    in_threads(4, work)
