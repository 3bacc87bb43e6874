#!/usr/bin/env python3
# Time limit: a shell has 60 s for an answer.
"""Completion in real shells, each on its own terminal: keys are typed, and the completed line is printed.

usage: tests/cli/completion_test.py [WORD...]; words select tests. fish is tested if it is installed."""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).absolute()
SCRIPTS = ROOT / "sim/cli/completion"
SECONDS = 60
PYTHON = ("query", "plot", "report", "optimize")  # verbs whose options are defined in Python


class Shell:
    """A shell on a pseudo-terminal, and its working folder."""

    def __init__(self, command, setup, keys, folder):
        environment = {"PATH": f"{WARPWAIT.parent}:/usr/bin:/bin", "HOME": str(folder), "TERM": "vt100", "LC_ALL": "C.UTF-8",
                       "COLUMNS": "1000", "ASAN_OPTIONS": "detect_leaks=0"}
        self.keys = keys
        self.child, self.terminal = pty.fork()
        if not self.child:
            os.chdir(folder)
            os.execve(command[0], command, environment)
        self.run("stty rows 200 cols 1000; " + setup + "; printf '[%s]\\n' ready '@@'")

    def close(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)

    def run(self, line):
        """Types the line and returns what it prints in brackets before [@@]."""
        os.write(self.terminal, line.encode() + b"\r")
        shown, end = "", time.monotonic() + SECONDS
        while "[@@]\r\n" not in shown:
            if not select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(shown)
            shown += os.read(self.terminal, 65536).decode(errors="replace")
        shown = re.sub("\x1b\\[[?0-9;]*[a-zA-Z]|\x1b[=>]|\r", "", shown)
        return re.findall(r"^\[(.*)\]$", shown, re.MULTILINE)[:-1]

    def words(self, line, keys):
        """The words of a line after these keys were pressed at its end."""
        return self.run("\x15" + line + keys + " '@@'" + "\x01" + "printf '[%s]\\n' ")

    def all(self, line):
        """All completions of the line's last word. If it contains "=", bash completes only the part after the last
        "="."""
        before, _, typed = line.rpartition(" ")
        joined = "".join(typed.rpartition("=")[:2])
        found = self.words(line, self.keys)[len(before.split()):]
        return [] if found == [typed] else [word if word.startswith(joined) else joined + word for word in found]

    def one(self, line):
        """The words after a tab."""
        return self.words(line, "\t")


def bash(folder):
    setup = f"source {SCRIPTS}/warpwait.bash; bind '\"\\C-xa\": insert-completions'; bind 'set bell-style none'; PS1=; PS2="
    return Shell(["/bin/bash", "--norc", "--noprofile", "-i"], setup, "\x18a", folder)


def zsh(folder):
    setup = (f"PS1= PS2= RPS1=; fpath=({SCRIPTS} $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep; bindkey -e; "
             "zle -C all complete-word _generic; zstyle ':completion:all:*' completer _all_matches _complete; "
             "zstyle ':completion:all:*' insert true; bindkey '^Xa' all")
    return Shell(["/usr/bin/zsh", "-f", "-i"], setup, "\x18a", folder)


class Fish:
    """fish prints its completions itself."""

    def __init__(self, folder):
        self.folder = folder

    def close(self):
        pass

    def all(self, line):
        script = f"source {SCRIPTS}/warpwait.fish; complete -C {line!r}"
        done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True,
                              cwd=self.folder, timeout=SECONDS,
                              env={"PATH": f"{WARPWAIT.parent}:/usr/bin:/bin", "HOME": str(self.folder)})
        return [line.split("\t")[0] for line in done.stdout.splitlines()]


KERNELS = """/* kernel void old(void) { } */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void plus(global int *a) { a[0] = 1; }
kernel void minus(global int *a) {
  const char *text = "kernel void no(";
}
"""


class Completion:
    """What every shell completes."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.holder.name)
        (folder / "k.cl").write_text(KERNELS, encoding="ascii")
        shutil.copy(ROOT / "examples/01_seed/kernel.wws", folder / "seed.wws")
        (folder / "two.ll").write_text("".join(f"define spir_kernel void @{name}() {{\n  ret void\n}}\n" for name in ("one", "two")))
        subprocess.run([WARPWAIT, "asm", folder / "seed.wws", "-o", folder / "seed.wwo"], check=True)
        (folder / "l.json").write_text("{}", encoding="ascii")
        (folder / "mine.ini").write_text("", encoding="ascii")
        (folder / "notes.txt").write_text("", encoding="ascii")
        (folder / "sub").mkdir()
        cls.shell = cls.start(folder)

    @classmethod
    def tearDownClass(cls):
        cls.shell.close()
        cls.holder.cleanup()

    def expect(self, line, *wanted):
        self.assertEqual(sorted(word.rstrip("/") for word in self.shell.all(line)), sorted(wanted), line)

    def expect_some(self, line, *wanted, lacks=()):
        found = [word.rstrip("/") for word in self.shell.all(line)]
        self.assertEqual([word for word in wanted if word not in found], [], (line, found))
        self.assertEqual([word for word in lacks if word in found], [], (line, found))

    def test_verbs_are_completed(self):
        self.expect_some("warpwait ", "run", "check", "trace", "sweep", "help", lacks=("complete", "info"))
        self.expect("warpwait ma", "machines")
        self.expect("warpwait trace s", "slice")
        self.expect_some("warpwait trace ", "info", "validate", "import", lacks=("run",))
        self.expect("warpwait help tr", "trace")
        self.expect("warpwait help trace me", "merge")

    def test_options_are_completed(self):
        self.expect("warpwait run --re", "--report", "--registers")
        self.expect("warpwait run k.cl -q --rep", "--report")
        self.expect_some("warpwait run -", "--machine", "--set", "--help", lacks=("--order", "--salvage"))
        self.expect_some("warpwait trace info --", "--salvage", "--lines", lacks=("--machine",))
        self.expect("warpwait run --zork")

    def test_choices_are_completed(self):
        self.expect("warpwait run --report ", "text", "json")
        self.expect("warpwait run -r j", "json")
        self.expect("warpwait run --rep j", "json")
        self.expect("warpwait run --host p", "plain")
        self.expect("warpwait asm --copies ", "machine", "loop")
        self.expect("warpwait trace merge --memory s", "shared")
        self.expect("warpwait run --events lds,cop", "lds,copy")

    def test_machines_are_completed(self):
        self.expect("warpwait machines ", "teaching", "h200", "dsp")
        self.expect("warpwait params --machine h", "h200")
        self.expect("warpwait run --machine ", "teaching", "h200", "dsp", "mine.ini", "sub")

    def test_parameters_and_their_values_are_completed(self):
        self.expect("warpwait run --set dma.co", "dma.completion=", "dma.copy=")
        self.expect("warpwait run --set dma.copy=", "dma.copy=engine", "dma.copy=lanes", "dma.copy=blocking")
        self.expect("warpwait run -s dma.copy=l", "dma.copy=lanes")
        self.expect("warpwait run --set dma.channels=")
        self.expect("warpwait params lds.ban", "lds.bank_bytes", "lds.banks")

    def test_kernels_in_the_given_file_are_completed(self):
        self.expect("warpwait run k.cl --kernel ", "plus", "minus")
        self.expect("warpwait run k.cl --global 4 --kernel m", "minus")
        self.expect("warpwait run seed.wws --kernel ", "seed")
        self.expect("warpwait run seed.wwo --kernel ", "seed")
        self.expect("warpwait run two.ll --kernel ", "one", "two")
        self.expect("warpwait run nothing.cl --kernel ")

    def test_files_are_completed_by_suffix(self):
        self.expect("warpwait run ", "k.cl", "seed.wws", "seed.wwo", "l.json", "two.ll", "sub")
        self.expect("warpwait run k.cl --out n", "notes.txt")
        self.expect("warpwait run k.cl ")


class Joined(Completion):
    """Values after "=", in shells that use our words."""

    def test_values_after_an_equals_sign_are_completed(self):
        self.expect("warpwait run --report=", "--report=text", "--report=json")
        self.expect("warpwait run --report=j", "--report=json")
        self.expect("warpwait run --why=", "--why=yes", "--why=no")
        self.expect("warpwait run --set=dma.copy=l", "--set=dma.copy=lanes")
        self.expect("warpwait run k.cl --out=n", "--out=notes.txt")


class Candidates(unittest.TestCase):
    """The output of `warpwait complete`, without a shell."""

    def complete(self, *words):
        done = subprocess.run([WARPWAIT, "complete", *words], capture_output=True, text=True, check=True, timeout=SECONDS)
        self.assertEqual(done.stderr, "")
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def listed(self, *verb):
        """The words in a verb's help: options, or verbs of a group."""
        done = subprocess.run([WARPWAIT, *verb, "--help"], capture_output=True, text=True, check=True)
        return (re.findall(r"^ {2,6}(?:-\w, )?(--[a-z-]+)", done.stdout, re.MULTILINE),
                re.findall(r"^  ([a-z]+) +[A-Z]", done.stdout.partition("\nVerbs:\n")[2], re.MULTILINE))

    def test_all_verbs_and_options_are_offered(self):
        groups = [(), ("trace",), ("sweep",)]
        for group in groups:
            verbs = self.listed(*group)[1]
            self.assertGreater(len(verbs), 7)
            offered = [word for word in self.complete(*group, "") if not word.startswith((":", "-"))]
            self.assertEqual(offered, verbs)
            for verb in verbs:
                if (verb,) not in groups and group + (verb,) not in [("exec",), *(("sweep", word) for word in PYTHON)]:
                    self.assertEqual(sorted(self.complete(*group, verb, "--")), sorted(self.listed(*group, verb)[0]), verb)

    def test_nothing_is_offered_where_nothing_is_valid(self):
        for words in ((), ("zork", ""), ("run", "a.cl", ""), ("run", "--zork="), ("trace", "zork", ""), ("run", "--", "-"),
                      ("playground", ""), ("run", "--set", "zork=")):
            self.assertEqual([word for word in self.complete(*words) if not word.startswith(":")], [], words)

    def test_values_are_distinguished_from_operands(self):
        self.assertEqual(self.complete("run", "--why", "")[0][:6], ":files")
        self.assertEqual(self.complete("run", "-qr", ""), ["text", "json"])
        self.assertEqual(self.complete("run", "-rtext", "")[0][:6], ":files")
        self.assertEqual(self.complete("run", "-r", "--", "--rep"), ["--report"])
        self.assertEqual(self.complete("sweep", "x.ini", "--lim"), ["--limit"])
        self.assertEqual(self.complete("diff", "a.json", "")[0], ":files json wwt log")
        self.assertEqual(self.complete("asm", "-I", ""), [":folders"])

    def test_a_pipe_or_folder_as_kernel_file_does_not_block(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = f"{folder}/k.cl"
            os.mkfifo(pipe)
            self.assertEqual(self.complete("run", pipe, "--kernel", ""), [])
            self.assertEqual(self.complete("run", folder, "--kernel", ""), [])

    def test_spirv_kernel_names_cannot_control_a_terminal(self):
        words = [0x07230203, 0x10000, 0, 9, 0]
        for name in (b"good\0\0\0\0", b"a\x1b[2Jb\n\0"):
            words += [(3 + len(name) // 4) << 16 | 15, 6, 1, *struct.unpack(f"<{len(name) // 4}I", name)]
        with tempfile.NamedTemporaryFile(suffix=".spv") as file:
            file.write(struct.pack(f"<{len(words)}I", *words))
            file.flush()
            self.assertEqual(self.complete("run", file.name, "--kernel", ""), ["good", "a\\x1b[2Jb\\x0a"])
            for cut in range(0, 4 * len(words), 3):
                file.truncate(4 * len(words) - cut)
                self.complete("run", file.name, "--kernel", "")


class Typed:
    """What a tab leaves in the line: a blank after a complete word, none after a partial one."""

    def test_the_tab_key_completes_words(self):
        self.assertEqual(self.shell.one("warpwait che"), ["warpwait", "check"])
        self.assertEqual(self.shell.words("warpwait run --set dma.chan", "\t2"), ["warpwait", "run", "--set", "dma.channels=2"])
        self.assertEqual(self.shell.words("warpwait run --set dma.copy=la", "\tx"),
                         ["warpwait", "run", "--set", "dma.copy=lanes", "x"])
        self.assertEqual(self.shell.words("warpwait run --report=j", "\tx"), ["warpwait", "run", "--report=json", "x"])
        self.assertEqual(self.shell.words("warpwait run se", "\t.wws"), ["warpwait", "run", "seed.ww.wws"])

    def test_a_missing_program_leaves_the_line_unchanged(self):
        self.assertEqual(self.shell.one("/bin/false/warpwait ru"), ["/bin/false/warpwait", "ru"])


class Bash(Typed, Joined, unittest.TestCase):
    start = staticmethod(bash)


class Zsh(Typed, Joined, unittest.TestCase):
    start = staticmethod(zsh)


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class FishShell(Joined, unittest.TestCase):
    start = staticmethod(Fish)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *[flag for word in sys.argv[1:] for flag in ("-k", word)]])
