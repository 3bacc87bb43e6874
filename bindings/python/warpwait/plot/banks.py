"""The LDS's banks as heat maps: over time, and by source line or instruction."""
from __future__ import annotations

import typing

import numpy
import pandas
from matplotlib import pyplot, ticker
from matplotlib.axes import Axes

from .._arrays import Whole
from . import figure
from .colors import look
from .inputs import Events, PlotError, Source, bin_edges, cycles_in_bins

WHO = {"all": "warps and DMA", "warps": "warps", "dma": "DMA"}


def _banks(events: Events, frame: pandas.DataFrame) -> int:
    """The number of banks of the LDS: the machine's if the timeline has it, else the number that were used."""
    used = int(frame["banks"].max()).bit_length()
    said = events.parameter("lds.banks", used)
    return max(used, said) if isinstance(said, int) and said <= 64 else used


def _worked(frame: pandas.DataFrame, bank: int) -> pandas.Series:
    return (frame["banks"].to_numpy(dtype=numpy.uint64) >> numpy.uint64(bank)) & numpy.uint64(1) == 1


def _of(events: Events, who: str, cu: int | None, start: int | None, end: int | None) -> pandas.DataFrame:
    """The `banks` events of `who`. Raises PlotError if there are none."""
    frame = events.need("banks", cu, start, end)
    if who != "all":
        frame = frame[(frame["unit"] == 0) == (who == "warps")]
        if frame.empty:
            raise PlotError(f"{events.path}: no `banks` events of {WHO[who]}")
    return frame


# ---- over time -------------------------------------------------------------------------------------

def bank_table_over_time(source: Source, who: str = "all", windows: int = 160, cu: int | None = None,
                         start: int | None = None, end: int | None = None) -> pandas.DataFrame:
    """Cycles in which each bank worked, in each window: a frame with a row for each bank and the windows' first
    cycles as columns.

    source: a path, or an open timeline of warpwait.trace.open_timeline(). who: `warps` (passes), `dma` (beats) or
    `all`. cu: one compute unit, or (None) the sum over all. `attrs["edges"]`: the windows' edges in cycles. Raises
    PlotError.
    """
    if who not in WHO:
        raise PlotError(f"who {who}: expected {', '.join(WHO)}")
    events = Events.of(source)
    frame = _of(events, who, cu, start, end)
    first = int(frame["from"].min()) if start is None else start
    edges = bin_edges(first, int(frame["to"].max()) if end is None else end, windows)
    rows = []
    for bank in range(_banks(events, frame)):
        working = frame[_worked(frame, bank)]
        rows.append(cycles_in_bins(working["from"], working["to"], edges))
    table = pandas.DataFrame(rows, columns=edges[:-1])
    table.attrs["edges"] = edges
    return table


def banks_over_time(source: Source, who: str = "all", windows: int = 160, cu: int | None = None,
                    start: int | None = None, end: int | None = None, ax: Axes | None = None,
                    most: float | None = None) -> Axes:
    """Draws bank_table_over_time(): percent of each window's cycles. Returns the axes; raises PlotError."""
    return draw_banks_over_time(bank_table_over_time(source, who, windows, cu, start, end), who, ax, most)


def draw_banks_over_time(table: pandas.DataFrame, who: str = "all", ax: Axes | None = None,
                         most: float | None = None) -> Axes:
    """Draws a table of bank_table_over_time(). most: the percent at which the color scale ends, to compare pictures
    (default: the largest value in the table). Returns the axes."""
    axes = figure.axes_or_new(ax, (9, 4.6))
    edges = table.attrs["edges"]
    share = 100 * table.to_numpy() / numpy.diff(edges)
    mesh = axes.pcolormesh(edges, numpy.arange(len(table) + 1) - .5, share, cmap="cividis", vmin=0,
                           vmax=most or max(share.max(), 1), rasterized=True)
    axes.figure.colorbar(mesh, ax=axes, label=f"cycles in which it worked\nfor {WHO[who]}, % of window", pad=.01,
                         extend="max" if most and share.max() > most else "neither")
    axes.set_xlabel(figure.windows_label(edges))
    axes.set_ylabel("bank")
    axes.set_yticks(range(0, len(table), max(1, len(table) // 8)))
    figure.thousands(axes.xaxis)
    return axes


# ---- by instruction --------------------------------------------------------------------------------

def bank_table(source: Source, by: str = "line", cu: int | None = None, start: int | None = None,
               end: int | None = None) -> pandas.DataFrame:
    """Passes of warps through each bank: a frame with a row for each source line (`by` "line") or instruction
    ("instruction"), and the banks 0, 1, ... as columns.

    Its column `passes` counts passes through any bank, and `conflicts` those that bank conflicts added; both are 0 if
    the timeline has no events `access`. Rows are named `FILE:LINE text`, or `PC text`. Raises PlotError.
    """
    if by not in ("line", "instruction"):
        raise PlotError(f"by {by}: expected line or instruction")
    events = Events.of(source)
    frame = _of(events, "warps", cu, start, end)
    banks = _banks(events, frame)
    rows: dict[str, Whole] = {}
    for (launch, pc), of in frame.groupby(["launch", "pc"]):
        row = rows.setdefault(_name(events, launch, pc, by), numpy.zeros(banks + 2, dtype=numpy.int64))
        row[:banks] += [int(_worked(of, bank).sum()) for bank in range(banks)]
    for (launch, pc), of in events.frame("access", cu, start, end).groupby(["launch", "pc"]):
        row = rows.setdefault(_name(events, launch, pc, by), numpy.zeros(banks + 2, dtype=numpy.int64))
        row[banks:] += [int(of["passes"].sum()), int(of["conflicts"].sum())]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=[*range(banks), "passes", "conflicts"])


def _name(events: Events, launch: int, pc: int, by: str) -> str:
    if by == "instruction":
        return f"{pc:4} {events.instruction(launch, pc)}".rstrip()
    file, line, text = events.line(launch, pc)
    return f"{file}:{line} {' '.join(text.split())}".rstrip() if file else f"pc {pc}"


def banks_by_line(source: Source, by: str = "line", cu: int | None = None, start: int | None = None,
                  end: int | None = None, ax: typing.Sequence[Axes] | None = None) -> typing.Sequence[Axes]:
    """Draws bank_table(): a heat map of passes, and to its right passes and conflicts of each row.

    ax: two axes, or None. Returns both axes; raises PlotError.
    """
    return draw_banks_by_line(bank_table(source, by, cu, start, end), by, ax)


def draw_banks_by_line(table: pandas.DataFrame, by: str = "line",
                       ax: typing.Sequence[Axes] | None = None) -> typing.Sequence[Axes]:
    """Draws a table of bank_table(). Returns both axes."""
    if ax is None:
        ax = pyplot.subplots(1, 2, sharey=True, figsize=(11, max(3, 1.6 + .3 * len(table))),
                                    layout="constrained", gridspec_kw={"width_ratios": [3, 1]})[1]
    heat, bars = ax
    passes = table.drop(columns=["passes", "conflicts"])
    mesh = heat.imshow(passes, cmap="cividis", vmin=0, aspect="auto", interpolation="nearest")
    whole = ticker.MaxNLocator(integer=True)
    bar = heat.figure.colorbar(mesh, ax=heat, label="passes through the bank", ticks=whole, pad=.01)
    figure.thousands(bar.ax.yaxis)
    heat.set_xlabel("bank")
    heat.set_yticks(range(len(table)), [name if len(name) <= 44 else name[:43] + "…" for name in table.index],
                    family="monospace")
    heat.set_ylabel("source line" if by == "line" else "instruction")
    own, conflicts = table["passes"] - table["conflicts"], table["conflicts"]
    for left, width, bucket, label in ((0, own, "lds", "first of their phase"),
                                       (own, conflicts, "lds_conflict", "added by conflicts")):
        style = look(bucket)
        bars.barh(range(len(table)), width, left=left, color=style.face, hatch=style.hatch, edgecolor=style.ink,
                  linewidth=.4, label=label)
    bars.tick_params(labelleft=False)
    bars.set_xlabel("passes")
    bars.set_xlim(0, 1.05 * max(1, table["passes"].max()))
    bars.xaxis.set_major_locator(ticker.MaxNLocator(3, integer=True))
    figure.thousands(bars.xaxis)
    bars.legend(loc="lower left", bbox_to_anchor=(0, 1.01), borderaxespad=0)
    return ax
