#!/usr/bin/env python3
# Time limit: a case may take some seconds.
"""Tests of the scripts here, and of the machine h200 against a sample of the measurements.

The simulator is deterministic, so an error above its limit means that a model or a family has changed.
"""
import importlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import ablation
import calibrate
import fidelity
import fitting
import leaveout
import pick
import rows as measured_rows
import validate
from case import Like, Unmodeled
from fit_rows import AXES, BLOCKS, EXCUSED, FIT
from mechanisms import MECHANISMS
from rows import FAMILIES, BadRow, Row
from runner import Machine, Runner, Terminal, number

WARPWAIT = os.environ.get("WARPWAIT", "build/warpwait")
# The limit of the mean absolute error of each family's sample, in percent.
LIMITS = {"lds": 4, "ops": 3, "constants": 8, "barriers": 8, "branches": 12, "bulk": 8, "tensor": 4, "wgcopy": 8, "pipeline": 6,
          "memory": 6, "atomics": 8, "prefetch": 8, "texture": 8, "opencl": 12}
PART = 0.02  # largest relative difference between a part of the machine and all of it


def machine(*sets):
    return Machine(WARPWAIT, "h200", sets)


def setUpModule():
    machine()  # rows become cases of it


def quick(row):
    """Whether the row runs on a single compute unit. Others are left to `make validate`."""
    try:
        return validate.plan(row)[0].cus == 1
    except Unmodeled:
        return False


def run_script(name, *arguments):
    return subprocess.run([sys.executable, str(HERE / name), *map(str, arguments)], capture_output=True, text=True)


class Reading(unittest.TestCase):
    def refused(self, text, message):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.csv"
            path.write_text(text)
            with self.assertRaises(BadRow) as caught:
                for row in measured_rows.read([path]):
                    validate.plan(row)
            self.assertIn(message, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_a_bad_row_is_named_by_file_line_and_field(self):
        self.refused("lds_latency,1,cycle\n", "rows.csv:1: 3 fields")
        self.refused("a,x=1,m,2,cycle\nlds_latency,bits=32,m,fast,cycle\n", "rows.csv:2: value: 'fast' is not a number")
        self.refused("a,x,m,1,cycle\n", "'x' is not a new k=v")
        self.refused("a,x=1,x=2,m,1,cycle\n", "'x=2' is not a new k=v")
        self.refused("lds_latency,op=ld,bits=wide,pattern=stride1,warps=1,cycles_per_dependent_load,1,cycle\n", "bits: 'wide'")

    def test_a_missing_file_is_reported_in_one_line_with_status_2(self):
        done = run_script("validate.py", "nowhere.csv")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("nowhere.csv", done.stderr)

    def test_every_public_row_is_read_and_belongs_to_a_family_or_to_the_board(self):
        rows = measured_rows.read(measured_rows.public())
        self.assertGreater(len(rows), 40000)
        for row in rows:
            self.assertTrue(row.family or row.metric in validate.NOT_TIMES, row)

    def test_every_test_of_every_family_can_be_planned(self):
        planned, refused = set(), {}
        for row in validate.sample(measured_rows.read(measured_rows.public()), 2000):
            try:
                validate.plan(row)
                planned.add(row.test)
            except Unmodeled as reason:
                refused[row.test] = str(reason)
        for tests in (tests for _, tests in FAMILIES.values()):
            for test in tests:
                self.assertTrue(test in planned or refused.get(test), test)


class Rows(unittest.TestCase):
    """Rows of tables name what exists."""

    def test_fitted_parameters_are_in_the_machine_and_the_simulator_accepts_both_bounds(self):
        values = machine().values
        for block, key, low, high, informs in FIT:
            self.assertIn(block, BLOCKS)
            self.assertLess(low, high, key)
            self.assertTrue(low <= number(values[key]) <= high, key)
            for name in informs:
                self.assertTrue(name in FAMILIES or name in measured_rows.FAMILY_OF or re.match(r"op=[A-Z]", name), (key, name))
        for end in (2, 3):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "bounds.ini"
                path.write_text(calibrate.machine_text("base = h200\n", calibrate.Fit({row[1]: row[end] for row in FIT}, {}, [], [],
                                                       informing={row[1]: [] for row in FIT})))
                Machine(WARPWAIT, str(path))

    def test_every_family_has_a_block_and_an_axis(self):
        self.assertEqual({family for families in BLOCKS.values() for family in families}, set(FAMILIES))
        self.assertEqual({family for family, _ in AXES}, set(FAMILIES))

    def test_each_value_that_was_measured_or_fitted_is_fitted_or_switched_off_or_excused(self):
        excused = {key for keys in EXCUSED.values() for key in keys}
        switched = {key for _, sets in MECHANISMS for key in sets}
        fitted = {row[1] for row in FIT}
        self.assertFalse(excused & (switched | fitted))
        section, missing = "", set()
        for line in machine().text().splitlines():
            section = line[1:-1] if line.startswith("[") else section
            found = re.match(r"(\w+) *= *\S+ *; *(fit|measured)\b", line)
            if found:
                missing.add(f"{section}.{found.group(1)}")
        missing -= excused | switched | fitted
        self.assertEqual(missing, set(), "neither in FIT or EXCUSED of fit_rows.py nor in mechanisms.py")

    def test_switched_off_mechanisms_are_on_in_the_machine(self):
        values = machine().values
        for name, sets in MECHANISMS:
            self.assertTrue(any(values.get(key) != str(value) for key, value in sets.items()), name)

    def test_the_simulator_accepts_what_switches_mechanisms_off(self):
        for name, sets in MECHANISMS:
            command = [WARPWAIT, "run", str(HERE.parent / "examples/01_seed/launch.json"), "--machine", "h200", "--why=no"]
            for key, value in sets.items():
                command += ["--set", f"{key}={value}"]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_axes_are_fields_of_their_families_rows(self):
        rows = measured_rows.read(measured_rows.public())
        for family, axis in AXES:
            self.assertTrue(any(row.family == family and axis in row.fields for row in rows), (family, axis))


class Fitting(unittest.TestCase):
    def observations(self, file, count, *tests):
        rows = [row for row in measured_rows.read([HERE / f"data/{file}.csv.gz"]) if row.test in tests]
        runner = Runner(machine(), validate.CACHE, progress=Terminal())
        return fitting.Observations(pick.pick(rows, count), runner)

    def as_the_machine_has_it(self, observations):
        """Replaces the measurements by the machine's own predictions."""
        observations.measured = observations.residuals({}) + observations.measured
        return observations

    def test_displaced_parameters_are_recovered_from_the_machines_own_predictions(self):
        observations = self.as_the_machine_has_it(self.observations("t1_lds", 20, "lds_latency", "lds_atomic_latency"))
        true = {key: number(machine().values[key]) for key in ("lds.latency", "lds.phase_latency", "lds.atomic_latency")}
        start, bounds, informs = calibrate.chosen_parameters(machine(), list(true))
        self.assertEqual(start, true)
        found = fitting.fit(observations, calibrate.displaced(start, bounds, 0.5), bounds, informs, 5)
        self.assertEqual(found.values, true)
        self.assertLess(fitting.mean_error(found.residuals), 1e-9)
        self.assertGreater(fitting.mean_error(found.residuals_before), 0.1)
        self.assertEqual(len(found.informing["lds.latency"]), len(observations.rows))
        self.assertEqual(found.half_width["lds.latency"], 0.5)

    def test_a_parameter_that_no_row_depends_on_stays_and_is_reported(self):
        observations = self.observations("t1_lds", 10, "lds_latency")
        keys = {"lds.latency": (1, 100), "mem.atomic_units": (1, 200)}
        found = fitting.fit(observations, {"lds.latency": 22, "mem.atomic_units": 77}, keys, {key: ("lds",) for key in keys}, 1)
        self.assertEqual(found.values["mem.atomic_units"], 77)
        self.assertEqual(found.informing["mem.atomic_units"], [])
        self.assertTrue(math.isnan(found.half_width["mem.atomic_units"]))

    def test_parameters_that_always_act_together_are_reported_as_tied(self):
        jacobian = np.array([[0.1, 0.1, 0.0], [0.2, 0.2, 0.0], [0.0, 0.0, 0.3], [0.1, 0.1, 0.1]])
        residuals = np.array([0.01, -0.01, 0.01, 0.0])
        widths, tied = fitting.half_widths(jacobian, residuals, np.ones(4), np.arange(4))
        self.assertEqual(tied, [[1], [0], []])
        self.assertEqual((widths[0], widths[1]), (math.inf, math.inf))
        self.assertLess(widths[2], 2)

    def test_an_interval_matches_the_spread_of_repeated_measurements(self):
        rng = np.random.default_rng(1)
        jacobian = 0.001 * rng.uniform(1, 2, (200, 1))
        shifts, widths = [], []
        for _ in range(200):
            noise = rng.normal(0, 0.02, 200)
            shifts.append(float(np.linalg.lstsq(jacobian, noise, rcond=None)[0][0]))
            widths.append(fitting.half_widths(jacobian, noise - jacobian @ [shifts[-1]], np.ones(200), np.arange(200))[0][0])
        self.assertAlmostEqual(np.mean(widths) / (1.96 * np.std(shifts)), 1, delta=0.15)

    def test_the_machines_file_gets_the_value_its_interval_and_its_tests(self):
        row = Row("", 0, "lds_latency", {}, "m", 1.0, "cycle")
        fitted = fitting.Fit({"lds.latency": 30, "lds.ports": 2, "cu.y": 7}, {}, None, None, {"lds.latency": 0.5, "cu.y": math.inf},
                             {"cu.y": ["cu.z"]}, {"lds.latency": [(0.1, row)], "lds.ports": [], "cu.y": [(0.1, row)]})
        text = calibrate.machine_text("[cu]\nlatency = 1 ; x\n[lds]\nlatency = 20   ; measured\nports = 1 ; z\n", fitted)
        lines = text.splitlines()
        self.assertEqual(lines[1], "latency = 1 ; x")
        self.assertRegex(lines[3], r"^latency = 30 +; fit: \+- 0.5; lds_latency$")
        self.assertEqual(lines[4], "ports = 1 ; z")
        self.assertEqual(lines[6], "[cu]")
        self.assertRegex(lines[7], r"^y = 7 +; fit: told only together with cu.z; lds_latency$")

    def test_a_file_that_is_not_a_measurement_is_reported_in_one_line_with_status_2(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.csv"
            for text, message in (("hello\n", "1 fields"), ("", "no row"), ("lds_latency,bits=32,m,fast,cycle\n", "not a number")):
                path.write_text(text)
                for script in ("calibrate.py", "leaveout.py", "ablation.py"):
                    done = run_script(script, path)
                    self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), (script, text, done.stderr))
                    self.assertIn(message, done.stderr)

    def test_the_pick_is_deterministic_and_has_every_value(self):
        rows = [row for row in measured_rows.read([HERE / "data/t7_core.csv.gz"]) if row.test == "op_throughput"]
        first = pick.pick(rows, 40)
        self.assertEqual(first, pick.pick(rows, 40))
        self.assertLess(len(first), len(rows) / 4)
        for field in ("op", "warps", "ilp"):
            self.assertEqual({row.fields[field] for row in first}, {row.fields[field] for row in rows})

    def test_halves_share_no_value_of_the_axis(self):
        rows = [Row("", 0, "t", {"bytes": str(2 ** i)}, "m", 1.0, "cycle") for i in range(9)]
        for extrapolate, expected in ((False, {2, 8, 32, 128}), (True, {32, 64, 128, 256})):
            shown, out = leaveout.halves(rows, "bytes", extrapolate)
            self.assertEqual({int(row.fields["bytes"]) for row in out}, expected)
            self.assertEqual(len(shown) + len(out), 9)


class Validation(unittest.TestCase):
    def test_json_has_one_object_per_row_with_the_prediction_or_the_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            csv, out = pathlib.Path(folder) / "rows.csv", pathlib.Path(folder) / "out.json"
            csv.write_text("lds_latency,op=ld,bits=32,pattern=stride1,warps=1,q_n=9,cycles_per_dependent_load,23.34,cycle\n"
                           "sm_clock,when=begin,sm_clock,1980,MHz\nunheard_of,x=1,time,5,cycle\n")
            done = run_script("validate.py", csv, "--json", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            entries = json.loads(out.read_text())
        self.assertEqual([entry["test"] for entry in entries], ["lds_latency", "sm_clock", "unheard_of"])
        self.assertEqual(entries[0]["pattern"], "stride1")
        self.assertEqual(entries[0]["q_n"], "9")
        self.assertAlmostEqual(entries[0]["predicted"], 23.34, delta=1)
        self.assertIn("board", entries[1]["unmodeled"])
        self.assertIn("unheard_of", entries[2]["unmodeled"])

    def test_a_machine_that_predicts_worse_is_reported(self):
        rows = [row for row in measured_rows.read([HERE / "data/t1_lds.csv.gz"]) if row.test == "lds_latency"][:10]
        errors = [ablation.family_errors(validate.predict(rows, Runner(machine(*sets), validate.CACHE)))["lds"]
                  for sets in ((), ("lds.latency=60",))]
        self.assertGreater(errors[1], errors[0] + 0.5)

    def test_each_family_stays_within_its_limit_on_a_sample(self):
        rows = [row for row in measured_rows.read(measured_rows.public()) if not measured_rows.apart(row)]
        rows = validate.sample(rows, 300)
        runner = Runner(machine(), validate.CACHE)
        families, _ = validate.group(validate.predict([row for row in rows if quick(row)], runner))
        self.assertEqual(set(LIMITS), {family for family, results in families.items() if results})
        for family, limit in LIMITS.items():
            values = validate.errors(families[family])
            self.assertTrue(values, family)
            self.assertLess(100 * validate.mean(values), limit, family)


class Fidelity(unittest.TestCase):
    """The error that reports state about themselves: classes and percentiles."""

    def result(self, percent, limit="memory", operations=("loads",), kinds=(), number=0, test="chase", metric="m"):
        row = Row("", 0, test, {"number": str(number)}, metric, 100.0, "cycle")
        return validate.Result(row, 100.0 + percent, like=Like(limit, operations, kinds or operations))

    def state(self, values):
        return fidelity.state([(value, 1) for value in sorted(values)])

    def test_a_class_states_its_median_and_its_90th_percentile_rounded_up(self):
        self.assertEqual(self.state([i / 100 for i in range(1, 101)]), (100, 5, 10))  # 0.51 and 0.91 %
        self.assertEqual(self.state([0.8] * 20), (20, 8, 8))
        self.assertEqual(self.state([0.0] * 18 + [0.11, 7]), (20, 0, 2))

    def test_a_class_of_too_few_rows_is_looked_up_by_its_limit_and_then_in_all(self):
        results = [self.result(1) for _ in range(fidelity.FEWEST)]
        results += [self.result(-2, operations=("stores",)) for _ in range(fidelity.FEWEST - 1)]
        results += [self.result(3, limit="dram") for _ in range(fidelity.FEWEST - 1)]
        stated = fidelity.table(results)
        self.assertEqual(set(stated), {("memory", "loads"), ("memory", None), (None, None)})
        self.assertEqual([fidelity.find(stated, r.like)[0] for r in (results[0], results[20], results[-1])], [0, 1, 2])
        self.assertEqual(fidelity.find(stated, results[20].like)[1], (2 * fidelity.FEWEST - 1, 20, 20))

    def test_narrow_classes_have_equal_weights_in_a_wide_class(self):
        results = [self.result(1) for _ in range(98)] + [self.result(9, operations=("stores",)) for _ in range(2)]
        self.assertEqual(fidelity.table(results)["memory", None], (100, 90, 90))
        self.assertEqual(self.state([1] * 98 + [9] * 2), (100, 10, 10))

    def test_a_row_is_compared_with_a_table_computed_without_its_group(self):
        far = [self.result(50, number=i, test="far") for i in range(30)]
        near = [self.result(1, number=i, test="near") for i in range(30)]
        self.assertEqual(fidelity.held_out(far + near, fidelity.test)[0], [60, 30])

    def test_metrics_of_one_run_are_left_out_together(self):
        folds = [{fidelity.fold(self.result(1, number=i, metric=metric)) for metric in "abc"} for i in range(200)]
        self.assertTrue(all(len(of_run) == 1 for of_run in folds))
        self.assertEqual(set.union(*folds), set(range(fidelity.FOLDS)))

    def test_nine_in_ten_rows_of_one_kind_are_covered(self):
        rng = np.random.default_rng(1)
        results = [self.result(error, number=i) for i, error in enumerate(rng.normal(0, 5, 2000))]
        self.assertAlmostEqual(fidelity.share(fidelity.held_out(results, fidelity.fold)), 90, delta=1)

    def test_rows_about_boards_and_noisy_rows_are_left_out(self):
        noisy = self.result(1, test="l2_latency_by_sm")
        self.assertEqual(fidelity.chosen([noisy, validate.Result(noisy.row, unmodeled="why")]), [])

    def test_the_table_of_reports_matches_the_stored_rows(self):
        root = HERE.parent
        results, second = fidelity.read(root / "docs/accuracy")
        self.assertEqual(fidelity.definition(results), (root / "sim/report/fidelity.def").read_text(),
                         "stale: hw/fidelity.py --write sim/report/fidelity.def")
        self.assertEqual([line for line in fidelity.coverage(results, second) if line[1] >= 500 and not 85 <= line[2] <= 95], [])

    def test_a_row_keeps_the_class_of_its_run(self):
        row = next(row for row in measured_rows.read([HERE / "data/t1_lds.csv.gz"]) if row.test == "lds_throughput")
        result = validate.predict([row], Runner(machine(), validate.CACHE))[0]
        self.assertIn("LDS accesses", result.like.operations)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.csv.gz"
            validate.write_predictions(path, [result])
            again = validate.read_predictions(path, [row])[0]
        self.assertEqual(again.like, result.like)
        self.assertAlmostEqual(again.predicted, result.predicted, delta=1e-3)


# Rows with an even load of 132 work-groups: (test, metric, parameters).
WHOLE = [
    ("stream", "total_bandwidth", {"op": "read", "mem": "dram", "threads": 128, "loads_in_flight_per_thread": 2, "iters": 64}),
    ("stream", "total_bandwidth", {"op": "write", "mem": "l2", "threads": 128, "loads_in_flight_per_thread": 1, "iters": 64}),
    ("pipeline", "cycles_per_tile", {"engine": "bulk", "place": "132cta", "stages": 4, "tile_bytes": 8192,
                                     "compute_groups": 0, "mem": "dram", "threads": 128}),
    ("pipeline", "cycles_per_tile", {"engine": "cp_async", "place": "132cta", "stages": 2, "tile_bytes": 2048,
                                     "compute_groups": 1, "mem": "l2", "threads": 128}),
    ("bulk_throughput", "total_bandwidth", {"dir": "g2s", "mem": "l2", "bytes": 1024, "inflight": 4, "copies_per_cta": 1024,
                                            "region_bytes": 65536}),
]


class Parts(unittest.TestCase):
    """With an even load, a part of the machine represents all of it."""

    def test_the_whole_machine_is_predicted_as_a_part_of_it(self):
        families = {name: importlib.import_module(f"families.{name}") for name in ("memory", "pipeline", "bulk")}
        rows = [Row("", 0, test, {key: str(value) for key, value in {"ctas": 132, **parameters}.items()}, metric, 1.0, "")
                for test, metric, parameters in WHOLE]
        runner = Runner(machine(), validate.CACHE)
        self.assertTrue(all(validate.plan(row)[0].share > 1 for row in rows))
        parts = validate.predict(rows, runner)
        with mock.patch.object(families["memory"], "_place", lambda ctas: (ctas, ctas, 1)), \
                mock.patch.object(families["bulk"], "_place", lambda ctas: (ctas, 1, ctas)), \
                mock.patch.dict(families["pipeline"].PLACES, {"132cta": (132, 132, 1)}):
            self.assertTrue(all(validate.plan(row)[0].share == 1 for row in rows))
            whole = validate.predict(rows, runner)
        for row, part, all_of_it in zip(rows, parts, whole):
            self.assertAlmostEqual(part.predicted / all_of_it.predicted, 1, delta=PART, msg=row.parameters())


class Page(unittest.TestCase):
    LEAVEOUT = {"family": "lds", "axis": "pattern", "kind": "interpolation", "parameters": 3, "fitted_rows": 10, "left_out_rows": 10,
                "before": 0.4, "fitted": 0.02, "left_out": 0.0312, "machine_left_out": 0.03, "seconds": 7}
    ABLATION = [{"mechanism": "all on", "sets": {}, "errors": {"lds": 0.02}, "rows": {"lds": 9}},
                {"mechanism": "merging", "sets": {"lds.merge": "none"}, "errors": {"lds": 0.18}, "moved": 3, "moved_on": 0.01,
                 "moved_off": 0.52}]
    PARAMETER = {"key": "lds.latency", "machine": 22, "start": 28, "fitted": 23, "bounds": [1, 100], "rows": 40, "tied": [],
                 "half_width": 0.5}
    DISPLACED = {"seconds": 100, "rows": 40, "runs": 30, "displaced": 25, "parameters": [PARAMETER],
                 "errors": {"machine": {"lds": 0.02}, "start": {"lds": 0.11}, "fitted": {"lds": 0.025}}}

    def test_the_page_has_every_part_and_every_picture(self):
        with tempfile.TemporaryDirectory() as docs:
            folder = pathlib.Path(docs) / "accuracy"
            folder.mkdir()
            validate.write_predictions(folder / "rows.csv.gz", [validate.Result(row, predicted=row.value * 1.25) for row in
                                                                measured_rows.read(measured_rows.public())])
            for name, told in (("leaveout", [self.LEAVEOUT]), ("ablation", self.ABLATION), ("ablation_lds", self.ABLATION),
                               ("displaced", self.DISPLACED)):
                (folder / f"{name}.json").write_text(json.dumps(told))
            done = run_script("page.py", "--docs", docs)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (pathlib.Path(docs) / "accuracy.md").read_text()
            self.assertNotIn("{{", text)
            for part in ("| 25.0 | 25.0 | 25.0 | +25.0 |", "| 40.0 | 2.0 | 3.1 | 3.0 |", "| 3: 1.0 → 52.0 | lds 2.0 → 18.0 |",
                         "| `lds.latency` | 22 | 28 | 23 | ± 0.5 | 40 |", "| lds | 2.0 | 11.0 | 2.5 |"):
                self.assertIn(part, text)
            self.assertEqual(text.count("made without it"), 1 + 8)  # the second pass, and whole kernels
            for name in ("scatter", "latency", "stages", "bandwidth"):
                self.assertIn(f"accuracy/{name}.svg", text)
                self.assertGreater((folder / f"{name}.svg").stat().st_size, 5000)

    def test_predictions_of_other_rows_are_reported_in_one_line_with_status_2(self):
        with tempfile.TemporaryDirectory() as docs:
            folder = pathlib.Path(docs) / "accuracy"
            folder.mkdir()
            validate.write_predictions(folder / "rows.csv.gz", [])
            done = run_script("page.py", "--docs", docs)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
        self.assertIn("the rows have changed since", done.stderr)

    def test_stored_predictions_are_read_again(self):
        rows = measured_rows.read([HERE / "data/t8_prefetch.csv.gz"])[:2]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.csv.gz"
            validate.write_predictions(path, [validate.Result(rows[0], predicted=12.5), validate.Result(rows[1], unmodeled="a, b")])
            kept = validate.read_predictions(path, rows)
            validate.write_predictions(path, [validate.Result(rows[0], predicted=14.0)], others=True)
            anew = validate.read_predictions(path, rows)
            validate.write_predictions(path, [validate.Result(rows[1], predicted=3.0)])
            sampled = validate.read_predictions(path, rows, sampled=True)
        self.assertEqual([(result.predicted, result.unmodeled) for result in kept], [(12.5, None), (None, "a, b")])
        self.assertEqual([(result.predicted, result.unmodeled) for result in anew], [(14.0, None), (None, "a, b")])
        self.assertEqual([(result.row.line, result.predicted) for result in sampled], [(rows[1].line, 3.0)])


def finish():
    """Runs the program's tests. The options and the final lines are those of GoogleTest, which the test runner
    expects."""
    outcome = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"[  PASSED  ] {outcome.testsRun - bad} tests.")
    if bad:
        print(f"[  FAILED  ] {bad} tests.")
    sys.exit(bad != 0)


if __name__ == "__main__":
    finish()
