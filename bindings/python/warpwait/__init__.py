"""Warpwait in Python: `warpwait.trace` reads traces and timelines, `warpwait.plot` draws, `warpwait.sweep` reads sweeps."""
