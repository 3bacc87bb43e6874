"""Reads stores of `warpwait sweep`: the sweep's facts, and its points as pandas frames. docs/sweep-store.md has the
schema. A store can be read while a sweep writes to it; the points are then those of one moment."""
from __future__ import annotations

import contextlib
import errno
import os
import pathlib
import re
import sqlite3
import stat
import typing
import urllib.parse

import numpy
import pandas

from .._checks import raw
from ._errors import SweepError, unknown
from .expression import Expression, number_of

TABLES = ("sweep", "axes", "metrics", "points")
VERSION, APPLICATION = 1, 1465348983
FINISHED = "finished"
CELL = 1 << 24  # largest cell or row in bytes, as in store.c
SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")  # ends a journal that names one


class Store:
    """An existing store. Raises SweepError if the file is not a store.

    facts: the provenance, a dictionary of text. axes: names, in the plan's order. words: for each axis, its values as
    written. factors: lists of axes that change together (a zip is one factor; any other axis is its own). metrics: a
    frame (unit, text) by name.
    """

    facts: dict[str, typing.Any]
    metrics: pandas.DataFrame
    counts: dict[str, int]
    words: dict[str, list[str]]

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(raw(path))
        with self._reading() as base:
            self.facts = {str(name): value for name, value in base.execute("SELECT name, value FROM sweep")}
            rows = base.execute("SELECT name, words FROM axes ORDER BY position").fetchall()
            self.metrics = pandas.read_sql("SELECT name, unit, text FROM metrics ORDER BY position", base,
                                           index_col="name")
            self.counts = dict(base.execute("SELECT status, count(*) FROM points GROUP BY status ORDER BY 2 DESC, 1"))
            columns = {row[1] for row in base.execute("PRAGMA table_info(points)")}
        self.words = {str(name): str(words).split() for name, words in rows}
        self.axes = list(self.words)
        self.factors = [factor.split("+") for factor in self.facts.get("factors", " ".join(self.axes)).split()]
        self._check(columns)

    def _check(self, columns: set[str]) -> None:
        """Raises SweepError if a column is missing: SQLite would take its quoted name for a string."""
        lacking = [name for name in ("key", "number", "status", "reason", *self.names) if name not in columns]
        if lacking or sorted(axis for factor in self.factors for axis in factor) != sorted(self.axes):
            said = f"`points` has no column {lacking[0]}" if lacking else "`factors` and `axes` have different axes"
            raise SweepError(f"{self.path}: expected a store of `warpwait sweep`: {said}")

    @property
    def names(self) -> list[str]:
        """All names of axes and metrics."""
        return [*self.axes, *self.metrics.index]

    @property
    def time(self) -> str:
        """The metric that compares the time of points: cycles, unless an axis can change the clock."""
        varies = any(len(self.words.get(axis, ())) > 1 for axis in ("machine", "cu.clock_mhz"))
        return "microseconds" if varies and "microseconds" in self.metrics.index else "cycles"

    def clocks(self, where: str | None = None) -> list[int]:
        """The clocks of the finished points, in MHz."""
        if self.time == "cycles":
            return []
        points = self.frame(["cycles", "microseconds"], where)
        return sorted(int(clock) for clock in (points["cycles"] / points["microseconds"]).round().dropna().unique())

    def unit(self, name: str) -> str:
        """The unit of a metric; "" for everything else."""
        return (self.metrics["unit"].get(name) or "") if name in self.metrics.index else ""

    def metric(self, name: str) -> str:
        """The name. Raises SweepError with the most similar one if there is no such axis or metric."""
        if name not in self.names:
            raise unknown("axis or metric", name, self.names)
        return name

    def axis(self, name: str) -> str:
        """The name. Raises SweepError with the most similar one if there is no such axis."""
        if name not in self.axes:
            raise unknown("axis", name, self.axes)
        return name

    def frame(self, names: typing.Iterable[str] = (), where: str | None = None,
              unfinished: bool = False) -> pandas.DataFrame:
        """Points, ordered by number: number, key, status, reason, all axes, and the metrics in `names`.

        Axes whose values are all numbers are numbers, others words. where: an expression that selects points.
        unfinished: include points that did not finish. Raises SweepError if there is no such point.
        """
        names = [self.metric(name) for name in ([names] if isinstance(names, str) else names)]
        condition = Expression(where).check(self.names) if where else None
        wanted = dict.fromkeys(name for name in [*names, *(condition.names if condition else [])]
                               if name not in self.axes)
        columns = ", ".join(quoted(name) for name in ("number", "key", "status", "reason", *self.axes, *wanted))
        chosen = "" if unfinished else f" WHERE status = '{FINISHED}'"
        with self._reading() as base:
            points = pandas.read_sql(f"SELECT {columns} FROM points{chosen} ORDER BY number, key", base)
        self._typed(points, wanted)
        if condition is not None:
            points = points[condition.holds(points)].reset_index(drop=True)
        if points.empty:
            raise SweepError(f"{self.path}: {self._none(where, unfinished)}")
        return points

    def rows(self, keys: typing.Iterable[str], names: typing.Iterable[str] = ()) -> pandas.DataFrame:
        """The points with these keys that the store has now, finished or not: key, status, axes, metrics."""
        wanted = [name for name in names if name not in self.axes]
        columns = ", ".join(quoted(name) for name in ("key", "status", *self.axes, *wanted))
        keys, parts = list(keys), []
        with self._reading() as base:
            for first in range(0, len(keys), 500):
                some = keys[first:first + 500]
                marks = ", ".join("?" * len(some))
                parts.append(pandas.read_sql(f"SELECT {columns} FROM points WHERE key IN ({marks})", base, params=some))
        points = pandas.concat(parts, ignore_index=True)
        self._typed(points, wanted)
        return points

    def _typed(self, points: pandas.DataFrame, metrics: typing.Iterable[str]) -> None:
        """Converts axes to numbers or words, and metrics to numbers."""
        for name in self.axes:
            points[name] = numbers_or_words(points[name])
        for name in metrics:
            numbers = pandas.to_numeric(points[name], errors="coerce")
            points[name] = numbers.mask(numpy.isinf(numbers))  # infinity is not a measurement, and cannot be drawn

    def _none(self, where: str | None, unfinished: bool) -> str:
        if not self.counts:
            return "the store has no points yet"
        if FINISHED not in self.counts and not unfinished:
            return f"none of its {sum(self.counts.values())} points finished; `query errors` says why"
        return f"no point satisfies `{where}`"

    @contextlib.contextmanager
    def _reading(self) -> typing.Iterator[sqlite3.Connection]:
        """A connection that only reads. Raises SweepError if this is not a store."""
        if not pathlib.Path(self.path).is_file():
            missing = "is a folder" if pathlib.Path(self.path).is_dir() else "No such file or directory"
            raise SweepError(f"{self.path}: {missing}")
        if not is_plain_journal(os.path.realpath(self.path) + "-journal"):
            raise SweepError(f'{self.path}: the file with "-journal" after this name is not the journal of a sweep; remove it')
        base = None
        try:
            # Not mode=ro, which could not roll back an incomplete transaction of a killed sweep.
            base = sqlite3.connect(f"file:{urllib.parse.quote(raw(self.path))}?mode=rw", uri=True)
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL)
            base.text_factory = lambda text: text.decode("utf-8", "replace")
            base.execute("PRAGMA query_only = ON")
            have = {row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if lacking := [name for name in TABLES if name not in have]:
                raise SweepError(f"{self.path}: expected a store of `warpwait sweep`, found a database without the "
                                 f"table {lacking[0]}")
            version, = base.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                raise SweepError(f"{self.path}: has version {version}, but this program reads version {VERSION}")
            yield base
        except (sqlite3.Error, pandas.errors.DatabaseError, UnicodeDecodeError) as error:
            told = str(error.__cause__ or error).replace("\n", " ")
            raise SweepError(f"{self.path}: expected a store of `warpwait sweep`: {told}") from None
        finally:
            if base is not None:
                base.close()


def is_plain_journal(path: str) -> bool:
    """Whether SQLite may roll back this journal, or there is none. tools/sweep/store.c says what could go wrong."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        return error.errno == errno.ENOENT
    with open(file, "rb") as journal:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return False
        size = os.fstat(file).st_size
        return os.pread(journal.fileno(), 8, max(size - 8, 0)) != SUPER_JOURNAL


def quoted(name: str) -> str:
    """A column's name, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def numbers_or_words(values: pandas.Series) -> pandas.Series:
    """A column of an axis: as numbers if all its values are numbers, else as words."""
    if values.dtype.kind in "biuf" and numpy.isfinite(values).all():
        return values
    different = {word: number_of(str(word)) for word in values.unique()}
    if any(number is None or not numpy.isfinite(number) or re.match(r"-?0\d", str(word))
           for word, number in different.items()):
        return values.astype(str)
    numbers = values.map(different).astype(float)
    return numbers.astype("int64") if (numbers == numbers.round()).all() and numbers.abs().max() < 2 ** 53 else numbers


def levels(values: pandas.Series) -> list[typing.Any]:
    """The values of an axis: numbers in ascending order, words in the order of appearance."""
    found = values.unique()
    return sorted(found) if values.dtype.kind in "biuf" else list(found)


def provenance(store: Store) -> dict[str, object]:
    """The facts about this sweep, without the long ones."""
    return {name: value for name, value in store.facts.items() if value is not None and "\n" not in str(value)}


def plain(value: typing.Any) -> typing.Any:
    """A value of a frame for JSON and CSV: whole numbers without a fraction, None for missing values."""
    if isinstance(value, (numpy.floating, float)):
        return None if not numpy.isfinite(value) else int(value) if float(value).is_integer() else float(value)
    if isinstance(value, numpy.integer):
        return int(value)
    return value
