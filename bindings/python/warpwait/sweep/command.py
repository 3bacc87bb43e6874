"""warpwait-sweep: queries of the stores of `warpwait sweep`, pictures, reports, and searches."""
from __future__ import annotations

import argparse
import os
import re
import sys
import typing

from .. import _command, _ending
from .._optional import MissingPackage, need
from .._terminal import shown
from ..plot import command as plot_command
from ._errors import SweepError

if typing.TYPE_CHECKING:
    from .optimize import Search
    from .store import Store

    Commands = argparse._SubParsersAction[_command.Parser]  # pylint: disable=protected-access


def count(text: str) -> int:
    """A whole number, at least 1."""
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number of at least 1")
    return int(text)


def pair(text: str) -> list[str]:
    """`a,b` as [a, b]."""
    if text.count(",") != 1:
        raise argparse.ArgumentTypeError(f"{text}: expected two axes separated by a comma")
    return text.split(",")


def whole(text: str) -> int:
    """A whole number, at least 0."""
    if not re.fullmatch(r"\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number of at least 0")
    return int(text)


def opened(path: str) -> Store:
    """The store at a path. Raises MissingPackage and SweepError."""
    for module in ("numpy", "pandas"):
        need(module)
    from .store import Store
    return Store(path)


# ---- options ---------------------------------------------------------------------------------------

OPTIONS: dict[str, tuple[list[str], dict[str, typing.Any]]] = {  # name: (flags, settings); commands list their names
    "by": (["--by"], {"metavar": "METRIC", "help": "metric or expression to minimize (default: cycles, or "
                      "microseconds if machine or cu.clock_mhz is an axis); max:METRIC maximizes"}),
    "over": (["--over"], {"metavar": "METRICS",
                          "help": "two or more metrics, or expressions of them, separated by commas (default: that of --by, and cost)"}),
    "where": (["--where"], {"metavar": "EXPRESSION", "help": 'only points that satisfy it: "dma.channels <= 4"'}),
    "count": (["-n", "--count"], {"metavar": "N", "type": count, "default": 10, "help": "number of points (default: 10)"}),
    "at": (["--at"], {"metavar": "AXIS=VALUE", "action": "append", "default": [],
                      "help": "of the point; may be repeated (default: the best point's)"}),
    "axis": (["--axis"], {"metavar": "AXIS", "required": True, "help": "the axis of the curve"}),
    "lines": (["--lines"], {"metavar": "AXIS", "help": "a line for each of its values (default: a single line)"}),
    "axes": (["--axes"], {"metavar": "A,B", "type": pair, "required": True,
                           "help": "the horizontal and the vertical axis"}),
    "limit": (["--limit"], {"metavar": "EXPRESSION", "action": "append", "default": [],
                            "help": 'a condition: "cost <= 65536"; may be repeated'}),
    "most": (["--most"], {"metavar": "N", "type": count, "default": 1000,
                          "help": "the most points to evaluate (default: 1000)"}),
    "seed": (["--seed"], {"metavar": "N", "type": whole, "default": 1, "help": "seed of the search (default: 1)"}),
    "population": (["--population"], {"metavar": "N", "type": count, "default": 15,
                                      "help": "members of a generation per axis (default: 15)"}),
    "jobs": (["--jobs", "-j"], {"metavar": "N", "type": count, "help": "as of `warpwait sweep run`"}),
    "scale": (["--scale"], {"choices": ("auto", "linear", "log"), "default": "auto",
                            "help": "of the axis (default: log when its values grow by factors)"}),
    "metrics": (["--metrics"], {"metavar": "NAMES", "help": "separated by commas (default: those of `best`)"}),
}
QUERIES = [  # (name, function of queries.py, options, an example)
    ("best", "best", ("by", "where", "count"), '--where "dma.channels <= 4" -n 5'),
    ("pareto", "pareto", ("over", "where"), "--over cycles,cost"),
    ("sensitivity", "sensitivity_of", ("by", "where", "at"), "--by cycles"),
    ("knee", "knee", ("axis", "by", "where", "at", "scale"), "--axis dma.queue"),
    ("errors", "errors", (), ""),
    ("table", "table", ("metrics", "where"), "--metrics cycles,dma.efficiency --csv"),
]
TEXTS = {
    "best": "the best points",
    "pareto": "the points that no other point beats in all objectives",
    "sensitivity": "the effect of each axis, near a point and on the variance of all points",
    "knee": "where a curve bends: beyond it, a larger value gains less",
    "errors": "points that did not finish, by status and reason",
    "table": "all points",
}


def add(parser: argparse.ArgumentParser, names: typing.Iterable[str]) -> None:
    """Adds options of OPTIONS to a parser."""
    for name in names:
        flags, settings = OPTIONS[name]
        parser.add_argument(*flags, dest=name, **settings)


def sub(commands: Commands, name: str, text: str, example: str) -> argparse.ArgumentParser:
    """A command with its help."""
    return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.",
                               epilog=f"Example:\n  warpwait sweep {example}",
                               formatter_class=argparse.RawDescriptionHelpFormatter)


def query_parser(commands: Commands) -> None:
    query = commands.add_parser("query", help="queries of a store", description="Queries of a store.")
    questions = query.add_subparsers(metavar="QUESTION", required=True, parser_class=_command.Parser)
    for name, function, options, example in QUERIES:
        question = sub(questions, name, TEXTS[name], f"query {name} study.sqlite {example}".rstrip())
        question.add_argument("store", metavar="STORE")
        add(question, options)
        form = question.add_mutually_exclusive_group()
        form.add_argument("--csv", action="store_true", help="as CSV")
        form.add_argument("--json", action="store_true", help="as JSON")
        question.set_defaults(run=run_query, question=function)


def run_query(arguments: argparse.Namespace) -> None:
    store = opened(arguments.store)
    from . import queries, tables
    answer = getattr(queries, arguments.question)(store, arguments)
    form = tables.as_csv if arguments.csv else tables.as_json if arguments.json else tables.as_text
    sys.stdout.write(shown(form(answer), sys.stdout))


# ---- pictures --------------------------------------------------------------------------------------

def points_of(arguments: argparse.Namespace, begin: str = "") -> str:
    """A title's second line: which points are shown, if not all."""
    conditions = [arguments.where, *getattr(arguments, "at", [])]
    return f"\n{begin}{', '.join(filter(None, conditions))}" if any(conditions) else ""


def draw_lines(_: object, arguments: argparse.Namespace) -> plot_command.Drawn:
    from . import pictures
    store = opened(arguments.store)
    by = arguments.by or store.time
    axes, table = pictures.lines(store, arguments.axis, by, arguments.lines, arguments.where, arguments.at)
    return axes, table, f"{by} over {arguments.axis}{points_of(arguments)}"


def draw_heat(_: object, arguments: argparse.Namespace) -> plot_command.Drawn:
    from . import pictures
    store = opened(arguments.store)
    by = arguments.by or store.time
    axes, table = pictures.heat(store, arguments.axes, by, arguments.where, arguments.at)
    return axes, table, f"{by}: the best of each cell; bright is good{points_of(arguments)}"


def draw_pareto(_: object, arguments: argparse.Namespace) -> plot_command.Drawn:
    from . import pictures, queries
    store = opened(arguments.store)
    over = queries.over_or_default(store, arguments.over)
    return *pictures.pareto(store, over, arguments.where), f"{over.replace(',', ' against ', 1)}{points_of(arguments)}"


def draw_tornado(_: object, arguments: argparse.Namespace) -> plot_command.Drawn:
    from . import pictures
    store = opened(arguments.store)
    by = arguments.by or store.time
    axes, table = pictures.tornado(store, by, arguments.where, arguments.at)
    return axes, table, f"What moves {by}{points_of(arguments, 'from the best point with ')}"


PICTURES = [  # (name, function, options, what it draws, an example)
    ("hiding", draw_lines, ("axis", "lines", "by", "where", "at"),
     "a metric over an axis, with a line for each value of another; the best of all else",
     "--axis define.DEPTH --lines dma.channels"),
    ("heat", draw_heat, ("axes", "by", "where", "at"), "a map of two axes; the best of all else",
     "--axes dma.channels,dma.queue"),
    ("pareto", draw_pareto, ("over", "where"), "all points by two metrics, with their front", "--over cycles,cost"),
    ("tornado", draw_tornado, ("by", "where", "at"),
     "how far each axis moves a metric from a point, and its share of the variance", ""),
]


def plot_parser(commands: Commands) -> None:
    plot = commands.add_parser("plot", help="pictures of a store", description="Pictures of a store.")
    kinds = plot.add_subparsers(metavar="PICTURE", required=True, parser_class=_command.Parser)
    for name, draw, options, text, example in PICTURES:
        kind = sub(kinds, name, text, " ".join(f"plot {name} study.sqlite {example} -o {name}.png".split()))
        kind.add_argument("store", metavar="STORE")
        add(kind, options)
        plot_command.picture_options(kind)
        kind.set_defaults(run=run_plot, draw=draw)


def run_plot(arguments: argparse.Namespace) -> None:
    """Draws a picture to the file in the arguments."""
    plots = plot_command.load()
    try:
        with plots.figure.matplotlib.rc_context(plots.figure.STYLE):
            plot_command.draw_to_file(plots, arguments)
    except plots.PlotError as error:
        raise SweepError(error) from None


# ---- the report ------------------------------------------------------------------------------------

def report_parser(commands: Commands) -> None:
    report = sub(commands, "report", "a store as one HTML page, with tables and pictures",
                 "report study.sqlite -o study.html")
    report.add_argument("store", metavar="STORE")
    add(report, ("by", "over", "where"))
    report.add_argument("-o", "--out", metavar="FILE", required=True, help="the page")
    report.set_defaults(run=run_report)


def run_report(arguments: argparse.Namespace) -> None:
    """Writes the page."""
    store = opened(arguments.store)
    plots = plot_command.load()
    from .report import report
    page = report(store, arguments.by, arguments.over, arguments.where).encode()
    try:
        plots.figure.write_whole(arguments.out, lambda file: file.write(page))
    except plots.PlotError as error:
        raise SweepError(error) from None


# ---- searches --------------------------------------------------------------------------------------

def optimize_parser(commands: Commands) -> None:
    search = sub(commands, "optimize", "finds a sweep file's best point without running all",
                 'optimize study.ini --limit "cost <= 65536"')
    search.add_argument("plan", metavar="FILE.ini")
    search.add_argument("-o", "--out", metavar="STORE", help="the store (default: the sweep file's name with .sqlite)")
    add(search, ("by", "limit", "most", "seed", "population", "jobs"))
    search.add_argument("--json", action="store_true", help="as JSON")
    search.add_argument("-q", "--quiet", action="store_true", help="no progress on the terminal")
    search.set_defaults(run=run_optimize)


def run_optimize(arguments: argparse.Namespace) -> None:
    for module in ("numpy", "pandas", "scipy"):
        need(module)
    from . import optimize, queries, tables
    out = arguments.out or os.path.splitext(arguments.plan)[0] + ".sqlite"
    options = ["--jobs", str(arguments.jobs)] if arguments.jobs else []
    evaluator = optimize.Command(arguments.plan, out, options)
    evaluator.run([])
    store = opened(out)
    tell = None if arguments.quiet or not sys.stderr.isatty() else progress
    try:
        found = optimize.search(store, evaluator, arguments.by, arguments.limit, arguments.seed, arguments.most,
                                arguments.population, tell)
    finally:
        if tell:
            sys.stderr.write("\r\x1b[K")
    form = tables.as_json if arguments.json else tables.as_text
    sys.stdout.write(shown(form(queries.found(store, found, arguments.by)), sys.stdout))


def progress(search: Search) -> None:
    """Updates the line of progress."""
    best = "none within the limits" if search.best is None else f"best {search.best[search.one.text]:.10g}"
    sys.stderr.write(f"\rgeneration {search.generations}: {search.asked()} points, {best}\x1b[K")
    sys.stderr.flush()


# ---- clusters --------------------------------------------------------------------------------------

def cluster_parser(commands: Commands) -> None:
    cluster = sub(commands, "run", "runs the points of a sweep file on the workers of a Dask cluster",
                  "run study.ini --dask tcp://host:8786")
    cluster.add_argument("plan", metavar="FILE.ini")
    cluster.add_argument("-o", "--out", metavar="STORE", help="the store (default: the sweep file's name with .sqlite)")
    cluster.add_argument("--dask", metavar="ADDRESS", required=True, help="of the scheduler")
    cluster.add_argument("--shards", metavar="N", type=count, help="(default: four per thread of the workers)")
    cluster.add_argument("-j", "--jobs", metavar="N", type=count, default=1, help="of each shard (default: 1)")
    cluster.add_argument("--max-cycles", metavar="N", help="as of `warpwait sweep run`")
    cluster.add_argument("--csv", metavar="FILE", help="at the end, write all points as comma-separated values")
    cluster.add_argument("-q", "--quiet", action="store_true", help="no progress on the terminal")
    cluster.set_defaults(run=run_cluster)


def run_cluster(arguments: argparse.Namespace) -> None:
    """Runs the points that the store lacks."""
    from .cluster import command as run_here, progress as show_progress, run as run_on_cluster
    out = arguments.out or os.path.splitext(arguments.plan)[0] + ".sqlite"
    options = ["--max-cycles", str(arguments.max_cycles)] if arguments.max_cycles else []
    tell = None if arguments.quiet or not sys.stderr.isatty() else show_progress
    try:
        points, shards = run_on_cluster(arguments.plan, out, arguments.dask, arguments.shards, arguments.jobs,
                                        options, tell)
    finally:
        if tell:
            sys.stderr.write("\r\x1b[K")
    if arguments.csv:
        run_here("csv", out, "-o", arguments.csv)
    print(shown(f"{points} points remained, run in {shards} shards; results: {out}", sys.stdout))


def parser_of_all() -> argparse.ArgumentParser:
    """The command line."""
    parser = _command.Parser(prog="warpwait-sweep", description="Queries, pictures and reports of the stores of `warpwait sweep`, and searches.", epilog="Exit status: 0 fine; 2 bad input; 130 interrupted.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_command.Parser)
    query_parser(commands)
    plot_parser(commands)
    report_parser(commands)
    optimize_parser(commands)
    cluster_parser(commands)
    return parser


# ---- the command -----------------------------------------------------------------------------------

def fail(message: object) -> int:
    """Prints an error in one line; returns the exit status."""
    return _command.fail("warpwait-sweep", message)


def main(words: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = parser_of_all().parse_args(words)
    _ending.listen()
    try:
        arguments.run(arguments)
        sys.stdout.flush()
    except (SweepError, MissingPackage) as error:
        return fail(error)
    except KeyboardInterrupt as interrupt:
        print(": ".join(["warpwait-sweep: interrupted", *map(str, interrupt.args)]), file=sys.stderr)
        return _ending.status(interrupt)
    except OSError as error:
        if not error.filename:  # standard output, which Python must not flush again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader has closed the pipe
            return 0
        return fail(f"{error.filename or 'standard output'}: {error.strerror}")
    return 0
