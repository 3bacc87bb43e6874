"""warpwait-sweep: questions to the stores of `warpwait sweep`, pictures, reports, and searches."""
import argparse
import os
import re
import sys

from warpwait_trace import drawing, ending
from warpwait_trace.terminal import shown

PACKAGES = {"dask": "python3-distributed", "distributed": "python3-distributed", "matplotlib": "python3-matplotlib",
            "numpy": "python3-numpy", "pandas": "python3-pandas", "scipy": "python3-scipy"}


class Parser(argparse.ArgumentParser):
    """Tells what is wrong in one line."""

    def error(self, message):
        self.exit(2, shown(f"warpwait-sweep: {message}; `{self.prog} --help` says more\n", sys.stderr))


def count(text):
    """A whole number from 1 on."""
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number from 1 on")
    return int(text)


def pair(text):
    """`a,b` as [a, b]."""
    if text.count(",") != 1:
        raise argparse.ArgumentTypeError(f"{text}: expected two axes with a comma between")
    return text.split(",")


def whole(text):
    """A whole number from 0 on."""
    if not re.fullmatch(r"\d{1,9}", text):
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number from 0 on")
    return int(text)


# ---- options ---------------------------------------------------------------------------------------

OPTIONS = {  # name: (flags, settings); commands name those that they take
    "by": (["--by"], {"metavar": "METRIC", "default": "cycles",
                      "help": "what is to be small (default: cycles); max:METRIC: large; an expression will do"}),
    "over": (["--over"], {"metavar": "METRICS", "help": "two or more with commas between (default: cycles,cost)"}),
    "where": (["--where"], {"metavar": "EXPRESSION", "help": 'only points for which it holds: "dma.channels <= 4"'}),
    "count": (["-n", "--count"], {"metavar": "N", "type": count, "default": 10, "help": "how many (default: 10)"}),
    "at": (["--at"], {"metavar": "AXIS=VALUE", "action": "append", "default": [],
                      "help": "of the point; may be repeated (default: those of the best)"}),
    "axis": (["--axis"], {"metavar": "AXIS", "required": True, "help": "the axis of the curve"}),
    "lines": (["--lines"], {"metavar": "AXIS", "help": "a line for each of its values (default: a single line)"}),
    "axes": (["--axes"], {"metavar": "A,B", "type": pair, "required": True,
                           "help": "the axis across and the one upwards"}),
    "limit": (["--limit"], {"metavar": "EXPRESSION", "action": "append", "default": [],
                            "help": 'what must hold: "cost <= 65536"; may be repeated'}),
    "most": (["--most"], {"metavar": "N", "type": count, "default": 1000,
                          "help": "points that are asked for at most (default: 1000)"}),
    "seed": (["--seed"], {"metavar": "N", "type": whole, "default": 1, "help": "another search (default: 1)"}),
    "population": (["--population"], {"metavar": "N", "type": count, "default": 15,
                                      "help": "members of a generation for each axis (default: 15)"}),
    "jobs": (["--jobs", "-j"], {"metavar": "N", "type": count, "help": "as of `warpwait sweep run`"}),
    "scale": (["--scale"], {"choices": ("auto", "linear", "log"), "default": "auto",
                            "help": "of the axis (default: log when its values grow by factors)"}),
    "metrics": (["--metrics"], {"metavar": "NAMES", "help": "with commas between (default: cycles,cost)"}),
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
    "pareto": "the points that no other beats in all objectives",
    "sensitivity": "what each axis does, around a point and for the variance over all points",
    "knee": "where a curve bends: beyond it, more of an axis gains less",
    "errors": "points that did not finish, by status and reason",
    "table": "all points",
}


def add(parser, names):
    """Adds options of OPTIONS to a parser."""
    for name in names:
        flags, settings = OPTIONS[name]
        parser.add_argument(*flags, dest=name, **settings)


def sub(commands, name, text, example):
    """A command with its help."""
    return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.",
                               epilog=f"Example:\n  warpwait sweep {example}",
                               formatter_class=argparse.RawDescriptionHelpFormatter)


def query_parser(commands):
    query = commands.add_parser("query", help="questions to a store", description="Questions to a store.")
    questions = query.add_subparsers(metavar="QUESTION", required=True, parser_class=Parser)
    for name, function, options, example in QUERIES:
        question = sub(questions, name, TEXTS[name], f"query {name} study.sqlite {example}".rstrip())
        question.add_argument("store", metavar="STORE")
        add(question, options)
        form = question.add_mutually_exclusive_group()
        form.add_argument("--csv", action="store_true", help="as CSV")
        form.add_argument("--json", action="store_true", help="as JSON")
        question.set_defaults(run=run_query, question=function)


def run_query(arguments):
    from . import queries, tables
    from .store import Store
    answer = getattr(queries, arguments.question)(Store(arguments.store), arguments)
    form = tables.as_csv if arguments.csv else tables.as_json if arguments.json else tables.as_text
    sys.stdout.write(shown(form(answer), sys.stdout))


# ---- pictures --------------------------------------------------------------------------------------

def draw_lines(_, arguments):
    from . import pictures
    axes, table = pictures.lines(opened(arguments), arguments.axis, arguments.by, arguments.lines, arguments.where,
                                 arguments.at)
    return axes, table, f"{arguments.by} over {arguments.axis}"


def draw_heat(_, arguments):
    from . import pictures
    axes, table = pictures.heat(opened(arguments), arguments.axes, arguments.by, arguments.where, arguments.at)
    return axes, table, f"{arguments.by}: the best of each cell, bright is good"


def draw_pareto(_, arguments):
    from . import pictures, queries
    store = opened(arguments)
    over = queries.over_or_default(store, arguments.over)
    return *pictures.pareto(store, over, arguments.where), f"{over.replace(',', ' against ', 1)}"


def draw_tornado(_, arguments):
    from . import pictures
    axes, table = pictures.tornado(opened(arguments), arguments.by, arguments.where, arguments.at)
    return axes, table, f"What moves {arguments.by}"


def opened(arguments):
    from .store import Store
    return Store(arguments.store)


PICTURES = [  # (name, function, options, what it draws, an example)
    ("hiding", draw_lines, ("axis", "lines", "by", "where", "at"),
     "a metric over an axis, a line for each value of another; of all else the best",
     "--axis define.DEPTH --lines dma.channels"),
    ("heat", draw_heat, ("axes", "by", "where", "at"), "a map of two axes; of all else the best",
     "--axes dma.channels,dma.queue"),
    ("pareto", draw_pareto, ("over", "where"), "all points by two metrics, and their front", "--over cycles,cost"),
    ("tornado", draw_tornado, ("by", "where", "at"),
     "how far each axis moves a metric from a point, and its share of the variance", ""),
]


def plot_parser(commands):
    from warpwait_trace.plot import picture_options
    plot = commands.add_parser("plot", help="pictures of a store", description="Pictures of a store.")
    kinds = plot.add_subparsers(metavar="PICTURE", required=True, parser_class=Parser)
    for name, draw, options, text, example in PICTURES:
        kind = sub(kinds, name, text, " ".join(f"plot {name} study.sqlite {example} -o {name}.png".split()))
        kind.add_argument("store", metavar="STORE")
        add(kind, options)
        picture_options(kind)
        kind.set_defaults(run=run_plot, draw=draw)


def run_plot(arguments):
    """Draws into the file that the arguments name."""
    matplotlib = drawing.begin()
    from warpwait_trace import plots
    from warpwait_trace.plot import draw_to_file

    from .errors import SweepError
    try:
        with matplotlib.rc_context(plots.figure.STYLE):
            draw_to_file(plots, arguments)
    except plots.PlotError as error:
        raise SweepError(error) from None


# ---- the report ------------------------------------------------------------------------------------

def report_parser(commands):
    report = sub(commands, "report", "a store as one HTML page, with tables and pictures",
                 "report study.sqlite -o study.html")
    report.add_argument("store", metavar="STORE")
    add(report, ("by", "over", "where"))
    report.add_argument("-o", "--out", metavar="FILE", required=True, help="the page")
    report.set_defaults(run=run_report)


def run_report(arguments):
    """Writes the page."""
    store = opened(arguments)
    drawing.begin()
    from warpwait_trace.plots import PlotError, figure

    from .errors import SweepError
    from .report import report
    page = report(store, arguments.by, arguments.over, arguments.where).encode()
    try:
        figure.write_whole(arguments.out, lambda file: file.write(page))
    except PlotError as error:
        raise SweepError(error) from None


# ---- searches --------------------------------------------------------------------------------------

def optimise_parser(commands):
    search = sub(commands, "optimise", "searches the best point of a sweep file, instead of running all",
                 'optimise study.ini --limit "cost <= 65536"')
    search.add_argument("plan", metavar="FILE.ini")
    search.add_argument("-o", "--out", metavar="STORE", help="the store (default: the sweep file's name with .sqlite)")
    add(search, ("by", "limit", "most", "seed", "population", "jobs"))
    search.add_argument("--json", action="store_true", help="as JSON")
    search.add_argument("-q", "--quiet", action="store_true", help="no progress on the terminal")
    search.set_defaults(run=run_optimise)


def run_optimise(arguments):
    from . import optimise, queries, tables
    from .store import Store
    out = arguments.out or os.path.splitext(arguments.plan)[0] + ".sqlite"
    options = ["--jobs", str(arguments.jobs)] if arguments.jobs else []
    evaluator = optimise.Command(arguments.plan, out, options)
    evaluator.run([])
    store = Store(out)
    tell = None if arguments.quiet or not sys.stderr.isatty() else progress
    try:
        found = optimise.search(store, evaluator, arguments.by, arguments.limit, arguments.seed, arguments.most,
                                arguments.population, tell)
    finally:
        if tell:
            sys.stderr.write("\r\x1b[K")
    form = tables.as_json if arguments.json else tables.as_text
    sys.stdout.write(shown(form(queries.found(store, found, arguments.by)), sys.stdout))


def progress(search):
    """A line that is written over and over."""
    best = "none within the limits" if search.best is None else f"best {search.best[search.one.text]:.10g}"
    sys.stderr.write(f"\rgeneration {search.generations}: {search.asked()} points, {best}\x1b[K")
    sys.stderr.flush()


# ---- clusters --------------------------------------------------------------------------------------

def cluster_parser(commands):
    cluster = sub(commands, "run", "runs the points of a sweep file on the workers of a Dask cluster",
                  "run study.ini --dask tcp://host:8786")
    cluster.add_argument("plan", metavar="FILE.ini")
    cluster.add_argument("-o", "--out", metavar="STORE", help="the store (default: the sweep file's name with .sqlite)")
    cluster.add_argument("--dask", metavar="ADDRESS", required=True, help="of the scheduler")
    cluster.add_argument("--shards", metavar="N", type=count, help="(default: four a thread of the workers)")
    cluster.add_argument("-j", "--jobs", metavar="N", type=count, default=1, help="of each shard (default: 1)")
    cluster.add_argument("--max-cycles", metavar="N", help="as of `warpwait sweep run`")
    cluster.add_argument("--csv", metavar="FILE", help="at the end, all points as comma-separated values")
    cluster.add_argument("-q", "--quiet", action="store_true", help="no progress on the terminal")
    cluster.set_defaults(run=run_cluster)


def run_cluster(arguments):
    """Has the points run that the store lacks."""
    from . import cluster
    out = arguments.out or os.path.splitext(arguments.plan)[0] + ".sqlite"
    options = ["--max-cycles", str(arguments.max_cycles)] if arguments.max_cycles else []
    tell = None if arguments.quiet or not sys.stderr.isatty() else cluster.progress
    try:
        points, shards = cluster.run(arguments.plan, out, arguments.dask, arguments.shards, arguments.jobs, options,
                                     tell)
    finally:
        if tell:
            sys.stderr.write("\r\x1b[K")
    if arguments.csv:
        cluster.command("csv", out, "-o", arguments.csv)
    print(shown(f"{points} points were left, run in {shards} shards; results: {out}", sys.stdout))


def parser_of_all():
    """The command line."""
    parser = Parser(prog="warpwait-sweep", description="Questions to the stores of `warpwait sweep`, pictures and "
                    "reports of them, and searches.", epilog="Exit status: 0 fine; 2 bad input; 130 interrupted.")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    query_parser(commands)
    plot_parser(commands)
    report_parser(commands)
    optimise_parser(commands)
    cluster_parser(commands)
    return parser


# ---- the command -----------------------------------------------------------------------------------

def fail(message):
    """Says what is wrong in one line; returns the exit status."""
    print(shown(f"warpwait-sweep: {message}", sys.stderr), file=sys.stderr)
    return 2


def main(words=None):
    """The command; returns its exit status."""
    arguments = parser_of_all().parse_args(words)
    ending.listen()
    try:
        from .errors import SweepError
        arguments.run(arguments)
        sys.stdout.flush()
    except ImportError as error:
        package = PACKAGES.get((error.name or "").partition(".")[0])
        if package is None:
            raise
        return fail(f"{error.name} is missing: apt-get install {package}, and run this with /usr/bin/python3")
    except SweepError as error:
        return fail(error)
    except KeyboardInterrupt as interrupt:
        print(": ".join(["warpwait-sweep: interrupted", *map(str, interrupt.args)]), file=sys.stderr)
        return ending.status(interrupt)
    except OSError as error:
        if not error.filename:  # standard output, which is not to be written again at the end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # whoever reads has enough
            return 0
        return fail(f"{error.filename or 'standard output'}: {error.strerror}")
    return 0
