"""Flows: a motion as a function of its start and of numbers of its scene."""
import json
import pickle
import warnings

import numpy as np
import pytest

import catena as ct

OSCILLATOR = ct.Equations({"x": "v", "v": "-w^2*x"}, states={"x": 1, "v": 0}, parameters={"w": 2})
CHAINS = ct.Chain([ct.Link(length=1, mass=1, theta=1.0), ct.Link(length=0.7, mass=0.5, theta=-0.4, theta_dot=1.0)])
ELASTIC = ct.Chain([ct.Link(length=1, mass=1, theta=1.0, stiffness=80), ct.Link(length=0.7, mass=0.5, stiffness=80)], kind="elastic")
# Of each class: what moves, parameters, how long.
SCENES = {
    "chain": (CHAINS, ["chain.links.*.length", "simulation.gravity"], 1.5),
    "rods": ("rods", ["chain.links.2.mass"], 0.7),
    "elastic": (ELASTIC, ["chain.links.1.stiffness"], 0.7),
    "space": ("spherical-pendulum", ["chain.links.1.length"], 1.5),
    "tree": ("tree", ["simulation.gravity"], 0.7),
    "loop": ("four-bar", ["bodies.crank.mass", "joints.pivot.anchors.1.1"], 0.3),
    "Lagrangian": ("spring-pendulum", ["lagrangian.parameters.k"], 1.5),
    "Lagrangian with constraints": ("bead-on-hoop", ["lagrangian.parameters.w"], 0.7),
    "equations": ("lorenz", ["equations.parameters.rho"], 0.7),
}
# The slope of the polynomial through eight neighbours; with these h its error and roundoff are below 1e-9 of the largest.
WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


def slope(function, at, direction, h):
    return sum(w * (function(at + k * h * direction) - function(at - k * h * direction)) for k, w in WEIGHTS.items()) / h


@pytest.mark.filterwarnings("ignore:the start is not what")
@pytest.mark.parametrize("kind", SCENES)
def test_derivatives_are_the_slopes_of_the_flow(kind):
    scene, paths, t = SCENES[kind]
    flow = ct.flow(scene, paths)
    placed = flow(t, flow.start)
    n = len(flow.start)
    rng = np.random.default_rng(1)
    for direction in rng.standard_normal((2, n)):
        found = slope(lambda start: flow(t, start, derivatives=False).y, flow.start, direction, 1e-3 / np.abs(direction).max())
        exact = placed.d_start @ direction
        assert np.abs(found - exact).max() < 1e-8 * np.abs(exact).max()
    for k, value in enumerate(flow.values):
        unit = np.eye(len(paths) if kind != "chain" else 3)[k]
        for start, there in ((None, flow(t)), (flow.start, placed)):
            found = slope(lambda values, start=start: flow(t, start, values, derivatives=False).y, flow.values, unit, 1e-3 * value)
            exact = there.d_parameters[:, k]
            assert np.abs(found - exact).max() < 1e-8 * (np.abs(exact).max() + np.abs(there.y).max() / abs(value))


@pytest.mark.parametrize("kind", ["chain", "space", "loop", "Lagrangian with constraints", "equations"])
def test_a_way_in_two_pieces_is_the_way_in_one(kind):
    scene, paths, t = SCENES[kind]
    flow = ct.flow(scene, paths)
    whole = flow([t / 2, t])
    half = flow(t / 2)
    rest = flow(t, half.y, t_start=t / 2)
    size = np.abs(whole.d_start).max()
    assert np.allclose(rest.y, whole.y[:, 1], rtol=0, atol=1e-11 * (1 + np.abs(whole.y).max()))
    # The chain rule; what the second piece owes to the first is along what the constraints allow there.
    assert np.allclose(rest.d_start @ half.d_start, whole.d_start[..., 1], rtol=0, atol=1e-10 * size**2)
    along = rest.d_start @ half.d_parameters + rest.d_parameters
    assert np.allclose(along, whole.d_parameters[..., 1], rtol=0, atol=1e-10 * size * (1 + np.abs(along).max()))


def test_an_oscillator_has_its_closed_form():
    flow = ct.flow(OSCILLATOR, "equations.parameters.w")
    w, t = 3.0, np.array([0.0, 0.4, 1.9])
    there = flow(t, [1.0, 0.5], [w])
    c, s = np.cos(w * t), np.sin(w * t)
    assert np.allclose(there.y, [c + 0.5 * s / w, -w * s + 0.5 * c], atol=1e-14)
    assert np.allclose(there.d_start, np.array([[c, s / w], [-w * s, c]]), atol=1e-13)
    by_w = [-t * s + 0.5 * (t * c / w - s / w**2), -s - w * t * c - 0.5 * t * s]
    assert np.allclose(there.d_parameters[:, 0], by_w, atol=1e-13)
    assert np.allclose(there.y_dot, [there.y[1], -(w**2) * there.y[0]], atol=1e-13)
    assert np.array_equal(there.basis @ there.basis.T, np.eye(2)) and np.allclose(there.d_basis[..., 0], there.basis)


def test_events_have_derivatives_of_their_time_and_of_all_that_is_there():
    # x = cos(w t) comes down to 0.5 at t = acos(0.5)/w, with the rate -w sqrt(3)/2.
    crossing = ct.Event("x - 0.5", name="half", record=["v"], stop=1)
    w, t = 2.0, np.arccos(0.5) / 2.0
    there = ct.flow(OSCILLATOR, "equations.parameters.w", events=[crossing])([0.1, 5.0])
    half = there.events["half"]
    assert there.stopped == pytest.approx(t, abs=1e-14) and np.isnan(there.y[:, 1]).all() and np.isfinite(there.y[:, 0]).all()
    assert half.d_time == pytest.approx(np.array([[-t / w]]), abs=1e-12)
    assert half.d_v == pytest.approx(np.array([[-np.sqrt(3) / 2]]), abs=1e-12) and np.array_equal(half.d("v"), half.d_v)
    assert np.allclose(half.y, [[0.5, -w * np.sqrt(3) / 2]], atol=1e-14)
    assert np.allclose(half.d("y"), [[[0.0], [-np.sqrt(3) / 2]]], atol=1e-12)
    # From x0, v0 = 0: t = acos(0.5/x0)/w, and v = -w sqrt(x0^2 - 1/4) there.
    assert half.d("time", by="start")[0, 0] == pytest.approx(0.5 / np.sqrt(0.75) / w, abs=1e-12)
    assert half.d("y", by="start")[0, :, 0] == pytest.approx([0.0, -w / np.sqrt(0.75)], abs=1e-11)


def test_runs_have_derivatives_of_their_events_and_files_keep_them(tmp_path, program):
    down = ct.Event("theta_1", name="down", record=["theta_dot_1"])
    options = {"duration": 3, "events": [down], "derivatives": ["chain.links.1.length", "chain.links.1.theta"]}
    run = ct.simulate("pendulum", **options)
    events = run.events["down"]
    assert len(events) > 1 and events.d_time.shape == (len(events), 2) == events.d_theta_dot_1.shape
    flow = ct.flow("pendulum", options["derivatives"], events=[down])
    assert np.allclose(flow(3.0).events["down"].d_time, events.d_time, rtol=1e-11)
    assert np.array_equal(events.d("time"), events.d_time) and np.array_equal(events.d("theta_dot_1"), events.d_theta_dot_1)
    for ending in ("h5", "json", "npz"):
        run.save(tmp_path / f"run.{ending}")
        again = ct.load(tmp_path / f"run.{ending}").events["down"]
        assert np.array_equal(again.d_time, events.d_time) and np.array_equal(again.d_theta_dot_1, events.d_theta_dot_1)
    done = program("run", "pendulum", "--duration", "3", "--event", '{ when = "theta_1", name = "down", record = ["theta_dot_1"] }',
                   "--derivatives", ",".join(options["derivatives"]), "-o", tmp_path / "cli.h5", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)["events"]["down"]
    assert np.allclose(said["d_time"], events.d_time, rtol=1e-12)
    assert np.allclose(ct.load(tmp_path / "cli.h5").events["down"].d_time, events.d_time, rtol=1e-12)
    with pytest.raises(ValueError, match="no derivatives: name numbers"):
        ct.simulate("pendulum", duration=1, events=[down]).events["down"].d_time
    with pytest.raises(AttributeError, match="no column or attribute 'd_nothing'"):
        events.d_nothing


def test_columns_and_their_derivatives_are_those_of_a_run():
    paths = ["chain.links.1.length", "chain.links.2.theta"]
    run = ct.simulate(CHAINS, times=[0.5, 1.0], derivatives=paths)
    there = ct.flow(CHAINS, paths)([0.5, 1.0], quantities="x,energy")
    assert np.allclose(there["x"], run.x.T, rtol=1e-13) and np.allclose(there["energy"], run.energy, rtol=1e-13)
    assert np.allclose(np.moveaxis(there.d("x"), -1, 0), run.d("x"), rtol=1e-11)
    assert np.allclose(there.d("energy").T, run.d("energy"), rtol=1e-9, atol=1e-11)
    # Energy is kept: its derivative along any change of the start is that at the start.
    assert np.allclose(there.d("energy", by="start")[:, 0], there.d("energy", by="start")[:, 1], atol=1e-9)
    one = ct.flow(CHAINS, paths)(0.5, quantities=["x_2"])
    assert one.d("x_2").shape == (2,) and one.d("x_2", by="start").shape == (8,) and one["x"].shape == (1,)


def test_a_driven_linkage_has_no_changes_of_its_start_and_all_of_its_lengths():
    scene = ct.Scene.read("four-bar").to_dict()
    del scene["joints"][0]["rate"]
    scene["joints"][0]["motor"] = {"angle": "3*t"}
    flow = ct.flow(scene, ["joints.pivot.anchors.1.1"])
    there = flow(0.5)
    assert there.basis.shape[1] == 0 and np.abs(there.d_parameters).max() > 0.1
    assert not there.d_start[:39, :39].any()


def test_numbers_that_lead_out_of_the_plane_are_followed_in_space():
    flow = ct.flow(CHAINS, ["chain.links.1.phi_dot"])
    assert len(flow.start) == 12 and np.abs(flow(0.5).d_parameters).max() > 0.1


def test_mistakes_are_said_with_what_would_be_right():
    flow = ct.flow("double-pendulum", "chain.links.1.length")
    with pytest.raises(ValueError, match="start must have 8 numbers, got 3"):
        flow(1.0, [1, 2, 3])
    with pytest.raises(ValueError, match="parameters must have 1 numbers, got 2"):
        flow(1.0, None, [1, 2])
    with pytest.raises(ValueError, match="times must grow"):
        flow([1.0, 0.5])
    with pytest.raises(ValueError, match="t = -1.0 does not lie behind the start, at 0.0 s|t = -1 does not lie behind"):
        flow(-1.0)
    with pytest.raises(ValueError, match="t_start needs a start"):
        flow(1.0, t_start=0.5)
    with pytest.raises(ValueError, match="start must have finite numbers"):
        flow(1.0, np.full(8, np.nan))
    with pytest.raises(ValueError, match="chain.links.1.length must be a finite number"):
        flow(1.0, None, [np.inf])
    with pytest.raises(ct.InputError, match="length must be positive"):
        flow(1.0, None, [-1.0])
    with pytest.raises(ct.InputError, match="did you mean 'length'"):
        ct.flow("double-pendulum", "chain.links.1.lenght")
    with pytest.raises(ct.InputError, match="not by a step function"):
        ct.flow("pendulum", method=lambda f, t, y, h: y + h * f(t, y), step=0.1)
    with pytest.raises(ct.InputError, match="followed by taylor and explicit Runge-Kutta methods, not by radau5"):
        ct.flow("pendulum", method="radau5")(1.0)
    with pytest.raises(ValueError, match="derivatives=False"):
        flow(1.0, derivatives=False).d_start
    with pytest.raises(ValueError, match="by 'parameters', 'start' or 'basis', got 'time'"):
        flow(1.0, quantities="x").d("x", by="time")
    with pytest.raises(ct.InputError, match="no state near it is one that the constraints allow"):
        flow(1.0, np.zeros(8))
    with pytest.warns(RuntimeWarning, match="simulation.duration has no influence on the motion"):
        ct.flow("pendulum", "simulation.duration")(0.5)
    after = flow(1.0)  # a refused value leaves the flow as it was
    assert np.array_equal(after.y, flow(1.0, None, flow.values).y)


def test_a_start_that_joints_forbid_is_moved_and_that_is_said():
    flow = ct.flow("double-pendulum")
    start = flow.start.copy()
    start[0] += 0.1
    with pytest.warns(RuntimeWarning, match="the start is not what the constraints allow: it was moved by"):
        there = flow(0.0, start)
    assert np.abs(there.y - start).max() > 1e-3 and np.array_equal(there.start, there.y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flow(0.0, flow.start)


def test_a_driven_motion_goes_on_from_its_own_time():
    driven = ct.Scene.read("four-bar").to_dict()
    del driven["joints"][0]["rate"]
    driven["joints"][0]["motor"] = {"angle": "3*t"}
    for scene in ("driven-pendulum", driven):
        flow = ct.flow(scene)
        whole, rest = flow(4.0), flow(4.0, flow(2.5).y, t_start=2.5)
        assert np.allclose(rest.y, whole.y, rtol=0, atol=1e-12 * (1 + np.abs(whole.y).max()))
    # Its angle has turned since: not by the scene's start, but by where its motor has it.
    assert flow(4.0, flow(2.5).y, t_start=2.5, quantities="angle_drive")["angle_drive"] == pytest.approx(3 * 4, abs=1e-12)


def test_other_processes_get_the_same_flow():
    flow = ct.flow("double-pendulum", "chain.links.*.length", tolerance=1e-10, events=["theta_1"])
    same = pickle.loads(pickle.dumps(flow))
    assert np.array_equal(same(2.0).d_start, flow(2.0).d_start) and same.parameters == flow.parameters
    assert [len(table) for table in same(2.0).events.values()] == [len(table) for table in flow(2.0).events.values()] != [0]


def test_second_derivatives_are_differences_of_first_ones_and_symmetric():
    flow = ct.flow("double-pendulum", "chain.links.*.theta,chain.links.1.length")
    values, step = flow.values, 1e-3
    weights = np.array([0.3, -1.0, 0.5])
    bend = flow.hvp(1.5, weights, quantities="x,energy")
    nodes, slopes = [1, 2, 3, 4], [4 / 5, -1 / 5, 4 / 105, -1 / 280]
    first, columns = 0.0, 0.0
    for node, weight in zip(nodes, slopes):
        more, less = (flow(1.5, None, values + sign * node * step * weights, quantities="x,energy") for sign in (1, -1))
        first = first + weight / step * (more.d_parameters - less.d_parameters)
        columns = columns + weight / step * (more.d("x_2") - less.d("x_2"))
    assert np.abs(bend.d2 - first).max() < 1e-8 * np.abs(first).max()
    assert np.abs(bend["x_2"] - columns).max() < 1e-8 * np.abs(columns).max()
    assert bend["x"].shape == (2, 3) and bend["energy"].shape == (3,)
    assert np.abs(bend.d - flow(1.5).d_parameters).max() < 1e-11 * np.abs(bend.d).max()
    assert np.abs(bend.d_along - bend.d @ weights).max() < 1e-10 * np.abs(bend.d).max()
    matrix = np.stack([flow.hvp(1.5, row).d2 for row in np.eye(3)], axis=-1)
    assert np.abs(matrix - matrix.transpose(0, 2, 1)).max() < 1e-11 * np.abs(matrix).max()
    assert np.abs(matrix @ weights - bend.d2).max() < 1e-10 * np.abs(bend.d2).max()
    several = flow.hvp([1.0, 1.5], {"chain.links.1.length": 1.0})
    assert several.d2.shape == (8, 3, 2) and np.abs(several.d2[..., 1] - matrix[..., 2]).max() < 1e-10 * np.abs(matrix).max()


def test_second_derivatives_by_the_start_go_through_the_way_onto_the_constraints():
    flow = ct.flow("double-pendulum")
    # Along an allowed change: beside what is allowed, a flow's derivatives are those where its start was brought to.
    along = flow(0.0).basis @ np.random.default_rng(4).standard_normal(4)
    bend = flow.hvp(1.0, start=flow.start, along_start=along, by="start")
    step, first = 1e-3, 0.0
    for node, weight in zip([1, 2, 3, 4], [4 / 5, -1 / 5, 4 / 105, -1 / 280]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            more, less = (flow(1.0, flow.start + sign * node * step * along).d_start for sign in (1, -1))
        first = first + weight / step * (more - less)
    assert np.abs(bend.d2 - first).max() < 1e-8 * np.abs(first).max()


def test_second_derivatives_of_a_linear_system_vanish_in_its_starts():
    scene = {"simulation": {"duration": 3}, "equations": {"states": {"x": 1.0, "v": 0.5}, "parameters": {"k": 2.0},
                                                          "dot": {"x": "v", "v": "-k*x"}}}
    flow = ct.flow(scene, "equations.states.*,equations.parameters.k")
    bend = flow.hvp(3.0, {"equations.states.x": 1.0})
    w = np.sqrt(2.0)
    assert np.abs(bend.d2[:, :2]).max() < 1e-12
    assert bend.d2[0, 2] == pytest.approx(-3 * np.sin(3 * w) / (2 * w), abs=1e-11)


def test_second_derivatives_that_cannot_be_had_are_refused():
    flow = ct.flow("double-pendulum", "simulation.gravity")
    with pytest.raises(ValueError, match="there is no direction"):
        flow.hvp(1.0)
    with pytest.raises(ValueError, match="along must have 1 numbers, got 2"):
        flow.hvp(1.0, [1.0, 2.0])
    with pytest.raises(ValueError, match="chain.links.1.length is none of the flow's parameters: simulation.gravity"):
        flow.hvp(1.0, {"chain.links.1.length": 1.0})
    with pytest.raises(ValueError, match="by 'parameters' or 'start', got 'basis'"):
        flow.hvp(1.0, [1.0], by="basis")
    with pytest.raises(ct.InputError, match="bodies with joints"):
        ct.flow("four-bar", "simulation.gravity").hvp(0.1, [1.0])
    with pytest.raises(ct.InputError, match="followed by taylor, not by dop853"):
        ct.flow("pendulum", "simulation.gravity", method="dop853").hvp(0.1, [1.0])


def test_flows_of_other_formulations_are_those_of_unit_vectors():
    usual = ct.flow("double-pendulum", "chain.links.1.length")
    there = usual(1.0, quantities="x_2,energy")
    for formulation in ("angles", "lie"):
        with pytest.warns(RuntimeWarning, match="unit vectors"):
            flow = ct.flow("double-pendulum", "chain.links.1.length", set={"chain.formulation": formulation})
        assert flow.state_names == usual.state_names
        other = flow(1.0, quantities="x_2,energy")
        assert np.array_equal(other.y, there.y) and np.array_equal(other.d_parameters, there.d_parameters)
        assert np.array_equal(other.d("x_2", "start"), there.d("x_2", "start"))
