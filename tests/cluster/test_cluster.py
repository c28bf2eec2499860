"""Sweeps through what clusters have: Slurm with its daemons on this machine, OpenMPI, Dask. Each is skipped, with a word,
where it is not installed."""
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

CATENA = os.environ.get("CATENA_BINARY", "build/release/catena")
PLAN = """[sweep]
scene = "double-pendulum"
set = ["simulation.duration=%s", "simulation.tolerance=1e-10"]
[[sweep.vary]]
name = "a"
key = "chain.links.1.theta"
from = 0.5
to = 3.0
count = 40
[[sweep.vary]]
name = "b"
key = "chain.links.2.theta"
from = 0.5
to = 3.0
count = 10
[[sweep.measures]]
column = "theta_1"
"""


def catena(*words, **more):
    done = subprocess.run([CATENA, *map(str, words)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, done.stderr
    return done


def hash_of(*words, **more):
    return json.loads(catena(*words, "--json", **more).stdout)["hash"]


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN % 5)
    return path


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="OpenMPI is not installed")
def test_four_ranks_of_openmpi_share_a_sweep(plan, tmp_path):
    expected = hash_of("sweep", plan, "-o", tmp_path / "whole.h5")
    command = ["mpirun", "--oversubscribe", "-n", "4"]
    if os.geteuid() == 0:
        command.insert(1, "--allow-run-as-root")
    subprocess.run([*command, CATENA, "sweep", str(plan), "-o", "mpi.h5", "-q", "--threads", "1"], cwd=tmp_path, check=True,
                   timeout=120, capture_output=True)
    parts = sorted(tmp_path.glob("mpi.*-of-4.h5"))
    assert len(parts) == 4
    assert hash_of("merge", *parts, "-o", tmp_path / "mpi.h5") == expected


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.3)
    raise AssertionError(f"{what} did not come about in {seconds} s")


CONFIG = """
ClusterName=catena
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=requeue_setup_env_fail
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


@pytest.fixture
def slurm(tmp_path):
    """Slurm's two daemons on this machine, for one test."""
    if not all(shutil.which(name) for name in ("slurmctld", "slurmd", "sbatch", "squeue")):
        pytest.skip("Slurm is not installed")
    if os.geteuid() != 0:
        pytest.skip("Slurm's daemons run as root")
    folder = tmp_path / "slurm"
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    config = folder / "slurm.conf"
    config.write_text(CONFIG.format(host=socket.gethostname().split(".")[0], control=free_port(), node=free_port(), folder=folder))
    environment = {**os.environ, "SLURM_CONF": str(config)}
    daemons = []
    try:
        for name in ("slurmctld", "slurmd"):
            daemons.append(subprocess.Popen([name, "-D", "-f", str(config)], env=environment, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.DEVNULL))

        def ready():
            said = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True, check=False)
            return "idle" in said.stdout

        until(ready, 60, "a node of Slurm that is ready: " + str(folder))
        yield environment
    finally:
        for daemon in daemons[::-1]:
            daemon.terminate()
        for daemon in daemons:
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()


def test_an_array_of_slurm_survives_a_task_that_is_killed(slurm, plan, tmp_path):
    plan.write_text(PLAN % 1500)  # long enough to be caught at work
    expected = hash_of("sweep", plan, "-o", tmp_path / "whole.h5")
    said = catena("sweep", plan, "-o", "map.h5", "--submit", "slurm", "--shards", "4", "--time", "0:10", "--threads", "1",
                  cwd=tmp_path, env=slurm)
    job = said.stdout.split()[1].rstrip(":")

    sizes = {}

    def running():
        """The journal of a shard at work that grows."""
        for journal in tmp_path.glob("map.*-of-4.h5.part"):
            size = journal.stat().st_size
            if size > sizes.setdefault(journal, size):
                return journal
        return None

    journal = until(running, 60, "a shard at work")
    shard = journal.name.split(".")[1].split("-")[0]
    subprocess.run(["scontrol", "requeue", f"{job}_{shard}"], env=slurm, check=True)  # kills it, and starts it once more
    status = catena("sweep", plan, "-o", "map.h5", "--status", cwd=tmp_path, env=slurm).stdout
    assert "in 4 shards" in status and f"job {job}" in status, status
    until(lambda: (tmp_path / "map.h5").exists(), 240, "the merged file")
    until(lambda: "none is waiting or running" in catena("sweep", plan, "-o", "map.h5", "--status", cwd=tmp_path,
                                                         env=slurm).stdout, 60, "the end of all jobs")
    assert hash_of("sweep", plan, "-o", tmp_path / "map.h5", "--resume") == expected
    log = (tmp_path / f"map.h5.{shard}.log").read_text()
    assert "cases were there already" in log, log  # started once more, it went on where it was


def test_a_dask_cluster_that_loses_a_worker_goes_on(tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    ct = pytest.importorskip("catena")
    import numpy as np

    vary = {"chain.links.1.theta": np.linspace(0.5, 3.0, 400)}
    settings = {"duration": 100, "tolerance": 1e-10}
    expected = ct.sweep("double-pendulum", vary, ["theta_1"], **settings).hash
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, \
            distributed.Client(cluster) as client:
        lost = []

        def lose(done, cases):
            if done > cases // 4 and not lost:
                lost.append(next(iter(cluster.workers.values())).pid)
                os.kill(lost[0], signal.SIGKILL)

        found = ct.sweep("double-pendulum", vary, ["theta_1"], executor=client.get_executor(), chunk_seconds=0.1, progress=lose,
                         **settings)
        assert lost and found.hash == expected
