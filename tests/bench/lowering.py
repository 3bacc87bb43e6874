#!/usr/bin/env python3
"""How the time from SPIR-V to instructions grows with the size of a kernel.

usage: tests/bench/lowering.py [--time] [--most N] [SHAPE...]

Each row is a shape of OpenCL C in growing sizes. callgrind counts host instructions per instruction of the kernel:
the same each time, whatever else this computer does. A row that takes more than SLACK times as many for a kernel
SIZES times as long is flagged, and the exit status is 1. With --time, the seconds of `warpwait dis` are measured
instead, up to --most instructions (300,000). clang's output is cached before anything is counted. Counting needs
valgrind."""
import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

WARPWAIT = os.environ.get("WARPWAIT", "build/warpwait")
SLACK = 1.6
COUNTED, TIMED = (1000, 4000, 16000), (10_000, 30_000, 100_000, 300_000)
BEGIN = "kernel void long_one(global uint *data) {\n  uint v = data[get_global_id(0)];\n"
END = "  data[get_global_id(0)] = v;\n}\n"


def repeated(line):
    return lambda size: BEGIN + "".join(line.format(i=i, bit=i % 31, odd=2 * i + 1) for i in range(size)) + END


def switch(size):
    cases = "".join(f"    case {i}: v ^= v * {2 * i + 1} + {i}; break;\n" for i in range(size))
    return BEGIN + "  switch (v) {\n" + cases + "  }\n" + END


def calls(size):
    mix = "uint mix(uint v, uint n) {\n  for (uint i = 0; i < n; i++)\n    v = v * 3 + i;\n  return v > 9 ? v : n;\n}\n"
    return mix + BEGIN + "".join(f"  v = mix(v, data[{i}]);\n" for i in range(size)) + END


def values(size):
    """Three hundred values are live at once, repeatedly."""
    made = ""
    for begin in range(0, size, 300):
        alive = range(begin, min(size, begin + 300))
        made += "".join(f"  uint v{i} = data[v + {i}];\n" for i in alive) + "".join(f"  v = v * 3 + v{i};\n" for i in reversed(alive))
    return BEGIN + made + END


def across(size):
    """Forty values are live across more and more branches."""
    made = "".join(f"  uint v{i} = data[v + {i}];\n" for i in range(40))
    used = "".join(f"  v = v * 3 + v{i};\n" for i in range(40))
    return BEGIN + made + "".join(f"  if (v >> {i % 31} & 1) {{ data[v] = {i}; v += data[{i}]; }} else v ^= {2 * i + 1};\n" for i in range(size)) + used + END


def array(size):
    """All its elements are known, so it becomes values."""
    return BEGIN + "  uint a[64];\n" + "".join(f"  a[{i % 64}] = v + {i};\n  v = v * 3 + a[{i * 7 % 64}];\n" for i in range(size)) + END


def kernels(size):
    return "".join(BEGIN.replace("long_one", f"k{i}") + f"  v = v * {i} + 3;\n" + END for i in range(size))


# a function of size, and about how many instructions one more unit adds
SHAPES = {
    "one after the other": (repeated("  v = v * 3 + data[(v + {i}) & 63];\n"), 4),
    "branches": (repeated("  if (v >> {bit} & 1) {{ data[v] = {i}; v += data[{i}]; }} else v ^= {odd};\n"), 8),
    "loops": (repeated("  for (uint i = 0; i < (v & 7); i++) {{ v ^= data[i] + {i}; data[v] = i; }}\n"), 14),
    "one switch": (switch, 7),
    "calls": (calls, 30),
    "values": (values, 4),
    "values across": (across, 8),
    "an array": (array, 3),
    "stores": (repeated("  data[{i}] = v + {i};\n"), 2),
    "kernels": (kernels, 8),
}


def dis(path):
    done = subprocess.run([WARPWAIT, "dis", path], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{path}: {done.stderr.strip()[-300:]}")
    return len(re.findall(r"^ +\d+  ", done.stdout, re.MULTILINE))


def count(path):
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}.out", WARPWAIT, "dis", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return int(re.search(r"refs:\s+([\d,]+)", done.stderr).group(1).replace(",", ""))


def seconds(path):
    """Processor seconds: other work counts only as far as it slows the processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    dis(path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--most", type=int, default=TIMED[-1])
    parser.add_argument("names", nargs="*", metavar="SHAPE")
    arguments = parser.parse_args()
    if not arguments.time and not shutil.which("valgrind"):
        sys.exit("valgrind is missing: apt-get install valgrind")
    marked = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["WARPWAIT_CACHE"] = f"{folder}/cache"
        for name, (shape, length) in SHAPES.items():
            if arguments.names and name not in arguments.names:
                continue
            row = []
            for size in (size for size in (TIMED if arguments.time else COUNTED) if size <= arguments.most):
                path = pathlib.Path(folder) / "long.cl"
                path.write_text(shape(max(2, size // length)))
                made = dis(path)
                row.append((made, min(seconds(path) for _ in range(2)) if arguments.time else count(path) / made))
            # The first size includes the cost of a process.
            grown = row[-1][1] / row[-2][1] / (row[-1][0] / row[-2][0] if arguments.time else 1)
            marked += grown > SLACK
            cells = "".join(f"{made:9,}{value:8.2f} s" if arguments.time else f"{made:9,}{value:9,.0f}" for made, value in row)
            print(f"{name:22}{cells}{'  more than linear' if grown > SLACK else ''}", flush=True)
    return marked > 0


if __name__ == "__main__":
    sys.exit(main())
