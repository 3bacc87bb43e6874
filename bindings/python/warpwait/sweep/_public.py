"""What `warpwait.sweep` exports."""
from .answers import best, curve, errors, knee, pareto
from ._errors import SweepError
from .expression import Expression
from .sensitivity import around, over_all
from .store import Store
from .sweeping import Results, sweep

__all__ = ["Expression", "Results", "Store", "SweepError", "around", "best", "curve", "errors", "knee", "over_all", "pareto",
           "sweep"]
