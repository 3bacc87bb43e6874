"""What `warpwait.sweep` exports."""
from .answers import best, curve, errors, knee, pareto
from ._errors import SweepError
from .expression import Expression
from .sensitivity import around, over_all
from .store import Store

__all__ = ["Expression", "Store", "SweepError", "around", "best", "curve", "errors", "knee", "over_all", "pareto"]
