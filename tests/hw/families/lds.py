"""LDS accesses of one work-group (measure/t1_lds.cu)."""
from case import Case, Launch, Unmodelled, STAMPS, stamps
from rows import lds_patterns

def _offsets(row):
    bits = row.number("bits", 32, 128) if "bits" in row.fields else 32
    found = lds_patterns().get((row.text("pattern"), bits))
    if not found:
        raise Unmodelled(f"no lane offsets are known of pattern '{row.text('pattern')}'")
    return bits, found


def _latency(row):
    bits, (_, offsets) = _offsets(row)
    if row.metric != "cycles_per_dependent_load":
        raise Unmodelled("no such metric")
    wide = f"b{bits}"
    load = f"        ld.lds.{wide} v, [v]\n" * 8
    kernel = f"""
.kernel chase
.arg    out global
.lds    words 65536
.reg    lane, v[4], i, table
.reg64  p, t0, t1
.pred   lead, again
        get.lane        lane
        ld.arg.b64      p, out
        ld.lds.b32      i, [0]
        get.clock       t0
        mov.b32         i, 8
again_: {load.lstrip()}        sub.i32         i, i, 1
        setp.ne.s32     again, i, 0
@again  bra             again_
        get.clock       t1
        setp.eq.s32     lead, lane, 0
@lead   st.global.b64   [p], t0
@lead   st.global.b64   [p + 8], t1
        exit
"""
    case = Case(kernel, (Launch("chase", 1, 32, (("buffer", STAMPS),)),), (stamps(2),))
    return case, lambda outcome: (outcome.words[STAMPS][1] - outcome.words[STAMPS][0]) / 64


def model(row):
    if row.test == "lds_latency":
        return _latency(row)
    raise Unmodelled("not built yet")
