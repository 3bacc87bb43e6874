"""How well predicted times match measured ones: errors, ranks, and which of two variants is faster."""
import itertools
import math

from scipy.stats import spearmanr

from case import median
from validate import errors, mean, percentile

APART = 1.05  # times with a smaller ratio count as equal


def geometric_mean(values):
    return math.exp(mean([math.log(value) for value in values]))


def spearman(first, second):
    """Rank correlation of two lists. Equal values share a rank. NaN if all values of a list are equal."""
    return float(spearmanr(first, second)[0]) if min(len(set(first)), len(set(second))) > 1 else math.nan


def pairs(results, apps):
    """(pairs of variants of the same work whose times differ on the GPU, those of them that are predicted in that
    order)
    """
    groups, told, right = {}, [], []
    for result in results:
        if result.predicted is not None and apps[result.row.fields["case"]].variants:
            groups.setdefault(apps[result.row.fields["case"]].variants, []).append(result)
    for group in groups.values():
        for a, b in itertools.combinations(group, 2):
            slow, fast = (a, b) if a.row.value > b.row.value else (b, a)
            if slow.row.value > APART * fast.row.value:
                told.append((fast, slow))
                right += [(fast, slow)] if slow.predicted > fast.predicted else []
    return told, right


def by_kernel(results):
    """{kernel: its results}, in order."""
    kernels = {}
    for result in results:
        kernels.setdefault(result.row.family, []).append(result)
    return kernels


def score(results):
    """The figures of some results, as a dictionary; None if there is no prediction."""
    told = [result for result in results if result.predicted is not None]
    values = errors(told)
    if not values:
        return None
    return {"cases": len(told), "mean": mean(values), "bias": mean([result.error for result in told]),
            "ratio": geometric_mean([1 + result.error for result in told]), "median": median(values),
            "p90": percentile(values, .9), "worst": max(told, key=lambda result: abs(math.log(1 + result.error))),
            "spearman": spearman([result.row.value for result in told], [result.predicted for result in told])}
