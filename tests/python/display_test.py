#!/usr/bin/env python3
# Time limit: an interrupt has 4 s to end a run.
"""What notebooks show: HTML of every object, errors, the cell magic, Ctrl-C and progress."""
import html.parser
import os
import pathlib
import pickle
import queue
import pty
import re
import sys
import tempfile
import time
import unittest
import warnings

import notebook_kernel
import rig

try:
    import numpy as np
    import pandas  # noqa: F401
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from jupyter_client.manager import start_new_kernel
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(0)

import warpwait as ww  # noqa: E402

EVIL = "</style></pre><script>alert(1)</script>&\"'"
RACE = """kernel void race(global const float *in, global float *out) {
  local float tile[64]; // %s
  event_t done = async_work_group_copy(tile, in, 64, 0);
  out[get_global_id(0)] = tile[get_local_id(0)];
  wait_group_events(1, &done);
}
"""
ADD = "kernel void add(global float *x, int n) { x[get_global_id(0)] += n; }"
LONG = ("kernel void spin(global float *x, int n) { float a = 1; for (int i = 0; i < n; i++) a = a * 1.5f + 2; "
        "x[get_global_id(0)] = a; }")


class Reader(html.parser.HTMLParser):
    """Asserts that tags are closed in order and that nothing is active."""
    VOID = {"br", "img", "meta"}

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.wrong = [], [], []
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self.open]

    def handle_starttag(self, tag, attrs):
        if tag == "script" or any(name.startswith("on") for name, _ in attrs):
            self.wrong.append(f"<{tag}> is active: {attrs}")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes another")

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text.append(data)


class Displays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.double = ww.run(rig.ROOT / "examples/05_double_buffer/launch_opencl.json")

    def shown(self, thing):
        """The text of what a notebook shows, which must be well-formed."""
        reader = Reader(thing._repr_html_())
        self.assertEqual(reader.wrong, [])
        return " ".join(" ".join(reader.text).split())

    def race(self, name="race.cl", word="here"):
        kernel = ww.Program(RACE % word, name=name).kernel()
        return kernel.run(global_size=64, local_size=64, args=[np.ones(64, "f4"), np.zeros(64, "f4")], check=True)

    def test_a_report_shows_its_cycles_limit_and_stalls(self):
        text = self.shown(self.double)
        self.assertIn(f"{self.double.cycles:,} cycles", text)
        self.assertIn(self.double.sentence, text)
        self.assertIn("64 work-items in groups of 64, machine teaching", text)
        for bucket, share in self.double.stalls.shares().items():
            if share >= .005:
                self.assertIn(f"{bucket} {share:.1%}", text)
        self.assertIn("32 copies, 350 to 352 cycles", text)

    def test_a_pickled_report_looks_the_same(self):
        self.assertEqual(pickle.loads(pickle.dumps(self.double))._repr_html_(), self.double._repr_html_())

    def test_each_of_several_launches_has_a_row(self):
        report = ww.run(rig.ROOT / "examples/02_bank_conflict/launch_opencl.json")
        text = self.shown(report)
        self.assertIn("6 launches", text)
        for launch in report.launches:
            self.assertIn(f"{launch.cycles:,}", text)
            self.assertIn(f"{launch.cycles:,} cycles", self.shown(launch))

    def test_concurrent_launches_name_each_other_and_may_use_pipes(self):
        report = ww.run(rig.ROOT / "examples/13_pipe/launch_opencl.json")
        self.assertIn("produce with 2", self.shown(report))
        self.shown(report.launches[1].lines)

    def test_runs_without_timing_or_an_end_say_so(self):
        kernel, x = ww.Program(ADD).kernel(), np.zeros((8, 32), "f4")
        size = {"global_size": (32, 8), "local_size": (32, 1), "args": [x, 1]}
        self.assertIn("executed without timing", self.shown(kernel.run("h200", functional=True, **size)))
        with self.assertRaises(ww.Unfinished) as caught:
            kernel.run("h200", cycle_limit=100, **size)
        text = self.shown(caught.exception.report)
        self.assertIn("cycle_limit Stopped at the cycle limit", text)
        self.assertIn("32 x 8 work-items in groups of 32 x 1, machine h200", text)
        self.assertIn("kernel.cl", self.shown(caught.exception.report.lines))
        self.assertIn("add", self.shown(kernel.run("h200", **size)))

    def test_the_annotated_source_has_all_lines_and_their_costs(self):
        kernel = ww.Program("// first\n" + ADD + "\n// last", name="add.cl").kernel()
        lines = kernel.run(global_size=64, local_size=64, args=[np.zeros(64, "f4"), 1]).lines
        text = self.shown(lines)
        self.assertIn("add.cl", text)
        self.assertIn("1 // first", text)
        self.assertIn("3 // last", text)
        self.assertIn("100.0", text)

    def test_hazards_have_rule_place_source_line_and_count(self):
        for shown in self.race(), self.race().hazards:
            text = self.shown(shown)
            self.assertIn("X5-destination-read-in-flight", text)
            self.assertIn("race.cl:4", text)
            self.assertIn("out[get_global_id(0)] = tile[get_local_id(0)];", text)
            self.assertIn("64 times", text)
        self.assertEqual(self.shown(self.double.hazards), "No hazard was found.")

    def test_sources_of_two_programs_with_one_name_are_not_mixed_up(self):
        kernels = [ww.Program(f"// {word}\n{ADD}").kernel() for word in ("one", "two")]
        report = ww.run([kernel.launch(global_size=64, args=[np.zeros(64, "f4"), 1]) for kernel in kernels])
        self.assertEqual(report.sources, {})

    def test_user_text_is_escaped(self):
        report = self.race(f"{EVIL.replace('/', '')}.cl", EVIL)
        for thing in (report, report.lines, report.hazards, report.instructions, report.launches[0]):
            reader = Reader(thing._repr_html_())
            self.assertEqual(reader.wrong, [])
        self.assertIn(EVIL, " ".join(Reader(report.lines._repr_html_()).text))
        machine = ww.Machine.parse("[dma]\nchannels = 2\n", f"{EVIL.replace('/', '')}.ini")
        self.shown(machine)
        self.shown(ww.Program(ADD, name=EVIL.replace("/", "")))
        page = report.launches[0]
        self.assertIn("race", self.shown(page))

    def test_tables_explanations_differences_and_stalls_are_shown(self):
        for thing in (self.double.instructions, self.double.copies, self.double.latencies):
            self.assertTrue(self.shown(thing).startswith(thing.title))
        self.assertIn(f"{self.double.stalls['copy_wait']:,}", self.shown(self.double.stalls))
        explanation = self.double.explain()
        self.assertIn(f"{explanation.limits[0]['cycles']:,}", self.shown(explanation))
        single = ww.run(rig.ROOT / "examples/04_single_buffer/launch_opencl.json")
        self.assertIn("copy_wait", self.shown(self.double.diff(single)))

    def test_a_page_is_shown_in_a_frame(self):
        found = self.double.page()._repr_html_()
        self.assertEqual(Reader(found).wrong, [])
        self.assertTrue(found.startswith('<iframe srcdoc="'))

    def test_changed_parameters_of_a_machine_come_first(self):
        text = self.shown(ww.Machine("h200", **{"dma.channels": 2}))
        self.assertTrue(text.startswith("Machine h200, changed: key value unit text dma.channels 2 channels"))
        self.assertIn(f"all {len(ww.parameters())} parameters", text)
        self.assertIn("mem.dram_latency", text)

    def test_programs_show_kernels(self):
        self.assertIn("add(float* x, int n)", self.shown(ww.Program(ADD)))

    def test_sweeps_show_axes_best_points_and_the_front(self):
        work = rig.ROOT / "examples/05_double_buffer/launch_opencl.json"
        results = ww.sweep(work, {"dma.channels": [1, 2, 4], "lds.banks": [16, 32]}, cost="dma.channels", progress=False)
        text = self.shown(results)
        self.assertIn("Sweep: 6 finished", text)
        self.assertIn("dma.channels 3 1 2 4", text)
        self.assertIn(f"{int(results.best()['cycles'][0]):,}", text)
        self.assertIn("the front of", text)

    def test_a_sweep_of_work_that_cannot_be_recorded_raises(self):
        with self.assertRaisesRegex(ww.BadInput, "nope.json"):
            ww.sweep("nope.json", {"dma.channels": [1, 2]})

    def test_all_hazards_of_a_check_are_rows(self):
        kernel = ww.Program(RACE % "").kernel()
        hazards = ww.check(kernel, global_size=64, local_size=64, args=[np.ones(64, "f4"), np.zeros(64, "f4")])
        self.assertTrue(hazards)
        self.assertEqual([(row["rule"][:3], row["line"], row["count"]) for row in hazards], [("X5-", 4, 64)])


class Magic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        os.environ["IPYTHONDIR"] = cls.folder.name
        cls.shell = InteractiveShell.instance()
        cls.shell.run_cell("import numpy as np\nimport warpwait as ww\n%load_ext warpwait\n%colors NoColor")

    @classmethod
    def tearDownClass(cls):
        cls.shell.history_manager.end_session()
        cls.folder.cleanup()

    def cell(self, source):
        """Returns (the result, the output)."""
        with capture_output(display=False) as captured, warnings.catch_warnings():
            result = self.shell.run_cell(source)
        return result, re.sub(r"\x1b\[[0-9;]*m", "", captured.stdout).strip()

    def test_a_cell_changes_arrays_and_returns_the_annotated_source(self):
        self.cell("x = np.zeros(256, np.float32); n = 3")
        result, _ = self.cell(f"%%warpwait h200 -g len(x) -l 64\n{ADD}")
        self.assertIsInstance(result.result, ww.Lines)
        names = self.shell.user_ns
        self.assertTrue((names["x"] == 3).all())
        self.assertEqual((names["report"].machine.name, names["report"]["launches[0].local"]), ("h200", [64, 1, 1]))

    def test_a_cell_takes_local_memory_macros_parameters_and_expressions(self):
        self.cell("a = np.arange(64, dtype=np.float32); m = ww.Machine('teaching')")
        result, _ = self.cell("%%warpwait m -g 64,1 -l 64,1 -a room=64*4 -a x=a -s lds.banks=16 -D BY=63 -k turn -o turned\n"
                              "kernel void other(global float *x) {}\n"
                              "kernel void turn(global float *x, local float *room) {\n  int i = get_local_id(0);\n"
                              "  room[i] = x[i];\n  barrier(CLK_LOCAL_MEM_FENCE);\n  x[i] = room[BY - i];\n}")
        self.assertTrue(result.success)
        names = self.shell.user_ns
        self.assertEqual(list(names["a"][:3]), [63, 62, 61])
        self.assertEqual(names["turned"].machine.changed(), {"lds.banks": "16"})

    def test_check_shows_hazards(self):
        self.cell("v = np.zeros(64, np.float32); w = np.zeros(64, np.float32)")
        result, printed = self.cell("%%warpwait -g 64 -l 64 --check -a in=v -a out=w\n" + RACE % "")
        self.assertIsInstance(result.result, ww.Lines)
        self.assertIn("Hazards: 1 row", printed)

    def test_mistakes_are_reported_in_one_line(self):
        self.cell("x = np.zeros(64, np.float32); n = 1")
        for line, source, said in [
                ("-g 64", ADD.replace("+= n", "+= unknown"), "BadInput: kernel|cell.cl:1:.*: error: use of undeclared identifier"),
                ("-g 64", ADD.replace("*x", "*missing").replace("x[", "missing["), "argument 'missing' of kernel 'add': no variable"),
                ("h100 -g 64", ADD, "BadInput: no machine 'h100'"),
                ("-g hello", ADD, "BadInput: %%warpwait: `hello`: NameError"),
                ("", ADD, "BadInput: %%warpwait: the following arguments are required: -g/--global"),
                ("-g 64 --wrong", ADD, "BadInput: %%warpwait: unrecognized arguments: --wrong"),
                ("-g '64", ADD, "BadInput: %%warpwait: .*No closing quotation"),
                ("-g 64 -s nope=1", ADD, "BadInput: no parameter 'nope'"),
                ("-g 64", ADD.replace("float", "int"), "expected an array of int32, found float32")]:
            with self.subTest(line=line, said=said):
                result, printed = self.cell(f"%%warpwait {line}\n{source}")
                self.assertIsInstance(result.error_in_exec, ww.BadInput)
                self.assertRegex(printed, said)
                self.assertNotIn("Traceback", printed)

    def test_an_unfinished_launch_leaves_its_report(self):
        self.cell("x = np.zeros(64, np.int32)")
        result, printed = self.cell("%%warpwait -g 64 -l 64 -o stopped\n" + rig.DEADLOCK)
        self.assertIsInstance(result.error_in_exec, ww.Unfinished)
        self.assertIn("Unfinished: launch 1, kernel 'stuck'", printed)
        self.assertEqual(self.shell.user_ns["stopped"].end, "deadlock")

    def test_help_has_all_options(self):
        with capture_output() as captured:
            self.shell.run_line_magic("pinfo", "%%warpwait")
        for option in ("--global", "--local", "--set", "--arg", "--define", "--kernel", "--out", "--check"):
            self.assertIn(option, captured.stdout + str(self.shell.find_line_magic("pinfo")) +
                          self.shell.find_cell_magic("warpwait").__doc__)

    def test_tracebacks_end_at_the_users_line(self):
        for source in ("ww.Program('kernel void f() { nope }')", "ww.Machine('h200', **{'dma.chanels': 3})",
                       "def f():\n  return ww.Program('kernel void f(global float *x) { }').kernel('g')\nf()",
                       "ww.run('nope.json')", "ww.check('nope.json')", "ww.explain('nope.json')",
                       "ww.sweep('nope.json', {'dma.channels': [1]})", "ww.Program('kernel void f() { }').kernel().run(4)"):
            with self.subTest(source=source):
                result, printed = self.cell(source)
                self.assertIsNotNone(result.error_in_exec)
                self.assertIn("Traceback", printed)
                self.assertNotIn("bindings/python", printed)


class Kernels(unittest.TestCase):
    """A Jupyter kernel as notebooks use it."""
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        notebook_kernel.prepare(pathlib.Path(cls.folder.name))
        cls.manager, cls.client = start_new_kernel(kernel_name="python3")
        cls.execute(cls, "import numpy as np, warpwait as ww\nx = np.zeros(1 << 22, np.float32)\n"
                         f"kernel = ww.Program({LONG!r}).kernel()\nsize = dict(global_size=1 << 22, local_size=256, args=[x, 1000000])")

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel(now=True)
        cls.folder.cleanup()

    def execute(self, code, interrupt=False):
        """Returns (standard error and result, the error, seconds from the interrupt to the end). The interrupt is sent
        after the first output."""
        said, error, sent = [], "", 0.
        # A kernel rejects requests right after an error unless told not to stop.
        request, begun = self.client.execute(code, stop_on_error=False), time.monotonic()
        while True:
            if interrupt and said and not sent:
                self.manager.interrupt_kernel()
                sent = time.monotonic()
            try:
                message = self.client.get_iopub_msg(timeout=.1)
            except queue.Empty:
                assert time.monotonic() - begun < 60, code
                continue
            content = message["content"]
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "stream":
                said.append(content["text"])
            elif message["msg_type"] == "execute_result":
                said.append(content["data"]["text/plain"])
            elif message["msg_type"] == "error":
                error = content["ename"]
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                return "".join(said), error, time.monotonic() - sent

    def test_an_interrupt_ends_the_simulation_and_not_the_kernel(self):
        for run in ("kernel.run('h200', **size)", "kernel.run('h200', functional=True, **size)", "ww.check(kernel, 'h200', **size)",
                    "ww.sweep(kernel, {'dma.channels': [1, 2]}, 'h200', **size)"):
            with self.subTest(run=run):
                said, error, took = self.execute(f"y = 5\n{run}", interrupt=True)
                self.assertEqual(error, "KeyboardInterrupt", said)
                self.assertLess(took, 4)
                self.assertIn("work-groups", said)
        self.assertEqual(self.execute("y, len(x), kernel.run('teaching', global_size=64, args=[x, 9]).finished")[:2],
                         (f"(5, {1 << 22}, True)", ""))


class Progress(unittest.TestCase):
    SCRIPT = f"""
import sys
sys.path.insert(0, {str(rig.PACKAGE)!r})
BEFORE
import numpy as np, warpwait as ww, warpwait.progress
warpwait.progress.SILENT = .05
ww.Program({LONG!r}).kernel().run('h200', global_size=1 << 14, local_size=256, args=[np.zeros(1 << 14, np.float32), 2000])
print(1)
"""

    def on_terminal(self, before):
        """What the script writes to standard error, which is a terminal."""
        main, other = pty.openpty()
        process = rig.subprocess.Popen([sys.executable, "-c", self.SCRIPT.replace("BEFORE", before)], stderr=other,
                                       stdout=rig.subprocess.DEVNULL)
        os.close(other)
        parts = []
        try:
            while part := os.read(main, 1 << 16):
                parts.append(part)
        except OSError:  # the terminal is closed
            pass
        os.close(main)
        self.assertEqual(process.wait(), 0)
        return b"".join(parts).decode()

    def test_a_terminal_shows_a_progress_bar(self):
        try:
            import tqdm  # noqa: F401
        except ImportError:
            self.skipTest("tqdm is not installed")
        self.assertRegex(self.on_terminal(""), r"\rwork-groups: .*\d+/64 \[")

    def test_without_tqdm_a_terminal_shows_a_line(self):
        said = self.on_terminal("sys.modules['tqdm'] = None")
        self.assertRegex(said, r"\rwork-groups: \d+ of 64")
        self.assertTrue(said.endswith("\r\x1b[K"))

    def test_a_pipe_gets_no_progress(self):
        self.assertEqual(rig.script(self.SCRIPT.replace("BEFORE", "")).stderr, "")


if __name__ == "__main__":
    unittest.main()
