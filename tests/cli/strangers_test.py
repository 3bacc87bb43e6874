#!/usr/bin/env python3
# Time limit: a call may take 120 s.
"""Files from strangers (docs/security.md): what a launch file, a program, a machine file and a sweep file can make
Warpwait run, write, read and show."""
import json
import os
import pathlib
import resource
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
SANITIZED = b"__asan_init" in pathlib.Path(WARPWAIT).read_bytes()
KERNEL = '#include "five.h"\nkernel void k(global int *d) { d[get_global_id(0)] += FIVE; }\n'
ASSEMBLY = ".kernel k\n.arg d global\n  exit\n"
SECRET = "hunter2 is the password\n"


class Strangers(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.temporary.name).resolve()
        self.home, self.other = self.root / "home", self.root / "other"
        for folder in (self.home, self.home / "inc", self.other, self.root / "cache", self.root / "tmp"):
            folder.mkdir(mode=0o700)
        self.file("k.cl", KERNEL)
        self.file("k.wws", ASSEMBLY)
        self.file("inc/five.h", "#define FIVE 5\n")
        self.file("m.ini", "base = teaching\n[dma]\nchannels = 2\n")
        self.file("d.bin", bytes(256))
        self.file("good.bin", (5).to_bytes(4, "little") * 64)
        self.file("../other/secret.txt", SECRET)

    def tearDown(self):
        self.temporary.cleanup()

    def file(self, name, content):
        path = self.home / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def launch(self, name="l.json", **more):
        launch = {"program": "k.cl", "machine": "m.ini", "build": {"include": ["inc"]},
                  "buffers": {"d": {"bytes": 256, "file": "d.bin"}},
                  "launches": [{"kernel": "k", "global": [64], "local": [64], "args": [{"buffer": "d"}]}],
                  "check": [{"buffer": "d", "expected": "good.bin"}], **more}
        return self.file(name, json.dumps({key: value for key, value in launch.items() if value is not None}))

    def tool(self, *words, **more):
        environment = {**os.environ, "WARPWAIT_CACHE": str(self.root / "cache"), "TMPDIR": str(self.root / "tmp")}
        return subprocess.run([WARPWAIT, *map(str, words)], cwd=self.home, env=environment, timeout=120,
                              capture_output=True, text=True, check=False, **more)

    def refused(self, *words, why, **more):
        done = self.tool(*words, **more)
        self.assertEqual(done.returncode, 2, done)
        self.assertRegex(done.stderr, r"\Awarpwait: [^\n]*\n\Z")
        self.assertIn(why, done.stderr)
        self.assertNotIn("hunter2", done.stdout + done.stderr)

    # ---- running and writing ---------------------------------------------------------------------------

    def test_a_launch_file_cannot_make_clang_load_a_plugin(self):
        (self.home / "evil.c").write_text('#include <stdio.h>\n__attribute__((constructor)) static void run(void)'
                                          '{ fclose(fopen("ran", "w")); }\n')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.home / "evil.so", self.home / "evil.c"], check=True)
        for options in (["-isystem-after", "-D", "-fplugin=./evil.so"], ["-fplugin=./evil.so"], ["-Xclang", "-load"],
                        ["-D", "X", "-fplugin=./evil.so"], ["-include-pch", "-fplugin=./evil.so"],
                        ["-I", "-fplugin=./evil.so"], ["-include", "-fplugin=./evil.so"], ["-Wp,-fplugin=./evil.so"],
                        ["@evil.txt"], ["-cl-std=CL2.0 -fplugin=./evil.so"]):
            with self.subTest(options=options):
                self.refused("run", self.launch(build={"options": options}), why="l.json:1: build.options")
                self.assertFalse((self.home / "ran").exists())
        self.refused("run", self.launch(build={"options": "-isystem-after -D -fplugin=./evil.so"}), why="build.options")

    def test_a_launch_file_cannot_make_clang_overwrite_a_file(self):
        mine = self.file("mine", "as it was")
        for options in (["-isystem-after", "-D", "-MD", "-isystem-after", "-D", f"-MF{mine}"], ["-MD"], [f"-MF{mine}"],
                        ["-o", str(mine)], [f"--serialize-diagnostics={mine}"], ["-save-temps"], ["-ftime-trace"],
                        ["-D", "X", f"-o{mine}"], ["-I", f"-o{mine}"], [f"-Wp,-MD,{mine}"]):
            with self.subTest(options=options):
                before = sorted(self.home.iterdir())
                self.refused("run", self.launch(build={"options": options}), why="l.json:1: build.options")
                self.assertEqual(mine.read_text(), "as it was")
                self.assertEqual(sorted(self.home.iterdir()), sorted([*before, self.home / "l.json"])
                                 if self.home / "l.json" not in before else before)

    def test_a_symbolic_link_as_sweep_output_is_refused(self):
        self.launch()
        self.file("s.ini", "[sweep]\nlaunch = l.json\n[axes]\ndma.setup = 0 1\n")
        os.symlink(self.other / "new", self.home / "s.sqlite")
        self.refused("sweep", "run", "s.ini", why="s.sqlite: is a symbolic link")
        self.assertFalse((self.other / "new").exists())
        self.assertEqual(self.tool("sweep", "run", "s.ini", "-o", self.other / "new").returncode, 0)
        self.refused("sweep", "run", "s.ini", why="s.sqlite: is a symbolic link")
        self.assertEqual(self.tool("sweep", "run", "s.ini", "-o", "s.sqlite").returncode, 0)

    def test_empty_words_do_not_swallow_the_next_option(self):
        for build, place in (({"include": [""]}, "build.include[0]"), ({"defines": {"": True}}, "build.defines."),
                             ({"defines": {"": 1}}, "build.defines."), ({"options": ["-D", ""]}, "build.options"),
                             ({"options": ["-I"]}, "build.options"), ({"options": ["-include", ""]}, "build.options"),
                             ({"options": ""}, None), ({"options": [""]}, "build.options"),
                             ({"options": '-D "X=1'}, "build.options: a quote is not closed")):
            with self.subTest(build=build):
                if place:
                    self.refused("run", self.launch(build={"include": ["inc"], **build}), why=place)
                else:
                    self.assertEqual(self.tool("run", self.launch(build={"include": ["inc"], **build})).returncode, 0)

    def test_any_white_space_separates_options(self):
        for blank in " \t\n\v\f\r":
            with self.subTest(blank=blank):
                build = {"include": ["inc"], "options": f"{blank}-w{blank}{blank}-DX=1{blank}"}
                self.assertEqual(self.tool("run", self.launch(build=build), "--verify").returncode, 0)

    def test_a_define_with_a_line_break_is_refused(self):
        for value in ("1\n#include \"../other/secret.txt\"", "1\r2"):
            self.refused("run", self.launch(build={"include": ["inc"], "defines": {"X": value}}), why="build.defines.X")

    # ---- showing ----------------------------------------------------------------------------------------

    def test_files_that_are_not_source_are_not_shown(self):
        secret = "../other/secret.txt"
        os.symlink(self.other / "secret.txt", self.home / "link.h")
        os.symlink(self.other / "secret.txt", self.home / "link.wws")
        os.symlink(self.other / "secret.txt", self.home / "link.ini")
        os.symlink(self.other / "secret.txt", self.home / "link.json")
        for build in ({"options": ["-include", secret]}, {"options": ["-include", "link.h"]},
                      {"options": ["-Wall", "-include", secret]}):
            with self.subTest(build=build):
                self.refused("run", self.launch(build=build), why="error: ")
        self.file("i.cl", f'#include "{secret}"\nkernel void k(global int *d) {{ d[0] = 1; }}\n')
        self.refused("run", self.launch(program="i.cl"), why="error: ")
        done = self.tool("run", self.launch(program="i.cl", build={"options": ["-Wall", "-Wextra"]}))
        self.assertEqual((done.returncode, "error: " in done.stderr, "hunter2" in done.stderr), (2, True, False), done)
        self.refused("run", self.launch(program="link.wws"), why="link.wws")
        self.refused("run", self.launch(program=secret), why="is not a program")
        self.refused("run", self.launch(machine=secret), why="is not a machine file")
        self.refused("run", self.launch(machine="link.ini"), why="is not a machine file")
        self.file("base.ini", f"base = {secret}\n")
        self.refused("run", self.launch(machine="base.ini"), why="is not a machine file")
        for plan in (f"launch = {secret}", "launch = link.json", f"trace = {secret}",
                     f"launch = l.json\nmachine = {secret}"):
            with self.subTest(plan=plan):
                self.launch(program="k.wws", build=None)
                self.refused("sweep", "run", self.file("s.ini", f"[sweep]\n{plan}\n[axes]\ndma.setup = 0 1\n"), why="is not a ")

    def test_a_trace_list_can_name_only_trace_files_in_its_folder(self):
        os.symlink(self.other / "secret.txt", self.home / "kernel-1.traceg")
        (self.home / "kernel").mkdir()
        for name in ("kernel-1.traceg", "kernel/../../other/secret.txt", "../other/secret.txt", f"{self.other}/secret.txt"):
            with self.subTest(name=name):
                self.refused("trace", "import", self.file("kernelslist.g", name + "\n"), "t.wwt", why="kernelslist.g:1: ")

    def test_a_line_directive_does_not_put_other_files_into_a_report(self):
        self.file("line.cl", f'#line 1 "{self.other}/secret.txt"\nkernel void k(global int *d) {{ d[get_global_id(0)] += 5; }}\n')
        for words in (["run", self.launch(program="line.cl"), "--annotate"], ["dis", "line.cl"],
                      ["run", self.launch(program="line.cl"), "--html", "p.html", "--report", "json"]):
            done = self.tool(*words)
            self.assertEqual(done.returncode, 0, done)
            self.assertNotIn("hunter2", done.stdout + done.stderr)
        self.assertNotIn("hunter2", (self.home / "p.html").read_text())
        self.file("line.cl", f'#line 1 "{self.other}/secret.txt"\nkernel void k(global int *d) {{ d[0] = x; }}\n')
        self.refused("run", self.launch(program="line.cl"), why="error: ")

    # ---- reading ----------------------------------------------------------------------------------------

    def test_the_files_option_lists_every_file_read(self):
        done = self.tool("run", self.launch(), "--files", "--verify")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(sorted(os.path.relpath(self.home / name, self.home) for name in done.stdout.splitlines()),
                         sorted(["l.json", "m.ini", "k.cl", "inc/five.h", "d.bin", "good.bin"]))
        done = self.tool("run", "l.json", "--files")
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(["l.json", "m.ini", "k.cl", "inc/five.h", "d.bin"]))
        for words in (["check", "l.json"], ["explain", "l.json"], ["asm", "l.json"], ["dis", "l.json"]):
            done = self.tool(*words, "--files")
            self.assertEqual((done.returncode, "k.cl" in done.stdout), (0, True), done)
        self.file("s.ini", "[sweep]\nlaunch = l.json\n[axes]\nmachine = m.ini h200\n")
        done = self.tool("sweep", "run", "s.ini", "--files")
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(sorted(done.stdout.splitlines()),
                         sorted(["s.ini", "l.json", "m.ini", "k.cl", "inc/five.h", "d.bin"]))
        self.assertFalse((self.home / "s.sqlite").exists())

    def test_the_files_option_fills_no_buffers_and_runs_nothing(self):
        self.launch(buffers={"d": {"bytes": 1 << 32, "file": "d.bin"}}, check=[])
        done = self.tool("run", "l.json", "--files", "--out", "out.txt")
        self.assertEqual(done.returncode, 0, done)
        self.assertFalse((self.home / "out.txt").exists())

    def test_confined_limits_reading_to_the_folder(self):
        self.assertEqual(self.tool("run", self.launch(), "--confined", "--verify").returncode, 0)
        for name in ("k.wws", "five.h", "m.ini", "d.bin", "good.bin", "k.cl", "l.json"):
            (self.other / name).write_bytes((self.home / ("inc/five.h" if name == "five.h" else name)).read_bytes())
        os.symlink(self.other / "d.bin", self.home / "link.bin")
        os.symlink(self.other, self.home / "link")
        self.file("i.cl", f'#include "{self.other}/five.h"\nkernel void k(global int *d) {{ d[get_global_id(0)] += FIVE; }}\n')
        self.file("base.ini", "base = ../other/m.ini\n")
        outside = [{"program": "../other/k.wws", "build": None, "check": None}, {"program": "i.cl"}, {"machine": "../other/m.ini"},
                   {"machine": "base.ini"}, {"build": {"include": ["../other"]}},
                   {"build": {"options": ["-include", "../other/five.h"], "include": ["inc"]}},
                   {"buffers": {"d": {"bytes": 256, "file": "../other/d.bin"}}},
                   {"buffers": {"d": {"bytes": 256, "file": str(self.other / "d.bin")}}},
                   {"buffers": {"d": {"bytes": 256, "file": "link.bin"}}},
                   {"buffers": {"d": {"bytes": 256, "file": "link/d.bin"}}},
                   {"check": [{"buffer": "d", "expected": "../other/good.bin"}]}]
        for more in outside:
            with self.subTest(more=more):
                launch = self.launch(**more)
                self.assertEqual(self.tool("run", launch, "--verify").returncode, 0, more)
                self.refused("run", launch, "--verify", "--confined", why="--confined")
                self.assertEqual(self.tool("run", launch, "--verify").returncode, 0, more)
        self.launch()
        for plan in ("launch = ../other/l.json\n[axes]\ndma.setup = 0 1\n",
                     "launch = l.json\n[axes]\nmachine = ../other/m.ini h200\n",
                     "launch = l.json\nbuild = -include ../other/five.h\n[axes]\ndma.setup = 0 1\n"):
            with self.subTest(plan=plan):
                self.refused("sweep", "run", self.file("s.ini", "[sweep]\n" + plan), "--confined", why="--confined")
        self.refused("asm", "i.cl", "--confined", why="--confined")

    def test_confined_still_reads_files_named_on_the_command_line(self):
        (self.other / "five.h").write_text("#define FIVE 5\n")
        (self.other / "m.ini").write_text("base = teaching\n")
        launch = self.launch(build={})
        done = self.tool("run", launch, "-I", self.other, "-m", self.other / "m.ini", "--confined", "--verify")
        self.assertEqual(done.returncode, 0, done)

    def test_pipes_and_devices_are_not_read(self):
        os.mkfifo(self.home / "fifo")
        for more in ({"buffers": {"d": {"bytes": 256, "file": "fifo"}}}, {"buffers": {"d": {"bytes": 256, "file": "/dev/zero"}}},
                     {"check": [{"buffer": "d", "expected": "fifo"}]}):
            with self.subTest(more=more):
                self.refused("run", self.launch(**more), "--verify", why="is not a regular file")

    # ---- the cache ----------------------------------------------------------------------------------------

    def test_a_small_picture_costs_little(self):
        """Decompressing what these files hold would take longer than the limit."""
        def chunk(kind, data):
            return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

        def png(width, height, more=b"", after=0):
            pack = zlib.compressobj(9)
            pixels = b"".join(pack.compress(bytes(1 + 4 * width)) for _ in range(height if width < 9 else 0))
            pixels += pack.flush(zlib.Z_FULL_FLUSH)
            zeros = pack.compress(bytes(1 << 22)) + pack.flush(zlib.Z_FULL_FLUSH)
            pixels += zeros * after + pack.flush()
            return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)) + more +
                    chunk(b"IDAT", pixels) + chunk(b"IEND", b""))

        def limited():
            resource.setrlimit(resource.RLIMIT_CPU, (2, 2))

        text = zlib.compress(bytes(1 << 20), 9)
        self.file("i.wws", ".kernel k\n.arg i image2d\n  exit\n")
        command = ("run", "i.wws", "--why=no", "--global", "1", "--arg")
        for name, picture in (("text", png(8, 8, chunk(b"zTXt", b"k\0\0" + text) * 900)),
                              ("unicode", png(8, 8, chunk(b"iTXt", b"k\0\1\0\0\0" + text) * 900)),
                              ("profile", png(8, 8, chunk(b"iCCP", b"k\0\0" + text))), ("after", png(8, 8, after=500))):
            self.file(f"{name}.png", picture)
            done = self.tool(*command, f"image:i=@{name}.png", preexec_fn=None if SANITIZED else limited)
            self.assertEqual((done.returncode, done.stderr), (0, ""), name)
        for width, height in ((65535, 65535), (8192, 8193)):
            self.file("large.png", png(width, height))
            self.refused(*command, "image:i=@large.png", why=f"{width} x {height} pixels; legal: at most 67108864")

    def test_a_cache_entry_writable_by_others_is_not_used(self):
        self.assertEqual(self.tool("run", self.launch(), "--verify").returncode, 0)
        entries = [path for path in (self.root / "cache").rglob("*") if path.is_file()]
        self.assertTrue(entries)
        for entry in entries:
            entry.chmod(0o666)
        self.assertEqual(self.tool("run", self.launch(), "--verify").returncode, 0)
        for entry in entries:  # compiled again, it replaced the other entry
            self.assertEqual(stat.S_IMODE(entry.stat().st_mode) & 0o022, 0)
            real = self.root / entry.name
            os.rename(entry, real)
            os.symlink(real, entry)
        self.assertEqual(self.tool("run", self.launch(), "--verify").returncode, 0)
        self.assertFalse(any(entry.is_symlink() for entry in entries))

    def test_a_tool_that_writes_forever_is_stopped(self):
        script = self.file("clang", "#!/bin/sh\nwhile :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n")
        script.chmod(0o700)
        environment = {**os.environ, "WARPWAIT_CLANG": str(script), "WARPWAIT_CACHE": str(self.root / "cache"),
                       "TMPDIR": str(self.root / "tmp")}
        done = subprocess.run([WARPWAIT, "asm", "k.cl", "-I", "inc"], cwd=self.home, env=environment, timeout=300,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Awarpwait: k.cl: [^\n]*\n\Z")
        self.assertEqual(list((self.root / "tmp").iterdir()), [])

    def test_clang_does_not_get_the_environment(self):
        script = self.file("clang", f"#!/bin/sh\nenv >{self.root}/seen\nexec clang-15 \"$@\"\n")
        script.chmod(0o700)
        environment = {**os.environ, "WARPWAIT_CLANG": str(script), "WARPWAIT_CACHE": str(self.root / "cache"),
                       "CPATH": str(self.other), "CCC_OVERRIDE_OPTIONS": "+-DX", "TOKEN": "hunter2"}
        done = subprocess.run([WARPWAIT, "asm", "k.cl", "-I", "inc"], cwd=self.home, env=environment, timeout=60,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done)
        seen = {line.split("=")[0] for line in (self.root / "seen").read_text().splitlines()}
        self.assertLessEqual(seen, {"PATH", "LD_LIBRARY_PATH", "TMPDIR", "HOME", "LC_ALL", "PWD", "SHLVL", "_", "OLDPWD"})

    # ---- outputs --------------------------------------------------------------------------------------------

    def test_an_output_keeps_its_permissions_and_symbolic_link(self):
        mine = self.file("mine.txt", "as it was")
        mine.chmod(0o600)
        os.symlink("mine.txt", self.home / "link.txt")
        for words in (["-o", "link.txt"], ["--report", "json", "-o", "mine.txt"]):
            self.assertEqual(self.tool("run", self.launch(), *words).returncode, 0)
            self.assertTrue((self.home / "link.txt").is_symlink())
            self.assertEqual(stat.S_IMODE(mine.stat().st_mode), 0o600)
            self.assertNotEqual(mine.read_text(), "as it was")

    def test_a_read_only_file_is_not_replaced(self):
        if os.geteuid() == 0:
            self.skipTest("root may write all")
        mine = self.file("mine.txt", "as it was")
        mine.chmod(0o400)
        self.refused("run", self.launch(), "-o", "mine.txt", why="mine.txt: cannot be written: Permission denied")
        self.assertEqual(mine.read_text(), "as it was")

    def test_help_that_cannot_be_printed_is_an_error(self):
        for words in (["--help"], ["--version"], ["run", "--help"], ["trace", "--help"], ["machines"], ["params"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([WARPWAIT, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr),
                             (2, "warpwait: standard output: cannot be written: No space left on device\n"), words)

    @unittest.skipIf(SANITIZED, "sanitizers want more addresses than this leaves")
    def test_asm_and_dis_do_not_fill_the_buffers_of_a_launch_file(self):
        launch = self.launch(buffers={"d": {"bytes": 1 << 32, "elem": "int", "fill": "random"}}, check=[])

        def restrict():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        for verb in ("asm", "dis"):
            self.assertEqual(self.tool(verb, launch, preexec_fn=restrict).returncode, 0)
        self.assertEqual(self.tool("run", launch, preexec_fn=restrict).returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=0)
