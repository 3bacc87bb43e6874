"""Reads numbers from bytes."""
from __future__ import annotations

import builtins

from ..errors import BadInput


class TraceError(BadInput):
    """An error in a trace. The text is one line."""


def unzigzag(code: int) -> int:
    """0, 1, 2, 3, 4 ... -> 0, -1, 1, -2, 2 ..."""
    return code >> 1 ^ -(code & 1)


class Cursor:
    """A reader of bytes, from the first to the last."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def left(self) -> int:
        return len(self._data) - self._at

    def varint(self) -> int:
        value = shift = 0
        while True:
            if self._at >= len(self._data) or shift > 63:
                raise TraceError("a number")
            byte = self._data[self._at]
            self._at += 1
            value |= (byte & 0x7f) << shift
            if byte < 0x80:
                return value
            shift += 7

    def bytes(self, size: int) -> builtins.bytes:
        if size > self.left():
            raise TraceError(f"{size} bytes")
        self._at += size
        return self._data[self._at - size:self._at]

    def rest(self) -> builtins.bytes:
        return self.bytes(self.left())
