"""Reads of images (measure/t12_texture.cu).

Images contain zeros, so a value that was read can be added to a coordinate without changing it. Rates are of 32 warps,
each with rounds of reads that do not wait for each other. Runs with few and with more rounds show what a round takes,
and from that what the program's rounds take. Placed reads have the four lanes of a quad at the same places in all
quads.
"""
import dataclasses
import struct

from case import Case, Image, Launch, Unmodeled, STAMPS, stamps

FORMATS = {"r8": "r.unorm_int8", "rgba8": "rgba.unorm_int8", "rgba16": "rgba.unorm_int16", "r32f": "r.float", "rg32f": "rg.float",
           "rgba32f": "rgba.float"}
LANES = 32
IMAGE, SIDE, DEPTH = "texels", 64, 8
PLACE_SIDE, PLACE_FIRST = 512, 64  # side of the image with placed quads, and the coordinate of their first texel
READS, ROUNDS = 8, 64  # reads per round, and rounds in the program's timed part
FEW, MORE = 2, 6  # rounds here, instead of the program's
LATENCY_READS, UNROLL = 64, 4
LINE = 128
STORE = """
        ld.arg.b64      at, out
        mul.wide.u32    q, {place}, 16
        add.i64         at, at, q
@lead   st.global.b64   [at], t0
@lead   st.global.b64   [at + 8], t1
"""
RATE = """
.const  places f32 {places}
.kernel rate
.arg    out global
.arg    image image{d}d
.arg    sampler sampler
.reg    lane, warp, i, n, slot, rounds, s, sum, c[{coordinate}], {values}
.reg64  p, at, q, t0, t1
.pred   lead, again
        ld.arg.b64      p, image
        ld.arg.b32      s, sampler
        get.lane        lane
        get.warp        warp
        setp.eq.s32     lead, lane, 0
        mul.i32         i, lane, {place}
        {coordinates}
        mov.b32         slot, warp
        mov.b32         rounds, {few}
        mov.b32         n, 0
time_:  bar
        get.clock       t0
        mov.b32         i, 0
round_: {reads}
        {sums}
        add.f32         c[0], c[0], 0.0
        add.i32         i, i, 1
        setp.lt.u32     again, i, rounds
@again  bra             round_
        setp.eq.f32     again, sum, 1e30
@again  bra             end_
        get.clock       t1
{store}
        add.i32         slot, slot, {warps}
        setp.eq.u32     again, n, 1
        sel.b32         rounds, {more}, rounds, again
        add.i32         n, n, 1
        setp.lt.u32     again, n, 3
@again  bra             time_
end_:   exit
"""


def _registers(d):
    """Registers of a coordinate in d dimensions."""
    return 4 if d == 3 else d


def _sampler(linear):
    return "clamp_to_edge,linear" if linear else "clamp_to_edge"


def _image(name, sides):
    return Image(IMAGE, f"{len(sides)}d", FORMATS[name], sides)


def _filter(row):
    """(format, whether the filter is linear)"""
    return row.one_of("format", *FORMATS), row.one_of("filter", "nearest", "linear") == "linear"


def _rate_case(image, linear, places, warps):
    """Every warp reads at `places`, one per lane: first to load the lines into the cache, then few rounds, then
    more."""
    d = len(places[0])
    registers = [f"v{k}" for k in range(READS)]
    source = RATE.format(
        places=", ".join(str(float(axis)) for place in places for axis in place), d=d, place=4 * d, coordinate=_registers(d),
        values=", ".join(f"{v}[4]" for v in registers),
        coordinates="\n        ".join(f"ld.const.b32    c[{axis}], [places + i + {4 * axis}]" for axis in range(d)),
        reads="\n        ".join(f"image.sample.{d}d {v}, [p], s, c, as=float" for v in registers),
        sums="\n        ".join(f"add.f32         sum, sum, {v}[{channel}]" for v in registers for channel in range(4)),
        store=STORE.format(place="slot"), few=FEW, more=MORE, warps=warps)
    launch = Launch("rate", 1, LANES * warps, (("buffer", STAMPS), ("image", IMAGE), ("sampler", _sampler(linear))))
    case = Case(source, (launch,), (stamps(3 * 2 * warps),), images=(image,))

    def cycles(outcome):
        few, more = (_span(outcome.words[STAMPS][2 * warps * part:2 * warps * (part + 1)]) for part in (1, 2))
        return (few + (more - few) / (MORE - FEW) * (ROUNDS - FEW)) / (ROUNDS * READS * warps)
    return case, cycles


def _span(words):
    """From the first warp's start to the last one's end."""
    return max(words[1::2]) - min(words[0::2])


def _rate(row):
    """A warp covers `width` x LANES / width texels."""
    name, linear = _filter(row)
    d, width = row.number("dimensions", 2, 3), row.number("width", 1, LANES)
    half = 0.25 if linear else 0.5  # between texels, or at the center of one
    slice_ = row.number("slice", 0, DEPTH - 2) if d == 3 else 0
    places = [(lane % width + half + 4, lane // width + half + 4, slice_ + half)[:d] for lane in range(LANES)]
    return _rate_case(_image(name, (SIDE, SIDE, DEPTH)[:d]), linear, places, row.number("warps", 1, 32))


def _place(row):
    """The lanes of a quad are (dx, dy) texels apart, starting at (x, y)."""
    name, linear = _filter(row)
    half = 0.75 if linear else 0.5
    places = [tuple(PLACE_FIRST + row.number(axis) + lane % 4 * row.number(f"d{axis}") + half for axis in "xy")
              for lane in range(LANES)]
    return _rate_case(_image(name, (PLACE_SIDE, PLACE_SIDE)), linear, places, row.number("warps", 1, 32))


LATENCY = """
.kernel chain
.arg    out global
.arg    image image{d}d
.arg    sampler sampler
.reg    lane, i, n, s, c[{coordinate}], v[4]
.reg64  p, at, q, t0, t1
.pred   lead, again
        ld.arg.b64      p, image
        ld.arg.b32      s, sampler
        get.lane        lane
        setp.eq.s32     lead, lane, 0
        {coordinates}
        mov.b32         n, 0
time_:  get.clock       t0
        mov.b32         i, 0
round_: {reads}
@again  bra             round_
        setp.eq.f32     again, c[0], 1e30
@again  bra             end_
        get.clock       t1
        add.i32         n, n, 1
        setp.lt.u32     again, n, 2
@again  bra             time_
{store}
end_:   exit
"""


def _latency(row):
    """Each read's result, a zero, is added to the next coordinate. The loop's counter runs while a read is in flight.
    The second pass is timed."""
    name, linear = _filter(row)
    d = row.number("dimensions", 2, 3)
    place = (8.25, 8.25, 0.5)[:d] if linear else (8.5, 8.5, 0.5)[:d]
    read, moves = f"image.sample.{d}d v, [p], s, c, as=float", "add.f32         c[0], c[0], v[0]"
    counts = f"add.i32         i, i, {UNROLL}", f"setp.lt.u32     again, i, {LATENCY_READS}"
    source = LATENCY.format(d=d, coordinate=_registers(d), store=STORE.format(place="i"),
                            coordinates="\n        ".join(f"mov.b32         c[{i}], {axis}" for i, axis in enumerate(place)),
                            reads="\n        ".join([read, moves] * (UNROLL - 1) + [read, *counts, moves]))
    launch = Launch("chain", 1, LANES, (("buffer", STAMPS), ("image", IMAGE), ("sampler", _sampler(linear))))
    return Case(source, (launch,), (stamps(2 + 2 * LATENCY_READS),), images=(_image(name, (SIDE, SIDE, DEPTH)[:d]),)), \
        lambda outcome: _span(outcome.words[STAMPS][-2:]) / LATENCY_READS


WALK = """
.kernel walk
.arg    out global
.arg    image image1d_buffer
.reg    i, n, s, at[4]
.reg64  p, o, t0, t1
.pred   again
        ld.arg.b64      p, image
        ld.arg.b64      o, out
        mov.b32         n, 0
time_:  get.clock       t0
        mov.b32         i, 0
step_:  image.load.1d   at, [p], s, at[0], as=int
        add.i32         i, i, 1
        setp.lt.u32     again, i, {lines}
@again  bra             step_
        setp.eq.s32     again, at[0], -1
@again  bra             end_
        get.clock       t1
        add.i32         n, n, 1
        setp.lt.u32     again, n, 2
@again  bra             time_
        st.global.b64   [o], t0
        st.global.b64   [o + 8], t1
end_:   exit
"""


@dataclasses.dataclass(frozen=True)
class Lines:
    """A chain of `count` lines: each begins with the texel at which the next line starts, and the last leads to the
    first."""
    count: int

    def data(self):
        texels = LINE // 4
        return b"".join(struct.pack("<i", (i + 1) % self.count * texels).ljust(LINE, b"\0") for i in range(self.count))


def _walk(row):
    lines = row.number("kib", 1, 1 << 16) * 1024 // LINE
    image = Image(IMAGE, "1d_buffer", "r.signed_int32", (lines * LINE // 4,), contents=Lines(lines))
    case = Case(WALK.format(lines=lines), (Launch("walk", 1, 1, (("buffer", STAMPS), ("image", IMAGE))),), (stamps(2),),
                images=(image,))
    return case, lambda outcome: _span(outcome.words[STAMPS]) / lines


MODELS = {"texture_rate": _rate, "texture_place": _place, "texture_latency": _latency, "texture_walk": _walk}


def model(row):
    if row.test not in MODELS:
        raise Unmodeled("no such test")
    return MODELS[row.test](row)
