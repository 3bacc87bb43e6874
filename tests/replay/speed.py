#!/usr/bin/env python3
"""What recording and replaying cost, on the kernels of tests/bench: a table for docs/replay.md.

usage: tests/replay/speed.py [WARPWAIT] [--runs N]

Run, recording and replay take turns; each figure is the median of N (5) ratios of processor time (user and system) of whole
processes, report included, on the plain host.
"""
import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ["alu", "lds_tile", "double_buffer", "strided_gather"]


def seconds(command):
    """Processor time of a process, in seconds."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = used()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return used() - before


def measure(warpwait, kernel, runs, folder):
    """The row of a kernel."""
    trace, report = folder / "t.wwt", folder / "report.json"
    options = ["--host", "plain", "-q", "--report", "json", "--out", report]
    run = [warpwait, "run", ROOT / f"tests/bench/{kernel}.json", *options]
    times = [(seconds(run), seconds(run + ["--trace", trace]), seconds([warpwait, "replay", trace, *options]))
             for _ in range(runs)]
    operations = sum(launch["warp_instructions"] for launch in json.loads(report.read_text())["launches"])
    size = trace.stat().st_size
    record = statistics.median(recorded / ran for ran, recorded, _ in times)
    replay = statistics.median(ran / replayed for ran, _, replayed in times)
    return f"| {kernel} | {operations} | {size} | {size / operations:.5f} | {record:.2f} | {replay:.2f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpwait", nargs="?", default=str(ROOT / "build/warpwait"))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print("| kernel | operations of warps | bytes of the trace | bytes an operation | a recording takes, in runs |"
          " a run takes, in replays |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for kernel in KERNELS:
            print(measure(options.warpwait, kernel, options.runs, pathlib.Path(folder)), flush=True)


if __name__ == "__main__":
    main()
