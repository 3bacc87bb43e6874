#!/usr/bin/env python3
"""`mypy --strict` finds no error in the Python package, and the package gives its types to users' type checkers."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings/python"
MYPY = "/usr/bin/mypy"
CACHE = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).absolute().parent / "mypy"
# A user's program; mypy must find each wrong line.
USER = """\
import numpy
import warpwait as ww
from warpwait import plot, sweep, trace
from warpwait.sweep import Results, pareto
from warpwait.trace import Operation

with trace.open("T.wwt") as opened:
    operations: list[Operation] = list(opened.operations(0, 0, 0))
store = sweep.Store("s.sqlite")
plot.stalls("report.json", percent=True)
kernel = ww.Program("kernel void k(global int *x) {}", defines={"N": 1}).kernel()
report = kernel.run("h200", global_size=(64, 2), args=[numpy.zeros(4, numpy.int32)], check=True)
cycles: int = report.cycles
share: float = report.stalls.shares()["issued"]
launch: ww.Launch = kernel.launch(global_size=64, args={"x": None})
results: Results = ww.sweep(launch, {"dma.channels": [1, 2]}, cost="cycles")
front = results.pareto(), pareto(store, "cycles"), ww.sweep.best(store)
names: list[str] = [limit["name"] for limit in ww.explain(launch).limits]
"""
WRONG = ["opened.operations('zero', 0, 0)", "sweep.Store(1.5)", "plot.stalls('report.json', percent='yes')", "trace.nothing", "kernel.run(args=[])",
         "report.cycle", "kernel.run(global_size=1, cheque=True)", "ww.sweep(launch)", "ww.Machine(3)"]


def mypy(*arguments):
    """mypy's exit status and output for these files, with the package's settings."""
    done = subprocess.run([MYPY, "--strict", "--config-file", PACKAGE / "mypy.ini", "--no-error-summary", "--cache-dir", CACHE,
                           *arguments], cwd=ROOT, env={**os.environ, "MYPYPATH": str(PACKAGE)}, capture_output=True,
                          text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    if not os.path.exists(MYPY):
        print("mypy is not installed: skipped")
        return 0
    if not (PACKAGE / "warpwait/py.typed").exists():
        print("warpwait/py.typed is missing: type checkers ignore the package's types")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        user = pathlib.Path(folder, "user.py")
        user.write_text(USER + "".join(line + "\n" for line in WRONG))
        _, said = mypy(PACKAGE / "warpwait", user)
    first = USER.count("\n") + 1
    expected = {f"{user}:{first + place}:" for place in range(len(WRONG))}
    lines = [line for line in said.splitlines() if ": note:" not in line]
    for line in lines:
        if not any(line.startswith(place) for place in expected):
            print(line)
    for place in sorted(expected):
        if not any(line.startswith(place) for line in lines):
            print(f"{place} expected an error")
    return 0 if {":".join(line.split(":")[:2]) + ":" for line in lines} == expected else 1


if __name__ == "__main__":
    sys.exit(main())
