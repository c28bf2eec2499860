"""Arrays are right under every NumPy: nothing in the module knows how an array lies in memory."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import catena as ct
from conftest import from_pypi

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = Path(ct.__file__).parent
# What Debian's pandas, xarray and matplotlib, made for their own NumPy, have no part in.
SUITES = ["test_numpy.py", "test_lab.py", "test_methods.py", "test_run.py", "test_scene.py", "test_threads.py",
          "test_compat.py", "test_flow.py"]
OF_DEBIAN = ["data_frame", "xarray", "views_of_one_block", "all_kinds_of_methods", "NumPy_2"]


def test_numbers_go_in_and_come_out_as_they_are():
    system = ct.System(ct.Chain([ct.Link(length=1, mass=1, theta=0.5, theta_dot=0.1)] * 2, formulation="angles"))
    assert np.allclose(system.start, [0.5, 0.5, 0.1, 0.1], rtol=1e-15)  # with strides of 0, all would be the first one
    y = system.start + np.arange(4) * 1e-3
    rates = system.rhs(0.0, y)
    assert rates.shape == y.shape and rates.dtype == np.float64 and rates.flags.writeable
    for same in (list(y), tuple(y), y.reshape(1, -1), np.repeat(y, 2)[::2], y[::-1].copy()[::-1], y.astype(object),
                 np.asfortranarray(np.stack([y, y]))[0], y.astype(">f8"), memoryview(y.copy())):
        assert np.array_equal(system.rhs(0.0, same), rates)
    whole = np.arange(4)
    assert np.array_equal(system.rhs(0.0, whole), system.rhs(0.0, whole.astype(float)))
    assert np.array_equal(system.rhs(0.0, whole.astype(np.float32)), system.rhs(0.0, whole.astype(float)))


def test_rows_and_columns_are_not_exchanged():
    matrix = ct.System("double-pendulum").taylor(5)
    assert matrix.shape == (6, 8) and matrix.flags.c_contiguous
    run = ct.simulate("double-pendulum", duration=1, sample=0.25, quantities="angles")
    assert run.rows.shape == (5, len(run.columns)) and np.array_equal(run.t, [0, 0.25, 0.5, 0.75, 1])
    assert np.array_equal(run.sol(run.t), run.y) and run.y.shape == (8, 5)
    assert run.sol([]).shape == (8, 0) and run.sol.rows([], ["theta"]).rows.shape == (0, 3)


def test_rows_that_were_sliced_are_saved_as_they_look(tmp_path):
    run = ct.simulate("double-pendulum", duration=1, sample=0.1, quantities="theta")
    run._rows = np.asfortranarray(run.rows)
    run.save(tmp_path / "run.csv")
    assert np.array_equal(ct.load(tmp_path / "run.csv").rows, run.rows)


def test_an_array_outlives_what_made_it():
    values = ct.System("double-pendulum").taylor(3)
    copy = values.copy()
    for _ in range(10):
        ct.System("four-bar").taylor(20)
    assert np.array_equal(values, copy)


def test_the_energy_of_a_step_function_is_kept():
    def runge_kutta(f, t, y, h):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(t + h, y + h * k3))

    run = ct.simulate("double-pendulum", method=runge_kutta, step=1e-3, duration=1)
    assert run.summary["energy_error_relative"] < 1e-9


def test_what_is_no_number_is_said_in_plain_words():
    system = ct.System("pendulum")
    with pytest.raises(ValueError, match="could not convert string to float"):
        system.rhs(0.0, ["one", "two", "three", "four"])
    with pytest.raises(ValueError, match="the state must have 4 numbers, got 3"):
        system.rhs(0.0, [1, 2, 3])


def test_the_module_has_no_part_in_how_arrays_lie_in_memory():
    for file in (ROOT / "apps/python/engine").iterdir():
        assert "pybind11/numpy.h" not in file.read_text(encoding="utf-8"), file
        assert "pybind11/eigen" not in file.read_text(encoding="utf-8"), file


def test_everything_holds_under_NumPy_2(capsys):
    folder, why = from_pypi("numpy-2", "numpy/version.py", "--no-deps", "numpy>=2")
    if folder is None:
        with capsys.disabled():
            print(f"\npython: NumPy 2 is left out: {why}")
        pytest.skip(why)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(PACKAGE.parent)])}
    version = subprocess.run([sys.executable, "-c", "import numpy; print(numpy.__version__)"], env=env, capture_output=True,
                             text=True, check=True, timeout=60).stdout
    assert int(version.split(".")[0]) >= 2
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error::DeprecationWarning:catena",
               "-k", " and ".join(f"not {name}" for name in OF_DEBIAN), *(str(HERE / suite) for suite in SUITES)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    with capsys.disabled():
        print(f"\npython: with NumPy {version.strip()}: {done.stdout.strip().splitlines()[-1]}")
