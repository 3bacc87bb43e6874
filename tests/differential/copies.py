"""Asynchronous copies: all 66 element types, both ways, plain, strided, of lines (2D2D) and of planes (3D3D), in odd
sizes.

PoCL has no copies of lines and planes, so numpy computes the expected bytes. Each kernel makes the copies of a table,
one after the other: into a tile filled with a pattern, which is then written out whole, and from the tile to a separate
region of a buffer. So bytes that a copy must leave alone are checked, too.
"""
import numpy as np

from functions import packed
from harness import Case, Local, only_exact

SCALARS = {"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8, "half": 2, "float": 4, "double": 8}
WIDTHS = (1, 2, 3, 4, 8, 16)
TILE, REGION, GROUP = 96, 256, 64  # elements of the tile, and of a region of global memory; work-items
SIZES = (0, 1, 2, 3, 5, 7, 11, 13, 17, 31)

# A row of the table, all in elements except the last column.
COLUMNS = ("elements", "lines", "planes", "global_line", "global_plane", "lds_line", "lds_plane", "global", "lds", "bytes")

KERNEL = """
kernel void {name}(global const uchar *in, global const ulong *table, global uint *tiles, global uchar *out, local uint *tile) {{
  for (uint row = 0; row < {rows}; row++, table += {columns}) {{
    ulong elements = table[0], lines = table[1], planes = table[2], line = table[3], plane = table[4];
    ulong tile_line = table[5], tile_plane = table[6], at = table[7], tile_at = table[8], bytes = table[9];
    for (uint k = get_local_id(0); k < {words}; k += {group})
      tile[k] = k * 0x9e3779b1u + row;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = {into};
    wait_group_events(1, &event);
    for (uint k = get_local_id(0); k < {words}; k += {group})
      tiles[row * {words} + k] = tile[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    event = {back};
    wait_group_events(1, &event);
    out += {region};
    barrier(CLK_LOCAL_MEM_FENCE);
  }}
}}
"""

# Both directions; L is the tile's pointer, G the other one.
FORMS = {
    "plain": ("async_work_group_copy(L + tile_at, G + at, elements, 0)", "async_work_group_copy(G + at, L + tile_at, elements, 0)"),
    "strided": ("async_work_group_strided_copy(L + tile_at, G + at, lines, line, 0)",
                "async_work_group_strided_copy(G + at, L + tile_at, lines, line, 0)"),
    "lines": ("async_work_group_copy_2D2D(L, tile_at, G, at, S, elements, lines, line, tile_line, 0)",
              "async_work_group_copy_2D2D(G, at, L, tile_at, S, elements, lines, tile_line, line, 0)"),
    "planes": ("async_work_group_copy_3D3D(L, tile_at, G, at, S, elements, lines, planes, line, plane, tile_line, tile_plane, 0)",
               "async_work_group_copy_3D3D(G, at, L, tile_at, S, elements, lines, planes, tile_line, tile_plane, line, plane, 0)"),
}


def call(text, pointer, side, size):
    for letter, space, name in (("L", "local", "tile"), ("G", "global", side)):
        cast = f"(({space} {pointer} *){name})"
        text = text.replace(f"({letter}", f"({cast}").replace(f" {letter}", f" {cast}")
    return text.replace("S,", f"{size},")


# Copies that are separated only by fences, all under one event. Each step writes out what the step before has read in,
# through the same tile, and reads in what another step has written out.
CHAIN = """
kernel void chain_{name}(global uint *in, global const uint *table, global uint *tiles, global uint *out, local uint *tile) {{
  event_t event = async_work_group_copy(tile, in, {tile}, 0);
  for (uint step = 0; step < {steps}; step++, table += 4, out += {tile}) {{
    async_work_group_copy_fence({both});
    event = async_work_group_copy(out + table[0], tile + table[0], table[1], event);
    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE{in_order});
    event = async_work_group_copy_2D2D(tile, 0, in, step, 4, table[2], 2, table[2], table[2], event);
    async_work_group_copy_fence(step & 1 ? CLK_GLOBAL_MEM_FENCE : CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    async_work_group_copy_fence({both});
    event = async_work_group_strided_copy(tile + table[3], out + table[0], min(table[1], 20u), 2, event);
  }}
  wait_group_events(1, &event);
  for (uint k = get_local_id(0); k < {tile}; k += {group})
    tiles[k] = tile[k];
}}
"""

# ---- what is copied --------------------------------------------------------------------------------

def row_of(form, elements, lines=1, planes=1, gaps=(0, 0, 0, 0), at=0, tile_at=0, size=0):
    """A pitch is the extent plus a gap: of lines and planes, in global memory and in the tile."""
    if form == "strided":
        return {"elements": 1, "lines": elements, "planes": 1, "global_line": 1 + gaps[0], "global_plane": 0, "lds_line": 1, "lds_plane": 0,
                "global": at, "lds": tile_at, "bytes": size}
    if form == "plain":
        lines = planes = 1
    line, tile_line = elements + gaps[0], elements + gaps[2]
    return {"elements": elements, "lines": lines, "planes": planes if form == "planes" else 1, "global_line": line, "lds_line": tile_line,
            "global_plane": lines * line + gaps[1], "lds_plane": lines * tile_line + gaps[3], "global": at, "lds": tile_at, "bytes": size}


def places(row):
    """The copied elements: their indices in global memory and in the tile."""
    p, l, e = np.ix_(np.arange(row["planes"]), np.arange(row["lines"]), np.arange(row["elements"]))
    return ((row["global"] + p * row["global_plane"] + l * row["global_line"] + e).reshape(-1),
            (row["lds"] + p * row["lds_plane"] + l * row["lds_line"] + e).reshape(-1))


def fits(row, tile, region):
    inside, below = places(row)
    return not inside.size or (inside.max() < region and below.max() < tile)


def some_rows(random, form, count, tile=TILE, region=REGION, size=0):
    """Starts with corner cases: nothing, one element, lines without gaps, and copies that other forms could do as well."""
    rows = [row_of(form, 0, 3, 2, at=3, tile_at=2, size=size), row_of(form, 1, at=region - 1, tile_at=tile - 1, size=size)]
    if form in ("lines", "planes"):
        rows += [row_of(form, 5, 0, 2, size=size), row_of(form, 13, 3, gaps=(0, 0, 0, 0), size=size),
                 row_of(form, 1, 11, gaps=(4, 0, 0, 0), at=1, tile_at=1, size=size)]
    if form == "planes":
        rows += [row_of(form, 3, 2, 0, size=size), row_of(form, 3, 2, 5, (0, 0, 0, 0), size=size)]
    while len(rows) < count:
        gaps = [int(gap) for gap in random.choice([0, 1, 2, 3, 5, 9], 4)]
        row = row_of(form, int(random.choice(SIZES)), int(random.choice(SIZES[1:7])), int(random.choice(SIZES[1:5])), gaps,
                     int(random.integers(24)), int(random.integers(12)), size)
        if fits(row, tile, region):
            rows.append(row)
    return rows


def copied(rows, tile_bytes, region_bytes, size):
    """`size`: bytes of an element, or None to use the row's."""
    def compute(source, _):
        tiles, regions = [], []
        words = np.arange(tile_bytes // 4, dtype=np.uint64)
        for number, row in enumerate(rows):
            each = size or row["bytes"]
            tile = ((words * 0x9e3779b1 + number) & 0xffffffff).astype(np.uint32).view(np.uint8).copy()
            region = np.full(region_bytes, 0x6b, np.uint8)
            if each:
                there, here = (place[:, None] * each + np.arange(each) for place in places(row))
                tile[here] = source[there]
                region[there] = tile[here]
            tiles.append(tile)
            regions.append(region)
        return np.concatenate(tiles).view(np.uint32), np.concatenate(regions)
    return compute


def kernel(random, name, form, rows, pointer, size, tile_bytes, region_bytes):
    into, back = FORMS[form]
    each = f"sizeof({pointer})" if size else "bytes"
    source = KERNEL.format(name=name, rows=len(rows), columns=len(COLUMNS), words=tile_bytes // 4, group=GROUP, region=region_bytes,
                           into=call(into, pointer, "in", each),
                           back=call(back, pointer, "out", each))
    table = np.array([[row[column] for column in COLUMNS] for row in rows], np.uint64).reshape(-1)
    args = [random.integers(0, 256, region_bytes, np.uint8), table, np.zeros(len(rows) * tile_bytes // 4, np.uint32),
            np.full(len(rows) * region_bytes, 0x6b, np.uint8), Local(tile_bytes)]
    return source, Case(name, (GROUP,), (GROUP,), args, exact=copied(rows, tile_bytes, region_bytes, size), exact_count=2)


def typed_kernels(random, form, scalars=tuple(SCALARS), widths=WIDTHS):
    """A vector of three is copied like one of four."""
    for scalar in scalars:
        for width in widths:
            size = SCALARS[scalar] * (4 if width == 3 else width)
            pointer = scalar + (str(width) if width > 1 else "")
            yield kernel(random, f"{form}_{pointer}", form, some_rows(random, form, 10), pointer, size, TILE * size, REGION * size)


def sized_kernels(random):
    """Elements of any number of bytes, known only at run time."""
    for form in ("lines", "planes"):
        rows = [row for size in (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 33, 64, 100) for row in some_rows(random, form, 9, 40, 100, size)]
        yield kernel(random, f"{form}_of_bytes", form, rows, "uchar", None, 40 * 100, 100 * 100)


def chained(rows, tile):
    def compute(source, _):
        here, there = source[:tile].copy(), np.full(len(rows) * tile, 0x6b6b6b6b, np.uint32)
        for step, (at, count, line, to) in enumerate(rows):
            out = there[step * tile:]
            out[at:at + count] = here[at:at + count]
            here[:2 * line] = source[step:step + 2 * line]
            moved = min(count, 20)
            here[to:to + moved] = out[at:at + 2 * moved:2][:moved]
        return here, there
    return compute


def chain_kernels(random, tile=512, steps=12):
    both = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"
    for name, in_order in (("local", ""), ("both", " | CLK_GLOBAL_MEM_FENCE")):
        rows = [(int(random.integers(40)), int(random.choice([0, 1, 7, 40, 333])), int(random.choice([1, 5, 64, 250])),
                 int(random.integers(tile - 20))) for _ in range(steps)]
        args = [random.integers(0, 1 << 32, 2 * tile, np.uint32), np.array(rows, np.uint32).reshape(-1), np.zeros(tile, np.uint32),
                np.full(steps * tile, 0x6b6b6b6b, np.uint32), Local(4 * tile)]
        yield (CHAIN.format(name=name, tile=tile, steps=steps, group=GROUP, both=both, in_order=in_order),
               Case(f"chain_{name}", (GROUP,), (GROUP,), args, exact=chained(rows, tile), exact_count=2))


# Machines that carry out copies in different ways, with the same result.
MACHINES = [
    {"dma.granularity": 16, "dma.burst": 4, "dma.outstanding": 1, "dma.channels": 1},
    {"dma.granularity": 256, "dma.read_width": 1, "dma.write_width": 256, "dma.l2": "bypass"},
    {"dma.dimensions": 1, "dma.decoupling": "off", "dma.arbitration": "quota", "dma.quota": 1},
    {"dma.dimensions": 2, "dma.gather": 16, "dma.buffer": 2, "dma.plane_cycles": 3},
    {"dma.alignment": 16, "dma.misaligned": "split", "dma.granularity": 32},
    {"dma.engines": 2, "dma.full": "retry", "dma.queue": 1, "cu.warp_size": 16},
    {"dma.copy": "lanes", "dma.lane_bytes": 4},
    {"dma.copy": "lanes", "dma.lane_bytes": 16, "cu.warp_size": 64},
    {"dma.copy": "blocking", "dma.lane_bytes": 8},
]


def some_kernels(random):
    for form in FORMS:
        yield from typed_kernels(random, form, ("char", "ushort", "double"), (1, 3, 16))
    yield from sized_kernels(random)
    yield from chain_kernels(random)


def programs(seed=1, per_program=66):
    random = np.random.default_rng(seed)
    header = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    for form in FORMS:
        yield from packed(f"copies_{form}", typed_kernels(random, form), per_program, "cl_khr_fp64", header=header, reference=only_exact)
    for form in ("plain", "strided"):
        yield from packed(f"copies_{form}_as_loops", typed_kernels(random, form), per_program, "cl_khr_fp64", header=header,
                          reference=only_exact, copies="loop")
    yield from packed("copies_sized", sized_kernels(random), per_program, "cl_khr_fp64", header=header, reference=only_exact)
    yield from packed("copies_chain", chain_kernels(random), per_program, "cl_khr_fp64", header=header, reference=only_exact)
    for number, settings in enumerate(MACHINES):
        yield from packed(f"copies_machine{number}_", some_kernels(random), per_program, "cl_khr_fp64", header=header, reference=only_exact,
                          settings=lambda _, settings=settings: settings)
