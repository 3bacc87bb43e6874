"""Colors and hatches of the pictures: the palette of Okabe and Ito, whose colors people with any color vision can
distinguish, a brown and an indigo.

A family of stall buckets (those that report.md adds up to find what bounds a launch) has one color. The buckets within
it differ by lightness and by hatch, so that a print in black and white is readable, too.
"""
from __future__ import annotations

import dataclasses
import math
import typing

GREEN, SKY, YELLOW, VERMILION = "#009E73", "#56B4E9", "#F0E442", "#D55E00"
BLUE, PURPLE, ORANGE, BROWN, INDIGO, GRAY = "#0072B2", "#CC79A7", "#E69F00", "#8B5A2B", "#4422EE", "#7F7F7F"
DEEP_PURPLE = "#85406A"  # engines that work on copies, next to warps that wait for them

# Text and lines, grid lines, and the background, of the commands' pictures. Nothing else has these very colors, because
# an SVG file replaces them on a dark page.
INK, GRID, PAPER = "#24292f", "#dddddc", "#fffffe"

Color = typing.Tuple[float, float, float]  # red, green, blue, from 0 to 1

# (family, color, its buckets with their shades: see shade()), in the order in which they are stacked. The shades are
# chosen so that people who do not see red or green can distinguish all buckets, too; a test checks it.
FAMILIES: list[tuple[str, str, dict[str, float]]] = [
    ("issued", GREEN, {"issued": 0}),
    ("issue slots", YELLOW, {"not_selected": 0}),
    ("execution units", SKY, {"dependency": 0, "unit": .4}),
    ("LDS", VERMILION, {"lds": 0, "lds_conflict": .6, "lds_contention": -.65, "lds_queue": -.45}),
    ("global memory", BLUE, {"memory": 0, "memory_queue": .2, "fence": .8, "drain": -.35}),
    ("copies", PURPLE, {"copy_wait": 0, "copy_data": -.25, "dma_queue": -.45}),
    ("other warps", ORANGE, {"barrier": 0, "copy_join": .8, "wait_join": .4}),
    ("pipes", BROWN, {"pipe": .8, "pipe_empty": -.9, "pipe_full": .05}),
    ("images", INDIGO, {"texture": 0}),
]
# Other shades for a dark background. Each has a contrast of 3 to 1 with that of pages, which a mark needs.
SHADES_ON_DARK = {"issued": -.1, "dependency": -.37, "lds_contention": -.22, "lds_queue": .24, "memory": .2, "memory_queue": .44,
                  "drain": 0, "copy_data": .4, "dma_queue": -.31, "texture": .3, "pipe": .92, "pipe_empty": 0, "pipe_full": .44}
HATCHES = ["", "////", "\\\\\\\\", "xxxx", "----"]  # by the bucket's place in its family; dots would make SVG files large

# What passes the memory port, and what an engine does: (name, color, hatch).
PORT_KINDS = [("load", BLUE, ""), ("store", SKY, "////"), ("atomic", VERMILION, "\\\\\\\\"), ("prefetch", YELLOW, "----"),
              ("dma_read", DEEP_PURPLE, ""), ("dma_write", ORANGE, "////")]


@dataclasses.dataclass(frozen=True)
class Look:
    """How a bucket is drawn: its family, and the colors of its face and of the marks on it."""
    family: str
    face: Color
    hatch: str

    @property
    def ink(self) -> str:
        return "#333333" if sum(self.face) > .9 else "#FFFFFF"


def shade(color: str, part: float) -> Color:
    """The color, a part (0 to 1) of the way to white, or (0 to -1) to black: (red, green, blue)."""
    red, green, blue = (int(color[place:place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (channel + (1 - channel) * part if part > 0 else channel * (1 + part)
                        for channel in (red, green, blue))
    return red, green, blue


def luminance(color: Color) -> float:
    """Relative luminance, as WCAG defines it."""
    red, green, blue = (part / 12.92 if part <= .04045 else math.pow((part + .055) / 1.055, 2.4) for part in color)
    return .2126 * red + .7152 * green + .0722 * blue


LOOKS = {bucket: Look(family, shade(color, part), HATCHES[place])
         for family, color, buckets in FAMILIES for place, (bucket, part) in enumerate(buckets.items())}
BUCKETS = list(LOOKS)


def as_hex(color: Color) -> str:
    """A color as `#rrggbb`."""
    return "#" + "".join(f"{round(channel * 255):02x}" for channel in color)


# The colors of a dark page, by those of a light one.
ON_DARK = {INK: "#e6edf3", GRID: "#3d444d", PAPER: "#1f242b", DEEP_PURPLE.lower(): as_hex(shade(DEEP_PURPLE, .2)),
           **{as_hex(LOOKS[bucket].face): as_hex(shade(color, SHADES_ON_DARK[bucket]))
              for _, color, buckets in FAMILIES for bucket in buckets if bucket in SHADES_ON_DARK}}


def look(bucket: str) -> Look:
    """The look of a bucket; gray if the bucket is unknown (of a later version)."""
    return LOOKS.get(bucket, Look("other", shade(GRAY, .5), "++++"))


def in_order(buckets: typing.Iterable[str]) -> list[str]:
    """The buckets in the order in which they are stacked; unknown ones come last, by name."""
    return sorted(buckets, key=lambda bucket: (BUCKETS.index(bucket) if bucket in LOOKS else len(BUCKETS), bucket))
