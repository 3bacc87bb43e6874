"""The library through ctypes: its structures and functions (include/warpwait.h), loaded at the first call.

Other Python threads run during calls. A call with callbacks goes through `Callbacks`, which keeps an exception that a
callback raises, and raises it again after the library has returned.
"""
from __future__ import annotations

import ctypes
import functools
import itertools
import os
import pathlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64
from ctypes import c_void_p
from typing import Any, TypeVar

from .errors import BY_STATUS, Cancelled, WarpwaitError

NAME = "libwarpwait.so.0"
R = TypeVar("R")

VERSION = (0, 1)  # of the interface that this file declares


# ---- structures ------------------------------------------------------------------------------------

class Error(Structure):
    _fields_ = [("status", c_int), ("line", c_uint32), ("column", c_uint32), ("file", c_char * 256),
                ("key", c_char * 128), ("text", c_char * 640)]


class Bytes(Structure):
    _fields_ = [("data", c_char_p), ("size", c_size_t), ("name", c_char_p)]


WRITE = ctypes.CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)
TICK = ctypes.CFUNCTYPE(c_bool, c_void_p, c_uint64, c_uint64, c_uint64)
GO_ON = ctypes.CFUNCTYPE(c_bool, c_void_p)
DONE = ctypes.CFUNCTYPE(c_bool, c_void_p, c_size_t, c_size_t)


class Sink(Structure):
    _fields_ = [("write", WRITE), ("self", c_void_p)]


class Sized(Structure):
    """A structure of options, which begins with its size."""

    def __init__(self, **values: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **values)


class Options(Sized):
    _fields_ = [("size", c_uint32), ("cache", c_char_p), ("clang", c_char_p),
                ("temporary", c_char_p)]


class Parameter(Sized):
    _fields_ = [("size", c_uint32), ("key", c_char * 64), ("unit", c_char_p), ("text", c_char_p),
                ("choices", c_char_p), ("usual", c_char_p), ("minimum", c_uint64), ("maximum", c_uint64)]


class Constant(Structure):
    _fields_ = [("id", c_uint32), ("value", c_char_p), ("size", c_size_t)]


class Build(Sized):
    _fields_ = [("size", c_uint32), ("options", c_char_p), ("copies", c_char_p),
                ("registers", c_uint32), ("log", Sink), ("headers", POINTER(Bytes)), ("header_count", c_size_t),
                ("go_on", GO_ON), ("self", c_void_p), ("constants", POINTER(Constant)), ("constant_count", c_size_t),
                ("optimize", c_char_p), ("without", c_char_p), ("checked", c_bool)]


class Argument(Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("kind", c_int), ("bytes", c_uint32),
                ("source_type", c_char_p), ("source_qualifiers", c_char_p), ("constant", c_bool), ("access", c_char_p),
                ("image", c_char_p)]


class Kernel(Structure):
    _fields_ = [("name", c_char_p), ("refused", c_char_p), ("argument_count", c_size_t), ("registers", c_uint32),
                ("lds_bytes", c_uint32), ("private_bytes", c_uint32), ("spilled", c_uint32),
                ("required_local", c_uint32 * 3), ("attributes", c_char_p), ("uniform_groups", c_bool)]


class Shape(Sized):
    _fields_ = [("size", c_uint32), ("kind", c_char_p), ("format", c_char_p), ("width", c_uint32),
                ("height", c_uint32), ("depth", c_uint32), ("layers", c_uint32), ("row_pitch", c_uint64),
                ("slice_pitch", c_uint64)]


class Hazard(Structure):
    _fields_ = [("rule", c_char_p), ("message", c_char_p), ("detail", c_char_p), ("file", c_char_p),
                ("line", c_uint32), ("launch", c_uint32), ("work_group", c_uint32 * 3), ("work_item", c_uint32),
                ("count", c_uint64)]


PRINT = ctypes.CFUNCTYPE(None, c_void_p, c_uint32, c_void_p, c_size_t)
HAZARD = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Hazard))


class Watch(Sized):
    _fields_ = [("size", c_uint32), ("self", c_void_p), ("cycle_limit", c_uint64), ("tick", TICK), ("event", c_void_p),
                ("event_kinds", c_uint64), ("print", PRINT), ("hazard", HAZARD), ("check", c_bool),
                ("trace", Sink), ("page", c_bool), ("functional", c_bool), ("timeline", Sink),
                ("threads", c_uint32)]


class Work(Sized):
    _fields_ = [("size", c_uint32), ("threads", c_uint32), ("self", c_void_p), ("tick", DONE)]


class Metric(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p), ("text", c_char_p), ("value", c_double)]


METRIC = ctypes.CFUNCTYPE(c_bool, c_void_p, POINTER(Metric))


class Column(Structure):
    _fields_ = [("numbers", POINTER(c_double)), ("words", POINTER(c_char_p))]



# ---- functions -------------------------------------------------------------------------------------

OBJECT, NEW, LIST = c_void_p, POINTER(c_void_p), POINTER(c_void_p)
SIZES = POINTER(c_uint64)

# name: (result, arguments). A function whose result is STATUS takes an Error as its last argument, which call() adds.
STATUS = c_int
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "version": (c_uint32, []),
    "context_new": (STATUS, [POINTER(Options), NEW]),
    "parameter_at": (c_bool, [c_size_t, POINTER(Parameter)]),
    "preset_at": (c_char_p, [c_size_t]),
    "machine_load": (STATUS, [OBJECT, c_char_p, NEW]),
    "machine_parse": (STATUS, [OBJECT, Bytes, NEW]),
    "machine_with": (STATUS, [OBJECT, POINTER(c_char_p), c_size_t, NEW]),
    "machine_name": (c_char_p, [OBJECT]),
    "machine_value": (STATUS, [OBJECT, c_char_p, POINTER(c_uint64), c_char * 32]),
    "program_build": (STATUS, [OBJECT, Bytes, POINTER(Build), NEW]),
    "program_kernel_count": (c_size_t, [OBJECT]),
    "program_kernel_at": (POINTER(Kernel), [OBJECT, c_size_t]),
    "kernel_argument": (POINTER(Argument), [POINTER(Kernel), c_size_t]),
    "program_kernel": (STATUS, [OBJECT, c_char_p, POINTER(POINTER(Kernel))]),
    "program_write": (STATUS, [OBJECT, c_int, Sink]),
    "device_new": (STATUS, [OBJECT, NEW]),
    "device_now": (c_uint64, [OBJECT]),
    "device_record": (STATUS, [OBJECT, Sink]),
    "device_record_end": (STATUS, [OBJECT]),
    "buffer_new": (STATUS, [OBJECT, c_char_p, c_uint64, NEW]),
    "buffer_new_over": (STATUS, [OBJECT, c_char_p, c_void_p, c_uint64, NEW]),
    "buffer_data": (c_void_p, [OBJECT]),
    "buffer_address": (c_uint64, [OBJECT]),
    "pipe_new": (STATUS, [OBJECT, c_char_p, c_uint32, c_uint32, NEW]),
    "pipe_packets": (c_uint32, [OBJECT]),
    "pipe_packet": (c_void_p, [OBJECT, c_uint32]),
    "image_new": (STATUS, [OBJECT, c_char_p, POINTER(Shape), NEW]),
    "image_read": (STATUS, [OBJECT, c_uint32 * 3, c_uint32 * 3, c_void_p, c_uint64, c_uint64]),
    "image_write": (STATUS, [OBJECT, c_uint32 * 3, c_uint32 * 3, c_void_p, c_uint64, c_uint64]),
    "launch_new": (STATUS, [OBJECT, OBJECT, POINTER(Kernel), NEW]),
    "launch_range": (STATUS, [OBJECT, c_uint32, SIZES, SIZES, SIZES]),
    "launch_value": (STATUS, [OBJECT, c_uint32, c_char_p, c_size_t]),
    "launch_buffer": (STATUS, [OBJECT, c_uint32, OBJECT, c_uint64]),
    "launch_local": (STATUS, [OBJECT, c_uint32, c_uint64]),
    "launch_pipe": (STATUS, [OBJECT, c_uint32, OBJECT]),
    "launch_image": (STATUS, [OBJECT, c_uint32, OBJECT]),
    "launch_sampler": (STATUS, [OBJECT, c_uint32, c_char_p]),
    "run": (STATUS, [OBJECT, LIST, c_size_t, POINTER(Watch), NEW]),
    "report_finished": (c_bool, [OBJECT]),
    "report_start": (c_uint64, [OBJECT, c_size_t]),
    "report_cycles": (c_uint64, [OBJECT, c_size_t]),
    "report_write": (STATUS, [OBJECT, c_int, Sink]),
    "report_metrics": (STATUS, [OBJECT, METRIC, c_void_p]),
    "expression_new": (STATUS, [c_char_p, NEW]),
    "expression_name_count": (c_size_t, [OBJECT]),
    "expression_name_at": (c_char_p, [OBJECT, c_size_t]),
    "expression_value": (STATUS, [OBJECT, POINTER(Column), c_size_t, POINTER(c_double)]),
    "number": (c_bool, [c_char_p, POINTER(c_double)]),
    "report_why": (STATUS, [OBJECT, OBJECT, c_bool, POINTER(Work), NEW]),
    "trace_open": (STATUS, [OBJECT, Bytes, c_bool, NEW]),
    "trace_machine": (STATUS, [OBJECT, NEW]),
    "trace_replay": (STATUS, [OBJECT, OBJECT, POINTER(Watch), NEW]),
    "file_run": (STATUS, [OBJECT, Bytes, OBJECT, POINTER(Watch), c_bool, POINTER(c_bool), NEW]),
    "diff": (STATUS, [OBJECT, OBJECT, c_int, Sink, POINTER(c_bool)]),
    "explain": (STATUS, [OBJECT, OBJECT, POINTER(Work), c_int, Sink]),
}
COUNTED = ("context", "machine", "program", "device", "buffer", "pipe", "image", "launch", "report", "trace", "expression")
for kind in COUNTED:
    FUNCTIONS[f"{kind}_ref"] = (OBJECT, [OBJECT])
    FUNCTIONS[f"{kind}_unref"] = (None, [OBJECT])

TEXT, JSON, SOURCE, CHECK, SARIF, HTML = range(6)  # ww_form


def _candidates() -> Iterator[str]:
    """Where the library may be: only $WARPWAIT_LIBRARY if set; else in this package (a wheel), in this clone, where
    `make install` puts it with any usual LIBDIR, and on the linker's path."""
    if said := os.environ.get("WARPWAIT_LIBRARY"):
        yield said
        return
    here = pathlib.Path(__file__).resolve().parent
    yield str(here / NAME)
    clone = here.parents[2]
    if (clone / "include/warpwait.h").is_file():
        yield str(clone / "build" / NAME)
    lib = here.parents[2]  # of PREFIX/lib/python3.N/dist-packages/warpwait
    for folder in (lib, lib / getattr(sys.implementation, "_multiarch", ""), lib.parent / "lib64"):
        yield str(folder / NAME)
    yield NAME


@functools.cache
def library() -> ctypes.CDLL:
    """The library, with its functions declared. Raises ImportError."""
    refused = ""
    for path in _candidates():
        if "/" in path and not pathlib.Path(path).exists():
            refused = refused or f"{path}: no such file"
            continue
        try:
            loaded = ctypes.CDLL(path)
        except OSError as error:
            refused = str(error)
            continue
        _declare(loaded, path)
        return loaded
    raise ImportError(f"{NAME} cannot be loaded: {refused}; `make` in a clone builds it, and "
                      "$WARPWAIT_LIBRARY selects another one")


def _declare(loaded: ctypes.CDLL, path: str) -> None:
    for name, (result, arguments) in FUNCTIONS.items():
        try:
            function = getattr(loaded, f"ww_{name}")
        except AttributeError:
            raise ImportError(f"{path}: has no ww_{name}(): it is older than this package") from None
        function.restype = result
        function.argtypes = [*arguments, POINTER(Error)] if result is STATUS else arguments
    number = loaded.ww_version()
    if (number >> 16, number >> 8 & 255) != VERSION:
        raise ImportError(f"{path}: is version {number >> 16}.{number >> 8 & 255}, but this package needs "
                          f"{VERSION[0]}.{VERSION[1]}")


def version() -> str:
    """The library's version, the same as `warpwait --version`."""
    number: int = library().ww_version()
    return f"{number >> 16}.{number >> 8 & 255}.{number & 255}"


# ---- calls -----------------------------------------------------------------------------------------

def text(raw: bytes | None) -> str:
    """A string from the library; "" for NULL."""
    return (raw or b"").decode("utf-8", "replace")


def error_of(error: Error) -> WarpwaitError:
    """The exception for an error of the library."""
    kind = BY_STATUS.get(error.status, WarpwaitError)
    return kind(text(error.text), file=text(error.file), line=error.line, column=error.column, key=text(error.key))


def call(name: str, *arguments: Any) -> None:
    """Calls ww_name(), which returns a status. Raises WarpwaitError."""
    error = Error()
    if getattr(library(), f"ww_{name}")(*arguments, byref(error)):
        raise error_of(error)


class Handle:
    """A reference to an object of the library, released when this object is deleted."""

    __slots__ = ("_as_parameter_", "_unref")

    def __init__(self, kind: str, pointer: int | None) -> None:
        self._as_parameter_ = c_void_p(pointer)
        self._unref = getattr(library(), f"ww_{kind}_unref")

    def __del__(self) -> None:
        self._unref(self._as_parameter_)

    def give_up(self) -> None:
        """Releases the reference now. Use it for objects that take long to free: in __del__, Ctrl-C would be lost."""
        self._unref(self._as_parameter_)
        self._as_parameter_ = c_void_p()

    @property
    def address(self) -> int:
        """The object's address."""
        return self._as_parameter_.value or 0


def make(kind: str, function: str, *arguments: Any) -> Handle:
    """Calls a function that creates an object; its last argument receives the object."""
    made = c_void_p()
    call(function, *arguments, byref(made))
    return Handle(kind, made.value)


# ---- callbacks -------------------------------------------------------------------------------------

class Callbacks:
    """The Python side of one call's callbacks.

    Their `self` is `number`. An exception in a callback ends the call, and calling() raises it again. Ctrl-C ends the
    call, too: Python's own handler would raise at the callback's first instruction, where no code can catch it, so it
    is replaced during the call.
    """
    _numbers = itertools.count(1)
    live: dict[int, Callbacks] = {}

    def __init__(self, tick: Callable[[int, int, int], bool | None] | None = None) -> None:
        self.number = next(self._numbers)
        self.tick = tick
        self.metric: Callable[[Any], bool | None] | None = None
        self.print: Callable[[bytes], None] | None = None
        self.hazard: Callable[[dict[str, Any]], None] | None = None
        self.parts: list[list[bytes]] = []
        self.raised: BaseException | None = None
        self._interrupted = False
        self._outer: Callbacks | None = None  # if this call is made in a callback: the Callbacks of that callback

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C was pressed during this call or an outer one."""
        return self._interrupted or (self._outer is not None and self._outer.interrupted)

    @property
    def ended(self) -> bool:
        """Whether the call should end: it was interrupted, or a signal's handler has raised."""
        return self.interrupted or self.raised is not None

    def sink(self) -> tuple[Sink, list[bytes]]:
        """A sink, and the list that receives its pieces. A call has at most eight sinks."""
        kept: list[bytes] = []
        self.parts.append(kept)
        return Sink(_write, self.number << 3 | (len(self.parts) - 1)), kept

    def protect(self, function: Callable[..., bool | None], *arguments: Any) -> bool:
        """Whether the call should go on: what the function returns, or False if it raises."""
        if self.ended:
            return False
        try:
            return function(*arguments) is not False
        except BaseException as error:  # pylint: disable=broad-exception-caught
            self.raised = error
            return False

    @contextmanager
    def reachable(self) -> Iterator[None]:
        """Within it, the library's callbacks find this object. Ctrl-C keeps its usual handler."""
        self.live[self.number] = self
        try:
            yield
        finally:
            del self.live[self.number]

    @contextmanager
    def calling(self) -> Iterator[None]:
        """Wraps a call. Raises what a callback raised."""
        main = threading.current_thread() is threading.main_thread()
        handler = signal.getsignal(signal.SIGINT) if main else None
        mine, unraisable = handler is signal.default_int_handler, sys.unraisablehook
        self._outer = getattr(handler, "__self__", None) if main and not mine else None
        if not isinstance(self._outer, Callbacks):
            self._outer = None
        if main:
            sys.unraisablehook = lambda lost: self._take_lost(lost) or unraisable(lost)
        if mine:
            signal.signal(signal.SIGINT, self._interrupt)
        try:
            with self.reachable():
                yield
        except Cancelled:
            if not self.raised and not self.interrupted:
                raise
        finally:
            if mine:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            if main:
                sys.unraisablehook = unraisable
            if self.raised is not None:
                raise self.raised from None
            if self.interrupted:
                raise KeyboardInterrupt

    def _interrupt(self, *_: Any) -> None:
        self._interrupted = True

    def _take_lost(self, lost: Any) -> bool:
        """Keeps what another signal's handler raised at a callback's first instruction, where no code can catch it."""
        if lost.object not in CALLED:
            return False
        self.raised = lost.exc_value
        return True


CALLED: set[Any] = set()  # functions that the library calls


def _called(kind: Any) -> Callable[[Callable[..., R]], Any]:
    """A decorator that makes a function a callback of that type."""
    def make_callback(function: Callable[..., R]) -> Any:
        CALLED.add(function)
        return kind(function)
    return make_callback


@_called(WRITE)
def _write(number: int, data: int, size: int) -> bool:
    callbacks = Callbacks.live.get(number >> 3)
    if callbacks is None or callbacks.ended:
        return False
    callbacks.parts[number & 7].append(ctypes.string_at(data, size))
    return True


@_called(TICK)
def tick(number: int, now: int, done: int, of: int) -> bool:
    """ww_watch.tick: the cycle, the number of finished work-groups, and of all."""
    callbacks = Callbacks.live.get(number)
    if callbacks is None:
        return True
    return callbacks.protect(callbacks.tick, now, done, of) if callbacks.tick else not callbacks.ended


@_called(DONE)
def tick_work(number: int, done: int, of: int) -> bool:
    """ww_work.tick."""
    callbacks = Callbacks.live.get(number)
    if callbacks is None:
        return True
    return callbacks.protect(callbacks.tick, 0, done, of) if callbacks.tick else not callbacks.ended


@_called(GO_ON)
def go_on(number: int) -> bool:
    """ww_build.go_on."""
    callbacks = Callbacks.live.get(number)
    return callbacks is None or not callbacks.ended


@_called(PRINT)
def print_text(number: int, _launch: int, data: int, size: int) -> None:
    """ww_watch.print: what a launch's work-items printed."""
    callbacks = Callbacks.live.get(number)
    if callbacks is not None and callbacks.print is not None:
        callbacks.print(ctypes.string_at(data, size))


@_called(HAZARD)
def take_hazard(number: int, hazard: Any) -> None:
    """ww_watch.hazard: passes the hazard on as a row of a table."""
    callbacks, row = Callbacks.live.get(number), hazard[0]
    if callbacks is not None and callbacks.hazard is not None:
        callbacks.hazard({"rule": text(row.rule), "message": text(row.message), "detail": text(row.detail),
                          "file": text(row.file), "line": row.line, "launch": row.launch,
                          "work_group": list(row.work_group), "work_items": [row.work_item], "count": row.count})


def written(name: str, *arguments: Any, after: Sequence[Any] = ()) -> bytes:
    """What ww_name() writes to its sink. The sink comes after `arguments` and before `after`."""
    callbacks = Callbacks()
    sink, parts = callbacks.sink()
    with callbacks.calling():
        call(name, *arguments, sink, *after)
    return b"".join(parts)


@_called(METRIC)
def take_metric(number: int, metric: Any) -> bool:
    """ww_report_metrics() calls this for each metric."""
    callbacks = Callbacks.live[number]
    return callbacks.protect(callbacks.metric, metric[0]) if callbacks.metric else False
