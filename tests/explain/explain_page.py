#!/usr/bin/env -S python3 -B
"""docs/explain.md: its examples and its table of limits.

usage: tests/explain/explain_page.py [--write]    exit 1 if the page differs from the tool's output"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from page import ROOT, settle  # noqa: E402

PAGE = "docs/explain.md"
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))


def shown(*words):
    """A command and its output, as a block."""
    done = subprocess.run([WARPWAIT, "explain", *words], check=True, capture_output=True, text=True, cwd=ROOT)
    return f"$ warpwait explain {' '.join(words)}", done.stdout


def block(command, output):
    return f"```\n{command}\n{output.rstrip()}\n```\n"


def first():
    return block(*shown("examples/04_single_buffer/launch_opencl.json"))


DOUBLE = ("examples/05_double_buffer/kernel.cl", "--global", "256", "--local", "64", "--arg", "buffer:in=16384:uint:iota",
          "--arg", "buffer:out=256:uint", "--arg", "uint:16")
LINES = ("tests/explain/kernels/better.cl", "--kernel", "lines", "--global", "256", "--local", "256",
         "--arg", "buffer:in=65536:uint:iota", "--arg", "buffer:out=1024:uint", "--arg", "uint:32")


def sentence():
    """A run that names the reason, and those that confirm it."""
    def ran(*words):
        done = subprocess.run([WARPWAIT, "run", *DOUBLE, *words], check=True, capture_output=True, text=True, cwd=ROOT)
        return done.stdout
    said = ran("--why")
    why = said[said.index("\nBound by") + 1:said.index("\n% of peak")]
    rows = re.findall(r"^.*(?:DMA channels|dma\.outstanding) \(.*$", said, re.M)
    lines = [f"$ warpwait run {' '.join(DOUBLE)} --why", "...", re.search(r"^cycles.*$", said, re.M)[0], "...", why.rstrip(),
             "...", *rows, "..."]
    for more in ("dma.channels=8", "dma.outstanding=64"):
        lines += [f"$ warpwait run ... --set {more}", "...", re.search(r"^cycles.*$", ran("--set", more), re.M)[0], "..."]
    return "```\n" + "\n".join(lines) + "\n```\n"


def changes():
    command, output = shown(*LINES)
    table = re.search(r"^change of the kernel.*?\n\n.*?(?=\n\n)", output, re.S | re.M)[0]
    advice = re.search(r"^Of the tried changes.*?\.$", output, re.S | re.M)[0]
    return block(command, f"...\n{table}\n...\n{advice}\n...\n")


def vary():
    command, output = shown("examples/06_deep_buffer/launch_opencl.json", "--launch", "1", "--no-changes", "--vary",
                            "arg.depth=1..6")
    values = re.search(r"^arg\.depth .*?\n\n", output, re.S | re.M)[0]
    advice = re.search(r"^arg\.depth = .*?\.$", output, re.S | re.M)[0]
    return block(command, f"...\n{values}...\n{advice}\n")


def depths():
    command, output = shown("examples/06_deep_buffer/launch.json", "--no-changes")
    return block(command, output[:output.index("\n\n")])


def limits():
    text = (ROOT / "sim/session/limits.def").read_text()
    text = text[text.index("/* clang-format off */"):]
    rows = []
    for row in re.findall(r"^LIMIT\((.*?)\)$", text, re.S | re.M):
        slug, name, lifted, keys, _ = re.findall(r'"([^"]*)"', row)
        cause = re.search(r'", ([A-Z]+),', row)[1].lower()
        rows.append([f"`{slug}`", name, cause, lifted, " ".join(f"`{key}`" for key in keys.split())])
    header = ["limit", "name", "cause", "the machine with it lifted", "what is set"]
    # Not padded: some rows are long.
    return "".join("| " + " | ".join(row) + " |\n" for row in [header, ["---"] * len(header), *rows])


def main():
    write = "--write" in sys.argv
    for name, make in (("sentence", sentence), ("first", first), ("changes", changes), ("vary", vary), ("depths", depths), ("limits", limits)):
        settle(PAGE, name, make(), write)


if __name__ == "__main__":
    main()
