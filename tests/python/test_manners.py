"""Good manners: a light import, other threads go on, Ctrl-C keeps what was computed."""
import subprocess
import sys
import threading

import numpy as np

import catena as ct


def python(code, **options):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120, **options)


def test_importing_loads_neither_numpy_nor_matplotlib():
    done = python("import sys, catena; print([m for m in ('numpy', 'matplotlib', 'pandas', 'xarray') if m in sys.modules])")
    assert done.stdout.strip() == "[]", done.stderr


def test_other_threads_run_while_it_computes():
    begun, looked = threading.Event(), []
    result = []

    def compute():
        # Goes on until the other thread has had its turn, and gives up after a long while.
        def progress(time, end):
            begun.set()
            if looked:
                raise StopIteration

        try:
            ct.simulate("horizontal-chain", duration=1e5, sample=1e4, progress=progress)
        except StopIteration:
            result.append("seen")

    thread = threading.Thread(target=compute)
    thread.start()
    assert begun.wait(60)
    looked.append(thread.is_alive())
    thread.join(60)
    assert looked == [True] and result == ["seen"]


INTERRUPTED = """
import os, signal, warnings
import catena as ct

def progress(time, end):
    if time > 1:
        os.kill(os.getpid(), signal.SIGINT)

{how}
"""


def test_ctrl_c_returns_what_was_computed():
    how = """
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    run = ct.simulate("double-pendulum", duration=1e6, sample=0.01, quantities="theta", progress=progress)
assert run.status == -2 and not run.success and len(run) > 100, run
assert "interrupted at t =" in str(said[0].message), said
short = ct.simulate("double-pendulum", times=run.t, quantities="theta")
assert (short.rows == run.rows).all()
"""
    done = python(INTERRUPTED.format(how=how))
    assert done.returncode == 0, done.stderr


def test_ctrl_c_raises_when_asked_to():
    how = """
try:
    ct.simulate("double-pendulum", duration=1e6, sample=0.01, quantities="theta", progress=progress, on_interrupt="raise")
except KeyboardInterrupt as stopped:
    assert len(stopped.run) > 100
    print("kept")
"""
    assert python(INTERRUPTED.format(how=how)).stdout.strip() == "kept"


def test_an_interrupted_run_goes_on():
    how = """
warnings.simplefilter("ignore")
run = ct.simulate("double-pendulum", duration=40, progress=progress)
assert run.status == -2, run
again = run.resume()
assert again.success
assert (again.rows == ct.simulate("double-pendulum", duration=40).rows).all()
"""
    done = python(INTERRUPTED.format(how=how))
    assert done.returncode == 0, done.stderr


def test_several_runs_at_once_do_not_disturb_one_another():
    alone = [ct.simulate("double-pendulum", duration=3, set={"chain.links.1.theta": 1.0 + 0.1 * k}) for k in range(4)]
    found = [None] * 4

    def compute(k):
        found[k] = ct.simulate("double-pendulum", duration=3, set={"chain.links.1.theta": 1.0 + 0.1 * k})

    threads = [threading.Thread(target=compute, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, found):
        assert np.array_equal(one.rows, other.rows)
