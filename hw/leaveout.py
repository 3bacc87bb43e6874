#!/usr/bin/env python3
"""Fits each family's parameters to half of its rows, chosen along an axis, and predicts the other half.

Interpolation leaves out every second value of the axis; extrapolation, the upper half of its values. A fit starts with
all parameters displaced by a quarter, alternately up and down, so that its result comes from the half that it uses. The
parameters are those of the family's block (fit_rows.py).

Results are kept, so the same command continues an interrupted run.
"""
import argparse
import collections
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from calibrate import chosen_parameters, displaced, read_rows
from fit_rows import AXES, BLOCKS, FIT
from fitting import Observations, fit, mean_error, names_row
from pick import pick
from rows import BadRow
from runner import Failure
from validate import make_runner, write_new


def _order(text):
    try:
        return (0, float(text), text)
    except ValueError:
        return (1, 0.0, text)


def halves(rows, axis, extrapolate):
    """(rows to fit, rows left out) by the value of field `axis`. Rows without the field are fitted."""
    values = sorted({row.fields[axis] for row in rows if axis in row.fields}, key=_order)
    out = set(values[(len(values) + 1) // 2:] if extrapolate else values[1::2])
    return ([row for row in rows if row.fields.get(axis) not in out], [row for row in rows if row.fields.get(axis) in out])


def parameters_of(family, rows):
    """The parameters of the family's block on which some of the rows depend."""
    return [key for block, key, _, _, informs in FIT
            if family in BLOCKS[block] and any(names_row(informs, row) for row in rows)]


def one(family, rows, axis, extrapolate, options, runner):
    """The result for one family along one axis, as an object of the JSON list; None if a half is empty."""
    began = time.monotonic()
    shown, out = (Observations(pick(half, options.sample), runner) for half in halves(rows, axis, extrapolate))
    if not shown.rows or not out.rows:
        return None
    start, bounds, informs = chosen_parameters(runner.machine, parameters_of(family, shown.rows))
    found = fit(shown, displaced(start, bounds), bounds, informs, options.rounds, intervals=False,
                told=lambda text: runner.progress.say(f"{family}, {axis}: {text}"))
    return {"family": family, "axis": axis, "kind": "extrapolation" if extrapolate else "interpolation",
            "parameters": len(start), "fitted_rows": len(shown.rows), "left_out_rows": len(out.rows),
            "before": mean_error(found.residuals_before), "fitted": mean_error(found.residuals),
            "left_out": mean_error(out.residuals(found.values)), "machine_left_out": mean_error(out.residuals({})),
            "seconds": round(time.monotonic() - began)}


def run(options):
    rows, runner, told = read_rows(options.csv, options.only), make_runner(options.machine, (), options.jobs), []
    print(f"{'family':<10} {'axis':<15} {'left out':<14} {'parameters':>10} {'rows':>11} {'displaced %':>12} {'fitted %':>9} "
          f"{'left out %':>11} {'s':>5}")
    done = collections.Counter()
    for family, axis in AXES:
        of_family = [row for row in rows if row.family == family]
        if options.axes and done[family] == options.axes:
            continue
        done[family] += 1
        for extrapolate in (False, True):
            if extrapolate and halves(of_family, axis, True) == halves(of_family, axis, False):
                continue
            found = one(family, of_family, axis, extrapolate, options, runner) if of_family else None
            if not found:
                continue
            told.append(found)
            print(f"{family:<10} {axis:<15} {found['kind']:<14} {found['parameters']:>10} "
                  f"{found['fitted_rows']:>5} {found['left_out_rows']:>5} {100 * found['before']:>12.1f} "
                  f"{100 * found['fitted']:>9.1f} {100 * found['left_out']:>11.1f} {found['seconds']:>5}", flush=True)
            if options.json:
                write_new(options.json, json.dumps(told, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("csv", nargs="*", help="measurements (default: those that come with the project)")
    parser.add_argument("--machine", default="h200", help="built-in machine or machine file (default: h200)")
    parser.add_argument("--only", action="append", default=[], metavar="FAMILY", help="only this family (repeatable)")
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="each half: rows of about N short runs (default: 60)")
    parser.add_argument("--axes", type=int, default=0, metavar="N", help="of each family only the first N (default: all)")
    parser.add_argument("--rounds", type=int, default=4, metavar="N", help="of each fit, at most (default: 4)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")
    parser.add_argument("--json", metavar="FILE", help="write a list with one object for each fit")
    options = parser.parse_args()
    try:
        run(options)
    except (BadRow, Failure) as error:
        print(f"leaveout.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nleaveout.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
