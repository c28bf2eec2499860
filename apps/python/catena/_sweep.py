"""Many cases of one scene: maps, sweeps, random draws; here, on threads, or wherever an executor computes."""
from __future__ import annotations

import json
import os
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

from . import _engine
from ._files import must_open
from ._method import Step
from ._part import plain, toml
from ._scene import Scene, prepared

if TYPE_CHECKING:
    import concurrent.futures

    import matplotlib.figure
    import pandas
    import xarray

    from ._method import Array
    from ._scene import SceneLike

    Chunk = tuple[int, int, bytes, bytes, list[tuple[int, str]], int]

#: What the numbers in `Sweep.status` mean.
STATUS = ("done", "failed", "skipped", "not computed")


class Sweep:
    """What a sweep measured: one array for each measure, with the grid's shape.

    `sweep["flip"]` or `sweep.measures["flip"]` is an array, `sweep.axes["a"]` the values along an axis, `sweep.status` says of
    each case whether it is done (0), failed (1), was skipped (2) or was not computed (3), `sweep.reasons` why it failed.
    """

    def __init__(self, file: _engine.SweepFile) -> None:
        import numpy as np

        self._file = file
        found = file.arrays()
        shape = tuple(found["shape"]) if found["is_whole"] else (len(found["status"]),)
        #: Names of the arrays' dimensions, one for each.
        self.dimensions: tuple[str, ...] = tuple(found["dimensions"]) if found["is_whole"] else ("case",)
        self.measures: dict[str, Array] = {
            name: np.asarray(values).reshape(shape) for name, values in zip(found["names"], found["measures"])
        }
        self.axes: dict[str, Array] = {}
        self._axes: list[dict[str, Any]] = found["axes"]
        for axis in self._axes:
            values = np.asarray(axis["values"])
            self.axes[axis["name"]] = values.reshape(-1, axis["width"]) if axis["width"] > 1 else values.reshape(-1)
        self.status = np.frombuffer(found["status"], dtype=np.uint8).reshape(shape)
        #: Why cases failed, by their place in the flat arrays.
        self.reasons: dict[int, str] = dict(found["reasons"])
        self.units: dict[str, str] = json.loads(found["units"])
        self.summary: dict[str, Any] = json.loads(found["summary"])
        self.plan: dict[str, Any] = json.loads(found["plan"])
        self.scene = Scene.parse(found["scene"], name=found["scene_name"])

    def __getitem__(self, name: str) -> Array:
        return self.measures[name] if name in self.measures else self.axes[name]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.status.shape)

    @property
    def hash(self) -> str:
        """The same for the same numbers, however they were computed."""
        return str(self.summary["hash"])

    def to_xarray(self) -> xarray.Dataset:
        """A Dataset with the measures and `status` over named dimensions; axes are its coordinates."""
        import xarray

        data: dict[str, Any] = {name: (self.dimensions, values, {"units": self.units.get(name, "")}) for name, values in self.measures.items()}
        coordinates: dict[str, Any] = {}
        for axis in self._axes:
            values = self.axes[axis["name"]]
            along = (self.dimensions[axis["extent"]],) + ((axis["name"] + "_component",) if values.ndim > 1 else ())
            coordinates[axis["name"]] = (along, values, {"units": axis["unit"], "keys": ", ".join(axis["keys"])})
        return xarray.Dataset({**data, "status": (self.dimensions, self.status)}, coords=coordinates,
                              attrs={"catena": _engine.version, "hash": self.hash})

    def to_pandas(self) -> pandas.DataFrame:
        """One row per case: the numbers of its axes, its measures and its status."""
        import numpy as np
        import pandas

        places = np.indices(self.shape).reshape(len(self.shape), -1)
        columns: dict[str, Any] = {}
        for axis in self._axes:
            values = self.axes[axis["name"]][places[axis["extent"]]]
            if values.ndim == 1:
                columns[axis["name"]] = values
            else:
                columns.update({f"{axis['name']}_{k + 1}": values[:, k] for k in range(values.shape[1])})
        columns.update({name: values.ravel() for name, values in self.measures.items()})
        return pandas.DataFrame({**columns, "status": self.status.ravel()})

    def plot(self, measure: str | None = None) -> matplotlib.figure.Figure:
        """A map of a measure over two axes, a curve over one, a histogram of random draws; default: the first measure."""
        from ._figures import plot_sweep

        return plot_sweep(self, measure or next(iter(self.measures)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes .h5, .npz or .csv, as `catena sweep` does."""
        self._file.save(os.fspath(path))

    def __repr__(self) -> str:
        counts = ", ".join(f"{int((self.status == k).sum())} {word}" for k, word in enumerate(STATUS) if (self.status == k).any())
        size = " x ".join(f"{name} {count}" for name, count in zip(self.dimensions, self.shape))
        return f"<Sweep of {self.scene.name}: {size}; {', '.join(self.measures)}; {counts}>"


def load_sweep(path: str | os.PathLike[str]) -> Sweep:
    """A file of `catena sweep` or `Sweep.save`."""
    named = os.fspath(path)
    if not os.path.exists(named):
        must_open(named, "there is no such file")
    return Sweep(_engine.load_sweep(named))


def _axis(key: str | Sequence[str], values: Any) -> dict[str, Any]:
    keys: dict[str, Any] = {"key": key} if isinstance(key, str) else {"keys": list(key)}
    if isinstance(values, Mapping):
        return {**keys, **plain(dict(values))}
    import numpy as np

    return {**keys, "values": [float(value) for value in np.asarray(values, dtype=float).ravel()]}


def _measure(given: str | Mapping[str, Any]) -> dict[str, Any]:
    return {"column": given} if isinstance(given, str) else dict(plain(dict(given)))


def _plan(vary: Mapping[Any, Any], measures: Iterable[Any], more: Mapping[str, Any]) -> str:
    axes = [_axis(key, values) for key, values in vary.items()]
    names: set[str] = set()
    for axis in axes:  # theta of two links: the second is theta_2
        first = axis["key"] if "key" in axis else axis["keys"][0]
        name = axis.get("name", first.rsplit(".", 1)[-1])
        count = 1
        while "name" not in axis and (name if count == 1 else f"{name}_{count}") in names:
            count += 1
        if count > 1:
            axis["name"] = f"{name}_{count}"
        names.add(axis.get("name", name))
    return json.dumps({**plain(dict(more)), "vary": axes, "measures": [_measure(one) for one in measures]})


def compute_chunk(plan: str, scene: str, name: str, first: int, count: int) -> list[Chunk]:
    """Cases [first, first + count) on one thread: what an executor's workers do. Each keeps the last plan it was given."""
    key = (plan, scene, name)
    if _kept.get("key") != key:
        _kept["key"], _kept["work"] = key, _engine.SweepWork(plan, scene, name)
    work: _engine.SweepWork = _kept["work"]
    return work.compute(first, count, 1)


_kept: dict[str, Any] = {}


class _Collected:
    """Chunks as they come, and what is still to do."""

    def __init__(self, cases: int, progress: Callable[[int, int], None] | None) -> None:
        self.cases = cases
        self.chunks: list[Chunk] = []
        self.done = 0
        self._progress = progress

    def take(self, chunks: list[Chunk]) -> int:
        got = sum(chunk[1] for chunk in chunks)
        self.chunks += chunks
        self.done += got
        if self._progress:
            self._progress(self.done, self.cases)
        return got


def _on_threads(work: _engine.SweepWork, into: _Collected, threads: int, seconds: float) -> bool:
    """False where Ctrl-C ended it."""
    first, count = 0, 1
    while first < into.cases:
        begin = time.perf_counter()
        wanted = min(count, into.cases - first)
        try:
            if into.take(work.compute(first, wanted, threads)) < wanted:
                return False
        except KeyboardInterrupt:  # between chunks, or in `progress`
            return False
        first += wanted
        spent = max(time.perf_counter() - begin, 1e-6)
        count = max(1, min(int(wanted * seconds / spent), 16 * count + 64))
    return True


def _on_executor(executor: concurrent.futures.Executor, texts: tuple[str, str, str], into: _Collected, seconds: float,
                 retries: int) -> bool:
    from concurrent.futures import FIRST_COMPLETED, wait

    begin = time.perf_counter()
    probe = min(8, into.cases)  # how long a case takes, where it will be computed
    into.take(executor.submit(compute_chunk, *texts, 0, probe).result())
    each = (time.perf_counter() - begin) / probe
    size = max(1, int(seconds / each))
    todo = [(first, min(size, into.cases - first), 0) for first in range(probe, into.cases, size)][::-1]
    running: dict[Any, tuple[int, int, int]] = {}
    most = 4 * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
    try:
        while todo or running:
            while todo and len(running) < most:
                first, count, tries = todo.pop()
                running[executor.submit(compute_chunk, *texts, first, count)] = (first, count, tries)
            finished, _ = wait(list(running), return_when=FIRST_COMPLETED)
            for future in finished:
                first, count, tries = running.pop(future)
                try:
                    into.take(future.result())
                except _engine.InputError:
                    raise
                except Exception as error:  # a worker was lost, or an executor's own trouble: once more
                    if tries >= retries:
                        raise RuntimeError(f"cases {first} to {first + count - 1} were lost {tries + 1} times") from error
                    todo.append((first, count, tries + 1))
    except KeyboardInterrupt:
        for future in running:
            future.cancel()
        return False
    return True


def _texts(scene: Any, vary: Mapping[Any, Any] | None, measures: Iterable[Any] | None, settings: dict[str, Any],
           more: dict[str, Any]) -> tuple[str, str, str]:
    if vary is not None:
        if measures is None:
            raise TypeError("sweep needs measures: a list of columns, or of tables as in [[sweep.measures]]")
        if isinstance(settings.get("method"), Step):
            raise TypeError("a step of one's own is a function of this process: cases are computed elsewhere; give a Tableau")
        read = prepared(scene, **settings)
        return _plan(vary, measures, more), read.json, read.name
    set_: list[str] = []
    for key, value in settings.items():
        if key == "set":
            set_ += [f"{path}={toml(one)}" for path, one in value.items()] if isinstance(value, Mapping) else list(value)
        else:
            set_.append(f"simulation.{key}={toml(value)}")
    if isinstance(scene, Mapping):
        plan, found, name, _ = _engine.sweep_texts("<sweep>", json.dumps(plain(dict(scene))), set_)
    else:
        named = os.fspath(scene)
        try:
            plan, found, name, _ = _engine.sweep_texts(named, "", set_)
        except _engine.InputError as error:
            must_open(named, str(error))
            raise
    return plan, found, name


def sweep(
    scene: SceneLike,
    vary: Mapping[Any, Any] | None = None,
    measures: Iterable[Any] | None = None,
    *,
    samples: int | None = None,
    seed: int | None = None,
    sampler: str | None = None,
    skip: str | None = None,
    energy: float | None = None,
    solve: str | None = None,
    executor: concurrent.futures.Executor | None = None,
    threads: int = 0,
    chunk_seconds: float = 1.0,
    retries: int = 3,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> Sweep:
    """Measures of many cases of a scene.

    scene: as for `simulate`, with `vary` and `measures`; or a plan: a file, the name of a shipped sweep, a dictionary with
    "sweep" in it.
    vary: by path of the numbers that vary, or several paths in a tuple: values, or a table as in [[sweep.vary]]
    ({"uniform": [0, 1]}). measures: columns, whose last values are meant, or tables as in [[sweep.measures]].
    executor: any of `concurrent.futures`, or what has its form (Dask's `client.get_executor()`, mpi4py's): chunks of about
    `chunk_seconds` go to it, and those that are lost are computed again, up to `retries` times. None: threads here.
    progress: called with cases done and all cases. Other keywords are settings as of `simulate`.

    Ctrl-C keeps what there is: cases that were not computed have status 3.

    >>> import catena as ct
    >>> import numpy as np
    >>> found = ct.sweep("pendulum", {"chain.links.1.theta": np.linspace(0.1, 3, 5)}, ["theta_1"], duration=1)
    >>> found["theta_1"].shape
    (5,)
    """
    given = {"samples": samples, "seed": seed, "sampler": sampler, "skip": skip, "energy": energy, "solve": solve}
    more = {key: value for key, value in given.items() if value is not None}
    if vary is None and more:
        raise TypeError(f"{next(iter(more))} stands in the plan; it is an argument where `vary` is")
    texts = _texts(scene, vary, measures, settings, more)
    work = _engine.SweepWork(*texts)
    into = _Collected(work.cases, progress)
    begin = time.perf_counter()
    if executor is None:
        whole = _on_threads(work, into, threads, chunk_seconds)
    else:
        whole = _on_executor(executor, texts, into, chunk_seconds, retries)
    if not whole:
        warnings.warn(f"interrupted: {into.done} of {into.cases} cases are done", RuntimeWarning, stacklevel=2)
    outcome = "done" if whole else "interrupted"
    return Sweep(work.assembled(into.chunks, time.perf_counter() - begin, "cpu", outcome))
