#!/usr/bin/env python3
"""How much of whole kernels repeats exactly: what a simulator could skip if it recognized a compute unit's steady
state.

usage: tests/bench/repeats.py [KERNEL...]

For the applications that kernels.py runs, on `h200` with 132 compute units, it examines what compute unit 0 issues:
each instruction, its warp's slot, and the cycles since the previous issue. A stretch repeats if it follows another
one that is equal in all of these. That is necessary for a repeating state, and far from sufficient: memory and other
units must repeat too."""
import csv
import itertools
import pathlib
import subprocess
import sys
import tempfile

import kernels

SHORTEST = 32  # issues of a stretch


def issues(launch, folder):
    """[(cycles since the previous issue, the warp's slot, pc)]"""
    events = folder / "events.csv"
    subprocess.run([kernels.WARPWAIT, "run", launch, "--machine", "h200", "--why=no", "--quiet", "--out", folder / "report.txt",
                    "--timeline", events, "--cu", "0", "--events", "warp"], check=True)
    with events.open(newline="", encoding="utf-8") as lines:
        found = sorted((int(row["launch"]), int(row["from"]), int(row["unit"]), int(row["pc"]))
                       for row in csv.DictReader(lines) if row["block"] == "cu" and row["stall"] == "issued")
    pairs = itertools.pairwise([(None, 0, 0, 0), *found])
    return [(now[1] - before[1] if now[0] == before[0] else 0, *now[2:]) for before, now in pairs]


def repeated(items):
    """How many of them are in a stretch that repeats the one just before it."""
    last, distance, length, count = {}, 0, 0, 0
    for at in range(len(items) - SHORTEST + 1):
        stretch = tuple(items[at:at + SHORTEST])
        back = at - last.get(stretch, at)
        last[stretch] = at
        if back != distance:
            count += length if distance and length >= distance else 0
            distance, length = back, SHORTEST - 1
        length += 1
    return count + (length if distance and length >= distance else 0)


def main():
    machine = kernels.runner.Machine(kernels.WARPWAIT, "h200")
    with tempfile.TemporaryDirectory() as folder:
        for kernel, case in sorted(kernels.chosen(sys.argv[1:]).items()):
            place = pathlib.Path(folder) / kernel
            found = issues(kernels.prepare(place, case, machine), place)
            print(f"{kernel:13} {len(found):7} issues {100 * repeated(found) / max(len(found), 1):5.1f} % repeated", flush=True)


main()
