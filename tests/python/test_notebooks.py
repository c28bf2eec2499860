"""The notebooks run from top to bottom; their own assertions hold."""
import pytest
from conftest import NOTEBOOKS, SLOW_NOTEBOOKS, run_notebook

QUICK = [path for path in NOTEBOOKS if path.stem not in SLOW_NOTEBOOKS]


def test_there_are_three():
    assert len(QUICK) >= 3


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    run_notebook(path, tmp_path)
