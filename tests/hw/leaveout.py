#!/usr/bin/env python3
"""Fits each family's parameters to half of its rows, chosen along an axis, and predicts the other half.

Interpolation: every second value of the axis is left out. Extrapolation: the upper half of its values is. A fit starts
with all of its parameters off by a quarter, up and down in turn, so that what it finds is from the half it is shown.
"""
import argparse
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from calibrate import Observations, chosen_parameters, fit, mean_error
import rows as measured_rows
from fit_rows import AXES, FIT
from rows import BadRow, FAMILIES
from runner import Failure
from validate import make_runner, sample, write_new


def _order(text):
    try:
        return (0, float(text), text)
    except ValueError:
        return (1, 0.0, text)


def halves(rows, axis, extrapolate):
    """(rows to fit, rows left out) by the value of field `axis`; rows without it are to fit."""
    values = sorted({row.fields[axis] for row in rows if axis in row.fields}, key=_order)
    out = set(values[(len(values) + 1) // 2:] if extrapolate else values[1::2])
    return ([row for row in rows if row.fields.get(axis) not in out], [row for row in rows if row.fields.get(axis) in out])


def displaced(start, bounds):
    """Every value a quarter off, up and down in turn, inside its bounds."""
    moved = {}
    for i, (key, value) in enumerate(start.items()):
        by = max(1, round(value / 4))
        low, high = bounds[key]
        moved[key] = min(high, max(low, value + (by if i % 2 else -by)))
    return moved


def one(family, rows, axis, extrapolate, options):
    """What is found of one family along one axis, as an object of the JSON list; None if a half is empty."""
    shown, out = (Observations(sample(half, options.sample), options.machine, (), options.jobs)
                  for half in halves(rows, axis, extrapolate))
    if not shown.rows or not out.rows:
        return None
    machine = make_runner(options.machine).machine
    keys = [key for key, _, _, informs in FIT if family in informs or set(informs) & set(FAMILIES[family][1])]
    start, bounds, tests = chosen_parameters(machine, keys)
    found = fit(shown, displaced(start, bounds), bounds, tests, options.rounds)
    return {"family": family, "axis": axis, "kind": "extrapolation" if extrapolate else "interpolation",
            "parameters": len(start), "fitted_rows": len(shown.rows), "left_out_rows": len(out.rows),
            "before": mean_error(found.residuals_before), "fitted": mean_error(found.residuals),
            "left_out": mean_error(out.residuals(found.values))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("csv", nargs="*", help="measurements (default: those that come with the project)")
    parser.add_argument("--machine", default="h200")
    parser.add_argument("--only", action="append", default=[], metavar="FAMILY", help="only this family (repeatable)")
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="rows of each half (default: about 100)")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="of each fit, at most (default: 4)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")
    parser.add_argument("--json", metavar="FILE", help="write a list with one object for each fit")
    options = parser.parse_args()
    told = []
    try:
        rows = [row for row in measured_rows.read(options.csv or measured_rows.public())
                if row.family and not measured_rows.apart(row)]
        print(f"{'family':<10} {'axis':<15} {'left out':<14} {'parameters':>10} {'displaced %':>12} {'fitted %':>9} {'left out %':>11}")
        for family, axis in AXES:
            if options.only and family not in options.only:
                continue
            for extrapolate in (False, True):
                found = one(family, [row for row in rows if row.family == family], axis, extrapolate, options)
                if not found:
                    continue
                told.append(found)
                print(f"{family:<10} {axis:<15} {found['kind']:<14} {found['parameters']:>10} {100 * found['before']:>12.1f} "
                      f"{100 * found['fitted']:>9.1f} {100 * found['left_out']:>11.1f}", flush=True)
    except (BadRow, Failure) as error:
        print(f"leaveout.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        write_new(options.json, json.dumps(told, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
