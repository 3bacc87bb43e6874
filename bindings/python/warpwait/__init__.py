"""Warpwait in Python: traces and timelines (`warpwait.trace`), pictures (`warpwait.plot`) and sweeps (`warpwait.sweep`)."""
