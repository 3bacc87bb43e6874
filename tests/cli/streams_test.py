#!/usr/bin/env python3
# Time limit: a run may take 120 s.
"""`-` is standard input or standard output, pipes included, or is refused in one line.

usage: tests/cli/streams_test.py [WORD]; a word selects tests."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
sys.path.insert(0, str(ROOT / "tests"))
import functions  # noqa: E402

SEED = ROOT / "examples/01_seed/launch.json"


def tool(folder, words, given=b"", **more):
    """Runs the tool with `given` on a pipe: (exit status, standard output, standard error)."""
    done = subprocess.run([WARPWAIT, *map(str, words)], cwd=folder, input=given, capture_output=True, check=False,
                          env={**os.environ, **more})
    return done.returncode, done.stdout, done.stderr.decode()


def trace_of(folder):
    """A trace, and the output of replaying it."""
    assert tool(folder, ["run", SEED, "-q", "--trace", "t.wwt", "-o", "run.txt"])[0] == 0
    return (folder / "t.wwt").read_bytes(), tool(folder, ["replay", "t.wwt"])[1]


def a_dash_as_output_is_standard_output(folder):
    trace, _ = trace_of(folder)
    report = tool(folder, ["run", SEED, "-q"])
    assert tool(folder, ["run", SEED, "-q", "-o", "-"]) == report
    assert tool(folder, ["run", SEED, "-q", "--trace", "-", "-o", "r.txt"]) == (0, trace, "")
    assert (folder / "r.txt").read_bytes() == report[1]
    assert tool(folder, ["run", SEED, "-q", "--html", "-", "-o", "r.txt"])[1].startswith(b"<!DOCTYPE html>")
    assert tool(folder, ["asm", ROOT / "examples/01_seed/kernel.wws", "-o", "-"])[1].startswith(b"WWO")
    assert not (folder / "-").exists()


def two_outputs_to_one_stream_are_refused(folder):
    for words, told in ((["--html", "-"], "--html: -: the report also goes"),
                        (["--dump", "data=-", "-o", "-"], "--dump: -: the report also goes"),
                        (["--trace", "/dev/stdout"], "--trace: /dev/stdout: the report also goes"),
                        (["--html", "-", "--trace", "-", "-o", "r"], "--html: -: --trace also goes")):
        status, out, said = tool(folder, ["run", SEED, "-q", *words])
        assert (status, out, said.count("\n")) == (2, b"", 1) and told in said, (words, said)
    assert not list(folder.iterdir())


def a_dash_as_input_is_standard_input(folder):
    trace, replayed = trace_of(folder)
    text = tool(folder, ["trace", "convert", "t.wwt", "t.wwtt"]) and (folder / "t.wwtt").read_bytes()
    for verb in ("info", "head", "validate"):
        assert tool(folder, ["trace", verb, "-"], trace) == tool(folder, ["trace", verb, "t.wwt"]), verb
    assert tool(folder, ["replay", "-"], trace) == (0, replayed, "")
    assert tool(folder, ["replay", "/dev/stdin"], trace) == (0, replayed, "")
    assert tool(folder, ["trace", "diff", "-", "t.wwt"], trace)[0] == 0
    assert tool(folder, ["diff", "t.wwt", "-"], trace)[0] == 0
    for words, given in ((["slice", "-", "-o", "new.wwt"], trace), (["convert", "-", "new.wwt"], text)):
        assert tool(folder, ["trace", *words], given)[0] == 0
        assert (folder / "new.wwt").read_bytes() == trace, words
    report = tool(folder, ["run", SEED, "-q", "--report", "json"])[1]
    (folder / "r.json").write_bytes(report)
    assert tool(folder, ["diff", "-", "r.json"], report)[0] == 0


def piped_input_leaves_no_temporary_files(folder):
    trace, _ = trace_of(folder)
    (folder / "tmp").mkdir()
    assert tool(folder, ["replay", "-"], trace, TMPDIR=str(folder / "tmp"))[0] == 0
    assert not list((folder / "tmp").iterdir())
    status, out, said = tool(folder, ["replay", "-"], trace, TMPDIR=str(folder / "none"))
    assert (status, out, said.count("\n")) == (2, b"", 1) and "none: No such file or directory" in said, said


def an_ambiguous_dash_is_refused(folder):
    for words in (["run", "-"], ["check", "-"], ["explain", "-"], ["asm", "-"], ["dis", "-"], ["sweep", "run", "-"],
                  ["sweep", "info", "-"], ["run", SEED, "--machine", "-"], ["run", SEED, "--timeline", "-"],
                  ["trace", "convert", "t.wwt", "-"], ["diff", "-", "-"]):
        trace, _ = trace_of(folder)
        status, out, said = tool(folder, words, trace)
        assert (status, out, said.count("\n")) == (2, b"", 1), (words, status, out, said)
        assert not (folder / "-").exists(), words


TESTS = [a_dash_as_output_is_standard_output, two_outputs_to_one_stream_are_refused, a_dash_as_input_is_standard_input,
         piped_input_leaves_no_temporary_files, an_ambiguous_dash_is_refused]


if __name__ == "__main__":
    sys.exit(functions.run(TESTS))
