"""Calls of every verb with every kind of output, each in its own folder: fault_test and signal_test use them."""
import json
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
BEFORE = b"as it was\n"  # what each output holds before the call
FAST = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a folder with fast syncing; None: the usual one

KERNEL = """.kernel plus
.arg data global
.arg from global
.reg i, n
.reg64 p
.lds tile 256
  get.local_id i, x
  ld.arg.b64 p, from
  copy.to_lds n, [tile], [p], 64, size=4
  wait n
  ld.arg.b64 p, data
  get.global_id i, x
  mad.wide.u32 p, i, 4, p
  ld.global.b32 n, [p]
  add.i32 n, n, 5
  st.global.b32 [p], n
  exit
"""

SOURCE = """#include "head.h"
kernel void plus(global int *data, global const int *from) {
  data[get_global_id(0)] += FIVE;
  if (get_global_id(0) == 0)
    printf("done\\n");
}
"""

# A program with OpenCL, for `exec`: it launches a kernel thrice.
HOST = """
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
int main(void) {
  static char spirv[1 << 16];
  const size_t items = 256;
  cl_platform_id platform;
  cl_device_id device;
  FILE *file = fopen("host.spv", "rb"); /* compiling would write, too */
  const size_t size = file ? fread(spirv, 1, sizeof spirv, file) : 0;
  if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL))
    return 3;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_program program = clCreateProgramWithIL(context, spirv, size, NULL);
  cl_mem data = clCreateBuffer(context, CL_MEM_READ_WRITE, 1024, NULL, NULL);
  if (clBuildProgram(program, 1, &device, "", NULL, NULL))
    return 4;
  cl_kernel kernel = clCreateKernel(program, "plus", NULL);
  clSetKernelArg(kernel, 0, sizeof data, &data);
  for (int i = 0; i < 3; i++)
    if (clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL))
      return 5;
  return clFinish(queue) ? 6 : 0;
}
"""
HOST_KERNEL = "kernel void plus(global int *data) { data[get_global_id(0)] += 5; }\n"

SWEEP = "[sweep]\nlaunch = l.json\n[axes]\ndma.channels = 1 2 4\ndma.setup = 0 20\n"

# Name: the words, and the outputs. A store (.sqlite) grows by points and is not replaced, a log by lines, a folder by
# files. "compile" runs clang; fill() has left in the cache what "asm" compiles.
CALLS = {
    "run": ("run l.json -o out.txt", ["out.txt"]),
    "json": ("run l.json --report json -o out.json --dump data=data.bin", ["out.json", "data.bin"]),
    "trace": ("run l.json --trace new.wwt -o out.txt", ["new.wwt", "out.txt"]),
    "timeline": ("run l.json --timeline new.wtl -o out.txt", ["new.wtl", "out.txt"]),
    "perfetto": ("run l.json --timeline new.json -o out.txt", ["new.json", "out.txt"]),
    "csv": ("run l.json --timeline new.csv -o out.txt", ["new.csv", "out.txt"]),
    "waves": ("run l.json --timeline new.vcd -o out.txt", ["new.vcd", "out.txt"]),
    "vcd": ("run l.json --vcd new.vcd -o out.txt", ["new.vcd", "out.txt"]),
    "html": ("run l.json --html new.html --html-vary dma.setup=0,20 -o out.txt", ["new.html", "out.txt"]),
    "compile": ("run cl.json -o out.txt --verify", ["out.txt"]),
    "check": ("check l.json --sarif new.sarif -o out.txt", ["new.sarif", "out.txt"]),
    "explain": ("explain l.json -o out.txt -q", ["out.txt"]),
    "replay": ("replay t.wwt -o out.txt --timeline new.json", ["out.txt", "new.json"]),
    "asm": ("asm host.cl -o new.wwo --spirv new.spv", ["new.wwo", "new.spv"]),
    "dis": ("dis k.wws -o new.wws", ["new.wws"]),
    "diff": ("diff a.json b.json -o out.txt", ["out.txt"]),
    "text": ("trace convert t.wwt new.wwtt", ["new.wwtt"]),
    "binary": ("trace convert t.wwtt new.wwt", ["new.wwt"]),
    "export": ("trace convert t.wtl new.json", ["new.json"]),
    "slice": ("trace slice t.wwt -o new.wwt", ["new.wwt"]),
    "merge": ("trace merge t.wwt t.wwt -o new.wwt", ["new.wwt"]),
    "sweep": ("sweep run s.ini -o new.sqlite --csv new.csv --jobs 2 -q", ["new.csv"]),
    "exec": ("exec -m teaching -r json -o out.txt --log new.log --trace new.wwt -- ./host", ["out.txt", "new.wwt"]),
    "folders": ("exec -m teaching -r json -o out.txt --capture new.captures --html new.pages -- ./host", ["out.txt"]),
    "table": ("sweep csv s.sqlite -o new.csv", ["new.csv"]),
}


def environment(folder, **more):
    """The environment of a call in a folder: its cache and its folder for temporary files are there."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LD_LIBRARY_PATH", "HOME")}
    return {**kept, "TMPDIR": str(folder / "tmp"), "WARPWAIT_CACHE": str(folder / "cache"), **more}


def tool(folder, words, **more):
    """Under `exec`, what else the environment has is for the program alone, not for the interpreter of `exec`."""
    words = words.split()
    if words[0] == "exec":
        at = words.index("--") + 1
        words[at:at] = ["/usr/bin/env", *(f"{name}={value}" for name, value in more.items())]
        more = {}
    return subprocess.run([WARPWAIT, *words], cwd=folder, env=environment(folder, **more), timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)


def fill(folder):
    """Makes the inputs of all calls."""
    buffer = {"bytes": 1024, "elem": "int", "fill": "iota"}
    launch = {"program": "k.wws", "buffers": {"data": buffer, "from": buffer},
              "launches": [{"kernel": "plus", "global": [256], "local": [64],
                            "args": [{"buffer": "data"}, {"buffer": "from"}]}]}
    (folder / "tmp").mkdir()
    (folder / "cache").mkdir(mode=0o700)
    (folder / "k.wws").write_text(KERNEL)
    (folder / "cl.cl").write_text(SOURCE)
    (folder / "head.h").write_text("#define FIVE 5\n")
    (folder / "s.ini").write_text(SWEEP)
    (folder / "l.json").write_text(json.dumps(launch))
    (folder / "cl.json").write_text(json.dumps({**launch, "program": "cl.cl"}))
    (folder / "host.c").write_text(HOST)
    (folder / "host.cl").write_text(HOST_KERNEL)
    subprocess.run(["cc", "-o", folder / "host", folder / "host.c", "-lOpenCL"], check=True)
    for words in ("asm host.cl -o host.wwo --spirv host.spv", "run l.json --trace t.wwt --timeline t.wtl --report json -o a.json",
                  "run l.json --set dma.setup=100 --report json -o b.json", "trace convert t.wwt t.wwtt",
                  "sweep run s.ini -q"):
        done = tool(folder, words)
        assert done.returncode == 0, (words, done.stderr)


def fresh(inputs, folder, outputs):
    """Makes a folder as it is before a call."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(inputs, folder)
    for name in outputs:
        (folder / name).write_bytes(BEFORE)


def content(folder, outputs):
    return {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in outputs}


def strangers(folder, inputs, outputs):
    """Unwanted files that a call has left. If a store's file cannot be repaired now, its journal does so when the file
    is next opened."""
    known = {path.name for path in inputs.iterdir()} | set(outputs) | {"new.sqlite", "new.sqlite-journal", "new.log", "new.captures", "new.pages"}
    left = [path.name for path in folder.iterdir() if path.name not in known]
    return sorted(left + [f"tmp/{path.name}" for path in (folder / "tmp").iterdir()])


def expect_told(test, folder, name, said, status, right):
    """After a failed call: it printed one line, each output is the old one or all of the new one, and the same call in
    the same folder succeeds."""
    outputs = CALLS[name][1]
    test.assertRegex(said, r"\Awarpwait: [^\n]+\n\Z")
    for output, found in content(folder, outputs).items():
        test.assertIn(found, (BEFORE, right[output]), (output, said))
    expect_right(test, folder, name, status, right)


def expect_right(test, folder, name, status, right):
    words, outputs = CALLS[name]
    done = tool(folder, words)
    test.assertEqual((done.returncode, content(folder, outputs)), (status, right), done.stderr)
