"""Many cases of one scene."""
import concurrent.futures
import math
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import catena as ct

ANGLES = {"chain.links.1.theta": np.linspace(-3, 3, 6), "chain.links.2.theta": np.linspace(-3, 3, 5)}
FLIP = {"name": "flip", "event": "theta_2^2 - pi^2", "stop": True}


def swept(**more):
    return ct.sweep("double-pendulum", ANGLES, [FLIP, "theta_1"], duration=2, tolerance=1e-10, **more)


def test_arrays_have_the_shape_of_the_grid():
    found = swept()
    assert found["flip"].shape == (6, 5) and found["theta_1"].shape == (6, 5)
    assert found.dimensions == ("theta", "theta_2")
    assert np.array_equal(found.axes["theta"], np.linspace(-3, 3, 6))
    assert (found.status == 0).all() and not found.reasons
    assert found.summary["cases"] == 30 and found.units["flip"] == "s"


def test_a_case_is_the_run_of_its_numbers():
    found = swept()
    run = ct.simulate("double-pendulum", duration=2, tolerance=1e-10, quantities=["theta_1"],
                      set={"chain.links.1.theta": float(found.axes["theta"][1]),
                           "chain.links.2.theta": float(found.axes["theta_2"][2])})
    assert np.isnan(found["flip"][1, 2])  # it ran to its end
    # Sweeps step in lanes, whose bits are pinned; a run has kernels of its own, and other roundings.
    assert found["theta_1"][1, 2] == pytest.approx(run["theta_1"][-1], rel=1e-13)


def test_threads_and_executors_give_the_same_bits():
    expected = swept(threads=1).hash
    assert swept(threads=3).hash == expected
    with concurrent.futures.ThreadPoolExecutor(2) as executor:
        assert swept(executor=executor, chunk_seconds=0.01).hash == expected
    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        assert swept(executor=executor, chunk_seconds=0.01).hash == expected


class Forgetful(concurrent.futures.ThreadPoolExecutor):
    """Loses every third chunk once."""

    def __init__(self):
        super().__init__(2)
        self.count, self.lost = 0, set()

    def submit(self, work, *arguments):
        self.count += 1
        if self.count % 3 == 0 and arguments[3] not in self.lost:
            self.lost.add(arguments[3])
            return super().submit(self._lose)
        return super().submit(work, *arguments)

    @staticmethod
    def _lose():
        raise OSError("a worker is gone")


def test_lost_chunks_are_computed_again():
    expected = swept().hash
    with Forgetful() as executor:
        assert swept(executor=executor, chunk_seconds=0.001).hash == expected
        assert executor.lost


def test_a_chunk_that_is_lost_again_and_again_is_said():
    class Broken(concurrent.futures.ThreadPoolExecutor):
        def submit(self, work, *arguments):
            return super().submit(work, *arguments) if arguments[3] == 0 else super().submit(Forgetful._lose)

    with Broken(1) as executor, pytest.raises(RuntimeError, match="were lost 3 times"):
        swept(executor=executor, chunk_seconds=0.001, retries=2)


def test_files_of_the_command_line_are_read_and_written(tmp_path):
    found = swept()
    for name in ("a.h5", "a.npz", "a.csv"):
        found.save(tmp_path / name)
        again = ct.load_sweep(tmp_path / name)
        assert again.hash == found.hash
        assert np.array_equal(again["flip"], found["flip"], equal_nan=True)
    program = os.environ.get("CATENA_BINARY")
    if program:
        subprocess.run([program, "plot", "a.h5", "-q"], cwd=tmp_path, check=True)


def test_plans_by_name_file_and_dictionary(tmp_path):
    plan = {"sweep": {"scene": "pendulum", "set": ["simulation.duration=1"],
                      "vary": [{"key": "chain.links.1.theta", "from": 0.1, "to": 3.0, "count": 4}],
                      "measures": [{"column": "theta_1", "what": "min"}]}}
    found = ct.sweep(plan)
    assert found["theta_1"].shape == (4,)
    (tmp_path / "plan.toml").write_text('[sweep]\nscene = "pendulum"\nset = ["simulation.duration=1"]\n[[sweep.vary]]\n'
                                        'key = "chain.links.1.theta"\nfrom = 0.1\nto = 3.0\ncount = 4\n'
                                        '[[sweep.measures]]\ncolumn = "theta_1"\nwhat = "min"\n')
    assert np.array_equal(ct.sweep(tmp_path / "plan.toml")["theta_1"], found["theta_1"])
    assert {"flip-map", "magnetic-basins"} <= {one["name"] for one in ct.sweeps()}


def test_draws_depend_on_the_seed_alone():
    def drawn(seed, **more):
        return ct.sweep("pendulum", {"chain.links.1.theta": {"normal": [1.0, 0.1]}}, ["theta_1"], samples=64, seed=seed,
                        duration=0.1, **more)
    assert drawn(1).hash == drawn(1, threads=2).hash != drawn(2).hash
    assert abs(drawn(3, sampler="sobol").axes["theta"].mean() - 1.0) < 0.01


def test_views_of_xarray_and_pandas():
    found = swept()
    table = pytest.importorskip("pandas") and found.to_pandas()
    assert len(table) == 30 and list(table.columns) == ["theta", "theta_2", "flip", "theta_1", "status"]
    assert table.theta_1[7] == found["theta_1"].ravel()[7] and table.theta[7] == found.axes["theta"][1]
    xarray = pytest.importorskip("xarray")
    data = found.to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert data.theta_1.sel(theta=3.0, theta_2=-3.0).item() == found["theta_1"][-1, 0]


def test_figures():
    pytest.importorskip("matplotlib")
    found = swept()
    assert found.plot().axes and found.plot("theta_1").axes
    line = ct.sweep("pendulum", {"chain.links.1.theta": [0.1, 1, 2]}, ["theta_1"], duration=1)
    assert line.plot().axes[0].get_xlabel().startswith("theta")


def test_mistakes_are_said():
    with pytest.raises(ct.InputError, match="did you mean 'theta_1'"):
        ct.sweep("pendulum", {"chain.links.1.theta": [1.0]}, ["thta_1"])
    with pytest.raises(ct.InputError, match="has no 'thta'"):
        ct.sweep("pendulum", {"chain.links.1.thta": [1.0]}, ["theta_1"])
    with pytest.raises(TypeError, match="needs measures"):
        ct.sweep("pendulum", {"chain.links.1.theta": [1.0]})
    with pytest.raises(OSError):
        ct.sweep("no-such-plan.toml")


def test_other_threads_go_on_meanwhile():
    ticks = []
    over = threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    ct.sweep("double-pendulum", ANGLES, ["theta_1"], duration=1000)
    over.set()
    thread.join()
    assert len(ticks) > 5


def test_ctrl_c_keeps_what_there_is():
    code = """if True:
        import warnings, catena as ct, numpy as np
        warnings.simplefilter("ignore")
        def show(done, cases):
            print("done", flush=True)
        found = ct.sweep("double-pendulum", {"chain.links.1.theta": np.linspace(0.1, 3, 5000)}, ["theta_1"], duration=300,
                         chunk_seconds=0.05, progress=show)
        print("kept", int((found.status == 0).sum()), int((found.status == 3).sum()), found.summary["outcome"], flush=True)
    """
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline().strip() == "done"
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=120)
    kept = said.strip().splitlines()[-1].split()
    assert kept[0] == "kept" and int(kept[1]) > 0 and int(kept[2]) > 0 and kept[3] == "interrupted"


def test_derivatives_of_a_column_by_a_number():
    lengths = np.array([0.9, 1.0, 1.1])
    found = ct.sweep("pendulum", {"chain.links.1.length": lengths},
                     [{"name": "d", "derivative": ["theta_1", "chain.links.1.length"]}, "theta_1"], duration=1)
    h = 1e-5
    beside = [ct.sweep("pendulum", {"chain.links.1.length": lengths + s * h}, ["theta_1"], duration=1)["theta_1"]
              for s in (1, -1)]
    assert np.allclose(found["d"], (beside[0] - beside[1]) / (2 * h), rtol=1e-8)
    assert math.isfinite(found["d"][0])


def test_indicators_are_measures():
    starts = [0.3, 2.0]
    found = ct.sweep("double-pendulum", {"chain.links.*.theta": starts}, [{"name": "growth", "indicator": "ftle"}], duration=10)
    alone = [ct.indicators("double-pendulum", only=["ftle"], duration=10, set={"chain.links.*.theta": one})["ftle"].value
             for one in starts]
    # Cases go in lanes, with steps of their own: roundoff grows by e^11 along the second motion.
    np.testing.assert_allclose(found["growth"], alone, rtol=1e-11)
    assert found.units["growth"] == "1/s" and found["growth"][1] > 2 * found["growth"][0]
