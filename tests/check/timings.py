#!/usr/bin/env python3
"""The hazards of a kernel do not depend on timing.

usage: tests/check/timings.py [--timings N] [--part K] [--random N] [--seed S] [KERNEL.json ...]

`warpwait check` runs each kernel of tests/check/kernels, wrong and right, and some random ones (random_kernels.py):
once as its launch file says, and N times (1) on a machine drawn at random. That is another built-in machine, another
warp size unless that may matter, a dozen parameters of the copy engine, the compute unit, the LDS and memory,
another order of evaluation, and, for OpenCL C, another level of optimization. Rule, file and both lines of all
hazards must be the same. Every K-th kernel (8) is used. `make check-timings` runs all of them with 20 timings each."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import launches
import random_kernels
import reference

MACHINES = ("teaching", "dsp", "h200")
# Timing parameters, each with some of its legal values.
CHOICES = {
    "dma.channels": (1, 2, 7, 64), "dma.queue": (1, 2, 16), "dma.engines": (1, 2), "dma.outstanding": (1, 3, 200),
    "dma.granularity": (16, 32, 256), "dma.setup": (0, 1, 500), "dma.completion": (0, 300), "dma.issue_gap": (1, 40),
    "dma.descriptor_fetch": (0, 200), "dma.full": ("stall", "retry"), "dma.retry_gap": (1, 100),
    "dma.lines": ("joined", "separate"), "dma.cut": ("global", "both"), "dma.sector": (1, 32, 128),
    "dma.burst": (4, 4096), "dma.read_width": (1, 7, 256), "dma.write_width": (1, 256), "dma.out_width": (0, 3),
    "dma.posted": (0, 64), "dma.line_cycles": (0, 20), "dma.plane_cycles": (0, 60),
    "dma.arbitration": ("round_robin", "oldest", "priority"), "dma.decoupling": ("on", "off"), "dma.buffer": (2, 256),
    "dma.dimensions": (1, 2, 5), "dma.gather": (1, 32), "dma.misaligned": ("shift", "split"),
    "dma.l2": ("allocate", "bypass"), "dma.lane_bytes": (4, 16), "dma.walkers": (0, 2),
    "cu.schedulers": (1, 2, 4), "cu.policy": ("round_robin", "greedy_oldest", "oldest", "greedy_fair"),
    "cu.groups": (1, 2, 64), "cu.barrier_latency": (1, 300), "cu.barrier_blocks": ("all", "accesses"),
    "cu.copy_latency": (1, 200), "cu.wait_latency": (1, 200), "cu.accesses": (1, 2, 100),
    "cu.dependence": ("scoreboard", "fixed"), "cu.global_queue": (1, 64), "cu.store_room": (0, 4096),
    "cu.count": (1, 2, 5), "cu.int_latency": (1, 30), "cu.branch_latency": (1, 50), "cu.dispatch_latency": (1, 500),
    "lds.banks": (1, 16, 64), "lds.bank_bytes": (4, 8), "lds.ports": (1, 4), "lds.hash": ("none", "xor"),
    "lds.latency": (1, 100), "lds.queue": (1, 64), "lds.phases": ("nvidia", "cdna3", "whole"),
    "lds.merge": ("none", "pairs"), "lds.dma_port": ("shared", "separate"),
    "lds.priority": ("alternate", "warps", "dma"), "lds.atomic_latency": (0, 100),
    "mem.link_latency": (1, 400), "mem.link_width": (1, 300), "mem.l1_size": (0, 16384), "mem.line": (64, 256),
    "mem.l2_size": (0, 16384), "mem.l2_latency": (1, 500), "mem.dram_latency": (1, 2000), "mem.dram_width": (1, 500),
    "mem.dram": ("simple", "banked"), "mem.mshrs": (0, 2), "mem.l2_write": ("allocate", "around"),
    "mem.atomic_interval": (0, 50),
}
# Whether an engine or warps carry out copies, and where warps meet; work-items that copy must meet at the calls.
COPIES = (("engine", "calls"), ("engine", "barriers"), ("lanes", "calls"), ("blocking", "calls"))
OF_WARPS = re.compile(r"sub_group|warp_size|\.warp|lane|shfl|vote|ballot|mbarrier")
# Rules of diverged work-items: which of them reach a call together depends on which share a warp.
OF_BRANCHES = ("G2", "G3", "N3", "M8", "M9", "R10")
# Rules about the machine itself.
OF_MACHINES = ("M3", "Q10")


class Subject:
    """What is checked: a launch file with its options, and its name in messages."""

    def __init__(self, launch, options=(), name=None):
        self.launch, self.options = launch, list(options)
        self.name = name or " ".join([launch.name, *self.options])
        described = json.loads(launch.read_text())
        program = launch.parent / described.get("program", launch.stem + ".cl")
        self.is_optimized = program.suffix == ".cl"
        self.any_warps = not OF_WARPS.search(program.read_text()) and not launch.name.startswith(OF_BRANCHES)


def timing(generator, subject):
    """Options of a machine drawn at random. Built-in machines set their own warp size, so the launch file's is
    repeated."""
    copies, meet = generator.choice(COPIES)
    words = ["--host", "plain", "--order", f"shuffled:{generator.randrange(1000)}"]
    words += ["--set", f"dma.copy={copies}", "--set", f"cu.meet={meet}"]
    if subject.any_warps:
        words += ["--machine", generator.choice(MACHINES), "--set", f"cu.warp_size={generator.choice((16, 32, 64))}"]
    if subject.is_optimized:
        words += ["--optimize", generator.choice("0123")]
    for key in sorted(generator.sample(sorted(CHOICES), 12)):
        words += ["--set", f"{key}={generator.choice(CHOICES[key])}"]
    return words


def hazards(subject, options=()):
    """Returns (hazards, output). The hazards are None if the machine is refused, or if it executes one access at a time
    and so starves the owner of what others spin for."""
    command = [reference.WARPWAIT, "check", str(subject.launch), "--report", "json", "--max-hazards", "1000000"]
    command += [*subject.options, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        report = json.loads(done.stdout)
        found = report["hazards"]
    except (ValueError, KeyError):
        return None, done.stderr.strip()
    if "cu.accesses=1" in options and any(launch["end"] == "cycle_limit" for launch in report["launches"]):
        return None, "cu.accesses=1 starves a warp"
    return {(hazard["rule"], hazard.get("file"), hazard.get("line"), (hazard.get("other") or {}).get("line"))
            for hazard in found}, ""


def unordered(found):
    """Removes which side came second: in optimized code, the load of one iteration may come after the next iteration's
    store."""
    return {(rule, file, *sorted((line or 0, other or 0))) for rule, file, line, other in found}


def judge(subject, seed, timings):
    """Returns (timings that agree, machines that were refused, complaints)."""
    generator, agreed, refused, complaints = random.Random(f"{seed} {subject.name}"), 0, 0, []
    expected, says = hazards(subject)
    if expected is None:
        return 0, 0, [f"{subject.name}: {says}"]
    for _ in range(timings):
        options = timing(generator, subject)
        found, says = hazards(subject, options)
        if found is None and "unknown" not in says and re.search(r"cu\.|dma\.|lds\.|mem\.", says):
            refused += 1
        elif found != expected and (not subject.is_optimized or unordered(found) != unordered(expected)):
            shown = says or f"{words(found - expected)} more, {words(expected - found)} less"
            complaints.append(f"{subject.name}: {shown}, with {' '.join(options)}")
        else:
            agreed += 1
    return agreed, refused, complaints


def words(found):
    return ", ".join(" ".join(str(part) for part in hazard if part is not None) for hazard in sorted(found, key=str)) or "nothing"


def subjects_of_corpus():
    for source, launch in launches.write().items():
        if launch.name.split("_")[0] not in OF_MACHINES:
            yield Subject(launch)
            if source.suffix == ".cl":
                yield Subject(launch, ["-D", "WRONG"])


def random_subjects(count, seed, folder):
    for number in range(seed, seed + count):
        language = random_kernels.language_of(number)
        kernel = random_kernels.Generator(number, language).kernel()
        yield Subject(random_kernels.set_down(kernel, language, folder, f"random{number}"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="Exit status: 0 the same; 1 not.")
    parser.add_argument("kernels", nargs="*", type=pathlib.Path, metavar="KERNEL.json", help="launch files, in place of all")
    parser.add_argument("--timings", type=int, default=1, help="of each kernel (1)")
    parser.add_argument("--random", type=int, default=40, help="random kernels besides (40)")
    parser.add_argument("--part", type=int, default=8, help="take every K-th kernel only (8)")
    parser.add_argument("--seed", type=int, default=1, help="of the lot (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at once")
    arguments = parser.parse_args()
    passed = refused = failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        subjects = [Subject(launch) for launch in arguments.kernels]
        if not subjects:
            subjects = [*subjects_of_corpus(), *random_subjects(arguments.random, arguments.seed, pathlib.Path(folder))]
            subjects = subjects[::arguments.part]
        for agreed, others, complaints in pool.map(lambda subject: judge(subject, arguments.seed, arguments.timings), subjects):
            passed, refused, failed = passed + agreed, refused + others, failed + len(complaints)
            for complaint in complaints:
                print(complaint, flush=True)
    print(f"{len(subjects)} kernels; {refused} machines refused")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
