"""Tables in a page of docs/ that a script of this folder makes.

A page marks the place:

    <!-- NAME: made by SCRIPT -->
    ...
    <!-- end of NAME -->"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))
from facts import facts  # noqa: E402


def report_of(launch, *options):
    """The JSON report of a run."""
    warpwait = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
    command = [warpwait, "run", ROOT / launch, "--report", "json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def parameters_of(report):
    """Maps parameter name to value, such as "dma.setup" to 20."""
    return {name: row["value"] for name, row in report["machine"]["parameters"].items()}


def table(header, rows, left=()):
    """A Markdown table; columns named in `left` are left-aligned, the others right."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells):
        padded = [c.ljust(w) if h in left else c.rjust(w) for c, w, h in zip(cells, widths, header)]
        return "| " + " | ".join(padded) + " |\n"

    ruler = ["-" * w if h in left else "-" * (w - 1) + ":" for w, h in zip(widths, header)]
    return line(header) + line(ruler) + "".join(map(line, rows))


def settle(page, name, text, write):
    """Compares the facts of the page's table with those of `text`, or with `write` updates the page. Exits 1 if they differ."""
    path = ROOT / page
    old = path.read_text()
    place = re.compile(rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not place.search(old):
        sys.exit(f"{page}: no place for '{name}'")
    new = place.sub(lambda found: f"{found[1]}\n{text}\n{found[2]}", old)
    if new == old or not write and facts(new) == facts(old):
        return
    sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), page, f"{page}, by the run"))
    if not write:
        sys.exit(f"{page}: '{name}' is out of date")
    path.write_text(new)
