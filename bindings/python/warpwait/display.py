"""What notebooks show: HTML with small SVG pictures, in the notebook's colors, light or dark.

A notebook's page and outputs share their styles, so every rule here applies only below .warpwait. The class is repeated
three times, because JupyterLab's own rules for tables (`.jp-RenderedHTMLCommon:not(...) td`, `tbody tr:nth-child(odd)`)
would win otherwise. There are no scripts: JupyterLab and VS Code run none in notebooks that are not trusted. Bars are
SVG, because browsers do not print backgrounds.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from ._html import prose
from .plot.colors import in_order, look
from .report import _why_unfinished

if TYPE_CHECKING:
    from .explanation import Explanation
    from .machine import Machine
    from .program import Program
    from .report import Hazards, LaunchReport, Lines, Report
    from .sweep.sweeping import Results
    from .tables import Stalls, Table

ROWS = 200      # shown of a table
LAUNCHES = 40   # shown of a report
BAR = 460       # width of a stacked bar in pixels
LEAST = .0005   # smallest share that is shown, as 0.1%

# Text has the notebook's color, and grays are translucent, so that both work in light and dark.
STYLE = """<style>
& { font-size: 13px; line-height: 1.45; max-width: 1000px; overflow-x: auto; color: inherit; }
& h4 { margin: .3em 0; font-size: 1.1em; font-weight: 600; color: inherit; }
& p { margin: .3em 0; }
& td p, & td .hazard { margin: 0; }
& table { border-collapse: collapse; margin: .4em 0; border: none; color: inherit; font-size: inherit;
  table-layout: auto; width: auto; }
& tr { background: none; border: none; }
& th, & td { padding: 1px 12px 1px 2px; text-align: left; border: none; background: none; color: inherit;
  vertical-align: top; line-height: 1.45; white-space: normal; max-width: 560px; }
& thead th { border-bottom: 1px solid #8888; font-weight: 600; white-space: nowrap; }
& th.n, & td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
& td.code, & pre { font-family: var(--jp-code-font-family, monospace); font-size: 12px; white-space: pre;
  max-width: none; }
& pre { background: none; border: none; padding: 0; color: inherit; line-height: 1.35; margin: .2em 0; }
& .dim { opacity: .7; font-weight: normal; }
& .big { font-size: 1.5em; font-weight: 600; margin-right: .3em; }
& .key { display: inline-block; margin-right: 1.1em; white-space: nowrap; }
& .hazard { border-left: 3px solid #D55E00; padding-left: 8px; margin: .5em 0; }
& svg { vertical-align: middle; max-width: none; }
& summary { cursor: pointer; }
@media print { & { overflow: visible; max-width: none; } & td.code, & pre { white-space: pre-wrap; } }
</style>""".replace("&", ".warpwait.warpwait.warpwait")


def wrapped(*parts: str) -> str:
    """Parts of HTML with their style."""
    return f'{STYLE}<div class="warpwait">{"".join(parts)}</div>'


def number(value: Any) -> str:
    """A number for people: integers with commas between thousands, others to four digits."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "" if value is None else str(value)
    return f"{value:,}" if isinstance(value, int) or value.is_integer() else f"{value:,.4g}"


def color(bucket: str) -> str:
    """The color of a stall bucket, for CSS."""
    red, green, blue = (round(255 * channel) for channel in look(bucket).face)
    return f"#{red:02x}{green:02x}{blue:02x}"


# ---- small pictures ----------------------------------------------------------------------------------

def svg(width: float, height: float, *parts: str, label: str = "") -> str:
    """A picture of that size in pixels. label: for screen readers."""
    told = f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'
    return f'<svg width="{width:g}" height="{height:g}" {told}>{"".join(parts)}</svg>'


def rectangle(left: float, top: float, width: float, height: float, fill: str, title: str = "") -> str:
    """A rectangle with a title as a tooltip."""
    told = f"<title>{escape(title)}</title>" if title else ""
    return (f'<rect x="{left:.4g}" y="{top:.4g}" width="{max(width, 0):.4g}" height="{height:.4g}" fill="{fill}">'
            f"{told}</rect>")


def frame(width: float, height: float) -> str:
    """A thin line around a picture, so that light colors end on white and dark ones on black."""
    return f'<rect x=".5" y=".5" width="{width - 1:.4g}" height="{height - 1:g}" fill="none" stroke="#8888"/>'


def stacked(shares: Mapping[str, float], width: float = BAR, height: float = 16) -> str:
    """A bar of stall buckets, in the order and colors of warpwait.plot. shares: of the whole, 0 to 1."""
    left, parts = 0.0, []
    for bucket in in_order(shares):
        parts.append(rectangle(left, 0, shares[bucket] * width, height, color(bucket),
                               f"{bucket}: {shares[bucket]:.1%}"))
        left += shares[bucket] * width
    told = ", ".join(f"{bucket} {share:.1%}" for bucket, share in shares.items() if share >= LEAST)
    return svg(max(width, 1), height, *parts, frame(width, height) if width > 2 else "", label=told)


def swatch(bucket: str) -> str:
    """A bucket with its color."""
    return f"{svg(10, 10, rectangle(0, 0, 10, 10, color(bucket)), frame(10, 10))} {escape(bucket)}"


def legend(shares: Mapping[str, float]) -> str:
    """The legend of a stacked bar, the largest bucket first; those below 0.5 % together."""
    large = {bucket: share for bucket, share in shares.items() if share >= .005}
    keys = [f'<span class="key">{swatch(bucket)} {share:.1%}</span>' for bucket, share in large.items()]
    rest = sum(shares.values()) - sum(large.values())
    if rest >= LEAST:
        keys.append(f'<span class="key dim">others {rest:.1%}</span>')
    return f'<p>{"".join(keys)}</p>'


def meter(share: float, width: float = 120, fill: str = "#2684C7") -> str:
    """A bar that is full at 1."""
    return svg(width, 10, rectangle(0, 0, width, 10, "#8883"), rectangle(0, 0, min(share, 1) * width, 10, fill),
               label=f"{share:.1%}")


def columns(values: Sequence[float], titles: Sequence[str], width: float = 240, height: float = 42,
            fill: str = "#CC79A7") -> str:
    """A bar chart; the highest bar is as high as the picture."""
    step, most = min(width / max(len(values), 1), 24), max([*values, 0]) or 1
    parts = [rectangle(place * step, height * (1 - value / most), max(step - 1, step * .8), height * value / most, fill,
                       title) for place, (value, title) in enumerate(zip(values, titles))]
    return svg(width, height, *parts, rectangle(0, height - 1, width, 1, "#8888"), label=f"{len(values)} columns")


def dots(points: Sequence[tuple[float, float]], front: Sequence[tuple[float, float]], names: tuple[str, str],
         width: float = 320, height: float = 150) -> str:
    """A scatter plot of points and their Pareto front. Values grow to the right and up. names: of the two axes."""
    across, up = [x for x, _ in points], [y for _, y in points]
    spans = [(min(values), (max(values) - min(values)) or 1) for values in (across, up)]

    def dot(point: tuple[float, float], radius: float, fill: str) -> str:
        x, y = ((value - least) / span for value, (least, span) in zip(point, spans))
        return (f'<circle cx="{5 + x * (width - 10):.4g}" cy="{5 + (1 - y) * (height - 10):.4g}" r="{radius:g}" '
                f'fill="{fill}"><title>{names[1]} {number(point[1])}, {names[0]} {number(point[0])}</title></circle>')

    return svg(width, height, frame(width, height), *(dot(point, 2, "#8888") for point in points),
               *(dot(point, 3.5, "#D55E00") for point in front), label=f"{names[1]} over {names[0]}")


# ---- tables ------------------------------------------------------------------------------------------

def rows_html(header: Sequence[str], rows: Iterable[Sequence[str]], kinds: str) -> str:
    """A table of cells that are already HTML. kinds: a letter for each column, `n` number, `c` code, `-` anything."""
    classes = [{"n": ' class="n"', "c": ' class="code"'}.get(kind, "") for kind in kinds]
    head = "".join(f"<th{kind}>{cell}</th>" for kind, cell in zip(classes, header))
    body = "".join("<tr>" + "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(classes, row)) + "</tr>"
                   for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def cells_html(rows: Sequence[Mapping[str, Any]], names: Sequence[str], units: Mapping[str, str] | None = None) -> str:
    """A table of some columns of the rows, escaped. Numbers are right-aligned."""
    kinds = "".join("n" if all(isinstance(row.get(name), (int, float, type(None))) for row in rows) else "-"
                    for name in names)
    header = [escape(name) + (f' <span class="dim">({escape(unit)})</span>' if (unit := (units or {}).get(name)) else "")
              for name in names]
    return rows_html(header, [[escape(number(row.get(name))) for name in names] for row in rows], kinds)


def table_html(table: Table) -> str:
    """The first 200 rows, without columns that contain dictionaries or lists."""
    rows, more = table[:ROWS], len(table) - ROWS
    shown = [key for key in table.columns if not any(isinstance(row.get(key), (dict, list)) for row in rows)]
    return wrapped(f"<h4>{escape(table.title)}</h4>", cells_html(rows, shown, table.units) if rows else "<p>none</p>",
                   f'<p class="dim">and {more:,} more rows: to_pandas() has all</p>' if more > 0 else "")


def text_html(text: str) -> str:
    """Preformatted text."""
    return wrapped(f"<pre>{escape(text)}</pre>")


def stalls_html(stalls: Stalls) -> str:
    """A bar with its legend, and the numbers."""
    shares = stalls.shares()
    rows = [[swatch(bucket), number(stalls[bucket]), f"{share:.1%}"] for bucket, share in shares.items()]
    return wrapped("<h4>Where warps were</h4>", stacked(shares), rows_html(["bucket", "warp-cycles", "share"], rows, "-nn"))


def machine_html(machine: Machine) -> str:
    """The changed parameters, and all parameters in a block that opens."""
    rows, changed = machine.table().rows, machine.changed()
    names = ["key", "value", "unit", "text"]
    first = cells_html([row for row in rows if row["key"] in changed], names) if changed else ""
    return wrapped(f"<h4>Machine {escape(machine.name)}{', changed:' if changed else ''}</h4>", first,
                   f"<details><summary>all {len(rows)} parameters</summary>{cells_html(rows, names)}</details>")


def program_html(program: Program) -> str:
    """The program's kernels, and those that were refused."""
    rows = [{"kernel": repr(kernel)[8:-1], "registers": kernel.registers, "LDS bytes": kernel.lds_bytes,
             "private bytes": kernel.private_bytes} for kernel in program.values()]
    refused = [f'<p class="hazard"><b>{escape(name)}</b>: {escape(why)}</p>' for name, why in program.refused.items()]
    return wrapped(f"<h4>Program {escape(program.name or '')}</h4>", cells_html(rows, list(rows[0])) if rows else "",
                   *refused)


def results_html(results: Results) -> str:
    """A sweep: its axes, the best points, and all of them with their Pareto front."""
    told = ", ".join(f"{count:,} {escape(status)}" for status, count in results.counts.items())
    axes = [[escape(axis), f"{len(words):,}", escape(" ".join(words[:12])) + (" ..." if len(words) > 12 else "")]
            for axis, words in results.words.items()]
    parts = [f"<h4>Sweep: {told}</h4>", rows_html(["axis", "values", ""], axes, "-n-")]
    if "finished" in results.counts:
        best = results.best(count=5).drop(columns=["number", "key", "status", "reason"], errors="ignore")
        rows = [{str(name): value for name, value in row.items()} for row in best.to_dict("records")]
        parts.append(f"<h4>Fewest {results.time}</h4>{cells_html(rows, list(rows[0]))}")
        if "cost" in results.metrics.index:
            points, front = results.frame([results.time, "cost"]), results.pareto()
            pairs = [list(zip(map(float, some["cost"]), map(float, some[results.time]))) for some in (points, front)]
            parts.append(f"<p>{results.time} over cost, and the front of {len(front)}</p>"
                         + dots(pairs[0][:2000], pairs[1], ("cost", results.time)))
    return wrapped(*parts)


# ---- reports -----------------------------------------------------------------------------------------

def report_html(report: Report) -> str:
    """The summary of a report: what each launch took, what bounds it, and where its warps spent their time."""
    changed = ", ".join(f"{key} = {value}" for key, value in report["machine.changed"].items())
    machine = f"machine {escape(str(report['machine.name']))}{': ' if changed else ''}{escape(changed)}"
    launches = report.launches
    parts = [launch_parts(launches[0], machine)] if len(launches) == 1 else [launches_parts(launches, machine)]
    return wrapped(*parts, *hazard_parts(report.hazards))


def launch_html(launch: LaunchReport) -> str:
    """One launch of a report."""
    return wrapped(launch_parts(launch, ""))


def size_of(launch: LaunchReport) -> str:
    """The NDRange, without trailing dimensions of 1."""
    sizes = [launch["global"], launch["local"]]
    most = max(place for place in range(3) if place == 0 or any(size[place] > 1 for size in sizes)) + 1
    return " work-items in groups of ".join(" x ".join(f"{one:,}" for one in size[:most]) for size in sizes)


def verdict(launch: LaunchReport) -> str:
    """What bounds the launch, or why it did not finish."""
    if launch.end != "finished":
        return f'<div class="hazard"><b>{escape(launch.end)}</b> {prose(_why_unfinished(launch))}</div>'
    return f"<p>{prose(launch.sentence)}</p>"


def launch_parts(launch: LaunchReport, machine: str) -> str:
    """The summary of a launch."""
    head = f'<h4>{escape(launch.kernel)} <span class="dim">{size_of(launch)}{", " if machine else ""}{machine}</span></h4>'
    if "cycles" not in launch:
        return head + f"<p>{launch.warp_instructions:,} warp-instructions, executed without timing</p>"
    told = (f'<p><span class="big">{launch.cycles:,} cycles</span> '
            + prose(f"{launch.microseconds:,.4g} us, {launch.warp_instructions:,} warp-instructions") + f"</p>{verdict(launch)}")
    shares = launch.stalls.shares()
    return head + told + (stacked(shares) + legend(shares) if shares else "") + pictures(launch) + fidelity([launch])


def launches_parts(launches: Sequence[LaunchReport], machine: str) -> str:
    """Several launches, one row each; all bars have the same scale."""
    shown, total = [], dict[str, int]()
    for place, launch in enumerate(launches[:LAUNCHES], 1):
        timed = "cycles" in launch
        for bucket, cycles in launch.stalls.items() if timed else ():
            total[bucket] = total.get(bucket, 0) + cycles
        with_ = [other for other in launch["together"] if other != place]
        kernel = escape(launch.kernel) + (f' <span class="dim">with&nbsp;{",&nbsp;".join(map(str, with_))}</span>' if with_ else "")
        shown.append([str(place), kernel, size_of(launch), number(launch.cycles) if timed else "",
                      stacked(launch.stalls.shares(), 200, 12) if timed else "",
                      verdict(launch) if timed else f"{launch.warp_instructions:,} warp-instructions, without timing"])
    whole, more = sum(total.values()), len(launches) - len(shown)
    shares = {bucket: cycles / whole for bucket, cycles in sorted(total.items(), key=lambda row: -row[1]) if cycles}
    return (f'<h4>{len(launches)} launches <span class="dim">{machine}</span></h4>'
            + rows_html(["", "kernel", "", "cycles", "where warps were", ""], shown, "n--n--")
            + (f'<p class="dim">and {more} more</p>' if more > 0 else "") + legend(shares) + fidelity(launches[:LAUNCHES]))


def fidelity(launches: Sequence[LaunchReport]) -> str:
    """The report's known error."""
    said = dict.fromkeys(str(launch["fidelity.sentence"]) for launch in launches if "fidelity" in launch)
    return "".join(f'<p class="dim">{prose(sentence)}</p>' for sentence in said)


def pictures(launch: LaunchReport) -> str:
    """The most used resources in percent of their peak, the copies' latencies, and channels over time."""
    used = sorted(((share, name) for name, share in launch.utilization.items() if not name.startswith("unit_")),
                  reverse=True)[:6]
    rows = [[escape(name.replace("_", " ")), meter(share), f"{share:.1%}"] for share, name in used if share >= LEAST]
    cells = [rows_html(["resource", "of peak", ""], rows, "--n")] if rows else []
    bins, over_time = launch["dma.latency.bins"], launch["dma.timeline.channels"]
    if bins:
        titles = [f"from {row['from']} cycles: {row['count']} copies" for row in bins]
        copies = (f"<p>{launch['dma.latency.count']:,} copies, {launch['dma.latency.min']:,} to "
                  f"{launch['dma.latency.max']:,} cycles from issue to completion</p>"
                  + columns([row["count"] for row in bins], titles))
        if over_time:
            step = launch["dma.timeline.interval"]
            titles = [f"cycles {place * step:,} to {(place + 1) * step:,}: {value:.2f}"
                      for place, value in enumerate(over_time)]
            copies += "<p>DMA channels at work over time</p>" + columns(over_time, titles)
        cells.append(copies)
    return "<table><tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr></table>" if cells else ""


def lines_html(lines: Lines) -> str:
    """The source with its costs in the margin: percent of all warp-cycles, and the stall buckets."""
    costs = {(row["file"], row["line"]): row for row in lines}
    most = max([row["cycles"] for row in lines] or [1]) or 1
    parts = []
    for file in dict.fromkeys([row["file"] for row in lines] or lines.sources):
        texts = dict(enumerate(lines.sources[file], 1)) if file in lines.sources else {
            row["line"]: row["text"] or "" for row in lines if row["file"] == file}
        if (file, 0) in costs:
            texts[0] = "(unknown line)"
        rows = [line_cells(costs.get((file, line)), line, texts[line], lines.resident, most) for line in sorted(texts)]
        parts.append(f"<h4>{escape(str(file))}</h4>"
                     + rows_html(["", "% of cycles", "issues", "mostly", "line", "source"], rows, "-nn-nc"))
    return wrapped(*parts or ["<p>no known source line</p>"])


def line_cells(row: Mapping[str, Any] | None, line: int, text: str, resident: int, most: int) -> list[str]:
    """The cells of a source line."""
    last = [f'<span class="dim">{line or ""}</span>', escape(text)]
    if row is None or not row["cycles"]:
        return ["", "", "", "", *last]
    shares: dict[str, float] = {bucket: cycles / row["cycles"] for bucket, cycles in row["stalls"].items()}
    waits = {bucket: share for bucket, share in shares.items() if bucket != "issued"}
    mostly = max(waits, key=lambda bucket: waits[bucket]) if waits else ""
    return [stacked(shares, 90 * row["cycles"] / most, 11), f"{100 * row['cycles'] / (resident or 1):.1f}",
            number(row["issues"]), escape(mostly), *last]


def source_of(report: Report, file: str, line: int) -> str:
    """A line of a program, from its source or from the report; "" if neither has it."""
    if file in report.sources:
        return report.sources[file][line - 1].strip() if 0 < line <= len(report.sources[file]) else ""
    texts = {row["text"] for launch in report.launches for row in launch.get("by_line", [])
             if (row["file"], row["line"]) == (file, line) and row["text"]}
    return str(texts.pop()) if len(texts) == 1 else ""  # two programs may have the same file name


def hazard_parts(hazards: Hazards) -> list[str]:
    """A paragraph for each hazard: the rule, what is wrong and where, the source line, and the remedy."""
    parts = []
    for row in hazards:
        file, line = str(row.get("file") or ""), row.get("line") or 0
        source = source_of(hazards.report, file, line)
        group = ", ".join(map(str, row.get("work_group", [])))
        last = [row.get("detail") or "", f"first in work-group ({group})" if group else "",
                f"{row['count']:,} times" if row.get("count", 1) > 1 else ""]
        parts.append(f'<div class="hazard"><b>{escape(row["rule"])}</b> {escape(f"{file}:{line}" if line else file)}<br>'
                     f'{prose(row["message"])}' + (f"<pre>{escape(source)}</pre>" if source else "<br>")
                     + f'<span class="dim">{escape("; ".join(filter(None, last)))}</span>'
                     + (f'<br>{prose(row["advice"])}' if row.get("advice") else "") + "</div>")
    return parts


def hazards_html(hazards: Hazards) -> str:
    """All hazards, or a sentence that there are none."""
    return wrapped(*(hazard_parts(hazards) or ["<p>No hazard was found.</p>"]))


def explanation_html(explanation: Explanation) -> str:
    """What each limit costs, as bars."""
    parts = []
    for launch in explanation["launches"]:
        parts.append(f'<h4>{escape(", ".join(launch["kernels"]))}: {launch["cycles"]:,} cycles '
                     f'<span class="dim">on machine {escape(explanation["machine"])}</span></h4>')
        rows = [[escape(row["name"]), number(row["cycles"]), number(row["saved"]), f"{row['saved_share']:.1%}",
                 meter(row["saved_share"])] for row in launch["limits"] if "limit" in row and row["saved"] > 0]
        parts.append(rows_html(["without the", "cycles", "saved", "", ""], rows, "-nnn-")
                     if rows else "<p>No single limit costs anything.</p>")
    return wrapped(*parts)
