#!/usr/bin/env python3
"""Makes docs/accuracy.md and its pictures from the results in docs/accuracy/, which `make accuracy` produces.

page.md is the text; lines of the form {{name}} are replaced by what is computed here.
"""
import argparse
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import fidelity
import page_apps
import rows as measured_rows
from mechanisms import MECHANISMS
from page_tools import kept, plt, save, table, without
from rows import FAMILIES, BadRow
from shape import misses
from validate import errors, group, mean, percentile, read_predictions

SECOND = sorted((pathlib.Path(__file__).resolve().parent / "data/second").glob("t*.csv.gz"))


# ---- tables --------------------------------------------------------------------------------------

def _figures(results):
    values = errors(results)
    if not values:
        return [str(len(results)), str(len(results)), "", "", "", ""]
    bias = mean([result.error for result in results if result.predicted is not None])
    return [str(len(results)), str(len(results) - len(values)), f"{100 * mean(values):.1f}",
            f"{100 * percentile(values, .5):.1f}", f"{100 * percentile(values, .9):.1f}", f"{100 * bias:+.1f}"]


HEAD = ["rows", "not modeled", "mean %", "median %", "90th percentile %", "bias %"]


def families_table(families):
    lines = [[family] + _figures(of_family) for family, of_family in families.items() if of_family]
    means = [mean(errors(of_family)) for of_family in families.values() if errors(of_family)]
    return table(["family"] + HEAD, lines) + f"\n\nMean over families: {100 * mean(means):.1f} %."


def tests_table(families):
    lines = []
    for of_family in families.values():
        tests = collections.OrderedDict()
        for result in of_family:
            tests.setdefault((result.row.test, result.row.metric), []).append(result)
        lines += [[f"`{test}` {metric}"] + _figures(of_test) for (test, metric), of_test in tests.items()]
    return table(["test and metric"] + HEAD, lines)


def worst_table(families, count=3):
    lines = []
    for family, of_family in families.items():
        ranked = sorted((r for r in of_family if r.predicted is not None), key=lambda r: -abs(r.error))[:count]
        lines += [[family, f"{100 * r.error:+.0f}", f"{r.row.value:.5g}", f"{r.predicted:.5g}", r.row.unit,
                   f"`{r.row.test}` {r.row.metric}, {r.row.parameters()}"] for r in ranked]
    return table(["family", "error %", "measured", "predicted", "unit", "row"], lines)


def unmodeled_table(results):
    reasons = collections.Counter((r.row.test, r.unmodeled) for r in results if r.unmodeled is not None)
    return table(["rows", "test", "reason"], [[str(count), f"`{test}`", reason]
                                              for (test, reason), count in sorted(reasons.items())])


def leaveout_table(told):
    return table(["family", "axis", "left out", "parameters", "rows fitted / left out", "start %", "fitted half %",
                  "left-out half %", "left-out half, `h200` %"],
                 [[one["family"], f"`{one['axis']}`", "every second value" if one["kind"] == "interpolation" else "upper half",
                   str(one["parameters"]), f"{one['fitted_rows']} / {one['left_out_rows']}", f"{100 * one['before']:.1f}",
                   f"{100 * one['fitted']:.1f}", f"{100 * one['left_out']:.1f}", f"{100 * one['machine_left_out']:.1f}"]
                  for one in told]) + f"\n\nThe fits took {_minutes(sum(one['seconds'] for one in told))}."


def _minutes(seconds):
    return f"{seconds / 60:.0f} minutes" if seconds >= 90 else f"{seconds} seconds"


def ablation_table(told):
    whole, lines = told[0]["errors"], []
    for one in told[1:]:
        changed = [f"{family} {100 * whole[family]:.1f} → {100 * one['errors'][family]:.1f}" for family in FAMILIES
                   if family in whole and abs(one["errors"][family] - whole[family]) >= 0.0005]
        sets = ", ".join(f"`{key}={value}`" for key, value in one["sets"].items())
        rows = f"{one['moved']}: {100 * one['moved_on']:.1f} → {100 * one['moved_off']:.1f}" if one["moved"] else "none"
        lines.append([one["mechanism"], sets, rows, "; ".join(changed)])
    sample = ", ".join(f"{family} {count}" for family, count in told[0]["rows"].items())
    return table(["without", "set", "rows that change: their error, %", "error of families, %"], lines) + f"\n\nRows: {sample}." + (
        " Short runs only: no whole grids, no OpenCL C." if told[0].get("short") else "")


def not_switched_off(told):
    """The mechanisms that are missing because ablation.py was interrupted."""
    missing = [name for name, _ in MECHANISMS if name not in {one["mechanism"] for one in told}]
    return f" Not tried: {'; '.join(missing)}." if missing else ""


def displaced_table(found):
    """The results of a fit from displaced values: errors by family, then every parameter."""
    by = found["errors"]
    families = table(["family", "this machine %", "displaced %", "fitted %"],
                     [[family] + [f"{100 * by[name][family]:.1f}" for name in ("machine", "start", "fitted")]
                      for family in by["machine"]] +
                     [["mean"] + [f"{100 * mean(by[name].values()):.1f}" for name in ("machine", "start", "fitted")]])
    lines = []
    for one in found["parameters"]:
        width = "no row" if not one["rows"] else "" if one["half_width"] is None else f"± {one['half_width']:.2g}"
        tied = ", ".join(f"`{key}`" for key in one["tied"])
        bound = "at its bound" if one["fitted"] in one["bounds"] and one["rows"] else ""
        lines.append([f"`{one['key']}`", str(one["machine"]), str(one["start"]), str(one["fitted"]), width, str(one["rows"]),
                      "; ".join(filter(None, [f"only with {tied}" if tied else "", bound]))])
    informed = [one for one in found["parameters"] if one["rows"]]
    near = [one for one in informed if _near(one)]
    told = (f"{len(found['parameters'])} parameters, {found['rows']} rows of {found['runs']} runs, "
            f"{_minutes(found['seconds'])}. The fit recovers {len(near)} of the {len(informed)} parameters that rows inform, "
            "to within 1, 10 % or their interval.")
    if not any(one["half_width"] for one in informed):
        told += " It stopped early, so there are no intervals, and the rows are those that may inform a parameter."
    parameters = table(["parameter", "this machine", "displaced", "fitted", "95 %", "rows that inform it", "remarks"], lines)
    return f"{told}\n\n{families}\n\n{parameters}"


def _near(one):
    """Whether a fitted value is within a unit, a tenth, or its own interval of the machine's."""
    return abs(one["fitted"] - one["machine"]) <= max(1, 0.1 * one["machine"], one["half_width"] or 0)


def shape_text(results):
    found = [miss for miss, _, _ in misses(results).values()]
    if not found:
        return "No such series."
    exact, near = sum(miss == 0 for miss in found), sum(abs(miss) <= 1 for miss in found)
    return (f"It is predicted exactly in {exact} of {len(found)} series ({100 * exact / len(found):.0f} %), and to within one stage in "
            f"{near} ({100 * near / len(found):.0f} %).")


# ---- pictures ------------------------------------------------------------------------------------

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
            axis.plot(*zip(*points), ".", markersize=2, label=unit, alpha=0.5, rasterized=True)
        axis.set(xscale="log", yscale="log", title=f"{family}: {100 * mean(errors(of_family)):.1f} %")
        ends = [min(p for points in units.values() for p, _ in points), max(p for points in units.values() for p, _ in points)]
        axis.plot(ends, ends, color=plt.rcParams["text.color"], linewidth=0.6)
        axis.legend(fontsize=6, markerscale=3, loc="upper left")
    for axis in axes[:, 0]:
        axis.set_ylabel("predicted")
    figure.supxlabel("measured", fontsize=10)
    save(figure, folder, "scatter")


def _curves(axis, results, x, label, color):
    points = sorted((float(r.row.fields[x]), r.row.value, r.predicted) for r in results if r.predicted is not None)
    if points:
        places, measured, predicted = zip(*points)
        axis.plot(places, measured, "o", markersize=4, color=color, alpha=0.6)
        axis.plot(places, predicted, "-", linewidth=1.2, color=color, label=label)


def _chosen(results, test, metric, **fields):
    return [r for r in results if r.row.test == test and r.row.metric == metric and
            all(r.row.fields.get(k) == v for k, v in fields.items())]


def latency_curves(results, folder):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4), sharey=True)
    for axis, direction in zip(axes, ("g2s", "s2g")):
        for color, mem in (("tab:blue", "l2"), ("tab:orange", "dram")):
            _curves(axis, _chosen(results, "bulk_latency", "complete_cycles", dir=direction, mem=mem, tlb="warm",
                                  wait="try_wait" if direction == "g2s" else "wait_group"), "bytes", mem, color)
        axis.set(xscale="log", yscale="log", xlabel="bytes", title={"g2s": "global to LDS", "s2g": "LDS to global"}[direction])
        axis.legend()
    axes[0].set_ylabel("cycles of one bulk copy")
    save(figure, folder, "latency")


def stage_curves(results, folder):
    figure, axes = plt.subplots(2, 3, figsize=(13, 7))
    for row, (place, mem) in zip(axes, (("1cta_1sm", "l2"), ("132cta", "dram"))):
        for axis, engine in zip(row, ("bulk", "cp_async", "bulk")):
            tile, threads = ("16384", "128") if axis is not row[2] else ("4096", "256")
            for color, compute in zip(("tab:blue", "tab:orange", "tab:green"), ("0", "4", "16")):
                _curves(axis, _chosen(results, "pipeline", "cycles_per_tile", engine=engine, place=place, mem=mem,
                                      tile_bytes=tile, threads=threads, compute_groups=compute), "stages",
                        f"{compute} compute groups", color)
            axis.set(xlabel="stages", ylabel="cycles per tile", ylim=(0, None),
                     title=f"{engine}, {place}, {mem}, {int(tile) // 1024} KiB, {threads} threads")
            axis.legend(fontsize=7)
    save(figure, folder, "stages")


def bandwidth_curves(results, folder):
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for color, (mem, inflight) in zip(("tab:blue", "tab:green", "tab:orange", "tab:red"),
                                       (("l2", "4"), ("l2", "8"), ("dram", "4"), ("dram", "8"))):
        _curves(axes[0], _chosen(results, "bulk_throughput", "bytes_per_cycle_per_cta", dir="g2s", mem=mem, bytes="8192",
                                 inflight=inflight), "ctas", f"{mem}, {inflight} in flight", color)
    axes[0].set(title="bulk copies of 8 KiB")
    for color, (op, mem) in zip(("tab:blue", "tab:orange", "tab:green", "tab:red"),
                                 (("read", "l2"), ("read", "dram"), ("write", "l2"), ("copy", "dram"))):
        _curves(axes[1], _chosen(results, "stream", "bytes_per_cycle_per_cta", op=op, mem=mem, threads="1024",
                                 loads_in_flight_per_thread="4"), "ctas", f"{op}, {mem}", color)
    axes[1].set(title="loads and stores, 1024 threads, 4 in flight")
    for axis in axes:
        axis.set(xscale="log", xlabel="SMs", ylabel="bytes per cycle and SM", ylim=(0, None))
        axis.legend(fontsize=7)
    save(figure, folder, "bandwidth")


def second_pass(path):
    """The predicted sample of the second pass."""
    rows = measured_rows.read(SECOND)
    results = read_predictions(path, rows, sampled=True)
    return f"A sample of {len(results)} of {len(rows)} rows:\n\n" + families_table(group(results)[0])


def fidelity_table(results, path):
    """How many held-out rows the 90th percentile that reports state covers."""
    results = fidelity.chosen(results)
    second = fidelity.chosen(read_predictions(path, measured_rows.read(SECOND), sampled=True)) if path.exists() else []
    if not results:
        return "The rows have no classes yet: `make accuracy PARTS=rows`."
    return table(["rows", "how many", "within the stated 90th percentile %"],
                 [[name, str(rows), f"{percent:.1f}"] for name, rows, percent in fidelity.coverage(results, second)])


def parts(folder, results):
    """{name of a part of page.md: its text}"""
    families, apart = group(results)
    second = folder / "second.csv.gz"
    return {
        "families": families_table(families),
        "apart": table(["why"] + HEAD, [[reason] + _figures(of_reason) for reason, of_reason in apart.items()]),
        "tests": tests_table(families),
        "worst": worst_table(families),
        "unmodeled": unmodeled_table(results),
        "leaveout": kept(folder / "leaveout.json", leaveout_table, "leaveout"),
        "ablation": kept(folder / "ablation.json", lambda told: ablation_table(told) + not_switched_off(told), "ablation"),
        "ablation_lds": kept(folder / "ablation_lds.json", lambda told: ablation_table([one for one in told if one.get("moved", 1)]),
                             "ablation"),
        "displaced": kept(folder / "displaced.json", displaced_table, "displaced"),
        "shape": shape_text(results),
        "fidelity": fidelity_table(results, second),
        "second": second_pass(second) if second.exists() else without("second"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--docs", default="docs", help="folder that gets accuracy.md and has accuracy/ (default: docs)")
    options = parser.parse_args()
    docs = pathlib.Path(options.docs)
    folder = docs / "accuracy"
    try:
        results = read_predictions(folder / "rows.csv.gz", measured_rows.read(measured_rows.public()))
        made = {**parts(folder, results), **page_apps.parts(folder)}
    except BadRow as error:
        print(f"page.py: {error}", file=sys.stderr)
        return 2
    text = (pathlib.Path(__file__).resolve().parent / "page.md").read_text()
    (docs / "accuracy.md").write_text(re.sub(r"^\{\{(\w+)\}\}$", lambda found: made[found.group(1)], text, flags=re.MULTILINE))
    scatter(group(results)[0], folder)
    latency_curves(results, folder)
    stage_curves(results, folder)
    bandwidth_curves(results, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
