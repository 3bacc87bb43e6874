"""What each limit of the machine costs (docs/explain.md)."""
from __future__ import annotations

import json
from collections.abc import Mapping
from ctypes import byref
from typing import Any

from . import _library, progress as progressing
from ._checks import whole
from ._library import Callbacks, call
from .errors import entry
from .machine import Machine
from .recording import Recording
from .running import Work, recorded
from .tables import Table

__all__ = ["Explanation", "explain"]


class Explanation(Mapping[str, Any]):
    """What `warpwait explain` finds for a recording: a mapping from the keys of its JSON. str() is its text.

    limits: the limits that were lifted, with the cycles that the launch takes without each.
    """

    def __init__(self, recording: Recording, machine: Machine | None, jobs: int, progress: Any) -> None:
        self._by = (recording, machine, jobs, progress)
        self.json = self._written(_library.JSON)
        self._found: dict[str, Any] = json.loads(self.json)
        self._text = ""

    def _written(self, form: int) -> str:
        recording, machine, jobs, progress = self._by
        tick, close = progressing.told(progress, "runs")
        callbacks = Callbacks(tick)
        work = _library.Work(threads=whole("jobs", jobs, 0, 1024), tick=_library.tick_work)
        setattr(work, "self", callbacks.number)
        sink, parts = callbacks.sink()
        try:
            with callbacks.calling():
                call("explain", recording.handle, machine and machine.handle, byref(work), form, sink)
        finally:
            close()
        return b"".join(parts).decode()

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def __iter__(self) -> Any:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def to_dict(self) -> dict[str, Any]:
        """A copy of all of it, which you may change."""
        copy: dict[str, Any] = json.loads(self.json)
        return copy

    @property
    def limits(self) -> Table:
        """The limits of all launches, those that save most first."""
        rows = [{"launch": launch["launch"], "limit": row["limit"], "name": row["name"], "cycles": row["cycles"],
                 "saved": row["saved"], "saved_share": row["saved_share"], "set": row["set"]}
                for launch in self["launches"] for row in launch["limits"] if "limit" in row]
        return Table(rows, "Limits", {"cycles": "cycles", "saved": "cycles", "saved_share": "of all"})

    def to_pandas(self) -> Any:
        """The limits as a pandas DataFrame."""
        return self.limits.to_pandas()

    @property
    def text(self) -> str:
        """What `warpwait explain` prints."""
        self._text = self._text or self._written(_library.TEXT)
        return self._text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Explanation: {len(self.limits)} limits>"

    def _repr_html_(self) -> str:
        from .display import explanation_html
        return explanation_html(self)

    def __getstate__(self) -> dict[str, Any]:
        recording, machine, jobs, _ = self._by
        return self.__dict__ | {"_by": (recording, machine, jobs, None)}


@entry
def explain(work: Work, machine: Machine | str | None = None, *, jobs: int = 0, progress: Any = None,
            cycle_limit: int = 0, **launch: Any) -> Explanation:
    """Lifts the machine's limits one at a time, and finds what each costs.

    work: a launch, several at once, a launch file, a recording, a report that has one, or a kernel with its launch's
    arguments (`explain(kernel, "h200", global_size=4096, args=[...])`). No array changes. jobs: threads
    (default: one per processor). Raises BadInput, Unsupported, Unfinished and KeyboardInterrupt.
    """
    on = None if machine is None else Machine.of(machine)
    return Explanation(recorded(work, on, launch, cycle_limit), on, jobs, progress)
