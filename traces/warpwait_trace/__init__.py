"""Reads Warpwait's traces (.wwt).

    import warpwait_trace
    trace = warpwait_trace.open("kernel.wwt")
    print(trace.metas.keys(), trace.launches)
    for operation in trace.operations(launch=0, group=0, warp=0):
        print(operation.pc, operation.kind, operation.lanes("address"))

Written from the page on the format (docs/trace-format.md) and nothing else. Python's own modules suffice;
`frame()` wants pandas.
"""
from .file import Batch, Launch, Trace, TraceError
from .stream import Note, Operation

__all__ = ["Batch", "Launch", "Note", "Operation", "Trace", "TraceError", "open"]


def open(path, salvage=False):  # pylint: disable=redefined-builtin
    """Opens the trace at `path`; with `salvage`, the intact prefix of a damaged one (see Trace.damage)."""
    return Trace(path, salvage)
