#!/usr/bin/env python3
# Time limit: a sweep may take 120 s.
"""`warpwait sweep run`: each row is the run of its point; jobs, shards, kills and resumption do not change the table; a
point that cannot be run is kept with its reason. `--kills 50` kills parents and workers 50 times instead of a few
times."""
import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
EXAMPLE = ROOT / "examples/05_double_buffer/launch.json"
KILLS = 10
GROUPS = {"cu": "cu", "lds": "lds", "dma": "dma", "mem": "memory"}  # of metrics, and of the report

GRID = """
[axes]
dma.channels = 1 2 4
dma.queue = 1 4
mem.dram_latency = 100 400
dma.issue_gap = 1 8
"""

# An argument sets how many tiles each work-item adds up, a define sets the stride.
SUMS = """
#ifndef STRIDE
#error STRIDE is missing
#endif
__kernel void sums(__global const uint *in, __global uint *out, uint tiles, float4 scale, __local uint *room) {
  uint sum = 0;
  for (uint i = 0; i < tiles; i++)
    sum += in[(get_global_id(0) * STRIDE + i * 64) & 1023];
  room[get_local_id(0)] = sum * (uint)scale.y;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = room[get_local_id(0) ^ 1];
}
"""
SUMS_LAUNCH = {
    "program": "sums.cl", "machine": "teaching", "set": {"cu.count": 2},
    "buffers": {"in": {"bytes": 4096, "elem": "uint", "fill": "iota"}, "out": {"bytes": 1024, "elem": "uint"}},
    "launches": [{"kernel": "sums", "global": [256], "local": [64],
                  "args": [{"buffer": "in"}, {"buffer": "out"}, {"uint": 4}, {"float4": [1, 2, 3, 4]},
                           {"local": 256}]}] * 2,
}

# A work-item that arrives early does more: its work depends on time.
RACE = """
__kernel void race(__global uint *next, __global uint *out) {
  uint turn = atomic_inc(next);
  for (uint i = 0; i < (turn & 7); i++)
    out[(get_global_id(0) + i * 32) & 255] = i;
}
"""
RACE_LAUNCH = {
    "program": "race.cl", "machine": "teaching",
    "buffers": {"next": {"bytes": 4, "elem": "uint"}, "out": {"bytes": 1024, "elem": "uint"}},
    "launches": [{"kernel": "race", "global": [256], "local": [64], "args": [{"buffer": "next"}, {"buffer": "out"}]}],
}

# Half of the warps of a work-group never reach the other half's barrier, if there is more than one warp.
STUCK = """.kernel stuck
.arg limit u32
.reg i, n
.pred c
  get.local_id i, x
  ld.arg.b32 n, limit
  setp.lt.u32 c, i, n
@!c exit
  bar
  exit
"""
STUCK_LAUNCH = {"program": "stuck.wws", "machine": "teaching",
                "launches": [{"kernel": "stuck", "global": [64], "local": [64], "args": [{"uint": 64}]}]}


def tool(*arguments, **more):
    """Status, standard output and standard error."""
    done = subprocess.run([WARPWAIT, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False,
                          **more)
    return done.returncode, done.stdout, done.stderr


def rows(store, table="points", order="key"):
    """The table's rows by their keys, as dictionaries."""
    connection = sqlite3.connect(store)
    connection.row_factory = sqlite3.Row
    found = {row[order]: dict(row) for row in connection.execute(f"SELECT * FROM {table}")}
    connection.close()
    return found


def firsts(launches):
    """The first of each set of concurrent launches: what they share counts once."""
    found = []
    while sum(1 + len(launch["together"]) for launch in found) < len(launches):
        found.append(launches[sum(1 + len(launch["together"]) for launch in found)])
    return found


def expected(report):
    """The metrics that a report of `run --report json` contains."""
    launches = report["launches"]

    def total(*path):
        values = launches
        for key in path:
            values = [value[key] for value in values]
        return values

    metrics = {"cycles": sum(launch["together_cycles"] for launch in firsts(launches)),
               "warp_instructions": sum(total("warp_instructions")),
               "resident_cycles": sum(total("resident_cycles")), "lds.max_ways": max(total("lds", "max_ways")),
               "dma.queue_peak": max(total("dma", "queue_peak")),
               "hiding.exposed_cycles": sum(total("hiding", "exposed_cycles")),
               "occupancy.groups_per_cu": min(total("occupancy", "groups_per_cu"))}
    metrics["microseconds"] = metrics["cycles"] / report["machine"]["parameters"]["cu.clock_mhz"]["value"]
    for stall in launches[0]["stalls"]:
        metrics[f"stalls.{stall}"] = sum(total("stalls", stall))
    return metrics


class Sweep(unittest.TestCase):
    undisturbed = None

    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name)

    def tearDown(self):
        self.kept.cleanup()

    def file(self, name, text):
        (self.folder / name).write_text(text if isinstance(text, str) else json.dumps(text))
        return self.folder / name

    def plan(self, body, launch=EXAMPLE, name="s.ini"):
        return self.file(name, f"[sweep]\nlaunch = {launch}\n{body}")

    def sweep(self, plan, *options, out="s.sqlite", status=0):
        out = self.folder / out
        done = tool("sweep", "run", plan, "-o", out, *options)
        self.assertEqual(done[0], status, done)
        return out

    def refused(self, body, line, launch=EXAMPLE, *options):
        plan = self.plan(body, launch, "bad.ini")
        status, out, told = tool("sweep", "run", plan, *options)
        self.assertEqual((status, out, told.count("\n")), (2, "", 1), told)
        self.assertIn(line, told)
        self.assertFalse((self.folder / "bad.sqlite").exists())

    def check(self, row, report):
        """Compares a row with a report."""
        counters = [key for key in row if key.partition(".")[0] in GROUPS]
        for key, value in expected(report).items():
            self.assertEqual(row[key], value, key)
        for key in counters:
            group, _, name = key.partition(".")
            launches = report["launches"] if group == "cu" else firsts(report["launches"])
            told = [launch[GROUPS[group]].get(name.removesuffix("_count")) for launch in launches]
            if None not in told and key not in ("lds.max_ways", "dma.queue_peak") and not isinstance(row[key], str) \
                    and key not in report["machine"]["parameters"]:
                self.assertEqual(row[key], sum(told), key)

    def run_of(self, row, launch=EXAMPLE, more=()):
        sets = [word for key, value in row.items() if key.partition(".")[0] in (*GROUPS, "mem") and key in self.axes
                for word in ("--set", f"{key}={value}")]
        status, out, told = tool("run", launch, "--report", "json", *sets, *more)
        self.assertEqual(status, 0, told)
        return json.loads(out)

    # ---- rows ----------------------------------------------------------------------------------------

    def test_each_row_matches_a_run_of_its_point(self):
        table = rows(self.sweep(self.plan(GRID)))
        self.assertEqual(len(table), 24)
        self.axes = ["dma.channels", "dma.queue", "mem.dram_latency", "dma.issue_gap"]
        for row in table.values():
            self.assertEqual((row["status"], row["reason"]), ("finished", None))
            self.check(row, self.run_of(row))
        self.assertGreater(len({row["cycles"] for row in table.values()}), 3)

    def test_one_point_of_a_configuration_is_run_and_the_others_are_replayed(self):
        effort = rows(self.sweep(self.plan(GRID)), "effort")
        self.assertEqual(sorted(row["how"] for row in effort.values()), ["replay"] * 23 + ["run"])

    def test_jobs_and_shards_change_nothing(self):
        plan = self.plan(GRID)
        whole = rows(self.sweep(plan, "--jobs", 1))
        self.assertEqual(rows(self.sweep(plan, "--jobs", 3, out="three.sqlite")), whole)
        shards = [self.sweep(plan, "--shard", f"{i}/5", out=f"{i}.sqlite") for i in range(5)]
        self.assertEqual(sum(len(rows(shard)) for shard in shards), 24)
        merged = self.folder / "merged.sqlite"
        self.assertEqual(tool("sweep", "merge", merged, *shards)[0], 0)
        self.assertEqual(rows(merged), whole)

    def test_concurrent_launches_have_one_time(self):
        launch = ROOT / "examples/13_pipe/launch_opencl.json"
        table = rows(self.sweep(self.plan("[axes]\nmem.l2_latency = 50 150\n", launch)))
        self.axes = ["mem.l2_latency"]
        for row in table.values():
            report = self.run_of(row, launch)
            self.assertTrue(any(entry["together"] for entry in report["launches"]))
            self.check(row, report)

    def test_machines_can_be_axes(self):
        mine = self.file("mine.ini", "base = teaching\n[dma]\nsetup = 77\n")
        table = rows(self.sweep(self.plan("[axes]\nmachine = teaching h200 mine.ini\ndma.channels = 1 2\n")))
        self.assertEqual(len(table), 6)
        self.axes = ["dma.channels"]
        for row in table.values():
            machine = mine if row["machine"] == "mine.ini" else row["machine"]
            self.check(row, self.run_of(row, more=("--machine", machine)))

    def test_settings_apply_to_all_points(self):
        table = rows(self.sweep(self.plan("[set]\nmem.dram_latency = 777\narg.tiles = 8\n[axes]\ndma.queue = 1 2\n")))
        launch = json.loads(EXAMPLE.read_text())
        launch["program"] = str(EXAMPLE.parent / launch["program"])
        launch["launches"][0]["args"][2]["uint"] = 8
        launch = self.file("eight.json", launch)
        self.axes = ["dma.queue"]
        for row in table.values():
            self.check(row, self.run_of(row, launch, ("--set", "mem.dram_latency=777")))

    def test_defines_and_arguments_can_be_axes(self):
        self.file("sums.cl", SUMS)
        launch = self.file("sums.json", SUMS_LAUNCH)
        table = rows(self.sweep(self.plan(
            "[axes]\ndefine.STRIDE = 1 8\narg.tiles = 2 5\nlaunch.2.arg.4 = 1:2:3:4 4:3:2:1\narg.room = 256 512\n"
            "mem.dram_latency = 100 400\n", launch)))
        self.assertEqual(len(table), 32)
        self.axes = ["mem.dram_latency"]
        for row in list(table.values())[::3]:
            point = json.loads(json.dumps(SUMS_LAUNCH))
            for entry in point["launches"]:
                entry["args"][2] = {"uint": int(row["arg.tiles"])}
                entry["args"][4] = {"local": int(row["arg.room"])}
            point["launches"][1]["args"][3] = {"float4": row["launch.2.arg.4"].split(":")}
            self.check(row, self.run_of(row, self.file("point.json", point), ("-D", f"STRIDE={row['define.STRIDE']}")))

    def test_kernels_that_depend_on_time_are_run_not_replayed(self):
        self.file("race.cl", RACE)
        launch = self.file("race.json", RACE_LAUNCH)
        store = self.sweep(self.plan("[axes]\nmem.dram_latency = 100 200 300\nmem.l2_latency = 50 90\n", launch))
        self.assertEqual({row["how"] for row in rows(store, "effort").values()}, {"run"})
        self.axes = ["mem.dram_latency", "mem.l2_latency"]
        for row in rows(store).values():
            self.check(row, self.run_of(row, launch))

    def test_each_functional_configuration_has_its_own_recording(self):
        effort = rows(self.sweep(self.plan("[axes]\ndma.alignment = 1 4\ncu.warp_size = 16 32\ndma.queue = 1 2\n")),
                      "effort")
        self.assertEqual(sorted(row["how"] for row in effort.values()), ["replay"] * 4 + ["run"] * 4)

    def test_a_trace_can_be_swept_too(self):
        trace = self.folder / "t.wwt"
        self.assertEqual(tool("run", EXAMPLE, "--trace", trace)[0], 0)
        plan = self.file("t.ini", f"[sweep]\ntrace = {trace}\n[axes]\ndma.queue = 1 2\ncu.warp_size = 16 32\n")
        table = rows(self.sweep(plan))
        self.axes = ["dma.queue", "cu.warp_size"]
        for row in table.values():
            if row["cu.warp_size"] == 32:
                self.check(row, self.run_of(row))
            else:
                self.assertEqual((row["status"], row["cycles"]), ("refused", None))
                self.assertIn("cu.warp_size is 16", row["reason"])

    # ---- points that do not finish ---------------------------------------------------------------------

    def test_a_point_that_cannot_be_run_says_why_and_the_others_continue(self):
        self.file("stuck.wws", STUCK)
        launch = self.file("stuck.json", STUCK_LAUNCH)
        store = self.sweep(self.plan("[axes]\narg.limit = 32 64\ncu.warps = 1 8\ncu.meet = calls barriers\n", launch))
        said = {key: (row["status"], row["reason"] or "") for key, row in rows(store).items()}
        self.assertEqual({status for key, (status, _) in said.items() if "cu.warps=1" in key}, {"refused"})
        self.assertEqual({status for key, (status, _) in said.items() if "limit=64" in key and "cu.warps=8" in key},
                         {"finished"})
        for key, (status, reason) in said.items():
            row = rows(store)[key]
            self.axes = ["cu.warps", "cu.meet"]
            if status == "finished":
                continue
            point = json.loads(json.dumps(STUCK_LAUNCH))
            point["launches"][0]["args"][0]["uint"] = int(row["arg.limit"])
            told = tool("run", self.file("point.json", point), "--set", f"cu.warps={row['cu.warps']}",
                        "--set", f"cu.meet={row['cu.meet']}")[2].strip().partition("warpwait: ")[2]
            self.assertTrue(told.endswith(reason.rpartition("launches[0]")[2]), (told, reason))
            self.assertNotIn(str(self.folder), reason)
            self.assertIsNone(row["cycles"])

    def test_the_cycle_limit_is_a_status(self):
        table = rows(self.sweep(self.plan("[axes]\nmem.dram_latency = 10 5000\n"), "--max-cycles", 20000))
        said = {row["mem.dram_latency"]: row["status"] for row in table.values()}
        self.assertEqual(said, {10: "finished", 5000: "cycle_limit"})
        plan = self.plan("max_cycles = 20000\n[axes]\nmem.dram_latency = 10 5000\n")
        self.assertEqual(rows(self.sweep(plan, out="key.sqlite")), table)
        longer = rows(self.sweep(plan, "--max-cycles", 1000000, out="longer.sqlite"))
        self.assertEqual({row["status"] for row in longer.values()}, {"finished"})

    def test_points_with_invalid_machines_are_refused(self):
        table = rows(self.sweep(self.plan("[axes]\nlds.banks = 32 64\nlds.size = 1024 65536\n")))
        bad = [row for row in table.values() if row["status"] != "finished"]
        self.assertTrue(bad)
        for row in bad:
            self.assertEqual(row["status"], "refused")
            self.assertTrue(row["reason"])

    def test_bytes_are_compared_with_hexadecimal_and_suggestions_name_an_argument_once(self):
        self.file("sums.cl", SUMS)
        two = json.loads(json.dumps(SUMS_LAUNCH))
        two["launches"] = [two["launches"][0], json.loads(json.dumps(two["launches"][0]))]
        for entry in two["launches"]:
            entry["args"][2] = {"bytes": "04000000"}
        two = self.file("two.json", two)
        for word in ("zz", "012", b"\xff\xff".decode("latin-1")):
            self.refused(f"[set]\ndefine.STRIDE = 1\n[axes]\narg.tiles = 02000000 {word}\n",
                         f"bad.ini:6: arg.tiles: '{word}' is not hexadecimal bytes", two)
        self.refused("[set]\ndefine.STRIDE = 1\n[axes]\narg.zzzzz = 1\n",
                     "has an argument 'zzzzz'; legal: in, out, tiles, scale, room\n", two)

    # ---- resuming ----------------------------------------------------------------------------------------

    def test_stored_points_are_not_run_again(self):
        plan = self.plan(GRID)
        store = self.sweep(plan, "--limit", 10)
        before = rows(store, "effort")
        self.assertEqual(len(before), 10)
        self.sweep(plan)
        after = rows(store, "effort")
        self.assertEqual((len(after), {key: after[key] for key in before}), (24, before))
        self.assertIn("; 0 run now\n", tool("sweep", plan, "-o", store)[1])
        self.assertEqual(rows(store), rows(self.sweep(plan, out="other.sqlite")))

    def test_unfinished_points_are_run_again_on_request(self):
        plan = self.plan(GRID)
        whole, store = rows(self.sweep(plan, out="whole.sqlite")), self.sweep(plan)
        with contextlib.closing(sqlite3.connect(store)) as base:
            for number, status in ((3, "refused"), (4, "failed"), (5, "cycle_limit")):
                base.execute("UPDATE points SET status = ?, cycles = NULL WHERE number = ?", (status, number))
            base.commit()
        changed = rows(store)
        self.assertEqual(tool("sweep", "run", plan, "-o", store, "--again", "--left")[1], "3\n4\n")
        self.assertIn("; 0 run now\n", tool("sweep", plan, "-o", store)[1])
        self.assertEqual(rows(store), changed)
        self.assertIn("; 2 run now\n", tool("sweep", plan, "-o", store, "--again")[1])
        differs = {row["number"] for key, row in rows(store).items() if row != whole[key]}
        self.assertEqual((differs, len(rows(store)), len(rows(store, "effort"))), ({5}, 24, 24))

    def test_points_of_a_sample_keep_their_numbers_in_the_grid(self):
        whole = rows(self.sweep(self.plan(GRID), out="whole.sqlite"))
        numbers = self.file("numbers", "0\n1\n2\n")
        for sample in ("random 9", "latin 8"):
            plan = self.plan(f"sample = {sample}\n{GRID}", name="sample.ini")
            store = self.sweep(plan, out=f"{sample}.sqlite")
            self.assertGreater(len(rows(store)), 6)
            self.sweep(plan, "--points", numbers, out=store.name)
            self.sweep(self.plan(f"sample = random 9\nseed = 2\n{GRID}", name="other.ini"), out=store.name)
            self.assertEqual({key: whole[key] for key in rows(store)}, rows(store))

    def test_a_file_of_another_sweep_is_refused(self):
        store = self.sweep(self.plan(GRID))
        status, _, told = tool("sweep", "run", self.plan("[set]\nmem.l2_latency = 9\n" + GRID), "-o", store)
        self.assertEqual((status, told.count("\n")), (2, 1), told)

    def test_a_change_that_affects_only_other_points_is_noticed(self):
        (self.folder / "more").mkdir()
        launch = json.loads(json.dumps(SUMS_LAUNCH))
        launch["build"] = {"include": ["more"]}
        self.file("sums.cl", '# include "a.h"\n#if STRIDE > 1\n#include <b.h>\n#endif\n#ifndef MORE\n#define MORE 0\n'
                             "#endif\n" + SUMS.replace("sum * ", "(sum + TIMES + MORE) * "))
        head, other = '#pragma once\n#include "a.h"\n#define TIMES STRIDE > 1 ? 3 : 1\n', "#define MORE 1\n"
        self.file("a.h", head), self.file("more/b.h", other)
        launch = self.file("sums.json", launch)
        plan = self.plan("[axes]\ndefine.STRIDE = 1 2\n", launch)
        store = self.sweep(plan, "--limit", 1)
        for name, text, changed in (("a.h", head, head.replace("3", "4")), ("more/b.h", other, other + "\n")):
            self.file(name, changed)
            status, _, told = tool("sweep", "run", plan, "-o", store)
            self.assertEqual((status, "program.hash has changed" in told), (2, True), told)
            self.file(name, text)
        built = self.plan("build = -DOTHER=2\n[axes]\ndefine.STRIDE = 1 2\n", launch, "built.ini")
        status, _, told = tool("sweep", "run", built, "-o", store)
        self.assertEqual((status, "build has changed: there '', here '-DOTHER=2'" in told), (2, True), told)
        self.sweep(plan)

    def many(self):
        """A plan with enough points to be killed while it runs, and the table of its undisturbed sweep."""
        plan = self.plan("[axes]\ndma.channels = 1..8\ndma.queue = 1..8\nmem.dram_latency = 100..300:100\n"
                         "arg.tiles = 16 64\ndma.issue_gap = 1 4\n")
        if not Sweep.undisturbed:
            begin = time.monotonic()
            Sweep.undisturbed = rows(self.sweep(plan, "--jobs", 2, out="whole.sqlite")), time.monotonic() - begin
        return plan, *Sweep.undisturbed

    @staticmethod
    def children(process):
        try:
            return list(map(int, pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()))
        except FileNotFoundError:
            return []

    @staticmethod
    def gone(pid):
        try:
            return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    def start(self, plan):
        return subprocess.Popen([WARPWAIT, "sweep", "run", str(plan), "--jobs", "2", "-o", self.folder / "k.sqlite"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def test_a_killed_sweep_continues_and_leaves_no_workers(self):
        plan, whole, took = self.many()
        generator, counts = random.Random(7), []
        for _ in range(KILLS):
            process = self.start(plan)
            time.sleep(generator.uniform(0, 1.2 * took / min(KILLS, 5)))
            workers = self.children(process)
            process.kill()
            process.communicate()
            end = time.monotonic() + 60
            while not all(map(self.gone, workers)) and time.monotonic() < end:
                time.sleep(0.005)
            self.assertTrue(all(map(self.gone, workers)))
            if (self.folder / "k.sqlite").exists():
                counts.append(len(rows(self.folder / "k.sqlite")) if self.readable() else 0)
        self.sweep(plan, "--jobs", 2, out="k.sqlite")
        self.assertEqual(counts, sorted(counts))
        self.assertEqual(rows(self.folder / "k.sqlite"), whole)

    def begun(self):
        """Whether the file has at least one point."""
        return (self.folder / "k.sqlite").exists() and self.readable() and len(rows(self.folder / "k.sqlite"))

    def readable(self):
        """Whether the file has its tables: a sweep may be killed before it makes them."""
        connection = sqlite3.connect(self.folder / "k.sqlite")
        found = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'points'").fetchone()[0]
        connection.close()
        return found

    def test_killed_workers_are_replaced(self):
        plan, whole, took = self.many()
        generator, killed = random.Random(8), 0
        while killed < KILLS:
            (self.folder / "k.sqlite").unlink(missing_ok=True)
            process = self.start(plan)
            while process.poll() is None and killed < KILLS:
                time.sleep(generator.uniform(0, took / 3))
                for pid in self.children(process)[:1]:
                    with contextlib.suppress(ProcessLookupError):  # the process has just ended
                        os.kill(pid, signal.SIGKILL)
                        killed += 1
            told = process.communicate()[1]
            self.assertEqual((process.returncode, told), (0, ""))
            self.assertEqual(rows(self.folder / "k.sqlite"), whole)

    def test_an_interrupt_keeps_finished_points_and_says_how_to_continue(self):
        plan, whole, _ = self.many()
        for number in (signal.SIGINT, signal.SIGTERM):
            for _ in range(3):  # it may just have finished
                (self.folder / "k.sqlite").unlink(missing_ok=True)
                process = self.start(plan)
                while process.poll() is None and not self.begun():
                    time.sleep(0.002)
                was_at_work = process.poll() is None
                process.send_signal(number)
                told = process.communicate()[1]
                if process.returncode == 128 + number:
                    break
            if was_at_work:
                self.assertEqual(process.returncode, 128 + number)
                self.assertIn("points are done; repeat the command to continue", told)
            self.sweep(plan, "--jobs", 2, out="k.sqlite")
            self.assertEqual(rows(self.folder / "k.sqlite"), whole)

    def test_a_point_that_kills_its_process_is_marked_as_failed(self):
        if b"__asan_init" in pathlib.Path(WARPWAIT).read_bytes():
            self.skipTest("sanitizers want more address space than this leaves")
        # No known kernel does that, so the processes' address space is made too small for one of the points.
        launch = json.loads(EXAMPLE.read_text())
        launch["program"] = str(EXAMPLE.parent / launch["program"])
        launch = self.file("l.json", launch)
        plan = self.plan("[axes]\ncu.count = 1 2\nmem.l2_size = 1M 1G\n", launch)
        store = self.folder / "s.sqlite"
        done = subprocess.run(["sh", "-c", f"ulimit -v 200000; exec {WARPWAIT} sweep run {plan} -o {store} --jobs 1"],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done)
        small, large = 1 << 20, 1 << 30
        said = {row["mem.l2_size"]: (row["status"], row["reason"]) for row in rows(store).values()}
        self.assertEqual(said[small], ("finished", None))
        self.assertEqual(said[large][0], "failed")
        self.assertRegex(said[large][1], "exit status 3|SIG|(no|out of) memory")

    # ---- other outputs -----------------------------------------------------------------------------------

    def test_a_dry_run_counts_points_and_writes_nothing(self):
        plan = self.plan(GRID + "[constraints]\nroom = dma.channels <= dma.queue\n")
        status, out, told = tool("sweep", "run", plan, "--dry-run")
        self.assertEqual((status, told), (0, ""))
        self.assertRegex(out, r"^16 points; to run: 16 points, from 1 recording\ntime: about 0:00 with ")
        self.assertEqual(os.listdir(self.folder), ["s.ini"])

    def test_a_dry_run_reports_the_points_that_a_latin_sample_lost(self):
        plan = self.file("s.ini", f"[sweep]\nlaunch = {EXAMPLE}\nsample = latin 20\n[axes]\ndma.channels = 1..4\n"
                                  "dma.queue = 1..8\n[constraints]\na = dma.channels < dma.queue\n")
        status, out, told = tool("sweep", "run", plan, "--dry-run")
        self.assertEqual((status, told), (0, ""))
        said = re.match(r"(\d+) points; .*\n"
                        r"latin: of 20 points drawn, constraints exclude (\d+), and (\d+) are repeats\n", out)
        self.assertEqual(sum(map(int, said.groups())), 20)

    def test_an_axis_that_the_program_does_not_use_is_named(self):
        used, unused = "[axes]\ndefine.DEPTH = 1 2\n", "[axes]\ndefine.DEPHT = 1 2\n"
        deep = ROOT / "examples/15_sweep/launch_deep_buffer.json"
        warning = "warpwait: -D DEPHT: deep_buffer.cl does not mention this macro\n"
        for body, said in ((used, ""), (unused, warning)):
            status, _, told = tool("sweep", "run", self.plan(body, deep), "-o", self.folder / "axis.sqlite", "--again")
            self.assertEqual(status, 0, told)
            self.assertEqual(told, said)
            (self.folder / "axis.sqlite").unlink()

    def test_a_grid_too_large_to_list_is_refused_with_its_count(self):
        axes = "[axes]\ndma.setup = 0..999\ndma.channels = 1..16\ndma.queue = 1..500\ncu.barrier_latency = 1..1000\n"
        status, out, told = tool("sweep", "run", self.plan(axes + "[constraints]\na = dma.channels < dma.queue\n"))
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(told, r"s.ini: 8000000000 points, of which 7864000000 satisfy the constraints; legal: up to "
                               r"10000000, of a grid of up to 1000000000; draw some with sample = random N or latin N\n")
        self.assertEqual(os.listdir(self.folder), ["s.ini"])

    def test_csv_has_one_line_per_point(self):
        self.sweep(self.plan(GRID), "--csv", self.folder / "s.csv")
        lines = (self.folder / "s.csv").read_text().splitlines()
        self.assertEqual(len(lines), 25)

    def test_the_cost_is_a_metric(self):
        plan = self.file("s.ini", f"[sweep]\nlaunch = {EXAMPLE}\ncost = dma.queue * 64 + cu.count\n{GRID}")
        for row in rows(self.sweep(plan)).values():
            self.assertEqual(row["cost"], row["dma.queue"] * 64 + 1)

    def test_points_of_different_clocks_are_ranked_by_their_time(self):
        for name, axis in (("m", "machine = teaching h200"), ("c", "cu.clock_mhz = 500 1000")):
            plan = self.file(f"{name}.ini", f"[sweep]\nlaunch = {EXAMPLE}\n[axes]\n{axis}\ndma.channels = 1 2\n")
            status, output, errors = tool("sweep", "run", plan, "--quiet")
            self.assertEqual((status, errors), (0, ""))
            self.assertIn(" microseconds with ", output)
            store = plan.with_suffix(".sqlite")
            self.assertIn("least microseconds:\n", tool("sweep", "info", store)[1])
            self.assertIn("least cycles (clocks can differ; --by microseconds compares times):",
                          tool("sweep", "info", store, "--by", "cycles")[1])

    # ---- bad input ---------------------------------------------------------------------------------------

    def test_bad_input_is_reported_before_anything_is_run(self):
        shutil.copy(EXAMPLE.parent / "kernel.cl", self.folder)
        self.refused("[axes]\ndma.chanels = 1 2\n",
                     "dma.chanels: not a parameter of a machine; did you mean 'dma.channels'?")
        for name, near in (("chanels", "dma.channels"), ("DMA.CHANELS", "dma.channels"), ("machin", "machine"),
                           ("Machine", "machine"), ("defne.DEPTH", "define.DEPTH"), ("args.tiles", "arg.tiles"),
                           ("L1_size", "mem.l1_size")):
            self.refused(f"[axes]\n{name} = 1 2\n", f"bad.ini:4: {name}: not a parameter of a machine; did you mean '{near}'?")
            self.refused(f"[set]\n{name} = 1\n[axes]\ndma.channels = 1 2\n", f"did you mean '{near}'?")
        self.refused("[set]\nmem.l1_size = 4K\n[axes]\ndma.channels = 1 2\n[constraints]\na = mem.l1_siz > 1\n",
                     "no axis, setting or parameter 'mem.l1_siz'; did you mean 'mem.l1_size'?")
        self.refused("[axes]\ndma.channels = 1 65\n", "bad.ini:4: dma.channels: 65 is outside [1, 64] channels")
        self.refused("[axes]\ndma.channels =\n", "bad.ini:4: dma.channels: ")
        self.refused("[axes]\ndma.channels = 9..1\n", "bad.ini:4: dma.channels: ")
        self.refused("[axes]\nmachine = teaching h20\n", "bad.ini:4: machine: no machine 'h20'; did you mean 'h200'?")
        self.refused("[axes]\nmachine = teaching no.ini\n", "no.ini: No such file")
        self.refused("[axes]\narg.tile = 1 2\n",
                     "bad.ini:4: arg.tile: no launched kernel has an argument 'tile'; did you mean 'tiles'?")
        self.refused("[axes]\narg.in = 1 2\n", "bad.ini:4: arg.in: is a buffer in the launch file")
        self.refused("[axes]\narg.tiles = 1 many\n", "bad.ini:4: arg.tiles: 'many' is not")
        self.refused("[axes]\nlaunch.2.arg.tiles = 1\n", "bad.ini:4: launch.2.arg.tiles: there is 1 launch")
        self.refused("[axes]\narg.tiles = 1 2\narg.3 = 1 2\n",
                     "bad.ini:5: arg.3: is argument 3 of launch 1, which line 4 already sets as 'arg.tiles'")
        self.refused("[set]\nlaunch.1.arg.3 = 4\n[axes]\narg.tiles = 1 2\n",
                     "bad.ini:4: launch.1.arg.3: is argument 3 of launch 1, which line 6 already sets as 'arg.tiles'")
        self.refused("[axes]\ndefine.1 = 1\n", "bad.ini:4: define.1: '1' is not the name of a macro")
        self.refused("[axes]\ndefine.A = 1\n", "kernel.wws' is assembly, which defines cannot change")
        for word in ("0", "-1", "1.5", "many", "99999999999999999999"):
            self.refused(f"max_cycles = {word}\n[axes]\ndma.queue = 1 2\n",
                         f"bad.ini:3: max_cycles: '{word}' is not a whole number of cycles")
        self.refused("[axes]\ndma.queue = 1 2\n[constraints]\nno = dma.queue > 2\n", "bad.ini:6: no: ")
        self.refused("[axes]\ndma.queue = 1 2\n", "nowhere.json: No such file", "nowhere.json")
        self.refused("[axes]\ndma.queue = 1 2\n", "--shard: '3/3' is not I/N", EXAMPLE, "--shard", "3/3")
        self.refused("[axes]\ndma.queue = 1 2\n", "and N up to 1000000000", EXAMPLE, "--shard", "1/18446744073709551615")
        self.refused("[axes]\ndma.queue = 1 2\n", "bad.ini: is also an input of the sweep", EXAMPLE, "--csv",
                     self.folder / "bad.ini")
        self.refused("[axes]\ndma.queue = 1 2\n", "bad.sqlite: is also the file of results", EXAMPLE, "--csv",
                     self.folder / "bad.sqlite")

    def test_a_full_or_read_only_disk_is_reported(self):
        plan = self.plan(GRID)
        status, _, told = tool("sweep", "run", plan, "-o", "/proc/s.sqlite")
        self.assertEqual((status, told.count("\n")), (2, 1), told)
        done = subprocess.run(["sh", "-c", f"ulimit -f 16; exec {WARPWAIT} sweep run {plan} -o {self.folder}/f.sqlite"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done)
        store = self.sweep(plan)
        for words in (["run", plan, "-o", store], ["run", plan, "--left", "-o", "no.sqlite"], ["run", plan, "--dry-run"], ["info", store],
                      ["csv", store]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([WARPWAIT, "sweep", *words], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual((done.returncode, done.stderr),
                             (2, b"warpwait: standard output: cannot be written: No space left on device\n"), words)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS)
    asked, rest = parser.parse_known_args()
    KILLS = asked.kills
    unittest.main(argv=sys.argv[:1] + [word for word in rest if not word.startswith("-")], verbosity=0)
