"""`optimize`: finds the best point by a search that runs few of the plan's points: differential evolution over the
indices of the axes' values.

Each generation is a batch of points. An evaluator runs those that the store lacks. The search reads results only from
the store, so an interrupted search continues where it stopped, and two searches with the same seed are the same,
whatever the store contained before.
"""
from __future__ import annotations

import dataclasses
import math
import os
import re
import subprocess
import tempfile
import typing

import numpy
import pandas

from .._arrays import Floats, Whole
from .._checks import lines_of
from .._optional import need
from .answers import objective
from ._errors import SweepError
from .expression import Expression
from .store import FINISHED, Store, numbers_or_words

optimize = need("scipy.optimize")

LOST = 1e30  # the loss of a point that violates a limit; three times that if it did not finish or is not in the plan
MOST_NUMBER, MOST_GENERATIONS = 2 ** 62, 100000
IDLE = 10  # generations without a new point that end a search


class Evaluator(typing.Protocol):
    """Runs points."""

    def run(self, numbers: typing.Iterable[int]) -> None:
        """Runs those points with these numbers in the grid that the store lacks."""


class Command:
    """Runs points with `warpwait sweep run FILE.ini --points`; $WARPWAIT names another program."""

    def __init__(self, plan: str, store: str, options: typing.Sequence[str] = ()) -> None:
        self.plan, self.store, self.options = plan, store, options

    def run(self, numbers: typing.Iterable[int]) -> None:
        """Runs those points with these numbers in the grid that the store lacks. Without numbers, only makes the
        store."""
        program = os.environ.get("WARPWAIT", "warpwait")
        with tempfile.NamedTemporaryFile("w", prefix="warpwait-points-") as points:
            points.writelines(f"{number}\n" for number in numbers)
            points.flush()
            command = [program, "sweep", "run", self.plan, "--points", points.name, "-o", self.store, "--quiet",
                       *self.options]
            try:
                done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                      errors="replace", check=False)
            except OSError as error:
                raise SweepError(f"{program}: {error.strerror}; $WARPWAIT names another program") from None
        if done.returncode:
            told = (lines_of(done.stderr.strip()) or [f"exit status {done.returncode}"])[-1]
            raise SweepError(told.removeprefix("warpwait: "))


class Grid:
    """The points of a plan: a level for each factor. The last factor varies fastest with a point's number."""

    def __init__(self, store: Store) -> None:
        self.words, self.factors = store.words, store.factors
        self.sizes = [len(store.words[factor[0]]) for factor in store.factors]
        self.points = math.prod(self.sizes)
        self.moved = [factor for factor, size in enumerate(self.sizes) if size > 1]
        if self.points > MOST_NUMBER:
            raise SweepError(f"{store.path}: the grid has {self.points} points: expected at most 2^62")

    def levels(self, moved: Floats) -> Whole:
        """All factors' levels, an array of whole numbers, from the levels of the factors that have more than one."""
        levels = numpy.zeros((len(moved), len(self.sizes)), dtype=numpy.int64)
        levels[:, self.moved] = numpy.rint(moved).astype(numpy.int64)
        return levels

    def numbers(self, levels: Whole) -> Whole:
        """The points' numbers."""
        numbers = numpy.zeros(len(levels), dtype=numpy.int64)
        for factor, size in enumerate(self.sizes):
            numbers = numbers * size + levels[:, factor]
        return numbers

    def frame(self, levels: Whole) -> pandas.DataFrame:
        """The axes' values, as a store's frame has them, and the points' keys."""
        words = {axis: pandas.Series([self.words[axis][level] for level in levels[:, factor]], dtype=object)
                 for factor, axes in enumerate(self.factors) for axis in axes}
        keys = [" ".join(f"{axis}={words[axis][row]}" for axis in sorted(words)) for row in range(len(levels))]
        return pandas.DataFrame({"key": keys, **{axis: numbers_or_words(values) for axis, values in words.items()}})


class Limit:
    """An expression that must be true. For a comparison, also by how much it is false, which guides the search."""

    def __init__(self, text: str) -> None:
        self.expression = Expression(text)
        sides = re.split("(<=|>=|<|>)", text)
        plain = len(sides) == 3 and not any(sign in text for sign in ("&&", "||", "!", "=="))
        self.sides = [Expression(side) for side in (sides[0::2] if plain else [])]
        if plain and sides[1] in ("<=", "<"):
            self.sides.reverse()  # (the side that may be large, the side that should be small)

    def excess(self, frame: pandas.DataFrame) -> Floats:
        """0 where it is true; else how far it is from true, up to 1."""
        by = numpy.ones(len(frame))
        if self.sides:
            large, small = (side.value(frame) for side in self.sides)
            by = (small - large) / (numpy.abs(small) + numpy.abs(large) + 1e-300)
            by = numpy.where(by >= 0, numpy.clip(by, 1e-9, 1), 1.)
        return numpy.where(self.expression.holds(frame), 0., by)


@dataclasses.dataclass
class Found:
    """The result of a search. best: a row with key, axes and objective; None if no point is within the limits."""
    best: pandas.Series | None
    grid: int
    asked: int  # points that the search requested
    there: int  # of them, those that the store had before
    none: int  # of them, those that a constraint excludes from the plan
    left_out: int  # points that limits over axes ruled out without a run
    generations: int
    ended: str


class Enough(Exception):
    """The search has requested as many points as it may."""


class Search:
    """A search. It remembers the loss of every point that it has seen."""

    def __init__(self, store: Store, evaluator: Evaluator, by: str | None, limits: typing.Sequence[str], most: int) -> None:
        self.store, self.evaluator, self.most = store, evaluator, most
        self.one = objective(store, by)
        self.limits = [Limit(text) for text in limits]
        for limit in self.limits:
            limit.expression.check(store.names)
        self.grid = Grid(store)
        self.cost = self._cost()
        self.loss: dict[int, float] = {}
        self.there = self.none = self.left_out = self.generations = self.idle = 0
        self.best: pandas.Series | None = None
        self.least = LOST

    def _cost(self) -> Expression | None:
        """The plan's cost if it depends only on axes, so that it is known without a run; else None."""
        text = self.store.facts.get("cost")
        if not text or "cost" not in self.store.metrics.index:
            return None
        cost = Expression(text)
        return cost if set(cost.names) <= set(self.store.axes) else None

    def losses(self, moved: Floats) -> Floats:
        """The loss of each point of a generation. moved: an array (factors that vary, points)."""
        self.generations += 1
        levels = self.grid.levels(moved.T)
        numbers = self.grid.numbers(levels)
        new = {number: row for row, number in reversed(list(enumerate(numbers.tolist()))) if number not in self.loss}
        rows = sorted(new.values())
        self.idle = 0 if rows else self.idle + 1
        if rows:
            self._meet(numbers[rows].tolist(), self.grid.frame(levels[rows]))
        return numpy.array([self.loss[number] for number in numbers.tolist()])

    def _meet(self, numbers: list[int], frame: pandas.DataFrame) -> None:
        """Finds the losses of new points."""
        frame["number"] = numbers
        early = self._ruled_out(frame)
        for number, excess in zip(frame["number"][early > 0], early[early > 0]):
            self.loss[number] = LOST * (2 + excess)
        self.left_out += int((early > 0).sum())
        frame = frame[early == 0].reset_index(drop=True)
        room = self.most - self.asked()
        enough = len(frame) >= room
        frame = frame.head(room)
        if len(frame):
            self._evaluate(frame)
        if enough:
            raise Enough

    def asked(self) -> int:
        """The number of points that the search has requested, without those that it could rule out."""
        return len(self.loss) - self.left_out

    def _ruled_out(self, frame: pandas.DataFrame) -> Floats:
        """By how much points violate the limits that are known without a run."""
        known = set(self.store.axes)
        if self.cost is not None:
            frame = frame.assign(cost=self.cost.value(frame))
            known.add("cost")
        excess = numpy.zeros(len(frame))
        for limit in self.limits:
            if set(limit.expression.names) <= known:
                excess += limit.excess(frame)
        return excess

    def _evaluate(self, frame: pandas.DataFrame) -> None:
        """Runs points and reads their results."""
        before = self.store.rows(frame["key"])
        self.there += len(before)
        if len(before) < len(frame):
            self.evaluator.run(frame["number"][~frame["key"].isin(before["key"])].tolist())
        names = {name for names in (self.one.expression.names, *(limit.expression.names for limit in self.limits))
                 for name in names}
        came_out = frame[["key", "number"]].merge(self.store.rows(frame["key"], sorted(names)), on="key",
                                                  how="left")
        self.none += int(came_out["status"].isna().sum())
        values = self.one.loss(came_out)
        excess = sum((limit.excess(came_out) for limit in self.limits), numpy.zeros(len(came_out)))
        good = (came_out["status"] == FINISHED).to_numpy() & ~numpy.isnan(values)
        losses = numpy.where(good, numpy.where(excess > 0, LOST * (1 + excess), values), LOST * 3)
        for row, (number, loss) in enumerate(zip(came_out["number"], losses)):
            self.loss[number] = float(loss)
            if loss < self.least:
                best = came_out.iloc[row].copy()
                best[self.one.text] = self.one.sign * float(loss)
                self.least, self.best = float(loss), best


def search(store: Store, evaluator: Evaluator, by: str | None = None, limits: typing.Sequence[str] = (), seed: int = 1,
           most: int = 1000, population: int = 15, tell: typing.Callable[[Search], object] | None = None) -> Found:
    """Searches for the least objective within the limits. Returns a Found.

    most: points to request. population: members of a generation per axis. tell: called with the Search after each
    generation. The same arguments give the same answer.
    """
    one = Search(store, evaluator, by, limits, most)
    bounds = [(0, one.grid.sizes[factor] - 1) for factor in one.grid.moved]
    if not bounds:
        raise SweepError(f"{store.path}: no axis has two values, so there is nothing to search")

    def after_generation(*_: object, **__: object) -> bool:
        if tell:
            tell(one)
        return one.idle >= IDLE

    try:
        # No tolerance: points within a per cent of each other may differ in whether they are within the limits.
        optimize.differential_evolution(
            one.losses, bounds, integrality=[True] * len(bounds), vectorized=True, updating="deferred", polish=False,
            seed=seed, popsize=max(population, -(-5 // len(bounds))), maxiter=MOST_GENERATIONS, tol=0, atol=0,
            callback=after_generation)
        ended = f"no new point in {IDLE} generations" if one.idle >= IDLE else "all points of a generation are equally good"
    except Enough:
        ended = f"{most} points were evaluated"
    return Found(one.best, one.grid.points, one.asked(), one.there, one.none, one.left_out, one.generations, ended)
