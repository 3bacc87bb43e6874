#!/usr/bin/env python3
"""What timelines cost: the four bench kernels on one CU, with and without one; their size, and how fast readers are.

usage: tests/bench/timelines.py [WARPWAIT] [--quick]

Times are processor times, medians of several runs taken in turns (see bench.py)."""
import os
import pathlib
import sys
import tempfile

import bench

sys.path.insert(0, str(bench.HERE.parents[1] / "bindings/python"))
sys.dont_write_bytecode = True
from warpwait import trace  # noqa: E402

SAMPLE = "1000/100000"
READ = """
import sys
sys.path.insert(0, {package!r})
import warpwait.trace
timeline = warpwait.trace.open_timeline({path!r})
{what}
"""


def blocks_of(path):
    """Number of events, bytes of the file, and bytes of the batches before zlib."""
    with trace.open_timeline(path) as timeline:
        return timeline.count, path.stat().st_size, timeline.raw_bytes()


def cost_rows(warpwait, folder, repetitions):
    for kernel in bench.KERNELS:
        plain = bench.simulation(warpwait, bench.HERE / f"{kernel}.json", 1, "plain")
        whole, sampled = folder / f"{kernel}.wtl", folder / f"{kernel}_sampled.wtl"
        commands = [plain, [*plain, "--timeline", whole], [*plain, "--timeline", sampled, "--sample", SAMPLE]]
        without, with_one, with_sample = (bench.median(runs) for runs in bench.in_turns(commands, repetitions))
        events, size, raw = blocks_of(whole)
        yield [kernel, f"{events / 1e6:.2f}", f"{size / 1e6:.2f}", f"{raw / events:.2f}", f"{size / events:.2f}",
               f"{without:.2f}", f"{with_one:.2f}", f"{with_one / without:.2f}", f"{with_sample / without:.2f}",
               f"{blocks_of(sampled)[1] / 1e6:.3f}"]


def reader_rows(warpwait, folder):
    path = folder / "strided_gather.wtl"
    events = blocks_of(path)[0]
    values = {"package": str(bench.HERE.parents[1] / "bindings/python"), "path": str(path)}
    readers = {"warpwait trace validate": [warpwait, "trace", "validate", path],
               "warpwait trace convert, .csv": [warpwait, "trace", "convert", path, folder / "t.csv"],
               "warpwait.trace, frame()": [sys.executable, "-c", READ.format(what="timeline.frame()", **values)],
               "warpwait.trace, events()": [sys.executable, "-c", READ.format(what="for _ in timeline.events(): pass", **values)]}
    for name, command in readers.items():
        yield [name, f"{events / bench.Run(command).seconds / 1e6:.2f}"]


def main():
    words = [word for word in sys.argv[1:] if word != "--quick"]
    repetitions = 1 if "--quick" in sys.argv else 3
    warpwait = os.path.abspath(words[0] if words else os.environ.get("WARPWAIT", "build/warpwait"))
    print(f"Host: {bench.host_machine()}. Simulated: machine h200 with 1 CU, plain host. Medians of {repetitions}.\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bench.table(["kernel", "M events", "MB", "bytes an event before zlib", "in the file", "s without", "s with", "ratio",
                     f"ratio, sampled {SAMPLE}", "MB"], list(cost_rows(warpwait, folder, repetitions)))
        print()
        bench.table(["reader, of strided_gather's", "M events/s"], list(reader_rows(warpwait, folder)))


if __name__ == "__main__":
    main()
