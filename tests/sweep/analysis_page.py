#!/usr/bin/env python3
"""docs/sweep-analysis.md: its commands print what it shows and draw its pictures.

usage: tests/sweep/analysis_page.py [--write]    --write: puts outputs into the page, pictures into docs/sweep-analysis
"""
import contextlib
import difflib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
sys.dont_write_bytecode = True
PAGE, PICTURES = ROOT / "docs/sweep-analysis.md", ROOT / "docs/sweep-analysis"
WARPWAIT = os.environ["WARPWAIT"] = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
MOST_BYTES = 150 << 10  # of a stored picture

try:
    import matplotlib  # noqa: F401
    import scipy  # noqa: F401
    from warpwait.sweep.command import main as sweep
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(0)


def output_of(command, folder):
    """The output of a command of the page, run in the folder, except for that of `run`; raises if it fails."""
    words, output = shlex.split(command)[2:], io.StringIO()
    if words[0] == "run":
        done = subprocess.run([WARPWAIT, "sweep", *words], cwd=folder, stdout=subprocess.DEVNULL, check=False)
        status = done.returncode
    else:  # in this process: loading the packages takes longer than computing the answers
        os.chdir(folder)
        with contextlib.redirect_stdout(output):
            status = sweep(words)
        os.chdir(ROOT)
    if status:
        sys.exit(f"{command}: exit status {status}")
    return output.getvalue()


def answered(page, folder):
    """The page with current outputs below its commands."""
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```ini\n(.*?)```", page, re.S):
        (folder / name).write_text(text)

    def block(match):
        commands = [line for line in match[1].splitlines() if line.startswith("$ ")]
        parts = [f"{command}\n{output_of(command[2:], folder)}" for command in commands]
        return "```\n" + "".join(parts) + "```"
    return re.sub(r"^```\n(\$ .*?)^```", block, page, flags=re.M | re.S)


def check_pictures(page, made, write):
    """The page makes each of its pictures; each is stored and not too large."""
    for name in re.findall(r"\]\(sweep-analysis/(.*?)\)", page):
        if write:
            PICTURES.mkdir(exist_ok=True)
            shutil.copy(made / name, PICTURES / name)
        assert (made / name).exists(), f"{name}: no command of the page makes it"
        assert (PICTURES / name).exists(), f"{PICTURES / name}: run `make pictures`"
        assert (PICTURES / name).stat().st_size < MOST_BYTES, f"{name}: larger than {MOST_BYTES} bytes"


def main():
    page, write = PAGE.read_text(), "--write" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "examples").symlink_to(ROOT / "examples")
        today = answered(page, folder)
        if write:
            PAGE.write_text(today)
        elif today != page:
            sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), today.splitlines(True), "page", "today"))
            return "docs/sweep-analysis.md is stale: run 'make pictures'"
        check_pictures(page, folder, write)
    return 0


if __name__ == "__main__":
    sys.exit(main())
