"""Runs the same OpenCL C kernels in Warpwait and in PoCL and compares the buffers. PoCL builds with -cl-opt-disable,
because optimized, version 3.1 miscompiles some loops whose trip count differs between work-items.

A Program is one source text with Cases, each a kernel with an NDRange and arguments. One process of Warpwait runs all
cases of a program as the launches of one launch file; PoCL runs them through pyopencl. Buffers are numpy arrays.
Integers must have the same bits. Floating-point values may differ by the case's `ulp`; 0 means the same bits (except
that any NaN equals any other, and -0 equals +0).
"""
import contextlib
import ctypes
import functools
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

os.environ.setdefault("POCL_MAX_PTHREAD_COUNT", "1")

try:
    import numpy as np
    import pyopencl as cl
except ImportError as missing:
    sys.exit(f"{missing.name} is missing: apt-get install python3-numpy python3-pyopencl pocl-opencl-icd")

WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", "build/warpwait"))
# A separate cache, which coverage.py reads.
CACHE = pathlib.Path(os.environ.get("WARPWAIT_CACHE") or "build/cache").absolute() / "differential"
OPENCL_TYPES = {"int8": "char", "uint8": "uchar", "int16": "short", "uint16": "ushort", "int32": "int", "uint32": "uint",
                "int64": "long", "uint64": "ulong", "float16": "half", "float32": "float", "float64": "double"}


# Settings for a machine that has all operations that compilers fuse to. Depending on its name, half of the programs run
# on it, and one third each at levels 0, 2 and 3.
EVERYTHING = {"isa.lop3": "on", "isa.add3": "on", "isa.shift_add": "on", "isa.wide": "off", "isa.vector_bytes": 16}


class Local:
    """A __local argument of `size` bytes."""

    def __init__(self, size):
        self.size = size


class Pipe:
    """A pipe, shared by all cases of a program that name it. Only Warpwait supports pipes."""

    def __init__(self, name, packet_size, max_packets):
        self.name, self.packet_size, self.max_packets = name, packet_size, max_packets


class Case:
    """`args`: numpy arrays (buffers, all compared afterwards), numpy scalars, bytes (a struct), Local, Pipe. With
    `any_order`, a buffer's elements may be in any order. `counted` is a mask of the elements of the last buffer that
    are compared, and `uncompared` are the numbers of buffers that are not. `exact` is for cases that PoCL cannot run
    or gets wrong: a function that computes the last `exact_count` buffers from the ones before them."""

    def __init__(self, kernel, global_size, local_size, args, ulp=0, offset=None, name=None, exact=None, exact_count=1,
                 any_order=False, counted=None, uncompared=()):
        self.any_order, self.counted, self.uncompared = any_order, counted, uncompared
        self.exact, self.exact_count = exact, exact_count
        self.kernel, self.global_size, self.local_size, self.args = kernel, global_size, local_size, args
        self.ulp, self.offset, self.name = ulp, offset, name or kernel


class Program:
    """`reference`, for programs that PoCL cannot run: a function that returns what run_reference() would. `standard` is
    only for Warpwait; the references get an older one, with the same meaning for generated kernels. `prints`:
    printed lines are compared, too, in any order. `reference_options` are only for PoCL. `copies`: what asynchronous
    copies become."""

    def __init__(self, name, source, cases, options=(), machine="teaching", settings=None, reference=None, standard=None, prints=False,
                 reference_options=(), copies="machine"):
        self.standard, self.prints, self.reference_options = standard, prints, list(reference_options)
        self.name, self.source, self.cases, self.reference = name, source, cases, reference
        self.options, self.machine, self.settings, self.copies = list(options), machine, settings or {}, copies


def exactly(case, buffers):
    """The buffers, with the results of case.exact in the last ones."""
    inputs, outputs = buffers[:-case.exact_count], buffers[-case.exact_count:]
    with np.errstate(all="ignore"):
        results = case.exact(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        return inputs + [np.asarray(result).astype(old.dtype).reshape(-1) for result, old in zip(results, outputs, strict=True)]


def only_exact(cases):
    """A Program's reference if each case has an `exact`."""
    return lambda: [[arg for arg in case.args if isinstance(arg, np.ndarray)] for case in cases]


class Missing(Exception):
    """Something must be installed; the text says what."""


class Refused(Exception):
    """One of the two refuses to run the program; the text says why."""


# ---- Warpwait --------------------------------------------------------------------------------------

def launch_file(program, folder):
    """The launch file's content; buffers are files b<case>_<argument> in `folder`."""
    buffers, pipes, launches = {}, {}, []
    for number, case in enumerate(program.cases):
        args = []
        for place, arg in enumerate(case.args):
            if isinstance(arg, np.ndarray):
                name = f"b{number}_{place}"
                (folder / name).write_bytes(arg.tobytes())
                buffers[name] = {"bytes": arg.nbytes, "elem": OPENCL_TYPES[arg.dtype.name], "file": name}
                args.append({"buffer": name})
            elif isinstance(arg, Local):
                args.append({"local": arg.size})
            elif isinstance(arg, Pipe):
                pipes[arg.name] = {"packet_size": arg.packet_size, "max_packets": arg.max_packets}
                args.append({"pipe": arg.name})
            elif isinstance(arg, bytes):
                args.append({"bytes": arg.hex()})
            else:
                value = str(arg.item()) if arg.dtype.kind != "f" else repr(float(arg))
                args.append({OPENCL_TYPES[arg.dtype.name]: value})
        launch = {"kernel": case.kernel, "global": list(case.global_size), "local": list(case.local_size), "args": args}
        if case.offset:
            launch["offset"] = list(case.offset)
        launches.append(launch)
    sort = zlib.crc32(program.name.encode())
    build = {"options": program.options, "optimize": (0, 2, 3)[sort // 2 % 3], "copies": program.copies,
             **({"std": program.standard} if program.standard else {})}
    return {"program": "kernel.cl", "build": build, "machine": program.machine,
            "set": {**(EVERYTHING if sort & 1 else {}), **program.settings}, "buffers": buffers, "pipes": pipes,
            "launches": launches}


# LLVM merges equal calls in both arms of a branch, convergent or not, unless these options keep it from that.
APART = ["-mllvm", "-hoist-common-insts=false", "-mllvm", "-sink-common-insts=false"]
WAYS = {"cl": [], "-O0": ["-O0", "-S"], "-O2": ["-O2", "-S", *APART], "spv": ["-O1", "-Xclang", "-disable-llvm-passes", "-c"]}


def write_launch(program, folder, way="cl"):
    """Writes kernel.cl, launch.json and its buffers. Returns the launch file's content. The way "cl" runs kernel.cl;
    levels run what clang makes of it, as kernel.ll; "spv" runs what llvm-spirv makes of that."""
    (folder / "kernel.cl").write_text(program.source)
    content = launch_file(program, folder)
    if way != "cl":
        text = subprocess.run(["clang-15", "-x", "cl", f"-cl-std={program.standard or 'CL2.0'}", "-target", "spir64", "-w", "-emit-llvm",
                               *WAYS[way], "-gline-tables-only",
                               "-o", "-", "kernel.cl"], cwd=folder, check=True, stdout=subprocess.PIPE).stdout
        if way == "spv":
            text = subprocess.run(["llvm-spirv-15", "-", "-o", "-"], check=True, input=text, stdout=subprocess.PIPE).stdout
        content["program"] = f"kernel.{'spv' if way == 'spv' else 'll'}"
        (folder / content["program"]).write_bytes(text)
        content["build"] = {key: content["build"][key] for key in ("optimize", "copies")}
    (folder / "launch.json").write_text(json.dumps(content))
    return content


def call_warpwait(command, timeout):
    """Returns the finished process. Raises Refused if it does not end."""
    try:
        return subprocess.run([WARPWAIT, *command], capture_output=True, text=True, timeout=timeout, check=False,
                              env=os.environ | {"WARPWAIT_CACHE": str(CACHE)})
    except subprocess.TimeoutExpired:
        raise Refused(f"no end after {timeout} s") from None


def with_lines(program, results, printed):
    """Adds what the kernels print as another buffer of the last case."""
    if program.prints:
        results[-1].append(np.array(sorted(printed.splitlines()), str))
    return results


def run_warpwait(program, way="cl", folder=None, timeout=120):
    """Returns the list of buffers after the run for each case. Raises Refused. In the same `folder`, a program is
    compiled only once."""
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(folder or stack.enter_context(tempfile.TemporaryDirectory()))
        content = write_launch(program, folder, way)
        command = ["run", folder / "launch.json", "--quiet", "--why=no", "--host", "plain", "--out", folder / "report"]
        command += [word for buffer in content["buffers"] for word in ("--dump", f"{buffer}={folder / buffer}.out")]
        done = call_warpwait(command, timeout)
        if done.returncode:
            raise Refused(f"exit status {done.returncode}: {done.stderr.strip()[-600:]}")
        # A hazard is a line on stderr, and none of these kernels should have one.
        if done.stderr.strip():
            raise Refused(done.stderr.strip()[-600:])
        results = [[np.frombuffer((folder / f"b{number}_{place}.out").read_bytes(), arg.dtype)
                    for place, arg in enumerate(case.args) if isinstance(arg, np.ndarray)]
                   for number, case in enumerate(program.cases)]
        return with_lines(program, results, done.stdout)


# ---- PoCL ------------------------------------------------------------------------------------------

_context = None


def context():
    global _context
    if _context is None:
        try:
            found = cl.get_platforms()
        except cl.LogicError:  # no driver at all
            found = []
        platforms = [p for p in found if p.name.startswith("Portable")]
        if not platforms:
            raise Missing("PoCL is missing: apt-get install pocl-opencl-icd")
        _context = cl.Context(platforms[0].get_devices()[:1])
    return _context


class Printed:
    """Captures what PoCL's printf writes to the process's standard output."""

    def __enter__(self):
        sys.stdout.flush()
        self.file, self.kept = tempfile.TemporaryFile(), os.dup(1)
        os.dup2(self.file.fileno(), 1)
        return self

    def __exit__(self, *_):
        ctypes.CDLL(None).fflush(None)
        os.dup2(self.kept, 1)
        os.close(self.kept)
        self.file.seek(0)
        self.text = self.file.read().decode()
        self.file.close()


@functools.lru_cache(1)
def built_reference(source, options):
    return cl.Program(context(), source).build(options=list(options), cache_dir=False)


def run_reference(program):
    """Like run_warpwait()."""
    if program.reference:
        return program.reference()
    queue = cl.CommandQueue(context())
    options = ["-w", "-cl-opt-disable", *program.options, *program.reference_options]
    try:
        built = built_reference(program.source, tuple(options))
        with Printed() as printed:
            results = [run_reference_case(queue, built, case) for case in program.cases]
        return with_lines(program, results, printed.text)
    except cl.Error as error:
        raise Refused(f"PoCL: {str(error)[-600:]}") from None


def run_reference_case(queue, built, case):
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    args, buffers = [], []
    for arg in case.args:
        if isinstance(arg, np.ndarray):
            buffers.append((cl.Buffer(queue.context, flags, hostbuf=arg), arg))
            args.append(buffers[-1][0])
        elif isinstance(arg, Local):
            args.append(cl.LocalMemory(arg.size))
        else:
            args.append(arg)
    getattr(built, case.kernel)(queue, case.global_size, case.local_size, *args, global_offset=case.offset)
    results = []
    for buffer, arg in buffers:
        result = np.empty_like(arg)
        cl.enqueue_copy(queue, result, buffer)
        results.append(result.reshape(-1))
    queue.finish()
    return results


# ---- comparison ------------------------------------------------------------------------------------

def ordered(values):
    """Maps floats to integers in the same order, from the most negative to the largest; both zeros are 0."""
    bits = values.view(f"i{values.itemsize}").astype(object if values.itemsize == 8 else np.int64)
    least = -(1 << (8 * values.itemsize - 1))
    return np.where(bits < 0, least - bits, bits)


def wrong(got, expected, ulp):
    """A mask of the elements that differ by too much."""
    if got.dtype.kind != "f":
        return np.array([one != other for one, other in itertools.zip_longest(got, expected)]) if got.dtype.kind == "U" else got != expected
    far = np.abs(ordered(got) - ordered(expected)) > ulp
    return far & ~(np.isnan(got) & np.isnan(expected))


def compare(program, got, expected):
    """Messages that say which case differs where."""
    faults = []
    for case, ours, theirs in zip(program.cases, got, expected):
        if case.exact:
            theirs = exactly(case, theirs)
        for number, (one, other) in enumerate(zip(ours, theirs)):
            if number in case.uncompared:
                continue
            if case.any_order:
                one, other = np.sort(one), np.sort(other)
            if case.counted is not None and number == len(ours) - 1:
                one, other = one[case.counted], other[case.counted]
            bad = wrong(one, other, case.ulp)
            if bad.any():
                at = int(np.flatnonzero(bad)[0])
                ours_value, theirs_value = (values[at] if at < len(values) else None for values in (one, other))
                faults.append(f"{program.name}/{case.name}: buffer {number}[{at}] is {ours_value!r}, the reference has {theirs_value!r}")
                break
    return faults


def run(program, way="cl", expected=None, folder=None):
    """(cases that agree, messages about those that do not, the kind of fault: "", "differs", "refused", "invalid").
    `expected` is the result of run_reference() if it is already known."""
    try:
        expected = expected or run_reference(program)
    except Refused as reason:
        return 0, [f"{program.name}: {reason}"], "invalid"
    try:
        ours = run_warpwait(program, way, folder)
    except Refused as reason:
        return 0, [f"{program.name}: {reason}"], "refused"
    faults = compare(program, ours, expected)
    return len(program.cases) - len(faults), faults, "differs" if faults else ""
