"""Pictures of Warpwait's timelines and reports, for notebooks and for the command warpwait-plot.

    from warpwait import plot
    plot.stalls("report.json")
    plot.stalls(["a.json", "b.json"], percent=True)
    plot.timeline("T.wtl", cu=0, start=0, end=2000)

Each function that draws takes `ax`, the axes to draw on (None: a new figure), and returns the axes. For each there is
another function that returns the numbers as a pandas frame. Bad input raises PlotError. docs/plots.md shows the
pictures. The package needs matplotlib, numpy and pandas.
"""
import typing

if typing.TYPE_CHECKING:
    from ._public import *
else:
    from .._lazy import public

    __getattr__, __dir__ = public(__name__, "numpy", "matplotlib", "pandas")
