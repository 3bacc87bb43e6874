"""The compute unit's core: operations, barriers, branches, dispatch (measure/t7_core.cu, part of t2_bulk.cu)."""
from case import Case, Launch, Unmodelled, STAMPS, median, stamps

WARP = 32
ARGS = (("buffer", STAMPS),)

# The block barrier and a clock read that really comes after it: sync_clk() of the measuring programs.
SYNC_CLOCK = """
        bar
        ld.lds.b32      guard, [0]
        setp.eq.u32     trap, guard, 0x5eedbeef
@trap   bra             trapped
        get.clock       {stamp}
"""
HEAD = """
.kernel k
.arg    out global
.lds    words 4096
.reg    lane, warp, guard, i, x[{registers}], b, c
.reg64  p, t0, t1, d[{pairs}], e
.pred   lead, again, trap, q0, q1, q2, q3, q4, q5, q6, q7
        get.lane        lane
        get.warp        warp
        ld.arg.b64      p, out
        shl.b32         guard, warp, 4
        cvt.u64.u32     e, guard
        add.i64         p, p, e
        mov.b32         b, 3
        mov.b32         c, 5
        mov.b64         e, 1.5
"""
# Each warp's first and last stamp, side by side.
TAIL = """
        setp.eq.s32     lead, lane, 0
@lead   st.global.b64   [p], t0
@lead   st.global.b64   [p + 8], t1
trapped: exit
"""


def _kernel(body, registers=1, pairs=1):
    return HEAD.format(registers=registers, pairs=pairs) + body + TAIL


def _sync_clock(stamp):
    return SYNC_CLOCK.format(stamp=stamp)


def _case(source, warps):
    return Case(source, (Launch("k", 1, WARP * warps, ARGS),), (stamps(2 * warps),))


def _span(warps):
    """From the first warp's first stamp to the last warp's last, in cycles."""
    def span(outcome):
        words = outcome.words[STAMPS]
        return max(words[1:2 * warps:2]) - min(words[0:2 * warps:2])
    return span


# ---- operations ---------------------------------------------------------------------------------

# op: the instructions that a step of a chain becomes. With each, what the compiler that ordered them knows: its unit,
# for how many cycles it keeps that, and for how many the next of its chain away. {x}: the chain's register or pair,
# {q}: its predicate. Ours has no funnel shift, a rotation is of the same class.
OPS = {
    "FFMA": (("fma.f32 {x}, {x}, b, c", "fma", 1, 4),),
    "FFMA_IMM": (("fma.f32 {x}, {x}, 0.5, b", "fma", 1, 4),),
    "FADD": (("add.f32 {x}, {x}, b", "fma", 1, 4),),
    "FMUL": (("mul.f32 {x}, {x}, b", "fma", 1, 4),),
    "IMAD": (("mad.i32 {x}, {x}, b, c", "fma", 2, 4),),
    "IADD3+LOP3": (("add.i32 {x}, {x}, b", "fma", 2, 5), ("xor.b32 {x}, {x}, c", "alu", 2, 5)),
    "LOP3": (("xor.b32 {x}, {x}, b", "alu", 2, 4),),
    "SHF": (("rotl.b32 {x}, {x}, b", "alu", 2, 4),),
    "POPC": (("popc.b32 {x}, {x}", "xu", 8, 17),),
    "MUFU.RSQ": (("rsqrt.f32 {x}, {x}", "xu", 8, 17),),
    "MUFU.EX2": (("exp2.f32 {x}, {x}", "xu", 8, 17),),
    "MUFU.RCP": (("rcp.f32 {x}, {x}", "xu", 8, 17),),
    "MUFU.SIN": (("mul.f32 {x}, {x}, b", "fma", 1, 5), ("sin.f32 {x}, {x}", "xu", 8, 18)),
    "DFMA": (("fma.f64 {x}, {x}, e, e", "fp64", 2, 8),),
    "DADD": (("add.f64 {x}, {x}, e", "fp64", 2, 8),),
    "HFMA2": (("fma.f16 {x}, {x}, b, c", "fma", 1, 8),),
    "I2F": (("cvt.f32.s32 {x}, {x}", "alu", 2, 4),),
    "SHFL": (("shfl.idx.b32 {x}, {x}, {x}", "lsu", 4, 26),),
    "ISETP+VOTE": (("setp.ne.u32 {q}, {x}.lo, b", "alu", 2, 4), ("ballot.b64 {x}, {q}", "alu", 2, 13)),
    "ISETP+SEL": (("setp.lt.u32 {q}, {x}, b", "alu", 2, 4), ("sel.b32 {x}, b, c, {q}", "alu", 2, 4)),
}
ON_PAIRS = ("DFMA", "DADD", "ISETP+VOTE")


def _scheduled(steps, chains, length):
    """Instructions of `chains` chains of `length` steps, in the order of a list scheduler: whoever can go first."""
    lines, now, ready, done, free = [], 0, [0] * chains, [0] * chains, {}

    def earliest(chain):
        return max(now, ready[chain], free.get(steps[done[chain] % len(steps)][1], 0))
    for _ in range(chains * length * len(steps)):
        chain = min((c for c in range(chains) if done[c] < length * len(steps)),
                    key=lambda c: (earliest(c), ready[c], c))
        text, unit, interval, latency = steps[done[chain] % len(steps)]
        at = earliest(chain)
        lines.append((chain, text))
        now, free[unit], ready[chain] = at + 1, at + interval, at + latency
        done[chain] += 1
    return lines


def _unrolled(op, chains, length):
    register = "d" if op in ON_PAIRS else "x"
    return [text.format(x=f"{register}[{chain}]", q=f"q{chain}") for chain, text in _scheduled(OPS[op], chains, length)]


def _op_case(op, warps, chains, iterations):
    """The loop as compiled: its counter and its compare lie among the first operations, the branch at its end."""
    lines = _unrolled(op, chains, 64 // chains)
    lines.insert(1, "sub.i32 i, i, 1")
    lines.insert(6, "setp.ne.s32 again, i, 0")
    loop = "\n        ".join(lines)
    body = _sync_clock("t0") + f"""
        mov.b32         i, {iterations}
again_: {loop}
@again  bra             again_
        get.clock       t1
"""
    return _case(_kernel(body, registers=chains, pairs=chains), warps)


def _op_latency(row):
    op = row.one_of("op", *OPS)
    warps = row.number("warps", 1, 32)
    span = _span(warps)
    return _op_case(op, warps, 1, 32), lambda outcome: span(outcome) / (32 * 64)


def _op_throughput(row):
    op = row.one_of("op", *OPS)
    warps, chains = row.number("warps", 1, 32), row.number("ilp", 1, 8)
    steps = 64 * (64 // chains) * chains
    span = _span(warps)
    if row.metric == "warp_instr_per_cycle_per_sm":
        return _op_case(op, warps, chains, 64), lambda outcome: warps * steps / span(outcome)
    return _op_case(op, warps, chains, 64), lambda outcome: span(outcome) / steps


def _clock_overhead(row):
    warps = row.number("threads", 32, 1024) // WARP
    between = "        get.clock t0\n        get.clock t1\n" if row.metric == "back_to_back_clock64" \
        else _sync_clock("t0") + _sync_clock("t1")
    return _case(_kernel(between), warps), lambda outcome: outcome.words[STAMPS][1] - outcome.words[STAMPS][0]


# ---- barriers -----------------------------------------------------------------------------------

def _syncthreads(row):
    warps = row.number("warps", 1, 32)
    bars = "        bar\n" * 8
    body = _sync_clock("t0") + f"""
        mov.b32         i, 32
again_: sub.i32         i, i, 1
{bars}        setp.ne.s32     again, i, 0
@again  bra             again_
        get.clock       t1
"""
    span = _span(warps)
    return _case(_kernel(body), warps), lambda outcome: span(outcome) / 256


def _syncthreads_release(row):
    """The last warp spins on the clock until it is late; t0 of each is before its barrier."""
    warps, delay = row.number("warps", 2, 32), row.number("late_warp_delay", 0, 1 << 20)
    body = _sync_clock("d[0]") + f"""
        setp.ne.u32     again, warp, {warps - 1}
@again  bra             meet
spin:   get.clock       t0
        sub.i64         e, t0, d[0]
        setp.lt.u64     again, e, {delay}
@again  bra             spin
meet:   get.clock       t0
""" + _sync_clock("t1")

    def released(outcome):
        words = outcome.words[STAMPS]
        ends = [words[2 * w + 1] - words[2 * warps - 2] for w in range(warps)]
        return min(ends) if row.metric == "last_arrival_to_first_release" else max(ends)
    return _case(_kernel(body), warps), released


TESTS = {
    "op_latency": _op_latency,
    "op_throughput": _op_throughput,
    "clock_overhead": _clock_overhead,
    "syncthreads": _syncthreads,
    "syncthreads_release": _syncthreads_release,
}


def model(row):
    if row.test not in TESTS:
        raise Unmodelled("not built yet")
    return TESTS[row.test](row)
