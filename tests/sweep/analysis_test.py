#!/usr/bin/env python3
"""warpwait-sweep: answers equal closed forms, files are complete, errors are one line."""
import contextlib
import io
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bindings/python", "tests/sweep")]
sys.dont_write_bytecode = True
WARPWAIT = os.environ["WARPWAIT"] = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))

try:
    import matplotlib
    import numpy
    import pandas
    import scipy  # noqa: F401
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(0)
matplotlib.use("Agg")
import made_store  # noqa: E402
import warpwait.sweep  # noqa: E402
from matplotlib import pyplot  # noqa: E402
from warpwait.sweep import answers, optimize, pictures, sensitivity  # noqa: E402
from warpwait.sweep import store as store_module  # noqa: E402
from warpwait.sweep.command import main  # noqa: E402
from warpwait.sweep.expression import Expression, number_of  # noqa: E402


def sweep(*arguments):
    """`warpwait-sweep` with these arguments: status, standard output, standard error."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
    return status, output.getvalue(), errors.getvalue()


class Folder(unittest.TestCase):
    """Tests with a folder that contains the store of a ring of buffers."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.ring = cls.folder / "ring.sqlite"
        made_store.make(cls.ring, made_store.RING, made_store.ring)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def made(self, axes, function, **more):
        """A store with one metric, y."""
        path = self.folder / f"{self.id()}.sqlite"
        path.unlink(missing_ok=True)
        made_store.make(path, axes, lambda point: (function(point),), metrics=[("y", "", "")], **more)
        return warpwait.sweep.Store(path)

    def asked(self, *arguments):
        """The rows that a query prints as JSON."""
        status, output, errors = sweep("query", *arguments, "--json")
        self.assertEqual((status, errors), (0, ""))
        return json.loads(output)


class Expressions(unittest.TestCase):
    FRAME = pandas.DataFrame({"dma.channels": [1, 2, 4], "machine": ["a", "b", "a"], "zero": [0., 1, 2]})

    def test_expressions_have_the_same_values_as_in_sweep_files(self):
        nan = numpy.nan
        for text, values in (("dma.channels * 4K + 2^3^2", [4608, 8704, 16896]), ("-2^2", [-4] * 3),
                             ("machine == 'a' && dma.channels < 4", [1, 0, 0]), ("1 / zero", [nan, 1, .5]),
                             ("max(zero, 1, dma.channels)", [1, 2, 4]), ("-7 % 4", [-3] * 3), ("0x10", [16] * 3),
                             ("dma.channels == '2' || zero > 1", [0, 1, 1]), ("machine < 3", [0] * 3),
                             ("log2(dma.channels) == zero", [1, 1, 1]), ("!(1 / zero < 5)", [1, 0, 0])):
            numpy.testing.assert_array_equal(Expression(text).value(self.FRAME), values, text)
        self.assertEqual(list(Expression("1 / zero").holds(self.FRAME)), [False, True, True])

    def test_bad_expressions_are_reported_with_their_column(self):
        for text, message in (("1 < 2 < 3", "column 7.*do not chain"), ("dma.channels <", "column 15.*its end"),
                              ("(1", "column 3: expected '\\)'"), ("foo $", "column 5.*'\\$'"), ("max(1)", "2 arguments or more"),
                              ("(" * 100000, "nested deeper than 64"), ("", "column 1")):
            with self.assertRaisesRegex(warpwait.sweep.SweepError, message):
                Expression(text)

    def test_numbers_have_units(self):
        self.assertEqual([number_of(text) for text in ("64K", "-1.5e3", "0x40", "2G", "K", "1.2.3", "a", "")],
                         [65536, -1500, 64, 2 << 30, None, None, None, None])
        words = pandas.Series(["010", "8"], dtype=object)  # C reads the first as 8, so it is a word
        self.assertEqual(list(store_module.numbers_or_words(words)), ["010", "8"])


class Best(Folder):
    def test_the_best_point_is_the_smallest_and_the_first_of_equals(self):
        rows = self.asked("best", self.ring, "-n", "1000", "--where", "dma.channels <= 2")["rows"]
        cycles = [(row["cycles"], row["number"]) for row in rows]
        self.assertEqual(cycles, sorted(cycles))
        self.assertEqual(rows[0]["cycles"],
                         made_store.ring(dict(zip(made_store.RING, (2, 4, 5, 200, "h200"))))[0])
        self.assertTrue(all(row["dma.channels"] <= 2 for row in rows))
        most = self.asked("best", self.ring, "-n", "1", "--by", "max:cycles / cost")["rows"][0]
        frame = warpwait.sweep.Store(self.ring).frame(["cycles", "cost"])
        self.assertAlmostEqual(most["cycles / cost"], (frame["cycles"] / frame["cost"]).max())

    def test_a_point_without_a_cost_may_be_the_best(self):
        store = self.folder / "nocost.sqlite"
        made_store.make(store, {"a": [1, 2]}, lambda point: (point["a"] * 10, 0, None if point["a"] == 1 else 7.))
        rows = self.asked("best", store)["rows"]
        self.assertEqual([(row["cycles"], row["cost"]) for row in rows], [(10, None), (20, 7)])

    def test_a_front_has_exactly_the_points_that_no_other_beats(self):
        random = numpy.random.default_rng(1)
        for count in (2, 3, 4):
            losses = numpy.unique(random.integers(0, 30, (600, count)).astype(float), axis=0)
            beaten = [((losses <= row).all(axis=1) & (losses < row).any(axis=1)).any() for row in losses]
            self.assertEqual(sorted(answers.front(losses)), list(numpy.flatnonzero(~numpy.array(beaten))))

    def test_a_front_counts_equal_points(self):
        store = self.made({"a": [0, 1, 2, 3], "b": [1, 2]}, lambda point: point["a"] % 2)
        front = warpwait.sweep.pareto(store, "y,b")
        self.assertEqual(front[["number", "y", "b", "points"]].values.tolist(), [[0, 0, 1, 2]])
        front = warpwait.sweep.pareto(store, "max:y,min(b, 5)")
        self.assertEqual(front[["y", "b", "points"]].values.tolist(), [[1, 1, 2]])

    def test_points_that_did_not_finish_are_counted_by_reason(self):
        answer = self.asked("errors", self.ring)
        self.assertEqual([row["points"] for row in answer["rows"]],
                         [sum(queue < channels for queue in made_store.RING["dma.queue"]
                              for channels in made_store.RING["dma.channels"]) * 6])
        self.assertEqual(answer["points"], 864)

    def test_text_aligns_numbers_right_and_words_left(self):
        path = self.folder / "text.sqlite"
        made_store.make(path, {"queue": [5, 10], "machine": ["h200", "x"]}, lambda point: (point["queue"] / 4,),
                        metrics=[("wait.mean", "us", "")])
        self.assertEqual(sweep("query", "table", path, "--metrics", "wait.mean")[1], """\
number  status    queue  machine  wait.mean (us)  reason
     0  finished      5  h200               1.25
     1  finished      5  x                  1.25
     2  finished     10  h200                2.5
     3  finished     10  x                   2.5
""")

    def test_a_table_as_csv_has_all_points(self):
        status, output, _ = sweep("query", "table", self.ring, "--csv", "--metrics", "cycles")
        frame = pandas.read_csv(io.StringIO(output))
        self.assertEqual((status, len(frame), frame["cycles"].isna().sum()), (0, 864, 36))
        self.assertNotIn(".0,", output)


    def test_csv_has_no_cells_that_a_spreadsheet_would_execute(self):
        path = self.folder / "formula.sqlite"
        made_store.make(path, {"define.A": ["=cmd|' /C calc'!A0", "@SUM(1)", "-2+3", "-3"]}, lambda _: (-1.5,),
                        metrics=[("cost", "", "")])
        whole = subprocess.run([WARPWAIT, "sweep", "csv", path],
                               capture_output=True, text=True, check=True).stdout
        for output in (sweep("query", "table", path, "--csv", "--metrics", "cost")[1], whole):
            frame = pandas.read_csv(io.StringIO(output), dtype=str)
            self.assertEqual(frame["define.A"].tolist(), ["'=cmd|' /C calc'!A0", "'@SUM(1)", "'-2+3", "-3"])
            self.assertEqual(frame["cost"].tolist(), ["-1.5"] * 4)


class Knees(Folder):
    def test_the_knee_of_a_hyperbola_is_where_its_slope_equals_that_of_the_chord(self):
        # y = 1/x on [1, n]: y' = -1/x^2 equals the chord's slope -1/n at x = sqrt(n).
        store = self.made({"x": range(1, 101)}, lambda point: 1 / point["x"])
        points, place = warpwait.sweep.knee(store, "x", "y")
        self.assertEqual(points["x"][place], 10)
        self.assertEqual(points.attrs["scale"], "linear")
        # below the chord by 1 - (x - 1) / 99 - (1/x - 1/100) / (99/100)
        self.assertAlmostEqual(points["distance"][place], 1 - 9 / 99 - (.1 - .01) / .99)

    def test_the_knee_of_a_bent_line_is_the_bend(self):
        store = self.made({"x": [1, 2, 4, 8, 16], "z": [0, 5]}, lambda point: max(8 / point["x"], 2) + point["z"])
        points, place = warpwait.sweep.knee(store, "x", "y")
        self.assertEqual((points["x"][place], points.attrs["scale"], list(points["y"])), (4, "log", [8, 4, 2, 2, 2]))
        self.assertEqual(list(warpwait.sweep.curve(store, "x", "y", at=["z=5"])["y"]), [13, 9, 7, 7, 7])

    def test_a_straight_line_has_no_knee(self):
        store = self.made({"x": range(10)}, lambda point: 5 - point["x"] - .01 * (point["x"] == 4))
        self.assertIsNone(warpwait.sweep.knee(store, "x", "y")[1])
        status, output, _ = sweep("query", "knee", store.path, "--axis", "x", "--by", "y")
        self.assertEqual((status, "No knee" in output), (0, True))


class Sensitivities(Folder):
    def test_elasticities_of_a_power_law_are_its_exponents(self):
        store = self.made({"a": [1, 2, 4], "b": [3, 5, 9], "w": ["x", "y"]},
                          lambda point: 7 * point["a"] ** -1.5 * point["b"] ** .25)
        table, base = warpwait.sweep.around(store, "y", at=["a=2", "b=5"])
        found = table.set_index("factor")
        self.assertEqual((base["a"], base["b"]), (2, 5))
        self.assertAlmostEqual(found["elasticity"]["a"], -1.5)
        self.assertAlmostEqual(found["elasticity"]["b"], .25)
        self.assertTrue(numpy.isnan(found["elasticity"]["w"]))
        self.assertAlmostEqual(found["swing"]["a"], 7 * 5 ** .25 * (1 - 4 ** -1.5))
        edge = warpwait.sweep.around(store, "y")[0].set_index("factor")  # the best point: a = 4, b = 3
        self.assertEqual(list(edge["from"][["a", "b"]]), ["2..4", "3..5"])
        self.assertAlmostEqual(edge["elasticity"]["a"], -1.5)

    def test_elasticities_at_zero_come_from_slopes(self):
        store = self.made({"a": [0, 2, 4]}, lambda point: 10 + 4 * point["a"])
        row = warpwait.sweep.around(store, "y", at=["a=2"])[0].iloc[0]
        self.assertAlmostEqual(row["elasticity"], 4 * 2 / 18)
        self.assertEqual(row["from"], "0..4 linear")

    A, B, LEVELS = 7, .1, 40

    def ishigami(self):
        """An axis's levels, Ishigami's function, and its shares: first-order and total."""
        level = -numpy.pi + 2 * numpy.pi * (numpy.arange(self.LEVELS) + .5) / self.LEVELS
        fourth = self.B * numpy.pi ** 4 / 5
        parts = [(1 + fourth) ** 2 / 2, self.A ** 2 / 8, 8 * self.B ** 2 * numpy.pi ** 8 / 225]  # of 1, 2, and 1 with 3
        first, total = [parts[0], parts[1], 0], [parts[0] + parts[2], parts[1], parts[2]]
        return (level, lambda x, y, z: numpy.sin(x) + self.A * numpy.sin(y) ** 2 + self.B * z ** 4 * numpy.sin(x),
                numpy.array(first) / sum(parts), numpy.array(total) / sum(parts))

    def test_shares_of_a_grid_match_the_ishigami_function(self):
        level, function, first, total = self.ishigami()
        codes = numpy.array(list(numpy.ndindex(3 * (self.LEVELS,))))
        found = sensitivity.shares(codes, function(*level[codes].T), ["x", "y", "z"])
        table = found.table.set_index("factor").loc[["x", "y", "z"]]
        self.assertEqual(found.how, "grid")
        numpy.testing.assert_allclose(table["first"], first, atol=.002)
        numpy.testing.assert_allclose(table["total"], total, atol=.002)

    def test_shares_of_a_sample_are_near_the_ishigami_function(self):
        level, function, first, total = self.ishigami()
        codes = numpy.random.default_rng(7).integers(0, self.LEVELS, (2000, 3))
        found = sensitivity.shares(codes, function(*level[codes].T), ["x", "y", "z"])
        table = found.table.set_index("factor").loc[["x", "y", "z"]]
        numpy.testing.assert_allclose(table["first"], first, atol=.03)
        numpy.testing.assert_allclose(table["total"], total, atol=.03)
        self.assertEqual(found.how, "fit")
        self.assertGreater(found.explained, .999)

    def test_a_fit_to_a_whole_grid_gives_the_exact_shares(self):
        grid = numpy.random.default_rng(3).random((2, 3, 2)) + numpy.arange(12).reshape(2, 3, 2)
        codes = numpy.array(list(numpy.ndindex(grid.shape)))
        exact = sensitivity.shares(codes, grid.ravel(), list("abc"))
        found = sensitivity.fit_shares(numpy.repeat(codes, 3, axis=0), numpy.repeat(grid.ravel(), 3))
        exact = exact.table.set_index("factor").loc[list("abc")]
        numpy.testing.assert_allclose(found[0], exact["first"], atol=1e-9)
        numpy.testing.assert_allclose(found[1], exact["total"], atol=1e-9)

    def test_shares_of_a_constrained_grid_count_only_its_points(self):
        # y = a on the points a <= b of 1..3: (1,1) (1,2) (1,3) (2,2) (2,3) (3,3); V = 5/9.
        # E(y | b) is 1, 3/2, 2 for 1, 2, 3 points: V = 5/36. V(y | b) is 0, 1/4, 2/3: E = 5/12.
        axes = {"a": [1, 2, 3], "b": [1, 2, 3]}
        rows = [number for number in range(9) if number // 3 <= number % 3]
        found = warpwait.sweep.over_all(self.made(axes, lambda point: point["a"], rows=rows), "y")
        table = found.table.set_index("factor")
        self.assertEqual(found.how, "part")
        numpy.testing.assert_allclose(table["first"][["a", "b"]], [1, 1 / 4])
        numpy.testing.assert_allclose(table["total"][["a", "b"]], [3 / 4, 0], atol=1e-12)

    def test_samples_are_fitted(self):
        axes = {"a": range(10), "b": range(10), "c": range(10)}
        path = self.folder / "sample.sqlite"
        drawn = numpy.random.default_rng(2).permutation(1000)[:200]
        made_store.make(path, axes, lambda point: (point["a"] + 2 * point["b"],), rows=drawn.tolist(),
                        metrics=[("y", "", "")])
        with contextlib.closing(sqlite3.connect(path)) as base:
            base.execute("UPDATE points SET number = rowid")
            base.commit()
        found = warpwait.sweep.over_all(warpwait.sweep.Store(path), "y")
        table = found.table.set_index("factor")
        self.assertEqual(found.how, "fit")
        self.assertGreater(found.explained, .999)
        numpy.testing.assert_allclose(table["total"][["a", "b", "c"]], [.2, .8, 0], atol=.05)

    def test_points_without_neighbors_give_only_shares(self):
        axes = {name: range(10) for name in "abcdef"}
        path = self.folder / "sparse.sqlite"
        made_store.make(path, axes, lambda point: (point["a"] + 2 * point["b"],), metrics=[("y", "", "")],
                        rows=numpy.random.default_rng(2).permutation(1000000)[:60].tolist())
        answer = self.asked("sensitivity", path, "--by", "y")
        self.assertEqual(list(answer["rows"][0]), ["factor", "levels", "first", "total"])
        for verb, out in (("plot tornado", "sparse.png"), ("report", "sparse.html")):
            self.assertEqual(sweep(*verb.split(), path, "--by", "y", "-o", self.folder / out), (0, "", ""))

    def test_noise_is_not_explained(self):
        random = numpy.random.default_rng(5)
        found = sensitivity.shares(random.integers(0, 5, (300, 4)), random.random(300), list("abcd"))
        self.assertLess(found.explained, .1)

    def test_axes_of_a_zip_are_one_factor(self):
        def there(number):
            return number // 3 % 3 == number % 3  # of axes a, r, w: the points where r and w have the same level
        store = self.made({"a": [1, 2], "r": [16, 32, 64], "w": [16, 32, 64]},
                          lambda point: point["a"] + point["r"] / 16, factors="a r+w",
                          rows=[number for number in range(18) if there(number)])
        self.assertEqual(store.factors, [["a"], ["r", "w"]])
        found = warpwait.sweep.over_all(store, "y")
        self.assertEqual((found.how, list(found.table["factor"])), ("grid", ["r+w", "a"]))
        variances = numpy.array([14 / 9, 1 / 4])  # of 1, 2, 4 and of 1, 2
        numpy.testing.assert_allclose(found.table["first"], variances / variances.sum())
        self.assertEqual(warpwait.sweep.around(store, "y")[0]["high_at"][0], "64/64")


class Pictures(Folder):
    KINDS = [("hiding", "--axis", "define.DEPTH", "--lines", "mem.dram_latency"),
             ("heat", "--axes", "dma.queue,define.DEPTH"), ("pareto",), ("tornado",)]

    def test_words_are_not_drawn_as_formulas(self):
        path = self.folder / "dollars.sqlite"
        axes = {"define.W": ["$a_{$", "<b>", "$\\frac$"], "a": [1, 2, 3]}
        made_store.make(path, axes, lambda point: (len(point["define.W"]) + point["a"], 0, point["a"]))
        for words in (["plot", "hiding", path, "--axis", "a", "--lines", "define.W", "-o", self.folder / "d.png"],
                      ["plot", "heat", path, "--axes", "a,define.W", "-o", self.folder / "d.svg"],
                      ["report", path, "-o", self.folder / "d.html"]):
            self.assertEqual(sweep(*words), (0, "", ""))
        self.assertIn(">$a_{$<", (self.folder / "d.html").read_text())

    def test_picture_settings_in_the_current_folder_are_ignored(self):
        (self.folder / "matplotlibrc").write_text("text.usetex: True\nbackend: module://no.such\n")
        for words in (["plot", "tornado", self.ring, "-o", "t.svg"], ["report", self.ring, "-o", "r.html"]):
            done = subprocess.run([sys.executable, "-B", ROOT / "bindings/python/warpwait-sweep", *words], cwd=self.folder,
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertTrue((self.folder / words[-1]).is_file())

    def test_a_full_disk_is_reported(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = subprocess.run([sys.executable, ROOT / "bindings/python/warpwait-sweep", "query", "table", self.ring],
                                  stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "warpwait-sweep: standard output: No space left on device\n"))

    def texts_of(self, *words):
        out = self.folder / "texts.svg"
        self.assertEqual(sweep("plot", *words, "-o", out), (0, "", ""))
        return [part.text for part in xml.etree.ElementTree.parse(out).iter() if part.tag.endswith("}text")]

    def test_titles_name_the_points_that_are_shown(self):
        where = "mem.dram_latency == 400"
        for name, *more in self.KINDS:
            said = self.texts_of(name, self.ring, *more, "--where", where)
            self.assertEqual([text for text in said if text.endswith(where)], [("from the best point with " if name == "tornado" else "") + where])

    def test_logarithmic_axes_have_plain_numbers(self):
        path = self.folder / "wide.sqlite"
        made_store.make(path, {"a": [1, 2, 3, 4]}, lambda point: (20 ** point["a"], 0, point["a"]))
        said = self.texts_of("pareto", path, "--over", "cycles,a")
        self.assertTrue({"100", "1,000", "10,000"} < set(said), said)
        self.assertNotIn("$", "".join(said))

    def test_equal_input_gives_equal_pictures(self):
        for name, *more in self.KINDS:
            made = []
            for suffix in ("a.png", "b.png", "a.svg"):
                out = self.folder / f"{name}-{suffix}"
                self.assertEqual(sweep("plot", name, self.ring, *more, "--dpi", "40", "-o", out), (0, "", ""))
                made.append(out.read_bytes())
            self.assertEqual(made[0], made[1])
            self.assertTrue(xml.etree.ElementTree.fromstring(made[2]).tag.endswith("svg"))
        pyplot.close("all")
        self.assertEqual(list(self.folder.glob(".*.*.*")), [])

    def test_lines_show_the_best_point_of_each_value(self):
        store = warpwait.sweep.Store(self.ring)
        points = store.frame(["cycles"])
        ax, _ = pictures.lines(store, "define.DEPTH", over="mem.dram_latency")
        for line, latency in zip(ax.lines, made_store.RING["mem.dram_latency"]):
            best = points[points["mem.dram_latency"] == latency].groupby("define.DEPTH")["cycles"].min()
            self.assertEqual(line.get_label(), f"mem.dram_latency = {latency}")
            self.assertEqual((list(line.get_xdata()), list(line.get_ydata())), (list(best.index), list(best)))
        ax, table = pictures.heat(store, ("dma.queue", "define.DEPTH"))
        best = points.groupby(["define.DEPTH", "dma.queue"])["cycles"].min()
        self.assertEqual(ax.collections[0].get_array().ravel().tolist(), list(best))
        self.assertEqual(table.shape, (6, 6))
        ax, front = pictures.pareto(store)
        self.assertEqual(list(ax.lines[1].get_ydata()), list(front["cycles"]))
        ax, front = pictures.pareto(self.made({"a": [1, 2], "b": [1, 2]}, lambda point: point["a"] + point["b"]), "y,b")
        self.assertEqual([line.get_label() for line in ax.lines], ["4 points", "front: 1 point"])
        pyplot.close("all")

    def test_tornado_bars_are_swings_and_shares(self):
        ax, table = pictures.tornado(self.made({"a": [1, 2, 4], "b": [1, 2]}, lambda point: point["a"] + point["b"]),
                                     "y", at=["a=2", "b=1"])
        self.assertEqual([(bar.get_x(), bar.get_width()) for bar in ax[0].patches], [(3, -1), (3, 2), (3, 1)])
        numpy.testing.assert_allclose([bar.get_width() for bar in ax[1].containers[0]], table["total"] * 100)
        said = [[text.get_text() for text in axes.texts] for axes in ax]
        self.assertEqual(said[0], ["2 at 1", "5 at 4", "4 at 2"])
        for text, first, total in zip(said[1], table["first"], table["total"]):
            self.assertEqual(text, f" {total * 100:.0f} % ({first * 100:.0f} % alone)")
        for axes in ax:  # no number is cut off or covers another
            axes.figure.draw_without_rendering()
            inside, boxes = axes.get_window_extent(), [text.get_window_extent() for text in axes.texts]
            self.assertTrue(all(inside.x0 <= box.x0 and box.x1 <= inside.x1 for box in boxes), said)
        still = pictures.tornado(self.made({"a": [1, 2], "b": [1, 2]}, lambda point: point["a"]), "y")[0]
        self.assertIn("no change", [text.get_text() for text in still[0].texts])
        pyplot.close("all")

    def test_each_line_has_its_own_color_and_marker(self):
        lines = 14
        store = self.made({"a": [1, 2, 3], "b": list(range(lines))}, lambda point: point["a"])  # they coincide
        ax, _ = pictures.lines(store, "a", by="y", over="b")
        for looks in ([line.get_color() for line in ax.lines], [line.get_marker() for line in ax.lines]):
            self.assertEqual(len(set(looks)), lines)
        widths = [(line.get_linewidth(), line.get_markersize()) for line in ax.lines]
        self.assertEqual(widths, sorted(widths, reverse=True))
        self.assertEqual(len(set(widths)), lines)
        pyplot.close("all")


class Reports(Folder):
    def test_a_report_is_one_page_that_needs_no_other_files(self):
        pages = []
        for name in ("a.html", "b.html"):
            self.assertEqual(sweep("report", self.ring, "-o", self.folder / name), (0, "", ""))
            pages.append((self.folder / name).read_text())
        page = pages[0]
        self.assertEqual(page, pages[1])
        self.assertEqual(set(re.findall(r"https?://[^\"' <]*", page)),
                         {"http://www.w3.org/1999/xlink", "http://www.w3.org/2000/svg"})  # names, not addresses
        self.assertFalse(re.findall(r"<(?:script|link|img|iframe)|@import|src=", page))
        self.assertEqual(page.count("<svg"), 4)
        identities = re.findall(r' id="([^"]*)"', page)
        self.assertEqual(len(identities), len(set(identities)))
        self.assertTrue(set(re.findall(r"url\(#([^)]*)\)", page)) <= set(identities))
        self.assertIn("warps 0 and 1 wait for copies that no channel takes", page)

    def test_text_from_a_store_is_escaped(self):
        odd = self.folder / "odd.sqlite"
        made_store.make(odd, {"machine": ["<b>&", "x"], "a": [1, 2]},
                        lambda point: (point["a"], 0, 1) if point["machine"] == "x" else "failed:<script>1</script>")
        self.assertEqual(sweep("report", odd, "-o", self.folder / "odd.html"), (0, "", ""))
        page = (self.folder / "odd.html").read_text()
        self.assertIn("&lt;script&gt;", page)
        self.assertFalse(re.findall("<script|<b>&", page))

    def test_a_report_of_few_points_says_what_is_missing(self):
        one = self.folder / "one.sqlite"
        made_store.make(one, {"a": [1, 2]}, lambda point: (5,), metrics=[("y", "", "")])
        self.assertEqual(sweep("report", one, "--by", "y", "-o", self.folder / "one.html"), (0, "", ""))
        page = (self.folder / "one.html").read_text()
        for text in ("The plan has no cost", "is the same in all 2 points", "All points finished."):
            self.assertIn(text, page.replace("\N{NO-BREAK SPACE}", " "))


class Fake:
    """Evaluates points by a function instead of a simulator."""

    def __init__(self, path, axes, function):
        self.path, self.axes, self.function, self.ran = path, axes, function, []

    def run(self, numbers):
        self.ran += numbers
        made_store.add(self.path, self.axes, self.function, numbers)


class Searches(Folder):
    AXES = {"a": range(20), "b": range(16), "c": ["x", "y"], "d": range(10), "e": [7]}

    @staticmethod
    def bowl(point):
        """A bowl in two axes, a step between words, and an axis with a cost; some points do not finish, some are
        excluded."""
        if point["a"] == 3 and point["b"] % 4 == 1:
            return "deadlock:always"
        if point["a"] == 5:
            return None
        return ((point["a"] - 4) ** 2 + (point["b"] - 9) ** 2 + 30 * (point["c"] == "x") - point["d"] + 100, 0,
                point["d"] * 10 + point["b"])

    def searched(self, name, **more):
        """The result of a search in a store (made unless it exists), and its evaluator."""
        path = self.folder / f"{name}.sqlite"
        if not path.exists():
            made_store.make(path, self.AXES, self.bowl, rows=[])
        fake = Fake(path, self.AXES, self.bowl)
        return optimize.search(warpwait.sweep.Store(path), fake, **more), fake

    def test_a_search_finds_the_best_point_with_few_runs(self):
        found, fake = self.searched("few")
        self.assertEqual(list(found.best[["a", "b", "c", "d", "e", "cycles"]]), [4, 9, "y", 9, 7, 91])
        self.assertEqual(found.grid, 6400)
        self.assertLess(found.asked, 1001)
        self.assertEqual(len(fake.ran), len(set(fake.ran)))
        self.assertEqual(len(fake.ran), found.asked)
        self.assertGreater(found.none, 0)

    def test_limits_are_met_and_limits_on_axes_cost_no_run(self):
        for limit, ran in (("cost <= 30", False), ("d * 10 + b <= 30", True)):
            found, fake = self.searched("limit", limits=[limit], seed=3)
            self.assertEqual(list(found.best[["a", "b", "c", "d", "cycles"]]), [4, 9, "y", 2, 98], limit)
            self.assertEqual(found.left_out > 0, ran)
        numbers = [made_store.point_of(self.AXES, number) for number in fake.ran]
        self.assertTrue(all(point["d"] * 10 + point["b"] <= 30 for point in numbers))

    def test_a_cost_computed_from_axes_needs_no_run(self):
        path = self.folder / "cost.sqlite"
        made_store.make(path, self.AXES, self.bowl, rows=[], cost="d * 10 + b")
        found, fake = self.searched("cost", limits=["cost <= 30"])
        self.assertEqual(found.best["cycles"], 98)
        self.assertGreater(found.left_out, 0)

    def test_a_search_continues_where_it_stopped(self):
        whole, fake = self.searched("whole", most=700, seed=5)
        part, first = self.searched("part", most=300, seed=5)
        rest, second = self.searched("part", most=700, seed=5)
        again = [number for number in second.ran if number in first.ran]
        self.assertFalse(any(self.is_point(number) for number in again))  # excluded points cost no run
        self.assertEqual([number for number in second.ran if number not in again], fake.ran[300:])
        self.assertEqual((rest.best["key"], rest.asked, rest.generations),
                         (whole.best["key"], whole.asked, whole.generations))
        self.assertEqual(part.asked, 300)

    def is_point(self, number):
        return self.bowl(made_store.point_of(self.AXES, number)) is not None

    def test_limits_that_no_point_meets_leave_no_best_point(self):
        found, _ = self.searched("none", limits=["cost < 0"], most=300)
        self.assertIsNone(found.best)

    def test_excess_is_how_far_a_comparison_is_from_true(self):
        frame = pandas.DataFrame({"x": [1., 3, 9, numpy.nan]})
        numpy.testing.assert_allclose(optimize.Limit("x <= 3").excess(frame), [0, 0, 6 / 12, 1])
        numpy.testing.assert_allclose(optimize.Limit("3 < x").excess(frame), [2 / 4, 1e-9, 0, 1])
        numpy.testing.assert_allclose(optimize.Limit("x < 3 && x < 2").excess(frame), [0, 1, 1, 1])


class Program(Folder):
    """Uses the program itself: a sweep of an example."""

    PLAN = f"""[sweep]
launch = {ROOT}/examples/05_double_buffer/launch.json
cost = dma.channels * 512 + dma.queue * 64
[axes]
dma.channels = 1 2 4 8
dma.queue = 1..16*2
mem.dram_latency = 100 400
[zip ports]
dma.read_width = 16 64
dma.write_width = 16 64
[constraints]
room = dma.channels <= dma.queue
"""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plan = cls.folder / "plan.ini"
        cls.plan.write_text(cls.PLAN)

    def warpwait(self, *words):
        """`warpwait sweep` with these words: status, standard output, standard error."""
        done = subprocess.run([WARPWAIT, "sweep", *map(str, words)], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_a_search_finds_the_best_point_of_a_real_store(self):
        status, _, errors = self.warpwait("run", self.plan, "--quiet")
        self.assertEqual((status, errors), (0, ""))
        status, output, errors = self.warpwait("query", "best", self.folder / "plan.sqlite", "-n", "1", "--json")
        self.assertEqual((status, errors), (0, ""))
        best = json.loads(output)["rows"][0]
        store = warpwait.sweep.Store(self.folder / "plan.sqlite")
        self.assertEqual(store.factors[-1], ["dma.read_width", "dma.write_width"])
        grid = optimize.Grid(store)
        for row in store.frame().itertuples():
            level, number = [], row.number
            for size in reversed(grid.sizes):
                level.insert(0, number % size)
                number //= size
            frame = grid.frame(numpy.array([level]))
            self.assertEqual((frame["key"][0], grid.numbers(numpy.array([level]))[0]), (row.key, row.number))
        status, output, errors = self.warpwait("optimize", self.plan, "-o", self.folder / "search.sqlite", "--json",
                                               "--most", "60", "--limit", "cost <= 4096")
        self.assertEqual((status, errors), (0, ""))
        found = json.loads(output)
        within = store.frame(["cycles"], where="cost <= 4096")
        self.assertEqual(found["rows"][0]["cycles"], within["cycles"].min())
        self.assertLess(found["asked"], found["grid"])
        self.assertGreaterEqual(best["cycles"], 1)

    def test_only_listed_points_are_run(self):
        listed, out = self.folder / "listed", self.folder / "listed.sqlite"
        for text, there in (("", []), ("7\n3\n7\n", [3, 7]), ("3\n9", [3, 7, 9])):
            listed.write_text(text)
            status, _, errors = self.warpwait("run", self.plan, "--quiet", "--points", listed, "-o", out)
            self.assertEqual((status, errors), (0, ""))
            with contextlib.closing(sqlite3.connect(out)) as base:
                rows = base.execute("SELECT number FROM points ORDER BY number").fetchall()
            self.assertEqual([number for number, in rows], there)
        for text in ("80\n", "x", "1\n\n2", "1 2", "-1"):
            listed.write_text(text)
            status, _, errors = self.warpwait("run", self.plan, "--points", listed, "-o", out)
            self.assertEqual(status, 2)
            self.assertRegex(errors, r"^warpwait: .*listed:\d: .* is not the number of a point, from 0 to 79\n$")

    def test_a_missing_sweep_file_is_reported_in_one_line(self):
        status, output, errors = self.warpwait("optimize", self.folder / "nowhere.ini")
        self.assertEqual((status, output), (2, ""))
        self.assertRegex(errors, "^warpwait-sweep: .*nowhere.ini: No such file or directory\n$")


class Errors(Folder):
    def refused(self, message, *arguments):
        """Asserts exit status 2 and this one line, nothing else."""
        status, output, errors = sweep(*arguments)
        self.assertRegex(errors, f"^warpwait-sweep: .*{message}.*\n$")
        self.assertEqual((status, output, errors.count("\n")), (2, "", 1))

    def test_files_that_are_not_stores_are_reported(self):
        self.refused("nowhere.sqlite: No such file", "query", "best", self.folder / "nowhere.sqlite")
        self.refused("is a folder", "query", "best", self.folder)
        self.refused("expected a store of `warpwait sweep`: file is not a database", "query", "best", __file__)
        other = self.folder / "other.sqlite"
        with contextlib.closing(sqlite3.connect(other)) as base:
            base.execute("CREATE TABLE sweep(a)")
        self.refused("without the table axes", "query", "best", other)
        with contextlib.closing(sqlite3.connect(other)) as base:
            base.executescript("PRAGMA user_version = 1; "
                               "CREATE TABLE axes(a); CREATE TABLE metrics(a); CREATE TABLE points(a)")
        self.refused("other.sqlite: expected a store of `warpwait sweep`: .*no such column", "query", "best", other)

    def test_inconsistent_tables_are_reported(self):
        other = self.folder / "fit.sqlite"
        made_store.make(other, made_store.RING, made_store.ring, rows=[0], factors="dma.queue")
        self.refused("`factors` and `axes` have different axes", "query", "best", other)
        with contextlib.closing(sqlite3.connect(other)) as base:
            base.execute("UPDATE metrics SET name = 'moon' WHERE name = 'cost'")
            base.commit()
        self.refused("`points` has no column moon", "query", "best", other)

    def changed(self, name, statement, *values):
        """A store of the ring with one change."""
        path = self.folder / name
        made_store.make(path, made_store.RING, made_store.ring)
        with contextlib.closing(sqlite3.connect(path)) as base:
            base.execute(statement, values)
            base.commit()
        return path

    def test_a_huge_cell_is_reported(self):
        huge = self.changed("huge.sqlite", 'UPDATE points SET "dma.queue" = zeroblob(1 << 25) WHERE number = 1')
        for words in (["query", "table", huge], ["report", huge, "-o", self.folder / "huge.html"]):
            self.refused("huge.sqlite: expected a store of `warpwait sweep`: string or blob too big", *words)

    def test_a_value_with_very_many_digits_is_a_word(self):
        path = self.changed("digits.sqlite", 'UPDATE points SET "dma.queue" = ? WHERE number = 1', "9" * 40000 + "x")
        self.assertEqual(sweep("query", "best", path)[0], 0)

    def test_infinite_values_are_not_measurements(self):
        path = self.changed("infinite.sqlite", "UPDATE points SET cycles = 9e999 WHERE number = 1")
        self.assertEqual(sweep("report", path, "-o", self.folder / "infinite.html"), (0, "", ""))
        path = self.changed("axis.sqlite", 'UPDATE points SET "dma.queue" = 9e999 WHERE number = 1')
        self.assertEqual(sweep("report", path, "-o", self.folder / "axis.html"), (0, "", ""))

    def test_a_store_of_another_version_is_reported(self):
        other = self.folder / "version.sqlite"
        made_store.make(other, made_store.RING, made_store.ring, rows=[0])
        with contextlib.closing(sqlite3.connect(other)) as base:
            base.execute("PRAGMA user_version = 2")
        self.refused("version.sqlite: has version 2, but this program reads version 1", "query", "best", other)

    def test_a_store_without_points_is_reported(self):
        empty, none = self.folder / "empty.sqlite", self.folder / "none.sqlite"
        made_store.make(empty, made_store.RING, made_store.ring, rows=[])
        made_store.make(none, made_store.RING, lambda point: "refused:dma.queue: 0", rows=[3, 4])
        for name, *more in (("best",), ("pareto",), ("sensitivity",), ("knee", "--axis", "dma.queue")):
            self.refused("empty.sqlite: the store has no points yet", "query", name, empty, *more)
            self.refused("none.sqlite: none of its 2 points finished; `query errors`", "query", name, none, *more)

    def test_times_are_compared_where_an_axis_varies_the_clock(self):
        clocked = self.folder / "clocked.sqlite"
        metrics = [("cycles", "cycles", ""), ("microseconds", "us", ""), ("cost", "", "")]
        axes = {"machine": ["slow", "fast"], "dma.queue": [1, 2, 4]}

        def point(at):
            clock = 500 if at["machine"] == "slow" else 2000
            cycles = (1000 if at["machine"] == "slow" else 1500) / at["dma.queue"]
            return cycles, cycles / clock, at["dma.queue"]

        made_store.make(clocked, axes, point, metrics=metrics)
        note = "Clocks differ (500, 2000 MHz), so cycles are not times"
        status, output, _ = sweep("query", "best", clocked, "-n", 1)
        self.assertEqual(status, 0)
        self.assertRegex(output, r"\n +5 +0\.188 +375 +4 +fast +4\n")
        self.assertNotIn("Clocks differ", output)
        self.assertIn("microseconds", sweep("query", "pareto", clocked)[1])
        for question in (("best", "--by", "cycles"), ("best", "--by", "cycles * cost"), ("pareto", "--over", "cycles,cost"),
                         ("knee", "--axis", "dma.queue", "--by", "cycles"), ("sensitivity", "--by", "cycles")):
            self.assertIn(note, sweep("query", question[0], clocked, *question[1:])[1])
        self.assertNotIn("Clocks differ", sweep("query", "best", clocked, "--by", "cycles", "--where", "machine == 'fast'")[1])
        page = self.folder / "clocked.html"
        self.assertEqual(sweep("report", clocked, "--by", "cycles", "-o", page)[0], 0)
        self.assertIn(note, page.read_text().replace("\xa0", " "))

    def test_unknown_options_are_reported_with_the_nearest_name(self):
        self.refused("--byy: no such option; did you mean '--by'?", "query", "best", "s", "--byy", "cycles")

    def test_unknown_names_are_reported_with_the_nearest_name(self):
        for message, *arguments in (
                ("cycels: no axis or metric with this name; did you mean 'cycles'?", "best", "--by", "cycels"),
                ("did you mean 'dma.channels'?", "best", "--where", "dma.chanels == 1"),
                ("did you mean 'dma.queue'?", "knee", "--axis", "dma.queu"),
                ("did you mean 'hiding.exposed_cycles'?", "table", "--metrics", "hiding.exposed"),
                ("mem.dram_latency=300: no such value; there are 200, 400, 600", "sensitivity", "--at",
                 "mem.dram_latency=300"),
                ("expected AXIS=VALUE", "sensitivity", "--at", "dma.queue"),
                ("expected min:METRIC", "best", "--by", "most:cycles"),
                ("two objectives", "pareto", "--over", "cycles"),
                ("machine: a knee needs an axis of numbers", "knee", "--axis", "machine"),
                ("no point satisfies `dma.queue > 99`", "best", "--where", "dma.queue > 99"),
                ("machine,dma.queue,x: expected two axes", "heat", "--axes", "machine,dma.queue,x", "-o", "x.png"),
                ("dma.queue: expected two axes, found", "heat", "--axes", "dma.queue,dma.queue", "-o", "x.png"),
                ("name that ends in .png or .svg", "tornado", "-o", "x.pdf"),
                ("the same in all", "sensitivity", "--by", "1"),
                ("at least 1", "best", "-n", "0")):
            verb = "plot" if "-o" in arguments else "query"
            self.refused(message, verb, arguments[0], self.ring, *arguments[1:])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
