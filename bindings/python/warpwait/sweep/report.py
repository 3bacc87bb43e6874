"""`report`: a store as one self-contained HTML page with tables and pictures."""
from __future__ import annotations

import html
import io
import pathlib
import re
import typing
import zlib

import matplotlib
import pandas
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .._html import prose
from ..plot import figure
from ..plot.colors import GRID, INK
from . import answers, pictures, queries, sensitivity
from ._errors import SweepError
from .store import Store, levels
from .tables import amount, header, number, words

STYLE = {**figure.STYLE, "svg.hashsalt": "warpwait", "savefig.transparent": True}
CSS = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #dddddd; --quiet: #5b6470; --page: #ffffff; --card: #f6f7f9;
  --mark: #0072b2 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #3a4048; --quiet: #a3abb6; --page: #14171b;
  --card: #1c2026; --mark: #56b4e9 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem }
p { max-width: 46rem; margin: .5rem 0 } .quiet, figcaption, footer { color: var(--quiet); font-size: .875rem }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 1rem 0 } a { color: var(--mark) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .75rem; margin: 1rem 0 }
.tiles div { background: var(--card); border-radius: .5rem; padding: .6rem .8rem }
.tiles b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.tiles span { color: var(--quiet); font-size: .8125rem }
.scroll { overflow-x: auto; margin: .75rem 0 }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--soft); text-align: left; white-space: nowrap }
th { font-weight: 600 } .number { text-align: right } td.long { white-space: normal; min-width: 14rem }
tr.first td { font-weight: 600 }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 1rem }
figure { margin: .75rem 0; background: var(--card); border-radius: .5rem; padding: .75rem; min-width: 0 }
figure .scroll { margin: 0 }
figure svg text { white-space: pre }
figure svg { display: block; width: 100%; height: auto; max-width: 46rem; margin: 0 auto }
figcaption { margin-top: .5rem }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .2rem 1rem; font-size: .875rem }
dt { color: var(--quiet) } dd { margin: 0; overflow-wrap: anywhere }
pre { background: var(--card); border-radius: .5rem; padding: .75rem; overflow-x: auto; font-size: .8125rem }
"""


def report(store: Store, by: str | None = None, over: str | None = None, where: str | None = None) -> str:
    """The page, as text."""
    one = answers.objective(store, by)
    best = answers.best(store, by, where)
    if over is None and "cost" in store.metrics.index:
        over = f"{one.text},cost"
    page = [Section("summary", "", lambda: summary(store, one, best, where)),
            Section("best", "Best points", lambda: best_points(store, one, best)),
            Section("pareto", "Pareto front", lambda: front(store, over, where)),
            Section("sensitivity", "What matters", lambda: what_matters(store, by, where)),
            Section("curves", "The axes that matter most", lambda: maps(store, by, where)),
            Section("errors", "Points that did not finish", lambda: errors(store)),
            Section("provenance", "About this sweep", lambda: provenance(store))]
    title = html.escape(pathlib.Path(store.path).name)
    links = "".join(f'<a href="#{part.name}">{part.title}</a>' for part in page if part.title)
    with matplotlib.rc_context(STYLE):
        body = "\n".join(part.made() for part in page)
    return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            f'content="width=device-width, initial-scale=1"><title>{title}</title><style>{CSS}</style></head>\n'
            f"<body><h1>{title}</h1>\n<nav>{links}</nav>\n{body}\n<footer><p>Made by <code>warpwait sweep "
            "report</code>. Definitions are in docs/sweep-analysis.md.</p></footer></body></html>\n")


class Section:
    """A part of the page. If it cannot be made, the reason takes its place."""

    def __init__(self, name: str, title: str, make: typing.Callable[[], str]) -> None:
        self.name, self.title, self._make = name, title, make

    def made(self) -> str:
        """The part's HTML."""
        try:
            body = self._make()
        except SweepError as error:
            body = paragraph(str(error), "quiet")
        head = f"<h2>{self.title}</h2>" if self.title else ""
        return f'<section id="{self.name}">{head}\n{body}</section>'


# ---- sections ----------------------------------------------------------------------------------------

def summary(store: Store, one: answers.Objective, best: pandas.DataFrame, where: str | None) -> str:
    """The store in figures."""
    first = best.iloc[0]
    finished, total = store.counts.get("finished", 0), sum(store.counts.values())
    tiles = [(f"{total:,}", "points"), (f"{finished:,}", "finished"), (f"{len(store.axes)}", "axes"),
             (amount(first[one.text]), f"{header(one.text, store.unit(one.text))}, at best")]
    if "cost" in best and one.text != "cost":
        tiles.append((amount(first["cost"]), "cost of that point"))
    shown = "".join(f"<div><b>{prose(value)}</b><span>{prose(text)}</span></div>" for value, text in tiles)
    more = paragraph(f"Only points with {where} are considered.") if where else ""
    more += "".join(paragraph(said) for said in queries.of_clocks(store, [one], where))
    return f'<div class="tiles">{shown}</div>' + more


def best_points(store: Store, one: answers.Objective, best: pandas.DataFrame) -> str:
    """The best points, and how the first differs from the others."""
    rows, units = queries.described(store, [one, *answers.shown_beside(store, one)], best)
    return table(rows, units, first=True)


def front(store: Store, over: str | None, where: str | None) -> str:
    """The points that no other beats."""
    if over is None:
        raise SweepError("The plan has no cost; name the metrics to compare with `--over METRICS`.")
    ax, rows = pictures.pareto(store, over, where)
    units = {one.text: store.unit(one.text) for one in answers.objectives(store, over)}
    note = "No other point is as good in both and better in one."
    return drawn(ax.figure, f"{note} Gray: all points.") + table(rows.head(40), units)


def what_matters(store: Store, by: str | None, where: str | None) -> str:
    """Swings and shares of the variance."""
    ax, rows = pictures.tornado(store, by, where)
    shares = sensitivity.over_all(store, by, where)
    caption = ("Left: how far each axis alone moves the metric from the best point, with the metric and the axis's value there. "
               f"Right: its share of the variance over all points, {queries.told(shares)}")
    return drawn(ax[0].figure, caption) + table(rows.drop(columns=["swing"]).dropna(axis=1, how="all"), {})


def maps(store: Store, by: str | None, where: str | None) -> str:
    """Curves and a map of the two axes with the largest shares."""
    factors = [factor.split("+")[0] for factor in sensitivity.over_all(store, by, where).table["factor"]]
    points = store.frame(where=where)
    few = [axis for axis in factors if len(levels(points[axis])) <= pictures.MOST_LEVELS]
    if len(few) < 2:
        raise SweepError("Fewer than two axes can be drawn.")
    first, second = few[:2]
    lined = second if len(levels(points[second])) <= pictures.MOST_LINES else None
    left = pictures.lines(store, first, by, lined, where, ax=new_axes())[0]
    right = pictures.heat(store, (first, second), by, where, ax=new_axes())[0]
    return (f'<div class="pair">{drawn(left.figure, said_of_knee(store, first, by, where))}'
            f'{drawn(right.figure, "The best of each cell over all other axes; bright is good.")}</div>')


def said_of_knee(store: Store, axis: str, by: str | None, where: str | None) -> str:
    """A sentence on where the curve bends."""
    try:
        points, place = answers.knee(store, axis, by, where)
    except SweepError:
        place = None
    begin = "The best for each value over all other axes"
    return f"{begin}." if place is None else f"{begin}; the knee of the best is at {number(points[axis][place])}."


def errors(store: Store) -> str:
    """Points that did not finish."""
    rows = answers.errors(store)
    return table(rows.head(50), {}) if len(rows) else paragraph("All points finished.")


def provenance(store: Store) -> str:
    """All facts, with long ones folded, and the axes."""
    facts = [(name.lstrip("~"), str(value)) for name, value in store.facts.items() if value]
    short = [(name, value) for name, value in facts if "\n" not in value]
    long = [(name, value) for name, value in facts if "\n" in value]
    listed = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in short)
    folded = "".join(f"<details><summary>{html.escape(name)}</summary><pre>{html.escape(value)}</pre></details>"
                     for name, value in long)
    return f"<dl>{listed}</dl>{folded}"


# ---- pieces ------------------------------------------------------------------------------------------

def paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{prose(text)}</p>' if kind else f"<p>{prose(text)}</p>"


def table(frame: pandas.DataFrame, units: dict[str, str], first: bool = False) -> str:
    """A frame as an HTML table, which scrolls if it is too wide. first: highlight the first row."""
    columns = [(words(frame[name]), header(str(name), units.get(name))) for name in frame.columns]
    heads = "".join(f'<th{kind(right, [])}>{html.escape(head)}</th>' for (_, right), head in columns)
    rows = []
    for row in range(len(frame)):
        cells = "".join(f"<td{kind(right, cells[row])}>{html.escape(cells[row])}</td>" for (cells, right), _ in columns)
        rows.append(f'<tr class="first">{cells}</tr>' if first and row == 0 else f"<tr>{cells}</tr>")
    return (f'<div class="scroll" tabindex="0"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(rows)}</tbody>'
            "</table></div>")


def kind(right: bool, cell: typing.Sequence[str]) -> str:
    """The class of a cell: numbers are right-aligned, long words wrap."""
    return ' class="number"' if right else ' class="long"' if len(cell) > 40 else ""


def new_axes() -> Axes:
    """Axes of a picture that takes half the page."""
    return figure.axes_or_new(None, (5.6, 4))


def drawn(picture: Figure, caption: str) -> str:
    """A figure as SVG within the page, in the page's colors."""
    file = io.StringIO()
    picture.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    pyplot.close(picture)
    svg = re.sub(r"^.*?(?=<svg)|<metadata>.*?</metadata>", "", file.getvalue(), flags=re.S)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, 1)
    least = picture.get_figwidth() * 5  # in rem, so that its words are legible
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', rf'\1 role="img" style="min-width: {least:.1f}rem"', svg, 1)
    mark = f"p{zlib.crc32(svg.encode()):08x}-"  # ids must be unique in the page
    svg = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{mark}", svg)
    svg = svg.replace(INK, "var(--ink)").replace(GRID, "var(--soft)")
    return f"<figure><div class='scroll'>{svg}</div><figcaption>{prose(caption)}</figcaption></figure>"
