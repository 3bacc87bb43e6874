"""Measurements: one row per configuration and metric, `test,k=v,...,metric,value,unit`.

This is the format that the programs in measure/ print. A row's family determines which module of families/ models it,
and with which rows its error is averaged.
"""
import csv
import dataclasses
import gzip
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

# Statistics of a measurement's repeats, not parameters.
REPEATS = ("q_min", "q_max", "q_n")

# family: its module in families/, and its tests.
FAMILIES = {
    "lds": ("lds", ["lds_latency", "lds_throughput", "lds_burst", "lds_store_load", "lds_atomic", "lds_atomic_latency"]),
    "ops": ("core", ["op_latency", "op_throughput", "clock_overhead"]),
    "constants": ("core", ["addresses_of_a_constant"]),
    "barriers": ("core", ["syncthreads", "syncthreads_release", "mbarrier_wake", "mbarrier_ops"]),
    "branches": ("core", ["branch_switch", "branch_ifelse"]),
    "dispatch": ("core", ["empty_kernel"]),
    "bulk": ("bulk", ["bulk_latency", "bulk_misalign", "bulk_small", "bulk_throughput", "bulk_through", "bulk_topology",
                      "bulk_lds_contention"]),
    "tensor": ("tensor", ["tma_latency", "tma_throughput", "tma_strided", "tma_strided_throughput"]),
    "wgcopy": ("wgcopy", ["wgcopy", "wgcopy_multi"]),
    "pipeline": ("pipeline", ["pipeline"]),
    "memory": ("memory", ["chase", "chase_dram", "chase_distribution", "l2_latency_by_sm", "stream",
                          "l2_footprint_bandwidth", "lines_of_a_load", "memcpy_d2d"]),
    "atomics": ("memory", ["global_atomic", "global_atomic_latency"]),
    "prefetch": ("prefetch", ["prefetch_load", "neighbour_after_miss", "bulk_prefetch"]),
    "texture": ("texture", ["texture_rate", "texture_latency", "texture_place", "texture_walk"]),
    "opencl": ("opencl", ["ocl_scale2", "ocl_scale2_direct", "ocl_strided", "ocl_pipe", "ocl_transpose"]),
}
FAMILY_OF = {test: family for family, (_, tests) in FAMILIES.items() for test in tests}


class BadRow(Exception):
    """An error in one line: file, line, field, value, and what would be valid."""


@dataclasses.dataclass(frozen=True)
class Row:
    file: str
    line: int
    test: str
    fields: dict  # the parameters and, under REPEATS, the spread, as text
    metric: str
    value: float
    unit: str

    @property
    def family(self):
        return FAMILY_OF.get(self.test)

    def text(self, name):
        """A parameter as text. Raises BadRow if the row does not have it."""
        if name not in self.fields:
            raise BadRow(f"{self.file}:{self.line}: {self.test} has no field '{name}'")
        return self.fields[name]

    def number(self, name, least=0, most=1 << 40):
        """A parameter that is a whole number in [least, most]."""
        text = self.text(name)
        try:
            value = int(text)
        except ValueError:
            raise BadRow(f"{self.file}:{self.line}: {name}: '{text}' is not a whole number") from None
        if not least <= value <= most:
            raise BadRow(f"{self.file}:{self.line}: {name}: {value} is outside [{least}, {most}]")
        return value

    def one_of(self, name, *legal):
        text = self.text(name)
        if text not in legal:
            raise BadRow(f"{self.file}:{self.line}: {name}: '{text}' is none of {', '.join(legal)}")
        return text

    def parameters(self):
        """`k=v` of everything but the repeats, to identify the row."""
        return ", ".join(f"{k}={v}" for k, v in self.fields.items() if k not in REPEATS)


def _parse(file, line, words):
    if len(words) < 4:
        raise BadRow(f"{file}:{line}: {len(words)} fields; a row is test,k=v,...,metric,value,unit")
    fields = {}
    for word in words[1:-3]:
        name, equals, value = word.partition("=")
        if not equals or name in fields:
            raise BadRow(f"{file}:{line}: '{word}' is not a new k=v")
        fields[name] = value
    try:
        value = float(words[-2])
    except ValueError:
        raise BadRow(f"{file}:{line}: value: '{words[-2]}' is not a number") from None
    return Row(file, line, words[0], fields, words[-3], value, words[-1])


def read(paths):
    """All rows of CSV files, gzipped or not, in order. Raises BadRow at the first mistake."""
    rows = []
    for path in map(str, paths):
        try:
            opened = gzip.open(path, "rt", newline="") if path.endswith(".gz") else open(path, newline="")
            with opened as file:
                rows += [_parse(path, line, words) for line, words in enumerate(csv.reader(file), 1) if words]
        except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
            raise BadRow(f"{path}: {error}") from None
    return rows


def public():
    """The CSV files that come with the project."""
    return sorted((HERE / "data").glob("t*.csv.gz"))


def lds_patterns():
    """{(pattern, bits): (warp_off_bytes, (lane byte offset, -1: inactive) x 32)}"""
    patterns = {}
    with gzip.open(HERE / "data/lds_patterns.csv.gz", "rt", newline="") as file:
        for row in list(csv.reader(file))[1:]:
            patterns[row[0], int(row[1])] = int(row[2]), tuple(int(word) for word in row[3:])
    return patterns


def apart(row):
    """Why a row is reported separately from its family (it is noisy, or about the board), or None."""
    dram = row.fields.get("mem") == "dram"
    ctas = int(row.fields.get("ctas", "1")) if row.fields.get("ctas", "1").isdigit() else 1
    if row.test in ("bulk_throughput", "bulk_through", "stream", "global_atomic", "l2_footprint_bandwidth") and 2 <= ctas < 100:
        return "which SMs a small grid gets depends on the board"
    if row.test == "bulk_topology" or row.test == "l2_latency_by_sm":
        return "depends on the board"
    if row.metric == "first_use_cycles":
        return "descriptor fetch and cold code; noisy"
    if row.test in ("bulk_latency", "tma_latency", "chase_distribution") and dram:
        return "DRAM latency of a single copy is bimodal, 10 % between passes"
    if row.test in ("wgcopy",) and dram:
        return "thread copies from DRAM vary by 20 % between passes"
    if row.test == "mbarrier_wake" and row.fields.get("arrive_delay") == "0":
        return "varies by 35 % between passes"
    if row.test == "global_atomic" and row.fields.get("address") == "one_word":
        return "varies by 50 % between passes"
    return None
