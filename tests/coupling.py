#!/usr/bin/env python3
"""Counts the product's objects that depend on a list of rows, and so are compiled again when a row is added. The
limits:

    isa/ops.def           150 objects    the operations; isa/isa.h has an instruction without them
    dma/dma.params.def     60 objects    the parameters of DMA engines, and with them struct machine

The counts come from the compiler's dependency files in the build that WARPWAIT names (default: build/warpwait)."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMITS = dict(re.findall(r"^    (\S+\.def) +(\d+) objects", __doc__, re.M))


def dependencies(build):
    """Yields (object, the files that it depends on) for each object of the product."""
    for path in sorted((build / "obj").rglob("*.d")):
        name = path.relative_to(build / "obj").as_posix()[: -len(".d")]
        rule = path.read_text().replace("\\\n", " ").split("\n")[0]
        files = rule.partition(":")[2].split()
        source_is_gone = not (ROOT / files[0]).exists()
        if not name.startswith("tests/") and not source_is_gone:
            yield name, set(files)


def main():
    build = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).resolve().parent
    objects = list(dependencies(build))
    if not objects:
        sys.exit(f"coupling: no dependency files in {build / 'obj'}")
    failed = 0
    for rows, limit in LIMITS.items():
        found = [name for name, files in objects if rows in files]
        print(f"{rows}: {len(found)} of {len(objects)} objects depend on it; limit {limit}")
        if not 0 < len(found) <= int(limit):
            print("\n".join(f"  {name}" for name in found))
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
