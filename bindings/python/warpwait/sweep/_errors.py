"""Errors that users see."""
from __future__ import annotations

import typing

from ..errors import BadInput, hint


class SweepError(BadInput):
    """Bad input, in one line: where, what, and what would be valid."""


def unknown(what: str, name: str, known: typing.Iterable[str]) -> SweepError:
    """A SweepError about an unknown name, with the most similar known one."""
    known = list(known)
    if near := hint(name, known):
        return SweepError(f"{name}: no {what} with this name{near}")
    shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return SweepError(f"{name}: no {what} with this name; there are {shown}" if known else f"{name}: there is no {what}")
