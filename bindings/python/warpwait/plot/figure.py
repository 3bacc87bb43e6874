"""What all pictures have in common: axes, legends outside the axes, and reproducible files."""
from __future__ import annotations

import errno
import io
import os
import pathlib
import re
import stat
import tempfile
import typing

import matplotlib
import pandas
from matplotlib import pyplot, ticker
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.transforms import offset_copy

from .._arrays import Whole
from .._checks import raw
from .._cells import to_csv
from .colors import GRID, INK, ON_DARK, PAPER, in_order, look
from .inputs import Path, PlotError

SUFFIXES = {".png": {"Software": None}, ".svg": {"Date": None, "Creator": None}}
# The style of files that the command writes; a notebook keeps its own.
STYLE = {"font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation": "left",
         "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "hatch.linewidth": .5,
         "figure.dpi": 100, "text.parse_math": False,  # names may have a $
         "figure.facecolor": PAPER, "axes.facecolor": PAPER, "axes.edgecolor": INK, "axes.labelcolor": INK, "text.color": INK,
         "xtick.color": INK, "ytick.color": INK, "grid.color": GRID, "grid.linewidth": .6, "font.family": "sans-serif",
         "svg.fonttype": "none"}
NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML does not allow, but names may have
# What an SVG file needs for spaces in names, and for a dark page. The last of the three is the face of a hatched shape.
CSS = "text { white-space: pre } @media (prefers-color-scheme: dark) {" + "".join(
    f'\n[style*="fill: {light}"] {{ fill: {dark} !important }} [style*="stroke: {light}"] {{ stroke: {dark} !important }} '
    f'pattern [fill="{light}"] {{ fill: {dark} }}' for light, dark in ON_DARK.items()) + "}"


def axes_or_new(axes: Axes | None, size: tuple[float, float]) -> Axes:
    """`axes`, or if it is None the axes of a new figure of `size` (width, height in inches)."""
    if axes is not None:
        return axes
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def legend_outside(axes: Axes, handles: typing.Sequence[typing.Any], last: float | None = None) -> None:
    """Adds a legend to the right of the axes. last: the value at their right end; half of its label extends beyond the
    axes, and the legend leaves room for it."""
    points = pyplot.rcParams["font.size"]
    room = points * (.6 if last is None else .4 + .32 * len(f"{last:,.0f}"))  # .32: half the width of a digit
    beside = offset_copy(axes.transAxes, axes.figure, room, 0, "points")
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1), bbox_transform=beside, borderaxespad=0,
                handlelength=1.6, handleheight=1.1)


def patch(face: str | tuple[float, float, float], hatch: str, label: str, ink: str = "#333333") -> Patch:
    """A legend entry."""
    return Patch(facecolor=face, hatch=hatch, edgecolor=ink, linewidth=.4, label=label)


def bucket_patches(buckets: typing.Iterable[str]) -> list[Patch]:
    """Legend entries of stall buckets, in the order in which they are stacked."""
    return [patch(look(bucket).face, look(bucket).hatch, bucket, look(bucket).ink) for bucket in in_order(buckets)]


def thousands(axis: Axis) -> None:
    """Numbers with a comma between thousands, also where the axis is logarithmic."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}" if value == round(value) else f"{value:g}"))


def windows_label(edges: Whole) -> str:
    """The label of an axis of cycles in windows with these edges."""
    width = edges[1] - edges[0]
    return f"cycle (windows of {width:,} cycle{'' if width == 1 else 's'})"


def save(figure: Figure, path: Path) -> None:
    """Writes a figure to a .png or .svg file, completely or not at all. Equal figures give equal bytes.

    An SVG file that was drawn in STYLE has light text on a dark background where its reader prefers a dark page. Raises
    PlotError if the suffix is another, or the file cannot be written.
    """
    suffix, drawn = suffix_of(path), io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "warpwait"}):
        figure.savefig(drawn, format=suffix[1:], metadata=SUFFIXES[suffix], dpi=figure.dpi)
    data = drawn.getvalue()
    if suffix == ".svg":
        text = NO_XML.sub("\N{REPLACEMENT CHARACTER}", data.decode()).replace("</style>", f"{CSS}</style>", 1)
        # Two decimals are enough, and make the file half as large.
        data = re.sub(r"<path [^>]*", lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), text).encode()
    write_whole(path, lambda file: file.write(data))


def save_table(table: pandas.DataFrame, path: Path) -> None:
    """Writes a frame as CSV, completely or not at all."""
    write_whole(path, lambda file: to_csv(table, file))


def write_whole(path: Path, write: typing.Callable[[typing.BinaryIO], object]) -> None:
    """Calls `write` to write a file, completely or not at all. The file keeps its permissions. A device is written
    directly. Raises PlotError if it cannot be written."""
    raw(path)
    target, beside = os.path.realpath(path), None
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with open(target, "wb") as file:
                write(file)
            return
        if os.path.exists(target) and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        descriptor, beside = tempfile.mkstemp(prefix=f".{os.path.basename(target)[:200]}.", dir=os.path.dirname(target))
        with open(descriptor, "wb") as file:
            write(file)
            file.flush()
            os.fchmod(descriptor, mode_of(target))
            os.fsync(descriptor)
        os.replace(beside, target)
    except BaseException as error:
        if beside:
            pathlib.Path(beside).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise PlotError(f"{path}: {error.strerror}") from None
        raise


def mode_of(path: str) -> int:
    """The permissions of a file, or of a new one if it does not exist."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def suffix_of(path: Path) -> str:
    """The suffix of a picture's name. Raises PlotError if it is neither .png nor .svg."""
    suffix = pathlib.Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise PlotError(f"{path}: expected a name that ends in .png or .svg")
    return suffix
