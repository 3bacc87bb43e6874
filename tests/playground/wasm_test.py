#!/usr/bin/env python3
"""The command line as WebAssembly in a Web Worker of a headless Chromium, compared with the native command line: what
it prints, writes and returns. Ends with the times of both.

usage: tests/playground/wasm_test.py FOLDER [WORD]   the playground's folder; a word selects tests"""
import json
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from folder_test import ROOT, WARPWAIT, lay_out, start, status_of, tool, words_of

sys.path.insert(0, str(ROOT / "tests/html"))
from browser import Reader, chromium  # pylint: disable=wrong-import-position

# A page of the folder that runs no script.
BARE, TIMES = "licenses.txt", 5
SCRIPT = """(async () => {
  window.open_worker = () => new Promise(resolve => {
    const worker = new Worker("worker.js");
    worker.onmessage = event => resolve([worker, event.data]);
  });
  window.ask = (request, worker = window.worker) => new Promise(resolve => {
    worker.onmessage = event => resolve(event.data);
    worker.postMessage(request);
  });
  const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
  window.put = (files, binary) => ({...files, ...Object.fromEntries(
    Object.entries(binary).map(([path, data]) => [path, bytes(data)]))});
  window.texts = files => Object.fromEntries(
    Object.entries(files).map(([path, data]) => [path, new TextDecoder().decode(data)]));
  const [worker, first] = await open_worker();
  window.worker = worker;
  return first;
})()"""
KERNEL = ".kernel k\n.arg data global\n.reg i\n%s\nexit\n"


class Worker(Reader):
    """A page with a worker."""

    def __init__(self, origin):
        super().__init__(origin=origin.rstrip("/"))
        self.call("Page.navigate", url=origin + BARE)
        self.wait("document.readyState === 'complete'", 30)
        self.first = self.evaluate(SCRIPT)

    def ask(self, words, files, binary=None, wanted=()):
        return self.evaluate(f"""(async () => {{
          const answer = await ask({{id: 7, words: {json.dumps(list(words))}, wanted: {json.dumps(list(wanted))},
            files: put({json.dumps(files)}, {json.dumps(binary or {})})}});
          return {{...answer, files: texts(answer.files)}};
        }})()""")


def expect_the_same(worker, words, example, folder, wanted=()):
    """Status, outputs and files in the worker equal those of the command line."""
    folder.mkdir(parents=True, exist_ok=True)
    lay_out(example, folder)
    got = worker.ask(words, example["files"], example.get("binary"), wanted)
    native = tool(*words, cwd=folder)
    said = f"{folder.name} {' '.join(words)}"
    assert got["id"] == 7
    assert (got["status"], got["err"]) == (native.returncode, native.stderr), f"{said}: {got['err']} {native.stderr}"
    assert got["out"] == native.stdout, f"{said}: another output"
    for path in wanted:
        assert got["files"][path] == (folder / path).read_text(), f"{said}: another {path}"
    return native


def the_worker_reports_its_version(worker, *_):
    assert worker.first == {"ready": True, "version": tool("--version").stdout.split()[1]}, worker.first


def every_example_gives_the_same_report(worker, examples, folder):
    for example in examples.values():
        native = expect_the_same(worker, words_of(example), example, folder / example["name"])
        assert native.returncode == status_of(example) and len(native.stdout) > 1000


def every_verb_answers_the_same(worker, examples, folder):
    for name in ("01_seed", "06_deep_buffer_opencl", "13_pipe_opencl"):
        example, own = examples[name], folder / name
        for words in (("check",), ("explain", "--no-changes"), ("explain", "--no-changes", "--report", "json"), ("run", "--annotate"),
                      ("run", "--machine", "h200", "--verify"), ("run", "--set", "dma.setup=90", "--report", "json")):
            expect_the_same(worker, [words[0], example["launch"], *words[1:]], example, own)
        words = ["run", example["launch"], "--html", "page.html", "--trace", "t.wwt", "--vcd", "w.vcd", "--quiet"]
        expect_the_same(worker, words, example, own, ["page.html", "w.vcd"])
    example, own = examples["06_deep_buffer"], folder / "06"
    words = ["run", "launch.json", "--html", "page.html", "--html-vary", "dma.setup=0,40"]
    expect_the_same(worker, words, example, own, ["page.html"])
    for words in (["params", "--machine", "h200"], ["machines"], ["machines", "h200"], ["dis", "kernel.wws"],
                  ["asm", "kernel.wws"]):
        expect_the_same(worker, words, example, own)


def diff_of_two_reports_is_the_same(worker, examples, folder):
    example = examples["04_single_buffer"]
    lay_out(example, folder)
    reports = {name: tool("run", "launch.json", "--report", "json", *more, cwd=folder).stdout
               for name, more in (("a.json", []), ("b.json", ["--set", "dma.setup=90"]))}
    for more in ([], ["--report", "json"]):
        native = expect_the_same(worker, ["diff", "a.json", "b.json", *more], {"files": reports, "binary": {}}, folder)
        assert native.returncode == 1


def mistakes_are_reported_the_same(worker, examples, folder):
    files = examples["01_seed"]["files"]
    kernel, launch = files["kernel.wws"], files["launch.json"]
    kernels = [kernel.replace("add", "ad", 1), KERNEL % "bra nowhere", KERNEL % "mov.u32 j, 1", "", "\0", kernel[:200],
               KERNEL % "again: add.i32 i, i, 1\nbra again"]
    launches = [launch.replace("teaching", "techaing"), launch[:-3], launch.replace("256", "0"), "[]",
                launch.replace("1024", "4294967297"), launch.replace("kernel.wws", "none.wws"),
                launch.replace('"machine": "teaching"', '"machine": "own.ini"')]
    machine = "base = teaching\n[dma]\nchannels = 2 ; two\n  3\n"
    cases = [{**files, "kernel.wws": text} for text in kernels] + [{**files, "launch.json": text} for text in launches]
    cases.append({**files, "launch.json": launches[-1], "own.ini": machine})
    for number, case in enumerate(cases):
        example = {"files": case, "binary": examples["01_seed"]["binary"]}
        words = ["run", "launch.json", "--max-cycles", "100000"]
        native = expect_the_same(worker, words, example, folder / str(number))
        assert native.returncode in (1, 2) and native.stderr.startswith("warpwait: "), (number, native.stderr)
    for words in (["run"], ["rnu"], ["run", "launch.json", "--frob"], ["run", "launch.json", "--report", "xml"],
                  ["run", "launch.json", "-qx"], ["explain", "launch.json", "--machine"], ["diff", "a"], ["--version"]):
        example = examples["01_seed"]
        lay_out(example, folder)
        native, got = tool(*words, cwd=folder), worker.ask(words, example["files"], example["binary"])
        assert (got["status"], got["err"].split(",")[0]) == (native.returncode, native.stderr.split(",")[0]), got


def missing_programs_and_verbs_are_reported(worker, examples, _):
    example = examples["01_seed_opencl"]
    changed = {**example["files"], "kernel.cl": example["files"]["kernel.cl"] + " "}
    words = ["run", "launch_opencl.json"]
    why = "OpenCL C needs clang, and browsers have none; "
    files, binary = example["files"], example["binary"]
    for files, binary, more, said in (
            (changed, binary, [], f"kernel.cl: changed after it was compiled; {why}"),
            (changed, {}, [], f"kernel.cl: {why}"),
            (files, binary, ["-DN=3"], f"kernel.cl: was compiled in advance for other options or defines; {why}")):
        got = worker.ask([*words, *more], files, binary)
        assert got["status"] == 2 and got["out"] == "" and got["err"].count("\n") == 1 and said in got["err"], got
    for verb in ("sweep", "trace", "playground"):
        got = worker.ask([verb], {})
        assert got["status"] == 2 and f"no verb '{verb}'" in got["err"], got


def too_little_memory_is_reported(worker, examples, _):
    files, binary = examples["01_seed"]["files"], examples["01_seed"]["binary"]
    large = {**files, "launch.json": files["launch.json"].replace('"bytes": 1024', '"bytes": 4294967296')}
    got = worker.ask(["run", "launch.json"], large, binary)
    assert got["status"] == 2 and "out of memory for 4294967296 bytes" in got["err"], got
    assert worker.ask(["run", "launch.json"], files, binary)["status"] == 0


def nothing_remains_from_the_previous_command(worker, examples, _):
    example = examples["01_seed"]
    files = {**example["files"], "a/b": ""}
    first = worker.ask(["run", "launch.json", "--out", "a/../r.txt"], files, example["binary"], ["r.txt", "none"])
    assert list(first["files"]) == ["r.txt"] and len(first["files"]["r.txt"]) > 1000, first
    assert "No such file" in worker.ask(["run", "launch.json"], {})["err"]


def a_folder_without_the_wasm_is_reported(worker, *_):
    """A server that returns another file in its place is as bad."""
    first = worker.evaluate("""(async () => {
      const script = await (await fetch("worker.js")).text();
      const at = location.href.replace(/[^/]*$/, "");
      const where = script.replace('"warpwait.js"', `"${at}warpwait.js"`).replace('"warpwait.wasm"', `"${at}%s"`);
      const worker = new Worker(URL.createObjectURL(new Blob([where])));
      return new Promise(resolve => worker.onmessage = event => resolve(event.data));
    })()""" % BARE)
    assert first["ready"] is False and first["err"].startswith("WebAssembly cannot be loaded: "), first


TESTS = [the_worker_reports_its_version, every_example_gives_the_same_report, every_verb_answers_the_same,
         diff_of_two_reports_is_the_same, mistakes_are_reported_the_same, missing_programs_and_verbs_are_reported,
         too_little_memory_is_reported, nothing_remains_from_the_previous_command,
         a_folder_without_the_wasm_is_reported]


# ---- times ------------------------------------------------------------------------------------------

def bench_kernel(name):
    place = ROOT / "tests/bench"
    launch = (place / f"{name}.json").read_text().replace(f"{name}.cl", f"{name}.wws")
    return {"kind": "assembly", "launch": "launch.json", "binary": {},
            "files": {"launch.json": launch, f"{name}.wws": (place / f"{name}.wws").read_text()}}


def measure(worker, name, example, folder):
    """Medians of whole commands: a process here, an instance there."""
    folder.mkdir()
    lay_out(example, folder)
    words = [words_of(example)[0], example["launch"], "--quiet"]
    here, there = [], []
    for _ in range(TIMES):
        begin = time.perf_counter()
        subprocess.run([str(WARPWAIT), *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        here.append(1e3 * (time.perf_counter() - begin))
        there.append(worker.evaluate(f"""(async () => {{
          const files = put({json.dumps(example["files"])}, {json.dumps(example["binary"])}), begin = performance.now();
          const {{status, out}} = await ask({{id: 1, words: {json.dumps(words)}, files}});
          return status === 0 && out ? performance.now() - begin : NaN;
        }})()"""))
    assert all(there), f"{name}: {there}"
    native, wasm = statistics.median(here), statistics.median(there)
    print(f"{name}: {native:.0f} ms, in the browser {wasm:.0f} ms, {wasm / native:.1f} times as long")


def run_all(worker, folder, made, word):
    examples = {example["name"]: example for example in made["examples"]}
    chosen, failed = [test for test in TESTS if word in test.__name__], 0
    for test in chosen:
        own = folder / test.__name__
        own.mkdir()
        try:
            worker.complaints.clear()
            test(worker, examples, own)
            assert not worker.complaints, worker.complaints
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"{test.__name__}: {type(error).__name__}: {str(error)[:1000]}")
    if not word or word == "measure":
        measure(worker, "examples/06_deep_buffer", examples["06_deep_buffer"], folder / "06")
        for name in ("alu", "lds_tile"):
            measure(worker, f"tests/bench/{name}", bench_kernel(name), folder / name)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip().splitlines()[-1])
    if not chromium():
        sys.exit("no chromium: `apt-get install chromium`")
    static = pathlib.Path(sys.argv[1]).resolve()
    server, origin = start("--folder", static)
    try:
        if not origin.startswith("http"):
            sys.exit(origin)
        with tempfile.TemporaryDirectory() as folder:
            worker = Worker(origin)
            made = json.loads((static / "examples.json").read_text())
            status = run_all(worker, pathlib.Path(folder), made, sys.argv[2] if len(sys.argv) > 2 else "")
            worker.close()
        return status
    finally:
        server.send_signal(signal.SIGTERM)  # a shell's background job does not ignore SIGTERM
        server.communicate()


if __name__ == "__main__":
    sys.exit(main())
