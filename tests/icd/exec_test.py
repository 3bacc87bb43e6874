#!/usr/bin/env python3
"""What `warpwait exec` does around a program, and what PyOpenCL's programs find.

usage: tests/icd/exec_test.py    WARPWAIT (default build/warpwait) has the driver beside it.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

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
        said = re.search(r"^    \$ .*\n((?:    .*\n)+)", page, re.MULTILINE)[1].replace("    ", "", 1).replace("\n    ", "\n")
        done = self.run_exec("--", sys.executable, "-W", "ignore", EXAMPLE / "saxpy.py")
        self.assertEqual(done.stdout + done.stderr, said)

    def test_two_runs_print_the_same(self):
        runs = [self.run_exec("-r", "json", "--", sys.executable, "-W", "ignore", EXAMPLE / "saxpy.py") for _ in range(2)]
        self.assertEqual(runs[0].stdout, runs[1].stdout)
        self.assertEqual(runs[0].stderr, runs[1].stderr)

    def test_machines_are_devices_and_changed(self):
        done = self.python("-m", "teaching,h200", "-s", "cu.count=3", text=DEVICES)
        self.assertEqual(done.stdout, "[('teaching (simulated)', 3), ('h200 (simulated)', 3)]\n")
        self.assertEqual(done.stderr, "warpwait: the program ran no kernel\n")

    def test_a_machine_that_there_is_none_of_is_told(self):
        done = self.python("-m", "h20", text=DEVICES, status=2)
        self.assertIn("did you mean 'h200'?", done.stderr)

    def test_a_hazard_is_counted_and_checked(self):
        done = self.python("-m", "teaching", "--report", "json", "--check", text=HAZARD, status=1)
        rows = json.loads(done.stderr)
        self.assertEqual([(row["kernel"], row["launches"], row["hazards"]) for row in rows], [("beyond", 1, 1)])
        self.assertIn("beyond", rows[0]["report"])

    def test_a_report_goes_into_a_file_and_has_each_kernels(self):
        out = self.folder / "report.txt"
        done = self.python("-m", "teaching", "--report", "text", "--out", out, text=HAZARD)
        self.assertEqual(done.stderr, "")
        self.assertRegex(out.read_text(), r"(?s)^kernel .* bound by\nbeyond +teaching +1 .*\n\nkernel +beyond in kernel.cl")

    def test_captured_launches_run_again_with_the_same_results(self):
        captured = self.folder / "captured"
        done = self.python("-m", "teaching", "-s", "cu.count=2", "-r", "json", "--capture", captured, text=CAPTURED)
        self.assertEqual([row["launches"] for row in json.loads(done.stderr)], [3])
        files = sorted(captured.glob("*/launch.json"))
        self.assertEqual([file.parent.name for file in files], ["001-scale", "002-scale"])
        for file in files:
            run = subprocess.run([WARPWAIT, "run", file, "--verify", "--annotate"], capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stderr), (0, ""), run.stdout)
            self.assertIn("2 CUs", run.stdout)
            self.assertIn("x[i] = f * t[", run.stdout)  # the source is there

    def test_the_exit_status_is_the_programs(self):
        self.python(text="raise SystemExit(7)", status=7)

    def test_bad_input_is_told_in_a_line(self):
        self.assertEqual(self.run_exec(status=2).stderr, "warpwait: PROGRAM is missing; --help says more\n")
        self.assertEqual(self.run_exec("--", "/no/such/program", status=2).stderr,
                         "warpwait: /no/such/program: No such file or directory\n")

    def test_who_ends_it_ends_the_program(self):
        command = [WARPWAIT, "exec", "--", sys.executable, "-c", "import time; print('on', flush=True); time.sleep(60)"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
            self.assertEqual(run.stdout.readline(), "on\n")
            time.sleep(0.1)
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(20), 128 + signal.SIGTERM)
            self.assertEqual(run.stdout.read(), "")  # nobody has the other end any more


if __name__ == "__main__":
    unittest.main()
