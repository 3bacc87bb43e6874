"""Work-items together: atomics, work-group functions and sub-group functions, each operation for each type, against
numpy.

Atomics that return old values use a cell that no other work-item uses. Those on a shared cell only leave its last
value, which does not depend on the order. Float sums and products use values for which every order gives the same
result.
"""
import functools

import numpy as np

from functions import FLOATS, HALF, integers, packed, spelled
from harness import Case, only_exact

ITEMS, GROUP, WARP = 80, 40, 16
WORDS = [np.int32, np.uint32, np.int64, np.uint64]


# ---- atomics ---------------------------------------------------------------------------------------

# OpenCL 1.2's name without atomic_ or atom_: C11's name, and the operation
ATOMIC_OPERATIONS = {
    "add": ("fetch_add", lambda old, by: old + by), "sub": ("fetch_sub", lambda old, by: old - by),
    "and": ("fetch_and", lambda old, by: old & by), "or": ("fetch_or", lambda old, by: old | by),
    "xor": ("fetch_xor", lambda old, by: old ^ by), "min": ("fetch_min", np.minimum), "max": ("fetch_max", np.maximum),
    "xchg": ("exchange", lambda old, by: by), "inc": (None, lambda old, by: old + np.ones_like(old)),
    "dec": (None, lambda old, by: old - np.ones_like(old)),
}

# `own`: one cell per work-item, in global and local memory. `shared`: cell 0, where the order does not matter, and one
# cell per work-group, which initializes the group's cell in local memory and receives its last value. Work-groups share
# cell 0, so its atomics need the scope of the device.
ATOMIC = """
kernel void {name}(global const {T} *by, global {A} *own, global {A} *shared, global {T} *old) {{
  size_t i = get_global_id(0), lid = get_local_id(0);
  local {A} near[{group}];
  local {A} all;
  STORE(&near[lid], LOAD(&own[i]));
  if (lid == 0) STORE(&all, LOAD(&shared[1 + get_group_id(0)]));
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  old[2 * i] = {call}(&near[lid ^ 1]{by});
  old[2 * i + 1] = {call}(&own[i ^ 1]{by});
  {share}(&shared[0]{by_device});
  {share}(&all{by});
  barrier(CLK_LOCAL_MEM_FENCE);
  STORE(&own[{items} + i], LOAD(&near[lid]));
  if (lid == 0) STORE(&shared[1 + get_group_id(0)], LOAD(&all));
}}
"""


def atomic_exactly(operation, shares):
    def compute(by, own, shared, old):
        swapped = by[np.arange(ITEMS) ^ 1]
        after = operation(own[:ITEMS], swapped)
        olds = np.repeat(own[:ITEMS][np.arange(ITEMS) ^ 1], 2)
        parts = zip((by, by[:GROUP], by[GROUP:]), (shared[:1], shared[1:2], shared[2:3]))
        folded = [functools.reduce(operation, part, start) if shares else start for part, start in parts]
        return np.concatenate([after, after]), np.concatenate(folded), olds
    return compute


def atomic_case(random, name, dtype, operation, shares=True):
    by = integers(random, dtype, ITEMS) if dtype in WORDS else random.integers(-50, 50, ITEMS).astype(dtype)
    own = integers(random, dtype, 2 * ITEMS) if dtype in WORDS else random.integers(-50, 50, 2 * ITEMS).astype(dtype)
    case = Case(name, (ITEMS,), (GROUP,), [by, own, own[:3].copy(), np.zeros(2 * ITEMS, dtype)])
    results = atomic_exactly(operation, shares)(*case.args)
    case.exact = lambda by: results
    case.exact_count = 3
    return case


def old_atomics(random):
    """32-bit atomic_ and 64-bit atom_, which PoCL also runs."""
    for dtype in WORDS + [np.float32]:
        kind = spelled(dtype)
        for operation, (_, function) in ATOMIC_OPERATIONS.items():
            if dtype == np.float32 and operation != "xchg":
                continue
            call = ("atom_" if np.dtype(dtype).itemsize == 8 else "atomic_") + operation
            shares, by = operation != "xchg", "" if operation in ("inc", "dec") else ", by[i]"
            name = f"{call}_{kind}"
            yield (ATOMIC.format(name=name, T=kind, A=f"volatile {kind}", group=GROUP, items=ITEMS, by=by, by_device=by, call=call,
                                 share=call if shares else "IGNORE"), atomic_case(random, name, dtype, function, shares))


def new_atomics(random):
    """C11's atomics, with or without order and scope."""
    for dtype in WORDS + FLOATS:
        for number, (operation, (call, function)) in enumerate(ATOMIC_OPERATIONS.items()):
            if not call or dtype in FLOATS and operation not in ("add", "min", "max", "xchg"):
                continue
            kind, shares = spelled(dtype), operation != "xchg"
            given = ("", ", memory_order_relaxed", ", memory_order_acq_rel, memory_scope_work_group")[number % 3] if dtype in WORDS else \
                ", memory_order_relaxed"
            call = f"atomic_{call}{'_explicit' if given else ''}"
            name = f"{call}_{kind}"
            yield (ATOMIC.format(name=name, T=kind, A=f"atomic_{kind}", group=GROUP, items=ITEMS, by=", by[i]" + given,
                                 by_device=", by[i]" + given.replace("scope_work_group", "scope_device"), call=call,
                                 share=call if shares else "IGNORE"), atomic_case(random, name, dtype, function, shares))


# Half of the cells hold the expected value. Weak exchanges may fail spuriously, but not forever.
EXCHANGES = """
kernel void exchanges_{T}(global atomic_{T} *cell, global const {T} *expected, global {T} *seen) {{
  size_t i = get_global_id(0), lid = get_local_id(0);
  local atomic_{T} near[{group}];
  local atomic_flag flag;
  atomic_init(&near[lid], atomic_load_explicit(&cell[i], memory_order_acquire));
  if (lid == 0) atomic_flag_clear(&flag);
  barrier(CLK_LOCAL_MEM_FENCE);
  {T} wanted = expected[i];
  bool done = atomic_compare_exchange_strong(&near[lid], &wanted, ({T})(i + 1));
  seen[4 * i] = done; seen[4 * i + 1] = wanted; seen[4 * i + 2] = atomic_load(&near[lid]);
  wanted = expected[i];
  {T} first = wanted;
  while (!atomic_compare_exchange_weak_explicit(&cell[i], &wanted, ({T})7, memory_order_acq_rel, memory_order_relaxed) && wanted == first);
  seen[4 * i + 3] = wanted;
  if (lid == 5) seen[4 * i] += 2 * atomic_flag_test_and_set(&flag);
  if (lid == 5) seen[4 * i] += 4 * atomic_flag_test_and_set_explicit(&flag, memory_order_relaxed);
}}
"""


def exchange_kernels(random):
    for dtype in WORDS:
        cell = integers(random, dtype, ITEMS)
        expected = np.where(np.arange(ITEMS) % 2, cell, cell ^ dtype(1)).astype(dtype)
        same = cell == expected
        items = np.arange(ITEMS)
        answers = [same + np.where(items % GROUP == 5, 4, 0), cell, np.where(same, (items + 1).astype(dtype), cell), cell]
        seen = np.stack([answer.astype(dtype) for answer in answers], axis=1)
        after = np.where(same, dtype(7), cell).astype(dtype)
        kind = spelled(dtype)
        # The cells change, so both results are computed in advance.
        yield (EXCHANGES.format(T=kind, group=GROUP),
               Case(f"exchanges_{kind}", (ITEMS,), (GROUP,), [cell, expected, np.zeros(4 * ITEMS, dtype)], exact_count=3,
                    exact=lambda a=after, e=expected, s=seen: (a, e, s)))


# ---- work-groups and sub-groups --------------------------------------------------------------------

COLLECTIVE_TYPES = [np.int32, np.uint32, np.int64, np.uint64] + FLOATS + [HALF]
ALL_TYPES = [np.int8, np.uint8, np.int16, np.uint16] + COLLECTIVE_TYPES
FOLDS = {"add": np.add, "min": np.minimum, "max": np.maximum, "mul": np.multiply, "and": np.bitwise_and, "or": np.bitwise_or,
         "xor": np.bitwise_xor, "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor}


def identity(operation, dtype):
    if operation in ("min", "max"):
        if np.dtype(dtype).kind == "f":
            return np.inf if operation == "min" else -np.inf
        limits = np.iinfo(dtype)
        return limits.max if operation == "min" else limits.min
    return {"mul": 1, "and": -1, "logical_and": 1}.get(operation, 0)


def numbers(random, dtype, operation):
    """Float sums stay exact, and so do products, whose factors are 2 or 0.5 with random signs."""
    if np.dtype(dtype).kind != "f":
        return (integers(random, dtype, ITEMS) & 1 if "logical" in operation else integers(random, dtype, ITEMS)).astype(dtype)
    if operation == "mul":
        return np.where(np.arange(ITEMS) % 2, 2.0, 0.5).astype(dtype) * random.choice([-1, 1], ITEMS).astype(dtype)
    return random.integers(-20, 20, ITEMS).astype(dtype)


def folded(operation, values, parts):
    """(reduction, inclusive scan, exclusive scan) of each part, a list of indices."""
    reduced, inclusive, exclusive = (np.zeros_like(values) for _ in range(3))
    first = np.array([identity(operation, values.dtype)]).astype(values.dtype)
    for part in parts:
        # One at a time, so that numpy neither widens nor reorders.
        running = first
        for at in part:
            exclusive[at] = running[0]
            running = FOLDS[operation](running, values[at:at + 1]).astype(values.dtype)
            inclusive[at] = running[0]
        reduced[part] = running[0]
    return reduced, inclusive, exclusive


def collective(random, prefix, operation, dtype, parts, condition=None):
    name = f"{prefix}{operation}_{spelled(dtype)}"
    kind = spelled(dtype)
    guard = f"if ({condition}) " if condition else ""
    body = "".join(f"    {out}[i] = {prefix}{shape}_{operation}(in[i]);\n"
                   for out, shape in (("total", "reduce"), ("running", "scan_inclusive"), ("before", "scan_exclusive")))
    values = numbers(random, dtype, operation)
    return (f"kernel void {name}(global const {kind} *in, global {kind} *total, global {kind} *running, global {kind} *before) {{\n"
            f"  size_t i = get_global_id(0);\n  {guard}{{\n{body}  }}\n}}\n",
            Case(name, (ITEMS,), (GROUP,), [values] + [np.zeros(ITEMS, dtype) for _ in range(3)],
                 exact=lambda a: folded(operation, a, parts), exact_count=3))


def groups_of(size):
    """Lists of the work-items that belong together: groups, or warps of groups."""
    items = np.arange(ITEMS)
    return [part for first in range(0, ITEMS, GROUP) for part in
            [items[first:first + GROUP][start:start + size] for start in range(0, GROUP, size)]]


def group_kernels(random):
    for dtype in COLLECTIVE_TYPES:
        for operation in ("add", "min", "max"):
            yield collective(random, "work_group_", operation, dtype, groups_of(GROUP))
        yield broadcast(random, "work_group_broadcast(in[i], 7)", dtype, groups_of(GROUP), lambda part: part[7])


# Groups of 5 x 4 x 2 in a launch of 10 x 4 x 2; work-item (3, 1, 1) has linear ID 28.
VOTES = """
kernel void votes_{T}(global const {T} *in, global {T} *out, global int *votes) {{
  size_t at = get_group_id(0) * {group} + get_local_linear_id();
  out[at] = work_group_broadcast(in[at], 3, 1, 1);
  votes[at] = (work_group_any(in[at] > 18) != 0) + 2 * (work_group_all(in[at] < 19) != 0) + 4 * (work_group_all(in[at] > -30) != 0);
}}
"""


def vote_kernels(random):
    for dtype in COLLECTIVE_TYPES[:1] + COLLECTIVE_TYPES[2:3] + FLOATS + [HALF]:
        values = random.integers(-20, 21, ITEMS).astype(dtype)
        def answer(values):
            groups = values.reshape(-1, GROUP)
            votes = (groups > 18).any(1) + 2 * (groups < 19).all(1) + 4 * (groups > -30).all(1)
            return np.repeat(groups[:, 28], GROUP), np.repeat(votes, GROUP)
        kind = spelled(dtype)
        yield (VOTES.format(T=kind, group=GROUP),
               Case(f"votes_{kind}", (10, 4, 2), (5, 4, 2), [values, np.zeros(ITEMS, dtype), np.zeros(ITEMS, np.int32)], exact=answer, exact_count=2))


def broadcast(random, expression, dtype, parts, source):
    kind, name = spelled(dtype), expression.split("(")[0] + "_" + spelled(dtype)
    source_of = np.zeros(ITEMS, int)
    for part in parts:
        source_of[part] = source(part)
    return (f"kernel void {name}(global const {kind} *in, global {kind} *out) {{\n  size_t i = get_global_id(0);\n  out[i] = {expression};\n}}\n",
            Case(name, (ITEMS,), (GROUP,), [numbers(random, dtype, "add"), np.zeros(ITEMS, dtype)], exact=lambda a: a[source_of]))


def sub_group_kernels(random):
    warps = groups_of(WARP)
    odd = [[at for at in part if at % 3 == 1] for part in warps]
    for dtype in COLLECTIVE_TYPES:
        for operation in ("add", "min", "max"):
            yield collective(random, "sub_group_", operation, dtype, warps)
        yield broadcast(random, "sub_group_broadcast(in[i], 5)", dtype, warps, lambda part: part[5])
    for dtype in ALL_TYPES:
        whole = np.dtype(dtype).kind != "f"
        logical = ("logical_and", "logical_or", "logical_xor") if dtype == np.int32 else ()
        for operation in ("add", "mul", "min", "max") + (("and", "or", "xor") if whole else ()) + logical:
            yield collective(random, "sub_group_non_uniform_", operation, dtype, odd, "i % 3 == 1")
        yield broadcast(random, "sub_group_shuffle(in[i], get_sub_group_size() - 1 - get_sub_group_local_id())", dtype, warps, lambda p: p[::-1])
        yield broadcast(random, "sub_group_shuffle_xor(in[i], 3)", dtype, warps, lambda part: part[np.arange(len(part)) ^ 3])
        yield broadcast(random, "sub_group_broadcast_first(in[i])", dtype, warps, lambda part: part[0])
        yield broadcast(random, "sub_group_non_uniform_broadcast(in[i], 6)", dtype, warps, lambda part: part[6])
        yield clustered(random, dtype)


def clustered(random, dtype):
    kind, name = spelled(dtype), f"sub_group_clustered_{spelled(dtype)}"
    parts = groups_of(4)
    return (f"kernel void {name}(global const {kind} *in, global {kind} *out, global {kind} *least) {{\n  size_t i = get_global_id(0);\n"
            f"  out[i] = sub_group_clustered_reduce_add(in[i], 4);\n  least[i] = sub_group_clustered_reduce_min(in[i], 4);\n}}\n",
            Case(name, (ITEMS,), (GROUP,), [numbers(random, dtype, "add"), np.zeros(ITEMS, dtype), np.zeros(ITEMS, dtype)], exact_count=2,
                 exact=lambda a: (folded("add", a, parts)[0], folded("min", a, parts)[0])))


SUB_GROUP_EXTENSIONS = ["cl_khr_subgroups", "cl_khr_subgroup_extended_types", "cl_khr_subgroup_non_uniform_vote", "cl_khr_subgroup_ballot",
                        "cl_khr_subgroup_non_uniform_arithmetic", "cl_khr_subgroup_shuffle", "cl_khr_subgroup_shuffle_relative",
                        "cl_khr_subgroup_clustered_reduce"]


def programs(seed=1, per_program=48):
    random = np.random.default_rng(seed)
    old = "#define LOAD(place) (*(place))\n#define STORE(place, value) (*(place) = (value))\n#define IGNORE(...)\n"
    new = "#define LOAD atomic_load\n#define STORE atomic_store\n#define IGNORE(...)\n"
    yield from packed("atomic", old_atomics(random), per_program, "cl_khr_int64_base_atomics", header=old)
    yield from packed("atomic_c11", new_atomics(random), per_program, "cl_khr_int64_base_atomics", header=new, standard="CL2.0", reference=only_exact)
    yield from packed("exchange", exchange_kernels(random), per_program, "cl_khr_int64_base_atomics", standard="CL2.0", reference=only_exact)
    yield from packed("vote", vote_kernels(random), per_program, "cl_khr_fp16", standard="CL2.0", reference=only_exact)
    yield from packed("work_group", group_kernels(random), per_program, "cl_khr_fp16", standard="CL2.0", reference=only_exact)
    yield from packed("sub_group", sub_group_kernels(random), per_program, "cl_khr_fp16", standard="CL3.0", reference=only_exact,
                      header="".join(f"#pragma OPENCL EXTENSION {name} : enable\n" for name in SUB_GROUP_EXTENSIONS),
                      settings=lambda _: {"cu.warp_size": WARP})
