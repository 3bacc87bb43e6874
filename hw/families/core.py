"""The compute unit's core: operations, constants, barriers, branches, dispatch (measure/t7_core.cu, t11_constant.cu,
part of t2_bulk.cu)."""
import dataclasses

from case import GPU, Case, Launch, STAMPS, stamps
from rows import BadRow

WARP = 32
ARGS = (("buffer", STAMPS),)

# sync_clk() of the measuring programs: the block barrier, then a clock read that cannot move before it.
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

# op: the instructions of a chain's step. For each, what the compiler knew when it ordered them: the unit, the cycles
# for which the instruction occupies it, and the cycles until the next instruction of the chain can start. {x}: the
# chain's register or pair, {q}: its predicate. Our ISA has no funnel shift; a rotation has the same class.
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
# A single MUFU, not the function that OpenCL's compiler makes with it.
ALONE = (("cu.functions", "single"),)
ON_PAIRS = ("DFMA", "DADD", "ISETP+VOTE")


def _scheduled(steps, chains, length):
    """Instructions of `chains` chains of `length` steps, in a list scheduler's order: the one that can start first."""
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
    """The loop as compiled: the counter and the compare are among the first operations, the branch is at the end."""
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
    case = _case(_kernel(body, registers=chains, pairs=chains), warps)
    return dataclasses.replace(case, sets=case.sets + ALONE) if op.startswith("MUFU") else case


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
    warps = (row.number("threads", 1, 1024) + WARP - 1) // WARP
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
    """The last warp spins on the clock so that it arrives late. t0 of each warp is before its barrier."""
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


# The wait of the measuring programs. It is bounded, so that a wrong phase traps. Then its lanes converge (BSYNC, see
# MEET).
POLL = """
        mov.b32         i, 0
        and.b32         guard, {parity}, 1
poll{n}: {turn}mbarrier.{op} q0, [64], guard
@q0     bra             done{n}
        add.i32         i, i, 1
        setp.lt.u32     q0, i, 0x400000
@q0     bra             poll{n}
        exit
done{n}:
"""
# In loops of several warps, but not of one, the compiler lets other warps go first before each test.
YIELD = "yield\n        "
# Lane 0 of warp 0 initializes the mbarrier, before the barrier of a SYNC_CLOCK.
MAKE = """
        mov.b32         x[0], {count}
        or.b32          guard, lane, warp
        setp.eq.u32     lead, guard, 0
@lead   mbarrier.init   [{place}], x[0]
        fence.lds
"""


def _poll(number, op, parity, turn=""):
    return POLL.format(n=number, op=op, parity=parity, turn=turn)


def _mbarrier_wake(row):
    """Warp 0 arrives `arrive_delay` cycles after the barrier at which all warps start; the others wait."""
    op = {"try_wait": "try_wait", "test_wait_spin": "test"}[row.one_of("wait", "try_wait", "test_wait_spin")]
    waiting, delay = row.number("waiting_warps", 1, 31), row.number("arrive_delay", 0, 1 << 20)
    body = MAKE.format(count=1, place=64) + _sync_clock("d[0]") + f"""
        setp.eq.u32     lead, lane, 0
        setp.eq.u32     again, warp, 0
@again  bra             arrive
        get.clock       t0
{_poll(0, op, "x[1]", YIELD)}
        vote.any        q7, q0
@q7     get.clock       t1
        bra             meet
arrive: get.clock       d[0]
spin:   get.clock       t0
        sub.i64         e, t0, d[0]
        setp.lt.u64     again, e, {delay}
@again  bra             spin
        get.clock       t0
@lead   mbarrier.arrive [64]
        get.clock       t1
meet:
"""

    def woken(outcome):
        words = outcome.words[STAMPS]
        wakes = [words[2 * warp + 1] - words[0] for warp in range(1, waiting + 1)]
        return min(wakes) if row.metric == "arrive_to_first_wake" else max(wakes)
    return _case(_kernel(body, registers=2), waiting + 1), woken


ARRIVE_THEN_WAIT = """
        mov.b32         c, 0
        mov.b32         b, 0
        get.clock       t0
again_: add.i32         c, c, 1
        mov.b32         i, 0
@lead   mbarrier.arrive [64]
        mov.b32         x[1], b
        setp.ne.s32     again, c, 64
        shl.b32         guard, b, 31
        shr.u32         guard, guard, 31
test:   mbarrier.try_wait q0, [64], guard
@q0     bra             seen
        add.i32         i, i, 1
        setp.lt.u32     q0, i, 0x100000
@q0     bra             test
seen:   xor.b32         b, b, 1
@again  bra             again_
        get.clock       t1
"""


def _clocked(text):
    return "        get.clock       t0\n" + text + "        get.clock       t1\n"


def _tests(count):
    """Tests of a complete phase, the sum of their results, and a branch that depends on the sum."""
    tests = "".join(f"        mbarrier.test   q{k % 7}, [64], x[1]\n" for k in range(min(count, 4)))
    for k in range(count):
        tests += f"@q{k % 7}     add.i32         x[2], x[2], 1\n"
        tests += f"        mbarrier.test   q{(k + 4) % 7}, [64], x[1]\n" if k + 4 < count else ""
    return _clocked(tests + "        setp.eq.u32     trap, x[2], 77\n@trap   bra             trapped\n")


def _mbarrier_ops(row):
    """One warp: cycles per iteration of an operation in a loop."""
    bodies = {
        "arrive_then_wait_loop": (ARRIVE_THEN_WAIT, 64),
        "wait_on_complete_phase_x16": (_clocked("".join(_poll(n, "try_wait", "x[1]") for n in range(16))), 16),
        "arrive_back_to_back_x16": (_clocked("@lead   mbarrier.arrive [128]\n" * 16), 16),
        "test_wait_independent_x16": (_tests(16), 16),
        "test_wait_single": (_clocked("        mbarrier.test   q0, [64], x[1]\n@!q0    bra             trapped\n"), 1),
    }
    row.one_of("seq", *bodies)
    body, count = bodies[row.text("seq")]
    made = MAKE.format(count=1, place=64) + MAKE.format(count=1 << 19, place=128) + "        mov.b32         x[1], 1\n"
    span = _span(1)
    return _case(_kernel(made + body, registers=3), 1), lambda outcome: span(outcome) / count


# ---- branches -----------------------------------------------------------------------------------

# Lanes that may have diverged converge in a separate instruction (BSYNC), here a vote whose result the next branch
# needs.
MEET = "        vote.any        q7, again\n"


def _looped(body, warps, again="q7", before=""):
    """64 iterations of `body`. `again`: the predicate of its last branch."""
    source = _sync_clock("t0") + f"""
        cvt.f32.s32     x[0], lane
        mov.b32         i, 64
{before}again_: sub.i32         i, i, 1
{body}@{again:<6} bra             again_
        get.clock       t1
"""
    span = _span(warps)
    return _case(_kernel(source, registers=3), warps), lambda outcome: span(outcome) / 64


COUNT = "        setp.ne.s32     again, i, 0\n"
REGION = "        mov.b32         guard, 0\n" + COUNT  # BSSY sets the place of convergence first


def _chain(length):
    return "        fma.f32         x[0], x[0], b, c\n" * length


def _predicated(length, taken, warps):
    """Both sides under their predicates, link by link: the compiler makes no branches around short sides."""
    before = f"        setp.lt.u32     q0, lane, {taken}\n"
    body = "@q0     fma.f32         x[1], x[0], b, c\n@!q0    fma.f32         x[0], x[0], b, c\n" + COUNT
    for link in range(1, length):
        new, old = ("x[0]" if link == length - 1 else f"x[{1 + link % 2}]"), f"x[{2 - link % 2}]"
        body += f"@q0     fma.f32         {new}, {old}, b, c\n"
        body += "@!q0    fma.f32         x[0], x[0], b, c\n" if new != "x[0]" else ""
    return _looped(body + "@!q0    fma.f32         x[0], x[0], b, c\n", warps, "again", before)


def _branch_ifelse(row):
    length, taken = row.number("ffma_per_path", 1, 1 << 12), row.number("lanes_in_if", 0, WARP)
    warps = row.number("warps", 1, 32)
    if length <= 4:
        return _predicated(length, taken, warps)
    before = f"        setp.ge.u32     q0, lane, {taken}\n"
    body = REGION + "@q0     bra             else_\n" + _chain(length) + "        bra             meet\nelse_:\n" + \
        _chain(length) + "meet:\n" + MEET
    return _looped(body, warps, before=before)


def _tree(low, high, length):
    """Binary search for the path in [low, high). nvcc uses a jump table for the last two; our ISA has only branches."""
    label = f"n{low}_{high}"
    if high - low == 2:
        return f"""
        min.u32         x[1], x[2], {high - 1}
        shl.b32         x[1], x[1], 2
        ld.const.b32    x[1], [x[1] + table]
        shr.s32         guard, x[1], 31
        setp.eq.u32     q1, x[1], {low}
@!q1    bra             {label}
""" + _chain(length) + f"""        bra             meet
{label}: setp.eq.u32     q1, x[1], {low + 1}
@!q1    bra             meet
""" + _chain(length) + "        bra             meet\n"
    middle = (low + high) // 2
    node = f"        setp.ge.s32     q1, x[2], {middle}\n@q1     bra             {label}\n"
    return node + _tree(low, middle, length) + f"{label}:\n" + _tree(middle, high, length)


def _branch_switch(row):
    paths, length, warps = row.number("paths", 1, 32), row.number("ffma_per_path", 1, 64), row.number("warps", 1, 32)
    before = f"        mul.i32         x[2], lane, {paths}\n        shr.u32         x[2], x[2], 5\n"
    case, metric = _looped(REGION + _tree(0, 32, length) + "meet:\n" + MEET, warps, before=before)
    table = ".const  table u32 " + ", ".join(map(str, range(32))) + "\n"
    return dataclasses.replace(case, source=table + case.source), metric


# ---- dispatch -----------------------------------------------------------------------------------

def _empty_kernel(row):
    """The time between a host's events around launches of a kernel that ends immediately, in microseconds."""
    groups, threads = row.number("ctas", 1, 1 << 22), row.number("threads", 1, 1024)
    case = Case(".kernel k\n        exit\n", (Launch("k", groups, threads),), (), cus=GPU.count, sets=GPU.host)
    return case, lambda outcome: outcome.events[0] / GPU.clock_mhz


# test: the function that makes its case, and its metrics
# ---- constants ----------------------------------------------------------------------------------

CONSTANTS = """
.const  table u32 {zeros}
{head}
        and.b32         i, lane, {mask}
        shl.b32         i, i, 2
        mov.b32         b, {rounds}
{clock}
next:   {loads}
        {sums}
        sub.i32         b, b, 1
        setp.ne.u32     again, b, 0
@again  bra             next
        setp.ne.u32     trap, c, 5
        get.clock       t1
"""
CONSTANT_ROUNDS, CONSTANT_LOADS = 32, 8


def _addresses_of_a_constant(row):
    """Lane l reads word l % addresses and the seven after it. In a chain, the value read, a zero, is added to the next
    address."""
    addresses, warps, chain = row.number("addresses", 1, 32), row.number("warps", 1, 32), row.one_of("chain", "yes", "no") == "yes"
    loads = "\n        ".join(f"ld.const.b32    x[{k}], [i + {4 * k}]" + f"\n        add.i32         i, i, x[{k}]" * chain
                             for k in range(CONSTANT_LOADS))
    sums = "\n        ".join(f"add.i32         c, c, x[{k}]" for k in range(CONSTANT_LOADS))
    source = CONSTANTS.format(zeros=", ".join(["0"] * 64), head=HEAD.format(registers=CONSTANT_LOADS, pairs=1), mask=addresses - 1,
                              clock=_sync_clock("t0"), loads=loads, sums=sums, rounds=CONSTANT_ROUNDS)
    span = _span(warps)
    return _case(source + TAIL, warps), lambda outcome: span(outcome) / (CONSTANT_ROUNDS * CONSTANT_LOADS * warps)


TESTS = {
    "op_latency": (_op_latency, "cycles_dependent"),
    "op_throughput": (_op_throughput, "cycles_per_instr_per_warp", "warp_instr_per_cycle_per_sm"),
    "clock_overhead": (_clock_overhead, "back_to_back_clock64", "barrier_then_clock"),
    "syncthreads": (_syncthreads, "cycles_per_barrier"),
    "syncthreads_release": (_syncthreads_release, "last_arrival_to_first_release", "last_arrival_to_last_release"),
    "mbarrier_wake": (_mbarrier_wake, "arrive_to_first_wake", "arrive_to_last_wake"),
    "mbarrier_ops": (_mbarrier_ops, "cycles"),
    "branch_ifelse": (_branch_ifelse, "cycles_per_iteration"),
    "branch_switch": (_branch_switch, "cycles_per_iteration"),
    "empty_kernel": (_empty_kernel, "event_time"),
    "addresses_of_a_constant": (_addresses_of_a_constant, "cycles_per_load"),
}


def model(row):
    build, *metrics = TESTS[row.test]
    if row.metric not in metrics:
        raise BadRow(f"{row.file}:{row.line}: metric: '{row.metric}' is none of {', '.join(metrics)}")
    return build(row)
