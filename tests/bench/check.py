#!/usr/bin/env python3
"""What `warpwait check` costs compared with `warpwait run`: the four kernels of bench.py on small and large machines,
runs ten times as long, and kernels that are hard for the checker.

usage: tests/bench/check.py [WARPWAIT] [--pairs N] [--hard]

A pair is a run and a check of the same launch, in turns. Times are medians of N pairs (5), in processor seconds,
user and system. --hard leaves out the kernels of bench.py. Exit status 1 if a hazard is reported for a kernel of
bench.py."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import bench

MACHINE = ["--machine", "h200", "--quiet", "--host", "plain", "--report", "json"]
LONG = ["double_buffer", "lds_tile"]

RACES = """
kernel void races(global uint *out, uint loops) {
  local uint tile[64];
  uint i = get_local_id(0);
  tile[i] = i;
  for (uint k = 0; k < loops; k++) tile[(i + k) & 63] += tile[(i * 3 + k) & 63];
  out[get_global_id(0)] = tile[i];
}
"""
COPIES = """
kernel void copies(global const uint *in, global uint *out, uint loops) {
  local uint tile[61 * 64];
  uint i = get_local_id(0), sum = 0;
  for (uint k = 0; k < 60; k++) async_work_group_copy(tile + k * 64, in + k * 64, 64, 0);
  for (uint k = 0; k < loops; k++) sum += tile[60 * 64 + i] = k;
  out[get_global_id(0)] = sum;
}
"""
BYTES = """
kernel void bytes(global uchar *to, uint loops) {
  for (uint k = 0; k < loops; k++) to[k * get_global_size(0) + get_global_id(0)]++;
}
"""
LAST = """
kernel void last(global uint *data, global atomic_uint *count, global uint *out) {
  local uint is_last;
  data[get_global_id(0)] = get_local_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) is_last = atomic_fetch_add(count, 1) == get_num_groups(0) - 1;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!is_last || get_local_id(0)) return;
  uint sum = 0;
  for (uint k = 0; k < get_num_groups(0); k++) sum += data[k * get_local_size(0)];
  *out = sum;
}
"""
# Fences on both sides of each count: each work-item knows about all others, each in another way.
COUNTS = """
kernel void counts(global atomic_uint *bins, uint loops) {
  for (uint k = 0; k < loops; k++)
    atomic_fetch_add_explicit(&bins[((uint)get_global_id(0) * 2654435761u + k * 40503u) % 65536], 1, memory_order_acq_rel,
                              memory_scope_device);
}
"""


def last(groups):
    return (f"{groups} groups count themselves", LAST,
            ["--global", str(64 * groups), "--local", "64", "--arg", f"buffer:data={256 * groups}:uint", "--arg", "buffer:count=4:uint",
             "--arg", "buffer:out=4:uint"])


# Description, source and launch.
HARD = [
    ("races everywhere", RACES, ["--global", "4096", "--local", "64", "--arg", "buffer:out=16384:uint", "--arg", "uint:1000", "--set", "cu.count=4"]),
    ("60 copies, no wait", COPIES, ["--global", "1024", "--local", "64", "--arg", "buffer:in=65536:uint", "--arg", "buffer:out=16384:uint",
                                    "--arg", "uint:1000", "--set", "cu.count=4"]),
    ("4 MiB byte by byte", BYTES, ["--global", "65536", "--local", "256", "--arg", "buffer:to=4194304:uchar", "--arg", "uint:64", "--set", "cu.count=4"]),
    ("65536 counters, fences", COUNTS, ["--global", "8192", "--local", "64", "--arg", "buffer:bins=262144:uint", "--arg", "uint:16"]),
    last(4096), last(16384), last(65536)]


class Process:
    """Processor seconds, peak MiB, exit status."""

    def __init__(self, command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.seconds, self.mebibytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def row(warpwait, name, words, pairs, legal):
    """Run and check in turns; clang's output is in the cache before."""
    subprocess.run([warpwait, "asm", words[0], "-o", os.devnull] if words[0].suffix == ".cl" else
                   [warpwait, "run", "--why=no", *words, *MACHINE], check=True, stdout=subprocess.DEVNULL)
    runs, checks = [], []
    for _ in range(pairs):
        runs.append(Process([warpwait, "run", "--why=no", *words, *MACHINE]))
        checks.append(Process([warpwait, "check", *words, *MACHINE]))
    if any(done.status for done in runs) or any(done.status not in legal for done in checks):
        sys.exit(f"{name}: exit status {runs[0].status} of run, {checks[0].status} of check")
    plain, checked = (statistics.median(done.seconds for done in several) for several in (runs, checks))
    memory = [f"{max(done.mebibytes for done in several):.0f}" for several in (runs, checks)]
    return [name, f"{plain:.2f}", f"{checked:.2f}", f"{checked / plain:.2f}", *memory]


def bench_rows(warpwait, pairs, folder):
    for kernel in bench.KERNELS:
        for cus in bench.CUS:
            yield row(warpwait, f"{kernel}, {cus} CU{'s' if cus > 1 else ''}", [bench.HERE / f"{kernel}.json", "--set", f"cu.count={cus}"], pairs, [0])
    for kernel in LONG:
        loops = bench.loops_of(bench.load(kernel)) // 4
        for times in (1, 10):
            path = bench.with_loops(folder, kernel, times * loops)
            yield row(warpwait, f"{kernel}, {times * loops} loops", [path, "--set", "cu.count=1"], pairs, [0])


def hard_rows(warpwait, pairs, folder):
    for number, (name, source, words) in enumerate(HARD):
        path = pathlib.Path(folder) / f"hard{number}.cl"
        path.write_text(source)
        yield row(warpwait, name, [path, *words], pairs, [0, 1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("warpwait", nargs="?", default=os.environ.get("WARPWAIT", "build/warpwait"))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--hard", action="store_true")
    arguments = parser.parse_args()
    warpwait = os.path.abspath(arguments.warpwait)
    header = ["launch", "run, s", "check, s", "times", "run, MiB", "check, MiB"]
    with tempfile.TemporaryDirectory() as folder:
        if not arguments.hard:
            bench.table(header, list(bench_rows(warpwait, arguments.pairs, folder)))
            print()
        bench.table(header, list(hard_rows(warpwait, arguments.pairs, folder)))


if __name__ == "__main__":
    main()
