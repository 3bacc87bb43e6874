#!/usr/bin/python3
# Time limit: a program may take 60 s.
"""Wrong uses of the Python package: exceptions with the library's own sentence that end at the user's line."""
import contextlib
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import rig
import numpy
import warpwait as ww

MACHINE = ww.Machine("teaching")
KERNEL = ww.Program(rig.TRIPLE).kernel()
# Takes hours, so that it can be interrupted.
SPIN = "kernel void spin(global float *x, uint n) { float v = x[0]; for (uint i = 0; i < n; i++) v = v * v + 1; x[0] = v; }"
ENDLESS = f"""
import numpy, warpwait as ww
kernel = ww.Program({SPIN!r}).kernel()
x = numpy.zeros(1, numpy.float32)
print("begun", flush=True)
"""


def ones():
    return numpy.ones(64, numpy.float32)


class Arguments(unittest.TestCase):
    def refused(self, message, *args, kernel=KERNEL, **named):
        named.setdefault("args", args)
        named.setdefault("global_size", 64)
        with self.assertRaisesRegex(ww.BadInput, message):
            kernel.run(MACHINE, **named)

    def test_arrays_of_another_type_are_refused(self):
        self.refused(r"^kernel 'triple': argument 1, 'x': float\*: expected an array of float32, found float64$",
                     numpy.ones(64), 3)
        self.refused("found int32", numpy.ones(64, numpy.int32), 3)
        self.refused("Python objects", numpy.array([None]), 3)
        self.refused("little-endian", numpy.ones(64, ">f4"), 3)

    def test_arrays_that_kernels_cannot_use_are_refused(self):
        self.refused("not C-contiguous", numpy.ones((8, 8), numpy.float32).T[:4], 3)
        self.refused("not C-contiguous", numpy.ones(128, numpy.float32)[::2], 3)
        self.refused("the array is empty", numpy.ones(0, numpy.float32), 3)
        read_only = ones()
        read_only.flags.writeable = False
        self.refused("read-only and the kernel may write", read_only, 3)
        self.refused("read-only", b"0123", 3, kernel=ww.Program("kernel void k(global char *x, int i) { x[0] = i; }")
                     .kernel())
        self.refused("expected an array, a Buffer or None, found list", [1, 2], 3)

    def test_values_of_another_type_are_refused(self):
        self.refused("argument 2, 'factor': float: expected float32, found float64", ones(), numpy.float64(3))
        self.refused("expected a number, found 'a'", ones(), "a")
        kernel = ww.Program("kernel void k(global int *x, uchar b, int i, float4 v) { x[0] = b + i + v.x; }").kernel()
        x = numpy.zeros(1, numpy.int32)
        self.refused(r"'b': uchar: 256 is outside \[0, 255\]", x, 256, 1, (1, 2, 3, 4), kernel=kernel)
        self.refused(r"'b': uchar: -1 is outside", x, -1, 1, (1, 2, 3, 4), kernel=kernel)
        self.refused("'i': int: expected an integer, found 1.5", x, 1, 1.5, (1, 2, 3, 4), kernel=kernel)
        self.refused("'v': float4: expected 4 numbers", x, 1, 1, (1, 2, 3), kernel=kernel)

    def test_too_few_and_too_many_arguments_are_refused(self):
        self.refused(r"^kernel 'triple': expected 2 arguments \(x, factor\), found 1$", ones())
        self.refused("found 3", ones(), 1, 2)
        self.refused("argument 'factor' is missing; its arguments are x, factor", args={"x": ones()})
        self.refused("no argument 'y'", args={"x": ones(), "factor": 1, "y": 2})

    def test_memory_of_other_kinds_and_devices_is_refused(self):
        other = ww.Device(MACHINE)
        self.refused("belongs to another device", other.buffer(ones()), 3)
        self.refused("found Pipe", other.pipe(4), 3)
        kernel = ww.Program("kernel void k(global int *x, local int *l) { l[0] = 1; x[0] = l[0]; }").kernel()
        self.refused(r"expected warpwait.Local\(bytes\), found 4", numpy.zeros(1, numpy.int32), 4, kernel=kernel)

    def test_sizes_that_do_not_fit_are_refused(self):
        self.refused("local: 4096", ones(), 3, local_size=4096)
        self.refused("expected a number or up to three, found 'a'", ones(), 3, global_size="a")
        self.refused("local_size: expected 2 numbers, as global_size has", ones(), 3, global_size=(8, 8), local_size=8)
        self.refused("global_size: -1 is outside", ones(), 3, global_size=-1)
        self.refused("global_size: expected a whole number, found 2.5", ones(), 3, global_size=(2.5,))
        self.refused("expected one to three numbers, found 4", ones(), 3, global_size=(1, 1, 1, 1))
        self.refused("args: expected a sequence or a mapping", args=5)

    def test_unknown_or_conflicting_options_are_refused(self):
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'cheque'"):
            KERNEL.run(MACHINE, global_size=64, args=[ones(), 3], cheque=True)
        with self.assertRaisesRegex(ww.BadInput, "functional and check cannot be combined"):
            KERNEL.run(MACHINE, global_size=64, args=[ones(), 3], functional=True, check=True)


class Objects(unittest.TestCase):
    def test_machine_errors_say_what_is_legal(self):
        for message, make in (("no machine 'nothere'; legal: ", lambda: ww.Machine("nothere")),
                              ("did you mean 'dma.channels'", lambda: MACHINE.with_({"dma.chanels": 1})),
                              ("lds.banks", lambda: ww.Machine("teaching", **{"lds.banks": 500})),
                              ("zero byte", lambda: ww.Machine("teach\0ing")),
                              ("machine.ini:2", lambda: ww.Machine.parse("[lds]\nbanks = many\n"))):
            with self.assertRaisesRegex(ww.BadInput, message):
                make()
        with self.assertRaises(KeyError) as caught:
            MACHINE["dma.chanels"]
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).args, caught.exception.args)

    def test_program_errors_have_their_place_and_the_message_of_clang(self):
        with self.assertRaises(ww.BadInput) as caught:
            ww.Program("kernel void k(global int *x) {\n  x[0] = y;\n  x[1] = z; }")
        error = caught.exception
        self.assertEqual((error.line, error.file), (2, "kernel.cl"))
        self.assertIn("'z'", error.log)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.line, again.log), (str(error), 2, error.log))
        with self.assertRaisesRegex(ww.BadInput, "kernel 'no'"):
            ww.Program(rig.TRIPLE).kernel("no")
        with self.assertRaisesRegex(ww.BadInput, "nowhere.cl: No such file"):
            ww.Program(pathlib.Path("nowhere.cl"))

    def test_launch_file_errors_have_their_place(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"program": "none.cl", "launches": 3}')
            file.flush()
            with self.assertRaisesRegex(ww.BadInput, file.name):
                ww.run(file.name)
        with self.assertRaisesRegex(ww.BadInput, "No such file"):
            ww.run("nowhere.json")
        with self.assertRaisesRegex(ww.BadInput, "expected launches"):
            ww.run([1])
        with self.assertRaisesRegex(ww.BadInput, "expected launches"):
            ww.run([])
        with self.assertRaisesRegex(ww.BadInput, "^9 launches: at most 8 run at once"):
            ww.run([KERNEL.launch(global_size=64, args=[ones(), 1])] * 9)

    def test_incomplete_recordings_are_refused(self):
        data = ww.run(KERNEL.launch(global_size=64, args=[ones(), 1])).recording.data
        for wrong in (b"", b"no trace", data[:-20]):
            with self.assertRaises(ww.BadInput):
                ww.Recording(wrong).run()

    def test_a_device_records_again_after_an_error(self):
        device = ww.Device(MACHINE)
        with self.assertRaises(ZeroDivisionError), device.recording():
            KERNEL.run(device, global_size=64, args=[ones(), 1])
            raise ZeroDivisionError
        with self.assertRaisesRegex(ww.Unsupported, "run"), device.recording():
            pass
        with device.recording() as recording:
            KERNEL.run(device, global_size=64, args=[ones(), 1])
        self.assertEqual(len(recording.run().launches), 1)

    def test_reports_say_what_they_do_not_have(self):
        report = KERNEL.run(MACHINE, global_size=64, args=[ones(), 1], record=False)
        for what in (report.timeline, report.page, report.explain, report.why):
            with self.assertRaisesRegex(ww.Unsupported, "record=True"):
                what()
        with self.assertRaisesRegex(ww.Unsupported, "^sarif: .*check=True"):
            report.form("sarif")
        with self.assertRaisesRegex(ww.BadInput, "^poem: expected text"):
            report.form("poem")
        two = ww.run([KERNEL.launch(global_size=64, args=[ones(), 1])] * 2)
        with self.assertRaisesRegex(ww.BadInput, "has 2 launches"):
            two.stalls

    def test_sweep_errors_say_what_is_wrong_with_the_axes(self):
        launch = KERNEL.launch(global_size=64, args=[ones(), 1])
        for message, axes, more in (("did you mean 'dma.channels'", {"dma.chanels": [1]}, {}), ("expected a mapping", {}, {}),
                                    ("different values", {"dma.channels": [1, 1]}, {}),
                                    ("no point satisfies", {"dma.channels": [1]}, {"where": "dma.channels > 1"}),
                                    ("column 1", {"dma.channels": [1]}, {"cost": "*"})):
            with self.assertRaisesRegex(ww.WarpwaitError, message):
                ww.sweep(launch, axes, **more)

    def test_objects_of_this_process_cannot_be_pickled(self):
        device = ww.Device(MACHINE)
        for one in (device, device.buffer(ones()), device.pipe(4)):
            with self.assertRaisesRegex(TypeError, "cannot be pickled: "):
                pickle.dumps(one)

    def test_a_pickled_report_says_what_it_cannot_do(self):
        report = pickle.loads(pickle.dumps(ww.run(KERNEL.launch(global_size=64, args=[ones(), 1]))))
        for what in (report.why, lambda: report.diff(report), lambda: report.start):
            with self.assertRaisesRegex(ww.Unsupported, "pickled"):
                what()
        self.assertTrue(report.timeline().count)


    def test_values_that_are_not_numbers_or_files_are_refused(self):
        device, report = ww.Device(MACHINE), ww.run(KERNEL.launch(global_size=64, args=[ones(), 1]))
        x = device.buffer(ones())
        for message, call in (("offset: 18446744073709551620 is outside", lambda: x.at(2**64 + 4)),
                              ("Local", lambda: ww.Local(2**64 + 64)), ("Local: shape: expected a whole", lambda: ww.Local(2.5)),
                              ("optimize: 4", lambda: ww.Program(rig.TRIPLE, optimize=4)),
                              ("without: no pass 'inline'; legal: promote",
                               lambda: ww.Program(rig.TRIPLE, without=["inline"])),
                              ("without: expected a list of passes, found 'unroll'",
                               lambda: ww.Program(rig.TRIPLE, without="unroll")),
                              ("registers: 4294967360", lambda: ww.Program(rig.TRIPLE, registers=2**32 + 64)),
                              ("threads: 65", lambda: ww.run(KERNEL.launch(global_size=64, args=[x, 1]), threads=65)),
                              ("cycle_limit: -1", lambda: ww.run(KERNEL.launch(global_size=64, args=[x, 1]), cycle_limit=-1)),
                              ("buffer: bytes", lambda: device.buffer(2**60)), ("packets", lambda: device.pipe(-1)),
                              ("pipe: dtype object", lambda: device.pipe(4, object)), ("number is too large", lambda:
                               KERNEL.launch(global_size=64, args=[x, 10**400])),
                              ("source: expected a text, found int", lambda: ww.Program(5)),
                              (r"pathlib.Path\('scale.cl'\)", lambda: ww.Program("scale.cl")),
                              ("defines: expected a mapping", lambda: ww.Program(rig.TRIPLE, defines=["A"])),
                              ("zero byte", lambda: report.save("a\0.txt")), ("No such file", lambda: report.save("/no/r.txt")),
                              ("expected a Report", lambda: report.diff(None)), ("must be launched", lambda: ww.run(KERNEL)),
                              ("expected a Machine, its name", lambda: KERNEL.run({}, global_size=1, args=[x, 1])),
                              ("jobs: -3", lambda: report.explain(jobs=-3)),
                              ("expected an expression", lambda: ww.sweep(report, {"dma.channels": [1]}, where=5))):
            with self.assertRaisesRegex(ww.BadInput, message):
                call()
        with self.assertRaisesRegex(KeyError, "did you mean 'dma.channels'"):
            MACHINE["dma.chanels"]
        with device.recording() as recording, self.assertRaisesRegex(ww.BadInput, "not complete"):
            KERNEL.run(device, global_size=64, args=[x, 1])
            recording.run()


class Texts(unittest.TestCase):
    """Texts with surrogates and zero bytes, wherever the package takes one."""
    @staticmethod
    def uses(text, folder):
        """What takes a text: a path, a name, a source, an option or a value."""
        from warpwait import plot, sweep
        device, report = ww.Device(MACHINE), ww.run(KERNEL.launch(global_size=64, args=[ones(), 1]))
        with device.recording() as recording:
            KERNEL.run(device, global_size=64, args=[ones(), 1])
        picture, path = numpy.ones((8, 8, 4), numpy.float32), os.path.join(folder, text)
        return [lambda: ww.Machine(text), lambda: ww.Machine(path + ".ini"), lambda: MACHINE.with_({text: 1}), lambda: MACHINE.with_({"lds.banks": text}),
                lambda: ww.Machine.parse(text), lambda: ww.Machine.parse("[lds]\nbanks = 32\n", text), lambda: ww.Device(text),
                lambda: ww.Program(text), lambda: ww.Program(rig.TRIPLE + "//" + text), lambda: ww.Program(pathlib.Path(path)),
                lambda: ww.Program(rig.TRIPLE, name=text), lambda: ww.Program(rig.TRIPLE, options=text), lambda: ww.Program(rig.TRIPLE, defines={text: 1}),
                lambda: ww.Program(rig.TRIPLE, defines={"A": text}), lambda: ww.Program(rig.TRIPLE, copies=text),
                lambda: ww.Program(rig.TRIPLE, without=[text]), lambda: ww.Program(rig.TRIPLE, headers={text: ""}),
                lambda: ww.Program('#include "h.h"\n' + rig.TRIPLE, headers={"h.h": "//" + text.replace("\0", "\ud800")}), lambda: ww.Program(rig.TRIPLE).kernel(text),
                lambda: KERNEL.launch(global_size=64, args=[ones(), text]), lambda: KERNEL.launch(global_size=64, args={text: 1}),
                lambda: device.buffer(ones(), name=text), lambda: device.pipe(4, name=text), lambda: device.image(picture, name=text),
                lambda: device.image(picture, format=text), lambda: device.image(picture, format="rgba." + text), lambda: ww.Local(3, text),
                lambda: KERNEL.run(text, global_size=64, args=[ones(), 1]), lambda: ww.run(path), lambda: ww.run(path + ".json"),
                lambda: report.save(path + ".html"), lambda: recording.save(path), lambda: ww.Recording(path + "none"), lambda: ww.trace.open(path + "none"),
                lambda: ww.trace.open_timeline(path + "none"), lambda: recording.run(text), lambda: report.explain(text),
                lambda: ww.sweep(report, {text: [1]}), lambda: ww.sweep(report, {"dma.channels": [1, text]}),
                lambda: ww.sweep(report, {"dma.channels": [1]}, where=text), lambda: ww.sweep(report, {"dma.channels": [1]}, cost=text),
                lambda: ww.sweep(report, {"dma.channels": [1]}).save(path + ".csv"), lambda: ww.sweep(report, {"dma.channels": [1]}).save(path + ".sqlite"),
                lambda: sweep.Store(path + "none"), lambda: sweep.Expression(text), lambda: plot.read_report(path), lambda: plot.is_timeline(path)]

    def test_texts_without_an_encoding_are_refused_in_a_line_that_can_be_printed(self):
        for text in ("a\ud800b", "\udfff", "a\udcff\ud800", "a\0b"):
            with tempfile.TemporaryDirectory() as folder:
                for number, use in enumerate(self.uses(text, folder)):
                    with self.subTest(text=text, number=number):
                        with self.assertRaises(ww.BadInput) as caught:
                            use()
                        self.assertEqual(str(caught.exception).encode().count(b"\n"), 0)

    def test_names_of_files_may_have_any_bytes(self):
        """A surrogate that stands for a byte, as os.listdir() returns it, is this byte."""
        with tempfile.TemporaryDirectory() as folder:
            for use in self.uses("a\udcffb", folder):
                with contextlib.suppress(ww.BadInput, FileNotFoundError):
                    use()
            self.assertEqual(sorted(os.listdir(os.fsencode(folder))), [b"a\xffb", b"a\xffb.csv", b"a\xffb.html", b"a\xffb.sqlite"])
            path = os.path.join(folder, "a\udcffb")
            with ww.trace.open(path) as trace:
                self.assertEqual(len(trace.launches), len(ww.Recording(pathlib.Path(path)).run().launches))
            self.assertEqual(len(ww.sweep.Store(path + ".sqlite").axes), 1)
            for name, text in ((".ini", "base = teaching\n[lds]\nbanks = 16\n"), (".cl", rig.TRIPLE)):
                pathlib.Path(path + name).write_text(text)
            self.assertEqual(ww.Machine(path + ".ini")["lds.banks"], 16)
            self.assertEqual(ww.Program(pathlib.Path(path + ".cl")).file, "a\udcffb.cl")


class Kernels(unittest.TestCase):
    def test_a_deadlock_is_an_exception_with_its_report(self):
        with self.assertRaises(ww.Unfinished) as caught, warnings.catch_warnings():
            warnings.simplefilter("ignore", ww.HazardWarning)
            ww.Program(rig.DEADLOCK).kernel().run(MACHINE, global_size=64, local_size=64,
                                                  args=[numpy.zeros(64, numpy.int32)])
        self.assertRegex(str(caught.exception), r"^launch 1, kernel 'stuck': Deadlock: 1 warp waits forever.*"
                         r"warp 0, at kernel.cl:3, in `barrier`\.$")
        self.assertEqual(caught.exception.report.end, "deadlock")
        self.assertEqual(caught.exception.report.hazards[0]["rule"], "M8-divergent-barrier")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.report), (str(caught.exception), caught.exception.report))

    def test_the_cycle_limit_is_an_exception(self):
        with self.assertRaisesRegex(ww.Unfinished, "^launch 1, kernel 'spin': Stopped at the cycle limit"):
            ww.Program(SPIN).kernel().run(MACHINE, global_size=1, args=[numpy.zeros(1, numpy.float32), 1 << 20],
                                          cycle_limit=1000)

    def test_a_launch_without_timing_that_does_not_end_is_the_same_exception(self):
        with self.assertRaisesRegex(ww.Unfinished, "^launch 1, kernel 'stuck': Deadlock: .* warp 0, at kernel.cl:3, in `barrier`"), \
                warnings.catch_warnings():
            warnings.simplefilter("ignore", ww.HazardWarning)
            ww.Program(rig.DEADLOCK).kernel().run(MACHINE, global_size=64, local_size=64, args=[numpy.zeros(64, numpy.int32)], functional=True)
        with self.assertRaisesRegex(ww.Unfinished, "^launch 1, kernel 'spin': Stopped: .* counts a warp's instructions"):
            ww.Program(SPIN).kernel().run(MACHINE, global_size=1, args=[numpy.zeros(1, numpy.float32), 1 << 20], cycle_limit=1000,
                                          functional=True)

    def test_the_exception_names_what_a_spin_lock_waits_for(self):
        lock = "kernel void k(global int *lock) { while (atomic_cmpxchg(lock, 0, 1) != 0) ; atomic_xchg(lock, 0); }"
        with self.assertRaises(ww.Unfinished) as caught:
            ww.Program(lock).kernel().run(MACHINE, global_size=32, local_size=32, args=[numpy.zeros(4, numpy.int32)],
                                          cycle_limit=20000)
        self.assertRegex(str(caught.exception), "lanes 1-31 of warp 0 poll byte 0 of '.*'; work-item 0, which holds it, "
                         "waits for them to reconverge")
        self.assertEqual(caught.exception.report["launches[0].stuck[0].poll.waiting"], [0])

    def test_a_hazard_is_a_warning_at_the_users_line_or_an_exception(self):
        kernel = ww.Program(rig.HAZARD).kernel()
        launch = kernel.launch(global_size=64, local_size=64, args=[numpy.zeros(64, numpy.int32), ww.Local(256)])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ww.run(launch)
        self.assertEqual([(warning.category, warning.filename) for warning in caught], [(ww.HazardWarning, __file__)])
        self.assertRegex(str(caught[0].message), "^kernel.cl:3: X10-exit-with-copy-in-flight: the work-group ends")
        with warnings.catch_warnings():
            warnings.simplefilter("error", ww.HazardWarning)
            with self.assertRaises(ww.HazardWarning):
                ww.run(launch)


class Interrupts(unittest.TestCase):
    def test_ctrl_c_ends_the_run_and_the_next_one_works(self):
        text = ENDLESS + """
try:
    kernel.run("h200", global_size=1, args=[x, 1 << 31])
except KeyboardInterrupt:
    print("interrupted", kernel.run(global_size=1, args=[x, 1]).finished)
"""
        self.assertEqual(self.interrupted(text), (0, "begun\ninterrupted True\n", ""))

    def test_ctrl_c_ends_sweeps_and_explanations(self):
        for call in ("ww.sweep(kernel, {'dma.channels': [1, 2, 3]}, 'h200', global_size=1, args=[x, 1 << 31])",
                     "ww.explain(kernel, 'h200', global_size=1, args=[x, 1 << 31])"):
            done = self.interrupted(ENDLESS + f"try:\n    {call}\nexcept KeyboardInterrupt:\n    print('interrupted')\n")
            self.assertEqual(done, (0, "begun\ninterrupted\n", ""))

    def test_uncaught_ctrl_c_ends_at_the_users_line(self):
        status, output, errors = self.interrupted(ENDLESS + "kernel.run(global_size=1, args=[x, 1 << 31])\n")
        self.assertEqual((status, output), (-signal.SIGINT, "begun\n"))
        self.assertRegex(errors, r'^Traceback .*\n  File "<string>", line \d+, in <module>\nKeyboardInterrupt\n$')

    def interrupted(self, text):
        """Status and outputs of a program that is interrupted after it has started."""
        with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONPATH": str(rig.PACKAGE)}) as process:
            first = process.stdout.readline()
            time.sleep(.5)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=60)
        return process.returncode, first + output, errors

    def test_an_exception_in_a_signal_handler_ends_the_run_at_once(self):
        done = rig.script(ENDLESS + """
import signal, time
def late(*_):
    raise TimeoutError("mine")
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, .3)
try:
    kernel.run(global_size=1, args=[x, 1 << 31])
except TimeoutError as error:
    print(error, time.process_time() < 15)
""")
        self.assertEqual((done.stdout, done.stderr), ("begun\nmine True\n", ""))

    def test_ctrl_c_ends_a_run_in_a_progress_function(self):
        text = ENDLESS + """
def progress(*_):
    kernel.run("h200", global_size=1, args=[x.copy(), 1 << 31])
try:
    kernel.run(global_size=1, args=[x, 1 << 31], progress=progress)
except KeyboardInterrupt:
    print("interrupted")
"""
        self.assertEqual(self.interrupted(text), (0, "begun\ninterrupted\n", ""))

    def test_a_sweep_that_its_progress_function_ends_is_cancelled(self):
        with self.assertRaises(ww.Cancelled):
            ww.sweep(KERNEL.launch(global_size=64, args=[ones(), 1]), {"dma.channels": [1, 2]}, progress=lambda *_: False)

    def test_a_child_forked_during_a_run_says_that_the_device_is_lost(self):
        done = rig.script(ENDLESS + """
import os, threading, time
device = ww.Device()
y = device.buffer(1)
threading.Thread(target=lambda: kernel.run(device, global_size=1, args=[y, 1 << 31]), daemon=True).start()
time.sleep(.3)
if os.fork() == 0:
    try:
        kernel.run(device, global_size=1, args=[y, 1])
    except ww.BadInput as error:
        print(error, kernel.run(global_size=1, args=[x, 1]).finished, flush=True)
    os._exit(0)
os.wait()
os._exit(0)
""")
        self.assertRegex(done.stdout, "create a new one True\n$")

    def test_a_progress_function_is_called_and_can_end_the_run(self):
        told = []

        def progress(cycle, done, of):
            told.append((cycle, done, of))
            return len(told) < 3

        x = numpy.zeros(1, numpy.float32)
        kernel = ww.Program(SPIN).kernel()
        with self.assertRaises(ww.Cancelled):
            kernel.run(MACHINE, global_size=1, args=[x, 1 << 20], progress=progress)
        self.assertEqual(len(told), 3)
        self.assertTrue(all(of == 1 for _, _, of in told))

    def test_an_exception_in_a_progress_function_is_raised(self):
        def progress(*_):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            ww.Program(SPIN).kernel().run(MACHINE, global_size=1, args=[numpy.zeros(1, numpy.float32), 1 << 20],
                                          progress=progress)

    def test_a_device_does_not_run_twice_at_once(self):
        device = ww.Device(MACHINE)
        x = device.buffer(1, numpy.float32)
        kernel = ww.Program(SPIN).kernel()
        with self.assertRaisesRegex(ww.BadInput, "the device is already running"):
            kernel.run(device, global_size=1, args=[x, 1 << 20],
                       progress=lambda *_: kernel.run(device, global_size=1, args=[x, 1]))

    def test_other_threads_may_release_objects_during_a_run(self):
        device = ww.Device(MACHINE)
        x = device.buffer(1, numpy.float32)
        kernel = ww.Program(SPIN).kernel()
        thread = threading.Thread(target=lambda: [device.buffer(64, numpy.float32) for _ in range(1000)])
        thread.start()
        kernel.run(device, global_size=1, args=[x, 100000])
        thread.join()


class Tracebacks(unittest.TestCase):
    def test_an_uncaught_error_ends_at_the_users_line(self):
        text = f"import numpy, warpwait as ww\ndef user():\n    ww.Program({rig.TRIPLE!r}).kernel().run(args=[], global_size=1)\nuser()"
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([sys.executable, file.name], capture_output=True, text=True, check=False,
                                  env={**os.environ, "PYTHONPATH": str(rig.PACKAGE)})
        lines = done.stderr.splitlines()
        self.assertEqual(lines[-1], "warpwait.errors.BadInput: kernel 'triple': expected 2 arguments (x, factor), found 0")
        self.assertEqual([line for line in lines if "File" in line],
                         [f'  File "{file.name}", line 4, in <module>', f'  File "{file.name}", line 3, in user'])

    def test_a_caught_error_has_at_most_one_frame_of_the_package(self):
        try:
            KERNEL.run(MACHINE, global_size=1, args=[])
        except ww.BadInput as error:
            frames, trace = [], error.__traceback__
            while trace:
                frames.append(trace.tb_frame.f_code)
                trace = trace.tb_next
        self.assertEqual([frame.co_filename for frame in frames[:-1]], [__file__])
        self.assertEqual(frames[-1].co_name, "call")

    def test_a_missing_library_is_reported_in_one_line(self):
        done = rig.script("import os; os.environ['WARPWAIT_LIBRARY'] = '/nowhere.so'\nimport warpwait as ww\n"
                          "try:\n    ww.Machine('h200')\nexcept ImportError as error:\n    print(error)")
        self.assertRegex(done.stdout, "^libwarpwait.so.0 cannot be loaded: /nowhere.so: .*\n$")


if __name__ == "__main__":
    unittest.main()
