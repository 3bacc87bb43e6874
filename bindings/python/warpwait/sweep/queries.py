"""`query`: the common questions about a store. Each function returns an Answer."""
from __future__ import annotations

import argparse
import typing

import numpy
import pandas

from . import answers, sensitivity
from ._errors import SweepError
from .store import Store
from .tables import Answer, number, points as so_many

if typing.TYPE_CHECKING:
    from .optimize import Found


def described(store: Store, wanted: typing.Sequence[answers.Objective],
              points: pandas.DataFrame) -> tuple[pandas.DataFrame, dict[str, str]]:
    """The columns that identify a point and show its results, and their units."""
    texts = [one.text for one in wanted]
    points = points[["number", *(text for text in texts if text not in store.axes), *store.axes]]
    return points, {text: store.unit(text) for text in texts}


def best(store: Store, arguments: argparse.Namespace) -> Answer:
    """The points with the least cycles, or with the best value of another metric."""
    one = answers.objective(store, arguments.by)
    points = answers.best(store, arguments.by, arguments.where, arguments.count)
    rows, units = described(store, [one, *answers.shown_beside(store, one)], points)
    return Answer("best", rows, units, [of_points(store, arguments.where), *of_clocks(store, [one], arguments.where)],
                  {"by": arguments.by or one.text})


def pareto(store: Store, arguments: argparse.Namespace) -> Answer:
    """The points that no other beats in all objectives."""
    over = over_or_default(store, arguments.over)
    front = answers.pareto(store, over, arguments.where)
    wanted = answers.objectives(store, over)
    rows, units = described(store, wanted, front)
    rows = rows.assign(points=front["points"])
    note = f"{so_many(len(rows))} that no other point beats; `points`: how many are equal in all objectives. "
    return Answer("pareto", rows, units, [note + of_points(store, arguments.where),
                                           *of_clocks(store, wanted, arguments.where)], {"over": over})


def over_or_default(store: Store, over: str | None) -> str:
    """The objectives of a front: as given, or the time and the cost."""
    if over:
        return over
    if "cost" not in store.metrics.index:
        raise SweepError("the plan has no cost: expected --over METRICS, such as cycles,define.DEPTH*4096")
    return f"{store.time},cost"


def sensitivity_of(store: Store, arguments: argparse.Namespace) -> Answer:
    """The effect of each axis around a point, and on the variance over all points."""
    one = answers.objective(store, arguments.by)
    near, base = sensitivity.around(store, arguments.by, arguments.where, arguments.at)
    over_all = sensitivity.over_all(store, arguments.by, arguments.where)
    rows = over_all.table
    said = "No point of the store differs from it in only one axis, so it has no elasticities."
    if len(near):
        rows = rows.merge(near.drop(columns="swing"), on="factor", how="left")
        said = ("elasticity: change in percent per percent of the axis, between the values in `from`; low, high: the smallest and largest value when only this axis moves.")
    place = "  ".join(f"{sensitivity.name_of(factor)} {sensitivity.at(factor, base)}" for factor in store.factors)
    notes = [f"Around point {base['number']}, {one.text} {number(base[one.text])}: {place}.",
             said,
             "first, total: the axis's share of the variance of all points, alone and with all others: "
             + told(over_all), *of_clocks(store, [one], arguments.where)]
    return Answer("sensitivity", rows, {}, notes, {"by": one.text, "point": base["number"], "value": base[one.text],
                                                   "how": over_all.how, "explained": over_all.explained})


def told(shares: sensitivity.Shares) -> str:
    """How the shares of the variance were computed."""
    if shares.how == "grid":
        return f"exact, the {shares.points} points are a complete grid."
    if shares.how == "part":
        return f"exact, from the grid's {shares.points} points."
    foretold = numpy.floor(shares.explained * 1000) / 10
    return (f"from polynomials fitted to {shares.points} points, which predict {foretold:.1f} % of the variance of points left out.")


def knee(store: Store, arguments: argparse.Namespace) -> Answer:
    """The knee of a curve: where more begins to gain less."""
    one = answers.objective(store, arguments.by)
    points, place = answers.knee(store, arguments.axis, arguments.by, arguments.where, arguments.at, arguments.scale)
    rows = points[[arguments.axis, one.text, "distance"]]
    chord = "below the chord from the first to the last"
    note = (f"No knee: no value lies {answers.LEAST_BEND} or more {chord}" if place is None else
            f"The knee is at {arguments.axis} = {number(points[arguments.axis][place])}: the value farthest {chord}")
    note += f", on a {points.attrs['scale']} axis; all other axes at their best."
    return Answer("knee", rows, {one.text: store.unit(one.text)},
                  [note, *of_clocks(store, [one], arguments.where)],
                  {"knee": None if place is None else points[arguments.axis][place], "scale": points.attrs["scale"]},
                  {} if place is None else {place: "knee"})


def errors(store: Store, _: object) -> Answer:
    """Points that did not finish, by status and reason."""
    rows = answers.errors(store)
    total = sum(store.counts.values())
    said = ", ".join(f"{count} {status}" for status, count in store.counts.items())
    return Answer("errors", rows, {}, [f"{so_many(total)}: {said}."], {"points": total})


def table(store: Store, arguments: argparse.Namespace) -> Answer:
    """All points, including those that did not finish."""
    names = [store.metric(name) for name in arguments.metrics.split(",")] if arguments.metrics else \
        [name for name in dict.fromkeys((store.time, "cycles", "cost")) if name in store.metrics.index]
    points = store.frame(names, arguments.where, unfinished=True)
    columns = ["number", "status", *dict.fromkeys([*store.axes, *names]), "reason"]
    return Answer("table", points[columns], {name: store.unit(name) for name in names})


def of_points(store: Store, where: str | None) -> str:
    """A sentence on the points that were used."""
    finished = store.counts.get("finished", 0)
    total = sum(store.counts.values())
    return f"Of {so_many(total)} {finished} finished" + (f"; only those with {where} are considered." if where else ".")


def of_clocks(store: Store, wanted: typing.Iterable[answers.Objective], where: str | None) -> list[str]:
    """A sentence if cycles of different clocks are compared."""
    counted = any(store.unit(name) == "cycles" for one in wanted for name in one.expression.names)
    clocks = store.clocks(where) if counted else []
    return [f"Clocks differ ({', '.join(map(str, clocks))} MHz), so cycles are not times; `--by microseconds` compares "
            "times."] if len(clocks) > 1 else []


def found(store: Store, search: Found, by: str | None) -> Answer:
    """The result of a search."""
    one = answers.objective(store, by)
    asked = (f"{search.asked} points were evaluated, of {search.grid} in the grid "
             f"({search.asked / search.grid * 100:.3g} %): {search.asked - search.there - search.none} run now, "
             f"{search.there} were in the store, {search.none} are left out by constraints. {search.left_out} more "
             "were beyond limits that are known without a run.")
    ended = f"{search.generations} generations; the end: {search.ended}."
    if search.best is None:
        return Answer("optimize", pandas.DataFrame(columns=[one.text, *store.axes]), {},
                      ["No evaluated point is within the limits.", asked, ended], counted(search))
    rows = pandas.DataFrame([search.best[["number", one.text, *store.axes]]]).infer_objects()
    return Answer("optimize", rows, {one.text: store.unit(one.text)},
                  [asked, ended, *of_clocks(store, [one], None)], counted(search))


def counted(search: Found) -> dict[str, object]:
    """Figures of a search."""
    return {"grid": search.grid, "asked": search.asked, "there": search.there, "none": search.none,
            "left_out": search.left_out, "generations": search.generations}
