#!/usr/bin/env -S python3 -B
"""docs/opencl.md: the output of `warpwait dis` for the kernels of the page, without its header.

usage: tests/examples/lowering.py [--write]    exit 1 if the page shows anything else"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from page import ROOT, settle

PAGE = "docs/opencl.md"
KERNEL = re.compile(r"```c\n(.*?)```\n\n<!-- (\w+): made by", re.DOTALL)


ROW = re.compile(r'^PASS\((\w+),\s*(\d), "(.*)"\)', re.MULTILINE)


def passes():
    rows = ROW.findall((ROOT / "opencl/ir/passes.def").read_text())
    return "\n".join(["| pass | level | |", "| --- | ---: | --- |"] + [f"| `{name}` | {level} | {text} |" for name, level, text in rows])


def listing(folder, name, source):
    path = pathlib.Path(folder) / f"{name}.cl"
    path.write_text(source)
    warpwait = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
    options = ["--explain-passes", "--machine", "h200"] if name.endswith("_passes") else []
    path = path.rename(path.with_stem(name.removesuffix("_passes")))
    text = subprocess.run([warpwait, "dis", path, *options], check=True, capture_output=True, text=True).stdout
    return text.split("\n\n", 1)[1]


def main():
    kernels = KERNEL.findall((ROOT / PAGE).read_text())
    if not kernels:
        sys.exit(f"{PAGE}: no kernels")
    settle(PAGE, "passes", passes(), "--write" in sys.argv)
    with tempfile.TemporaryDirectory() as folder:
        for source, name in kernels:
            settle(PAGE, name, f"```\n{listing(folder, name, source)}```", "--write" in sys.argv)


if __name__ == "__main__":
    main()
