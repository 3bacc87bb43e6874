"""Kernels as people write them (kernels/*.cl), with inputs, NDRanges and tolerances.

With these inputs, atomics and reductions give one answer in any order. Float tolerances are in ULP of the result. Sums
of products are fused in both or kept apart by FP_CONTRACT OFF, so most are exact; those that use sin, sqrt and division
may differ by what OpenCL allows for each.
"""
import pathlib
import struct

import numpy as np

from harness import Case, Local, Program

HERE = pathlib.Path(__file__).resolve().parent / "kernels"
FP_OFF = "#pragma OPENCL FP_CONTRACT OFF\n#line 1\n"


def program(name, cases, options=("-cl-std=CL2.0",), **more):
    return Program(name, FP_OFF + (HERE / f"{name}.cl").read_text(), cases, options, **more)


def whole(random, dtype, count, low=None, high=None):
    limits = np.iinfo(dtype)
    return random.integers(limits.min if low is None else low, limits.max if high is None else high, count, dtype, endpoint=True)


def reals(random, count, low=-1.0, high=1.0, dtype=np.float32):
    return random.uniform(low, high, count).astype(dtype)


def matmul(random):
    n = 32
    a, b = reals(random, n * n), reals(random, n * n)
    yield Case("matmul", (n, n), (16, 16), [a, b, np.zeros(n * n, np.float32), np.int32(n)])
    yield Case("matmul_copied", (n * n,), (n,), [a, b, np.zeros(n * n, np.float32), np.int32(n), Local(4 * n)])


def transpose(random):
    width, height = 40, 24
    data = whole(random, np.uint32, width * height)
    yield Case("transpose", (48, 32), (16, 16), [data, np.zeros_like(data), np.uint32(width), np.uint32(height), Local(4 * 16 * 17)])
    columns = whole(random, np.int32, 4 * 12 * 50)
    yield Case("transpose_strided", (12 * 16,), (16,), [columns, np.zeros_like(columns), np.uint32(12), np.uint32(50), Local(16 * 50)])


def reduce(random):
    data = whole(random, np.int32, 512)
    yield Case("reduce_tree", (512,), (128,), [data, np.zeros(4, np.int32), Local(4 * 128)])
    start = np.array([0, 0xffffffff, 0, 0, 0], np.uint32)
    yield Case("reduce_atomic", (256,), (64,), [whole(random, np.uint32, 1000), start, np.uint32(1000)])


def scan(random):
    data = whole(random, np.uint32, 256)
    yield Case("scan_hillis", (256,), (64,), [data, np.zeros_like(data), Local(256), Local(256)])
    data = whole(random, np.int32, 256)
    yield Case("scan_blelloch", (128,), (64,), [data, np.zeros_like(data), Local(4 * 128)])


def histogram(random):
    yield Case("histogram", (256,), (64,), [whole(random, np.uint8, 3000), np.zeros(256, np.uint32), np.uint32(3000)])


def sort(random):
    keys = random.permutation(512).astype(np.int32) - 200
    yield Case("bitonic", (256,), (64,), [keys, np.arange(512, dtype=np.uint32), Local(4 * 128), Local(4 * 128)])
    yield Case("insertion", (64,), (32,), [whole(random, np.int16, 12 * 64)])


def stencil(random):
    yield Case("stencil3d", (16, 8, 6), (8, 4, 2), [reals(random, 16 * 8 * 6), np.zeros(16 * 8 * 6, np.float32)])
    image = whole(random, np.uint8, 4 * 32 * 16)
    yield Case("convolution", (32, 16), (16, 4), [image, np.zeros_like(image), np.int32(32), np.int32(16)])


def nbody(random):
    bodies = reals(random, 4 * 128)
    yield Case("nbody", (128,), (32,), [bodies, np.zeros_like(bodies), np.uint32(128), np.float32(0.01), Local(16 * 32)], ulp=2048)


def fft(random):
    signal = reals(random, 2 * 64 * 3)
    yield Case("fft", (3 * 32,), (32,), [signal, np.zeros_like(signal), np.uint32(6), Local(8 * 64)], ulp=1 << 16)


def spmv(random):
    rows, columns = 64, 50
    lengths = random.integers(0, 9, rows)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    count = int(start[-1])
    yield Case("spmv", (rows,), (32,), [start, whole(random, np.uint16, count, 0, columns - 1), reals(random, count, dtype=np.float64),
                                       reals(random, columns, dtype=np.float64), np.zeros(rows)])


def mandelbrot(random):
    yield Case("mandelbrot", (32, 24), (16, 4), [np.zeros(32 * 24, np.uint8), np.float32(-2.2), np.float32(-1.2), np.float32(0.1), np.uint32(100)])


def aes(random):
    yield Case("aes", (64,), (32,), [whole(random, np.uint32, 4 * 64), np.zeros(4 * 64, np.uint32), whole(random, np.uint32, 4)])


def crc(random):
    yield Case("crc32", (64,), (64,), [whole(random, np.uint8, 64 * 37), np.zeros(64, np.uint32), np.uint32(37)])


def kmeans(random):
    yield Case("kmeans", (256,), (64,), [reals(random, 512), reals(random, 14), np.uint32(7), np.zeros(256, np.uint8), np.zeros(7, np.uint32)])


def smith_waterman(random):
    n, pairs = 48, 4
    yield Case("smith_waterman", (64 * pairs,), (64,), [whole(random, np.int8, n * pairs, 0, 3), whole(random, np.int8, n * pairs, 0, 3),
                                                      np.zeros(pairs, np.int32), np.int32(n), Local(4 * 3 * (n + 1))])


def arguments(random):
    """struct options: int, float4 at 16, two inner structs of 16 bytes from 32 on, three shorts; 80 bytes in all."""
    options = struct.pack("<i12x4fB7xdB7xd3h10x", -5, 1.5, 2.5, 3.5, 4.5, 7, 0.25, 9, 0.75, 100, -200, 300)
    vector = struct.pack("<2H", 11, 65535)
    longs = struct.pack("<16q", *range(-3, 13))
    yield Case("by_value", (64,), (32,), [options, np.zeros(64), np.int8(-7), vector, longs, struct.pack("<3f4x", 1, 2, 3)])
    yield Case("identifiers", (12, 4, 6), (4, 2, 3), [np.zeros(12 * 4 * 6, np.uint64)], offset=(5, 100, 7))
    yield Case("identifiers", (70,), (35,), [np.zeros(70, np.uint64)], name="identifiers_1d")
    yield Case("pointers", (128,), (64,), [whole(random, np.int32, 128), whole(random, np.int16, 10), Local(8 * 64), np.uint32(10)])


def memory(random):
    yield Case("layouts", (64,), (32,), [whole(random, np.uint8, 7 * 64), np.zeros(64, np.uint32)])
    yield Case("shuffles", (32,), (32,), [whole(random, np.int32, 8 * 32), np.zeros(8 * 32, np.int32), whole(random, np.uint32, 8 * 32)])


def vectors(random):
    yield Case("vectors", (64,), (32,), [whole(random, np.uint8, 16 * 64), np.zeros(5 * 64, np.float32)])


def atomics(random):
    yield Case("atomics32", (128,), (64,), [whole(random, np.int32, 8, 0, 0), np.array([0, 5, 0, 0xffffffff, 0], np.uint32), np.zeros(128, np.uint32)])
    yield Case("atomics64", (128,), (64,), [np.zeros(3, np.int64), np.zeros(2, np.uint64)])


def initializers(random):
    values = whole(random, np.int32, 128, 0, 4095)
    for kernel, words in (("arrays", 8), ("structs", 6), ("packed", 4)):
        yield Case(kernel, (128,), (64,), [values, np.zeros(128 * words, np.int32)])


# ---- what PoCL does not have: references in numpy ---------------------------------------------------

WARP = 16


def subgroups(random):
    """Warps of 16 lanes: groups of 40 have two full ones and one of 8."""
    data = whole(random, np.int32, 80, -1000, 1000)
    outs = [np.zeros(80, np.int32) for _ in range(8)]
    yield Case("subgroups", (80,), (40,), [data] + outs)


def warps_of(values, group=40):
    for first in range(0, len(values), group):
        for start in range(first, first + group, WARP):
            yield start, values[start:min(start + WARP, first + group)]


def subgroups_reference(case):
    data = case.args[0]
    total, least, running, before, first, shuffled, ballot, shape = (np.zeros(80, np.int32) for _ in range(8))
    for start, warp in warps_of(data):
        part, lanes = slice(start, start + len(warp)), np.arange(len(warp))
        total[part], least[part] = warp.sum(), warp.min()
        running[part], before[part] = np.cumsum(warp), np.cumsum(warp) - warp
        first[part] = warp[3]
        shuffled[part] = warp[lanes ^ 1]
        ballot[part] = (warp > 0).sum() * 4 + (warp > 900).any() * 2 + (warp > -900).all()
        shape[part] = lanes + 100 * len(warp) + 10000 * ((start % 40) // WARP) + 100000 * 3
    return [data, total, least, running, before, first, shuffled, ballot, shape]


def collectives(random):
    data = whole(random, np.int64, 110, -1000, 1000)
    yield Case("collectives", (110,), (50,), [data] + [np.zeros(110, np.int64) for _ in range(6)])


def collectives_reference(case):
    data = case.args[0]
    outs = [np.zeros_like(data) for _ in range(6)]
    for start in range(0, 110, 50):
        group, part = data[start:start + 50], slice(start, min(start + 50, 110))
        outs[0][part], outs[1][part], outs[2][part] = group.sum(), group.min(), group.max()
        outs[3][part], outs[4][part] = np.cumsum(group), np.concatenate([[0], np.cumsum(group)[:-1]])
        outs[5][part] = group[3] + 2 * (group > 900).any() + (group > -2000).all() + 10000 * len(group)
    return [data] + outs


def halves(random):
    data = reals(random, 96, -70000, 70000)
    bits = whole(random, np.uint16, 96)
    bits[(bits & 0x7c00) == 0x7c00] &= 0xbfff  # no infinities or NaNs
    yield Case("halves", (96,), (32,), [data, bits, np.zeros(96, np.uint16), np.zeros(96, np.float32), np.zeros(96, np.uint16)])


def halves_reference(case):
    data, bits = case.args[0], case.args[1]
    with np.errstate(all="ignore"):
        values = bits.view(np.float16)
        product = values * np.float16(1.5) + values
        return [data, bits, data.astype(np.float16).view(np.uint16), values.astype(np.float32), product.view(np.uint16)]


def program_scope(random):
    yield Case("count", (64,), (32,), [np.zeros(1, np.int32)])
    yield Case("count", (64,), (32,), [np.zeros(1, np.int32)], name="count_again")
    yield Case("table", (8,), (8,), [np.zeros(8, np.int32)])


def program_scope_reference(case):
    counts = {"count": [np.array([7 + 64], np.int32)], "count_again": [np.array([7 + 128], np.int32)]}
    return counts.get(case.name) or [np.array([10, 21, 32, 43, 10, 21, 32, 43], np.int32)]


def any_space(random):
    yield Case("any_space", (64,), (32,), [whole(random, np.int32, 64), np.zeros(64, np.int32)])


def any_space_reference(case):
    data, out = case.args[0], np.zeros(64, np.int32)
    with np.errstate(over="ignore"):
        for gid in range(64):
            shared = data[gid & ~31:(gid & ~31) + 32] * 2
            own = np.array([1, 2, 3, gid], np.int32)
            lid = gid & 31
            chosen = [data[gid:gid + 1], shared[lid & ~3:(lid & ~3) + 4], own][gid % 3]
            out[gid] = chosen.sum(dtype=np.int32) + own.sum(dtype=np.int32) + shared[:8].sum(dtype=np.int32) + data[:5].sum(dtype=np.int32)
    return [data, out]


def meet(random):
    """PoCL 3.1 crashes on these kernels."""
    for kernel in ("nobody_leaves", "all_leave", "copies"):
        yield Case(kernel, (128,), (64,), [whole(random, np.int32, 128), np.zeros(128, np.int32), np.int32(6)])


def meet_reference(case):
    """All work-items execute each step together; int32 wraps."""
    data = case.args[0]
    x, own, total = data.reshape(-1, 64), np.arange(64), np.zeros((2, 64), np.int32)
    with np.errstate(over="ignore"):
        if case.kernel == "all_leave":
            for i in range(7):
                odd = (x >> i & 1) == 1
                total = np.where(odd, total + np.int32(3 * i), total ^ x)
                if i < 6:
                    total = total + total[:, own ^ 1]
            return [data, np.where(odd, total, -total)[:, ::-1].reshape(-1)]
        for i in range(6):
            if case.kernel == "nobody_leaves":
                total = total + np.where(x >> i & 1, sum(np.where(j < (x & 3), j * i, 0) for j in range(3)), 0).astype(np.int32)
                total = total + (x + total)[:, own + i & 63]
            else:
                way = x >> i & 3
                total = np.where(way == 0, total + np.int32(i) * x, total)
                total = np.where(way < 2, total ^ x, total) + 3 * data[i:i + 64]
    return [data, total.reshape(-1)]


def with_reference(make, reference, name=None, **more):
    cases = list(make(np.random.default_rng(1)))
    return program(name or make.__name__, cases, reference=lambda: [reference(case) for case in cases], **more)


def programs(seed=1):
    for make in (matmul, transpose, reduce, scan, histogram, sort, stencil, nbody, fft, spmv, mandelbrot, aes, crc, kmeans, smith_waterman,
                 arguments, memory, atomics, initializers):
        yield program(make.__name__, list(make(np.random.default_rng(seed))))
    yield program("vectors", list(vectors(np.random.default_rng(seed))), ["-cl-std=CL1.2"])
    yield with_reference(subgroups, subgroups_reference, options=("-cl-std=CL3.0",), settings={"cu.warp_size": WARP})
    yield with_reference(collectives, collectives_reference)
    yield with_reference(any_space, any_space_reference)
    yield with_reference(halves, halves_reference)
    yield with_reference(meet, meet_reference)
    for warp in (16, 64):
        yield with_reference(meet, meet_reference, settings={"cu.warp_size": warp})
    yield with_reference(program_scope, program_scope_reference)
