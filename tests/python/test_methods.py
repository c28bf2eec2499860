"""Methods of one's own: step functions and tableaus, in simulate, compare and measured_order."""
import json

import numpy as np
import pytest

import catena as ct


def euler(f, t, y, h):
    return y + h * f(t, y)


def runge_kutta(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


RK4 = ct.Tableau(a=[[], [0.5], [0, 0.5], [0, 0, 1]], b=["1/6", "1/3", "1/3", "1/6"], name="classic")


def test_a_step_function_moves_as_the_method_of_that_name_does():
    ours = ct.simulate("double-pendulum", method=runge_kutta, step=0.01, duration=2)
    theirs = ct.simulate("double-pendulum", method="rk4", step=0.01, duration=2)
    # The same sums in another order: roundoff, which the motion makes a few hundred times larger in 2 s.
    assert np.abs(ours.positions - theirs.positions).max() < 1e-11
    assert ours.summary["method"] == "runge_kutta" and ours.summary["steps"] == theirs.summary["steps"]
    assert ours.nfev >= 4 * 200


def test_a_tableau_moves_as_the_method_of_that_name_does():
    ours = ct.simulate("double-pendulum", method=RK4, step=0.01, duration=2)
    theirs = ct.simulate("double-pendulum", method="rk4", step=0.01, duration=2)
    assert np.abs(ours.positions - theirs.positions).max() < 1e-11


def test_a_tableau_with_an_error_estimate_chooses_its_step():
    heun_euler = ct.Tableau(a=[[], [1]], b=[0.5, 0.5], b_hat=[1, 0], name="heun-euler")
    run = ct.simulate("pendulum", method=heun_euler, tolerance=1e-6, duration=2)
    assert run.success and len(set(run.step_size.round(6))) > 5


@pytest.mark.parametrize("method, order", [(euler, 1), (runge_kutta, 4), (RK4, 4), ("heun", 2), ("rk4", 4)])
def test_measured_orders(method, order):
    # Errors at finite steps are not yet on their asymptote; methods/ measures its own with the same bound.
    assert ct.measured_order(method) == pytest.approx(order, abs=0.25)


def test_the_order_of_an_adaptive_method():
    assert ct.measured_order("dopri5") == pytest.approx(5, abs=0.5)


def test_compare_takes_all_kinds_of_methods():
    found = ct.compare("double-pendulum", ["rk4", "taylor", euler, RK4], steps=[0.01, 0.005], tolerances=[1e-12], duration=1)
    labels = [score.label for score in found.scores]
    assert labels == ["rk4, step 0.01", "rk4, step 0.005", "taylor, tolerance 1e-12", "euler, step 0.01",
                      "euler, step 0.005", "classic, step 0.01", "classic, step 0.005"]
    by_label = {score.label: score for score in found.scores}
    assert by_label["classic, step 0.01"].position_error == pytest.approx(by_label["rk4, step 0.01"].position_error, rel=1e-6)
    assert by_label["taylor, tolerance 1e-12"].position_error < 1e-10 < by_label["euler, step 0.005"].position_error
    assert found.reference_error < 1e-12
    assert len(found.to_dataframe()) == 7 and "classic" in found.table()


def test_a_study_gives_what_the_command_line_gives(program):
    found = ct.compare("cart-pole-course", duration=1)
    theirs = json.loads(program("compare", "cart-pole-course", "--duration", 1, "--json").stdout)
    assert [score.method for score in found.scores] == [run["method"] for run in theirs["runs"]] == ["euler", "rk4"]
    for score, run in zip(found.scores, theirs["runs"]):
        for name in ("final_error", "mean_energy_error", "largest_energy_error"):
            assert getattr(score, name) == run[name], name


def test_a_study_with_cases_gives_one_comparison_of_each(program):
    found = ct.compare("horizontal-chain", duration=0.2, least_seconds=0)
    theirs = json.loads(program("compare", "horizontal-chain", "--duration", 0.2, "--json").stdout)
    assert list(found) == [one["case"] for one in theirs] == ["2", "4", "8", "12", "16", "20"]
    for comparison, one in zip(found.values(), theirs):
        assert [score.steps for score in comparison.scores] == [run["steps"] for run in one["runs"]]
        assert comparison.scores[0].steps == comparison.scores[1].steps  # as_many_steps_as


def test_a_study_of_ones_own_and_a_name_that_is_none(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('scene = "pendulum"\nduration = 1.0\nmethods = ["rk4"]\n')
    assert [score.step for score in ct.compare(path, steps=[0.1]).scores] == [0.1]
    with pytest.raises(ct.InputError, match="there is no study 'pendulum'; with a scene, say which methods"):
        ct.compare("pendulum")
    path.write_text('scene = "pendulum"\nmethods = ["rk5"]\n')
    with pytest.raises(ct.InputError, match="unknown method 'rk5'"):
        ct.compare(path)
    with pytest.raises(TypeError, match="methods="):
        ct.compare(ct.Chain([ct.Link(length=1, mass=1)]))


def test_rows_of_a_comparison_are_kept_when_asked_for():
    found = ct.compare("pendulum", ["rk4"], steps=[0.01], duration=1, keep_rows=True)
    assert np.array_equal(found.scores[0].rows.theta, ct.simulate("pendulum", method="rk4", step=0.01, duration=1).theta)
    assert ct.compare("pendulum", ["rk4"], steps=[0.01], duration=1).scores[0].rows is None


def test_a_step_function_needs_a_step():
    with pytest.raises(ct.InputError, match="method 'euler' takes steps of a fixed size: give `step`"):
        ct.simulate("pendulum", method=euler, duration=1)
    with pytest.raises(ValueError, match="need steps="):
        ct.compare("pendulum", [euler], duration=1)


def test_what_a_step_function_raises_comes_through():
    def broken(f, t, y, h):
        raise LookupError("not today")

    with pytest.raises(LookupError, match="not today"):
        ct.simulate("pendulum", method=broken, step=0.1, duration=1)


def test_a_wrong_shape_is_refused():
    with pytest.raises(ValueError, match="must have 4 numbers, got 1"):
        ct.simulate("pendulum", method=lambda f, t, y, h: y[:1], step=0.1, duration=1)


def test_the_right_hand_side_does_not_outlive_its_step():
    kept = []

    def step(f, t, y, h):
        kept.append((f, y))
        return y + h * f(t, y)

    ct.simulate("pendulum", method=step, step=0.1, duration=1)
    with pytest.raises(RuntimeError, match="belongs to one step"):
        kept[0][0](0.0, kept[0][1])


def test_a_wrong_tableau_is_explained():
    with pytest.raises(ct.InputError, match="b"):
        ct.simulate("pendulum", method=ct.Tableau(a=[[], [0.5]], b=[0.5, 0.1]), step=0.1, duration=1)


def test_dense_output_of_a_step_function_calls_it_again():
    run = ct.simulate("pendulum", method=runge_kutta, step=0.01, duration=1)
    assert np.array_equal(run.sol(run.t), run.y)
