"""Picks rows to represent a family when all would take too long: few runs, but every value of every parameter.

A configuration is what one run measures: rows that differ only in the metric. Configurations with a new value of some
parameter are picked first, then others. A run of one compute unit counts as one, a longer one as several. The choice is
deterministic.
"""
import collections
import random

from case import Unmodeled
from rows import REPEATS
from validate import plan

SLOW = ("l2_footprint_bandwidth", "memcpy_d2d")  # a second or more per run; their family has faster tests
GROUPS = 1000
LONG = 4  # short runs that a long one counts as: of a whole grid, or of OpenCL C, which must be compiled


def configuration(row):
    """A key that the rows of one run share."""
    return (row.test,) + tuple((name, value) for name, value in row.fields.items() if name not in REPEATS)


def is_short(row):
    """Whether the row's run takes hundredths of a second. Raises Unmodeled."""
    case = plan(row)[0]
    return case.cus == 1 and case.language == "wws"


def _is_slow(row):
    """Whether the row's run may take seconds: half a machine of copy engines, or thousands of work-groups in OpenCL
    C."""
    case = plan(row)[0]
    return row.test in SLOW or case.share == 2 or (case.language == "cl" and sum(launch.sizes()[0][0] // launch.sizes()[1][0]
                                                                                 for launch in case.launches) > GROUPS)


def _cost(rows, slow):
    """The cost of a configuration's run; 0 if no row can be modeled, or if it is slow and `slow` is false."""
    for row in rows:
        try:
            return 1 if is_short(row) else 0 if _is_slow(row) and not slow else LONG
        except Unmodeled:
            continue
    return 0


def _of_test(test, configurations, budget, slow):
    """Rows of configurations [(key, rows)] that cost about `budget`, of which long runs get a third. New values may
    double the cost, up to a limit, because some parameters have a thousand values."""
    random.Random(test).shuffle(configurations)
    costs, taken, seen, spent = {}, set(), set(), {1: 0, LONG: 0}
    for new_only in (True, False):
        for length, share in ((1, budget), (LONG, max(LONG, budget // 3))):
            for i, (key, rows) in enumerate(configurations):
                if spent[length] >= share * (2 if new_only else 1):
                    break
                if i in taken or (new_only and seen.issuperset(key[1:])):
                    continue
                if costs.setdefault(i, None) is None:
                    costs[i] = _cost(rows, slow)
                if costs[i] == length:
                    taken.add(i)
                    seen.update(key[1:])
                    spent[length] += length
    return [row for i in sorted(taken) for row in configurations[i][1]]


def pick(rows, budget, slow=False):
    """Rows of about `budget` short runs per family, divided evenly among its tests. slow: include slow runs."""
    tests = collections.OrderedDict()
    for row in rows:
        tests.setdefault((row.family, row.test), collections.OrderedDict()).setdefault(configuration(row), []).append(row)
    of_family = collections.Counter(family for family, _ in tests)
    return [row for (family, test), of_test in tests.items()
            for row in _of_test(test, list(of_test.items()), max(6, round(budget / of_family[family])), slow)]
