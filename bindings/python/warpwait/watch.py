"""The options that all runs take."""
from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

__all__ = ["Options", "Progress"]

# Called from time to time with the cycle, the number of finished work-groups, and of all; False ends the run.
Progress = Callable[[int, int, int], bool | None]


class Options(TypedDict, total=False):
    """Options of runs.

    check: detect all hazards of docs/check.md, not only those that are cheap to detect.
    functional: execute without timing, as fast as the host can; the report counts instructions, not cycles.
    record: keep a recording, which Report.timeline(), page(), explain() and why() need (default: for runs on a Machine
    that are neither checked nor functional). A device's caches are not empty, so its runs are recorded with
    Device.recording() instead.
    timeline, page: keep the run's timeline, or its page.
    threads: number of threads that step the compute units, 1 to 64 (default: as many as are useful); the result is the same.
    Runs with check, record, timeline or page use one.
    cycle_limit: ends a launch that takes more cycles (default: 10^9).
    progress: a function that is called from time to time; True or False: with or without a bar on standard error
    (default: a bar after a second, on a terminal and in notebooks).
    """
    check: bool
    functional: bool
    record: bool
    timeline: bool
    page: bool
    threads: int
    cycle_limit: int
    progress: Progress | bool | None
