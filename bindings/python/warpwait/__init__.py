"""Warpwait: where the warps of a GPU wait.

    import numpy as np, warpwait as ww

    program = ww.Program("kernel void triple(global float *x) { x[get_global_id(0)] *= 3; }")
    x = np.arange(1024, dtype=np.float32)
    report = program.kernel("triple").run("h200", global_size=1024, local_size=64, args=[x])
    report.cycles, report.bound_by, report.stalls, report.lines

Machines (`Machine`), programs (`Program`), devices that keep their state between runs (`Device`), reports (`Report`),
`check`, `explain` and `sweep`; readers of traces and timelines (`warpwait.trace`), pictures (`warpwait.plot`), and
stores of sweeps (`warpwait.sweep`). docs/python.md is the guide. `%load_ext warpwait` adds the cell magic %%warpwait.
"""
import typing

if typing.TYPE_CHECKING:
    from ._public import *
else:
    from ._lazy import public

    __getattr__, __dir__ = public(__name__, "numpy")
