"""SIGTERM and SIGHUP as what Ctrl-C is: a command removes what is not whole yet, says a line, and ends."""
from __future__ import annotations

import signal
import types
import typing


class Ended(KeyboardInterrupt):
    """A signal has come. number: which."""

    def __init__(self, number: int, _frame: types.FrameType | None) -> None:
        super().__init__()
        self.number = number


def raise_ended(number: int, frame: types.FrameType | None) -> typing.NoReturn:
    raise Ended(number, frame)


def listen() -> None:
    """For a command's beginning; a signal that is ignored stays ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, raise_ended)


def status(interrupt: KeyboardInterrupt) -> int:
    """The exit status of a command that a KeyboardInterrupt has ended."""
    number: int = getattr(interrupt, "number", signal.SIGINT)
    return 128 + number
