#!/usr/bin/env python3
# Time limit: a case may take some seconds.
"""Tests of the scripts about whole kernels, and of the machine h200 on a few that take little time."""
import hashlib
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import ablation_apps
import leaveout_apps
import page_apps
import validate
import validate_apps
from apps import cases, counters, inputs, misses, scores
from calibrate import chosen_parameters
from fit_rows import APPS
from mechanisms import MECHANISMS
from rows import BadRow
from runner import Runner
from selftest import finish, machine, run_script

KEPT = ROOT / "docs/accuracy/apps.csv.gz"
QUICK = ("chase-8KB_1g", "hist_global-256K_b256_hot", "nw-b32_t132", "gemv-1024x1024_column")
# The first 16 digits of the sha256 of contents made by the program on the GPU: (kind, type, count, seed).
HASHES = {
    ("f:-1:1", "float", 1000, 1): "34d5a1189bd493be",
    ("d:0:1", "double", 1000, 2): "877e23527d67d4e1",
    ("i:256", "uchar", 1000, 1): "80f777ae160425af",
    ("i:4294967295", "uint", 1000, 1): "9dff8e5bb9bb97af",
    ("iota", "float", 1000, 1): "55fa639ca9827820",
    ("hot:256", "uint", 1000, 1): "d21069de8e6a842c",
    ("csr:16:2", "uint", 1000, 1): "ba8f309dc58e13ee",
    ("perm", "uint", 1000, 1): "8ef6c340f4386a9e",
    ("f:0:1", "float4", 250, 1): "5b23d91be3ff9d7f",
}


def setUpModule():
    machine()  # cases depend on it


def result(case, measured, predicted, gpu=None, counts=None):
    row = cases.AppRow("", 0, "app", {"case": case, "kernel": case.split("-")[0], "spread": "0.020"}, cases.METRIC, measured, "ns")
    return validate_apps.AppResult(row, predicted, None, gpu, counts)


def counted(**values):
    """Counters of one side, all 0 except `values`."""
    return {**{counter.gpu: 0.0 for counter in counters.COUNTERS}, "stalls": {}, **values}


class Data(unittest.TestCase):
    def test_every_case_has_a_kernel_a_time_of_four_passes_counters_and_results(self):
        apps, gpu, results = cases.read_apps(), counters.read_counters(), cases.read_results()
        self.assertEqual(len(apps), 119)
        medians = cases._medians([cases.HERE / "times.csv.gz"], ())
        for app in apps.values():
            self.assertTrue((cases.HERE / f"kernels/{app.kernel}.cl").exists(), app.name)
            self.assertEqual(len(medians[app.name]), 4)
            self.assertIn(app.name, gpu)
            outs = [argument.name for argument in app.arguments if argument.out]
            self.assertTrue(outs, app.name)
            self.assertTrue(all(len(results[app.name, name]) == 3 + inputs.SINGLES for name in outs), app.name)
        self.assertEqual({app.kernel for app in apps.values()}, {path.stem for path in (cases.HERE / "kernels").glob("*.cl")})

    def test_every_later_case_has_a_kernel_a_time_of_four_passes_results_and_a_first_prediction(self):
        apps, results = cases.read_apps(cases.LATER), cases.read_results(cases.LATER)
        self.assertEqual(len(apps), 41)
        medians = cases._medians([cases.LATER / "times.csv.gz"], ())
        first = {row["case"] for row in cases.read_table(ROOT / "docs/accuracy/apps_later_first.csv")}
        self.assertEqual(first, set(apps))
        for app in apps.values():
            self.assertEqual(len(medians[app.name]), 4)
            outs = [argument.name for argument in app.arguments if argument.out]
            self.assertTrue(all(len(results[app.name, name]) == 3 + inputs.SINGLES for name in outs) and outs, app.name)
        self.assertEqual({app.source for app in apps.values()}, set((cases.LATER / "kernels").glob("*.cl")))
        self.assertFalse({app.kernel for app in apps.values()} & {app.kernel for app in cases.read_apps().values()})

    def test_a_cases_time_is_the_median_of_its_passes_medians(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "times.csv"
            path.write_text("case,pass,median_ns,min_ns,max_ns,launches\n# a GPU\n" + "".join(
                f"chase-8KB_1g,{name},{value},1,2,21\n" for name, value in (("1", 100), ("2", 110), ("3", 300), ("no_unroll", 900))))
            row, = cases.read_rows([path])
            self.assertEqual((row.value, row.family, row.fields["spread"]), (110, "chase", "2.000"))
            self.assertEqual(cases.read_rows([path], ["no_unroll"])[0].value, 900)
            for text, said in (("hello\n1\n", "times.csv:2: a row has case, pass and median_ns"), ("case,pass,median_ns\n", "no case")):
                path.write_text(text)
                with self.assertRaises(BadRow) as caught:
                    cases.read_rows([path])
                self.assertIn(said, str(caught.exception))

    def test_contents_match_those_of_the_program_on_the_gpu(self):
        for of, expected in HASHES.items():
            self.assertEqual(hashlib.sha256(inputs.Contents(*of).data()).hexdigest()[:16], expected, of)

    def test_contents_do_not_depend_on_how_many_are_computed_at_once(self):
        for kind, type in (("i:1000", "uint"), ("perm", "uint"), ("csr:8:1", "uint"), ("f:0:1", "float")):
            whole = inputs.elements(kind, type, 500, 3)
            with mock.patch.object(inputs, "BLOCK", 64):
                self.assertTrue(np.array_equal(whole, inputs.elements(kind, type, 500, 3)), kind)

    def test_a_list_visits_every_element_once(self):
        following, at, seen = inputs.elements("perm", "uint", 100, 1), 0, set()
        while at not in seen:
            seen.add(at)
            at = int(following[at])
        self.assertEqual((len(seen), at), (100, 0))

    def test_a_changed_element_and_a_nan_are_wrong_results_but_rounding_is_not(self):
        data = inputs.elements("f:0:1", "float", 1000, 1)
        expected = inputs.Digest("float").of(data.tobytes())
        self.assertIsNone(inputs.difference(expected, inputs.Digest("float").of((data * np.float32(1 + 1e-6)).tobytes()), 2e-4))
        for bad in (2.0, math.nan):
            other = data.copy()
            other[7] += np.float32(bad)
            self.assertIn("sum", inputs.difference(expected, inputs.Digest("float").of(other.tobytes()), 2e-4))


class Scores(unittest.TestCase):
    def test_equal_values_share_a_rank_in_the_rank_correlation(self):
        self.assertAlmostEqual(scores.spearman([1, 2, 3, 4], [10, 20, 30, 1000]), 1)
        self.assertAlmostEqual(scores.spearman([1, 2, 3, 4], [4, 3, 2, 1]), -1)
        self.assertAlmostEqual(scores.spearman([1, 2, 3, 4], [1, 3, 2, 4]), 1 - 6 * 2 / (4 * 15))
        self.assertAlmostEqual(scores.spearman([1, 1, 2], [5, 6, 7]), 1.5 / math.sqrt(1.5 * 2))

    def test_figures_of_three_cases(self):
        told = scores.score([result("a-1", 100, 150), result("a-2", 100, 50), result("a-3", 100, 110)])
        self.assertEqual((told["cases"], told["worst"].case), (3, "a-2"))
        for key, value in (("mean", 1.1 / 3), ("bias", 0.1 / 3), ("median", .5), ("p90", .5), ("ratio", (1.5 * .5 * 1.1) ** (1 / 3))):
            self.assertAlmostEqual(told[key], value, msg=key)
        self.assertIsNone(scores.score([validate_apps.AppResult(result("a-1", 1, 1).row, unmodeled="why")]))

    def test_pairs_are_variants_with_different_times_on_the_gpu(self):
        apps = {name: mock.Mock(variants=group) for name, group in (("x-1", "x"), ("x-2", "x"), ("x-3", "x"), ("y-1", "y"), ("z-1", ""))}
        some = [result("x-1", 100, 5), result("x-2", 104, 4), result("x-3", 120, 4.5), result("y-1", 1, 1), result("z-1", 2, 2)]
        told, right = scores.pairs(some, apps)  # x-1 and x-2 differ by 4 %
        self.assertEqual([(fast.case, slow.case) for fast, slow in told], [("x-1", "x-3"), ("x-2", "x-3")])
        self.assertEqual([(fast.case, slow.case) for fast, slow in right], [("x-2", "x-3")])


class Counters(unittest.TestCase):
    def test_the_table_of_stalls_has_every_bucket_and_every_reason_once(self):
        text = (ROOT / "models/stalls.def").read_text()
        ours = [bucket for _, _, buckets, _ in counters.STALLS for bucket in buckets]
        self.assertEqual(sorted(ours), sorted(re.findall(r'^STALL\(\w+, *"(\w+)"', text, re.MULTILINE)))
        theirs = [reason for _, reasons, _, _ in counters.STALLS for reason in reasons]
        self.assertEqual(len(theirs), len(set(theirs)))
        seen = {reason for gpu in counters.read_counters().values() for reason in gpu["stalls"]}
        self.assertEqual(seen - set(theirs), set())
        self.assertTrue(all(why for *_, why in counters.STALLS))

    def test_shares_of_stalls_agree_if_they_are_in_the_same_row(self):
        found = counters.shares({"long_scoreboard": 60, "wait": 30, "selected": 10},
                                {"memory": 50, "dependency": 100, "issued": 25, "barrier": 25})
        self.assertEqual(found["global memory"], (60, 25))
        self.assertEqual(found["fixed latency"], (30, 50))
        self.assertEqual(counters.agreement(found), 25 + 30 + 10)
        self.assertEqual([counters.main_stall(found, side) for side in (0, 1)], ["global memory", "fixed latency"])

    def test_a_kernels_count_is_the_median_ratio_of_its_cases(self):
        by = {counter.gpu: counter for counter in counters.COUNTERS}
        pairs = [(counted(instructions=100, l1_hit_pct=50), counted(instructions=ours, l1_hit_pct=hits))
                 for ours, hits in ((50, 45), (110, 80), (900, 58))]
        self.assertAlmostEqual(counters.of_kernel(by["instructions"], pairs), 1.1)
        self.assertTrue(by["instructions"].meets(1.1) and not by["instructions"].meets(0.8))
        self.assertAlmostEqual(counters.of_kernel(by["l1_hit_pct"], pairs), 8)
        self.assertTrue(by["l1_hit_pct"].meets(8) and not by["l1_hit_pct"].meets(-11))
        self.assertIsNone(counters.of_kernel(by["shared_loads"], pairs))

    def test_only_kernels_with_shared_loads_have_conflicts(self):
        conflicts = next(counter for counter in counters.COUNTERS if counter.gpu == "bank_conflicts")
        without, some = (counted(bank_conflicts=8, shared_loads=loads) for loads in (0, 1))
        self.assertIsNone(counters.of_kernel(conflicts, [(without, counted(bank_conflicts=4))]))
        self.assertEqual(counters.of_kernel(conflicts, [(some, counted(bank_conflicts=4))]), 0.5)


class Simulation(unittest.TestCase):
    def test_quick_cases_have_the_right_results_and_counters(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "apps.csv"
            done = run_script("validate_apps.py", "--csv", path, *(word for name in QUICK for word in ("--only", name)))
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            found = {one.case: one for one in validate_apps.read_results(path)}
        self.assertEqual(set(found), set(QUICK))
        # 256 hops of one warp, a load each; 1,024 loads of a column and of the vector by 32 warps each.
        self.assertEqual(found["chase-8KB_1g"].counts["global_loads"], found["chase-8KB_1g"].gpu["global_loads"])
        self.assertEqual(found["gemv-1024x1024_column"].counts["global_loads"], 2 * 1024 * 32)
        self.assertIn("rank correlation (Spearman)", done.stdout)

    def test_words_after_dashes_and_macros_reach_warpwait(self):
        done = run_script("validate_apps.py", "--only", QUICK[0], "--", "--no-such-option")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--no-such-option", done.stdout)
        app = cases.read_apps()[QUICK[0]]
        case = cases.case_of(app, cases.Way(("NU=1", "HERE"), ("--registers", "40")))
        self.assertEqual(dict(case.build)["defines"][-2:], (("NU", "1"), ("HERE", "1")))
        self.assertEqual(case.options, ("--registers", "40"))

    def test_a_wrong_result_is_an_error(self):
        planner = cases.Planner()
        planner.results = {key: [value + 1 for value in values] for key, values in planner.results.items()}
        rows = [row for row in cases.read_rows() if row.fields["case"] in QUICK[:2]]  # the second works in place
        told = validate_apps.predict_apps(rows, Runner(machine(), validate.CACHE), planner, {})
        self.assertEqual([one.predicted for one in told], [None, None])
        self.assertTrue(all(one.unmodeled.startswith("wrong result: ") for one in told))

    def test_mistakes_are_reported_in_one_line_with_status_2(self):
        for arguments, said in ((("--only", "nothing"), "kernels are "), (("--times", "nowhere.csv"), "nowhere.csv"),
                                (("--machine", "nowhere"), "nowhere"), (("--counters", str(HERE / "rows.py")), "measure/count")):
            done = run_script("validate_apps.py", *arguments)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (arguments, done.stderr))
            self.assertIn(said, done.stderr)


class Studies(unittest.TestCase):
    def test_cheap_cases_cover_every_kernel_and_are_the_cheapest_first(self):
        apps, gpu = cases.read_apps(), counters.read_counters()
        for count in (1, 2):
            picked = ablation_apps.cheap(cases.read_rows(), apps, count)
            self.assertEqual({row.family for row in picked}, {app.kernel for app in apps.values()} - {cases.EMPTY})
            self.assertLessEqual(max(sum(row.family == one.family for one in picked) for row in picked), count)
            costs = [ablation_apps.cost(row, apps, gpu) for row in picked]
            self.assertEqual(costs, sorted(costs))

    def test_passes_are_read_from_their_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "passes.def"
            path.write_text('/* PASS(name, level, "sentence") */\nPASS(unroll, 2, "Unrolls loops.")\nPASS(hoist,   1,    "Hoists.")\n')
            self.assertEqual(ablation_apps.passes(path), [("unroll", "Unrolls loops."), ("hoist", "Hoists.")])
        self.assertTrue(all(len(words) in (0, 2) for _, _, words in ablation_apps.things()))
        off = {words[1] for _, _, words in ablation_apps.things() if words}
        self.assertTrue({"unroll", "widen", "schedule"} <= off and not off & set(ablation_apps.KEPT))

    def test_only_mechanisms_of_copies_and_mbarriers_are_left_out(self):
        out = {key for _, sets in MECHANISMS for key in sets} - {key for _, sets, _ in ablation_apps.things() for key in sets}
        self.assertTrue({"dma.posted", "cu.phase_interval", "cu.yield_latency"} <= out)
        self.assertFalse([key for key in out if key.startswith("mem.")])

    def test_other_cases_do_not_run_if_no_third_case_changes(self):
        some, ran = [result(f"a-{i}", 100, 110 + i) for i in range(5)], []

        def rerun(rows, by):
            ran.extend(row.fields["case"] for row in rows)
            return [validate_apps.AppResult(row, 110 + int(row.fields["case"][2:]) + by) for row in rows]
        self.assertEqual(ablation_apps.without(some, lambda rows: rerun(rows, 0)), some)
        self.assertEqual(ran, ["a-0", "a-3"])
        after = ablation_apps.without(some, lambda rows: rerun(rows, 50))
        self.assertEqual([(one.case, one.predicted) for one in after], [(f"a-{i}", 160 + i) for i in range(5)])
        self.assertEqual(len(ran), 2 + 5)

    def test_halves_of_the_kernels_differ_between_seeds_and_are_deterministic(self):
        kernels = {app.kernel for app in cases.read_apps().values()}
        splits = [frozenset(leaveout_apps.split(kernels, seed)) for seed in range(1, 6)]
        self.assertEqual(splits, [frozenset(leaveout_apps.split(sorted(kernels, reverse=True), seed)) for seed in range(1, 6)])
        self.assertEqual(len(set(splits)), 5)
        self.assertTrue(all(len(half) == len(kernels) // 2 for half in splits))

    def test_the_fitted_parameters_are_rows_of_fit(self):
        self.assertEqual(set(chosen_parameters(machine(), APPS)[0]), set(APPS))


class Misses(unittest.TestCase):
    def test_only_kernels_that_are_far_off_need_and_may_have_a_reason(self):
        with mock.patch.object(misses, "MISSES", {"near": ("a", "b"), "known": ("a", "b"), "gone": ("a", "b")}):
            self.assertEqual(misses.unexplained({"near": 0.10, "known": 0.11, "far": 0.2}), (["far"], ["gone", "near"]))

    def test_exactly_the_kernels_that_are_far_off_on_the_page_have_a_reason(self):
        errors = page_apps.kernel_errors(validate_apps.read_results(KEPT))
        self.assertEqual(misses.unexplained(errors), ([], []), "apps/misses.py: (without a reason, with one too many)")
        self.assertTrue(all(what and how for what, how in misses.MISSES.values()))


class Page(unittest.TestCase):
    def test_stored_results_can_be_read_again(self):
        bad = validate_apps.AppResult(result("a-2", 5, None).row, unmodeled="wrong result: a, b", gpu=counted(instructions=7))
        some = [result("a-1", 100, 150, counted(instructions=3, stalls={"wait": 60.0}), counted(lanes=31.5, stalls={"memory": 9})),
                bad, result("b-1", 2, 3)]
        with tempfile.TemporaryDirectory() as folder:
            for name in ("apps.csv", "apps.csv.gz"):
                path = pathlib.Path(folder) / name
                validate_apps.write_results(path, some)
                first, second, third = validate_apps.read_results(path)
                self.assertEqual((first.predicted, first.gpu, first.counts), (150, some[0].gpu, some[0].counts))
                self.assertEqual((second.unmodeled, second.predicted, second.gpu), (bad.unmodeled, None, bad.gpu))
                self.assertEqual((third.predicted, third.gpu, third.counts), (3, None, None))
            path.with_suffix("").write_text("case\nx\n")
            with self.assertRaises(BadRow):
                validate_apps.read_results(path.with_suffix(""))

    def test_the_page_shows_stored_results_in_tables_and_a_picture(self):
        ablation = [{"mechanism": "all on", "sets": {}, "cases": 9, "mean": 0.2, "errors": {"nw": 0.1, "gemv": 0.3}},
                    {"mechanism": "merging", "sets": {"lds.merge": "none"}, "moved": 3, "mean": 0.25, "errors": {"nw": 0.1, "gemv": 0.4}}]
        leaveout = {"cases": 9, "rounds": 2, "start": {"mem.l2_width": 4800}, "splits": [
            {"left_out": ["nw"], "values": {"mem.l2_width": 5000}, "start_fitted": 0.3, "fitted": 0.2, "start_left_out": 0.1,
             "left_out_error": 0.15}]}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            self.assertEqual(len(set(page_apps.parts(folder).values())), 1)  # made without it
            for name in ("apps.csv.gz", "apps_before.csv"):
                shutil.copy(KEPT.parent / name, folder)
            (folder / "apps_ablation.json").write_text(json.dumps(ablation))
            (folder / "apps_leaveout.json").write_text(json.dumps(leaveout))
            made = page_apps.parts(folder)
            self.assertGreater((folder / "apps.svg").stat().st_size, 5000)
        self.assertRegex(made["apps"], r"\| \*\*all\*\* \| 11\d \|")
        self.assertIn("rank correlation (Spearman) 0.", made["apps"])
        self.assertIn("| merging | `lds.merge=none` | 3 | +5.0 | gemv 30.0 → 40.0 |", made["apps_ablation"])
        self.assertIn("| 1 | nw | 30.0 | 20.0 | 10.0 | 15.0 |", made["apps_leaveout"])
        self.assertIn("| `mem.l2_width` | 4800 | 5000 |", made["apps_leaveout"])


class Measuring(unittest.TestCase):
    def test_ncus_table_has_the_second_launch_of_each_case(self):
        names = ["smsp__inst_executed.sum", "smsp__thread_inst_executed_per_inst_executed.ratio", "smsp__inst_executed_op_shared_ld.sum",
                 "smsp__inst_executed_op_global_ld.sum", "l1tex__t_sector_hit_rate.pct", "l1tex__data_bank_conflicts_pipe_lsu.sum",
                 "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
                 "smsp__average_warps_issue_stalled_wait_not_issued_per_issue_active.ratio",
                 "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"]
        rows = [["ID", *names], ["", *("unit" for _ in names)]] + \
            [[str(i), f"1,{i}00", "32", "0", "8", "12.5", "0", "3", "9", "1"] for i in range(4)]
        text = "case,a-1,32\ncase,b-1,40\n" + "".join(",".join(f'"{word}"' for word in row) + "\n" for row in rows)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "ncu.csv"
            path.write_text(text)
            done = subprocess.run([sys.executable, str(HERE / "measure/ncu_table"), str(path)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            (pathlib.Path(folder) / "counters.csv").write_text(done.stdout)
            told = counters.read_counters(pathlib.Path(folder) / "counters.csv")
        self.assertEqual((told["a-1"]["instructions"], told["b-1"]["instructions"], told["b-1"]["registers"]), (1100, 1300, 40))
        self.assertEqual(told["a-1"]["stalls"], {"wait": 75, "barrier": 25})


if __name__ == "__main__":
    finish()
