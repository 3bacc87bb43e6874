"""LDS accesses of one work-group (measure/t1_lds.cu).

Each kernel has the instructions of the measured program's loop, in their order: the memory accesses, the moves that
fill the registers of wide stores, the compare and the branch. A three-input exclusive or (LOP3) is a multiply-add
here, which reads as many registers in as many cycles; so is a move on the multiplier (IMAD.MOV).
"""
import itertools
import re

from case import Case, Launch, Unmodeled, STAMPS, stamps
from rows import BadRow, lds_patterns

LANES = 32
LDS_WORDS = 16384  # in the measured program
UNITS = {32: "b32", 64: "b64", 128: "b128"}


# ---- lane offsets ---------------------------------------------------------------------------------

def _active(count, stride):
    """Lanes from `count` on are inactive."""
    return lambda lane: lane * stride if lane < count else -1


# The element index of each lane, by the pattern's name. The numbers in the name are the function's arguments.
FORMULAS = (
    (r"stride(\d+)", lambda s: lambda lane: lane * s),
    (r"grp(\d+)(?:x(\d+))?", lambda k, pitch: lambda lane: lane // k * pitch),
    (r"mod(\d+)(?:x(\d+))?", lambda k, pitch: lambda lane: lane % k * pitch),
    (r"interleave(\d+)", lambda k: lambda lane: lane % k * (LANES // k) + lane // k),
    (r"matcol_p(\d+)", lambda pitch: lambda lane: lane * pitch),
    (r"tile(\d+)x(\d+)_p(\d+)", lambda rows, columns, pitch: lambda lane: lane // columns * pitch + lane % columns),
    (r"tileT(\d+)x(\d+)_p(\d+)", lambda rows, columns, pitch: lambda lane: lane % columns * pitch + lane // columns),
    (r"act(\d+)_s(\d+)", _active),
    (r"actEven_s(\d+)", lambda stride: lambda lane: -1 if lane % 2 else lane * stride),
)


def _formula(pattern):
    """The element index of each lane in the pattern, -1: inactive; None if the name is not a formula."""
    for form, rule in FORMULAS:
        found = re.fullmatch(form, pattern)
        if not found:
            continue
        numbers = [1 if text is None else int(text) for text in found.groups()]
        if form[:3] in ("grp", "mod", "int") and numbers[0] == 0 or form[:4] == "tile" and 0 in numbers[:2]:
            return None
        index = rule(*numbers)
        return [index(lane) for lane in range(LANES)]
    return None


def _offsets(row, bits):
    """(bytes from a warp's offsets to the next one's, byte offset of each lane, -1: inactive)"""
    pattern = row.text("pattern")
    known = lds_patterns().get((pattern, bits))
    if known:
        return known
    index = _formula(pattern)
    if index is None:
        raise Unmodeled(f"no lane offsets are known of pattern '{pattern}'")
    each = bits // 8
    return each if pattern.startswith("matcol") else 0, tuple(-1 if i < 0 else i * each for i in index)


def _bits(row):
    bits = row.number("bits", 32, 128)
    if bits not in UNITS:
        raise BadRow(f"{row.file}:{row.line}: bits: {bits} is none of 32, 64, 128")
    return bits


# ---- kernels --------------------------------------------------------------------------------------

# In the measured program, the words are written long before it first reads the clock; here the load ensures that.
HEAD = """
.const  offsets u32 {offsets}
.kernel lds
.arg    out global
.arg    rounds u32
.lds    words {bytes}
.reg    lane, warp, at, offset, i, n, zero, sum, spare[2], sync, v[{registers}]
.reg64  p, q, t0, t1
.pred   active, again, lead, bad, on
        get.lane        lane
        get.warp        warp
        shl.b32         i, lane, 2
        ld.const.b32    offset, [offsets + i]
        mad.i32         at, warp, {warp_bytes}, offset
        setp.ge.s32     active, offset, 0
        setp.eq.s32     lead, lane, 0
@active st.lds.b32      [at], at
@active ld.lds.b32      v, [at]
        mov.b32         v, at
"""

# A barrier, then a clock read that cannot move before it: a branch on a loaded value is in between.
SYNC = """
        bar.lds
        ld.lds.b32      sync, [0]
        setp.eq.s32     bad, sync, -17958193
@bad    bra             out_
        get.clock       t0
"""

END = """
        get.clock       t1
past_:  ld.arg.b64      p, out
        shl.b32         i, warp, 4
        cvt.u64.u32     q, i
        add.i64         p, p, q
@lead   st.global.b64   [p], t0
@lead   st.global.b64   [p + 8], t1
out_:   exit
"""

COUNT = "        add.i32         i, i, 1\n"
TEST = "        setp.lt.s32     again, i, n\n"
XOR = "        mad.i32         sum, v[{}], v[{}], sum\n"
XOR_ONE = "        xor.b32         sum, sum, v[{}]\n"
LIMIT = "        ld.arg.b32      n, rounds\n"
CHECK = LIMIT + "        setp.lt.s32     bad, n, 1\n@bad    bra             after_\n"
TRAP = "        setp.eq.s32     bad, sum, -559038737\n@bad    bra             out_\n"
COPY_STAMP = "        mov.b32         t1.lo, t0.lo\n        mov.b32         t1.hi, t0.hi\n"


def _load(bits, register, address="at"):
    return f"        ld.lds.{UNITS[bits]:9}  v[{register}], [{address}]\n"


def _store(bits, register):
    return f"        st.lds.{UNITS[bits]:9}  [at], v[{register}]\n"


def _loop(before, body, after=""):
    """Active lanes run `before`, then `body` until TEST is false, then `after`."""
    return f"@!active bra            end_\n{before}        mov.b32         i, 0\nagain_:\n{body}" \
           f"@again  bra             again_\nafter_:\n{after}end_:\n"


def _xors(count, apart):
    """Folds `count` registers, `apart` words apart, into sum: two at a time, and a last odd one alone."""
    pairs = [XOR.format(i * apart, (i + 1) * apart) for i in range(0, count - 1, 2)]
    return "".join(pairs + [XOR_ONE.format((count - 1) * apart)] * (count % 2))


def _with_counter(accesses, count=0, test=1):
    """The loop's counter and its test after the accesses of these numbers."""
    last = len(accesses) - 1
    return "".join(access + COUNT * (i == min(count, last)) + TEST * (i == min(test, last))
                   for i, access in enumerate(accesses))


def _case(row, bits, warps, code, registers=1, rounds=0, before="", end=END):
    warp_bytes, offsets = _offsets(row, bits)
    highest = max(offsets) + (warps - 1) * warp_bytes + 16
    head = HEAD.format(offsets=", ".join(str(offset & 0xffffffff) for offset in offsets), warp_bytes=warp_bytes,
                       bytes=max(4 * LDS_WORDS, -(-highest // 1024) * 1024), registers=registers)
    launch = Launch("lds", 1, LANES * warps, (("buffer", STAMPS), ("uint", rounds)))
    return Case(head + before + SYNC + code + end, (launch,), (stamps(2 * warps),))


def _span(warps, over):
    """From the first start to the last end, divided by `over`."""
    def metric(outcome):
        words = outcome.words[STAMPS]
        return (max(words[2 * warp + 1] for warp in warps) - min(words[2 * warp] for warp in warps)) / over
    return metric


def _expect(row, metric):
    if row.metric != metric:
        raise Unmodeled(f"no metric '{row.metric}'")


# ---- tests ----------------------------------------------------------------------------------------

def _latency(row):
    _expect(row, "cycles_per_dependent_load")
    row.one_of("op", "ld")
    bits, warps, rounds = _bits(row), row.number("warps", 1, 32), 32
    body = _with_counter([_load(bits, 0, "v")] * 8, 0, 0)
    code = _loop(CHECK, body, XOR_ONE.format(0))
    return _case(row, bits, warps, code, bits // 32, rounds), _span(range(warps), rounds * 8)


# The moves before each of a round's eight stores: the compiler rebuilds the words of wide stores in every round.
# m: a move through the multiplier, a: through the integer unit, c: the counter, t: its test.
MOVES = {
    32: ("", "c", "t", "", "", "", "", ""),
    64: ("mamam", "mam", "mam", "mcm", "mm", "t", "", ""),
    128: ("amamamam", "mamcm", "mmtm", "mmm", "m", "", "", ""),
}
STORED = {32: (0,) * 8, 64: range(8), 128: (0, 1, 2, 3, 2, 4, 0, 1)}  # which of the vectors each store stores
MOVE = {"m": "        mad.i32         {}, zero, zero, {}\n", "a": "        mov.b32         {}, {}\n"}


def _moves(letters, names, source="at"):
    """Moves of `source` into the next of `names`, an iterator, and the loop's counter and test."""
    other = {"c": COUNT, "t": TEST}
    return "".join(other.get(letter) or MOVE[letter].format(next(names), source) for letter in letters)


def _throughput(row):
    _expect(row, "cycles_per_warp_instr")
    bits, warps, rounds = _bits(row), row.number("warps", 1, 32), row.number("iters", 1, 4096)
    unroll, words = row.number("unroll", 1, 32), bits // 32
    if row.one_of("op", "ld", "st") == "ld":
        loads = [_load(bits, i * words) for i in range(unroll)]
        code = _loop(LIMIT, _with_counter(loads) + _xors(unroll, words))
    else:
        moves = (MOVES[bits] + ("",) * unroll)[:unroll] if unroll >= 8 else ("ct",) + ("",) * (unroll - 1)
        names = (f"v[{i}]" for i in range(1, 8 * words))
        body = "".join(_moves(letters, names) + _store(bits, words * STORED[bits][i % 8])
                       for i, letters in enumerate(moves))
        code = _loop(CHECK, body, _load(bits, 0) + XOR_ONE.format(0) + TRAP)
    case = _case(row, bits, warps, code, max(unroll, 8) * words, rounds)
    return case, _span(range(warps), unroll * rounds * warps)


def _active_warps(row):
    """"0-2+4-6": a set of warps."""
    text, warps = row.text("active_warps"), set()
    for part in text.split("+"):
        ends = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not ends or int(ends[2] or ends[1]) > 31:
            raise BadRow(f"{row.file}:{row.line}: active_warps: '{text}' is no set of warps 0 to 31")
        warps |= set(range(int(ends[1]), int(ends[2] or ends[1]) + 1))
    if not warps:
        raise BadRow(f"{row.file}:{row.line}: active_warps: '{text}' names no warp")
    return sorted(warps)


def _folded_loads(bits, loads):
    """Loads in a row. Their exclusive or, of three registers and then of two more each, begins after the 13th load."""
    words = bits // 32
    names = [f"v[{i * words}]" for i in range(loads)]
    folds = []
    if loads == 2:
        folds = [f"        xor.b32         sum, {names[0]}, {names[1]}\n"]
    elif loads > 2:
        folds = [f"        mad.i32         sum, {names[0]}, {names[1]}, {names[2]}\n"]
        folds += [f"        mad.i32         sum, {names[i]}, {names[i + 1]}, sum\n" for i in range(3, loads - 1, 2)]
        folds += [f"        xor.b32         sum, sum, {names[-1]}\n"] * (loads % 2 == 0)
    lines = []
    for i in range(loads):
        lines.append(_load(bits, i * words))
        if i >= 12 and i % 2 == 0 and i < loads - 1:
            lines.append(folds.pop(0))
    return "".join(lines + folds) + (TRAP if loads > 1 else TRAP.replace("sum", "v"))


def _burst(row):
    _expect(row, "cycles_burst")
    row.one_of("op", "ld")
    bits, loads, warps = _bits(row), row.number("loads_per_warp", 0, 48), _active_warps(row)
    words = bits // 32
    before = f"        mov.b32         n, {sum(1 << warp for warp in warps)}\n        shr.u32         n, n, warp\n" \
             "        and.b32         n, n, 1\n        setp.ne.s32     on, n, 0\n"
    code = COPY_STAMP + ("@!on    bra             past_\n" + _folded_loads(bits, loads) if loads else "")
    end = END if loads else END.replace("        get", "@on     get", 1)
    case = _case(row, bits, warps[-1] + 1, code, max(1, loads * words), before=before, end=end)
    return case, _span(warps, 1)


def _store_load(row):
    _expect(row, "cycles_per_st_ld_pair")
    bits, warps, rounds = _bits(row), row.number("warps", 1, 32), 32
    words = bits // 32
    moves, built = {32: ("", 1), 64: ("mm", 0), 128: ("amm", 1)}[bits]
    pairs = []
    for here, there in ((0, words), (words, 0)) * 4 if built else ((words, 0),) * 8:
        names = (f"v[{here + i}]" for i in range(built, words))
        pairs.append(_moves(moves, names, f"v[{here if built else there}]") + _store(bits, here) + _load(bits, there))
    body = _with_counter(pairs, 0, 0)
    code = _loop(CHECK, body, XOR_ONE.format(0))
    return _case(row, bits, warps, code, 2 * words, rounds), _span(range(warps), rounds * 8)


def _atomic(row):
    _expect(row, "cycles_per_warp_instr")
    warps, rounds, unroll = row.number("warps", 1, 32), row.number("iters", 1, 4096), row.number("unroll", 1, 32)
    op = row.one_of("op", "add_ret", "add_noret", "cas_ret")
    if op == "add_noret":
        add = ["        atom.lds.add.i32 _, [at], lane\n"] * unroll
        code = _loop(CHECK, COUNT + _with_counter(add, unroll, 1).replace(COUNT, ""),
                     _load(32, 0) + XOR_ONE.format(0) + TRAP)
    elif op == "add_ret":
        add = [f"        atom.lds.add.i32 v[{i}], [at], lane\n" for i in range(unroll)]
        code = _loop(LIMIT, _with_counter(add) + _xors(unroll, 1))
    else:
        moves = ("m", "mcm", "", "") if unroll >= 4 else ("c",) + ("",) * unroll
        names = itertools.cycle(("spare[0]", "spare[1]"))
        swaps = [_moves(moves[i] if i < 4 else "", names, "lane")
                 + TEST * (i == min(2, unroll - 1)) + f"        atom.lds.cas.b32 v[{i}], [at], lane, zero\n"
                 for i in range(unroll)]
        code = _loop(LIMIT, "".join(swaps) + _xors(unroll, 1))
    return _case(row, 32, warps, code, unroll, rounds), _span(range(warps), unroll * rounds * warps)


def _atomic_latency(row):
    _expect(row, "cycles_per_dependent_atomic")
    row.one_of("op", "add_ret")
    warps, rounds = row.number("warps", 1, 32), 16
    step = "        atom.lds.add.i32 v, [v], zero\n        and.b32         v, v, zero\n" \
           "        add.i32         v, at, v\n"
    body = "        ld.arg.b32      spare, rounds\n" + COUNT + TEST + step * 8
    code = _loop(CHECK, body, XOR_ONE.format(0))
    return _case(row, 32, warps, code, 1, rounds), _span(range(warps), rounds * 8)


TESTS = {"lds_latency": _latency, "lds_throughput": _throughput, "lds_burst": _burst, "lds_store_load": _store_load,
         "lds_atomic": _atomic, "lds_atomic_latency": _atomic_latency}


def model(row):
    return TESTS[row.test](row)
