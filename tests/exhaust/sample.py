#!/usr/bin/env python3
"""Memory that runs out, at a sample of the allocations that the library makes: those of a random remainder.

usage: tests/exhaust/sample.py [--every N]    N: 1 is all of them; default: a few hundred. The program is in the folder
                                              of WARPWAIT (default build/warpwait).
"""
import argparse
import os
import pathlib
import random
import subprocess
import sys

EXHAUST = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).parent / "exhaust"
# Words for exhaust.c, and how much more seldom than others such a run is made in a sample.
KINDS = ((), 1), (("--staying",), 1), (("--analysis",), 4), (("--staying", "--analysis"), 4), (("--log",), 40)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=0)
    every = parser.parse_args().every
    failed = False
    for words, weight in KINDS:
        step = every or 101 * weight
        first = random.randint(1, step)
        command = [EXHAUST, *words, "--every", str(step), "--from", str(first)]
        print(" ".join(map(str, command)), flush=True)
        failed = subprocess.run(command, check=False).returncode != 0 or failed
    sys.exit(failed)


if __name__ == "__main__":
    main()
