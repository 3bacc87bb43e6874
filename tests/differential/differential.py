#!/usr/bin/env python3
# Time limit: a run may take 120 s.
"""Warpwait against PoCL: the same kernels, the same inputs, the same results. numpy checks what PoCL cannot run.

usage: tests/differential/differential.py [--family NAME]... [--seed N] [--count N] [--seconds N] [--way WAY] [--only WORD]

Families: functions (each built-in for each type), movement (loads, copies, shuffles), groups (atomics, work-groups,
sub-groups), copies (asynchronous ones, of each type), pipes (against a model in Python), written (kernels/*.cl), random
(generated; --count of them from --seed on, or as many as --seconds allow). Random kernels run in each of harness.WAYS
and with warps of 16, 32 and 64. The first seed is 1 or, with --seconds, a different one in each run, and is
printed. A kernel that differs is shrunk and saved in build/differential. The exit status is 1 if anything differs.
Without --family and --only, rows of opencl/lower/std.def that no kernel reaches are errors, too (coverage.py), and the
shrinker is tested.
"""
import argparse
import concurrent.futures
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
import copies
import coverage
import functions
import generator
import groups
import harness
import movement
import pipes
import shrinker_test
import written

FAILURES = pathlib.Path("build/differential")
FAMILIES = {"functions": functions, "movement": movement, "groups": groups, "copies": copies, "pipes": pipes, "written": written}
WORKERS = 2
TOGETHER = 5  # random kernels per program


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def add(self, passed, faults):
        self.passed += passed
        self.failed += len(faults)
        for fault in faults:
            print(fault, flush=True)


# What the workers run. They are forks, so programs, which contain functions, need not be pickled.
programs = []


def run_program(number, way):
    return harness.run(programs[number], way)[:2]


def run_seeds(seeds, ways):
    """Runs the kernels of all these seeds as one program, and each alone if that program fails."""
    passed, fault, *_ = run_all_ways(lambda warp: generator.program_of_all(f"random{seeds[0]}", seeds, warp), ways)
    if not fault:
        return passed, []
    passed, faults = 0, []
    for seed in seeds:
        good, alone = run_seed(seed, ways)
        passed += good
        faults += alone
    return passed, faults or [f"{fault}; again: --family random --seed {seeds[0]} --count {len(seeds)}"]


def run_seed(seed, ways):
    tree = generator.generate(seed)
    passed, fault, *where = run_all_ways(lambda warp: generator.program_of(f"random{seed}", tree, seed, warp), ways)
    return passed, [f"{fault}; again: --family random --seed {seed} --count 1; shrunk: {shrunk(seed, tree, *where)}"] if fault else []


def run_all_ways(program_for, ways):
    """(runs that agree, the first fault, its way, its warp size, the kind of fault)"""
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        for warp in generator.WARPS:
            program = program_for(warp)
            try:
                expected = harness.run_reference(program)
            except harness.Refused as reason:
                return passed, f"{program.name}: {reason}", ways[0], warp, "invalid"
            for way in ways:
                good, faults, how = harness.run(program, way, expected, folder)
                passed += good
                if faults:
                    return passed, f"{faults[0]}; way {way}, warps of {warp}", way, warp, how
    return passed, ""


def shrunk(seed, tree, way, warp, how):
    """Saves the smallest program found that still fails in the same way, and returns its path."""
    def fails(candidate):
        return harness.run(generator.program_of("candidate", candidate, seed, warp), way)[2] == how
    small = generator.program_of(f"random{seed}", generator.shrink(tree, fails), seed, warp)
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / f"random{seed}.cl"
    path.write_text(small.source)
    return path


def run_random(pool, options, tally):
    """With --seconds, runs a few kernels at a time."""
    end = time.monotonic() + options.seconds if options.seconds else None
    ways, count = [options.way] if options.way else list(harness.WAYS), TOGETHER * WORKERS if end else options.count
    seed = options.seed if options.seed is not None else int(time.time()) % 10**9 if end else 1
    print(f"random kernels from seed {seed}", flush=True)
    while end is None or time.monotonic() < end:
        some = [range(at, min(at + TOGETHER, seed + count)) for at in range(seed, seed + count, TOGETHER)]
        for result in pool.map(run_seeds, some, [ways] * len(some)):
            tally.add(*result)
        seed += count
        if end is None:
            break


def run_all(options, tally):
    families = options.family or [*FAMILIES, "random"]
    programs.extend(program for name in FAMILIES if name in families for program in FAMILIES[name].programs()
                    if not options.only or options.only in program.name or any(options.only in case.name for case in program.cases))
    began = time.time()
    with concurrent.futures.ProcessPoolExecutor(WORKERS, multiprocessing.get_context("fork")) as pool:
        for result in pool.map(run_program, range(len(programs)), [options.way or "cl"] * len(programs)):
            tally.add(*result)
        if not options.only and not options.family:
            tally.add(1, list(coverage.unexercised(harness.CACHE, began)))
            tally.add(*shrinker_test.run())
        if "random" in families:
            run_random(pool, options, tally)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--family", action="append", choices=[*FAMILIES, "random"])
    parser.add_argument("--seed", type=int, help="seed of the first random kernel; default: 1, or with --seconds a different one each time")
    parser.add_argument("--count", type=int, default=100, help="number of random kernels")
    parser.add_argument("--seconds", type=float, help="run random kernels for this long, instead of --count of them")
    parser.add_argument("--way", choices=harness.WAYS, help="what runs: the source (cl), LLVM IR of clang at a level, or SPIR-V of llvm-spirv (spv); default: each for random kernels, cl for the others")
    parser.add_argument("--only", help="only programs whose name, or the name of one of whose cases, contains this")
    options = parser.parse_args()
    tally = Tally()
    try:
        run_all(options, tally)
    except harness.Missing as what:
        sys.exit(str(what))
    print(f"[  PASSED  ] {tally.passed} tests.")
    if tally.failed:
        print(f"[  FAILED  ] {tally.failed} tests.")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
