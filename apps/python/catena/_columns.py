"""Named columns of rows, and events, which are such rows."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from ._pickled import Pickled
from ._scene import quantities as _quantities

if TYPE_CHECKING:
    import pandas
    import xarray

    from ._method import Array


class Columns(Pickled):
    """Rows of named columns. `x["theta_1"]` is a column, `x["theta"]` an array [rows, links]; attributes do as well.

    A name that a single column shares with columns of links stands for the single one; the others have `_each`
    behind it: `energy` is that of everything, `energy_each` that of each link.
    """

    def __init__(self, stems: list[tuple[str, list[str]]], rows: Array) -> None:
        self._stems = [(str(name), [str(label) for label in labels]) for name, labels in stems]
        self._rows = rows
        self._places: dict[str, slice | int] | None = None

    def _place_of(self) -> dict[str, slice | int]:
        if self._places is None:
            places: dict[str, slice | int] = {}
            single = {name for name, labels in self._stems if not labels}
            at = 0
            for name, labels in self._stems:
                width = max(1, len(labels))
                places.update({f"{name}_{label}": at + k for k, label in enumerate(labels)})
                key = name + "_each" if labels and name in single else name
                places[key] = slice(at, at + width) if labels else at
                at += width
            self._places = places
        return self._places

    @property
    def columns(self) -> list[str]:
        """Names of all columns, as in CSV."""
        return [f"{name}_{label}" if labels else name for name, labels in self._stems for label in labels or [""]]

    @property
    def rows(self) -> Array:
        """All rows, [rows, columns]."""
        return self._rows

    def _place(self, name: str) -> slice | int:
        place = self._place_of().get(name)
        if place is None:
            raise KeyError(f"there is no column '{name}'; `columns` has all names")
        return place

    def __getitem__(self, name: str) -> Array:
        column: Array = self._rows[:, self._place(name)]
        return column

    def pair(self, name: str) -> Array:
        """A column or stem as pairs, [2, ...]: its doubles, and what these cannot hold. Their sum is the number, exactly.

        They are there with precision="quad" and "double-double", and where quantities="all,digits" asks for them.

        >>> import catena as ct
        >>> run = ct.simulate("pendulum", precision="quad", duration=1, sample=1)
        >>> high, low = run.pair("theta_1")
        >>> bool(abs(low[-1]) < 1e-16)
        True
        """
        import numpy as np

        if name == "t":  # rows are at doubles
            return np.stack([self["t"], np.zeros(len(self._rows))])
        low = "lo_" + name
        if low not in self:
            raise ValueError(f"there is no column {low}: digits beyond a double are recorded of positions, velocities, angles and "
                             "coordinates, with precision=\"quad\" or quantities=\"all,digits\"")
        pair: Array = np.stack([self[name], self[low]])
        return pair

    def exact(self, name: str) -> list[Any]:
        """A column with all its digits, as fractions.Fraction: what `pair` has, added without rounding."""
        from fractions import Fraction

        high, low = self.pair(name)
        if high.ndim != 1:
            raise ValueError(f"'{name}' is more than one column: ask for one, as {name}_1")
        return [Fraction(float(one)) + Fraction(float(other)) for one, other in zip(high, low)]

    def __contains__(self, name: object) -> bool:
        return name in self._place_of()

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no column or attribute '{name}'; `columns` has the names") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *(name for name in self._place_of() if name.isidentifier())]

    def _vectors(self, prefix: str) -> Array:
        """[rows, points, 3] of all columns prefix + x, y, z: of everything that has them, side by side."""
        starts: dict[str, int] = {}
        counts = dict.fromkeys("xyz", 0)
        at = 0
        for name, labels in self._stems:
            for axis in "xyz":
                if labels and (name == prefix + axis or name.startswith(prefix + axis + "_")):
                    starts.setdefault(axis, at)
                    counts[axis] += len(labels)
            at += max(1, len(labels))
        start, count = starts.get("x", 0), counts["x"]
        if count == 0 or starts != {"x": start, "y": start + count, "z": start + 2 * count} or counts["z"] != count:
            raise ValueError(f"{prefix}x, {prefix}y and {prefix}z were not all recorded: ask for them in quantities=")
        block = self._rows[:, start : start + 3 * count].reshape(len(self._rows), 3, count)
        vectors: Array = block.transpose(0, 2, 1)
        return vectors

    @property
    def positions(self) -> Array:
        """Ends of links and centres of bodies, [rows, points, 3]."""
        return self._vectors("")

    @property
    def velocities(self) -> Array:
        """Their velocities, [rows, points, 3]."""
        return self._vectors("v")

    def to_dataframe(self) -> pandas.DataFrame:
        """All columns as a pandas DataFrame, without a copy."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas: apt install python3-pandas, or pip install pandas") from None
        return pandas.DataFrame(self._rows, columns=self.columns, copy=False)

    def to_xarray(self) -> xarray.Dataset:
        """An xarray Dataset: one variable per quantity, over t and links, bodies or joints; units as attributes."""
        try:
            import xarray
        except ImportError:
            raise ImportError("to_xarray needs xarray: apt install python3-xarray, or pip install xarray") from None
        units = {one["stem"]: one for one in _quantities()}
        dimensions: dict[tuple[str, ...], str] = {}
        variables: dict[str, Any] = {}
        at = 0
        single = {name for name, labels in self._stems if not labels}
        for name, labels in self._stems:
            width = max(1, len(labels))
            info = units.get(name, {})
            about = {"units": info["unit"], "long_name": info["summary"]} if info else {}
            if labels:
                over = dimensions.setdefault(tuple(labels), _dimension_name(labels, dimensions))
                key = name + "_each" if name in single else name
                variables[key] = (("t", over), self._rows[:, at : at + width], about)
            elif name != "t":
                variables[name] = (("t",), self._rows[:, at], about)
            at += width
        coordinates: dict[str, Any] = {name: list(labels) for labels, name in dimensions.items()}
        return xarray.Dataset(variables, coords={"t": self._rows[:, 0], **coordinates})


def _dimension_name(labels: list[str], taken: Mapping[tuple[str, ...], str]) -> str:
    base = "link" if all(label.isdigit() for label in labels) else "part"
    names = set(taken.values())
    return base if base not in names else f"{base}{sum(name.startswith(base) for name in names) + 1}"


class Events(Columns):
    """What happened of one event: its name, and a row of columns for each time.

    Of a run with derivatives, `d_time` and `d("x_1")`, or `d_x_1`, are those of the event's time and of what was recorded,
    [events, numbers]: at the event itself, whose time changes as well. NaN: it only touches zero, or jumps over it.
    """

    def __init__(self, name: str, columns: list[str], rows: Array, rates: Array | None = None) -> None:
        super().__init__([(column, []) for column in columns], rows)
        self.name = name
        self._rates = rates

    def _column(self, name: str) -> int:
        place = self._place("t" if name == "time" and "time" not in self else name)
        assert isinstance(place, int)  # each column of an event stands for itself
        return place

    def d(self, name: str) -> Array:
        """Derivatives of "time" or of a recorded column, [events, numbers]."""
        if self._rates is None:
            raise ValueError("these events have no derivatives: name numbers of the scene, simulate(.., derivatives=[..])")
        return self._rates[:, self._column(name)]

    @property
    def d_time(self) -> Array:
        """Derivatives of the event's time, [events, numbers]."""
        return self.d("time")

    def __getattr__(self, name: str) -> Array:
        if name.startswith("d_") and name not in self._place_of() and name[2:] in self._place_of():
            return self.d(name[2:])
        return super().__getattr__(name)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<Events {self.name}: {len(self)}>"
