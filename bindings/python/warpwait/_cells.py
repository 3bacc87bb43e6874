"""Frames as comma-separated values."""
from __future__ import annotations

import re
import typing

import pandas

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def as_text(value: object) -> object:
    """The value. An apostrophe precedes text that a spreadsheet would run as a formula (docs/sweep-store.md)."""
    if isinstance(value, str) and value[:1] in tuple("=+-@\t\r\n") and not NUMBER.fullmatch(value):
        return "'" + value
    return value


@typing.overload
def to_csv(frame: pandas.DataFrame, file: None = None, index: bool = True) -> str:
    ...


@typing.overload
def to_csv(frame: pandas.DataFrame, file: typing.BinaryIO, index: bool = True) -> None:
    ...


def to_csv(frame: pandas.DataFrame, file: typing.BinaryIO | None = None, index: bool = True) -> str | None:
    """Writes the frame to a binary file, or returns it as text if there is no file."""
    safe = pandas.DataFrame({i: [as_text(value) for value in frame.iloc[:, i]] for i in range(frame.shape[1])},
                            dtype=object)
    safe.index = frame.index.map(as_text)
    safe.columns = frame.columns.map(as_text)
    text: str | None = safe.to_csv(file, index=index, lineterminator="\n")
    return text
