"""What `warpwait` exports."""
import typing

from . import _library, errors
from .device import Buffer, Device, Image, Local, Pipe
from .magic import load_ipython_extension
from .errors import (BadInput, Cancelled, Defect, HazardWarning, OutOfMemory, Unfinished, Unsupported, WarpwaitError)
from .explanation import Explanation, explain
from .launch import Launch
from .machine import Machine, Parameter, machines, parameters
from .program import Argument, Kernel, Program
from .recording import Recording
from .report import Difference, Hazards, LaunchReport, Lines, Report
from .running import check, run
from .tables import Stalls, Table
from .timeline import Page, Timeline

if typing.TYPE_CHECKING:
    __version__: str
    from .sweep import _public as sweeps

    from .running import Work

    class Sweep:
        """The callable package warpwait.sweep, for type checkers."""

        def __init__(self) -> None:
            self.Expression, self.Results, self.Store = sweeps.Expression, sweeps.Results, sweeps.Store
            self.SweepError, self.around, self.best, self.curve = (sweeps.SweepError, sweeps.around, sweeps.best,
                                                                   sweeps.curve)
            self.errors, self.knee, self.over_all, self.pareto = (sweeps.errors, sweeps.knee, sweeps.over_all,
                                                                  sweeps.pareto)

        # Keep this the same as sweep() in sweep/sweeping.py.
        def __call__(self, work: Work, axes: typing.Mapping[str, typing.Any], machine: Machine | str | None = None, *,
                     where: str | None = None, cost: str | None = None, jobs: int = 0, dask: typing.Any = None,
                     cycle_limit: int = 0, progress: typing.Any = None, **launch: typing.Any) -> sweeps.Results: ...

    sweep = Sweep()

errors.shorten_tracebacks()


def __getattr__(name: str) -> str:  # `__version__` loads the library
    if name == "__version__":
        return _library.version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Argument", "BadInput", "Buffer", "Cancelled", "Defect", "Device", "Difference", "Explanation", "Hazards",
           "HazardWarning", "Image", "Kernel", "Launch", "LaunchReport", "Lines", "Local", "Machine", "OutOfMemory", "Page",
           "Parameter", "Pipe", "Program", "Recording", "Report", "Stalls", "Table", "Timeline", "Unfinished",
           "Unsupported", "WarpwaitError", "__version__", "check", "explain", "load_ipython_extension", "machines",
           "parameters", "run", "sweep"]
