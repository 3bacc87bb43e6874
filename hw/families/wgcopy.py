"""Copies that the work-items execute themselves (measure/t4_wgcopy.cu).

The kernels have the instructions of the measured program's machine code, in their order. A 64-bit address is advanced
in halves: the upper half reads the lower half, as it would for the carry. Operations that the compiler put on the
multiplier (IMAD) are multiplications here. As in the program, loads that a predicate switches off precede asynchronous
copies.
"""
from case import GPU, Buffer, Case, Launch, Unmodeled, NEVER_LOADS, STAMPS, median, never_runs, stamps
from rows import BadRow

LANES = 32
SECTOR = 32
DATA = "data"
SHARE = 4  # with an even load, one of this many equal parts of the GPU is simulated
LDS_OF = {1: 120 << 10, 2: 80 << 10, 4: 48 << 10}  # bytes per work-group, by the work-groups that should fit in a CU
# The part of a compute unit's SRAM that is LDS, which comes in a few sizes; the L1 has the rest.
SRAM, CARVED = 256 << 10, {1: 132 << 10, 2: 164 << 10, 4: 196 << 10}
REGION = 163840  # bytes of the region in which a compute unit's copies wrap, warm: larger than the program's L1
FIRST, STEADY = 2, 6  # simulated copies of a sequence: the first ones, and those that represent all later ones
REPEATS, SHORT = 9, 2048  # single copies in separate regions, whose median counts; up to SHORT elements, all are run

HEAD = """
.kernel warm
.arg    data global
.arg    count u32
.arg    pitch u32
.arg    far u32
.reg    i, n, size, apart, group, v
.reg64  p, at
.pred   again
        ld.arg.b64      p, data
        ld.arg.b32      n, count
        ld.arg.b32      apart, pitch
        ld.arg.b32      v, far
        get.group_id    group, x
        mul.wide.u32    at, group, v
        add.i64         p, p, at
        get.local_id    i, x
        get.local_size  size, x
        setp.ge.u32     again, i, n
@again  bra             warmed_
more_:  mad.wide.u32    at, i, apart, p
        ld.global.b32   v, [at]
        add.i32         i, i, size
        setp.lt.u32     again, i, n
@again  bra             more_
warmed_: exit
.kernel copy
.arg    out global
.arg    data global
.arg    pitch_of u32
.arg    place u32
.arg    slot u32
.lds    words {lds}
.reg    tid, lane, warp, group, i, ahead, at, far, zero, size, step, pitch, sync, spare, number
.reg    d[{unroll}], v[{registers}]
.reg64  p, s, t, a[{unroll}], begin, first, end, t0, t1, t2, t3
.pred   lead, some, over, never, bad, more
        get.local_id    tid, x
        get.lane        lane
        get.warp        warp
        get.group_id    group, x
        get.local_size  size, x
        ld.arg.b64      p, out
        ld.arg.b64      begin, data
        ld.arg.b32      at, place
        add.i32         begin.lo, begin.lo, at
        ld.arg.b32      at, slot
        add.i32         group, group, at
        mov.b32         step, {step}
        setp.eq.s32     lead, lane, 0
        setp.lt.s32     some, tid, {filled}
@!some  bra             filled_
        mad.i32         at, tid, 4, zero
        st.lds.b32      [at], tid
filled_:
"""

# Whether a work-item takes part, computed before the clock read.
SOME = {1: "        setp.lt.s32     some, tid, {count}\n",
        2: "        mad.i32         ahead, size, {ahead}, tid\n        setp.lt.s32     some, ahead, {count}\n"}

# A barrier, then a clock read that cannot move before it: a branch on a loaded value is in between.
SYNC = """
        bar
{base}        ld.lds.b32      sync, [zero]
        setp.eq.s32     bad, sync, -17958193
@bad    bra             out_
{some}        get.clock       {clock}
"""

# The program recomputes the address of its shared memory, and BSSY sets the place of convergence. Each takes an issue
# slot of every warp.
BASE = "        mov.b32         spare, 0\n        mad.i32         spare, zero, 1, zero\n"
MARK = "        mov.b32         spare, zero\n"
LEAVE = "        and.b32         spare, tid, 31\n" + MARK

END = """
@!lead  bra             out_
        mad.i32         i, group, {warps}, warp
        mad.i32         i, i, 32, zero
        st.global.b64   [p + i], t0
        st.global.b64   [p + i + 8], t1
        st.global.b64   [p + i + 16], t2
        st.global.b64   [p + i + 24], t3
out_:   exit
"""


# ---- one copy -------------------------------------------------------------------------------------

def _start(elem, unroll):
    """Computes the addresses of a work-item's first element, in registers `s` and (in the LDS) `d`, and its number
    `i`."""
    last = "        add.i32         s.hi, t.hi, zero\n        mul.i32         a[0].hi, s.hi, 1\n"
    many = MARK + "        mov.b32         spare, 0\n" + MARK * 6 * (elem > 8) if unroll > 1 else ""
    return many + f"""        ld.arg.b32      pitch, pitch_of
        mad.i32         d[0], tid, {elem}, zero
        mad.wide.s32    t, tid, pitch, begin
        add.i32         s.lo, t.lo, zero
        add.i32         t.hi, t.hi, s.lo
        add.i32         s.lo, s.lo, zero
        sub.i32         t.hi, t.hi, s.lo
""" + last + ("" if unroll > 1 else "        mul.i32         i, tid, 1\n")


GUARDED = NEVER_LOADS.format("v")


def _single(method, elem, count, before=""):
    """The loop of one element per round, for work-items that have one; they run `before` first."""
    bits = 8 * elem
    low, more = "        add.i32         s.lo, s.lo, step\n", "        mad.i32         i, size, 1, i\n"
    high = "        mad.i32         s.hi, s.lo, zero, s.hi\n"
    test, place = f"        setp.lt.s32     over, i, {count}\n", f"        mad.i32         d[0], size, {elem}, d[0]\n"
    move = "        mul.i32         a[0].lo, s.lo, 1\n        mul.i32         a[0].hi, s.hi, 1\n"
    if method == "cp_async":
        body = more + move + low + test + GUARDED + f"        copy.lane.b{bits}   [d[0]], [a[0]]\n" + high + place
    elif method == "ld_st":
        body = move + f"        ld.global.b{bits}  v, [a[0]]\n" + more + low + test + high + \
            f"        st.lds.b{bits}     [d[0]], v\n" + place
    else:
        body = f"        ld.lds.b{bits}     v, [d[0]]\n" + move + low + more + place + test + high + \
            f"        st.global.b{bits}  [a[0]], v\n"
    return f"@!some  bra             end_{{n}}\n{before}single_{{n}}:\n{body}" \
           f"@over   bra             single_{{n}}\nend_{{n}}:  bra             met_{{n}}\nmet_{{n}}:\n"


def _rounds(method, elem, count, unroll):
    """The body of the loop of `unroll` elements per round. As in SASS, each address is computed as late as possible."""
    bits, words, last = 8 * elem, elem // 4, unroll - 1
    low = [f"        add.i32         a[{u}].lo, a[{u - 1}].lo, step\n" for u in range(1, unroll)]
    low[0] = "        add.i32         a[1].lo, s.lo, step\n"
    low.append(f"        add.i32         s.lo, a[{last}].lo, step\n")
    high = [f"        mad.i32         a[{u}].hi, a[{u}].lo, zero, a[{u - 1}].hi\n" for u in range(1, unroll)]
    high.append(f"        mad.i32         a[0].hi, s.lo, zero, a[{last}].hi\n")
    place = [f"        mad.i32         d[{u}], size, {elem}, d[{u - 1}]\n" for u in range(1, unroll)]
    place.append(f"        mad.i32         d[0], size, {elem}, d[{last}]\n")
    more = f"        mad.i32         i, size, {unroll}, i\n"
    ahead, test = _limit(count, unroll)
    move = "        mul.i32         a[0].lo, s.lo, 1\n"
    if method == "cp_async":
        steps = [f"        copy.lane.b{bits}   [d[{u}]], [a[{u}]]\n" for u in range(unroll)]
        code = [low[0], place[0], move, high[0]] + place[1:2] * (last > 1) + low[1:2] + [more, GUARDED]
        for u, step in enumerate(steps):
            code += [test if u == last else ahead if u == last - 1 else "", step]
            code += place[u + 2:u + 3] * (u + 2 < last) + high[u + 1:u + 2] * (u + 1 < last) + low[u + 2:u + 3]
        return "".join(code + [place[last], high[last]])
    steps = [f"        ld.global.b{bits}  v[{u * words}], [a[{u}]]\n" for u in range(unroll)]
    code = [low[0], move, high[0]]
    for u, step in enumerate(steps):
        code += low[u + 1:u + 2] * (u < last - 1) + [step] + high[u + 1:u + 2] * (u < last - 1)
    stores = [f"        st.lds.b{bits}     [d[{u}]], v[{u * words}]\n" for u in range(unroll)]
    return "".join(code + place[:-1] + [more, ahead, test, low[last], high[last]] + stores + [place[last]])


def _limit(count, unroll):
    return f"        mad.i32         ahead, size, {unroll - 1}, i\n", f"        setp.lt.s32     over, ahead, {count}\n"


def _copy(method, elem, unroll, count, number=0):
    """Copies `count` elements from `begin` on. The predicate `some` is true in work-items that have an element or, with
    `unroll`, a complete round."""
    start = _start(elem, unroll)
    if unroll == 1:
        return _single(method, elem, count, start).replace("{n}", str(number))
    rounds = "@!some  bra             rest_{n}\n" \
        f"        mad.i32         d[0], tid, {elem}, zero\n        mul.i32         i, tid, 1\n" \
        "rounds_{n}:\n" + _rounds(method, elem, count, unroll) + \
        "@over   bra             rounds_{n}\nrest_{n}: bra             joined_{n}\njoined_{n}:\n" \
        f"        setp.lt.s32     some, i, {count}\n        mul.i32         s.hi, a[0].hi, 1\n" + MARK
    whole = "        mul.i32         i, tid, 1\n" + start + rounds + _single(method, elem, count)
    return whole.replace("{n}", str(number))


def _wide_copy(method, elem, unroll, count):
    """The same for contiguous elements, whose addresses the compiler advances with one wide multiplication each."""
    bits, words, last = 8 * elem, elem // 4, unroll - 1
    start = "        mul.i32         a[0].lo, begin.lo, 1\n        mul.i32         a[0].hi, begin.hi, 1\n" \
        f"        mad.i32         d[0], tid, {elem}, zero\n        mul.i32         i, tid, 1\n" \
        f"        mad.wide.u32    a[0], tid, {elem}, a[0]\n"
    one = "@!some  bra             end\n" + (start if unroll == 1 else "") + "single:\n"
    more, test = "        mad.i32         i, size, 1, i\n", f"        setp.lt.s32     over, i, {count}\n"
    wide = f"        mad.wide.u32    a[0], size, {elem}, a[0]\n"
    place = f"        mad.i32         d[0], size, {elem}, d[0]\n"
    if method == "cp_async":
        one += more + GUARDED + f"        copy.lane.b{bits}   [d[0]], [a[0]]\n" + test + wide + place
    else:
        one += f"        ld.global.b{bits}  v, [a[0]]\n" + more + test + wide + \
            f"        st.lds.b{bits}     [d[0]], v\n" + place
    one += "@over   bra             single\nend:    bra             met\nmet:\n"
    if unroll == 1:
        return MARK + one
    step = f"        mad.wide.u32    a[{{}}], size, {elem}, a[{{}}]\n"
    ahead, test = _limit(count, unroll)
    places = "".join(f"        mad.i32         d[{u}], size, {elem}, d[{u - 1}]\n" for u in range(1, unroll))
    if method == "cp_async":
        body = places + GUARDED + "".join(f"        copy.lane.b{bits}   [d[{u}]], [a[{u}]]\n" +
                                          (step.format(u + 1, u) if u < last else "") for u in range(unroll))
    else:
        body = "".join((step.format(u + 1, u) if u < last else "") +
                       f"        ld.global.b{bits}  v[{u * words}], [a[{u}]]\n" for u in range(unroll)) + places
    body += f"        mad.i32         i, size, {unroll}, i\n" + ahead + test
    if method != "cp_async":
        body += "".join(f"        st.lds.b{bits}     [d[{u}]], v[{u * words}]\n" for u in range(unroll))
    body += f"        mad.i32         d[0], size, {elem}, d[{last}]\n" + step.format(0, last)
    return MARK + start + "@!some  bra             rest\nrounds:\n" + body + "@over   bra             rounds\n" \
        f"rest:   bra             joined\njoined:\n        setp.lt.s32     some, i, {count}\n" + MARK + one


# ---- tests ----------------------------------------------------------------------------------------

def _shape(row):
    """(method, bytes per element, elements per round, elements, work-items)"""
    method = row.one_of("method", "cp_async", "ld_st", "st_global")
    elem = row.number("elem_bytes", 4, 16)
    if elem not in (4, 8, 16):
        raise BadRow(f"{row.file}:{row.line}: elem_bytes: {elem} is none of 4, 8, 16")
    threads = row.number("threads", 1, 1024)
    return method, elem, row.number("unroll", 1, 8), row.number("bytes", 0, 1 << 17) // elem, threads


def _head(method, elem, unroll, count, threads, pitch, lds=0):
    """`pitch`: bytes between the elements of neighboring work-items. `lds`: at least that many bytes."""
    words = 4 if method == "cp_async" else max(1, unroll * elem // 4)
    return HEAD.format(lds=max(1024, lds, count * elem), unroll=unroll, registers=words,
                       step=threads * pitch, filled=count * elem // 4)


def _warm(groups, count, pitch, region):
    """Every compute unit reads the data that it will copy, so that the L2 half near it has them."""
    return Launch("warm", groups, 1024, (("buffer", DATA), ("uint", count), ("uint", pitch), ("uint", region)))


def _some(unroll, count):
    return SOME[min(unroll, 2)].format(ahead=unroll - 1, count=count) + (MARK if unroll == 1 else "")


def _one(row):
    method, elem, unroll, count, threads = _shape(row)
    pitch = elem * row.number("stride_elems", 1, 1024)
    warm = row.one_of("mem", "l2", "dram") == "l2"
    warps = -(-threads // LANES)
    wait = {"cp_async": "        copy.lane.commit\n        copy.lane.wait  0\n", "ld_st": "",
            "st_global": "        get.clock       t1\n        fence.global\n"}[method]
    kernel = _head(method, elem, unroll, count, threads, pitch) + \
        SYNC.format(base=BASE, clock="t0", some=_some(unroll, count)) + \
        _copy(method, elem, unroll, count) + wait + \
        SYNC.format(base="", clock="t2", some=LEAVE) + END.format(warps=warps)
    apart = -(-count * pitch // 4096) * 4096 + 4096
    repeats = REPEATS if count <= SHORT else 3
    copies = tuple(Launch("copy", 1, threads, (("buffer", STAMPS), ("buffer", DATA), ("uint", pitch), ("uint", slot * apart),
                                               ("uint", slot))) for slot in range(repeats))
    touch = _warm(repeats, count, max(pitch, min(SECTOR, elem)), apart)
    case = Case(kernel, (touch,) * warm + copies, (stamps(4 * warps * repeats), Buffer(DATA, apart * repeats)),
                sets=never_runs(kernel))
    which = {"copy_cycles": 2, "issue_done_cycles": 1}.get(row.metric)
    if which is None:
        raise Unmodeled(f"no metric '{row.metric}'")

    def metric(outcome):
        words = outcome.words[STAMPS]
        runs = [words[start:start + 4 * warps] for start in range(0, len(words), 4 * warps)]
        return median([max(run[which::4]) - min(run[0::4]) for run in runs])
    return case, metric


# The next copy's place, which wraps at the region's end.
NEXT = """
{wait}        bar
        add.i32         number, number, 1
        add.i32         t.lo, begin.lo, far
        mad.i32         t.hi, t.lo, zero, begin.hi
        setp.ge.u32     over, t.lo, end.lo
        setp.ge.u32     over, t.lo, end.lo
        sel.b32         begin.lo, first.lo, t.lo, over
        sel.b32         begin.hi, first.hi, t.hi, over
        setp.eq.s32     over, number, {first}
@over   get.clock       t1
        setp.lt.s32     more, number, {copies}
@more   bra             next_
        get.clock       t2
"""


def _place(groups):
    """(simulated work-groups, compute units, the number of such parts in the machine, work-groups per compute unit)"""
    together = -(-groups // GPU.count)
    if groups >= 100 and groups % SHARE == 0:
        return groups // SHARE, GPU.count // SHARE, SHARE, together
    return groups, min(groups, GPU.count), 1, together


def _many(row):
    method, elem, unroll, count, threads = _shape(row)
    total = row.number("copies_per_cta", FIRST + 1, 1 << 20)
    warm = row.one_of("mem", "l2", "dram") == "l2"
    groups, units, share, together = _place(row.number("ctas", 1, 32 * GPU.count))
    copies, warps, size = min(total, FIRST + STEADY), -(-threads // LANES), count * elem
    fits = max(1, REGION // together // max(size, 1))  # copies that fit in a warm region
    region, far = (min(fits, copies) * size, size) if warm else (size, size * groups)
    span = region * groups if warm else copies * far
    wait = "        copy.lane.commit\n        copy.lane.wait  0\n" if method == "cp_async" else ""
    kernel = _head(method, elem, unroll, count, threads, elem, LDS_OF.get(together, 0)) + f"""
        mul.i32         at, group, {region}
        add.i32         begin.lo, begin.lo, at
        mov.b64         first, begin
        add.i64         end, first, {region if warm else span}
        mov.b32         far, {far}
""" + SYNC.format(base=BASE, clock="t0", some="") + "next_:\n" + _some(unroll, count) + \
        _wide_copy(method, elem, unroll, count) + \
        NEXT.format(wait=wait, first=FIRST, copies=copies) + \
        SYNC.format(base="", clock="t3", some="") + END.format(warps=warps)
    copy = Launch("copy", groups, threads, (("buffer", STAMPS), ("buffer", DATA), ("uint", elem), ("uint", 0), ("uint", 0)))
    touch = _warm(groups, region // SECTOR, SECTOR, region)
    case = Case(kernel, (touch, copy) if warm else (copy,),
                (stamps(4 * warps * groups), Buffer(DATA, max(128, span))), cus=units, share=share,
                sets=never_runs(kernel) + ((("mem.l1_size", str(SRAM - CARVED[together])),) if together in CARVED else ()))

    def cycles(outcome):
        """Cycles of all of a work-group's copies."""
        words = outcome.words[STAMPS]
        of_groups = [words[4 * warps * group:4 * warps * group + 4] for group in range(groups)]
        return [middle - begin + (last - middle) / (copies - FIRST) * (total - FIRST) + end - last
                for begin, middle, last, end in of_groups]

    if row.metric == "cycles_per_copy":
        return case, lambda outcome: median(cycles(outcome)) / total
    if row.metric == "total_bandwidth":
        return case, lambda outcome: total * size * groups * share * GPU.clock_mhz / 1000 / max(cycles(outcome))
    raise Unmodeled(f"no metric '{row.metric}'")


def model(row):
    return _one(row) if row.test == "wgcopy" else _many(row)
