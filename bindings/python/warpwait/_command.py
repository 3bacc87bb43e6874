"""What the commands have in common: how they report errors."""
import argparse
import sys
import typing

from ._terminal import shown


class Parser(argparse.ArgumentParser):
    """An argument parser that reports errors in one line."""

    def error(self, message: str) -> typing.NoReturn:
        self.exit(2, shown(f"{self.prog.split()[0]}: {message}; `{self.prog} --help` says more\n", sys.stderr))


def fail(command: str, message: object, status: int = 2) -> int:
    """Prints an error in one line; returns the exit status."""
    print(shown(f"{command}: {message}", sys.stderr), file=sys.stderr)
    return status
