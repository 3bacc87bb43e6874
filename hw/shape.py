"""Whether predictions and measurements agree on how many stages a pipeline needs.

A series is the measured depths of one (engine, place, memory, tile, compute, threads). Its best depth is the smallest
number of stages whose time per tile is within 5 % of the series' best. A prediction is right if it is that depth or a
neighboring measured one.
"""
import collections

WITHIN = 0.05  # relative to the least time
NEEDED = 0.9  # share of the series that must be right
SERIES = ("engine", "place", "mem", "tile_bytes", "compute_groups", "threads")


def best_depth(times):
    """The index of the best depth in the list [(stages, cycles)], which is ordered by stages."""
    enough = (1 + WITHIN) * min(cycles for _, cycles in times)
    return next(place for place, (_, cycles) in enumerate(times) if cycles <= enough)


def misses(results):
    """{series: (how many places in the list of depths the prediction is off, measured best, predicted best)}"""
    series = collections.OrderedDict()
    for result in results:
        if result.row.metric == "cycles_per_tile" and "stages" in result.row.fields and result.predicted is not None:
            key = tuple(result.row.fields.get(field) for field in SERIES)
            series.setdefault(key, []).append((result.row.number("stages"), result.row.value, result.predicted))
    found = collections.OrderedDict()
    for key, depths in series.items():
        depths.sort()
        if len({stages for stages, _, _ in depths}) < 2:
            continue
        measured = best_depth([(stages, cycles) for stages, cycles, _ in depths])
        predicted = best_depth([(stages, cycles) for stages, _, cycles in depths])
        found[key] = predicted - measured, depths[measured][0], depths[predicted][0]
    return found


def report(results, worst):
    """Prints for how many series the best depth is right, and the first of the others."""
    found = misses(results)
    if not found:
        print("\nbest depth of pipelines: no series of two depths or more")
        return
    exact = sum(miss == 0 for miss, _, _ in found.values())
    right = sum(abs(miss) <= 1 for miss, _, _ in found.values())
    print(f"\nbest depth of pipelines (least stages within {100 * WITHIN:.0f} % of the best): {len(found)} series, "
          f"{100 * exact / len(found):.1f} % exact, {100 * right / len(found):.1f} % exact or next to it "
          f"({100 * NEEDED:.0f} % needed)")
    wrong = [(key, miss) for key, miss in found.items() if abs(miss[0]) > 1]
    for key, (_, measured, predicted) in wrong[:worst]:
        named = ", ".join(f"{field}={value}" for field, value in zip(SERIES, key))
        print(f"  measured {measured} stages, predicted {predicted}: {named}")
