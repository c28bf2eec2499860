"""Runs: the same bits as the command line, views without copies, the fields of solve_ivp, events, files."""
import gc
import math
import pickle
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

import catena as ct


def quarter_period(amplitude, length=1.0, gravity=9.81):
    """K(sin(amplitude / 2)) sqrt(l / g), by the arithmetic-geometric mean."""
    a, b = 1.0, math.cos(amplitude / 2)
    while abs(a - b) > 1e-16:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / 2 / ((a + b) / 2) * math.sqrt(length / gravity)


def pendulum(theta=1.5):
    return ct.Chain([ct.Link(length=1, mass=1, theta=theta)])


def test_rows_are_those_of_the_command_line(tmp_path, program):
    for scene in ("double-pendulum", "four-bar", "elastic-pendulum"):
        file = tmp_path / f"{scene}.npz"
        done = program("run", scene, "--duration", "2", "-o", file)
        assert done.returncode == 0, done.stderr
        run = ct.simulate(scene, duration=2)
        with np.load(file) as recorded:
            for name in run.columns:
                stem = next((s for s in recorded.files if name == s or name.startswith(s + "_")), None)
                assert stem is not None
            assert np.array_equal(recorded["t"], run.t)
            assert np.array_equal(recorded["x"], run.x)
            assert np.array_equal(recorded["energy"], run.energy)


def test_arrays_are_views_of_one_block():
    run = ct.simulate("double-pendulum", duration=1)
    for values in (run.t, run.theta, run.theta_1, run.energy_error, run.positions, run.velocities, run["x"]):
        assert values.size and not values.flags.owndata
        assert np.shares_memory(values, run.rows)
    frame = run.to_dataframe()
    assert np.shares_memory(frame["theta_1"].to_numpy(), run.rows)


def test_positions_are_x_y_z_of_every_link():
    run = ct.simulate("tree", duration=0.5)
    assert np.array_equal(run.positions, np.stack([run["x"], run["y"], run["z"]], axis=-1))
    assert np.array_equal(run.velocities[:, 1, 2], run["vz_2"])


def test_several_chains_have_their_positions_one_behind_the_other():
    run = ct.simulate("coupled-pendulums", duration=0.1)
    assert np.array_equal(run.positions[:, 1, 2], run["z_right_1"])
    assert run.positions.shape == (11, 2, 3) and np.shares_memory(run.positions, run.rows)


def test_names_shared_by_a_total_and_its_links():
    run = ct.simulate("double-pendulum", duration=0.1)
    assert run.energy.ndim == 1 and run.energy_each.shape == (len(run), 2)
    assert np.allclose(run.energy_each.sum(axis=1), run.energy, atol=1e-12)


def test_the_fields_of_solve_ivp():
    run = ct.simulate(pendulum(), duration=3, sample=0.1, events=["theta_1"])
    n = len(run.state_names)
    assert run.y.shape == (n, len(run.t)) == (4, 31)
    assert run.sol(0.5).shape == (n,) and run.sol([0.5, 1.0]).shape == (n, 2)
    assert (run.status, run.success) == (0, True) and run.nfev > 0 and "3" in run.message
    assert [len(times) for times in run.t_events] == [len(states) for states in run.y_events]
    assert run.y_events[0].shape[1] == n


def test_dense_output_goes_through_the_rows_with_the_same_bits():
    run = ct.simulate("double-pendulum", duration=5)
    assert np.array_equal(run.sol(run.t), run.y)
    backwards = run.t[::-7]
    assert np.array_equal(run.sol(backwards), run.y[:, ::-7])
    with pytest.raises(ValueError, match="outside of the run"):
        run.sol(5.1)


@pytest.mark.parametrize("settings", [{"method": "rk4", "step": 0.01}, {"method": "heun", "step": 0.1}, {}])
def test_dense_output_at_ends_of_steps_does_not_depend_on_what_was_asked_before(settings):
    # Rows at 0.1, 0.2, .. are ends of steps but for rounding: each belongs to the step that it ends.
    run = ct.simulate("double-pendulum", duration=2, sample=0.1, **settings)
    for order in (np.arange(21), np.arange(21)[::-1], np.random.default_rng(1).permutation(21)):
        for row in order:
            assert np.array_equal(run.sol(run.t[row]), run.y[:, row]), run.t[row]
        assert np.array_equal(run.sol.rows(run.t[order], ["x", "z"]).x, run.x[order])


def test_columns_at_any_time():
    run = ct.simulate("double-pendulum", duration=2)
    between = run.sol.rows([1.234, 0.01], ["theta", "energy"])
    alone = ct.simulate("double-pendulum", times=[0.01, 1.234], quantities=["theta", "energy"])
    assert np.array_equal(between.theta, alone.theta[::-1])
    assert between.columns == ["t", "theta_1", "theta_2", "energy"]


def test_times_are_exactly_those_asked_for():
    times = [0.1, 1 / 3, 1.0]
    assert np.array_equal(ct.simulate("pendulum", times=times).t, times)
    assert np.array_equal(ct.simulate("pendulum", times=0.5).t, [0.5])
    with pytest.raises(ValueError, match="exclude each other"):
        ct.simulate("pendulum", times=times, duration=3)


@pytest.mark.parametrize("times, said", [
    ([2, 1, 1, 0.5], r"times must grow: times\[1\] = 1.0 comes behind 2.0; np.unique"),
    ([0, 1, 1, 2], r"times\[2\] = 1.0 comes behind 1.0"),
    ([[0, 1], [2, 3]], r"one list of times, got the shape \(2, 2\)"),
    ([0, math.nan, 1], r"times\[1\] is nan"),
    ([0, 1, math.inf], r"times\[2\] is inf"),
    ([-1, 1], r"times\[0\] is -1.0"),
    ([], "at least one time"),
])
def test_times_are_neither_sorted_nor_thinned_in_silence(times, said):
    with pytest.raises(ValueError, match=said):
        ct.simulate("pendulum", times=times)


def test_dense_output_keeps_order_and_shape():
    run = ct.simulate("double-pendulum", duration=2)
    times = [2, 1, 1, 0.5]
    single = [run.sol(t) for t in times]
    assert np.array_equal(run.sol(times), np.stack(single, axis=1))
    grid = run.sol(np.array(times).reshape(2, 2))
    assert grid.shape == (8, 2, 2) and np.array_equal(grid[:, 1, 0], single[2]) and np.array_equal(grid[:, 0, 0], single[0])
    assert np.array_equal(run.sol.rows(times, ["theta"]).t, times)
    with pytest.raises(ValueError, match=r"one list of times, got the shape \(2, 2\)"):
        run.sol.rows([[0, 1], [1, 2]])
    with pytest.raises(ValueError, match="t = nan is outside of the run"):
        run.sol([0.5, math.nan])


def test_events_are_quarter_periods():
    run = ct.simulate(pendulum(1.5), duration=10, events=[ct.Event("theta_1", name="down")])
    quarter = quarter_period(1.5)
    expected = quarter * np.arange(1, 2 * len(run.t_events[0]), 2)
    # A root is found to the digits that the step's polynomial has: a few roundoffs of 10 s.
    assert np.allclose(run.t_events[0], expected, rtol=0, atol=2e-13)
    assert np.abs(run.events["down"].theta_1).max() < 1e-12
    # The first number of the state is sin theta.
    assert np.abs(run.y_events[0][:, 0]).max() < 1e-12


def test_an_event_can_stop_the_run():
    run = ct.simulate(pendulum(), duration=100, events=[ct.Event("theta_1", stop=3)])
    assert run.status == 1 and run.success and "event" in run.message
    assert run.summary["simulated_seconds"] == pytest.approx(5 * quarter_period(1.5), abs=1e-12)


def test_a_run_that_fails_keeps_its_rows():
    run = ct.simulate("elastic-chain", method="rk4", step=0.5, duration=60)
    assert run.status == -1 and not run.success
    assert 0 < len(run) and "smaller step" in run.message


def test_resuming_gives_the_same_bits_as_one_piece():
    whole = ct.simulate("double-pendulum", duration=8)
    part = ct.simulate("double-pendulum", duration=3)
    longer = part.resume(8)
    assert np.array_equal(longer.rows, whole.rows)
    assert np.array_equal(longer.y, whole.y)
    assert np.array_equal(longer.sol(7.77), whole.sol(7.77))


@pytest.mark.parametrize("ending", ["h5", "csv", "json", "npz"])
def test_files_are_those_of_the_command_line(tmp_path, program, ending):
    run = ct.simulate("double-pendulum", duration=1, events=["theta_1"])
    ours = tmp_path / f"ours.{ending}"
    run.save(ours)
    again = ct.load(ours)
    assert np.array_equal(again.rows, run.rows, equal_nan=True)
    assert again.columns == run.columns
    assert np.array_equal(again.y, run.y)
    assert [table.name for table in again.events.values()] == [table.name for table in run.events.values()]
    done = program("run", "--resume", ours, "--duration", "2", "-q")
    assert done.returncode == 0, done.stderr
    assert np.array_equal(ct.load(ours).rows, ct.simulate("double-pendulum", duration=2, events=["theta_1"]).rows, equal_nan=True)


def test_a_run_of_the_command_line_can_be_loaded(tmp_path, program):
    file = tmp_path / "four-bar.h5"
    assert program("run", "four-bar", "--duration", "1", "-o", file, "-q").returncode == 0
    assert np.array_equal(ct.load(file).rows, ct.simulate("four-bar", duration=1).rows, equal_nan=True)


def my_euler(f, t, y, h):
    return y + h * f(t, y)


def taylor(f, t, y, h):
    """A function with the name of a method of the engine."""
    return y + h * f(t, y)


@pytest.mark.parametrize("ending", ["h5", "csv", "json", "npz"])
@pytest.mark.parametrize("method", [my_euler, ct.Step(my_euler, order=1, name="mine"), taylor])
def test_a_saved_run_of_ones_own_method_keeps_to_what_was_recorded(tmp_path, ending, method):
    run = ct.simulate("double-pendulum", method=method, step=0.01, duration=0.5, sample=0.1)
    file = tmp_path / f"own.{ending}"
    run.save(file)
    again = ct.load(file)
    assert np.array_equal(again.rows, run.rows, equal_nan=True) and again.summary == run.summary
    assert again.state_names == run.state_names
    for ask in (lambda: again.sol(0.05), lambda: again.sol.rows(0.05), lambda: again.y, lambda: again.resume(1)):
        with pytest.raises(ValueError, match="was made by a function.*which no file can hold"):
            ask()
    whole = ct.load(file, method=method)
    assert np.array_equal(whole.y, run.y) and np.array_equal(whole.sol(0.05), run.sol(0.05))
    assert np.array_equal(whole.resume(1).rows, run.resume(1).rows, equal_nan=True)
    whole.save(file)
    assert np.array_equal(ct.load(file, method=method).sol(0.05), run.sol(0.05))
    again.save(file)  # the rows alone, and still by whom they were made
    with pytest.raises(ValueError, match="was made by a function"):
        ct.load(file).sol(0.05)


def test_the_command_line_does_not_go_on_in_place_of_a_function(tmp_path, program):
    new, old = tmp_path / "new.h5", tmp_path / "old.csv"
    ct.simulate("double-pendulum", method=taylor, step=0.01, duration=0.5, sample=0.1).save(new)
    saved = Path(__file__).resolve().parents[1] / "compat/python/run-function.csv"
    shutil.copy(saved, old)
    for file, name in ((new, "taylor"), (old, "my_euler")):
        before = file.read_bytes()
        done = program("run", "--resume", file, "--duration", 1)
        assert done.returncode == 2 and f"made by a function of Python's, '{name}'" in done.stderr, done.stderr
        assert file.read_bytes() == before
        done = program("run", "--resume", file, "--duration", 1, "--method", "rk4", "-q")
        assert done.returncode == 0, done.stderr
        assert ct.load(file).summary["changes"][0]["from"].startswith(name)


def test_only_the_functions_own_name_gives_a_saved_run_back(tmp_path):
    own, theirs = tmp_path / "own.h5", tmp_path / "theirs.h5"
    ct.simulate("pendulum", method=my_euler, step=0.01, duration=0.1).save(own)
    ct.simulate("pendulum", method="rk4", step=0.01, duration=0.1).save(theirs)
    with pytest.raises(ValueError, match="got 'taylor', and it was made by 'my_euler'"):
        ct.load(own, method=taylor)
    with pytest.raises(ValueError, match="made by a method of the engine, which needs none"):
        ct.load(theirs, method=my_euler)
    with pytest.raises(TypeError, match="the function that the run was made by"):
        ct.load(own, method="rk4")


def test_a_saved_run_of_a_tableau_is_computed_by_it_again(tmp_path):
    midpoint = ct.Tableau(a=[[], ["1/2"]], b=[0, 1], name="midpoint")
    run = ct.simulate("double-pendulum", method=midpoint, step=0.01, duration=0.5)
    run.save(tmp_path / "run.npz")
    again = ct.load(tmp_path / "run.npz")
    assert np.array_equal(again.y, run.y) and np.array_equal(again.sol(0.123), run.sol(0.123))


def test_a_run_whose_method_changed_on_its_way_has_its_rows_alone(tmp_path, program):
    file = tmp_path / "run.h5"
    ct.simulate("double-pendulum", method="rk4", step=0.05, duration=1, sample=0.1).save(file)
    done = program("run", "--resume", file, "--duration", 2, "--method", "taylor", "-q")
    assert done.returncode == 0, done.stderr
    run = ct.load(file)
    assert len(run) == 21 and len(run.summary["changes"]) == 1
    # By taylor, the first second would be another one.
    assert np.abs(ct.simulate("double-pendulum", duration=1, sample=0.1).rows - run.rows[:11]).max() > 1e-6
    for ask in (lambda: run.sol(0.05), lambda: run.y, lambda: run.resume(3)):
        with pytest.raises(ValueError, match="was changed on its way, at t = .* from rk4"):
            ask()


def test_a_run_that_nobody_needs_is_gone_at_once():
    gc.collect()
    gc.disable()
    try:
        run = ct.simulate("double-pendulum", duration=1, events=["theta_1"])
        gone = [weakref.ref(run), weakref.ref(run.sol), weakref.ref(run.rows)]
        run.sol(0.5), run.y, run.events, run.y_events, run.resume(2)
        loaded = pickle.loads(pickle.dumps(run))
        gone.append(weakref.ref(loaded))
        del run, loaded
        assert [one() for one in gone] == [None] * 4
    finally:
        gc.enable()


def test_a_solution_lives_on_without_its_run():
    run = ct.simulate("double-pendulum", duration=1)
    expected, sol, gone = run.sol(0.5), run.sol, weakref.ref(run)
    del run
    assert gone() is None and np.array_equal(sol(0.5), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(sol))(0.5), expected)


MEMORY = """
import resource, sys
import catena as ct
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
size = 0
for _ in range(8):
    run = ct.simulate("double-pendulum", duration=20, sample=2e-4)
    size = run.rows.nbytes / 2**20
    run.sol(1.0)
    first = first if _ else peak()
print(size, first, peak())
"""


def test_a_loop_over_large_runs_needs_the_memory_of_two():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, timeout=300)
    size, first, last = map(float, done.stdout.split())
    # The run before goes only once the next one is there.
    assert size > 25 and last < first + 2.5 * size, done.stdout


def test_runs_can_be_pickled():
    run = ct.simulate("double-pendulum", duration=2, events=["theta_1"])
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.rows, run.rows)
    assert np.array_equal(again.sol(1.234), run.sol(1.234))
    assert again.summary == run.summary and again.scene == run.scene
    assert np.array_equal(again.t_events[0], run.t_events[0])


def test_a_data_frame_has_the_columns_of_csv():
    run = ct.simulate("double-pendulum", duration=0.5)
    frame = run.to_dataframe()
    assert list(frame.columns) == run.columns and frame.shape == run.rows.shape


def test_an_xarray_has_links_and_units():
    run = ct.simulate("double-pendulum", duration=0.5)
    data = run.to_xarray()
    assert data["theta"].dims == ("t", "link") and data["theta"].attrs["units"] == "rad"
    assert np.array_equal(data["energy_each"].sel(link="2"), run["energy_2"])
    assert np.array_equal(data["t"], run.t)
    mechanism = ct.simulate("four-bar", duration=0.1)
    assert mechanism.to_xarray()["x"].shape == mechanism.x.shape


def test_a_million_rows_at_once():
    run = ct.simulate("pendulum", duration=10, sample=1e-5, quantities=["theta", "energy_error"])
    assert run.rows.shape == (1_000_001, 3)
    assert np.array_equal(run.t[:3], [0, 1e-5, 2e-5]) and run.t[-1] == 10


def test_quantities_may_be_one_text():
    assert ct.simulate("pendulum", duration=0.1, quantities="theta, energy").columns == ["t", "theta_1", "energy"]
    with pytest.raises(ct.InputError, match="did you mean 'theta'"):
        ct.simulate("pendulum", duration=0.1, quantities="tehta")


def test_an_unknown_column_is_named():
    run = ct.simulate("pendulum", duration=0.1)
    with pytest.raises(AttributeError, match="no column or attribute 'thetta'"):
        run.thetta
    with pytest.raises(KeyError):
        run["x_9"]
    assert "theta_1" in dir(run) and "theta_1" in run


def test_a_driven_angle_counts_its_turns_at_half_turns_too():
    crank = ct.Scene(
        ct.Body(name="crank", shape="rod", length=1.0, mass=1.0, position=[0.5, 0, 0]),
        ct.Joint(name="axle", kind="revolute", bodies=["ground", "crank"], point=[0, 0, 0], axis=[0, 1, 0],
                 motor={"angle": "2*pi*t"}),
    )
    run = ct.simulate(crank, duration=6, sample=0.25)
    # Rows at exact half turns, where rounding alone decides on which side of pi the angle is.
    assert np.allclose(run["angle_axle"], 2 * np.pi * run.t, rtol=0, atol=1e-9)


def test_derivatives_are_those_of_the_motion():
    paths = ["chain.links.1.length", "chain.links.*.theta"]
    run = ct.simulate("double-pendulum", duration=2, sample=0.5, derivatives=paths)
    assert run.derivatives == ["chain.links.1.length", "chain.links.1.theta", "chain.links.2.theta"]
    assert run.d("x").shape == (5, 2, 3) and run.d("theta_1").shape == (5, 3)
    np.testing.assert_allclose(run.d("theta")[0], [[0, 1, 0], [0, 0, 1]], atol=1e-12)
    step = 1e-5
    length = run.scene.to_dict()["chain"]["links"][0]["length"]
    ends = [ct.simulate("double-pendulum", duration=2, sample=0.5, set={"chain.links.1.length": length + sign * step})
            for sign in (1, -1)]
    np.testing.assert_allclose(run.d("theta")[-1, :, 0], (ends[0].theta[-1] - ends[1].theta[-1]) / (2 * step), rtol=1e-7)
    assert ct.simulate("double-pendulum", duration=2, sample=0.5).theta.shape == run.theta.shape


def test_derivatives_of_the_state_at_any_time(tmp_path):
    run = ct.simulate("double-pendulum", duration=2, sample=0.5, derivatives="chain.links.*.theta")
    state, rates = run.sol(1.25, derivatives=True)
    assert rates.shape == (len(state), 2)
    np.testing.assert_array_equal(run.jacobian(1.25), rates)
    assert run.jacobian([0.5, 1.25]).shape == (len(state), 2, 2)
    run.save(tmp_path / "run.h5")
    again = ct.load(tmp_path / "run.h5")
    assert again.derivatives == run.derivatives
    np.testing.assert_array_equal(again.d("x"), run.d("x"))
    np.testing.assert_array_equal(run.resume(duration=3).d("x")[:5], run.d("x"))
    with pytest.raises(ValueError, match="follows no derivatives"):
        ct.simulate("pendulum", duration=1).d("x")
    with pytest.raises(ct.InputError, match="did you mean 'length'"):
        ct.simulate("pendulum", duration=1, derivatives="chain.links.1.lenght")
