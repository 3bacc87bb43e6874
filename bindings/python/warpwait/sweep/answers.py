"""Answers from the points of a sweep, as frames: the best points, the Pareto front, the knee of a curve, errors.
docs/sweep-analysis.md has the definitions."""
from __future__ import annotations

import dataclasses
import typing

import numpy
import pandas

from .._arrays import Flags, Floats, Whole
from ._errors import SweepError
from .expression import Expression
from .store import Store, levels

LEAST_BEND = .05  # a curve with a smaller distance from its chord counts as straight


@dataclasses.dataclass(frozen=True)
class Objective:
    """What to minimize, or with `max:` in front to maximize: a metric, an axis, or an expression over them."""
    text: str
    expression: Expression
    sign: int  # 1: small is good, -1: large is

    def value(self, points: pandas.DataFrame) -> Floats:
        """Its value at each point."""
        return self.expression.value(points)

    def loss(self, points: pandas.DataFrame) -> Floats:
        """The values, negated if large is good, so that small is always good."""
        return self.sign * self.value(points)


def objective(store: Store, text: str | None) -> Objective:
    """Reads `cycles`, `min:cycles`, `max:lds.passes` or an expression; None: the time. Raises SweepError."""
    text = store.time if text is None else text
    head, colon, rest = text.strip().partition(":")
    if colon and head not in ("min", "max"):
        raise SweepError(f"{text}: expected min:METRIC, max:METRIC or METRIC")
    body = rest if colon else text
    if not body.strip():
        raise SweepError(f"{text or 'an empty word'}: expected a metric")
    expression = Expression(body)
    return Objective(expression.text, expression.check(store.names), -1 if head == "max" and colon else 1)


def objectives(store: Store, text: str | None) -> list[Objective]:
    """Reads a list of objectives, separated by commas outside parentheses; None: the time and the cost."""
    parts, depth = [""], 0
    for character in f"{store.time},cost" if text is None else text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [objective(store, part) for part in parts]


def names_of(wanted: typing.Iterable[Objective]) -> list[str]:
    """The columns that objectives use."""
    return list(dict.fromkeys(name for one in wanted for name in one.expression.names))


def measured(store: Store, wanted: typing.Sequence[Objective], where: str | None = None,
             beside: typing.Sequence[Objective] = ()) -> pandas.DataFrame:
    """The finished points that have a value of each objective, as a frame with a column for each. Columns for `beside`
    are added, where values may be missing."""
    points = store.frame(names_of([*wanted, *beside]), where)
    for one in [*wanted, *beside]:
        points[one.text] = one.value(points)
    points = points.dropna(subset=[one.text for one in wanted]).reset_index(drop=True)
    if points.empty:
        raise SweepError(f"{store.path}: no point has a value of {', '.join(one.text for one in wanted)}")
    return points


def best(store: Store, by: str | None = None, where: str | None = None, count: int = 10) -> pandas.DataFrame:
    """The `count` points with the least `by`, the best first. Equal points keep the plan's order.

    by: a metric, an axis or an expression over them, with `max:` in front if large is good; by default cycles, or
    microseconds if an axis can change the clock. where: an expression that
    selects points. Returns a frame with a row for each point: number, key, status, reason, all axes, and the objective.
    Raises SweepError.
    """
    one, beside = objective(store, by), shown_beside(store, objective(store, by))
    points = measured(store, [one], where, beside)
    order = numpy.argsort(one.loss(points), kind="stable")[:count]
    return points.iloc[order].reset_index(drop=True)


def shown_beside(store: Store, one: Objective) -> list[Objective]:
    """What a table of points shows in addition to its objective: time, cycles, and cost if the plan has one."""
    return [objective(store, name) for name in dict.fromkeys((store.time, "cycles", "cost"))
            if name in store.metrics.index and name != one.text]


def pareto(store: Store, over: str | None = None, where: str | None = None) -> pandas.DataFrame:
    """The points that no other point beats: none is as good in all objectives and better in one.

    over: two or more objectives, separated by commas, each as in best(). Returns a frame like best(). If points are
    equal in all objectives, only the first in the plan is listed; `points` counts them. Raises SweepError.
    """
    wanted = objectives(store, over)
    if len(wanted) < 2:
        raise SweepError(f"--over {over}: expected at least two objectives, such as cycles,cost")
    points = measured(store, wanted, where)
    texts = [one.text for one in wanted]
    points["points"] = points.groupby(texts)["number"].transform("size")
    points = points.drop_duplicates(texts)
    losses = numpy.column_stack([one.loss(points) for one in wanted])
    points = points.iloc[front(losses)]
    order = numpy.argsort(wanted[0].loss(points), kind="stable")
    return points.iloc[order].reset_index(drop=True)


def front(losses: Floats) -> Whole:
    """The rows of an array of losses that no other row dominates; equal rows must not be among them."""
    order = numpy.lexsort(losses.T[::-1])  # in this order, no row dominates an earlier one
    if losses.shape[1] == 2:
        least = numpy.minimum.accumulate(losses[order, 1])
        undominated: Whole = order[numpy.append(True, losses[order[1:], 1] < least[:-1])]
        return undominated
    kept = numpy.empty((0, losses.shape[1]))
    rows = []
    for row in order:
        if not (kept <= losses[row]).all(axis=1).any():
            kept = numpy.vstack([kept, losses[row]])
            rows.append(row)
    return numpy.array(rows)


def fixed_at(store: Store, points: pandas.DataFrame, words: typing.Sequence[str]) -> pandas.DataFrame:
    """The points at which every word `axis=value` holds. Raises SweepError if an axis has no such value."""
    for word in words:
        axis, equals, value = word.partition("=")
        if not equals:
            raise SweepError(f"--at {word}: expected AXIS=VALUE")
        points = points[values_equal(points[store.axis(axis.strip())], axis, value)]
    if points.empty:
        raise SweepError(f"{store.path}: no finished point at {' '.join(words)}")
    return points


def values_equal(column: pandas.Series, axis: str, value: str) -> Flags:
    """Whether each row of an axis has the value, written as text."""
    held = Expression(f"axis == '{value.strip()}'").holds(pandas.DataFrame({"axis": column}))
    if not held.any():
        raise SweepError(f"{axis}={value}: no such value; there are {', '.join(map(str, levels(column)))}")
    return held


def curve(store: Store, axis: str, by: str | None = None, where: str | None = None,
          at: typing.Sequence[str] = ()) -> pandas.DataFrame:
    """The objective over an axis: for each value the best point, among those that `where` and `at` select.

    at: words AXIS=VALUE. Returns a frame like best(), by the axis, with `loss`: the objective, negated if large is
    good. Raises SweepError.
    """
    one = objective(store, by)
    points = fixed_at(store, measured(store, [one], where), at)
    points = points.assign(loss=one.loss(points))
    least = points.loc[points.groupby(store.axis(axis))["loss"].idxmin()]
    return least.sort_values(axis).reset_index(drop=True)


def grows(values: typing.Any) -> bool:
    """Whether values grow by factors rather than steps, that is, whether their logarithms are spaced more evenly."""
    values = numpy.asarray(values, dtype=float)
    if len(values) < 3 or values.min() <= 0:
        return False
    steps, factors = numpy.diff(values), numpy.diff(numpy.log(values))
    return bool(factors.std() / factors.mean() < steps.std() / steps.mean())


def knee(store: Store, axis: str, by: str | None = None, where: str | None = None, at: typing.Sequence[str] = (),
         scale: str = "auto") -> tuple[pandas.DataFrame, int | None]:
    """The curve with `distance`: how far each point is below the chord from the first point to the last, with both axes
    scaled to length 1. The knee is the farthest point. Returns the frame and the knee's row, or None if the curve is
    straight or bends the other way.

    scale: of the axis, `linear`, `log` or `auto`. Raises SweepError, also for an axis of words or with fewer than three
    values.
    """
    one = objective(store, by)
    points = curve(store, axis, by, where, at)
    if points[axis].dtype.kind not in "biuf":
        raise SweepError(f"{axis}: a knee needs an axis of numbers")
    if len(points) < 3:
        raise SweepError(f"{axis}: a knee needs at least three values, found {len(points)}")
    if scale == "log" and points[axis].min() <= 0:
        raise SweepError(f"{axis}: --scale log needs values above 0")
    if scale == "auto":
        scale = "log" if grows(points[axis]) else "linear"
    x: Floats = points[axis].to_numpy(dtype=float)
    x = numpy.log(x) if scale == "log" else x
    x = (x - x[0]) / (x[-1] - x[0])
    loss = points["loss"].to_numpy()
    y = (loss - loss.min()) / (numpy.ptp(loss) or 1)
    points["distance"] = ((y[0] + (y[-1] - y[0]) * x) - y).round(12) + 0.
    place = int(points["distance"].argmax())
    points.attrs["scale"] = scale
    points[one.text] = one.sign * loss
    return points, place if points["distance"][place] >= LEAST_BEND else None


def errors(store: Store) -> pandas.DataFrame:
    """Points that did not finish: a frame with the columns status, reason, points (how many) and first (the first one's
    key), the most frequent first; empty if all finished. Raises SweepError if the store has no points."""
    points = store.frame(unfinished=True)
    points = points[points["status"] != "finished"].fillna({"reason": ""})
    groups = points.groupby(["status", "reason"], sort=False)
    table = groups.agg(points=("number", "size"), first=("key", "first")).reset_index()
    return table.sort_values("points", ascending=False, kind="stable").reset_index(drop=True)
