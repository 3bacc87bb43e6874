"""Colours and hatches of the pictures: the palette of Okabe and Ito, which people with any colour vision can tell
apart.

A family of stall buckets (what report.md adds up to say what bounds a launch) has a colour; the buckets within it
differ by lightness and by hatch, so that a print without colours can be read, too.
"""
import dataclasses

GREEN, SKY, YELLOW, VERMILION = "#009E73", "#56B4E9", "#F0E442", "#D55E00"
BLUE, PURPLE, ORANGE, GREY = "#0072B2", "#CC79A7", "#E69F00", "#7F7F7F"
DEEP_PURPLE = "#85406A"  # what engines do with copies, beside warps that wait for them

# (family, colour, its buckets): in the order in which they are stacked.
FAMILIES = [
    ("issued", GREEN, ["issued"]),
    ("issue slots", YELLOW, ["not_selected"]),
    ("execution units", SKY, ["dependency", "unit"]),
    ("LDS", VERMILION, ["lds", "lds_conflict", "lds_contention", "lds_queue"]),
    ("global memory", BLUE, ["memory", "memory_queue", "fence", "pipe", "drain"]),
    ("copies", PURPLE, ["copy_wait", "copy_data", "dma_queue"]),
    ("other warps", ORANGE, ["barrier", "copy_join", "wait_join"]),
    ("pipes", GREY, ["pipe_empty", "pipe_full"]),
]
HATCHES = ["", "////", "....", "xxxx", "----"]
LIGHTER = [0, .45, .25, .6, .7]  # of the way to white, by the place in the family

# What passes the memory port, and what an engine does: (name, colour, hatch).
PORT_KINDS = [("load", BLUE, ""), ("store", SKY, "////"), ("atomic", VERMILION, "...."), ("prefetch", YELLOW, "----"),
              ("dma_read", DEEP_PURPLE, ""), ("dma_write", ORANGE, "////")]


@dataclasses.dataclass(frozen=True)
class Look:
    """How a bucket is drawn."""
    family: str
    face: tuple  # red, green, blue from 0 to 1
    hatch: str


def lighter(colour, part):
    """`colour`, a part (0 to 1) of the way to white: (red, green, blue)."""
    channels = [int(colour[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    return tuple(channel + (1 - channel) * part for channel in channels)


LOOKS = {bucket: Look(family, lighter(colour, LIGHTER[place]), HATCHES[place])
         for family, colour, buckets in FAMILIES for place, bucket in enumerate(buckets)}
BUCKETS = list(LOOKS)


def look(bucket):
    """The look of a bucket; of one that is not known here (a later version's), grey."""
    return LOOKS.get(bucket, Look("other", lighter(GREY, .5), "++++"))


def in_order(buckets):
    """The buckets as they are stacked; those that are not known come last, by name."""
    return sorted(buckets, key=lambda bucket: (BUCKETS.index(bucket) if bucket in LOOKS else len(BUCKETS), bucket))
