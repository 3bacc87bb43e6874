#!/usr/bin/env python3
"""Runs every example and rewrites the golden reports that changed, showing what changed.

usage: tests/examples/golden.py [WARPWAIT]      examples/*/launch*.json -> examples/*/report*.txt
                                                examples/*/trace.wwtt, replayed -> examples/*/report.txt"""
import difflib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def golden_of(launch):
    """The report of launch_separate.json is in report_separate.txt."""
    return launch.with_name(launch.name.replace("launch", "report", 1).replace("trace", "report")).with_suffix(".txt")


def report_of(warpwait, path):
    """The output of `run` for a launch file, or of `replay` for the text of a trace."""
    if path.suffix == ".json":
        return subprocess.run([warpwait, "run", path], capture_output=True, text=True)
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.wwt"
        converted = subprocess.run([warpwait, "trace", "convert", path, trace], capture_output=True, text=True)
        return converted if converted.returncode else subprocess.run([warpwait, "replay", trace], capture_output=True,
                                                                     text=True)


def main():
    warpwait = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WARPWAIT", "build/warpwait"))
    changed = 0
    for launch in sorted([*ROOT.glob("examples/*/launch*.json"), *ROOT.glob("examples/*/trace.wwtt")]):
        golden = golden_of(launch)
        run = report_of(warpwait, launch)
        if run.returncode:
            sys.exit(f"{launch.relative_to(ROOT)}: exit status {run.returncode}\n{run.stderr}")
        before = golden.read_text() if golden.exists() else ""
        if before == run.stdout:
            continue
        changed += 1
        name = golden.relative_to(ROOT).as_posix()
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), run.stdout.splitlines(True),
                                                   f"{name} (before)", f"{name} (now)"))
        golden.write_text(run.stdout)
    print(f"{changed} golden reports changed")


if __name__ == "__main__":
    main()
