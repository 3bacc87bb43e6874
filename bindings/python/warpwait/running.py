"""Running: launches, launch files and recordings."""
from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import byref, c_bool, c_void_p
from typing import Any, Unpack

from . import _library, progress
from ._checks import raw, read, whole
from ._library import Callbacks, Handle, make
from .device import Device
from .errors import FOLDER, BadInput, HazardWarning, Unfinished, entry
from .launch import Launch
from .machine import Machine, context
from .program import Kernel
from .recording import Recording
from .report import Hazards, Report
from .tables import Row
from .watch import Options

__all__ = ["Runnable", "Work", "check", "recorded", "run", "run_launches", "run_recording"]

# A launch, several at once, the path of a launch file, or a recording can run. What can be recorded: these, a report,
# or a kernel with its launch's arguments.
Runnable = Launch | Sequence[Launch] | Recording | str | os.PathLike[str]
Work = Runnable | Report | Kernel
On = Machine | Device | str | os.PathLike[str] | None


class Watching:
    """Watches a run as its options request, and makes its report."""

    def __init__(self, options: Options, replayable: bool) -> None:
        for wrong in set(options) - set(Options.__annotations__):
            raise TypeError(f"run() got an unexpected keyword argument '{wrong}'")
        timed = [name for name in ("check", "record", "timeline", "page") if options.get(name)]
        if options.get("functional") and timed:
            raise BadInput(f"functional and {timed[0]} cannot be combined: the run has no timing")
        if options.get("check") and options.get("record"):
            raise BadInput("check and record cannot be combined; run it twice")
        plain = not options.get("check") and not options.get("functional")
        self.unrecorded = ("a run on a Device keeps no recording; use `with device.recording()`, or run on a Machine"
                           if not replayable else "the run was not recorded; run it with record=True")
        if not plain:
            word = "check" if options.get("check") else "functional"
            self.unrecorded = f"a run with {word}=True keeps no recording; run it without"
        self.tick, self.close = progress.told(options.get("progress"), "work-groups")
        self.callbacks = Callbacks(self.tick)
        self.parts: dict[str, list[bytes]] = {}
        self.printed: list[bytes] = []
        self.hazards: list[Row] = []
        self.watch = _library.Watch(
            cycle_limit=whole("cycle_limit", options.get("cycle_limit", 0), 0, (1 << 64) - 1), tick=_library.tick, check=bool(options.get("check")),
            page=bool(options.get("page")), functional=bool(options.get("functional")), print=_library.print_text,
            hazard=_library.take_hazard, threads=whole("threads", options.get("threads", 0), 0, 64))
        setattr(self.watch, "self", self.callbacks.number)
        self.callbacks.print, self.callbacks.hazard = self.printed.append, self.hazards.append
        for name, wanted in (("trace", options.get("record", plain and replayable)),
                             ("timeline", options.get("timeline"))):
            if wanted:
                sink, self.parts[name] = self.callbacks.sink()
                setattr(self.watch, name, sink)

    @contextmanager
    def running(self) -> Iterator[Any]:
        """Wraps the run."""
        try:
            with self.callbacks.calling():
                yield byref(self.watch)
        finally:
            self.close()

    def report(self, handle: Handle, machine: Machine | None, recording: Recording | None = None,
               sources: dict[str, list[str]] | None = None, launches: int | None = None) -> Report:
        """The run's report. Prints what work-items printed. Raises Unfinished; warns of hazards."""
        if "trace" in self.parts:
            recording = Recording(b"".join(self.parts["trace"]))
        timeline = b"".join(self.parts["timeline"]) if "timeline" in self.parts else None
        report = Report(handle, machine, recording, timeline, bool(self.watch.page),
                        self.hazards if self.watch.check else None)
        report.sources, report.launch_count, report.unrecorded = sources or {}, launches, self.unrecorded
        if self.printed and sys.stdout is not None:
            sys.stdout.write(b"".join(self.printed).decode("utf-8", "replace"))
        if not _library.library().ww_report_finished(handle):
            raise Unfinished(report.unfinished(), report)
        if not self.watch.check:
            for hazard in self.hazards:
                warnings.warn(_line_of(hazard), HazardWarning, stacklevel=_user_level())
        return report


def _line_of(hazard: Row) -> str:
    """A hazard in one line."""
    place = f"{hazard['file']}:{hazard['line']}: " if hazard["file"] and hazard["line"] else ""
    detail = f" ({hazard['detail']})" if hazard["detail"] else ""
    return f"{place}{hazard['rule']}: {hazard['message']}{detail}"


def _user_level() -> int:
    """The `stacklevel` for warnings.warn() of the first frame outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(FOLDER):
        level, frame = level + 1, frame.f_back
    return level


def run_launches(launches: Sequence[Launch], on: On, options: Options) -> Report:
    """Runs launches at once, on a device, or on a machine's new device."""
    lives = isinstance(on, Device)
    device = on if isinstance(on, Device) else Device(Machine.of(on))
    watching = Watching(options, not lives)
    kept: dict[Any, Handle] = {}
    with device.running():
        bound = [launch.bound(device, kept) for launch in launches]
        handles = (c_void_p * len(bound))(*(handle.address for handle in bound))
        with watching.running() as watch:
            handle = make("report", "run", device.handle, handles, len(bound), watch)
            if not lives:
                for given in (*bound, *kept.values(), device.handle):
                    given.give_up()
    programs = {launch.kernel.program for launch in launches}
    files = [program.file for program in programs]  # two programs may have the same file name
    sources = {program.file: program.lines for program in programs if files.count(program.file) == 1 and program.lines}
    return watching.report(handle, device.machine, sources=sources, launches=len(launches))


def run_recording(recording: Recording, machine: Machine | None, options: Options) -> Report:
    """Replays a recording."""
    watching = Watching(options, False)
    with watching.running() as watch:
        handle = make("report", "trace_replay", recording.handle, machine and machine.handle, watch)
    # The report's recording is the original one, also on another machine.
    return watching.report(handle, machine or recording.machine, recording)


def run_file(path: str | os.PathLike[str], machine: Machine | None, verify: bool, options: Options) -> Report:
    """Runs a launch file."""
    data = read(path)
    watching, passed = Watching(options, True), c_bool()
    with watching.running() as watch:
        handle = make("report", "file_run", context(), _library.Bytes(data, len(data), raw(path)),
                      machine and machine.handle, watch, verify, byref(passed))
    report = watching.report(handle, machine)
    report.of_file = True
    return report


@entry
def run(work: Runnable, machine: On = None, *, verify: bool = False, **options: Unpack[Options]) -> Report:
    """Runs a launch, a list of launches at once (up to 8, which share the machine), a launch file (a path,
    docs/launch.md), or a recording.

    machine: a Machine, its name or file, or a Device (default: "teaching"; for a launch file the one that it names; for
    a recording its own). verify: for a launch file, compare its results with what it expects (Report.verified). For
    other options, see warpwait.watch.Options. Raises BadInput, Unfinished, KeyboardInterrupt and others of
    warpwait.errors.
    """
    if isinstance(work, Launch):
        work = [work]
    if isinstance(work, (Recording, str, os.PathLike)):
        if isinstance(machine, Device):
            raise BadInput("a Device runs only launches; for a launch file or a recording, pass a Machine")
        on = None if machine is None else Machine.of(machine)
        return run_recording(work, on, options) if isinstance(work, Recording) else run_file(work, on, verify, options)
    if isinstance(work, Kernel):
        raise BadInput(f"{work!r} must be launched with kernel.run() or kernel.launch()")
    launches = [launch for launch in work if isinstance(launch, Launch)] if isinstance(work, Sequence) else []
    if not launches or len(launches) < len(work):
        raise BadInput(f"expected launches, a launch file or a recording, found {work!r}")
    if len(launches) > 8:
        raise BadInput(f"{len(launches)} launches: at most 8 run at once")
    return run_launches(launches, machine, options)


def copies_of(work: Work, launch: dict[str, Any]) -> Runnable:
    """The work with copies of its arrays, so that the caller's do not change. launch: a kernel's sizes and arguments.
    Raises BadInput, TypeError."""
    if isinstance(work, Kernel):
        return work.launch(**launch).copied()
    if launch:
        raise TypeError(f"unexpected keyword arguments {', '.join(launch)}: only a kernel takes a launch's")
    if isinstance(work, Launch):
        return work.copied()
    if isinstance(work, Report):
        return work._recorded("the report")
    if isinstance(work, (Recording, str, os.PathLike)):
        return work
    if not isinstance(work, Sequence) or not all(isinstance(one, Launch) for one in work):
        raise BadInput(f"expected launches, a launch file, a recording or a kernel, found {work!r}")
    return [one.copied() for one in work if isinstance(one, Launch)]


def recorded(work: Work, machine: Machine | None, launch: dict[str, Any], cycle_limit: int = 0) -> Recording:
    """A recording of the work: the one that it has, or a new one of a run on the machine."""
    copies = copies_of(work, launch)
    if isinstance(copies, Recording):
        return copies
    report = run(copies, machine, record=True, cycle_limit=cycle_limit)
    assert report.recording is not None
    return report.recording


@entry
def check(work: Work, machine: Machine | str | None = None, *, cycle_limit: int = 0, progress: Any = None,
          **launch: Any) -> Hazards:
    """Runs the work and finds all misuses of copies, events, pipes and memory (docs/check.md). The result is true if
    there is one; its `report` is the run's report.

    work: a launch, several at once, a launch file, or a kernel with its launch's arguments. The caller's arrays do not
    change. A launch that deadlocks is reported, too. Raises BadInput and KeyboardInterrupt.
    """
    copies = copies_of(work, launch)
    if isinstance(copies, Recording):
        raise BadInput("a recording has no data to check; check the launch")
    try:
        return run(copies, None if machine is None else Machine.of(machine), check=True, cycle_limit=cycle_limit,
                   progress=progress).hazards
    except Unfinished as error:
        return error.report.hazards
