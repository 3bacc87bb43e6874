"""Expressions over columns, in the notation of sweep files' constraints and costs; the library reads and evaluates them.

    dma.channels <= dma.queue && !(define.DEPTH > 4 || mem.l1_size == 0)

Numbers (with K, M, G), names, + - * / % ^, comparisons, && || !, parentheses, min, max, abs, log2, ceil, floor; words
in quotes, which compare with == and != alone. Comparisons give 1 or 0 and do not chain. A division by zero, and a word
where a number is wanted, is not a number: no comparison holds for it, and it is not true. Values are arrays, one entry
a point.
"""
from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy
import pandas

from .. import _library
from .._arrays import Flags, Floats
from ..errors import BadInput
from ._errors import SweepError, unknown


def number_of(text: str) -> float | None:
    """`64K` as 65536.0; None when the text is no number."""
    number = ctypes.c_double()
    found = _library.library().ww_number(text.strip().encode(errors="replace"), ctypes.byref(number))
    return number.value if found else None


class Expression:
    """One that has been read: its text, the names that it uses, and its value over a frame of points. Raises SweepError
    if it cannot be read."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise SweepError(f"{text!r}: expected an expression, such as 'dma.channels <= 4'")
        self.text = text.strip()
        try:
            self._handle = _library.make("expression", "expression_new", _library.raw(text))
        except BadInput as error:
            shown = self.text if len(self.text) <= 80 else f"{self.text[:77]}..."
            raise SweepError(f"`{shown}`: {error}") from None
        library = _library.library()
        self.names = [_library.text(library.ww_expression_name_at(self._handle, place))
                      for place in range(library.ww_expression_name_count(self._handle))]

    def value(self, frame: pandas.DataFrame) -> Floats:
        """An array of numbers, one for each row of the frame, which must have all names as columns."""
        values, kept = numpy.empty(len(frame)), list[Any]()
        columns = (_library.Column * len(self.names))()
        for place, name in enumerate(self.names):
            kept.append(_column(frame[name], columns[place]))
        _library.call("expression_value", self._handle, columns, len(frame),
                      values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
        return values

    def holds(self, frame: pandas.DataFrame) -> Flags:
        """Whether it holds; it does not for what is not a number."""
        value = self.value(frame)
        return (value < 0) | (value > 0)

    def check(self, known: Iterable[str]) -> Expression:
        """Raises SweepError when a name is not among `known`. Returns the expression."""
        known = list(known)
        for name in self.names:
            if name not in known:
                raise unknown("axis or metric", name, known)
        return self


def _column(values: pandas.Series, column: Any) -> Any:
    """Fills a column of the library's from one of a frame; returns what has to stay meanwhile."""
    if values.dtype.kind in "biuf":
        numbers = numpy.ascontiguousarray(values, dtype=float)
        column.numbers = numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        return numbers
    words = (ctypes.c_char_p * len(values))(*(None if pandas.isna(value) else str(value).encode() for value in values))
    column.words = words
    return words
