#!/usr/bin/env python3
"""What the playground begins with, as one JSON file: machines, parameters, and each launch of the examples with the
files that it needs.

    {version, machines: [{name, text}], parameters: [{name, default, range, unit, meaning, seen}],
     examples: [{name, title, kind, launch, files: {path: text}, binary: {path: base64}}]}

A browser has no clang: for kind "opencl" there is, beside kernel.cl, kernel.cl.ahead, what it was compiled to
(sim/playground/ahead.c has the format), so that the launch file and the report are those of the command line. For kind
"trace" `launch` is a trace, for `replay`.

usage: sim/playground/bundle.py WARPWAIT OUT.json
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"
TEXTS = (".json", ".cl", ".wws", ".ini", ".wwtt")
COLUMNS = ["name", "value", "default", "range", "unit", "meaning", "seen"]


def ask(warpwait, *words, **more):
    return subprocess.run([warpwait, *words], check=True, stdout=subprocess.PIPE, **more).stdout


def machines(warpwait):
    for line in ask(warpwait, "machines").decode().splitlines():
        name = line.split()[0]
        yield {"name": name, "text": ask(warpwait, "machines", name).decode()}


def parameters(warpwait):
    for line in ask(warpwait, "params", "--markdown").decode().splitlines():
        if line.startswith("| `"):
            row = dict(zip(COLUMNS, (cell.strip() for cell in line.strip("|").split(" | ")), strict=True))
            row["name"] = row["name"].strip("`")
            del row["value"]
            yield row


def words_of(value):
    """Every word in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from words_of(part)


def needed(launch):
    """The launch file and the files that it names, as paths from its folder."""
    yield launch.name
    for word in sorted(set(words_of(json.loads(launch.read_text())))):
        if word and (launch.parent / word).is_file():
            yield word


def ahead(warpwait, program):
    """The OpenCL C program with what clang makes of it."""
    text = program.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        spirv = pathlib.Path(folder) / "program.spv"
        ask(warpwait, "asm", program, "--spirv", spirv)
        return b"WWAHEAD1" + len(text).to_bytes(8, "little") + text + spirv.read_bytes()


def title_of(folder, what):
    title = (folder / "README.md").read_text().splitlines()[0].lstrip("# ")
    return title + (f" ({what})" if what else "")


def put(example, path, data):
    """What a reader may edit as text, other bytes in base64."""
    if path.endswith(TEXTS):
        example["files"][path] = data.decode()
    else:
        example["binary"][path] = base64.b64encode(data).decode()


def of_launch(warpwait, launch):
    folder, rest = launch.parent, launch.stem.split("_")[1:]
    opencl = json.loads(launch.read_text())["program"].endswith(".cl")
    what = " ".join(word for word in rest if word != "opencl")
    example = {"name": "_".join([folder.name, *rest]), "title": title_of(folder, what),
               "kind": "opencl" if opencl else "assembly", "launch": launch.name, "files": {}, "binary": {}}
    for path in needed(launch):
        data = (folder / path).read_bytes()
        put(example, path, data)
        if path.endswith(".cl"):
            put(example, path + ".ahead", ahead(warpwait, folder / path))
    return example


def of_trace(warpwait, trace):
    example = {"name": trace.parent.name, "title": title_of(trace.parent, ""), "kind": "trace",
               "launch": trace.stem + ".wwt", "files": {trace.name: trace.read_text()}, "binary": {}}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / example["launch"]
        ask(warpwait, "trace", "convert", trace, path)
        put(example, path.name, path.read_bytes())
    return example


def make(warpwait):
    return {
        "version": ask(warpwait, "--version").decode().split()[1],
        "machines": list(machines(warpwait)),
        "parameters": list(parameters(warpwait)),
        "examples": [of_launch(warpwait, launch) for launch in sorted(EXAMPLES.glob("*/launch*.json"))] +
                    [of_trace(warpwait, trace) for trace in sorted(EXAMPLES.glob("*/*.wwtt"))],
    }


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip().splitlines()[-1])
    out = pathlib.Path(sys.argv[2])
    beside = out.with_name(out.name + ".new")
    made = make(os.path.abspath(sys.argv[1]))
    beside.write_text(json.dumps(made, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n")
    beside.replace(out)


if __name__ == "__main__":
    main()
