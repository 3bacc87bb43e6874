#!/usr/bin/env python3
"""How time and memory grow with the size of a run, and how many times as long as a plain run each analysis takes.

usage: tests/bench/growth.py [WARPWAIT] [--only WORD]

Each row of the first table is a process with ten times and a hundred times as much of one thing: its processor time,
the better of two, and its peak memory. Rows that grow faster than they should are flagged: ten times as much may
take SLACK times ten as long. Rows whose first figure is mostly process startup look better than linear. The second
table divides by the time of `warpwait run --why=no`."""
import json
import os
import pathlib
import sys
import tempfile

import bench

RUNS, SLACK = 2, 1.4
MARKED = 0.05  # seconds below which a figure is mostly process startup
LOOP = """kernel void loop(global uint *data, global const uint *table, uint n) {
  uint v = data[get_global_id(0)];
  for (uint i = 0; i < n; i++)
    v = v * 3 + table[(get_global_id(0) + i) & 63];
  data[get_global_id(0)] = v;
}
"""
TABLE = {"table": {"bytes": 256, "fill": "iota", "elem": "uint"}}


def launch_file(folder, program, launches, buffers, machine="h200"):
    path = folder / "launch.json"
    path.write_text(json.dumps({"program": program, "machine": machine, "buffers": buffers, "launches": launches}))
    return path


def looping(folder, loops=1000, items=256, launches=1):
    (folder / "loop.cl").write_text(LOOP)
    one = {"kernel": "loop", "global": [items], "local": [64], "args": [{"buffer": "data"}, {"buffer": "table"}, {"uint": loops}]}
    return launch_file(folder, "loop.cl", [one] * launches, {"data": {"bytes": 4 * items}, **TABLE})


def run(*words):
    return lambda warpwait, path: [warpwait, "run", path, "--why=no", "--host", "plain", "--report", "json", "--out", "/dev/null",
                                    *words]


def out_in(folder, name):
    path = folder / name
    path.unlink(missing_ok=True)
    return path


# ---- what grows: a function from folder and size to the command -------------------------------------------------


def loops(warpwait, folder, size, *words):
    return run(*words)(warpwait, looping(folder, loops=size))


def groups(warpwait, folder, size):
    return run()(warpwait, looping(folder, loops=16, items=64 * size))


def launches(warpwait, folder, size):
    return run()(warpwait, looping(folder, loops=16, launches=size))


def lines(warpwait, folder, size):
    """Assembly: each line is an instruction."""
    body = "".join(f"  add.i32 v, v, {i % 9}\n" for i in range(size))
    (folder / "long.wws").write_text(f".kernel long\n.arg data global\n.reg v\n.reg64 p\n  ld.arg.b64 p, data\n{body}"
                                     "  st.global.b32 [p], v\n  exit\n")
    one = {"kernel": "long", "global": [64], "local": [64], "args": [{"buffer": "data"}]}
    return run()(warpwait, launch_file(folder, "long.wws", [one], {"data": {"bytes": 256}}))


def source(warpwait, folder, size):
    """OpenCL C with dependent lines; we compile it from clang's cached output."""
    body = "".join(f"  v = v * 3 + data[(v + {i}) & 63];\n" for i in range(size))
    (folder / "long.cl").write_text(f"kernel void long_one(global uint *data) {{\n  uint v = data[0];\n{body}  data[0] = v;\n}}\n")
    one = {"kernel": "long_one", "global": [64], "local": [64], "args": [{"buffer": "data"}]}
    return run()(warpwait, launch_file(folder, "long.cl", [one], {"data": {"bytes": 256}}))


def buffers(warpwait, folder, size):
    """A separate launch reads each buffer once, so the same bytes are looked up among more and more buffers."""
    (folder / "loop.cl").write_text(LOOP)
    names = [f"b{i}" for i in range(size)]
    launches = [{"kernel": "loop", "global": [64], "local": [64], "args": [{"buffer": name}, {"buffer": "table"}, {"uint": 16}]}
                for name in names]
    return run()(warpwait, launch_file(folder, "loop.cl", launches, {**TABLE, **{name: {"bytes": 256} for name in names}}))


def timeline(warpwait, folder, size):
    return loops(warpwait, folder, size, "--timeline", out_in(folder, "t.wtl"))


def timeline_text(warpwait, folder, size):
    return loops(warpwait, folder, size, "--timeline", out_in(folder, "t.json"))


def trace(warpwait, folder, size):
    return loops(warpwait, folder, size, "--trace", out_in(folder, "t.wwt"))


def replay(warpwait, folder, size):
    bench.Run(trace(warpwait, folder, size))
    return [warpwait, "replay", folder / "t.wwt", "--why=no", "--report", "json", "--host", "plain", "--out", "/dev/null"]


def check(warpwait, folder, size):
    return [warpwait, "check", looping(folder, loops=size)]


def sweep_of(warpwait, folder, launch, points, jobs="1"):
    values = f"mem.dram_latency = 1..{points}\n"
    (folder / "plan.ini").write_text(f"[sweep]\nlaunch = {launch.name}\n[axes]\n{values}")
    return [warpwait, "sweep", "run", folder / "plan.ini", "-o", out_in(folder, "points.sqlite"), "--jobs", jobs]


def points(warpwait, folder, size):
    return sweep_of(warpwait, folder, looping(folder, loops=1), size)


def library(warpwait, folder, size):
    return [pathlib.Path(warpwait).parent / "launches", "h200", str(size)]


# what grows, and the first size
GROWN = {
    "loops": (loops, 1000),
    "work-groups": (groups, 100),
    "launches in a file": (launches, 10),
    "launches of a device": (library, 100),
    "buffers": (buffers, 10),
    "instructions of a kernel": (lines, 100),
    "lines of OpenCL C": (source, 10),
    "loops, checked": (check, 100),
    "loops, recorded": (trace, 1000),
    "loops, replayed": (replay, 1000),
    "loops, timeline (.wtl)": (timeline, 100),
    "loops, timeline (.json)": (timeline_text, 100),
    "points of a sweep": (points, 100),
}


def best(command, prepare=None):
    """Seconds and MiB of the best of several runs."""
    taken = []
    for _ in range(RUNS):
        if prepare:
            prepare()
        taken.append(bench.Run(command))
    return min(run.seconds for run in taken), min(run.mebibytes for run in taken)


def fresh(folder):
    return lambda: (folder / "points.sqlite").unlink(missing_ok=True)


def grow(warpwait, name, folder):
    made, first = GROWN[name]
    figures = []
    for size in (first, 10 * first, 100 * first):
        command = made(warpwait, folder, size)
        bench.Run(command)  # from here on, compilation comes from the cache
        figures.append(best(command, fresh(folder)))
    marks = [a[0] > MARKED and b[0] > 10 * SLACK * a[0] for a, b in zip(figures, figures[1:])]
    cells = "".join(f"{seconds:10.3f}{mebibytes:7.0f}" for seconds, mebibytes in figures)
    print(f"{name:26}{first:8}{cells}{'  faster than linear' if any(marks) else ''}", flush=True)
    return not any(marks)


# ---- ways to analyze a run ------------------------------------------------------------------------------------


def ways(warpwait, folder, launch):
    plain = [warpwait, "run", launch, "--host", "plain"]
    recorded = [*plain, "--why=no", "--trace", folder / "r.wwt"]
    bench.Run(recorded)
    return {
        "run": [*plain, "--why=no"],
        "run, limits lifted": plain + ["--why"],
        "--trace": recorded,
        "replay": [warpwait, "replay", folder / "r.wwt", "--why=no", "--host", "plain"],
        "--timeline .wtl": [*plain, "--why=no", "--timeline", folder / "r.wtl"],
        "--timeline .json": [*plain, "--why=no", "--timeline", folder / "r.json"],
        "--html": [*plain, "--why=no", "--html", folder / "r.html"],
        "check": [warpwait, "check", launch],
        "explain": [warpwait, "explain", launch, "--jobs", "1"],
    }


def point(warpwait, folder, launch):
    """One point of a sweep: the time that additional points take."""
    few, many = 10, 60
    taken = {}
    for count in (few, many):
        taken[count], _ = best(sweep_of(warpwait, folder, launch, count), fresh(folder))
    return (taken[many] - taken[few]) / (many - few)


def multiples(warpwait, folder):
    shapes = {"short": {"loops": 20}, "long": {"loops": 2000}, "wide": {"loops": 50, "items": 132 * 128}}
    columns = {}
    for name, shape in shapes.items():
        launch = looping(folder, **shape)
        columns[name] = {way: best(command)[0] for way, command in ways(warpwait, folder, launch).items()}
        columns[name]["a sweep's point"] = point(warpwait, folder, launch)
    print(f"\nTimes as long as a plain run of the same (h200):\n\n{'':20}" + "".join(f"{name:>10}" for name in columns))
    print(f"{'run, seconds':20}" + "".join(f"{column['run']:10.3f}" for column in columns.values()))
    for way in list(columns["short"])[1:]:
        print(f"{way:20}" + "".join(f"{column[way] / column['run']:10.2f}" for column in columns.values()), flush=True)


def main():
    words = sys.argv[1:]
    only = words.pop(words.index("--only") + 1) if "--only" in words else ""
    words = [word for word in words if word != "--only"]
    warpwait = os.path.abspath(words[0] if words else os.environ.get("WARPWAIT", "build/warpwait"))
    good = True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        print("Seconds of processors and peak MiB of a process, with as much as said, ten and a hundred times that:\n")
        print(f"{'':26}{'first':>8}" + "".join(f"{f'x {times} s':>10}{'MiB':>7}" for times in (1, 10, 100)))
        for row in GROWN:
            if only in row:
                good &= grow(warpwait, row, folder)
        if not only:
            multiples(warpwait, folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
