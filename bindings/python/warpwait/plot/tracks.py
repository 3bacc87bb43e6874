"""A compute unit's time in rows: warps, asynchronous copies and their waits, DMA channels, the memory port."""
from __future__ import annotations

import dataclasses
import heapq
import typing

import numpy
import pandas
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline

from .._arrays import Floats, Whole
from . import figure
from .colors import Color, DEEP_PURPLE, PORT_KINDS, PURPLE, in_order, look, shade
from .inputs import Events, PlotError, Source, bin_edges, cycles_in_bins

HEIGHT = .8            # of a bar, in rows
DENSE = 700            # with more slices in a row, many are narrower than a pixel
COLUMNS = 700          # columns into which such rows are divided
IN_PATH = 1000         # slices in a shape: matplotlib cannot draw one with very many
ARROWS = 150           # more arrows would hide what they point at
COPY_FACE = shade(PURPLE, .55)
CHANNELS = 64          # the stride of engines in the units of channels
Faces = typing.Callable[[str, typing.Any], typing.Tuple[typing.Union[str, Color], str]]


@dataclasses.dataclass
class Rows:
    """The contents of a timeline picture.

    slices: a frame with the columns section, row (from 0 at the top), from, to (cycles), what (a bucket, or a kind),
    label. names: of the rows. arrows: a frame with the columns copy, from, from_row, to, to_row. left_out: the number
    of arrows that are not drawn because there are too many.
    """
    slices: pandas.DataFrame
    names: list[str]
    arrows: pandas.DataFrame
    left_out: int = 0
    title: str = ""


# ---- what is drawn ---------------------------------------------------------------------------------

def timeline_rows(source: Source, cu: int = 0, start: int | None = None, end: int | None = None,
                  warps: typing.Iterable[int] | None = None) -> Rows:
    """What a compute unit did in the cycles [start, end), as Rows.

    source: a path, or an open timeline of warpwait.trace.open_timeline(). warps: slots of the warps to show (None:
    all). Raises PlotError if the timeline has no `warp` events of this compute unit, these cycles and warps.
    """
    events = Events.of(source)
    slots = events.need("warp", cu, start, end)
    if warps is not None:
        slots = slots[slots["unit"].isin(list(warps))]
        if slots.empty:
            raise PlotError(f"{events.path}: no `warp` events of warps {', '.join(map(str, warps))}")
    names: list[str] = []
    parts: list[pandas.DataFrame] = []
    groups = _warp_rows(slots, names, parts)
    copies = _copy_rows(events.frame("copy", cu, start, end), names, parts)
    _unit_rows(events.frame("channel", cu, start, end), "channels", _channel_name, None, names, parts)
    _unit_rows(events.frame("passed", cu, start, end), "port", _port_name, "kind", names, parts)
    arrows = _arrows(copies, events.frame("waited", cu), groups, numpy.inf if end is None else end)
    left_out = len(arrows) if len(arrows) > ARROWS else 0
    return Rows(pandas.concat(parts, ignore_index=True), names, arrows[:0] if left_out else arrows, left_out,
                f"{events.title()}, CU {cu}".lstrip(", "))


def _part(frame: pandas.DataFrame, section: str, rows: typing.Any, what: typing.Any,
          label: typing.Any) -> pandas.DataFrame:
    """A section's slices."""
    return pandas.DataFrame({"section": section, "row": numpy.asarray(rows, dtype=numpy.int64),
                             "from": frame["from"].to_numpy(), "to": frame["to"].to_numpy(), "what": what,
                             "label": label})


def _warp_rows(slots: pandas.DataFrame, names: list[str], parts: list[pandas.DataFrame]) -> dict[tuple[int, int], int]:
    """Rows of warps. Returns the lowest row of each (launch, group)."""
    units = sorted(set(slots["unit"]))
    rows = slots["unit"].map({unit: row for row, unit in enumerate(units)})
    names += [f"warp {unit}" for unit in units]
    parts.append(_part(slots, "warps", rows, slots["stall"].to_numpy(), ""))
    lowest: dict[tuple[int, int], int] = rows.groupby([slots["launch"], slots["group"]]).max().to_dict()
    return lowest


def _copy_rows(copies: pandas.DataFrame, names: list[str], parts: list[pandas.DataFrame]) -> pandas.DataFrame:
    """Rows of copies: as few as possible without overlaps. Returns the copies with their `row`."""
    ends: list[tuple[int, int]] = []  # (cycle, row) of occupied rows
    free: list[int] = []
    rows: list[int] = []
    for begin, finish in zip(copies["from"], copies["to"]):
        while ends and ends[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(ends)[1])
        row = heapq.heappop(free) if free else len(ends)
        heapq.heappush(ends, (finish, row))
        rows.append(row)
    first = len(names)
    names += ["copies" if row == 0 else "" for row in range(max(rows, default=-1) + 1)]
    copies = copies.assign(row=[first + row for row in rows])
    if len(copies):
        parts.append(_part(copies, "copies", copies["row"], "copy", copies["copy"].astype(str).to_numpy()))
    return copies


def _unit_rows(frame: pandas.DataFrame, section: str, name: typing.Callable[[int], str], what: str | None,
               names: list[str], parts: list[pandas.DataFrame]) -> None:
    """A row for each unit of a block."""
    units = sorted(set(frame["unit"]))
    if not units:
        return
    rows = frame["unit"].map({unit: len(names) + row for row, unit in enumerate(units)})
    names += [name(unit) for unit in units]
    label = "" if what else frame["copy"].astype(str).to_numpy()
    parts.append(_part(frame, section, rows, frame[what].to_numpy() if what else "channel", label))


def _channel_name(unit: int) -> str:
    return f"DMA {unit // CHANNELS} channel {unit % CHANNELS}"


def _port_name(unit: int) -> str:
    return f"port: DMA {unit - 1}" if unit else "port: warps"


def _arrows(copies: pandas.DataFrame, waited: pandas.DataFrame, groups: dict[tuple[int, int], int],
            end: float) -> pandas.DataFrame:
    """Arrows from the end of each copy to the end of the first wait for its event that ends no earlier, if that is
    before cycle `end`."""
    keys = ["launch", "group", "event"]
    releases = {key: of["to"].to_numpy() for key, of in waited.sort_values("to").groupby(keys)} if len(waited) else {}
    rows = []
    for copy in copies.to_dict("records"):
        release = releases.get(tuple(copy[key] for key in keys), numpy.empty(0))
        place = numpy.searchsorted(release, copy["done"])
        target = groups.get((copy["launch"], copy["group"]))
        # If the run was cut short, or the end is outside the shown cycles, there is no end to show.
        told = copy["from"] <= copy["done"] <= copy["to"]
        if told and target is not None and place < len(release) and release[place] <= end:
            rows.append((copy["copy"], copy["done"], copy["row"], int(release[place]), target))
    return pandas.DataFrame(rows, columns=["copy", "from", "from_row", "to", "to_row"])


# ---- drawing ---------------------------------------------------------------------------------------

def timeline(source: Source, cu: int = 0, start: int | None = None, end: int | None = None,
             warps: typing.Iterable[int] | None = None, ax: Axes | None = None) -> Axes:
    """Draws timeline_rows(): warps by stall bucket, copies with arrows to the waits that they end, DMA channels and the
    memory port. Returns the axes; raises PlotError."""
    return draw_timeline(timeline_rows(source, cu, start, end, warps), ax)


def draw_timeline(rows: Rows, ax: Axes | None = None) -> Axes:
    """Draws Rows. Returns the axes."""
    count = len(rows.names)
    axes = figure.axes_or_new(ax, (11, min(16, 1.4 + max(.24 * count, 2.6))))
    slices = rows.slices
    begin, finish = slices["from"].min(), slices["to"].max()
    axes.set_xlim(begin, finish)
    axes.set_ylim(count - .4, -.6)
    faces = _faces()
    for section, of in slices.groupby("section", sort=False):
        if _is_dense(of):
            _shares(axes, of, faces, bin_edges(begin, finish, COLUMNS))
        else:
            _bars(axes, of, faces, wide=(finish - begin) / 70)
    _labels(axes, slices[slices["label"] != ""], (finish - begin) / 40)
    for arrow in rows.arrows.itertuples(index=False):
        axes.annotate("", (arrow.to, arrow.to_row + HEIGHT / 2), (arrow[1], arrow.from_row - HEIGHT / 2),
                      arrowprops={"arrowstyle": "-|>", "color": rcParams["text.color"], "linewidth": .7, "shrinkA": 0, "shrinkB": 0,
                                  "mutation_scale": 7})
    every = max(1, count // 60)
    axes.set_yticks(range(0, count, every), rows.names[::every], fontsize=max(5, min(9, 600 / count)))
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("cycle")
    figure.thousands(axes.xaxis)
    _separate(axes, slices)
    figure.legend_outside(axes, _legend(rows, faces), last=finish)
    return axes


def _faces() -> Faces:
    """A function that returns the (face, hatch) of a slice, by its section and what it shows."""
    port: dict[str, tuple[str | Color, str]] = {name: (color, hatch) for name, color, hatch in PORT_KINDS}

    def faces(section: str, what: typing.Any) -> tuple[str | Color, str]:
        if section == "warps":
            return look(what).face, look(what).hatch
        if section == "port":
            return port.get(what, ("#999999", ""))
        if section == "copies":
            return COPY_FACE, ""
        return DEEP_PURPLE, ""
    return faces


def _is_dense(slices: pandas.DataFrame) -> bool:
    return slices["section"].iloc[0] in ("warps", "port") and slices.groupby("row").size().max() > DENSE


def _bars(axes: Axes, slices: pandas.DataFrame, faces: Faces, wide: float) -> None:
    """Draws slices of a section that look alike as one shape; hatches only those with room for it."""
    # A warp's slices have no gaps and no edges between them. Edges keep a cycle of the port visible that is narrower
    # than a pixel.
    line = {"warps": 0, "port": .6}.get(slices["section"].iloc[0], .4)
    for (section, what), of in slices.groupby(["section", "what"], sort=False):
        left, right, row = (of[name].to_numpy(dtype=float) for name in ("from", "to", "row"))
        has_room, (face, hatch) = right - left >= wide, faces(section, what)
        for chosen, pattern in ((~has_room, ""), (has_room, hatch)):
            edge = face if section == "port" and not pattern else look(what).ink
            _rectangles(axes, left[chosen], right[chosen], row[chosen] - HEIGHT / 2, row[chosen] + HEIGHT / 2, facecolor=face,
                        hatch=pattern, edgecolor=edge, linewidth=line)


def _rectangles(axes: Axes, left: Floats, right: Floats, top: Floats, bottom: Floats, **style: typing.Any) -> None:
    corners = numpy.stack([numpy.stack(corner, axis=1)
                           for corner in ((left, top), (left, bottom), (right, bottom), (right, top))], axis=1)
    for begin in range(0, len(corners), IN_PATH):
        axes.add_artist(PathPatch(Outline.make_compound_path_from_polys(corners[begin:begin + IN_PATH]), **style))


def _shares(axes: Axes, slices: pandas.DataFrame, faces: Faces, edges: Whole) -> None:
    """Draws slices that would hide each other: divides a row into columns, in which each kind's height is its share of
    the cycles, stacked in the legend's order."""
    section = slices["section"].iloc[0]
    for row, of in slices.groupby("row"):
        below = numpy.full(len(edges) - 1, row + HEIGHT / 2)
        kinds = dict(list(of.groupby("what")))
        for what in in_order(kinds):
            share = cycles_in_bins(kinds[what]["from"], kinds[what]["to"], edges) / numpy.diff(edges)
            above = below - HEIGHT * share
            some, as_before = share > 0, numpy.append(False, (numpy.diff(above) == 0) & (numpy.diff(below) == 0))
            first, last = some & ~as_before, some & ~numpy.append(as_before[1:], False)  # of equal columns
            _rectangles(axes, edges[:-1][first], edges[1:][last], above[first], below[first], facecolor=faces(section, what)[0],
                        linewidth=0)
            below = above


def _labels(axes: Axes, slices: pandas.DataFrame, wide: float) -> None:
    """Draws the copies' numbers where there is room, each on a piece of its bar, so that no arrow crosses it."""
    for bar in slices[slices["to"] - slices["from"] >= wide].to_dict("records"):
        face, ink = (DEEP_PURPLE, "white") if bar["section"] == "channels" else (COPY_FACE, "black")
        axes.text((bar["from"] + bar["to"]) / 2, bar["row"], bar["label"], ha="center", va="center", fontsize=7, color=ink,
                  zorder=4, bbox={"facecolor": face, "edgecolor": "none", "pad": .4})


def _separate(axes: Axes, slices: pandas.DataFrame) -> None:
    """Draws a line between the sections."""
    for row in slices.groupby("section", sort=False)["row"].min()[1:]:
        axes.axhline(row - .5, color="#999999", linewidth=.6)


def _legend(rows: Rows, faces: Faces) -> list[typing.Any]:
    """The legend's entries, one for each kind of slice that is drawn."""
    slices = rows.slices
    found = {section: list(of["what"].unique()) for section, of in slices.groupby("section", sort=False)}
    handles = figure.bucket_patches(found["warps"])
    if any(_is_dense(of) for _, of in slices.groupby("section")):
        cycles = numpy.diff(bin_edges(slices["from"].min(), slices["to"].max(), COLUMNS))[0]
        plural = "" if cycles == 1 else "s"
        handles.append(Line2D([], [], linestyle="", label=f"(heights: shares of {cycles} cycle{plural})"))
    for section, text in (("copies", "copy, with its number"), ("channels", "channel has the copy")):
        if section in found:
            handles.append(figure.patch(faces(section, None)[0], "", text))
    if len(rows.arrows):
        handles.append(Line2D([], [], color=rcParams["text.color"], linewidth=.8, marker=">", markersize=4,
                              label="copy done → wait over"))
    if rows.left_out:
        handles.append(Line2D([], [], linestyle="", label=f"({rows.left_out} arrows left out:\nshow fewer cycles)"))
    for name, color, hatch in PORT_KINDS:
        if name in found.get("port", []):
            handles.append(figure.patch(color, hatch, f"port: {name}"))
    return handles
