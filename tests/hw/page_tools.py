"""Helpers for the parts of docs/accuracy.md."""
import json

import needed

try:
    import matplotlib
except ImportError as missing:
    needed.stop(missing, "python3-matplotlib")

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
                     ["| " + " | ".join(line) + " |" for line in lines])


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=90, metadata={"Software": None})
    plt.close(figure)


def without(part):
    """The page's text in place of a part that was not made."""
    return f"This page was made without it: `make accuracy PARTS={part}`."


def kept(path, make, part):
    """What `make` makes from a script's JSON, or the text that the page was made without this part."""
    return make(json.loads(path.read_text())) if path.exists() else without(part)
