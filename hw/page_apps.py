"""Whole kernels on docs/accuracy.md: tables and a picture of the results of validate_apps.py, ablation_apps.py and
leaveout_apps.py in docs/accuracy/.
"""
from apps import counters, misses, scores
from apps.cases import HERE, LATER, read_apps, read_table
from page_tools import kept, plt, save, table, without
from rows import BadRow
from validate import mean
from validate_apps import OF_ALL, counted, counter_text, met, read_results, real, room

BAND = 0.15  # relative distance of the lines beside the picture's diagonal
CHANGED = 3  # most kernels that an ablation's row names
MARKERS, COLORS = "osD^v", 10


def _percent(value, sign=""):
    return f"{100 * value:{sign}.1f}"


def kernel_errors(results):
    """{kernel: mean absolute error} of the results, without the empty kernel."""
    told = {kernel: scores.score(some) for kernel, some in scores.by_kernel(real(results)).items()}
    return {kernel: one["mean"] for kernel, one in told.items() if one}


def _times(name, results):
    told = scores.score(results)
    if told is None:
        return [name, "0"] + [""] * 7
    return [name, str(told["cases"]), _percent(told["mean"]), _percent(told["bias"], "+"), f"{told['ratio']:.2f}",
            _percent(told["median"]), _percent(told["p90"]), _percent(told["worst"].error, "+"), f"`{told['worst'].case}`"]


def _order(results, folder):
    """How well the order of all cases, and of variants, is predicted, as a clause."""
    told, right = scores.pairs(real(results), read_apps(folder))
    return (f"rank correlation (Spearman) {scores.score(real(results))['spearman']:.3f}, {len(right)} of {len(told)} pairs of "
            "variants in the GPU's order")


def times_table(results, folder=HERE):
    lines = [_times(kernel, some) for kernel, some in scores.by_kernel(results).items()] + [_times(f"**{OF_ALL}**", real(results))]
    made = table(["kernel", "cases", "mean %", "bias %", "ratio", "median %", "90th percentile %", "worst %", "worst case"], lines)
    failed = "".join(f" `{result.case}` is left out: {result.unmodeled}." for result in results if result.unmodeled)
    return (f"{made}\n\nAll cases: {_order(results, folder)}, counting pairs that differ by more than "
            f"{100 * (scores.APART - 1):.0f} % on the GPU.{failed}")


def _changes(name, then, now):
    """A row of before_table(): figures of the same cases before and now, side by side."""
    then, now = scores.score(then), scores.score(now)
    both = [text for key, sign in (("mean", ""), ("median", ""), ("bias", "+"))
            for text in (_percent(then[key], sign), _percent(now[key], sign))]
    return [name, str(now["cases"]), *both, f"{then['ratio']:.2f}", f"{now['ratio']:.2f}"]


def before_table(results, path, folder=HERE):
    """Errors of the kernels before and now, for the cases that both have."""
    old = {row["case"]: float(row["predicted_ns"]) for row in read_table(path)}
    now = [result for result in results if result.case in old and result.predicted is not None]
    then = [type(result)(result.row, old[result.case]) for result in now]
    kernels = scores.by_kernel(then)
    lines = [_changes(kernel, kernels[kernel], some) for kernel, some in scores.by_kernel(now).items()]
    head = ["kernel", "cases", "mean % before", "now", "median % before", "now", "bias % before", "now", "ratio before", "now"]
    return (table(head, lines + [_changes(f"**{OF_ALL}**", real(then), real(now))]) +
            f"\n\nBefore: {_order(then, folder)}; now: {_order(now, folder)}.")


def counters_table(results):
    kernels = scores.by_kernel(real(results))
    lines = [[kernel] + [counter_text(counter, counters.of_kernel(counter, counted(some))) for counter in counters.COUNTERS]
             for kernel, some in kernels.items() if counted(some)]
    lines.append(["**kernels within tolerance**"] + ["{} of {}".format(*met(counter, kernels)) for counter in counters.COUNTERS])
    rooms = [[counter.name, room(counter), counter.says] for counter in counters.COUNTERS]
    head = [counter.name + (", points" if counter.points else "") for counter in counters.COUNTERS]
    return table(["kernel"] + head, lines) + "\n\n" + table(["counter", "tolerance", "on the GPU; here"], rooms)


def stalls_table(results):
    found = {kernel: counters.stalls_of_kernel(counted(some)) for kernel, some in scores.by_kernel(real(results)).items()
             if counted(some)}
    rows = [[name, ", ".join(f"`{word}`" for word in reasons), ", ".join(f"`{word}`" for word in buckets),
             *(f"{mean([one[name][side] for one in found.values()]):.0f}" for side in (0, 1)), why]
            for name, reasons, buckets, why in counters.STALLS]
    kernels = [[kernel, counters.main_stall(one, 0), counters.main_stall(one, 1), f"{counters.agreement(one):.0f}"]
               for kernel, one in found.items()]
    same = sum(gpu == here for _, gpu, here, _ in kernels)
    return (table(["wait", "ncu's reasons", "buckets here", "GPU %", "here %", "meaning"], rows) +
            f"\n\nThe longest wait is the same in {same} of {len(kernels)} kernels:\n\n" +
            table(["kernel", "longest wait on the GPU", "here", "same wait, % of time"], kernels))


def misses_table(results):
    found = kernel_errors(results)
    for kernels, why in zip(misses.unexplained(found), ("off by more than 10 % without a reason", "not off by 10 %, and has a reason")):
        if kernels:
            raise BadRow(f"apps/misses.py: {', '.join(kernels)}: {why}")
    return table(["kernel", "mean %", "what is missing", "how that is known"],
                 [[kernel, _percent(error), *misses.MISSES[kernel]] for kernel, error in found.items() if kernel in misses.MISSES])


def _largest(whole, errors):
    """The kernels that change most, as a clause."""
    moved = {kernel: error for kernel, error in errors.items() if abs(error - whole[kernel]) >= 0.0005}
    order = sorted(moved, key=lambda kernel: -abs(moved[kernel] - whole[kernel]))
    return "; ".join(f"{kernel} {_percent(whole[kernel])} → {_percent(moved[kernel])}" for kernel in order[:CHANGED])


def ablation_table(told):
    whole = told[0]
    lines = [[one["mechanism"], ", ".join(f"`{key}={value}`" for key, value in one["sets"].items()), str(one["moved"]),
              f"{100 * (one['mean'] - whole['mean']):+.1f}", _largest(whole["errors"], one["errors"])] for one in told[1:]]
    head = ["without", "set", "cases that change", "mean error, points", f"error of kernels, %: the {CHANGED} that change most"]
    return f"{table(head, lines)}\n\n{whole['cases']} cases, with a mean error of {_percent(whole['mean'])} % with all on."


def leaveout_table(told):
    keys = ("start_fitted", "fitted", "start_left_out", "left_out_error")
    splits = [[str(number), ", ".join(one["left_out"]), *(_percent(one[key]) for key in keys)]
              for number, one in enumerate(told["splits"], 1)]
    means = ["**mean**", "", *(_percent(mean([one[key] for one in told["splits"]])) for key in keys)]
    head = ["split", "kernels left out", "fitted half: this machine %", "fitted %", "left-out half: this machine %", "fitted %"]
    values = [[f"`{key}`", str(value), ", ".join(str(one["values"][key]) for one in told["splits"])]
              for key, value in told["start"].items()]
    return (f"{table(head, splits + [means])}\n\n{table(['parameter', 'this machine', 'fitted, by split'], values)}\n\n"
            f"{told['cases']} cases; rounds per fit: {told['rounds']}.")


def picture(results, folder):
    figure, axis = plt.subplots(figsize=(11, 7.5))
    told = [result for result in results if result.predicted]
    times = [time / 1000 for result in told for time in (result.row.value, result.predicted)]
    ends = [0.7 * min(times), 1.4 * max(times)]
    axis.plot(ends, ends, color=plt.rcParams["text.color"], linewidth=0.8)
    for factor in (1 - BAND, 1 + BAND):
        axis.plot(ends, [factor * end for end in ends], color=plt.rcParams["text.color"], linewidth=0.6, linestyle="--")
    for number, (kernel, some) in enumerate(scores.by_kernel(told).items()):
        points = [(result.row.value / 1000, result.predicted / 1000) for result in some]
        axis.plot(*zip(*points), MARKERS[number // COLORS], markersize=6, color=f"C{number % COLORS}", alpha=0.8,
                  markeredgewidth=0, label=kernel)
    axis.set(xscale="log", yscale="log", xlim=ends, ylim=ends, xlabel="measured, µs", ylabel="predicted, µs")
    axis.legend(fontsize=8, loc="upper left", ncol=2)
    axis.grid(linewidth=0.3)
    save(figure, folder, "apps")


def _later(folder):
    """The kernels that were added later: their first predictions, and those of today."""
    path = folder / "apps_later.csv.gz"
    if not path.exists():
        return without("apps-later")
    return before_table(read_results(path), folder / "apps_later_first.csv", LATER)


def parts(folder):
    """{name of a part of page.md: its text}; also draws the picture."""
    names = ("apps", "apps_before", "apps_counters", "apps_stalls", "apps_misses", "apps_ablation", "apps_leaveout", "apps_later")
    path = folder / "apps.csv.gz"
    if not path.exists():
        return dict.fromkeys(names, without("apps"))
    results = read_results(path)
    picture(results, folder)
    before = folder / "apps_before.csv"
    made = (times_table(results), before_table(results, before) if before.exists() else "Nothing is kept of before.",
            counters_table(results), stalls_table(results), misses_table(results),
            kept(folder / "apps_ablation.json", ablation_table, "apps-ablation"),
            kept(folder / "apps_leaveout.json", leaveout_table, "apps-leaveout"), _later(folder))
    return dict(zip(names, made))
