"""Frames as comma-separated values."""
import re

import pandas

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def as_text(value):
    """The value; text that a spreadsheet would run as a formula has an apostrophe in front (docs/sweep-store.md)."""
    if isinstance(value, str) and value[:1] in tuple("=+-@\t\r\n") and not NUMBER.fullmatch(value):
        return "'" + value
    return value


def to_csv(frame, file=None, index=True):
    """Writes the frame to a binary file, or returns it as text without one."""
    safe = pandas.DataFrame({i: [as_text(value) for value in frame.iloc[:, i]] for i in range(frame.shape[1])},
                            dtype=object)
    safe.index = frame.index.map(as_text)
    safe.columns = frame.columns.map(as_text)
    return safe.to_csv(file, index=index, lineterminator="\n")
