"""The kernels' cases (cases.txt), the GPU's times (times.csv.gz), counters (counters.csv.gz) and results
(results.csv.gz), and the runs that the cases become.

`later/` has kernels that were added after the model's mechanisms: times of an H100, without counters.

NVIDIA's OpenCL compiles asynchronous copies to loops, so they are loops here. A case launches its kernel twice. The
second launch, which is the one compared, finds the L2 as the first left it, like the repeated launches on the GPU.
"""
import csv
import dataclasses
import gzip
import math
import pathlib
import statistics

from apps.inputs import Contents, Digest, difference
from case import GPU, Buffer, Case, Launch, Unmodeled
from rows import BadRow, Row

HERE = pathlib.Path(__file__).resolve().parent
LATER = HERE / "later"
EMPTY = "empty"  # its time is the overhead of any launch: it is shown, but not part of any mean
METRIC = "event_time"


@dataclasses.dataclass(frozen=True)
class Argument:
    """A buffer with its name and contents, or a value of an OpenCL type."""
    name: str
    type: str
    value: float = 0
    contents: object = None
    out: bool = False


@dataclasses.dataclass(frozen=True)
class App:
    """A configuration of a kernel in cases.txt."""
    name: str
    kernel: str
    source: pathlib.Path
    sizes: tuple  # work-items of the launch by axis
    local: tuple
    tolerance: float
    launches: int
    variants: str
    inplace: bool
    slow: bool
    defines: tuple
    arguments: tuple


class AppRow(Row):
    """The measured time of a case. Its family is its kernel."""

    @property
    def family(self):
        return self.fields["kernel"]


def _numbers(text):
    return tuple(map(int, text.split(",")))


def _argument(words, seed):
    if words[0] == "value":
        return Argument("", words[1], float(words[2]) if words[1] == "float" else int(words[2]))
    name, type, count, kind = words[1:5]
    return Argument(name, type, contents=Contents(kind, type, int(count), seed), out=words[5:] == ["out"])


def _app(head, lines, folder):
    fields = dict(word.split("=", 1) for word in head[2:])
    given = [words for words in lines if words[0] != "define"]
    return App(head[1], fields["kernel"], folder / f"kernels/{fields['kernel']}.cl", _numbers(fields["global"]), _numbers(fields["local"]), float(fields["rtol"]),
               int(fields["launches"]), fields.get("variants", ""), "inplace" in fields, "slow" in fields,
               tuple(words[1] for words in lines if words[0] == "define"),
               tuple(_argument(words, seed) for seed, words in enumerate(given, 1)))


def read_apps(folder=HERE):
    """{name: App}, in order."""
    blocks = []
    for line in (folder / "cases.txt").read_text().splitlines():
        words = line.partition("#")[0].split()
        if words[:1] == ["case"]:
            blocks.append((words, []))
        elif words:
            blocks[-1][1].append(words)
    return {head[1]: _app(head, lines, folder) for head, lines in blocks}


# ---- measurements ------------------------------------------------------------------------------

def read_table(path):
    """The rows of a CSV file with a header line, gzipped or not, as dictionaries."""
    try:
        with (gzip.open(path, "rt", newline="") if str(path).endswith(".gz") else open(path, newline="")) as file:
            return list(csv.DictReader(line for line in file if not line.startswith("#")))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise BadRow(f"{path}: {error}") from None


def _medians(paths, passes):
    """{case: medians in ns, one for each pass}"""
    medians = {}
    for path in paths:
        for line, row in enumerate(read_table(path), 2):
            try:
                if row["pass"] in passes if passes else row["pass"].isdigit():
                    medians.setdefault(row["case"], []).append(float(row["median_ns"]))
            except (KeyError, TypeError, ValueError, AttributeError):
                raise BadRow(f"{path}:{line}: a row has case, pass and median_ns") from None
    return medians


def read_rows(paths=(), passes=(), folder=HERE):
    """A row for each measured case: the median of the passes' medians, and `spread`, the largest of these over the
    least. `passes`: which passes (default: all that have numbers)."""
    paths, rows = [*paths] or [folder / "times.csv.gz"], []
    medians = _medians(paths, passes)
    for line, app in enumerate(read_apps(folder).values(), 1):
        if app.name in medians:
            values = medians[app.name]
            fields = {"case": app.name, "kernel": app.kernel, "spread": f"{max(values) / min(values) - 1:.3f}"}
            rows.append(AppRow(str(paths[0]), line, "app", fields, METRIC, statistics.median(values), "ns"))
    if not rows:
        raise BadRow(f"{paths[0]}: no case of these was measured")
    return rows


def read_results(folder=HERE):
    """{(case, buffer): digest}"""
    return {(row.pop("case"), row.pop("buffer")): [*map(float, row.values())] for row in read_table(folder / "results.csv.gz")}


# ---- runs --------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Way:
    """How to compile kernels, in addition to what a case says. `options`: words for `warpwait run`."""
    defines: tuple = ()
    options: tuple = ()


def _buffer(argument):
    return Buffer(argument.name, argument.contents.size(), contents=argument.contents if argument.contents.kind != "zero" else None,
                  digest=Digest(argument.type) if argument.out else None)


def case_of(app, way=Way(), launches=0):
    """The run of a case. `launches`: the number of launches, instead of the case's own."""
    groups = tuple(size // local for size, local in zip(app.sizes, app.local))
    args = tuple(("buffer", argument.name) if argument.contents else (argument.type, argument.value) for argument in app.arguments)
    launch = Launch(app.kernel, groups, app.local, args)
    defines = tuple((name, value or "1") for name, _, value in (define.partition("=") for define in app.defines + way.defines))
    return Case(app.source.read_text(), (launch,) * (launches or app.launches),
                tuple(_buffer(argument) for argument in app.arguments if argument.contents), language="cl", cus=GPU.count,
                build=(("defines", defines), ("copies", "loop")),
                options=way.options, counts=True)


def check_case(app, way=Way()):
    """The run for checking results, which are those of one launch. It is the same run unless the kernel works in
    place."""
    return case_of(app, way, 1 if app.inplace else 0)


def wrong(app, outcome, results):
    """What is wrong with the results in the outcome of check_case(), or None."""
    for argument in app.arguments:
        if argument.out:
            said = difference(results[app.name, argument.name], outcome.digests[argument.name], app.tolerance)
            if said:
                return f"wrong result: {argument.name}: {said}"
    return None


def event_time(outcome):
    """The time between events around the last launch, in nanoseconds."""
    return 1000 * outcome.events[-1] / GPU.clock_mhz


class Planner:
    """plan(row) for cases, like those of families: (case, function from its outcome to the metric)."""

    def __init__(self, way=Way(), folder=HERE):
        self.way, self.apps, self.results = way, read_apps(folder), read_results(folder)

    def app(self, row):
        return self.apps[row.fields["case"]]

    def __call__(self, row):
        app = self.app(row)

        def metric(outcome):
            said = None if app.inplace else wrong(app, outcome, self.results)
            if said:
                raise Unmodeled(said)
            return event_time(outcome)
        return case_of(app, self.way), metric

    def wrong_in_place(self, rows, runner):
        """{case: what is wrong} for the cases that need a separate run to check results."""
        apps = [self.app(row) for row in rows if self.app(row).inplace]
        outcomes = runner.run([check_case(app, self.way) for app in apps])
        said = {}
        for app in apps:
            outcome = outcomes[check_case(app, self.way)]
            said[app.name] = str(outcome) if isinstance(outcome, Unmodeled) else wrong(app, outcome, self.results)
        return {name: why for name, why in said.items() if why}
