"""SIGTERM and SIGHUP as what Ctrl-C is: a command removes what is not whole yet, says a line, and ends."""
import signal


class Ended(KeyboardInterrupt):
    """A signal has come. number: which."""

    def __init__(self, number, _frame):
        super().__init__()
        self.number = number


def raise_ended(number, frame):
    raise Ended(number, frame)


def listen():
    """For a command's beginning; whoever ignores a signal goes on doing so."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, raise_ended)


def status(interrupt):
    """The exit status of a command that a KeyboardInterrupt has ended."""
    return 128 + getattr(interrupt, "number", signal.SIGINT)
