#!/usr/bin/env python3
"""What `make install` installs, and what others build with it: headers, libraries, warpwait.pc and the CMake package.

usage: tests/api/installed_test.py    WARPWAIT (default build/warpwait) is in the build's folder."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).parent
EXAMPLES = ROOT / "examples/embedding"
PROGRAMS = re.findall(r"^## (\w+):", (EXAMPLES / "README.md").read_text(), re.MULTILINE)

CMAKE = """cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(warpwait {version} REQUIRED)
add_executable(user_shared run_string.c)
target_link_libraries(user_shared warpwait::warpwait)
add_executable(user_static run_string.c)
target_link_libraries(user_static warpwait::static)
"""


def printed(*command, env=None, cwd=ROOT, status=0):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, **(env or {})})
    if done.returncode != status:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def make(*words, **how):
    """Uses this test's build, and ignores the job options of the `make` that started the test."""
    flags = [word for word in os.environ.get("MAKEFLAGS", "").split() if not word.startswith(("-j", "--jobserver"))]
    env = {"MAKEFLAGS": " ".join(flags), "MAKELEVEL": "", **how.pop("env", {})}
    return printed("make", "--no-print-directory", *words, env=env, **how)


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.prefix = cls.folder / "usr"
        cls.library = cls.prefix / "lib"
        make("install", f"PREFIX={cls.prefix}", f"BUILD={BUILD}")
        cls.env = {"PKG_CONFIG_PATH": str(cls.library / "pkgconfig"), "LD_LIBRARY_PATH": str(cls.library)}

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def built(self, name, *words):
        """A copy of the examples, built with the installed files."""
        folder = self.folder / name
        shutil.copytree(EXAMPLES, folder)
        printed("make", "-C", folder, *words, env={**self.env, "MAKEFLAGS": ""})
        return folder

    def flags(self, *words):
        return printed("pkg-config", *words, "warpwait", env=self.env).split()

    def test_examples_print_what_their_page_says(self):
        folder = self.built("shared")
        page = (EXAMPLES / "README.md").read_text()
        self.assertEqual(len(PROGRAMS), 4)
        for name in PROGRAMS:
            said = re.search(rf"^    \$ \./{name}\n((?:    .*\n)+)", page, re.MULTILINE)[1].replace("    ", "", 1)
            said = said.replace("\n    ", "\n")
            self.assertTrue(printed(folder / name, env=self.env).startswith(said), name)

    def test_the_program_in_the_guide_compiles_and_runs(self):
        source = self.folder / "guide.c"
        source.write_text(re.search(r"```c\n(.*?)```", (ROOT / "docs/library.md").read_text(), re.DOTALL)[1])
        program = self.folder / "guide"
        printed("cc", "-std=c17", "-Wall", "-Wextra", "-Werror", source, "-o", program, *self.flags("--cflags", "--libs"))
        self.assertRegex(printed(program, env=self.env), r"^\d+ cycles$")

    def test_a_static_program_does_not_need_the_shared_library(self):
        folder = self.built("static", "LDLIBS=" + " ".join(self.flags("--libs", "--static")).replace(
            "-lwarpwait", "-l:libwarpwait.a"))
        self.assertNotIn("warpwait", printed("ldd", folder / "run_string"))
        self.assertIn("data[1000] = 3000", printed(folder / "run_string"))

    def test_exported_symbols_are_those_in_the_headers(self):
        headers = "".join((self.prefix / "include" / name).read_text() for name in ("warpwait.h", "warpwait/analyse.h"))
        declared = set(re.findall(r"^WW_API .*?\b(ww_\w+)\(", headers, re.MULTILINE))
        self.assertGreater(len(declared), 50)
        shared = printed("nm", "-D", "--defined-only", self.library / "libwarpwait.so")
        self.assertEqual({line.split()[2].split("@")[0] for line in shared.splitlines() if " A " not in line}, declared)
        self.assertTrue(all("@@WARPWAIT_0" in line for line in shared.splitlines() if " T " in line), shared)
        static = printed("nm", "-g", "--defined-only", self.library / "libwarpwait.a")
        self.assertEqual(set(re.findall(r"^\w+ \w (\w+)$", static, re.MULTILINE)), declared)

    def test_library_needs_neither_systemc_nor_cpp(self):
        needed = re.findall(r"NEEDED.*\[(.*)\]", printed("readelf", "-d", self.library / "libwarpwait.so"))
        self.assertFalse([name for name in needed if re.search(r"systemc|stdc\+\+|sqlite|lzma", name)], needed)
        self.assertIn("[libwarpwait.so.0]", printed("readelf", "-d", self.library / "libwarpwait.so"))

    def test_headers_compile_as_c17_and_cpp(self):
        for compiler, words in (("cc", ("-std=c17", "-x", "c")), ("c++", ("-std=c++17", "-x", "c++"))):
            source = self.folder / "one.txt"
            source.write_text("#include <warpwait/analyse.h>\nint main(void) { return ww_version() != WW_VERSION; }\n")
            program = self.folder / "one"
            printed(compiler, *words, "-Wall", "-Wextra", "-Wpedantic", "-Werror", *self.flags("--cflags"), source,
                    "-o", program, *self.flags("--libs"))
            printed(program, env=self.env)

    def test_cmake_finds_the_package(self):
        version = self.flags("--modversion")[0]
        folder = self.folder / "cmake"
        folder.mkdir()
        shutil.copy(EXAMPLES / "run_string.c", folder)
        (folder / "CMakeLists.txt").write_text(CMAKE.format(version=version))
        printed("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        printed("cmake", "--build", folder / "build")
        for name in ("user_shared", "user_static"):
            self.assertIn("data[1000] = 3000", printed(folder / "build" / name, env=self.env))
        (folder / "CMakeLists.txt").write_text(CMAKE.format(version="1.0"))
        self.assertIn("version", printed("cmake", "-S", folder, "-B", folder / "other",
                                         f"-DCMAKE_PREFIX_PATH={self.prefix}", status=1))

    def test_the_command_line_is_installed(self):
        said = printed(self.prefix / "bin/warpwait", "--version")
        commit = r" \(\S+\)" if (ROOT / ".git").exists() else ""
        self.assertRegex(said, f"^warpwait {re.escape(self.flags('--modversion')[0])}{commit}\nOpenCL C: .+\n$")
        self.assertTrue((self.prefix / "share/man/man1/warpwait-run.1").exists())

    def test_the_program_loads_systemc_only_for_its_host(self):
        program = self.prefix / "bin/warpwait"
        self.assertNotRegex(printed("ldd", program), r"systemc|stdc\+\+")
        words = (program, "run", ROOT / "examples/01_seed/launch.json", "--host", "systemc")
        self.assertIn("cycles", printed(*words))
        (self.prefix / "libexec/warpwait/warpwait-systemc.so").unlink()
        self.assertIn("--host: warpwait-systemc.so is missing", printed(*words, status=2))


class Uninstalled(unittest.TestCase):
    def test_uninstall_removes_our_files_and_keeps_all_others(self):
        with tempfile.TemporaryDirectory() as holder:
            folder = pathlib.Path(holder)
            (folder / "share/man").mkdir(parents=True)  # empty, and not ours
            (folder / "bin").mkdir()
            (folder / "bin/other").write_text("not ours\n")
            before = files_in(folder)
            for _ in range(2):  # the second time over the first
                make("install", f"PREFIX={folder}", f"BUILD={BUILD}")
            self.assertIn("bin/warpwait", files_in(folder))
            package = next(folder.rglob("warpwait/sweep"))
            (package / "__pycache__").mkdir()
            make("uninstall", f"PREFIX={folder}")
            self.assertEqual(files_in(folder), before)
            self.assertIn("nothing of ours is installed there", make("uninstall", f"PREFIX={folder}", status=2))

    def test_folders_may_have_any_name(self):
        for name in (" it's \"a\"  $$b (1)", "*[c]?;d&e|f#g`h`", "-~a\\\\1"):
            real = name.replace("$$", "$")
            with self.subTest(real), tempfile.TemporaryDirectory() as holder:
                root = pathlib.Path(holder) / real
                words = (f"BUILD={BUILD}", f"DESTDIR={holder}/{name}", f"PREFIX=/usr {name}")
                make("install", *words)
                prefix = root / f"usr {real}"
                self.assertTrue(os.access(prefix / "bin/warpwait", os.X_OK), files_in(pathlib.Path(holder)))
                flags = printed("pkg-config", "--cflags", "warpwait", env={
                    "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")})
                self.assertEqual(shlex.split(flags), [f"-I/usr {real}/include"])
                make("uninstall", *words)
                self.assertEqual([path for path in root.rglob("*") if not path.is_dir()], [])


if __name__ == "__main__":
    unittest.main()
