"""Answers from sweeps: stores of `warpwait sweep`, for notebooks and for the command warpwait-sweep.

    import warpwait_sweep
    store = warpwait_sweep.Store("study.sqlite")
    store.frame(["cycles", "cost"], where="dma.channels <= 4")     # a pandas frame
    warpwait_sweep.pareto(store, "cycles,cost")

docs/sweep-analysis.md has the questions, their definitions and examples. Wants numpy and pandas; matplotlib for
pictures (`warpwait_sweep.pictures`) and SciPy for searches. What cannot be answered raises SweepError.
"""
from .answers import best, curve, errors, knee, pareto
from .errors import SweepError
from .expression import Expression
from .sensitivity import around, over_all
from .store import Store

__all__ = ["Expression", "Store", "SweepError", "around", "best", "curve", "errors", "knee", "over_all", "pareto"]
