#!/usr/bin/env python3
"""Fits the parameters on which whole kernels depend to a random half of the kernels, and predicts the other half.

Each split fits APPS of fit_rows.py, starting from this machine's values, to the cheapest case of each kernel (as chosen
by ablation_apps.py). If the fitted values predict the other half worse than the machine's own, the fit has overfitted
these kernels. Results are kept, so the same command continues an interrupted run.
"""
import argparse
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ablation_apps import cheap
from apps import cases
from calibrate import chosen_parameters
from fit_rows import APPS
from fitting import Observations, fit, mean_error
from rows import BadRow
from runner import Failure
from validate import make_runner, write_new
from validate_apps import add_options, chosen


def split(kernels, seed):
    """A random half of the kernels, which depends only on the seed."""
    kernels = sorted(kernels)
    return set(random.Random(seed).sample(kernels, len(kernels) // 2))


def one(seed, rows, planner, runner, rounds):
    """The result of a split, as an object of the JSON list, and the start of the fit."""
    out = split({row.family for row in rows}, seed)
    shown, left = (Observations([row for row in rows if (row.family in out) == side], runner, planner) for side in (False, True))
    start, bounds, _ = chosen_parameters(runner.machine, APPS)
    found = fit(shown, start, bounds, {key: ("app",) for key in start}, rounds, intervals=False,
                told=lambda text: runner.progress.say(f"split {seed}: {text}"))
    return {"left_out": sorted(out), "values": found.values, "start_fitted": mean_error(found.residuals_before),
            "fitted": mean_error(found.residuals), "start_left_out": mean_error(left.residuals(start)),
            "left_out_error": mean_error(left.residuals(found.values))}, start


def _shown(seed, found, start):
    changed = ", ".join(f"{key} {value} -> {found['values'][key]}" for key, value in start.items() if found["values"][key] != value)
    return (f"{seed:<8}{100 * found['start_fitted']:>14.1f} -> {100 * found['fitted']:>6.1f}"
            f"{100 * found['start_left_out']:>14.1f} -> {100 * found['left_out_error']:>6.1f}  {changed}")


def run(options):
    planner, runner, splits = cases.Planner(), make_runner(options.machine, (), options.jobs), []
    rows = cheap(chosen(cases.read_rows(), planner.apps, options.only, False), planner.apps, options.count)
    print(f"{len(APPS)} parameters, {len(rows)} cases\n{'split':<8}{'fitted half, %':>24}{'left-out half, %':>24}", flush=True)
    for seed in range(1, options.splits + 1):
        found, start = one(seed, rows, planner, runner, options.rounds)
        splits.append(found)
        print(_shown(seed, found, start), flush=True)
        if options.json:
            told = {"cases": len(rows), "rounds": options.rounds, "start": start, "splits": splits}
            write_new(options.json, json.dumps(told, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    add_options(parser)
    parser.add_argument("--count", type=int, default=1, metavar="N", help="cases of each kernel, at most (default: 1)")
    parser.add_argument("--splits", type=int, default=5, metavar="N", help="halves that are tried (default: 5)")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="of each fit, at most (default: 1)")
    parser.add_argument("--json", metavar="FILE", help="write what came of it, for page.py")
    options = parser.parse_args()
    try:
        run(options)
    except (BadRow, Failure) as problem:
        print(f"leaveout_apps.py: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nleaveout_apps.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
