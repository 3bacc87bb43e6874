#!/usr/bin/env python3
"""Makes sim/report/fidelity.def, the table from which reports state their own error, from the validation's rows.

A row's class is the limit that the report of its run names and the main kinds of operations in it. For each class with
enough rows the table has the number of rows, and the median and 90th percentile of their absolute errors; for each
kind, how many rows have it. Prints how many held-out rows the stated 90th percentile covers.
"""
import argparse
import collections
import functools
import math
import pathlib
import re
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import rows as measured_rows
from pick import configuration
from rows import BadRow
from validate import read_predictions, write_new

ROOT = pathlib.Path(__file__).resolve().parents[1]
KINDS = ROOT / "sim/report/fidelity.kinds.def"
FEWEST = 20  # rows of a class; fewer do not give a useful 90th percentile
FOLDS = 10
SECOND = sorted((ROOT / "hw/data/second").glob("t*.csv.gz"))

# The statement about a class, in tenths of a percent.
Stated = collections.namedtuple("Stated", "rows median most")


def chosen(results):
    """The rows that test the model: predicted, and neither about the board nor noisy."""
    return [r for r in results if r.predicted is not None and r.like and r.row.family and not measured_rows.apart(r.row)]


def error(result):
    """In percent."""
    return 100 * abs(result.error)


@functools.cache
def classes_of(like):
    """The classes of a launch, the narrowest first: its limit and operations, its limit, any."""
    return (like.limit, ", ".join(like.operations)), (like.limit, None), (None, None)


def weighted(pairs, part):
    """The percentile of sorted pairs of a value and its weight."""
    wanted, passed = part * sum(weight for _, weight in pairs), 0.0
    for value, weight in pairs:
        passed += weight
        if passed > wanted * (1 + 1e-9):
            return value
    return pairs[-1][0]


def state(pairs):
    """The statement about some errors with weights, sorted. The 90th percentile is rounded up, so that it does cover 90 %."""
    return Stated(len(pairs), round(10 * weighted(pairs, .5)), math.ceil(10 * weighted(pairs, .9) - 1e-9))


def sorted_errors(results):
    """(error, classes, result) of each result."""
    return sorted(((error(result), classes_of(result.like), result) for result in results), key=lambda one: one[0])


def table(results):
    return table_of(sorted_errors(results))


def table_of(errors):
    """{class: Stated} of classes with enough rows. In a wider class, each narrow class has the same weight, however
    many rows it has, because a launch that is compared with the wider class is in none of the narrow ones."""
    narrow = collections.Counter(classes[0] for _, classes, _ in errors)
    pairs = collections.defaultdict(list)
    for value, classes, _ in errors:
        weight = 1 / narrow[classes[0]]
        for one in classes:
            pairs[one].append((value, weight))
    return {one: state(some) for one, some in pairs.items() if len(some) >= FEWEST or one == (None, None)}


def find(stated, like):
    """(the width of the class: 0 for limit and operations, its Stated)"""
    return next((i, stated[one]) for i, one in enumerate(classes_of(like)) if one in stated)


def covered(stated, results):
    """For each width of a class: [rows, rows within the stated 90th percentile]."""
    counts = [[0, 0], [0, 0], [0, 0]]
    for result in results:
        width, of_class = find(stated, result.like)
        counts[width][0] += 1
        counts[width][1] += error(result) <= of_class.most / 10
    return counts


def _added(parts):
    return [[sum(part[width][i] for part in parts) for i in (0, 1)] for width in range(3)]


def held_out(results, key):
    """covered() for all rows, each with a table made without the rows that have the same key."""
    keys, errors = {id(result): key(result) for result in results}, sorted_errors(results)
    groups = collections.defaultdict(list)
    for result in results:
        groups[keys[id(result)]].append(result)
    return _added([covered(table_of([row for row in errors if keys[id(row[2])] != one]), groups[one]) for one in groups])


def fold(result):
    """The fold of a row. Rows of one run are in the same fold, because they differ only in the metric."""
    return zlib.crc32(repr(configuration(result.row)).encode()) % FOLDS


def test(result):
    return result.row.test


def family(result):
    return result.row.family


def share(counts):
    """The share of covered rows, in percent."""
    return 100 * sum(inside for _, inside in counts) / max(1, sum(rows for rows, _ in counts))


def kinds():
    """{id: words} of fidelity.kinds.def, in its order."""
    return dict(re.findall(r'^(?:OP|RUN)\((\w+), (?:MAIN|SIDE), "([^"]+)"', KINDS.read_text(), re.MULTILINE))


def _word(text):
    return "NULL" if text is None else f'"{text}"'


def definition(results):
    """The text of fidelity.def."""
    having = collections.Counter(kind for result in results for kind in result.like.kinds)
    stated = table(results)
    lines = [f"KIND({name}, {having[words]})" for name, words in kinds().items()]
    for limit, operations in sorted(stated, key=lambda one: (one[0] or "", one[1] is not None, one[1] or "")):
        rows, median, most = stated[limit, operations]
        lines.append(f"CLASS({_word(limit)}, {_word(operations)}, {rows}, {median / 10:.1f}, {most / 10:.1f})")
    return f"""/* Made by hw/fidelity.py (`make accuracy`) of {len(results)} measured rows.
 *
 *     FEWEST(rows that a class must have, and that must have a kind for it to count as validated)
 *     KIND(id, rows that have it)
 *     CLASS(limit, main operations, rows, median, 90th percentile)    of the absolute errors in percent; NULL: any */
/* clang-format off */
FEWEST({FEWEST})
""" + "\n".join(lines) + "\n/* clang-format on */\n"


WIDTHS = ("with a class of their own", "compared with all of their limit", "compared with all rows")


def coverage(results, second):
    """Lines of (which rows, how many, covered in percent): the main figure, then its parts, then other splits."""
    folds = held_out(results, fold)
    lines = [("left out, a tenth of all runs at a time", folds)]
    lines += [(f"of these, {name}", [counts]) for name, counts in zip(WIDTHS, folds)]
    lines += [("left out, a whole test at a time", held_out(results, test)),
              ("left out, a whole family at a time", held_out(results, family)),
              ("a sample of the second pass", covered(table(results), second))]
    return [(name, sum(rows for rows, _ in counts), share(counts)) for name, counts in lines if any(rows for rows, _ in counts)]


def read(folder):
    """(rows of the first pass, rows of the second pass's sample) with their classes."""
    first = read_predictions(folder / "rows.csv.gz", measured_rows.read(measured_rows.public()))
    second = read_predictions(folder / "second.csv.gz", measured_rows.read(SECOND), sampled=True)
    if not chosen(first):
        raise BadRow(f"{folder}/rows.csv.gz: no row has a class; make accuracy PARTS=rows")
    return chosen(first), chosen(second)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--folder", default="docs/accuracy", help="where `make accuracy` keeps the rows (default: docs/accuracy)")
    parser.add_argument("--write", metavar="FILE", help="the table for reports: sim/report/fidelity.def")
    options = parser.parse_args()
    try:
        results, second = read(pathlib.Path(options.folder))
    except BadRow as bad:
        print(f"fidelity.py: {bad}", file=sys.stderr)
        return 2
    if options.write:
        write_new(options.write, definition(results))
    print(f"{len(table(results))} classes of at least {FEWEST} rows")
    for name, rows, percent in coverage(results, second):
        print(f"{percent:5.1f} % of {rows:>6} rows within the stated 90th percentile: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
