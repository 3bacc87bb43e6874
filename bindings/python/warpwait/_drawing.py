"""Matplotlib, for the commands."""
from __future__ import annotations

import os
import types

from ._optional import need


def begin() -> types.ModuleType:
    """Loads matplotlib for pictures that no window shows; returns it. It obeys a file matplotlibrc in the current
    folder, such as one that has LaTeX set all words, and anybody may have written that folder: load it in another.

    Raises MissingPackage.
    """
    here = os.open(".", os.O_PATH)
    os.chdir("/")
    try:
        matplotlib = need("matplotlib")
        matplotlib.use("Agg")
    finally:
        os.fchdir(here)
        os.close(here)
    return matplotlib
