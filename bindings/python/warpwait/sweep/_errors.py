"""Errors that users see."""
from __future__ import annotations

import difflib
import typing

from ..errors import BadInput


class SweepError(BadInput):
    """Bad input, in one line: where, what, and what would be valid."""


def unknown(what: str, name: str, known: typing.Iterable[str]) -> SweepError:
    """A SweepError about an unknown name, with the most similar known one."""
    known = list(known)
    folded = {other.lower(): other for other in reversed(known)}
    near = difflib.get_close_matches(name.lower(), folded, 1, .5)
    if near:
        return SweepError(f"{name}: no {what} with this name; nearest is {folded[near[0]]}")
    shown = ", ".join(known[:8]) + (", ..." if len(known) > 8 else "")
    return SweepError(f"{name}: no {what} with this name; there are {shown}" if known else f"{name}: there is no {what}")
