"""Expressions over columns, in the notation of sweep files' constraints and costs; the library evaluates them.

    dma.channels <= dma.queue && !(define.DEPTH > 4 || mem.l1_size == 0)

Numbers (with K, M, G), names, + - * / % ^, comparisons, && || !, parentheses, min, max, abs, log2, ceil, floor; words
in quotes, which compare only with == and !=. Comparisons give 1 or 0 and do not chain. A division by zero, and a word
where a number is needed, are NaN: every comparison with NaN is false, and NaN itself is not true. Values are arrays
with one entry per point.
"""
from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any

import numpy
import pandas

from .. import _library
from .._arrays import Flags, Floats
from .._checks import encoded, raw
from ..errors import BadInput
from ._errors import SweepError, unknown


def number_of(text: str) -> float | None:
    """`64K` as 65536.0; None if the text is not a number."""
    number = ctypes.c_double()
    found = _library.library().ww_number(text.strip().encode(errors="replace"), ctypes.byref(number))
    return number.value if found else None


class Expression:
    """A parsed expression: its text, the names that it uses, and its value over a frame of points. Raises SweepError if
    the text is not an expression."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise SweepError(f"{text!r}: expected an expression, such as 'dma.channels <= 4'")
        self.text = text.strip()
        try:
            self._handle = _library.make("expression", "expression_new", raw(text))
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
        """Whether it is true for each row; NaN is not true."""
        value = self.value(frame)
        return (value < 0) | (value > 0)

    def check(self, known: Iterable[str]) -> Expression:
        """Raises SweepError if a name is not in `known`. Returns the expression."""
        known = list(known)
        for name in self.names:
            if name not in known:
                raise unknown("axis or metric", name, known)
        return self


def _column(values: pandas.Series, column: Any) -> Any:
    """Fills the library's column from a frame's column; returns objects that must stay alive during the call."""
    if values.dtype.kind in "biuf":
        numbers = numpy.ascontiguousarray(values, dtype=float)
        column.numbers = numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        return numbers
    words = (ctypes.c_char_p * len(values))(*(None if pandas.isna(value) else encoded("value", str(value)) for value in values))
    column.words = words
    return words
