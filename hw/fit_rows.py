"""What calibrate.py can fit, in blocks, one after the other. Earlier blocks fit what later ones need.

FIT has (block, parameter, least, most, families, tests or field=value of the rows that determine it; if many do, those
of short runs). The bounds are physical: what a GPU of this kind could have. Not fitted are numbers that a data sheet or
a device query states (warp size, banks, capacities), and choices, which ablation.py switches off (mechanisms.py).
EXCUSED are values that were measured or fitted but are in neither list, with the reason; a test checks that none is
missing.
"""
# block: the families whose rows fit it.
BLOCKS = {
    "core": ("ops", "constants", "branches", "barriers"),
    "lds": ("lds",),
    "memory": ("memory", "atomics", "prefetch"),
    "engine": ("bulk", "tensor"),
    "threads": ("wgcopy", "pipeline"),
    "texture": ("texture",),
    "launch": ("dispatch", "opencl"),
}

BARRIERS = ("barriers", "clock_overhead", "pipeline", "wgcopy")
LOADS = ("chase", "chase_dram", "chase_distribution", "prefetch", "global_atomic_latency")
SINGLE = LOADS + ("bulk_latency", "bulk_misalign", "bulk_small", "tma_latency", "tma_strided", "wgcopy")
COPIES = ("bulk", "tensor", "bulk_prefetch")
THREADS = ("wgcopy", "stream", "opencl")

FIT = [
    ("core", "cu.int_latency", 1, 20, ("op=LOP3", "op=ISETP+VOTE", "op=IADD3+LOP3", "branches", "barriers")),
    ("core", "cu.int_interval", 1, 16, ("op=LOP3", "op=ISETP+VOTE", "op=IADD3+LOP3")),
    ("core", "cu.add_latency", 1, 20, ("op=IADD3+LOP3", "branches")),
    ("core", "cu.add_interval", 1, 16, ("op=IADD3+LOP3",)),
    ("core", "cu.count_latency", 1, 60, ("op=POPC",)),
    ("core", "cu.count_interval", 1, 32, ("op=POPC",)),
    ("core", "cu.mul_latency", 1, 20, ("op=IMAD",)),
    ("core", "cu.mul_interval", 1, 16, ("op=IMAD",)),
    ("core", "cu.half_latency", 1, 20, ("op=HFMA2",)),
    ("core", "cu.half_interval", 1, 16, ("op=HFMA2",)),
    ("core", "cu.float_latency", 1, 20, ("op=FFMA", "op=FADD", "op=MUFU.SIN", "branches")),
    ("core", "cu.float_interval", 1, 16, ("op=FFMA", "op=FADD", "op=MUFU.SIN", "branches")),
    ("core", "cu.double_latency", 1, 100, ("op=DFMA",)),
    ("core", "cu.double_interval", 1, 64, ("op=DFMA",)),
    ("core", "cu.convert_latency", 1, 60, ("op=I2F",)),
    ("core", "cu.convert_interval", 1, 32, ("op=I2F",)),
    ("core", "cu.special_latency", 1, 60, ("op=MUFU.RSQ", "op=MUFU.SIN")),
    ("core", "cu.special_interval", 1, 32, ("op=MUFU.RSQ", "op=MUFU.SIN")),
    ("core", "cu.lane_latency", 1, 60, ("op=SHFL",)),
    ("core", "cu.lane_interval", 1, 32, ("op=SHFL",)),
    ("core", "cu.vote_latency", 1, 60, ("op=ISETP+VOTE",)),
    ("core", "cu.vote_interval", 1, 32, ("op=ISETP+VOTE",)),
    ("core", "cu.constant_index_latency", 0, 100, ("constants",)),
    ("core", "cu.constant_address_latency", 0, 100, ("constants",)),
    ("core", "cu.constant_address_interval", 0, 20, ("constants",)),
    ("core", "cu.forward_latency", 0, 10, ("op=IADD3+LOP3", "op=ISETP+VOTE", "op=MUFU.SIN", "branches", "barriers")),
    ("core", "cu.guard_latency", 0, 30, ("op=LOP3", "branches", "barriers")),
    ("core", "cu.branch_latency", 1, 40, ("op=LOP3", "branches", "lds", "wgcopy")),
    ("core", "cu.divergence_latency", 0, 200, ("branches",)),
    ("core", "cu.barrier_latency", 1, 100, BARRIERS),
    ("core", "cu.barrier_interval", 0, 20, BARRIERS),
    ("core", "cu.phase_interval", 1, 200, ("mbarrier_ops", "mbarrier_wake")),
    ("core", "cu.phase_turn", 0, 100, ("mbarrier_wake",)),
    ("core", "cu.yield_latency", 1, 500, ("mbarrier_wake",)),
    ("core", "cu.phase_latency", 1, 200, ("mbarrier_ops", "mbarrier_wake")),
    ("core", "cu.phase_wake_latency", 1, 200, ("mbarrier_wake",)),
    ("core", "cu.phase_wake_interval", 0, 100, ("mbarrier_wake",)),
    ("lds", "cu.lds_interval", 1, 8, ("lds",)),
    ("lds", "cu.lds_spacing", 1, 16, ("lds",)),
    ("lds", "cu.lds_data_interval", 0, 8, ("lds",)),
    ("lds", "lds.latency", 1, 100, ("lds", "wgcopy", "clock_overhead")),
    ("lds", "lds.phase_latency", 0, 10, ("lds",)),
    ("lds", "lds.atomic_latency", 0, 60, ("lds_atomic_latency", "lds_atomic")),
    ("memory", "mem.link_latency", 1, 500, SINGLE),
    ("memory", "mem.fill_latency", 0, 300, LOADS + ("wgcopy",)),
    ("memory", "mem.l1_latency", 4, 200, ("chase", "opencl")),
    ("memory", "mem.l2_latency", 10, 600, SINGLE),
    ("memory", "mem.l2_spread", 0, 300, SINGLE),
    ("memory", "mem.l2_partition_latency", 1, 800, LOADS),
    ("memory", "mem.dram_latency", 50, 2000, LOADS + ("bulk_latency", "tma_latency", "wgcopy_multi")),
    ("memory", "mem.link_width", 16, 512, ("stream", "l2_footprint_bandwidth", "wgcopy", "bulk_throughput")),
    ("memory", "mem.link_up_width", 8, 256, ("stream", "atomics", "wgcopy", "bulk_throughput", "bulk_through")),
    ("memory", "mem.cluster_width", 64, 4096, ("stream", "l2_footprint_bandwidth", "bulk_throughput", "tma_throughput")),
    ("memory", "mem.cluster_up_width", 32, 4096, ("stream", "atomics", "bulk_throughput", "bulk_through")),
    ("memory", "mem.l2_width", 256, 32768, ("stream", "l2_footprint_bandwidth", "bulk_throughput", "tma_throughput")),
    ("memory", "mem.dram_width", 128, 16384, ("stream", "memcpy_d2d", "bulk_throughput", "wgcopy_multi", "pipeline")),
    ("memory", "mem.dram_burst", 0, 512, ("stream", "bulk_throughput", "tma_throughput", "wgcopy_multi")),
    ("memory", "mem.dram_refresh", 0, 20000, ("chase_dram", "chase_distribution", "stream", "prefetch")),
    ("memory", "mem.dram_refresh_cycles", 0, 2000, ("chase_dram", "chase_distribution", "stream", "prefetch")),
    ("memory", "mem.atomic_interval", 1, 400, ("atomics",)),
    ("memory", "mem.atomic_units", 1, 1024, ("atomics",)),
    ("memory", "mem.atomic_updates", 1, 64, ("atomics",)),
    ("memory", "mem.atomic_return", 0, 400, ("atomics",)),
    ("engine", "cu.copy_latency", 1, 100, COPIES + ("pipeline",)),
    ("engine", "cu.wait_latency", 1, 200, COPIES + ("pipeline", "mbarrier_ops", "mbarrier_wake")),
    ("engine", "cu.wait_out_latency", 0, 200, COPIES),
    ("engine", "dma.issue_gap", 1, 64, COPIES),
    ("engine", "dma.setup", 0, 500, COPIES + ("pipeline",)),
    ("engine", "dma.descriptor_fetch", 0, 500, ("tensor",)),
    ("engine", "dma.completion", 0, 500, COPIES),
    ("engine", "dma.read_width", 16, 256, COPIES + ("pipeline",)),
    ("engine", "dma.out_width", 4, 256, COPIES),
    ("engine", "dma.lds_latency", 0, 100, COPIES),
    ("engine", "dma.queue", 1, 64, ("bulk_latency", "bulk_small", "bulk_throughput", "tma_throughput")),
    ("engine", "dma.walkers", 1, 64, ("bulk_small", "bulk_throughput", "tma_throughput")),
    ("engine", "dma.lds_reads", 1, 64, ("bulk_through", "bulk_throughput")),
    ("engine", "dma.posted", 0, 262144, ("bulk_throughput", "bulk_through", "tma_throughput")),
    ("threads", "cu.lane_wait_latency", 1, 200, ("wgcopy", "pipeline")),
    ("threads", "cu.line_interval", 0, 8, THREADS),
    ("threads", "cu.copy_lane_interval", 1, 16, ("wgcopy", "pipeline")),
    ("threads", "cu.fence_latency", 1, 2000, ("wgcopy", "atomics")),
    ("threads", "cu.fence_interval", 1, 200, ("wgcopy",)),
    ("threads", "cu.global_queue", 1, 64, THREADS),
    ("threads", "cu.operand_latency", 0, 50, ("lds", "wgcopy", "pipeline")),
    ("threads", "cu.global_operand_latency", 0, 100, ("wgcopy", "opencl")),
    ("threads", "cu.store_room", 128, 1048576, ("wgcopy", "stream")),
    ("threads", "mem.link_up_queue", 1, 64, ("wgcopy", "stream")),
    ("texture", "texture.quad_rate", 10, 1000, ("texture_rate", "texture_place")),
    ("texture", "texture.group_turns", 100, 1000, ("texture_rate", "texture_place")),
    ("texture", "texture.latency", 1, 1000, ("texture_latency",)),
    ("texture", "texture.flat_latency", 1, 1000, ("texture_walk",)),
    ("texture", "texture.fill_latency", 0, 1000, ("texture_walk",)),
    ("launch", "cu.dispatch_latency", 1, 2000, ("dispatch",)),
    ("launch", "cu.dispatch_rate", 1, 2000, ("dispatch",)),
    ("launch", "cu.constant_latency", 1, 200, ("opencl",)),
]

# Reason: parameters.
EXCUSED = {
    "a count or a capacity": ("cu.clock_mhz", "cu.accesses", "dma.channels", "dma.outstanding", "lds.banks", "lds.ports", "lds.queue"),
    "a size, power of two": ("dma.granularity", "mem.l1_ways", "mem.l2_ways", "mem.l1_step", "mem.l2_stripe", "mem.l2_region",
                             "mem.atomic_stripe", "mem.link_up_place"),
    "a way that has no off": ("lds.phases", "lds.conflicts", "dma.arbitration"),
    "off on this machine": ("cu.barrier_blocks", "lds.hash", "dma.line_cycles"),
    "nothing here is limited by it": ("cu.branch_interval", "cu.private_latency", "dma.write_width"),
    "read off a kernel of 32 work-groups, of which there is no family": ("mem.l2_partition_cus",),
    "read off loads of random sectors, of which there is no family": ("mem.l2_burst",),
    "the host's, not the GPU's": ("cu.launch_overhead",),
    "read off single instructions in OpenCL's loops": ("cu.div_latency",),
    "no model reads it: of the host, for the OpenCL driver": ("host.call", "host.submit", "host.start", "host.write_latency",
                                                              "host.write_width", "host.read_latency", "host.read_width",
                                                              "host.copy_latency"),
}

# The axes along which leaveout.py halves a family.
AXES = [
    ("lds", "pattern"), ("lds", "warps"), ("ops", "warps"), ("constants", "addresses"), ("barriers", "warps"), ("barriers", "waiting_warps"),
    ("branches", "warps"), ("dispatch", "threads"), ("bulk", "bytes"), ("bulk", "inflight"), ("tensor", "line_bytes"),
    ("tensor", "lines"), ("wgcopy", "bytes"), ("wgcopy", "threads"), ("pipeline", "stages"), ("pipeline", "tile_bytes"),
    ("pipeline", "threads"), ("memory", "footprint_bytes"), ("memory", "ctas"), ("atomics", "threads"),
    ("prefetch", "distance"), ("texture", "format"), ("texture", "dx"), ("opencl", "tile_bytes"), ("opencl", "wg"),
]

# What leaveout_apps.py fits to whole kernels: parameters of FIT on which they depend, and which microbenchmarks
# determine least.
APPS = ("cu.constant_latency", "cu.divergence_latency", "cu.global_operand_latency", "mem.link_width",
        "mem.l2_width", "mem.dram_width", "mem.dram_burst")
