"""Scenes from files, dictionaries and objects are the same scenes; mistakes read as on the command line."""
import errno
import json
import pickle
import subprocess
import sys

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


NAN, INF = float("nan"), float("inf")
BOX = {"name": "a", "shape": "box", "size": [1, 1, 1], "mass": 1}


@pytest.mark.parametrize("parts, said", [
    ([ct.Chain([ct.Link(length=NAN, mass=1)])], "link 1: length must be a finite number, got nan"),
    ([ct.Chain([ct.Link(length=1, mass=1), ct.Link(length=1, mass=1, theta=INF)])],
     "link 2: theta must be a finite number, got inf"),
    ([ct.Chain([ct.Link(length=1, mass=1, direction=np.array([1, NAN, 0]))])],
     r"link 1: direction\[2\] must be a finite number, got nan"),
    ([ct.Chain([ct.Link(length=1, mass=1)], pivot=[0, 0, np.float64(NAN)])], r"pivot\[3\] must be a finite number"),
    ([ct.Body(**BOX, position=[0, -INF, 0])], r"body 'a': position\[2\] must be a finite number, got -inf"),
    ([ct.Body(**BOX), ct.Joint(kind="revolute", bodies=["ground", "a"], point=[NAN, 0, 0], axis=[0, 1, 0])],
     r"point\[1\] must be a finite number, got nan"),
    ([ct.Chain([ct.Link(length=1, mass=1)]), ct.Force("drag", density=NAN, coefficient=1, area=1)],
     "force 1: density must be a finite number, got nan"),
    ([ct.Lagrangian("m*q'^2/2", coordinates={"q": NAN}, parameters={"m": 1})], "coordinates.q must be a finite number"),
])
def test_what_is_no_number_is_named_by_its_field(parts, said):
    with pytest.raises(ct.InputError, match=said) as caught:
        ct.simulate(parts, duration=1)
    assert len(caught.value.mistakes) == 1 and ":1:" not in str(caught.value)
    with pytest.raises(ct.InputError, match=said):
        ct.Scene(*parts, duration=1).check()


@pytest.mark.parametrize("name", ["duration", "sample", "tolerance", "gravity"])
def test_settings_that_are_no_numbers_are_named(name):
    for value in (NAN, INF):
        with pytest.raises(ct.InputError, match=name):
            ct.simulate("pendulum", **{name: value})


def test_numbers_in_dictionaries_and_set_are_named_too():
    table = {"simulation": {"duration": 1}, "chain": {"links": [{"length": 1, "mass": NAN}]}}
    with pytest.raises(ct.InputError, match="link 1: mass must be a finite number, got nan"):
        ct.simulate(table)
    with pytest.raises(ct.InputError, match="mass must be a finite number, got nan"):
        ct.simulate("pendulum", set={"chain.links.1.mass": np.float32(NAN)})
    with pytest.raises(ct.InputError, match="parameter 'a b'|parameter names|'a b'"):
        ct.simulate([ct.Chain([ct.Link(length=1, mass=1)]),
                     ct.Force("formula", force=["0", "0", "0"], parameters={"a b": NAN})], duration=1)
    with pytest.raises(ValueError, match="until must be a time in s, got nan"):
        ct.Lab("pendulum").advance(until=NAN)


def test_files_that_cannot_be_read_are_an_OSError(tmp_path):
    text = tmp_path / "text.h5"
    text.write_text("no run")
    missing = tmp_path / "missing.h5"
    cases = [(lambda: ct.load(missing), FileNotFoundError), (lambda: ct.load(tmp_path), IsADirectoryError),
             (lambda: ct.simulate(tmp_path / "missing.toml"), FileNotFoundError),
             (lambda: ct.Scene.read("double-pendulm"), FileNotFoundError),
             (lambda: ct.Scene.read(tmp_path), IsADirectoryError),
             (lambda: ct.compare(tmp_path / "missing.toml"), FileNotFoundError)]
    for ask, kind in cases:
        with pytest.raises(kind) as caught:
            ask()
        assert isinstance(caught.value, ct.InputError)  # as it was
        assert caught.value.errno and caught.value.filename and caught.value.mistakes
    with pytest.raises(FileNotFoundError, match="missing.h5: cannot open: No such file or directory"):
        ct.load(missing)
    with pytest.raises(ct.InputError) as caught:  # a file that is there and is wrong is a mistake in it
        ct.load(text)
    assert not isinstance(caught.value, OSError)


def test_files_that_cannot_be_written_are_an_OSError(tmp_path):
    run = ct.simulate("pendulum", duration=0.1)
    for ending in ("h5", "csv", "json", "npz"):
        with pytest.raises(FileNotFoundError, match="create its folder first") as caught:
            run.save(tmp_path / "no folder" / f"run.{ending}")
        assert caught.value.errno == errno.ENOENT and "no folder" in caught.value.filename
        (tmp_path / f"folder.{ending}").mkdir()
        with pytest.raises(IsADirectoryError, match="name a file in it"):
            run.save(tmp_path / f"folder.{ending}")
    with pytest.raises(ct.InputError, match="cannot tell the format"):
        run.save(tmp_path / "run.txt")


FULL = """
import resource, sys
import catena as ct
run = ct.simulate("pendulum", duration=10)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
try:
    run.save(sys.argv[1])
except OSError as error:
    print(error.errno, error)
"""


@pytest.mark.parametrize("ending", ["h5", "csv", "json", "npz"])
def test_a_disk_that_takes_no_more_is_an_OSError(tmp_path, ending):
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / f"run.{ending}")], capture_output=True, text=True,
                          check=False, timeout=60)
    assert done.stdout.startswith(f"{errno.EFBIG} "), done.stdout + done.stderr
    assert not (tmp_path / f"run.{ending}").exists()


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
    driven = {"scissor-lift", "strandbeest"}  # motors say all that moves
    for scene in ct.scenes():
        free = ct.Scene.read(scene["name"]).check()["degrees_of_freedom"]
        assert free == 0 if scene["name"] in driven else free >= 1
