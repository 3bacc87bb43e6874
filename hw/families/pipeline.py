"""Multi-stage pipelines of tiles (measure/t5_pipe.cu): copy tile t + S - 1, wait for tile t, compute on it, barrier.

The kernel has the program's instructions, in the order of its machine code. It runs only as many laps of S tiles as the
steady state needs; the time of all of the program's tiles is computed from them. 132 and 264 work-groups run on a
quarter of the machine.
"""
from case import GPU, Buffer, Case, Launch, Unmodeled, NEVER_LOADS, STAMPS, median, never_runs, stamps

# work-groups, CUs, the number of such parts in the machine
PLACES = {"1cta_1sm": (1, 1, 1), "2cta_1sm": (2, 1, 1), "132cta": (33, 33, 4), "264cta": (66, 33, 4)}
HEAD = 1024  # bytes of LDS before the stages
DATA = "data"
REGION, REGION_OF_FEW = 65536, 262144  # bytes of the region in which a work-group's tiles wrap, warm


# The compiler's order of a group's instructions before its multiply-adds, by engine and stages: a(nd), d(ecrement),
# p(lace, on the multiplier) or q (on the adder), m(ove on, on the multiplier) or e (on a shifting adder), s(et the
# predicate), l(oad).
ORDERS = {
    ("bulk", 1): "a0 d a1 m1 a2 p0 s p1 a3 p2 e0 l0 m2 p3 l1 m3 l2 l3",
    ("bulk", 2): "a0 d a1 m0 a2 p0 s p1 a3 p2 l0 m1 p3 l1 m2 m3 l2 l3",
    ("bulk", 3): "a0 d a1 m0 a2 p0 a3 p1 s p2 l0 p3 m1 l1 m2 m3 l2 l3",
    ("cp_async", 1): "a0 d a1 m0 q0 a2 p1 a3 m2 l0 p2 s p3 l1 e1 m3 l2 l3",
    ("cp_async", 2): "a0 d a1 m0 a2 p0 s p1 a3 m1 q2 l0 e2 p3 l1 m3 l2 l3",
    ("cp_async", 4): "a0 d a1 m0 a2 p0 a3 p1 q2 m1 s l0 p3 e2 m3 l1 l2 l3",
    ("cp_async", 8): "a0 d a1 m0 p0 a2 p1 a3 m1 q2 l0 s p3 l1 m2 m3 l2 l3",
    ("ld_st", 1): "a0 d a1 m0 a2 m2 l0 a3 m3 s l1 e1 l2 l3",
}
SAME_ORDER = {("bulk", 4): 3, ("bulk", 6): 2, ("bulk", 8): 3, ("cp_async", 3): 2, ("cp_async", 6): 1}
OPERATIONS = {
    "a": "and.b32         a[{0}], o[{0}], mask",
    "d": "sub.i32         i, i, 1",
    "p": "mad.i32         a[{0}], a[{0}], 1, here",
    "q": "add.i32         a[{0}], a[{0}], here",
    "m": "mad.i32         o[{0}], t4, 4, o[{0}]",
    "e": "add.i32         o[{0}], o[{0}], t16",
    "s": "setp.ne.u32     again, i, 0",
    "l": "ld.lds.b32      x[{0}], [a[{0}] + {1}]",
}


def _group(engine, stages, place):
    """A group's instructions except its multiply-adds and its branch. `place`: the stage's offset in the LDS."""
    order = ORDERS.get((engine, SAME_ORDER.get((engine, stages), stages)), ORDERS["bulk", 3])
    return "".join(f"        {OPERATIONS[step[0]].format(step[1:], place)}\n" for step in order.split())


def _compute(engine, stages, stage, tile, groups):
    """The function that the program calls: `groups` times 4 loads and 16 dependent multiply-adds. It returns to an
    address in a register: the first lane's address, for all lanes that have the same."""
    if groups == 0:
        return ""
    sums = "".join(f"        fma.f32         acc, acc, 0.5, x[{i % 4}]\n" for i in range(16))
    return f"""
        ld.arg.b32      mask, bytes_of_tile
        mul.i32         here, base, 1
        sub.i32         mask, mask, 1
        mul.i32         o[0], item4, 1
        mov.b32         back, 0
        mul.i32         mask, mask, 1
        bra             compute_{stage}
compute_{stage}:
        mad.i32         o[1], o[0], 1, t4
        mul.i32         i, count, 1
        mad.i32         o[2], o[1], 1, t4
        mad.i32         o[3], o[2], 1, t4
group_{stage}:
{_group(engine, stages, HEAD + stage * tile)}{sums}@again  bra             group_{stage}
        mul.i32         o[0], back, 1
        mul.i32         o[1], back, 1
        bcast.b32       here, o[0]
        setp.eq.u32     again, here, o[0]
@again  bra             computed_{stage}
computed_{stage}:
"""


BYTES = "        ld.arg.b32      bytes, bytes_of_tile\n"

GUARD = NEVER_LOADS.format("x")

# The address of the next tile, or of the first one again, in two 32-bit halves.
ADVANCE = """
        add.i32         from.lo, from.lo, step
        add.i32         from.hi, from.hi, 0
        setp.ge.u32     wraps, from.lo, end
        setp.ge.u32     wraps, from.lo, end
        sel.b32         from.lo, first.lo, from.lo, wraps
        sel.b32         from.hi, first.hi, from.hi, wraps
"""


def _issue_bulk(stage, tile, number, stages, loaded=False):
    """An elected lane of the first warp announces the bytes and copies, in a loop over elected lanes that the compiler
    makes. Moves to uniform registers are broadcasts here. `loaded`: the number of bytes has already been read."""
    return f"""
@!first_warp bra        issue_{number}
        mov.pred        none, 0
        add.i32         u[2], base, {HEAD + stage * tile}
        add.i32         u[3], base, {8 * stage}
        mov.pred        some, 1
        vote.any        any, some
{"" if loaded else BYTES}        shr.u32         chunks, bytes, 4
        bcast.b32       chunks, chunks
        mul.i32         chunks, chunks, 1
        elect           one
@one    bcast.b32       at, from.lo
@one    bcast.b32       to, from.hi
@one    bcast.b32       u[0], u[3]
@one    bcast.b32       u[1], u[2]
        and.pred        some, none, one
        mov.pred        none, 0
@some   bra             issue_{number}
issue_{number}:
        copy.to_lds     event[{stage}], [{HEAD + stage * tile}], [from], {tile // 16}, size=16
"""


def _issue_cp_async(stage, tile, number, stages, loaded=False):
    """All work-items copy 16 bytes at a time, bypassing the registers. The compiler puts three dead loads before each
    copy. With one stage it keeps nothing in registers: the bytes and the LDS's base are read each time."""
    again = BYTES + "        setp.ge.s32     over, item16, bytes\n" if stages == 1 else ""
    base = "        ld.arg.b32      base, nothing\n" if stages == 1 else BYTES
    return f"""
{again}@over   bra             filled_{number}
{base}        add.i32         p.lo, from.lo, item16
        mul.i32         at, item16, 1
        mad.i32         p.hi, p.lo, zero, from.hi
        add.i32         start_at, base, {HEAD + stage * tile}
fill_{number}:
        add.i32         to, at, start_at
        mov.b32         q.hi, p.hi
        mul.i32         q.lo, p.lo, 1
        add.i32         p.lo, p.lo, t16
        mad.i32         at, at, 1, t16
{GUARD}        copy.lane.b128  [to], [q]
        mad.i32         p.hi, p.lo, zero, p.hi
        setp.lt.s32     again, at, bytes
@again  bra             fill_{number}
filled_{number}:
        copy.lane.commit
"""


def _issue_ld_st(stage, tile, number, stages, loaded=False):
    """All work-items load and store 16 bytes at a time."""
    return f"""
        ld.arg.b32      bytes, bytes_of_tile
        setp.ge.s32     over, item16, bytes
@over   bra             filled_{number}
        ld.arg.b32      base, nothing
        add.i32         p.lo, from.lo, item16
        mul.i32         at, item16, 1
        mad.i32         p.hi, p.lo, zero, from.hi
fill_{number}:
        mov.b32         q.lo, p.lo
        mul.i32         q.hi, p.hi, 1
        ld.global.l2.b128 v, [q]
        add.i32         to, at, base
        mad.i32         at, at, 1, t16
        add.i32         p.lo, p.lo, t16
        setp.lt.s32     again, at, bytes
        mad.i32         p.hi, p.lo, zero, p.hi
        st.lds.b128     [to + {HEAD + stage * tile}], v
@again  bra             fill_{number}
filled_{number}:
"""


ISSUES = {"bulk": _issue_bulk, "cp_async": _issue_cp_async, "ld_st": _issue_ld_st}


def _wait(engine, stages, stage):
    """Waits until the tile in `stage` is complete for all warps."""
    if engine == "ld_st":
        return "        bar.lds\n"
    if engine == "cp_async":
        return f"        copy.lane.wait  {stages - 1}\n        bar.lds\n"
    return f"""
        wait            event[{stage}]
        mov.b32         event[{stage}], 0
"""


def _kernel(engine, stages, tile, groups, laps, step, end):
    """`laps`: (not timed, all). Tiles are `step` bytes apart and wrap at `end`, 0: never."""
    issue = ISSUES[engine]
    prologue = "".join(issue(stage, tile, f"before_{stage}", stages) + ADVANCE for stage in range(stages - 1))
    lap = ""
    for stage in range(stages):
        early = engine == "bulk" and stage >= 2  # the compiler does this from a lap's third copy on
        last = stage == stages - 1
        lap += issue((stage + stages - 1) % stages, tile, stage, stages, early) + ("" if last else ADVANCE) + \
            _wait(engine, stages, stage) + _compute(engine, stages, stage, tile, groups) + \
            (BYTES if engine == "bulk" and 1 <= stage and not last else "") + "        bar.lds\n"
    rest = "".join(_wait(engine, stages, stage) for stage in range(stages - 1)) if engine == "bulk" else ""
    return f"""
.kernel pipe
.arg    out   global
.arg    data  global
.arg    apart u32
.arg    bytes_of_tile u32
.arg    nothing u32
.lds    room  {HEAD + stages * tile}
.reg    item, item4, item16, t4, t16, group, bytes, step, end, lap, chunks, u[4], count, mask, here, base, back
.reg    i, at, to, start_at, zero, o[4], a[4], x[4], v[4], acc, event[{stages}]
.reg64  from, first, p, q, results, start, begin, finish, stop
.pred   lead, first_warp, one, any, some, none, never, wraps, again, over
        get.local_id    item, x
        get.group_id    group, x
        ld.arg.b64      first, data
        ld.arg.b64      results, out
        ld.arg.b32      at, apart
        get.local_size  t4, x
        shl.b32         t16, t4, 4
        shl.b32         t4, t4, 2
        shl.b32         item4, item, 2
        shl.b32         item16, item, 4
        mul.i32         at, at, group
        add.i32         first.lo, first.lo, at
        add.i32         end, first.lo, {end}
        mov.b32         step, {step}
        mov.b32         count, {groups}
        setp.ge.s32     over, item16, {tile}
        mov.b64         from, first
        get.warp        at
        setp.eq.u32     first_warp, at, 0
        bar.lds
        get.clock       start
{prologue}
lap_:   setp.eq.s32     again, lap, {laps[0]}
@again  get.clock       begin
        setp.eq.s32     again, lap, {laps[1]}
@again  get.clock       finish
{lap}{ADVANCE}
        add.i32         lap, lap, 1
        setp.lt.s32     again, lap, {laps[1]}
@again  bra             lap_
        get.clock       finish
{rest}
        get.clock       stop
        setp.eq.s32     lead, item, 0
        shl.b32         at, group, 5
@lead   st.global.b64   [results + at], start
@lead   st.global.b64   [results + at + 8], begin
@lead   st.global.b64   [results + at + 16], finish
@lead   st.global.b64   [results + at + 24], stop
        exit
"""


def _touch(stages, tile, region):
    """An earlier launch of the same work-groups, so that the same compute unit has already read warm data."""
    return f"""
.kernel touch
.arg    data  global
.lds    room  {HEAD + stages * tile}
.reg    item, at, size, v[4]
.reg64  p
.pred   more
        get.local_id    item, x
        get.local_size  size, x
        get.group_id    at, x
        ld.arg.b64      p, data
        mul.i32         at, at, {region}
        add.i32         p.lo, p.lo, at
        shl.b32         at, item, 4
        shl.b32         size, size, 4
next:   setp.lt.u32     more, at, {region}
@more   ld.global.l2.b128 v, [p + at]
        add.i32         at, at, size
        setp.lt.u32     more, at, {region}
@more   bra             next
        exit
"""


def _metric(row, stages, tile, laps, groups, parts):
    tiles = row.number("tiles", 1) if "tiles" in row.fields else 192
    timed = (laps[1] - laps[0]) * stages

    def cycles(outcome):
        words = outcome.words[STAMPS]
        return [(words[4 * group + 2] - words[4 * group + 1]) / timed for group in range(groups)]

    def bandwidth(outcome):
        """GB/s of all the program's tiles: those of the run, and the others at the rate of the slowest work-group."""
        words = outcome.words[STAMPS]
        run = max(words[4 * group + 3] for group in range(groups)) - min(words[4 * group] for group in range(groups))
        time = run + (tiles - laps[1] * stages) * max(cycles(outcome))
        return (tiles + stages - 1) * tile * groups * parts / time * GPU.clock_mhz / 1000

    found = {"cycles_per_tile": lambda outcome: median(cycles(outcome)),
             "cycles_per_tile_slowest_cta": lambda outcome: max(cycles(outcome)), "total_bandwidth": bandwidth}
    if row.metric not in found:
        raise Unmodeled("no such metric")
    return found[row.metric]


def _laps(stages, groups, compute):
    """(not timed, all): more laps if memory, whose latencies vary, limits the run than if computation does."""
    untimed, timed = (8, 24) if groups <= 2 else (8, 12) if compute < 8 else (6, 6)  # tiles
    before = -(-untimed // stages)
    return before, before + -(-timed // stages)


def model(row):
    engine = row.one_of("engine", *ISSUES)
    groups, cus, parts = PLACES[row.one_of("place", *PLACES)]
    stages, tile = row.number("stages", 1, 32), row.number("tile_bytes", 16, 1 << 18)
    warm = row.one_of("mem", "l2", "dram") == "l2"
    compute = row.number("compute_groups", 0, 1024)
    laps = _laps(stages, groups, compute)
    touched = (laps[1] + 1) * stages * tile
    if warm:
        region = min(max(1, (REGION_OF_FEW if groups <= 2 else REGION) // tile) * tile, touched)
        apart, step, end, room = region, tile, region, region * groups
    else:
        apart, step, end, room = tile, tile * groups, 0xf0000000, touched * groups
    source = _kernel(engine, stages, tile, compute, laps, step, end)
    threads = row.number("threads", 32, 1024)
    run = Launch("pipe", groups, threads,
                 (("buffer", STAMPS), ("buffer", DATA), ("uint", apart), ("uint", tile), ("uint", 0)))
    touch = (Launch("touch", groups, threads, (("buffer", DATA),)),) if warm else ()
    case = Case(source + (_touch(stages, tile, apart) if warm else ""), touch + (run,),
                (stamps(4 * groups), Buffer(DATA, room)), cus=cus, share=parts, sets=never_runs(source))
    return case, _metric(row, stages, tile, laps, groups, parts)
