"""Reads Warpwait's traces (.wwt) and timelines (.wtl).

    from warpwait import trace
    kernel = trace.open("kernel.wwt")
    print(kernel.metas.keys(), kernel.launches)
    for operation in kernel.operations(launch=0, group=0, warp=0):
        print(operation.pc, operation.kind, operation.lanes("address"))

    timeline = trace.open_timeline("kernel.wtl")
    print(timeline.run["machine"], timeline.count, timeline.start, timeline.end)
    for event in timeline.events():
        print(event.kind, event.cu, event.unit, event.start, event.end, event.fields)
    warps = timeline.frame("warp")
    print(warps.assign(cycles=warps["to"] - warps["from"]).groupby("stall").cycles.sum())

It was written only from the pages on the formats (docs/trace-format.md, docs/timeline-format.md), so it checks them.
Traces need only Python's own modules, timelines need numpy, and `frame()` needs pandas.
"""
from __future__ import annotations

import os
import typing

from .._optional import need
from .file import Batch, Launch, Trace
from .numbers import TraceError
from .stream import Note, Operation

if typing.TYPE_CHECKING:
    from .timeline import Timeline

__all__ = ["Batch", "Launch", "Note", "Operation", "Trace", "TraceError", "open", "open_timeline"]


def open(path: str | os.PathLike[str], salvage: bool = False) -> Trace:  # pylint: disable=redefined-builtin
    """Opens the trace at `path`; with `salvage`, the intact prefix of a damaged one (see Trace.damage).

    Raises TraceError and OSError.
    """
    return Trace(path, salvage)


def open_timeline(path: str | os.PathLike[str], salvage: bool = False) -> Timeline:
    """Opens the timeline at `path`; with `salvage`, the intact prefix of a damaged one (see Timeline.damage).

    Raises TraceError, OSError, and MissingPackage without numpy.
    """
    need("numpy")
    from . import timeline
    return timeline.Timeline(path, salvage)
