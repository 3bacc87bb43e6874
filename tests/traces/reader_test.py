#!/usr/bin/env python3
"""The Python reader of traces and timelines: recorded examples, damaged files, and pandas frames."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
sys.dont_write_bytecode = True
import warpwait.trace  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))


def script(*arguments):
    """`python3 -m warpwait.trace` with these arguments: status, standard output, standard error."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings/python"), PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run([sys.executable, "-m", "warpwait.trace", *map(str, arguments)], capture_output=True,
                          text=True, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


class Reader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "example.wwt"
        subprocess.run([WARPWAIT, "run", ROOT / "examples/05_double_buffer/launch.json", "--trace", cls.path],
                       stdout=subprocess.DEVNULL, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_warp_ends_with_a_done_operation(self):
        with warpwait.trace.open(self.path) as trace:
            self.assertEqual(len(trace.groups()), sum(launch.groups for launch in trace.launches))
            for launch, group in trace.groups():
                for warp in range(trace.warps(launch, group)):
                    operations = list(trace.operations(launch, group, warp))
                    self.assertEqual([operation.pc for operation in operations[1:]],
                                     [operation.next for operation in operations[:-1]])
                    self.assertEqual([operation.flags for operation in operations if "done" in operation.flags],
                                     [["done"]])

    def test_copies_have_the_fields_of_the_schema(self):
        with warpwait.trace.open(self.path) as trace:
            copies = [operation for operation in trace.operations(0, 0, 0)
                      if operation.kind == "copy" and operation.mask]
            self.assertGreater(len(copies), 1)
            kind = next(kind for kind in trace.schema.kinds if kind.name == "copy")
            for copy in copies:
                self.assertEqual(list(copy.fields), kind.fields)
                self.assertEqual(copy.fields["to_lds"], 1)

    def test_batches_count_the_operations(self):
        with warpwait.trace.open(self.path) as trace:
            found = sum(1 for launch, group in trace.groups() for warp in range(trace.warps(launch, group))
                        for _ in trace.operations(launch, group, warp))
            self.assertEqual(sum(batch.operations for batch in trace.batches()), found)

    def test_bad_blocks_with_correct_checksums_are_reported(self):
        """The second block, a meta, with other payloads whose checksums are correct."""
        data = self.path.read_bytes()
        first = 16 + 28 + struct.unpack_from("<I", data, 16 + 16)[0]
        changed = pathlib.Path(self.folder.name) / "changed.wwt"
        for kind, method, raw, payload, says in (
                (b"meta", 1, 9, b"no zlib", "expected zlib data, found others"),
                (b"meta", 1, 9, zlib.compress(bytes(10)), "expected 9 bytes, found 10"),
                (b"meta", 0, 2, b"\x01\xff", "expected what a block of type meta has, found others"),
                (b"meta", 0, 2, b"\x09x", "expected 9 bytes, found another"),
                (b"prog", 0, 1, b"\xff", "expected what a block of type prog has, found others")):
            header = struct.pack("<4sIIIII", kind, 1, method, raw, len(payload), zlib.crc32(payload))
            changed.write_bytes(data[:first] + header + struct.pack("<I", zlib.crc32(header)) + payload)
            with warpwait.trace.open(changed, salvage=True) as trace:
                self.assertIn(f"{changed}: offset {first}: {says}", trace.damage)

    def test_a_frame_has_a_row_for_each_operation(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        with warpwait.trace.open(self.path) as trace:
            frame = trace.frame(launch=0)
            self.assertEqual(len(frame), sum(batch.operations for batch in trace.batches(0)))
            self.assertEqual(set(frame.kind) - {kind.name for kind in trace.schema.kinds}, set())
            self.assertTrue((frame[frame.kind == "access"].address >= 0).all())

    def test_a_cut_off_trace_is_reported_or_salvaged(self):
        cut = self.path.with_suffix(".cut")
        cut.write_bytes(self.path.read_bytes()[:-100])
        status, output, errors = script(cut)
        self.assertEqual((status, output), (2, ""))
        self.assertRegex(errors, r"^warpwait.trace: .*: offset \d+: expected the end of a whole trace, found .*\n$")
        status, output, errors = script(cut, "--salvage")
        self.assertEqual(status, 0)
        self.assertIn("launch 0 group 0 warp 0\n", output)
        self.assertRegex(errors, r": offset \d+: expected ")

    def test_files_that_are_not_traces_are_reported(self):
        other = self.path.with_suffix(".json")
        other.write_text('{"name": "not a trace"}')
        self.assertRegex(script(other)[2], r"^warpwait.trace: .*: offset 0: expected a trace, found 7b 22 ")
        none = self.path.with_suffix(".none")
        self.assertEqual(script(none), (2, "", f"warpwait.trace: {none}: No such file or directory\n"))

    def test_a_closed_pipe_causes_no_message(self):
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings/python"), PYTHONDONTWRITEBYTECODE="1")
        done = subprocess.run(f"{sys.executable} -m warpwait.trace {self.path} | head -1", shell=True, text=True,
                              capture_output=True, env=environment, check=False)
        self.assertEqual((done.stdout, done.stderr), ("launch 0 group 0 warp 0\n", ""))

    def test_a_changed_byte_is_reported(self):
        whole = bytearray(self.path.read_bytes())
        for place in range(0, len(whole), 97):
            whole[place] ^= 4
            changed = self.path.with_suffix(".changed")
            changed.write_bytes(whole)
            whole[place] ^= 4
            with self.assertRaises(warpwait.trace.TraceError, msg=f"byte {place}"):
                with warpwait.trace.open(changed) as trace:
                    for batch in trace.batches():
                        self.assertTrue(batch.pieces)

    def test_the_schema_is_printed(self):
        status, output, _ = script(self.path, "--schema")
        self.assertEqual(status, 0)
        self.assertTrue(output.startswith("trace 1\n"))
        self.assertIn("\nkind access ", output)


class Timelines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name) / "example.wtl"
        cls.report = pathlib.Path(cls.folder.name) / "report.json"
        subprocess.run([WARPWAIT, "run", ROOT / "examples/05_double_buffer/launch.json", "--timeline", cls.path,
                        "--report", "json", "--out", cls.report], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")

    def test_frames_have_the_events(self):
        with warpwait.trace.open_timeline(self.path) as timeline:
            frames = timeline.frame()
            self.assertEqual(sum(map(len, frames.values())), timeline.count)
            self.assertEqual(min(frame["from"].min() for frame in frames.values()), timeline.start)
            self.assertEqual(max(frame["to"].max() for frame in frames.values()), timeline.end)
            for event in timeline.events():
                row = frames[event.kind].iloc[0]
                self.assertEqual((row.cu, row.unit, row["from"], row["to"]),
                                 (event.cu, event.unit, event.start, event.end))
                self.assertEqual(set(frames[event.kind].columns) - {"line"},
                                 {"cu", "unit", "from", "to", *event.fields})
                break

    def test_warp_cycles_match_the_report(self):
        report = json.loads(self.report.read_text())["launches"][0]
        with warpwait.trace.open_timeline(self.path) as timeline:
            warps = timeline.frame("warp")
            cycles = (warps["to"] - warps["from"]).groupby(warps.stall).sum()
            self.assertEqual({name: count for name, count in cycles.items() if count},
                             {name: count for name, count in report["stalls"].items() if count})
            self.assertEqual(timeline.run["launches"][0]["cycles"], report["cycles"])

    def test_lines_and_text_match_the_program(self):
        with warpwait.trace.open_timeline(self.path) as timeline:
            warps = timeline.frame("warp")
            for row in warps.drop_duplicates("pc").itertuples():
                code = timeline.code(row.launch, row.pc)
                self.assertEqual(code["line"], row.line)
                self.assertIn(str(row.line), timeline.run["programs"][0]["source"][code["file"]])
            self.assertEqual(timeline.code(0, 1 << 30), {})

    def test_an_unknown_kind_is_reported_and_one_without_events_is_empty(self):
        with warpwait.trace.open_timeline(self.path) as timeline:
            with self.assertRaisesRegex(ValueError, "kind 'wrap' is not one of: group warp "):
                timeline.frame("wrap")
        warps = self.path.with_name("warps.wtl")
        subprocess.run([WARPWAIT, "run", ROOT / "examples/05_double_buffer/launch.json", "--timeline", warps,
                        "--events", "warp"], stdout=subprocess.DEVNULL, check=True)
        with warpwait.trace.open_timeline(warps) as timeline:
            self.assertEqual(list(timeline.frame()), ["warp"])
            empty = timeline.frame("banks")
            self.assertEqual(len(empty), 0)
            self.assertEqual(list(empty.columns)[:5], ["cu", "unit", "from", "to", "banks"])

    def test_a_cut_off_timeline_is_reported_or_salvaged(self):
        cut = self.path.with_suffix(".cut")
        cut.write_bytes(self.path.read_bytes()[:-100])
        status, _, errors = script(cut)
        self.assertEqual(status, 2)
        self.assertRegex(errors, r"^warpwait.trace: .*: offset \d+: expected the end of a whole timeline, found .*\n$")
        self.assertEqual(script(cut, "--salvage")[0], 0)

    def test_a_changed_byte_is_reported(self):
        whole = bytearray(self.path.read_bytes())
        changed = self.path.with_suffix(".changed")
        for place in range(0, len(whole), 97):
            whole[place] ^= 4
            changed.write_bytes(whole)
            whole[place] ^= 4
            with self.assertRaises(warpwait.trace.TraceError, msg=f"byte {place}"):
                with warpwait.trace.open_timeline(changed) as timeline:
                    for _ in timeline.batches():
                        pass


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
