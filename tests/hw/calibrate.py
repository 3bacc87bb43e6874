#!/usr/bin/env python3
"""Fits parameters of a machine to measurements, and says how sure each one is and what it rests on.

Residuals are logarithms of predicted over measured, under a soft-L1 loss, so that a few rows that the model cannot
explain do not bend the rest. The simulator is differenced by whole steps of each parameter; SciPy's bounded
least_squares solves the linearised problem inside a trust region; the outcome is rounded to whole values and kept if
the loss of the true predictions fell. The intervals are those of the linearised problem.
"""
import argparse
import math
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

try:
    import numpy as np
    from scipy.optimize import least_squares
except ImportError as missing:
    sys.exit(f"{missing.name} is missing: apt-get install python3-numpy python3-scipy")

import rows as measured_rows
from fit_rows import FIT
from rows import BadRow
from runner import Failure, number
from validate import make_runner, plan, sample, write_new
from case import Unmodelled

SCALE = 0.05  # residuals beyond about 5 % count linearly
ROUNDS = 6


class Observations:
    """Measured rows with their cases; predicts all or some of them on a machine with parameters set."""

    def __init__(self, rows, machine, sets, jobs):
        self.machine, self.sets, self.jobs = machine, tuple(sets), jobs
        self.rows, self.planned = [], []
        for row in rows:
            try:
                planned = plan(row)
            except Unmodelled:
                continue
            if row.value > 0:
                self.rows.append(row)
                self.planned.append(planned)
        self.measured = np.log([row.value for row in self.rows]) if self.rows else np.zeros(0)

    def of(self, tests):
        """Numbers of the rows whose test or family is in `tests`."""
        return [i for i, row in enumerate(self.rows) if row.test in tests or row.family in tests]

    def residuals(self, values, chosen=None):
        """log(predicted / measured) of the rows `chosen` (all) with `values` {parameter: whole number} set; a row that
        cannot be run counts as predicted by a factor of two."""
        chosen = range(len(self.rows)) if chosen is None else chosen
        sets = self.sets + tuple(f"{key}={value}" for key, value in values.items())
        outcomes = make_runner(self.machine, sets, self.jobs).run([self.planned[i][0] for i in chosen])
        residuals = np.full(len(chosen), math.log(2))
        for at, i in enumerate(chosen):
            case, metric = self.planned[i]
            try:
                predicted = metric(outcomes[case]) if not isinstance(outcomes[case], Unmodelled) else 0
            except Unmodelled:
                continue
            if predicted > 0:
                residuals[at] = math.log(predicted) - self.measured[i]
        return residuals


def loss(residuals):
    """Mean soft-L1 loss."""
    return float(np.mean(2 * (np.sqrt(1 + (residuals / SCALE) ** 2) - 1))) if len(residuals) else 0.0


def mean_error(residuals):
    """Mean absolute percentage error, as a fraction."""
    return float(np.mean(np.abs(np.expm1(residuals)))) if len(residuals) else 0.0


class Fit:
    """What came of a fit. `values`: {parameter: whole number}; `half_width`: 95 % interval, in the parameter's unit, or
    NaN where no row depends on it; `informing`: {parameter: [(relative change of the prediction a unit, row), ...]}."""

    def __init__(self, values, start, residuals_before, residuals, half_width, informing):
        self.values, self.start = values, start
        self.residuals_before, self.residuals = residuals_before, residuals
        self.half_width, self.informing = half_width, informing


def _step(value):
    return max(1, round(value / 50))


def _jacobian(observations, values, bounds, informs, residuals):
    """d residual / d parameter, by central differences where the bounds allow, else one-sided."""
    jacobian = np.zeros((len(observations.rows), len(values)))
    for column, key in enumerate(values):
        chosen = informs[key]
        low, high = bounds[key]
        up, down = min(high, values[key] + _step(values[key])), max(low, values[key] - _step(values[key]))
        if up == down or not chosen:
            continue
        above = observations.residuals({**values, key: up}, chosen) if up != values[key] else residuals[chosen]
        below = observations.residuals({**values, key: down}, chosen) if down != values[key] else residuals[chosen]
        jacobian[chosen, column] = (above - below) / (up - down)
    return jacobian


def _propose(jacobian, residuals, values, bounds, trust):
    """Whole values that the linearised problem likes best, at most `trust` of each value away."""
    keys = list(values)
    at = np.array([values[key] for key in keys], float)
    reach = np.maximum(1.0, trust * np.maximum(1.0, at))
    low = np.maximum([bounds[key][0] for key in keys], at - reach) - at
    high = np.minimum([bounds[key][1] for key in keys], at + reach) - at
    moves = low < high
    if not moves.any():
        return dict(values)
    unit = reach[moves]
    solved = least_squares(lambda x: residuals + jacobian[:, moves] @ (x * unit), np.zeros(int(moves.sum())),
                           bounds=(low[moves] / unit - 1e-9, high[moves] / unit + 1e-9), loss="soft_l1", f_scale=SCALE)
    shift = np.zeros(len(keys))
    shift[moves] = solved.x * unit
    return {key: int(round(at[i] + shift[i])) for i, key in enumerate(keys)}


def _half_widths(jacobian, residuals):
    """95 % half widths of the linearised, loss-weighted problem; NaN for a column of zeros."""
    weight = 1 / np.sqrt(1 + (residuals / SCALE) ** 2)
    used = np.abs(jacobian).max(axis=0) > 1e-9 if len(residuals) else np.zeros(jacobian.shape[1], bool)
    widths = np.full(jacobian.shape[1], np.nan)
    if used.any():
        weighted = jacobian[:, used] * np.sqrt(weight)[:, None]
        freedom = max(1, len(residuals) - int(used.sum()))
        variance = float(np.sum(weight * residuals ** 2)) / freedom
        widths[used] = 1.96 * np.sqrt(np.maximum(0, np.diag(np.linalg.pinv(weighted.T @ weighted)) * variance))
    return widths


def fit(observations, start, bounds, tests, rounds=ROUNDS):
    """Fits the parameters of `start` {key: value} inside `bounds` {key: (low, high)}; `tests` {key: tests or families whose
    rows it is thought to move}, which only saves runs."""
    values = dict(start)
    informs = {key: observations.of(tests[key]) for key in values}
    before = residuals = observations.residuals(values)
    trust, jacobian = 0.5, None
    for _ in range(rounds):
        jacobian = _jacobian(observations, values, bounds, informs, residuals)
        while trust > 0.005:
            proposed = _propose(jacobian, residuals, values, bounds, trust)
            if proposed == values:
                break
            tried = observations.residuals(proposed)
            if loss(tried) < loss(residuals):
                break
            trust /= 3
        if proposed == values or trust <= 0.005:
            break
        values, residuals = proposed, tried
    jacobian = _jacobian(observations, values, bounds, informs, residuals)
    widths = _half_widths(jacobian, residuals)
    informing = {}
    for column, key in enumerate(values):
        order = np.argsort(-np.abs(jacobian[:, column]))
        informing[key] = [(float(jacobian[i, column]), observations.rows[i]) for i in order
                          if abs(jacobian[i, column]) > 1e-4]
    return Fit(values, dict(start), before, residuals, dict(zip(values, widths)), informing)


# ---- machine file ------------------------------------------------------------------------------

def machine_text(text, fitted):
    """The machine's file with the fitted values, each with where it came from."""
    section, lines = "", []
    for line in text.splitlines():
        heading = re.match(r"\[(\w+)\]", line)
        section = heading.group(1) if heading else section
        found = re.match(r"(\w+)( *= *)(\S+)", line)
        key = f"{section}.{found.group(1)}" if found else None
        if key in fitted.values:
            rows = fitted.informing[key]
            tests = sorted({row.test for _, row in rows[:20]})
            width = fitted.half_width[key]
            source = f"fit: +- {width:.2g}, {', '.join(tests)}" if rows and math.isfinite(width) else "no row depends on it"
            line = f"{found.group(1)}{found.group(2)}{fitted.values[key]}".ljust(28) + f"; {source}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def show(fitted, observations):
    print(f"{'parameter':<26}{'from':>8}{'to':>8}{'+- 95 %':>10}  rows  informed most by")
    for key, value in fitted.values.items():
        rows = fitted.informing[key]
        width = f"{fitted.half_width[key]:.2g}" if math.isfinite(fitted.half_width[key]) else "-"
        first = f"{rows[0][1].test} ({rows[0][1].parameters()}): {100 * rows[0][0]:+.2g} % a unit" if rows else "no row"
        print(f"{key:<26}{fitted.start[key]:>8}{value:>8}{width:>10}{len(rows):>6}  {first}")
    print(f"mean error over {len(observations.rows)} rows: {100 * mean_error(fitted.residuals_before):.2f} % before, "
          f"{100 * mean_error(fitted.residuals):.2f} % after")


def chosen_parameters(machine, names):
    """(start, bounds, tests) of the rows of FIT that `names` (parameters, sections, or none: all) ask for."""
    start, bounds, tests = {}, {}, {}
    for key, low, high, informs in FIT:
        if names and key not in names and key.split(".")[0] not in names:
            continue
        start[key] = min(high, max(low, number(machine.values[key])))
        bounds[key], tests[key] = (low, high), informs
    unknown = [name for name in names if name not in start and not any(key.startswith(name + ".") for key in start)]
    if unknown:
        raise BadRow(f"--fit: '{unknown[0]}' is not fitted; these are: {', '.join(row[0] for row in FIT)}")
    return start, bounds, tests


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("csv", nargs="*", help="measurements (default: those that come with the project)")
    parser.add_argument("--machine", default="h200", help="where to start: a built-in machine or a machine file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set a parameter (repeatable)")
    parser.add_argument("--fit", action="append", default=[], metavar="KEY", help="fit this parameter or section "
                        "(repeatable; default: all of fit_rows.py)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="use this family or test (repeatable)")
    parser.add_argument("--sample", type=int, default=400, metavar="N", help="rows to fit to (default: about 400; 0: all)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help=f"at most (default: {ROUNDS})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")
    parser.add_argument("--out", metavar="FILE", help="write the machine file with the fitted values")
    options = parser.parse_args()
    try:
        rows = [row for row in measured_rows.read(options.csv or measured_rows.public()) if not measured_rows.apart(row)]
        if options.only:
            rows = [row for row in rows if row.family in options.only or row.test in options.only]
        rows = sample(rows, options.sample) if options.sample else rows
        machine = make_runner(options.machine, options.set).machine
        start, bounds, tests = chosen_parameters(machine, options.fit)
        observations = Observations(rows, options.machine, options.set, options.jobs)
        if not observations.rows:
            raise BadRow("no row of these measurements can be modelled")
        fitted = fit(observations, start, bounds, tests, options.rounds)
    except (BadRow, Failure) as error:
        print(f"calibrate.py: {error}", file=sys.stderr)
        return 2
    show(fitted, observations)
    if options.out:
        write_new(options.out, machine_text(machine.text, fitted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
