#!/usr/bin/env python3
"""docs/study.md: what its tables say about single points equals the points' results, and its pictures exist.

usage: tests/sweep/study_page.py [--write]    --write: runs all points; puts outputs into the page, pictures beside it

Without --write, only the points that the page's tables name by number run."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from analysis_page import ROOT, WARPWAIT, answered
from warpwait.sweep import Store

PAGE, PICTURES = ROOT / "docs/study.md", ROOT / "docs/study"
PLANS = ["deep_buffer", "stencil"]
LEAST_POINTS = 5000  # of all plans
MOST_BYTES = 150 << 10  # of a picture
TABLE = re.compile(r"^\$ warpwait sweep query \w+ (\w+)\.sqlite.*\n(number .*\n(?: *\d.*\n)+)", re.M)


def write(page, folder):
    """Makes the page and its pictures again."""
    (folder / "examples").symlink_to(ROOT / "examples")
    PAGE.write_text(answered(page, folder))
    PICTURES.mkdir(exist_ok=True)
    for picture in folder.glob("*.svg"):
        shutil.copy(picture, PICTURES / picture.name)


def rows_of(page, plan):
    """The page's tables with numbers of points: (number, {column: word}) for each row."""
    rows = []
    for name, table in TABLE.findall(page):
        head, *lines = [re.sub(r"\(.*?\)", "", line).split() for line in table.splitlines()]
        for line in lines if name == plan else []:
            rows.append((int(line[0]), dict(zip(head[1:], line[1:]))))
    return rows


def check_rows(plan, rows, folder):
    """Runs the points of the rows and compares the results with the rows."""
    assert rows, f"{plan}: the page has no table of points"
    numbers, path = folder / "numbers", folder / f"{plan}.sqlite"
    numbers.write_text("".join(f"{number}\n" for number in sorted({number for number, _ in rows})))
    subprocess.run([WARPWAIT, "sweep", "run", ROOT / f"examples/15_sweep/{plan}.ini", "--points", numbers, "-o", path,
                    "--quiet"], check=True, stdout=subprocess.DEVNULL)
    frame = Store(str(path)).frame(["cycles", "cost", "stalls.lds_queue"]).set_index("number")
    for number, row in rows:
        point = frame.loc[number]
        for column in set(row) - {"points", "status"}:
            assert float(point[column]) == float(row[column]), \
                f"{plan}, point {number}: {column} is {point[column]}, not {row[column]}: run `make study`"


def check_counts(page):
    """The page's commands ran whole plans, and these have the expected sizes."""
    total = 0
    for plan in PLANS:
        counts = re.search(rf"query pareto {plan}\.sqlite.*?Of (\d+) points (\d+) finished", page, re.S)
        there, finished = counts.groups()
        run = [WARPWAIT, "sweep", "run", ROOT / f"examples/15_sweep/{plan}.ini", "--dry-run"]
        dry = subprocess.run(run, check=True, capture_output=True, text=True).stdout.split()[0]
        assert dry == there, f"{plan}: the page has {there} points, the plan {dry}: run `make study`"
        assert finished == there, f"{plan}: of {there} points {finished} finished"
        total += int(there)
    assert total >= LEAST_POINTS, f"{total} points of all plans, not {LEAST_POINTS}"


def check_text(page):
    """Each cycle count that the conclusion names is in an output below it."""
    text, below = re.search(r"^## The conclusion\n(.*?)^## (.*)", page, re.M | re.S).groups()
    outputs = " ".join(re.findall(r"^```\n(.*?)^```", below, re.M | re.S)).split()
    for number in re.findall(r"\b\d{4,}\b", text):
        assert number in outputs, f"the conclusion says {number}, and no output of the page does: write it anew"


def check_pictures(page):
    for name in re.findall(r"\]\(study/(.*?)\)", page):
        assert (PICTURES / name).exists(), f"{name} is missing: run `make study`"
        assert (PICTURES / name).stat().st_size < MOST_BYTES, f"{name}: larger than {MOST_BYTES} bytes"


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if "--write" in sys.argv:
            write(PAGE.read_text(), folder)
        page = PAGE.read_text()
        (folder / "few").mkdir()
        check_counts(page)
        for plan in PLANS:
            check_rows(plan, rows_of(page, plan), folder / "few")
        check_text(page)
        check_pictures(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
