#!/usr/bin/env python3
"""The playground in a headless Chromium, compared with the command line.

usage: tests/playground/page_test.py [--at URL] [--pictures FOLDER] [--write] [WORD]
  WORD selects tests; --at names a server that has the folder, instead of one that serves build/playground;
  --pictures leaves pictures for review, instead of tests; --write makes that of docs/playground.md again"""
import argparse
import base64
import json
import pathlib
import sys
import tempfile
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from play import Slow, serve, Play, Shell, cycles, ROOT  # pylint: disable=wrong-import-position
from browser import CTRL, SHIFT, chromium  # pylint: disable=wrong-import-position
from folder_test import status_of  # pylint: disable=wrong-import-position
from made import Data  # pylint: disable=wrong-import-position

BUFFERED = "05_double_buffer"
ENDLESS = ".kernel number\n.arg data global\n.reg i\nagain: add.i32 i, i, 1\nbra again\n"


# ---- tests: each starts with a fresh playground --------------------------------------------------------

def opens_and_lists_all_examples(play, shell):
    assert play.at("problem", "hidden") and "Warpwait" in play.at("version")
    names = play.evaluate("[...document.querySelectorAll('#example option')].map(option => option.value)")
    assert {example["name"] for example in shell.catalog["examples"]} < set(names)
    assert [name for name in names if name.startswith("template_")]


def reports_of_every_example_match_the_command_line(play, shell):
    for name in play.evaluate("[...document.querySelectorAll('#example option')].map(option => option.value)"):
        play.pick("example", name)
        play.do("run")
        assert "cycles" in play.at("status"), (name, play.at("status"), play.at("problem"))
        files = play.files()
        example = shell.example(name) or {"name": name, "kind": "template", "launch": "launch.json", "binary": {}}
        words = "replay" if example["kind"] == "trace" else "run", example["launch"]
        status = status_of(example)
        assert play.at("report-text") == shell.run(files, *words, example=example, status=status), name
        assert play.report() == shell.run(files, *words, "--report", "json", example=example, status=status), name


def the_page_of_a_run_matches_the_command_line_and_works_in_its_frame(play, shell):
    play.example(BUFFERED)
    play.put("vary", "dma.setup=0,20,40")
    play.do("run")
    for _ in range(100):
        if play.in_frame("document.body && document.body.dataset.ready === 'yes'"):
            break
        time.sleep(0.05)
    assert play.in_frame("[page.timeline.rows.length > 3, document.getElementById('slider').max, origin]") == \
        [True, "2", "null"]
    assert play.in_frame("fetch('http://127.0.0.1/').then(() => 'came', () => 'blocked')") == "blocked"
    for old in play.saved.iterdir():
        old.unlink()
    play.press("save-page")
    for _ in range(100):
        if list(play.saved.glob("*.html")):
            break
        time.sleep(0.05)
    ours = Data(next(play.saved.glob("*.html")))
    path = play.folder / "theirs.html"
    shell.run(play.files(), "run", "launch.json", "--html", str(path), "--html-vary", "dma.setup=0,20,40")
    assert ours.points == Data(path).points and ours.index == Data(path).index


def each_of_several_launches_has_its_own_heading_and_axis(play, _shell):
    play.example("02_bank_conflict")
    play.do("run")
    said, launches = play.at("status"), cycles(play.report())
    assert said.startswith(f"6 launches: {', '.join(f'{one:,}' for one in launches[:4])}, … cycles"), said
    for _ in range(100):
        if play.in_frame("document.body && document.body.dataset.ready === 'yes'"):
            break
        time.sleep(0.05)
    for number in range(6):
        head, axis = play.in_frame(f"""(page.pick({number}), [['title', 'facts'].map(id =>
          document.getElementById(id).textContent).join('. '), page.timeline.scale.domain()])""")
        assert head.startswith(f"bank_conflict. Launch {number + 1} of 6. Machine teaching."), head
        assert round(axis[1] - axis[0]) == launches[number], (axis, launches)


def help_on_a_phone_does_not_mention_keys(play, _shell):
    play.call("Emulation.setTouchEmulationEnabled", enabled=True)
    try:
        play.visit()
        assert not play.evaluate("document.getElementById('file-hint').offsetHeight")
    finally:
        play.call("Emulation.setTouchEmulationEnabled", enabled=False)
    play.visit()
    assert play.evaluate("document.getElementById('file-hint').offsetHeight")


def explain_and_check_match_the_command_line(play, shell):
    play.example(BUFFERED)
    for button, words in (("explain", ("explain", "launch.json", "--no-changes")), ("check", ("check", "launch.json"))):
        play.do(button)
        assert play.at(f"panel-{button}", "hidden") is False
        assert play.at(f"{button}-text") == shell.run(play.files(), *words), button


def a_place_in_a_text_links_to_the_editor(play, _shell):
    play.example(BUFFERED)
    play.do("explain")
    play.tab("launch.json")
    word = play.evaluate("""(() => { const place = document.querySelector('#explain-text .place'); place.click();
      return place.textContent; })()""")
    line = play.evaluate("document.querySelector('.CodeMirror').CodeMirror.getCursor().line")
    assert word == f"kernel.wws:{line + 1}" and play.at("file", "contains(document.activeElement)")


def an_error_marks_its_line(play, _shell):
    play.example(BUFFERED)
    play.text("; one\n; two\n" + play.text().replace("ld.lds", "ld.ldss"))
    play.tab("launch.json")
    play.do("run")
    said = play.at("problem")
    assert said.startswith("kernel.wws:") and "unknown operation 'ld.ldss" in said and "\n" not in said, said
    line = int(said.split(":")[1])
    marked = play.evaluate("""[...document.querySelectorAll('.CodeMirror .wrong .CodeMirror-linenumber')]
      .map(number => Number(number.textContent))""")
    assert marked == [line], (marked, line)
    assert "unknown operation" in play.evaluate("document.querySelector('.said').textContent")
    play.evaluate("document.querySelector('#problem .place').click()")
    assert play.evaluate("document.querySelector('.CodeMirror').CodeMirror.getCursor().line") == line - 1
    play.text(play.text().replace("ld.ldss", "ld.lds"))
    play.do("run")
    assert play.at("problem", "hidden") and not play.evaluate("document.querySelectorAll('.wrong').length")


def errors_in_launch_files_machines_and_parameters_are_shown_in_place(play, _shell):
    play.example(BUFFERED)
    play.tab("launch.json")
    good = play.text()
    play.text(good.replace('"kernel"', '"kernle"'))
    play.do("run")
    assert "did you mean 'kernel'" in play.evaluate("document.querySelector('.said').textContent")
    play.text(good)
    play.pick("machine", "machine.ini")
    play.text(play.text().replace("setup", "setpu"))
    play.do("run")
    assert "machine.ini:" in play.at("problem") and play.evaluate("document.querySelectorAll('.wrong').length") == 1
    play.pick("machine", "")
    play.parameter("dma.setpu", "3")
    play.do("run")
    assert "did you mean 'dma.setup'" in play.at("problem")
    assert play.evaluate("document.querySelectorAll('#parameter-rows [aria-invalid]').length") == 2
    play.press("parameter-clear")
    play.put("vary", "dma.setup")
    play.do("run")
    assert "--html-vary" in play.at("problem") and play.at("vary", "getAttribute('aria-invalid')")


def runs_use_the_chosen_parameters_and_machine(play, shell):
    play.example(BUFFERED)
    play.parameter("dma.setup", "200")
    play.wait("/0 to 1000000 cycles; the machine has 20[.]/.test(document.querySelector('#parameter-rows').textContent)", 10)
    play.pick("machine", "dsp")
    setup = shell.run({}, "params", "--machine", "dsp", "dma.setup").splitlines()[1].split()[1]
    play.wait(f"document.querySelector('#parameter-rows').textContent.includes('has {setup}.')", 10)
    play.pick("machine", "")
    play.do("run")
    wanted = shell.run(play.files(), "run", "launch.json", "--report", "json", "--set", "dma.setup=200")
    assert play.report() == wanted
    play.press("parameter-clear")
    play.pick("machine", "h200")
    play.do("run")
    assert cycles(play.report()) == cycles(shell.run(play.files(), "run", "launch.json", "--report", "json",
                                                     "--machine", "h200"))
    play.pick("machine", "machine.ini")
    play.text("[dma]\nsetup = 77\n")
    play.do("run")
    assert play.report() == shell.run(play.files(), "run", "launch.json", "--report", "json", "--machine", "machine.ini")


def results_are_verified_when_asked(play, shell):
    play.example(BUFFERED)
    assert not play.at("verify-label", "hidden")
    play.press("verify")
    play.do("run")
    example = shell.example(play.at("example", "value"))
    assert play.at("report-text") == shell.run(play.files(), "run", "launch.json", "--verify", example=example)
    play.tab("kernel.wws")
    play.text(play.text().replace("16777619", "3"))
    play.do("run")
    assert play.at("problem").startswith("verify: out (exact): element 0") and play.in_frame("1") == 1
    play.example("template_kernel")
    assert play.at("verify-label", "hidden")


def a_baseline_is_compared_with_the_last_run(play, shell):
    play.example(BUFFERED)
    play.do("run")
    before = play.report()
    play.tab("compare")
    play.do("baseline")
    assert play.at("compare-text").startswith("No difference")
    play.parameter("dma.setup", "200")
    play.do("run")
    files = {"baseline.json": before, "last.json": play.report()}
    play.idle()
    assert play.at("compare-text") == shell.run(files, "diff", "baseline.json", "last.json", status=1)


def a_link_carries_all_of_the_work(play, _shell):
    play.example(BUFFERED)
    play.text("; <b>mine</b> \N{GREEK SMALL LETTER LAMDA}\n" + play.text())
    play.pick("machine", "machine.ini")
    play.text("[dma]\nsetup = 33\n")
    play.parameter("dma.channels", "2")
    play.put("vary", "dma.setup=0,20")
    play.press("verify")
    play.do("run")
    state, report = play.state(), play.report()
    play.press("share")
    play.wait("location.hash")
    play.wait("/link/i.test(document.getElementById('status').textContent)")
    link = play.evaluate("location.hash")
    assert link.startswith("#1.") and len(link) < 2000, len(link)
    assert play.evaluate("navigator.clipboard.readText()").endswith(link)
    play.visit(link)
    assert play.state() == state and play.at("report-text") == ""
    play.do("run")
    assert play.report() == report
    play.text(play.text() + ";")
    assert play.evaluate("location.hash") == ""  # the link no longer describes what is here


PACK = """(async text => { const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return '#1.' + btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''))
    .replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, ''); })(%s)"""


def a_broken_link_is_reported_and_shows_the_first_example(play, _shell):
    work = {"files": {}, "binary": {}, "machine": "", "ini": "", "parameters": [], "vary": "", "verify": False}
    good = play.evaluate(PACK % json.dumps(json.dumps({"example": "template_kernel", "work": work})))
    packed = [json.dumps({"example": "no/such", "work": work}), "[]", "null", '"text"',
              json.dumps({"example": "template_kernel", "work": work | {"files": {"../x": ""}}}),
              json.dumps({"example": "template_kernel", "work": work | {"parameters": [["a"]]}}),
              json.dumps({"example": "template_kernel", "work": work | {"binary": {"a.wwo": "*"}}}), " " * 3_000_000]
    packed += [json.dumps({"example": "template_kernel", "work": work | {"files": files}}) for files in (
        [], {"/etc/x": ""}, {"a//b": ""}, {"__proto__": ""}, {"machine.ini": ""}, {"a" * 200: ""},
        {f"a{number}": "" for number in range(50000)})]
    broken = ["#", "#nonsense", "#1.", "#1.AAAA", "#2." + good[3:], good[:-9], good[:9] + "_" + good[10:]]
    first = play.evaluate("document.querySelector('#example option').value")
    play.visit(good)
    assert play.at("problem", "hidden") and play.at("example", "value") == "template_kernel"
    for fragment in broken[1:] + [play.evaluate(PACK % json.dumps(text)) for text in packed]:
        play.visit(fragment)
        said = play.at("problem")
        assert said.startswith("This link ") and "\n" not in said and len(said) < 200, (fragment[:40], said)
        assert play.at("example", "value") == first, fragment[:40]
        play.complaints.clear()


def a_link_that_unpacks_to_too_much_is_refused_at_once(play, _shell):
    packer = zlib.compressobj(9, wbits=-15)
    packed = b"".join([*(packer.compress(bytes(1 << 24)) for _ in range(16)), packer.flush()])
    begin = time.monotonic()
    play.visit("#1." + base64.urlsafe_b64encode(packed).decode().rstrip("="))
    assert play.at("problem").startswith("This link is damaged: it is too long."), play.at("problem")
    assert time.monotonic() - begin < 5


def work_too_long_for_a_link_is_reported(play, _shell):
    play.example("template_kernel")
    play.text(play.text() + ";" * (1 << 20))
    play.press("share")
    play.wait("!document.getElementById('problem').hidden")
    assert play.at("problem").startswith("Too long for a link: ") and play.evaluate("location.hash") == ""


def work_that_a_link_replaced_can_be_restored(play, _shell):
    play.example("template_kernel")
    play.text("; mine\n" + play.text())
    play.press("share")
    play.wait("location.hash")
    link = play.evaluate("location.hash")
    play.text("; also mine\n" + play.text())
    mine = play.state()
    play.visit(link, fresh=False)
    assert play.text().startswith("; mine") and not play.at("undo", "hidden")
    play.text(play.text() + "; and more\n")
    play.do("run")
    play.press("undo")
    assert play.state() == mine and play.evaluate("location.hash") == ""


def conflicting_file_names_are_reported(play, _shell):
    work = {"files": {"a": "", "a/b": ""}, "binary": {}, "machine": "", "ini": "", "parameters": [], "vary": "",
            "verify": False}
    play.visit(play.evaluate(PACK % json.dumps(json.dumps({"example": "template_kernel", "work": work}))))
    play.do("run")
    assert play.at("problem") == "a/b: this name conflicts with another file", play.at("problem")


def the_page_waits_for_a_slow_server_that_does_not_know_wasm(play, _shell):
    origin = serve(Slow)
    play.allowed += (f"{origin}/",)
    play.call("Page.navigate", url=f"{origin}/")
    play.wait("location.origin === '%s' && document.querySelectorAll('#example option').length" % origin)
    assert play.at("status") == "Loading…" and play.at("run", "disabled")
    play.key("Enter", CTRL)  # needed later
    play.wait("document.body.dataset.ready === 'yes'", 30)
    assert not play.at("run", "disabled") and play.at("status") == ""
    play.do("run")
    assert "cycles" in play.at("status")


def a_lost_worker_is_replaced(play, _shell):
    ask = """(async () => { const {Engine} = await import(`${location.origin}/engine.js`), engine = new Engine();
      const said = [], version = () => engine.run(["--version"], {}).then(answer => answer.out, error => error.message);
      %s; engine.worker.terminate(); return said; })()"""
    version = play.at("version").replace("Warpwait", "warpwait") + "\nOpenCL C: compiled ahead\n"
    lost = "engine.worker.onerror(new ErrorEvent('error', {message: 'gone'}))"
    for what, wanted in (
            ("const first = version(); engine.cancel(); said.push(await first, await version(), await engine.ready)",
             ["cancelled", version, version.split()[1]]),
            (f"said.push(await version()); const last = version(); {lost}; said.push(await last, await version())",
             [version, "worker.js: gone", version])):
        assert play.evaluate(ask % what) == wanted, (what, play.evaluate(ask % what))


def memory_that_runs_out_is_reported(play, _shell):
    play.example("01_seed")
    play.tab("launch.json")
    text = play.text()
    play.text(text.replace('"bytes": 1024', '"bytes": 4294967296'))
    play.do("run")
    assert "out of memory for 4294967296 bytes" in play.at("problem"), play.at("problem")
    play.text(text)
    play.do("run")
    assert "cycles" in play.at("status")


def two_windows_keep_the_work_of_both(play, _shell):
    play.example("template_kernel")
    play.text("; mine\n")
    play.wait("(localStorage.getItem('warpwait.playground.1') || '').includes('mine')", 5)
    theirs = {"files": {"kernel.wws": "; theirs"}, "binary": {}, "machine": "", "ini": "", "parameters": [], "vary": "",
              "verify": False}
    play.evaluate("""new Promise(done => { const other = document.createElement('iframe'); other.src = 'frame.html';
      other.onload = () => { const key = 'warpwait.playground.1', kept = JSON.parse(localStorage.getItem(key));
        kept.works.template_copy = %s; other.contentWindow.localStorage.setItem(key, JSON.stringify(kept));
        setTimeout(() => { other.remove(); done(true); }, 100); };
      document.body.append(other); })""" % json.dumps(theirs))
    play.tab("kernel.wws")
    play.text("; mine again\n")
    play.example("template_copy")
    assert play.text() == "; theirs"
    play.visit(fresh=False)
    assert play.text() == "; theirs"
    play.example("template_kernel")
    assert play.text() == "; mine again\n"


def full_storage_is_reported(play, _shell):
    play.example("template_kernel")
    play.evaluate("Storage.prototype.setItem = () => { throw new Error('full'); }")
    play.text("; mine\n")
    play.wait("document.getElementById('status').textContent.startsWith('The browser stores nothing here')", 5)


def a_machine_file_can_be_added(play, shell):
    play.example("template_copy")
    machine = play.folder / "machine.ini"
    machine.write_text("[dma]\nsetup = 77\n")
    play.give("added", machine)
    play.wait("document.getElementById('machine').value === 'machine.ini'")
    assert play.text() == machine.read_text()
    play.do("run")
    assert play.at("report-text") == shell.run(play.files(), "run", "launch.json", "--machine", "machine.ini")


def edits_during_a_run_do_not_change_its_report(play, shell):
    play.example("template_kernel")
    files = play.files()
    play.tab("kernel.wws")
    play.evaluate("""(() => { document.getElementById('run').click();
      document.querySelector('.CodeMirror').CodeMirror.setValue('.kernel number\\nexit\\n'); })()""")
    play.idle()
    assert not play.at("stale", "hidden")
    assert play.report() == shell.run(files, "run", "launch.json", "--report", "json")


def a_page_opened_as_a_file_asks_for_a_server(play, _shell):
    play.allowed += ("file:",)
    page = ROOT / "build/playground/index.html"
    play.call("Page.navigate", url=page.as_uri())
    play.wait("location.protocol === 'file:' && document.readyState === 'complete'")
    assert play.at("status") == "The playground needs a web server: run `warpwait playground`."
    play.complaints.clear()  # the browser's, which refuses modules


def chosen_names_are_readable_at_1280_pixels(play, _shell):
    play.size(1280, 800)
    play.visit("#example=05_double_buffer")
    cut = """(name => { const select = document.getElementById(name), word = document.createElement('span');
      word.style.position = 'absolute';
      word.style.font = getComputedStyle(select).font; word.textContent = select.selectedOptions[0].textContent;
      document.body.append(word); const wide = word.getBoundingClientRect().width; word.remove();
      return wide + 30 > select.clientWidth; })('%s')"""
    assert not play.evaluate(cut % "machine") and not play.evaluate(cut % "example")
    tall = "document.querySelector('header').offsetHeight"
    before = play.evaluate(tall)
    play.do("run")
    assert play.evaluate(tall) == before, "the status takes two lines"


def wide_text_scrolls_with_its_panel(play, _shell):
    play.size(360, 740)
    play.visit("#example=lesson_1")
    play.do("run")
    play.tab("report")
    assert play.evaluate("(panel => panel.scrollWidth > panel.clientWidth)(document.getElementById('panel-report'))")


def ctrl_enter_in_the_page_of_a_run_starts_a_run(play, _shell):
    play.example(BUFFERED)
    play.do("run")
    place = "document.querySelector('iframe').getBoundingClientRect()"
    for _ in range(100):
        if play.in_frame("document.body && document.body.dataset.ready === 'yes'"):
            break
        time.sleep(0.05)
    play.evaluate("document.getElementById('status').textContent = 'before'")
    play.evaluate("postMessage('run', '*')")  # not sent by the frame
    play.settle()
    assert play.at("status") == "before"
    play.click(play.evaluate(f"{place}.left + 20"), play.evaluate(f"{place}.top + 10"))
    play.key("Enter", CTRL)
    play.wait("document.getElementById('status').textContent.includes('cycles')", 10)


def a_long_text_is_shown_in_part_and_saved_whole(play, shell):
    play.example("template_kernel")
    play.tab("launch.json")
    launch = json.loads(play.text())
    launch["launches"] *= 2000
    play.text(json.dumps(launch))
    play.do("run")
    play.tab("report")
    begin = time.monotonic()
    play.settle()
    assert play.evaluate("document.querySelector('#report-text button:last-child').textContent").startswith("The first 1,04")
    assert len(play.at("report-text")) < 1.1 * (1 << 20) and time.monotonic() - begin < 2
    play.evaluate("document.querySelector('#report-text button:last-child').click()")
    path = play.saved / "report.txt"
    for _ in range(100):
        if path.exists():
            break
        time.sleep(0.05)
    assert path.read_text() == shell.run(play.files(), "run", "launch.json")


def a_link_can_name_an_example(play, _shell):
    play.visit("#example=lesson_4")
    assert play.at("example", "value") == "lesson_4" and play.at("problem", "hidden")
    play.tab("launch.json")
    play.text(play.text().replace('"DEPTH": 1', '"DEPTH": 3'))
    play.do("run")
    assert "DEPTH=3" in play.at("report-text"), play.at("problem")
    play.evaluate("location.hash = '#example=05_double_buffer'")
    play.wait("document.getElementById('example').value === '05_double_buffer'")
    play.evaluate("location.hash = '#example=lesson_4'")  # the edits are still there
    play.wait("document.getElementById('example').value === 'lesson_4'")
    play.tab("launch.json")
    assert '"DEPTH": 3' in play.text() and not play.at("reset", "hidden")
    play.visit("#example=no_such")
    assert play.at("problem").startswith('This link names the example "no_such", which is not available.')


def a_lesson_lists_the_defines_its_program_was_compiled_for(play, _shell):
    play.example("lesson_1")
    assert "clang" in play.at("file-why")
    play.tab("launch.json")
    assert play.at("file-why") == "The program was compiled for these defines: FLOATS 256, 512, 1024."
    play.text(play.text().replace("256", "300"))
    play.do("run")
    assert "compiled in advance for other options or defines" in play.at("problem")


def a_program_file_can_be_added(play, shell):
    play.example("template_copy")
    program = play.folder / "own.wwo"
    shell.run(play.files(), "asm", "kernel.wws", "-o", str(program))
    play.give("added", program)
    play.wait("!document.getElementById('binaries').hidden")
    assert play.at("binaries").startswith(f"own.wwo: {program.stat().st_size:,} bytes")
    play.tab("launch.json")
    play.text(play.text().replace("kernel.wws", "own.wwo"))
    play.do("run")
    assert play.at("status").startswith("544 cycles"), play.at("problem")
    play.press("share")
    play.wait("location.hash")
    play.visit(play.evaluate("location.hash"))
    assert play.at("binaries").startswith("own.wwo")
    play.evaluate("document.querySelector('#binaries button').click()")
    play.do("run")
    assert "own.wwo" in play.at("problem") and play.at("binaries", "hidden")


def check_marks_the_lines_of_hazards(play, _shell):
    play.example("template_copy")
    play.text(play.text().replace("wait            e\n", "\n"))
    play.do("check")
    assert play.at("status").startswith("Hazards") and "X5" in play.at("check-text")
    assert "still writing" in play.at("code") and play.evaluate("document.querySelectorAll('.wrong').length") >= 2


def the_contents_of_a_link_are_shown_as_text(play, _shell):
    harm = "<img src=x onerror=harm=1></textarea></script><script>harm=1</script>"
    work = {"files": {"kernel.wws": f".kernel {harm}\n{harm}", "launch.json": f'{{"{harm}": 1'}, "machine": harm, "binary": {},
            "ini": harm, "parameters": [[harm, harm]], "vary": harm, "verify": False}
    play.visit(play.evaluate(PACK % json.dumps(json.dumps({"example": "template_kernel", "work": work}))))
    play.do("run")
    assert not play.at("problem", "hidden")
    assert play.evaluate("typeof harm") == "undefined" and not play.evaluate("document.querySelectorAll('img').length")


def an_endless_kernel_can_be_cancelled(play, _shell):
    play.example("template_kernel")
    good = play.text()
    play.text(ENDLESS)
    play.press("run")
    play.wait("!document.getElementById('cancel').hidden", 10)
    play.wait("/[1-9][.]\\d s/.test(document.getElementById('clock').textContent)", 10)
    assert play.at("status").startswith("Running")
    play.do("cancel")
    assert "cancelled" in play.at("status") and play.at("cancel", "hidden")
    for _ in range(100):  # the browser gives a busy worker some seconds to end by itself
        if play.evaluate("1") and len(play.inner["worker"]) == 1:
            break
        time.sleep(0.1)
    assert len(play.inner["worker"]) == 1, "the endless one runs on"
    play.text(good)
    play.do("run")
    assert "cycles" in play.at("status"), play.at("status")


def work_survives_a_reload_and_can_be_reset(play, _shell):
    name = play.example(BUFFERED)
    was = play.state()
    play.tab("kernel.wws")
    play.text("; mine\n" + play.text())
    play.parameter("dma.setup", "9")
    mine = play.state()
    assert not play.at("reset", "hidden") and play.at("files-kernel-wws", "textContent") == "kernel.wwschanged"
    play.visit(fresh=False)
    assert play.state() == mine and mine != was and mine[0] == name
    play.press("reset")
    assert play.state() == was
    play.press("undo")
    assert play.state() == mine
    play.example("template_kernel")
    play.example(BUFFERED)
    assert play.state() == mine


def an_outdated_result_says_so(play, _shell):
    play.example(BUFFERED)
    play.do("run")
    assert play.at("stale", "hidden")
    play.tab("kernel.wws")
    text = play.text()
    play.text(text + ";")
    assert not play.at("stale", "hidden")
    play.text(text)
    assert play.at("stale", "hidden")


def damaged_storage_does_no_harm(play, _shell):
    good = json.dumps({"files": {"kernel.wws": "; mine"}, "binary": {}, "machine": "", "ini": "", "parameters": [],
                       "vary": "", "verify": False})
    play.evaluate(f"""addEventListener('pagehide', () => localStorage.setItem('warpwait.playground.1',
      '{{"current": "template_copy", "works": {{"template_kernel": 3, "template_copy": {good}}}}}'))""")
    play.visit(fresh=False)
    assert play.text() == "; mine"  # an error in another file does no harm
    for kept in ("{", "[]", "7", '{"current": "no/such", "works": {"a": 3}}', '{"works": []}'):
        play.evaluate(f"addEventListener('pagehide', () => localStorage.setItem('warpwait.playground.1', '{kept}'))")
        play.visit(fresh=False)
        assert play.at("problem", "hidden")


def opencl_examples_can_be_read(play, _shell):
    play.example("opencl")
    play.tab("kernel.cl")
    assert "clang" in play.at("file-why") and not play.at("file-why", "hidden")
    assert play.evaluate("document.querySelector('.CodeMirror').CodeMirror.getOption('readOnly')")
    play.tab(play.evaluate("document.querySelector('#files [data-name$=json]').dataset.name"))
    assert not play.evaluate("document.querySelector('.CodeMirror').CodeMirror.getOption('readOnly')")


ACTIVE = "document.activeElement.id || document.activeElement.dataset.name || document.activeElement.tagName"


def tab_to(play, name, modifiers=0):
    seen = []
    for _ in range(30):
        play.key("Tab", modifiers)
        seen.append(play.evaluate(ACTIVE))
        if seen[-1] == name:
            return seen
    raise AssertionError(f"{name} is not reached by Tab: {seen}")


def a_keyboard_is_enough(play, _shell):
    play.example("template_kernel")
    tab_to(play, "example")
    before = play.at("example", "value")
    play.key("ArrowDown")
    assert play.at("example", "value") != before
    tab_to(play, "files-kernel-wws")
    play.key("ArrowRight")
    assert play.evaluate(ACTIVE).startswith("files-launch") and '"launches"' in play.text()
    play.key("Home")
    tab_to(play, "TEXTAREA")
    assert play.at("file", "contains(document.activeElement)")
    play.write("; typed\n")
    assert play.text().startswith("; typed\n")
    play.key("Tab")
    assert not play.at("file", "contains(document.activeElement)")
    play.key("Tab", SHIFT)
    assert play.at("file", "contains(document.activeElement)")
    play.key("Enter", CTRL)
    play.idle()
    assert "cycles" in play.at("status") and "; typed\n" == play.text()[:8]
    tab_to(play, "results-page")
    play.key("ArrowRight")
    assert play.evaluate(ACTIVE) == "results-report" and not play.at("panel-report", "hidden")
    tab_to(play, "panel-report")
    assert play.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def all_controls_have_names(play, _shell):
    play.parameter("dma.setup", "9")
    play.do("run")
    nameless = play.evaluate("""
      [...document.querySelectorAll('button, input, select, textarea, iframe, [role=tabpanel], [role=tablist]')]
      .filter(e => !(e.getAttribute('aria-label') || e.getAttribute('aria-labelledby') || e.title ||
                     e.textContent.trim() || e.labels && e.labels.length)).map(e => e.outerHTML)""")
    assert not nameless, nameless
    assert play.at("status", "getAttribute('role')") == "status"


def crowd(play):
    """Fills the page as far as possible."""
    play.example(BUFFERED)
    play.text(play.text().replace("ld.lds", "ld.ldss"))
    play.parameter("cu.policy", "oldest")
    play.parameter("dma.setup", "0")
    play.do("run")


def nothing_overflows_at_any_width(play, _shell):
    for width, height in ((360, 740), (700, 900), (1000, 700), (1400, 1000), (3840, 2160)):
        play.size(width, height)
        play.visit()
        crowd(play)
        for name in ("report", "compare"):
            play.tab(name)
            assert play.evaluate("document.documentElement.scrollWidth") <= width, (width, name)
        if width >= 1000:
            assert play.evaluate("document.documentElement.scrollHeight") <= height, (width, height)


def a_wide_window_shows_page_and_report_side_by_side(play, _shell):
    play.size(3840, 2160)
    play.visit()
    play.example(BUFFERED)
    play.do("run")
    assert not play.at("panel-page", "hidden") and not play.at("panel-report", "hidden")
    assert "cycles" in play.at("report-text") and play.in_frame("1") == 1
    play.tab("explain")
    assert not play.at("panel-page", "hidden") and play.at("panel-report", "hidden")
    play.size(1400, 1000)
    play.settle()
    assert play.at("panel-page", "hidden") and not play.at("panel-explain", "hidden")


def text_has_contrast_in_light_and_dark(play, _shell):
    texts = "h1,h1 span,h2,p,li,button:not(:disabled),label,select,input,pre,summary,kbd,a,#problem,.said," \
            ".CodeMirror-line span,.CodeMirror-linenumber"
    papers = []
    for dark in (False, True):
        play.size(1400, 1000, dark)
        play.visit()
        crowd(play)
        for name in ("kernel.wws", "launch.json"):
            play.tab(name)
            assert play.contrast(texts) >= 4.5, (dark, name)
        play.example("opencl")
        assert play.contrast(texts) >= 4.5, (dark, "opencl")
        papers.append(play.evaluate("getComputedStyle(document.documentElement).backgroundColor"))
    assert papers[0] != papers[1]


def write_pictures(play, folder):
    """Pictures for review."""
    folder.mkdir(parents=True, exist_ok=True)
    for width, height, dark in ((1400, 900, False), (1400, 900, True), (360, 740, False), (360, 740, True),
                                (3840, 2160, False), (3840, 2160, True)):
        play.size(width, height, dark)
        name = f"{width}{'_dark' if dark else ''}.png"
        play.visit()
        play.picture(folder / f"start_{name}")
        crowd(play)
        play.evaluate("scrollTo(0, 0)")
        play.picture(folder / f"error_{name}")
        play.press("reset")
        play.put("vary", "dma.setup=0,20,40")
        play.do("run")
        time.sleep(1)
        play.picture(folder / f"run_{name}")
        for text in ("explain", "check"):
            play.do(text)
        play.tab("explain")
        play.picture(folder / f"explain_{name}")


def write_docs(play):
    """The picture of docs/playground.md."""
    play.size(1280, 800)
    play.visit()
    play.example(BUFFERED)
    play.parameter("dma.channels", "2")
    play.put("vary", "dma.setup=0,20,40")
    play.do("run")
    play.evaluate("document.activeElement.blur()")
    time.sleep(1)
    (ROOT / "docs/playground").mkdir(exist_ok=True)
    play.picture_in_both(ROOT / "docs/playground/playground.svg")


TESTS = [opens_and_lists_all_examples, reports_of_every_example_match_the_command_line,
         the_page_of_a_run_matches_the_command_line_and_works_in_its_frame, explain_and_check_match_the_command_line,
         a_place_in_a_text_links_to_the_editor, an_error_marks_its_line,
         errors_in_launch_files_machines_and_parameters_are_shown_in_place, runs_use_the_chosen_parameters_and_machine,
         results_are_verified_when_asked, a_baseline_is_compared_with_the_last_run, a_link_carries_all_of_the_work,
         a_link_can_name_an_example, a_lesson_lists_the_defines_its_program_was_compiled_for,
         a_program_file_can_be_added, check_marks_the_lines_of_hazards,
         a_broken_link_is_reported_and_shows_the_first_example, the_contents_of_a_link_are_shown_as_text,
         an_endless_kernel_can_be_cancelled, work_survives_a_reload_and_can_be_reset, an_outdated_result_says_so,
         damaged_storage_does_no_harm, opencl_examples_can_be_read, a_keyboard_is_enough, all_controls_have_names,
         a_wide_window_shows_page_and_report_side_by_side, nothing_overflows_at_any_width,
         text_has_contrast_in_light_and_dark, a_link_that_unpacks_to_too_much_is_refused_at_once,
         work_too_long_for_a_link_is_reported, work_that_a_link_replaced_can_be_restored,
         conflicting_file_names_are_reported, the_page_waits_for_a_slow_server_that_does_not_know_wasm,
         a_lost_worker_is_replaced, memory_that_runs_out_is_reported, two_windows_keep_the_work_of_both,
         full_storage_is_reported, a_machine_file_can_be_added, edits_during_a_run_do_not_change_its_report,
         a_page_opened_as_a_file_asks_for_a_server, chosen_names_are_readable_at_1280_pixels,
         wide_text_scrolls_with_its_panel, ctrl_enter_in_the_page_of_a_run_starts_a_run,
         each_of_several_launches_has_its_own_heading_and_axis, help_on_a_phone_does_not_mention_keys,
         a_long_text_is_shown_in_part_and_saved_whole]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--at", metavar="URL")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not chromium():
        sys.exit("no chromium: `apt-get install chromium`")
    origin = (options.at or serve()).rstrip("/")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        play = Play(origin, folder)
        play.visit()
        shell = Shell(folder, play.evaluate("fetch('examples.json').then(answer => answer.json())"))
        for test in TESTS:
            if options.word not in test.__name__ or options.pictures or options.write:
                continue
            try:
                play.complaints.clear()
                play.size(1400, 1000)
                play.visit()
                test(play, shell)
                assert not play.complaints, play.complaints
                passed += 1
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"{test.__name__}: {type(error).__name__}: {str(error)[:1000]}")
        if options.pictures:
            write_pictures(play, options.pictures)
        if options.write:
            write_docs(play)
        play.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
