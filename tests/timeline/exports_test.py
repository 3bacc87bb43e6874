#!/usr/bin/env python3
"""Exports of examples' timelines: Perfetto's JSON compared with its format and the report, waveforms compared with
events."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
sys.dont_write_bytecode = True
import trace_events  # noqa: E402
from warpwait import trace as traces  # noqa: E402
import waves  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
EXAMPLES = ["05_double_buffer", "11_stencil_2d"]
CLOCK_MHZ = 1000  # of the machine that examples run on


def warpwait(*arguments):
    return subprocess.run([WARPWAIT, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


class Exports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = {example: pathlib.Path(cls.folder.name) / f"{example}.wtl" for example in EXAMPLES}
        cls.report, cls.events = {}, {}
        for example, path in cls.path.items():
            cls.report[example] = json.loads(warpwait("run", ROOT / f"examples/{example}/launch_opencl.json",
                                                      "--report", "json", "--timeline", path))["launches"]
            warpwait("trace", "convert", path, path.with_suffix(".json"))
            cls.events[example] = json.loads(path.with_suffix(".json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def slices(self, example, phase, category):
        return [event for event in self.events[example]["traceEvents"]
                if event["ph"] == phase and event.get("cat") == category]

    def test_the_json_is_in_the_trace_event_format(self):
        for example in EXAMPLES:
            self.assertEqual(list(trace_events.faults(self.events[example])), [], example)

    def test_warp_slices_add_up_to_the_stalls_in_the_report(self):
        for example, launches in self.report.items():
            shown, told = collections.Counter(), collections.Counter()
            for event in self.slices(example, "X", "warp"):
                shown[event["args"]["stall"]] += trace_events.fine(event["dur"])
            for launch in launches:
                told.update(launch["stalls"])
            self.assertEqual(shown, +told, example)

    def test_every_copy_that_a_warp_waits_for_has_an_arrow(self):
        for example, launches in self.report.items():
            copies = self.slices(example, "b", "copy")
            waited = [event for event in copies if "waited_to" in event.get("args", {})]
            arrows = self.slices(example, "s", "copy")
            self.assertEqual(len(waited), sum(launch["dma"]["descriptors"] for launch in launches), example)
            self.assertEqual(len(arrows), len(waited), example)

    def test_arrows_go_from_a_copy_instruction_to_a_slice_that_waits_for_it(self):
        for example in EXAMPLES:
            at = {(event["tid"], cycle): event for event in self.slices(example, "X", "warp")
                  for cycle in range(trace_events.fine(event["ts"]), trace_events.fine(event["ts"] + event["dur"]))}
            for event in self.slices(example, "s", "copy"):
                self.assertIn("copy", at[event["tid"], trace_events.fine(event["ts"])]["name"])
            for event in self.slices(example, "f", "copy"):
                self.assertIn(at[event["tid"], trace_events.fine(event["ts"])]["name"], ("wait_join", "copy_wait"))

    def test_warp_passes_match_the_report(self):
        for example, launches in self.report.items():
            passes = {(event["pid"], event["ts"]) for event in self.slices(example, "X", "banks")
                      if event["name"].startswith("warp ")}
            self.assertEqual(len(passes), sum(launch["lds"]["passes"] for launch in launches), example)

    def test_counters_end_at_zero(self):
        for example in EXAMPLES:
            last = {}
            for event in self.events[example]["traceEvents"]:
                if event["ph"] == "C":
                    self.assertLess(last.get((event["pid"], event["name"]), (-1, 0))[0], event["ts"])
                    last[event["pid"], event["name"]] = event["ts"], sum(event["args"].values())
            self.assertTrue(last)
            self.assertEqual({value for _, value in last.values()}, {0})

    def test_waves_match_the_sums_of_events(self):
        for example, path in self.path.items():
            warpwait("trace", "convert", path, path.with_suffix(".vcd"))
            found, comments = waves.read(path.with_suffix(".vcd").read_text(), CLOCK_MHZ)
            with traces.open_timeline(path) as timeline:
                wanted = waves.add_up(timeline.events())
            self.assertEqual(found.keys(), wanted.keys(), example)
            for name, changes in wanted.items():
                self.assertEqual(found[name], changes, f"{example}: {name}")
            self.assertIn("states: 0 no warp, 1 issued, 2 dependency,", comments[0])

    @unittest.skipUnless(shutil.which("vcd2fst"), "no vcd2fst: it comes with gtkwave")
    def test_gtkwave_accepts_the_waves(self):
        path = self.path[EXAMPLES[0]].with_suffix(".fst.vcd")
        warpwait("trace", "convert", self.path[EXAMPLES[0]], path)
        subprocess.run(["vcd2fst", path, path.with_suffix(".fst")], check=True, stdout=subprocess.DEVNULL)
        self.assertGreater(path.with_suffix(".fst").stat().st_size, 1000)

    def test_run_and_replay_write_the_same_bytes_as_convert(self):
        example = EXAMPLES[0]
        launch, folder = ROOT / f"examples/{example}/launch_opencl.json", pathlib.Path(self.folder.name)
        warpwait("run", launch, "--trace", folder / "t.wwt")
        for suffix in ".json", ".vcd":
            warpwait("trace", "convert", self.path[example], folder / f"converted{suffix}")
            warpwait("run", launch, "--timeline", folder / f"run{suffix}")
            warpwait("replay", folder / "t.wwt", "--host", "plain", "--timeline", folder / f"replay{suffix}")
            converted = (folder / f"converted{suffix}").read_bytes()
            self.assertEqual((folder / f"run{suffix}").read_bytes(), converted)
            self.assertEqual((folder / f"replay{suffix}").read_bytes(), converted)

    def counter(self, path, name):
        """The counter's integral, in its unit times cycles."""
        document = json.loads(path.read_text())
        points = [(trace_events.fine(event["ts"]), *event["args"].values()) for event in document["traceEvents"]
                  if event["ph"] == "C" and event["name"] == name]
        return sum((after[0] - before[0]) * before[1] for before, after in zip(points, points[1:]))

    def test_counters_add_up_to_the_report(self):
        path = self.path[EXAMPLES[0]].with_name("conflicts.json")
        launches = json.loads(warpwait("run", ROOT / "examples/02_bank_conflict/launch_opencl.json", "--report", "json",
                                       "--timeline", path))["launches"]
        conflicts = self.counter(path, "LDS passes lost to bank conflicts")
        self.assertGreater(conflicts, 0)
        self.assertAlmostEqual(conflicts, sum(launch["lds"]["conflict_cycles"] for launch in launches), delta=1)
        self.assertAlmostEqual(self.counter(path, "warps resident"),
                               sum(sum(launch["stalls"].values()) for launch in launches), delta=5)

    def test_the_page_lists_every_track_counter_and_wave(self):
        page = (ROOT / "docs/timeline-export.md").read_text()
        rows = set(re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE))
        page_names = {name for row in rows for name in re.findall("`(.*?)`", row)}
        shown = {"copies"}
        for example, path in self.path.items():
            for event in self.events[example]["traceEvents"]:
                if event["name"] == "thread_name":
                    shown.add(re.sub(r"\d+", "N", re.sub(r" \(\d+\)$", "", event["args"]["name"])))
                elif event["ph"] == "C":
                    shown.add(event["name"])
            with traces.open_timeline(path) as timeline:
                shown.update(re.sub(r"\d+", "N", name).removeprefix("cuN.") for name in waves.add_up(timeline.events()))
        self.assertEqual(shown - page_names, set())
        counters = re.findall(r'COUNTER\(\w+, "(.*?)", "(.*?)", "(.*?)"\)',
                              (ROOT / "tools/timeline/counters.h").read_text())
        self.assertGreater(len(counters), 1)
        for row in counters[1:]:  # the first row is the header
            self.assertIn("| `%s` | %s | %s |\n" % row, page)

    def test_a_window_is_in_the_trace_event_format_too(self):
        path = self.path[EXAMPLES[0]].with_name("window.json")
        warpwait("run", ROOT / f"examples/{EXAMPLES[0]}/launch_opencl.json", "--from", 1000, "--to", 2000,
                 "--timeline", path)
        events = json.loads(path.read_text())
        self.assertEqual(list(trace_events.faults(events)), [])
        self.assertLess(len(events["traceEvents"]), len(self.events[EXAMPLES[0]]["traceEvents"]) / 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
