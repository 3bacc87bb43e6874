"""Treats SIGTERM and SIGHUP like Ctrl-C: a command removes incomplete files, prints a line, and ends."""
from __future__ import annotations

import signal
import types
import typing


class Ended(KeyboardInterrupt):
    """A signal has arrived. number: the signal's."""

    def __init__(self, number: int, _frame: types.FrameType | None) -> None:
        super().__init__()
        self.number = number


def raise_ended(number: int, frame: types.FrameType | None) -> typing.NoReturn:
    raise Ended(number, frame)


def listen() -> None:
    """Call this when a command begins. Signals that are ignored stay ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, raise_ended)


def status(interrupt: KeyboardInterrupt) -> int:
    """The exit status of a command that a KeyboardInterrupt ended."""
    number: int = getattr(interrupt, "number", signal.SIGINT)
    return 128 + number
