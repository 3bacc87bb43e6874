#!/usr/bin/env python3
"""Launch files of the kernels of tests/check/kernels, from the rows of tests/check/launches.txt.

usage: tests/check/launches.py [--write FOLDER] [WORD]...

Writes those whose names contain one of the words, or all, to the folder (build/check/launches), and prints their
names, so that `build/warpwait check -D WRONG $(tests/check/launches.py X5_box)` checks one kernel."""
import argparse
import json
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests/check/kernels"
ROWS = ROOT / "tests/check/launches.txt"
FOLDER = ROOT / "build/check/launches"
HALF = re.compile(r"\.(right|wrong)$")


def rows():
    """{name of a row: its text}."""
    return dict(line.split(": ", 1) for line in ROWS.read_text().splitlines() if not line.startswith("#"))


def row_of(source, texts):
    """The row of a kernel, or None."""
    return texts.get(source.stem, texts.get(HALF.sub("", source.stem)))


def filled(place, words):
    """Adds the element type and contents of a buffer, or the contents of an image, to its description."""
    for key, word in zip(("elem", "fill") if "bytes" in place else ("format", "fill"), words):
        place.update({"values": [int(value) for value in word.split(",")]} if key == "fill" and word[0].isdigit() else {key: word})
    return place


def argument(word, made):
    """An argument of the launch file; describes what it makes in `made`."""
    kind, _, value = word.partition(":")
    name, _, rest = value.partition("=")
    size, *words = rest.split(":")
    if kind == "null":
        return {"buffer": None}
    if rest and kind == "buffer":
        made["buffers"][name] = filled({"bytes": int(size)}, words)
    elif rest and kind == "pipe":
        made["pipes"][name] = {"packet_size": int(size), "max_packets": int(words[0])}
    elif rest and kind == "image":
        sides = [int(side) for side in size.split("x")]
        made["images"][name] = filled({"kind": f"{len(sides)}d", **dict(zip(("width", "height", "depth"), sides))}, words)
    return {kind: int(value) if kind in ("int", "uint", "local") else value if kind == "sampler" else name}


def launch(text, made):
    kernel, sizes, *words = text.split()
    named = zip(("global", "local"), sizes.split("/"))
    return {"kernel": kernel, **{key: [int(size) for size in value.split(",")] for key, value in named},
            "args": [argument(word, made) for word in words]}


def described(row, program):
    """The launch file that a row stands for."""
    made = {"buffers": {}, "pipes": {}, "images": {}}
    machine = re.match(r"(?:\S+\.\S+=\S+ )*", row).group()
    launches = []
    for text in row[len(machine):].split(";"):
        beside = [launch(part, made) for part in text.split("&")]
        launches.append({"together": beside} if len(beside) > 1 else beside[0])
    made["set"] = {key: int(value) if value.isdigit() else value for key, value in (word.split("=") for word in machine.split())}
    return {"program": program, **{key: value for key, value in made.items() if value}, "launches": launches}


def write(folder=FOLDER):
    """Writes all launch files, and removes old ones from our folder: {kernel: launch file}."""
    folder.mkdir(parents=True, exist_ok=True)
    written, texts = {}, rows()
    for source in sorted(KERNELS.iterdir()):
        row, path = row_of(source, texts), folder / (source.stem + ".json")
        if row:
            text = json.dumps(described(row, str(source)), indent=2) + "\n"
            if not path.exists() or path.read_text() != text:  # several tests write them at once
                beside = path.with_name(f"{path.name}.{os.getpid()}")
                beside.write_text(text)
                beside.replace(path)
            written[source] = path
    for path in set(FOLDER.glob("*.json")) - set(written.values()) if folder == FOLDER else ():
        path.unlink()
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("words", nargs="*", metavar="WORD")
    arguments = parser.parse_args()
    for source, path in write(arguments.write).items():
        if not arguments.words or any(word in source.name for word in arguments.words):
            print(os.path.relpath(path))


if __name__ == "__main__":
    main()
