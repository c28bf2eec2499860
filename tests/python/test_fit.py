"""Numbers of a scene from measurements: `ct.fit`."""
import math
import pathlib
import threading

import numpy as np
import pytest

import catena as ct

DATA = pathlib.Path(__file__).resolve().parents[2] / "scenes" / "data"
K = "equations.parameters.k"


def decay(k=0.5, x=2.0):
    return ct.Equations({"x": "-k*x"}, states={"x": x}, parameters={"k": k})


def measured(noise=0.0, seed=1):
    t = np.linspace(0, 3, 31)
    return {"t": t, "x": 2 * np.exp(-0.5 * t) + noise * np.random.default_rng(seed).standard_normal(len(t))}


def test_finds_the_number_that_the_data_were_made_with():
    found = ct.fit(decay(0.4), measured(), [K])
    assert found.converged and abs(found.values[K] - 0.5) < 1e-12
    assert found.scene.to_dict()["equations"]["parameters"]["k"] == found.values[K]
    assert "converged" in repr(found) and K in found.summary


def test_errors_are_those_of_the_linearised_closed_form():
    found = ct.fit(decay(0.4), measured(0.05), [K], noise=0.05, segments=1)
    k, t = found.values[K], found.t
    slope = -2 * t * np.exp(-k * t)
    error = 0.05 / math.sqrt(slope @ slope)
    assert abs(found.errors[K] - error) < 1e-9 * error
    assert abs(found.covariance[0, 0] - error**2) < 1e-8 * error**2
    low, high = found.intervals[K]
    assert abs((high - low) / 2 - 1.959963984540054 * error) < 1e-9
    assert np.allclose(found.residuals["x"], found.measured["x"] - found.fitted["x"])


def test_data_are_dictionaries_frames_and_files(tmp_path):
    pandas = pytest.importorskip("pandas")
    data = measured(0.05)
    rows = "".join(f"{t!r},{x!r}\n" for t, x in zip(data["t"].tolist(), data["x"].tolist()))
    (tmp_path / "x.csv").write_text("t,x\n" + rows)
    found = [ct.fit(decay(0.4), given, [K]).values[K] for given in (data, pandas.DataFrame(data))]
    found.append(ct.fit(ct.Scene(decay(0.4), duration=3), tmp_path / "x.csv", [K]).values[K])
    assert found[0] == found[1] == found[2]


def test_formulas_bounds_and_priors():
    data = measured(0.01)
    data["y"] = 3 * data.pop("x")
    found = ct.fit(decay(0.4), data, ["fit.parameters.a", K], observe={"y": "a*x"}, parameters={"a": 2.5})
    assert abs(found.values["fit.parameters.a"] - 3) < 5 * found.errors["fit.parameters.a"]
    held = ct.fit(decay(0.7), measured(), bounds={K: (0.6, 1.0)})
    assert held.values[K] == 0.6 and held.at_bounds == {K: "low"} and math.isnan(held.errors[K])
    known = ct.fit(decay(0.4), measured(0.1), [K], noise=0.1, priors={K: (0.5, 1e-6)})
    assert abs(known.values[K] - 0.5) < 1e-5 and known.errors[K] < 1e-6


def test_the_video_and_its_figure():
    found = ct.fit("pendulum-video", DATA / "pendulum-video.csv")
    assert abs(found.values["fit.parameters.s"] - 412) < 4 * found.errors["fit.parameters.s"]
    pytest.importorskip("matplotlib")
    assert len(found.plot().axes) == 4


def test_says_what_data_cannot_tell():
    swing = ct.Chain([ct.Link(length=1, mass=1, theta=0.5)])
    run = ct.simulate(swing, duration=2, sample=0.1)
    found = ct.fit(swing, {"t": run.t, "theta_1": run.theta[:, 0]}, ["chain.links.1.mass"])
    assert found.undetermined == {"chain.links.1.mass": "chain.links.1.mass: the data do not depend on it"}


def test_cells_that_are_nan_were_not_measured():
    data = measured()
    data["x"][3] = math.nan
    with pytest.warns(RuntimeWarning, match="nan in 1 rows, the first of them 3"):
        found = ct.fit(decay(0.4), data, [K])
    assert abs(found.values[K] - 0.5) < 1e-12


@pytest.mark.parametrize("change, said", [
    (lambda d: d.pop("t"), "have no t"),
    (lambda d: d.update(t=d["t"][::-1].copy()), "goes back|in the order of time"),
    (lambda d: d.update(x=d["x"][:-1]), "shape"),
    (lambda d: d.update(y=d.pop("x")), "neither a column of the scene"),
])
def test_bad_data_are_refused(change, said):
    data = measured()
    change(data)
    with pytest.raises(ValueError, match=said):
        ct.fit(decay(), data, [K])


def test_bad_paths_are_refused():
    with pytest.raises(ct.InputError, match="did you mean 'k'"):
        ct.fit(decay(), measured(), ["equations.parameters.kk"])
    with pytest.raises(ct.InputError, match="nothing is free"):
        ct.fit(decay(), measured())


def test_other_threads_go_on_meanwhile():
    found = []
    threads = [threading.Thread(target=lambda k=k: found.append(ct.fit(decay(k), measured(), [K]).values[K])) for k in (0.3, 0.4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.allclose(found, 0.5, rtol=0, atol=1e-12)


def test_a_callback_can_stop_it():
    def stop(iteration, rms):
        if iteration >= 1:
            raise KeyboardInterrupt

    with pytest.warns(RuntimeWarning, match="best numbers so far"):
        found = ct.fit(decay(0.2), measured(0.1), [K], progress=stop)
    assert found.outcome == "interrupted" and not found.converged
