#!/usr/bin/env python3
# Time limit: the browser has 60 s for an answer.
"""Pages and readers that would break a careless page: launches whose text contains the end of a script, runs that never
end, sandboxed frames, fingers, forced colors; and browsers that do not answer.

usage: tests/html/hostile_test.py [WORD]   WORD selects tests"""
import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import harness  # pylint: disable=wrong-import-position
from browser import CannotStart, Chromium  # pylint: disable=wrong-import-position
from made import warpwait  # pylint: disable=wrong-import-position

DOMAIN = "page.timeline.scale.domain()"

HOSTILE = b"""// </script><script>hacked = 1</script> <!-- <b>x</b> \xe2\x80\xa8 \xff\xfe
/* \x00 */ kernel void k(global uint *out, uint n) { // """ + b"long " * 2000 + b"""
  for (uint j = 0; j < n; j++)
    out[get_global_id(0)] += j;
  if (n < 40 || get_global_id(0) < 32)
    barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = 1;
}
""" + b"// more\n" * 5000


def hostile(made, *words, status=0):
    """A page of a launch whose name and source contain the end of a script; with 40 or more iterations it never
    ends."""
    launch = {"name": "</script><script>hacked = 1</script><!-- \u2028 ${x}", "program": "a<b>.cl", "machine": "teaching",
              "buffers": {"o": {"bytes": 512, "elem": "uint", "fill": "zero"}},
              "launches": [{"kernel": "k", "global": [64], "local": [64], "args": [{"buffer": "o"}, {"uint": 9}]}]}
    path = made.folder / "hostile.html"
    (made.folder / "a<b>.cl").write_bytes(HOSTILE)
    (made.folder / "hostile.json").write_text(json.dumps(launch))
    warpwait("run", made.folder / "hostile.json", "--html", path, "--out", "/dev/null", *words, status=status)
    return path


def web_names_and_sources_of_a_launch_are_shown_as_text(reader, made):
    reader.open(hostile(made))
    assert reader.evaluate("typeof hacked") == "undefined"
    assert reader.evaluate("document.getElementById('title').textContent").startswith("</script><script>hacked")
    lines = reader.evaluate("[...document.querySelectorAll('.source pre')].map(pre => pre.textContent)")
    assert lines[0].startswith("// </script><script>") and "<b>x</b>" in lines[0]
    assert re.search(r" … \([\d,]+ characters more\)$", lines[1]), lines[1][-60:]
    assert len(lines) < 100 and reader.evaluate("document.querySelector('.source .gap').textContent") == (
        "4,960 lines without costs")


def web_a_point_that_did_not_finish_is_not_compared(reader, made):
    reader.open(hostile(made, "--html-vary", "arg.n=3,9,50"))
    said = []
    for point in (0, 1, 2):
        reader.evaluate(f"page.move({point})")
        reader.wait(f"document.body.dataset.point === '{point}'")
        said.append(reader.evaluate("document.getElementById('vary-value').textContent").replace("\xa0", " "))
    assert "% from n = 9)" in said[0] and re.fullmatch(r"n = 9: [\d,]+ cycles", said[1]), said
    assert re.fullmatch(r"n = 50: not finished, [\d,]+ cycles until then", said[2]), said
    # The warp that waits forever waits for one that never arrived.
    meet = "page.run.meets[page.run.meets.length - 1]"
    words = reader.evaluate(f"page.timeline.words.meet({meet})")
    assert words[-1] == "1 warp of 2 had not arrived when the timeline ends", words
    # Concurrent kernels are not counted twice.
    assert reader.evaluate("page.timeline.base.domain()") == [0, reader.evaluate("page.cycles(2)")]


def web_a_work_group_with_one_warp_waits_for_no_other(reader, made):
    kernel, path = made.folder / "rest.cl", made.folder / "rest.html"
    kernel.write_text("kernel void k(global uint *o) { barrier(CLK_LOCAL_MEM_FENCE); o[get_global_id(0)] = 1; }\n")
    warpwait("run", kernel, "--global", 160, "--local", 128, "--arg", "buffer:o=1024:uint:zero", "--html", path,
             "--out", "/dev/null")
    reader.open(path)
    words = reader.evaluate("page.run.meets.map(meet => page.timeline.words.meet(meet))")
    assert len(words) == 2 and "the last was warp 3" in words[0][2] and len(words[1]) == 2, words


FRAME = """<!DOCTYPE html><title>frame</title><body data-ready="yes"><script>
addEventListener('message', event => window.said = event.data);
const frame = document.createElement('iframe');
frame.sandbox = 'allow-scripts'; frame.width = 900; frame.height = 600; frame.srcdoc = %s;
document.body.append(frame);
</script>"""
TELL = """<script>{ const wrong = []; addEventListener('error', event => wrong.push(event.message));
setInterval(() => parent.postMessage({ready: document.body.dataset.ready, wrong, origin: String(self.origin),
  rows: typeof page === 'undefined' ? 0 : page.timeline.rows.length}, '*'), 50); }</script>"""


def web_works_in_a_sandboxed_frame(reader, made):
    text = made.varied().read_text().replace("</header>", "</header>" + TELL)
    outer = made.folder / "frame.html"
    outer.write_text(FRAME % json.dumps(text).replace("<", "\\u003c"))
    reader.open(outer)
    reader.wait("window.said && said.ready === 'yes'", 30)
    said = reader.evaluate("said")
    assert said["origin"] == "null" and said["rows"] > 3 and said["wrong"] == [], said


def web_a_finger_pans_and_scrolls(reader, made):
    reader.call("Emulation.setTouchEmulationEnabled", enabled=True)
    reader.size(400, 500)
    try:
        reader.open(made.varied())
        reader.evaluate("document.getElementById('timeline-box').scrollIntoView(); page.timeline.zoomBy(8)")
        reader.settle()
        before = reader.evaluate(DOMAIN)
        reader.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": 300, "y": 250}])
        for step in (1, 2, 3):
            reader.call("Input.dispatchTouchEvent", type="touchMove",
                        touchPoints=[{"x": 300 - 20 * step, "y": 250 - 20 * step}])
        reader.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        reader.settle()
        assert reader.evaluate(DOMAIN)[0] > before[0]
        assert 20 <= reader.evaluate("page.timeline.scroller.scrollTop") <= 60
    finally:
        reader.call("Emulation.setTouchEmulationEnabled", enabled=False)


def web_bucket_colors_differ_with_forced_colors(reader, made):
    reader.open(made.varied())
    reader.call("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    try:
        reader.open(made.varied())
        swatches = reader.evaluate("[...document.querySelectorAll('#buckets .swatch')]"
                                   ".map(e => getComputedStyle(e).backgroundColor)")
        assert len(set(swatches)) == len(swatches) > 3, swatches
        assert reader.evaluate("page.timeline.context.fillStyle") != "rgba(0, 0, 0, 0)"
    finally:
        reader.call("Emulation.setEmulatedMedia", features=[])


# A browser that answers the two calls at the start, in order, and then no more.
SILENT = """#!/usr/bin/env python3
import os, time
for number, result in ((1, '{"targetId": "1"}'), (2, '{"sessionId": "1"}')):
    while os.read(3, 1) != b"\\0":
        pass
    os.write(4, b'{"id": %d, "result": %s}\\0' % (number, result.encode()))
time.sleep(600)
"""


def program(made, name, text):
    path = made.folder / name
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def raised(kind, function, *words):
    try:
        function(*words)
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def test_a_browser_that_does_not_start_is_distinguished_from_one_that_fails(made):
    hangs = program(made, "hangs", "#!/bin/sh\nsleep 600\n")
    assert "no answer to Target.createTarget in 0.2 s" in raised(CannotStart, Chromium, hangs, "1,1", 0.2)
    ends = program(made, "ends", "#!/bin/sh\necho no namespaces >&2\n")
    assert "it said: no namespaces" in raised(CannotStart, Chromium, ends, "1,1", 20)
    browser = Chromium(program(made, "silent", SILENT), "1,1", 20)
    browser.limit = 0.2
    assert "no answer to Runtime.evaluate in 0.2 s, and was killed" in raised(RuntimeError, browser.evaluate, "1")
    assert browser.process.poll() is not None
    browser.close()


if __name__ == "__main__":
    sys.exit(harness.main(globals(), __doc__))
