#!/usr/bin/env python3
"""The library without the command line: build/embed (embed.c) is linked with libwarpwait.a by the C compiler. It needs neither
SystemC nor C++ and prints the reports that `warpwait run` prints, whose islands SystemC steps.

usage: tests/embed/embed.py    exit 0 when all is so."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).absolute()
EMBED = WARPWAIT.parent / "embed"
LAUNCHES = ["examples/05_double_buffer/launch.json", "examples/10_contention/launch.json", "examples/13_pipe/launch_opencl.json"]


def output(*words):
    return subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def faults():
    """Yields what is not as it should be, a line each."""
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", EMBED))
    for name in needed:
        if re.match(r"libsystemc|libstdc\+\+", name):
            yield f"{EMBED.name} needs {name}"
    if not any(name.startswith("libjansson") for name in needed):
        yield f"readelf names no library that {EMBED.name} needs"
    for launch in LAUNCHES:
        if output(EMBED, launch) != output(WARPWAIT, "run", launch, "--why", "--report", "json"):
            yield f"{launch}: the report is another than that of `warpwait run`"


def main():
    found = list(faults())
    for fault in found:
        print(fault)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
