"""Exceptions and warnings.

    WarpwaitError
    ├── BadInput (a ValueError)          an argument, a text, a file or a program is not valid
    ├── Unsupported (NotImplementedError) valid, but not modeled
    ├── OutOfMemory (MemoryError)
    ├── Cancelled                        a progress function returned False
    ├── Unfinished                       the launch deadlocked or reached the cycle limit; it has the report
    └── Defect                           a bug in Warpwait: please report it
    HazardWarning (a UserWarning)        a misuse of copies, events, pipes or memory that a run found

The text is the library's own message: where, what, and what would be valid. To make hazards exceptions, call
`warnings.simplefilter("error", HazardWarning)`.
"""
from __future__ import annotations

import difflib
import functools
import pathlib
import sys
import threading
import types
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from .report import Report

__all__ = ["BadInput", "Cancelled", "Defect", "HazardWarning", "OutOfMemory", "Unfinished", "Unsupported",
           "WarpwaitError"]

P = ParamSpec("P")
R = TypeVar("R")


class WarpwaitError(Exception):
    """An error of the library.

    file, key: the file, and the parameter ("dma.channels") or the place in a JSON file ("launches[0].args[2]"), that the
    text is about; "" if there is none. line, column: counted from 1; 0 if there is none. log: what clang printed while
    it built a program.
    """

    def __init__(self, text: str, *, file: str = "", line: int = 0, column: int = 0, key: str = "",
                 log: str = "") -> None:
        # A name in it may have surrogates, which most streams could not print.
        super().__init__(str(text).encode("utf-8", "backslashreplace").decode())
        self.file, self.line, self.column, self.key, self.log = file, line, column, key, log

    def _render_traceback_(self, *_: object) -> list[str]:
        return _rendered(self)


class BadInput(WarpwaitError, ValueError):
    """An argument, a text, a file or a program is not valid."""


class Unsupported(WarpwaitError, NotImplementedError):
    """Valid, but not modeled."""


class OutOfMemory(WarpwaitError, MemoryError):
    """Out of memory. Everything that the call allocated is free again."""


class Cancelled(WarpwaitError):
    """A progress function returned False."""


class Defect(WarpwaitError):
    """An invariant of the library is broken: please report it."""


class Unfinished(WarpwaitError):
    """A launch deadlocked or reached the cycle limit.

    report: what happened until then; its figures are incomplete.
    """

    def __init__(self, text: str, report: Report) -> None:
        super().__init__(text)
        self.report = report

    def __reduce__(self) -> tuple[object, ...]:
        return Unfinished, (str(self), self.report)


class HazardWarning(UserWarning):
    """A misuse of copies, events, pipes or memory that a run found (docs/check.md)."""


# By their numbers in warpwait.h's ww_status.
BY_STATUS: dict[int, type[WarpwaitError]] = {1: BadInput, 2: OutOfMemory, 3: Cancelled, 4: Unsupported, 5: Defect}

FOLDER = str(pathlib.Path(__file__).parent)


def hint(name: str, known: Iterable[str]) -> str:
    """"; did you mean 'x'?" for the known name that is most like this one; "" if none is."""
    folded = {other.lower(): other for other in reversed(list(known))}
    near = difflib.get_close_matches(name.lower(), folded, 1, .5)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """Decorates a function that users call: tracebacks of its errors end at the user's line.

    pytest omits frames with __tracebackhide__. IPython does too, except for the last one; but it calls an exception's
    `_render_traceback_`, if there is one, to show it. For plain Python, see shorten_tracebacks().
    """
    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        __tracebackhide__ = True  # noqa: F841
        try:
            return function(*args, **kwargs)
        except KeyboardInterrupt as interrupt:
            raise _shown_short(interrupt).with_traceback(None) from None
        except BaseException as error:
            others = _others(error.__traceback__)
            if others is None and not isinstance(error, (WarpwaitError, HazardWarning, TypeError, KeyError)):
                raise  # a bug of ours: show the whole traceback
            raise _shown_short(error).with_traceback(others) from error.__cause__
    return call


E = TypeVar("E", bound=BaseException)


def _shown_short(error: E) -> E:
    """Makes IPython show the error without this package's frames at the end; returns it."""
    setattr(error, "_warpwait_short", True)
    if not isinstance(error, WarpwaitError):
        setattr(error, "_render_traceback_", functools.partial(_rendered, error))  # a partial can be pickled
    return error


def _rendered(error: BaseException, *_: object) -> list[str]:
    """The lines in which IPython shows an error."""
    from IPython import get_ipython
    error.__traceback__ = _without_last(error.__traceback__)
    found: list[str] = get_ipython().InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
    return found


def _others(trace: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback from its first frame outside the package (a user's callback), if there is one."""
    while trace is not None and trace.tb_frame.f_code.co_filename.startswith(FOLDER):
        trace = trace.tb_next
    return trace


def _without_last(trace: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback without this package's frames at its end."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    while len(frames) > 1 and frames[-1].tb_frame.f_code.co_filename.startswith(FOLDER):
        frames.pop()
    if frames:
        frames[-1].tb_next = None
    return frames[0] if frames else None


def shorten_tracebacks() -> None:
    """Makes Python's report of an uncaught error of ours end at the user's line, unless another hook is installed."""
    def report(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        if getattr(error, "_warpwait_short", False):
            error.__traceback__ = trace = _without_last(trace)
        sys.__excepthook__(kind, error, trace)

    def report_of_thread(arguments: threading.ExceptHookArgs) -> None:
        error = arguments.exc_value
        if getattr(error, "_warpwait_short", False) and error is not None:
            error.__traceback__ = trace = _without_last(arguments.exc_traceback)
            arguments = threading.ExceptHookArgs((arguments.exc_type, error, trace, arguments.thread))
        usual_of_thread(arguments)

    usual_of_thread = getattr(threading, "__excepthook__")
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = report
    if threading.excepthook is usual_of_thread:
        threading.excepthook = report_of_thread
