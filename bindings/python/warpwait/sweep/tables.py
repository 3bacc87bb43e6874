"""Answers as text in columns, as CSV and as JSON."""
from __future__ import annotations

import dataclasses
import json
import math

import pandas
from .._cells import to_csv

from .store import plain


@dataclasses.dataclass
class Answer:
    """A frame with notes. units: of the columns that have one. marks: by row, a word to print after it. facts:
    additional values for JSON."""
    query: str
    rows: pandas.DataFrame
    units: dict[str, str] = dataclasses.field(default_factory=dict)
    notes: list[str] = dataclasses.field(default_factory=list)
    facts: dict[str, object] = dataclasses.field(default_factory=dict)
    marks: dict[int, str] = dataclasses.field(default_factory=dict)


def number(value: float) -> str:
    """A number for people: whole numbers without a fraction, others to six digits or, below 1, to three places."""
    if math.isnan(value):
        return "-"
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{value + 0.:.3f}".replace("-0.000", "0.000") if abs(value) < 1 else f"{value:.6g}"


def amount(value: float) -> str:
    """A number with commas between thousands."""
    return f"{int(value):,}" if float(value).is_integer() else number(value)


def points(count: int) -> str:
    """`1 point`, `2 points`."""
    return f"{count} point{'' if count == 1 else 's'}"


def words(column: pandas.Series) -> tuple[list[str], bool]:
    """A column as words, and whether to right-align them, which is true for numbers."""
    if column.dtype.kind in "biuf":
        return [number(value) for value in column], True
    return ["" if pandas.isna(value) else str(value) for value in column], False


def header(name: str, unit: str | None) -> str:
    """A column's name with its unit, unless the name contains it."""
    return f"{name} ({unit})" if unit and unit not in name.split(".")[-1].replace("_", " ") else name


def as_text(answer: Answer) -> str:
    """The rows in columns, and the notes below them."""
    columns = []
    for name in answer.rows.columns:
        cells, right = words(answer.rows[name])
        cells = [header(name, answer.units.get(name)), *cells]
        width = max(map(len, cells))
        columns.append([cell.rjust(width) if right else cell.ljust(width) for cell in cells])
    lines = ["  ".join(row) for row in zip(*columns)]
    for row, mark in answer.marks.items():
        lines[row + 1] += f"  <- {mark}"
    lines = [line.rstrip() for line in lines]
    return "\n".join([*lines, *([""] if answer.notes else []), *answer.notes]) + "\n"


def as_csv(answer: Answer) -> str:
    """The rows as CSV, whole numbers without a fraction."""
    cells = {name: pandas.Series([plain(value) for value in column], dtype=object)
             for name, column in answer.rows.items()}
    return to_csv(pandas.DataFrame(cells), index=False)


def as_json(answer: Answer) -> str:
    """Rows, units and facts as JSON; null for missing values."""
    rows = [{name: plain(value) for name, value in row.items()} for row in answer.rows.to_dict("records")]
    facts = {name: plain(value) for name, value in answer.facts.items()}
    units = {name: unit for name, unit in answer.units.items() if unit and name in answer.rows}
    told = {"query": answer.query, **facts, "units": units, "rows": rows}
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
