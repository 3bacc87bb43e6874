#!/usr/bin/env python3
# Time limit: a call may take 300 s.
"""`warpwait explain`: its figures for limits equal those of runs without them, and it finds the known bottlenecks of
kernels."""
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
import planted  # noqa: E402
from depth import DEPTHS, TILE_BYTES, with_tiles  # noqa: E402
from page import parameters_of, report_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
EXAMPLE = ROOT / "examples/06_deep_buffer/launch.json"
FEW, MANY = 60, 120  # multiples of every depth: between the two, the ring turns a whole number of times
CLOSE = 0.5  # cycles per tile

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
STUCK = """
__kernel void stuck(__global uint *out) {
  if (get_local_id(0) < 32)
    barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = 1;
}
"""


def ungrouped(text):
    """Numbers without thousands separators."""
    return re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)


def tool(*words, **more):
    done = subprocess.run([WARPWAIT, *map(str, words)], capture_output=True, text=True, timeout=300, check=False, **more)
    return done.returncode, done.stdout, done.stderr


def explained(*words):
    """The launches of the JSON report."""
    status, out, told = tool("explain", *words, "--report", "json", "--no-changes")
    assert status == 0, (words, told)
    launches = json.loads(out)["launches"]
    for launch in launches:
        launch["advice"] = [ungrouped(sentence) for sentence in launch["advice"]]
    return launches


def row_of(launch, limit):
    return next((row for row in launch["limits"] if row["limit"] == limit), None)


def sets(launch):
    """The --set words for everything that a case lifts."""
    return [word for key in launch.split() for word in ("--set", key)]


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="warpwait-explain-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, kernel, launch):
        (self.folder / f"{name}.cl").write_text(kernel)
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(launch))
        return path

    # ---- known bottlenecks ----------------------------------------------------------------------------------

    def test_a_planted_bottleneck_comes_first_for_every_limit(self):
        rows = re.findall(r'^LIMIT\(\w+, "(\w+)"', (ROOT / "sim/session/limits.def").read_text(), re.M)
        self.assertEqual(sorted(rows), sorted(planted.PLANTED), "each row has its kernel")
        for limit in rows:
            with self.subTest(limit=limit):
                launch, = explained(planted.write(self.folder, limit))
                first = launch["limits"][0]
                self.assertEqual(first["limit"], limit, launch["limits"][:3])
                self.assertGreater(first["saved"], launch["tolerance"])
                self.assertIn(first["name"], launch["advice"][0])
                self.assertIn(str(first["cycles"]), launch["advice"][0])

    def test_a_limit_on_what_is_in_flight_is_named_or_said_to_be_one_with_the_latency_that_is(self):
        for key, values, kernel, items, local, arguments, limit in planted.IN_FLIGHT:
            for value in values:
                with self.subTest(key=key, value=value, kernel=kernel):
                    path = planted.write(self.folder, limit, (kernel, items, local, arguments, {key: value}))
                    report = report_of(path, "--why")["launches"][0]["bottleneck"]
                    same = report["same"]
                    self.assertIn(limit, (report["limit"], same and same["limit"]), report["sentence"])
                    launch, = explained(path)
                    self.assertEqual(report["limit"], launch["limits"][0]["limit"])
                    if same:
                        pair = {report["limit"], same["limit"]}
                        found, = (row for row in launch["pairs"] if set(row["without"]) == pair)
                        self.assertEqual(found["cycles"], same["both_cycles"])
                        self.assertLess(found["saved"], found["sum"])
                        if launch["limits"][0]["cause"] != "compute":
                            self.assertTrue(any(" are one: " in sentence for sentence in launch["advice"]), launch["advice"])

    def test_computing_is_named_only_if_it_takes_more_than_half(self):
        path = planted.write(self.folder, "dram_width")
        launch = json.loads(path.read_text())
        # DRAM and the link are equally narrow for 8 loads and a store, and hide each other.
        launch["set"] = {"mem.l2_size": 0, "mem.dram_latency": 1, "mem.link_latency": 1, "mem.l2_latency": 1}
        launch["launches"][0]["args"] = [planted.IN, planted.OUT, *planted.uints(8, 512)]
        for width, computes in ((8, False), (24, True)):
            launch["set"].update({"mem.dram_width": width * 9 // 8, "mem.link_width": width})
            path.write_text(json.dumps(launch))
            found, = explained(path)
            self.assertEqual(found["limits"][0]["cause"], "compute")
            self.assertEqual(found["all_but_computing"]["cycles"] * 2 > found["cycles"], computes)
            self.assertEqual(found["advice"][0].startswith("Most of this launch is computing."), computes)

    def ring(self, *setting):
        """Explanations of a stream through rings of all depths, of FEW and of MANY tiles, and the closed form of
        docs/buffering.md for the cycles of one more tile:

            cycles a tile = max(B, (A + L) / depth, W)

        B is the time that a work-group is busy with a tile, A the part of it before the refill, L the latency of a
        copy, W the cycles that the narrowest side takes for its bytes. B and A belong to the kernel and come from
        the example's own machine; L and W follow from the machine's parameters."""
        options = [word for key in setting for word in ("--set", key)]
        few, many = with_tiles(self.folder, FEW), with_tiles(self.folder, MANY)
        own = report_of(few)
        machine = parameters_of(report_of(few, *options))
        steady = [(last["cycles"] - first["cycles"]) / (MANY - FEW)
                  for first, last in zip(own["launches"], report_of(many)["launches"])]
        busy, to_refill = steady[-1], steady[0] - self.latency(parameters_of(own))

        def form(depth, **changed):
            here = {**machine, **{name.replace("_", ".", 1): value for name, value in changed.items()}}
            wide = TILE_BYTES / min(here["dma.read_width"], here["mem.dram_width"], here["mem.link_width"])
            return max(busy, (to_refill + self.latency(here)) / depth, wide)

        return explained(few, *options), explained(many, *options), form, busy

    @staticmethod
    def latency(p):
        """docs/buffering.md, with requests that follow each other at the rate of the narrowest side."""
        requests = TILE_BYTES // p["dma.granularity"]
        gap = p["dma.granularity"] / min(p["dma.read_width"], p["mem.dram_width"], p["mem.link_width"])
        way = 1 + p["mem.link_latency"] + p["mem.dram_latency"] + p["mem.l2_latency"] + 1 + p["mem.link_latency"] + 2
        return 1 + p["dma.setup"] + requests * max(1, gap) - 1 + way + p["dma.completion"]

    def test_the_first_limit_of_a_ring_matches_the_closed_form_at_every_depth(self):
        found = {}
        for setting in (["mem.dram_latency=200"], ["mem.dram_latency=600"], ["dma.read_width=4"], ["mem.dram_width=2"]):
            few, many, form, busy = self.ring(*setting)
            for depth, short, launch in zip(DEPTHS, few, many):
                with self.subTest(setting=setting, depth=depth):
                    base = form(depth)
                    self.assertAlmostEqual((launch["cycles"] - short["cycles"]) / (MANY - FEW), base, delta=CLOSE)
                    # The saving per tile from lifting each limit that the form covers.
                    saves = {"dram_latency": base - form(depth, mem_dram_latency=1),
                             "dma_width": base - form(depth, dma_read_width=64),
                             "dram_width": base - form(depth, mem_dram_width=64)}
                    for limit, saved in saves.items():
                        steady = (row_of(launch, limit)["saved"] - row_of(short, limit)["saved"]) / (MANY - FEW)
                        self.assertAlmostEqual(steady, saved, delta=CLOSE, msg=limit)
                    first, cause = launch["limits"][0]["limit"], launch["limits"][0]["cause"]
                    if base - busy < CLOSE:
                        self.assertEqual(cause, "compute", launch["limits"][:3])
                    else:
                        self.assertEqual(first, max(saves, key=saves.get), launch["limits"][:3])
                    found.setdefault(cause, []).append(depth)
        self.assertEqual(sorted(found), ["bandwidth", "compute", "latency"], "the study has all three")

    # ---- comparison with runs -----------------------------------------------------------------------------

    def test_every_row_equals_a_run_on_the_lifted_machine(self):
        generator = random.Random(9)
        for path in (ROOT / "examples/05_double_buffer/launch_opencl.json", ROOT / "examples/09_occupancy/launch.json",
                     ROOT / "examples/07_strided_gather/launch.json", planted.write(self.folder, "warp_copies"),
                     planted.write(self.folder, "atomics")):
            launches = explained(path)
            for row in generator.sample(launches[0]["limits"], 6):
                with self.subTest(path=path.name, limit=row["limit"]):
                    report = report_of(path, *sets(row["set"]), "--host", "plain")
                    cycles = [launch["cycles"] for launch in report["launches"]]
                    self.assertEqual([row_of(launch, row["limit"])["cycles"] for launch in launches], cycles)
                    for launch in launches:
                        this = row_of(launch, row["limit"])
                        self.assertEqual(this["saved"], launch["cycles"] - this["cycles"])

    def test_pairs_and_all_equal_runs_with_all_of_their_keys_set(self):
        path = ROOT / "examples/05_double_buffer/launch.json"
        launch, = explained(path)
        keys = {row["limit"]: row["set"] for row in launch["limits"]}
        for case in [*launch["pairs"], launch["all"], launch["all_but_computing"], *launch["causes"].values()]:
            with self.subTest(without=case["without"]):
                words = [word for limit in case["without"] if limit in keys for word in sets(keys[limit])]
                self.assertEqual(report_of(path, *words)["launches"][0]["cycles"], case["cycles"])
        for pair in launch["pairs"]:
            self.assertEqual(pair["sum"], sum(row_of(launch, limit)["saved"] for limit in pair["without"]))

    def test_a_trace_is_explained_like_its_launch(self):
        path = ROOT / "examples/05_double_buffer/launch_opencl.json"
        trace = self.folder / "t.wwt"
        self.assertEqual(tool("run", path, "--trace", trace, "--out", os.devnull)[0], 0)
        for words in ((), ("--set", "dma.setup=100")):
            self.assertEqual(tool("explain", trace, *words), tool("explain", path, *words, "--no-changes"))

    def kilobytes(self, verb, path):
        """Memory of the verb, or of one of its workers including what they share. A process is charged with its
        parent's memory at its creation, so a small process creates it."""
        spawn = ("import os, sys; pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ); _, status, used = os.wait4(pid, 0); "
                 "print(status, used.ru_maxrss)")
        words = [WARPWAIT, verb, path, "--quiet", "--out", os.devnull]
        done = subprocess.run([sys.executable, "-S", "-c", spawn, *words], capture_output=True, text=True, check=True)
        status, used = map(int, done.stdout.split())
        self.assertEqual(status, 0)
        return used

    def many_launches(self, count):
        launch = json.loads((ROOT / "examples/02_bank_conflict/launch.json").read_text())
        launch["program"] = str(ROOT / "examples/02_bank_conflict/kernel.wws")
        del launch["check"]
        one, many = self.folder / "one.json", self.folder / "many.json"
        one.write_text(json.dumps({**launch, "launches": launch["launches"][:1]}))
        many.write_text(json.dumps({**launch, "launches": launch["launches"][:5] * (count // 5)}))
        return one, many

    def test_explaining_many_launches_takes_little_more_memory_than_a_run(self):
        if b"__asan_init" in pathlib.Path(WARPWAIT).read_bytes():
            self.skipTest("sanitizers keep what was freed")
        one, many = self.many_launches(1000)
        run, explain = (self.kilobytes(verb, many) - self.kilobytes(verb, one) for verb in ("run", "explain"))
        self.assertGreater(run, 0)
        self.assertLess(explain, 1.5 * run)

    def test_jobs_and_hosts_change_nothing(self):
        path = ROOT / "examples/10_contention/launch.json"
        expected = tool("explain", path)
        for words in (("--jobs", 1), ("--jobs", 7), ("--host", "plain"), ("--quiet",)):
            self.assertEqual(tool("explain", path, *words), expected, words)

    def test_parts_of_the_kernel_and_its_lines_add_up(self):
        for launch in explained(EXAMPLE):
            phases = launch["phases"]
            self.assertEqual(phases[0]["from"], 0)
            self.assertEqual(phases[-1]["to"], launch["cycles"])
            for one, next_one in zip(phases, phases[1:]):
                self.assertEqual(one["to"], next_one["from"])
            for place in launch["places"]:
                self.assertGreaterEqual(place["wait"], 0)
                if place["limit"]:
                    helping = [place["left"][row["limit"]] for row in launch["limits"] if row["saved"] > launch["tolerance"]]
                    self.assertEqual(place["left"][place["limit"]], min(helping))
                    self.assertLess(min(helping), place["wait"])

    # ---- sanity -------------------------------------------------------------------------------------------

    def test_a_lifted_limit_that_adds_cycles_is_reported_as_an_anomaly(self):
        anomalies = of_sets = 0
        generator = random.Random(3)
        keys = {"dma.channels": [1, 2, 8], "dma.outstanding": [4, 32, 128], "cu.schedulers": [1, 4],
                "lds.priority": ["alternate", "warps", "dma"], "mem.link_width": [16, 64], "cu.accesses": [2, 32]}
        for example in ("02_bank_conflict", "05_double_buffer", "07_strided_gather", "08_barrier_imbalance",
                        "09_occupancy", "10_contention", "12_stencil_3d"):
            words = [word for key, values in keys.items()
                     for word in ("--set", f"{key}={generator.choice(values)}")]
            for launch in explained(ROOT / "examples" / example / "launch_opencl.json", *words):
                for row in launch["limits"]:
                    worse = -row["saved"] > max(16, launch["cycles"] // 100)
                    self.assertEqual(row["anomaly"], worse, (example, row))
                    told = [line for line in launch["advice"] if line.startswith("Scheduling anomalies")]
                    said = any(f" lifting {row['name']} takes {-row['saved']} cycles more (" in line for line in told)
                    self.assertEqual(worse, said, (example, row, told))
                    anomalies += worse
                of_sets += self.check_sets(launch)
        self.assertGreater(anomalies, 0, "there are some, so that the test sees them")
        self.assertGreater(of_sets, 0, "there are some, so that the test sees them")

    def check_sets(self, launch):
        """A pair (or more) of limits that takes more cycles than some of its limits alone is an anomaly; returns how
        many there are."""
        more = [*launch["pairs"], *launch["causes"].values(), launch["all_but_computing"], launch["all"]]
        for case in more:
            less = [other["cycles"] for other in launch["limits"] + more if set(other["without"]) <= set(case["without"])]
            worse = case["cycles"] > min(launch["cycles"], *less) + launch["tolerance"]
            self.assertEqual(case["anomaly"], worse, case)
        return sum(case["anomaly"] for case in more)

    def test_a_kernel_whose_path_depends_on_time_is_run_not_replayed(self):
        path = self.write("race", RACE, RACE_LAUNCH)
        launch, = explained(path)
        self.assertEqual({row["how"] for row in launch["limits"]}, {"run"})
        self.assertIn("each machine below is run, not", tool("explain", path)[1])
        for row in launch["limits"][:4]:
            self.assertEqual(report_of(path, *sets(row["set"]))["launches"][0]["cycles"], row["cycles"])
        trace = self.folder / "race.wwt"
        tool("run", path, "--trace", trace)
        status, out, told = tool("explain", trace)
        self.assertEqual(status, 0)
        self.assertIn("Replays repeat what it did in the recording", out)
        self.assertIn("time", told)

    # ---- varying a name -------------------------------------------------------------------------------------

    def test_varied_values_equal_runs_and_the_first_near_the_best_is_advised(self):
        launch = explained(EXAMPLE, "--launch", 1, "--vary", "arg.depth=1..6")[0]
        values = {row["value"]: row["cycles"] for row in launch["vary"]["values"]}
        deep = [row["cycles"] for row in report_of(EXAMPLE)["launches"]]
        self.assertEqual(list(values.values()), deep)
        self.assertEqual(launch["vary"]["best"], "4")
        self.assertIn(f"arg.depth = 4 helps: {deep[0]} -> {deep[3]} cycles", " ".join(launch["advice"]))
        path = ROOT / "examples/15_sweep/launch_deep_buffer.json"
        launch, = explained(path, "--vary", "DEPTH=1,2", "-D", "DEPTH=1")
        self.assertEqual([row["cycles"] for row in launch["vary"]["values"]],
                         [report_of(path, "-D", f"DEPTH={depth}")["launches"][0]["cycles"] for depth in (1, 2)])
        self.assertEqual(launch["vary"]["best"], "2")

    def test_command_line_defines_override_the_launch_file_for_varied_values_too(self):
        path = ROOT / "docs/lessons/04-double-and-deep-buffering/launch.json"
        launch, = explained(path, "--vary", "DEPTH=1,2", "-D", "WORK=26")
        self.assertEqual([row["cycles"] for row in launch["vary"]["values"]],
                         [report_of(path, "-D", "WORK=26", "-D", f"DEPTH={depth}")["launches"][0]["cycles"]
                          for depth in (1, 2)])

    def test_a_value_with_different_results_is_not_advised(self):
        launch = explained(EXAMPLE, "--launch", 1, "--vary", "arg.depth=0..7")[0]
        rows = launch["vary"]["values"]
        self.assertEqual([row["value"] for row in rows if not row["same_results"]], ["0", "7"], "the LDS has room for 6 tiles")
        self.assertLess(rows[0]["cycles"], launch["cycles"])
        self.assertEqual(launch["vary"]["best"], "4")
        text = tool("explain", EXAMPLE, "--launch", 1, "--vary", "arg.depth=0,7")[1]
        self.assertEqual(text.count("(results differ)"), 2)
        self.assertIn("No tried value of arg.depth finished with the results", text)
        launch = explained(EXAMPLE, "--launch", 1, "--vary", "arg.depth=0,7")[0]
        self.assertIsNone(launch["vary"]["best"])

    def test_an_unused_name_is_reported(self):
        path = ROOT / "examples/15_sweep/launch_deep_buffer.json"
        for name in ("DEPHT", "define.DEPHT"):
            launch, = explained(path, "--vary", f"{name}=1..2")
            self.assertIn(f"All tried values of define.DEPHT take {launch['cycles']} cycles and give the same results, like "
                          "the unchanged launch. Does the program use DEPHT?", launch["advice"])
        launch, = explained(path, "--vary", "DEPTH=2")
        self.assertNotIn("Does the program use", " ".join(launch["advice"]), "the value that it has")

    def test_tried_values_are_not_called_untried(self):
        path = ROOT / "examples/15_sweep/launch_deep_buffer.json"
        for words, end in (((), "--vary tries values of a define or an argument."),
                           (("--vary", "DEPTH=1,3"), "Of these, only values of define.DEPTH were tried.")):
            launch, = explained(path, "-D", "DEPTH=1", *words)
            look, = (sentence for sentence in launch["advice"] if sentence.startswith("What may help: "))
            self.assertTrue(look.endswith(f". {end}"), look)

    def test_values_of_a_varied_name_are_not_listed_as_changes(self):
        path = ROOT / "examples/15_sweep/launch_deep_buffer.json"

        def depths(*words):
            launch, = json.loads(tool("explain", path, "--report", "json", "-D", "DEPTH=1", *words)[1])["launches"]
            return [row["change"] for row in launch["changes"] if row["change"].startswith("DEPTH = ")]
        self.assertTrue(depths())
        self.assertEqual(depths("--vary", "DEPTH=1,3"), [])
        self.assertTrue(depths("--vary", "arg.tiles=16,32"))

    def test_only_what_was_tried_is_advised(self):
        """Every number of cycles in the advice belongs to a case that was replayed or run."""
        for path in (EXAMPLE, ROOT / "examples/10_contention/launch.json", ROOT / "examples/11_stencil_2d/launch_opencl.json"):
            for launch in explained(path):
                known = {launch["cycles"], *(case["cycles"] for case in launch["limits"] + launch["pairs"]),
                         launch["all"]["cycles"], launch["all_but_computing"]["cycles"]}
                for sentence in launch["advice"]:
                    if " -> " in sentence and "warp-cycles" not in sentence:
                        self.assertRegex(sentence, "replayed|run")
                    for cycles in re.findall(r"(?:-> |takes |leave )(\d+) cycles(?! more)", sentence):
                        self.assertIn(int(cycles), known, sentence)

    # ---- processes that die -------------------------------------------------------------------------------

    def ended(self, most, *words):
        """Kills up to `most` workers of an explanation by a signal, as if each had crashed."""
        out = self.folder / "ended.json"
        told = self.folder / "told"
        with open(told, "w", encoding="utf-8") as stream:
            parent = subprocess.Popen([WARPWAIT, "explain", *map(str, words), "--report", "json", "--out", out, "--jobs", "1"],
                                      stderr=stream)
        children = pathlib.Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
        gone = set()
        while parent.poll() is None:
            for child in map(int, children.read_text().split() if children.exists() else ()):
                if child not in gone and len(gone) < most:
                    time.sleep(0.005)  # so that it has started to work
                    gone.add(child)
                    with contextlib.suppress(ProcessLookupError):  # it had already finished
                        os.kill(child, signal.SIGUSR1)
        lines = [line for line in told.read_text().splitlines() if line.startswith("warpwait: ")]
        return parent.returncode, json.loads(out.read_text())["launches"], lines

    def test_a_report_that_lacks_results_says_so(self):
        def tried(launch):  # the kernel neither copies nor reads images
            return [row for row in launch["limits"] if not row["limit"].startswith(("dma_", "texture_"))]

        one, many = self.many_launches(300)
        limits = len(tried(explained(one)[0]))
        # Each case is tried twice: with this many killed processes, those of half of the limits die a second time.
        for most in (3 * limits // 2, 1000):
            for _ in range(5):  # a worker may finish before it is killed
                status, launches, told = self.ended(most, many, "--quiet")
                if most < 1000 or not tried(launches[0]):
                    break
            failed = [case for case in launches[0]["failed"] if case["status"] == "failed"]
            self.assertEqual(len(tried(launches[0])) > 0, most < 1000, "else there are none")
            self.assertEqual(status, 3)
            self.assertGreater(len(failed), 0)
            more = f" and {len(failed) - 6} more" if len(failed) > 6 else ""
            self.assertEqual({case["reason"] for case in failed}, {"the process that ran it was killed by SIGUSR1"})
            self.assertEqual(len(told), 1)
            self.assertRegex(told[0], rf"^warpwait: {len(failed)} of \d+ results are missing from the report: lifting .*{more}: "
                             "the process that ran it was killed by SIGUSR1$")

    def test_a_worker_killed_once_changes_nothing(self):
        path = self.many_launches(300)[1]
        status, launches, told = self.ended(1, path, "--quiet", "--no-changes")
        self.assertEqual((status, told, launches), (0, [], explained(path)))

    # ---- errors ---------------------------------------------------------------------------------------------

    def refused(self, line, *words, status=2):
        got, out, told = tool("explain", *words)
        self.assertEqual((got, out, told.count("\n")), (status, "", 1), (words, told))
        self.assertIn(line, told)

    def test_bad_input_is_reported_in_one_line(self):
        self.refused("a launch file or a kernel is missing")
        self.refused("nowhere.json: No such file", "nowhere.json")
        self.refused("nowhere.wwt: cannot be read", "nowhere.wwt")
        self.refused("--launch: 7 is outside [1, 6]", EXAMPLE, "--launch", 7)
        self.refused("--vary: '6' is not NAME=VALUES", EXAMPLE, "--vary", "6")
        self.refused("--vary: '[x.y=1' is not NAME=VALUES", EXAMPLE, "--vary", "[x.y=1")
        self.refused("--vary: 'arg.tiles=1' is a second name", EXAMPLE, "--vary", "arg.depth=1", "--vary", "arg.tiles=1")
        self.refused("--vary: 'dma.channels' is neither a define nor an argument", EXAMPLE, "--vary", "dma.channels=1,2")
        self.refused("--vary: arg.tile: no launched kernel has an argument 'tile'", EXAMPLE, "--vary", "arg.tile=1")
        self.refused("--out: ", EXAMPLE, "--out", "/nonexistent/x")
        self.refused("is also the input", EXAMPLE, "--out", EXAMPLE)
        self.refused("dma.chanels", EXAMPLE, "--set", "dma.chanels=1")
        self.refused("--jobs: ", EXAMPLE, "--jobs", 0)
        self.refused("not finished after 100 cycles", EXAMPLE, "--max-cycles", 100, status=1)
        launch = {**RACE_LAUNCH, "program": "stuck.cl", "buffers": {"out": RACE_LAUNCH["buffers"]["out"]},
                  "launches": [{"kernel": "stuck", "global": [64], "local": [64], "args": [{"buffer": "out"}]}]}
        self.refused("deadlock", self.write("stuck", STUCK, launch), status=1)
        trace = self.folder / "t.wwt"
        tool("run", ROOT / "examples/05_double_buffer/launch.json", "--trace", trace)
        self.refused("--vary: needs a kernel; a trace has one program", trace, "--vary", "DEPTH=1..6")
        self.refused("--global: not allowed here, because the trace sets it", trace, "--global", 64)
        self.refused("a trace has its program already, so it takes no options of OpenCL C", trace, "-D", "DEPTH=1")
        trace.write_bytes(trace.read_bytes()[:-100])
        self.refused("t.wwt: ", trace)


if __name__ == "__main__":
    unittest.main(verbosity=0)
