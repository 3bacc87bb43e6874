#!/usr/bin/env python3
# Time limit: a check may take 300 s.
"""`warpwait check` reports nothing for correct kernels: the examples, the bench kernels, and the OpenCL C that
tests/differential compares with PoCL.

usage: tests/check/corpus.py [--all] [--copies machine|loop] [WORD]...

Without --all, only a sample of each generated family is checked. With words, only programs whose names contain one
of them are checked. The files of a program with reported hazards (launch.json and what it needs) are left in
build/check."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/differential"))
os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
import copies
import functions
import generator
import groups
import harness
import movement
import pipes
import written

KEPT = ROOT / "build/check"
# For each family, the second number N means that one of N programs is in the sample.
FAMILIES = {"written": (written, 1), "functions": (functions, 40), "movement": (movement, 40), "groups": (groups, 12),
            "copies": (copies, 12), "pipes": (pipes, 8)}
RANDOM_SEEDS, RANDOM_SAMPLE = 200, 3
SECONDS = 300
# Messages with which --copies loop refuses a program.
NO_LOOP = "is not made a loop", "whose copies are what they are"

# Programs that test a rule by breaking it: the rule, and why.
EXCEPTIONS = {"pipe_any": ("P5", "one work-item takes all calls in any order, and so has both ends of the pipe")}


class Refused(Exception):
    """`warpwait check` gave no report; the text says why."""


def ask(launch, options):
    """The hazards reported for a launch file."""
    try:
        done = harness.call_warpwait(["check", launch, "--report", "json", "--quiet", "--host", "plain", *options], SECONDS)
    except harness.Refused as reason:
        raise Refused(str(reason)) from None
    if options and done.returncode == 2 and any(text in done.stderr for text in NO_LOOP):
        return []
    try:
        report = json.loads(done.stdout)
        unfinished = [launch["end"] for launch in report["launches"] if launch["end"] != "finished"]
    except (ValueError, KeyError):
        raise Refused(f"exit status {done.returncode}: {done.stderr.strip()[-300:] or 'no message'}") from None
    if unfinished or done.returncode != bool(report["hazards"]):
        raise Refused(f"exit status {done.returncode}, {len(report['hazards'])} hazards, {unfinished or 'finished'}")
    return report["hazards"]


def place(side):
    return f"{side['file']}:{side['line']}:{side['column']} (pc {side['pc']})"


def described(hazard):
    other = f", {place(hazard['other'])}" if hazard.get("other") else ""
    return f"launch {hazard['launch']}, {hazard['kernel']}: {hazard['rule']} at {place(hazard)}{other}, {hazard['count']} times"


def faults_of(name, ask_for_hazards):
    """Complaints about a program, one a line; none if it is correct."""
    try:
        hazards = ask_for_hazards()
    except Refused as reason:
        return [f"{name}: {reason}"]
    excepted = EXCEPTIONS.get(name, ("", ""))[0]
    faults = [f"{name}: {described(hazard)}" for hazard in hazards if hazard["rule"].split("-")[0] != excepted]
    return faults + ([f"{name}: an exception for {excepted}, and nothing of it is found"] if excepted and len(faults) == len(hazards) else [])


def check_file(path, options):
    """Checks a launch file of the repository."""
    return faults_of(str(path.relative_to(ROOT)), lambda: ask(path, options))


def check_program(program, options):
    """Checks a program of tests/differential. If there is a complaint, its files are kept."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        harness.write_launch(program, folder)
        faults = faults_of(program.name, lambda: ask(folder / "launch.json", options))
        if faults:
            shutil.rmtree(KEPT / program.name, ignore_errors=True)
            shutil.copytree(folder, KEPT / program.name)
        return faults


def launch_files():
    found = [*sorted(ROOT.glob("examples/*/launch*.json")), *sorted(ROOT.glob("tests/bench/*.json"))]
    return [path for path in found if "launches" in json.loads(path.read_text())]


def programs(everything):
    for family, share in FAMILIES.values():
        for number, program in enumerate(family.programs()):
            if everything or number % share == 0:
                yield program
    for seed in range(1, 1 + (RANDOM_SEEDS if everything else RANDOM_SAMPLE)):
        yield generator.program_of(f"random{seed}", generator.generate(seed), seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every program of every family")
    parser.add_argument("--copies", choices=["machine", "loop"], help="what asynchronous copies become")
    parser.add_argument("words", nargs="*", metavar="WORD")
    # tests/run passes a GoogleTest option to every program.
    arguments, _ = parser.parse_known_args()
    options = ["--copies", arguments.copies] if arguments.copies else []

    def wanted(name):
        return not arguments.words or any(word in name for word in arguments.words)

    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(check_file, path, options) for path in launch_files() if wanted(str(path))]
        waiting += [pool.submit(check_program, program, options)
                    for program in programs(arguments.all) if wanted(program.name)]
        for done in waiting:
            faults = done.result()
            passed, failed = passed + (not faults), failed + bool(faults)
            for fault in faults:
                print(fault, flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
