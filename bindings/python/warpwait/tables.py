"""Rows of a report as plain objects."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

from . import _optional

__all__ = ["Row", "Stalls", "Table"]

Row = dict[str, Any]


class Table(Sequence[Row]):
    """Rows, each a dictionary with the keys of docs/report.md.

    title: what the rows are. units: of the columns that have one.
    """

    def __init__(self, rows: Sequence[Row], title: str = "", units: Mapping[str, str] | None = None) -> None:
        self.rows, self.title, self.units = list(rows), title, dict(units or {})

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def columns(self) -> list[str]:
        """The keys of all rows, each once, in order."""
        return list(dict.fromkeys(key for row in self.rows for key in row))

    def to_dict(self) -> list[Row]:
        """A copy of the rows as a list of dictionaries, which you may change."""
        return [dict(row) for row in self.rows]

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame. Dictionaries within rows become columns ("stalls.copy_wait"). Raises
        MissingPackage (an ImportError) without pandas."""
        frame = _optional.need("pandas").json_normalize(self.to_dict())
        if not len(frame.columns):
            frame = frame.reindex(columns=self.columns)
        frame.attrs["units"] = self.units
        return frame

    def _repr_html_(self) -> str:
        from .display import table_html
        return table_html(self)

    def __str__(self) -> str:
        columns = [key for key in self.columns if not any(isinstance(row.get(key), (dict, list)) for row in self)]
        cells = [columns, *([_word(row.get(key)) for key in columns] for row in self.rows)]
        widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)

    def __repr__(self) -> str:
        return f"<{self.title or 'Table'}: {len(self)} row{'' if len(self) == 1 else 's'}>"


def _word(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


class Stalls(Mapping[str, int]):
    """Where warps spent their time: warp-cycles by bucket, which add up to the warps' resident cycles."""

    def __init__(self, buckets: Mapping[str, int], texts: Mapping[str, str] | None = None) -> None:
        self._buckets, self.texts = dict(buckets), dict(texts or {})

    def __getitem__(self, bucket: str) -> int:
        return self._buckets[bucket]

    def __iter__(self) -> Iterator[str]:
        return iter(self._buckets)

    def __len__(self) -> int:
        return len(self._buckets)

    @property
    def total(self) -> int:
        """Resident warp-cycles: the sum."""
        return sum(self._buckets.values())

    def shares(self) -> dict[str, float]:
        """Each bucket's share of all, from 0 to 1, the largest first, without empty buckets."""
        ordered = sorted(self._buckets.items(), key=lambda item: -item[1])
        return {bucket: cycles / self.total for bucket, cycles in ordered if cycles}

    def to_dict(self) -> dict[str, int]:
        """Warp-cycles by bucket."""
        return dict(self._buckets)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the columns bucket, cycles (warp-cycles) and share (0 to 1), the largest first."""
        return _optional.need("pandas").DataFrame(
            [(bucket, self[bucket], share) for bucket, share in self.shares().items()],
            columns=["bucket", "cycles", "share"])

    def _repr_html_(self) -> str:
        from .display import stalls_html
        return stalls_html(self)

    def __repr__(self) -> str:
        told = ", ".join(f"{bucket} {share:.1%}" for bucket, share in self.shares().items())
        return f"<Stalls: {told or 'none'}>"
