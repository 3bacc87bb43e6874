#!/usr/bin/env python3
"""The Python package as users get it, by `make install` and as a wheel: imported and run away from any clone.

usage: tests/python/package_test.py    WARPWAIT (default build/warpwait) is in the build's folder."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/api"))
from installed_test import BUILD, files_in, make, printed  # noqa: E402

for needed in ("numpy", "pip", "setuptools", "wheel"):
    if not importlib.util.find_spec(needed):
        print(f"{needed} is not installed: skipped")
        sys.exit(0)

PYTHON = "/usr/bin/python3"
FOLDER = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/dist-packages"  # of `make install`
MULTIARCH = getattr(sys.implementation, "_multiarch", "x86_64-linux-gnu")
# Prints the library's place, the version, and a kernel's result.
PROGRAM = """
import numpy as np, warpwait as ww, warpwait._library
program = ww.Program("kernel void triple(global float *x) { x[get_global_id(0)] *= 3; }")
x = np.arange(1024, dtype=np.float32)
report = program.kernel("triple").run("h200", global_size=1024, local_size=64, args=[x])
assert (x == 3 * np.arange(1024)).all() and report.cycles > 0
print(warpwait._library.library()._name, ww.__version__)
"""


def version():
    return printed(BUILD / "warpwait", "--version").split()[1]


def apart(folder, *command, status=0, **env):
    """Runs a command in a folder that is its home, with none of this environment."""
    home = pathlib.Path(folder) / "home"
    home.mkdir(exist_ok=True)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, cwd=home,
                          env={"HOME": str(home), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", **env})
    if done.returncode != status:
        raise AssertionError(f"{command}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


class Installed(unittest.TestCase):
    def test_library_is_found_in_any_LIBDIR(self):
        for libdir in ("lib", f"lib/{MULTIARCH}", "lib64"):
            with self.subTest(LIBDIR=libdir), tempfile.TemporaryDirectory() as folder:
                make("install", f"DESTDIR={folder}", "PREFIX=/opt/ours", f"LIBDIR={libdir}", f"BUILD={BUILD}")
                prefix = pathlib.Path(folder) / "opt/ours"
                said = apart(folder, PYTHON, "-c", PROGRAM, PYTHONPATH=str(prefix / FOLDER))
                self.assertEqual(said.split(), [str(prefix / libdir / "libwarpwait.so.0"), version()])
                self.assertIn("usage:", apart(folder, prefix / "bin/warpwait-plot", "--help"))
                self.assertIn("usage:", apart(folder, prefix / "bin/warpwait-sweep", "--help"))

    def test_commands_say_that_the_package_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("warpwait-plot", "warpwait-sweep"):
                command = pathlib.Path(folder) / name
                command.write_text((ROOT / "bindings/python" / name).read_text())
                self.assertEqual(apart(folder, PYTHON, "-S", command, "--help", status=2),
                                 f"{name}: warpwait's Python package is missing: apt-get install python3-warpwait\n")


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        make("wheel", f"BUILD={BUILD}")
        [cls.wheel] = (ROOT / BUILD / "wheel").glob("*.whl")
        cls.venv = cls.folder / "venv"
        printed(PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", cls.venv)
        cls.pip("install", "--no-index", "--no-deps", "--no-compile", cls.wheel)

    @classmethod
    def pip(cls, *words):
        return apart(cls.folder, PYTHON, "-m", "pip", "--python", cls.venv / "bin/python", *words)

    def test_the_wheel_fits_every_python_and_contains_only_the_package(self):
        self.assertRegex(self.wheel.name, rf"^warpwait-{re.escape(version())}-py3-none-(many)?linux_\w+\.whl$")
        with zipfile.ZipFile(self.wheel) as archive:
            names = set(archive.namelist())
        self.assertEqual({name.partition("/")[0] for name in names}, {"warpwait", f"warpwait-{version()}.dist-info"})
        package = ROOT / "bindings/python"
        self.assertEqual({name for name in names if name.startswith("warpwait/")}, {
            "warpwait/libwarpwait.so.0", "warpwait/py.typed",
            *(str(path.relative_to(package)) for path in package.rglob("*.py"))})

    def test_the_library_needs_what_the_name_of_the_wheel_says(self):
        [library] = self.venv.rglob("libwarpwait.so.0")
        needed = re.findall(r"NEEDED.*\[(.*)\]", printed("readelf", "-d", library))
        others = [name for name in needed if not re.match(r"(libc|libm|libpthread|ld-linux.*)\.so", name)]
        self.assertEqual("manylinux" in self.wheel.name, not others, needed)
        exported = re.findall(r"^\S+ [^A] (\w+)", printed("nm", "-D", "--defined-only", library), re.MULTILINE)
        self.assertEqual([name for name in exported if not name.startswith("ww_")], [])

    def test_a_kernel_runs_with_the_library_in_the_wheel(self):
        library, number = apart(self.folder, self.venv / "bin/python", "-c", PROGRAM).split()
        self.assertTrue(library.startswith(f"{self.venv}/"), library)
        self.assertEqual(number, version())
        said = apart(self.folder, self.venv / "bin/python", "-c",
                     "import importlib.metadata as m; print(m.version('warpwait'))")
        self.assertEqual(said.strip(), version())

    def test_the_installed_commands_run(self):
        for name in ("warpwait-plot", "warpwait-sweep"):
            self.assertIn(f"usage: {name}", apart(self.folder, self.venv / "bin" / name, "--help"))
        self.assertIn("nothing.wtl: ", apart(self.folder, self.venv / "bin/warpwait-plot", "banks", "nothing.wtl", "-o",
                                             "banks.png", status=2))

    def test_uninstalling_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            printed(PYTHON, "-m", "venv", "--system-site-packages", "--without-pip", folder)
            before = files_in(pathlib.Path(folder))
            pip = [PYTHON, "-m", "pip", "--python", f"{folder}/bin/python"]
            apart(self.folder, *pip, "install", "--no-index", "--no-deps", self.wheel)
            self.assertIn("bin/warpwait-plot", files_in(pathlib.Path(folder)))
            apart(self.folder, *pip, "uninstall", "--yes", "warpwait")
            self.assertEqual(files_in(pathlib.Path(folder)), before)


class Refused(unittest.TestCase):
    def setup(self, *words, **env):
        """Runs setup.py, which must fail, and returns its last line."""
        return printed(PYTHON, "setup.py", *words, env={"BUILD": str(BUILD), **env}, status=1).splitlines()[-1]

    def test_a_source_distribution_is_refused(self):
        self.assertEqual(self.setup("sdist"),
                         "warpwait: there is no source distribution: build a wheel in a clone, by `make wheel`")

    def test_a_build_names_what_is_missing(self):
        self.assertEqual(self.setup("build", CC="/nowhere/gcc"),
                         "warpwait: cannot be built: missing: /nowhere/gcc: apt-get install gcc")
        with tempfile.TemporaryDirectory() as folder:
            compiler = pathlib.Path(folder) / "gcc"
            compiler.write_text('#!/bin/sh\n! grep -q "jansson\\|zlib"\n')
            compiler.chmod(0o755)
            self.assertEqual(self.setup("build", CC=str(compiler)), "warpwait: cannot be built: missing: jansson.h, "
                             "zlib.h: apt-get install libjansson-dev zlib1g-dev")


if __name__ == "__main__":
    unittest.main()
