#!/usr/bin/env python3
# Time limit: the browser has 60 s for an answer.
"""Pages of `--html`: their data compared with the report, and the page itself in a headless Chromium, if there is one.

usage: tests/html/page_test.py [WORD]   WORD selects tests"""
import collections
import itertools
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import harness  # pylint: disable=wrong-import-position
from made import ROOT, Data, warpwait  # pylint: disable=wrong-import-position

sys.path.insert(0, str(ROOT / "tests/traces"))
from plot_test import VISIONS, cielab  # pylint: disable=wrong-import-position

LAUNCH, BARRIER = harness.LAUNCH, "examples/08_barrier_imbalance/launch.json"
CONFLICT = harness.CONFLICT


# ---- the data ---------------------------------------------------------------------------------------

def test_warp_slices_add_up_to_the_stalls_in_the_report(made):
    data = Data(made.varied())
    point, report = data.points[1], made.report("varied")
    names, sums = [row["name"] for row in point["timeline"]["run"]["stalls"]], collections.Counter()
    for track in Data.tracks(point, "warp"):
        for stall, cycles in zip(track["stall"], track["cycles"]):
            sums[names[stall]] += cycles
    assert dict(sums) == {name: cycles for name, cycles in report["launches"][0]["stalls"].items() if cycles}
    assert point["timeline"]["cut"] is None


def test_the_page_contains_the_same_report(made):
    data = Data(made.varied())
    assert data.points[data.index["start"]]["report"] == made.report("varied")


def test_points_equal_runs_with_the_parameter_set(made):
    data = Data(made.varied())
    assert [point["label"] for point in data.index["points"]] == ["0", "20", "40"] and data.index["start"] == 1
    for word, point in zip(("0", "40"), (data.points[0], data.points[2])):
        out, _ = warpwait("run", LAUNCH, "--report", "json", "--set", f"dma.setup={word}")
        assert json.loads(out) == point["report"]


def test_the_run_is_a_separate_point_if_its_value_is_not_listed(made):
    data = Data(made.page("other", "run", LAUNCH, "--html-vary", "dma.setup=50"))
    assert [point["label"] for point in data.index["points"]] == ["as run", "50"] and data.index["start"] == 0


def test_a_define_can_be_the_axis(made):
    data = Data(made.page("depth", "run", "examples/15_sweep/launch_deep_buffer.json", "--html-vary",
                          "define.DEPTH=1..3"))
    cycles = [point["launches"][0]["cycles"] for point in data.index["points"]]
    assert len(cycles) == 3 and cycles[0] > cycles[1] and data.index["start"] == 1
    bare = Data(made.page("bare", "run", "examples/15_sweep/launch_deep_buffer.json", "--html-vary", "DEPTH=1..3"))
    assert bare.index == data.index


def test_an_argument_can_be_the_axis(made):
    words = ("run", "examples/15_sweep/launch_deep_buffer.json")
    data = Data(made.page("tiles", *words, "--set", "dma.setup=7", "--html-vary", "arg.3=8,32"))
    assert data.index["key"] == "arg.3" and data.index["start"] == 1
    assert data.points[1]["report"] == made.report("tiles")
    launch = json.loads((ROOT / words[1]).read_text())
    launch["launches"][0]["args"][2] = {"uint": 8}
    launch["program"] = str(ROOT / "examples/15_sweep" / launch["program"])
    del launch["check"]
    (made.folder / "tiles8.json").write_text(json.dumps(launch))
    out, _ = warpwait("run", made.folder / "tiles8.json", "--set", "dma.setup=7", "--report", "json")
    assert json.loads(out)["launches"] == data.points[0]["report"]["launches"]
    direct = ("examples/15_sweep/deep_buffer.cl", "--global", 64, "--local", 64, "--arg", "null", "--arg", "null", "--arg", "uint:2")
    _, error = warpwait("run", *direct, "--html", made.folder / "no.html", "--html-vary", "arg.4=1", status=2)
    assert "--html-vary: arg.4: kernel 'deep_buffer' has no argument '4'" in error


DEEP = "examples/15_sweep/launch_deep_buffer.json"


def test_points_with_different_results_are_marked(made):
    for name, words, same in (("fewer", ("run", DEEP, "--html-vary", "arg.tiles=8,32"), [False, True]),
                              ("deeper", ("run", DEEP, "--html-vary", "DEPTH=1..3"), [True] * 3),
                              ("later", ("run", LAUNCH, "--html-vary", "dma.setup=0,50"), [True] * 3)):
        data = Data(made.page(name, *words))
        assert [point["same_results"] for point in data.index["points"]] == same, name
    # A define changes the data but not the time: it does not stand for the run as given.
    kernel = made.folder / "stored.cl"
    kernel.write_text("kernel void k(global uint *out) { out[get_global_id(0)] = V; }")
    data = Data(made.page("stored", "run", kernel, "--global", "64", "--arg", "buffer:out=256", "-D", "V=1000", "--html-vary",
                          "V=1001"))
    assert [point["label"] for point in data.index["points"]] == ["as run", "1001"] and data.index["start"] == 0
    assert data.points[0]["timeline"]["tracks"] == data.points[1]["timeline"]["tracks"]
    assert [point["same_results"] for point in data.index["points"]] == [True, False]


def test_accesses_and_banks_in_the_timeline_match_the_report(made):
    for path, name in ((made.varied(), "varied"), (made.conflict(), "conflict")):
        data = Data(path)
        point, report = data.points[data.index["start"]], made.report(name)
        lds = [launch["lds"] for launch in report["launches"]]
        tracks = Data.tracks(point, "access")
        assert sum(sum(track["passes"]) for track in tracks) == sum(use["passes"] for use in lds) > 0
        # One slice covers cycles in which equally many banks are active; in total, each instruction's bank use matches.
        banks = [track for track in Data.tracks(point, "banks") if not track["unit"]]
        worked = sum(sum(c * b for c, b in zip(track["cycles"], track["banks"])) for track in banks)
        assert worked == sum(sum(use["bank"]) for use in point["timeline"]["banks"]) > 0
        for track in banks:
            ends = list(itertools.accumulate(track["from"]))
            assert all(not (a + n == b and x == y) for a, n, x, b, y in
                       zip(ends, track["cycles"], track["banks"], ends[1:], track["banks"][1:]))


def test_banks_and_worst_lanes_match_the_report(made):
    point, report = Data(made.conflict()).points[0], made.report("conflict")
    for number, launch in enumerate(report["launches"]):
        found = {use["pc"]: use for use in point["timeline"]["banks"] if use["launch"] == number}
        worst = {lanes["pc"]: lanes for lanes in point["lanes"] if lanes["launch"] == number}
        for row in launch["lds"]["by_instruction"]:
            use, lanes = found[row["pc"]], worst[row["pc"]]
            wanted = (row["accesses"], row["passes"], row["conflict_cycles"])
            assert (use["accesses"], use["passes"], use["conflicts"]) == wanted
            assert lanes["ways"] == row["max_ways"]
            # For 4-byte words without a hash: the bank is the byte's word modulo the banks; the ways are the words of
            # one bank.
            assert all(banks == [address // 4 % 32] for _, address, banks in lanes["lanes"])
            words = collections.Counter(word % 32 for word in {address // 4 for _, address, _ in lanes["lanes"]})
            assert max(words.values()) == row["max_ways"]


STRIDES = """kernel void strides(global uint *out) {
  local volatile uint tile[512];
  uint i = get_local_id(0), sum = 0;
  for (uint turn = 0; turn < 3; turn++)
    sum += tile[i * (turn == 1 ? 8 : 1 + turn)];
  out[i] = sum;
}
"""


def test_the_worst_access_of_an_instruction_is_kept(made):
    kernel = made.folder / "strides.cl"
    kernel.write_text(STRIDES)
    path = made.page("strides", "run", kernel, "--optimize", "0", "--global", "64", "--local", "64", "--arg", "buffer:out=256")
    lanes = [lanes for lanes in Data(path).points[0]["lanes"] if lanes["kind"] == "read"]
    assert [(one["passes"], one["lanes"][3][1]) for one in lanes] == [(8, 3 * 8 * 4)], lanes


def test_replay_writes_the_same_page(made):
    trace = made.folder / "T.wwt"
    warpwait("run", LAUNCH, "--trace", trace, "--out", "/dev/null")
    replayed = Data(made.page("replayed", "replay", trace, "--html-vary", "dma.setup=0,20,40"))
    run = Data(made.varied())
    for one, other in zip(run.points, replayed.points):
        assert one["timeline"] == other["timeline"] and one["lanes"] == other["lanes"]
        assert one["report"]["launches"] == other["report"]["launches"]


def test_a_timeline_written_with_the_page_is_the_same(made):
    alone, both = made.folder / "alone.wtl", made.folder / "both.wtl"
    warpwait("run", LAUNCH, "--timeline", alone, "--out", "/dev/null")
    warpwait("run", LAUNCH, "--timeline", both, "--html", made.folder / "both.html", "--out", "/dev/null")
    assert alone.read_bytes() == both.read_bytes()
    assert Data(made.folder / "both.html").points[0]["timeline"] == Data(made.varied()).points[1]["timeline"]


def test_the_page_does_not_change_the_report(made):
    out, _ = warpwait("run", CONFLICT)
    again, _ = warpwait("run", CONFLICT, "--html", made.folder / "again.html")
    assert out == again


def test_bad_input_is_reported_in_one_line_and_leaves_no_file(made):
    page = made.folder / "bad.html"
    for words, says in (
            (["--html-vary", "dma.setup=1"], "--html-vary: needs --html"),
            (["--html", page, "--html-vary", "dma.setup"], "--html-vary: 'dma.setup' is not KEY=VALUES"),
            (["--html", page, "--html-vary", "dma.setpu=1"], "did you mean 'dma.setup'?"),
            (["--html", page, "--html-vary", "lds.banks=500"], "lds.banks: 500 is outside"),
            (["--html", page, "--html-vary", "dma.setup=1,1"], "--html-vary:"),
            (["--html", page, "--html-vary", "arg.none=1,2"], "--html-vary: arg.none: "),
            (["--html", page, "--html-vary", "arg.1=1..65"], "--html-vary: 65 values are outside [1, 64]"),
            (["--html", page, "--html-vary", "launch.1.arg.9=1"], "--html-vary: launch.1.arg.9: "),
            (["--html", page, "--html-vary", "lds.size=1024"], "--html-vary: lds.size=1024: "),
            (["--html", made.folder / "no/such.html"], "--html:"),
            (["--html", page, "--out", page], "is also the file of --out")):
        _, error = warpwait("run", LAUNCH, *words, status=2)
        assert says in error and error.count("\n") == 1, error
    _, error = warpwait("replay", made.folder / "T.wwt", "--html", page, "--html-vary", "arg.0=1", status=2)
    assert "--html-vary: arg.0: a recording has its arguments already" in error
    _, error = warpwait("replay", made.folder / "T.wwt", "--html", page, "--html-vary", "define.N=1", status=2)
    assert "its program already" in error
    assert not [path for path in made.folder.iterdir() if path.name.startswith("bad")]


def test_script_tags_in_names_are_escaped(made):
    kernel = made.folder / "<script>.cl"
    kernel.write_text("/* </script><!-- */" + STRIDES)
    data = Data(made.page("names", "run", kernel, "--global", "64", "--arg", "buffer:out=256"))
    assert data.index["name"] == "<script>.cl" and "<script>.cl" not in data.text
    assert data.points[0]["sources"]["<script>.cl"][0].startswith("/* </script>")


def test_the_page_refers_to_no_other_files(made):
    text = Data(made.varied()).text
    assert not re.search(r'<(script|link|img|iframe)[^>]*(src|href)="(?!data:)', text) and "@import" not in text
    assert "<!-- " not in text.replace("<!-- data", "") and "Redistribution and use in source and binary forms" in text


def test_colors_match_the_plots(_made):
    sys.path.insert(0, str(ROOT / "bindings/python"))
    from warpwait.plot import colors  # pylint: disable=import-outside-toplevel
    text = (ROOT / "tools/page/looks.js").read_text()
    shades = re.sub(r",\s*\}", "}", re.search(r"ON_DARK = (\{.*?\});", text, re.S).group(1))
    assert json.loads(shades) == colors.SHADES_ON_DARK
    rows = re.sub(r",(\s*)\]", r"\1]", re.search(r"FAMILIES = (\[.*?\n\]);", text, re.S).group(1))
    assert [tuple(row) for row in json.loads(rows)] == colors.FAMILIES


# ---- in a browser -----------------------------------------------------------------------------------

TIE = "\N{NO-BREAK SPACE}"
SPOT = """(() => { const t = page.timeline, box = t.canvas.getBoundingClientRect(), row = %s, slice = %s;
  const index = t.rows.indexOf(row);
  return [box.left + t.scale((row.from[slice] + row.to[slice]) / 2),
          box.top + t.top[index] - t.scroller.scrollTop + row.px / 2]; })()"""
SPOKEN = "document.getElementById('spoken').textContent.replaceAll('\\u00a0', ' ')"
SELECTED = "document.getElementById('selected').textContent.replaceAll('\\u00a0', ' ')"
DOMAIN = "page.timeline.scale.domain()"


def spot(reader, row, slice_):
    return reader.evaluate(SPOT % (row, slice_))


def web_opens_offline_without_errors(reader, made):
    for path in (made.varied(), made.conflict()):
        reader.open(path)
        assert reader.evaluate("document.getElementById('problem').hidden")
        assert reader.evaluate("page.timeline.rows.length") > 3
        for part in ("#stacks svg rect", "#buckets tbody tr", "#banks tbody tr", "#lanes svg line", "tr.costly",
                     "#legend li"):
            assert reader.evaluate(f"document.querySelectorAll('{part}').length") > 0, part


def web_shows_the_fidelity_below_the_bottleneck(reader, made):
    reader.open(made.varied())
    launch = made.report("varied")["launches"][0]
    said = reader.evaluate("[...document.querySelectorAll('#bottleneck, #bottleneck + p')].map(line => line.textContent)")
    assert [line.replace(TIE, " ") for line in said] == [launch["bottleneck"]["sentence"], launch["fidelity"]["sentence"]], said
    assert said[1].startswith("Fidelity: "), said


def web_no_line_ends_between_a_number_and_its_unit(reader, made):
    for path in (made.varied(), made.conflict()):
        reader.open(path)
        reader.evaluate("page.timeline.select({row: page.timeline.rows.find(row => row.kind === 'warp'), slice: 1})")
        texts = reader.evaluate("""[...document.querySelectorAll('header p, output, #selected div, #banks-hint, #lanes p, td.text')]
          .map(part => part.textContent)""")
        assert TIE in "".join(texts) and f"{TIE}%" in texts[1], texts
        assert not [text for text in texts if re.search(r"(^|[^\w.])\d(?:[\d.,]*\d)? [%a-z]", text)], texts


def web_the_slider_and_the_heading_are_about_one_launch(reader, made):
    reader.open(made.page("launches", "run", "examples/11_stencil_2d/launch_opencl.json", "--html-vary", "dma.setup=20,40"))
    for launch in (0, 1):
        reader.evaluate(f"page.pick({launch})")
        cycles = made.report("launches")["launches"][launch]["cycles"]
        facts, value = (said.replace(TIE, " ") for said in
                        reader.evaluate("['facts', 'vary-value'].map(id => document.getElementById(id).textContent)"))
        assert f" {cycles:,} cycles." in facts and f" = 20 cycles: {cycles:,} cycles; all launches: " in value, (facts, value)


def web_the_legend_explains_each_color_once_and_follows_the_theme(reader, made):
    reader.open(made.varied())
    shown = """[...document.querySelectorAll('#legend li')].map(entry =>
      [entry.textContent, getComputedStyle(entry.firstChild).backgroundColor.replaceAll(' ', '')])"""
    drawn = "Object.fromEntries(page.looks.names.map((name, i) => [name, page.looks.css[i]]))"
    legends = []
    for dark in (False, True):
        reader.size(1400, 1000, dark)  # of an open page
        reader.settle()
        legends.append(legend := reader.evaluate(shown))
        colors = reader.evaluate(drawn)
        assert len({color for _, color in legend}) == len(legend), legend
        assert all(colors[name] == color for names, color in legend for name in names.split(", ") if name in colors), legend
    assert legends[0] != legends[1]


def web_zooms_and_pans_by_wheel_mouse_and_keys(reader, made):
    reader.open(made.varied())
    whole = reader.evaluate(DOMAIN)
    reader.wheel(700, 330, -400)
    near = reader.evaluate(DOMAIN)
    assert near[1] - near[0] < 0.9 * (whole[1] - whole[0])
    reader.drag(800, 330, 700, 330)
    moved = reader.evaluate(DOMAIN)
    assert moved[0] > near[0] and abs((moved[1] - moved[0]) - (near[1] - near[0])) < 1e-6 * whole[1]
    reader.evaluate("document.getElementById('timeline').focus()")
    reader.key("0")
    assert reader.evaluate(DOMAIN) == whole
    reader.key("+")
    zoomed = reader.evaluate(DOMAIN)
    assert zoomed[1] - zoomed[0] < 0.7 * (whole[1] - whole[0])
    reader.key("ArrowRight")
    right = reader.evaluate(DOMAIN)
    assert right[0] > zoomed[0]
    reader.key("ArrowLeft")
    assert abs(reader.evaluate(DOMAIN)[0] - zoomed[0]) < 1
    reader.key("-")
    assert abs(reader.evaluate(DOMAIN)[1] - whole[1]) < 1


def web_shows_the_slice_under_the_mouse(reader, made):
    reader.open(made.varied())
    x, y = spot(reader, "page.timeline.rows.find(row => row.kind === 'warp')",
                "row.field.stall.findIndex((s, i) => page.run.stalls[s].name === 'copy_wait' && "
                "row.to[i] - row.from[i] > 100)")
    reader.mouse("mouseMoved", x, y)
    reader.settle()
    said = reader.evaluate("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    assert "copy_wait" in said and "kernel.wws:27" in said, said
    pixel, color = reader.evaluate("""(() => { const t = page.timeline, box = t.canvas.getBoundingClientRect();
      return [[...t.context.getImageData(%f - box.left, %f - box.top - 6, 1, 1).data].slice(0, 3).join(','),
              page.looks.css[page.looks.number('copy_wait')]]; })()""" % (x, y))
    assert color == f"rgb({pixel})"


def web_a_click_on_a_copy_shows_its_wait(reader, made):
    reader.open(made.varied())
    x, y = spot(reader, "page.timeline.rows.find(row => row.kind === 'copy')", "2")
    reader.click(x, y)
    copy = reader.evaluate("page.timeline.links.copiesOf(page.timeline.selected).map(c => [c.copy, c.wait.from, c.wait.to, c.landed])[0]")
    said = reader.evaluate(SELECTED)
    assert f"copy {copy[0]}," in said and f"cycles {copy[1]:,} to {copy[2]:,}" in said, said
    assert copy[1] <= copy[2] and copy[2] >= copy[3]
    reader.evaluate("document.querySelector('#selected button').click()")
    reader.settle()
    domain = reader.evaluate(DOMAIN)
    assert domain[0] <= copy[3] and domain[1] >= copy[2] and domain[1] - domain[0] < 3000
    # The link is drawn: selecting a copy changes pixels between its row and the warps' rows.
    before = reader.evaluate("page.timeline.canvas.toDataURL()")
    reader.evaluate("document.getElementById('timeline').focus()")
    reader.key("Escape")
    assert reader.evaluate("page.timeline.selected") is None
    assert before != reader.evaluate("page.timeline.canvas.toDataURL()")


def web_keys_move_between_slices_and_announce_them(reader, made):
    reader.open(made.varied())
    reader.evaluate("document.getElementById('timeline').focus()")
    go_to(reader, "row.name === 'warp 0'")
    for key in (".", ".", "Enter"):
        reader.key(key)
    assert reader.evaluate(SPOKEN).startswith("warp 0: ")
    assert "warp 0" in reader.evaluate(SELECTED)
    go_to(reader, "row.kind === 'banks'")
    for key in (".", ".", "Enter"):
        reader.key(key)
    assert re.match(r"banks, warps. cycle [\d,]+: \d+ of 32 banks at work", reader.evaluate(SPOKEN))
    assert "banks at work" in reader.evaluate(SELECTED)


def go_to(reader, what):
    """Puts the timeline's cursor on the row before the first match, and presses the key for the next one."""
    row = reader.evaluate(f"page.timeline.rows.findIndex(row => {what})")
    assert row > 0, what
    reader.evaluate(f"page.timeline.cursor = {{row: {row - 1}, slice: -1}}")
    reader.key("ArrowDown")


def web_an_area_names_the_accesses_of_its_cycle(reader, made):
    last, first = "row.of.length - 1", "0"
    for path, kind, at, says in (
            (made.conflict(), "access", last, r"warp \d: (read|write), kernel.wws:\d+, 32 passes, 31 of them by conflicts"),
            (made.conflict(), "access", first, r"warp \d: (read|write), kernel.wws:\d+, 1 pass"),
            (made.varied(), "global", first, r"warp \d: store, kernel.wws:\d+, 128 bytes")):
        reader.open(path)
        x, y = reader.evaluate("""(() => { const t = page.timeline, row = t.rows.find(row => row.kind === '%s');
          const i = %s; t.window(row.from[i], row.to[i]); t.reveal(row); t.draw();
          const box = t.canvas.getBoundingClientRect();
          scrollBy(0, box.top + t.top[t.indexOf.get(row)] - t.scroller.scrollTop - 300);
          return [box.left + t.scale(row.from[i] + 0.5), 300 + row.px / 2]; })()""" % (kind, at))
        reader.mouse("mouseMoved", x, y)
        reader.settle()
        said = [line.replace(TIE, " ") for line in
                reader.evaluate("[...document.getElementById('tip').children].map(line => line.textContent)")]
        assert re.search(r"accesses in flight$", said[1]) and re.fullmatch(says, said[2]), said
        # The last tick of the axis is not cut off.
        assert reader.evaluate("""(() => { const edge = document.getElementById('axis').getBoundingClientRect().right;
          page.timeline.fit(); page.timeline.draw();
          return [...document.querySelectorAll('#axis text')].every(e => e.getBoundingClientRect().right <= edge); })()""")


def web_a_title_collapses_and_expands_its_rows(reader, made):
    reader.open(made.varied())
    reader.evaluate("document.getElementById('timeline').focus()")
    names = "page.timeline.rows.filter(row => row.kind === 'title').map(row => row.name)"
    assert reader.evaluate(names) == ["Copies", "Warps", "DMA", "LDS", "Memory"]
    all_of_them = reader.evaluate("page.timeline.rows.length")
    go_to(reader, "row.name === 'LDS'")
    assert reader.evaluate(SPOKEN) == "LDS, open, 3 rows"
    reader.key("Enter")
    assert reader.evaluate(SPOKEN) == "LDS, closed, 3 rows"
    assert reader.evaluate("page.timeline.rows.length") == all_of_them - 3
    reader.evaluate("page.move(0)")  # and it stays closed
    reader.wait("document.body.dataset.point === '0'")
    assert reader.evaluate("page.timeline.rows.length") == all_of_them - 3
    x, y = reader.evaluate("""(() => { const t = page.timeline, box = t.canvas.getBoundingClientRect();
      const i = t.rows.findIndex(row => row.name === 'LDS'); t.reveal(t.rows[i]); t.draw();
      return [box.left + 20, box.top + t.top[i] - t.scroller.scrollTop + 9]; })()""")
    reader.click(x, y)
    assert reader.evaluate("page.timeline.rows.length") == all_of_them


def web_a_barrier_names_the_last_warp_to_arrive(reader, made):
    reader.open(made.page("barrier", "run", BARRIER))
    meets = reader.evaluate("page.run.meets.filter(meet => meet.kind === 'barrier').map(meet => [meet.from, meet.last,"
                            " page.run.arrivals(meet).map(a => [a.index, a.at])])")
    for first, last, come in meets:
        assert len(come) == reader.evaluate("page.run.warpsOf(0, 0)") > 1
        assert sorted(index for index, _ in come) == list(range(len(come)))
        assert come[0][1] == first and come[-1][1] == last, (first, last, come)
    longest = max(range(len(meets)), key=lambda i: meets[i][1] - meets[i][0])
    reader.evaluate(f"""(() => {{ const meet = page.run.meets.filter(meet => meet.kind === 'barrier')[{longest}];
      page.timeline.select({{row: meet.row, slice: meet.row.meets.indexOf(meet)}}); }})()""")
    first, last, come = meets[longest]
    said = reader.evaluate(SELECTED)
    assert f"the last was warp {come[-1][0]}, after {last - first:,} cycles" in said, said
    # The warp waits for the same barrier.
    assert reader.evaluate("""(() => { const warp = page.run.arrivals(page.run.meets.find(m => m.kind === 'barrier'))[0];
      return page.timeline.links.meetsOf({row: warp.row, slice: warp.slice + 1})[0].kind; })()""") == "barrier"


def web_the_slider_updates_the_whole_page(reader, made):
    reader.open(made.varied())
    look = """[...['facts', 'vary-value', 'buckets', 'source'].map(id => document.getElementById(id).textContent),
               page.timeline.canvas.toDataURL(), document.querySelector('#stacks .now').getAttribute('aria-label')]"""
    before = reader.evaluate(look)
    reader.evaluate("document.getElementById('slider').focus()")
    reader.key("ArrowRight")
    reader.wait("document.body.dataset.point === '2'")
    reader.settle()
    after = reader.evaluate(look)
    assert all(one != other for one, other in zip(before, after))
    assert f"dma.setup = 40{TIE}cycles" in after[1] and "7,353" in after[1], after[1]


def web_the_axis_fits_the_value_shown(reader, made):
    """It fits the longest value, and shorter ones would be squeezed into a corner."""
    reader.open(made.page("slow", "run", "examples/04_single_buffer/launch.json", "--html-vary", "dma.setup=20,1000"))
    assert reader.evaluate("page.cycles(1) > 3 * page.cycles(0)")
    for point in (0, 1, 0):
        reader.evaluate(f"page.move({point})")
        reader.wait(f"document.body.dataset.point === '{point}'")
        reader.settle()
        assert reader.evaluate(DOMAIN) == [0, reader.evaluate(f"page.cycles({point})")], point
    # The zoomed range stays visible, as far as the value extends.
    reader.evaluate("page.timeline.window(1000, 2000)")
    reader.evaluate("page.move(1)")
    reader.wait("document.body.dataset.point === '1'")
    assert [round(cycle) for cycle in reader.evaluate(DOMAIN)] == [1000, 2000]
    reader.evaluate("page.timeline.window(page.cycles(1) - 2000, page.cycles(1))")
    reader.evaluate("page.move(0)")
    reader.wait("document.body.dataset.point === '0'")
    assert reader.evaluate(DOMAIN) == [0, reader.evaluate("page.cycles(0)")]


def web_each_launch_has_its_own_heading_and_axis(reader, made):
    reader.open(made.conflict())
    look = "[...['title', 'facts', 'bottleneck'].map(id => document.getElementById(id).textContent), page.launch]"
    launches = reader.evaluate("page.run.launches.map(launch => [launch.start, launch.start + launch.cycles])")
    assert len(launches) == 6
    ends = reader.evaluate("[...document.querySelectorAll('#stacks .stack > text:last-of-type')].map(e => e.textContent)")
    assert ends == [f"{to - start:,} cycles" for start, to in launches], ends
    assert [round(at) for at in reader.evaluate(DOMAIN)] == launches[reader.evaluate("page.launch")]
    heads = set()
    for number, cycles in enumerate(launches):
        reader.evaluate(f"page.pick({number})")
        reader.settle()
        title, facts, bottleneck, _ = reader.evaluate(look)
        assert title == "bank_conflict" and facts.startswith(f"Launch {number + 1}{TIE}of 6. "), (title, facts)
        assert [round(at) for at in reader.evaluate(DOMAIN)] == cycles, number
        heads.add(bottleneck)
    assert len(heads) > 3
    reader.evaluate("document.getElementById('zoom-fit').click()")
    assert reader.evaluate(DOMAIN) == [0, launches[-1][1]]


def web_help_on_a_phone_describes_touch(reader, made):
    seen = "['keys', 'touches'].map(id => document.getElementById(id).offsetHeight > 0)"
    reader.open(made.varied())
    assert reader.evaluate(seen) == [True, False]
    reader.call("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        reader.open(made.varied())
        assert reader.evaluate(seen) == [False, True]
    finally:
        reader.call("Emulation.setTouchEmulationEnabled", enabled=False)


def web_a_label_fits_its_slice_or_is_left_out(reader, made):
    reader.open(made.varied())
    for cycles in (400, 1500, 3000, 7000):
        labels = reader.evaluate("""(() => { const t = page.timeline, c = t.context, fill = c.fillText, found = [];
          t.window(800, 800 + %d); c.fillText = () => null; t.draw();
          c.fillText = (text, x) => found.push([text, x, x + c.measureText(text).width]);
          t.drawLabels(); c.fillText = fill;
          return found.map(label => [...label, t.labels.some(({a, b}) => a <= label[1] && label[2] <= b)]); })()""" % cycles)
        assert labels and all(fits for *_, fits in labels), labels
        copies = [text for text, *_ in labels if re.search("copy|landed", text) and not text.startswith("copy_")]
        assert all(re.match(r"\d+ (copy|landed)$", text) for text in copies if "async" not in text), copies


def web_a_point_with_different_results_says_so(reader, made):
    reader.open(made.page("fewer", "run", DEEP, "--html-vary", "arg.tiles=8,32"))
    look = "[...document.querySelectorAll('#stacks .stack > text:first-of-type'), document.getElementById('vary-value')]" \
           ".map(element => element.textContent)"
    assert not any("results" in text for text in reader.evaluate(look)[1:]), reader.evaluate(look)
    reader.evaluate("page.move(0)")
    reader.wait("document.body.dataset.point === '0'")
    reader.settle()
    fewer, full, said = (text.replace(TIE, " ") for text in reader.evaluate(look))
    assert fewer == "tiles = 8 (results differ)" and full == "tiles = 32", (fewer, full)
    assert said.endswith("% from tiles = 32; results differ)"), said


def web_a_partial_timeline_fills_its_window(reader, made):
    reader.open(made.page("part", "run", LAUNCH, "--from", "2000", "--to", "3000"))
    first, last = reader.evaluate(DOMAIN)
    assert 1000 < first <= 2000 and 3000 <= last < 4000, (first, last)


def web_a_line_highlights_its_slices(reader, made):
    reader.open(made.varied())
    reader.evaluate("[...document.querySelectorAll('.source button')].find(b => b.textContent === '27').click()")
    lit = reader.evaluate("page.timeline.rows.find(row => row.kind === 'warp').dim.filter(dim => !dim).length")
    assert lit > 30


def web_the_worst_access_is_drawn(reader, made):
    reader.open(made.conflict())
    assert reader.evaluate("page.launch") == 5  # the longest: all lanes in one bank
    said = reader.evaluate("document.querySelector('#lanes p').textContent").replace(TIE, " ")
    assert "in 32 passes" in said and "has 32 words to deliver" in said, said
    assert reader.evaluate("document.querySelectorAll('#lanes svg line').length") == 32


def web_nothing_overflows_at_any_width(reader, made):
    for width, height in ((360, 740), (3840, 2160)):
        reader.size(width, height)
        for path in (made.varied(), made.conflict()):
            reader.open(path)
            assert reader.evaluate("document.documentElement.scrollWidth") <= width, width
            assert reader.evaluate("page.timeline.canvas.clientWidth") > 0.85 * width


TEXTS = "h1,h2,p,th,td,button:not(:disabled),label,li,output,kbd,summary"


def web_text_has_contrast_in_light_and_dark(reader, made):
    papers = []
    for dark in (False, True):
        reader.size(1400, 1000, dark)
        reader.open(made.varied())
        assert reader.contrast(TEXTS) >= 4.5
        papers.append(reader.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert papers[0] != papers[1]


def web_buckets_differ_for_color_blind_readers(reader, made):
    for dark in (False, True):
        reader.size(1400, 1000, dark)
        reader.open(made.varied())
        faces = {bucket: [int(channel) / 255 for channel in re.findall(r"\d+", css)] for bucket, css in
                 reader.evaluate("BUCKETS.map(bucket => [bucket, page.looks.css[page.looks.number(bucket)]])")}
        for vision, matrix in VISIONS.items():
            seen = {bucket: cielab(matrix, face) for bucket, face in faces.items()}
            for one, other in itertools.combinations(seen, 2):
                apart = sum((a - b) ** 2 for a, b in zip(seen[one], seen[other])) ** 0.5
                pipes = "pipe" in one and "pipe" in other  # a kernel waits for these alternately, without a gap
                assert apart > (30 if pipes else 10), (dark, vision, one, other)


def web_tab_reaches_every_control_and_each_has_a_name(reader, made):
    reader.open(made.varied())
    seen = []
    for _ in range(14):
        reader.key("Tab")
        seen.append(reader.evaluate("document.activeElement.id || document.activeElement.tagName"))
    assert [name for name in ("slider", "zoom-in", "zoom-out", "zoom-fit", "timeline") if name not in seen] == [], seen
    assert reader.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    nameless = reader.evaluate("""
      [...document.querySelectorAll('button, input, select, canvas, [role=button], [role=img]')]
      .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels && e.labels.length)).length""")
    assert nameless == 0


if __name__ == "__main__":
    sys.exit(harness.main(globals(), __doc__))
