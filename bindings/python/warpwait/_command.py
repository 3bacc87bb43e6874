"""What the commands have in common: how they say what is wrong."""
import argparse
import sys
import typing

from ._terminal import shown


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> typing.NoReturn:
        self.exit(2, shown(f"{self.prog.split()[0]}: {message}; `{self.prog} --help` says more\n", sys.stderr))


def fail(command: str, message: object, status: int = 2) -> int:
    """Says in one line what is wrong; returns the exit status."""
    print(shown(f"{command}: {message}", sys.stderr), file=sys.stderr)
    return status
