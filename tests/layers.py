#!/usr/bin/env python3
"""Checks the #includes of every source file against the table of layers.

usage: tests/layers.py [--table]    exit 0 if every include is legal, 1 otherwise."""
import pathlib
import re
import sys

# folder: folders whose headers it may include, in addition to its own
GROUND = ["sim/core", "sim/base"]
BLOCKS = ["isa", "lds", "dma", "models", *GROUND]
SESSION = ["sim/session", "sim/launch", "sim/host", "isa/asm", "opencl", "traces", *BLOCKS]
REPLAY = ["sim/replay", *SESSION]
REPORT = ["sim/report", *REPLAY]
LAYERS = {
    "sim/base": [],
    "sim/core": ["sim/base"],
    "isa": GROUND,
    "isa/asm": ["isa", *GROUND],
    "opencl/clang": ["opencl/llvm", "isa", *GROUND],
    "opencl/llvm": ["opencl/lower", "opencl/spirv", "opencl/ir", "isa", *GROUND],
    "opencl/spirv": ["opencl/ir", "isa", *GROUND],
    "opencl/ir": ["isa", *GROUND],
    "opencl/lower": ["opencl/spirv", "opencl/ir", "isa", *GROUND],
    "opencl/passes": ["opencl/ir", "isa", *GROUND],
    "opencl/emit": ["opencl/ir", "isa", *GROUND],
    "opencl": ["opencl/clang", "opencl/llvm", "opencl/spirv", "opencl/lower", "opencl/passes", "opencl/emit", "opencl/ir", "isa", *GROUND],
    "lds": GROUND,
    "dma": GROUND,
    "traces": GROUND,
    "models": ["models/mem", "isa", "lds", "dma", *GROUND],
    "models/mem": ["isa", *GROUND],
    "sim/host": BLOCKS,
    "sim/launch": ["isa/asm", "opencl", *BLOCKS],
    "sim/session": ["sim/launch", "sim/host", *BLOCKS],
    "sim/replay": SESSION,
    "sim/report": SESSION,
    "sim/check": ["sim/report", *SESSION],
    "include": [],
    "sim/api": ["include", "sim/check", *REPORT],
    "sim/cli": ["sim/report", *SESSION],
    "tools/import": ["sim/replay", *SESSION],
    "tools/timeline": ["sim/report", *SESSION],
    "tools/trace": REPORT,
    "tools/sweep": REPLAY,
    "tools/page": ["tools/timeline", "tools/sweep", *REPORT],
    "tools/explain": ["tools/sweep", *REPORT],
    "tools/diff": ["tools/explain", "tools/trace", *REPORT],
    "tools/api": ["include", "sim/api", "tools/page", "tools/explain", "tools/diff", "tools/timeline", "tools/sweep", *REPORT],
    "tools/verbs": ["sim/cli", "sim/check", "bindings/systemc", "tools/page", "tools/explain", "tools/diff", "tools/timeline", "tools/trace",
                    "tools/sweep", "tools/import", *REPORT],
    "tools/docs": ["sim/cli", "sim/check", "tools/import", *REPORT],
    "tools/playground": ["bindings/systemc", "opencl/clang", "sim/cli", "tools/sweep", *SESSION],
    "bindings/icd": ["include"],
    "bindings/systemc": ["sim/host", *BLOCKS],
}
# The C folders use only libc; these packages are for the edges.
LIBRARIES = {
    "jansson.h": ["sim/base", "sim/launch", "sim/session", "sim/replay", "sim/report", "sim/check", "tools/timeline", "tools/trace", "tools/page", "tools/explain", "tools/diff", "tools/sweep", "sim/api", "tools/api", "tools/verbs", "sim/cli", "bindings/icd"],
    "CL": ["bindings/icd"],
    "ini.h": ["sim/launch", "tools/sweep", "tools/playground"],
    "zlib.h": ["traces", "tools/import", "tools/page"],
    "lzma.h": ["tools/import"],
    "xxhash.h": ["sim/base", "opencl/clang", "sim/launch", "sim/check", "tools/diff", "tools/sweep"],
    "systemc": ["bindings/systemc"],
    "tlm": ["bindings/systemc"],
    "tlm_utils": ["bindings/systemc"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def folder_of(path, folders=LAYERS):
    """The layer that contains `path`, e.g. "sim/core" for "sim/core/port.h"; None if there is none."""
    fits = [f for f in folders if path.startswith(f + "/")]
    return max(fits, key=len) if fits else None


def faults(root):
    """Yields "file:line: what is wrong" for each include that the table does not allow."""
    for folder, allowed in LAYERS.items():
        for path in sorted((root / folder).glob("*")):
            if path.suffix not in (".c", ".h", ".cpp", ".hpp", ".def") or path.parent != root / folder:
                continue
            name = path.relative_to(root).as_posix()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                mark, target = found.groups()
                if mark == '"':
                    layer = folder_of(target)
                    if layer is None:
                        yield f'{name}:{number}: "{target}" is not a path from the root of the project into a layer'
                    elif layer != folder and layer not in allowed:
                        yield f"{name}:{number}: {folder} may not include {layer} ({target})"
                else:
                    library = target.split("/")[0]
                    if library in LIBRARIES and folder not in LIBRARIES[library]:
                        yield f"{name}:{number}: {folder} may not include <{target}>"


def main():
    if "--table" in sys.argv:
        for folder, allowed in LAYERS.items():
            print(f"{folder:<10} may include {', '.join(allowed) or 'libc only'}")
        return 0
    found = list(faults(pathlib.Path(__file__).resolve().parent.parent))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
