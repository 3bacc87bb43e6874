#!/usr/bin/env -S python3 -B
"""Kernels with a version that is known to be better: `warpwait explain` finds it and how much it saves.

usage: tests/explain/changes_test.py

Each kernel of tests/explain/kernels/better.cl is explained. The first change must be the known one, and its saving
must equal that of the better version, which runs by itself, within 5 % of the cycles. A change that is not one of
the kernel, or is of another kernel, must not count. Kernels given by options are explained and varied like those of
launch files."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
KERNELS = ROOT / "tests/explain/kernels/better.cl"
NEAR = 0.05  # of the better version's cycles

IN, OUT = {"buffer": "in"}, {"buffer": "out"}


def uints(*numbers):
    return [{"uint": number} for number in numbers]


# kernel: work-items, work-group size, arguments, settings, the change that comes first, and the better version: another
# kernel, other work-items, or other arguments
BETTER = {
    "sum": ([256], [64], [IN, OUT, *uints(64)], {}, "inner loops unrolled by 8", {"kernel": "sum_better"}),
    "table": ([256], [256], [IN, OUT, *uints(256)], {"cu.schedulers": 4}, "inner loops unrolled by 8", {"kernel": "table_better"}),
    "transpose": ([32 * 8, 4], [32, 4], [IN, OUT], {}, "local arrays padded by an element a row", {"kernel": "transpose_better"}),
    "rows": ([64], [64], [OUT, *uints(8)], {}, "PAD = 1", {"kernel": "rows_better"}),
    "ring": ([64], [64], [IN, OUT, *uints(32)], {}, "DEPTH = 3", {"kernel": "ring_better"}),
    "slots": ([64], [64], [IN, OUT, {"local": 1024}, *uints(1, 32)], {}, "depth = 3, local arguments in proportion",
              {"args": [IN, OUT, {"local": 3072}, *uints(3, 32)]}),
    "chain": ([2048], [32], [OUT], {"cu.groups": 4}, "local size 128", {"local": [128]}),
    "narrow": ([64, 64], [2, 32], [IN, OUT], {}, "local size 64 x 1", {"local": [64, 1]}),
    "lines": ([256], [256], [IN, OUT, *uints(32)], {}, "2D copies for loops of copies",
              {"kernel": "lines_better"}),
    "scale": ([4096], [64], [IN, OUT], {}, "float4 for float, a quarter of work-items",
              {"kernel": "scale_better", "global": [1024]}),
    "walk": ([64], [64], [IN, OUT, *uints(64)], {}, "prefetches of the next turn's loads", {"kernel": "walk_better"}),
    "stride": ([16384], [64], [IN, OUT, *uints(16384)], {"cu.dispatch_latency": 200}, "8 work-groups: 8 a CU", {"global": [512]}),
}


def launch_file(folder, name, **other):
    items, local, arguments, changed, _, _ = BETTER[name]
    launch = {"kernel": name, "global": items, "local": local, "args": arguments, **other}
    path = pathlib.Path(folder) / f"{launch['kernel']}.json"
    elem = "float" if name == "scale" else "uint"
    path.write_text(json.dumps({
        "program": str(KERNELS), "build": {"optimize": 0}, "machine": "teaching", "set": changed,
        "buffers": {name: {"bytes": 262144, "elem": elem, "fill": fill} for name, fill in (("in", "iota"), ("out", "zero"))
                    if {"buffer": name} in launch["args"]},
        "launches": [launch]}))
    return path


def tool(*words):
    done = subprocess.run([WARPWAIT, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def explained(path, *words):
    status, out, err = tool("explain", path, "--report", "json", *words)
    if status:
        raise AssertionError(f"{path}: {err}")
    return json.loads(out)["launches"][0]


def ranked(launch):
    good = [row for row in launch["changes"] if row["status"] == "finished" and row["same_results"]]
    return sorted(good, key=lambda row: row["cycles"])


def cycles_of(path):
    status, out, err = tool("run", path, "--report", "json", "--why=no")
    if status:
        raise AssertionError(f"{path}: {err}")
    return json.loads(out)["launches"][0]["cycles"]


RING = (KERNELS, "--kernel", "ring", "--global", 64, "--local", 64, "--arg", "buffer:in=65536:uint:iota",
        "--arg", "buffer:out=256:uint", "--arg", "uint:16")


class Changes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_the_better_version_ranks_first_with_its_cycles(self):
        for kernel, (*_, wanted, better) in BETTER.items():
            with self.subTest(kernel):
                launch = explained(launch_file(self.folder.name, kernel))
                best = ranked(launch)[0]
                self.assertEqual(best["change"], wanted)
                known = cycles_of(launch_file(self.folder.name, kernel, **better))
                self.assertLess(abs(best["cycles"] - known), NEAR * known)
                self.assertEqual(best["saved"], launch["cycles"] - best["cycles"])
                self.assertTrue(any(f": {wanted} (" in sentence for sentence in launch["advice"]))

    def test_changes_that_are_illegal_or_alter_results_are_not_ranked(self):
        launch = explained(launch_file(self.folder.name, "table"))
        by_name = {row["change"]: row for row in launch["changes"]}
        self.assertFalse(by_name["local size 128"]["same_results"])  # half of the table is never filled
        self.assertFalse(by_name["float4 for float, a quarter of work-items"]["same_results"])  # three quarters are missing
        launch = explained(launch_file(self.folder.name, "slots"))
        rank = [row["change"] for row in ranked(launch)]
        self.assertNotIn("depth = 2", rank)  # it would exceed the local memory
        self.assertIn("depth = 2, local arguments in proportion", rank)

    def test_kernels_given_by_options_are_explained_and_varied_too(self):
        launch = explained(RING[0], *RING[1:])
        self.assertIn("DEPTH = 3", [row["change"] for row in ranked(launch)[:3]])
        launch = explained(RING[0], *RING[1:], "--no-changes", "--vary", "DEPTH=1..3")
        self.assertNotIn("changes", launch)
        values = {row["value"]: row["cycles"] for row in launch["vary"]["values"]}
        self.assertEqual(values["1"], launch["cycles"])
        self.assertLess(values["3"], values["2"])
        launch = explained(RING[0], *RING[1:], "--no-changes", "--vary", "arg.tiles=8,16")
        self.assertEqual([row["same_results"] for row in launch["vary"]["values"]], [False, True])
        self.assertEqual(explained(RING[0], *RING[1:], "--no-changes", "--vary", "arg.3=8,16")["vary"]["values"],
                         launch["vary"]["values"])

    def test_wrong_axes_of_kernels_given_by_options_are_refused_in_one_line(self):
        for axis, wanted in (("arg.tiles=x", "--vary: 'x' is not a whole number in [0, 4294967295]"),
                             ("arg.t=1", "--vary: arg.t: kernel 'ring' has no argument 't'"),
                             ("arg.1=1", "--vary: --arg buffer:in=65536:uint:iota is not a value"),
                             ("arg.tiles=1:2", "--vary: '1:2' has 2 components, not the 1 of uint"),
                             ("dma.queue=1", "--vary: 'dma.queue' is neither a define nor an argument")):
            status, out, err = tool("explain", *RING, "--vary", axis)
            self.assertEqual((status, out), (2, ""))
            self.assertEqual(err.count("\n"), 1)
            self.assertIn(wanted, err)


if __name__ == "__main__":
    unittest.main()
