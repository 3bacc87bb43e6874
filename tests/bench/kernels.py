#!/usr/bin/env python3
"""How fast whole kernels are simulated: the applications of hw/apps on `h200` with 1, 16 and 132 compute units.

usage: tests/bench/kernels.py [--cus N,...] [--runs N] [--against WARPWAIT] [--beside] [KERNEL...]

Each kernel runs its largest case of up to three million instructions on the GPU, in one thread (--order ensures that
in builds without the option --threads, too). A figure is the best processor time of several processes from start to
end, in turns: other work on this computer only ever slows a process down. With --against, another build runs in
turns with this one, and the reports must be identical. With --beside, Oclgrind (once, since it is slow) and PoCL
also run each case: processor seconds of the launches alone, in which PoCL compiles what its cache lacks. Neither
models time, and their results are not compared."""
import argparse
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hw"))
import runner  # noqa: E402
from apps import cases, counters  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
LARGEST = 3_000_000
CLASSES = {"streams": ("triad", "ddot", "gemv", "transpose"), "irregular": ("spmv", "gather", "chase"),
           "atomics, reductions": ("hist_global", "reduce", "bitonic"), "stencils": ("conv2d", "hotspot", "sobel"),
           "tiles, LDS": ("sgemm_tile", "tilesum", "nw", "attention", "occupancy"),
           "arithmetic": ("nbody", "blackscholes", "hash")}
OPENCL_HOST = ROOT / "tests/check/oclgrind_host.py"


def chosen(words):
    """{kernel: case}"""
    gpu, picked = counters.read_counters(), {}
    for name, app in cases.read_apps().items():
        size = gpu.get(name, {}).get("instructions", LARGEST)
        best = picked.get(app.kernel)
        if size < LARGEST and (not best or size > best[0]) and (not words or app.kernel in words):
            picked[app.kernel] = size, cases.case_of(app)
    return {kernel: case for kernel, (_, case) in picked.items()}


def prepare(folder, case, machine):
    """The case's launch file, together with its kernel and inputs."""
    folder.mkdir()
    (folder / "kernel.cl").write_text(case.source)
    (folder / "launch.json").write_text(runner.launch_file(case, machine.cut(case)))
    for buffer in case.buffers:
        if buffer.contents:
            (folder / f"{buffer.name}.in").write_bytes(buffer.contents.data())
    return folder / "launch.json"


def run(warpwait, launch, cus):
    """Returns (processor seconds, peak MiB, the report)."""
    command = [warpwait, "run", launch, "--machine", "h200", "--set", f"cu.count={cus}", "--order", "ascending", "--why=no",
               "--quiet", "--report", "json"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        report = output.read()
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, report


def beside(launch, runs):
    """Seconds of Oclgrind and of PoCL; None if it is missing or cannot run the case."""
    seconds = []
    for program, environment in ((["oclgrind", "--num-threads", "1"], {}), ([], {"OCL_ICD_VENDORS": "pocl.icd"})):
        best = None
        for _ in range(1 if program else runs):
            if program and not shutil.which(program[0]):
                break
            done = subprocess.run([*program, sys.executable, OPENCL_HOST, launch], capture_output=True, text=True, check=False,
                                  env={**os.environ, **environment})
            if done.returncode or "FATAL ERROR" in done.stderr:  # Oclgrind's exit status does not reflect errors
                break
            best = min(filter(None, (best, float(done.stdout.split()[-1]))))
        seconds.append(best)
    return seconds


def measure(builds, launch, cus, runs):
    """Returns (millions of warp instructions, best seconds of each build, MiB of the first); None if a report
    differs."""
    outcomes = [[run(build, launch, cus) for build in builds] for _ in range(runs)]
    reports = {report for outcome in outcomes for _, _, report in outcome}
    if len(reports) > 1:
        return None
    work = sum(part["warp_instructions"] for part in json.loads(reports.pop())["launches"]) / 1e6
    seconds = [min(outcome[i][0] for outcome in outcomes) for i in range(len(builds))]
    return work, seconds, max(outcome[0][1] for outcome in outcomes)


def summary(rates):
    """The median and the tenth percentile."""
    ordered = sorted(rates)
    return statistics.median(ordered), ordered[len(ordered) // 10]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cus", default="1,16,132", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--runs", default=3, type=int)
    parser.add_argument("--against", metavar="WARPWAIT", help="another build")
    parser.add_argument("--beside", action="store_true", help="Oclgrind and PoCL too")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    builds = [WARPWAIT, *([arguments.against] if arguments.against else [])]
    machine, differing = runner.Machine(WARPWAIT, "h200"), []
    head = "".join(f"{cus:>7} CUs{'  times' if arguments.against else ''}   MiB" for cus in arguments.cus)
    print(f"M warp-instr/s     M instr {head}" + ("   seconds  Oclgrind  PoCL" if arguments.beside else ""))
    last, of_class = arguments.cus[-1], {}
    rates, gains = {cus: [] for cus in arguments.cus}, {cus: [] for cus in arguments.cus}
    with tempfile.TemporaryDirectory() as folder:
        for kernel, case in chosen(arguments.kernels).items():
            launch, line, work, ours = prepare(pathlib.Path(folder) / kernel, case, machine), "", 0, math.nan
            for cus in arguments.cus:
                measured = measure(builds, launch, cus, arguments.runs)
                if not measured:
                    differing.append(f"{kernel}, {cus} CUs")
                    continue
                work, seconds, mebibytes = measured
                rates[cus].append(work / seconds[0])
                gains[cus].append(seconds[-1] / seconds[0])
                if cus == last:
                    of_class[kernel], ours = work / seconds[0], seconds[0]
                line += f"{work / seconds[0]:11.2f}" + (f"{gains[cus][-1]:7.2f}" if arguments.against else "") + f"{mebibytes:6.0f}"
            if arguments.beside:
                others = beside(launch, arguments.runs)
                line += f"{ours:10.2f}{others[0] or math.nan:10.2f}{others[1] or math.nan:6.2f}"
            print(f"{kernel:16}{work:10.2f} {line}", flush=True)
    for name, index in (("median", 0), ("10th percentile", 1)):
        line = "".join(f"{summary(rates[cus])[index]:11.2f}" + (f"{summary(gains[cus])[index]:7.2f}" if arguments.against else "") + 6 * " "
                       for cus in arguments.cus if rates[cus])
        print(f"{name:16}{'':10} {line}")
    for name, members in CLASSES.items():
        known = sorted(of_class[kernel] for kernel in members if kernel in of_class)
        if known:
            print(f"{name:20} {last} CUs: {known[0]:.2f} to {known[-1]:.2f}, median {statistics.median(known):.2f}")
    for text in differing:
        print(f"{text}: the reports differ")
    return bool(differing)


if __name__ == "__main__":
    sys.exit(main())
