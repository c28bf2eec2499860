"""Chaos and order from Python: the numbers of the command line, as arrays."""
import numpy
import pytest

import catena as ct


def test_exponents_have_errors_and_obey_their_laws():
    found = ct.lyapunov("lorenz", duration=60)
    assert found.exponents.shape == found.errors.shape == (3,)
    assert found.exponents.sum() == pytest.approx(-41 / 3, abs=1e-10)
    assert found.running.shape == (3, len(found.times))
    assert all(check["holds"] for check in found.checks)
    assert ct.lyapunov("lorenz", exponents=1, duration=5).exponents.shape == (1,)


def test_indicators_by_name():
    found = ct.indicators("lorenz", only=["megno", "gali"], duration=60)
    assert list(found) == ["megno", "gali_2", "gali_3"]
    assert found["megno"].verdict == "chaotic" and found["megno"].reason
    with pytest.raises(ct.InputError, match="megno"):
        ct.indicators("lorenz", only=["megnoo"], duration=60)


def test_sections_from_a_list_of_starts():
    found = ct.section("henon-heiles", "x", ["y", "py"], starts=[{"equations.states.y": 0.1}, {"equations.states.y": 0.2}],
                       duration=50)
    assert set(found.starts) == {1, 2}
    assert found.points.shape == (len(found.times), 2)
    assert found.residual <= 1e-14 * found.scale
    with pytest.raises(ct.InputError, match="never met"):
        ct.section("henon-heiles", "x - 9", ["y", "py"], duration=20)


def test_diagrams_go_up_and_down():
    scene = {"simulation": {"duration": 60}, "equations": {"states": {"x": -1.5}, "parameters": {"p": 0.0},
                                                           "dot": {"x": "p + x - x^3"}}}
    found = ct.bifurcation(scene, "equations.parameters.p", [-0.6, 0.0, 0.6], "x", period=1.0)
    assert found.values[1][-1] == pytest.approx(-1, abs=1e-9)
    assert found.down[1][-1] == pytest.approx(1, abs=1e-9)


def test_plots():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert ct.lyapunov("lorenz", duration=20).plot().lines
    assert ct.section("henon-heiles", "x", ["y", "py"], duration=30).plot().collections
    assert len(ct.indicators("lorenz", only=["megno", "fli"], duration=20).plot().axes) == 2
    assert numpy.isfinite(ct.indicators("lorenz", only=["fli"], duration=20)["fli"].course).all()
