"""Formulas by computing with names, functions as formulas, tables of measured values."""
import math
import pickle

import numpy as np
import pytest

import catena as ct


def ball(*forces, **settings):
    return ct.Scene(ct.Chain([ct.Link(length=1, mass=1, theta=0.4)]), *forces, duration=2, **settings)


@pytest.mark.parametrize("made, text", [
    (2 * ct.x - (ct.y - ct.z), "2*x - (y - z)"),
    (-(ct.x**2), "-x^2"),
    ((-ct.x)**2, "(-x)^2"),
    (ct.x**-1, "x^(-1)"),
    (2 ** ct.t ** 2, "2^(t^2)"),
    (1 / (ct.x * ct.y), "1/(x*y)"),
    (np.float64(1.5) * np.sin(np.pi * ct.t), "1.5*sin(3.141592653589793*t)"),
    (np.arctan2(ct.vy, ct.vx), "atan2(vy, vx)"),
    (abs(ct.x) + np.maximum(ct.y, 0), "abs(x) + max(y, 0)"),
    (np.where(ct.x >= 1, ct.x, 0), "choose(x - 1, x, 0)"),
    (np.where(ct.x > 1, ct.x, 0), "choose(-(x - 1), 0, x)"),
    (np.clip(ct.x, -1, 1), "min(max(x, -1), 1)"),
    (ct.symbol("q").dot * 2, "q'*2"),
    (np.hypot(ct.x, ct.z), "norm(x, z)"),
])
def test_what_is_computed_is_written(made, text):
    assert str(made) == text


def test_what_is_written_is_what_was_computed():
    """Every operation, at random places, against NumPy on numbers."""
    rng = np.random.default_rng(5)

    def everything(x, v, t):
        return (np.sin(x) * np.cos(t) - np.exp(-v * v) / (2 + np.tanh(x)) + np.where(x > t, x - t, t**2 - v) ** 3
                + np.sqrt(1 + x * x) * np.abs(v) - np.minimum(x, v) / np.hypot(1 + t * t, x) + (-x) ** 2 - 2 ** (v / 4))

    names = ct.symbol("x"), ct.symbol("v"), ct.t
    system = ct.Equations({"x": everything(*names), "v": 0}, states={"x": 0, "v": 0})
    rhs = ct.System(system)
    for x, v, t in rng.uniform(-2, 2, size=(50, 3)):
        assert rhs.rhs(t, [x, v])[0] == pytest.approx(everything(x, v, t), rel=1e-14, abs=1e-14)


def test_a_force_motor_and_event_of_a_function_are_those_of_its_formula():
    def push(t, x, vx, k=3.0):
        return [-k * x - 0.1 * vx + np.sin(2 * t), 0, 0]

    written = ct.Force("formula", force=["-3*x - 0.1*vx + sin(2*t)", 0, 0])
    runs = [ct.simulate(ball(force), events=[event]) for force, event in (
        (ct.Force("formula", force=push), lambda theta_1: theta_1 - 0.1), (written, "theta_1 - 0.1"),
        (ct.Force("formula", force=[-3 * ct.x - 0.1 * ct.vx + np.sin(2 * ct.t), 0, 0]), ct.symbol("theta_1") - 0.1))]
    for run in runs[1:]:
        # Formulas may sum in another order.
        assert np.allclose(run.rows, runs[0].rows, rtol=1e-12, atol=1e-12)
        assert np.allclose(run.t_events[0], runs[0].t_events[0], rtol=1e-12) and len(run.t_events[0]) > 1
    assert runs[0].summary["method"] == "taylor" and runs[0].summary["order"] > 10

    def crank(motion):
        return ct.Scene(ct.Body(name="crank", shape="rod", length=1.0, mass=1.0, position=[0.5, 0, 0]),
                        ct.Joint(kind="revolute", name="pin", bodies=["ground", "crank"], point=[0, 0, 0], axis=[0, 1, 0],
                                 motor={"angle": motion}), duration=1)

    assert np.array_equal(ct.simulate(crank(lambda t: 0.5 * t * t)).rows, ct.simulate(crank("0.5*t*t")).rows)


def test_what_cannot_be_written_is_said():
    with pytest.raises(TypeError, match=r"the function: .*is a formula and no number yet; .*ct\.sampled"):
        ct.Force("formula", force=lambda x: [math.sin(x), 0, 0])
    with pytest.raises(TypeError, match=r"not known before the motion is there; .*np\.where"):
        ct.Force("formula", force=lambda x: [1 if x > 0 else 0, 0, 0])
    with pytest.raises(TypeError, match="formulas know no numpy.floor"):
        np.floor(ct.x)
    with pytest.raises(TypeError, match="parameters of a formula have names"):
        ct.Event(lambda *columns: 0)
    with pytest.raises(ValueError, match="finite numbers"):
        ct.x * math.inf
    with pytest.raises(ct.InputError, match="hight"):
        ct.Scene(ct.Chain([ct.Link(length=1, mass=1)]), ct.Force("formula", force=lambda hight: [hight, 0, 0]), duration=1).check()


def test_formulas_and_parts_with_functions_can_be_pickled():
    force = ct.Force("formula", force=lambda t, x: [-x * t, 0, 0])
    assert pickle.loads(pickle.dumps(force)) == force == ct.Force("formula", force=["-x*t", 0, 0])
    assert str(pickle.loads(pickle.dumps(ct.x * 2))) == "x*2"


# ---- tables ------------------------------------------------------------------------------------------------


def test_a_table_is_the_spline_that_scipy_makes():
    interpolate = pytest.importorskip("scipy.interpolate")
    rng = np.random.default_rng(3)
    for rows in (2, 3, 4, 5, 30):
        x = np.cumsum(rng.uniform(0.05, 1.0, size=rows))
        y = rng.normal(size=rows)
        rhs = ct.System(ct.Equations({"q": ct.table(np.stack([x, y], axis=1), ct.symbol("q"))}, states={"q": 0}))
        spline = interpolate.CubicSpline(x, y)
        for at in rng.uniform(x[0], x[-1], size=40):
            assert rhs.rhs(0, [at])[0] == pytest.approx(float(spline(at)), rel=1e-11, abs=1e-11)
        assert rhs.rhs(0, [x[0] - 1])[0] == y[0] and rhs.rhs(0, [x[-1] + 1])[0] == pytest.approx(y[-1], rel=1e-13)


def test_the_error_of_a_table_is_of_order_4():
    errors = []
    for rows in (41, 81, 161):
        pushed = ct.Equations({"q": ct.sampled(math.cos, ct.t, 0, 3, rows)}, states={"q": 0})
        errors.append(abs(ct.simulate(pushed, duration=3).q[-1] - math.sin(3)))
    assert errors[0] < 1e-8
    assert all(14 < before / after < 18 for before, after in zip(errors, errors[1:]))


@pytest.mark.parametrize("method", ["taylor", "dop853", "gauss6", "radau5"])
def test_a_motion_under_a_table_is_that_of_every_method(method, tmp_path):
    t = np.linspace(0, 2, 41)
    file = tmp_path / "push.csv"
    file.write_text("t,force,other\n" + "".join(f"{a!r},{math.sin(3 * a)!r},0\n" for a in t.tolist()))
    scene = ball(ct.Force("formula", force=[ct.table(file, ct.t, "force"), 0, 0]))
    exact = ct.simulate(scene, tolerance=1e-14)
    settings = {"step": 1e-3} if method == "gauss6" else {"tolerance": 1e-11}
    other = ct.simulate(scene, method=method, **settings)
    assert np.abs(other.positions - exact.positions).max() < 2e-8
    smooth = ct.simulate(ball(ct.Force("formula", force=["sin(3*t)", 0, 0])))
    assert 1e-12 < np.abs(smooth.positions - exact.positions).max() < 1e-5


def test_recordings_have_their_tables_inside(tmp_path, program):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/push.csv").write_text("# measured\n0 0\n0.5 1\n1 0.2\n2 0\n")
    scene = tmp_path / "scene.toml"
    scene.write_text("""
[simulation]
duration = 1.5
[[chain.links]]
length = 1.0
mass = 1.0
[[forces]]
kind = "formula"
force = ["2*table('data/push.csv', t)", 0, 0]
""")
    done = program("run", scene, "-o", tmp_path / "run.h5")
    assert done.returncode == 0, done.stderr
    (tmp_path / "data/push.csv").unlink()
    run = ct.load(tmp_path / "run.h5")
    assert np.array_equal(ct.simulate(run.scene).rows, run.rows)
    gone = program("run", scene, "-o", tmp_path / "again.h5")
    assert gone.returncode != 0 and "data/push.csv" in gone.stderr and "cannot be opened" in gone.stderr


@pytest.mark.parametrize("text, said", [
    ("0,1\n1,2,3\n", "line 2: has 3 columns and not 2"),
    ("t,a,b\n0,1,2\n1,2,3\n", "3 columns; say which"),
    ("0,1\n0,2\n", "x must grow"),
    ("0,1\n", "two rows at least"),
    ("t,a\n0,1\n1,nan\n", "'nan' is no number"),
])
def test_what_is_wrong_with_a_table_is_said(text, said, tmp_path):
    file = tmp_path / "wrong.csv"
    file.write_text(text)
    with pytest.raises(ct.InputError, match=said):
        ball(ct.Force("formula", force=[ct.table(file, ct.t), 0, 0])).check()


def test_a_column_that_is_not_there_is_named(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("t,height,width\n0,1,2\n1,2,3\n")
    with pytest.raises(ct.InputError, match="no column 'hight' beside the first; it has height, width"):
        ball(ct.Force("formula", force=[ct.table(file, ct.t, "hight"), 0, 0])).check()


def test_a_table_that_ends_before_the_run_is_a_warning():
    short = ball(ct.Force("formula", force=[ct.table([(0, 0), (0.5, 1), (1, 0)], ct.t), 0, 0]))
    assert any("the table goes from t = 0 s to 1 s" in one for one in short.check()["warnings"])
    long = ball(ct.Force("formula", force=[ct.table([(0, 0), (0.5, 1), (2, 0)], ct.t), 0, 0]))
    assert not any("table" in one for one in long.check()["warnings"])


def test_tables_have_derivatives_lanes_and_digits():
    rows = [(0, 0.0), (0.4, 0.8), (1.1, 0.3), (1.6, -0.5), (2.5, 0.1)]
    force = ct.Force("formula", force=[1.3 * ct.table(rows, ct.t), 0, 0])
    scene = ball(force)
    run = ct.simulate(scene, derivatives=["chain.links.1.theta"])
    by = 1e-6
    ends = [ct.simulate(scene, set={"chain.links.1.theta": 0.4 + side * by}).positions[-1] for side in (1, -1)]
    assert np.allclose(np.array([run.d(f"{axis}_1")[-1, 0] for axis in "xyz"]), (ends[0] - ends[1])[0] / (2 * by), atol=1e-8)
    precise = ct.simulate(scene, precision="double-double")
    assert np.abs(precise.positions - run.positions).max() < 1e-13
    swept = ct.sweep(scene, {"chain.links.1.theta": [0.4, 0.5]}, measures=["theta_1"], duration=2)
    assert swept["theta_1"][0] == pytest.approx(run.theta[-1, 0], rel=1e-12)
