#!/usr/bin/env python3
"""How whole kernels scale with threads: wall time of the applications of hw/apps on `h200` with all its compute
units, by number of threads.

usage: tests/bench/threads.py [--threads N,...] [--runs N] [KERNEL... | LAUNCH.json...]

A figure is the best of several processes from start to end, in turns; all reports must be identical. *start* is the
share of the one-thread time before the first cycle: loading, and making the machine. *alone* is the share that
threads do not shorten, fitted to the times by Amdahl's law, T(n) = T(1) (alone + (1 - alone) / n); *off* is the
largest deviation of a time from it."""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import kernels


def run(launch, threads, *more):
    """Returns (wall-clock seconds, the report)."""
    command = [kernels.WARPWAIT, "run", launch, "--machine", "h200", "--threads", str(threads), "--why=no", "--quiet", "--report", "json",
               *more]
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    seconds = time.perf_counter() - begin
    if done.returncode and not more:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}")
    return seconds, done.stdout


def fit(times):
    """The serial share, by least squares of the relative times; and the largest deviation."""
    first = times[min(times)]
    points = [(1 - 1 / n, seconds / first - 1 / n) for n, seconds in times.items()]
    alone = sum(x * y for x, y in points) / sum(x * x for x, _ in points)
    return alone, max(abs(seconds / (first * (alone + (1 - alone) / n)) - 1) for n, seconds in times.items())


def launches(words, folder):
    """[(name, launch file)]"""
    if any(word.endswith(".json") for word in words):
        return [(pathlib.Path(word).resolve().parent.name, pathlib.Path(word)) for word in words]
    machine = kernels.runner.Machine(kernels.WARPWAIT, "h200")
    return [(kernel, kernels.prepare(folder / kernel, case, machine)) for kernel, case in kernels.chosen(words).items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", default="1,2,4,8,16", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--runs", default=3, type=int)
    parser.add_argument("words", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    counts = sorted({1, *arguments.threads})
    print(f"{'seconds':14}" + "".join(f"{n:>9}" for n in counts) + "    times" * (len(counts) - 1) + "    start    alone      off")
    differing = []
    with tempfile.TemporaryDirectory() as folder:
        for name, launch in launches(arguments.words, pathlib.Path(folder)):
            outcomes = [[run(launch, n) for n in counts] for _ in range(arguments.runs)]
            times = {n: min(outcome[i][0] for outcome in outcomes) for i, n in enumerate(counts)}
            if len({report for outcome in outcomes for _, report in outcome}) > 1:
                differing.append(name)
            start = min(run(launch, 1, "--max-cycles", "1")[0] for _ in range(arguments.runs)) / times[1]
            alone, off = fit(times)
            print(f"{name:14}" + "".join(f"{times[n]:9.2f}" for n in counts) + "".join(f"{times[1] / times[n]:9.2f}" for n in counts[1:]) +
                  f"{start:9.2f}{alone:9.2f}{off:9.2f}", flush=True)
    for name in differing:
        print(f"{name}: the reports differ")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
