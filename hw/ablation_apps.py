#!/usr/bin/env python3
"""Switches off one mechanism of the machine, or one pass of the compiler, at a time, and shows how the errors of whole
kernels change.

A few cases of each kernel that are quick to simulate are run (CHEAP). Every third of them is tried first, and the
others only if one of those changes. Results are kept, so the same command continues an interrupted run.
"""
import argparse
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ablation import compared, error, family_errors, moved
from apps import cases, counters
from mechanisms import MECHANISMS
from rows import BadRow
from runner import Failure
from validate import make_runner, mean, predict, write_new
from validate_apps import add_options, chosen

ROOT = pathlib.Path(__file__).resolve().parents[1]
CHEAP = 3_000_000  # warp instructions that the GPU executes in all launches of a case
SHORT_NS = 8000  # shorter cases mostly measure the launch itself: they are used only if a kernel has no others
PROBES = 3
# Parameters of mechanisms that these kernels do not use: their copies are loops, and they have no mbarriers.
UNUSED = ("dma.", "lds.dma_", "cu.copy_", "cu.wait_", "cu.phase_", "cu.yield_")

# Passes that cannot be left out: without `meet`, warps would not converge at barriers; `ahead` runs only at level 0.
KEPT = ("meet", "ahead")


def cost(row, apps, gpu):
    """Warp instructions to simulate, from the GPU's counters."""
    return gpu[row.fields["case"]]["instructions"] * apps[row.fields["case"]].launches


def cheap(rows, apps, count):
    """The `count` cheapest cases of each kernel, the cheapest first; only the cheapest one if all are expensive."""
    gpu, kernels, picked = counters.read_counters(), {}, []
    for row in rows:
        if row.family != cases.EMPTY and row.fields["case"] in gpu:
            kernels.setdefault(row.family, []).append(row)
    for some in kernels.values():
        some.sort(key=lambda row: (row.value < SHORT_NS, cost(row, apps, gpu)))
        picked += some[:1] + [row for row in some[1:count] if cost(row, apps, gpu) <= CHEAP]
    return sorted(picked, key=lambda row: cost(row, apps, gpu))


def passes(path=ROOT / "opencl/ir/passes.def"):
    """[(name, sentence)] of the compiler's passes."""
    return re.findall(r'^PASS\((\w+),[^,]*,\s*"([^"]*)"', path.read_text(), re.MULTILINE)


def without(results, rerun):
    """The results from rerun(rows), or the old ones if none of the probes changes."""
    probes = results[::PROBES]
    tried = rerun([result.row for result in probes])
    if not any(moved(old, new) for old, new in zip(probes, tried)):
        return results
    rest = iter(rerun([result.row for at, result in enumerate(results) if at % PROBES]))
    return [next(rest) if at % PROBES else tried[at // PROBES] for at in range(len(results))]


def mean_error(results):
    return mean([error(result) for result in results])


def things():
    """[(name, parameters to set, words for `warpwait run`)] of everything that is switched off."""
    return [(name, sets, ()) for name, sets in MECHANISMS if not all(key.startswith(UNUSED) for key in sets)] + \
        [(f"the pass `{name}`: {says}", {}, ("--without", name)) for name, says in passes() if name not in KEPT]


def _shown(found, whole):
    changed = [f"{kernel} {100 * whole['errors'][kernel]:.1f} -> {100 * value:.1f}" for kernel, value in found["errors"].items()
               if abs(value - whole["errors"][kernel]) >= 0.0005]
    return (f"without {found['mechanism']}: {found['moved']} cases move; mean {100 * whole['mean']:.1f} -> "
            f"{100 * found['mean']:.1f}; {', '.join(changed) or 'no kernel by 0.05'}")


def run(options):
    planner = cases.Planner()
    rows = cheap(chosen(cases.read_rows(), planner.apps, options.only, False), planner.apps, options.count)
    runner = make_runner(options.machine, jobs=options.jobs)
    results = [result for result in predict(rows, runner, planner) if result.predicted]
    whole = {"mechanism": "all on", "sets": {}, "cases": len(results), "mean": mean_error(results),
             "errors": family_errors(results)}
    told = [whole]
    print(f"{len(results)} cases, mean error {100 * whole['mean']:.1f} % with all on", flush=True)
    for number, (name, sets, words) in enumerate(things(), 1):
        runner = make_runner(options.machine, [f"{key}={value}" for key, value in sets.items()], options.jobs)
        runner.progress.say(f"{number} of {len(things())}")
        other = cases.Planner(cases.Way(options=words))
        after = without(results, lambda some, runner=runner, other=other: predict(some, runner, other))
        told.append(dict(compared(name, sets, results, after), mean=mean_error(after)))
        print(_shown(told[-1], whole), flush=True)
        if options.json:
            write_new(options.json, json.dumps(told, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    add_options(parser)
    parser.add_argument("--count", type=int, default=2, metavar="N", help="cases of each kernel, at most (default: 2)")
    parser.add_argument("--json", metavar="FILE", help="write a list with one object for each that is switched off")
    options = parser.parse_args()
    try:
        run(options)
    except (BadRow, Failure) as problem:
        print(f"ablation_apps.py: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nablation_apps.py: interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
