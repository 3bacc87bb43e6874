#!/usr/bin/env python3
"""Switches off one mechanism of the machine at a time and shows the error that it explains.

Each line is the same sample of rows, predicted without the mechanism: the rows that change, and the error of every
family that changes. If a mechanism is unlikely to matter, or runs are long, a few rows of each test are tried first,
and the others only if one of those changes.

Results are kept, so the same command continues an interrupted run.
"""
import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from calibrate import read_rows
from case import Unmodeled
from mechanisms import MECHANISMS
from pick import configuration, is_short, pick
from rows import BadRow, FAMILIES
from runner import Failure
from validate import make_runner, mean, predict, write_new

PROBES, FEW = 3, 10
# The families in which a section's parameters are likely to matter. In others, a few rows are tried.
COPIES = ("bulk", "tensor", "pipeline", "prefetch")
ACTS = {"dma": COPIES, "mem": COPIES + ("wgcopy", "memory", "atomics", "opencl")}
MOVED = 0.001  # smaller relative differences of a prediction do not count as changes


def _short(row):
    try:
        return is_short(row)
    except Unmodeled:
        return False


def error(result):
    """Absolute relative error of a result; a row that can no longer run counts as 100 %."""
    return abs(result.error) if result.predicted is not None else 1.0


def moved(before, after):
    return after.predicted is None or abs(after.predicted - before.predicted) > MOVED * abs(before.predicted)


def _probes(results, sets):
    """The runs of each test that are tried first: in families in which the mechanism is likely to matter, all short
    ones and every third long one; in others, a few."""
    likely = {family for key in sets for family in ACTS.get(key.split(".")[0], FAMILIES)}
    of_test, probes = {}, []
    for result in results:
        runs = of_test.setdefault(result.row.test, {})
        number = runs.setdefault(configuration(result.row), len(runs))
        every = FEW if result.row.family not in likely else 1 if is_short(result.row) else PROBES
        if number % every == 0:
            probes.append(result)
    return probes


def without(results, runner, sets):
    """The results with the settings of the runner's machine. Tests whose probes do not change keep their results."""
    probes = _probes(results, sets)
    after = dict(zip(map(id, probes), predict([result.row for result in probes], runner)))
    tests = {result.row.test for result in probes if moved(result, after[id(result)])}
    rest = [result for result in results if id(result) not in after and result.row.test in tests]
    after.update(zip(map(id, rest), predict([result.row for result in rest], runner)))
    return [after.get(id(result), result) for result in results]


def family_errors(results):
    """{family: mean absolute error as a fraction}"""
    of_family = {}
    for result in results:
        of_family.setdefault(result.row.family, []).append(error(result))
    return {family: mean(values) for family, values in of_family.items()}


def compared(name, sets, before, after):
    """The effect of switching off a mechanism, as an object of the JSON list."""
    changed = [(old, new) for old, new in zip(before, after) if moved(old, new)]
    return {"mechanism": name, "sets": sets, "errors": family_errors(after), "moved": len(changed),
            "moved_on": mean([error(old) for old, _ in changed]) if changed else None,
            "moved_off": mean([error(new) for _, new in changed]) if changed else None}


def line(found, whole):
    """A line of the table: the mechanism, the rows that change with their errors, the families' errors."""
    if not found["moved"]:
        return f"without {found['mechanism']}: no row moves"
    families = [f"{family} {100 * whole[family]:.1f} -> {100 * found['errors'][family]:.1f}" for family in FAMILIES
                if family in whole and abs(found["errors"][family] - whole[family]) >= 0.0005]
    return (f"without {found['mechanism']}: {found['moved']} rows {100 * found['moved_on']:.1f} -> "
            f"{100 * found['moved_off']:.1f}; {', '.join(families) or 'no family by 0.05'}")


def run(options):
    runner = make_runner(options.machine, jobs=options.jobs)
    rows = pick(read_rows(options.csv, options.only), options.sample)
    # Rows that are not modeled show nothing about a mechanism.
    results = [result for result in predict([row for row in rows if not options.short or _short(row)], runner) if result.predicted]
    whole = family_errors(results)
    told = [{"mechanism": "all on", "sets": {}, "errors": whole, "short": options.short, "rows": {
        family: sum(result.row.family == family for result in results) for family in whole}}]
    print(f"{len(results)} rows; mean absolute error of each family, %, with all mechanisms on")
    print("  " + ", ".join(f"{family} {100 * whole[family]:.1f}" for family in FAMILIES if family in whole))
    for number, (name, sets) in enumerate(MECHANISMS, 1):
        runner = make_runner(options.machine, [f"{key}={value}" for key, value in sets.items()], options.jobs)
        runner.progress.say(f"mechanism {number} of {len(MECHANISMS)}")
        told.append(compared(name, sets, results, without(results, runner, sets)))
        print(line(told[-1], whole), flush=True)
        if options.json:
            write_new(options.json, json.dumps(told, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("csv", nargs="*", help="measurements (default: those that come with the project)")
    parser.add_argument("--machine", default="h200", help="built-in machine or machine file (default: h200)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this family or test (repeatable)")
    parser.add_argument("--sample", type=int, default=150, metavar="N", help="rows of about N short runs of each family "
                        "(default: 150)")
    parser.add_argument("--short", action="store_true", help="short runs only: no whole grids, no OpenCL C")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")
    parser.add_argument("--json", metavar="FILE", help="write a list with one object for each mechanism")
    options = parser.parse_args()
    try:
        run(options)
    except (BadRow, Failure) as error:
        print(f"ablation.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nablation.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
