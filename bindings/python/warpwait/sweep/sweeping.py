"""Sweeps in this process: run a launch at every point of the axes, and keep the results as a store in memory."""
from __future__ import annotations

import concurrent.futures
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy
import pandas

from .. import _library, progress as progressing
from .._checks import encoded, raw, whole, write
from .._library import Handle
from .._optional import need
from ..errors import BadInput, Cancelled, Unfinished, Unsupported, WarpwaitError, entry
from ..launch import Launch
from ..machine import Machine, machines, parameters
from ..program import word_of
from ..recording import Recording
from ..report import Report
from ..running import Work, copies_of, recorded, run, run_recording
from . import answers
from ._errors import SweepError, unknown
from .expression import Expression, number_of
from .sensitivity import Shares, around, over_all
from .store import APPLICATION, VERSION, Store, quoted

__all__ = ["Results", "sweep"]

CHUNK = 8  # points per task on a cluster
MOST_POINTS = 1 << 20
Row = tuple[str, str | None, dict[str, float]]  # status, reason, metrics
Elsewhere = tuple[list[Row | None], dict[str, tuple[str, str]]]


class Results(Store):
    """The results of a sweep, in memory: a Store, with the common questions as methods.

    frame(): a pandas DataFrame of the points with their axes and metrics (docs/sweep.md). save() writes a file for
    `warpwait sweep query`.
    """

    def __init__(self, base: sqlite3.Connection) -> None:
        self._base = base
        super().__init__("the sweep")

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        yield self._base

    def best(self, by: str | None = None, where: str | None = None, count: int = 10) -> pandas.DataFrame:
        """The best points by a metric, an axis or an expression over them (with `max:` in front if large is good)."""
        return answers.best(self, by, where, count)

    def pareto(self, over: str | Sequence[str] | None = None, where: str | None = None) -> pandas.DataFrame:
        """The points that no other point beats: none is as good in all objectives and better in one."""
        return answers.pareto(self, over if over is None or isinstance(over, str) else ",".join(over), where)

    def knee(self, axis: str, by: str | None = None, where: str | None = None) -> tuple[pandas.DataFrame, int | None]:
        """The best point for each value of an axis, and the row from which more of it gains less (None: no such
        row)."""
        return answers.knee(self, axis, by, where)

    def sensitivity(self, by: str | None = None, where: str | None = None) -> Shares:
        """Each axis's share of the variance over all points: `.table` is a frame."""
        return over_all(self, by, where)

    def around(self, by: str | None = None, where: str | None = None) -> tuple[pandas.DataFrame, pandas.Series]:
        """The effect of each axis alone around the best point, and that point."""
        return around(self, by, where)

    def plot(self, picture: str = "pareto", **options: Any) -> Any:
        """Draws "pareto" (over=), "lines" (axis=, by=, lines=), "heat" (axes=, by=) or "tornado" (by=); returns
        matplotlib's axes. The options are those of warpwait.sweep.pictures."""
        pictures = need("warpwait.sweep.pictures")
        if picture not in ("pareto", "lines", "heat", "tornado"):
            raise SweepError(f"plot: no picture '{picture}'; expected pareto, lines, heat or tornado")
        if picture == "pareto":
            options = {"over": f"{self.time},cost", **options}
        return getattr(pictures, picture)(self, **options)[0]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a store (.sqlite) that `warpwait sweep query` reads, or comma-separated values (.csv)."""
        raw(path)
        if str(path).endswith(".csv"):
            write(path, self.to_pandas().to_csv(index=False).encode())
            return
        try:
            with sqlite3.connect(path) as file:
                self._base.backup(file)
            file.close()
        except sqlite3.Error as error:
            raise SweepError(f"{path}: {error}") from None

    def __len__(self) -> int:
        return sum(self.counts.values())

    def to_pandas(self) -> pandas.DataFrame:
        """All points with all metrics, including those that did not finish."""
        return self.frame(list(self.metrics.index), unfinished=True)

    def to_dict(self) -> list[dict[str, Any]]:
        """All points as a list of dictionaries."""
        found: list[dict[str, Any]] = self.to_pandas().to_dict("records")
        return found

    def _repr_html_(self) -> str:
        from ..display import results_html
        return results_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._base.serialize(),)

    def __repr__(self) -> str:
        told = ", ".join(f"{count} {status}" for status, count in self.counts.items())
        return f"<Results: {told}; axes {', '.join(self.axes)}>"


def _again(data: bytes) -> Results:
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.deserialize(data)
    return Results(base)


# ---- points ----------------------------------------------------------------------------------------

def words_of(axes: Mapping[str, Any]) -> dict[str, list[str]]:
    """The axes' values as words. Raises BadInput for an axis that is not valid."""
    if not axes:
        raise BadInput("axes: expected a mapping from parameters to their values")
    found = {}
    for axis, values in axes.items():
        if not isinstance(axis, str) or axis not in parameters() and axis != "machine" and not axis.startswith("define."):
            raise BadInput(str(unknown("axis", str(axis), [*parameters(), "machine", "define.NAME"])), key=str(axis))
        values = [values] if isinstance(values, (str, int, Machine)) or not hasattr(values, "__iter__") else values
        words = [name_of(value) if axis == "machine" else word_of(value) for value in values]
        if not words or any(not word or " " in word for word in words) or len(set(words)) < len(words):
            raise BadInput(f"{axis}: expected different values without blanks, found {words}", key=axis)
        found[axis] = words
    return found


def name_of(machine: Any) -> str:
    """The name of a machine on an axis. Raises BadInput if it cannot be loaded by a name."""
    if isinstance(machine, Machine):
        if machine.changed() or machine.name not in machines():
            raise BadInput(f"machine: {machine!r}: expected names of built-in machines, or paths of files")
        return machine.name
    return str(machine)


class Grid:
    """The points of axes, by number; the last axis varies fastest. kept: those for which the constraint is true."""

    def __init__(self, words: dict[str, list[str]], where: str | None) -> None:
        self.words = words
        for axis, values in words.items():
            for word in values:
                raw(word)
                encoded(axis, word, errors="strict")  # the store of the results is UTF-8
        count = int(numpy.prod([float(len(values)) for values in words.values()]))
        if count > MOST_POINTS:
            raise BadInput(f"axes: {count:,} points are more than {MOST_POINTS:,}; `warpwait sweep` can run more")
        self.points = [dict(zip(words, values)) for values in itertools.product(*words.values())]
        self.kept = list(range(count))
        if where:
            frame = pandas.DataFrame(self.points)
            holds = Expression(where).check(list(words)).holds(frame)
            self.kept = [number for number in self.kept if holds[number]]
            if not self.kept:
                raise BadInput(f"where: no point satisfies `{where}`")


METRICS: dict[str, tuple[str, str]] = {}  # unit and text of each metric that this process has seen


def metrics_of(handle: Handle) -> dict[str, float]:
    """The metrics of a report."""
    callbacks, values = _library.Callbacks(), dict[str, float]()

    def take(row: Any) -> None:
        name = _library.text(row.name)
        values[name] = row.value
        if name not in METRICS:
            METRICS[name] = _library.text(row.unit), _library.text(row.text)

    callbacks.metric = take
    with callbacks.calling():
        _library.call("report_metrics", handle, _library.take_metric, callbacks.number)
    return values


def outcome_of(run_point: Callable[[], Report]) -> Row | None:
    """The result of a point; None if the recording cannot be replayed there, so that the point needs its own run."""
    try:
        report = run_point()
        assert report.handle is not None
        return "finished", None, metrics_of(report.handle)
    except Unfinished as error:
        return next(launch.end for launch in error.report.launches if launch.end != "finished"), str(error), {}
    except Unsupported:
        return None
    except BadInput as error:
        return "refused", str(error), {}


def machine_at(base: Machine, point: Mapping[str, str]) -> Machine:
    """The machine of a point. Raises BadInput."""
    if "machine" in point:
        base = Machine(point["machine"]).with_(base.changed())
    return base.with_({axis: word for axis, word in point.items() if axis in parameters()})


def replay_points(recording: Recording, base: Machine, points: Sequence[Mapping[str, str]],
                  go_on: Callable[[], bool] = lambda: True) -> list[Row | None]:
    """The results of replaying a recording at points."""
    def tell(*_: int) -> bool:
        return go_on()

    return [outcome_of(lambda point=point: run_recording(  # type: ignore[misc]
        recording, machine_at(base, point), {"progress": tell})) for point in points]


def replay_elsewhere(recording: Recording, base: Machine, points: Sequence[Mapping[str, str]]) -> Elsewhere:
    """The results of replaying a recording at points, and the metrics' units and texts. Workers of a cluster run
    this."""
    return replay_points(recording, base, points), METRICS


# ---- sweeping --------------------------------------------------------------------------------------

class Sweeping:
    """A sweep: what runs at its points, and on which machine."""

    def __init__(self, work: Work, machine: Machine | None, launch: dict[str, Any], defines: list[str],
                 cycle_limit: int) -> None:
        self.work, self.launch, self.cycle_limit = work, launch, cycle_limit
        self._copies = None if isinstance(work, (Recording, Report)) else copies_of(work, launch)
        if defines and not isinstance(self._copies, Launch):
            raise BadInput(f"{defines[0]}: only an OpenCL C kernel has macros to sweep")
        self.machine = machine or (recorded(work, None, launch).machine if self._copies is None else
                                   None if isinstance(self._copies, (str, os.PathLike)) else Machine.of(None))
        self.recordings: dict[tuple[str, ...], Recording] = {}
        self.works: dict[tuple[str, ...], Any] = {}

    def prepare(self, macros: Mapping[str, str]) -> tuple[Recording, Any]:
        """The recording with a point's macros, and the work to run at points where it cannot be replayed."""
        key = tuple(macros.values())
        if key not in self.recordings:
            work: Any = self._copies
            if macros and isinstance(work, Launch):
                kernel = work.kernel
                again = kernel.program.with_({axis.removeprefix("define."): word for axis, word in macros.items()})
                work = work.copied(again.kernel(kernel.name))
            self.works[key] = work
            try:
                self.recordings[key] = recorded(self.work if work is None else work, self.machine,
                                                self.launch if work is None else {}, self.cycle_limit)
            except Unfinished as error:
                self.machine = self.machine or error.report.machine
                raise
            if self.machine is None:
                self.machine = self.recordings[key].machine
        return self.recordings[key], self.works[key]

    @property
    def base(self) -> Machine:
        """The machine that points change; known after the first recording."""
        assert self.machine is not None
        return self.machine

    def run(self, work: Any, point: Mapping[str, str]) -> Row:
        """Runs a point at which the recording cannot be replayed."""
        if work is None:
            return "refused", "the recording does not show what happens on this machine, and there is no kernel to run", {}
        on = self.base
        fresh = work.copied() if isinstance(work, Launch) else work
        try:
            return outcome_of(lambda: run(fresh, machine_at(on, point), record=False, progress=False,
                                          cycle_limit=self.cycle_limit)) or \
                ("refused", "not modeled on this machine", {})
        except WarpwaitError as error:
            return "refused", str(error), {}


@entry
def sweep(work: Work, axes: Mapping[str, Any], machine: Machine | str | None = None, *, where: str | None = None,
          cost: str | None = None, jobs: int = 0, dask: Any = None, cycle_limit: int = 0, progress: Any = None,
          **launch: Any) -> Results:
    """Runs the work at every point of the axes; the results are a store (frame(), pareto(), sensitivity(), ...).

        results = ww.sweep(kernel, {"dma.channels": [1, 2, 4], "define.DEPTH": [1, 2, 3]}, "h200",
                           global_size=4096, args=[x, out], cost="dma.channels * define.DEPTH")
        results.frame(["cycles", "cost"])

    work: a launch, several at once, a launch file, a recording, a report that has one, or a kernel with its launch's
    arguments. It is recorded once for each choice of macros and replayed at each point; the caller's arrays do not
    change. axes: parameters of the machine, "define.NAME" for macros of OpenCL C, "machine" for machines, each with its
    values. where: an expression over axes; only points for which it is true run. cost: an expression over axes and
    metrics, which becomes the metric `cost`. jobs: threads (default: one per processor). dask: a distributed.Client or
    a scheduler's address; its workers run the points, and need this package. If a point's machine is not valid, or the
    point does not finish, its `status` and `reason` say so. Raises BadInput, SweepError and KeyboardInterrupt.
    """
    words = words_of(axes)
    grid, defines = Grid(words, where), [axis for axis in words if axis.startswith("define.")]
    base = None if machine is None else Machine.of(machine)
    if "machine" in words:
        base = Machine(words["machine"][0]).with_(base.changed() if base else {})
    priced = None if cost is None else Expression(cost)
    whole("jobs", jobs, 0, 1024)
    sweeping = Sweeping(work, base, launch, defines, cycle_limit)
    tell, close = progressing.told(progress, "points")
    rows: dict[int, Row] = {}
    try:
        for number, row in _outcomes(sweeping, grid, defines, jobs, dask):
            rows[number] = row
            if tell and tell(0, len(rows), len(grid.kept)) is False:
                raise Cancelled(f"ended by its caller after {len(rows)} of {len(grid.kept)} points")
    finally:
        close()
    return Results(_store(grid, rows, priced))


def _outcomes(sweeping: Sweeping, grid: Grid, defines: list[str], jobs: int, dask: Any) -> Iterator[tuple[int, Row]]:
    """(number, row) of each point, in the order in which they are done."""
    tasks: list[tuple[Recording, Any, list[int]]] = []
    for macros, numbers in _by_macros(grid, defines):
        try:
            recording, work = sweeping.prepare(macros)
        except BadInput as error:
            if not defines:
                raise  # the work itself is wrong, not only some points
            row: Row = ("refused", str(error), {})
            yield from ((number, row) for number in numbers)
            continue
        except Unfinished:  # it may finish on other machines
            work = sweeping.works[tuple(macros.values())]
            yield from ((number, sweeping.run(work, grid.points[number])) for number in numbers)
            continue
        size = CHUNK if dask is not None else 1
        tasks += [(recording, work, numbers[first:first + size]) for first in range(0, len(numbers), size)]
    running = _on_cluster if dask is not None else _on_threads
    for (_, work, numbers), found in running(sweeping, grid, tasks, dask if dask is not None else jobs):
        for number, there in zip(numbers, found):
            yield number, sweeping.run(work, grid.points[number]) if there is None else there


def _by_macros(grid: Grid, defines: list[str]) -> list[tuple[dict[str, str], list[int]]]:
    """The points by the macros that they define."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for number in grid.kept:
        groups.setdefault(tuple(grid.points[number][axis] for axis in defines), []).append(number)
    return [(dict(zip(defines, values)), numbers) for values, numbers in groups.items()]


def _on_threads(sweeping: Sweeping, grid: Grid, tasks: list[Any], jobs: int) -> Iterator[tuple[Any, list[Row | None]]]:
    """Runs the tasks on threads, which works because Python's other threads run during library calls."""
    goes_on = [True]
    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        futures = {pool.submit(replay_points, recording, sweeping.base, [grid.points[n] for n in numbers],
                               lambda: goes_on[0]): (recording, work, numbers) for recording, work, numbers in tasks}
        try:
            for future in concurrent.futures.as_completed(futures):
                yield futures[future], future.result()
        finally:
            goes_on[0] = False
            pool.shutdown(cancel_futures=True)


def _on_cluster(sweeping: Sweeping, grid: Grid, tasks: list[Any], dask: Any) -> Iterator[tuple[Any, list[Row | None]]]:
    """Runs the tasks on the workers of a Dask cluster."""
    distributed = need("distributed")
    client = distributed.Client(dask) if isinstance(dask, str) else dask
    scattered: dict[int, Any] = {}
    futures = {}
    for recording, work, numbers in tasks:
        if id(recording) not in scattered:
            scattered[id(recording)] = client.scatter(recording)
        futures[client.submit(replay_elsewhere, scattered[id(recording)], sweeping.base,
                              [grid.points[n] for n in numbers], pure=False)] = (recording, work, numbers)
    try:
        for future in distributed.as_completed(list(futures)):
            found, told = future.result()
            METRICS.update(told)
            yield futures[future], found
    finally:
        client.cancel(list(futures))
        if isinstance(dask, str):
            client.close()


# ---- results as a store ----------------------------------------------------------------------------

def _store(grid: Grid, rows: Mapping[int, Row], cost: Expression | None) -> sqlite3.Connection:
    """A store in memory (docs/sweep-store.md)."""
    base = sqlite3.connect(":memory:", check_same_thread=False)
    metrics = dict.fromkeys(name for _, _, values in rows.values() for name in values)
    told = {name: METRICS[name] for name in metrics}
    if cost is not None:
        told["cost"] = ("", "The sweep's `cost` of the point.")
    columns = ", ".join(quoted(name) for name in (*grid.words, *told))
    base.executescript(
        f"PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION};"
        "CREATE TABLE sweep(name TEXT PRIMARY KEY, value TEXT);"
        "CREATE TABLE axes(position INTEGER PRIMARY KEY, name TEXT, kind TEXT, words TEXT);"
        "CREATE TABLE metrics(position INTEGER PRIMARY KEY, name TEXT, unit TEXT, text TEXT);"
        f"CREATE TABLE points(key TEXT PRIMARY KEY, number INTEGER, status TEXT, reason TEXT, {columns});")
    base.executemany("INSERT INTO sweep VALUES (?, ?)", [
        ("factors", " ".join(grid.words)), *([("cost", cost.text)] if cost is not None else [])])
    base.executemany("INSERT INTO axes VALUES (?, ?, ?, ?)",
                     [(place, axis, _kind(axis), " ".join(words)) for place, (axis, words)
                      in enumerate(grid.words.items())])
    base.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?)",
                     [(place, name, *rest) for place, (name, rest) in enumerate(told.items())])
    records = [_record(grid, number, rows[number], list(metrics)) for number in sorted(rows)]
    if cost is not None:
        _add_costs(cost, records, [*grid.words, *metrics])
    marks = ", ".join("?" * (4 + len(grid.words) + len(told)))
    base.executemany(f"INSERT INTO points VALUES ({marks})", records)
    base.commit()
    return base


def _kind(axis: str) -> str:
    return "machine" if axis == "machine" else "define" if axis.startswith("define.") else "parameter"


def _record(grid: Grid, number: int, row: Row, metrics: Sequence[str]) -> list[Any]:
    """A row of the table `points`."""
    point, (status, reason, values) = grid.points[number], row
    key = " ".join(f"{axis}={point[axis]}" for axis in sorted(point))
    numbers = [number_of(word) for word in point.values()]
    return [key, number, status, reason,
            *(word if value is None else _whole(value) for word, value in zip(point.values(), numbers)),
            *(_whole(values[name]) if name in values else None for name in metrics)]


def _whole(value: float) -> float:
    """The value, as an int if it is whole."""
    return int(value) if value.is_integer() else value


def _add_costs(cost: Expression, records: list[list[Any]], names: list[str]) -> None:
    """Appends the cost of each point to its metrics. Raises SweepError for a name that is neither axis nor metric."""
    frame = pandas.DataFrame([record[4:] for record in records], columns=names)
    for record, value in zip(records, cost.check(names).value(frame)):
        record.append(_whole(float(value)) if numpy.isfinite(value) else None)
