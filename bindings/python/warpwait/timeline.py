"""Timelines and pages of runs."""
from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from ._checks import write
from .tables import Row, Table
from .trace import timeline as reader

if TYPE_CHECKING:
    import os

    from .report import Report

__all__ = ["Page", "Timeline"]


class Page:
    """The page of `warpwait run --html`, which a notebook shows in a frame.

    html: the whole page, which needs no other files.
    """

    def __init__(self, page: str, height: int = 640) -> None:
        self.html, self.height = page, height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file for a browser."""
        write(path, self.html.encode())

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.html)}" title="Warpwait: the run" '
                f'style="width: 100%; height: {self.height}px; border: 1px solid #8884" loading="lazy"></iframe>')

    def __repr__(self) -> str:
        return f"<Page of {len(self.html):,} bytes>"


def _row(event: reader.Event) -> Row:
    """An event as a row of a table."""
    return {"cu": event.cu, "unit": event.unit, "from": event.start, "to": event.end, **event.fields}


class Timeline(reader.Timeline):
    """What each unit did in each cycle of a run: the events of docs/timeline-events.md, as `frame("warp")`, `events()`
    or `table("copy")`. A notebook shows the page in a frame. `warpwait.plot.timeline()` draws it.

    data: the bytes of a timeline file (.wtl). report: the run's report.
    """

    def __init__(self, data: bytes, report: Report | None = None) -> None:
        super().__init__(data)
        self.data, self.report = data, report

    @property
    def kinds(self) -> list[str]:
        """The names of the kinds of events."""
        return [kind.name for kind in self.schema.kinds]

    def table(self, kind: str) -> Table:
        """The events of a kind: cu, unit, from and to (cycles), and the kind's fields."""
        return Table([_row(event) for event in self.events() if event.kind == kind], f"Events `{kind}`")

    def to_pandas(self, kind: str = "warp") -> Any:
        """The events of a kind as a pandas DataFrame: frame(kind)."""
        return self.frame(kind)

    def to_dict(self) -> dict[str, list[Row]]:
        """All events by kind."""
        found: dict[str, list[Row]] = {}
        for event in self.events():
            found.setdefault(event.kind, []).append(_row(event))
        return found

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file (.wtl), for `warpwait timeline` and `warpwait-plot`."""
        write(path, self.data)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.data, self.report)

    def __repr__(self) -> str:
        return f"<Timeline: {self.count:,} events in cycles {self.start:,} to {self.end:,}>"

    def _repr_html_(self) -> str | None:
        return None if self.report is None else self.report.page()._repr_html_()
