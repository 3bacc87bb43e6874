#!/usr/bin/env python3
# Time limit: a kernel may take 120 s.
"""docs/check-oclgrind.md: what `warpwait check` and Oclgrind report for each OpenCL pair of tests/check/kernels.

usage: oclgrind.py [--write [--all]] [WORD...]

--write runs the pairs that are new, have changed or that we did not name (with --all: every pair) and writes the
page. It needs oclgrind and python3-pyopencl. Without --write, the page must cover exactly the existing kernels, its
tables must follow from its rows, and, if Oclgrind is installed, some pairs must give the same rows as the page. With
words, the rows of pairs whose names contain one of them are printed."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
import launches  # noqa: E402
import oclgrind_run  # noqa: E402
import rules as corpus  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/check-oclgrind.md"
TEMPLATE = ROOT / "tests/check/oclgrind.md"
WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
SAMPLE = 12
COLUMNS = ("name", "hash", "ours", "ours_right", "theirs", "said", "theirs_right", "said_right", "ours_ms", "theirs_ms")
VERDICTS = ("named", "indirect", "elsewhere", "missed", "cannot run")
# An engine's refusal is no defect of the kernel, and other tools cannot know about it.
OF_A_MACHINE = ("M3",)
# Kernels whose results come from images; for those of I4 Oclgrind reports races.
OF_IMAGES = ("I2", "I3")


class Row:
    """A pair's line on the page; every column is text. `late`: Oclgrind did not finish within its time limit."""

    def __init__(self, *columns, late=False):
        self.late = late
        for name, text in zip(COLUMNS, columns, strict=True):
            setattr(self, name, text)

    @property
    def rule(self):
        return self.name.split("_")[0]

    def verdict(self):
        """Everything except the times, which vary between runs."""
        return [getattr(self, name) for name in COLUMNS[:-2]]

    def differs(self):
        """Whether we failed to report what we should."""
        return "differs" in (self.ours, self.ours_right)

    def line(self):
        cells = [getattr(self, name) for name in COLUMNS]
        cells[0], cells[1] = "[`%s`](../tests/check/kernels/%s.cl)" % (cells[0], cells[0]), "`%s`" % cells[1]
        return "| %s |" % " | ".join(cells)


def row_of(line):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    found = re.fullmatch(r"\[`(\w+)`\]\(\.\./tests/check/kernels/\w+\.cl\)", cells[0]) if len(cells) == len(COLUMNS) else None
    return Row(found.group(1), cells[1].strip("`"), *cells[2:]) if found else None


def rows_of(page):
    return [row for row in map(row_of, page.splitlines()) if row]


# ---- One pair ----------------------------------------------------------------------------------

def hash_of(kernel):
    row = launches.row_of(kernel.source, launches.rows())
    return hashlib.sha256(kernel.source.read_bytes() + row.encode()).hexdigest()[:8]


def timed_check(kernel):
    """Lines that `warpwait check` reports or should report, and its CPU time in seconds with the kernel already
    compiled."""
    environment = {"WARPWAIT_CACHE": str(ROOT / "build/cache"), **os.environ}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([WARPWAIT, "check", "--report", "json", *kernel.options, str(kernel.launch)],
                          capture_output=True, text=True, timeout=120, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    sides = [side for hazard in json.loads(done.stdout)["hazards"] for side in (hazard, hazard.get("other")) if side]
    lines = {side["line"] for side in sides} | corpus.marked(kernel.source, "HERE") | corpus.marked(kernel.source, "OTHER")
    return lines, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def worded(said):
    """The kinds of messages, as a cell of the page."""
    return "; ".join("%s %s" % (kind, ", ".join(map(str, sorted(lines)))) if lines else kind
                     for kind, lines in sorted(said.items()))


def judged(rule, said, lines):
    """The verdict on what is reported only for the wrong kernel, and on its lines. A message without a line matches any
    line."""
    named = oclgrind_run.NAMES.get(rule)
    if named and any(re.match(named, kind) for kind in said):
        return "named"
    if any(not places or places & lines for places in said.values()):
        return "indirect"
    return "elsewhere" if said else "missed"


def compare(pair):
    """The row of a pair. Runs in its own process, to measure the CPU time of its children."""
    right, wrong = pair
    ours = {kernel.wrong: corpus.judge(kernel, WARPWAIT, "check") for kernel in pair}
    checked = {kernel.wrong: timed_check(kernel) for kernel in pair}
    theirs = {kernel.wrong: oclgrind_run.run(kernel.launch, kernel.options) for kernel in pair}
    said = oclgrind_run.without(theirs[True].said, theirs[False].said)
    verdict = judged(wrong.rule.identifier, said, checked[True][0])
    if theirs[True].reason and verdict != "named":
        verdict, words = "cannot run", theirs[True].reason
    else:
        words = worded(said)
    twin, twin_words = ("false report", worded(theirs[False].said)) if theirs[False].said else ("silent", "")
    if theirs[False].reason:
        twin, twin_words = "cannot run", ""
    ran = verdict != "cannot run" and twin != "cannot run"
    ours_ms = "%.1f" % (500 * sum(seconds for _, seconds in checked.values())) if ran else ""
    theirs_ms = "%.1f" % (500 * sum(outcome.seconds or 0 for outcome in theirs.values())) if ran else ""
    return Row(right.source.stem, hash_of(right), "named" if not ours[True] else "differs",
               "silent" if not ours[False] else "differs", verdict, words, twin, twin_words, ours_ms, theirs_ms,
               late=any(outcome.reason == oclgrind_run.NO_END for outcome in theirs.values()))


# ---- The page ----------------------------------------------------------------------------------

def table(head, lines):
    return "\n".join(["| %s |" % " | ".join(head), "|%s" % ("---|" * len(head)), *lines])


def counts(rows):
    """Number of pairs; ours named, twins silent; Oclgrind's verdicts; its false reports and the twins that it can
    run."""
    of = lambda name, value: sum(getattr(row, name) == value for row in rows)
    return [len(rows), of("ours", "named"), of("ours_right", "silent"), *(of("theirs", verdict) for verdict in VERDICTS),
            of("theirs_right", "false report")]


def by_rule(rows, rules):
    head = ("rule", "pairs", "named", "silent twins", *("Oclgrind: " + verdict for verdict in VERDICTS), "false reports")
    lines = [("`%s`" % rule.slug, counts([row for row in rows if row.rule == rule.identifier])) for rule in rules.values()]
    return table(head, ["| %s |" % " | ".join([name, *map(str, numbers)])
                        for name, numbers in [*lines, ("all", counts(rows))] if numbers[0]])


def reasons(rows):
    """Why Oclgrind cannot run kernels, and for how many pairs."""
    found = {}
    for row in rows:
        if row.theirs == "cannot run":
            found[row.said] = found.get(row.said, 0) + 1
    return table(("why", "pairs"), ["| %s | %d |" % item for item in sorted(found.items(), key=lambda item: (-item[1], item))])


def page_of(rows, rules, version):
    """The page, derived from the rows alone."""
    times = sorted(((float(row.theirs_ms), float(row.ours_ms)) for row in rows if row.ours_ms), reverse=True)
    ratio = lambda some: "%.1f" % statistics.median(theirs / ours for theirs, ours in some)
    figures = dict(zip("pairs ours ours_right named indirect elsewhere missed cannot false".split(), counts(rows)))
    return TEMPLATE.read_text().format(
        **figures, version=version, options=" ".join(oclgrind_run.OPTIONS), build=" ".join(oclgrind_run.BUILD_OPTIONS),
        timeout=oclgrind_run.TIMEOUT, runs=figures["pairs"] - figures["cannot"],
        twins=sum(row.theirs_right != "cannot run" for row in rows),
        false_uninitialized=sum(row.theirs_right == "false report" and row.said_right.startswith("uninit") for row in rows),
        false_images=sum(row.theirs_right == "false report" and row.rule in OF_IMAGES for row in rows),
        false_races=sum(row.theirs_right == "false report" and row.said_right.startswith("data race") for row in rows),
        ours_ms="%.1f" % statistics.median(ours for _, ours in times), timed=len(times), ratio=ratio(times),
        theirs_ms="%.1f" % statistics.median(theirs for theirs, _ in times), ratio_longest=ratio(times[:10]),
        rules=by_rule(rows, rules), reasons=reasons(rows),
        kernels=table(("kernel", "hash", "ours", "twin", "Oclgrind", "what it says, and lines", "twin", "what it says",
                       "ours, ms", "Oclgrind, ms"), [row.line() for row in rows]))


def compared(pairs):
    """The rows of pairs, computed two at a time."""
    rows = []
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for row in pool.map(compare, pairs):
            rows.append(row)
            if sys.stderr.isatty():
                print("\r%d of %d pairs" % (len(rows), len(pairs)), end="", file=sys.stderr)
    return rows


def write(pairs, rules, everything):
    old = {} if everything or not PAGE.exists() else {row.name: row for row in rows_of(PAGE.read_text())}
    fresh = compared([pair for name, pair in pairs.items()
                      if name not in old or old[name].hash != hash_of(pair[0]) or old[name].differs()])
    rows = {**old, **{row.name: row for row in fresh}}
    page = page_of([rows[name] for name in sorted(pairs)], rules, oclgrind_run.version())
    beside = PAGE.with_suffix(".new")
    beside.write_text(page)
    beside.replace(PAGE)
    print("%d pairs run, %d on the page" % (len(fresh), len(pairs)))


def check(pairs, rules):
    """What is wrong with the page, one sentence each."""
    page = PAGE.read_text()
    rows = {row.name: row for row in rows_of(page)}
    version = re.search(r"Oclgrind (\d+\.\d+)", page).group(1)
    for name in sorted(rows.keys() ^ pairs.keys()):
        yield "%s is %s" % (name, "not on the page" if name in pairs else "no kernel any more")
    for name in sorted(rows.keys() & pairs.keys()):
        if rows[name].hash != hash_of(pairs[name][0]):
            yield "%s has changed" % name
    if page != page_of(list(rows.values()), rules, version):
        yield "its tables are not those of its rows"
    known = sorted(name for name in rows.keys() & pairs.keys() if rows[name].hash == hash_of(pairs[name][0]))
    if not oclgrind_run.installed() or oclgrind_run.version() != version:
        print("Oclgrind %s or pyopencl is not installed: no pair is run again" % version)
        return
    late = 0
    sample = {*known[::max(1, len(known) // SAMPLE)], *(name for name in known if rows[name].differs())}
    for row in compared([pairs[name] for name in sorted(sample)]):
        late += row.late
        if not row.late and row.verdict() != rows[row.name].verdict():  # a busy machine may time out
            yield "%s: %s is now %s" % (row.name, rows[row.name].verdict()[2:], row.verdict()[2:])
    if 2 * late > len(sample):
        yield "%d of %d pairs: %s" % (late, len(sample), oclgrind_run.NO_END)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("words", nargs="*", metavar="WORD")
    # tests/run passes a GoogleTest option to every program.
    arguments, _ = parser.parse_known_args()
    rules = corpus.rules_of(ROOT / "isa/hazards.def")
    kernels = [kernel for kernel in corpus.kernels_of(rules, lambda *_: None)
               if kernel.source.suffix == ".cl" and kernel.rule.identifier not in OF_A_MACHINE]
    pairs = {right.source.stem: (right, wrong) for right, wrong in zip(kernels[::2], kernels[1::2], strict=True)}
    if (arguments.write or arguments.words) and not oclgrind_run.installed():
        sys.exit("oclgrind or pyopencl is missing: apt-get install oclgrind python3-pyopencl")
    if arguments.write:
        return write(pairs, rules, arguments.all)
    if arguments.words:
        for row in compared([pair for name, pair in pairs.items() if any(word in name for word in arguments.words)]):
            print(row.line())
        return 0
    faults = list(check(pairs, rules))
    for fault in faults:
        print("docs/check-oclgrind.md: %s" % fault)
    if faults:
        print("run 'make docs-oclgrind'")
    print("%d passed, %d failed" % (not faults, len(faults)))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
