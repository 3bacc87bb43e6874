"""The run that a row becomes: kernels, launches and buffers for `warpwait run`, and the results."""
import dataclasses


class Unmodeled(Exception):
    """Why a row has no prediction: the model lacks something. The text is one clause."""


@dataclasses.dataclass
class Gpu:
    """The complete machine that was measured: compute units, their clock in MHz, bytes of its L2. The runner's machine
    sets these before any row becomes a case."""
    count: int = 0
    clock_mhz: int = 0
    l2_size: int = 0
    host: tuple = ()  # parameters to set for cases whose metric is the time between a host's events


GPU = Gpu()

# The overhead in the time between events around a launch is the host's, not the GPU's. An empty kernel took 4.1 us on
# the host of this project's rows of t7_core.csv and t9_ocl.csv, 5.6 us on the host of apps, and 5.8 to 6.5 us on a
# third one. The machine has the value of apps. If you measure your own GPU, put your value in your machine's file.
HOSTS = {"h200": (("cu.launch_overhead", "8100"),)}


# Before a copy of each lane's bytes, nvcc puts three loads of the LDS that can never run (`@!PT LDS`), which hardware
# skips. A guard that is never set represents it; it must not cost as much as a guard that could be true.
NEVER_LOADS = "@never  ld.lds.b32      {0}, [zero]\n" * 3


def never_runs(source):
    """The parameters to set for a kernel that contains such loads."""
    return (("cu.lds_off", "skip"),) if "@never " in source else ()


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Global memory. `reads`: read its 64-bit words after the run; they are stamps of the clock."""
    name: str
    bytes: int
    fill: str = "zero"  # of launch files
    words: tuple = ()  # its 32-bit contents, if not a fill
    reads: bool = False
    contents: object = None  # without fill and words: data() makes the bytes, and repr() identifies them
    digest: object = None  # of(bytes) makes the numbers to keep after the run


@dataclasses.dataclass(frozen=True)
class Image:
    """An image of `sizes` texels: width, height, depth, those that its kind has. It contains zeros, or what data() of
    `contents` makes, like a buffer."""
    name: str
    kind: str  # as in launch files, like the format
    format: str
    sizes: tuple
    contents: object = None


@dataclasses.dataclass(frozen=True)
class Launch:
    """`groups` work-groups of `local` work-items; pairs for two axes. `args`: (kind, value) pairs, as in launch
    files."""
    kernel: str
    groups: object
    local: object
    args: tuple = ()

    def sizes(self):
        """Work-items of the launch and of a work-group, by axis."""
        groups = self.groups if isinstance(self.groups, tuple) else (self.groups,)
        local = self.local if isinstance(self.local, tuple) else (self.local,)
        return [a * b for a, b in zip(groups, local)], list(local)


@dataclasses.dataclass(frozen=True)
class Case:
    """A run. Rows with equal cases share it.

    `cus`: the compute units that it needs; the machine is cut down to them, because idle ones only cost time. `share`:
    the run simulates one of this many parts of an evenly loaded machine: `cus` is then of the part, and everything that
    compute units share is divided. `sets`: further parameters, ("dma.copy", "lanes"), that select which of the
    machine's ways the measured program used; never fitted values. `options`: further words for `warpwait run`.
    `counts`: keep the report's counters."""
    source: str
    launches: tuple
    buffers: tuple
    images: tuple = ()
    language: str = "wws"
    build: tuple = ()  # pairs, as in launch files
    cus: int = 1
    share: int = 1
    sets: tuple = ()
    options: tuple = ()
    counts: bool = False


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The results of a case: cycles of each launch; the 64-bit words of the buffers that are read; the time between a
    host's events around each launch, in cycles; the class of the last launch, which is the measured one; digests of
    buffers; counters of the last launch; and the seconds that the run took."""
    cycles: tuple
    words: dict
    events: tuple = ()
    like: object = None
    digests: dict = dataclasses.field(default_factory=dict)
    counts: dict = dataclasses.field(default_factory=dict)
    seconds: float = 0


@dataclasses.dataclass(frozen=True)
class Like:
    """The class of a launch, from the report's key `fidelity`: the limit that its accounts name, its main kinds of
    operations, and all of its kinds."""
    limit: str
    operations: tuple
    kinds: tuple


STAMPS = "stamps"


def stamps(count):
    """The buffer in which kernels store their clock stamps, `count` 64-bit words. By convention it is the first
    argument.
    """
    return Buffer(STAMPS, 8 * count, reads=True)


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
