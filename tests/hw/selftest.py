#!/usr/bin/env python3
"""Tests of the scripts here, and of the machine h200 against a sample of the measurements.

The simulator is deterministic, so an error above its limit means that a model or a family has changed.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import ablation
import calibrate
import leaveout
import rows as measured_rows
import validate
from case import Unmodelled
from fit_rows import AXES, FIT
from mechanisms import MECHANISMS
from rows import FAMILIES, BadRow, Row
from runner import Machine, Runner

WARPWAIT = os.environ.get("WARPWAIT", "build/warpwait")
# Mean absolute error, %, that the sample of each family must stay below.
LIMITS = {"lds": 4, "ops": 3, "barriers": 8, "branches": 12, "bulk": 8, "tensor": 4, "wgcopy": 8, "pipeline": 6,
          "memory": 6, "atomics": 8, "prefetch": 13, "opencl": 12}


def machine(*sets):
    return Machine(WARPWAIT, "h200", sets)


def quick(row):
    """Whether it runs on a single compute unit: the others are for `make validate`."""
    try:
        return validate.plan(row)[0].cus == 1
    except Unmodelled:
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

    def test_a_file_that_is_not_there_is_one_line_and_status_2(self):
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
            except Unmodelled as reason:
                refused[row.test] = str(reason)
        for tests in (tests for _, tests in FAMILIES.values()):
            for test in tests:
                self.assertTrue(test in planned or refused.get(test), test)


class Rows(unittest.TestCase):
    """Rows of tables name what exists."""

    def test_fitted_parameters_are_the_machines_and_inside_their_bounds(self):
        values = machine().values
        for key, low, high, informs in FIT:
            self.assertIn(key, values)
            self.assertLess(low, high, key)
            for name in informs:
                self.assertTrue(name in FAMILIES or name in measured_rows.FAMILY_OF, (key, name))

    def test_switched_off_mechanisms_are_on_in_the_machine(self):
        values = machine().values
        for name, sets in MECHANISMS:
            self.assertTrue(any(values.get(key) != str(value) for key, value in sets.items()), name)

    def test_the_simulator_takes_what_switches_mechanisms_off(self):
        for name, sets in MECHANISMS:
            command = [WARPWAIT, "run", str(HERE.parents[1] / "examples/01_seed/launch.json"), "--machine", "h200"]
            for key, value in sets.items():
                command += ["--set", f"{key}={value}"]
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)

    def test_axes_are_fields_of_their_families_rows(self):
        rows = measured_rows.read(measured_rows.public())
        for family, axis in AXES:
            self.assertTrue(any(row.family == family and axis in row.fields for row in rows), (family, axis))


class Fitting(unittest.TestCase):
    def test_a_displaced_parameter_is_found_again_from_what_the_machine_itself_predicts(self):
        rows = [row for row in measured_rows.read([HERE / "data/t1_lds.csv.gz"]) if row.test == "lds_latency"][:40]
        jobs = os.cpu_count()
        true = int(machine().values["lds.latency"])
        observations = calibrate.Observations(rows, "h200", (), jobs)
        observations.measured = observations.residuals({}) + observations.measured
        fitted = calibrate.fit(observations, {"lds.latency": true + 9}, {"lds.latency": (1, 100)}, {"lds.latency": ("lds",)})
        self.assertEqual(fitted.values, {"lds.latency": true})
        self.assertLess(calibrate.mean_error(fitted.residuals), 1e-9)
        self.assertGreater(calibrate.mean_error(fitted.residuals_before), 0.1)
        self.assertEqual(len(fitted.informing["lds.latency"]), 40)

    def test_the_machines_file_gets_the_value_its_interval_and_its_tests(self):
        row = Row("", 0, "lds_latency", {}, "m", 1.0, "cycle")
        fitted = calibrate.Fit({"lds.latency": 30}, {"lds.latency": 20}, None, None, {"lds.latency": 0.5},
                               {"lds.latency": [(0.1, row)]})
        text = calibrate.machine_text("[cu]\nlatency = 1 ; x\n[lds]\nlatency = 20   ; measured\n", fitted)
        self.assertEqual(text.splitlines()[1], "latency = 1 ; x")
        self.assertRegex(text.splitlines()[3], r"^latency = 30 +; fit: \+- 0.5, lds_latency$")

    def test_halves_share_no_value_of_the_axis(self):
        rows = [Row("", 0, "t", {"bytes": str(2 ** i)}, "m", 1.0, "cycle") for i in range(9)]
        for extrapolate, expected in ((False, {2, 8, 32, 128}), (True, {32, 64, 128, 256})):
            shown, out = leaveout.halves(rows, "bytes", extrapolate)
            self.assertEqual({int(row.fields["bytes"]) for row in out}, expected)
            self.assertEqual(len(shown) + len(out), 9)


class Validation(unittest.TestCase):
    def test_json_has_one_object_for_each_row_with_what_is_predicted_or_why_not(self):
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
        self.assertIn("board", entries[1]["unmodelled"])
        self.assertIn("unheard_of", entries[2]["unmodelled"])

    def test_a_machine_that_predicts_worse_is_told_so(self):
        rows = [row for row in measured_rows.read([HERE / "data/t1_lds.csv.gz"]) if row.test == "lds_latency"][:10]
        errors = [ablation.family_errors(rows, "h200", sets, 2)["lds"] for sets in ((), ("lds.latency=60",))]
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


class Page(unittest.TestCase):
    def test_it_has_every_part_and_every_picture(self):
        rows = validate.sample(measured_rows.read(measured_rows.public()), 200)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            made_up = [dict(validate.Result(row, predicted=row.value * 1.25).as_json()) for row in rows
                       if row.metric not in validate.NOT_TIMES]
            (folder / "p.json").write_text(json.dumps(made_up))
            (folder / "l.json").write_text(json.dumps([{"family": "lds", "axis": "pattern", "kind": "interpolation",
                                                        "parameters": 3, "fitted_rows": 10, "left_out_rows": 10,
                                                        "before": 0.4, "fitted": 0.02, "left_out": 0.0312}]))
            (folder / "a.json").write_text(json.dumps([{"mechanism": "all on", "sets": {}, "errors": {"lds": 0.02}},
                                                       {"mechanism": "merging", "sets": {"lds.merge": "none"},
                                                        "errors": {"lds": 0.18}}]))
            done = run_script("page.py", folder / "p.json", "--leaveout", folder / "l.json", "--ablation", folder / "a.json",
                              "--docs", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (folder / "accuracy.md").read_text()
            self.assertNotIn("{{", text)
            self.assertIn("| 25.0 | 25.0 | 25.0 | +25.0 |", text)
            self.assertIn("3.1", text)
            self.assertIn("lds 2.0 → 18.0", text)
            self.assertEqual(text.count("made without it"), 1)  # the second pass
            for name in ("scatter", "latency", "stages", "bandwidth"):
                self.assertIn(f"accuracy/{name}.png", text)
                self.assertGreater((folder / f"accuracy/{name}.png").stat().st_size, 5000)


if __name__ == "__main__":
    # Options of the test runner are GoogleTest's; so are the closing lines that it counts.
    outcome = unittest.main(argv=sys.argv[:1], exit=False).result
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"[  PASSED  ] {outcome.testsRun - bad} tests.")
    if bad:
        print(f"[  FAILED  ] {bad} tests.")
    sys.exit(bad != 0)
