"""Tensor copies: planes of lines of a box, one work-group of a warp (measure/t3_tma.cu)."""
import dataclasses

from case import STAMPS, Buffer, Case, Launch, Unmodeled, median, stamps
from rows import BadRow

REPEATS = 13  # copies of a latency, at different addresses
LDS_FROM = 1024  # byte offset of the boxes in the LDS
REGION = 4 << 30  # bytes of the array from which boxes are copied
MOST_LDS = 227 << 10
CLOCK_GHZ = 1.98


@dataclasses.dataclass(frozen=True)
class Box:
    """Bytes, lines, planes and pitches (in bytes) of a copy. `step`: bytes from box to box in global memory."""
    line_bytes: int
    lines: int
    planes: int
    line_pitch: int
    plane_pitch: int
    step: int
    boxes: int  # in the array
    swizzle: str

    @property
    def bytes(self):
        return self.line_bytes * self.lines * self.planes

    @property
    def span(self):
        """Bytes from its first to its last."""
        return (self.planes - 1) * self.plane_pitch + (self.lines - 1) * self.line_pitch + self.line_bytes


def _box(row):
    rank = row.number("rank", 2, 3)
    line_bytes, lines = row.number("line_bytes", 4, 1 << 10), row.number("lines", 1, 256)
    planes, pitch = row.number("planes", 1, 256), row.number("line_pitch", line_bytes)
    stride, plane_stride = row.number("estride1", 1, 8), row.number("estride2", 1, 8)
    if line_bytes % 4:
        raise BadRow(f"{row.file}:{row.line}: line_bytes: {line_bytes} is no multiple of 4")
    option = row.text("opt")
    swizzle = option[3:] if option in ("swz32", "swz64", "swz128") else "none"
    if rank == 2:
        step = lines * stride * pitch
        return Box(line_bytes, lines, 1, pitch * stride, 0, step, REGION // pitch // (lines * stride), swizzle)
    plane_pitch = row.number("plane_pitch", 1) * plane_stride
    return Box(line_bytes, lines, planes, pitch * stride, plane_pitch, planes * plane_pitch,
               REGION // (planes * plane_pitch), swizzle)


# ---- kernels ----------------------------------------------------------------------------------

REGISTERS = """.reg    lane, count, lines, global_line, lds_line, planes, global_plane, lds_plane, box_at, size
"""


def _descriptor(box):
    """Sets up the registers of a copy, before the first clock read. They take the place of a tensor map."""
    return f"""        mov.b32         size, 4
        mov.b32         count, {box.line_bytes // 4}
        mov.b32         lines, {box.lines}
        mov.b32         global_line, {box.line_pitch // 4}
        mov.b32         lds_line, {box.line_bytes // 4}
        mov.b32         planes, {box.planes}
        mov.b32         global_plane, {box.plane_pitch // 4}
        mov.b32         lds_plane, {box.line_bytes // 4 * box.lines}
"""


def _copy(direction, event, lds, pair="p", rank=3):
    ends = f"[{lds}], [{pair}]" if direction == "g2s" else f"[{pair}], [{lds}]"
    name = "copy.to_lds" if direction == "g2s" else "copy.to_global"
    shape = "size=size, lines=lines, global_line=global_line, lds_line=lds_line"
    if rank == 3:
        shape += ", planes=planes, global_plane=global_plane, lds_plane=lds_plane"
    return f"        {name}.{rank}d  {event}, {ends}, count, {shape}\n"


def _rank(row):
    return row.number("rank", 2, 3)


# ---- one copy at a time -----------------------------------------------------------------------

def _latency_kernel(box, direction, rank):
    """Stamps of repeat r: t0, issued, read (outbound), complete."""
    read = "        get.clock       t2\n" + "        mov.b32         v, 0\n" if direction == "s2g" else ""
    return f"""
.kernel latency
.arg    out global
.arg    data global
.lds    front {LDS_FROM}
.lds    box {box.bytes}
{REGISTERS}.reg    e, left, v, at
.reg64  o, p, start, step, t0, t1, t2, t3
.pred   lead, more
        get.lane        lane
        ld.arg.b64      o, out
        ld.arg.b64      start, data
{_descriptor(box)}        mov.b64         step, {box.step}
        mov.b32         box_at, box
        setp.eq.s32     lead, lane, 0
        mov.b64         p, start
        mov.b32         left, {REPEATS}
again:  mov.b32         e, 0
        bar
        get.clock       t0
        add.i32         at, box_at, 0
        mov.b32         p.hi, start.hi
{_copy(direction, "e", "at", rank=rank)}        get.clock       t1
        wait            e
{read}        get.clock       t3
@lead   st.global.b64   [o], t0
@lead   st.global.b64   [o + 8], t1
@lead   st.global.b64   [o + 16], t2
@lead   st.global.b64   [o + 24], t3
        add.i64         p, p, step
        add.i64         o, o, 32
        sub.i32         left, left, 1
        setp.ne.s32     more, left, 0
@more   bra             again
        exit
"""


STAMP_OF = {"issue_cycles": 1, "read_done_cycles": 2, "complete_cycles": 3, "first_use_cycles": 3}


def _latency(row):
    """The first of two launches loads the data into the L2; the first copy of each launch fetches the descriptor."""
    box, direction = _box(row), row.one_of("dir", "g2s", "s2g")
    warm = row.one_of("mem", "l2", "dram") == "l2"
    if row.metric not in STAMP_OF or (direction == "g2s" and row.metric == "read_done_cycles"):
        raise Unmodeled(f"no metric '{row.metric}'")
    if box.bytes > MOST_LDS - LDS_FROM:
        raise Unmodeled("the box is larger than the LDS")
    launch = Launch("latency", 1, 32, (("buffer", STAMPS), ("buffer", "data")))
    case = Case(_latency_kernel(box, direction, _rank(row)), (launch,) * (2 if warm else 1),
                (stamps(4 * REPEATS), Buffer("data", (REPEATS - 1) * box.step + box.span)), sets=_sets(box))
    chosen = range(1) if row.metric == "first_use_cycles" else range(1, REPEATS)

    def metric(outcome):
        words = outcome.words[STAMPS]
        return median([words[4 * r + STAMP_OF[row.metric]] - words[4 * r] for r in chosen])
    return case, metric


# ---- copies in a loop -------------------------------------------------------------------------

# The next box, or the first again, in 32 bits like coordinates: the instructions before the copy, and after it.
NEXT = """        add.i32         v, p.lo, step
        setp.eq.s32     wraps, v, end
"""
ADVANCE = "        sel.b32         p.lo, start.lo, v, wraps\n"


def _inbound_slot(slot, rank):
    """Waits for the slot's last copy, arms its barrier, copies, and advances to the next box. The branch around the
    first lap's waits, which costs the program nothing, is a guard here."""
    return f"""        shl.b32         v, lap, 31
@later  wait            e[{slot}]
        ld.arg.b32      armed, bytes
        mov.b32         e[{slot}], 0
        add.i32         q.lo, start.lo, 112
        add.i32         q.hi, start.hi, 0
        add.i32         v, to[0], {8 * slot}
        mov.b32         v, 0
        mov.b32         v, 0
{NEXT}        st.lds.b32      [{8 * slot}], armed
{_copy("g2s", f"e[{slot}]", f"to[{slot}]", rank=rank)}{ADVANCE}"""


def _outbound_slot(slot, rank):
    return f"""@later  wait            e[{slot}]
        mov.b32         e[{slot}], 0
{_copy("s2g", f"e[{slot}]", f"to[{slot}]", rank=rank)}{NEXT}{ADVANCE}"""


def _stream_kernel(box, direction, rank, slots, apart):
    """Kernel `stream`: `laps` laps of `slots` copies; group c starts `first` boxes after group c - 1. Stamps: start,
    end.
    """
    slot = _inbound_slot if direction == "g2s" else _outbound_slot
    lap = "".join(slot(s, rank) for s in range(slots))
    places = "".join(f"        mov.b32         to[{s}], {LDS_FROM + s * apart}\n" for s in range(slots))
    ends = "".join(f"        wait            e[{s}]\n" for s in range(slots))
    return f"""
.kernel stream
.arg    out   global
.arg    data  global
.arg    bytes u32
.arg    laps_of u32
.arg    end_of u32
.arg    first_of u64
.arg    step_of u32
.lds    front {LDS_FROM}
.lds    slots {slots * apart}
{REGISTERS}.reg    e[{slots}], to[{slots}], group, lap, laps, end, v, armed, step
.reg64  o, p, q, start, t0, t1
.pred   lead, later, wraps, more
        get.lane        lane
        get.group_id    group, x
        ld.arg.b64      o, out
        ld.arg.b64      start, data
        ld.arg.b64      q, first_of
        ld.arg.b32      step, step_of
        ld.arg.b32      laps, laps_of
        ld.arg.b32      end, end_of
        setp.eq.s32     lead, lane, 0
        cvt.u64.u32     p, group
        mad.i64         start, q, p, start
        mov.b64         p, start
        add.i32         end, end, start.lo
{_descriptor(box)}{places}        mov.b32         lap, 0
        bar
        get.clock       t0
again:  setp.ne.s32     later, lap, 0
{lap}        add.i32         lap, lap, 1
        setp.lt.s32     more, lap, laps
@more   bra             again
{ends}        get.clock       t1
        shl.b32         group, group, 4
@lead   st.global.b64   [o + group], t0
@lead   st.global.b64   [o + group + 8], t1
        exit
"""


def _footprint(row, box, copies, ctas):
    """(boxes in which a work-group wraps, boxes from copy to copy, boxes from work-group to work-group)"""
    if row.one_of("mem", "l2", "dram") == "dram":
        return copies, ctas, 1
    fit = (16 << 20 if ctas > 1 else 8 << 20) // box.step // ctas
    boxes = max(1, min(fit, 64, box.boxes // ctas))
    return boxes, 1, boxes


def _throughput(row):
    box, direction = _box(row), row.one_of("dir", "g2s", "s2g")
    slots, ctas = row.number("inflight", 1, 8), row.number("ctas", 1, 1056)
    copies = row.number("copies_per_cta", slots)
    if row.metric not in ("cycles_per_copy", "bytes_per_cycle_per_cta", "total_bandwidth"):
        raise Unmodeled(f"no metric '{row.metric}'")
    apart = (box.bytes + 127) // 128 * 128
    if LDS_FROM + slots * apart > MOST_LDS:
        raise Unmodeled("the boxes are larger than the LDS")
    share = 2 if ctas >= 132 and ctas % 132 == 0 else 1  # half: three clusters of 16 CUs, one of 18
    groups = ctas // share
    boxes, stride, first = _footprint(row, box, copies, groups)
    size = ((groups - 1) * first + (boxes - 1) * stride) * box.step + box.span
    warm = row.text("mem") == "l2"
    laps = copies // slots
    rest = (("uint", boxes * stride * box.step), ("ulong", first * box.step), ("uint", stride * box.step))
    runs = ([-(-boxes // slots)] if warm else []) + [laps]
    launches = tuple(Launch("stream", groups, 32, (("buffer", STAMPS), ("buffer", "data"), ("uint", box.bytes),
                                                   ("uint", run)) + rest) for run in runs)
    case = Case(_stream_kernel(box, direction, _rank(row), slots, apart), launches,
                (stamps(2 * groups), Buffer("data", size)), cus=min(groups, 132 // share), share=share,
                sets=_sets(box))

    def metric(outcome):
        begin, end = outcome.words[STAMPS][0::2], outcome.words[STAMPS][1::2]
        cycles = median([b - a for a, b in zip(begin, end)]) / (laps * slots)
        if row.metric == "total_bandwidth":
            return ctas * laps * slots * box.bytes / (max(end) - min(begin)) * CLOCK_GHZ
        return cycles if row.metric == "cycles_per_copy" else box.bytes / cycles
    return case, metric


def _sets(box):
    return (("dma.swizzle", box.swizzle),) if box.swizzle != "none" else ()


def model(row):
    if row.test in ("tma_latency", "tma_strided"):
        return _latency(row)
    if row.test in ("tma_throughput", "tma_strided_throughput"):
        return _throughput(row)
    raise Unmodeled(f"no test '{row.test}'")
