"""Figures and animations: they show what they were asked for."""
import base64
import gzip
import html
import json
import re
import shutil
import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

import catena as ct
from catena._view import labs_view


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_a_quantity_over_time_has_a_line_per_link():
    run = ct.simulate("double-pendulum", duration=1)
    axes = run.plot("theta")
    assert [line.get_label() for line in axes.lines] == ["theta 1", "theta 2"]
    assert np.array_equal(axes.lines[1].get_ydata(), run["theta_2"])
    assert axes.get_xlabel() == "t [s]" and axes.get_ylabel() == "θ [rad]"
    assert run.plot("energy_error", ax=axes) is axes


@pytest.mark.parametrize("scene", ["double-pendulum", "conical", "four-bar", "tree", "kapitza"])
def test_the_last_frame_shows_the_end_of_the_run(scene):
    run = ct.simulate(scene, duration=0.4)
    animation = run.animate(fps=10)
    artists = animation._func(4)
    masses = artists[-2]
    shown = np.array(masses.get_data_3d() if hasattr(masses, "get_data_3d") else masses.get_data())
    ends = run.positions[-1]
    distances = [np.abs(np.sort(row) - np.sort(ends[:, axis])).max() for row in shown for axis in range(3)]
    assert min(distances) < 1e-12
    assert artists[-1].get_text() == "t = 0.40 s"


def test_a_chain_on_a_cart_is_drawn_on_the_cart():
    scene = ct.Scene(
        ct.Body(name="cart", shape="box", size=[0.3, 0.15, 0.15], mass=1),
        ct.Joint(name="rail", kind="prismatic", bodies=["ground", "cart"], point=[0, 0, 0], axis=[1, 0, 0], motor={"force": "3"}),
        ct.Chain([ct.Link(length=0.5, mass=0.3, theta=0.0)], pivot="cart"), duration=1)
    run = ct.simulate(scene)
    trail, pole = run.animate(fps=10)._func(10)[:2]
    assert np.allclose(np.array(pole.get_data())[:, 0], [run["x_cart"][-1], 0], atol=1e-12)
    assert np.allclose(np.array(trail.get_data())[:, -1], [run["x_1"][-1], run["z_1"][-1]], atol=1e-12)


def test_a_moving_pivot_moves():
    run = ct.simulate("kapitza", duration=1)
    animation = run.animate(fps=10)
    ends = [np.array(animation._func(k)[1].get_data())[:, :2] for k in (0, 3)]
    lengths = [np.hypot(*(end[:, 1] - end[:, 0])) for end in ends]
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-12)
    assert not np.allclose(ends[0][:, 0], ends[1][:, 0])


def page_of(html_text):
    inside = re.search(r'srcdoc="(.*?)" width', html_text, re.DOTALL)
    return html.unescape(inside.group(1))


@pytest.mark.parametrize("scene", ["double-pendulum", "conical", "four-bar"])
def test_notebooks_show_motions_small_and_with_nothing_from_elsewhere(scene):
    """30 s in less than 500 kB; matplotlib's own page has 5 MB and more."""
    run = ct.simulate(scene, duration=30)
    shown = run.animate(fps=25)._repr_html_()
    assert len(shown) < 500_000
    assert not re.search(r"https?://|src=|import ", page_of(shown))


def motion_in(page):
    """What a page of the lab's view plays, and its script."""
    packed = re.findall(r'<script type="text/plain" id="(packed|motion)">(.*?)</script>', page)
    texts = {name: gzip.decompress(base64.b64decode(text)).decode() for name, text in packed}
    return json.loads(texts["motion"]), texts["packed"]


needs_the_page = pytest.mark.skipif(labs_view() is None, reason="./dev web was not run: the lab's view is not there")


@needs_the_page
@pytest.mark.parametrize("scene", ["conical", "governor", "kapitza", "lorenz"])
def test_a_view_is_the_labs_own_and_has_the_motion_to_a_thousandth_of_its_size(scene):
    run = ct.simulate(scene, duration=1)
    data, script = motion_in(run.view(fps=10).page())
    assert script == labs_view()

    def points(name):
        listed = np.frombuffer(base64.b64decode(data[name]), dtype="<i2").reshape(data["frames"], -1, 3)
        return listed * data["half"] / data["finest"] + np.array(data["middle"])

    shown = np.concatenate([points("ends"), points("places")], axis=1)[-1]
    if scene == "lorenz":
        expected = [[run[name][-1] for name in "xyz"]]
    else:
        still = [body["name"] for body in data["bodies"] if body["fixed"]]
        assert not still
        expected = run.positions[-1]
    assert np.abs(shown - expected).max() < 1e-3 * data["half"]


def test_without_the_page_a_view_is_a_plain_drawing(monkeypatch):
    monkeypatch.setattr("catena._view.labs_view", lambda: None)
    run = ct.simulate("conical", duration=1)
    view = run.view(fps=10)
    data = json.loads(re.search(r"const d = (\{.*?\}), canvas", view.page()).group(1))
    points = np.frombuffer(base64.b64decode(data["points"]), dtype="<i2").reshape(data["frames"], -1, 3)
    ends = points[-1, -data["masses"]:] * data["half"] / data["finest"] + view._frames.middle
    assert np.abs(ends - run.positions[-1]).max() < 1e-3 * data["half"]


@needs_the_page
@pytest.mark.skipif(shutil.which("chromium") is None, reason="no chromium here")
@pytest.mark.parametrize("scene", ["double-pendulum", "governor", "lorenz"])
def test_a_browser_plays_a_view(scene, tmp_path):
    """In the frame that notebooks put it into, where it may reach nothing else."""
    page = tmp_path / "page.html"
    page.write_text(ct.simulate(scene, duration=2).view()._repr_html_().replace('sandbox="allow-scripts"', 'sandbox="allow-scripts allow-same-origin"')
                    + """<script>const frame = document.querySelector("iframe"); setInterval(() => {
                    const inside = frame.contentDocument?.body; if (!inside) return;
                    document.body.dataset.frame = inside.dataset.frame ?? inside.textContent.slice(0, 200);
                    document.body.dataset.drawn = inside.querySelector("canvas")?.toDataURL().length ?? 0; }, 100)</script>""", encoding="utf-8")
    seen = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
                           "--virtual-time-budget=8000", "--dump-dom", page], capture_output=True, text=True, check=False, timeout=300).stdout
    frame, drawn = (int(re.search(rf'data-{name}="(\d+)"', seen).group(1)) for name in ("frame", "drawn"))
    assert frame > 1
    assert drawn > 4000  # an empty picture has less


def test_a_view_is_written_as_a_page_and_needs_no_matplotlib(tmp_path):
    code = ("import sys; sys.modules['matplotlib'] = None\nimport catena as ct\n"
            "ct.simulate('double-pendulum', duration=1).view().save('motion.html')")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert (tmp_path / "motion.html").read_text().startswith("<!doctype html>")


def test_figures_of_a_comparison():
    found = ct.compare("pendulum", ["euler", "rk4"], steps=[0.002, 0.001], duration=1)
    work = found.plot()
    assert len(work.axes) == 2 and len(work.axes[0].lines) == 2
    assert "slope" in work.axes[1].get_legend().get_texts()[0].get_text()
    assert len(found.plot("energy").axes[0].lines) == 4
    with pytest.raises(ValueError, match="'work' or 'energy'"):
        found.plot("pie")
