"""Reports: what a run cost. docs/report.md lists the keys."""
from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Mapping
from ctypes import byref, c_bool, c_void_p
from typing import TYPE_CHECKING, Any

from . import _library, _optional
from ._checks import whole, write
from ._library import Callbacks, Handle, call, written
from .errors import BadInput, Unsupported, entry, hint
from .machine import Machine, machines
from .tables import Row, Stalls, Table

if TYPE_CHECKING:
    from .explanation import Explanation
    from .recording import Recording
    from .timeline import Page, Timeline

__all__ = ["Difference", "Hazards", "LaunchReport", "Lines", "Report"]

FORMS = {"text": _library.TEXT, "json": _library.JSON, "source": _library.SOURCE, "check": _library.CHECK,
         "sarif": _library.SARIF, "html": _library.HTML}
SUFFIXES = {".txt": "text", ".json": "json", ".sarif": "sarif", ".html": "html"}


class Lines(Table):
    """What each source line cost, the rows of `by_line`: file, line, text, cycles (warp-cycles), stalls, ... A notebook
    shows it as the source with its costs in the margin."""

    def __init__(self, rows: list[Row], units: Mapping[str, str], resident: int, report: Report | None = None) -> None:
        super().__init__(rows, "Source lines", units)
        self.resident, self.report = resident, report
        self.sources: dict[str, list[str]] = report.sources if report else {}  # by file, all its lines

    def _repr_html_(self) -> str:
        from .display import lines_html
        return lines_html(self)

    def __str__(self) -> str:
        return self.report.form("source") if self.report else super().__str__()


class Hazards(Table):
    """Misuses of copies, events, pipes and memory (docs/check.md): rule, message, file, line, work_group, ...

    report: the run's report. The table is true if there is a hazard.
    """

    def __init__(self, rows: list[Row], report: Report) -> None:
        super().__init__(rows, "Hazards")
        self.report = report

    @property
    def sarif(self) -> str:
        """The hazards as SARIF, for tools that review code. Raises Unsupported unless the run was checked."""
        return self.report.form("sarif")

    def _repr_html_(self) -> str:
        from .display import hazards_html
        return hazards_html(self)

    def __str__(self) -> str:
        if not self and not self.report.checked:
            return "no hazard found; warpwait.check() looks for all"
        return self.report.form("check") if self.report.checked else super().__str__()


class Figures(Mapping[str, Any]):
    """A part of a report: a mapping from its keys, and from paths ("lds.conflict_cycles", "launches[0].cycles")."""

    def __init__(self, figures: Mapping[str, Any]) -> None:
        self._all = figures

    @property
    def figures(self) -> Mapping[str, Any]:
        """The dictionary behind the mapping."""
        return self._all

    def __getitem__(self, key: str) -> Any:
        if not isinstance(key, str):
            raise KeyError(key)
        found: Any = self.figures
        for name, place in re.findall(r"([^.\[\]]+)|\[(\d+)\]", key):
            try:
                found = found[name] if name else found[int(place)]
            except (KeyError, IndexError, TypeError):
                raise KeyError(key + hint(name, found if isinstance(found, dict) else ())) from None
        return found

    def __iter__(self) -> Any:
        return iter(self.figures)

    def __len__(self) -> int:
        return len(self.figures)

    def to_dict(self) -> dict[str, Any]:
        """A copy of all of it as dictionaries, lists, numbers and words, which you may change."""
        copy: dict[str, Any] = json.loads(json.dumps(self.figures))
        return copy


class _OneLaunch:
    """The properties of a launch in a report."""

    def _figures(self) -> Mapping[str, Any]:
        raise NotImplementedError

    def _units(self) -> Mapping[str, str]:
        raise NotImplementedError

    def _timed(self, key: str) -> Any:
        try:
            return self._figures()[key]
        except KeyError:
            raise Unsupported(f"{key}: a launch without timing has none") from None

    @property
    def kernel(self) -> str:
        """The kernel's name."""
        return str(self._figures()["kernel"])

    @property
    def cycles(self) -> int:
        """From the launch's start to the end of its last work-group. Raises Unsupported for a run without timing."""
        return int(self._timed("cycles"))

    @property
    def microseconds(self) -> float:
        """The cycles as time, at the machine's clock."""
        return float(self._timed("microseconds"))

    @property
    def warp_instructions(self) -> int:
        """Instructions issued by warps."""
        return int(self._figures()["warp_instructions"])

    @property
    def end(self) -> str:
        """"finished", "deadlock" or "cycle_limit"."""
        return str(self._figures()["end"])

    @property
    def bottleneck(self) -> dict[str, Any]:
        """What bounds the launch: limit, share, by ("accounts", or from Report.why() "lifting"), sentence, ..."""
        return dict(self._timed("bottleneck"))

    @property
    def bound_by(self) -> str | None:
        """The limit that bounds the launch: a resource of `utilization` or a bucket of `stalls`; in a report of
        Report.why(), a limit of docs/explain.md. None if no single limit does."""
        limit = self._timed("bottleneck")["limit"]
        return str(limit["name"]) if isinstance(limit, Mapping) else None if limit is None else str(limit)

    @property
    def sentence(self) -> str:
        """What bounds the launch, in words."""
        return str(self._timed("bottleneck")["sentence"])

    @property
    def stalls(self) -> Stalls:
        """Where warps spent their time, in warp-cycles."""
        return Stalls(self._timed("stalls"))

    @property
    def utilization(self) -> dict[str, float]:
        """Used over available, from 0 to 1, by resource."""
        return dict(self._timed("utilization"))

    @property
    def lines(self) -> Lines:
        """What each source line cost."""
        return Lines(self._timed("by_line"), self._units_below("by_line[]."), self._timed("resident_cycles"),
                     self._whole())

    @property
    def instructions(self) -> Table:
        """What each instruction cost: the rows of `by_instruction`."""
        return Table(self._timed("by_instruction"), "Instructions", self._units_below("by_instruction[]."))

    @property
    def latencies(self) -> Table:
        """The histogram of copies' latencies: from (cycles, the lower edge of a bin) and count."""
        return Table(self._timed("dma")["latency"]["bins"], "Latencies of copies",
                     self._units_below("dma.latency.bins[]."))

    def _units_below(self, prefix: str) -> dict[str, str]:
        return {key.removeprefix(f"launches[].{prefix}"): unit for key, unit in self._units().items()
                if key.startswith(f"launches[].{prefix}")}

    def _whole(self) -> Report | None:
        """The report, if this launch is the only one in it."""
        return None


class LaunchReport(Figures, _OneLaunch):
    """One launch of a report: `report.launches[0]`."""

    def __init__(self, figures: Mapping[str, Any], units: Mapping[str, str]) -> None:
        super().__init__(figures)
        self.units = units

    def _figures(self) -> Mapping[str, Any]:
        return self._all

    def _units(self) -> Mapping[str, str]:
        return self.units

    def _repr_html_(self) -> str:
        from .display import launch_html
        return launch_html(self)

    def __repr__(self) -> str:
        return f"<LaunchReport {self.kernel}: {self.end}>"


class Report(Figures, _OneLaunch):
    """What a run cost: a mapping from the keys of docs/report.md. With one launch, its properties (`cycles`, `stalls`,
    `lines`, ...) are also the report's; with several, they are in `launches`.

    str() is the text of `warpwait run --why=no`. A notebook shows a summary; page() has everything.

    recording: what the warps did, or None.
    """

    def __init__(self, handle: Handle | None, machine: Machine | None, recording: Recording | None = None,
                 timeline: bytes | None = None, has_page: bool = False, found: list[Row] | None = None) -> None:
        self.handle, self._machine, self.recording = handle, machine, recording
        self._timeline, self._has_page, self._found = timeline, has_page, found
        self.sources: dict[str, list[str]] = {}  # lines of the programs' files, if known
        self.launch_count: int | None = None     # None: not known yet
        self.unrecorded = "it has no recording"  # why `recording` is None
        self.of_file = False                     # whether a launch file ran
        self._forms: dict[str, str] = {}
        self._parsed: dict[str, Any] | None = None

    # ---- forms -------------------------------------------------------------------------------------

    @entry
    def form(self, form: str) -> str:
        """The report as "text", "json", annotated "source", "html" (for a run with page=True), or for a checked run
        "check" and "sarif". Raises Unsupported for a form for which the run did not keep the data."""
        if form not in FORMS:
            raise BadInput(f"{form}: expected {', '.join(FORMS)}")
        if form in ("check", "sarif") and not self.checked:
            raise Unsupported(f"{form}: the run was not checked; run it with check=True")
        if form == "html" and not self._has_page and form not in self._forms:
            raise Unsupported("html: the run kept no page; call page(), or run it with page=True")
        if form not in self._forms:
            if self.handle is None:
                raise Unsupported(f"{form}: a pickled report has only the forms {', '.join(self._forms)}")
            self._forms[form] = written("report_write", self.handle, FORMS[form]).decode()
        return self._forms[form]

    @entry
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file: .txt, .json, .html or, for a checked run, .sarif."""
        form = SUFFIXES.get(pathlib.Path(path).suffix)
        if form is None:
            raise BadInput(f"{path}: expected a name that ends with {', '.join(SUFFIXES)}")
        text = self.page().html if form == "html" else self.form(form)
        write(path, text.encode())

    @property
    def figures(self) -> dict[str, Any]:
        """The JSON report."""
        if self._parsed is None:
            self._parsed = json.loads(self.form("json"))
        return self._parsed

    def __str__(self) -> str:
        return self.form("text")

    def __repr__(self) -> str:
        if self["launches"] and "cycles" not in self["launches[0]"]:
            told = f"{self['launches[0].warp_instructions']:,} warp-instructions, without timing"
        else:
            told = f"{self.cycles:,} cycles"
        names = ", ".join(dict.fromkeys(launch.kernel for launch in self.launches))
        return f"<Report of {names}: {told}>"

    # ---- launches ----------------------------------------------------------------------------------

    @property
    def launches(self) -> list[LaunchReport]:
        """Each launch of the run."""
        units = self._units()
        return [LaunchReport(figures, units) for figures in self.figures["launches"]]

    def _figures(self) -> Mapping[str, Any]:
        launches = self.figures["launches"]
        if len(launches) != 1:
            raise BadInput(f"the report has {len(launches)} launches: choose one, such as report.launches[0]")
        found: Mapping[str, Any] = launches[0]
        return found

    def _units(self) -> Mapping[str, str]:
        units: Mapping[str, str] = self.figures["units"]
        return units

    def _whole(self) -> Report:
        return self

    @property
    def cycles(self) -> int:
        """From the start of the first launch to the end of the last."""
        if self.launch_count == 1 and self.handle is not None:  # known without making the JSON report
            if cycles := int(_library.library().ww_report_cycles(self.handle, 0)):
                return cycles
        return sum(self._phases())

    def _phases(self) -> list[int]:
        """The cycles of each launch, or of each set of launches that ran at once, from its first start to its last
        end."""
        phases, seen = [], set[int]()
        for number, launch in enumerate(self.launches, 1):
            if number not in seen:
                launch._timed("cycles")
                seen.update(launch["together"])
                phases.append(int(launch["together_cycles"]))
        return phases

    @property
    def start(self) -> int:
        """The device's cycle in which the run began. Times in the report count from there."""
        if self.handle is None:
            raise Unsupported("start: a pickled report has no device")
        return int(_library.library().ww_report_start(self.handle, 0))

    @property
    def machine(self) -> Machine:
        """The machine on which it ran."""
        if self._machine is None:
            name, changed = self["machine.name"], self["machine.changed"]
            if name not in machines():
                changed, name = {key: row["value"] for key, row in self["machine.parameters"].items()}, "teaching"
            self._machine = Machine(name).with_(changed)
        return self._machine

    @property
    def checked(self) -> bool:
        """Whether the run detected all hazards (check=True)."""
        return self._found is not None

    @property
    def finished(self) -> bool:
        """Whether all launches finished: no deadlock, no cycle limit."""
        return all(launch.end == "finished" for launch in self.launches)

    def unfinished(self) -> str:
        """Why the run did not finish, in one line."""
        for number, launch in enumerate(self.launches, 1):
            if launch.end != "finished":
                return f"launch {number}, kernel '{launch.kernel}': {_why_unfinished(launch)}"
        return "finished"

    @property
    def hazards(self) -> Hazards:
        """The hazards that the run found: those that are cheap to detect, or with check=True all."""
        return Hazards(self["hazards"] if self._found is None else self._found, self)

    @property
    def verified(self) -> list[dict[str, Any]]:
        """For a launch file that ran with verify=True: each check, whether it passed, and the first difference."""
        return list(self.figures.get("verify", []))

    @property
    def printf(self) -> str:
        """What work-items printed."""
        return "".join(launch["printf"] for launch in self.launches)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each launch and a column for each number and word
        ("lds.conflict_cycles")."""
        rows = []
        for launch in self.launches:
            row: Row = {}
            _flatten(launch.figures, "", row)
            rows.append(row)
        frame = _optional.need("pandas").DataFrame(rows)
        frame.attrs["units"] = {key.removeprefix("launches[]."): unit for key, unit in self._units().items()}
        return frame

    # ---- what needs a recording --------------------------------------------------------------------

    def _recorded(self, what: str) -> Recording:
        if self.recording is None:
            raise Unsupported(f"{what}: {self.unrecorded}")
        return self.recording

    @entry
    def timeline(self) -> Timeline:
        """The run's timeline, kept by timeline=True, or from a replay of its recording. Raises Unsupported."""
        from .timeline import Timeline
        if self._timeline is None:
            again = self._recorded("timeline").run(self._machine, timeline=True, progress=None)
            self._timeline = again._timeline
        assert self._timeline is not None
        return Timeline(self._timeline, self)

    @property
    @entry
    def copies(self) -> Table:
        """Each asynchronous copy: cu, from and to (cycles), launch, group, bytes, ..., like the events of the kind
        `copy` in docs/timeline-events.md. It needs a timeline or a recording, like timeline()."""
        return self.timeline().table("copy")

    @entry
    def page(self) -> Page:
        """The page of `warpwait run --html`, which a notebook shows in a frame: kept by page=True, or from a replay of
        the recording. Raises Unsupported."""
        from .timeline import Page
        if not self._has_page and "html" not in self._forms:
            self._forms["html"] = self._recorded("page").run(self._machine, page=True).form("html")
        return Page(self.form("html"))

    @entry
    def why(self, *, always: bool = False, jobs: int = 0) -> Report:
        """The same report, with `bottleneck` found by lifting the machine's limits one at a time, like `warpwait run`
        without --why=no. always: also for runs of more than 200,000 warp-instructions. jobs: threads (default: one per
        processor). Raises Unsupported for a run that was not recorded, unless it ran a launch file."""
        if self.handle is None:
            raise Unsupported("why: a pickled report cannot be run again")
        recording = None if self.of_file else self._recorded("why").handle
        callbacks = Callbacks()
        work = _library.Work(threads=whole("jobs", jobs, 0, 1024), tick=_library.tick_work)
        setattr(work, "self", callbacks.number)
        made = c_void_p()
        with callbacks.calling():
            call("report_why", self.handle, recording, always, byref(work), byref(made))
        lifted = Report(Handle("report", made.value), self._machine, self.recording, self._timeline, False, self._found)
        lifted.sources, lifted.launch_count, lifted.of_file = self.sources, self.launch_count, self.of_file
        return lifted

    @entry
    def explain(self, machine: Machine | str | None = None, *, jobs: int = 0, progress: Any = None) -> Explanation:
        """What each limit of the machine costs: warpwait.explain() of its recording."""
        from .explanation import Explanation
        return Explanation(self._recorded("explain"), self._machine if machine is None else Machine.of(machine), jobs,
                           progress)

    # ---- comparing ---------------------------------------------------------------------------------

    @entry
    def diff(self, other: Report) -> Difference:
        """Where the cycles went, from this report to another: by stall bucket, source line and counter."""
        if not isinstance(other, Report):
            raise BadInput(f"diff: expected a Report, found {type(other).__name__}")
        if self.handle is None or other.handle is None:
            raise Unsupported("diff: a pickled report cannot be compared")
        differ = c_bool()
        texts = [written("diff", self.handle, other.handle, form, after=(byref(differ),)).decode()
                 for form in (_library.TEXT, _library.JSON)]
        return Difference(texts[0], texts[1], differ.value)

    def _repr_html_(self) -> str:
        from .display import report_html
        return report_html(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self.form("json") == other.form("json")

    def __hash__(self) -> int:
        return hash(self.form("json"))

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: its forms and its recording."""
        for form in ("text", "json", "source", *(("check", "sarif") if self.checked else ())):
            try:
                self.form(form)
            except Unsupported:
                pass
        state = self.__dict__ | {"handle": None, "_parsed": None}
        return state


class Difference:
    """Where the cycles went, from one report to another (docs/diff.md). str() is the text of `warpwait diff`.

    The object is true if the reports differ.
    """

    def __init__(self, text: str, form: str, differ: bool) -> None:
        self.text, self.json, self.differ = text, form, differ

    def __bool__(self) -> bool:
        return self.differ

    def to_dict(self) -> dict[str, Any]:
        """The output of `warpwait diff --report json`."""
        found: dict[str, Any] = json.loads(self.json)
        return found

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from .display import text_html
        return text_html(self.text)


def _flatten(value: Any, key: str, row: Row) -> None:
    """Adds numbers and words to the row by their paths. Lists of numbers stay lists; other lists are left out."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            _flatten(inner, f"{key}.{name}" if key else name, row)
    elif not isinstance(value, list) or not any(isinstance(one, (Mapping, list)) for one in value):
        row[key] = value


# A launch without timing has no sentence about what bounds it.
_ENDS = {"deadlock": "Deadlock: its warps wait forever.",
         "cycle_limit": "Stopped: without timing, the cycle limit counts a warp's instructions, and one has reached it."}


def _why_unfinished(launch: LaunchReport) -> str:
    """The report's sentence, and the first stuck warp."""
    sentence = _ENDS[launch["end"]] if "functional" in launch else str(launch["bottleneck.sentence"]).partition(" The figures are")[0]
    for stuck in launch["stuck"][:1] if launch["end"] == "deadlock" else ():
        group = ", ".join(map(str, stuck["work_group"]))
        place = f"{stuck['file']}:{stuck['line']}" if stuck["line"] else f"instruction {stuck['pc']}"
        sentence += f" The first: work-group ({group}), warp {stuck['warp']}, at {place}, in `{stuck['stall']}`."
    return sentence
