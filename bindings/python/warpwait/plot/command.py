"""warpwait-plot: pictures of timelines (.wtl) and of JSON reports, as .png or .svg."""
from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import types
import typing

from .. import _command, _drawing, _ending
from .._checks import lines_of
from .._optional import MissingPackage, need

if typing.TYPE_CHECKING:
    from matplotlib.figure import Figure

Drawn = typing.Tuple[typing.Any, typing.Any, str]  # axes, a frame of the numbers, a title
PIXELS = 100 * 10**6  # the most that a picture may have


# ---- arguments -------------------------------------------------------------------------------------

def numbers(text: str) -> list[int]:
    """`0-3,8` as [0, 1, 2, 3, 8]."""
    found: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part)
        if not match:
            raise argparse.ArgumentTypeError(f"{text}: expected numbers and ranges, such as 0-3,8")
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: the range ends before it begins")
    return found


def cycle(text: str) -> int:
    """A cycle or a count: a whole number, at least 0."""
    if not re.fullmatch(r"\d{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number of at least 0")
    return int(text)


def count(text: str) -> int:
    """A whole number from 1 to 100,000."""
    if not re.fullmatch(r"\d{1,6}", text) or not 1 <= int(text) <= 100000:
        raise argparse.ArgumentTypeError(f"{text}: expected a whole number from 1 to 100000")
    return int(text)


def size(text: str) -> tuple[float, float]:
    """`9x5` as (9.0, 5.0) inches."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)", text)
    if not match or not all(1 <= float(side) <= 100 for side in match.groups()):
        raise argparse.ArgumentTypeError(f"{text}: expected WIDTHxHEIGHT in inches from 1 to 100, such as 9x5")
    return float(match[1]), float(match[2])


def percent(text: str) -> float:
    """A share: above 0, to 100."""
    if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", text) or not 0 < float(text) <= 100:
        raise argparse.ArgumentTypeError(f"{text}: expected a percentage above 0 and up to 100")
    return float(text)


def words(text: str) -> list[str]:
    """`a,b` as [a, b]."""
    return text.split(",")


def window(parser: argparse.ArgumentParser) -> None:
    """The options of pictures that read a timeline."""
    parser.add_argument("--from", dest="start", metavar="CYCLE", type=cycle, help="the first cycle to show")
    parser.add_argument("--to", dest="end", metavar="CYCLE", type=cycle, help="the first cycle not to show")


# ---- pictures: each function returns the axes, a frame of the numbers, and a title ---------------------

def timeline_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("timeline", metavar="T.wtl")
    parser.add_argument("--cu", metavar="N", type=cycle, default=0, help="compute unit (default: 0)")
    parser.add_argument("--warps", metavar="LIST", type=numbers, help="slots of warps, such as 0-7,12 (default: all)")
    window(parser)


def timeline(plots: types.ModuleType, arguments: argparse.Namespace) -> Drawn:
    rows = plots.timeline_rows(arguments.timeline, arguments.cu, arguments.start, arguments.end, arguments.warps)
    return plots.draw_timeline(rows), rows.slices, rows.title


def banks_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("timeline", metavar="T.wtl")
    parser.add_argument("--by", choices=("time", "line", "instruction"), default="time",
                        help="the other axis (default: time)")
    parser.add_argument("--who", choices=("all", "warps", "dma"), default="all",
                        help="over time: passes of warps, beats of DMA engines, or both (default: all)")
    parser.add_argument("--windows", metavar="N", type=count, default=160, help="over time: columns (default: 160)")
    parser.add_argument("--max", metavar="PERCENT", type=percent,
                        help="over time: the value of the last color, to compare pictures (default: the largest value)")
    parser.add_argument("--cu", metavar="N", type=cycle, help="compute unit (default: all, added up)")
    window(parser)


def banks(plots: types.ModuleType, arguments: argparse.Namespace) -> Drawn:
    events = plots.Events(arguments.timeline)
    place = (arguments.cu, arguments.start, arguments.end)
    if arguments.by == "time":
        table = plots.bank_table_over_time(events, arguments.who, arguments.windows, *place)
        axes = plots.draw_banks_over_time(table, arguments.who, most=arguments.max)
        return axes, table, f"LDS banks: {events.title()}"
    if arguments.max:
        raise plots.PlotError("--max: cannot be combined with --by; `warpwait-plot banks --help` says more")
    table = plots.bank_table(events, arguments.by, *place)
    return plots.draw_banks_by_line(table, arguments.by), table, f"LDS banks: {events.title()}"


def hiding_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("reports", metavar="REPORT.json", nargs="*",
                        help="one for each depth; or one with a launch for each depth, for each curve")
    parser.add_argument("--depths", metavar="LIST", type=numbers, help="the depths, such as 1-6 (default: 1, 2, ...)")
    parser.add_argument("--run", metavar="WORDS",
                        help="instead of reports: run `warpwait run WORDS -D NAME=DEPTH` for each depth")
    parser.add_argument("--define", metavar="NAME", default="DEPTH", help="the macro for --run (default: DEPTH)")
    parser.add_argument("--labels", metavar="A,B", type=words, help="names of the curves")
    for name, letter, text in (("busy", "B", "cycles of a tile from one wait to the next"),
                               ("refill", "A", "the part of these before the next copy"),
                               ("latency", "L", "cycles of a copy")):
        parser.add_argument(f"--{name}", metavar=letter, type=float, help=f"{text} (default: from the reports)")


def hiding(plots: types.ModuleType, arguments: argparse.Namespace) -> Drawn:
    if bool(arguments.run) == bool(arguments.reports):
        raise plots.PlotError("expected either reports or --run")
    depths, reports = arguments.depths, arguments.reports
    if arguments.run:
        depths = depths or list(range(1, 7))
        reports = [run(plots, arguments, depth) for depth in depths]
    table = plots.hiding_table(reports, depths, arguments.labels)
    title = "Latency hiding: " + ", ".join(dict.fromkeys(table["series"]))
    return plots.draw_hiding(table, arguments.busy, arguments.refill, arguments.latency), table, title


def run(plots: types.ModuleType, arguments: argparse.Namespace, depth: int) -> typing.Any:
    """Runs the kernel at a depth and returns the report."""
    program = os.environ.get("WARPWAIT", "warpwait")
    command = [program, "run", *shlex.split(arguments.run), "-D", f"{arguments.define}={depth}", "--report", "json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise plots.PlotError(f"{program}: {error.strerror}; $WARPWAIT names another program") from None
    if done.returncode:
        lines = lines_of(done.stderr.strip()) or ["no message"]
        raise plots.PlotError(f"depth {depth}: exit status {done.returncode}: {lines[0]}")
    return plots.parse_report(done.stdout, f"depth {depth}")


def stalls_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="REPORT.json|T.wtl", nargs="+",
                        help="reports, side by side; or a timeline: over time")
    parser.add_argument("--by", choices=("report", "launch", "line", "instruction"),
                        help="of reports: what a bar shows (default: a report)")
    parser.add_argument("--percent", action="store_true", help="in percent of each bar or window")
    parser.add_argument("--top", metavar="N", type=count,
                        help="of reports: show this many lines or instructions, the rest as one (default: 16)")
    parser.add_argument("--labels", metavar="A,B", type=words, help="of reports: their names")
    parser.add_argument("--windows", metavar="N", type=count, help="of a timeline: windows (default: 100)")
    parser.add_argument("--cu", metavar="N", type=cycle, help="of a timeline: compute unit (default: all)")
    window(parser)


def refuse_others(plots: types.ModuleType, arguments: argparse.Namespace, **options: str) -> None:
    """Refuses options for timelines if a report is given, and the other way round."""
    for name, option in options.items():
        if getattr(arguments, name) is not None:
            raise plots.PlotError(f"{option}: not allowed for {arguments.files[0]}; "
                                  "`warpwait-plot stalls --help` says more")


def stalls(plots: types.ModuleType, arguments: argparse.Namespace) -> Drawn:
    if any(map(plots.is_timeline, arguments.files)):
        if len(arguments.files) > 1:
            raise plots.PlotError("expected a single timeline, or reports")
        refuse_others(plots, arguments, by="--by", top="--top", labels="--labels")
        events = plots.Events(arguments.files[0])
        table = plots.stall_table_over_time(events, arguments.windows or 100, arguments.cu, arguments.start,
                                             arguments.end)
        return plots.draw_stalls_over_time(table, arguments.percent), table, f"Where warps were: {events.title()}"
    refuse_others(plots, arguments, windows="--windows", cu="--cu", start="--from", end="--to")
    by = arguments.by or "report"
    table = plots.stall_table(arguments.files, by, arguments.labels, arguments.top or 16)
    lying = by in ("line", "instruction")
    title = "Where warps were" + ("" if by == "report" else f", by {by}")
    return plots.draw_stalls(table, arguments.percent, lying), table, title


COMMANDS = [  # (name, options, function, what it draws, an example)
    ("timeline", timeline_options, timeline,
     "a compute unit's warps, copies with arrows to their waits, DMA channels and memory port, over time",
     "warpwait-plot timeline T.wtl --cu 0 --from 0 --to 2000 -o timeline.png"),
    ("banks", banks_options, banks, "a heat map of the LDS's banks, over time or by source line",
     "warpwait-plot banks T.wtl --by line -o banks.svg"),
    ("hiding", hiding_options, hiding,
     "latency hiding over the depth of a ring of buffers, with the closed form's lines",
     "warpwait-plot hiding report.json --depths 1-6 -o hiding.png\n"
     "  warpwait-plot hiding --run 'ring.cl --global 64 --arg buffer:a=65536' --depths 1-4 -o hiding.png"),
    ("stalls", stalls_options, stalls,
     "stall stacks of reports side by side, by launch or source line; of a timeline, over time",
     "warpwait-plot stalls a.json b.json --percent -o stalls.svg\n"
     "  warpwait-plot stalls report.json --by line --top 10 -o lines.png\n"
     "  warpwait-plot stalls T.wtl --windows 200 -o time.png"),
]


def picture_options(command: argparse.ArgumentParser) -> None:
    """The options of all pictures, which draw_to_file() reads."""
    command.add_argument("-o", "--out", metavar="FILE", required=True, help="the picture: .png, or .svg for light and dark pages")
    command.add_argument("--csv", metavar="FILE", help="also write the plotted numbers")
    command.add_argument("--size", metavar="WxH", type=size, help="in inches (default: fits the picture)")
    command.add_argument("--dpi", metavar="N", type=count, default=100, help="pixels per inch (default: 100)")
    command.add_argument("--title", metavar="TEXT", help="instead of the input's; '' for none")


def parser_of_all() -> argparse.ArgumentParser:
    """The command line."""
    parser = _command.Parser(prog="warpwait-plot", description="Draws timelines (`warpwait run --timeline`) and JSON reports.",
                    epilog="Exit status: 0 fine; 2 bad input; 130 interrupted.")
    commands = parser.add_subparsers(metavar="WHAT", required=True, parser_class=_command.Parser)
    for name, options, draw, text, example in COMMANDS:
        command = commands.add_parser(name, help=text, description=f"Draws {text}.", epilog=f"Example:\n  {example}",
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
        options(command)
        picture_options(command)
        command.set_defaults(draw=draw)
    return parser


# ---- the command -----------------------------------------------------------------------------------

def load() -> types.ModuleType:
    """Loads warpwait.plot with everything that it needs. Raises MissingPackage."""
    need("numpy")  # first, because the others need it and may not name it in their error
    _drawing.begin()
    need("pandas")
    from . import _public
    return _public


def fail(message: object) -> int:
    """Prints an error in one line; returns the exit status."""
    return _command.fail("warpwait-plot", message)


def check_files(plots: types.ModuleType, arguments: argparse.Namespace) -> None:
    """Refuses to write the numbers over an input file or over the picture."""
    plots.figure.suffix_of(arguments.out)
    given = vars(arguments)
    others = [arguments.out, given.get("timeline"), *given.get("files", []), *given.get("reports", [])]
    if arguments.csv and os.path.realpath(arguments.csv) in [os.path.realpath(path) for path in others if path]:
        raise plots.PlotError(f"--csv: {arguments.csv}: is also the input or the picture")


def check_pixels(plots: types.ModuleType, figure: Figure) -> None:
    """Refuses pictures that are too large: drawing takes some 10 bytes of memory per pixel."""
    width, height = (round(side * figure.dpi) for side in figure.get_size_inches())
    if width * height > PIXELS or max(width, height) >= 1 << 16:
        raise plots.PlotError(f"--size, --dpi: {width}x{height} pixels are too many; legal: {PIXELS // 10**6} million, 65535 per side")


def draw_to_file(plots: types.ModuleType, arguments: argparse.Namespace) -> None:
    """Draws the picture to the file in the arguments."""
    check_files(plots, arguments)
    axes, table, title = arguments.draw(plots, arguments)
    first = axes[0] if hasattr(axes, "__len__") else axes
    first.set_title(title if arguments.title is None else arguments.title)
    figure = first.figure
    if arguments.size:
        figure.set_size_inches(arguments.size)
    figure.set_dpi(arguments.dpi)
    check_pixels(plots, figure)
    if arguments.csv:
        plots.figure.save_table(table, arguments.csv)
    plots.figure.save(figure, arguments.out)


def draw(plots: types.ModuleType, arguments: argparse.Namespace) -> int:
    """Draws, or prints why it cannot; returns the exit status."""
    from ..trace import TraceError
    try:
        with plots.figure.matplotlib.rc_context(plots.figure.STYLE):
            draw_to_file(plots, arguments)
    except (plots.PlotError, TraceError) as error:
        return fail(error)
    return 0


def main(words_given: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    arguments = parser_of_all().parse_args(words_given)
    _ending.listen()
    try:
        return draw(load(), arguments)
    except MissingPackage as error:
        return fail(error)
    except KeyboardInterrupt as interrupt:
        fail("interrupted")
        return _ending.status(interrupt)

