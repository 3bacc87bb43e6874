#!/usr/bin/env python3
"""What `warpwait exec` does around a program, and how PyOpenCL programs run under it.

usage: tests/icd/exec_test.py    WARPWAIT (default build/warpwait) has the driver beside it."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).resolve()
EXAMPLE = ROOT / "examples/16_host_program"

HAZARD = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, "kernel void beyond(global int *x) { x[get_global_id(0) + 1] = 1; }").build()
x = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 64)
program.beyond(queue, (64,), (64,), x)
queue.finish()
"""
# Work-items skip an iteration of a loop that the default level unrolls, and read an element without need.
AS_WRITTEN = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, '''kernel void skip(global int *x) {
  local int tile[4 * 64];
  int i = get_local_id(0);
  for (int k = 0; k < 4; k++) {
    if (x[i] == k)
      continue;
    event_t loaded = async_work_group_copy(tile + k * 64, x, 64, 0);
    wait_group_events(1, &loaded);
  }
  int unused = x[i + 64];
}''').build()
x = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.arange(64, dtype=numpy.int32))
program.skip(queue, (64,), (64,), x)
queue.finish()
"""
CAPTURED = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, '''kernel void scale(global float *x, float f, local float *t) {
  int i = get_global_id(0);
  t[get_local_id(0)] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[i] = f * t[get_local_size(0) - 1 - get_local_id(0)];
}''').build()
x = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=numpy.arange(256, dtype=numpy.float32))
for factor in (2, 2, 3):
    program.scale(queue, (128,), (32,), x, numpy.float32(factor), cl.LocalMemory(128))
queue.finish()
"""
IMAGES = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, '''kernel void mirror(read_only image2d_t from, sampler_t s, write_only image2d_t to) {
  float2 at = (float2)(get_global_id(0) + 0.5f, get_global_id(1) + 0.5f) / (float2)(16, 8);
  write_imagef(to, (int2)(15 - get_global_id(0), get_global_id(1)), read_imagef(from, s, at));
}''').build()
picture = numpy.arange(16 * 8 * 4, dtype=numpy.uint32).reshape(8, 16, 4).astype(numpy.uint8)
one = cl.image_from_array(context, picture, 4, norm_int=True)
other = cl.Image(context, cl.mem_flags.WRITE_ONLY, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8), shape=(16, 8))
program.mirror(queue, (16, 8), None, one, cl.Sampler(context, True, cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR), other)
got = numpy.empty_like(picture)
cl.enqueue_copy(queue, got, other, origin=(0, 0), region=(16, 8))
assert (got == picture[:, ::-1]).all()
"""
TWO_QUEUES = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queues = [cl.CommandQueue(context) for _ in range(2)]
program = cl.Program(context, """ + "\'\'\'" + """
kernel void slow(global float *x) { float f = x[get_global_id(0)]; for (int i = 0; i < 5000; i++) f = f * f; x[get_global_id(0)] = f; }
kernel void quick(global float *x) { x[get_global_id(0)] = 1; }
""" + "\'\'\'" + """).build()
host = numpy.zeros(1 << 16, numpy.float32)
x, y = (cl.Buffer(context, cl.mem_flags.READ_WRITE, host.nbytes) for _ in range(2))
program.slow(queues[0], (64,), (64,), x)
cl.enqueue_copy(queues[1], y, host, is_blocking=False)
program.quick(queues[0], (64,), (64,), x)
for queue in queues:
    queue.finish()
"""
# In C, so that the place of a call can be reported.
CALLS = """
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  const char *source = "kernel void race(local int *t, global int *x) { t[0] = get_local_id(0); x[0] = t[0]; }";
  const size_t items = 64;
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, NULL);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
  clBuildProgram(program, 1, &device, "", NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "race", NULL);
  cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 4, NULL, NULL);
  clSetKernelArg(kernel, 0, 4, NULL);
  clSetKernelArg(kernel, 1, sizeof x, &x);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &items, 0, NULL, NULL);
  return 0; /* all of it is left to the system */
}
"""
# Launches that do not fit, one that deadlocks, and a command that waits for a failed event.
FAILURES = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, '''kernel void wide(global int *x, local int *t) { t[0] = 1; x[0] = t[0]; }
kernel void stuck(global int *x) { if (get_local_id(0) < 32) barrier(CLK_LOCAL_MEM_FENCE); }''').build()
x = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 64)
for size in (1 << 20, 1 << 20, 1 << 40):
    try:
        program.wide(queue, (64,), (64,), x, cl.LocalMemory(size))
    except cl.RuntimeError as error:
        print(error.code)
gate = cl.UserEvent(context)
cl.enqueue_fill_buffer(queue, x, numpy.int32(1), 0, 4, wait_for=[gate])
gate.set_status(-7)
program.stuck(cl.CommandQueue(context), (64,), (64,), x)
"""
EMPTY = """
import numpy, pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
program = cl.Program(context, "kernel void nothing(global int *x) { x[get_global_id(0)] = 1; }").build()
x = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 64)
for size in ((0,), (8, 0), (2**31, 0, 3)):
    program.nothing(queue, size, None, x)
queue.finish()
"""
DEVICES = "import pyopencl as cl; print([(d.name, d.max_compute_units) for d in cl.get_platforms()[0].get_devices()])"


class Exec(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_exec(self, *words, status=0):
        env = {**os.environ, "PYOPENCL_NO_CACHE": "1"}
        done = subprocess.run([WARPWAIT, "exec", *words], capture_output=True, text=True, check=False, env=env)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def python(self, *options, text, status=0):
        return self.run_exec(*options, "--", sys.executable, "-W", "ignore", "-c", text, status=status)

    def test_the_example_prints_what_its_page_says(self):
        page = (EXAMPLE / "README.md").read_text()
        said = textwrap.dedent(re.search(r"^    \$ .*\n((?:    .*\n|\n)+)\n", page, re.MULTILINE)[1])
        done = self.run_exec("-r", "table", "--", sys.executable, "-W", "ignore", EXAMPLE / "saxpy.py")
        self.assertEqual(done.stdout + done.stderr, said)

    def test_the_example_prints_the_same_in_c_and_cpp(self):
        said = self.run_exec("--", sys.executable, "-W", "ignore", EXAMPLE / "saxpy.py").stdout
        for compiler, file in (("cc", "saxpy.c"), ("c++", "saxpy.cpp")):
            program = self.folder / compiler
            subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-o", program, EXAMPLE / file, "-lOpenCL"], check=True)
            self.assertEqual(self.run_exec("--", program).stdout, said)

    def test_two_runs_print_and_write_the_same(self):
        """So do all files that it writes, except for process numbers."""
        made = []
        for name in "ab":
            folder = self.folder / name
            folder.mkdir()
            options = ["--html", folder, "--timeline", folder / "timeline.json", "--log", folder / "log", "--capture", folder / "captured"]
            done = self.run_exec("-r", "json", *options, "--", sys.executable, "-W", "ignore", EXAMPLE / "saxpy.py")
            files = {file.relative_to(folder): re.sub(rb'"pid": ?\d+', b"", file.read_bytes()).replace(str(folder).encode(), b"")
                     for file in folder.rglob("*") if file.is_file()}
            made.append((done.stdout, done.stderr, files))
        self.assertEqual(*made)
        self.assertLess({"index.html", "saxpy-0.html", "timeline.json", "log"}, {str(name) for name in made[0][2]})

    def test_each_machine_is_a_device_with_the_changed_parameters(self):
        done = self.python("-m", "teaching,h200", "-s", "cu.count=3", text=DEVICES)
        self.assertEqual(done.stdout, "[('teaching (simulated)', 3), ('h200 (simulated)', 3)]\n")
        self.assertEqual(done.stderr, "warpwait: the program ran no kernel\n")

    def test_the_largest_work_group_is_the_machines(self):
        text = "import pyopencl as cl; print(cl.get_platforms()[0].get_devices()[0].max_work_group_size)"
        for options, most in ((["-m", "h200"], 1024), (["-m", "teaching"], 512), (["-m", "teaching", "-s", "cu.group_size=96"], 96)):
            self.assertEqual(self.python(*options, text=text).stdout, f"{most}\n")

    def test_an_unknown_machine_is_reported(self):
        done = self.python("-m", "h20", text=DEVICES, status=2)
        self.assertIn("did you mean 'h200'?", done.stderr)

    def test_thread_counts_do_not_change_reports_and_bad_ones_are_reported(self):
        reports = [self.python("--threads", threads, "-r", "json", text=TWO_QUEUES).stderr for threads in ("1", "3")]
        self.assertEqual(reports[0], reports[1])
        self.assertIn("'65' is not a whole number in [1, 64]", self.python("--threads", "65", text=DEVICES, status=2).stderr)
        with unittest.mock.patch.dict(os.environ, WARPWAIT_THREADS="many"):
            self.assertIn("WARPWAIT_THREADS: 'many' is not a whole number in [0, 64]", self.python(text=TWO_QUEUES).stderr)

    def test_a_recorded_run_is_not_checked_and_says_so(self):
        with unittest.mock.patch.dict(os.environ, WARPWAIT_CHECK="1"):
            done = self.python("-m", "teaching", "--trace", self.folder / "t.wwt", text=HAZARD)
        self.assertIn("warpwait: WARPWAIT_CHECK: cannot be combined with WARPWAIT_TRACE; nothing is checked\n", done.stderr)

    def test_a_hazard_is_counted_and_checked(self):
        done = self.python("-m", "teaching", "--report", "json", "--check", text=HAZARD, status=1)
        said = json.loads(done.stderr)
        self.assertEqual([(row["kernel"], row["launches"], row["hazards"]) for row in said["kernels"]], [("beyond", 1, 1)])
        self.assertEqual(said["kernels"][0]["report"]["launches"][0]["kernel"], "beyond")
        self.assertEqual([(row["hazard"], row["kernel"], row["count"]) for row in said["hazards"]], [("M1-access-out-of-bounds", "beyond", 1)])

    def test_every_failed_command_is_reported_with_its_reason(self):
        page = self.folder / "page"
        done = self.python("-m", "teaching", "-r", "table", "--html", page, text=FAILURES)
        self.assertEqual(done.stdout, "-5\n-5\n-5\n")
        said = done.stderr
        for size, times in ((1 << 20, 4), (1 << 40, 2)):  # PyOpenCL tries each again
            self.assertIn(f"\nkernel wide on teaching failed with CL_OUT_OF_RESOURCES: bytes: {size} is outside [1, 65536] bytes, "
                          f"the lds.size of machine 'teaching' ({times} times)\n", said)
        self.assertIn("\n(fill) on teaching failed with CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST: an event that it waits for has failed\n", said)
        self.assertRegex(said, r"(?m)^kernel stuck on teaching failed with CL_OUT_OF_RESOURCES: kernel stuck does not finish: deadlock: ")
        self.assertIn("<h2>Failed commands</h2><ul><li>kernel wide on teaching failed", (page / "index.html").read_text())
        failures = json.loads(self.python("-m", "teaching", "-r", "json", text=FAILURES).stderr)["failures"]
        self.assertEqual([(row["failure"], row.get("kernel"), row["count"]) for row in failures],
                         [("kernel", "wide", 4), ("kernel", "wide", 2), ("fill", None, 1), ("kernel", "stuck", 1)])
        cancelled = HAZARD.replace("+ 1] = 1", "] = 1").replace("program.beyond(", "gate = cl.UserEvent(context)\nprogram.beyond(")
        cancelled = cancelled.replace("64,), x)", "64,), x, wait_for=[gate])\ngate.set_status(-7)\nprogram.beyond(cl.CommandQueue(context), (64,), None, x)")
        for options, hazards in ([], "not checked"), (["--check"], "0"):
            done = self.python("-m", "teaching", "-r", "table", *options, text=cancelled.replace("queue.finish()", ""))
            self.assertRegex(done.stderr, rf"(?m)^beyond +teaching +2 .*100.0% +{hazards}  memory accesses")
        tight = self.python("-m", "teaching", "-s", "cu.registers=1024", "-s", "cu.register_unit=4096", "-r", "table", text=HAZARD, status=1)
        self.assertRegex(tight.stderr, r"(?m)^kernel beyond on teaching failed with CL_OUT_OF_RESOURCES: .*registers")

    def test_check_compiles_like_the_check_verb(self):
        done = self.python("-m", "teaching", "--report", "json", "--check", text=AS_WRITTEN, status=1)
        self.assertEqual({row["hazard"] for row in json.loads(done.stderr)["hazards"]}, {"G3-divergent-loop", "M1-access-out-of-bounds"})

    def test_check_finds_more_than_a_run_and_names_the_enqueuing_line(self):
        program = self.folder / "calls"
        program.with_suffix(".c").write_text(CALLS)
        subprocess.run(["cc", "-g", "-o", program, program.with_suffix(".c"), "-lOpenCL"], check=True)
        place = f"{program}.c:{CALLS[:CALLS.index('clEnqueueNDRangeKernel')].count(chr(10)) + 1}"
        done = self.run_exec("-m", "teaching", "-r", "table", "--check", "--html", self.folder / "page", "--", program, status=1)
        self.assertRegex(done.stderr, rf"(?m)^kernel.cl:1: M5-lds-race: .*\(kernel race, \d+ times, enqueued at {re.escape(place)}\)$")
        self.assertIn(place, (self.folder / "page/index.html").read_text())
        done = self.run_exec("-m", "teaching", "-r", "table", "--", program)  # only the hazards that every run detects
        self.assertNotIn("M5-lds-race", done.stderr)

    def test_a_copy_in_one_queue_overlaps_a_kernel_in_another(self):
        timeline = self.folder / "timeline.json"
        self.python("-m", "teaching", "--timeline", timeline, text=TWO_QUEUES)
        events = json.loads(timeline.read_text())["traceEvents"]
        names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
        slices = {(names[event["tid"]], event["name"]): (event["ts"], event["ts"] + event["dur"]) for event in events if event["ph"] == "X"}
        slow, write = slices["device 0, teaching: compute", "slow"], slices["device 0, teaching: to device", "write"]
        self.assertEqual((slices["queue 1", "slow"], slices["queue 2", "write"]), (slow, write))
        self.assertLess(slow[0], write[0])
        self.assertLess(write[0], slow[1])
        self.assertLessEqual(slow[1], slices["queue 1", "quick"][0])

    def test_the_only_option_selects_kernels_to_report_and_capture(self):
        captured, page = self.folder / "captured", self.folder / "page"
        done = self.python("-m", "teaching", "--only", "quick", "--capture", captured, "--html", page, text=TWO_QUEUES)
        self.assertRegex(done.stderr, r"(?m)^quick ")
        self.assertNotRegex(done.stderr, r"(?m)slow")
        self.assertEqual([folder.name for folder in captured.iterdir()], ["001-quick"])
        self.assertEqual(sorted(file.name for file in page.iterdir()), ["index.html", "quick-0.html"])
        self.assertIn('href="quick-0.html"', (page / "index.html").read_text())

    def test_kernels_that_are_not_selected_run_without_timing(self):
        done = self.python("-m", "teaching", "-r", "table", "--only", "quick", "--functional", "--log", self.folder / "log", text=TWO_QUEUES)
        self.assertRegex(done.stderr, r"(?m)^quick .*  \S+")
        lines = {line["kernel"]: line for line in map(json.loads, (self.folder / "log").read_text().splitlines()) if "command" in line and "kernel" in line}
        self.assertTrue(lines["slow"]["functional"])
        self.assertEqual(lines["slow"]["times"][2], lines["slow"]["times"][3])
        self.assertGreater(lines["quick"]["cycles"], 0)
        done = self.python("-m", "teaching", "--functional", text=TWO_QUEUES)
        self.assertRegex(done.stderr, r"(?m)^slow .* executed without timing$")
        self.assertIn("timing         none", done.stderr)

    def test_the_log_of_a_killed_program_can_be_read_again(self):
        log = self.folder / "log"
        killed = HAZARD + "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
        done = self.python("-m", "teaching", "-r", "table", "--log", log, text=killed, status=128 + signal.SIGKILL)
        killed = "warpwait: the program was killed by signal SIGKILL (killed)\n"
        self.assertRegex(done.stderr, re.escape(killed) + r"kernel .*\nbeyond +teaching +1 ")
        self.assertEqual(self.run_exec("-r", "table", "--log", log).stderr, done.stderr.removeprefix(killed))
        log.write_text("nonsense\n")
        self.assertEqual(self.run_exec("--log", log, status=2).stderr, f"warpwait: {log}:1: is not JSON\n")

    def test_the_time_in_the_table_is_that_in_the_report(self):
        """For each machine, although only one has an overhead; and the events have the sum."""
        timed = HAZARD.replace("[0] + 1] = 1", "[0]] = 1").replace("cl.CommandQueue(context)", "cl.CommandQueue(context, properties=2)")
        timed = timed.replace("program.beyond", "event = program.beyond") + "print(event.profile.end - event.profile.start)"
        for machine in ("h200", "teaching"):
            log = self.folder / machine
            done = self.python("-m", machine, "--log", log, text=timed)
            said = re.search(r"(?m)^beyond +\w+ +1 +([\d.]+) +([\d.]+) ", done.stderr)
            self.assertEqual(re.search(r"(?m)^cycles .* = ([\d.]+) us$", done.stderr)[1], said[1])
            self.assertAlmostEqual(float(said[1]) + float(said[2]), int(done.stdout) / 1000, 6)
            (row,) = json.loads(self.run_exec("-r", "json", "--log", log).stderr)["kernels"]
            self.assertEqual((row["ns"], row["overhead_ns"] > 0), (int(done.stdout), machine == "h200"))

    def diff(self, *words, status=1):
        done = subprocess.run([WARPWAIT, "diff", *words], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_diff_compares_the_kernels_of_two_logs(self):
        """Also if they run in another order, and how often each ran. Launches of equal programs are the same."""
        logs = [self.folder / name for name in ("a", "b", "c")]
        one = "for i in range(%d):\n    program.one(queue, (128,), (32,), x)\n"
        before, loop, after = CAPTURED.replace("kernel void", "kernel void one(global float *x) { x[0] += 1; }\nkernel void").partition("for factor")
        slow = ["-s", "mem.dram_latency=400"]
        for log, options, text in zip(logs, ([], [], slow), (before + loop + after + one % 3, before + one % 1 + loop + after, before + loop + after + one % 3)):
            self.python("-m", "teaching", "--log", log, *options, text=text + "queue.finish()\n")
        self.assertEqual(self.diff(logs[0], logs[0], status=0).stdout, "")
        said = json.loads(self.diff(logs[0], logs[1], "--report", "json").stdout)
        self.assertEqual([(row["a"], row["b"], row["kernel"]) for row in said["launches"]], [(1, 1, "one"), (2, 2, "scale")])
        self.assertEqual(said["launches"][0]["differs"]["exec.launches"], {"a": 3, "b": 1})
        self.assertNotIn("exec.launches", said["launches"][1]["differs"])
        cycles = [sum(self.cycles(log)) for log in logs]
        self.assertEqual(said["figures"]["exec_cycles"], {"a": cycles[0], "b": cycles[1], "change": cycles[1] - cycles[0], "unit": "cycles of all launches"})
        said = self.diff(logs[0], logs[2]).stdout
        self.assertRegex(said, r"A  a: longest launch of each kernel on teaching\n(.*\n)+longest launches ")
        self.assertIn("mem.dram_latency", said)

    def test_diff_says_which_log_was_checked_and_refuses_what_it_cannot_compare(self):
        plain, checked, functional, machines = (self.folder / name for name in ("plain", "checked", "functional", "machines"))
        self.python("-m", "teaching", "--log", plain, text=HAZARD)
        self.python("-m", "teaching", "--log", checked, "--check", text=HAZARD, status=1)
        self.assertIn("B  checked: longest launch of each kernel (checked) on teaching\n", self.diff(plain, checked).stdout)
        self.python("-m", "teaching", "--log", functional, "--functional", text=HAZARD)
        report = self.folder / "report"
        self.python("-m", "teaching", "-r", "json", "--out", report, text=HAZARD)
        self.assertIn("is a report of `warpwait exec`; `exec --log` keeps a log", self.diff(plain, report, status=2).stderr)
        self.assertEqual(self.diff(plain, functional, status=2).stderr, f"warpwait: {functional}: has no report of a timed launch\n")
        lines = plain.read_text().split("\n")
        place = next(number for number, line in enumerate(lines, 1) if line.startswith('{"report"'))
        machines.write_text("\n".join(lines) + "\n".join(lines).replace('"teaching"', '"other"'))
        self.assertEqual(self.diff(plain, machines, status=2).stderr, f"warpwait: {machines}:{len(lines) - 1 + place}:1: values: is of another machine "
                                                                      "than the reports before it; `diff` compares logs of one\n")

    def test_a_zero_byte_that_a_kernel_prints_does_not_lose_its_report(self):
        log = self.folder / "log"
        text = HAZARD.replace("+ 1] = 1;", '] = 1; printf(\\"%c\\", 0);')
        (row,) = json.loads(self.python("-m", "teaching", "--log", log, "-r", "json", text=text).stderr)["kernels"]
        self.assertEqual(row["report"]["launches"][0]["printf"][:2], "\0\0")
        self.assertEqual(self.diff(log, log, status=0).stdout, "")

    def test_only_checked_launches_count_as_free_of_hazards(self):
        right = HAZARD.replace("get_global_id(0) + 1", "get_global_id(0)")
        done = self.python("-m", "teaching", "-r", "table", text=right)
        self.assertRegex(done.stderr, r"(?m)^beyond .*% not checked  ")
        self.assertNotIn("level 0", done.stderr)
        log, page = self.folder / "log", self.folder / "page"
        done = self.python("-m", "teaching", "-r", "table", "--check", "--log", log, "--html", page, text=right)
        self.assertRegex(done.stderr, r"\Awarpwait: 1 of 1 launches checked: compiled at level 0, .*\nkernel .*\nbeyond .*% +0  ")
        self.assertEqual(self.run_exec("-r", "table", "--log", log).stderr, done.stderr)
        self.assertIn("<p>1 of 1 launches checked: ", (page / "index.html").read_text())

    def test_a_signal_that_kills_the_program_is_named(self):
        for number, name in ((signal.SIGSEGV, "SIGSEGV (segmentation fault)"), (signal.SIGFPE, "SIGFPE (floating point exception)"),
                             (40, "40 (real-time signal 6)")):
            done = self.run_exec("--", "sh", "-c", f"kill -{int(number)} $$", status=128 + number)
            self.assertEqual(done.stderr, f"warpwait: the program was killed by signal {name}\nwarpwait: the program ran no kernel\n")
        done = self.run_exec("-r", "json", "--", "sh", "-c", "kill -7 $$", status=135)
        self.assertEqual(json.loads(done.stderr)["program"], {"status": 135, "signal": "SIGBUS (bus error)"})

    def test_a_program_without_kernels_shows_its_transfers(self):
        moved = HAZARD.replace("program.beyond(queue, (64,), (64,), x)", "cl.enqueue_copy(queue, x, numpy.zeros(64, numpy.int32))")
        done = self.python("-m", "teaching", text=moved)
        self.assertRegex(done.stderr, r"\Awarpwait: the program ran no kernel\nkernel .*\n\(write\) +teaching +1 .* 256 bytes\n\Z")

    def test_an_empty_ndrange_is_a_launch_that_takes_no_time(self):
        log, page, timeline = (self.folder / name for name in ("log", "page", "timeline"))
        done = self.python("-m", "teaching", "--log", log, "--html", page, "--timeline", timeline, text=EMPTY)
        self.assertRegex(done.stderr, r"(?m)^nothing +teaching +3 +0\.000 +0\.000 +0\.0%              no work-items$")
        self.assertEqual(self.run_exec("--log", log).stderr, done.stderr)
        self.assertIn("<td>nothing<td>teaching", (page / "index.html").read_text())
        both = self.python("-m", "teaching", "-r", "json", text=EMPTY + "program.nothing(queue, (64,), None, x); queue.finish()")
        (row,) = json.loads(both.stderr)["kernels"]
        self.assertEqual((row["launches"], row["empty"], row["report"]["launches"][0]["work_groups"]), (4, 3, 1))
        self.assertIn("memory accesses", row["bound"])

    def test_texts_that_are_not_utf8_or_hold_line_separators_lose_no_hazard(self):
        program = self.folder / "program"
        source = CALLS.replace('source = "', r'source = "#line 7 \"a\xff\"\n').replace("x[0] = t[0];", r'x[0] = t[0]; printf(\"\u2028\x1e\xff\\n\");')
        subprocess.run(["cc", "-w", "-x", "c", "-", "-o", program, "-lOpenCL"], input=source, text=True, check=True)
        env = {**os.environ, "WARPWAIT_LOG": str(self.folder / "log")}
        done = subprocess.run([WARPWAIT, "exec", "--check", "-r", "table", "--", program], env=env, capture_output=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, rb"(?m)^a\?:7: M5-lds-race: ")

    def test_a_report_file_has_the_report_of_each_kernel(self):
        out = self.folder / "report.txt"
        done = self.python("-m", "teaching", "--report", "text", "--out", out, text=HAZARD)
        self.assertEqual(done.stderr, "")
        self.assertRegex(out.read_text(), r"(?s)^kernel .* bound by\nbeyond +teaching +1 .*\n\nkernel +beyond in kernel.cl")

    def test_captured_launches_run_again_with_the_same_results(self):
        captured = self.folder / "captured"
        done = self.python("-m", "teaching", "-s", "cu.count=2", "-r", "json", "--capture", captured, text=CAPTURED)
        self.assertEqual([row["launches"] for row in json.loads(done.stderr)["kernels"]], [3])
        files = sorted(captured.glob("*/launch.json"))
        self.assertEqual([file.parent.name for file in files], ["001-scale", "002-scale"])
        for file in files:
            run = subprocess.run([WARPWAIT, "run", file, "--verify", "--annotate"], capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
            self.assertIn("2 CUs", run.stdout)
            self.assertIn("x[i] = f * t[", run.stdout)  # the report contains the source

    def test_a_captured_launch_has_its_images_and_samplers(self):
        captured, trace, log = self.folder / "captured", self.folder / "t.wwt", self.folder / "log"
        done = self.python("-m", "teaching", "--capture", captured, "--trace", trace, "--log", log, text=IMAGES)
        self.assertEqual(done.returncode, 0, done.stderr)
        file = captured / "001-mirror/launch.json"
        self.assertEqual(json.loads(file.read_text())["launches"][0]["args"][1], {"sampler": "normalized,repeat,linear"})
        run = subprocess.run([WARPWAIT, "run", file, "--verify"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
        self.assertEqual(self.replayed(trace), self.cycles(log))

    def replayed(self, trace, *words):
        run = subprocess.run([WARPWAIT, "replay", trace, "--report", "json", "--why=no", *words], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return [launch["event_cycles"] for launch in json.loads(run.stdout)["launches"]]

    def cycles(self, log):
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        return [line["cycles"] for line in lines if line.get("command") == "kernel"]

    def test_forked_processes_leave_whole_files_too(self):
        trace, log = self.folder / "t.wwt", self.folder / "log"
        more = "program.scale(queue, (128,), (32,), x, numpy.float32(4), cl.LocalMemory(128)); queue.finish()\n"
        forked = CAPTURED + "import os, sys\nchild = os.fork()\n" + more + "if child: os.waitpid(child, 0)\nelse: sys.exit()\n"
        self.python("-m", "teaching", "--trace", trace, "--log", log, text=forked)
        self.assertEqual(len(self.cycles(log)), 5)
        pids = collections.Counter(json.loads(line)["pid"] for line in log.read_text().splitlines() if "command" in line and "kernel" in line)
        self.assertEqual(sorted(pids.values()), [1, 4])
        self.assertEqual(len(self.replayed(trace)), 4)

    def test_the_host_benchmark_measures_the_values_in_the_machine_file(self):
        program = self.folder / "host"
        subprocess.run(["cc", "-O2", "-std=c17", "-D_GNU_SOURCE", "-o", program, ROOT / "hw/measure/host.c", "-lOpenCL"], check=True)
        said = self.run_exec("--functional", "--", program).stdout
        measured = {key: int(value) for key, value in re.findall(r"^(\w+) = (\d+) ;", said, re.MULTILINE)}
        machine = (ROOT / "machines/h200.ini").read_text().partition("[host]")[2]
        expected = {key: int(value) for key, value in re.findall(r"^(\w+) = (\d+) ", machine, re.MULTILINE)}
        self.assertEqual(measured.keys(), expected.keys())
        for key in expected.keys() - {"call"}:  # the call is on this computer
            self.assertLessEqual(abs(measured[key] - expected[key]), 1, key)

    def test_a_replayed_trace_matches_runs_on_its_machine_and_on_another(self):
        trace, log, elsewhere = (self.folder / name for name in ("t.wwt", "log", "elsewhere"))
        changed = ["mem.dram_latency=400", "cu.schedulers=2"]
        self.python("-m", "teaching", "--trace", trace, "--log", log, text=CAPTURED)
        self.python("-m", "teaching", "-s", changed[0], "-s", changed[1], "--log", elsewhere, text=CAPTURED)
        self.assertEqual(len(self.cycles(log)), 3)
        self.assertNotEqual(self.cycles(log), self.cycles(elsewhere))
        self.assertEqual(self.replayed(trace), self.cycles(log))
        self.assertEqual(self.replayed(trace, "--set", changed[0], "--set", changed[1]), self.cycles(elsewhere))

    def test_programs_with_different_defines_are_captured_separately(self):
        captured = self.folder / "captured"
        again = CAPTURED.replace(").build()", ").build(['-DN=%d' % n])").replace("program = ", "for n in (1, 2):\n  program = ", 1)
        again = again.replace("for factor in (2, 2, 3):\n    program.scale", "  program.scale").replace("numpy.float32(factor)", "numpy.float32(2)")
        again = again.replace("x = cl.Buffer", "  x = cl.Buffer")
        self.python("-m", "teaching", "--capture", captured, text=again)
        self.assertEqual(len(list(captured.glob("*/launch.json"))), 2)

    def test_captures_of_two_programs_are_in_one_folder(self):
        captured = self.folder / "captured"
        for _ in range(2):
            self.python("-m", "teaching", "--capture", captured, text=CAPTURED)
        self.assertEqual([file.parent.name for file in sorted(captured.glob("*/launch.json"))],
                         ["001-scale", "002-scale", "003-scale", "004-scale"])

    def test_output_of_kernels_that_is_lost_is_reported(self):
        words = [WARPWAIT, "exec", "-m", "teaching", "-r", "table", "--", sys.executable, "-W", "ignore", "-c",
                 HAZARD.replace("x[get_global_id(0) + 1] = 1;", r'printf(\"word\");')]
        with open("/dev/full", "w") as full:
            done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("\nwarpwait: standard output: cannot be written: No space left on device\n", done.stderr)

    def test_a_hazard_in_a_file_whose_name_is_not_text_is_reported(self):
        program = self.folder / "calls"
        program.with_suffix(".c").write_text(CALLS.replace('"kernel', r'"#line 1 \"caf\351.cl\"\nkernel'))
        subprocess.run(["cc", "-o", program, program.with_suffix(".c"), "-lOpenCL"], check=True)
        done = self.run_exec("-m", "teaching", "-r", "table", "--check", "--", program, status=1)
        self.assertRegex(done.stderr, r"(?m)^caf\?.cl:1: M5-lds-race: ")

    def test_the_exit_status_is_that_of_the_program(self):
        self.python(text="raise SystemExit(7)", status=7)

    def test_bad_input_is_reported_in_one_line(self):
        self.assertEqual(self.run_exec(status=2).stderr, "warpwait: PROGRAM is missing; --help says more\n")
        self.assertIn("cannot be combined with", self.run_exec("--check", "--trace", "t.wwt", "--", "true", status=2).stderr)
        self.assertEqual(self.run_exec("--bogus", status=2).stderr, "warpwait: unrecognized arguments: --bogus; --help says more\n")
        self.assertEqual(self.run_exec("--threads", "--", "true", status=2).stderr, "warpwait: --threads: expected one argument; --help says more\n")
        self.assertEqual(self.run_exec("--", "/no/such/program", status=2).stderr,
                         "warpwait: /no/such/program: No such file or directory\n")

    def test_a_signal_to_exec_ends_the_program(self):
        command = [WARPWAIT, "exec", "--", sys.executable, "-c", "import time; print('on', flush=True); time.sleep(60)"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
            self.assertEqual(run.stdout.readline(), "on\n")
            time.sleep(0.1)
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(20), 128 + signal.SIGTERM)
            self.assertEqual(run.stdout.read(), "")  # no process holds the other end any more


if __name__ == "__main__":
    unittest.main()
