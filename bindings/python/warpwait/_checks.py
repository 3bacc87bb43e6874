"""Checks of what users pass: whole numbers, texts and files. These raise BadInput."""
from __future__ import annotations

import operator
import os
import pathlib
import sys
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


def encoded(name: str, value: Any, encoding: str = "utf-8", errors: str = "surrogateescape") -> bytes:
    """A text's bytes; bytes unchanged. A surrogate that stands for a byte, as in os.fsdecode(), becomes this byte."""
    if isinstance(value, str):
        try:
            return value.encode(encoding, errors)
        except UnicodeEncodeError as error:
            raise BadInput(f"{name}: character {error.start + 1}, {value[error.start]!a}, cannot be encoded as {encoding}") from None
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise BadInput(f"{name}: expected a text, found {type(value).__name__}")
    return bytes(value)


def raw(path: str | os.PathLike[str]) -> bytes:
    """A path or a word for the library or the system. Raises BadInput if it contains a zero byte or has no encoding."""
    text = os.fspath(path)
    found = encoded(f"{text!r}", text, sys.getfilesystemencoding())
    if b"\0" in found:
        raise BadInput(f"{text!r}: contains a zero byte")
    return found


def lines_of(content: str) -> list[str]:
    """The lines of a file or a program's output. Only a line feed ends one, with or without a carriage return before it:
    str.splitlines() would also split at form feeds, U+2028 and others, which compilers and our formats do not."""
    lines = content.split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def read(path: str | os.PathLike[str]) -> bytes:
    """A file's bytes."""
    raw(path)
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise _of_file(path, error) from None


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes a file."""
    raw(path)
    try:
        pathlib.Path(path).write_bytes(data)
    except OSError as error:
        raise _of_file(path, error) from None


def _of_file(path: Any, error: OSError) -> BadInput:
    return BadInput(f"{os.fspath(path)!s}: {error.strerror or error}", file=os.fspath(path))
