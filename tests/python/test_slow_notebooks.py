"""Notebooks that optimise, which takes a while each."""
import pytest
from conftest import NOTEBOOKS, SLOW_NOTEBOOKS, run_notebook


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem in SLOW_NOTEBOOKS], ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    run_notebook(path, tmp_path)
