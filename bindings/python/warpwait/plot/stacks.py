"""Stall stacks: where warps spent their time, for reports side by side, a report's launches or lines, and over time."""
from __future__ import annotations

import typing

import numpy
import pandas
from matplotlib.axes import Axes

from . import figure
from .colors import in_order, look
from .inputs import Events, PlotError, Report, Reports, Source, bin_edges, cycles_in_bins, labels_of, read_reports

BARS = ("report", "launch", "line", "instruction")


# ---- of reports ------------------------------------------------------------------------------------

def stall_table(reports: Reports, by: str = "report", labels: typing.Sequence[str] | None = None,
                top: int | None = None) -> pandas.DataFrame:
    """Warp-cycles in each bucket: a pandas frame with a row for each bar and a column for each bucket that is not
    empty.

    reports: a report (a path, or a dict), or a list of them. by: what each bar shows, `report`, `launch`, `line` (of
    the source) or `instruction`. labels: a name for each report. top: show only that many lines or instructions, those
    with the most cycles; a last row `others` sums up the rest. Raises PlotError.
    """
    if by not in BARS:
        raise PlotError(f"by {by}: expected {', '.join(BARS[:-1])} or {BARS[-1]}")
    read = read_reports(reports)
    names = labels_of(read, reports, labels)
    bars: dict[tuple[str, str], dict[str, int]] = {}
    for name, report in zip(names, read):
        for key, stalls in _bars_of(report, by):
            bar = bars.setdefault((name if len(read) > 1 or by == "report" else "", key), {})
            for bucket, cycles in stalls.items():
                bar[bucket] = bar.get(bucket, 0) + cycles
    table = pandas.DataFrame.from_dict({": ".join(filter(None, key)): bar for key, bar in bars.items()}, orient="index")
    table = table.fillna(0).astype("int64")
    table = table[in_order(column for column in table if table[column].any())]
    if table.empty:
        raise PlotError(f"{', '.join(names)}: no warp-cycles in any bucket")
    return _largest(table, top) if by in ("line", "instruction") else table


def _bars_of(report: Report, by: str) -> typing.Iterator[tuple[str, dict[str, int]]]:
    """(key, stalls by bucket) of each bar's parts in a report; a key may occur several times."""
    launches = report["launches"]
    for number, launch in enumerate(launches, 1):
        if by == "report":
            yield "", launch["stalls"]
        elif by == "launch":
            yield launch["kernel"] + (f" {number}" if len(launches) > 1 else ""), launch["stalls"]
        elif by == "line":
            for line in launch["by_line"]:
                yield f"{line['file']}:{line['line']}", line["stalls"]
        else:
            for instruction in launch["by_instruction"]:
                text = " ".join(instruction["instruction"].split())
                yield f"{instruction['pc']:4} {text[:36]}", instruction["stalls"]


def _largest(table: pandas.DataFrame, top: int | None) -> pandas.DataFrame:
    if top is None or len(table) <= top:
        return table
    kept = table.sum(axis="columns").nlargest(top).index
    others = table.drop(kept).sum().to_frame("others").T
    return pandas.concat([table[table.index.isin(kept)], others])


def stalls(reports: Reports, by: str = "report", labels: typing.Sequence[str] | None = None, top: int | None = 16,
           percent: bool = False, ax: Axes | None = None) -> Axes:
    """Draws stall_table() as stacked bars, in warp-cycles or (`percent`) in per cent of each bar. Returns the axes.

    Raises PlotError, like stall_table().
    """
    table = stall_table(reports, by, labels, top)
    return draw_stalls(table, percent, lying=by in ("line", "instruction"), ax=ax)


def draw_stalls(table: pandas.DataFrame, percent: bool = False, lying: bool = False, ax: Axes | None = None) -> Axes:
    """Draws a table of stall_table(). `lying`: horizontal bars, for many bars with long names. Returns the axes."""
    shown = 100 * table.div(table.sum(axis="columns"), axis="index") if percent else table
    size = (9, 1.4 + .26 * len(table)) if lying else (max(5.5, 3.2 + .75 * len(table)), 4.4)
    axes = figure.axes_or_new(ax, (size[0], max(size[1], 4.2)))
    places, before = numpy.arange(len(table)), numpy.zeros(len(table))
    for bucket in shown:
        style = {"color": look(bucket).face, "hatch": look(bucket).hatch, "edgecolor": look(bucket).ink,
                 "linewidth": .4}
        if lying:
            axes.barh(places, shown[bucket], left=before, height=.8, label=bucket, **style)
        else:
            axes.bar(places, shown[bucket], bottom=before, width=.7, label=bucket, **style)
        before += shown[bucket].to_numpy()
    _label_bars(axes, table, lying, "percent of warp-cycles" if percent else "warp-cycles")
    figure.legend_outside(axes, figure.bucket_patches(shown)[::1 if lying else -1])
    return axes


def _label_bars(axes: Axes, table: pandas.DataFrame, lying: bool, unit: str) -> None:
    places, names = range(len(table)), list(table.index)
    if lying:
        axes.set_yticks(places, names, family="monospace")
        axes.invert_yaxis()
        axes.set_xlabel(unit)
        figure.thousands(axes.xaxis)
    else:
        longest = max(map(len, names))
        tilted = longest * len(names) > 60
        axes.set_xticks(places, names, rotation=30 if tilted else 0, ha="right" if tilted else "center",
                        rotation_mode="anchor" if tilted else "default")
        axes.set_ylabel(unit)
        figure.thousands(axes.yaxis)


# ---- over time -------------------------------------------------------------------------------------

def stall_table_over_time(source: Source, windows: int = 100, cu: int | None = None, start: int | None = None,
                          end: int | None = None) -> pandas.DataFrame:
    """Warp-cycles in each bucket in each window of time: a frame with the windows' first cycles as its index.

    source: a path, or an open timeline of warpwait.trace.open_timeline(). windows: the most windows. cu: one compute
    unit, or (None) all. The frame's `attrs["edges"]` has the windows' edges in cycles. Raises PlotError.
    """
    events = Events.of(source)
    warps = events.need("warp", cu, start, end)
    first = int(warps["from"].min()) if start is None else start
    edges = bin_edges(first, int(warps["to"].max()) if end is None else end, windows)
    columns = {bucket: cycles_in_bins(of["from"], of["to"], edges)
               for bucket, of in warps.groupby("stall", observed=True)}
    table = pandas.DataFrame({bucket: columns[bucket] for bucket in in_order(columns)}, index=edges[:-1])
    table.attrs["edges"] = edges
    return table


def stalls_over_time(source: Source, windows: int = 100, cu: int | None = None, start: int | None = None,
                     end: int | None = None, percent: bool = False, ax: Axes | None = None) -> Axes:
    """Draws stall_table_over_time() as stacked steps: warps in each bucket, or (`percent`) per cent of them.

    Returns the axes. Raises PlotError, like stall_table_over_time().
    """
    return draw_stalls_over_time(stall_table_over_time(source, windows, cu, start, end), percent, ax)


def draw_stalls_over_time(table: pandas.DataFrame, percent: bool = False, ax: Axes | None = None) -> Axes:
    """Draws a table of stall_table_over_time(). Returns the axes."""
    axes = figure.axes_or_new(ax, (9, 4.2))
    edges = table.attrs["edges"]
    whole = table.sum(axis="columns").to_numpy() / 100 if percent else numpy.diff(edges)
    before = numpy.zeros(len(edges))
    for bucket in table:
        warps = numpy.divide(table[bucket].to_numpy(), whole, out=numpy.zeros(len(table)), where=whole > 0)
        above = before + numpy.append(warps, warps[-1:])
        axes.fill_between(edges, before, above, step="post", facecolor=look(bucket).face, hatch=look(bucket).hatch,
                          edgecolor=look(bucket).ink, linewidth=0, label=bucket)
        before = above
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0)
    axes.set_xlabel(figure.windows_label(edges))
    axes.set_ylabel("percent of resident warps" if percent else "warps (mean of the window)")
    figure.thousands(axes.xaxis)
    figure.legend_outside(axes, figure.bucket_patches(table)[::-1], last=edges[-1])
    return axes
