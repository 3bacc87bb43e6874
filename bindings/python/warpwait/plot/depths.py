"""Latency hiding over the depth of a ring of buffers: cycles, exposed cycles, and the closed form of
docs/buffering.md."""
from __future__ import annotations

import dataclasses
import typing

import numpy
import pandas
from matplotlib import pyplot
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from .._arrays import Floats
from . import figure
from .colors import BLUE, GREEN, PURPLE, VERMILION
from .inputs import PlotError, Report, Reports, labels_of, read_reports

COLORS, MARKS = [BLUE, VERMILION, GREEN, PURPLE], "osD^"


@dataclasses.dataclass(frozen=True)
class Form:
    """The closed form's figures, in cycles per tile.

    busy: from the end of a wait to the beginning of the next (B). refill: the part of it up to the copy that refills
    the buffer (A). latency: of a copy, from issue to completion (L).
    """
    busy: float
    refill: float
    latency: float

    def exposed(self, depth: ArrayLike) -> Floats:
        """Exposed cycles per tile at each depth: max(0, (A + L) / depth - B)."""
        exposed: Floats = numpy.maximum(0, (self.refill + self.latency) / numpy.asarray(depth) - self.busy)
        return exposed

    def cycles(self, depth: ArrayLike) -> Floats:
        """Cycles per tile at each depth."""
        return self.busy + self.exposed(depth)

    @property
    def enough(self) -> float:
        """The smallest depth at which copies are hidden."""
        return (self.refill + self.latency) / self.busy


def hiding_table(reports: Reports, depths: typing.Sequence[int] | None = None,
                 labels: typing.Sequence[str] | None = None) -> pandas.DataFrame:
    """What each depth took: a frame with the columns `series`, `depth`, `tiles`, `cycles`, `exposed` and `latency`.

    reports: one report for each depth; or several reports, each a series with one launch for each depth. depths: whole
    numbers (None: 1, 2, ...). labels: a name for each series. `cycles`, `exposed` (cycles in which all warps of a
    work-group wait for a copy) and `tiles` (copies) are means over work-groups; `latency` is the mean of copies, in
    cycles. Raises PlotError, also if a launch has no copies.
    """
    read = read_reports(reports)
    if all(len(report["launches"]) == 1 for report in read) and len(read) > 1:
        series = [((labels or [read[0]["launches"][0]["kernel"]])[0], [report["launches"][0] for report in read])]
    else:
        series = list(zip(labels_of(read, reports, labels), (report["launches"] for report in read)))
    rows = []
    for name, launches in series:
        if depths is not None and len(depths) != len(launches):
            raise PlotError(f"{name}: {len(depths)} depths for {len(launches)} launches: expected as many")
        rows += [_point(name, depth, launch) for depth, launch in zip(depths or range(1, len(launches) + 1), launches)]
    return pandas.DataFrame(rows, columns=["series", "depth", "tiles", "cycles", "exposed", "latency"])


def _point(name: str, depth: int, launch: Report) -> tuple[str, int, float, int, float, float]:
    groups, copies = launch["work_groups"], launch["dma"]["latency"]["count"]
    if not copies or not groups:
        raise PlotError(f"{name}: the launch of depth {depth} has no asynchronous copies, so there is nothing to hide")
    return (name, depth, copies / groups, launch["cycles"], launch["hiding"]["exposed_cycles"] / groups,
            launch["dma"]["latency"]["mean"])


def form_of(points: pandas.DataFrame, busy: float | None = None, refill: float | None = None,
            latency: float | None = None) -> Form:
    """The closed form for one series of hiding_table(). Figures that are None are computed from the points.

    latency: of the shallowest ring, in which copies do not delay each other. busy: the cycles of a tile in the deepest
    ring that were not exposed. refill: the remaining cycles of a tile in the shallowest ring. All include the first
    tile's wait and the kernel's beginning and end; docs/buffering.md has figures from longer streams.
    """
    first, last = points.loc[points["depth"].idxmin()], points.loc[points["depth"].idxmax()]
    latency = first["latency"] if latency is None else latency
    busy = (last["cycles"] - last["exposed"]) / last["tiles"] if busy is None else busy
    if refill is None:
        refill = max(0, first["depth"] * (first["exposed"] / first["tiles"] + busy) - latency)
    return Form(busy, refill, latency)


def hiding(reports: Reports, depths: typing.Sequence[int] | None = None, labels: typing.Sequence[str] | None = None,
           busy: float | None = None, refill: float | None = None, latency: float | None = None,
           ax: typing.Sequence[Axes] | None = None) -> typing.Sequence[Axes]:
    """Draws hiding_table(): cycles above, exposed cycles below, points for runs and lines for the closed form.

    busy, refill, latency: the closed form's figures in cycles a tile (see form_of()). ax: two axes, or None. Returns
    both axes. Raises PlotError, as hiding_table() does.
    """
    return draw_hiding(hiding_table(reports, depths, labels), busy, refill, latency, ax)


def draw_hiding(table: pandas.DataFrame, busy: float | None = None, refill: float | None = None,
                latency: float | None = None, ax: typing.Sequence[Axes] | None = None) -> typing.Sequence[Axes]:
    """Draws a table of hiding_table(). Returns both axes."""
    if ax is None:
        ax = pyplot.subplots(2, 1, sharex=True, figsize=(8, 6), layout="constrained")[1]
    above, below = ax
    for place, (name, points) in enumerate(table.groupby("series", sort=False)):
        form = form_of(points, busy, refill, latency)
        _draw_series(above, below, points, form, f"{name}: " if table["series"].nunique() > 1 else "", place)
    above.set_ylabel("cycles per tile")
    below.set_ylabel("exposed cycles per tile")
    below.set_xlabel("depth: buffers in the ring")
    below.set_xticks(sorted(set(table["depth"])))
    for axes in ax:
        axes.set_ylim(0)
        axes.grid(axis="y")
        axes.set_axisbelow(True)
    figure.legend_outside(above, above.get_legend_handles_labels()[0])
    figure.legend_outside(below, below.get_legend_handles_labels()[0])
    return ax


def _draw_series(above: Axes, below: Axes, points: pandas.DataFrame, form: Form, name: str, place: int) -> None:
    color, mark = COLORS[place % len(COLORS)], MARKS[place % len(MARKS)]
    depths = numpy.linspace(points["depth"].min(), points["depth"].max(), 200)
    dots = {"color": color, "marker": mark, "linestyle": "", "markersize": 6}
    line = {"color": color, "linewidth": 1}
    above.plot(points["depth"], points["cycles"] / points["tiles"], label=f"{name}run", **dots)
    above.plot(depths, form.cycles(depths), label=f"{name}closed form", **line)
    above.plot(depths, (form.refill + form.latency) / depths, linestyle="--",
               label=f"{name}(A + L) / depth, A + L = {form.refill + form.latency:.0f}", **line)
    above.axhline(form.busy, linestyle=":", label=f"{name}B = {form.busy:.0f}", **line)
    below.plot(points["depth"], points["exposed"] / points["tiles"], label=f"{name}run", **dots)
    below.plot(depths, form.exposed(depths), label=f"{name}closed form", **line)
    if points["depth"].min() <= form.enough <= points["depth"].max():
        below.axvline(form.enough, linestyle=":", label=f"{name}hidden from {form.enough:.1f} on", **line)
