"""Prefetches into the L2, neighbors that a missed sector brings along, and prefetched bulk copies
(measure/t8_prefetch.cu)."""
from case import Buffer, Case, Launch, Unmodeled, STAMPS, median, stamps

DATA = "data"
REPEATS, SKIPPED = 33, 3  # as in the program

# One work-item per line, which loads all of the data into the L2 half near the compute unit.
WARM = """
.kernel warm
.arg    data global
.reg    item, v
.reg64  p, q
        ld.arg.b64      p, data
        get.global_id   item, x
        mul.wide.u32    q, item, 128
        add.i64         p, p, q
        ld.global.l2.b32 v, [p]
        exit
"""

TIMED_LOAD = """        get.clock       t2
        ld.global.l2.b32 v, [q]
        setp.eq.u32     odd, v, 1
@odd    ld.arg.b64      sink, out
@odd    mov.b32         x, 1
@odd    st.global.b32   [sink], x
"""

# What the program does once per repeat, between its first two stamps, instead of or before the prefetch: it looks up
# the kind in a table of jump targets. A jump to an address in a register uses the first lane's address; the lanes with
# the same address go there.
LOOK_UP = """        ld.arg.b32      mode, kind
        add.i32         x, mode, 4294967295
        min.u32         x, x, 2
        shl.b32         x, x, 2
        ld.const.b32    x, [x]
        add.i32         x, x, 0
        bcast.b32       y, x
        setp.eq.u32     odd, x, y
@odd    bra             target
"""

SPIN = """wait_:  get.clock       now
        setp.ge.u32     over, now.lo, until.lo
        setp.ge.u32     over, now.lo, until.lo
@!over  bra             wait_
"""


def _prefetch_kernel(ways, step):
    """`ways`: the first access, which is none, a prefetch to which the program jumps, or a load with a wait for it."""
    first = {"none": "target: setp.ne.u32     odd, mode, 3\n@odd    bra             over_\n",
             "L1": "target: prefetch        [p], 4\n        bra             over_\n",
             "L2": "target: prefetch        [p], 4\n",
             "load": "target: setp.ne.u32     odd, mode, 3\n        mov.b64         q, p\n"
                     "        ld.global.l2.b32 v, [q]\n        setp.eq.u32     odd, v, 1\n@!odd   bra             over_\n"}
    return f"""
.const  table u32 0, 4, 8, 12
.kernel look
.arg    out global
.arg    data global
.arg    kind u32
.arg    distance u32
.arg    offset u32
.reg    mode, x, y, v, i
.reg64  p, q, o, sink, t0, t1, t2, t3, now, until
.pred   odd, over, again
        ld.arg.b64      p, data
        mov.b32         i, 0
next:   get.clock       t0
{LOOK_UP}{first[ways]}over_:  setp.ne.u32     odd, mode, 3
        get.clock       t1
        ld.arg.b32      y, distance
        mov.b64         until, {'t1' if ways == 'load' else 't0'}
        add.i32         until.lo, until.lo, y
        add.i32         until.hi, until.hi, 0
{SPIN}        ld.arg.b64      o, out
        sub.i64         t1, t1, t0
        shl.b32         x, i, 4
        ld.arg.b32      y, offset
        mad.wide.u32    o, x, 1, o
        st.global.b64   [o], t1
        add.i32         q.lo, p.lo, y
        add.i32         q.hi, p.hi, 0
{TIMED_LOAD}        get.clock       t3
        sub.i64         t3, t3, t2
        st.global.b64   [o + 8], t3
        add.i64         p, p, {step}
        add.i32         i, i, 1
        setp.lt.u32     again, i, {REPEATS}
@again  bra             next
        exit
"""


def _column(row):
    column = {"prefetch_issue_cycles": 0, "load_cycles": 1}.get(row.metric)
    if column is None:
        raise Unmodeled("no such metric")
    return lambda outcome: median(outcome.words[STAMPS][2 * SKIPPED + column::2])


def _prefetch_load(row):
    ways = row.one_of("prefetch", "none", "L2", "L1")
    warm, distance = row.one_of("mem", "dram", "l2") == "l2", row.number("distance", 0, 1 << 20)
    step = 4096 + 256
    return _prefetch_case(_prefetch_kernel(ways, step), distance, 0, REPEATS * step, warm), _column(row)


def _prefetch_case(kernel, distance, offset, reach, warm):
    launches = [Launch("look", 1, 1, (("buffer", STAMPS), ("buffer", DATA), ("uint", 0), ("uint", distance), ("uint", offset)))]
    if warm:
        launches.insert(0, Launch("warm", -(-reach // (128 * 256)), 256, (("buffer", DATA),)))
    return Case(WARM + kernel, tuple(launches), (stamps(2 * REPEATS), Buffer(DATA, reach + (1 << 16))))


def _neighbor(row):
    try:
        offset = int(row.text("offset"))
    except ValueError:
        raise Unmodeled("an offset that is no whole number") from None
    if not -8192 <= offset <= 1 << 20:
        raise Unmodeled("an offset out of the region")
    row.one_of("mem", "dram")
    kernel = _prefetch_kernel("load", 8192)
    kernel = kernel.replace("        mov.b64         q, p\n", "        add.i64         q, p, 8192\n")
    return _prefetch_case(kernel, row.number("distance", 0, 1 << 20), 8192 + offset,
                          (REPEATS + 2) * 8192 + max(0, offset), False), _column(row)


def _bulk(row):
    size, distance = row.number("bytes", 16, 226 << 10), row.number("distance", 0, 1 << 20)
    fetches = row.one_of("prefetch", "none", "bulk_L2") == "bulk_L2"
    step = size + 4096 + 256 - size % 256
    source = f"""
.kernel look
.arg    out global
.arg    data global
.arg    size u32
.lds    words {1024 + size}
.reg    lane, x, y, n, e, i, d, v
.reg64  p, o, t0, t1, t2, t3, now, until
.pred   lead, over, again, some, any
        get.lane        lane
        setp.eq.u32     lead, lane, 0
        ld.arg.b64      o, out
        ld.arg.b64      p, data
        mov.b32         i, {REPEATS}
next:   mov.b32         e, 0
        get.clock       t0
@lead   ld.arg.b32      n, size
        mov.pred        some, lead
        mul.i32         x, p.lo, 1
        mov.pred        any, lead
        mul.i32         y, p.hi, 1
        add.i32         v, lane, 0
        get.clock       t1
        shr.u32         d, n, 4
        mov.b32         x, d
{"@lead   prefetch        [p], n" if fetches else "        mov.b32         y, x"}
        mov.b64         until, t0
        add.i64         until, until, {distance}
{SPIN}        ld.arg.b32      v, size
@lead   st.lds.b32      [0], v
        ld.arg.b32      n, size
        bra             meet
meet:   get.clock       t2
        mov.b32         x, 1024
        shr.u32         n, n, 4
        mov.b32         y, x
        mov.b32         d, 1024
        copy.to_lds     e, [d], [p], n, size=16
        wait            e
        get.clock       t3
        sub.i64         t1, t1, t0
        sub.i64         t3, t3, t2
@lead   st.global.b64   [o], t1
@lead   st.global.b64   [o + 8], t3
        add.i64         o, o, 16
        add.i64         p, p, {step}
        sub.i32         i, i, 1
        setp.ne.u32     again, i, 0
@again  bra             next
        exit
"""
    case = Case(source, (Launch("look", 1, 32, (("buffer", STAMPS), ("buffer", DATA), ("uint", size))),),
                (stamps(2 * REPEATS), Buffer(DATA, REPEATS * step + size + 4096)))
    return case, _column(row)


def model(row):
    if row.test == "prefetch_load":
        return _prefetch_load(row)
    if row.test == "neighbour_after_miss":
        return _neighbor(row)
    if row.test == "bulk_prefetch":
        return _bulk(row)
    raise Unmodeled("no such test")
