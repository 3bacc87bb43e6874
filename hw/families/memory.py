"""Latency and bandwidth of global memory, and atomic operations on it (measure/t6_mem.cu, t7_core.cu, t10_l1.cu).

Chases: the program follows a random cycle through a region. Here the order is ascending, because the model does not
predict addresses; memory is zero, and each loaded value is added to the address to make it depend on the load.
Work-groups that load or store evenly run on a quarter of the machine, for only as many iterations as the steady state
needs.
"""
from case import GPU, Buffer, Case, Launch, Unmodeled, STAMPS, median, stamps

DATA, SINK = "data", "to"
LINE = 128
GHZ = 1.98  # the SM's clock
HEAD = """
.arg    out global
.arg    data global
"""

# One work-group reads a line with each lane, so that the L2 has all lines, and its near half those that fit.
WARM = """
.kernel warm
.arg    data global
.arg    bytes u64
.reg    lane, v
.reg64  p, end, here
.pred   more
        ld.arg.b64      p, data
        ld.arg.b64      end, bytes
        add.i64         end, end, p
        get.local_id    lane, x
        mul.wide.u32    here, lane, {stride}
        add.i64         p, p, here
next:   setp.lt.u64     more, p, end
@more   ld.global.l2.b32 v, [p]
        add.i64         p, p, {step}
@more   bra             next
        exit
"""

# Work-item 0 of each group stores its start and end times.
END_OF_STREAM = """        bar
        get.clock       t1
        setp.eq.u32     lead, item, 0
        mul.wide.u32    p, group, 16
        add.i64         o, o, p
@lead   st.global.b64   [o], t0
@lead   st.global.b64   [o + 8], t1
        exit
"""


def _warm(stride, threads=1024):
    return WARM.format(stride=stride, step=threads * stride)


def _chase_kernel(load, step, loads):
    """`loads` dependent loads, `step` bytes apart, between two stamps; 8 in the loop's body, as in the program."""
    body = "".join(f"        {load}      v, [p + {i * step}]\n        add.i64         p, {'far' if i == 7 else 'p'}, v\n"
                   for i in range(8))
    return f"""
.kernel chase
{HEAD}
.reg    i
.reg64  p, q, far, v, t0, t1, o
.pred   again
        ld.arg.b64      o, out
        ld.arg.b64      p, data
        mov.b32         i, {loads}
        get.clock       t0
again_: add.i64         far, p, {8 * step}
        sub.i32         i, i, 8
        setp.ne.s32     again, i, 0
{body}@again  bra             again_
        setp.ne.u32     again, p.lo, 1
        setp.ne.u32     again, p.hi, 1
        get.clock       t1
        st.global.b64   [o], t0
        st.global.b64   [o + 8], t1
        exit
"""


def _chase(row):
    footprint, stride = row.number("footprint_bytes", 1024), row.number("stride", 8)
    row.one_of("order", "random")
    load = "ld.global.b64" if row.one_of("load", "ld.ca", "ld.cg") == "ld.ca" else "ld.global.l2.b64"
    lines = footprint // stride
    cold = row.test == "chase_dram"
    return _chase_case(load, lines, stride, cold)


def _chase_case(load, lines, stride, cold=False):
    """If there are few lines, each is loaded once; of many, a subset that is spread over all places of the caches."""
    loads = max(8, lines // 8 * 8) if lines <= 4096 else 1024
    step = stride if lines <= 16384 else 15 * stride
    repeat = [Launch("chase", 1, 1, (("buffer", STAMPS), ("buffer", DATA)))]
    if not cold:
        # The L1 is emptied between launches, so the same launch must load the lines that it should have.
        repeat = [Launch("warm", 1, 1024, (("buffer", DATA), ("ulong", lines * stride)))] + repeat
    source = _warm(stride) + _chase_kernel(load, step, loads)
    if load == "ld.global.b64":
        source, repeat = _twice(lines, stride, loads), [Launch("chase", 1, 1, (("buffer", STAMPS), ("buffer", DATA)))]
    data = Buffer(DATA, max(0 if cold else lines * stride, (loads + 8) * step) + 4096)
    case = Case(source, tuple(repeat), (stamps(2), data))
    return case, lambda outcome: (outcome.words[STAMPS][1] - outcome.words[STAMPS][0]) / loads


def _twice(lines, stride, loads):
    """The chase for the L1: the region once without timing, then timed."""
    kernel = _chase_kernel("ld.global.b64", stride, loads)
    warm = f"""        mov.b32         i, {lines}
        mov.b64         q, p
warm_:  ld.global.b64   v, [q]
        add.i64         q, q, {stride}
        sub.i32         i, i, 1
        setp.ne.s32     again, i, 0
@again  bra             warm_
        add.i64         p, p, v
"""
    return kernel.replace("        mov.b32         i, ", warm + "        mov.b32         i, ", 1)


def _distribution(row):
    where, percent = row.one_of("mem", "l2_4MB", "l2_16MB", "dram_64MB_region"), row.number("percentile", 0, 100)
    dram, count = where.startswith("dram"), 1500
    stride = 4096 + 128 if dram else LINE
    lines = 1 if dram else (4 << 20 if where == "l2_4MB" else 16 << 20) // LINE
    step = stride if dram else 21 * LINE
    source = _warm(LINE) + f"""
.kernel chase
{HEAD}
.reg    i, x, y
.reg64  p, q, v, t0, t1, o
.pred   again, odd
        ld.arg.b64      o, out
        ld.arg.b64      p, data
        mov.b32         i, {count}
again_: get.clock       t0
        add.i64         p, p, v
        ld.global.l2.b64 v, [p]
        sub.i32         i, i, 1
        setp.ne.s32     again, i, 0
        setp.eq.u32     odd, v.lo, 1
        setp.eq.u32     odd, v.hi, 1
@odd    ld.arg.b64      q, out
@odd    mov.b32         x, 1
@odd    mov.b32         y, 0
@odd    st.global.b64   [q], t0
        get.clock       t1
        sub.i64         t1, t1, t0
        st.global.b64   [o], t1
        add.i64         o, o, 8
        add.i64         p, p, {step}
@again  bra             again_
        exit
"""
    launches = (Launch("chase", 1, 1, (("buffer", STAMPS), ("buffer", DATA))),)
    if not dram:
        launches = (Launch("warm", 1, 1024, (("buffer", DATA), ("ulong", lines * LINE))),) + launches
    case = Case(source, launches, (stamps(count), Buffer(DATA, max(lines * stride, count * step) + 4096)))
    return case, lambda outcome: sorted(outcome.words[STAMPS])[min(count - 1, count * percent // 100)]


# ---- bandwidth ------------------------------------------------------------------------------------

# Iterations of two runs, from which the time of any number follows. The more a work-item loads at once, the fewer.
FEW, MORE = 4, 12


def _stream_kernel(op, unroll, threads, step, wrap):
    """k_stream: each lane moves `unroll` times 16 bytes per iteration. `step`: bytes from one iteration to the next.
    `wrap`: the number of iterations after which it starts over."""
    chunk = threads * 16
    addresses = "".join(f"        add.i32         x[{u}], here, {u * chunk}\n        add.i32         x[{u}], x[{u}], 0\n"
                        for u in range(unroll))
    loads = "".join(f"        ld.global.l2.b128 v{u}, [s + x[{u}]]\n" for u in range(unroll)) if op != "write" else ""
    stores = "".join(f"        st.global.b128  [d + x[{u}]], v{u}\n" for u in range(unroll)) if op != "read" else ""
    sums = "".join(f"        xor.b32         acc, acc, v{u}[{a}]\n        xor.b32         acc, acc, v{u}[{a + 1}]\n"
                   for u in range(unroll) for a in (0, 2)) if op == "read" else ""
    return f"""
.kernel stream
.arg    out global
.arg    from global
.arg    to global
.arg    group_step u64
.arg    place u64
.arg    iterations u32
.arg    slot u32
.reg    item, group, count, at, high, end, here, n, acc, x[{unroll}], {", ".join(f"v{u}[4]" for u in range(unroll))}
.reg64  s, d, p, wide, o, t0, t1
.pred   again, lead, wraps
        get.local_id    item, x
        get.group_id    group, x
        ld.arg.b64      o, out
        ld.arg.b64      s, from
        ld.arg.b64      d, to
        ld.arg.b64      p, group_step
        mul.wide.u32    wide, group, 1
        mul.i64         p, p, wide
        add.i64         s, s, p
        add.i64         d, d, p
        ld.arg.b64      p, place
        add.i64         s, s, p
        add.i64         d, d, p
        ld.arg.b32      count, iterations
        ld.arg.b32      n, slot
        add.i32         group, group, n
        mul.i32         item, item, 16
        mov.b32         n, 0
        mov.b32         end, {step * wrap}
        bar
        get.clock       t0
again_: add.i32         here, item, at
        add.i32         here, here, high
        add.i32         here, here, 0
        add.i32         here, here, 0
{addresses}{loads}{stores}        add.i32         n, n, 1
        add.i32         at, at, {step}
        add.i32         high, high, 0
        setp.ge.u32     wraps, at, end
        setp.ge.u32     wraps, at, end
        sel.b32         at, 0, at, wraps
        sel.b32         high, 0, high, wraps
{sums}        setp.lt.u32     again, n, count
@again  bra             again_
{"        fence.global" if op != "read" else ""}
{END_OF_STREAM}"""


def _place(ctas):
    """(work-groups, CUs, the number of such parts in the machine)"""
    if ctas in (GPU.count, 2 * GPU.count):
        return ctas // 4, GPU.count // 4, 4
    return ctas, min(ctas, GPU.count), 1


def _counts(chunk):
    """Iterations of the two runs."""
    factor = max(1, min(4, 32768 // chunk))
    return FEW * factor, MORE * factor


def _stream_case(op, ctas, threads, unroll, hot):
    groups, cus, share = _place(ctas)
    chunk = threads * unroll * 16
    region = max(65536, chunk) if ctas > 1 else max(262144, chunk)
    few, more = _counts(chunk)
    step, group_step = (chunk, region) if hot else (chunk * groups, chunk)
    wrap = max(1, region // chunk) if hot else more + 1
    spread = region * groups if hot else chunk * groups * (few + 2 * more)
    other = SINK if op == "copy" else DATA

    def launch(count, place, slot):
        return Launch("stream", groups, threads, (("buffer", STAMPS), ("buffer", DATA), ("buffer", other),
                                                  ("ulong", group_step), ("ulong", place), ("uint", count), ("uint", slot)))
    at = 0 if hot else chunk * groups
    launches = [launch(few, at * more, 0), launch(more, at * (more + few), groups)]
    if hot or (op != "read" and share > 1):  # first fill the L2 with the data, or with dirty lines
        launches.insert(0, launch(more, 0, groups))
    source = _stream_kernel(op, unroll, threads, step, wrap)
    buffers = [stamps(4 * groups), Buffer(DATA, spread + 4096)] + ([Buffer(SINK, spread + 4096)] if op == "copy" else [])
    return Case(source, tuple(launches), tuple(buffers), cus=cus, share=share), groups, share


def _spans(outcome, groups, run=0):
    """(start, end) of each work-group of a run."""
    words = outcome.words[STAMPS]
    return [(words[2 * g], words[2 * g + 1]) for g in range(run * groups, (run + 1) * groups)]


def _times(outcome, groups, counts, iterations):
    """Cycles of `iterations`: of the median work-group, and from the first work-group's start to the last one's end."""
    few, more = ((median([end - start for start, end in run]), max(end for _, end in run) - min(start for start, _ in run))
                 for run in (_spans(outcome, groups, 0), _spans(outcome, groups, 1)))
    return [a + (b - a) / (counts[1] - counts[0]) * (iterations - counts[0]) for a, b in zip(few, more)]


def _stream(row):
    op, ctas = row.one_of("op", "read", "write", "copy"), row.number("ctas", 1, 264)
    threads, unroll = row.number("threads", 32, 1024), row.number("loads_in_flight_per_thread", 1, 8)
    iterations = row.number("iters", 1, 1 << 20)
    case, groups, share = _stream_case(op, ctas, threads, unroll, row.one_of("mem", "l2", "dram") == "l2")
    chunk = threads * unroll * 16

    def metric(outcome):
        own, whole = _times(outcome, groups, _counts(chunk), iterations)
        if row.metric == "bytes_per_cycle_per_cta":
            return iterations * chunk / own
        if row.metric != "total_bandwidth":
            raise Unmodeled("no such metric")
        return iterations * chunk / whole * ctas * GHZ * (2 if op == "copy" else 1)
    return case, metric


def _copy_whole(row):
    """cudaMemcpy from device to device, modeled as the copying kernel on all SMs."""
    chunk = 1024 * 4 * 16
    case, groups, share = _stream_case("copy", GPU.count, 1024, 4, False)
    iterations = max(MORE, row.number("bytes", 1 << 20) // (chunk * groups * share))

    def metric(outcome):
        _, whole = _times(outcome, groups, _counts(chunk), iterations)
        return 2 * iterations * chunk * groups * share * GHZ / whole
    return case, metric


# ---- atomic operations ----------------------------------------------------------------------------

ATOMICS = 64  # per thread, as in the program
NEAR = 4096  # byte offset in the buffer of a place in the half of the L2 near the first CU


def _atomic_latency(row):
    row.one_of("op", "add_ret")
    source = f"""
.kernel chain
{HEAD}
.reg    i, v, zero
.reg64  p, q, t0, t1, o
.pred   again
        ld.arg.b64      o, out
        ld.arg.b64      p, data
        mov.b32         i, 0
        get.clock       t0
again_: mul.wide.u32    q, v, 4
        add.i64         q, q, p
        atom.global.add.i32 v, [q + {NEAR}], zero
        add.i32         i, i, 1
        setp.lt.s32     again, i, {ATOMICS}
        and.b32         v, v, zero
@again  bra             again_
        setp.ne.u32     again, v, 77
        get.clock       t1
        st.global.b64   [o], t0
        st.global.b64   [o + 8], t1
        exit
"""
    case = Case(source, (Launch("chain", 1, 1, (("buffer", STAMPS), ("buffer", DATA))),) * 2,
                (Buffer(DATA, 2 * NEAR), stamps(2)))
    return case, lambda outcome: (outcome.words[STAMPS][1] - outcome.words[STAMPS][0]) / ATOMICS


# Bytes between the words of neighboring work-items; between those of neighboring work-groups, as a constant and as a
# multiple of the group's size.
ADDRESSES = {"one_word": (0, 0, 0), "one_word_per_cta": (0, LINE, 0), "consecutive_words": (4, 0, 4),
             "word_per_128B": (LINE, 0, LINE)}


def _atomics(row):
    returns = row.one_of("op", "red", "add_ret") == "add_ret"
    per_item, per_group, per_size = ADDRESSES[row.one_of("address", *ADDRESSES)]
    ctas, threads = row.number("ctas", 1, 264), row.number("threads", 32, 256)
    iterations = row.number("iters", 1, 1 << 16)
    group_step = per_group + per_size * threads
    operation = ("atom.global.add.i32 v, [p], one\n        add.i32         n, n, 1\n"
                 "        setp.lt.s32     again, n, %d\n        add.i32         acc, acc, v" if returns else
                 "add.i32         n, n, 1\n        atom.global.add.i32 _, [p], one\n"
                 "        setp.lt.s32     again, n, %d") % iterations
    source = f"""
.kernel atomics
{HEAD}
.lds    word 16
.reg    item, group, n, v, one, acc, x
.reg64  p, q, o, t0, t1
.pred   again, lead
        get.local_id    item, x
        get.group_id    group, x
        ld.arg.b64      o, out
        ld.arg.b64      p, data
        mul.wide.u32    q, item, {per_item}
        add.i64         p, p, q
        mul.wide.u32    q, group, {group_step}
        add.i64         p, p, q
        add.i64         p, p, {NEAR}
        bar
        bar
        ld.lds.b32      x, [word]
        setp.ne.u32     again, x, 1
        get.clock       t0
        add.i32         one, item, 1
again_: {operation}
@again  bra             again_
        fence.global
        setp.eq.u32     lead, acc, 12345
        bar
        ld.lds.b32      x, [word]
        setp.ne.u32     again, x, 1
        get.clock       t1
        setp.eq.u32     lead, item, 0
        mul.wide.u32    q, group, 16
        add.i64         o, o, q
@lead   st.global.b64   [o], t0
@lead   st.global.b64   [o + 8], t1
        exit
"""
    launch = Launch("atomics", ctas, threads, (("buffer", STAMPS), ("buffer", DATA)))
    case = Case(source, (launch, launch), (Buffer(DATA, ctas * group_step + 2 * NEAR + LINE * threads), stamps(2 * ctas)),
                cus=min(ctas, GPU.count))

    def metric(outcome):
        spans = _spans(outcome, ctas)
        if row.metric == "cycles_per_warp_instr_per_sm":
            return median([end - start for start, end in spans]) / (iterations * threads / 32)
        if row.metric != "lane_ops_rate":
            raise Unmodeled("no such metric")
        return iterations * threads * ctas * GHZ / (max(end for _, end in spans) - min(start for start, _ in spans))
    return case, metric


# The compiler's code for a 64-bit remainder whose operands have 32 bits. Here it only takes time.
REMAINDER = """        add.i32         r[0], here, 0
        add.i32         r[1], r[0], 0
        xor.b32         r[2], r[1], 0
        setp.ne.u32     odd, r[2], r[2]
@odd    bra             near_{u}
near_{u}:
        cvt.f32.u32     r[3], words
        mov.b32         r[1], 0
        setp.ne.u32     some, words, 0
        rcp.f32         r[3], r[3]
        add.i32         r[3], r[3], 1
        cvt.u32.f32     r[4], r[3]
        mul.i32         r[5], r[4], 1
        mul.i32         r[5], r[5], words
        mulhi.u32       r[0], r[4], r[5]
        mul.i32         r[1], r[1], 1
        mulhi.u32       r[0], r[0], r[1]
        sub.i32         r[0], 0, r[0]
        mad.i32         r[2], r[0], words, r[2]
        setp.ge.u32     odd, r[2], words
@odd    sub.i32         r[2], r[2], words
        setp.ge.u32     odd, r[2], words
@odd    sub.i32         r[2], r[2], words
@!some  xor.b32         r[2], words, words
        and.b32         r[2], r[2], 0
        add.i32         x[{u}], here, r[2]
        add.i32         x[{u}], x[{u}], 0
        ld.global.l2.b128 v{u}, [p + x[{u}] + {offset}]
"""
SAMPLE = 4 << 20  # bytes that are read of a region that does not fit in the L2


def _shared(row):
    """All work-groups read the same region, each starting at a different place."""
    footprint, ctas = row.number("footprint_bytes", 16384), row.number("ctas", 1, 264)
    threads = row.number("threads", 32, 1024)
    chunk = threads * 64
    if footprint % (16 * threads):
        raise Unmodeled("a region that is no multiple of what a load of all work-items reads")
    groups, cus, share = _place(ctas)
    region = min(footprint, SAMPLE)
    region = region // chunk * chunk or region
    laps = max(1, region // chunk)
    loads = "".join(REMAINDER.format(u=u, offset=u * 16 * threads % region) for u in range(4))
    sums = "".join(f"        xor.b32         acc, acc, v{u}[{a}]\n        xor.b32         acc, acc, v{u}[{a + 1}]\n"
                   for u in range(4) for a in (0, 2))
    source = f"""
.kernel shared
{HEAD}
.arg    iterations u32
.arg    slot u32
.reg    item, group, count, here, n, lap, acc, words, r[6], x[4], {", ".join(f"v{u}[4]" for u in range(4))}
.reg64  first, p, o, t0, t1
.pred   again, lead, wraps, odd, some
        get.local_id    item, x
        get.group_id    group, x
        ld.arg.b64      o, out
        ld.arg.b64      first, data
        mul.i32         here, item, 16
        rem.u32         lap, group, {laps}
        mul.wide.u32    p, lap, {chunk}
        add.i64         p, p, first
        mov.b32         words, {footprint // 16}
        ld.arg.b32      count, iterations
        ld.arg.b32      n, slot
        add.i32         group, group, n
        mov.b32         n, 0
        bar
        get.clock       t0
again_: {loads.lstrip()}        add.i32         n, n, 1
        add.i32         lap, lap, 1
        add.i64         p, p, {chunk}
        setp.ge.u32     wraps, lap, {laps}
@wraps  mov.b64         p, first
@wraps  mov.b32         lap, 0
{sums}        setp.lt.u32     again, n, count
@again  bra             again_
{END_OF_STREAM}"""
    few, more = (Launch("shared", groups, threads, (("buffer", STAMPS), ("buffer", DATA), ("uint", count), ("uint", slot)))
                 for count, slot in ((FEW, 0), (MORE, groups)))
    case = Case(source, (few, more) if footprint > GPU.l2_size else (more, few, more),
                (stamps(4 * groups), Buffer(DATA, region + 2 * chunk)), cus=cus, share=share)
    iterations = max(64, footprint // 65536)

    def metric(outcome):
        _, whole = _times(outcome, groups, (FEW, MORE), iterations)
        return iterations * chunk * ctas * GHZ / whole
    return case, metric


# ---- lines and banks of one load ---------------------------------------------------------------

LOADS, ROUNDS, STEP = 8, 32, 4096
LINES = """
.const  offsets u32 {offsets}
.kernel lines
.arg    out global
.arg    data global
.reg    lane, warp, i, n, s, v[8]
.reg64  p, q, a[8], step, back, t0, t1
.pred   again, lead
        get.lane        lane
        get.warp        warp
        shl.b32         i, lane, 2
        ld.const.b32    v, [offsets + i]
        setp.eq.s32     lead, lane, 0
        ld.arg.b64      p, data
        cvt.u64.u32     q, v
        add.i64         a[0], p, q
        mov.b64         step, {step}
        mov.b64         back, {back}
        mov.b32         s, 0
        mov.b32         n, 0
time_:  bar
        get.clock       t0
        mov.b32         i, 0
round_: {loads}
        add.i64         a[0], a[7], back
        add.i32         i, i, 1
        {sums}
        setp.lt.s32     again, i, {rounds}
@again  bra             round_
        setp.eq.s32     again, s, -559038737
@again  bra             end_
        get.clock       t1
        add.i32         n, n, 1
        setp.lt.s32     again, n, 2
@again  bra             time_
        ld.arg.b64      p, out
        mul.wide.u32    q, warp, 16
        add.i64         p, p, q
@lead   st.global.b64   [p], t0
@lead   st.global.b64   [p + 8], t1
end_:   exit
"""


def _lines_of_a_load(row):
    """Times the second pass over the same lines; the first has loaded them into the L1 or L2."""
    load = "ld.global.b32" if row.one_of("load", "ld.ca", "ld.cg") == "ld.ca" else "ld.global.l2.b32"
    lines, warps, apart = row.number("lines", 1, 32), row.number("warps", 1, 32), row.one_of("banks", "apart", "shared") == "apart"
    each = 32 // lines
    offsets = ", ".join(str(128 * (lane // each) + 4 * (lane if apart else lane % each)) for lane in range(32))
    loads = "\n        ".join(f"{load} v[{k}], [a[{k}]]" + f"\n        add.i64         a[{k + 1}], a[{k}], step" * (k + 1 < LOADS)
                             for k in range(LOADS))
    sums = "\n        ".join(f"add.i32         s, s, v[{k}]" for k in range(LOADS))
    source = LINES.format(offsets=offsets, loads=loads, sums=sums, rounds=ROUNDS, step=STEP, back=(1 - LOADS) * STEP & (1 << 64) - 1)
    launch = Launch("lines", 1, 32 * warps, (("buffer", STAMPS), ("buffer", DATA)))
    case = Case(source, (launch,), (stamps(2 * warps), Buffer(DATA, LOADS * STEP + 32 * LINE)))

    def cycles(outcome):
        words = outcome.words[STAMPS]
        return (max(words[1:2 * warps:2]) - min(words[0:2 * warps:2])) / (LOADS * ROUNDS * warps)
    return case, cycles


def model(row):
    if row.test == "lines_of_a_load":
        return _lines_of_a_load(row)
    if row.test in ("chase", "chase_dram"):
        return _chase(row)
    if row.test == "l2_latency_by_sm":
        return _chase_case("ld.global.l2.b64", (1 << 20) // LINE, LINE)
    if row.test == "chase_distribution":
        return _distribution(row)
    if row.test == "stream":
        return _stream(row)
    if row.test == "l2_footprint_bandwidth":
        return _shared(row)
    if row.test == "memcpy_d2d":
        return _copy_whole(row)
    if row.test == "global_atomic":
        return _atomics(row)
    if row.test == "global_atomic_latency":
        return _atomic_latency(row)
    raise Unmodeled("no such test")
