#!/usr/bin/env python3
"""The README: its report has the numbers of the run's output, its cycles are those of the runs, and its picture is drawn from them.

docs/wait.svg shows what warp 0 of examples 04 and 05 does, and their copies, over the whole run.

usage: tests/examples/readme_page.py [--write]    --write: draws the picture again"""
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))
from facts import facts  # noqa: E402

WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
PICTURE = ROOT / "docs/wait.svg"
RUNS = {"one buffer": "04_single_buffer", "two buffers": "05_double_buffer"}
LEFT, WIDTH, ROW, GAP, PADDING = 96, 760, 22, 5, 14  # pixels
STYLE = """
  text { font: 13px sans-serif; fill: #24292f } .paper { fill: #ffffff }
  .work { fill: #1a7f37 } .wait { fill: #cc79a7 } .copy { fill: #8250df }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .paper { fill: #14171b }
    .work { fill: #3fb950 } .copy { fill: #b692f6 }
  }
"""


def timeline(example):
    """(from, to, class) of warp 0, with neighbors of one class merged; (from, to) of the copies; cycles of the
    launch."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "t.csv")
        launch = ROOT / "examples" / example / "launch_opencl.json"
        report = subprocess.run([WARPWAIT, "run", launch, "--timeline", path, "--report", "json"], check=True,
                                capture_output=True)
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    warp, copies = [], []
    for row in rows:
        start, end = int(row["from"] or 0), int(row["to"] or 0)
        if (row["block"], row["name"], row["unit"]) == ("cu", "warp", "0"):
            kind = "wait" if row["stall"] == "copy_wait" else "work"
            if warp and warp[-1][1] == start and warp[-1][2] == kind:
                start = warp.pop()[0]
            warp.append((start, end, kind))
        elif (row["block"], row["name"]) == ("cu", "copy"):
            copies.append((start, end))
    return warp, copies, json.loads(report.stdout)["launches"][0]["cycles"]


def lanes(copies):
    """Copies in rows, so that those in one row do not overlap."""
    rows = []
    for start, end in sorted(copies):
        row = next((row for row in rows if row[-1][1] <= start), None)
        if row is None:
            rows.append(row := [])
        row.append((start, end))
    return rows


def draw():
    runs = {name: timeline(example) for name, example in RUNS.items()}
    most = max(cycles for _, _, cycles in runs.values())
    scale = WIDTH / most
    body, y = [], 2 * PADDING

    def bar(start, end, kind, height=ROW):
        body.append(f'<rect class="{kind}" x="{LEFT + start * scale:.1f}" y="{y}" width="{(end - start) * scale:.1f}" '
                    f'height="{height}"/>')

    def text(x, y, words, anchor="start"):
        body.append(f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}">{words}</text>')

    for name, (warp, copies, cycles) in runs.items():
        text(LEFT - 8, y + 16, name, "end")
        for start, end, kind in warp:
            bar(start, end, kind)
        text(LEFT + cycles * scale + (8 if cycles < most else 0), y - 6 if cycles == most else y + 16,
             f"{cycles:,} cycles", "end" if cycles == most else "start")
        y += ROW + GAP
        for row in lanes(copies):
            for start, end in row:
                bar(start, end, "copy", ROW // 2)
            y += ROW // 2 + GAP
        y += PADDING
    for x, kind, words in ((0, "work", "warp 0 works"), (130, "wait", "warp 0 waits for a copy"),
                           (320, "copy", "the DMA engine copies a tile")):
        body.append(f'<rect class="{kind}" x="{LEFT + x}" y="{y}" width="14" height="14"/>')
        text(LEFT + x + 20, y + 12, words)
    width, height = LEFT + WIDTH + PADDING, y + ROW + PADDING
    # With a viewBox, a narrow page shrinks the picture; without, it cuts it. With its own paper, the picture is legible
    # on a page whose theme is not that of the reader's system.
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img">\n<title>One buffer against two</title>\n<style>{STYLE}</style>\n'
            f'<rect class="paper" width="{width}" height="{height}"/>\n' + "\n".join(body) + "\n</svg>\n")


def check_report(page):
    """The block that begins with a command shows the beginning of its output."""
    command, shown = re.search(r"^```\n\$ build/warpwait ([^\n]*)\n(.*?)^```", page, re.M | re.S).groups()
    printed = subprocess.run([WARPWAIT, *command.split()], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert facts(printed)[:len(facts(shown))] == facts(shown), f"the report of `{command}` has changed"


def check_cycles(page):
    """The cycles in the picture, and those with a changed parameter."""
    one, two = (f"{timeline(example)[2]:,}" for example in RUNS.values())
    assert f"from {one} to {two} cycles" in page, f"from {one} to {two} cycles"
    setting, before, after = re.search(r"`--set (\S+)` slows example 05 from\s+([\d,]+) to ([\d,]+) cycles", page).groups()
    launch = ROOT / "examples" / RUNS["two buffers"] / "launch_opencl.json"
    changed = subprocess.run([WARPWAIT, "run", launch, "--set", setting], check=True, capture_output=True, text=True).stdout
    assert before == two and f"cycles         {after} =" in changed, f"{setting}: not {after} cycles"


def main():
    made = draw()
    if "--write" in sys.argv[1:]:
        PICTURE.write_text(made)
    page = (ROOT / "README.md").read_text()
    check_report(page)
    check_cycles(page)
    return 0 if PICTURE.read_text() == made else "docs/wait.svg is stale: run 'tests/examples/readme_page.py --write'"


if __name__ == "__main__":
    sys.exit(main())
