"""Bulk copies between global memory and the LDS (measure/t2_bulk.cu).

In the program, one elected lane of a warp issues each copy, so here a work-group is one warp. Bytes are copied as
elements of 16, the unit of a bulk copy. The program computes addresses on the uniform datapath; here they take as many
instructions as our addresses need. An mbarrier is an event here, and arming it is a store to the LDS.
"""
import dataclasses

from case import Case, Buffer, Launch, Unmodeled, STAMPS, median, stamps

UNIT = 16  # bytes of a bulk copy's element
CLOCK_GHZ = 1.98
MOST_COPIES = 128  # simulated per stream; the rest of a longer one is extrapolated from its last laps


def _units(size, row):
    if size % UNIT:
        raise Unmodeled(f"a bulk copy is of multiples of {UNIT} bytes")
    return size // UNIT


def _case(kernel, name, groups, count, data, warm, local=32, numbers=(), **more):
    """A run of `kernel` that writes `count` stamps and works on buffers of `data` bytes. A warm one runs twice, so that
    the same compute units have already read its data. `numbers`: its last arguments."""
    buffers = [stamps(count)] + [Buffer(title, size, fill="iota") for title, size in data]
    args = (("buffer", STAMPS),) + tuple(("buffer", title) for title, _ in data) + tuple(("uint", n) for n in numbers)
    launch = Launch(name, groups, local, args)
    return Case(kernel, (launch, launch) if warm else (launch,), tuple(buffers), **more)


# ---- one copy at a time -----------------------------------------------------------------------

REPEATS = 5


def _arm(barrier, size):
    return f"""        mov.b32         v, {size}
        st.lds.b32      [{barrier}], v
"""


# The compiler's instructions between two clock reads: source from base and offset, destination, size.
ADDRESS = """        add.i64         q, p, mis
        mov.b32         v, base
        mov.b32         d, base
        mov.b32         n, size
        add.i32         d, d, 1024
        shr.u32         n, n, 4
"""
# The same if the addresses are already in registers.
SIZE = """        mul.i32         v, size, 1
        add.i32         d, base, 1024
        shr.u32         n, size, 4
"""


def _poll(place):
    """A bounded loop that reads a word of the LDS until it is not zero. The first read is before the loop. The address
    is in a uniform register, which is moved for each load."""
    return f"""        mov.b32         at, d
        ld.lds.b32      v, [at + {place}]
        setp.ne.s32     hit, v, 0
@hit    bra             seen
        mov.b32         i, 0
poll:   setp.ge.u32     over, i, 1048576
@over   bra             seen
        mov.b32         at, d
        ld.lds.b32      v, [at + {place}]
        add.i32         i, i, 1
        setp.ne.s32     hit, v, 0
@!hit   bra             poll
seen:   get.clock       t2
        wait            e
"""


def _spin(place):
    """The same with a test of the mbarrier. Here the test reads the last word that the copy writes and extracts a
    bit."""
    return f"""        mov.b32         i, 0
poll:   shl.b32         at, d, 0
        ld.lds.b32      v, [at + {place}]
        and.b32         v, v, v
        setp.ne.s32     hit, v, 0
@hit    bra             seen
        add.i32         i, i, 1
        setp.lt.u32     over, i, 4194304
@over   bra             poll
seen:   get.clock       t2
        wait            e
"""


def _latency_kernel(row, inbound, size, step, misalign):
    wait = row.text("wait")
    if inbound:
        body = {
            "try_wait": "        wait            e\n        get.clock       t2\n",
            "test_wait_spin": _spin(size - 4),
            "poll_last_word": _poll(size - 4),
            "poll_first_word": _poll(0),
        }.get(wait)
        if body is None:
            raise Unmodeled(f"no such wait as '{wait}'")
        body = f"""        get.clock       t0
{SIZE if wait == "poll_first_word" else ADDRESS}        copy.to_lds     e, [d], [q], n, size={UNIT}
        get.clock       t1
{body}        mov.b64         t3, t2
"""
    else:  # the second wait, for the writes, has nothing to wait for and costs one instruction
        body = f"""        get.clock       t0
{SIZE}        copy.to_global  e, [q], [d], n, size={UNIT}
        get.clock       t1
        wait            e
        get.clock       t2
        mov.b32         v, 0
        get.clock       t3
"""
    return f"""
.kernel one
.arg    out  global
.arg    data global
.lds    words {1024 + size}
.reg    lane, base, size, n, d, e, v, i, at, repeat
.reg64  p, q, o, mis, t0, t1, t2, t3
.pred   lead, hit, over, again
        get.lane        lane
        setp.eq.s32     lead, lane, 0
        ld.arg.b64      p, data
        ld.arg.b64      o, out
        mov.b32         size, {size}
        mov.b64         mis, {misalign}
        add.i64         q, p, mis
        mov.b32         repeat, {REPEATS}
next:   mov.b32         e, 0
        mov.b32         v, 0
        st.lds.b32      [1024], v
        st.lds.b32      [{1024 + size - 4}], v
{_arm(0, size)}        fence.all
        bar.all
{body}@lead   st.global.b64   [o], t0
@lead   st.global.b64   [o + 8], t1
@lead   st.global.b64   [o + 16], t2
@lead   st.global.b64   [o + 24], t3
        add.i64         p, p, {step}
        add.i64         q, p, mis
        add.i64         o, o, 32
        sub.i32         repeat, repeat, 1
        setp.ne.s32     again, repeat, 0
@again  bra             next
        exit
"""


def _latency(row):
    inbound = row.one_of("dir", "g2s", "s2g") == "g2s"
    warm = row.one_of("mem", "l2", "dram") == "l2"
    size, misalign = row.number("bytes", 4), row.number("misalign")
    if row.one_of("tlb", "warm", "new_page") == "new_page":
        raise Unmodeled("address translation: a copy from a page that the TLB has not")
    _units(size, row)
    step = 32768 if row.test == "bulk_misalign" else (size + 8191) // 4096 * 4096
    column = {"issue_cycles": 1, "read_done_cycles": 2, "complete_cycles": 3}.get(row.metric)
    if column is None:
        raise Unmodeled("no such metric")
    reach = REPEATS * step + misalign + size
    case = _case(_latency_kernel(row, inbound, size, step, misalign), "one", 1, 4 * REPEATS, (("data", reach),), warm)

    def metric(outcome):
        words = outcome.words[STAMPS]
        return median(words[4 * r + column] - words[4 * r] for r in range(REPEATS))
    return case, metric


# ---- many copies at once ----------------------------------------------------------------------

def _unrolled(per_group, groups):
    """`groups` x `per_group` copies. The next addresses are computed before each copy, in the compiler's order."""
    def copy(u):
        here, there = ("p", "q") if u % 2 == 0 else ("q", "p")
        return f"""        add.i64         {there}, {here}, pitch
        add.i32         d{there}, d{here}, size
        copy.to_lds     e, [d{here}], [{here}], n, size={UNIT}
"""
    body = "".join(copy(u) for u in range(per_group))
    if per_group % 2:
        body += "        mov.b64         p, q\n        mov.b32         dp, dq\n"
    return f"""        mov.b32         i, {groups}
more:   sub.i32         i, i, 1
        setp.ne.s32     again, i, 0
{body}@again  bra             more
"""


def _each_lane(copies):
    """The loop around a copy instruction that serves one lane after the other: elect a lane, move its operands to the
    warp's registers, which takes as long as a vote, copy, branch if lanes are left. Around it the loop over each lane's
    own copies, 32 at a time in all."""
    def serve(label, count):
        return f"""        mov.b32         i, {count}
        mov.b32         v, size
        shr.u32         n, v, 4
        ballot.b64      q, over
{label}:   vote.none       hit, over
        sub.i32         i, i, 1
        setp.ne.s32     again, i, 0
        ballot.b64      q, over
        add.i32         dq, dp, q.lo
        copy.to_lds     e, [dq], [p], n, size={UNIT}
        add.i64         p, p, pitch
        add.i32         dp, dp, size
@again  bra             {label}
"""
    rounds, rest = divmod(copies, 32)
    whole = f"""        mov.b32         left, {rounds}
more:
{serve("next", 32)}        sub.i32         left, left, 1
        setp.ne.s32     again, left, 0
@again  bra             more
"""
    return "        mov.b32         dp, 1024\n" + (whole if rounds else "") + (serve("last", rest) if rest else "")


def _small(row):
    row.one_of("dir", "g2s")
    row.one_of("mem", "l2")
    size, pitch, copies = row.number("bytes", 4), row.number("pitch"), row.number("copies", 1, 4096)
    _units(size, row)
    issuer = row.text("issuer")
    if issuer == "one_lane_unrolled":
        warps, lanes, body = 1, 1, _unrolled(8, copies // 8) if copies >= 8 else _unrolled(copies, 1)
    elif issuer == "each_lane":
        warps, lanes, body = 1, min(32, copies), _each_lane(copies)
    elif issuer.endswith("warps") and issuer[:-5].isdigit() and int(issuer[:-5]) in range(1, 33):
        warps, lanes = int(issuer[:-5]), 1
        body = _unrolled(8, copies // 8 // warps)
    else:
        raise Unmodeled(f"no such issuer as '{issuer}'")
    column = {"issue_all_cycles": 1, "complete_all_cycles": 2}.get(row.metric)
    if column is None:
        raise Unmodeled("no such metric")
    each = copies // warps
    places = "        ld.arg.b64      q, data\n" if issuer.endswith("warps") else ""
    kernel = f"""
.kernel small
.arg    out  global
.arg    data global
.arg    lanes u32
.lds    words {1024 + each * size}
.reg    lane, group, size, n, dp, dq, e, v, i, left
.reg64  p, q, o, pitch, t0, t1, t2
.pred   lead, again, hit, over, others
        get.lane        lane
        get.group_id    group, x
        ld.arg.b64      p, data
        ld.arg.b64      o, out
        mul.wide.u32    q, group, {each * pitch}
        add.i64         p, p, q
        mul.wide.u32    q, group, 24
        add.i64         o, o, q
        mov.b32         size, {size}
        mov.b64         pitch, {pitch}
{_arm(0, size)}        get.clock       t0
        ld.arg.b32      v, lanes
        setp.eq.u32     over, v, 0
        setp.ge.u32     others, lane, v
@over   bra             done
{places}        add.i64         q, q, pitch
        ballot.b64      q, over
        shr.u32         n, size, 4
        mov.b32         dp, 1024
{body}@others bra             done
done:   get.clock       t1
        wait            e
        get.clock       t2
        get.lane        lane
        setp.eq.s32     lead, lane, 0
@lead   st.global.b64   [o], t0
@lead   st.global.b64   [o + 8], t1
@lead   st.global.b64   [o + 16], t2
        exit
"""
    reach = copies * pitch + size
    case = _case(kernel, "small", warps, 3 * warps, (("data", reach),), True, numbers=(lanes,))

    def metric(outcome):
        words = outcome.words[STAMPS]
        return max(words[3 * w + column] for w in range(warps)) - min(words[3 * w] for w in range(warps))
    return case, metric


# ---- streams ----------------------------------------------------------------------------------

def _place(ctas):
    """(compute units, share, work-groups) of a launch of `ctas` work-groups on the measured GPU. Half of its clusters,
    three of 16 and one of 18 compute units, has 66."""
    if ctas in (132, 264):
        return 66, 2, ctas // 2
    return min(ctas, 132), 1, ctas


# The source of the next copy, which wraps to the first at the end of the region. The addition and the comparison are
# before the copy, the selection after it, in the compiler's order.
NEXT = """        add.i64         q, p, step
        setp.ge.u64     hit, q, end
"""
CHOOSE = "        sel.b64         p, first, q, hit\n"


class _Stream:
    """A stream of `copies` copies in K slots by each work-group, and the part of it that is simulated."""

    def __init__(self, copies, slots):
        laps = max(2, copies // slots)
        self.slots, self.copies = slots, laps * slots
        self.run = min(laps, max(4, MOST_COPIES // slots))  # laps, of which the first is separate code
        self.middle = max(1, self.run // 2)
        self.rest = (laps - self.run) * slots  # copies that are not simulated
        self.steady = (self.run - 1 - self.middle) * slots  # copies between the stamps of the middle and the last lap

    def cycles(self, words):
        """Cycles of the whole stream, from the stamps start, middle lap, last lap, end."""
        start, middle, last, end = words
        return end - start + (self.rest * (last - middle) / self.steady if self.rest else 0)


def _stream_kernel(stream, size, step, base, region, begin, slots_code, tail, arguments=("data",)):
    """`begin` is the first lap and the code before it; then follows a loop of laps of `slots_code`. Stamps: start,
    middle lap, last lap, end. A work-group's source begins at its number times `base` and advances by `step` bytes in
    `region`.
    """
    events = "".join(f", e{s}, g{s}" for s in range(stream.slots))
    return f"""
.kernel stream
.arg    out  global
{"".join(f".arg    {name} global" + chr(10) for name in arguments)}.lds    words {1024 + stream.slots * size}
.reg    lane, group, size, n, d, v, i, lap{events}
.reg64  p, q, o, c, spare, step, first, end, cfirst, cend, t0, t1, t2, t3
.pred   lead, again, hit, over, at
        get.lane        lane
        setp.eq.s32     lead, lane, 0
        get.group_id    group, x
        ld.arg.b64      o, out
        mul.wide.u32    q, group, 32
        add.i64         o, o, q
        ld.arg.b64      p, {arguments[0]}
        mul.wide.u32    q, group, {base}
        add.i64         p, p, q
        mov.b64         first, p
        add.i64         end, p, {region}
        mov.b64         step, {step}
        mov.b32         size, {size}
        mov.b32         n, {size // UNIT}
        mov.b32         lap, 1
        get.clock       t0
{begin}
again_: setp.eq.s32     at, lap, {stream.middle}
        get.clock       t2
@at     mov.b64         t1, t2
{slots_code}        add.i32         lap, lap, 1
        setp.lt.s32     again, lap, {stream.run}
@again  bra             again_
{tail}        get.clock       t3
@lead   st.global.b64   [o], t0
@lead   st.global.b64   [o + 8], t1
@lead   st.global.b64   [o + 16], t2
@lead   st.global.b64   [o + 24], t3
        exit
"""


def _inbound_slot(slots, s, size, wait=True, place=None):
    """Wait for the slot, arm its barrier, copy (to `place`, if not to the slot's own). Up to 8 slots' addresses are in
    the warp's own registers, which takes more moves; with more the compiler keeps them in the lanes' and moves them
    by an operation across lanes."""
    waiting = f"""        mov.b32         i, 0
        shl.b32         v, size, 31
        wait            e{s}
"""
    uniform = """        mov.b32         i, d
        mov.b32         i, size
        mov.b32         i, lap
        mov.b64         spare, p
        or.b32          v, v, 1
"""
    lanes = """        bcast.b32       v, p.lo
        bcast.b32       i, p.hi
"""
    return f"""{waiting if wait else ""}{lanes if slots > 8 else uniform}        mov.b32         e{s}, 0
        mov.b32         v, size
        shr.u32         n, size, 4
        st.lds.b32      [{8 * s}], v
        mov.b32         d, {1024 + s * size if place is None else place}
{NEXT}        copy.to_lds     e{s}, [d], [p], n, size={UNIT}
{CHOOSE}"""


def _outbound_slot(slots, s, size, wait=True):
    """A slot is free when all but the K-1 latest copies have been read, that is, when its own last copy has. Everything
    else is then in registers."""
    return f"""        add.i64         q, p, step
        mov.b32         i, e{s}
        mov.b32         e{s}, 0
        mov.b32         d, {1024 + s * size}
{f"        wait            i" + chr(10) if wait else ""}        copy.to_global  e{s}, [p], [d], n, size={UNIT}
        setp.ge.u64     hit, q, end
{CHOOSE}"""


def _stream_metric(row, stream, ctas, groups, moved):
    """Cycles per copy, or bytes per time, from the stamps of all work-groups."""
    def metric(outcome):
        words = outcome.words[STAMPS]
        taken = [stream.cycles(words[4 * g:4 * g + 4]) for g in range(groups)]
        each = median(taken) / stream.copies
        if row.metric in ("cycles_per_copy", "cycles_per_tile"):
            return each
        if row.metric == "cycles_per_copy_slowest_cta":
            return max(taken) / stream.copies
        if row.metric == "bytes_per_cycle_per_cta":
            return moved / each
        begin = min(words[4 * g] for g in range(groups))
        whole = max(words[4 * g] - begin + taken[g] for g in range(groups))
        return stream.copies * moved * ctas / whole * CLOCK_GHZ
    if row.metric not in ("cycles_per_copy", "cycles_per_tile", "cycles_per_copy_slowest_cta",
                          "bytes_per_cycle_per_cta", "total_bandwidth", "read_plus_write_bandwidth"):
        raise Unmodeled("no such metric")
    return metric


L2 = 60 << 20  # bytes
CHANGE = """
.kernel change
.arg    old global
.reg    item, v[4]
.reg64  p, q
        ld.arg.b64      p, old
        get.global_id   item, x
        mul.wide.u32    q, item, 16
        add.i64         p, p, q
        st.global.b128  [p], v
        exit
"""


def _changed(case):
    """The case with an L2 full of dirty lines at the start, as the program's earlier repeats leave it: each write
    evicts others to DRAM."""
    size = L2 // case.share
    launch = Launch("change", size // 4096, 256, (("buffer", "old"),))
    return dataclasses.replace(case, source=case.source + CHANGE, launches=(launch,) + case.launches,
                               buffers=case.buffers + (Buffer("old", size),))


def _throughput(row):
    inbound = row.one_of("dir", "g2s", "s2g") == "g2s"
    hot = row.one_of("mem", "l2", "dram") == "l2"
    size, slots = row.number("bytes", UNIT), row.number("inflight", 1, 32)
    ctas, copies = row.number("ctas", 1, 264), row.number("copies_per_cta", 1)
    _units(size, row)
    cus, share, groups = _place(ctas)
    stream = _Stream(copies, slots)
    region = row.number("region_bytes", size) if hot else 0
    spread = max(1, min(stream.copies, region // size) // (stream.run * slots)) if hot else 1
    step, base = (size * spread, region) if hot else (size * groups, size)
    reach = groups * region if hot else stream.run * slots * size * groups
    slot = _inbound_slot if inbound else _outbound_slot
    begin = "".join(slot(slots, s, size, wait=False) for s in range(slots))
    code = "".join(slot(slots, s, size) for s in range(slots))
    tail = "".join(f"        wait            e{s}\n" for s in range(slots))
    kernel = _stream_kernel(stream, size, step, base, region if hot else reach + step, begin, code, tail)
    case = _case(kernel, "stream", groups, 4 * groups, (("data", reach),), hot, cus=cus, share=share)
    if not inbound and not hot and share > 1:
        case = _changed(case)
    return case, _stream_metric(row, stream, ctas, groups, size)


# ---- through the LDS --------------------------------------------------------------------------

# The other lanes branch around the elected lane's code. Addresses of both sides are computed each time.
ELECTED = """@over   bra             {name}
        mov.b64         q, step
        mov.b32         i, size
        mov.b32         v, d
        shr.u32         v, v, 4
        or.b32          i, i, 1
{name}:
"""


def _through_slot(slots, s, size, first):
    """Copies the tile K-1 ahead once the latest store has been read; then waits for tile s and stores it elsewhere."""
    ahead = (s + slots - 1) % slots
    free = "" if first and s == 0 else f"        wait            g{ahead}\n"
    load = _inbound_slot(slots, ahead, size, wait=False)
    return f"""{free}{load}{ELECTED.format(name=f"load{ahead}{first:d}")}        wait            e{s}
{ELECTED.format(name=f"store{s}{first:d}")}        mov.b32         g{s}, 0
        mov.b32         d, {1024 + s * size}
        add.i64         q, c, step
        setp.ge.u64     hit, q, cend
        copy.to_global  g{s}, [c], [d], n, size={UNIT}
        sel.b64         c, cfirst, q, hit
"""


def _through(row):
    hot = row.one_of("mem", "l2", "dram") == "l2"
    size, slots = row.number("bytes", UNIT), row.number("slots", 2, 16)
    ctas, copies = row.number("ctas", 1, 264), row.number("tiles_per_cta", 1)
    _units(size, row)
    cus, share, groups = _place(ctas)
    stream = _Stream(copies, slots)
    region = max(65536, 2 * size) // size * size
    step, base = (size, region) if hot else (size * groups, size)
    reach = groups * region if hot else (stream.run + 1) * slots * size * groups
    limit = region if hot else reach + step
    places = f"""        ld.arg.b64      c, to
        mul.wide.u32    q, group, {base}
        add.i64         c, c, q
        mov.b64         cfirst, c
        add.i64         cend, c, {limit}
"""
    begin = places + "".join(_inbound_slot(slots, s, size, wait=False) for s in range(slots - 1))
    begin += "".join(_through_slot(slots, s, size, True) for s in range(slots))
    code = "".join(_through_slot(slots, s, size, False) for s in range(slots))
    tail = "".join(f"        wait            e{s}\n" for s in range(slots - 1))
    tail += f"        wait            g{slots - 1}\n"
    kernel = _stream_kernel(stream, size, step, base, limit, begin, code, tail, ("data", "to"))
    case = _case(kernel, "stream", groups, 4 * groups, (("data", reach), ("to", reach)), hot, cus=cus, share=share)
    return case, _stream_metric(row, stream, ctas, groups, 2 * size)


# ---- chosen SMs -------------------------------------------------------------------------------

def _clusters(name, sms):
    """The number of clusters among which a set of SMs is evenly distributed."""
    if name.startswith("one_gpc"):
        return 1
    if name.startswith("whole_gpcs_"):
        return int(name[len("whole_gpcs_"):])
    return min(8, sms)


def _topology(row):
    sms, size, slots = row.number("active_sms", 1, 132), row.number("bytes", UNIT), row.number("inflight", 1, 32)
    _units(size, row)
    stream = _Stream(row.number("copies_per_cta", 1), slots)
    region = 65536
    begin = "".join(_inbound_slot(slots, s, size, wait=False) for s in range(slots))
    code = "".join(_inbound_slot(slots, s, size) for s in range(slots))
    tail = "".join(f"        wait            e{s}\n" for s in range(slots))
    kernel = _stream_kernel(stream, size, size, region, region, begin, code, tail)
    case = _case(kernel, "stream", sms, 4 * sms, (("data", sms * region),), True, cus=sms,
                 sets=(("mem.clusters", str(_clusters(row.text("set"), sms))),))
    of = {"mean_bytes_per_cycle_per_sm": lambda rates: sum(rates) / len(rates), "min_bytes_per_cycle_per_sm": min,
          "max_bytes_per_cycle_per_sm": max}.get(row.metric)
    if of is None:
        raise Unmodeled("no such metric")

    def metric(outcome):
        words = outcome.words[STAMPS]
        return of([stream.copies * size / stream.cycles(words[4 * g:4 * g + 4]) for g in range(sms)])
    return case, metric


# ---- copies and the warps' loads ----------------------------------------------------------------

CONTEND = 6000  # cycles for which both continue, or longer if the loads need that for TURNS turns
TURNS, LOADS = 6, 8
ROOM, WARPS = 227 * 1024, 22  # bytes of LDS, and warps of this kernel for which there are registers


def _contend_kernel(size, bits, stride, cycles):
    """Work-group 0 copies to one place, which nobody reads; the others load for as many `cycles`. All start their
    clocks after a turn. Stamps: start, end, copies or loads."""
    region, turns = max(16384, 4 * size), cycles // max(440, size // 26) if size else 0  # as long as the loads
    turn = "".join(_inbound_slot(4, s, size, place=1024) for s in range(4))
    begin = "".join(_inbound_slot(4, s, size, wait=False, place=1024) for s in range(4)) + turn
    turn += "        add.i32         count, count, 4\n"
    end = "".join(f"        wait            e{s}\n" for s in range(4))
    begin, turn, end = (begin, turn, end) if size else ("", "", "")
    loads = "".join(f"        ld.lds.b{bits}     v{u}, [at]\n" for u in range(LOADS))
    use = "".join(f"        xor.b32         i, v{u}, v{u + 1}\n" for u in range(0, LOADS, 2))
    return f"""
.kernel contend
.arg    out  global
.arg    data global
.lds    words {max(1024 + size, 64 + 31 * stride + bits // 8)}
.reg    lane, group, warp, size, n, d, i, v, lap, at, count, e0, e1, e2, e3
.reg    {", ".join(f"v{u}[{bits // 32}]" for u in range(LOADS))}
.reg64  p, q, o, c, spare, step, first, end, t0, t1, last
.pred   lead, hit, loads, again
        get.lane        lane
        setp.eq.s32     lead, lane, 0
        get.group_id    group, x
        get.warp        warp
        ld.arg.b64      o, out
        get.local_size  i, x
        shr.u32         i, i, 5
        mul.i32         i, i, group
        add.i32         i, i, warp
        mul.wide.u32    q, i, 24
        add.i64         o, o, q
        ld.arg.b64      p, data
        mov.b64         first, p
        add.i64         end, p, {region}
        mov.b64         step, {max(size, 1)}
        mov.b32         size, {size}
        mul.i32         at, lane, {stride}
        mov.b32         count, 0
        setp.ne.s32     loads, group, 0
        get.clock       t0
        add.i64         last, t0, {cycles}
@loads  bra             load
{begin}        get.clock       t0
copies:
{turn}        get.clock       t1
        setp.lt.s32     again, count, {4 * turns}
@again  bra             copies
{end}        bra             done
load:
{loads}{use}        get.clock       t0
more:   get.clock       t1
        setp.lt.u32     again, t1.lo, last.lo
{loads}{use}        add.i32         count, count, {LOADS}
@again  bra             more
        sub.i32         count, count, {LOADS}
done:
@lead   st.global.b64   [o], t0
@lead   st.global.b64   [o + 8], t1
@lead   st.global.b32   [o + 16], count
        exit
"""


def _contention(row):
    """The copying warp is one work-group, the loading warps are the others. If the LDS has no room for that many,
    several warps share a work-group, and those in the copying one's follow it."""
    size, warps = row.number("copy_bytes", 0, 65536), row.number("load_warps", 0, 31)
    bits, stride = row.number("load_bits", 32, 128), row.number("lane_stride_elems", 1, 32)
    _units(size, row)
    each = 1
    stride *= bits // 8
    while (1 + -(-warps // each)) * max(2048 + size, 64 + 32 * stride) > ROOM:
        each += 1
    each = min(each, WARPS // 2)  # two groups at least
    groups = min(1 + -(-warps // each), WARPS // each)
    passes = min(32, stride // 4)  # per load
    cycles = max(CONTEND, TURNS * LOADS * passes * warps)
    case = _case(_contend_kernel(size, bits, stride, cycles), "contend", groups, 3 * groups * each,
                 (("data", 16384 + 8 * size),), True, local=32 * each)

    def metric(outcome):
        words = outcome.words[STAMPS]
        rates = [words[3 * w + 2] / (words[3 * w + 1] - words[3 * w]) for w in range(groups * each)]
        if row.metric == "copy_bytes_per_cycle":
            return rates[0] * size
        if row.metric == "warp_loads_per_cycle":
            return sum(rates[each:]) * min(1, warps / max(1, len(rates) - each))  # fewer warps saturate the LDS, too
        raise Unmodeled("no such metric")
    return case, metric


MODELS = {"bulk_latency": _latency, "bulk_misalign": _latency, "bulk_small": _small, "bulk_throughput": _throughput,
          "bulk_through": _through, "bulk_topology": _topology, "bulk_lds_contention": _contention}


def model(row):
    if row.test not in MODELS:
        raise Unmodeled("not built yet")
    return MODELS[row.test](row)
