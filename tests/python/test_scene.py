"""Scenes from files, dictionaries and objects are the same scenes; mistakes read as on the command line."""
import json
import pickle

import numpy as np
import pytest

import catena as ct

TOML = """
[simulation]
duration = 2
[chain]
[[chain.links]]
length = 1.0
mass = 2.0
theta = "120 deg"
[[chain.links]]
length = 0.5
mass = 1.0
theta = 0.3
"""


def links():
    return [ct.Link(length=1.0, mass=2.0, theta="120 deg"), ct.Link(length=0.5, mass=1.0, theta=0.3)]


def test_file_text_dictionary_and_objects_give_the_same_bits(tmp_path):
    text = TOML
    file = tmp_path / "two.toml"
    file.write_text(text)
    table = {"simulation": {"duration": 2}, "chain": {"links": [link.to_dict() for link in links()]}}
    runs = [ct.simulate(scene) for scene in (
        file, str(file), ct.Scene.parse(text), table, ct.Scene(ct.Chain(links()), duration=2),
        {"simulation": ct.Simulation(duration=2), "chain": ct.Chain(links())})]
    runs.append(ct.simulate(ct.Chain(links()), duration=2))
    runs.append(ct.simulate([ct.Chain(links())], duration=2))
    for run in runs[1:]:
        assert np.array_equal(run.rows, runs[0].rows, equal_nan=True)


def test_parts_take_numpy_values_and_can_be_changed():
    link = ct.Link(length=np.float64(1), mass=np.int64(2), direction=np.array([1.0, 0, 0]))
    assert json.dumps(link.to_dict()) == '{"length": 1.0, "mass": 2, "direction": [1.0, 0.0, 0.0]}'
    link.mass = 3
    assert link.to_dict()["mass"] == 3
    with pytest.raises(AttributeError, match="no field 'lenght'"):
        link.lenght = 2


def test_an_unknown_field_is_refused_at_once():
    with pytest.raises(TypeError, match="lenght"):
        ct.Link(lenght=1, mass=1)


def test_bodies_joints_forces_and_events_make_a_mechanism():
    scene = ct.Scene(
        ct.Body(name="arm", shape="rod", length=1.0, mass=1.0, position=[0.5, 0, 0]),
        ct.Joint(kind="revolute", bodies=["ground", "arm"], point=[0, 0, 0], axis=[0, 1, 0], name="pivot"),
        ct.Event("angle_pivot - 1", direction="rising"),
    )
    facts = scene.check(duration=1)
    assert facts["degrees_of_freedom"] == 1
    run = ct.simulate(scene, duration=1)
    assert run.positions.shape == (101, 1, 3)
    # A rod turns about its end with g * 3/2 / L at the start: the angle is 3/4 g t^2 / L to leading order.
    assert run["angle_pivot"][1] == pytest.approx(0.75 * 9.81 * 0.01**2, rel=1e-3)
    assert len(run.t_events[0]) == 1


def test_mistakes_read_as_on_the_command_line(tmp_path, program):
    file = tmp_path / "wrong.toml"
    file.write_text("[simulation]\nduration = -1\nmethod = \"tailor\"\n[chain]\n[[chain.links]]\nlength = 1\nmass = 0\nthetta = 1\n")
    with pytest.raises(ct.InputError) as caught:
        ct.simulate(file)
    said = program("check", file).stderr.splitlines()
    for line in str(caught.value).splitlines():
        assert line in said
    assert len(caught.value.mistakes) == 4
    assert (caught.value.mistakes[0][0], caught.value.mistakes[0][1]) == (str(file), 2)
    assert isinstance(caught.value, ValueError)


def test_mistakes_of_settings_name_the_argument():
    with pytest.raises(ct.InputError, match=r"duration=-1: simulation: duration must be positive"):
        ct.simulate("pendulum", duration=-1)
    with pytest.raises(ct.InputError, match="no item 9"):
        ct.simulate("pendulum", set={"chain.links.9.mass": 2})


def test_mistakes_of_objects_have_no_line_numbers():
    with pytest.raises(ct.InputError) as caught:
        ct.simulate(ct.Chain([ct.Link(length=1, mass=-1)]), duration=1)
    assert "mass must be positive, got -1" in str(caught.value)
    assert ":1:" not in str(caught.value)


def test_a_scene_that_is_not_there_gets_a_proposal():
    with pytest.raises(ct.InputError, match="did you mean 'double-pendulum'"):
        ct.Scene.read("double-pendulm")


def test_set_changes_anything():
    run = ct.simulate("pendulum", duration=1, set={"simulation.gravity": 1.62, "chain.links.1.theta": "90 deg"})
    assert run.scene.to_dict()["simulation"]["gravity"] == 1.62
    assert run.theta_1[0] == pytest.approx(np.pi / 2, abs=1e-15)


def test_gravity_and_precision_are_settings_too():
    run = ct.simulate("pendulum", duration=0.1, gravity=[0, 0, -1.62], precision="double")
    assert run.scene.to_dict()["simulation"]["gravity"] == [0, 0, -1.62]
    with pytest.raises(ct.InputError, match="precision"):
        ct.simulate("pendulum", duration=0.1, precision="sloppy")


def test_a_lagrangian_from_text():
    pendulum = ct.Lagrangian("m*l^2*theta'^2/2 + m*g*l*cos(theta)", coordinates={"theta": 1.5}, rates={"theta": 0},
                             parameters={"m": 2, "l": 1, "g": 9.81})
    ours = ct.simulate(pendulum, duration=5)
    theirs = ct.simulate(ct.Chain([ct.Link(length=1, mass=2, theta=1.5)]), duration=5)
    assert np.abs(ours["theta"] - theirs["theta_1"]).max() < 1e-11


def test_scenes_and_parts_can_be_pickled():
    scene = ct.Scene(ct.Chain(links()), duration=2)
    assert pickle.loads(pickle.dumps(scene)) == scene
    link = links()[0]
    assert pickle.loads(pickle.dumps(link)) == link
    read = ct.Scene.read("double-pendulum")
    assert pickle.loads(pickle.dumps(read)).to_dict() == read.to_dict()


def test_every_shipped_scene_can_be_read():
    for scene in ct.scenes():
        assert ct.Scene.read(scene["name"]).check()["degrees_of_freedom"] >= 1
