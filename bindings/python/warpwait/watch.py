"""How a run is watched: the options that all runs take."""
from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

__all__ = ["Options", "Progress"]

# Called now and then with the cycle, the work-groups that are done, and all of them; False ends the run.
Progress = Callable[[int, int, int], bool | None]


class Options(TypedDict, total=False):
    """Options of runs.

    check: look for all hazards of docs/check.md, and not only for those that are cheap to find.
    functional: execute without timing, as fast as the host can; the report counts instructions and has no cycles.
    record: keep a recording, which Report.timeline(), page(), explain() and why() need (default: of runs on a Machine
    that are neither checked nor functional; a device's caches are not empty, so that its runs have to be recorded by
    Device.recording()).
    timeline, page: keep the run's timeline, or its page, with it.
    threads: threads that step the compute units, 1 to 64 (default: as many as help); the result is the same. A run that
    is checked, recorded, or kept with its timeline or page has one.
    cycle_limit: a launch that takes more cycles is ended (default: 10^9).
    progress: a function that is told now and then; True or False: with or without a bar on standard error (default: a
    bar for what takes longer than a second, on a terminal and in notebooks).
    """
    check: bool
    functional: bool
    record: bool
    timeline: bool
    page: bool
    threads: int
    cycle_limit: int
    progress: Progress | bool | None
