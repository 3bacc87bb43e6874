"""What calibrate.py can fit: (parameter, least, most, tests or families whose rows it moves).

The bounds are physical, not wishes: what a GPU of this kind could have. What a data sheet or a device query counts (warp
size, banks, capacities) is not fitted, nor are choices between ways.
"""
COPIES = ("bulk", "tensor", "bulk_prefetch")
THREADS = ("wgcopy", "stream", "opencl")

FIT = [
    ("cu.barrier_latency", 1, 100, ("barriers", "clock_overhead", "pipeline", "opencl", "wgcopy")),
    ("cu.barrier_interval", 0, 20, ("barriers", "clock_overhead", "pipeline", "opencl", "wgcopy")),
    ("cu.copy_latency", 1, 100, COPIES + ("pipeline",)),
    ("cu.wait_latency", 1, 200, COPIES + ("pipeline", "mbarrier_ops")),
    ("cu.wait_out_latency", 0, 200, COPIES),
    ("cu.lane_wait_latency", 1, 200, ("wgcopy", "pipeline")),
    ("cu.line_interval", 0, 8, THREADS),
    ("cu.copy_lane_interval", 1, 16, ("wgcopy", "pipeline")),
    ("cu.fence_latency", 1, 2000, ("wgcopy", "atomics")),
    ("cu.operand_latency", 0, 50, ("lds", "wgcopy", "pipeline", "opencl")),
    ("cu.global_operand_latency", 0, 100, ("wgcopy", "opencl")),
    ("cu.dispatch_latency", 1, 2000, ("dispatch",)),
    ("cu.dispatch_rate", 1, 2000, ("dispatch",)),
    ("cu.launch_overhead", 0, 50000, ("dispatch", "opencl")),
    ("cu.int_latency", 1, 20, ("ops",)),
    ("cu.mul_latency", 1, 20, ("ops",)),
    ("cu.float_latency", 1, 20, ("ops", "branches", "pipeline", "ocl_pipe")),
    ("cu.double_latency", 1, 100, ("ops",)),
    ("cu.special_latency", 1, 60, ("ops",)),
    ("cu.lane_latency", 1, 60, ("ops",)),
    ("cu.branch_latency", 1, 40, ("lds", "branches", "pipeline", "wgcopy", "opencl")),
    ("cu.divergence_latency", 0, 200, ("branches",)),
    ("cu.lds_interval", 1, 8, ("lds", "pipeline")),
    ("cu.lds_spacing", 1, 16, ("lds",)),
    ("cu.lds_data_interval", 0, 8, ("lds",)),
    ("lds.latency", 1, 100, ("lds", "wgcopy", "opencl", "pipeline", "clock_overhead")),
    ("lds.phase_latency", 0, 10, ("lds",)),
    ("lds.atomic_latency", 0, 60, ("lds_atomic_latency", "lds_atomic")),
    ("dma.issue_gap", 1, 64, COPIES),
    ("dma.setup", 0, 500, COPIES + ("pipeline",)),
    ("dma.completion", 0, 500, COPIES + ("pipeline",)),
    ("dma.read_width", 16, 256, COPIES + ("pipeline",)),
    ("dma.out_width", 4, 256, COPIES),
    ("dma.lds_latency", 0, 100, COPIES),
    ("mem.link_latency", 1, 500, ("memory", "atomics", "prefetch", "bulk", "tensor", "wgcopy", "pipeline", "opencl")),
    ("mem.fill_latency", 0, 300, ("memory", "prefetch", "wgcopy", "pipeline", "opencl")),
    ("mem.link_width", 16, 512, ("stream", "l2_footprint_bandwidth", "wgcopy", "bulk_throughput", "opencl")),
    ("mem.link_up_width", 8, 256, ("stream", "wgcopy", "bulk_throughput", "opencl")),
    ("mem.cluster_width", 64, 4096, ("stream", "bulk_throughput", "tma_throughput", "pipeline")),
    ("mem.cluster_up_width", 32, 4096, ("stream", "bulk_throughput")),
    ("mem.l1_latency", 4, 200, ("chase", "opencl")),
    ("mem.l2_latency", 10, 600, ("memory", "prefetch", "bulk", "tensor", "wgcopy", "pipeline", "opencl", "atomics")),
    ("mem.l2_spread", 0, 300, ("memory", "prefetch", "bulk", "tensor", "wgcopy")),
    ("mem.l2_partition_latency", 1, 800, ("memory", "prefetch")),
    ("mem.l2_width", 256, 32768, ("stream", "l2_footprint_bandwidth", "bulk_throughput", "tma_throughput", "pipeline")),
    ("mem.dram_latency", 50, 2000, ("memory", "prefetch", "bulk_throughput", "wgcopy_multi", "pipeline", "opencl")),
    ("mem.dram_width", 128, 16384, ("stream", "bulk_throughput", "tma_throughput", "wgcopy_multi", "pipeline", "opencl")),
    ("mem.atomic_interval", 1, 400, ("atomics",)),
    ("mem.atomic_units", 1, 1024, ("atomics",)),
]

# The axes along which leaveout.py halves a family.
AXES = [
    ("lds", "pattern"), ("lds", "warps"), ("ops", "warps"), ("barriers", "warps"), ("branches", "warps"),
    ("bulk", "bytes"), ("bulk", "inflight"), ("tensor", "line_bytes"), ("tensor", "lines"),
    ("wgcopy", "bytes"), ("wgcopy", "threads"), ("wgcopy", "stride_elems"),
    ("pipeline", "stages"), ("pipeline", "tile_bytes"), ("pipeline", "compute_groups"),
    ("memory", "footprint_bytes"), ("memory", "ctas"), ("atomics", "ctas"), ("opencl", "tile_bytes"),
]
