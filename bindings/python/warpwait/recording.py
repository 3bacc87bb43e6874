"""Recordings: what the warps of runs did, for replays on any machine."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Unpack

from . import _library
from ._checks import raw, read, write
from ._library import Handle, make
from .errors import BadInput, entry
from .machine import Machine, context
from .watch import Options

if TYPE_CHECKING:
    from .report import Report

__all__ = ["Recording"]


class Recording:
    """A trace (.wwt): what the warps of one or several runs did, without data. A run records one (Report.recording), so
    do several runs in Device.recording(), and `warpwait run --trace`. `warpwait.trace.open()` reads its contents.

    source: its bytes, or the path of a file. salvage: of a damaged trace, keep what is intact. Raises BadInput.
    """

    @entry
    def __init__(self, source: bytes | str | os.PathLike[str], salvage: bool = False) -> None:
        if isinstance(source, bytes):
            if not source:
                raise BadInput("recording.wwt: is empty")
            self._open(source, "recording.wwt", salvage)
            return
        self._open(read(source), os.fspath(source), salvage)

    def _open(self, data: bytes, name: str, salvage: bool) -> None:
        self.data, self.name, self.salvage = data, name, salvage
        self._handle: Handle | None = None

    @property
    def handle(self) -> Handle:
        """The library's trace, opened at the first use."""
        if not self.data:
            raise BadInput("the recording is not complete; leave its `with` block first")
        if self._handle is None:
            self._handle = make("trace", "trace_open", context(),
                                _library.Bytes(self.data, len(self.data), raw(self.name)), self.salvage)
        return self._handle

    @property
    @entry
    def machine(self) -> Machine:
        """The machine on which it was recorded."""
        return Machine.of_handle(make("machine", "trace_machine", self.handle), ("recording", self.data, b""))

    @entry
    def run(self, machine: Machine | str | os.PathLike[str] | None = None, **options: Unpack[Options]) -> Report:
        """Replays it, from cycle 0 with empty caches; the report is that of a run on the machine. machine: by default
        the recording's. Raises Unsupported if another machine would run another program or other work-groups."""
        from .running import run_recording
        return run_recording(self, None if machine is None else Machine.of(machine), options)

    @entry
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it as a file (.wwt). Raises BadInput."""
        write(path, self.data)

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.data, self.name, self.salvage)

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<Recording {self.name}: {len(self.data):,} bytes>"


def _again(data: bytes, name: str, salvage: bool) -> Recording:
    recording = Recording.__new__(Recording)
    recording._open(data, name, salvage)
    return recording
