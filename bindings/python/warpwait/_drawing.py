"""Loads matplotlib for the commands."""
from __future__ import annotations

import os
import types
import warnings

from ._optional import need


def begin() -> types.ModuleType:
    """Loads matplotlib without windows, and returns it.

    Matplotlib obeys a file matplotlibrc in the current folder, which can make it run LaTeX. The folder may not be
    trustworthy, so this changes to another one to load it.

    Raises MissingPackage.
    """
    here = os.open(".", os.O_PATH)
    os.chdir("/")
    try:
        matplotlib = need("matplotlib")
        matplotlib.use("Agg")
        warnings.filterwarnings("ignore", "Glyph .* missing")  # of a name: the picture shows a box
    finally:
        os.fchdir(here)
        os.close(here)
    return matplotlib
