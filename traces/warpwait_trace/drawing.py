"""Matplotlib, for the commands."""
import os


def begin():
    """Loads it, for pictures that no window shows. It takes orders from a file matplotlibrc in the current folder, such as
    to have LaTeX set all words, and that folder may have come from anybody: it is loaded in another."""
    here = os.open(".", os.O_PATH)
    os.chdir("/")
    try:
        import matplotlib
        matplotlib.use("Agg")
    finally:
        os.fchdir(here)
        os.close(here)
    return matplotlib
