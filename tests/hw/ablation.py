#!/usr/bin/env python3
"""Switches off one mechanism of the machine at a time and shows the error that it explains.

Each line is the same sample of rows, predicted without the mechanism: the error of every family that changes.
"""
import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import rows as measured_rows
from mechanisms import MECHANISMS
from rows import BadRow, FAMILIES
from runner import Failure
from validate import errors, make_runner, mean, predict, sample, write_new


def family_errors(rows, machine, sets, jobs):
    """{family: mean absolute error as a fraction}; a row that cannot be run any more counts as 100 %."""
    of_family = {}
    for result in predict(rows, make_runner(machine, sets, jobs)):
        of_family.setdefault(result.row.family, []).append(result)
    return {family: mean(errors(results) + [1.0] * (len(results) - len(errors(results))))
            for family, results in of_family.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("csv", nargs="*", help="measurements (default: those that come with the project)")
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--sample", type=int, default=600, metavar="N", help="about N rows (default: 600)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")
    parser.add_argument("--json", metavar="FILE", help="write a list with one object for each mechanism")
    options = parser.parse_args()
    try:
        rows = [row for row in measured_rows.read(options.csv or measured_rows.public())
                if row.family and not measured_rows.apart(row)]
        rows = sample(rows, options.sample)
        # What is not modelled at all says nothing about a mechanism.
        runner = make_runner(options.machine, jobs=options.jobs)
        rows = [result.row for result in predict(rows, runner) if result.predicted is not None]
        whole = family_errors(rows, options.machine, (), options.jobs)
        told = [{"mechanism": "all on", "sets": {}, "errors": whole}]
        print(f"{len(rows)} rows; mean absolute error of each family, %, with all mechanisms on")
        print("  " + ", ".join(f"{family} {100 * whole[family]:.1f}" for family in FAMILIES if family in whole))
        for name, sets in MECHANISMS:
            without = family_errors(rows, options.machine, [f"{key}={value}" for key, value in sets.items()], options.jobs)
            told.append({"mechanism": name, "sets": sets, "errors": without})
            changed = [f"{family} {100 * whole[family]:.1f} -> {100 * without[family]:.1f}" for family in FAMILIES
                       if family in whole and abs(without[family] - whole[family]) >= 0.001]
            print(f"without {name}: {', '.join(changed) or 'no change'}")
    except (BadRow, Failure) as error:
        print(f"ablation.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        write_new(options.json, json.dumps(told, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
