#!/usr/bin/env python3
"""`mypy --strict` finds nothing wrong with the Python package, and the package tells users' type checkers of its types."""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings/python"
MYPY = "/usr/bin/mypy"
CACHE = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).absolute().parent / "mypy"
# What a user's program is told; each wrong line must be found.
USER = """\
from warpwait import plot, sweep, trace
from warpwait.trace import Operation

with trace.open("T.wwt") as opened:
    operations: list[Operation] = list(opened.operations(0, 0, 0))
store = sweep.Store("s.sqlite")
plot.stalls("report.json", percent=True)
"""
WRONG = ["opened.operations('zero', 0, 0)", "sweep.Store(1.5)", "plot.stalls('report.json', percent='yes')", "trace.nothing"]


def mypy(*arguments):
    """What mypy says of these files, in the package's settings: exit status, output."""
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
