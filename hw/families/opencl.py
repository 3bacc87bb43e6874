"""Kernels in OpenCL C as NVIDIA's compiler builds them (measure/t9_ocl.cpp, measure/ocl_kernels.cl).

They go through our own front end. NVIDIA compiles an asynchronous copy to a loop in which every work-item loads and
stores elements, and the wait to a barrier; so do we here. A launch is repeated, as in the program, so that it finds in
the L2 what the launch before left there.
"""
import pathlib

from case import GPU, Buffer, Case, Launch, Unmodeled, STAMPS, median
from rows import HERE

SOURCE = (pathlib.Path(HERE) / "measure/ocl_kernels.cl").read_text()
COLUMNS = {"copy_in_cycles": 0, "compute_cycles": 1, "copy_out_cycles": 2, "total_cycles": 3}


def _part(groups):
    """(compute units, the number of parts into which the machine is cut, work-groups of a part)."""
    for share in (12, 6, 4, 3, 2):
        if groups >= GPU.count and groups % share == 0 and GPU.count % share == 0:
            return GPU.count // share, share, groups // share
    return min(groups, GPU.count), 1, groups


def _build(defines, registers=32):
    """NVIDIA's compiler takes 14 to 31 registers for these kernels."""
    return ("options", f"-DUSE_CLOCK {defines}"), ("copies", "loop"), ("registers", registers)


def _case(kernel, groups, local, buffers, args, build, cycles=None):
    """Two launches of `kernel`. `buffers`: ((name, bytes for all work-groups), ...); `cycles`: words of stamps per
    group.
    """
    cus, share, part = _part(groups)
    made = [Buffer(name, max(16, size * part // groups)) for name, size in buffers]
    if cycles:
        made.append(Buffer(STAMPS, 8 * cycles * part, reads=True))
    launch = Launch(kernel, part, local, args)
    return Case(SOURCE, (launch, launch), tuple(made), language="cl", cus=cus, share=share,
                build=build, sets=GPU.host)


def _event(outcome):
    """The time between events around the last launch, in microseconds."""
    return outcome.events[-1] / GPU.clock_mhz


def _column(outcome, column, stride=4):
    return median(outcome.words[STAMPS][column::stride])


def _tile(row):
    """Common parameters of the tests with one tile per work-group: (element bytes, its type, elements, groups,
    local)."""
    kind = row.one_of("type", "float", "float4")
    element = 16 if kind == "float4" else 4
    return element, f"-DT={kind}", row.number("tile_bytes", 16, 227 << 10) // element, row.number("groups", 1), \
        row.number("wg", 1, 1024)


def _scale2(row):
    element, define, count, groups, local = _tile(row)
    size = groups * count * element
    args = (("buffer", "in"), ("buffer", "out"), ("int", count), ("local", count * element), ("buffer", STAMPS))
    case = _case("scale2", groups, local, (("in", size), ("out", size)), args, _build(define), 4)
    return case, _metric(row)


def _direct(row):
    element, define, count, groups, local = _tile(row)
    size = groups * count * element
    args = (("buffer", "in"), ("buffer", "out"), ("int", count))
    return _case("scale2_direct", groups, local, (("in", size), ("out", size)), args, _build(define)), _metric(row)


def _strided(row):
    element, define, count, groups, local = _tile(row)
    stride = row.number("stride_elems", 1)
    size = groups * count * element * stride
    args = (("buffer", "in"), ("buffer", "out"), ("int", count), ("int", stride), ("local", count * element),
            ("buffer", STAMPS))
    case = _case("strided", groups, local, (("in", size), ("out", size)), args, _build(define), 4)
    return case, _metric(row)


def _pipe(row):
    buffers, groups, local = row.number("buffers", 1, 64), row.number("groups", 1), row.number("wg", 1, 1024)
    tile, tiles = row.number("tile_bytes", 4, 227 << 10), row.number("tiles", 1, 1 << 20)
    distinct, compute = row.number("distinct_tiles", 1), row.number("compute_groups")
    args = (("buffer", "in"), ("buffer", "out"), ("int", tiles), ("int", tile // 4), ("int", compute), ("int", distinct),
            ("local", tile * buffers), ("buffer", STAMPS))
    # our compiler needs a few registers more than NVIDIA's 26 to keep loads in flight without spilling
    case = _case("pipeline", groups, local, (("in", groups * distinct * tile), ("out", 4 * groups * local)), args,
                 _build(f"-DUNROLL_BY_4 -DNBUF={buffers}", 40), 4)
    if row.metric == "cycles_per_tile":
        return case, lambda outcome: _column(outcome, 0) / tiles
    return case, _metric(row)


def _transpose(row):
    """Launches of all work-groups take long. Two shorter ones, the second twice the first, show what each further row
    of work-groups takes. Both read what does not fit in the L2 from memory."""
    pitch, dim, reps = row.number("pitch_words", 32, 1024), row.number("dim", 32, 1 << 15), row.number("local_reps", 1)
    across = dim // 32
    cus, share, part = _part(across * across)
    down = max(1, part // across)
    few = min(down, max(1, (768 if reps < 8 else 176) // across))
    cold = 8 * dim * dim > GPU.l2_size
    launches, buffers = [], []
    for rows in (few, min(2 * few, down)):
        one = str(rows) if cold else ""
        args = (("buffer", "in" + one), ("buffer", "out" + one), ("int", dim), ("int", dim), ("int", reps),
                ("local", pitch * 32 * 4), ("buffer", STAMPS))
        launches.append(Launch("transpose", (across, rows), (32, 8), args))
        buffers += [Buffer("in" + one, 4 * dim * dim), Buffer("out" + one, 4 * dim * dim)]
    stamps = Buffer(STAMPS, 8 * across * min(2 * few, down), reads=True)
    case = Case(SOURCE, tuple(launches), tuple(dict.fromkeys(buffers)) + (stamps,), language="cl", cus=cus, share=share,
                build=_build(f"-DPITCH={pitch}"), sets=GPU.host)
    if row.metric == "cycles_per_local_pass":
        return case, lambda outcome: _column(outcome, 0, 1) / reps
    if down <= 2 * few or row.metric != "event_time":
        return case, _metric(row)
    more = (down - 2 * few) / few
    return case, lambda outcome: (outcome.events[1] + more * (outcome.events[1] - outcome.events[0])) / GPU.clock_mhz


def _metric(row):
    if row.metric == "event_time":
        return _event
    if row.metric in COLUMNS:
        return lambda outcome: _column(outcome, COLUMNS[row.metric])
    raise Unmodeled("no such metric")


TESTS = {"ocl_scale2": _scale2, "ocl_scale2_direct": _direct, "ocl_strided": _strided, "ocl_pipe": _pipe,
         "ocl_transpose": _transpose}


def model(row):
    return TESTS[row.test](row)
