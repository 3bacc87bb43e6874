#!/usr/bin/env python3
"""docs/plots.md: each of its commands runs, and its table lists the existing functions.

usage: tests/traces/plot_page.py [--write]    --write: stores the pictures that the page shows in docs/plots"""
import inspect
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
WARPWAIT = os.environ["WARPWAIT"] = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
MOST_BYTES = 150 << 10  # of a stored picture

try:
    from warpwait import plot as plots
    from warpwait.plot.command import main
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(0)


def commands(page):
    """The page's commands, each as a list of words."""
    text = "\n".join(re.findall(r"^```\n(.*?)^```", page, re.M | re.S)).replace("\\\n", " ")
    return [shlex.split(line) for line in text.splitlines() if re.match(r"warpwait(-plot)? .* (--out|-o|--timeline) ", line)]


def run(words):
    """Runs a command of the page in the current folder; raises if it fails."""
    if words[0] == "warpwait-plot":
        status = main(words[1:])
    else:
        status = subprocess.run([WARPWAIT, *words[1:]], stdout=subprocess.DEVNULL, check=False).returncode
    if status:
        sys.exit(f"{shlex.join(words)}: exit status {status}")


def check_table(page):
    """Each function of the table has the arguments shown, and each public function is in the table."""
    told = dict(re.findall(r"^\| `(\w+)\((.*?)\)` \|", page, re.M))
    for name, arguments in told.items():
        found = ", ".join(inspect.signature(getattr(plots, name)).parameters)
        assert found == arguments, f"{name}({found}) is not what the page says"
    left_out = {name for name in plots.__all__ if inspect.isfunction(getattr(plots, name))
                and re.search("draw|table|rows|ax=", name + str(inspect.signature(getattr(plots, name))))
                and f"`{name}" not in page}
    assert not left_out, f"functions that the page does not have: {left_out}"


def check_pictures(page, made, write):
    """The page makes each of its pictures; each is stored and not too large."""
    for name in re.findall(r"\]\(plots/(.*?)\)", page):
        kept = ROOT / "docs/plots" / name
        assert (made / name).exists(), f"{name}: no command of the page makes it"
        if write:
            kept.parent.mkdir(exist_ok=True)
            shutil.copy(made / name, kept)
        assert kept.exists(), f"{kept}: run `make pictures`"
        assert kept.stat().st_size < MOST_BYTES, f"{kept}: larger than {MOST_BYTES} bytes"


def main_of_page():
    page = (ROOT / "docs/plots.md").read_text()
    check_table(page)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("examples", "tests"):
            (pathlib.Path(folder) / name).symlink_to(ROOT / name)
        os.chdir(folder)
        for words in commands(page):
            run(words)
        os.chdir(ROOT)
        check_pictures(page, pathlib.Path(folder), "--write" in sys.argv)


if __name__ == "__main__":
    main_of_page()
