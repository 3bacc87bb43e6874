"""Copies that the work-items carry out themselves (measure/t4_wgcopy.cu).

The kernels have the instructions of the measured program's machine code, in their order. A 64-bit address is advanced
in halves: the upper one reads the lower one, as it would for the carry. Operations that the compiler gave to the
multiplier (IMAD) are multiplications here. A load that a predicate switches off stands in the program before its
asynchronous copies.
"""
from case import Buffer, Case, Launch, Unmodelled, STAMPS, median, stamps
from rows import BadRow

LANES = 32
DATA = "data"
UNITS, SHARE = 132, 4  # compute units of the GPU, and of how many equal parts one is run where all are loaded evenly
LDS_OF = {1: 120 << 10, 2: 80 << 10, 4: 48 << 10}  # of a work-group, by how many a compute unit is to hold
REGION = 163840  # bytes that the copies of a compute unit wrap in, warm: more than the program's L1 held
FIRST, STEADY = 2, 6  # copies in sequence that are run: those that begin, and those that stand for all later ones
MEGAHERTZ = 1980

HEAD = """
.kernel warm
.arg    data global
.arg    bytes u32
.reg    i, many
.reg64  p, t0, t1
.pred   again
        ld.arg.b64      p, data
        ld.arg.b32      many, bytes
        get.global_id   i, x
        mul.i32         i, i, many
        prefetch        [p + i], many
        get.clock       t0
spin_:  get.clock       t1
        sub.i64         t1, t1, t0
        setp.lt.u64     again, t1, 3000
@again  bra             spin_
        exit
.kernel copy
.arg    out global
.arg    data global
.lds    words {lds}
.reg    tid, lane, warp, group, i, ahead, at, far, zero, size, step, step_hi, sync, d[{unroll}], v[{registers}]
.reg64  p, s, a[{unroll}], t0, t1, t2
.pred   lead, over, never, bad
        get.local_id    tid, x
        get.lane        lane
        get.warp        warp
        get.group_id    group, x
        get.local_size  size, x
        ld.arg.b64      p, out
        ld.arg.b64      s, data
        mov.b32         step, {step}
        setp.eq.s32     lead, lane, 0
"""

# A barrier, and a clock that is read after it: a loaded value decides a branch in between.
SYNC = """
        bar
        ld.lds.b32      sync, [zero]
        setp.eq.s32     bad, sync, -17958193
@bad    bra             out_
        get.clock       {clock}
"""

END = """
@!lead  bra             out_
        mad.i32         i, group, {warps}, warp
        mad.i32         i, i, 24, zero
        st.global.b64   [p + i], t0
        st.global.b64   [p + i + 8], t1
        st.global.b64   [p + i + 16], t2
out_:   exit
"""


# ---- one copy -------------------------------------------------------------------------------------

def _start(elem):
    """Addresses of a work-item's first element."""
    return f"""
        mad.i32         d, tid, {elem}, zero
        mad.i32         at, tid, {{pitch}}, zero
        mul.i32         i, tid, 1
        add.i32         s.lo, s.lo, at
        add.i32         s.lo, s.lo, zero
        mad.i32         s.hi, s.lo, zero, s.hi
        add.i32         s.hi, s.hi, zero
"""


def _advance(pair):
    return f"        add.i32         {pair}.lo, {pair}.lo, step\n", f"        mad.i32         {pair}.hi, {pair}.lo, zero, {pair}.hi\n"


GUARDED = "@never  ld.lds.b32      v, [zero]\n" * 3


def _count(threads, count):
    return f"        mad.i32         i, size, 1, i\n", f"        setp.lt.s32     over, i, {count}\n"


def _single(method, elem, threads, count):
    """The loop of one element a round."""
    bits, words = 8 * elem, elem // 4
    low, high = _advance("s")
    more, test = _count(threads, count)
    place = f"        mad.i32         d, size, {elem}, d\n"
    move = "        mul.i32         a.lo, s.lo, 1\n        mul.i32         a.hi, s.hi, 1\n"
    if method == "cp_async":
        body = more + move + low + test + GUARDED + f"        copy.lane.b{bits}   [d], [a]\n" + high + place
    elif method == "ld_st":
        body = move + f"        ld.global.b{bits}  v, [a]\n" + more + low + test + high + \
            f"        st.lds.b{bits}     [d], v\n" + place
    else:
        body = f"        ld.lds.b{bits}     v, [d]\n" + move + low + more + place + test + high + \
            f"        st.global.b{bits}  [a], v\n"
    del words
    return f"        setp.ge.s32     bad, i, {count}\n@bad    bra             end_{{n}}\nsingle_{{n}}:\n{body}" \
           f"@over   bra             single_{{n}}\nend_{{n}}:\n"


def _unrolled(method, elem, threads, count, unroll):
    """The loop of `unroll` elements a round, while there are as many."""
    bits, words = 8 * elem, elem // 4
    limit = f"        mad.i32         ahead, size, {unroll - 1}, i\n        setp.lt.s32     over, ahead, {count}\n"
    body = ["        mul.i32         a[0].lo, s.lo, 1\n        mul.i32         a[0].hi, s.hi, 1\n"]
    for u in range(unroll):
        if method == "cp_async":
            body.append(f"        copy.lane.b{bits}   [d[{u}]], [a[{u}]]\n")
        else:
            body.append(f"        ld.global.b{bits}  v[{u * words}], [a[{u}]]\n")
        to, source = ("s", f"a[{u}]") if u == unroll - 1 else (f"a[{u + 1}]", f"a[{u}]")
        body.append(f"        add.i32         {to}.lo, {source}.lo, step\n"
                    f"        mad.i32         {to}.hi, {to}.lo, zero, {source}.hi\n")
    places = [f"        mad.i32         d[{u}], size, {elem}, d[{u - 1}]\n" for u in range(1, unroll)]
    more = f"        mad.i32         i, size, {unroll}, i\n"
    if method == "cp_async":
        code = "".join(places) + GUARDED + "".join(body) + more + limit
    else:
        stores = "".join(f"        st.lds.b{bits}     [d[{u}]], v[{u * words}]\n" for u in range(unroll))
        code = "".join(body) + "".join(places) + more + limit + stores
    code += f"        mad.i32         d, size, {elem}, d[{unroll - 1}]\n"
    return f"{limit}@!over  bra             rest_{{n}}\nrounds_{{n}}:\n{code}@over   bra             rounds_{{n}}\n" \
           "rest_{n}:\n"


def _copy(method, elem, unroll, threads, count, number=0):
    code = _unrolled(method, elem, threads, count, unroll) if unroll > 1 else ""
    return (code + _single(method, elem, threads, count)).replace("{n}", str(number))


# ---- tests ----------------------------------------------------------------------------------------

def _shape(row):
    """(method, bytes of an element, elements of a round, elements, work-items)"""
    method = row.one_of("method", "cp_async", "ld_st", "st_global")
    elem = row.number("elem_bytes", 4, 16)
    if elem not in (4, 8, 16):
        raise BadRow(f"{row.file}:{row.line}: elem_bytes: {elem} is none of 4, 8, 16")
    threads = row.number("threads", 1, 1024)
    return method, elem, row.number("unroll", 1, 8), row.number("bytes", 0, 1 << 17) // elem, threads


def _head(elem, unroll, count, threads, pitch):
    return HEAD.format(lds=max(1024, count * elem), unroll=unroll, registers=max(1, unroll * elem // 4),
                       step=threads * pitch)


def _one(row):
    method, elem, unroll, count, threads = _shape(row)
    pitch = elem * row.number("stride_elems", 1, 1024)
    warm = row.one_of("mem", "l2", "dram") == "l2"
    warps = -(-threads // LANES)
    wait = {"cp_async": "        copy.lane.commit\n        copy.lane.wait  0\n", "ld_st": "",
            "st_global": "        get.clock       t1\n        fence.global\n"}[method]
    kernel = _head(elem, unroll, count, threads, pitch) + SYNC.format(clock="t0") + \
        _start(elem).replace("{pitch}", str(pitch)) + _copy(method, elem, unroll, threads, count) + wait + \
        SYNC.format(clock="t2") + END.format(warps=warps)
    span = max(4096, -(-count * pitch // 4096) * 4096)
    copy = Launch("copy", 1, threads, (("buffer", STAMPS), ("buffer", DATA)))
    touch = Launch("warm", 1, LANES, (("buffer", DATA), ("uint", span // LANES)))
    case = Case(kernel, (touch, copy) if warm else (copy,), (stamps(3 * warps), Buffer(DATA, span)))
    which = {"copy_cycles": 2, "issue_done_cycles": 1}.get(row.metric)
    if which is None:
        raise Unmodelled(f"no metric '{row.metric}'")

    def metric(outcome):
        words = outcome.words[STAMPS]
        return max(words[which::3]) - min(words[0::3])
    return case, metric


NEXT = """
@@WAIT@@        bar
        add.i32         number, number, 1
        add.i32         s0.lo, s0.lo, far
        mad.i32         s0.hi, s0.lo, zero, s0.hi
        setp.ge.u32     over, s0.lo, end.lo
        setp.ge.u32     over, s0.lo, end.lo
        sel.b32         s0.lo, begin.lo, s0.lo, over
        sel.b32         s0.hi, begin.hi, s0.hi, over
        mul.i32         s.lo, s0.lo, 1
        mul.i32         s.hi, s0.hi, 1
        setp.eq.s32     first, number, {first}
@first  get.clock       t1
        setp.lt.s32     more, number, {copies}
@more   bra             next_
        get.clock       t2
"""


def _place(groups):
    """(work-groups that are run, on how many compute units, of how many such parts the machine is, how many share a unit)"""
    together = -(-groups // UNITS)
    if groups >= 100 and groups % SHARE == 0:
        return groups // SHARE, UNITS // SHARE, SHARE, together
    return groups, min(groups, UNITS), 1, together


def _many(row):
    method, elem, unroll, count, threads = _shape(row)
    total = row.number("copies_per_cta", FIRST + 1, 1 << 20)
    warm = row.one_of("mem", "l2", "dram") == "l2"
    groups, units, share, together = _place(row.number("ctas", 1, 32 * UNITS))
    copies = min(total, FIRST + STEADY)
    warps, size = -(-threads // LANES), count * elem
    wait = "        copy.lane.commit\n        copy.lane.wait  0\n" if method == "cp_async" else ""
    head = _head(elem, unroll, count, threads, elem).replace("sync,", "sync, number,") \
        .replace(".reg64  p,", ".reg64  s0, begin, end, t3, p,").replace(".pred   lead", ".pred   more, first, lead")
    head = head.replace(f"words {max(1024, size)}", f"words {max(LDS_OF.get(together, 1024), size)}")
    fits = max(1, REGION // together // max(size, 1))  # a warm region holds as many copies
    region, far = (min(fits, copies) * size, size) if warm else (size, size * groups)
    span = region * groups if warm else copies * far
    kernel = head + f"        mul.i32         at, group, {region}\n        add.i32         s.lo, s.lo, at\n" \
        f"        mov.b64         s0, s\n        mov.b64         begin, s\n" \
        f"        add.i64         end, s, {region if warm else span}\n        mov.b32         far, {far}\n" + \
        SYNC.format(clock="t0") + "next_:\n" + _start(elem).replace("{pitch}", str(elem)) + \
        _copy(method, elem, unroll, threads, count) + \
        NEXT.format(first=FIRST, copies=copies).replace("@@WAIT@@", wait.lstrip("\n")) + \
        SYNC.format(clock="t3") + END.format(warps=warps).replace("24", "32") \
        .replace("out_:", "        st.global.b64   [p + i + 24], t3\nout_:")
    lanes = LANES * 8
    copy = Launch("copy", groups, threads, (("buffer", STAMPS), ("buffer", DATA)))
    touch = Launch("warm", 1, lanes, (("buffer", DATA), ("uint", -(-span // lanes // 128) * 128)))
    case = Case(kernel, (touch, copy) if warm else (copy,),
                (stamps(4 * warps * groups), Buffer(DATA, max(128, span + 128 * lanes))), cus=units, share=share)

    def cycles(outcome):
        """Of all of a work-group's copies."""
        words = outcome.words[STAMPS]
        groups_words = [words[4 * warps * group:4 * warps * group + 4] for group in range(groups)]
        return [middle - begin + (last - middle) / (copies - FIRST) * (total - FIRST) + end - last
                for begin, middle, last, end in groups_words]

    if row.metric == "cycles_per_copy":
        return case, lambda outcome: median(cycles(outcome)) / total
    if row.metric == "total_bandwidth":
        return case, lambda outcome: total * size * groups * share * MEGAHERTZ / 1000 / max(cycles(outcome))
    raise Unmodelled(f"no metric '{row.metric}'")


def model(row):
    return _one(row) if row.test == "wgcopy" else _many(row)
