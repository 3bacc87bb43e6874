#!/usr/bin/env python3
"""warpwait-plot and warpwait.plot: pictures agree with reports and timelines, files are complete, errors are
reported."""
import contextlib
import io
import itertools
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
sys.dont_write_bytecode = True
WARPWAIT = os.environ.setdefault("WARPWAIT", str(ROOT / "build/warpwait"))

try:
    import matplotlib
    import numpy
    import pandas
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(0)
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402
from matplotlib.path import Path as Outline  # noqa: E402
from warpwait import plot as plots  # noqa: E402
from warpwait.plot.command import main  # noqa: E402
from warpwait.plot import colors  # noqa: E402

RING = f"{ROOT / 'tests/traces/ring.cl'} --global 32 --arg buffer:in=3072:uint:iota --arg buffer:out=128"


def plot(*arguments):
    """`warpwait-plot` with these arguments: status, standard error. Standard output must be empty."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            status = stop.code
    pyplot.close("all")
    assert output.getvalue() == "", output.getvalue()
    return status, errors.getvalue()


def script(path, *arguments):
    """The same in a separate process: the script at `path`; status, standard output, standard error."""
    done = subprocess.run([sys.executable, "-B", path, *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def heights(axes, lying=False):
    """The bars of a stack by their labels: a list of lengths for each."""
    return {bars.get_label(): [bar.get_width() if lying else bar.get_height() for bar in bars]
            for bars in axes.containers}


def area(path):
    """The area of its polygons."""
    return sum(abs(numpy.dot(x, numpy.roll(y, 1)) - numpy.dot(y, numpy.roll(x, 1))) / 2
               for x, y in (polygon.T for polygon in path.to_polygons()))


# Machado, Oliveira and Fernandes, 2009: how linear red, green and blue are perceived.
VISIONS = {"all": numpy.eye(3),
           "no red": [[.152286, 1.052583, -.204868], [.114503, .786281, .099216], [-.003882, -.048116, 1.051998]],
           "no green": [[.367322, .860646, -.227968], [.280085, .672501, .047413], [-.01182, .04294, .968881]]}


def cielab(vision, face):
    """A color (red, green, blue) in CIE L*a*b*, seen with a matrix of vision; a difference of 1 is hardly visible."""
    face = numpy.array(face)
    linear = numpy.where(face <= .04045, face / 12.92, ((face + .055) / 1.055) ** 2.4)
    xyz = numpy.array([[.4124, .3576, .1805], [.2126, .7152, .0722], [.0193, .1192, .9505]])
    xyz = xyz @ numpy.clip(vision @ linear, 0, 1) / [.9505, 1, 1.089]
    x, y, z = numpy.where(xyz > .008856, numpy.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return numpy.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


class Folder(unittest.TestCase):
    """Tests with a folder that contains reports of some examples."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def tearDown(self):
        pyplot.close("all")

    @classmethod
    def report_of(cls, example):
        """The path of an example's report."""
        path = cls.folder / f"{example}.json"
        if not path.exists():
            subprocess.run([WARPWAIT, "run", ROOT / "examples" / example / "launch.json", "--report", "json", "--quiet",
                            "--out", path], check=True)
        return path


class Stalls(Folder):
    def test_a_bar_has_the_warp_cycles_of_a_report_by_bucket(self):
        paths = [self.report_of("05_double_buffer"), self.report_of("06_deep_buffer")]
        drawn = heights(plots.stalls(paths))
        for place, path in enumerate(paths):
            launches = plots.read_report(path)["launches"]
            for bucket in colors.BUCKETS:
                expected = sum(launch["stalls"][bucket] for launch in launches)
                self.assertEqual(drawn[bucket][place] if bucket in drawn else 0, expected, bucket)
            self.assertEqual(sum(bars[place] for bars in drawn.values()),
                             sum(launch["resident_cycles"] for launch in launches))

    def test_each_launch_has_its_own_bar(self):
        path = self.report_of("06_deep_buffer")
        drawn = heights(plots.stalls(path, by="launch"))
        self.assertEqual(drawn["copy_wait"],
                         [launch["stalls"]["copy_wait"] for launch in plots.read_report(path)["launches"]])

    def test_lines_and_instructions_add_up_to_the_launch(self):
        path = self.report_of("02_bank_conflict")
        report = plots.read_report(path)
        total = sum(launch["resident_cycles"] for launch in report["launches"])
        for by in ("line", "instruction"):
            for top in (None, 3):
                drawn = heights(plots.stalls(path, by=by, top=top), lying=True)
                self.assertEqual(sum(sum(bars) for bars in drawn.values()), total, (by, top))
        table = plots.stall_table(path, by="line")
        for name, bar in table.iterrows():
            self.assertEqual(bar.sum(), sum(line["cycles"] for launch in report["launches"]
                                            for line in launch["by_line"]
                                            if f"{line['file']}:{line['line']}" == name))
        short = plots.stall_table(path, by="line", top=3)
        self.assertEqual(list(short.index)[-1], "others")
        self.assertEqual(sorted(short.sum(axis="columns")[:-1]), sorted(table.sum(axis="columns"))[-3:])

    def test_bars_in_percent_add_up_to_100(self):
        reports = [self.report_of("05_double_buffer"), self.report_of("06_deep_buffer")]
        drawn = heights(plots.stalls(reports, percent=True))
        for place in range(2):
            self.assertAlmostEqual(sum(bars[place] for bars in drawn.values()), 100)

    def test_the_legend_has_every_bucket_that_is_drawn(self):
        axes = plots.stalls(self.report_of("02_bank_conflict"))
        self.assertEqual({text.get_text() for text in axes.get_legend().get_texts()}, set(heights(axes)))

    def test_given_axes_are_used(self):
        axes = pyplot.subplots()[1]
        self.assertIs(plots.stalls(self.report_of("02_bank_conflict"), ax=axes), axes)

    def test_every_bucket_has_the_same_family_as_in_the_report(self):
        rows = re.findall(r'^STALL\(\w+, *"(\w+)"', (ROOT / "models/stalls.def").read_text(), re.M)
        self.assertEqual(sorted(rows), sorted(colors.BUCKETS))
        rule = re.search(r"added up by what they wait for \((.*?)\), and", (ROOT / "docs/report.md").read_text())[1]
        told = [re.findall(r"`(\w+)`", family) for family in rule.split(";")]
        self.assertEqual(sorted(map(sorted, told)),
                         sorted(sorted(buckets) for _, _, buckets in colors.FAMILIES if "issued" not in buckets))

    def test_buckets_differ_for_color_blind_readers(self):
        for vision, matrix in VISIONS.items():
            for on_dark in ({}, colors.SHADES_ON_DARK):
                seen = {bucket: cielab(matrix, colors.shade(color, on_dark.get(bucket, part)))
                        for _, color, buckets in colors.FAMILIES for bucket, part in buckets.items()}
                for one, other in itertools.combinations(seen, 2):
                    pipes = "pipe" in one and "pipe" in other  # a kernel waits for these alternately, without a gap
                    apart = numpy.linalg.norm(seen[one] - seen[other])
                    self.assertGreater(apart, 30 if pipes else 11, (vision, one, other, on_dark))


class Hiding(Folder):
    def test_points_match_the_reports(self):
        path = self.report_of("06_deep_buffer")
        above, below = plots.hiding(path)
        for place, launch in enumerate(plots.read_report(path)["launches"]):
            tiles = launch["dma"]["descriptors"]
            self.assertEqual(above.lines[0].get_xydata()[place].tolist(), [place + 1, launch["cycles"] / tiles])
            self.assertEqual(below.lines[0].get_xydata()[place].tolist(),
                             [place + 1, launch["hiding"]["exposed_cycles"] / tiles])

    def test_the_closed_form_matches_the_page(self):
        page = (ROOT / "docs/buffering.md").read_text()
        figures = re.search(r"B = (\d+) cycles, A = (\d+) cycles, and L = (\d+),", page)
        busy, refill, latency = map(int, figures.groups())
        form = plots.Form(busy, refill, latency)
        table = page[figures.end():]
        rows = re.findall(r"^\| +(\d) \| +([\d.]+) \|", table, re.M)
        self.assertEqual([(depth, f"{form.exposed(int(depth)):.2f}") for depth, _ in rows], rows)
        self.assertEqual(len(rows), 6)
        self.assertIn(f"| enough | {form.enough:30.2f} |".replace(" ", ""), table.replace(" ", ""))

    def test_figures_that_are_not_given_are_taken_from_the_points(self):
        points = plots.hiding_table(self.report_of("06_deep_buffer"))
        form = plots.form_of(points)
        self.assertAlmostEqual(form.latency, points["latency"][0])
        self.assertAlmostEqual(float(form.exposed(1)), points["exposed"][0] / points["tiles"][0])
        self.assertEqual(plots.form_of(points, 1, 2, 3), plots.Form(1, 2, 3))

    def test_the_run_option_runs_the_kernel_at_each_depth(self):
        out, numbers = self.folder / "ring.png", self.folder / "ring.csv"
        self.assertEqual(plot("hiding", "--run", RING, "--depths", "1,3", "-o", out, "--csv", numbers), (0, ""))
        table = pandas.read_csv(numbers)
        self.assertEqual(list(table["depth"]), [1, 3])
        self.assertEqual(list(table["tiles"]), [12, 12])
        self.assertGreater(table["exposed"][0], table["exposed"][1])


def interval(start, end, unit=0, **fields):
    """An event of compute unit 0."""
    return {"cu": 0, "unit": unit, "from": start, "to": end, **fields}


OF = {"launch": 0, "group": 0}


class Made:
    """A timeline made by hand: two warps of a work-group, a copy that they wait for, three passes and two beats."""
    path = "made.wtl"
    run = {
        "machine": {"name": "teaching", "parameters": {"lds.banks": 8}},
        "programs": [{"file": "k.cl", "source": {"k.cl": {"3": "  x = tile[i];"}},
                      "code": [{"text": "copy.to_lds", "line": 2, "file": "k.cl"},
                               {"text": "wait r1", "line": 2, "file": "k.cl"},
                               {"text": "ld.lds r2", "line": 3, "file": "k.cl"},
                               {"text": "ld.lds r3", "line": 3, "file": "k.cl"}]}],
        "launches": [{"kernel": "k", "program": 0}]}
    events = {
        "warp": [interval(start, end, unit, stall=stall, pc=pc, index=unit, **OF)
                 for unit in (0, 1) for start, end, stall, pc in ((10, 11, "issued", 0), (11, 60, "copy_wait", 1),
                                                                  (60, 61, "issued", 2), (61, 70 + unit, "lds", 3))],
        "copy": [interval(11, 52, copy=1, pc=0, event=1, form="plain", to_lds=1, bytes=64, handed=15, done=50, **OF),
                 interval(20, 90, copy=2, pc=0, event=2, form="plain", to_lds=1, bytes=64, handed=25, done=88, **OF),
                 interval(52, 70, copy=3, pc=0, event=3, form="plain", to_lds=1, bytes=64, handed=61, done=70, **OF)],
        "waited": [interval(12, 60, pc=1, event=1, **OF)],
        "channel": [interval(16, 50, 0, copy=1, bytes=64, requests=1),
                    interval(26, 90, 65, copy=2, bytes=64, requests=1)],
        "passed": [interval(17, 18, 1, kind="dma_read", bytes=64), interval(62, 64, 0, kind="store", bytes=64)],
        "banks": [interval(61, 62, 0, banks=0b11, warp=0, pc=2, launch=0, **{"pass": 0}),
                  interval(62, 63, 0, banks=0b10, warp=0, pc=2, launch=0, **{"pass": 1}),
                  interval(63, 64, 0, banks=0b11, warp=1, pc=3, launch=0, **{"pass": 0}),
                  interval(40, 42, 1, banks=0b11000000, warp=0, pc=0, launch=0, **{"pass": 0})],
        "access": [interval(60, 70, 0, kind="read", pc=2, launch=0, lanes=3, passes=2, conflicts=1, contention=0),
                   interval(60, 71, 1, kind="read", pc=3, launch=0, lanes=3, passes=1, conflicts=0, contention=0)],
    }

    def code(self, launch, pc):
        return self.run["programs"][self.run["launches"][launch]["program"]]["code"][pc]

    def frame(self, kind):
        return pandas.DataFrame(self.events.get(kind, []), columns=None if kind in self.events else
                                ["cu", "unit", "from", "to"])


class MadeTimelines(Folder):
    def test_rows_are_warps_copies_channels_and_the_port(self):
        rows = plots.timeline_rows(Made())
        self.assertEqual(rows.names, ["warp 0", "warp 1", "copies", "", "DMA 0 channel 0", "DMA 1 channel 1",
                                      "port: warps", "port: DMA 0"])
        self.assertEqual(rows.title, "k on teaching, CU 0")
        copies = rows.slices[rows.slices["section"] == "copies"]
        self.assertEqual(list(zip(copies["label"], copies["row"])), [("1", 2), ("2", 3), ("3", 2)])

    def test_slices_have_the_cycles_of_their_events(self):
        slices = plots.timeline_rows(Made()).slices
        for section, kind in (("warps", "warp"), ("copies", "copy"), ("channels", "channel"), ("port", "passed")):
            of = slices[slices["section"] == section]
            self.assertEqual(sorted(zip(of["from"], of["to"])), sorted((e["from"], e["to"]) for e in Made.events[kind]))

    def test_an_arrow_goes_from_a_finished_copy_to_the_end_of_its_wait(self):
        arrows = plots.timeline_rows(Made()).arrows
        self.assertEqual(arrows.to_dict("records"), [{"copy": 1, "from": 50, "from_row": 2, "to": 60, "to_row": 1}])

    def test_an_arrow_is_drawn_only_if_both_ends_are_shown(self):
        for start, end, count in ((0, 59, 0), (0, 60, 1), (50, 60, 1), (51, 60, 0)):
            self.assertEqual(len(plots.timeline_rows(Made(), start=start, end=end).arrows), count, (start, end))

    def test_rows_are_cut_to_the_requested_cycles_and_warps(self):
        rows = plots.timeline_rows(Made(), start=15, end=62, warps=[1])
        self.assertEqual((rows.slices["from"].min(), rows.slices["to"].max()), (15, 62))
        self.assertEqual(rows.names[0:2], ["warp 1", "copies"])

    def test_each_slice_is_drawn_once(self):
        axes = plots.timeline(Made())
        drawn = sum(list(patch.get_path().codes).count(Outline.CLOSEPOLY) for patch in axes.patches)
        self.assertEqual(drawn, len(plots.timeline_rows(Made()).slices))
        self.assertEqual({text.get_text() for text in axes.get_legend().get_texts()},
                         {"issued", "copy_wait", "lds", "copy, with its number", "channel has the copy",
                          "copy done → wait over", "port: dma_read", "port: store"})

    def test_warps_over_time_add_up(self):
        for windows in (1, 7, 100):
            table = plots.stall_table_over_time(Made(), windows)
            self.assertEqual(table.sum().to_dict(), {"issued": 4, "copy_wait": 98, "lds": 19})
        table = plots.stall_table_over_time(Made(), 100)
        self.assertEqual(table.loc[70].to_dict(), {"issued": 0, "copy_wait": 0, "lds": 1})

    def test_banks_over_time_add_up(self):
        for windows in (1, 5, 100):
            self.assertEqual(plots.bank_table_over_time(Made(), "warps", windows).sum(axis="columns").to_list(),
                             [2, 3, 0, 0, 0, 0, 0, 0])
            self.assertEqual(plots.bank_table_over_time(Made(), "dma", windows).sum(axis="columns").to_list(),
                             [0, 0, 0, 0, 0, 0, 2, 2])
        table = plots.bank_table_over_time(Made(), "all", 100, start=40, end=43)
        self.assertEqual(table.loc[7].to_dict(), {40: 1, 41: 1, 42: 0})

    def test_labels_are_complete_and_separate_in_small_pictures(self):
        for draw in (plots.timeline, plots.stalls_over_time):
            axes = draw(Made(), end=60)
            axes.figure.set_size_inches(9, 2)  # so that the legend reaches down to the ticks
            axes.set_xticks([60])
            axes.figure.draw_without_rendering()
            label, legend = axes.get_xticklabels()[0].get_window_extent(), axes.get_legend().get_window_extent()
            self.assertEqual(axes.get_xlim()[1], 60)
            self.assertGreater(legend.x0, label.x1)
        axes = plots.banks_over_time(Made())
        axes.figure.set_size_inches(8, 3)
        axes.figure.draw_without_rendering()
        label = axes.figure.axes[-1].yaxis.label.get_window_extent()
        self.assertGreaterEqual(label.y0, 0)
        self.assertLessEqual(label.y1, axes.figure.bbox.y1)

    def test_bank_colors_end_at_the_given_value(self):
        for most, end, extend in ((None, 100, "neither"), (40, 40, "max"), (100, 100, "neither")):
            mesh = plots.banks_over_time(Made(), most=most).collections[0]
            self.assertEqual((mesh.get_clim(), mesh.colorbar.extend), ((0, end), extend))

    def test_cycle_axes_say_how_long_a_window_is(self):
        for windows, label in ((7, "cycle (windows of 9 cycles)"), (100, "cycle (windows of 1 cycle)")):
            self.assertEqual(plots.stalls_over_time(Made(), windows).get_xlabel(), label)
        self.assertEqual(plots.banks_over_time(Made(), windows=100).get_xlabel(), label)

    def test_banks_by_line_have_passes_and_conflicts(self):
        table = plots.bank_table(Made())
        row = {0: 2, 1: 3, **dict.fromkeys(range(2, 8), 0), "passes": 3, "conflicts": 1}
        self.assertEqual(table.to_dict("index"), {"k.cl:3 x = tile[i];": row})
        table = plots.bank_table(Made(), by="instruction")
        self.assertEqual(list(table.index), ["   2 ld.lds r2", "   3 ld.lds r3"])
        heat, bars = plots.banks_by_line(Made(), by="instruction")
        bars.figure.canvas.draw()
        for axis in (bars.xaxis, bars.figure.axes[-1].yaxis):  # few passes: no tick between two of them
            ticks = axis.get_majorticklocs()
            self.assertEqual([tick % 1 for tick in ticks], [0] * len(ticks))
        self.assertEqual(heat.images[0].get_array().tolist(), [[1, 2] + [0] * 6, [1, 1] + [0] * 6])
        self.assertEqual(heights(bars, lying=True), {"first of their phase": [1, 1], "added by conflicts": [1, 0]})

    def test_pictures_without_events_are_reported(self):
        for draw, message in (
                (lambda: plots.stalls_over_time(Made(), cu=3), "no `warp` events of compute unit 3, but of 0"),
                (lambda: plots.timeline(Made(), start=500), "no `warp` events in cycles 500 to the end, but in 10 to"),
                (lambda: plots.timeline(Made(), warps=[7]), "no `warp` events of warps 7"),
                (lambda: plots.banks_over_time(Made(), "dma", start=60), "no `banks` events of DMA"),
                (lambda: plots.Events(Made()).need("request"), "no events of kind `request`")):
            with self.assertRaisesRegex(plots.PlotError, f"^made.wtl: {message}"):
                draw()


class Timelines(Folder):
    """Pictures of examples' timelines agree with the same run's report."""

    @classmethod
    def run_of(cls, example):
        """An example's report, and the path of its timeline."""
        path, out = cls.folder / f"{example}.wtl", cls.folder / f"{example}.json"
        if not path.exists():
            subprocess.run([WARPWAIT, "run", ROOT / "examples" / example / "launch.json", "--report", "json", "--quiet",
                            "--out", out, "--timeline", path], check=True)
        return plots.read_report(out), path

    def test_warps_over_time_add_up_to_the_report(self):
        for example in ("02_bank_conflict", "05_double_buffer", "10_contention"):
            report, path = self.run_of(example)
            found = plots.stall_table_over_time(path, 50).sum().to_dict()
            self.assertEqual(found, plots.stall_table(report).iloc[0].to_dict(), example)

    def test_banks_by_instruction_match_the_report(self):
        for example in ("02_bank_conflict", "10_contention"):
            report, path = self.run_of(example)
            table, expected = plots.bank_table(path, by="instruction"), {}
            for launch in report["launches"]:
                for row in launch["lds"]["by_instruction"]:
                    counts = expected.setdefault(row["pc"], [0, 0])
                    counts[0] += row["passes"]
                    counts[1] += row["conflict_cycles"]
            self.assertEqual({int(name.split()[0]): row[["passes", "conflicts"]].to_list()
                              for name, row in table.iterrows()}, expected)

    def test_conflicts_of_a_column_are_in_one_bank(self):
        report, path = self.run_of("02_bank_conflict")
        events = plots.Events(path)
        last = events.run["launches"][-1]
        table = plots.bank_table_over_time(events, "warps", start=last["start"], end=last["start"] + last["cycles"])
        self.assertEqual(table.sum(axis="columns").to_list(), [report["launches"][-1]["lds"]["passes"]] + [0] * 31)

    def test_engine_beats_use_the_banks_of_their_bytes(self):
        report, path = self.run_of("05_double_buffer")
        cycles = plots.bank_table_over_time(path, "dma").to_numpy().sum()
        self.assertEqual(4 * cycles, sum(launch["lds"]["dma_bytes"] for launch in report["launches"]))

    def test_every_copy_is_drawn_and_has_an_arrow_to_its_wait(self):
        report, path = self.run_of("05_double_buffer")
        rows, counters = plots.timeline_rows(path), report["launches"][0]["cu"]
        self.assertEqual((rows.slices["section"] == "copies").sum(), counters["copies"])
        self.assertEqual(len(rows.arrows), counters["copies"])
        self.assertTrue((rows.arrows["from"] <= rows.arrows["to"]).all())

    def test_channels_and_the_port_match_the_cycles_and_messages_in_the_report(self):
        report, path = self.run_of("05_double_buffer")
        slices, launch = plots.timeline_rows(path).slices, report["launches"][0]
        channels = slices[slices["section"] == "channels"]
        self.assertEqual((channels["to"] - channels["from"]).sum(), launch["dma"]["channel_cycles"])
        port = slices[slices["section"] == "port"]["what"].value_counts()
        self.assertEqual(port["dma_read"], launch["memory"]["dma_reads"])
        self.assertEqual(port["store"], launch["memory"]["stores"])

    def test_rows_with_more_slices_than_pixels_are_drawn_as_shares(self):
        report, path = self.run_of("05_double_buffer")
        axes = plots.timeline(path)
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        self.assertIn("(heights: shares of 11 cycles)", texts)
        for bucket in ("issued", "copy_wait", "not_selected"):
            drawn = sum(area(patch.get_path()) for patch in axes.patches
                        if tuple(patch.get_facecolor()[:3]) == colors.look(bucket).face)
            self.assertAlmostEqual(drawn, .8 * report["launches"][0]["stalls"][bucket], 3, bucket)
        texts = [text.get_text() for text in plots.timeline(path, end=500).get_legend().get_texts()]
        self.assertNotIn("(heights", "".join(texts))

    def test_pictures_of_timelines_have_the_same_bytes_each_time(self):
        _, path = self.run_of("05_double_buffer")
        for what in (["timeline", path, "--to", "900"], ["banks", path], ["banks", path, "--by", "line"],
                     ["stalls", path]):
            for suffix in ("png", "svg"):
                first, second = (self.folder / f"{name}.{suffix}" for name in ("first", "second"))
                self.assertEqual(plot(*what, "-o", first), (0, ""))
                self.assertEqual(plot(*what, "-o", second), (0, ""))
                self.assertEqual(first.read_bytes(), second.read_bytes())
                self.assertGreater(first.stat().st_size, 5000)

    def test_svg_files_have_colors_for_a_dark_page(self):
        _, path = self.run_of("05_double_buffer")
        out = self.folder / "dark.svg"
        self.assertEqual(plot("timeline", path, "--to", "900", "-o", out), (0, ""))
        drawn, style = out.read_text(), re.search(r"<style.*?</style>", out.read_text(), re.S)[0]
        self.assertIn("@media (prefers-color-scheme: dark)", style)
        # Whatever has no color is black. Text on bars, whose color stays, has black or white.
        texts = re.findall(r'<text style="(.*?)".*?>(.*?)</text>', drawn)
        self.assertEqual({text for style, text in texts if f"fill: {colors.INK}" not in style} - {str(n) for n in range(9)}, set())
        self.assertRegex(drawn, f'<g id="patch_1">\\s*<path [^>]*style="fill: {colors.PAPER}"')
        for light, dark in colors.ON_DARK.items():
            self.assertIn(f'[style*="fill: {light}"] {{ fill: {dark} !important }}', style)
        self.assertTrue({colors.INK, colors.PAPER} < set(re.findall("#[0-9a-f]{6}", drawn.replace(style, ""))))

    def test_a_damaged_timeline_is_reported(self):
        _, path = self.run_of("05_double_buffer")
        cut = self.folder / "cut.wtl"
        cut.write_bytes(path.read_bytes()[:-50])
        status, errors = plot("timeline", cut, "-o", self.folder / "cut.png")
        self.assertRegex(errors, r"^warpwait-plot: .*cut.wtl: offset \d+: expected .*\n$")
        self.assertEqual(status, 2)


class Files(Folder):
    def test_pictures_are_complete_and_have_the_same_bytes_each_time(self):
        report = self.report_of("06_deep_buffer")
        for what in (["stalls", report, "--by", "launch"], ["hiding", report]):
            for suffix in ("png", "svg"):
                first, second = (self.folder / f"{name}.{suffix}" for name in ("first", "second"))
                self.assertEqual(plot(*what, "-o", first), (0, ""))
                self.assertEqual(plot(*what, "-o", second), (0, ""))
                self.assertEqual(first.read_bytes(), second.read_bytes())
            self.assertTrue(xml.etree.ElementTree.parse(self.folder / "first.svg").getroot().tag.endswith("svg"))
            self.assertTrue((self.folder / "first.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n"))
        self.assertEqual(list(self.folder.glob(".*.*.*")), [])

    def test_a_character_that_xml_does_not_allow_is_replaced(self):
        out = self.folder / "odd.svg"
        done = plot("stalls", self.report_of("05_double_buffer"), "-o", out, "--title", "a\x01b  c")
        self.assertEqual(done, (0, ""))
        texts = [element.text for element in xml.etree.ElementTree.parse(out).iter() if element.tag.endswith("}text")]
        self.assertIn("a\N{REPLACEMENT CHARACTER}b  c", texts)

    def test_pictures_have_the_requested_size_and_resolution(self):
        out = self.folder / "size.png"
        report = self.report_of("05_double_buffer")
        done = plot("stalls", report, "-o", out, "--size", "6x4", "--dpi", "50", "--title", "T")
        self.assertEqual(done, (0, ""))
        self.assertEqual(struct.unpack(">II", out.read_bytes()[16:24]), (300, 200))

    def test_csv_has_the_numbers_that_are_drawn(self):
        out, report = self.folder / "numbers.csv", self.report_of("05_double_buffer")
        self.assertEqual(plot("stalls", report, "-o", self.folder / "numbers.svg", "--csv", out), (0, ""))
        stalls = plots.read_report(report)["launches"][0]["stalls"]
        self.assertEqual(pandas.read_csv(out, index_col=0).iloc[0].to_dict(),
                         {bucket: cycles for bucket, cycles in stalls.items() if cycles})

    def test_csv_has_no_cells_that_a_spreadsheet_would_execute(self):
        out, report = self.folder / "cells.csv", self.report_of("05_double_buffer")
        done = plot("hiding", report, "--labels", "=cmd|x", "-o", self.folder / "cells.svg", "--csv", out)
        self.assertEqual(done, (0, ""))
        self.assertIn("'=cmd|x", out.read_text())
        self.assertNotIn(",=", out.read_text())

    def test_the_installed_command_runs(self):
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        package = self.folder / "lib" / version / "dist-packages/warpwait"
        shutil.copytree(ROOT / "bindings/python/warpwait", package, ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "bin").mkdir()
        installed = shutil.copy(ROOT / "bindings/python/warpwait-plot", self.folder / "bin")
        out = self.folder / "installed.png"
        self.assertEqual(script(installed, "stalls", self.report_of("05_double_buffer"), "-o", out), (0, "", ""))
        self.assertTrue(out.exists())


class Errors(Folder):
    def refused(self, message, *arguments):
        """Asserts exit status 2, one line, no picture."""
        status, errors = plot(*arguments, "-o", self.folder / "refused.png")
        self.assertRegex(errors, f"^warpwait-plot: .*{message}.*\n$")
        self.assertEqual((status, errors.count("\n")), (2, 1))
        self.assertFalse((self.folder / "refused.png").exists())

    def test_files_that_are_not_reports_are_refused(self):
        report = self.report_of("02_bank_conflict")
        other = self.folder / "other.json"
        self.refused("nowhere.json: No such file", "stalls", self.folder / "nowhere.json")
        for text, message in (("{", "other.json: expected a JSON report .*line 1 column 2"),
                              ("[1]", "other.json: expected .*without launches"),
                              ('{"launches": [{"kernel": "k"}]}', r"launches\[0\].cycles: expected a whole number"),
                              (report.read_text().replace('"issued": ', '"issued": "no", "was": '),
                               r"launches\[0\].stalls.issued: expected a whole number")):
            other.write_text(text)
            self.refused(message, "stalls", other)
        other.write_bytes(b"\xff\xfe")
        self.refused("expected a JSON report", "stalls", other)

    def test_everything_that_a_report_lacks_is_reported(self):
        other, whole = self.folder / "other.json", self.report_of("02_bank_conflict").read_text()
        for key in ("kernel", "cycles", "work_groups", "stalls", "exposed_cycles", "latency", "count", "mean",
                    "by_line", "by_instruction", "pc", "file", "line", "instruction"):
            for changed in (f'"other_{key}":', f'"{key}": [[]], "other_{key}":'):
                other.write_text(whole.replace(f'"{key}":', changed))
                for what in ("stalls", "hiding"):
                    self.refused("other.json: .*expected|nothing to hide", what, other)

    def test_a_file_that_is_not_text_is_refused(self):
        other = self.folder / "other.json"
        other.write_bytes(b"\xff\xfe")
        self.refused("expected a JSON report", "stalls", other)

    def test_reports_that_cannot_be_drawn_are_refused(self):
        report = self.report_of("02_bank_conflict")
        self.refused("nothing to hide", "hiding", report)
        self.refused("either reports or --run", "hiding")
        self.refused("2 depths for 6 launches", "hiding", self.report_of("06_deep_buffer"), "--depths", "1,2")
        self.refused("2 labels for 1 report", "stalls", report, "--labels", "a,b")
        self.refused("expected a timeline", "timeline", report)
        self.refused("exit status 2: warpwait: ", "hiding", "--run", "nowhere.cl", "--depths", "1")

    def test_bad_arguments_are_refused(self):
        report = self.report_of("02_bank_conflict")
        for arguments, message in ((["--size", "9"], "WIDTHxHEIGHT"), (["--dpi", "0"], "from 1 to 100000"),
                                   (["--by", "moon"], "invalid choice"), (["--from", "-1"], "expected"),
                                   (["--moon"], "--moon")):
            self.refused(message, "stalls", report, *arguments)
        self.refused("such as 0-3,8", "timeline", report, "--warps", "1-")
        status, errors = plot("stalls", report, "-o", self.folder / "picture.pdf")
        self.assertEqual((status, errors.partition(": expected")[2]), (2, " a name that ends in .png or .svg\n"))
        status, errors = plot("stalls", report, "-o", self.folder / "nowhere/picture.png")
        self.assertRegex(errors, "No such file or directory\n$")
        self.assertEqual(status, 2)

    def test_a_missing_package_is_named(self):
        for module in ("matplotlib", "pandas"):
            program = (f"import sys; sys.modules['{module}'] = None\nfrom warpwait.plot.command import main\n"
                       "sys.exit(main(['stalls', 'r.json', '-o', 'r.png']))")
            done = subprocess.run([sys.executable, "-B", "-c", program], cwd=ROOT / "bindings/python", capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"^warpwait-plot: {module} is missing: apt-get install python3-{module}, ")

    def test_options_that_would_be_ignored_or_overwrite_files_are_refused(self):
        report, timeline = self.folder / "ignored.json", self.folder / "ignored.wtl"
        subprocess.run([WARPWAIT, "run", ROOT / "examples/02_bank_conflict/launch.json", "--report", "json",
                        "--out", report, "--timeline", timeline], check=True)
        out = self.folder / "ignored.png"
        self.refused("--max: cannot be combined with --by; ", "banks", timeline, "--max", "50", "--by", "line")
        for share in ("0", "101", "-1", "most"):
            self.refused("above 0 and up to 100", "banks", timeline, f"--max={share}")
        for arguments, message in (([timeline, "--by", "line"], f"--by: not allowed for {timeline}; "),
                                   ([report, "--windows", "5"], f"--windows: not allowed for {report}; "),
                                   ([report, "--from", "0"], f"--from: not allowed for {report}; "),
                                   ([report, "--csv", report], f"--csv: {report}: is also the input or the picture"),
                                   ([timeline, "--csv", out], f"--csv: {out}: is also the input or the picture"),
                                   ([report, "--dpi", "2000", "--size", "30x30"], "60000x60000 pixels are too many"),
                                   ([report, "--dpi", "70000", "--size", "1x1"], "70000x70000 pixels are too many")):
            status, errors = plot("stalls", *arguments, "-o", out)
            self.assertEqual((status, errors.count("\n")), (2, 1))
            self.assertIn(message, errors)
        self.assertFalse(out.exists())

    def test_an_interrupt_is_reported_in_one_line(self):
        program = ("import sys, warpwait.plot.command as plot\ndef draw(*_): raise KeyboardInterrupt\nplot.draw = draw\n"
                   "sys.exit(plot.main(['stalls', 'r.json', '-o', 'r.png']))")
        done = subprocess.run([sys.executable, "-B", "-c", program], cwd=ROOT / "bindings/python", capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (130, "warpwait-plot: interrupted\n"))

    def test_a_signal_while_writing_a_picture_keeps_the_old_one(self):
        picture = self.folder / "r.svg"
        picture.write_text("as it was")
        picture.chmod(0o640)
        program = ("import os, signal, sys, warpwait.plot.command as plot, warpwait.plot.figure as figure\n"
                   f"def write(file): file.write(b'half'); os.kill(os.getpid(), signal.SIG{{}})\n"
                   f"plot.draw = lambda *_: figure.write_whole({str(picture)!r}, write)\n"
                   "sys.exit(plot.main(['stalls', 'r.json', '-o', 'r.svg']))")
        for name, number in (("TERM", 15), ("HUP", 1), ("INT", 2)):
            done = subprocess.run([sys.executable, "-B", "-c", program.format(name)], cwd=ROOT / "bindings/python",
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (128 + number, "warpwait-plot: interrupted\n"))
            self.assertEqual(picture.read_text(), "as it was")
            self.assertEqual(list(self.folder.glob(".r.svg*")), [])

    def test_a_picture_keeps_its_permissions_and_symbolic_link(self):
        from warpwait.plot import figure
        picture, link = self.folder / "kept.svg", self.folder / "link.svg"
        picture.write_text("as it was")
        picture.chmod(0o600)
        link.symlink_to("kept.svg")
        figure.write_whole(link, lambda file: file.write(b"new"))
        self.assertTrue(link.is_symlink())
        self.assertEqual((picture.read_text(), picture.stat().st_mode & 0o777), ("new", 0o600))
        with self.assertRaisesRegex(figure.PlotError, "full.svg: No space left on device"):
            (self.folder / "full.svg").symlink_to("/dev/full")
            figure.write_whole(self.folder / "full.svg", lambda file: file.write(b"new" * 10000))

    def test_help_has_an_example_for_each_picture(self):
        for what in ("timeline", "banks", "hiding", "stalls"):
            status, output, _ = script(ROOT / "bindings/python/warpwait-plot", what, "--help")
            self.assertEqual(status, 0)
            self.assertIn(f"Example:\n  warpwait-plot {what} ", output)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
