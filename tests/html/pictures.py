#!/usr/bin/env python3
"""Opens the page of every example and of odd runs in a headless Chromium; --write also makes docs/page's pictures
again.

Pictures of all of them, light and dark, at 360, 1400 and 3840 pixels, are left in FOLDER for review. Exit status 1
if a page complains."""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import Reader  # pylint: disable=wrong-import-position
from made import ROOT, warpwait  # pylint: disable=wrong-import-position

EXAMPLE = "examples/05_double_buffer/launch_opencl.json"
LAST = pathlib.Path("docs/lessons/08-read-a-real-report")
ODD = {  # name: the words of a run with unusually little or much to show
    "no_events": ("run", EXAMPLE, "--from", "900000"),
    "copies_alone": ("run", EXAMPLE, "--events", "copy,waited"),
    "cycle_limit": ("run", EXAMPLE, "--max-cycles", "3000"),
    "many_units": ("run", "tests/bench/double_buffer.json", "--machine", "h200", "--to", "3000"),
    "barriers": ("run", "examples/08_barrier_imbalance/launch_opencl.json", "--from", "600", "--to", "900"),
    "depth": ("run", "examples/15_sweep/launch_deep_buffer.json", "--html-vary", "define.DEPTH=1..8"),
}
SELECT = """(() => { const t = page.timeline, copy = page.run.copies[4]; t.window(700, 1500);
  t.select({row: copy.row, slice: copy.row.copies.indexOf(copy)}); })()"""


def see(reader, path, folder, name):
    """Opens it in each size and theme. Returns its complaints."""
    reader.complaints.clear()
    for width, height, dark in ((1400, 1000, False), (1400, 1000, True), (360, 740, False), (3840, 2160, False)):
        reader.size(width, height, dark)
        reader.open(path)
        reader.picture(folder / f"{name}_{width}{'_dark' if dark else ''}.png")
    return reader.complaints


def write_pictures(reader, folder):
    """The pictures of docs/page.md, the top of the page with a copy selected and the banks, and that of a lesson."""
    path = folder / "docs.html"
    warpwait("run", EXAMPLE, "--html", path, "--html-vary", "dma.setup=0,20,40,80", "--out", "/dev/null")
    reader.size(1000, 1400)
    reader.open(path)
    reader.evaluate(SELECT)
    (ROOT / "docs/page").mkdir(exist_ok=True)
    write_part(reader, "title", "selected", ROOT / "docs/page/timeline.svg")
    write_banks(reader, path, "examples/02_bank_conflict/launch_opencl.json", 3, "docs/page/banks.svg")
    write_banks(reader, path, LAST / "launch.json", 0, LAST / "banks.svg")


def write_banks(reader, path, job, launch, picture):
    """The banks of a launch of a job, counted from 0."""
    warpwait("run", job, "--html", path, "--out", "/dev/null")
    reader.size(1000, 1400)
    reader.open(path)
    reader.evaluate(f"page.pick({launch})")
    write_part(reader, "banks-title", "lanes", ROOT / picture)


def write_part(reader, first, last, picture):
    """The part of the page from one element to another, and no more: elements change their size."""
    reader.settle()
    top, bottom = reader.evaluate(f"""[document.getElementById({first!r}).getBoundingClientRect().top + scrollY - 12,
      document.getElementById({last!r}).getBoundingClientRect().bottom + scrollY + 12]""")
    reader.picture_in_both(picture, max(0, round(top)), round(bottom))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    runs = {launch.parent.name + "_" + launch.stem: ("run", launch.relative_to(ROOT))
            for launch in sorted(ROOT.glob("examples/*/launch*.json"))} | ODD
    reader, wrong = Reader(), 0
    for name, words in runs.items():
        path = options.folder / f"{name}.html"
        warpwait(*words, "--html", path, "--out", "/dev/null", status=1 if name == "cycle_limit" else 0)
        complaints = see(reader, path, options.folder, name)
        wrong += bool(complaints)
        print(f"{name}: {'; '.join(complaints) or 'fine'}")
    if options.write:
        write_pictures(reader, options.folder)
    reader.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
