#!/usr/bin/env python3
"""Mechanisms that exist once: a second reader, validator or container is a fault of the change that brings it.

usage: tests/once.py    exit 0 if each is only where the table says, 1 otherwise."""
import pathlib
import re
import sys

import layers

ROOT = pathlib.Path(__file__).resolve().parent.parent
# what: a pattern of code, without comments, and the files that may have it
ONCE = {
    "a setter of parameters: machine_put() is the one": (
        r"\bparam_set\(", {"sim/core/params.c", "sim/core/params.h", "sim/launch/machines.c"}),
    "the name of the usual machine: machine_load(NULL) is it": (r'"teaching"', {"sim/launch/machines.c"}),
    "a reader of a launch file's `set`": (r'json_object_get\([^()]*"set"\)', {"sim/launch/launch_file.c"}),
    "a validator of launches: job_add(); recorded and imported ones are appended by their readers": (
        r"\bjob->launch_count\+\+", {"sim/launch/job.c", "sim/replay/trace_job.c", "tools/import/sass_job.c"}),
    "a vector: vector_next() and vector_room(). Slots of maps, a ring, and arrays beside each other are none": (
        r"\broom \*= 2|\broom \? 2 \*|= 2 \* [\w>.-]*room\b", {"sim/base/map.c", "sim/base/heap.c", "isa/pipe.c", "sim/replay/recorder.c"}),
    "a hash: hash_join(). Random numbers need the constant, too, and so does a client": (
        r"(?i)0x9e3779b9", {"sim/base/map.h", "sim/launch/job.c", "tools/sweep/sample.c", "models/mem/l2.c", "bindings/icd/objects.c"}),
}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)


def main():
    failed, seen = 0, {what: set() for what in ONCE}
    for path in sorted(path for folder in layers.LAYERS for path in (ROOT / folder).glob("*.[ch]")):
        name = path.relative_to(ROOT).as_posix()
        text = COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), path.read_text())
        for what, (pattern, allowed) in ONCE.items():
            for found in re.finditer(pattern, text):
                seen[what].add(name)
                if name not in allowed:
                    print(f"{name}:{text.count(chr(10), 0, found.start()) + 1}: another of what exists once: {what}")
                    failed = 1
    for what, (_, allowed) in ONCE.items():
        for name in sorted(allowed - seen[what]):
            print(f"{name}: no longer has {what}; remove it from the table")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
