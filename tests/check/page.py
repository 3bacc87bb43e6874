#!/usr/bin/env python3
# Time limit: a command may take 120 s.
"""docs/check.md: its commands print the facts that it shows: numbers, names of rules, files and lines, options. Their
words may have changed since.

A block that begins with `$ cat NAME` is a file; one that begins with `$ warpwait` is a command and its output.

usage: tests/check/page.py [--write]    --write: updates the page with the output of the commands"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests"))
from facts import facts  # noqa: E402
PAGE = ROOT / "docs/check.md"
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).resolve()
BLOCK = re.compile(r"```\n\$ (cat|warpwait) (.*)\n((?:(?!```).*\n)*)```\n")


def printed_by(words, folder):
    """The output of a command of the page, run in the folder. The page's words are trusted as shell input."""
    path = "%s:%s" % (WARPWAIT.parent, os.environ["PATH"])
    environment = {"WARPWAIT_CACHE": str(ROOT / "build/cache"), **os.environ, "PATH": path}
    done = subprocess.run("%s " % WARPWAIT.name + words, shell=True, cwd=folder, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return done.stdout


def page_of(text, folder):
    """The page with its commands' current output."""
    def block(found):
        verb, words, body = found.groups()
        if verb == "cat":
            (folder / words).write_text(body)
            return found.group()
        return "```\n$ warpwait %s\n%s```\n" % (words, printed_by(words, folder))
    return BLOCK.sub(block, text)


def main():
    with tempfile.TemporaryDirectory() as name:
        old = PAGE.read_text()
        new = page_of(old, pathlib.Path(name))
    if "--write" in sys.argv:
        PAGE.write_text(new)
        return 0
    difference = facts(old) != facts(new) and list(difflib.unified_diff(old.splitlines(), new.splitlines(), PAGE.name,
                                                                        "what is printed", lineterm="")) or []
    print("\n".join(difference))
    print("%d passed, %d failed" % (not difference, bool(difference)))
    return bool(difference)


if __name__ == "__main__":
    sys.exit(main())
