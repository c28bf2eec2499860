"""The exercise can be done as its page says, and says what is missing."""
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

COURSE = Path(__file__).resolve().parents[2] / "docs/course"


def script(name, folder):
    command = [sys.executable, str(COURSE / name)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def test_the_template_says_what_is_to_be_written(tmp_path):
    done = script("exercise.py", tmp_path)
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("to be written") == 3


def test_the_solution_has_the_right_orders_and_draws_the_figures(tmp_path):
    done = script("solution.py", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("as it should be") == 3
    assert (tmp_path / "comparison.png").stat().st_size > 10_000
    assert (tmp_path / "comparison-energy.png").stat().st_size > 10_000


def test_newton_raphson_finds_a_root(monkeypatch):
    monkeypatch.syspath_prepend(COURSE)
    solution = importlib.import_module("solution")
    found = solution.newton_raphson(lambda x: np.array([x[0] ** 2 - 2, x[1] - x[0]]), np.array([1.0, 0.0]))
    assert found == pytest.approx([2**0.5, 2**0.5], rel=1e-12)


def test_both_languages_have_the_same_tasks():
    pages = [(COURSE / name).read_text(encoding="utf-8") for name in ("README.md", "README.ja.md")]
    assert pages[0].count("\n## ") == pages[1].count("\n## ")
    for word in ("euler", "runge_kutta", "newton_raphson", "implicit_midpoint", "comparison.png", "ct.Tableau", "lie.R(q)"):
        assert all(word in page for page in pages), word
