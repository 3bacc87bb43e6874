"""The kernels of tests/explain/kernels/planted.cl with the bottleneck of each: launches for tests."""
import json
import pathlib

KERNELS = pathlib.Path(__file__).resolve().parent / "kernels" / "planted.cl"

IN, OUT, IMAGE = {"buffer": "in"}, {"buffer": "out"}, {"image": "image"}


def uints(*numbers):
    return [{"uint": number} for number in numbers]


# limit: kernel, work-items, work-group size, arguments, settings for the machine `teaching`
PLANTED = {
    "dma_setup": ("copies", 64, 64, [IN, OUT, *uints(40, 16, 1)], {"dma.setup": 400}),
    "dram_latency": ("chase", 32, 32, [{"buffer": "far"}, OUT, *uints(60)], {"mem.dram_latency": 500, "mem.l2_size": 0}),
    "l2_latency": ("chase", 32, 32, [{"buffer": "near"}, OUT, *uints(300)], {}),
    "lds_latency": ("local_chase", 64, 64, [OUT, *uints(300)], {"lds.latency": 40}),
    "dma_width": ("copies", 64, 64, [IN, OUT, *uints(12, 2048, 1)], {"dma.read_width": 4}),
    "dma_lines": ("copies", 64, 64, [IN, OUT, *uints(12, 512, 3)], {"dma.line_cycles": 16}),
    "dram_width": ("stream", 512, 64, [IN, OUT, *uints(32, 512)], {"mem.dram_width": 2, "mem.l2_size": 0}),
    "l2_width": ("again", 512, 64, [IN, OUT, *uints(64, 512)], {"mem.link_width": 4}),
    "dma_requests": ("copies", 64, 64, [IN, OUT, *uints(12, 2048, 1)], {"dma.outstanding": 1}),
    "dma_channels": ("bundles", 64, 64, [IN, OUT, *uints(10, 16)], {"dma.channels": 1, "dma.queue": 64}),
    "dma_queue": ("queued", 128, 128, [IN, OUT, *uints(1000)],
                  {"dma.queue": 1, "dma.channels": 64, "dma.read_width": 2, "mem.link_width": 2}),
    "lds_queue": ("words", 256, 256, [OUT, *uints(40)], {"lds.queue": 1, "cu.schedulers": 8}),
    "accesses": ("again", 512, 64, [IN, OUT, *uints(32, 512)], {"cu.accesses": 1}),
    "l2_size": ("again", 256, 64, [IN, OUT, *uints(256, 8192)], {"mem.l2_size": 4096, "mem.dram_width": 3}),
    "occupancy": ("roomy", 1024, 32, [IN, OUT, *uints(16), {"local": 32768}], {}),
    "lds_conflicts": ("columns", 64, 64, [OUT, *uints(20)], {}),
    "lds_contention": ("rows", 256, 256, [IN, OUT, *uints(8)],
                       {"lds.priority": "dma", "cu.schedulers": 8, "dma.outstanding": 256, "dma.read_width": 256, "dma.write_width": 256}),
    "atomics": ("atomics", 256, 64, [OUT, *uints(8)], {"mem.atomic_interval": 20}),
    "warp_copies": ("bundles", 64, 64, [IN, OUT, *uints(10, 256)], {"dma.copy": "blocking"}),
    "barriers": ("barriers", 64, 64, [OUT, *uints(100)], {"cu.barrier_latency": 100}),
    "fences": ("fences", 64, 64, [OUT, *uints(50)], {"cu.fence_latency": 200}),
    "dispatch": ("nothing", 8192, 64, [OUT], {"cu.dispatch_latency": 100}),
    "issue": ("chain", 512, 64, [OUT, *uints(60)], {}),
    "units": ("divisions", 512, 64, [OUT, *uints(10)], {"cu.schedulers": 4}),
    "texture_latency": ("image_chase", 32, 32, [IMAGE, OUT, *uints(100)], {}),
    "texture_rate": ("image_again", 512, 64, [IMAGE, OUT, *uints(64, 8)], {"texture.quad_rate": 20}),
    "texture_size": ("image_again", 256, 64, [IMAGE, OUT, *uints(512, 64)], {"texture.cache_size": 1024, "mem.link_width": 8}),
    "execution": ("chain", 32, 32, [OUT, *uints(200)], {}),
}

# A limit on what is in flight: the parameter, its values, kernel, work-items, work-group size, arguments, the limit.
COPIES, STREAM = [IN, OUT, *uints(12, 2048, 1)], [IN, OUT, *uints(32, 512)]
IN_FLIGHT = [
    ("dma.outstanding", (1, 4, 16), "copies", 64, 64, COPIES, "dma_requests"),
    ("dma.quota", (1, 4), "copies", 64, 64, COPIES, "dma_requests"),
    ("dma.channels", (1, 2), "bundles", 64, 64, [IN, OUT, *uints(10, 16)], "dma_channels"),
    ("cu.accesses", (1, 4, 8), "stream", 512, 64, STREAM, "accesses"),
    ("mem.mshrs", (1, 4), "stream", 512, 64, STREAM, "accesses"),
    ("mem.mshrs", (1,), "copies", 64, 64, COPIES, "accesses"),
    ("cu.warps", (2, 4), "stream", 512, 64, STREAM, "occupancy"),
    ("cu.accesses", (1,), "image_again", 512, 64, [IMAGE, OUT, *uints(64, 8)], "accesses"),
]

BUFFERS = {
    "in": {"bytes": 65536, "elem": "uint", "fill": "iota"},
    "out": {"bytes": 65536, "elem": "uint", "fill": "zero"},
}


def chain(words, step):
    """next[i] = i + step: a chain that repeats no line within `words` words."""
    return [(i + step) % words for i in range(words)]


def write(folder, limit, planted=None):
    """Writes the launch file of a limit's kernel to `folder`; `planted`: in place of its row."""
    kernel, items, local, arguments, changed = planted or PLANTED[limit]
    buffers = dict(BUFFERS)
    if {"buffer": "far"} in arguments:
        buffers["far"] = {"elem": "uint", "bytes": 4 * 16384, "values": chain(16384, 1056)}
    if {"buffer": "near"} in arguments:
        buffers["near"] = {"elem": "uint", "bytes": 4 * 64, "values": chain(64, 32)}
    launch = {
        "name": limit,
        "program": str(KERNELS), "build": {"optimize": 0},
        "machine": "teaching",
        "set": changed,
        "buffers": {name: buffers[name] for name in buffers if {"buffer": name} in arguments},
        "images": {"image": {"kind": "2d", "format": "r.unsigned_int32", "width": 64, "height": 64}} if IMAGE in arguments else {},
        "launches": [{"kernel": kernel, "global": [items], "local": [local], "args": arguments}],
    }
    path = pathlib.Path(folder) / f"{limit}.json"
    path.write_text(json.dumps(launch))
    return path
