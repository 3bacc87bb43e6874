"""python3 -m warpwait.trace FILE [--salvage]: prints each operation of a trace or event of a timeline, a line each."""
from __future__ import annotations

import argparse
import os
import sys
import typing

from .. import _command
from .._optional import MissingPackage
from .._terminal import shown
from . import Operation, Trace, TraceError, open as open_trace, open_timeline

if typing.TYPE_CHECKING:
    from .timeline import Timeline


def line(operation: Operation) -> str:
    """The operation as text, which a test compares with the C reader's."""
    words: list[object] = [operation.pc, operation.next, f"{operation.mask:x}", "+".join(operation.flags) or "-", operation.kind]
    words += [f"{name}={value:x}" for name, value in operation.fields.items()]
    words += [f"{name}=" + ",".join(f"{lane}:{value:x}" for lane, value in values.items())
              for name, values in operation.values.items()]
    for note in operation.notes:
        words += [note.kind, ",".join(f"{value:x}" for value in note.values), note.text.decode(errors="replace")]
    return " ".join(map(str, words))


def print_operations(trace: Trace) -> None:
    for launch, group in trace.groups():
        for warp in range(trace.warps(launch, group)):
            print(f"launch {launch} group {group} warp {warp}")
            for operation in trace.operations(launch, group, warp):
                print(shown(line(operation), sys.stdout))


def print_events(timeline: Timeline) -> None:
    for event in timeline.events():
        words: list[object] = [event.kind, event.cu, event.unit, event.start, event.end]
        words += [f"{name}={value:x}" for name, value in event.fields.items()]
        print(shown(" ".join(map(str, words)), sys.stdout))


def is_timeline(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\x89WWL"


def show_file(arguments: argparse.Namespace) -> None:
    file: Trace | Timeline
    if is_timeline(arguments.file):
        file = open_timeline(arguments.file, arguments.salvage)
    else:
        file = open_trace(arguments.file, arguments.salvage)
    with file:
        if arguments.schema:
            print(shown(file.schema.text, sys.stdout), end="")
            sys.stdout.flush()
            return
        if isinstance(file, Trace):
            print_operations(file)
        else:
            print_events(file)
        if file.damage:
            print(shown(file.damage, sys.stderr), file=sys.stderr)
    sys.stdout.flush()


def fail(message: object, status: int = 2) -> int:
    """Prints an error in one line; returns the exit status. Output that is still buffered is dropped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _command.fail("warpwait.trace", message, status)


def main() -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="python3 -m warpwait.trace", epilog="Exit status: 0 fine; 2 bad input.",
                                     description="Prints" + (__doc__ or "").partition(": prints")[2])
    parser.add_argument("file", help="a trace, .wwt, or a timeline, .wtl")
    parser.add_argument("--salvage", action="store_true", help="read the intact prefix of a damaged file")
    parser.add_argument("--schema", action="store_true", help="print the file's schema instead")
    arguments = parser.parse_args()
    try:
        show_file(arguments)
    except BrokenPipeError:  # the reader, such as `| head`, has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return fail(f"{error.filename or 'standard output'}: {error.strerror}")
    except (TraceError, MissingPackage) as error:
        return fail(error)
    except KeyboardInterrupt:
        return fail("interrupted", 130)
    return 0


if __name__ == "__main__":
    sys.exit(main())
