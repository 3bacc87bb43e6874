#!/usr/bin/env python3
"""docs/diff.md: its commands print the numbers and names that it shows, and its table lists the keys of the JSON form.

usage: tests/cli/diff_page.py [--write]    --write: updates the page with the output of the commands"""
import difflib
import json
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/check"))
sys.path.insert(0, str(ROOT / "tests"))
import page  # noqa: E402
from facts import facts  # noqa: E402

PAGE = ROOT / "docs/diff.md"


def differences(old, new, what):
    found = list(difflib.unified_diff(old, new, "docs/diff.md", what, lineterm=""))
    if found:
        print("\n".join(found))
    return not found


def keys_of(text):
    """The keys in the table's first column."""
    rows = re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)
    return [key for row in rows for key in re.findall(r"`(\w+)`", row)]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "examples").symlink_to(ROOT / "examples")
        old = PAGE.read_text()
        new = page.page_of(old, folder)
        answer = json.loads(page.printed_by("diff single.json double.json --report json", folder))
    if "--write" in sys.argv:
        PAGE.write_text(new)
        return 0
    results = [facts(old) == facts(new) or differences(old.splitlines(), new.splitlines(), "what is printed"),
               differences(sorted(keys_of(old)), sorted(answer), "the JSON form")]
    print("%d passed, %d failed" % (results.count(True), results.count(False)))
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
