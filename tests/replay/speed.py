#!/usr/bin/env python3
"""The cost of recording and replaying: the tables of docs/replay.md.

usage: tests/replay/speed.py [WARPWAIT] [--runs N] [--longest OPERATIONS]

The first table has the kernels of tests/bench, and random_gather, whose addresses are unpredictable. Run, recording
and replay take turns; each ratio is the median of N (5) ratios of processor time (user and system) of whole
processes, report included, on the plain host. The second table has two kernels with loops so long that warps run
about 10^5 to 10^8 operations (--longest), with one run each, in which memory is what matters."""
import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
KERNELS = ["alu", "lds_tile", "double_buffer", "strided_gather", "random_gather"]
LONG = ["alu", "random_gather"]
# Bytes of an operation's plain record: mask, pc, next pc, kind and flags; each field, and each lane's address.
RECORD, NUMBER = 24, 8

Cost = collections.namedtuple("Cost", "seconds megabytes")


def launch_file(kernel):
    """The path of a kernel's launch file."""
    return next(path for path in (ROOT / f"tests/{folder}/{kernel}.json" for folder in ("bench", "replay")) if path.exists())


def with_loops(kernel, loops, folder):
    """Its launch file with another last argument, written to `folder`."""
    launch = json.loads(launch_file(kernel).read_text())
    launch["program"] = str(launch_file(kernel).parent / launch["program"])
    launch["launches"][0]["args"][-1]["uint"] = loops
    path = folder / f"{kernel}.{loops}.json"
    path.write_text(json.dumps(launch))
    return path


def loops_of(kernel):
    return json.loads(launch_file(kernel).read_text())["launches"][0]["args"][-1]["uint"]


def cost(command):
    """Processor time of a process in seconds, and its peak resident memory in megabytes (10^6 bytes)."""
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    status, usage = os.wait4(process.pid, 0)[1:]
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(map(str, command))}: exit status {os.waitstatus_to_exitcode(status)}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def operations(report):
    """Operations of warps, from the report's JSON file."""
    return sum(launch["warp_instructions"] for launch in json.loads(report.read_text())["launches"])


class Bench:
    """Runs, recordings and replays of launch files with one binary, in one folder."""

    def __init__(self, warpwait, folder):
        self.warpwait, self.folder = warpwait, folder
        self.trace, self.report = folder / "t.wwt", folder / "report.json"
        self.options = ["--host", "plain", "-q", "--why=no", "--report", "json", "--out", self.report]

    def turn(self, launch):
        """The costs (run, recording, replay) of a launch file."""
        run = [self.warpwait, "run", launch, *self.options]
        return cost(run), cost([*run, "--trace", self.trace]), cost([self.warpwait, "replay", self.trace, *self.options])

    def ratios(self, turns):
        """Medians of (recording / run, replay / run)."""
        return (statistics.median(recorded.seconds / ran.seconds for ran, recorded, _ in turns),
                statistics.median(ran.seconds / replayed.seconds for ran, _, replayed in turns))


def plain_bytes(trace):
    """Bytes of a trace's operations as records with fixed fields and one address per lane."""
    import warpwait.trace
    size = 0
    with warpwait.trace.open(str(trace)) as opened:
        for launch, group in opened.groups():
            for warp in range(opened.warps(launch, group)):
                for operation in opened.operations(launch, group, warp):
                    size += RECORD + NUMBER * (len(operation.fields) + sum(map(len, operation.values.values())))
    return size


def kernel_row(bench, kernel, runs):
    """The row of a kernel in the first table."""
    turns = [bench.turn(launch_file(kernel)) for _ in range(runs)]
    record, replay = bench.ratios(turns)
    count, size = operations(bench.report), bench.trace.stat().st_size
    # As records: for fewer loops, which the Python reader can handle, minus the size of the rest of the file.
    few = with_loops(kernel, max(1, loops_of(kernel) // 64), bench.folder)
    bench.turn(few)
    plain = plain_bytes(bench.trace) / operations(bench.report) * count
    return f"| {kernel} | {count} | {size} | {size / count:.5f} | {plain / size:.0f} | {record:.2f} | {replay:.2f} |"


def length_rows(bench, kernel, longest):
    """The rows of a kernel in the second table."""
    bench.turn(launch_file(kernel))
    each = operations(bench.report) / loops_of(kernel)
    wanted = 10 ** 5
    while wanted <= longest:
        turn = bench.turn(with_loops(kernel, max(1, round(wanted / each)), bench.folder))
        count, size = operations(bench.report), bench.trace.stat().st_size
        ran, recorded, replayed = (f"{part.megabytes:.0f}" for part in turn)
        record, replay = bench.ratios([turn])
        yield (f"| {kernel} | {count} | {size} | {size / count:.5f} | {record:.2f} | {replay:.2f} |"
               f" {ran} | {recorded} | {replayed} |")
        wanted *= 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpwait", nargs="?", default=str(ROOT / "build/warpwait"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--longest", type=float, default=1e8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.warpwait, pathlib.Path(folder))
        print("| kernel | operations of warps | bytes of the trace | bytes an operation | smaller than records, times |"
              " a recording takes, in runs | a run takes, in replays |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
        for kernel in KERNELS:
            print(kernel_row(bench, kernel, options.runs), flush=True)
        print("\n| kernel | operations of warps | bytes of the trace | bytes an operation | a recording takes, in runs |"
              " a run takes, in replays | a run's memory, MB | a recording's | a replay's |\n"
              "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for kernel in LONG:
            for row in length_rows(bench, kernel, options.longest):
                print(row, flush=True)


if __name__ == "__main__":
    main()
