#!/usr/bin/env python3
"""Compares the simulator's predictions with measurements of a real GPU, row by row.

Each row becomes a kernel and a launch that do what the measuring program did (families/). They run on the machine, and
the same metric is read. Prints for each family the rows, the mean absolute percentage error, its median and 90th
percentile, the worst rows, and what could not be modeled, with the reason.
"""
import argparse
import collections
import csv
import gzip
import importlib
import io
import json
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import rows as measured_rows
import shape
from case import Like, Unmodeled
from rows import FAMILIES, BadRow
from runner import Failure, Machine, Runner, Terminal

CACHE = os.environ.get("WARPWAIT_HW_CACHE", "build/hw/outcomes.sqlite")
# Metrics of the board or of the measurement itself, which cannot be predicted.
NOT_TIMES = ("ok", "sm_clock", "local_mem", "profiling_resolution", "sms_in_group", "bad_words")


class Result:
    """A row with its prediction and the class of its launch, or why there is no prediction."""

    def __init__(self, row, predicted=None, unmodeled=None, like=None):
        self.row, self.predicted, self.unmodeled, self.like = row, predicted, unmodeled, like

    @property
    def error(self):
        """Relative error, signed. If 0 was measured, a prediction of 0 is right, and any other counts as 100 %."""
        if self.row.value == 0:
            return 0.0 if self.predicted == 0 else 1.0
        return (self.predicted - self.row.value) / self.row.value

    def as_json(self):
        entry = dict(self.row.fields, test=self.row.test, metric=self.row.metric, measured=self.row.value,
                     unit=self.row.unit)
        if self.unmodeled is None:
            entry["predicted"] = self.predicted
        else:
            entry["unmodeled"] = self.unmodeled
        return entry


def make_runner(machine, sets=(), jobs=None):
    """A Runner on a machine with parameters set ("key=value"), with progress on a terminal. Raises Failure like
    Machine.
    """
    return Runner(Machine(os.environ.get("WARPWAIT", "build/warpwait"), machine, sets), CACHE, jobs, Terminal())


def plan(row):
    """(case, function from its outcome to the metric). Raises Unmodeled or BadRow."""
    if row.metric in NOT_TIMES:
        raise Unmodeled("it describes the board or the measuring, not a time")
    if row.family is None:
        raise Unmodeled(f"no family has a test '{row.test}'")
    module = importlib.import_module(f"families.{FAMILIES[row.family][0]}")
    return module.model(row)


def predict(rows, runner, plan=plan):
    """A Result for each row, in order. `plan`: the planner for rows that belong to no family."""
    planned, results = {}, [None] * len(rows)
    for i, row in enumerate(rows):
        try:
            planned[i] = plan(row)
        except Unmodeled as reason:
            results[i] = Result(row, unmodeled=str(reason))
    outcomes = runner.run([case for case, _ in planned.values()])
    for i, (case, metric) in planned.items():
        outcome = outcomes[case]
        if isinstance(outcome, Unmodeled):
            results[i] = Result(rows[i], unmodeled=str(outcome))
            continue
        try:
            results[i] = Result(rows[i], predicted=metric(outcome), like=outcome.like)
        except Unmodeled as reason:
            results[i] = Result(rows[i], unmodeled=str(reason))
    return results


def sample(rows, count):
    """About `count` rows: each test and metric has its share, but at least three. The choice is deterministic."""
    strata = collections.OrderedDict()
    for row in rows:
        if row.metric not in NOT_TIMES:
            strata.setdefault((row.test, row.metric), []).append(row)
    rate = count / max(1, sum(map(len, strata.values())))
    chosen = []
    for key, stratum in strata.items():
        wanted = min(len(stratum), max(3, round(rate * len(stratum))))
        chosen += random.Random(repr(key)).sample(stratum, wanted)
    return chosen


# ---- report -----------------------------------------------------------------------------------

def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(part * len(values)))]


def mean(values):
    return sum(values) / len(values)


def errors(results):
    return [abs(result.error) for result in results if result.predicted is not None]


def _line(name, results):
    values = errors(results)
    missing = len(results) - len(values)
    if not values:
        return f"{name:<22}{len(results):>7}{missing:>11}"
    bias = mean([result.error for result in results if result.predicted is not None])
    return (f"{name:<22}{len(results):>7}{missing:>11}{100 * mean(values):>8.1f}{100 * percentile(values, .5):>9.1f}"
            f"{100 * percentile(values, .9):>8.1f}{100 * bias:>+8.1f}")


def group(results):
    """({family: results} without rows that are reported separately, {reason: results} of those)"""
    families, apart = collections.OrderedDict((family, []) for family in FAMILIES), collections.OrderedDict()
    for result in results:
        reason = measured_rows.apart(result.row)
        if result.row.family is None or result.row.metric in NOT_TIMES:
            continue
        (apart.setdefault(f"{result.row.family}: {reason}", []) if reason else families[result.row.family]).append(result)
    return families, apart


def _by_field(field, of_family):
    """A line for each value of a field in a family's rows; numbers in ascending order."""
    values = collections.OrderedDict()
    for result in of_family:
        values.setdefault(result.row.fields.get(field), []).append(result)
    values.pop(None, None)
    for value in sorted(values, key=lambda v: (0, int(v), v) if v.isdigit() else (1, 0, v)):
        print(_line(f"  {field}={value}", values[value]))


def report(results, worst, by_test, by):
    families, apart = group(results)
    print(f"{'family':<22}{'rows':>7}{'unmodeled':>11}{'mean %':>8}{'median %':>9}{'90th %':>8}{'bias %':>8}")
    means = []
    for family, of_family in families.items():
        if not of_family:
            continue
        print(_line(family, of_family))
        if errors(of_family):
            means.append(mean(errors(of_family)))
        if by_test:
            tests = collections.OrderedDict()
            for result in of_family:
                tests.setdefault((result.row.test, result.row.metric), []).append(result)
            for (test, metric), of_test in tests.items():
                print(_line(f"  {test} {metric}", of_test))
        for field in by:
            _by_field(field, of_family)
    if means:
        print(f"mean over families: {100 * mean(means):.1f} %")
    for title, of_reason in apart.items():
        print(f"\napart, {title}")
        print(_line("", of_reason))
    for family, of_family in families.items():
        ranked = sorted((r for r in of_family if r.predicted is not None), key=lambda r: -abs(r.error))[:worst]
        if ranked:
            print(f"\nworst of {family}")
        for result in ranked:
            print(f"  {100 * result.error:>+7.1f} %  measured {result.row.value:.6g}, predicted {result.predicted:.6g} "
                  f"{result.row.unit}: {result.row.test} {result.row.metric}, {result.row.parameters()}")
    reasons = collections.Counter((r.row.test, r.unmodeled) for r in results if r.unmodeled is not None)
    if reasons:
        print("\nnot modeled")
    for (test, reason), count in sorted(reasons.items()):
        print(f"  {count:>6}  {test}: {reason}")


def write_new(path, text):
    """Writes a file, completely or not at all."""
    _replace(path, text.encode())


def write_gzipped(path, text):
    """The same, gzipped. Equal text gives equal bytes."""
    _replace(path, gzip.compress(text.encode(), mtime=0))


def _replace(path, data):
    new = pathlib.Path(f"{path}.new")
    new.write_bytes(data)
    new.replace(path)


def write_predictions(path, results, others=False):
    """Writes `file,line,predicted,reason` of each row and the limit, main operations and kinds of its launch, gzipped,
    for page.py and fidelity.py. The reason is why there is no prediction. `others`: keep the file's other rows."""
    written = _kept(path) if others and os.path.exists(path) else {}
    for result in results:
        predicted = "" if result.predicted is None else f"{result.predicted:.7g}"
        like = result.like
        written[pathlib.Path(result.row.file).name, result.row.line] = [predicted, result.unmodeled or ""] + (
            [like.limit, ", ".join(like.operations), ", ".join(like.kinds)] if like else [])
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*key, *written[key]] for key in sorted(written))
    write_gzipped(path, text.getvalue())


def _kept(path):
    """{(file, line): the other columns} of a file of write_predictions()."""
    try:
        with gzip.open(path, "rt", newline="") as file:
            return {(name, int(line)): rest for name, line, *rest in csv.reader(file)}
    except (OSError, EOFError, ValueError) as error:
        raise BadRow(f"{path}: {error}") from None


def read_predictions(path, rows, sampled=False):
    """Results of `rows` from a file of write_predictions(): of all, or only of those in its sample."""
    kept, results = _kept(path), []
    for row in rows:
        key = pathlib.Path(row.file).name, row.line
        if key not in kept and sampled:
            continue
        if key not in kept:
            raise BadRow(f"{path}: nothing is predicted for {key[0]}:{key[1]}; the rows have changed since")
        predicted, reason, *like = kept[key]
        like = Like(like[0], *(tuple(filter(None, words.split(", "))) for words in like[1:])) if like else None
        results.append(Result(row, unmodeled=reason) if reason else Result(row, float(predicted), like=like))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("csv", nargs="*", help="measurements, .csv or .csv.gz (default: those that come with the project)")
    parser.add_argument("--machine", default="h200", help="built-in machine or machine file (default: h200)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set a parameter (repeatable)")
    parser.add_argument("--sample", type=int, metavar="N", help="about N rows, from all tests, the same every time")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this family or test (repeatable)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")
    parser.add_argument("--json", metavar="FILE", help="write a list with one object for each row")
    parser.add_argument("--predictions", metavar="FILE", help="write what is predicted for each row, gzipped, for page.py")
    parser.add_argument("--keep", action="store_true", help="of --predictions: what FILE has of other rows stays")
    parser.add_argument("--worst", type=int, default=5, metavar="N", help="worst rows shown of each family (default: 5)")
    parser.add_argument("--by-test", action="store_true", help="a line for each test and metric too")
    parser.add_argument("--by", action="append", default=[], metavar="FIELD",
                        help="a line for each value that FIELD has in a family's rows too (repeatable)")
    parser.add_argument("--shape", action="store_true", help="say too how well the best depths of pipelines are predicted")
    options = parser.parse_args()
    try:
        rows = measured_rows.read(options.csv or measured_rows.public())
        known = set(FAMILIES) | set(measured_rows.FAMILY_OF)
        for name in options.only:
            if name not in known:
                raise BadRow(f"--only: no family or test '{name}'; families are {', '.join(FAMILIES)}")
        if options.only:
            rows = [row for row in rows if row.family in options.only or row.test in options.only]
        if options.sample is not None:
            rows = sample(rows, options.sample)
        runner = make_runner(options.machine, options.set, options.jobs)
        results = predict(rows, runner)
        if options.predictions:
            write_predictions(options.predictions, results, options.keep)
    except (BadRow, Failure) as error:
        print(f"validate.py: {error}", file=sys.stderr)
        return 2
    if options.json:
        write_new(options.json, json.dumps([result.as_json() for result in results], indent=1) + "\n")
    report(results, options.worst, options.by_test, options.by)
    if options.shape:
        shape.report(results, options.worst)
    return 0


if __name__ == "__main__":
    sys.exit(main())
