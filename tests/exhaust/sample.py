#!/usr/bin/env python3
"""Out of memory at a random sample of the library's allocations.

usage: tests/exhaust/sample.py [--every N]    N: 1 is all of them, except that while clang runs one
                                              in 40 is tried; default: about two hundred and fifty. The program is in
                                              the folder of WARPWAIT (default build/warpwait)."""
import argparse
import os
import pathlib
import random
import subprocess
import sys

EXHAUST = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).parent / "exhaust"
# Options of exhaust.c, and how many times more rarely such a run is made: in a sample, and when all are requested.
KINDS = ((), 1, 1), (("--staying",), 1, 1), (("--analysis",), 4, 1), (("--staying", "--analysis"), 4, 1), (("--log",), 40, 40)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=0)
    every = parser.parse_args().every
    failed = False
    for words, in_sample, in_all in KINDS:
        step = every * in_all or 401 * in_sample
        first = random.randint(1, step)
        command = [EXHAUST, *words, "--every", str(step), "--from", str(first)]
        print(" ".join(map(str, command)), flush=True)
        failed = subprocess.run(command, check=False).returncode != 0 or failed
    sys.exit(failed)


if __name__ == "__main__":
    main()
