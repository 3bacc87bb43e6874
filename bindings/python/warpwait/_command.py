"""What the commands have in common: how they report errors."""
import argparse
import sys
import typing

from ._terminal import shown
from .errors import hint


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line."""

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """Refuses an unknown option where its neighbors are known."""
        namespace, others = super().parse_known_args(args, namespace)
        for word in others:
            if word.startswith("--"):
                self.error(f"{word}: no such option{hint(word.split('=')[0], self._option_string_actions)}")
        return namespace, others

    def error(self, message: str) -> typing.NoReturn:
        self.exit(2, shown(f"{self.prog.split()[0]}: {message}; `{self.prog} --help` says more\n", sys.stderr))


def fail(command: str, message: object, status: int = 2) -> int:
    """Prints an error in one line; returns the exit status."""
    print(shown(f"{command}: {message}", sys.stderr), file=sys.stderr)
    return status
