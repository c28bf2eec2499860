"""The examples in docstrings and in the guide give what they say; types hold."""
import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

import catena

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(catena.__file__).parent
OPTIONAL = ("jax", "torch")  # of test_autodiff.py
MODULES = sorted(path.stem for path in PACKAGE.glob("*.py") if path.stem not in OPTIONAL)


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings(module):
    name = "catena" if module == "__init__" else f"catena.{module}"
    loaded = importlib.import_module(name)
    failed, tried = doctest.testmod(loaded, extraglobs=vars(catena), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    with_examples = {test.name for module in MODULES if module != "__init__"
                     for test in finder.find(importlib.import_module(f"catena.{module}")) if test.examples}
    assert len(with_examples) >= 12


def test_examples_in_the_guide():
    failed, tried = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False,
                                     optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert tried > 10 and failed == 0


def test_everything_public_has_a_docstring():
    for name in catena.__all__:
        if not name.startswith("_"):
            assert (getattr(catena, name).__doc__ or "").strip(), name


def checked(*arguments, cwd):
    command = [sys.executable, "-m", *arguments]
    env = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=500)


def test_types_of_the_package(tmp_path):
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nstrict = true\nwarn_unused_ignores = false\n"
                      "[mypy-matplotlib.*,pandas.*,xarray.*,jax.*,torch.*]\nignore_missing_imports = true\nfollow_imports = skip\n")
    use = tmp_path / "use.py"
    use.write_text(USE)
    done = checked("mypy", "--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), "-p", "catena", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    done = checked("mypy", "--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), str(use), cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text("\n".join(["import catena as ct", *WRONG]))
    done = checked("mypy", "--config-file", str(config), "--cache-dir", str(tmp_path / "cache"), str(wrong), cwd=tmp_path)
    for line in range(2, len(WRONG) + 2):
        assert f"wrong.py:{line}: error:" in done.stdout, done.stdout
    assert done.stdout.count("error:") == len(WRONG), done.stdout


WRONG = [
    "ct.Link(length='one', mass=1)",
    "ct.simulate('pendulum', duration='long')",
    "ct.simulate('pendulum', method='tailor')",
    "ct.simulate('pendulum', precision='quadruple')",
    "ct.Chain([ct.Link(length=1, mass=1)], formulation='angle')",
    "ct.Joint(kind='revolut')",
    "ct.Force('dragg')",
    "ct.Event('theta_1', direction='up')",
]


USE = """
import catena as ct

chain = ct.Chain([ct.Link(length=1, mass=1, theta=2.0)] * 3)
run: ct.Run = ct.simulate(chain, duration=1)
shape: tuple[int, ...] = run.positions.shape
frame = run.to_dataframe()
text: str = ct.compare(chain, ["rk4"], steps=[0.01], duration=1).table()
times: list[float] = [float(t) for t in run.t]
ct.simulate(chain, method="dop853", precision="double", formulation="angles", y0=run.y[:, 0], events=[ct.x - 1, "theta_1"])
ct.Force("formula", force=[-3 * ct.x, 0, "sin(t)"])
ct.Force("formula", force=lambda t, x: [-x, 0, t])
"""


def test_the_stub_names_what_the_module_has(tmp_path):
    # pybind11 gives its classes a metaclass and an __init__ that takes anything.
    allowed = tmp_path / "allowed.txt"
    allowed.write_text("catena._engine.(Scene|Motion|Track|Flow|Compared|Study|SweepFile|SweepWork)(.__init__)?\n")
    done = checked("mypy.stubtest", "catena._engine", "--ignore-missing-stub", "--ignore-positional-only",
                   "--allowlist", str(allowed), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
