"""Compares ncu's counters on the GPU with the report's, and what the warps of both wait for.

ncu counts the second launch of each case, which CUDA's driver makes from the same PTX. It does not clear caches between
its passes, so its L1 hits are those of a launch; its figures for the L2 and DRAM are not, and are left out.
"""
import dataclasses

from apps.cases import HERE, read_table
from case import median
from rows import BadRow
from validate import mean


@dataclasses.dataclass(frozen=True)
class Counter:
    """`gpu`: its column; `model`: a function from an outcome's counters to its value. Counters are compared as a ratio,
    or with `points` as a difference of percentages. `within`: the largest deviation that counts as agreement."""
    name: str
    gpu: str
    model: object
    points: bool
    within: float
    says: str

    def meets(self, found):
        return abs(found if self.points else found - 1) <= self.within


def _loads(counts, space):
    return sum(count for mnemonic, count in counts["issues"].items() if mnemonic.startswith(f"ld.{space}"))


def _lanes(counts):
    return counts["cu"]["lane_instructions"] / counts["warp_instructions"]


def _hits(counts):
    hits, misses = counts["cu"]["l1_hits"], counts["cu"]["l1_misses"]
    return 100 * hits / (hits + misses) if hits + misses else 0.0


COUNTERS = [
    Counter("warp instructions", "instructions", lambda counts: counts["warp_instructions"] + counts["cu"]["function_slots"], False, .15,
            "`smsp__inst_executed`; the report's `warp_instructions`, and `cu.function_slots` of those that stand for several"),
    Counter("lanes an instruction", "lanes", _lanes, False, .15,
            "`smsp__thread_inst_executed_per_inst_executed`; `lane_instructions` over `warp_instructions`"),
    Counter("global loads", "global_loads", lambda counts: _loads(counts, "global"), False, .15,
            "`smsp__inst_executed_op_global_ld`; issues of `ld.global`"),
    Counter("shared loads", "shared_loads", lambda counts: _loads(counts, "lds"), False, .15,
            "`smsp__inst_executed_op_shared_ld`, among them those whose lanes are all switched off, around which we branch; issues of "
            "`ld.lds`. CUDA's driver, whose code ncu counts, makes loads of local arrays wide; NVIDIA's OpenCL, whose times these are, and "
            "the model do not (sgemm_tile, attention, bitonic)"),
    Counter("L1 hits", "l1_hit_pct", _hits, True, 10,
            "`l1tex__t_sector_hit_rate` in %, of sectors, stores among them; of loads, `l1_hits` of all"),
    Counter("bank conflicts", "bank_conflicts", lambda counts: counts["lds"]["conflict_cycles"], False, .15,
            "`l1tex__data_bank_conflicts_pipe_lsu`, which counts those of global accesses, too; `lds.conflict_cycles`, so only "
            "of cases with shared loads"),
    Counter("registers", "registers", lambda counts: counts["registers"], False, .15,
            "registers that a work-item has by the compiler"),
]

# Which of ncu's reasons correspond to which of our buckets: (name, reasons, buckets, why). A side may be empty.
STALLS = [
    ("issued", ("selected",), ("issued",), "a warp that issues"),
    ("fixed latency", ("wait", "branch_resolving"), ("dependency",),
     "results of units whose latency the compiler knows, and branches; the model's bucket holds special functions, which ncu "
     "puts under short_scoreboard, and constants, too"),
    ("busy unit", ("math_pipe_throttle",), ("unit",), "a unit that an earlier instruction occupies"),
    ("not selected", ("not_selected",), ("not_selected",), "ready, and another warp was picked"),
    ("global memory", ("long_scoreboard",), ("memory", "texture"), "results of global memory, and of reads of images"),
    ("room at global memory", ("lg_throttle",), ("memory_queue",), "the queue to the memory is full"),
    ("LDS", ("short_scoreboard",), ("lds", "lds_conflict", "lds_contention"),
     "results of the LDS; ncu's, of special functions and conversions, too"),
    ("room at the LDS", ("mio_throttle",), ("lds_queue",),
     "the queue to the LDS is full; on the GPU it is also that of special functions"),
    ("barrier", ("barrier",), ("barrier",), "other warps of the work-group"),
    ("fence", ("membar",), ("fence",), "accesses that a fence waits for; a barrier of NVIDIA's OpenCL has none, ours has"),
    ("drain", ("drain",), ("drain",), "stores after the last instruction"),
    ("constant miss", ("imc_miss",), (), "no counterpart: constants are always there after a fixed latency"),
    ("instruction fetch", ("no_instruction",), (), "no counterpart: instructions are always there"),
    ("dispatch", ("dispatch_stall",), (), "no counterpart: the dispatcher never holds an instruction back"),
    ("copies", (), ("copy_join", "dma_queue", "copy_data", "copy_wait", "wait_join"),
     "no counterpart: copies are loops in these kernels"),
    ("pipes", (), ("pipe", "pipe_empty", "pipe_full"), "no counterpart: NVIDIA's OpenCL has no pipes"),
]


def shares(gpu, model):
    """{name of a row of STALLS: (percent on the GPU, percent in the model)}. Only the GPU's six largest reasons are
    known.
    """
    total = sum(model.values()) or 1
    return {name: (sum(gpu.get(reason, 0) for reason in reasons), 100 * sum(model.get(bucket, 0) for bucket in buckets) / total)
            for name, reasons, buckets, _ in STALLS}


def agreement(found):
    """The percentage of the warps' time that is in the same row on both sides."""
    return sum(min(pair) for pair in found.values())


def main_stall(found, side):
    """The row, other than `issued`, with the most time. side: 0 the GPU, 1 the model."""
    return max((name for name in found if name != "issued"), key=lambda name: found[name][side])


def read_stalls(text):
    """{name: number} from words name=number."""
    return {name: float(value) for name, value in (word.split("=") for word in text.split())}


def read_counters(path=HERE / "counters.csv.gz"):
    """{case: {column: number}, `stalls` {reason: percent}}"""
    told = {}
    for line, row in enumerate(read_table(path), 2):
        try:
            case, stalls = row.pop("case"), read_stalls(row.pop("stalls"))
            told[case] = dict({key: float(value) for key, value in row.items()}, stalls=stalls)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadRow(f"{path}:{line}: not a row of measure/count") from None
    return told


def compared(counter, gpu, model):
    """For one case: the ratio of the model's count to the GPU's, or the difference in points; None if the GPU has
    none."""
    if counter.points:
        return model - gpu
    return model / gpu if gpu else None


def of_kernel(counter, cases):
    """The median over a kernel's cases [(the GPU's counters, the model's)]; None if the GPU has none."""
    found = [compared(counter, gpu[counter.gpu], model[counter.gpu]) for gpu, model in cases
             if counter.gpu != "bank_conflicts" or gpu["shared_loads"]]
    found = [value for value in found if value is not None]
    return median(found) if found else None


def stalls_of_kernel(cases):
    """The mean of shares() over a kernel's cases."""
    told = [shares(gpu["stalls"], model["stalls"]) for gpu, model in cases]
    return {name: tuple(mean([one[name][side] for one in told]) for side in (0, 1)) for name, *_ in STALLS}
