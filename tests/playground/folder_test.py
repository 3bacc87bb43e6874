#!/usr/bin/env python3
# Time limit: the server has 60 s for an answer.
"""The contents of the playground's folder and how it is served, without a browser or Emscripten.

Each example of the bundle, in a folder with only its files, gives the same report as its launch in the repository.

usage: tests/playground/folder_test.py [WORD]; a word selects tests."""
import base64
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).resolve()
sys.path[:0] = [str(ROOT / "tools/playground"), str(ROOT / "tests")]
import bundle  # pylint: disable=wrong-import-position
import functions  # pylint: disable=wrong-import-position


def tool(*words, cwd=ROOT):
    return subprocess.run([str(WARPWAIT), *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)


def shell(*words, cwd):
    """As in a browser, without clang: tools/playground, linked for this computer."""
    program = WARPWAIT.parent / "playground-shell"
    return subprocess.run([str(program), *words], cwd=cwd, capture_output=True, text=True, check=False)


def lay_out(example, folder):
    for path, text in example["files"].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    for path, data in example["binary"].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(base64.b64decode(data))


def words_of(example):
    return "replay" if example["kind"] == "trace" else "run", example["launch"], "--report", "json"


def place_of(example):
    """The folder from which the example comes."""
    if example["kind"] == "lesson":
        return next(ROOT.glob(f"docs/lessons/0{example['name'].split('_')[1]}-*"))
    return next(place for place in sorted(ROOT.glob("examples/*")) if example["name"].startswith(place.name))


def status_of(example):
    """One lesson has a pipe that is too small; it ends in a deadlock, with a report."""
    return int(example["name"] == "lesson_7_half_a_block")


def every_launch_in_the_lessons_and_examples_is_included(made, _):
    launches = [path for path in ("docs/lessons/*/launch*.json", "examples/*/launch*.json", "examples/*/*.wwtt")
                for path in ROOT.glob(path)]
    assert len(made["examples"]) == len(launches) > 40
    names = [example["name"] for example in made["examples"]]
    assert len(set(names)) == len(names) and {"lesson_7_each", "04_single_buffer", "10_contention_dma_first"} < set(names)
    for example in made["examples"]:
        assert example["launch"] in {**example["files"], **example["binary"]}
        assert re.match(r"Lesson \d" if example["kind"] == "lesson" else r"\d\d[,:]", example["title"]), example["title"]
    kinds = [example["kind"] for example in made["examples"]]
    assert kinds[0] == "lesson" and names[0] == "lesson_1"
    titles = [example["title"] for example in made["examples"]]
    assert len(set(titles)) == len(titles), "two forms of an example have one title"


def each_example_is_complete_and_gives_the_report_of_its_launch(made, folder):
    for example in made["examples"]:
        alone = folder / example["name"]
        alone.mkdir()
        lay_out(example, alone)
        got = tool(*words_of(example), cwd=alone)
        place = place_of(example)
        where = place if (place / example["launch"]).exists() else alone  # a trace is made from a text
        wanted = tool(*words_of(example), cwd=where)
        assert got.returncode == status_of(example) and got.stdout == wanted.stdout, f"{example['name']}: {got.stderr}"
        assert len(got.stdout) > 1000


def precompiled_programs_match_the_source_beside_them(made, folder):
    for example in made["examples"]:
        for path, data in example["binary"].items():
            if not path.endswith(".ahead"):
                continue
            data, text = base64.b64decode(data), example["files"][path.removesuffix(".ahead")].encode()
            parts = list(parts_of(data[8:]))
            assert data[:8] == b"WWAHEAD2" and parts[0] == text, f"{example['name']}: {path}"
            assert len(parts) == 1 + 2 * len(example["defines"])
            for defines, words, spirv in zip(example["defines"], parts[1::2], parts[2::2], strict=True):
                assert words.decode() == "".join(f"{name}={value}\n" for name, value in defines.items())
                compiled = folder / "ahead.spv"
                compiled.write_bytes(spirv)
                assert tool("asm", compiled, "-o", folder / "ahead.wwo").returncode == 0
    assert sum(example["kind"] == "opencl" for example in made["examples"]) > 10


def programs_with_the_defines_of_each_lesson_are_precompiled(made, folder):
    """Each -D of its commands, instead of the launch file's, gives the report of the command line."""
    lessons = {example["name"]: example for example in made["examples"]}
    tried = {"lesson_1": ["FLOATS=512", "FLOATS=1024"], "lesson_3": ["PITCH=33", "PITCH=40"], "lesson_4": ["DEPTH=6"],
             "lesson_6": ["WORK=44", "COPIES=16", "WORDS=4096"], "lesson_7_one_block": ["USE=10"]}
    for name, words in tried.items():
        example, alone = lessons[name], folder / name
        alone.mkdir()
        lay_out(example, alone)
        for word in words:
            define, _, value = word.partition("=")
            wanted = shell(*words_of(example), "-D", word, cwd=alone)
            assert wanted.returncode == 0 and wanted.stdout == tool(*words_of(example), "-D", word, cwd=alone).stdout, word
            edited = json.loads(example["files"][example["launch"]])
            edited["build"]["defines"][define] = int(value)
            (alone / "edited.json").write_text(json.dumps(edited))
            assert shell("run", "edited.json", cwd=alone).stdout == tool("run", "edited.json", cwd=alone).stdout, word
    for word, said in (("FLOATS=257", "was compiled in advance for other options or defines;"), ("MORE=1", "or defines;"),
                       ("FLOATS=51", "or defines;"), ("FLOATS", "or defines;")):
        got = shell(*words_of(lessons["lesson_1"]), "-D", word, cwd=folder / "lesson_1")
        assert got.returncode == 2 and said in got.stderr and got.stderr.count("\n") == 1, got


def parts_of(data):
    """The parts, each preceded by its size."""
    while data:
        size = int.from_bytes(data[:8], "little")
        yield data[8:8 + size]
        data = data[8 + size:]


def damaged_precompiled_programs_are_reported(made, folder):
    example = next(example for example in made["examples"] if example["name"] == "lesson_1")
    lay_out(example, folder)
    whole = base64.b64decode(example["binary"]["kernel.cl.ahead"])
    text = 8 + int.from_bytes(whole[8:16], "little")
    for size in (0, 7, 8, 15, 16, text + 7, text + 8, text + 15, text + 20, text + 33):
        (folder / "kernel.cl.ahead").write_bytes(whole[:size])
        got = shell(*words_of(example), cwd=folder)
        assert got.returncode == 2 and "OpenCL C needs clang" in got.stderr, (size, got)
    (folder / "kernel.cl.ahead").write_bytes(whole[:8] + b"\xff" * 8 + whole[16:])
    assert "OpenCL C needs clang" in shell(*words_of(example), cwd=folder).stderr


def all_machines_and_parameters_are_included(made, _):
    listed = re.findall(r"^(\w+\.\w+) ", tool("params").stdout, re.MULTILINE)
    assert [row["name"] for row in made["parameters"]] == listed and len(listed) > 100
    assert all(row["default"] and row["range"] and row["meaning"] for row in made["parameters"])
    assert [machine["name"] for machine in made["machines"]] == ["dsp", "h200", "teaching"]
    for machine in made["machines"]:
        assert machine["text"] == (ROOT / "machines" / f"{machine['name']}.ini").read_text()


def playground_in(folder):
    """Makes the parts of a playground that a server needs."""
    there = folder / "static"
    there.mkdir()
    for name in ("index.html", "examples.json", "warpwait.wasm"):
        (there / name).write_text(name)
    return there


def start(*words):
    server = subprocess.Popen([str(WARPWAIT), "playground", *map(str, words)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    return server, line.split()[0] if line else server.stderr.read()


def a_folder_is_served_until_interrupted(_, folder):
    there = playground_in(folder)
    server, url = start("--folder", there)
    try:
        assert url.startswith("http://127.0.0.1:80"), url
        for path, kind in (("", "text/html"), ("warpwait.wasm", "application/wasm"),
                           ("examples.json", "application/json")):
            with urllib.request.urlopen(url + path, timeout=60) as answer:
                assert answer.headers["Content-Type"].startswith(kind), (path, answer.headers["Content-Type"])
                assert answer.read().decode() == (path or "index.html")
        port = url.strip("/").rpartition(":")[2]
        second, other = start("--folder", there)
        second.send_signal(signal.SIGINT)
        second.communicate(timeout=60)
        assert other.startswith("http") and other != url, other
        taken = tool("playground", "--folder", there, "--port", port)
        assert (taken.returncode, taken.stdout) == (2, "")
        assert taken.stderr == f"warpwait: --port: {port} is taken; omit --port to use a free one\n"
    finally:
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out, err) == (0, "", ""), (server.returncode, out, err)


def the_requested_port_is_used(_, folder):
    there = playground_in(folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server, url = start("--folder", there, "--port", port)
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=60)
    assert url == f"http://127.0.0.1:{port}/", url


def a_folder_without_a_playground_is_refused(_, folder):
    got = tool("playground", "--folder", folder)
    assert (got.returncode, got.stdout) == (2, "")
    assert got.stderr == f"warpwait: --folder: {folder} is not a playground; `make playground` builds one\n"


def verbs_in_the_browser_answer_the_same_without_clang(made, folder):
    """The same code as in WebAssembly, linked for this computer."""
    for example in made["examples"]:
        if example["name"] not in ("01_seed", "06_deep_buffer_opencl", "14_trace_by_hand"):
            continue
        lay_out(example, folder)
        words = words_of(example)
        got = shell(*words, cwd=folder)
        assert got.returncode == 0 and got.stdout == tool(*words, cwd=folder).stdout, f"{example['name']}: {got.stderr}"
        if example["kind"] == "opencl":
            (folder / "kernel.cl").write_text(example["files"]["kernel.cl"] + "\n")
            got = shell(*words, cwd=folder)
            assert got.returncode == 2 and "OpenCL C needs clang, and browsers have none" in got.stderr, got


TESTS = [every_launch_in_the_lessons_and_examples_is_included,
         each_example_is_complete_and_gives_the_report_of_its_launch, precompiled_programs_match_the_source_beside_them,
         programs_with_the_defines_of_each_lesson_are_precompiled, damaged_precompiled_programs_are_reported,
         all_machines_and_parameters_are_included, a_folder_is_served_until_interrupted, the_requested_port_is_used,
         a_folder_without_a_playground_is_refused, verbs_in_the_browser_answer_the_same_without_clang]


if __name__ == "__main__":
    sys.exit(functions.run(TESTS, bundle.make(str(WARPWAIT))))
