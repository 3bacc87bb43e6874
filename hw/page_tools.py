"""Helpers for the parts of docs/accuracy.md."""
import json
import pathlib
import sys

import needed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bindings/python"))

try:
    import matplotlib
    from warpwait.plot import figure as pictures
except ImportError as missing:
    needed.stop(missing, "python3-matplotlib python3-pandas")

matplotlib.use("Agg")
matplotlib.rcParams.update({**pictures.STYLE, "text.parse_math": True})  # of ticks, such as 10²
import matplotlib.pyplot as plt


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
                     ["| " + " | ".join(line) + " |" for line in lines])


def save(figure, folder, name):
    figure.tight_layout()
    pictures.save(figure, folder / f"{name}.svg")
    plt.close(figure)


def without(part):
    """The page's text in place of a part that was not made."""
    return f"This page was made without it: `make accuracy PARTS={part}`."


def kept(path, make, part):
    """What `make` makes from a script's JSON, or the text that the page was made without this part."""
    return make(json.loads(path.read_text())) if path.exists() else without(part)
