#!/usr/bin/python3
"""What it costs to launch a small kernel: in a process that uses the library from C or Python, as processes of the
command line, and by a program that enqueues it through OpenCL. The last is compared with PoCL, which runs kernels on
this computer without a clock, and with Oclgrind, if installed, which interprets them.

usage: tests/bench/launches.py [--quick]    WARPWAIT (default build/warpwait) is in the folder of the programs `launches`
                                            and `enqueues`, and of the driver.

Each figure is the median of five rounds, in which all take turns: 2000 launches per round, or 40 with --quick. Times
are wall-clock times."""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait"))
os.environ.setdefault("WARPWAIT_LIBRARY", str(WARPWAIT.parent.resolve() / "libwarpwait.so.0"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
import numpy  # noqa: E402
import warpwait  # noqa: E402

KERNEL = "kernel void add(global uint *x) { x[get_global_id(0)] += 1; }\n"
ITEMS = 64
ROUNDS = 5
MACHINES = ["teaching", "h200"]
PYTHON = {"device": "a device", "machine": "a machine", "recorded": "recorded"}


def library(machine, count, *key):
    """Microseconds per launch in one process."""
    words = [WARPWAIT.parent / "launches", machine, str(count), *key]
    return float(subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()[0])


def python(machine, count, on):
    """Microseconds per launch in one Python process: on one device, or on a new device each time."""
    x = numpy.zeros(ITEMS, numpy.uint32)
    kernel = warpwait.Program(KERNEL).kernel()
    device = warpwait.Device(machine) if on == "device" else warpwait.Machine(machine)
    begun = time.perf_counter()
    for _ in range(count):
        kernel.run(device, global_size=ITEMS, local_size=ITEMS, args=[x], record=on == "recorded").cycles
    return 1e6 * (time.perf_counter() - begun) / count


def processes(folder, machine, count):
    """Microseconds of a process that launches the kernel once and prints its report."""
    (folder / "add.cl").write_text(KERNEL)
    launch = {"program": "add.cl", "machine": machine, "buffers": {"x": {"bytes": 4 * ITEMS}},
              "launches": [{"kernel": "add", "global": [ITEMS], "local": [ITEMS], "args": [{"buffer": "x"}]}]}
    (folder / "launch.json").write_text(json.dumps(launch))
    words = [WARPWAIT, "run", folder / "launch.json", "--report", "json", "--why=no", "--quiet"]
    begun = time.perf_counter()
    for _ in range(count):
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return 1e6 * (time.perf_counter() - begun) / count


def enqueues(count, name, *wait):
    """Microseconds to enqueue an empty kernel on a simulated machine, PoCL or Oclgrind."""
    words = [WARPWAIT.parent.resolve() / "enqueues", str(count), *wait]
    settings = {"OCL_ICD_VENDORS": str(WARPWAIT.parent.resolve() / "libwarpwait-opencl.so"), "WARPWAIT_MACHINE": name}
    if name == "PoCL":
        settings = {"OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}
    if name == "Oclgrind":
        words = ["oclgrind", *words]
    return float(subprocess.run(words, check=True, capture_output=True, text=True, env={**os.environ, **settings}).stdout)


def main():
    count = 40 if "--quick" in sys.argv else 2000
    taken = {}
    enqueuers = [*MACHINES, "PoCL", *(["Oclgrind"] if shutil.which("oclgrind") else [])]
    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)
        for machine in MACHINES:
            processes(folder, machine, 1)  # so that it is compiled and in the cache
        for _ in range(ROUNDS):
            for machine in MACHINES:
                for name, value in (("library", library(machine, count)),
                                    ("read", library(machine, count, "launches[0].cycles")),
                                    ("process", processes(folder, machine, count)),
                                    *((on, python(machine, count if on == "device" else count // 20, on)) for on in PYTHON)):
                    taken.setdefault((name, machine), []).append(value)
            for name in enqueuers:
                taken.setdefault(name, []).append(enqueues(count, name))
                taken.setdefault((name, "wait"), []).append(enqueues(count, name, "wait"))
    middle = {what: statistics.median(values) for what, values in taken.items()}
    print(f"Microseconds to launch a kernel of {ITEMS} work-items, {ROUNDS * count} times. Medians of {ROUNDS} rounds.\n")
    print(f"{'machine':<10}{'library':>9}{'with cycles read':>18}{'process':>9}{'times':>7}{'times':>7}")
    for machine in MACHINES:
        alone, read, process = (middle[name, machine] for name in ("library", "read", "process"))
        print(f"{machine:<10}{alone:>9.1f}{read:>18.1f}{process:>9.0f}{process / alone:>7.0f}{process / read:>7.0f}")
    print(f"\nMicroseconds to launch the same from Python, {ROUNDS * count} times.\n")
    print(f"{'machine':<10}" + "".join(f"{'on ' + text if 'a ' in text else text:>14}{'times':>7}" for text in PYTHON.values()))
    for machine in MACHINES:
        process = middle["process", machine]
        print(f"{machine:<10}" + "".join(f"{middle[on, machine]:>14.1f}{process / middle[on, machine]:>7.0f}" for on in PYTHON))
    print(f"\nMicroseconds to enqueue an empty kernel through OpenCL, {ROUNDS * count} times.\n")
    print(f"{'':<10}{'one by one':>12}{'each waited for':>17}")
    for name in enqueuers:
        print(f"{name:<10}{middle[name]:>12.1f}{middle[name, 'wait']:>17.1f}")


if __name__ == "__main__":
    main()
