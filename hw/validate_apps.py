#!/usr/bin/env python3
"""Compares predicted times of whole kernels with those of a real GPU, and counters in reports with those of ncu.

apps/kernels has OpenCL C kernels of many kinds, apps/cases.txt their configurations. Each is launched twice on the
machine, its result is checked, and the time of the last launch is compared. Prints the errors by kernel and of all, and
whether instructions, loads, L1 hits, bank conflicts and stalls agree with the GPU's, because a time may be right for
the wrong reason.

Exit status 1: a result was wrong, or a case did not run. Words after -- go to `warpwait run`.

Results are kept, so the same command continues an interrupted run.
"""
import argparse
import csv
import io
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from apps import cases, counters, scores
from rows import BadRow
from runner import Failure
from validate import Result, make_runner, predict, write_gzipped, write_new

OF_ALL = "all"


class AppResult(Result):
    """A case with its prediction. `gpu`, `counts`: the counters of ncu and of the report, {column of ncu's table:
    number}, with `stalls` as {reason: percent} and {bucket: warp-cycles}; None if nothing was counted."""

    def __init__(self, row, predicted=None, unmodeled=None, gpu=None, counts=None, seconds=0.0):
        super().__init__(row, predicted, unmodeled)
        self.gpu, self.counts, self.seconds = gpu, counts, seconds

    @property
    def case(self):
        return self.row.fields["case"]


def _counts(outcome):
    """Those of an outcome's counters that have a counterpart on the GPU."""
    return dict({counter.gpu: counter.model(outcome.counts) for counter in counters.COUNTERS}, stalls=outcome.counts["stalls"])


def predict_apps(rows, runner, planner, gpu):
    """An AppResult for each row, in order. `gpu`: the GPU's counters, by case."""
    results, bad = predict(rows, runner, planner), planner.wrong_in_place(rows, runner)
    outcomes, told = runner.run([planner(row)[0] for row in rows]), []
    for result in results:
        case, outcome = result.row.fields["case"], outcomes[planner(result.row)[0]]
        why = bad.get(case, result.unmodeled)
        told.append(AppResult(result.row, unmodeled=why, gpu=gpu.get(case)) if why else
                    AppResult(result.row, result.predicted, None, gpu.get(case), _counts(outcome), outcome.seconds))
    return told


# ---- files of results --------------------------------------------------------------------------

HEAD = ["case", "kernel", "measured_ns", "spread", "predicted_ns", "error", "reason"]
SIDES = ("gpu", "model")


def _words(stalls):
    return " ".join(f"{name}={value:.7g}" for name, value in stalls.items() if value)


def table(results):
    """The results as CSV."""
    text, names = io.StringIO(), [counter.gpu for counter in counters.COUNTERS]
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(HEAD + [f"{name}_{side}" for name in names + ["stalls"] for side in SIDES])
    for result in results:
        predicted = ["", "", result.unmodeled] if result.unmodeled else \
            [f"{result.predicted:.7g}", f"{result.error:+.4f}", ""]
        told = [side or {} for side in (result.gpu, result.counts)]
        lines.writerow([result.case, result.row.family, f"{result.row.value:.7g}", result.row.fields["spread"], *predicted] +
                       [f"{side[name]:.7g}" if side else "" for name in names for side in told] +
                       [_words(side.get("stalls", {})) for side in told])
    return text.getvalue()


def write_results(path, results):
    (write_gzipped if str(path).endswith(".gz") else write_new)(path, table(results))


def _side(kept, side):
    """The counters of one side in a row of the table; None if there are none."""
    if not kept[f"{counters.COUNTERS[0].gpu}_{side}"]:
        return None
    told = {counter.gpu: float(kept[f"{counter.gpu}_{side}"]) for counter in counters.COUNTERS}
    return dict(told, stalls=counters.read_stalls(kept[f"stalls_{side}"]))


def read_results(path):
    """Reads the results from a file of write_results()."""
    told = []
    for line, kept in enumerate(cases.read_table(path), 2):
        try:
            fields = {name: kept[name] for name in ("case", "kernel", "spread")}
            row = cases.AppRow(str(path), line, "app", fields, cases.METRIC, float(kept["measured_ns"]), "ns")
            gpu, model = (_side(kept, side) for side in SIDES)
            told.append(AppResult(row, unmodeled=kept["reason"], gpu=gpu) if kept["reason"] else
                        AppResult(row, float(kept["predicted_ns"]), None, gpu, model))
        except (KeyError, TypeError, ValueError):
            raise BadRow(f"{path}:{line}: not a row of validate_apps.py --csv") from None
    return told


# ---- report ------------------------------------------------------------------------------------

def real(results):
    """The results without the empty kernel."""
    return [result for result in results if result.row.family != cases.EMPTY]


def counted(results):
    """[(the GPU's counters, the model's)] of the results that have both."""
    return [(result.gpu, result.counts) for result in results if result.gpu and result.counts]


def met(counter, kernels):
    """(kernels whose median is close enough, kernels that have the counter)"""
    found = [counters.of_kernel(counter, counted(of_kernel)) for of_kernel in kernels.values()]
    found = [value for value in found if value is not None]
    return sum(counter.meets(value) for value in found), len(found)


def _times(name, results):
    told = scores.score(results)
    if told is None:
        return f"{name:<14}{0:>4}"
    worst = told["worst"]
    return (f"{name:<14}{told['cases']:>4}{100 * told['mean']:>8.1f}{100 * told['bias']:>+8.1f}{told['ratio']:>7.2f}"
            f"{100 * told['median']:>9.1f}{100 * told['p90']:>8.1f}{100 * worst.error:>+9.0f}  {worst.case}")


def _report_times(results, apps):
    print(f"{'kernel':<14}{'n':>4}{'mean %':>8}{'bias %':>8}{'ratio':>7}{'median %':>9}{'90th %':>8}{'worst %':>9}")
    for kernel, of_kernel in scores.by_kernel(results).items():
        print(_times(kernel, of_kernel))
    print(_times(OF_ALL, real(results)))
    told, right = scores.pairs(real(results), apps)
    if scores.score(real(results)):
        print(f"rank correlation (Spearman) {scores.score(real(results))['spearman']:.3f}; of {len(told)} pairs of variants that "
              f"the GPU tells apart, {len(right)} in its order")
    for fast, slow in told:
        if (fast, slow) not in right:
            print(f"  wrong order: {fast.case} {fast.row.value / 1000:.1f} us and {slow.case} {slow.row.value / 1000:.1f}; predicted "
                  f"{fast.predicted / 1000:.1f} and {slow.predicted / 1000:.1f}")


def counter_text(counter, value):
    return "" if value is None else f"{value:+.0f}" if counter.points else f"{value:.2f}"


def room(counter):
    return f"{counter.within} points" if counter.points else f"{100 * counter.within:.0f} %"


def _report_counters(kernels):
    head = ("instructions", "lanes", "global loads", "shared loads", "L1, points", "conflicts", "registers", "stalls %")
    print(f"\n{'':<14}" + "".join(f"{name:>14}" for name in head))
    for kernel, of_kernel in kernels.items():
        both = counted(of_kernel)
        if both:
            values = [counter_text(counter, counters.of_kernel(counter, both)) for counter in counters.COUNTERS]
            found = counters.stalls_of_kernel(both)
            print(f"{kernel:<14}" + "".join(f"{value:>14}" for value in values) + f"{counters.agreement(found):>14.0f}  "
                  f"{counters.main_stall(found, 0)}; {counters.main_stall(found, 1)}")
    for counter in counters.COUNTERS:
        good, total = met(counter, kernels)
        if total:
            print(f"{counter.name}: {good} of {total} kernels within {room(counter)}")


def report(results, apps, worst):
    """Prints everything. Ratios are the model's over the GPU's, as medians over a kernel's cases."""
    _report_times(results, apps)
    _report_counters(scores.by_kernel(real(results)))
    ranked = sorted((result for result in real(results) if result.predicted), key=lambda result: -abs(result.error))[:worst]
    for title, some in (("worst", ranked), ("errors", [result for result in results if result.unmodeled])):
        if some:
            print(f"\n{title}")
        for result in some:
            print(f"  {result.case}: {result.unmodeled}" if result.unmodeled else
                  f"  {100 * result.error:>+7.1f} %  {result.case}: measured {result.row.value / 1000:.1f} us, predicted "
                  f"{result.predicted / 1000:.1f}; passes differ by {100 * float(result.row.fields['spread']):.0f} %")
    print(f"\n{len(results)} cases, {sum(result.seconds for result in results):.0f} seconds of simulation")


def chosen(rows, apps, only, slow):
    """The rows of cases whose kernel is, or whose name contains, a word of `only`. Slow ones only with `slow` or by
    name.
    """
    rows = [row for row in rows if not only or any(word == row.family or word in row.fields["case"] for word in only)]
    if not rows:
        kernels = ", ".join(dict.fromkeys(app.kernel for app in apps.values()))
        raise BadRow(f"--only: no measured case is named so; kernels are {kernels}")
    return [row for row in rows if slow or not apps[row.fields["case"]].slow]


def _counters(options):
    """The GPU's counters by case. The project's own counters are not used if other times are given, or for later
    kernels.
    """
    if options.counters:
        return counters.read_counters(options.counters)
    return {} if options.times or options.later else counters.read_counters()


def add_options(parser):
    """Adds the options that all scripts about whole kernels have."""
    parser.add_argument("--machine", default="h200", help="built-in machine or machine file (default: h200)")
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="only this kernel, or cases whose names have "
                        "this word (repeatable)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="runs at a time (default: all cores)")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--times", action="append", default=[], metavar="CSV", help="what a GPU took, as measure/apps prints it "
                        "(repeatable; default: what comes with the project)")
    parser.add_argument("--pass", action="append", default=[], dest="passes", metavar="NAME", help="only this pass of the "
                        "measurements (repeatable; default: all that are numbered); no_unroll goes with --define NU")
    parser.add_argument("--counters", metavar="CSV", help="what ncu counted there, as measure/count prints it")
    add_options(parser)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="set a parameter (repeatable)")
    parser.add_argument("--define", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro (repeatable)")
    parser.add_argument("--later", action="store_true", help="the kernels of apps/later instead")
    parser.add_argument("--slow", action="store_true", help="cases of many minutes, too")
    parser.add_argument("--worst", type=int, default=10, metavar="N", help="worst cases shown (default: 10)")
    parser.add_argument("--csv", metavar="FILE", help="write a row for each case, gzipped if FILE ends so")
    parser.add_argument("words", nargs="*", metavar="WORD", help="after --, further words for `warpwait run`")
    options = parser.parse_args()
    try:
        folder = cases.LATER if options.later else cases.HERE
        planner = cases.Planner(cases.Way(tuple(options.define), tuple(options.words)), folder)
        rows = chosen(cases.read_rows(options.times, options.passes, folder), planner.apps, options.only, options.slow)
        results = predict_apps(rows, make_runner(options.machine, options.set, options.jobs), planner, _counters(options))
    except (BadRow, Failure) as error:
        print(f"validate_apps.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nvalidate_apps.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    if options.csv:
        write_results(options.csv, results)
    report(results, planner.apps, options.worst)
    return 1 if any(result.unmodeled for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
