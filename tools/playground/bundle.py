#!/usr/bin/env python3
"""Makes the playground's initial data, one JSON file: machines, parameters, and each launch of the lessons and examples
with the files that it needs.

    {version, machines: [{name, text}], parameters: [{name, default, range, unit, meaning, seen}],
     examples: [{name, title, kind, launch, files: {path: text}, binary: {path: base64}, defines: [{NAME: VALUE}]}]}

A browser has no clang, so examples of kinds "lesson" and "opencl" ship precompiled: kernel.cl.ahead next to kernel.cl
(tools/playground/ahead.c has the format). The launch file and the report are the same as on the command line. `defines`
are the sets of defines that were compiled: the launch file's, and those of the lesson's commands. For kind "trace",
`launch` is a trace for `replay`.

usage: tools/playground/bundle.py WARPWAIT OUT.json
"""
import base64
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES, LESSONS = ROOT / "examples", ROOT / "docs/lessons"
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


def values_of(text):
    """The values of --vary: 1,2,4 or 1..6."""
    first, dots, last = text.partition("..")
    return list(range(int(first), int(last) + 1)) if dots else text.split(",")


def defines_of(words):
    """The sets of defines that a command adds to its launch file's."""
    sets = [{}]
    for option, word in zip(words, words[1:]):
        name, _, value = word.removeprefix("define.").partition("=")
        if option == "-D":
            sets = [{**each, name: value} for each in sets]
        elif option in ("--vary", "--html-vary") and "." not in name:
            sets = [{**each, name: str(one)} for each in sets for one in values_of(value)]
    return sets


def builds(launch):
    """The sets of defines with which the launch's program runs: the launch file's, and those of the lesson."""
    own = json.loads(launch.read_text()).get("build", {}).get("defines", {})
    found = [own := {name: str(value) for name, value in own.items()}]
    lesson = (launch.parent / "README.md").read_text().replace("\\\n", " ")
    for command in re.findall(rf"build/warpwait .*/{re.escape(launch.name)}\b[^`\n]*", lesson):
        for more in defines_of(shlex.split(command)):
            if (every := {**own, **more}) not in found:
                found.append(every)
    return found


def sized(data):
    return len(data).to_bytes(8, "little") + data


def ahead(warpwait, program, sets):
    """The contents of the .ahead file: the OpenCL C program and its SPIR-V for each set of defines."""
    made = b"WWAHEAD2" + sized(program.read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        spirv = pathlib.Path(folder) / "program.spv"
        for defines in sets:
            words = [f"{name}={value}" for name, value in defines.items()]
            ask(warpwait, "asm", program, *(part for word in words for part in ("-D", word)), "--spirv", spirv)
            made += sized("".join(f"{word}\n" for word in words).encode()) + sized(spirv.read_bytes())
    return made


def title_of(folder, *forms):
    """"Lesson 7, half a block: two kernels ...", from a README that begins with "# Lesson 7: two kernels ..."."""
    number, _, title = (folder / "README.md").read_text().splitlines()[0].lstrip("# ").partition(": ")
    return ", ".join([number, *filter(None, forms)]) + f": {title}"


def put(example, path, data):
    """Adds a file that a reader may edit as text, any other in base64."""
    if path.endswith(TEXTS):
        example["files"][path] = data.decode()
    else:
        example["binary"][path] = base64.b64encode(data).decode()


def program_of(launch):
    """The launch file's program; by default, the one next to it."""
    return json.loads(launch.read_text()).get("program", "kernel.cl")


def of_launch(warpwait, launch, name, kind, *forms):
    program = program_of(launch)
    example = {"name": name, "title": title_of(launch.parent, *forms), "kind": kind, "launch": launch.name,
               "files": {}, "binary": {}}
    for path in {**dict.fromkeys(needed(launch)), program: None}:
        put(example, path, (launch.parent / path).read_bytes())
    if program.endswith(".cl"):
        example["defines"] = builds(launch)
        put(example, program + ".ahead", ahead(warpwait, launch.parent / program, example["defines"]))
    return example


def of_example(warpwait, launch):
    rest = launch.stem.split("_")[1:]
    what, opencl = " ".join(word for word in rest if word != "opencl"), program_of(launch).endswith(".cl")
    return of_launch(warpwait, launch, "_".join([launch.parent.name, *rest]), "opencl" if opencl else "assembly", what,
                     opencl and "OpenCL C")


def of_lesson(warpwait, launch):
    rest = launch.stem.split("_")[1:]
    name = "_".join(["lesson", str(int(launch.parent.name[:2])), *rest])
    return of_launch(warpwait, launch, name, "lesson", " ".join(rest))


def of_trace(warpwait, trace):
    example = {"name": trace.parent.name, "title": title_of(trace.parent), "kind": "trace",
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
        "examples": [of_lesson(warpwait, launch) for launch in sorted(LESSONS.glob("*/launch*.json"))] +
                    [of_example(warpwait, launch) for launch in sorted(EXAMPLES.glob("*/launch*.json"))] +
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
