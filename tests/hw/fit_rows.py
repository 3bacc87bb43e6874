"""What calibrate.py can fit: (parameter, least, most, tests or families whose rows it moves).

The bounds are physical, not wishes: what a GPU of this kind could have. Parameters that are counted in a data sheet
(banks, warp size, capacities) are not fitted.
"""
FIT = [
    ("lds.latency", 1, 100, ("lds", "wgcopy", "opencl", "pipeline")),
]

# The axes along which leaveout.py halves a family.
AXES = [
    ("lds", "pattern"), ("lds", "warps"), ("ops", "warps"), ("barriers", "warps"), ("branches", "warps"),
    ("bulk", "bytes"), ("bulk", "inflight"), ("bulk", "ctas"), ("tensor", "line_bytes"), ("tensor", "lines"),
    ("wgcopy", "bytes"), ("wgcopy", "threads"), ("wgcopy", "stride_elems"),
    ("pipeline", "stages"), ("pipeline", "tile_bytes"), ("pipeline", "compute_groups"), ("pipeline", "place"),
    ("memory", "footprint_bytes"), ("memory", "ctas"), ("atomics", "ctas"), ("opencl", "tile_bytes"), ("opencl", "groups"),
]
