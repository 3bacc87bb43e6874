"""Pictures of sweeps, in the style of warpwait.plot. Each function takes `ax`, the axes to draw on (None: a new
figure), and returns the axes with a frame of the numbers that it drew."""
from __future__ import annotations

import typing

import matplotlib
import numpy
import pandas
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.axis import Axis

from .._arrays import Floats
from ..plot import figure
from ..plot.colors import BLUE, BROWN, GREEN, GRAY, ORANGE, PURPLE, SKY, VERMILION, luminance
from . import answers, sensitivity
from ._errors import SweepError
from .store import Store, levels
from .tables import amount, header, number, points as so_many

T = typing.TypeVar("T", bound=typing.Sized)
# Each line has its own color and marker. All are visible on white and on black.
COLORS = [BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, "#B0485C", BROWN, GRAY, "#7A6FD0", "#B8A800", "#3FA7A0", "#FF8FA3",
           "#A0C050"]
MARKS = "osD^vP*X<>hpd8"
MOST_LINES, MOST_LEVELS, MOST_WRITTEN, MOST_DOTS = len(COLORS), 200, 144, 2000


# ---- axes of a picture -------------------------------------------------------------------------------

def places(values: typing.Any) -> Floats:
    """The positions of an axis's values in the picture. Numbers are to scale, logarithmic if they grow by factors."""
    if numpy.asarray(values).dtype.kind in "biuf" and len(values) > 1:
        numbers: Floats = numpy.asarray(values, dtype=float)
        if answers.grows(values):
            numbers = numpy.log2(numbers)
        return numbers
    return numpy.arange(len(values), dtype=float)


def word(value: typing.Any) -> str:
    """The label of an axis's value at its tick."""
    return number(typing.cast(float, value)) if isinstance(value, (int, float, numpy.number)) else str(value)


def ticks(axis: Axis, values: typing.Any, stands: typing.Iterable[float]) -> None:
    """Puts a tick at each value, or at some if there are many."""
    step = -(-len(values) // 12)
    axis.set_ticks(list(stands)[::step], [word(value) for value in values][::step], minor=False)


def soft_grid(axes: Axes, which: str) -> None:
    axes.grid(axis=which)
    axes.set_axisbelow(True)


def label(store: Store, one: answers.Objective) -> str:
    """An objective with its unit."""
    return header(one.text, store.unit(one.text))


def few(axis: str, values: T, most: int) -> T:
    if len(values) > most:
        raise SweepError(f"{axis}: {len(values)} values are too many for this picture; expected at most {most}")
    return values


# ---- the pictures ------------------------------------------------------------------------------------

def lines(store: Store, axis: str, by: str | None = None, over: str | None = None, where: str | None = None,
          at: typing.Sequence[str] = (), ax: Axes | None = None) -> tuple[Axes, pandas.DataFrame]:
    """The objective over an axis, with a line for each value of the axis `over`; all other axes have their best
    value."""
    one = answers.objective(store, by)
    points = answers.fixed_at(store, answers.measured(store, [one], where), at).copy()
    points["loss"] = one.loss(points)
    keys = [store.axis(name) for name in ([over] if over else [])] + [store.axis(axis)]
    if over == axis:
        raise SweepError(f"{axis}: expected two axes, found one twice")
    table = points.loc[points.groupby(keys, sort=False)["loss"].idxmin()]
    values = few(axis, levels(table[axis]), MOST_LEVELS)
    stands = dict(zip(values, places(values)))
    ax = figure.axes_or_new(ax, (7, 4))
    drawn = few(over, levels(table[over]), MOST_LINES) if over else [None]
    for place, line in enumerate(drawn):
        chosen = table[table[over] == line] if over else table
        chosen = chosen.assign(place=chosen[axis].map(stands)).sort_values("place")
        behind = (len(drawn) - 1 - place) / max(3, len(drawn) - 1)  # wider lines behind, so that coinciding lines show
        ax.plot(chosen["place"], chosen[one.text], label=f"{over} = {word(line)}" if over else None,
                linewidth=1.4 + 2.6 * behind, color=COLORS[place], marker=MARKS[place], markersize=5 + 5 * behind)
    ticks(ax.xaxis, values, stands.values())
    ax.set_xlabel(axis)
    ax.set_ylabel(label(store, one))
    ax.set_ylim(0 if table[one.text].min() >= 0 else None)
    figure.thousands(ax.yaxis) if table[one.text].max() >= 1000 else None
    soft_grid(ax, "y")
    if over:
        figure.legend_outside(ax, ax.get_legend_handles_labels()[0])
    return ax, table[[*keys, one.text, "number"]].sort_values(keys)


def heat(store: Store, axes: typing.Sequence[str], by: str | None = None, where: str | None = None,
         at: typing.Sequence[str] = (), ax: Axes | None = None) -> tuple[Axes, pandas.DataFrame]:
    """A heat map over two axes; each cell has the best objective."""
    one = answers.objective(store, by)
    across, up = (store.axis(name) for name in axes)
    if across == up:
        raise SweepError(f"{across}: expected two axes, found one twice")
    points = answers.fixed_at(store, answers.measured(store, [one], where), at)
    grouped = points.groupby([up, across])[one.text]
    table = (grouped.min() if one.sign > 0 else grouped.max()).unstack(across)
    table = table.reindex(index=few(up, levels(points[up]), MOST_LEVELS),
                          columns=few(across, levels(points[across]), MOST_LEVELS))
    ax = figure.axes_or_new(ax, (6.4, 4.4))
    masked_invalid: typing.Callable[[typing.Any], typing.Any] = numpy.ma.masked_invalid  # numpy has no type for it
    cells = masked_invalid(table.to_numpy(dtype=float))
    wide = cells.min() > 0 and cells.max() / cells.min() > 20
    norm = (matplotlib.colors.LogNorm if wide else matplotlib.colors.Normalize)(cells.min(), cells.max())
    mesh = ax.pcolormesh(cells, cmap="viridis_r" if one.sign > 0 else "viridis", norm=norm, edgecolors="face",
                         linewidth=.2, rasterized=cells.size > MOST_DOTS)
    if cells.size <= MOST_WRITTEN:
        write(ax, cells, mesh)
    else:
        bar = ax.figure.colorbar(mesh, ax=ax, label=label(store, one))
        bar.outline.set_visible(False)
        if wide or cells.max() >= 1000:
            figure.thousands(bar.ax.yaxis)
    ticks(ax.xaxis, table.columns, numpy.arange(table.shape[1]) + .5)
    ticks(ax.yaxis, table.index, numpy.arange(table.shape[0]) + .5)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xlabel(across)
    ax.set_ylabel(up)
    return ax, table


def write(ax: Axes, cells: typing.Any, mesh: typing.Any) -> None:
    """Writes the number in each cell, in black or white."""
    for row, column in numpy.ndindex(cells.shape):
        if cells[row, column] is numpy.ma.masked:
            continue
        value = float(cells[row, column])
        face = mesh.cmap(mesh.norm(value))
        ink = "#FFFFFF" if luminance(face[:3]) < .179 else "#000000"  # what has more contrast
        said = f"{value / 1000:.{0 if value >= 1e5 else 1}f}k" if value >= 1e4 else f"{value:,.0f}" if value >= 1e3 else f"{value:.4g}"
        ax.text(column + .5, row + .5, said, ha="center", va="center", color=ink,
                fontsize=8 if cells.shape[1] <= 9 else 6.5)


def pareto(store: Store, over: str | None = None, where: str | None = None,
           ax: Axes | None = None) -> tuple[Axes, pandas.DataFrame]:
    """All points by two objectives, and the front: steps through the points that no other point beats."""
    wanted = answers.objectives(store, over)
    if len(wanted) != 2:
        raise SweepError(f"--over {over}: a picture of a front needs two objectives")
    y, x = wanted
    points, front = answers.measured(store, wanted, where), answers.pareto(store, over, where)
    front = front.sort_values(x.text)
    ax = figure.axes_or_new(ax, (6.4, 4.4))
    ax.plot(points[x.text], points[y.text], ".", color=GRAY, alpha=.85, markersize=5 if len(points) > 300 else 8,
            markeredgewidth=0, label=so_many(len(points)), rasterized=len(points) > MOST_DOTS)
    ax.plot(front[x.text], front[y.text], drawstyle="steps-post" if x.sign > 0 else "steps-pre", color=VERMILION,
            linewidth=1.2, marker="o", markersize=5, label=f"front: {so_many(len(front))}")
    for axis, one, scale in ((ax.xaxis, x, ax.set_xscale), (ax.yaxis, y, ax.set_yscale)):
        values = points[one.text]
        logarithmic = values.min() > 0 and values.max() / values.min() > 30
        if logarithmic:
            scale("log")
        if logarithmic or values.max() >= 1000:
            figure.thousands(axis)
        axis.set_label_text(label(store, one) + (" (more is better)" if one.sign < 0 else ""))
    soft_grid(ax, "both")
    figure.legend_outside(ax, ax.get_legend_handles_labels()[0])
    return ax, front[["number", *(one.text for one in wanted if one.text not in store.axes), *store.axes, "points"]]


def tornado(store: Store, by: str | None = None, where: str | None = None, at: typing.Sequence[str] = (),
            ax: typing.Sequence[Axes] | None = None) -> tuple[typing.Sequence[Axes], pandas.DataFrame]:
    """Two pictures: how far each axis alone moves the objective from a point, and each axis's share of the variance."""
    near, base = sensitivity.around(store, by, where, at)
    shares = sensitivity.over_all(store, by, where)
    table = shares.table.merge(near, on="factor", how="left")
    one = answers.objective(store, by)
    if ax is None:
        ax = pyplot.subplots(1, 2, sharey=True, figsize=(9.2, .45 * len(table) + 1.6), layout="constrained",
                                    width_ratios=(3, 2))[1]
    draw_swings(ax[0], table, base[one.text], label(store, one))
    draw_shares(ax[1], table)
    ax[0].set_ylim(len(table) - .5, -.5)
    ax[0].set_yticks(range(len(table)), [factor.replace("+", "\n") for factor in table["factor"]])
    ax[0].tick_params(axis="y", length=0)
    if ax[1].get_ylim() != ax[0].get_ylim():
        ax[1].set_ylim(len(table) - .5, -.5)
        ax[1].set_yticks(range(len(table)), table["factor"])
    return ax, table


def draw_swings(ax: Axes, table: pandas.DataFrame, value: float, text: str) -> None:
    """Bars from the least to the largest objective when one axis alone changes, labeled with these and the axis's
    values.
    """
    if table["low"].isna().all():
        ax.text(.5, .5, "no point differs from the best\nin only one axis", transform=ax.transAxes, ha="center")
        ax.xaxis.set_visible(False)
        return
    spread = max(table["high"].max(), value) - min(table["low"].min(), value) or 1
    room = {-1: .02, 1: .02}  # beside the bars, for the longest labels

    def write_beside(end: float, row: int, said: str, side: int) -> None:
        room[side] = max(room[side], .03 + .022 * len(said))
        ax.text(end + side * .012 * spread, row, said, va="center", ha="left" if side > 0 else "right", fontsize=8)

    ends = table[["low", "low_at", "high", "high_at"]].itertuples(index=False)
    for row, (low, low_at, high, high_at) in enumerate(ends):
        for end, at, color, side in ((low, low_at, BLUE, -1), (high, high_at, VERMILION, 1)):
            if end == end and end != value:
                ax.barh(row, end - value, left=value, color=color, height=.6)
                write_beside(end, row, f"{amount(end)} at {at}", side)
        if low == high == value:
            write_beside(value, row, "no change", 1)
    ax.axvline(value, color=GRAY, linewidth=1)
    least, most = min(table["low"].min(), value), max(table["high"].max(), value)
    ax.set_xlim(least - room[-1] * spread, most + room[1] * spread)
    ax.set_xlabel(f"{text}, each axis moved alone from {amount(value)}")
    ax.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))
    figure.thousands(ax.xaxis) if abs(value) + spread >= 1000 else None
    ax.spines["left"].set_visible(False)
    soft_grid(ax, "x")


def draw_shares(ax: Axes, table: pandas.DataFrame) -> None:
    """Bars of total shares, with the first-order shares inside, and both as numbers."""
    rows = numpy.arange(len(table))
    ax.barh(rows, table["total"].clip(0) * 100, color=SKY, height=.6, label="with other axes")
    ax.barh(rows, table["first"].clip(0) * 100, color=BLUE, height=.6, label="alone")
    for row, (first, total) in enumerate(zip(table["first"], table["total"])):
        ax.text(max(first, total, 0) * 100, row, f" {total * 100:.0f} % ({first * 100:.0f} % alone)", va="center", fontsize=8)
    ax.margins(x=.6)
    ax.set_xlim(0)
    ax.set_xticks(range(0, 101, 20))
    ax.set_xlabel("share of the variance, %")
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    soft_grid(ax, "x")
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, ncols=2)
