#!/usr/bin/python3
"""The Python package: arrays as inputs and outputs, objects that agree with the library, reports that equal the command
line's."""
import concurrent.futures
import ctypes
import multiprocessing
import pathlib
import pickle
import re
import subprocess
import tempfile
import unittest

import rig
import numpy
import warpwait as ww
from warpwait import _library

MACHINE = ww.Machine("teaching")
LAUNCHES = sorted(path.relative_to(rig.ROOT) for folder in ("examples", "docs/lessons")
                  for path in (rig.ROOT / folder).glob("*/launch*.json"))


def triple():
    return ww.Program(rig.TRIPLE).kernel()


def ring(depth=2):
    return ww.Program(rig.RING, defines={"DEPTH": depth}).kernel()


def ring_launch(depth=2, tiles=16):
    data = numpy.arange(64 * tiles, dtype=numpy.uint32)
    return ring(depth).launch(global_size=64, local_size=64,
                              args=[data, numpy.zeros(64, numpy.uint32), tiles, ww.Local(64 * depth, numpy.uint32)])


def run_or_unfinished(path):
    """The report of a launch file, even of one that deadlocks."""
    try:
        return ww.run(rig.ROOT / path)
    except ww.Unfinished as error:
        return error.report


class Interface(unittest.TestCase):
    """The package declares the library as the headers do."""
    STRUCTURES = ("Error", "Bytes", "Sink", "Options", "Parameter", "Constant", "Build", "Argument", "Kernel", "Hazard",
                  "Watch", "Work", "Metric", "Column")

    def test_structures_have_the_layout_in_the_headers(self):
        expected, lines = [], []
        for name in self.STRUCTURES:
            structure, ours = getattr(_library, name), f"ww_{name.lower()}"
            lines.append(f'printf("{ours} %zu\\n", sizeof({ours}));')
            expected.append(f"{ours} {ctypes.sizeof(structure)}")
            for field, *_ in structure._fields_:
                lines.append(f'printf("{ours}.{field} %zu\\n", offsetof({ours}, {field}));')
                expected.append(f"{ours}.{field} {getattr(structure, field).offset}")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "layout.c")
            source.write_text("#include <stddef.h>\n#include <stdio.h>\n#include <warpwait/analyse.h>\n"
                              f"int main(void) {{ {' '.join(lines)} return 0; }}\n")
            subprocess.run(["cc", f"-I{rig.ROOT / 'include'}", source, "-o", f"{folder}/layout"], check=True)
            printed = subprocess.run([f"{folder}/layout"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(printed.split("\n")[:-1], expected)

    def test_functions_take_as_many_arguments_as_in_the_headers(self):
        text = "".join(rig.ROOT.joinpath("include", name).read_text() for name in ("warpwait.h", "warpwait/analyse.h"))
        text = re.sub(r"\(\*\w+\)\([^()]*\)", "callback", re.sub(r"/\*.*?\*/", "", text, flags=re.S))
        declared = {name: arguments for name, arguments in re.findall(r"WW_API [^;(]*?\bww_(\w+)\(([^;]*)\);", text)}
        for name, (result, arguments) in _library.FUNCTIONS.items():
            count = len(arguments) + (result is _library.STATUS)
            self.assertEqual(0 if declared[name] == "void" else declared[name].count(",") + 1, count, name)


class Machines(unittest.TestCase):
    def test_a_machine_is_a_mapping_of_its_parameters(self):
        machine = ww.Machine("h200", **{"dma.channels": 2})
        self.assertEqual((machine["dma.channels"], machine["mem.dram"], machine.name), (2, "simple", "h200"))
        self.assertEqual(list(machine), list(ww.parameters()))
        self.assertEqual(dict(machine) | {"dma.channels": ww.Machine("h200")["dma.channels"]}, dict(ww.Machine("h200")))
        self.assertIn("teaching", ww.machines())

    def test_values_match_the_command_line(self):
        listed = rig.command("params", "--machine", "h200")
        for key in ("cu.count", "lds.banks", "mem.l2_size"):
            self.assertRegex(listed, rf"(?m)^ *{key} +{ww.Machine('h200')[key]}\b")

    def test_changes_add_to_earlier_changes(self):
        machine = MACHINE.with_({"dma.channels": 2}).with_(**{"dma.queue": 3})
        self.assertEqual((machine["dma.channels"], machine["dma.queue"]), (2, 3))
        self.assertEqual(machine.changed(), {"dma.channels": "2", "dma.queue": "3"})
        self.assertEqual(MACHINE.changed(), {})

    def test_machines_can_be_read_from_text_and_files(self):
        text = "base = teaching\n[lds]\nbanks = 16\n"
        self.assertEqual(ww.Machine.parse(text)["lds.banks"], 16)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "mine.ini")
            path.write_text(text)
            self.assertEqual(ww.Machine(path).name, "mine")

    def test_a_pickled_machine_is_equal(self):
        for machine in (ww.Machine("dsp", **{"dma.queue": 3}), ww.Machine.parse("base = h200\n"),
                        ww.run(ring_launch()).recording.machine):
            self.assertEqual(pickle.loads(pickle.dumps(machine)), machine)


class Programs(unittest.TestCase):
    def test_a_kernel_lists_its_arguments(self):
        kernel = ring()
        self.assertEqual([(argument.name, argument.kind) for argument in kernel.arguments],
                         [("in", "buffer"), ("out", "buffer"), ("tiles", "value"), ("room", "local")])
        self.assertEqual(kernel.arguments[0].source_type, "uint*")
        self.assertEqual(kernel.arguments[0].qualifiers, "const")
        self.assertGreater(kernel.registers, 0)

    def test_macros_and_folders_may_contain_spaces(self):
        x = numpy.zeros(1, numpy.uint32)
        with tempfile.TemporaryDirectory(prefix="a b") as folder:
            path = pathlib.Path(folder, "k k.cl")
            path.write_text("kernel void k(global T *x) { x[0] = TWICE(4); }")
            ww.Program(path, defines={"T": "unsigned int", "TWICE(a)": "(2 * a)"}).kernel().run(global_size=1, args=[x])
        self.assertEqual(x[0], 8)

    def test_macros_headers_and_warnings_reach_clang(self):
        program = ww.Program('#include "n.h"\n#warning so so\nkernel void k(global int *x) { x[0] = N + FLAG; }',
                             defines={"FLAG": None}, options="-Wall", headers={"n.h": "#define N 41"})
        x = numpy.zeros(1, numpy.int32)
        program["k"].run(MACHINE, global_size=1, args=[x])
        self.assertEqual(x[0], 42)
        self.assertIn("so so", program.log)

    def test_a_program_is_lowered_for_the_machine_that_runs_it(self):
        source = """kernel void mix(global uint *a, uint b, uint c) {
                      uint i = get_global_id(0); a[i] = ((i & b) ^ (~i & c)) + b - c; }"""
        machine = ww.Machine("teaching", **{"isa.lop3": "on", "isa.add3": "on"})

        def run(on, **how):
            values = numpy.zeros(64, numpy.uint32)
            report = ww.Program(source, **how)["mix"].run(on, global_size=64, args=[values, numpy.uint32(5), numpy.uint32(9)])
            return report["launches"][0]["warp_instructions"], values.tolist()

        (plain, before), (fused, after) = run(MACHINE), run(machine)
        self.assertEqual(before, after)
        self.assertEqual(plain - fused, 2 * 4)
        self.assertEqual(run(machine, optimize=0)[0], plain)
        self.assertEqual(run(machine, options="-cl-opt-disable")[0], plain)
        self.assertEqual(run(machine, without=["fuse"])[0], plain)
        self.assertEqual(run(machine, without=["hoist"], optimize=3)[0], fused)

    def test_a_program_runs_repeatedly_on_different_devices(self):
        source = "kernel void flip(global uint *a, uint b) { uint i = get_global_id(0); a[i] = (a[i] & b) | ~i; }"
        program, machine = ww.Program(source), ww.Machine("teaching", **{"isa.lop3": "on"})
        values = numpy.zeros(64, numpy.uint32)
        for on in (ww.Device(machine), ww.Device(MACHINE), ww.Device(machine)):
            counts = {program["flip"].run(on, global_size=64, args=[values, numpy.uint32(5)])["launches"][0]["warp_instructions"]
                      for _ in range(4)}
            self.assertEqual(len(counts), 1)

    def test_object_assembly_and_spirv_build_the_same_program(self):
        program = ww.Program(rig.TRIPLE)
        for source in (program.object, program.assembly, program.spirv, pickle.loads(pickle.dumps(program)).object):
            x = numpy.ones(64, numpy.float32)
            report = ww.Program(source).kernel("triple").run(MACHINE, global_size=64, args=[x, 3])
            self.assertEqual((x.sum(), report.cycles), (192, 437))

    def test_a_file_can_include_files_in_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "n.h").write_text("#define N 7\n")
            path = pathlib.Path(folder, "k.cl")
            path.write_text('#include "n.h"\nkernel void k(global int *x) { x[0] = N; }\n')
            x = numpy.zeros(1, numpy.int32)
            report = ww.Program(path).kernel().run(MACHINE, global_size=1, args=[x])
            self.assertEqual((x[0], report.lines[0]["file"]), (7, "k.cl"))

    def test_a_refused_kernel_does_not_affect_the_others(self):
        program = ww.Program("kernel void good(global int *x) { *x = 1; }\n"
                             "int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
                             "kernel void bad(global int *x) { *x = f(*x); }")
        self.assertEqual(list(program), ["good"])
        self.assertIn("bad", program.refused)


class Arguments(unittest.TestCase):
    def test_arrays_are_changed_in_place(self):
        x = numpy.arange(1024, dtype=numpy.float32)
        triple().run(MACHINE, global_size=1024, local_size=64, args=[x, 3])
        numpy.testing.assert_array_equal(x, 3 * numpy.arange(1024, dtype=numpy.float32))

    def test_arguments_go_by_order_or_by_name(self):
        x = numpy.ones(64, numpy.float32)
        triple().run(MACHINE, global_size=64, args={"factor": numpy.float32(5), "x": x})
        self.assertEqual(x[0], 5)

    def test_one_array_may_be_two_arguments(self):
        kernel = ww.Program("kernel void add(global int *a, global const int *b) { int i = get_global_id(0);"
                            " a[i] += b[i]; }").kernel()
        x = numpy.arange(64, dtype=numpy.int32)
        kernel.run(MACHINE, global_size=64, args=[x, x])
        numpy.testing.assert_array_equal(x, 2 * numpy.arange(64))

    def test_a_read_only_view_passed_with_its_array_is_a_copy(self):
        kernel = ww.Program("kernel void k(global const float *a, global float *b) { uint i = get_global_id(0);"
                            " b[i] = a[i] + 1; }").kernel()
        x = numpy.zeros(64, numpy.float32)
        view = x.view()
        view.flags.writeable = False
        kernel.run(MACHINE, global_size=64, args=[view, x])
        self.assertEqual(x.tolist(), [1] * 64)

    def test_copies_share_memory_like_the_arrays(self):
        x = numpy.arange(96, dtype=numpy.float32)
        kernel = ww.Program("kernel void k(global float *a, global float *b, global uchar *c) {}").kernel()
        data = bytearray(8)
        copy = kernel.launch(global_size=1, args=[x[:64], x[32:].reshape(8, 8), data]).copied()
        a, b, c = copy.args
        self.assertFalse(numpy.shares_memory(a, x))
        a[40], c[0] = -1, 7
        self.assertEqual((b.shape, b[1, 0], x[40], data[0]), ((8, 8), -1, 40, 0))

    def test_anything_with_the_buffer_protocol_is_accepted(self):
        data = bytearray(16)
        ww.Program("kernel void set(global uchar *x) { x[get_global_id(0)] = 7; }").kernel().run(
            MACHINE, global_size=16, args=[data])
        self.assertEqual(data, bytearray([7]) * 16)

    def test_structures_vectors_local_memory_and_null_are_accepted(self):
        source = """typedef struct { int a; float b; } S;
        kernel void st(global S *s, S v, float4 f, char3 c, local int *room, global int *none, double d, ulong u) {
          uint i = get_global_id(0);
          room[get_local_id(0)] = 1;
          barrier(CLK_LOCAL_MEM_FENCE);
          s[i].a = v.a + c.z + room[0] + (none ? 100 : 0) + (u == 18446744073709551615ul);
          s[i].b = v.b + f.w + (float)d;
        }"""
        layout = numpy.dtype([("a", "i4"), ("b", "f4")])
        out = numpy.zeros(4, layout)
        ww.Program(source).kernel().run(MACHINE, global_size=4, args=[
            out, numpy.array((10, .5), layout), (1, 2, 3, 4), (1, 2, -3), ww.Local(4, numpy.int32), None, .25, 2**64 - 1])
        self.assertEqual(out.tolist(), [(9, 4.75)] * 4)

    def test_signedness_may_differ_and_complex_numbers_are_pairs(self):
        kernel = ww.Program("kernel void k(global uint *a, global float2 *b) { a[0] = 1; b[0].y = 2; }").kernel()
        a, b = numpy.zeros(1, numpy.int32), numpy.zeros(1, numpy.complex64)
        kernel.run(MACHINE, global_size=1, args=[a, b])
        self.assertEqual((a[0], b[0]), (1, 2j))

    def test_read_only_arrays_are_accepted_for_pointers_to_const(self):
        kernel = ww.Program("kernel void k(global const int *a, global int *b) { b[0] = a[0]; }").kernel()
        a, b = numpy.full(1, 5, numpy.int32), numpy.zeros(1, numpy.int32)
        a.flags.writeable = False
        kernel.run(MACHINE, global_size=1, args=[a, b])
        self.assertEqual(b[0], 5)

    def test_work_items_print_to_standard_output(self):
        text = 'kernel void hello(void) { printf("%d\\\\n", (int)get_global_id(0)); }'
        done = rig.script("import warpwait as ww\nr = ww.Program('" + text + "').kernel().run(global_size=3)\n"
                          "assert r.printf == '0\\n1\\n2\\n'")
        self.assertEqual(done.stdout, "0\n1\n2\n")


class Devices(unittest.TestCase):
    def test_time_memory_and_caches_continue_between_launches(self):
        device = ww.Device(MACHINE)
        x = device.buffer(numpy.ones(64, numpy.float32))
        first = triple().run(device, global_size=64, args=[x, 2])
        second = triple().run(device, global_size=64, args=[x, 2])
        self.assertEqual(x.array[0], 4)
        self.assertLess(second.cycles, first.cycles)
        self.assertGreaterEqual(device.now, first.cycles + second.cycles)
        self.assertEqual((first.start, second.start >= first.cycles), (0, True))

    def test_a_buffer_is_an_array_and_outlives_its_device(self):
        x = ww.Device(MACHINE).buffer((4, 8), numpy.int16)
        array = x.array
        del x
        array[1, 2] = 3
        self.assertEqual((array.shape, array.sum()), ((4, 8), 3))
        again = ww.Device(MACHINE).buffer(array, name="again")
        self.assertTrue(numpy.shares_memory(numpy.asarray(again), again.array))
        self.assertFalse(numpy.shares_memory(again.array, array))

    def test_a_pointer_may_point_into_a_buffer(self):
        device = ww.Device(MACHINE)
        x = device.buffer(8, numpy.int32)
        kernel = ww.Program("kernel void k(global int *p, global long *at) { *p = 9; *at = (long)p; }").kernel()
        at = device.buffer(1, numpy.int64)
        kernel.run(device, global_size=1, args=[x.at(12), at])
        self.assertEqual((x.array.tolist(), at.array[0]), ([0, 0, 0, 9, 0, 0, 0, 0], x.address + 12))

    def test_images_are_created_from_arrays_and_read_as_arrays(self):
        kernel = ww.Program("kernel void k(read_only image2d_t a, sampler_t s, write_only image2d_t b) {"
                            " int2 at = (int2)(get_global_id(0), get_global_id(1));"
                            " float2 c = (float2)((at.x + 0.5f) / 8, (at.y + 0.5f) / 4);"
                            " write_imagef(b, at, read_imagef(a, s, c).zyxw); }")["k"]
        device = ww.Device(MACHINE)
        pixels = numpy.arange(128, dtype=numpy.uint8).reshape(4, 8, 4)
        image, out = device.image(pixels), device.image((4, 8))
        self.assertEqual([argument.kind for argument in kernel.arguments], ["image", "sampler", "image"])
        kernel.run(device, global_size=(8, 4), args=[image, "normalized,clamp_to_edge,linear", out])
        self.assertTrue((out.array == pixels[:, :, [2, 1, 0, 3]]).all())
        for data, format_, kind in ((numpy.random.rand(3, 2, 5, 2).astype("f"), "rg.float", None),
                                    (numpy.arange(15, dtype="H").reshape(3, 5), "r.unsigned_int16", "1d_array"),
                                    (numpy.arange(15, dtype="I"), "rgb.unorm_int_101010", "1d_buffer"),
                                    (numpy.arange(24, dtype="b").reshape(2, 3, 4), "a.signed_int8", "2d_array")):
            image = device.image(data, format_, kind)
            self.assertTrue((image.array == data).all() and image.array.dtype == data.dtype, format_)
        for wrong, words in ((lambda: device.image((2, 2), "rgb.float"), "cannot be combined with"),
                             (lambda: device.image(numpy.zeros((2, 2, 3))), "4 channels"),
                             (lambda: device.image((2, 2), "r.flot"), "no channel type 'flot'"),
                             (lambda: device.image((2, 2), kind="3d"), "does not have 2 sizes"),
                             (lambda: image.write(numpy.zeros(3)), "expected an array of shape"),
                             (lambda: kernel.run(device, global_size=(8, 4), args=[out, "lin", out]), "sampler"),
                             (lambda: kernel.run(device, global_size=(8, 4), args=[out, 3, out]), "expected a sampler"),
                             (lambda: kernel.run(device, global_size=(8, 4), args=[pixels, "", out]), "an Image")):
            with self.assertRaisesRegex(ww.BadInput, words):
                wrong()
        self.assertRaises(TypeError, pickle.dumps, out)

    def test_pipes_carry_packets_from_launch_to_launch(self):
        program = ww.Program("kernel void put(write_only pipe int p) { int v = get_global_id(0); write_pipe(p, &v); }"
                             "kernel void get(read_only pipe int p, global int *o) {"
                             " int v; if (!read_pipe(p, &v)) o[v] = v + 1; }", options="-cl-std=CL2.0")
        device = ww.Device(MACHINE)
        pipe, out = device.pipe(64), device.buffer(32, numpy.int32)
        program["put"].run(device, global_size=32, args=[pipe])
        self.assertEqual(sorted(pipe.array), list(range(32)))
        program["get"].run(device, global_size=32, args=[pipe, out])
        self.assertEqual((len(pipe), out.array.tolist()), (0, list(range(1, 33))))

    def test_launches_run_at_once(self):
        x, y = numpy.ones(64, numpy.float32), numpy.ones(64, numpy.float32)
        kernel = triple()
        report = ww.run([kernel.launch(global_size=64, args=[x, 2]), kernel.launch(global_size=64, args=[y, 3])])
        self.assertEqual((x[0], y[0], len(report.launches)), (2, 3, 2))
        self.assertEqual(report.cycles, max(launch["together_cycles"] for launch in report.launches))
        self.assertEqual(report["launches[1].together"], [1])

    def test_a_recording_of_a_device_runs_again(self):
        device = ww.Device(MACHINE)
        x = device.buffer(numpy.ones(64, numpy.float32))
        with device.recording() as recording:
            cycles = [triple().run(device, global_size=64, args=[x, 2]).cycles for _ in range(3)]
        again = recording.run()
        self.assertEqual([launch.cycles for launch in again.launches], cycles)
        self.assertEqual(pickle.loads(pickle.dumps(recording)).run().cycles, sum(cycles))
        self.assertEqual(recording.machine, MACHINE)


class Reports(unittest.TestCase):
    def test_reports_of_examples_and_lessons_match_the_command_line(self):
        self.assertGreater(len(LAUNCHES), 40)
        for path in LAUNCHES:
            words = ("run", str(path), "--why=no")
            with self.subTest(path):
                report = run_or_unfinished(path)
                self.assertEqual(str(report), rig.printed(*words))
                self.assertEqual(report.form("json"), rig.printed(*words, "--report", "json"))
                self.assertTrue(rig.printed(*words, "--annotate").endswith(report.form("source")))

    def test_reports_with_why_match_the_command_line_too(self):
        for path in LAUNCHES[::2]:
            with self.subTest(path):
                self.assertEqual(str(run_or_unfinished(path).why()), rig.printed("run", str(path)))

    def test_figures_are_found_by_the_keys_of_the_report(self):
        report = ww.run(ring_launch())
        self.assertEqual(report["launches[0].dma.descriptors"], 16)
        self.assertEqual(report.launches[0]["lds.accesses"], report["launches[0].lds.accesses"])
        self.assertEqual(report.cycles, report["launches[0].cycles"])
        self.assertEqual(report.bound_by, report["launches[0].bottleneck.limit"])
        with self.assertRaises(KeyError):
            report["launches[1].cycles"]

    def test_source_lines_end_at_line_feeds_alone(self):
        source = "kernel void k(global int *x) { // a\fb\vc\x1c\x1d\x1e\x85\u2028\u2029d\r\n  x[0] = 7;\n}"
        program = ww.Program(source)
        self.assertEqual(program.lines, [line.rstrip("\r") for line in source.split("\n")])
        report = program.kernel().run(global_size=1, args=[numpy.zeros(1, numpy.int32)])
        shown = {row["line"]: report.sources[row["file"]][row["line"] - 1] for row in report.lines}
        self.assertEqual(shown[2], "  x[0] = 7;")

    def test_stalls_and_lines_add_up(self):
        report = ww.run(ring_launch())
        self.assertEqual(report.stalls.total, report["launches[0].resident_cycles"])
        self.assertEqual(sum(row["cycles"] for row in report.lines), report.stalls.total)
        self.assertAlmostEqual(sum(report.stalls.shares().values()), 1)
        frame = report.stalls.to_pandas()
        self.assertEqual(frame["cycles"].sum(), report.stalls.total)
        self.assertEqual(report.lines.to_pandas()["cycles"].sum(), report.stalls.total)
        self.assertEqual(report.to_pandas()["dma.descriptors"].tolist(), [16])
        self.assertEqual(sum(row["count"] for row in report.latencies), 16)

    def test_timelines_pages_and_copies_come_from_the_recording(self):
        report = ww.run(ring_launch())
        at_once = ww.run(ring_launch(), timeline=True, page=True)
        self.assertEqual(report.timeline().data, at_once.timeline().data)
        self.assertEqual(report.page().html, at_once.page().html)
        self.assertEqual(len(report.copies), 16)
        self.assertEqual(report.copies.to_pandas()["bytes"].sum(), 16 * 256)
        warps = report.timeline().frame("warp")
        self.assertEqual((warps["to"] - warps["from"]).sum(), report.stalls.total)

    def test_a_pickled_report_is_equal_and_keeps_its_formats(self):
        report = ww.run(ring_launch(), check=True)
        again = pickle.loads(pickle.dumps(report))
        self.assertEqual((again, str(again), again.cycles), (report, str(report), report.cycles))
        self.assertEqual(again.form("sarif"), report.form("sarif"))
        self.assertEqual(again.stalls, report.stalls)

    def test_the_suffix_chooses_the_format_of_a_saved_report(self):
        report = ww.run(ring_launch())
        with tempfile.TemporaryDirectory() as folder:
            for suffix, begin in ((".txt", "kernel "), (".json", "{"), (".html", "<!DOCTYPE html>")):
                path = pathlib.Path(folder, f"report{suffix}")
                report.save(path)
                self.assertTrue(path.read_text().startswith(begin), suffix)
            with self.assertRaisesRegex(ww.BadInput, "ends with .txt"):
                report.save("report.doc")

    def test_pictures_are_drawn_from_reports(self):
        from warpwait import plot
        reports = [ww.run(ring_launch(depth)) for depth in (1, 2)]
        table = plot.stall_table(reports, labels=["one", "two"])
        self.assertEqual(table.sum(axis=1).tolist(), [report.stalls.total for report in reports])
        self.assertEqual(len(plot.timeline_rows(reports[0]).slices.query("section == 'copies'")), 16)
        with self.assertRaisesRegex(plot.PlotError, "without timing"):
            plot.stall_table([ww.run(ring_launch(), functional=True)])

    def test_a_difference_shows_where_cycles_went(self):
        one, two = ww.run(ring_launch(1)), ww.run(ring_launch(2))
        difference = one.diff(two)
        self.assertTrue(difference)
        self.assertFalse(one.diff(one))
        self.assertEqual(difference.to_dict()["launches"][0]["cycles"]["b"], two.cycles)

    def test_launch_files_are_verified(self):
        report = ww.run(rig.ROOT / "examples/05_double_buffer/launch_opencl.json", verify=True)
        self.assertEqual([row["passed"] for row in report.verified], [True])

    def test_functional_runs_leave_the_same_memory(self):
        timed, executed = ring_launch(), ring_launch()
        cycles = ww.run(timed).cycles
        report = ww.run(executed, functional=True)
        numpy.testing.assert_array_equal(timed.args[1], executed.args[1])
        self.assertGreater(cycles, 0)
        with self.assertRaisesRegex(ww.Unsupported, "^cycles: .*without timing"):
            report.cycles


class Analysis(unittest.TestCase):
    def test_an_explanation_matches_the_command_line(self):
        path = "examples/04_single_buffer/launch_opencl.json"
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "t.wwt")
            rig.command("run", path, "--trace", trace)
            told = rig.command("explain", trace, "--report", "json")
        explanation = ww.explain(rig.ROOT / path)
        self.assertEqual(explanation.json, told)
        self.assertEqual(explanation.limits[0]["saved"], explanation["launches"][0]["limits"][0]["saved"])
        self.assertEqual(ww.run(rig.ROOT / path).explain().json, told)

    def test_explain_check_and_sweep_do_not_change_arrays(self):
        x = numpy.ones(64, numpy.float32)
        launch = triple().launch(global_size=64, args=[x, 3])
        ww.explain(launch, jobs=1)
        ww.check(launch)
        ww.sweep(launch, {"dma.channels": [1, 2]})
        ww.explain(triple(), global_size=64, args=[x, 3])
        self.assertEqual(x.sum(), 64)

    def test_a_check_finds_hazards_that_a_run_does_not(self):
        kernel = ww.Program(rig.UNSAFE).kernel()
        launch = kernel.launch(global_size=64, local_size=64, args=[numpy.zeros(64, numpy.int32)])
        self.assertFalse(ww.run(launch.copied()).hazards)
        hazards = ww.check(launch)
        self.assertTrue(hazards)
        self.assertIn(hazards[0]["rule"], str(hazards))
        self.assertIn(hazards[0]["rule"], hazards.sarif)
        self.assertFalse(ww.check(ring_launch()))


class Sweeps(unittest.TestCase):
    AXES = {"dma.channels": [1, 2, 4], "mem.dram_latency": [100, 200]}

    def test_each_point_equals_a_run_with_its_values(self):
        launch = ring_launch()
        results = ww.sweep(launch, self.AXES, jobs=2)
        for row in results.frame(["cycles", "stalls.copy_wait"]).to_dict("records"):
            report = ww.run(launch.copied(), MACHINE.with_({axis: row[axis] for axis in self.AXES}))
            self.assertEqual((row["cycles"], row["stalls.copy_wait"]), (report.cycles, report.stalls["copy_wait"]))

    def test_macros_can_be_an_axis_and_cost_is_a_metric(self):
        results = ww.sweep(ring_launch(2), {"define.DEPTH": [1, 2], "dma.channels": [1, 2]},
                           cost="define.DEPTH * 256 + dma.channels")
        frame = results.frame(["cycles", "cost"])
        self.assertEqual(frame["cost"].tolist(), [257, 258, 513, 514])
        for row in frame.to_dict("records"):
            machine = MACHINE.with_({"dma.channels": row["dma.channels"]})
            launch = ring_launch(2).copied(ring(row["define.DEPTH"]))
            self.assertEqual(row["cycles"], ww.run(launch, machine).cycles)

    def test_a_stored_sweep_matches_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            plan, store = pathlib.Path(folder, "p.ini"), pathlib.Path(folder, "p.sqlite")
            launch = rig.ROOT / "examples/05_double_buffer/launch_opencl.json"
            plan.write_text(f"[sweep]\nlaunch = {launch}\n[axes]\ndma.channels = 1 2 4\nmem.dram_latency = 100 200\n")
            rig.command("sweep", plan, "--quiet", "-o", store)
            results, stored = ww.sweep(launch, self.AXES), ww.sweep.Store(store)
            names = list(stored.metrics.index)
            numpy.testing.assert_array_equal(results.frame(names)[names], stored.frame(names)[names])
            results.save(pathlib.Path(folder, "mine.sqlite"))
            self.assertEqual(rig.command("sweep", "query", "best", folder + "/mine.sqlite", "--csv"),
                             rig.command("sweep", "query", "best", store, "--csv"))

    def test_machines_can_be_an_axis(self):
        results = ww.sweep(ring_launch(), {"machine": ["teaching", ww.Machine("dsp")]})
        for row in results.frame(["cycles"]).to_dict("records"):
            self.assertEqual(row["cycles"], ww.run(ring_launch(), row["machine"]).cycles)
        self.assertEqual(len(results), 2)

    def test_points_finish_even_if_the_first_machine_does_not(self):
        launch = ring_launch()
        results = ww.sweep(launch, {"mem.dram_latency": [100, 100000]}, MACHINE.with_({"mem.dram_latency": 90000}),
                           cycle_limit=20000)
        frame = results.frame(["cycles"], unfinished=True)
        self.assertEqual(frame["status"].tolist(), ["finished", "cycle_limit"])
        self.assertEqual(frame["cycles"][0], ww.run(launch, MACHINE.with_({"mem.dram_latency": 100})).cycles)

    def test_constraints_exclude_points(self):
        results = ww.sweep(ring_launch(), self.AXES, where="dma.channels * 100 <= mem.dram_latency")
        self.assertEqual([(row["dma.channels"], row["mem.dram_latency"]) for row in results.frame().to_dict("records")],
                         [(1, 100), (1, 200), (2, 200)])

    def test_a_point_with_an_invalid_machine_says_why(self):
        results = ww.sweep(ring_launch(), {"cu.warps": [1, 16]})
        frame = results.frame(unfinished=True)
        self.assertEqual(frame["status"].tolist(), ["refused", "finished"])
        self.assertIn("cu.warps", frame["reason"][0])

    def test_a_machine_with_another_warp_size_runs_the_kernel_itself(self):
        results = ww.sweep(ring_launch(), {"cu.warp_size": [16, 32]})
        for row in results.frame(["cycles"]).to_dict("records"):
            self.assertEqual(row["cycles"], ww.run(ring_launch(), MACHINE.with_({"cu.warp_size": row["cu.warp_size"]})).cycles)

    def test_cluster_workers_give_the_same_results(self):
        done = rig.script(f"""
import sys
sys.path.insert(0, {str(rig.ROOT / "tests/python")!r})
import api_test, distributed
import warpwait as ww
if __name__ == "__main__":
    axes = {{"dma.channels": [1, 2, 4], "define.DEPTH": [1, 2], "cu.warp_size": [16, 32]}}
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            there = ww.sweep(api_test.ring_launch(), axes, dask=client)
    here = ww.sweep(api_test.ring_launch(), axes)
    print(there.to_pandas().equals(here.to_pandas()), len(here.frame()))
""")
        self.assertEqual(done.stdout, "True 12\n", done.stderr)

    def test_pareto_and_sensitivity_work_after_pickling(self):
        results = ww.sweep(ring_launch(), self.AXES, cost="dma.channels")
        again = pickle.loads(pickle.dumps(results))
        for one in (results, again):
            self.assertGreaterEqual(len(one.pareto()), 1)
            self.assertEqual(set(one.sensitivity().table["factor"]), set(self.AXES))
            self.assertEqual(one.best(count=1)["cycles"].iloc[0], results.frame(["cycles"])["cycles"].min())


def cycles_of(factor):
    x = numpy.ones(64, numpy.float32)
    report = triple().run(MACHINE, global_size=64, args=[x, factor])
    return report.cycles, x[0], report


class Processes(unittest.TestCase):
    def test_threads_run_side_by_side(self):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            found = list(pool.map(cycles_of, range(16)))
        self.assertEqual([(cycles, value) for cycles, value, _ in found], [(437, factor) for factor in range(16)])

    def test_threads_share_a_device_in_turn(self):
        device, kernel = ww.Device(MACHINE), triple()
        x = device.buffer(numpy.ones(64, numpy.float32))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: kernel.run(device, global_size=64, args=[x, 2]), range(8)))
        self.assertEqual(x.array[0], 256)

    def test_child_processes_run_and_send_reports(self):
        triple().run(MACHINE, global_size=64, args=[numpy.ones(64, numpy.float32), 1])
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(cycles_of, [1, 2, 3])
        self.assertEqual([(cycles, value, report.cycles) for cycles, value, report in found],
                         [(437, factor, 437) for factor in (1, 2, 3)])

    def test_a_thousand_launches_leak_no_memory(self):
        device, kernel = ww.Device(MACHINE), triple()
        x = device.buffer(numpy.ones(64, numpy.float32))

        def pages():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1])

        def some(on, count):
            for _ in range(count):
                kernel.run(on, global_size=64, local_size=64, args=[x if on is device else x.array, 1]).cycles

        for on in (device, MACHINE):
            some(on, 200)
            before = pages()
            some(on, 1000)
            self.assertLess(pages() - before, 64)  # of 4 KiB


if __name__ == "__main__":
    unittest.main()
