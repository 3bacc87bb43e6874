"""What a row becomes: kernels, launches and buffers for `warpwait run`, and what is read back."""
import dataclasses


class Unmodelled(Exception):
    """Why a row has no prediction: the model has no such thing. One clause."""


@dataclasses.dataclass
class Gpu:
    """The whole machine that rows are of: compute units, their clock in MHz, bytes of its L2. The runner's machine says
    them before any row becomes a case."""
    count: int = 0
    clock_mhz: int = 0
    l2_size: int = 0
    host: tuple = ()  # sets of cases whose metric is what a host's events measure


GPU = Gpu()

# What events around a launch measure besides it is the host's, not the GPU's: where this project's rows of t7_core.csv and
# t9_ocl.csv were measured an empty kernel took 4.1 us, where those of apps were 5.6, on a third host 5.8 to 6.5. The
# machine has that of apps. Whoever measures a GPU of their own writes theirs into their machine's file.
HOSTS = {"h200": (("cu.launch_overhead", "8100"),)}


# In front of a copy of each lane's bytes nvcc puts three loads of the LDS that can never run (`@!PT LDS`), which hardware
# knows; a guard that nobody sets stands for it, and must not cost what one does that might hold.
NEVER_LOADS = "@never  ld.lds.b32      {0}, [zero]\n" * 3


def never_runs(source):
    """What to set for a kernel that has them."""
    return (("cu.lds_off", "skip"),) if "@never " in source else ()


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Global memory. `reads`: its 64-bit words are wanted afterwards, to be stamps of the clock."""
    name: str
    bytes: int
    fill: str = "zero"  # of launch files
    words: tuple = ()  # its 32-bit contents, if not a fill
    reads: bool = False
    contents: object = None  # data() makes what is in it, if neither; its repr() says which bytes these are
    digest: object = None  # of(bytes) makes the numbers that are wanted afterwards


@dataclasses.dataclass(frozen=True)
class Image:
    """An image of `sizes` texels: width, height, depth, as many as its kind has. It holds zeros, or what data() of
    `contents` makes, as a buffer's."""
    name: str
    kind: str  # of launch files, as is the format
    format: str
    sizes: tuple
    contents: object = None


@dataclasses.dataclass(frozen=True)
class Launch:
    """`groups` work-groups of `local` work-items; pairs for two axes. `args`: launch files' arguments, as (kind, value)
    pairs."""
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
    """A run. Two rows with equal cases share it.

    `cus`: compute units that it needs; the machine is cut down to them, since idle ones only cost time. `share`: the run
    is of one part in so many of a machine that is loaded evenly: `cus` is then of the part, and all that compute
    units share is divided. `sets`: further parameters, ("dma.copy", "lanes"): which of the machine's ways the
    measured program used, never a fit. `options`: further words for `warpwait run`. `counts`: what the report counts is
    wanted."""
    source: str
    launches: tuple
    buffers: tuple
    images: tuple = ()
    language: str = "wws"
    build: tuple = ()  # of launch files: pairs
    cus: int = 1
    share: int = 1
    sets: tuple = ()
    options: tuple = ()
    counts: bool = False


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a case: cycles of each launch, the 64-bit words of the buffers that are read, what a host's events
    around each launch measure, in cycles, and the class of the last launch, which is the one that was measured; digests of
    buffers, what is counted of the last launch, and the seconds that the run took."""
    cycles: tuple
    words: dict
    events: tuple = ()
    like: object = None
    digests: dict = dataclasses.field(default_factory=dict)
    counts: dict = dataclasses.field(default_factory=dict)
    seconds: float = 0


@dataclasses.dataclass(frozen=True)
class Like:
    """What reports compare a launch by: the limit that its accounts name, its main kinds of operations, all of its kinds;
    as the key `fidelity` of the report has them."""
    limit: str
    operations: tuple
    kinds: tuple


STAMPS = "stamps"


def stamps(count):
    """The buffer that kernels store their clock stamps in, `count` 64-bit words; first argument by convention."""
    return Buffer(STAMPS, 8 * count, reads=True)


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
