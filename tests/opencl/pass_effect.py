#!/usr/bin/env python3
"""Which passes earn their place: leaves each out in turn and counts the kernels whose code differs.

usage: tests/opencl/pass_effect.py [--optimize LEVEL] [PASS...]

The kernels are those of the examples, of tests/bench, tests/check and hw/apps, compiled for h200."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "hw"))
sys.path.insert(0, str(ROOT / "tests/check"))
import ablation_apps  # noqa: E402
import launches as hazards  # noqa: E402
import runner  # noqa: E402
from apps import cases  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
FILES = ("examples/*/launch*.json", "tests/bench/*.json")


def launches(folder):
    """Launch files; only one of cases that differ only in their NDRange."""
    files = [path for pattern in FILES for path in sorted(ROOT.glob(pattern))] + sorted(hazards.write().values())
    yield from (path for path in files if '.cl"' in path.read_text())
    machine, seen = runner.Machine(WARPWAIT, "h200"), set()
    for home in (cases.HERE, cases.HERE / "later"):
        for name, app in cases.read_apps(home).items():
            case = cases.case_of(app)
            if case.source not in seen:
                seen.add(case.source)
                (folder / name).mkdir()
                (folder / name / "kernel.cl").write_text(case.source)
                (folder / name / "launch.json").write_text(runner.launch_file(case, machine.cut(case)))
                yield folder / name / "launch.json"


def code(launch, options):
    """The kernel's instructions, one per line; none if it cannot be disassembled."""
    done = subprocess.run([WARPWAIT, "dis", str(launch), "--machine", "h200", *options], capture_output=True, text=True, check=False)
    return re.findall(r"^\s+\d+\s+(.*)", done.stdout, re.MULTILINE) if done.returncode == 0 else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimize", default="2", choices=list("0123"), metavar="LEVEL")
    parser.add_argument("passes", nargs="*", metavar="PASS")
    arguments = parser.parse_args()
    options = ["--optimize", arguments.optimize]
    names = arguments.passes or [name for name, _ in ablation_apps.passes() if name not in ablation_apps.KEPT]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        files = list(launches(pathlib.Path(folder)))
        whole = list(pool.map(lambda file: code(file, options), files))
        print(f"{sum(map(bool, whole))} kernels\n\n| pass | kernels that differ without it | longer | shorter |\n|---|---|---|---|")
        for name in names:
            rest = list(pool.map(lambda file: code(file, [*options, "--without", name]), files))
            pairs = [(with_it, without) for with_it, without in zip(whole, rest) if with_it != without]
            longer = sum(len(without) > len(with_it) for with_it, without in pairs)
            shorter = sum(len(without) < len(with_it) for with_it, without in pairs)
            print(f"| `{name}` | {len(pairs)} | {longer} | {shorter} |", flush=True)


if __name__ == "__main__":
    main()
