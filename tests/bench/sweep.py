#!/usr/bin/env python3
"""What `warpwait sweep` costs: points per second compared with one `warpwait run` per point, two jobs compared with
one, and memory.

usage: tests/bench/sweep.py [WARPWAIT] [--quick]

Wall-clock times, medians of several runs taken in turns; nothing else should run meanwhile."""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import bench

ROOT = bench.HERE.parents[1]
EXAMPLES = ROOT / "examples"
AXES = "[axes]\ndma.channels = 1..10\ndma.queue = 1..10\ncu.count = 1 2 4 8\n"
# name: launch file, values of mem.dram_latency, the last axis
KERNELS = {
    "seed": (EXAMPLES / "01_seed/launch.json", "100..1000:100"),
    "stencil": (EXAMPLES / "11_stencil_2d/launch_opencl.json", "100 400"),
}
NAIVE = 20  # points that are run one by one


def plan_of(name, folder):
    launch, latencies = KERNELS[name]
    path = folder / f"{name}.ini"
    path.write_text(f"[sweep]\nlaunch = {launch}\n{AXES}mem.dram_latency = {latencies}\n")
    return path


def seconds(command):
    begin = time.monotonic()
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def sweep_seconds(warpwait, plan, jobs):
    out = plan.with_suffix(".sqlite")
    out.unlink(missing_ok=True)
    return seconds([warpwait, "sweep", "run", plan, "-o", out, "--jobs", jobs])


def naive_seconds(warpwait, launch):
    """Per point: one call of `warpwait run` with a JSON report and no file."""
    run = [warpwait, "run", "--why=no", launch, "--report", "json", "--host", "plain"]
    points = [["--set", f"dma.queue={1 + i % 10}", "--set", f"dma.channels={1 + i // 2}"] for i in range(NAIVE)]
    return sum(seconds(run + point) for point in points) / NAIVE


def children(pid):
    try:
        return [int(word) for word in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def memory_of(pid):
    """MB resident in the process, and the part that it shares with no other."""
    fields = {}
    try:
        for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
            key, value = line.split()[:2]
            fields[key.rstrip(":")] = int(value) / 1024
    except (FileNotFoundError, ProcessLookupError):
        return 0, 0
    return fields["Rss"], fields["Private_Clean"] + fields["Private_Dirty"]


def memory(warpwait, plan):
    """The peak of the parent and of a worker, sampled while the sweep runs."""
    out = plan.with_suffix(".sqlite")
    out.unlink(missing_ok=True)
    process = subprocess.Popen([warpwait, "sweep", "run", str(plan), "-o", str(out), "--jobs", "2"],
                               stdout=subprocess.DEVNULL)
    parent = worker = (0, 0)
    while process.poll() is None:
        parent = max(parent, memory_of(process.pid))
        worker = max([worker, *map(memory_of, children(process.pid))])
        time.sleep(0.01)
    return parent, worker


def row(warpwait, name, folder, repetitions):
    plan = plan_of(name, folder)
    one, two, naive = [], [], []
    for _ in range(repetitions):
        one.append(sweep_seconds(warpwait, plan, 1))
        two.append(sweep_seconds(warpwait, plan, 2))
        naive.append(naive_seconds(warpwait, KERNELS[name][0]))
    one, two, naive = map(statistics.median, (one, two, naive))
    points = 4000 if name == "seed" else 800
    parent, worker = memory(warpwait, plan)
    return [name, str(points), f"{points / one:.0f}", f"{points / two:.0f}", f"{one / two / 2:.2f}", f"{1 / naive:.0f}",
            f"{naive * points / one:.1f}", *(f"{value:.1f}" for value in (*parent, *worker))]


def main():
    quick = "--quick" in sys.argv
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    warpwait = os.path.abspath(words[0] if words else os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
    print("| kernel | points | points/s, 1 job | points/s, 2 jobs | of twice | `run` a point, points/s |"
          " times that, 1 job | parent MB | of them its own | worker MB | of them its own |\n|---|" + "---:|" * 10)
    with tempfile.TemporaryDirectory() as folder:
        for name in KERNELS:
            print("| " + " | ".join(row(warpwait, name, pathlib.Path(folder), 1 if quick else 5)) + " |", flush=True)


if __name__ == "__main__":
    main()
