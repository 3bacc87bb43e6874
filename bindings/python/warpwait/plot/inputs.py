"""Inputs of the pictures: JSON reports, and timelines as frames."""
from __future__ import annotations

import json
import os
import pathlib
import typing

import numpy
import pandas

from .._arrays import Whole
from .._checks import raw
from ..errors import BadInput
from ..trace.numbers import TraceError
from ..trace.timeline import Timeline

Path = typing.Union[str, "os.PathLike[str]"]
Report = typing.Dict[str, typing.Any]  # of `warpwait run --report json`
One = typing.Union[typing.Mapping[str, typing.Any], Path]
Reports = typing.Union[One, typing.Sequence[One]]
Source = typing.Union[Path, Timeline, "Events"]

# The keys of a report that the pictures use: of each launch, and of each row of a list in it.
LAUNCH_VALUES: dict[str, type | tuple[type, ...]] = {
    "kernel": str, "cycles": int, "work_groups": int, "stalls": dict, "hiding.exposed_cycles": int,
    "dma.latency.count": int, "dma.latency.mean": (int, float), "by_line": list, "by_instruction": list}
ROW_VALUES: dict[str, dict[str, type]] = {
    "by_line": {"file": str, "line": int, "stalls": dict},
    "by_instruction": {"pc": int, "instruction": str, "stalls": dict}}


class PlotError(BadInput):
    """Input from which no picture can be made. The text is one line: which file, and why."""


# ---- reports --------------------------------------------------------------------------------------

def read_report(source: One) -> Report:
    """The report of `warpwait run --report json` at a path, or from a dict or a warpwait.Report.

    Raises PlotError if the file cannot be read or is not a report.
    """
    if isinstance(source, typing.Mapping):
        report = source if isinstance(source, dict) else dict(source)
        if any("functional" in launch for launch in report.get("launches", [])):
            raise PlotError("the report is from a run without timing, which has no stalls to draw")
        return report
    raw(source)
    try:
        text = pathlib.Path(source).read_text(encoding="utf-8")
    except OSError as error:
        raise PlotError(f"{source}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PlotError(f"{source}: expected a JSON report (`warpwait run --report json`), "
                        "found binary data") from None
    return parse_report(text, source)


def parse_report(text: str, name: object) -> Report:
    """Parses a report from JSON; `name` is for messages. Raises PlotError if the text is not a report."""
    try:
        report: Report = json.loads(text)
    except json.JSONDecodeError as error:
        raise PlotError(f"{name}: expected a JSON report (`warpwait run --report json`): {error}") from None
    launches = report.get("launches") if isinstance(report, dict) else None
    if not isinstance(launches, list) or not launches:
        raise PlotError(f"{name}: expected a JSON report of `warpwait run`, found JSON without launches")
    for place, launch in enumerate(launches):
        _check_launch(launch, f"{name}: launches[{place}]")
    return report


def _check_launch(launch: typing.Any, where: str) -> None:
    for path, kind in LAUNCH_VALUES.items():
        value = launch
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        _check(value, kind, f"{where}.{path}")
    for rows, values in ROW_VALUES.items():
        for place, row in enumerate(launch[rows]):
            _check(row, dict, f"{where}.{rows}[{place}]")
            for key, kind in values.items():
                _check(row.get(key), kind, f"{where}.{rows}[{place}].{key}")
    stalls = [("", launch)] + [(f".{rows}[]", row) for rows in ROW_VALUES for row in launch[rows]]
    for rows, row in stalls:
        for bucket, cycles in row["stalls"].items():
            _check(cycles, int, f"{where}{rows}.stalls.{bucket}")


def _check(value: object, kind: type | tuple[type, ...], where: str) -> None:
    if not isinstance(value, kind):
        words: dict[object, str] = {int: "a whole number", str: "a text", list: "a list", dict: "an object"}
        raise PlotError(f"{where}: expected {words.get(kind, 'a number')}, as in a JSON report of `warpwait run`")


def read_reports(sources: Reports) -> list[Report]:
    """Reads one report or a list of them with read_report(). Returns a list of dicts that is not empty."""
    if isinstance(sources, (typing.Mapping, str, os.PathLike)):
        sources = [sources]
    reports = [read_report(source) for source in sources]
    if not reports:
        raise PlotError("no report was given")
    return reports


def labels_of(reports: typing.Sequence[Report], sources: Reports,
              labels: typing.Sequence[str] | None = None) -> list[str]:
    """A name for each report: `labels`, else the report's own name, else (if two have the same) the file's.

    Raises PlotError if the number of labels is not the number of reports.
    """
    if labels is not None:
        if len(labels) != len(reports):
            raise PlotError(f"{len(labels)} labels for {len(reports)} reports: expected as many")
        return list(labels)
    names = [report.get("name", "report") for report in reports]
    if len(set(names)) == len(names):
        return names
    sources = [sources] if isinstance(sources, (typing.Mapping, str, os.PathLike)) else list(sources)
    return [f"{name} {place + 1}" if isinstance(source, typing.Mapping) else pathlib.Path(source).stem
            for place, (name, source) in enumerate(zip(names, sources))]


# ---- timelines ------------------------------------------------------------------------------------

def is_timeline(path: Path) -> bool:
    """Whether the file at `path` begins like a timeline. Raises PlotError if it cannot be read."""
    raw(path)
    try:
        with open(path, "rb") as file:
            return file.read(len(Timeline.MAGIC)) == Timeline.MAGIC
    except OSError as error:
        raise PlotError(f"{path}: {error.strerror}") from None


class Events:
    """A timeline's events as frames, each kind read once, and the run's description from its metas.

    `source`: a path, or an open timeline of warpwait.trace.open_timeline().
    """

    def __init__(self, source: Path | Timeline) -> None:
        self._opens = isinstance(source, (str, os.PathLike))
        self.source = _open(source) if isinstance(source, (str, os.PathLike)) else source
        self.path, self.run = str(self.source.path), self.source.run
        self._frames: dict[str, pandas.DataFrame] = {}
        if self._opens:
            self.source.close()

    @classmethod
    def of(cls, source: Source) -> Events:
        """The Events of a path, an open timeline or a warpwait.Report; Events are returned unchanged."""
        if isinstance(source, Events):
            return source
        of_report = getattr(source, "timeline", None)
        return cls(of_report() if callable(of_report) else source)

    def frame(self, kind: str, cu: int | None = None, start: int | None = None,
              end: int | None = None) -> pandas.DataFrame:
        """The events of a kind within [start, end), of one compute unit or of all, as a pandas frame.

        Columns: cu, unit, from, to (cycles; an event is in [from, to)), and the kind's fields by name. Events that
        extend beyond [start, end) are cut. The frame may be empty.
        """
        if kind not in self._frames:
            self._frames[kind] = self._read(kind)
        frame = self._frames[kind]
        if cu is not None:
            frame = frame[frame["cu"] == cu]
        return _cut(frame, start, end)

    def need(self, kind: str, cu: int | None = None, start: int | None = None,
             end: int | None = None) -> pandas.DataFrame:
        """Like frame(), but raises PlotError if there are no events."""
        frame = self.frame(kind, cu, start, end)
        if frame.empty:
            whole = self.frame(kind)
            if whole.empty:
                why = f"no events of kind `{kind}`"
            elif cu is not None and cu not in set(whole["cu"]):
                why = f"no `{kind}` events of compute unit {cu}, but of {', '.join(map(str, sorted(set(whole['cu']))))}"
            else:
                why = f"no `{kind}` events in cycles {_span(start, end)}, but in {_span(*self.extent(kind))}"
            raise PlotError(f"{self.path}: {why}")
        return frame

    def extent(self, kind: str) -> tuple[int, int]:
        """(first, last) cycle of the kind's events."""
        frame = self.frame(kind)
        return int(frame["from"].min()), int(frame["to"].max())

    def line(self, launch: int, pc: int) -> tuple[str, int, str]:
        """(file, number, text) of the source line of an instruction; ("", 0, "") if it is not known."""
        code = self.source.code(launch, pc)
        if not code.get("line"):
            return "", 0, ""
        source = self.run["programs"][self.run["launches"][launch]["program"]].get("source", {})
        return code["file"], code["line"], source.get(code["file"], {}).get(str(code["line"]), "")

    def instruction(self, launch: int, pc: int) -> str:
        """The text of an instruction; "" if it is not known."""
        return " ".join(self.source.code(launch, pc).get("text", "").split())

    def parameter(self, name: str, default: object) -> typing.Any:
        """The value of the machine's parameter, by its full name."""
        return self.run.get("machine", {}).get("parameters", {}).get(name, default)

    def title(self) -> str:
        """`KERNEL on MACHINE`, as far as the metas have them."""
        kernels = list(dict.fromkeys(launch["kernel"] for launch in self.run.get("launches", [])))
        machine = self.run.get("machine", {}).get("name", "")
        return ", ".join(kernels) + (f" on {machine}" if machine else "")

    def _read(self, kind: str) -> pandas.DataFrame:
        source = _open(self.path) if self._opens else self.source
        try:
            frame = source.frame(kind)
        except (ValueError, TraceError) as error:  # a kind that the file's schema lacks, or damage
            raise PlotError(str(error) if isinstance(error, TraceError) else f"{self.path}: {error}") from None
        finally:
            if self._opens:
                source.close()
        return frame.sort_values(["from", "to"], kind="stable", ignore_index=True)


def _open(path: Path) -> Timeline:
    if not is_timeline(path):
        raise PlotError(f"{path}: expected a timeline (`warpwait run --timeline FILE`)")
    try:
        timeline = Timeline(path)
        timeline.run  # pylint: disable=pointless-statement; raises errors in it now
        return timeline
    except (OSError, TraceError) as error:
        raise PlotError(str(error)) from None


def _span(start: int | None, end: int | None) -> str:
    return f"{0 if start is None else start} to {'the end' if end is None else end}"


def _cut(frame: pandas.DataFrame, start: int | None, end: int | None) -> pandas.DataFrame:
    if start is None and end is None:
        return frame
    start = 0 if start is None else start
    end = int(frame["to"].max()) + 1 if end is None and len(frame) else end or 0
    inside = frame[(frame["to"] > start) & (frame["from"] < end)]
    return inside.assign(**{"from": inside["from"].clip(lower=start), "to": inside["to"].clip(upper=end)})


# ---- cycles in bins --------------------------------------------------------------------------------

def bin_edges(start: int, end: int, bins: int) -> Whole:
    """At most `bins` intervals of equal length, a whole number of cycles, from `start` to `end`; the last may be
    shorter.

    Returns their edges (cycles), one more than intervals.
    """
    width = max(1, -(-(end - start) // bins))
    return numpy.append(numpy.arange(start, end, width), end).astype(numpy.int64)


def cycles_in_bins(starts: typing.Any, ends: typing.Any, edges: Whole) -> Whole:
    """The sum of the cycles of the intervals [start, end) in each bin: an array, one shorter than `edges`."""
    return numpy.diff(_cycles_before(starts, edges) - _cycles_before(ends, edges))


def _cycles_before(points: typing.Any, edges: Whole) -> Whole:
    """For each edge, the sum of the distances to all points before it."""
    ordered: Whole = numpy.sort(numpy.asarray(points, dtype=numpy.int64))
    sums: Whole = numpy.append(0, numpy.cumsum(ordered))
    count = numpy.searchsorted(ordered, edges)
    before: Whole = count * edges - sums[count]
    return before
