"""Pipes: what is written is read, for packets of all types and all forms of the calls. PoCL's pipes do not work, so a
FIFO in Python computes the expected results.
"""
import numpy as np

from functions import FLOATS, HALF, INTEGERS, WIDTHS, floats, integers, spelled
from harness import Case, Local, Pipe, Program, only_exact

GROUP = 48  # one and a half warps


def program(name, source, cases, **more):
    return Program(name, source, cases, ["-cl-std=CL2.0"], reference=only_exact(cases), **more)


def always(*values):
    """An `exact` that already knows the answer."""
    return lambda *inputs: values


# ---- packets of all types --------------------------------------------------------------------------

# One work-group writes, so the order is known: work-item i writes packet i. The reader varies.
TYPES = """
kernel void put_{name}(write_only pipe {T} p, global const {T} *in) {{
  reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));
  uint i = get_local_id(0);
  {T} own = in[i];
  if (is_valid_reserve_id(id)) {{
    write_pipe(p, id, i, &own);
    work_group_commit_write_pipe(p, id);
  }}
}}
kernel void get_{name}(read_only pipe {T} p, local {T} *tile, global {T} *out) {{
{read}
}}
"""
READS = {
    "global": "  for (uint i = 0; i < {n}; i++)\n    if (read_pipe(p, &out[i]) != 0) break;",
    "private": "  for (uint i = 0; i < {n}; i++) {{\n    {T} x;\n    if (read_pipe(p, &x) == 0) out[i] = x;\n  }}",
    "local": "  reserve_id_t id = reserve_read_pipe(p, {n});\n  for (uint i = {n}; i-- > 0;)\n    read_pipe(p, id, i, &tile[i]);\n"
             "  commit_read_pipe(p, id);\n  for (uint i = 0; i < {n}; i++) out[i] = tile[i];",
}


def type_kernels(random, dtype, width, how):
    T, parts = spelled(dtype, width), 4 if width == 3 else width
    name = f"{T}_{how}"
    values = (integers if dtype in INTEGERS else floats)(random, dtype, GROUP * parts)
    # The fourth element of three does not count: a kernel may leave what was there or write anything.
    counted = np.arange(values.size) % parts < width
    pipe = Pipe(f"pipe_{name}", values.nbytes // GROUP, GROUP + 5)
    source = TYPES.format(name=name, T=T, read=READS[how].format(n=GROUP, T=T))
    return source, [
        Case(f"put_{name}", (GROUP,), (GROUP,), [pipe, values]),
        Case(f"get_{name}", (1,), (1,), [pipe, Local(values.nbytes), np.zeros_like(values)], exact=always(values), counted=counted)]


def type_programs(random):
    """Each type in each width, alternating between the ways to read."""
    number = 0
    for width in [1] + WIDTHS:
        sources, cases = ["#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"], []
        for dtype in INTEGERS + FLOATS + [HALF]:
            source, both = type_kernels(random, dtype, width, list(READS)[number % len(READS)])
            number += 1
            sources.append(source)
            cases += both
        yield program(f"pipe_types{width}", "".join(sources), cases)


# ---- channels --------------------------------------------------------------------------------------

# A row of channels for each type: put writes to them in turn, and get reads them from last to first.
CHANNELS = """
channel {T} row_{T}[3] __attribute__((depth({n})));
kernel void put_{T}(global const {T} *in) {{
  for (uint i = 0; i < 3 * {n}; i++)
    if (i % 5)
      write_channel_intel(row_{T}[i % 3], in[i]);
    else
      while (!write_channel_nb_intel(row_{T}[i % 3], in[i])) ;
}}
kernel void get_{T}(global {T} *out) {{
  for (int c = 2; c >= 0; c--)
    for (uint i = c; i < 3 * {n}; i += 3) {{
      bool got = true;
      {T} x;
      do
        if (i % 7)
          x = read_channel_intel(row_{T}[c]);
        else
          x = read_channel_nb_intel(row_{T}[c], &got);
      while (!got);
      out[i] = x;
    }}
}}
"""
PACKETS = 7  # in each channel of the row


def channel_programs(random):
    for width in [1] + WIDTHS:
        sources, cases = [], []
        for dtype in INTEGERS + FLOATS + [HALF]:
            T, parts = spelled(dtype, width), 4 if width == 3 else width
            values = (integers if dtype in INTEGERS else floats)(random, dtype, 3 * PACKETS * parts)
            counted = np.arange(values.size) % parts < width
            sources.append(CHANNELS.format(T=T, n=PACKETS))
            cases += [Case(f"put_{T}", (1,), (1,), [values]),
                      Case(f"get_{T}", (1,), (1,), [np.zeros_like(values)], exact=always(values), counted=counted)]
        yield program(f"channels{width}", "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                      "#pragma OPENCL EXTENSION cl_intel_channels : enable\n" + "".join(sources), cases)


# ---- structs ---------------------------------------------------------------------------------------

STRUCTS = """
typedef struct { char c; int i; } wide_t;
typedef struct __attribute__((packed)) { char c; int i; } packed_t;
typedef struct { double d[3]; short s[3]; char c; } large_t;
""" + "".join(f"""
kernel void put_{name}(write_only pipe {name}_t p, global const {name}_t *in) {{
  write_pipe(p, &in[get_global_id(0)]);
}}
kernel void get_{name}(read_only pipe {name}_t p, global {name}_t *out) {{
  {name}_t x = out[get_global_id(0)];
  read_pipe(p, &x);
  out[get_global_id(0)] = x;
}}
""" for name in ("wide", "packed", "large"))
# The size of each struct, and the bytes of its members; the others do not count.
MEMBERS = {"wide": (8, {0, 4, 5, 6, 7}), "packed": (5, set(range(5))), "large": (32, set(range(31)))}


def struct_program(random):
    """One warp writes, in the order of its lanes, and one reads."""
    cases = []
    for name, (size, members) in MEMBERS.items():
        values = random.integers(0, 256, 32 * size).astype(np.uint8)
        pipe = Pipe(f"pipe_{name}", size, 32)
        counted = np.array([i % size in members for i in range(values.size)])
        cases.append(Case(f"put_{name}", (32,), (32,), [pipe, values]))
        cases.append(Case(f"get_{name}", (32,), (32,), [pipe, np.zeros_like(values)], exact=always(values), counted=counted))
    return program("pipe_structs", STRUCTS, cases)


# ---- many work-items at once ------------------------------------------------------------------------

CROWD = """
kernel void put(write_only pipe uint2 p, global const uint2 *in, global int *result) {
  size_t i = get_global_id(0);
  uint2 x = in[i];
  result[i] = write_pipe(p, &x);
}
kernel void get(read_only pipe uint2 p, global int *result, global ulong *out) {
  size_t i = get_global_id(0);
  uint2 x = (uint2)(7, 0);
  result[i] = read_pipe(p, &x);
  out[i] = as_ulong(x);
}
kernel void check(read_only pipe uint2 p, global int *result, global uint *good) {
  size_t i = get_global_id(0);
  uint2 x = (uint2)(7, 0);
  result[i] = read_pipe(p, &x);
  good[i] = x.x == x.y;
}
kernel void put_reserved(write_only pipe uint2 p, global const uint2 *in) {
  size_t i = get_global_id(0);
  uint count = i % 3 + 1;
  reserve_id_t id = reserve_write_pipe(p, count);
  if (is_valid_reserve_id(id)) {
    for (uint k = 0; k < count; k++)
      write_pipe(p, id, k, &in[3 * i + k]);
    commit_write_pipe(p, id);
  }
}
void fetch(read_only pipe uint2 p, reserve_id_t id, uint index, ulong *to) {
  uint2 x;
  if (read_pipe(p, id, index, &x) == 0)
    *to = as_ulong(x);
}
kernel void get_grouped(read_only pipe uint2 p, global uint *room, global ulong *out) {
  local reserve_id_t ids[64];
  uint i = get_local_id(0);
  room[get_global_id(0)] = get_pipe_max_packets(p);
  if (get_group_id(0) & 1) {
    reserve_id_t id = work_group_reserve_read_pipe(p, get_local_size(0));
    if (is_valid_reserve_id(id)) {
      fetch(p, id, get_local_size(0) - 1 - i, &out[get_global_id(0)]);
      work_group_commit_read_pipe(p, id);
    }
  } else {
    ids[i] = sub_group_reserve_read_pipe(p, get_sub_group_size());
    if (is_valid_reserve_id(ids[i])) {
      fetch(p, ids[i], get_sub_group_local_id(), &out[get_global_id(0)]);
      sub_group_commit_read_pipe(p, ids[i]);
    }
  }
}
"""


def crowd_program(random, room, machine, settings):
    """All packets are different, and the same ones are read, in any order. If the pipe has less room than work-items,
    some are refused."""
    items, width = 576, 64
    values = random.permutation(np.arange(1, items + 1, dtype=np.uint64) * 0x100000001)
    codes = np.where(np.arange(items) < room, 0, -1).astype(np.int32)
    packets = np.arange(1, 3 * items + 1, dtype=np.uint64)
    there = np.concatenate([packets[3 * i:3 * i + i % 3 + 1] for i in range(items)])
    crowd, reserved = Pipe("crowd", 8, room), Pipe("reserved", 8, len(there))
    ints, longs = np.zeros(items, np.int32), np.zeros(items, np.uint64)
    take = [crowd, ints, longs] if room >= items else [crowd, ints, np.zeros(items, np.uint32)]
    taken = values if room >= items else np.where(codes == 0, 1, 0).astype(np.uint32)
    cases = [
        Case("put", (items,), (width,), [crowd, values.view(np.uint32), ints], any_order=True, exact=always(codes)),
        Case("get" if room >= items else "check", (items,), (width // 2,), take, any_order=True, exact=always(codes, taken),
             exact_count=2),
        Case("put_reserved", (items,), (2 * width,), [reserved, packets.view(np.uint32)]),
        Case("get_grouped", (len(there),), (width,), [reserved, np.zeros(len(there), np.uint32), np.zeros(len(there), np.uint64)],
             any_order=True, exact=always(np.full(len(there), len(there), np.uint32), there), exact_count=2)]
    return program(f"pipe_crowd{room}", CROWD, cases, machine=machine, settings=settings)


# ---- any program against a model --------------------------------------------------------------------

# One work-item follows a list of steps. It reads and writes one pipe, which is undefined in OpenCL C but defined in
# Warpwait.
ANY = """
kernel void any(read_only pipe uint r, write_only pipe uint w, global const int *step, int steps, global reserve_id_t *id, global int *log) {
  for (int k = 0; k < steps; k++) {
    int code = step[3 * k], a = step[3 * k + 1], b = step[3 * k + 2];
    uint x = 0xffff0000u + k;
    int result = 0;
    switch (code) {
    case 0: id[a] = reserve_write_pipe(w, b); result = is_valid_reserve_id(id[a]); break;
    case 1: id[a] = reserve_read_pipe(r, b); result = is_valid_reserve_id(id[a]); break;
    case 2: result = write_pipe(w, id[a], b, &x); break;
    case 3: result = read_pipe(r, id[a], b, &x) == 0 ? (int)x : -1; break;
    case 4: commit_write_pipe(w, id[a]); break;
    case 5: commit_read_pipe(r, id[a]); break;
    case 6: result = write_pipe(w, &x); break;
    case 7: result = read_pipe(r, &x) == 0 ? (int)x : -1; break;
    case 8: result = get_pipe_num_packets(r); break;
    }
    log[k] = result;
  }
}
"""


class Block:
    def __init__(self, values):
        self.values, self.committed = values, False


class Model:
    """Packets are numbers; blocks are reservations that have not taken effect, oldest first."""

    def __init__(self, room):
        self.room, self.used, self.ready, self.writing, self.reading = room, 0, [], [], []

    def reserve_write(self, count):
        if not 0 < count <= self.room - self.used:
            return None
        self.used += count
        self.writing.append(Block([None] * count))
        return self.writing[-1]

    def reserve_read(self, count):
        if not 0 < count <= len(self.ready):
            return None
        self.reading.append(Block(self.ready[:count]))
        del self.ready[:count]
        return self.reading[-1]

    def commit(self, block):
        block.committed = True
        while self.writing and self.writing[0].committed:
            self.ready += self.writing.pop(0).values
        while self.reading and self.reading[0].committed:
            self.used -= len(self.reading.pop(0).values)


def any_case(random, room, steps):
    model, ids, step, log = Model(room), [None] * 6, [], []

    def do(code, a, b, result):
        step.extend((code, a, b))
        log.append(result)

    def signed():
        return int(np.uint32(0xffff0000 + len(log)).astype(np.int32))

    while len(log) < steps:
        a, count = int(random.integers(0, 6)), int(random.integers(0, room // 2 + 3))
        kind = random.random()
        if kind < 0.2 and len(log) < steps - 60:
            packet, block = signed(), model.reserve_write(1)
            do(6, 0, 0, 0 if block else -1)
            if block:
                block.values[0] = packet
                model.commit(block)
        elif kind < 0.35:
            block = model.reserve_read(1)
            do(7, 0, 0, block.values[0] if block else -1)
            if block:
                model.commit(block)
        elif kind < 0.4:
            do(8, 0, 0, len(model.ready))
        elif ids[a] is None:
            write = random.random() < 0.5
            block = model.reserve_write(count) if write else model.reserve_read(count)
            do(0 if write else 1, a, count, int(block is not None))
            ids[a] = (write, block) if block else None
        elif random.random() < 0.3 or len(log) + room + 12 > steps:
            write, block = ids[a]
            for b in range(len(block.values)):
                if write and block.values[b] is None:
                    block.values[b] = signed()
                    do(2, a, b, 0)
            do(4 if write else 5, a, 0, 0)
            model.commit(block)
            ids[a] = None
        else:
            write, block = ids[a]
            b = int(random.integers(0, len(block.values)))
            if write:
                block.values[b] = signed()
                do(2, a, b, 0)
            else:
                do(3, a, b, block.values[b])
    for a, (write, block) in ((a, entry) for a, entry in enumerate(ids) if entry):
        for b in range(len(block.values) if write else 0):
            do(2, a, b, 0)
        do(4 if write else 5, a, 0, 0)
    log = np.array(log, np.int32)
    pipe = Pipe(f"any{room}_{steps}", 4, room)
    return Case("any", (1,), (1,), [pipe, pipe, np.array(step, np.int32), np.int32(len(log)), np.zeros(6, np.uint64),
                                    np.zeros(len(log), np.int32)], exact=always(log), uncompared={1})


def programs(seed=1):
    random = np.random.default_rng(seed)
    yield from type_programs(random)
    yield from channel_programs(random)
    yield struct_program(random)
    for room, settings in ((576, {}), (100, {"cu.count": 4}), (1, {"cu.warp_size": 32, "cu.count": 3, "mem.link_latency": 2})):
        yield crowd_program(random, room, "teaching", settings)
    yield program("pipe_any", ANY, [any_case(random, room, 300 + number)
                                    for number, room in enumerate((1, 2, 3, 5, 8, 13, 16, 31, 64) * 4)])
