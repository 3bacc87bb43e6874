"""Checks of what users pass: whole numbers, texts and files. These raise BadInput."""
from __future__ import annotations

import operator
import os
import pathlib
from typing import Any

from .errors import BadInput


def whole(name: str, value: Any, least: int, most: int) -> int:
    """`value` as a whole number, which must be from `least` to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise BadInput(f"{name}: expected a whole number, found {value!r}") from None
    if not least <= number <= most:
        raise BadInput(f"{name}: {number} is outside [{least}, {most}]")
    return number


def encoded(name: str, value: Any) -> bytes:
    """A text as UTF-8; bytes unchanged."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise BadInput(f"{name}: expected a text, found {type(value).__name__}")
    return bytes(value)


def lines_of(content: str) -> list[str]:
    """The lines of a file or a program's output. Only a line feed ends one, with or without a carriage return before it:
    str.splitlines() would also split at form feeds, U+2028 and others, which compilers and our formats do not."""
    lines = content.split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def read(path: str | os.PathLike[str]) -> bytes:
    """A file's bytes."""
    try:
        return pathlib.Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise _of_file(path, error) from None


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file."""
    try:
        pathlib.Path(path).write_bytes(data)
    except (OSError, ValueError) as error:
        raise _of_file(path, error) from None


def _of_file(path: Any, error: Exception) -> BadInput:
    said = getattr(error, "strerror", None) or str(error)
    return BadInput(f"{os.fspath(path)!s}: {said}", file=os.fspath(path))
