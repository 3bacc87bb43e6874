#!/usr/bin/env python3
"""Host instructions per warp instruction for whole kernels, counted by callgrind: the same each time, whatever else
this computer does, so a change that costs a fiftieth more shows.

usage: tests/bench/counts.py [--write] [--profile] [KERNEL...]

The machine is `h200` with all its compute units; the cases are small ones of hw/apps. counts.txt holds the
last counts; --write updates it. --profile shows the functions with the most instructions. Needs valgrind."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import kernels

COUNTS = pathlib.Path(__file__).with_name("counts.txt")
CASES = ("triad-64K_f1_w256", "transpose-n1024_lds_32x8", "spmv-16K_a16_k1_scalar", "conv2d-n512_r1_tile_16x16",
         "hist_global-1M_b256", "hash-mix_16896_r256")
SLACK = 0.02
SHOWN = 25


def count(launch):
    """Returns (host instructions per warp instruction, callgrind's output)."""
    written, report = launch.parent / "callgrind", launch.parent / "report.json"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={written}", kernels.WARPWAIT, "run", launch, "--machine", "h200",
               "--threads", "1", "--why=no", "--quiet", "--report", "json", "--out", report]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{launch}: {done.stderr.strip()[-300:]}")
    host = int(re.search(r"refs:\s+([\d,]+)", done.stderr).group(1).replace(",", ""))
    return host / sum(part["warp_instructions"] for part in json.loads(report.read_text())["launches"]), written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("names", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is missing: apt-get install valgrind")
    before = dict(line.split() for line in COUNTS.read_text().splitlines()) if COUNTS.exists() else {}
    machine, known = kernels.runner.Machine(kernels.WARPWAIT, "h200"), kernels.cases.read_apps()
    names = [name for name in CASES if not arguments.names or name.split("-")[0] in arguments.names]
    after, dearer = {}, 0
    with tempfile.TemporaryDirectory() as root, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        launches = [kernels.prepare(pathlib.Path(root) / name, kernels.cases.case_of(known[name]), machine) for name in names]
        for name, (after[name], written) in zip(names, pool.map(count, launches)):
            if name not in before and not arguments.write:
                sys.exit(f"{COUNTS}: {name} is missing: run --write")
            more = after[name] / float(before[name]) - 1 if name in before else 0
            dearer += more > SLACK
            print(f"{name:28}{after[name]:9.0f}{f'{100 * more:+8.1f} %' if name in before else ''}", flush=True)
            if arguments.profile:
                shown = subprocess.run(["callgrind_annotate", written], capture_output=True, text=True, check=True).stdout
                rows = [line for line in shown.splitlines() if re.match(r"\s*[\d,]+ \(", line)]
                print("\n".join("  " + line[:110] for line in rows[1:1 + SHOWN]))
    if arguments.write:
        kept = {**{name: float(value) for name, value in before.items()}, **after}
        COUNTS.write_text("".join(f"{name} {kept[name]:.0f}\n" for name in CASES if name in kept))
    elif dearer:
        print(f"{dearer} of {len(after)} cost over {100 * SLACK:.0f} % more than counts.txt says: find out why, or run --write")
    return bool(dearer and not arguments.write)


if __name__ == "__main__":
    sys.exit(main())
