"""Which rows stand for a family where all would take too long: few runs, every value of every parameter.

A configuration is what one run measures: rows that differ in the metric alone. Of each test's configurations those are
taken first that have a value of some parameter that none before had, then more of them; a run of one compute unit counts
as one, a longer one as several. The same ones every time.
"""
import collections
import random

from case import Unmodelled
from rows import REPEATS
from validate import plan

SLOW = ("l2_footprint_bandwidth", "memcpy_d2d")  # a second or more a run, of a family that has others
GROUPS = 1000
LONG = 4  # short runs that a long one counts as: of a whole grid, or of OpenCL C, which is compiled first


def configuration(row):
    """What the rows of one run have in common."""
    return (row.test,) + tuple((name, value) for name, value in row.fields.items() if name not in REPEATS)


def is_short(row):
    """Whether its run takes hundredths of a second; raises Unmodelled."""
    case = plan(row)[0]
    return case.cus == 1 and case.language == "wws"


def _is_slow(row):
    """Whether it may take seconds: half a machine of copy engines, or thousands of work-groups in OpenCL C."""
    case = plan(row)[0]
    return row.test in SLOW or case.share == 2 or (case.language == "cl" and sum(launch.sizes()[0][0] // launch.sizes()[1][0]
                                                                                 for launch in case.launches) > GROUPS)


def _cost(rows, slow):
    """Of the run of a configuration's rows; 0 if no row can be modelled, or if it is slow and these are not wanted."""
    for row in rows:
        try:
            return 1 if is_short(row) else 0 if _is_slow(row) and not slow else LONG
        except Unmodelled:
            continue
    return 0


def _of_test(test, configurations, budget, slow):
    """Rows of configurations [(key, rows)] that cost about `budget`, of which long runs get a third. New values may
    cost as much again, up to a limit: there are parameters of a thousand values."""
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
    """Rows of about `budget` short runs of each family, the same for each of its tests; slow runs only if wanted."""
    tests = collections.OrderedDict()
    for row in rows:
        tests.setdefault((row.family, row.test), collections.OrderedDict()).setdefault(configuration(row), []).append(row)
    of_family = collections.Counter(family for family, _ in tests)
    return [row for (family, test), of_test in tests.items()
            for row in _of_test(test, list(of_test.items()), max(6, round(budget / of_family[family])), slow)]
