#!/usr/bin/env python3
"""Holds the #includes of every source file against the table of layers.

usage: tests/layers.py [--table]    exit 0 when every include is legal, 1 otherwise.
"""
import pathlib
import re
import sys

# folder: folders whose headers it may include, besides its own.
LAYERS = {
    "sim/core": [],
    "isa": ["sim/core"],
    "opencl/clang": ["isa", "sim/core"],
    "opencl/edits": ["sim/core"],
    "opencl/spirv": ["opencl/ir", "isa", "sim/core"],
    "opencl/ir": ["isa", "sim/core"],
    "opencl/build": ["opencl/spirv", "opencl/ir", "isa", "sim/core"],
    "opencl/passes": ["opencl/ir", "isa", "sim/core"],
    "opencl/emit": ["opencl/ir", "isa", "sim/core"],
    "opencl": ["opencl/clang", "opencl/spirv", "opencl/build", "opencl/passes", "opencl/emit", "opencl/ir", "isa", "sim/core"],
    "lds": ["sim/core"],
    "dma": ["sim/core"],
    "traces": ["sim/core"],
    "models": ["isa", "lds", "dma", "sim/core"],
    "sim/host": ["isa", "lds", "dma", "models", "sim/core"],
    "sim/check": ["isa", "lds", "dma", "models", "sim/core"],
    "sim/replay": ["isa", "lds", "dma", "models", "traces", "sim/core"],
    "sim/explain": ["isa", "lds", "dma", "models", "sim/core", "sim/replay", "traces"],
    "sim/import": ["isa", "traces", "sim/core", "sim/replay"],
    "sim/sweep": ["sim/core"],
    "sim/cli": ["isa", "opencl", "opencl/edits", "lds", "dma", "models", "sim/core", "sim/host", "traces", "sim/replay", "sim/import", "sim/sweep", "sim/check", "sim/explain"],
    "sim/playground": ["isa", "opencl/clang", "sim/core", "sim/host", "sim/cli"],
}
# The C folders see no more of the outside than libc; these packages are for the edges.
LIBRARIES = {
    "jansson.h": ["sim/cli"],
    "ini.h": ["sim/cli", "sim/sweep", "sim/playground"],
    "zlib.h": ["traces", "sim/import", "sim/cli"],
    "lzma.h": ["sim/import"],
    "xxhash.h": ["opencl/clang", "sim/cli"],
    "systemc": ["sim/host"],
    "tlm": ["sim/host"],
    "tlm_utils": ["sim/host"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def folder_of(path, folders=LAYERS):
    """The layer that holds `path`, e.g. "sim/core" for "sim/core/port.h"; None outside of all."""
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
