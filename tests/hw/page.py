#!/usr/bin/env python3
"""Makes docs/accuracy.md and its pictures from what validate.py, leaveout.py and ablation.py wrote.

page.md is the text; lines of the form {{name}} are replaced by what is computed here.
"""
import argparse
import collections
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

try:
    import matplotlib
except ImportError as missing:
    sys.exit(f"{missing.name} is missing: apt-get install python3-matplotlib")

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from rows import FAMILIES, Row
from shape import misses
from validate import Result, errors, group, mean, percentile



def results_of(entries):
    """Results again, from the JSON list of validate.py."""
    results = []
    for entry in entries:
        fields = {k: v for k, v in entry.items() if k not in ("test", "metric", "measured", "unit", "predicted", "unmodelled")}
        row = Row("", 0, entry["test"], fields, entry["metric"], entry["measured"], entry["unit"])
        results.append(Result(row, entry.get("predicted"), entry.get("unmodelled")))
    return results


# ---- tables --------------------------------------------------------------------------------------

def _table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] +
                     ["| " + " | ".join(line) + " |" for line in lines])


def _figures(results):
    values = errors(results)
    if not values:
        return [str(len(results)), str(len(results)), "", "", "", ""]
    bias = mean([result.error for result in results if result.predicted is not None])
    return [str(len(results)), str(len(results) - len(values)), f"{100 * mean(values):.1f}",
            f"{100 * percentile(values, .5):.1f}", f"{100 * percentile(values, .9):.1f}", f"{100 * bias:+.1f}"]


HEAD = ["rows", "not modelled", "mean %", "median %", "90th percentile %", "bias %"]


def families_table(families):
    lines = [[family] + _figures(of_family) for family, of_family in families.items() if of_family]
    means = [mean(errors(of_family)) for of_family in families.values() if errors(of_family)]
    return _table(["family"] + HEAD, lines) + f"\n\nMean over families: {100 * mean(means):.1f} %."


def tests_table(families):
    lines = []
    for of_family in families.values():
        tests = collections.OrderedDict()
        for result in of_family:
            tests.setdefault((result.row.test, result.row.metric), []).append(result)
        lines += [[f"`{test}` {metric}"] + _figures(of_test) for (test, metric), of_test in tests.items()]
    return _table(["test and metric"] + HEAD, lines)


def worst_table(families, count=3):
    lines = []
    for family, of_family in families.items():
        ranked = sorted((r for r in of_family if r.predicted is not None), key=lambda r: -abs(r.error))[:count]
        lines += [[family, f"{100 * r.error:+.0f}", f"{r.row.value:.5g}", f"{r.predicted:.5g}", r.row.unit,
                   f"`{r.row.test}` {r.row.metric}, {r.row.parameters()}"] for r in ranked]
    return _table(["family", "error %", "measured", "predicted", "unit", "row"], lines)


def unmodelled_table(results):
    reasons = collections.Counter((r.row.test, r.unmodelled) for r in results if r.unmodelled is not None)
    return _table(["rows", "test", "reason"], [[str(count), f"`{test}`", reason]
                                               for (test, reason), count in sorted(reasons.items())])


def leaveout_table(told):
    return _table(["family", "axis", "left out", "parameters", "rows fitted / left out", "displaced %", "fitted half %",
                   "left-out half %"],
                  [[one["family"], f"`{one['axis']}`", "every second value" if one["kind"] == "interpolation" else "upper half",
                    str(one["parameters"]), f"{one['fitted_rows']} / {one['left_out_rows']}", f"{100 * one['before']:.1f}",
                    f"{100 * one['fitted']:.1f}", f"{100 * one['left_out']:.1f}"] for one in told])


def ablation_table(told):
    whole, lines = told[0]["errors"], []
    for one in told[1:]:
        changed = [f"{family} {100 * whole[family]:.1f} → {100 * one['errors'][family]:.1f}" for family in FAMILIES
                   if family in whole and abs(one["errors"][family] - whole[family]) >= 0.002]
        sets = ", ".join(f"`{key}={value}`" for key, value in one["sets"].items())
        lines.append([one["mechanism"], sets, "; ".join(changed) or "no change"])
    return _table(["without", "set", "mean error, %"], lines)


def shape_text(results):
    found = [miss for miss, _, _ in misses(results).values()]
    if not found:
        return "No series of depths."
    exact, near = sum(miss == 0 for miss in found), sum(abs(miss) <= 1 for miss in found)
    return (f"Of {len(found)} series, the best depth is predicted exactly in {exact} ({100 * exact / len(found):.0f} %), and "
            f"exactly or off by one in {near} ({100 * near / len(found):.0f} %).")


# ---- pictures ------------------------------------------------------------------------------------

def _save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.png", dpi=90, metadata={"Software": None})
    plt.close(figure)


def scatter(families, folder):
    shown = [(family, of_family) for family, of_family in families.items() if errors(of_family)]
    columns = 4
    figure, axes = plt.subplots(-(-len(shown) // columns), columns, figsize=(13, 3.1 * -(-len(shown) // columns)), squeeze=False)
    for axis in axes.flat[len(shown):]:
        axis.set_visible(False)
    for axis, (family, of_family) in zip(axes.flat, shown):
        units = collections.OrderedDict()
        for result in of_family:
            if result.predicted and result.row.value > 0:
                units.setdefault(result.row.unit, []).append((result.row.value, result.predicted))
        for unit, points in units.items():
            axis.plot(*zip(*points), ".", markersize=2, label=unit, alpha=0.5)
        axis.set(xscale="log", yscale="log", title=f"{family}: {100 * mean(errors(of_family)):.1f} %")
        ends = [min(p for points in units.values() for p, _ in points), max(p for points in units.values() for p, _ in points)]
        axis.plot(ends, ends, color="black", linewidth=0.6)
        axis.legend(fontsize=6, markerscale=3, loc="upper left")
    for axis in axes[:, 0]:
        axis.set_ylabel("predicted")
    figure.supxlabel("measured", fontsize=10)
    _save(figure, folder, "scatter")


def _curves(axis, results, x, label, colour):
    points = sorted((float(r.row.fields[x]), r.row.value, r.predicted) for r in results if r.predicted is not None)
    if points:
        places, measured, predicted = zip(*points)
        axis.plot(places, measured, "o", markersize=4, color=colour, alpha=0.6)
        axis.plot(places, predicted, "-", linewidth=1.2, color=colour, label=label)


def _chosen(results, test, metric, **fields):
    return [r for r in results if r.row.test == test and r.row.metric == metric and
            all(r.row.fields.get(k) == v for k, v in fields.items())]


def latency_curves(results, folder):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True)
    for axis, direction in zip(axes, ("g2s", "s2g")):
        for colour, mem in (("tab:blue", "l2"), ("tab:orange", "dram")):
            _curves(axis, _chosen(results, "bulk_latency", "complete_cycles", dir=direction, mem=mem, tlb="warm",
                                  wait="try_wait" if direction == "g2s" else "wait_group"), "bytes", mem, colour)
        axis.set(xscale="log", yscale="log", xlabel="bytes", title={"g2s": "global to LDS", "s2g": "LDS to global"}[direction])
        axis.legend()
    axes[0].set_ylabel("cycles of one bulk copy")
    _save(figure, folder, "latency")


def stage_curves(results, folder):
    figure, axes = plt.subplots(2, 3, figsize=(13, 7))
    for row, (place, mem) in zip(axes, (("1cta_1sm", "l2"), ("132cta", "dram"))):
        for axis, engine in zip(row, ("bulk", "cp_async", "bulk")):
            tile, threads = ("16384", "128") if axis is not row[2] else ("4096", "256")
            for colour, compute in zip(("tab:blue", "tab:orange", "tab:green"), ("0", "4", "16")):
                _curves(axis, _chosen(results, "pipeline", "cycles_per_tile", engine=engine, place=place, mem=mem,
                                      tile_bytes=tile, threads=threads, compute_groups=compute), "stages",
                        f"{compute} compute groups", colour)
            axis.set(xlabel="stages", ylabel="cycles per tile", ylim=(0, None),
                     title=f"{engine}, {place}, {mem}, {int(tile) // 1024} KiB, {threads} threads")
            axis.legend(fontsize=7)
    _save(figure, folder, "stages")


def bandwidth_curves(results, folder):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for colour, (mem, inflight) in zip(("tab:blue", "tab:green", "tab:orange", "tab:red"),
                                       (("l2", "4"), ("l2", "8"), ("dram", "4"), ("dram", "8"))):
        _curves(axes[0], _chosen(results, "bulk_throughput", "bytes_per_cycle_per_cta", dir="g2s", mem=mem, bytes="8192",
                                 inflight=inflight), "ctas", f"{mem}, {inflight} in flight", colour)
    axes[0].set(title="bulk copies of 8 KiB")
    for colour, (op, mem) in zip(("tab:blue", "tab:orange", "tab:green", "tab:red"),
                                 (("read", "l2"), ("read", "dram"), ("write", "l2"), ("copy", "dram"))):
        _curves(axes[1], _chosen(results, "stream", "bytes_per_cycle_per_cta", op=op, mem=mem, threads="1024",
                                 loads_in_flight_per_thread="4"), "ctas", f"{op}, {mem}", colour)
    axes[1].set(title="loads and stores, 1024 threads, 4 under way")
    for axis in axes:
        axis.set(xscale="log", xlabel="SMs", ylabel="bytes a cycle and SM", ylim=(0, None))
        axis.legend(fontsize=7)
    _save(figure, folder, "bandwidth")


def second_pass(entries):
    results = results_of(entries)
    return families_table(group(results)[0]) + "\n\n" + shape_text(results)


def _part(path, script, make):
    """What `make` makes of a script's JSON, or that this page was made without it."""
    return make(json.loads(pathlib.Path(path).read_text())) if path else f"This page was made without it; `tests/hw/{script}` has it."


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("predictions", help="validate.py's --json")
    parser.add_argument("--leaveout", metavar="FILE", help="leaveout.py's --json")
    parser.add_argument("--ablation", metavar="FILE", help="ablation.py's --json")
    parser.add_argument("--second", metavar="FILE", help="validate.py's --json of a second pass, with rows not in the first")
    parser.add_argument("--docs", default="docs", help="folder that gets accuracy.md and accuracy/ (default: docs)")
    options = parser.parse_args()
    docs = pathlib.Path(options.docs)
    folder = docs / "accuracy"
    folder.mkdir(parents=True, exist_ok=True)
    results = results_of(json.loads(pathlib.Path(options.predictions).read_text()))
    families, apart = group(results)
    parts = {
        "families": families_table(families),
        "apart": _table(["rows apart"] + HEAD, [[reason] + _figures(of_reason) for reason, of_reason in apart.items()]),
        "tests": tests_table(families),
        "worst": worst_table(families),
        "unmodelled": unmodelled_table(results),
        "leaveout": _part(options.leaveout, "leaveout.py", leaveout_table),
        "ablation": _part(options.ablation, "ablation.py", ablation_table),
        "shape": shape_text(results),
        "second": _part(options.second, "validate.py", second_pass),
    }
    text = (pathlib.Path(__file__).resolve().parent / "page.md").read_text()
    text = re.sub(r"^\{\{(\w+)\}\}$", lambda found: parts[found.group(1)], text, flags=re.MULTILINE)
    (docs / "accuracy.md").write_text(text)
    scatter(families, folder)
    latency_curves(results, folder)
    stage_curves(results, folder)
    bandwidth_curves(results, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
