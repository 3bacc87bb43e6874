#!/usr/bin/env python3
# Time limit: a run may take 120 s.
"""The output of a kernel and the names of files cannot control a terminal; a pipe gets the bytes unchanged.

usage: tests/cli/terminal_test.py [WORD]; a word selects tests."""
import contextlib
import os
import pathlib
import pty
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARPWAIT = os.environ["WARPWAIT"] = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/sweep")]
import functions  # noqa: E402

# Sequences that set the title or move the cursor, CSI in UTF-8 and as a single byte, text that must stay, truncated
# UTF-8.
HOSTILE = (b"\x1b]0;owned\x07\x1b[2J\x7f\r\xc2\x9b31m\x9b31m\tplain \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
           b"\xed\xa0\x80\xc3\nnext")
SHOWN = (r"\x1b]0;owned\x07\x1b[2J\x7f\x0d\xc2\x9b31m\x9b31m" "\tplain \u00e9\u20ac\U0001f600" r"\xed\xa0\x80\xc3"
         "\nnext").encode()

def on_terminal(words, cwd, streams=("stdout", "stderr")):
    """What the program writes to a terminal."""
    ours, theirs = pty.openpty()
    other = {name: subprocess.DEVNULL for name in {"stdout", "stderr"} - set(streams)}
    with subprocess.Popen(list(map(str, words)), cwd=cwd, stdin=subprocess.DEVNULL,
                          env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
                          **{name: theirs for name in streams}, **other) as program:
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # EIO: the program has closed the terminal
            while piece := os.read(ours, 1 << 16):
                said += piece
        program.wait()
    os.close(ours)
    return said.replace(b"\r\n", b"\n")


def in_pipe(words, cwd):
    return subprocess.run(list(map(str, words)), cwd=cwd, capture_output=True, check=False)


def controls(said):
    """The control characters that a terminal received."""
    return re.findall(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", said)

def of_bytes(text):
    """A kernel that prints the bytes (none is zero); its comments and names are hostile too."""
    listed = ", ".join(f"0x{byte:02x}" for byte in b"\0" + text.replace(b"%", b"%%") + b"\0")
    return f"""; \x1b[2J
.kernel k
.private 8
.reg i
.const  what b8 {listed}
        mov.b32         i, 0   ; \x1b]0;owned\x07 \u009b31m
        st.private.b32  [0], i
        printf          [0], what
        exit
""".encode()


EVERY_BYTE = b""".kernel k
.private 8
.reg i
.const  what b8 0x77, 0, 0x25, 0x63, 0 ; "%c"
        get.global_id   i, x
        st.private.b32  [0], i
        printf          [0], what
        exit
"""
ONE, EACH = ("--global", 1, "--local", 1, "-q"), ("--global", 256, "--local", 256, "-q")


def a_pipe_gets_every_byte_from_printf(folder):
    (folder / "k.wws").write_bytes(EVERY_BYTE)
    got = in_pipe([WARPWAIT, "run", "k.wws", *EACH], folder)
    assert got.returncode == 0 and got.stdout.startswith(bytes(range(256)) + b"\n"), got
    (folder / "h.wws").write_bytes(of_bytes(HOSTILE))
    assert in_pipe([WARPWAIT, "run", "h.wws", *ONE], folder).stdout.startswith(HOSTILE + b"\n")


def a_terminal_gets_no_control_characters_from_printf(folder):
    (folder / "k.wws").write_bytes(EVERY_BYTE)
    plain = {*b"\t\n", *range(0x20, 0x7f)}
    shown = b"".join(bytes([byte]) if byte in plain else b"\\x%02x" % byte for byte in range(256))
    for words in (("run", "k.wws", *EACH), ("run", "k.wws", *EACH, "--out", "report")):
        said = on_terminal([WARPWAIT, *words], folder)
        assert said.startswith(shown + b"\n") and not controls(said), said[:1200]
    (folder / "h.wws").write_bytes(of_bytes(HOSTILE))
    said = on_terminal([WARPWAIT, "run", "h.wws", *ONE], folder)
    assert said.startswith(SHOWN + b"\n") and not controls(said), said[:400]


def a_terminal_gets_no_control_characters_from_names_and_sources(folder):
    name = "k\x1b[2J\u009b.wws"
    (folder / name).write_bytes(of_bytes(b"x"))
    run = in_pipe([WARPWAIT, "run", name, *ONE, "--trace", "t.wwt", "--timeline", "t.wtl"], folder)
    assert run.returncode == 0, run
    verbs = [("run", name, *ONE, "--annotate"), ("run", name, *ONE, "--report", "json"), ("check", name, *ONE),
             ("check", name, *ONE, "--report", "json"), ("explain", name, *ONE), ("dis", name),
             ("dis", "--assembly", name), ("trace", "info", "t.wwt"), ("trace", "head", "t.wwt"),
             ("trace", "info", "t.wtl"), ("trace", "head", "t.wtl"), ("run", "no" + name, *ONE),
             ("run", "no\udc9b.wws", *ONE), (name,), ("trace", "info", name)]
    for words in verbs:
        said = on_terminal([WARPWAIT, *words], folder)
        assert said and not controls(said) and b"\x9b" not in said, (words, said)


def colors_of_the_checker_stay_and_those_in_a_name_are_escaped(folder):
    (folder / "k\x1b[31m.wws").write_text(""".kernel k
.lds    tile 256
.reg    i
        get.local_id    i, x
        st.lds.b32      [tile], i   ; \x1b[31m
        exit
""")
    said = on_terminal([WARPWAIT, "check", "k\x1b[31m.wws", "--global", 64, "--local", 64, "-q"], folder)
    assert b"\x1b[1mk\\x1b[31m.wws:5:9:\x1b[0m \x1b[1;31merror:" in said, said
    assert b"\x1b[31m" not in said, said


def a_terminal_gets_no_control_characters_from_a_sweep(folder):
    import made_store  # pylint: disable=import-outside-toplevel
    made_store.make(folder / "s.sqlite", {"define.A": ["\x1b[2J", "\u009b31m\r"]}, lambda _: (1.5,),
                    metrics=[("cycles", "", "")])
    raw = in_pipe([WARPWAIT, "sweep", "csv", "s.sqlite"], folder).stdout
    assert b"\x1b[2J" in raw and b"\xc2\x9b31m\r" in raw, raw
    commands = [[WARPWAIT, "sweep", verb, "s.sqlite"] for verb in ("info", "csv")]
    python = ["/usr/bin/python3", ROOT / "bindings/python/warpwait-sweep", "query"]
    commands += [[*python, "table", "s.sqlite", *more] for more in ((), ("--csv",))]
    commands += [[*python, "table", "no\x1b[2J.sqlite"], [*python, "table", "s.sqlite", "--metrics", "\x1b[2J\u009b"]]
    for words in commands:
        said = on_terminal(words, folder)
        assert b"x1b[2J" in said and not controls(said), (words, said)


def slow_compiler(folder):
    """A slow stand-in for clang; the name of the file that it compiles is hostile."""
    name = "k\x1b[2J.cl"
    (folder / name).write_text("kernel void k(global int *a) { a[0] = 1; }\n")
    (folder / "slow").write_text("#!/bin/sh\nsleep 1.6\nexec clang-15 \"$@\"\n")
    (folder / "slow").chmod(0o700)
    os.environ["WARPWAIT_CLANG"] = str(folder / "slow")
    return [WARPWAIT, "dis", name, "--no-cache"]


def a_slow_compiler_is_reported_on_a_terminal_but_not_in_a_pipe(folder):
    words = slow_compiler(folder)
    try:
        said = on_terminal(words, folder, ["stderr"])
        pipe = in_pipe(words, folder)
        broken = folder / words[2]
        broken.write_text("kernel void k(global int *a) { a[0] = ; }\n")
        refused = on_terminal(words, folder, ["stderr"])
    finally:
        del os.environ["WARPWAIT_CLANG"]
    line = b"\rcompiling k\\x1b[2J.cl \x1b[K"
    assert said.startswith(line) and said.endswith(b"\r\x1b[K") and not said.replace(line, b"").replace(b"\r\x1b[K", b""), said
    assert pipe.returncode == 0 and not pipe.stderr, pipe
    assert refused.startswith(line) and b"\r\x1b[Kwarpwait: k" in refused, refused


TESTS = [a_pipe_gets_every_byte_from_printf, a_terminal_gets_no_control_characters_from_printf,
         a_terminal_gets_no_control_characters_from_names_and_sources,
         colors_of_the_checker_stay_and_those_in_a_name_are_escaped, a_terminal_gets_no_control_characters_from_a_sweep,
         a_slow_compiler_is_reported_on_a_terminal_but_not_in_a_pipe]


if __name__ == "__main__":
    sys.exit(functions.run(TESTS))
