"""Moving data: vload and vstore in each address space, halves in memory, shuffles, reinterpretation, asynchronous
copies.

Everything only moves bits or rounds to halves, so numpy computes the exact results; PoCL 3.1 has no halves.
"""
import numpy as np

import exact
from functions import FLOATS, GROUP, HALF, INTEGERS, ITEMS, WIDTHS, corners, elementwise, floats, integers, packed, spelled
from harness import Case, Local, only_exact

ALL = INTEGERS + FLOATS + [HALF]


def values_of(random, dtype, count):
    return integers(random, dtype, count) if dtype in INTEGERS else floats(random, dtype, count)


# ---- vload and vstore ------------------------------------------------------------------------------

# Each vector goes through private and then local memory, at addresses that are aligned only to its elements.
THROUGH = """
kernel void through_{name}(global const {T} *in, constant {T} *table, global {T} *out, local {T} *tile) {{
  size_t i = get_global_id(0), lid = get_local_id(0);
  {T} own[{two} + 1];
  vstore{w}(vload{w}(i, in + 1), 0, own + 1);
  vstore{w}(vload{w}(lid & 3, table + 1), 1, own + 1);
  vstore{w}(vload{w}(0, own + 1), lid, tile + 1);
  barrier(CLK_LOCAL_MEM_FENCE);
  vstore{w}(vload{w}(lid ^ 1, tile + 1), 2 * i, out + 1);
  vstore{w}(vload{w}(1, own + 1), 2 * i + 1, out + 1);
}}
"""


def through_exactly(width):
    def compute(values, table):
        rows = values[1:].reshape(-1, width)
        items = np.arange(len(rows))
        out = np.zeros((len(rows), 2, width), values.dtype)
        out[:, 0], out[:, 1] = rows[items ^ 1], table[1:].reshape(-1, width)[items & 3]
        return np.concatenate([np.zeros(1, values.dtype), out.reshape(-1)])
    return compute


def through_kernels(random, types):
    for dtype in types:
        for width in WIDTHS:
            name = spelled(dtype, width)
            values, table = values_of(random, dtype, 1 + ITEMS * width), values_of(random, dtype, 1 + 4 * width)
            args = [values, table, np.zeros(1 + 2 * ITEMS * width, dtype), Local((GROUP * width + 1) * values.itemsize)]
            yield (THROUGH.format(name=name, T=spelled(dtype), w=width, two=2 * width),
                   Case(f"through_{name}", (ITEMS,), (GROUP,), args, exact=through_exactly(width)))


def half_memory_kernels(random):
    """vload_half and vstore_half with each rounding mode, packed and, for the `a` forms, at the vector's pitch."""
    for dtype in FLOATS:
        for width in [1] + WIDTHS:
            number, kind = str(width) if width > 1 else "", spelled(dtype, width)
            for mode in ("", "_rte", "_rtz", "_rtp", "_rtn"):
                values = corners(random, dtype, ITEMS * width)
                for a in ("", "a") if width > 1 else ("",):
                    pitch = 4 if a and width == 3 else width
                    name = f"vstore{a}_{kind}{mode}"
                    load = "pa[i]" if width == 1 else f"vload{width}(i, pa)"
                    yield (f"kernel void {name}(global const {spelled(dtype)} *pa, global half *out) {{\n  size_t i = get_global_id(0);\n"
                           f"  vstore{a}_half{number}{mode}({load}, i, out);\n}}\n",
                           Case(name, (ITEMS,), (GROUP,), [values, np.zeros(ITEMS * pitch, HALF)],
                                exact=lambda v, w=width, p=pitch, m=mode: spread(exact.to_half(v, m[1:]), w, p)))
    for width in [1] + WIDTHS:
        number = str(width) if width > 1 else ""
        for a in ("", "a") if width > 1 else ("",):
            pitch, name = (4 if a and width == 3 else width), f"vload{a}_half{number}"
            store = "out[i] = r;" if width == 1 else f"vstore{width}(r, i, out);"
            yield (f"kernel void {name}_(global const half *pa, global float *out) {{\n  size_t i = get_global_id(0);\n"
                   f"  {spelled(np.float32, width)} r = {name}(i, pa);\n  {store}\n}}\n",
                   Case(name + "_", (ITEMS,), (GROUP,), [corners(random, HALF, ITEMS * pitch), np.zeros(ITEMS * width, np.float32)],
                        name=name, exact=lambda v, w=width, p=pitch: v.reshape(-1, p)[:, :w]))


def spread(values, width, pitch):
    rows = np.zeros((ITEMS, pitch), values.dtype)
    rows[:, :width] = values.reshape(-1, width)
    return rows


# ---- vectors rearranged and reinterpreted ----------------------------------------------------------

def shuffle_kernels(random, types):
    for number, dtype in enumerate(types):
        mask = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[np.dtype(dtype).itemsize]
        for width, result in ((2, 4), (4, 4), (8, 2), (16, 16), (4, 16), ((2, 8, 16)[number % 3], 8)):
            for two in (False, True):
                pick = integers(random, mask, ITEMS * result)
                values = [values_of(random, dtype, ITEMS * width) for _ in range(1 + two)]
                name = f"shuffle{2 if two else ''}_{spelled(dtype, width)}_{result}"
                params = "".join(f"global const {spelled(dtype)} *p{letter}, " for letter in "ab"[:1 + two])
                loads = ", ".join(f"vload{width}(i, p{letter})" for letter in "ab"[:1 + two])
                yield (f"kernel void {name}({params}global const {spelled(mask)} *m, global {spelled(dtype)} *out) {{\n"
                       f"  size_t i = get_global_id(0);\n  vstore{result}(shuffle{2 if two else ''}({loads}, vload{result}(i, m)), i, out);\n}}\n",
                       Case(name, (ITEMS,), (GROUP,), values + [pick, np.zeros(ITEMS * result, dtype)], exact=shuffled(width, result)))


def shuffled(width, result):
    def compute(*arrays):
        both = np.concatenate([values.reshape(-1, width) for values in arrays[:-1]], axis=1)
        pick = (arrays[-1].reshape(-1, result) % both.shape[1]).astype(np.int64)
        return np.take_along_axis(both, pick, axis=1)
    return compute


def reinterpretations(random, halves):
    """as_type between all types of one size. Floats start as numbers, because a NaN's payload may change on the way."""
    for source in ALL:
        for target in ALL:
            size, wide = np.dtype(source).itemsize, np.dtype(target).itemsize
            if (HALF in (source, target)) != halves:
                continue
            for width in (1, 2, 3, 4, 8, 16):
                result = width * size // wide
                if result * wide != width * size or result not in [1] + WIDTHS or (3 in (width, result) and size != wide):
                    continue
                values = values_of(random, source, ITEMS * width)
                if target in FLOATS + [HALF]:
                    values = floats(random, target, ITEMS * result).view(source)
                kind = spelled(target, result)
                yield elementwise(f"as_{kind}_of_{spelled(source, width)}", f"as_{kind}(a)", [values], target, width, result_width=result,
                                  exact=lambda a, t=target: a.view(t))


# ---- asynchronous copies ---------------------------------------------------------------------------

# Both directions, plain and strided; three elements of the tile stay as they were.
COPY = """
kernel void copy_{name}(global const {T} *in, global {T} *plain, global {T} *strided, local {T} *tile) {{
  size_t group = get_group_id(0), lid = get_local_id(0);
  for (uint k = lid; k < {n} + 3; k += {group}) tile[k] = in[k];
  prefetch(in + group * {n}, {n});
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t event = async_work_group_copy(tile + 1, in + group * {n}, {n}, 0);
  wait_group_events(1, &event);
  event_t events[2];
  events[0] = async_work_group_copy(plain + group * ({n} + 3), tile, {n} + 3, 0);
  events[1] = async_work_group_strided_copy(strided + group * {n} * 4, tile + 2, {n}, 2, 0);
  wait_group_events(2, events);
  barrier(CLK_LOCAL_MEM_FENCE);
  event = async_work_group_strided_copy(tile, in + group, {n}, 3, 0);
  event = async_work_group_copy(tile + {n}, in, 2, event);
  wait_group_events(1, &event);
  event = async_work_group_strided_copy(strided + group * {n} * 4 + 1, tile, {n} + 2, 2, 0);
  wait_group_events(1, &event);
}}
"""
COPIED = 19


def copied(pitch):
    n = COPIED
    def compute(flat):
        values = flat.reshape(-1, pitch)
        plain, strided = np.zeros((2, n + 3, pitch), flat.dtype), np.zeros((2 * n * 4 + 8, pitch), flat.dtype)
        for group in range(2):
            tile = values[:n + 3].copy()
            tile[1:n + 1] = values[group * n:group * n + n]
            plain[group] = tile
            first = group * n * 4
            strided[first:first + 2 * n:2] = tile[2:n + 2]
            tile[:n] = values[group:group + 3 * n:3]
            tile[n:n + 2] = values[:2]
            strided[first + 1:first + 1 + 2 * (n + 2):2] = tile[:n + 2]
        return plain, strided
    return compute


def copy_kernels(random, types):
    """The bytes of the fourth element of a vector of three may or may not be copied, so they are zero."""
    for dtype in types:
        for width in [1] + WIDTHS:
            pitch, name = 4 if width == 3 else width, spelled(dtype, width)
            values = values_of(random, dtype, (3 * COPIED + 2) * pitch)
            if width == 3:
                values[3::4] = 0
            results = [np.zeros(2 * (COPIED + 3) * pitch, dtype), np.zeros((2 * COPIED * 4 + 8) * pitch, dtype)]
            yield (COPY.format(name=name, T=name, n=COPIED, group=GROUP),
                   Case(f"copy_{name}", (2 * GROUP,), (GROUP,), [values, *results, Local((COPIED + 3) * pitch * values.itemsize)],
                        exact=copied(pitch), exact_count=2))


def programs(seed=1, per_program=48):
    random = np.random.default_rng(seed)
    full = INTEGERS + FLOATS
    for name, kernels in (("through", through_kernels(random, full)), ("shuffle", shuffle_kernels(random, full)),
                          ("as", reinterpretations(random, False)), ("copy", copy_kernels(random, full))):
        yield from packed(name, kernels, per_program, "cl_khr_fp64", reference=only_exact)
    for name, kernels in (("half_through", through_kernels(random, [HALF])), ("half_shuffle", shuffle_kernels(random, [HALF])),
                          ("half_as", reinterpretations(random, True)), ("half_copy", copy_kernels(random, [HALF])),
                          ("half_memory", half_memory_kernels(random))):
        yield from packed(name, kernels, per_program, "cl_khr_fp16", reference=only_exact)
