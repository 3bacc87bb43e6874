"""Which rows of opencl/lower/std.def the kernels have reached, and for which types: read from the SPIR-V that Warpwait
makes.

Warpwait keeps what clang makes of each program in its cache (opencl/clang/cache.h); those of this run were used after it
started. A row must occur with each type that its signature allows: integers of 8 to 64 bits, or half, float and double.
"""
import os
import pathlib
import re
import subprocess
import tempfile

import numpy as np

WARPWAIT = os.environ.get("WARPWAIT", "build/warpwait")

ROWS = next((pathlib.Path(__file__).resolve().parents[2] / "opencl").rglob("std.def"))
HEAD = 32  # bytes before the LLVM IR in a cached result
OP_IMPORT, OP_EXT_INST, OP_TYPE_INT, OP_TYPE_FLOAT, OP_TYPE_VECTOR, OP_EXT_NAME = 11, 12, 21, 22, 23, "OpenCL.std"

FLOAT_ONLY = re.compile("half_|native_|fast_")
# The way through clang generates other instructions for these functions.
NEVER = {"fmax_common": "max is fmax", "fmin_common": "min is fmin", "s_upsample": "is u_upsample", "popcount": "is OpBitCount",
         "printf": "prints; see tests/cli"}


def rows():
    """{number: (name, signature)}"""
    found = re.findall(r'^STD\(\s*(\d+), (\w+),\s*"([^"]*)"', ROWS.read_text(), re.MULTILINE)
    return {int(number): (name, signature) for number, name, signature in found}


def instructions(words):
    at = 5
    while at < len(words):
        count = int(words[at]) >> 16
        yield int(words[at]) & 0xffff, words[at + 1:at + count]
        at += count


def calls(path):
    """{(row, "f32")} of one cached module. The type is that of one component of the result."""
    with tempfile.TemporaryDirectory() as folder:
        text, module = pathlib.Path(folder) / "k.ll", pathlib.Path(folder) / "k.spv"
        text.write_bytes(path.read_bytes()[HEAD:])
        subprocess.run([WARPWAIT, "asm", text, "--spirv", module], capture_output=True, check=True)
        words = np.frombuffer(module.read_bytes(), np.uint32)
    types, imported, found = {}, None, set()
    for op, operands in instructions(words):
        if op == OP_IMPORT and operands[1:].tobytes().startswith(OP_EXT_NAME.encode()):
            imported = operands[0]
        elif op in (OP_TYPE_INT, OP_TYPE_FLOAT):
            types[int(operands[0])] = f"{'i' if op == OP_TYPE_INT else 'f'}{operands[1]}"
        elif op == OP_TYPE_VECTOR:
            types[int(operands[0])] = types.get(int(operands[1]))
        elif op == OP_EXT_INST and operands[2] == imported:
            found.add((int(operands[3]), types.get(int(operands[0]))))
    return found


def wanted(name, signature):
    """The result types with which a row must occur; None is any."""
    floats = ["f32"] if FLOAT_ONLY.match(name) else ["f16", "f32", "f64"]
    integers = ["i8", "i16", "i32", "i64"]
    if name.endswith(("mad24", "mul24")):
        return ["i32"]
    if name.startswith("vload") and signature[0] == "f":
        return ["f32"]
    return {"f": floats, "F": floats, "n": integers, "w": integers[1:], "x": integers + floats, "X": integers + floats}.get(signature[0], [None])


def unexercised(folder, since):
    """Messages about rows that no program translated or looked up after `since` reaches."""
    seen = set()
    for path in sorted(folder.glob("*.ll")):
        if path.stat().st_mtime >= since:
            seen |= calls(path)
    reached = {number for number, _ in seen}
    for number, (name, signature) in rows().items():
        if name in NEVER:
            continue
        missing = [kind for kind in wanted(name, signature) if (kind and (number, kind) not in seen) or number not in reached]
        if missing:
            yield f"coverage: {name} of opencl/lower/std.def: no kernel has it" + (f" for {', '.join(missing)}" if missing[0] else "")
