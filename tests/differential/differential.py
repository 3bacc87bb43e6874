#!/usr/bin/env python3
"""Warpwait against PoCL: the same kernels, the same inputs, the same results.

usage: tests/differential/differential.py [--family NAME]... [--seed N] [--count N] [--seconds N] [--route ROUTE] [--only WORD]

Families: functions (each built-in for each type), written (kernels/*.cl), random (generated; --count of them from --seed on,
or as many as --seconds allow). A random kernel that differs is shrunk, and left in build/differential. Exit status 1 if
anything differs.
"""
import argparse
import os
import pathlib
import sys
import time

os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
import functions
import generator
import harness
import written

FAILURES = pathlib.Path("build/differential")


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def add(self, passed, faults):
        self.passed += passed
        self.failed += len(faults)
        for fault in faults:
            print(fault, flush=True)


def run_all(programs, options, tally):
    for program in programs:
        if options.only and not (options.only in program.name or any(options.only in c.name for c in program.cases)):
            continue
        tally.add(*harness.run(program, options.route)[:2])


def shrunk(seed, tree, route, how):
    """The smallest program found that still goes wrong in the same way, written where a person finds it."""
    def fails(candidate):
        return harness.run(generator.program_of("candidate", candidate, seed), route)[2] == how
    small = generator.program_of(f"random{seed}", generator.shrink(tree, fails), seed)
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / f"random{seed}.cl"
    path.write_text(small.source)
    return path


def run_random(options, tally):
    end = time.monotonic() + options.seconds if options.seconds else None
    seed = options.seed
    while time.monotonic() < end if end else seed < options.seed + options.count:
        tree = generator.generate(seed)
        passed, faults, how = harness.run(generator.program_of(f"random{seed}", tree, seed), options.route)
        if faults:
            faults[0] += f"; shrunk: {shrunk(seed, tree, options.route, how)}"
        tally.add(passed, faults)
        seed += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--family", action="append", choices=["functions", "written", "random"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60, help="random kernels")
    parser.add_argument("--seconds", type=float, help="random kernels for so long, in place of --count")
    parser.add_argument("--route", default="ssa", choices=["ssa", "O0", "O2"])
    parser.add_argument("--only", help="programs with a case of this name")
    parser.add_argument("--gtest_brief", help=argparse.SUPPRESS)  # what tests/run gives every program
    options = parser.parse_args()
    families = options.family or ["functions", "written", "random"]
    tally = Tally()
    if "functions" in families:
        run_all(functions.programs(), options, tally)
    if "written" in families:
        run_all(written.programs(), options, tally)
    if "random" in families:
        run_random(options, tally)
    print(f"[  PASSED  ] {tally.passed} tests.")
    if tally.failed:
        print(f"[  FAILED  ] {tally.failed} tests.")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
