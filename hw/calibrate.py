#!/usr/bin/env python3
"""Fits a machine's parameters to measurements of a GPU, and reports how certain each one is and which tests inform it.

Blocks of parameters (fit_rows.py) are fitted one after the other, each to the rows of its families, then all to all
rows. Each value's 95 % interval and the tests that inform it are printed and written to the machine file. The interval
assumes that the model is right: it shows how well these rows determine the value, not how well the model fits.

Results are kept ($WARPWAIT_HW_CACHE, build/hw/outcomes.sqlite), so the same command continues an interrupted run.
"""
import argparse
import json
import math
import os
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import rows as measured_rows
from fit_rows import BLOCKS, FIT
from fitting import Fit, Observations, fit
from pick import pick
from rows import BadRow
from runner import Failure, number
from validate import NOT_TIMES, make_runner, mean, write_new

ROUNDS, LAST_ROUNDS = 4, 2  # for each block, for all parameters together


def chosen_parameters(machine, names=()):
    """(start, bounds, informs) of the rows of FIT that `names` select (parameters, their sections or blocks; empty:
    all)."""
    start, bounds, informs = {}, {}, {}
    for block, key, low, high, tests in FIT:
        if names and not {key, key.split(".")[0], block} & set(names):
            continue
        start[key] = min(high, max(low, number(machine.values[key])))
        bounds[key], informs[key] = (low, high), tests
    known = {word for block, key, *_ in FIT for word in (key, key.split(".")[0], block)}
    for name in names:
        if name not in known:
            raise BadRow(f"--fit: '{name}' is not fitted; blocks are {', '.join(BLOCKS)}; fit_rows.py has the parameters")
    return start, bounds, informs


def displaced(start, bounds, part=0.25):
    """Every value displaced by `part`, alternately up and down, within its bounds."""
    moved = {}
    for i, (key, value) in enumerate(start.items()):
        by = max(1, round(value * part))
        low, high = bounds[key]
        other = value + (by if i % 2 else -by)
        # At a bound it moves the other way: a value that has not moved tests nothing.
        moved[key] = min(high, max(low, other if low <= other <= high else 2 * value - other))
    return moved


def fit_blocks(observations, start, bounds, informs, rounds, last_rounds, told):
    """Fits block after block, then all parameters to all rows; calls told(line) with a line for each."""
    values, before = dict(start), observations.residuals(start)
    status = observations.runner.progress.say
    for block, families in BLOCKS.items():
        part = {key: values[key] for of_block, key, *_ in FIT if of_block == block and key in values}
        if not part or not len(observations.of(families)):
            continue
        fixed = {key: value for key, value in values.items() if key not in part}
        began = time.monotonic()
        found = fit(observations, part, bounds, informs, rounds, families, fixed=fixed, intervals=False,
                    told=lambda text, block=block: status(f"{block}: {text}"))
        values.update(found.values)
        told(f"{block + ':':<9}{len(part):>3} parameters, {len(found.residuals):>5} rows, mean error "
             f"{_percent(found.residuals_before)} -> {_percent(found.residuals)} %, {time.monotonic() - began:.0f} s")
    began = time.monotonic()
    found = fit(observations, values, bounds, informs, last_rounds, told=lambda text: status(f"all: {text}"))
    told(f"{'all:':<9}{len(values):>3} parameters, {len(found.residuals):>5} rows, mean error "
         f"{_percent(found.residuals_before)} -> {_percent(found.residuals)} %, {time.monotonic() - began:.0f} s")
    found.start, found.residuals_before = dict(start), before
    return found


def _percent(residuals):
    return f"{100 * mean([abs(math.expm1(residual)) for residual in residuals]):.1f}"


# ---- machine file ------------------------------------------------------------------------------

def _source(fitted, key):
    """The source of a value, for the comment after it."""
    tests = sorted({row.test for _, row in fitted.informing[key][:20]})
    if not tests:
        return "not fitted: no row depends on it"
    tied = fitted.tied.get(key)
    return f"fit: {'told only together with ' + ', '.join(tied) if tied else f'+- {fitted.half_width[key]:.2g}'}; {', '.join(tests)}"


def _line(start, fitted, key):
    return f"{start}{fitted.values[key]} ".ljust(28) + f"; {_source(fitted, key)}"


def machine_text(text, fitted):
    """The machine's file with the fitted values and their sources."""
    section, lines, missing = "", [], dict(fitted.values)
    for line in text.splitlines():
        heading = re.match(r"\[(\w+)\]", line)
        section = heading.group(1) if heading else section
        found = re.match(r"(\w+)( *= *)([^;]*?)( *;.*)?$", line)
        key = f"{section}.{found.group(1)}" if found else None
        if key in missing:
            del missing[key]
            if fitted.informing[key]:
                line = _line(found.group(1) + found.group(2), fitted, key)
        lines.append(line)
    for section in dict.fromkeys(key.split(".")[0] for key in missing):
        lines += ["", f"[{section}]"] + [_line(f"{key.split('.')[1]} = ", fitted, key) for key in missing
                                         if key.split(".")[0] == section]
    return "\n".join(lines) + "\n"


# ---- report ------------------------------------------------------------------------------------

def show(fitted, observations, bounds):
    print(f"\n{'parameter':<26}{'from':>8}{'to':>8}{'+- 95 %':>10}{'rows':>7}  informed most by; remarks")
    for key, value in fitted.values.items():
        rows = fitted.informing[key]
        if not rows:
            print(f"{key:<26}{fitted.start[key]:>8}{value:>8}{'-':>10}{0:>7}  no row depends on it: left as it was")
            continue
        remarks = f"{rows[0][1].test} {rows[0][1].metric}"
        if fitted.tied.get(key):
            remarks += f"; these rows do not tell it from {', '.join(fitted.tied[key])}"
        if value in bounds[key]:
            remarks += "; at its bound"
        print(f"{key:<26}{fitted.start[key]:>8}{value:>8}{fitted.half_width[key]:>10.2g}{len(rows):>7}  {remarks}")
    before, after = observations.errors(fitted.residuals_before), observations.errors(fitted.residuals)
    print(f"\n{'family':<12}{'rows':>7}{'before %':>10}{'after %':>10}")
    for family, error in after.items():
        count = sum(row.family == family for row in observations.rows)
        print(f"{family:<12}{count:>7}{100 * before[family]:>10.1f}{100 * error:>10.1f}")
    print(f"{'mean':<12}{len(observations.rows):>7}{100 * mean(before.values()):>10.1f}{100 * mean(after.values()):>10.1f}")


def as_json(fitted, observations, bounds, machine, seconds):
    """The result, for page.py. Errors are by family: on the original machine, at the fit's start, and after it."""
    values = {key: number(machine.values[key]) for key in fitted.values}
    return {"seconds": round(seconds), "rows": len(observations.rows), "runs": int(observations.runs.max()) + 1,
            "errors": {name: observations.errors(residuals) for name, residuals in
                       (("machine", observations.residuals(values)), ("start", fitted.residuals_before),
                        ("fitted", fitted.residuals))},
            "parameters": [{"key": key, "machine": values[key], "start": fitted.start[key], "fitted": fitted.values[key],
                            "bounds": bounds[key], "rows": len(fitted.informing[key]), "tied": fitted.tied.get(key, []),
                            "half_width": fitted.half_width[key] if math.isfinite(fitted.half_width[key]) else None}
                           for key in fitted.values]}


def read_rows(csv, only=()):
    """Rows that belong to a family, except those that are about the board or are reported separately."""
    known = set(measured_rows.FAMILIES) | set(measured_rows.FAMILY_OF)
    for name in only:
        if name not in known:
            raise BadRow(f"--only: no family or test '{name}'; families are {', '.join(measured_rows.FAMILIES)}")
    rows = [row for row in measured_rows.read(csv or measured_rows.public())
            if row.family and row.metric not in NOT_TIMES and not measured_rows.apart(row)]
    rows = [row for row in rows if not only or row.family in only or row.test in only]
    if not rows:
        raise BadRow("no row of these measurements belongs to a family")
    return rows


def run(options):
    began = time.monotonic()
    runner = make_runner(options.machine, options.set, options.jobs)
    rows = read_rows(options.csv, options.only)
    rows = pick(rows, options.sample) if options.sample else rows
    start, bounds, informs = chosen_parameters(runner.machine, options.fit)
    observations = Observations(rows, runner)
    if not observations.rows:
        raise BadRow("no row of these measurements can be modeled")
    if options.displace:
        start = displaced(start, bounds, options.displace / 100)
    print(f"{len(start)} parameters; {len(observations.rows)} rows of {observations.runs.max() + 1} runs", flush=True)
    fitted = fit_blocks(observations, start, bounds, informs, options.rounds, options.last_rounds,
                        lambda line: print(line, flush=True))
    show(fitted, observations, bounds)
    if options.out:
        write_new(options.out, machine_text(runner.machine.text(), fitted))
    if options.json:
        found = as_json(fitted, observations, bounds, runner.machine, time.monotonic() - began)
        write_new(options.json, json.dumps(dict(found, displaced=options.displace), indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(
        formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__,
        epilog="A GPU of your own: measure (`make measure`), then\n"
               "  hw/calibrate.py results/t*.csv --machine h200 --out mygpu.ini\n"
               "and hw/README.md has what comes before and after. --fit lds --only lds is a first try of half a minute.")
    parser.add_argument("csv", nargs="*", help="measurements, .csv or .csv.gz (default: those that come with the project)")
    parser.add_argument("--machine", default="h200", help="where to start: a built-in machine or a machine file (default: h200)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set a parameter (repeatable)")
    parser.add_argument("--fit", action="append", default=[], metavar="NAME", help="fit this parameter, section or block only "
                        f"(repeatable; blocks: {', '.join(BLOCKS)})")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="use rows of this family or test only "
                        "(repeatable)")
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="fit to rows of about N short runs of each family "
                        "(default: 60; 0: to all rows, which takes days)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"of each block, at most (default: {ROUNDS})")
    parser.add_argument("--last-rounds", type=int, default=LAST_ROUNDS, metavar="N", help="of all parameters together, at most "
                        f"(default: {LAST_ROUNDS})")
    parser.add_argument("--displace", type=float, default=0, metavar="PERCENT", help="start with every value so much off, up and "
                        "down in turn: do the rows bring it back?")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")
    parser.add_argument("--out", metavar="FILE", help="write the machine file with the fitted values")
    parser.add_argument("--json", metavar="FILE", help="write what came of it, for page.py")
    options = parser.parse_args()
    try:
        run(options)
    except (BadRow, Failure) as error:
        print(f"calibrate.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ncalibrate.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
