"""Answers from sweeps: stores of `warpwait sweep`, for notebooks and for the command warpwait-sweep.

    from warpwait import sweep
    store = sweep.Store("study.sqlite")
    store.frame(["cycles", "cost"], where="dma.channels <= 4")     # a pandas frame
    sweep.pareto(store, "cycles,cost")

docs/sweep-analysis.md has the questions, their definitions and examples. The package needs numpy and pandas; pictures
(`warpwait.sweep.pictures`) need matplotlib, and searches SciPy. Bad input raises SweepError.
"""
import sys
import types
import typing

if typing.TYPE_CHECKING:
    from ._public import *
else:
    from .._lazy import public
    from ..errors import entry

    __getattr__, __dir__ = public(__name__, "numpy", "pandas")

    class _Callable(types.ModuleType):
        """Makes the package callable: `warpwait.sweep(...)` calls its function sweep()."""

        @entry
        def __call__(self, *arguments, **named):
            return self.sweep(*arguments, **named)

    sys.modules[__name__].__class__ = _Callable
