#!/usr/bin/env python3
"""How fast the simulator is: four OpenCL C kernels on small and large machines and both hosts, compared with Oclgrind;
and how good and how fast the lowering is, compared with the same kernels written in assembly.

usage: tests/bench/bench.py [WARPWAIT] [--quick]

Every figure is the median of several runs, taken in turns so that a busy moment of this computer affects all alike.
A run is one process from start to end, reports included; its time is processor time. Oclgrind (package `oclgrind`)
is an interpreter without timing; it runs the same source with the same NDRange and a share of the loops. For the
comparison, the time of a run with the fewest loops is subtracted on both sides."""
import json
import os
import pathlib
import re
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# kernel: Oclgrind's share of the loops
KERNELS = {"alu": 16, "lds_tile": 16, "double_buffer": 16, "strided_gather": 4}
# kernels of copies.cl
COPIES = {"contiguous": "one line", "words": "4 bytes of every 32", "bytes": "1 byte of every 16", "lines": "16 bytes of every 64, 2-D",
          "byte_lines": "1 byte of every 16, 2-D"}
CUS = [1, 16]
HOSTS = {"plain": ["--threads", "1"], "systemc": ["--host", "systemc"]}
LEVELS = [0, 1, 2, 3]  # of --optimize
FEWEST_LOOPS = 2


class Run:
    """One process and its children: processor seconds, peak memory in MiB, output."""

    def __init__(self, command):
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds = usage.ru_utime + usage.ru_stime
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            self.output = output.read().decode()
        self.mebibytes = usage.ru_maxrss / 1024
        if process.returncode:
            sys.exit(f"{' '.join(map(str, command))}: exit status {process.returncode}\n{self.output}")


def load(kernel):
    return json.loads((HERE / f"{kernel}.json").read_text())


def loops_of(launch):
    return launch["launches"][0]["args"][-1]["uint"]


def with_loops(folder, kernel, loops, program=None, level=2):
    """The kernel's launch file with another number of loops and possibly another program."""
    launch = load(kernel)
    launch["program"] = str(HERE / (program or launch["program"]))
    if not program:
        launch["build"] = {"optimize": level}
    launch["launches"][0]["args"][-1]["uint"] = loops
    path = pathlib.Path(folder) / f"{kernel}_{loops}_{level}{program or ''}.json"
    path.write_text(json.dumps(launch))
    return path


def simulation(warpwait, path, cus, host):
    return [warpwait, "run", path, "--report", "json", "--quiet", "--why=no", *HOSTS[host], "--set", f"cu.count={cus}"]


def oclgrind_input(folder, kernel, loops, dump=""):
    """The launch file in the format of oclgrind-kernel; with dump="dump" it prints its buffers at the end."""
    launch = load(kernel)
    first = launch["launches"][0]
    lines = [str(HERE / f"{kernel}.cl"), first["kernel"]]
    lines += [f"{first[size][0]} 1 1" for size in ("global", "local")]
    for arg in first["args"][:-1]:
        buffer = launch["buffers"][arg["buffer"]]
        last = buffer["bytes"] // 4 - 1
        content = f"range=0:1:{last}" if buffer["fill"] == "iota" else "fill=0"
        lines.append(f"<size={buffer['bytes']} {content} uint {dump}>")
    lines.append(f"<size=4 fill={loops} uint>")
    path = pathlib.Path(folder) / f"{kernel}_{loops}.sim"
    path.write_text("\n".join(lines) + "\n")
    return path


def in_turns(commands, repetitions):
    """Runs all commands, then all again, and so on; returns the runs of each."""
    runs = [[] for _ in commands]
    for _ in range(repetitions):
        for mine, command in zip(runs, commands):
            mine.append(Run(command))
    return runs


def median(runs):
    return statistics.median(run.seconds for run in runs)


def table(header, rows):
    """Right-aligned columns; the first is left-aligned."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [cell.rjust(width) for cell, width in zip(row, widths)]
        cells[0] = row[0].ljust(widths[0])
        print("  ".join(cells).rstrip())


def count(run, *path):
    value = json.loads(run.output)["launches"][0]
    for key in path:
        value = value[key]
    return value


def speed_rows(warpwait, repetitions):
    cases = [(kernel, cus, host) for kernel in KERNELS for cus in CUS for host in HOSTS]
    runs = in_turns([simulation(warpwait, HERE / f"{k}.json", c, h) for k, c, h in cases], repetitions)
    for (kernel, cus, host), mine in zip(cases, runs):
        seconds = median(mine)
        instructions, cycles = count(mine[0], "warp_instructions"), count(mine[0], "cycles")
        lanes = count(mine[0], "cu", "lane_instructions")
        yield [kernel, str(cus), host, f"{instructions / 1e6:.2f}", f"{cycles / 1e6:.3f}", f"{seconds:.2f}",
               f"{instructions / seconds / 1e6:.2f}", f"{cycles / seconds / 1e6:.3f}", f"{lanes / seconds / 1e6:.0f}",
               f"{max(run.mebibytes for run in mine):.0f}"]


def memory_rows(warpwait, folder):
    loops = loops_of(load("double_buffer")) // 4
    for times in (1, 10):
        run = Run(simulation(warpwait, with_loops(folder, "double_buffer", loops * times), 1, "plain"))
        yield [f"double_buffer, {loops * times} loops", f"{count(run, 'cycles') / 1e6:.2f}", f"{run.seconds:.2f}",
               f"{run.mebibytes:.1f}"]


def rate(command_of, loops, items, repetitions):
    """Millions of work-item loops per second, without the time of a run with the fewest loops."""
    many, few = in_turns([command_of(loops), command_of(FEWEST_LOOPS)], repetitions)
    return items * (loops - FEWEST_LOOPS) / (median(many) - median(few)) / 1e6


def same_results(warpwait, folder, kernel):
    """Whether both compute the same words. Dumped words look like "  out[7] = 42"."""
    bytes_file = pathlib.Path(folder) / "out.bin"
    command = simulation(warpwait, with_loops(folder, kernel, FEWEST_LOOPS), 1, "plain")
    Run([*command, "--dump", f"out={bytes_file}"])
    theirs = Run(["oclgrind-kernel", oclgrind_input(folder, kernel, FEWEST_LOOPS, "dump")]).output
    ours = [word for word, in struct.iter_unpack("<I", bytes_file.read_bytes())]
    return [int(word) for word in re.findall(r"^  out\[\d+\] = (\d+)$", theirs, re.MULTILINE)] == ours


def oclgrind_rows(warpwait, folder, repetitions):
    for kernel, share in KERNELS.items():
        launch = load(kernel)
        loops, items = loops_of(launch), launch["launches"][0]["global"][0]
        theirs = rate(lambda n: ["oclgrind-kernel", oclgrind_input(folder, kernel, n)], loops // share, items, repetitions)
        row = [kernel, "yes" if same_results(warpwait, folder, kernel) else "NO", f"{theirs:.2f}"]
        for host in HOSTS:
            ours = rate(lambda n: simulation(warpwait, with_loops(folder, kernel, n), 1, host), loops, items, repetitions)
            row += [f"{ours:.2f}", f"{ours / theirs:.1f}"]
        yield row


def instructions_a_loop(warpwait, folder, kernel, program=None, level=2):
    """Instructions that a warp issues in one iteration of the kernel's outer loop."""
    many = FEWEST_LOOPS + 8
    issued = [count(Run(simulation(warpwait, with_loops(folder, kernel, loops, program, level), 1, "plain")), "warp_instructions")
              for loops in (many, FEWEST_LOOPS)]
    warps = load(kernel)["launches"][0]["global"][0] // 32
    return (issued[0] - issued[1]) / (many - FEWEST_LOOPS) / warps


def lowering_rows(warpwait, folder):
    for kernel in KERNELS:
        by_hand = instructions_a_loop(warpwait, folder, kernel, f"{kernel}.wws")
        row = [kernel, f"{by_hand:.1f}"]
        for level in LEVELS:
            lowered = instructions_a_loop(warpwait, folder, kernel, level=level)
            row += [f"{lowered:.1f}", f"{lowered / by_hand:.2f}"]
        yield row


def compile_rows(warpwait, folder, repetitions):
    """Processor milliseconds of `warpwait asm`: from the source, from the cache, from SPIR-V; `params` is the process
    alone."""
    for kernel in KERNELS:
        source, module = HERE / f"{kernel}.cl", pathlib.Path(folder) / f"{kernel}.spv"
        Run([warpwait, "asm", source, "--spirv", module])
        commands = [[warpwait, "asm", source, "--no-cache"], [warpwait, "asm", source], [warpwait, "asm", module], [warpwait, "machines"]]
        yield [kernel, *(f"{1000 * median(runs):.1f}" for runs in in_turns(commands, 3 * repetitions))]


def copy_rows(warpwait, repetitions):
    """Bytes that each kind of copy moves per host second: process time, less that of the fewest loops."""
    groups, copied, loops = 16, 8192, 100
    def command(kernel, times):
        arguments = ["buffer:in=131072:uint:iota", "buffer:out=4096", f"uint:{times}"]
        return [warpwait, "run", "--why=no", HERE / "copies.cl", "--kernel", kernel, "--machine", "h200", "--set", "cu.count=1", "--global", str(32 * groups),
                "--local", "32", "--report", "json", "--quiet", "--threads", "1", *(word for text in arguments for word in ("--arg", text))]
    commands = [command(kernel, times) for kernel in COPIES for times in (loops, FEWEST_LOOPS)]
    runs = in_turns(commands, repetitions)
    rates = [copied * groups * (loops - FEWEST_LOOPS) / (median(many) - median(few)) for many, few in zip(runs[::2], runs[1::2])]
    for (kernel, text), rate_here, many in zip(COPIES.items(), rates, runs[::2]):
        yield [kernel, text, f"{rate_here / 1e6:.1f}", f"{rate_here / rates[0]:.2f}", f"{count(many[0], 'cycles') / 1e6:.3f}"]


def host_machine():
    model = "unknown processor"
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists():
        model = next((line.split(":", 1)[1].strip() for line in info.read_text().splitlines()
                      if line.startswith("model name")), model)
    return f"{model}, {os.cpu_count()} cores"


def main():
    words = [word for word in sys.argv[1:] if word != "--quick"]
    repetitions = 1 if "--quick" in sys.argv else 3
    warpwait = os.path.abspath(words[0] if words else os.environ.get("WARPWAIT", "build/warpwait"))
    print(f"Host: {host_machine()}. Simulated: machine h200 with 1 or 16 CUs. Medians of {repetitions}.\n")
    table(["kernel", "CUs", "host", "M warp-instr", "M cycles", "s", "M warp-instr/s", "M cycles/s",
           "M work-item-instr/s", "peak MiB"], list(speed_rows(warpwait, repetitions)))
    with tempfile.TemporaryDirectory() as folder:
        print("\nMemory does not grow with simulated time (1 CU, plain host):\n")
        table(["run", "M cycles", "s", "peak MiB"], list(memory_rows(warpwait, folder)))
        print("\nInstructions of a warp in one pass of the outer loop: by hand, and from OpenCL C at each level:\n")
        table(["kernel", "by hand", *(word for level in LEVELS for word in (f"level {level}", "times"))], list(lowering_rows(warpwait, folder)))
        print("\nMilliseconds to an ISA program: through clang, from the cache, from SPIR-V, and a process that does nothing:\n")
        table(["kernel", "clang", "cache", "SPIR-V", "nothing"], list(compile_rows(warpwait, folder, repetitions)))
        print("\nBytes that asynchronous copies move in a host second (h200, 1 CU, 8 KiB a copy), beside contiguous ones:\n")
        table(["kernel", "pieces", "MB/s", "times", "M cycles"], list(copy_rows(warpwait, repetitions)))
        if not shutil.which("oclgrind-kernel"):
            print("\nOclgrind is not installed (package oclgrind): no comparison.")
            return
        print("\nBeside Oclgrind, which has no timing model: millions of loops of one work-item a second (1 CU):\n")
        table(["kernel", "same results", "Oclgrind", "plain", "times", "SystemC", "times"],
              list(oclgrind_rows(warpwait, folder, repetitions)))


if __name__ == "__main__":
    main()
