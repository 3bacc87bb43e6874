"""Builds the Python package with its own libwarpwait, which `make` builds. The metadata is in pyproject.toml.

As for `make`, the environment variables CC and BUILD name the compiler and the build folder.
"""
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = os.environ.get("BUILD") or "build"
COMPILER = shlex.split(os.environ.get("CC") or "gcc")
LIBRARY = "libwarpwait.so.0"
OURS = ROOT / BUILD / "python"  # files built for a wheel

# What the library's build needs (programs, headers and d3), and the Debian package of each.
PROGRAMS = {"make": "make", COMPILER[0]: "gcc", "ld": "binutils", "objcopy": "binutils", "awk": "mawk"}
HEADERS = {"jansson.h": "libjansson-dev", "ini.h": "libinih-dev", "sqlite3.h": "libsqlite3-dev",
           "xxhash.h": "libxxhash-dev", "zlib.h": "zlib1g-dev", "png.h": "libpng-dev", "lzma.h": "liblzma-dev"}
D3 = {f"/usr/share/nodejs/d3-{part}": f"node-d3-{part}" for part in ("axis", "scale", "zoom")}


def version():
    text = (ROOT / "include/warpwait.h").read_text()
    return ".".join(re.search(rf"^#define WW_VERSION_{part} (\d+)$", text, re.MULTILINE)[1]
                    for part in ("MAJOR", "MINOR", "PATCH"))


def compiles(header):
    return not subprocess.run([*COMPILER, "-E", "-x", "c", "-"], input=f"#include <{header}>\n", text=True,
                              capture_output=True, check=False).returncode


def make(target):
    """Builds a target with `make`. Ends with a one-line message if that fails."""
    if sys.platform != "linux":
        sys.exit("warpwait: cannot be built: its library is for Linux")
    missing = {name: package for name, package in PROGRAMS.items() if not shutil.which(name)}
    if COMPILER[0] not in missing:
        missing |= {name: package for name, package in HEADERS.items() if not compiles(name)}
    missing |= {name: package for name, package in D3.items() if not os.path.isdir(name)}
    if missing:
        sys.exit(f"warpwait: cannot be built: missing: {', '.join(missing)}: "
                 f"apt-get install {' '.join(dict.fromkeys(missing.values()))}")
    # The options of a `make` that runs this script must not reach the new one.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(["make", "--no-print-directory", f"-j{len(os.sched_getaffinity(0))}", f"BUILD={BUILD}",
                           f"{BUILD}/{target}"], cwd=ROOT, env=environment, check=False)
    if done.returncode:
        sys.exit(f"warpwait: cannot be built: `make {BUILD}/{target}` failed, and says why above")


class WithLibrary(build_py):
    def run(self):
        if self.editable_mode:  # the package loads the clone's library
            make(LIBRARY)
            super().run()
            return
        shutil.rmtree(self.build_lib, ignore_errors=True)  # no files of earlier builds
        super().run()
        make(f"python/{LIBRARY}")
        self.copy_file(str(OURS / LIBRARY), self.bundled())

    def bundled(self):
        return os.path.join(self.build_lib, "warpwait", LIBRARY)

    def get_outputs(self, include_bytecode=1):
        return [*super().get_outputs(include_bytecode), *([] if self.editable_mode else [self.bundled()])]


class ForLibrary(bdist_wheel):
    """Tags the wheel for any Python 3, and for the systems on which its library runs."""

    def get_tag(self):
        machine = platform.machine()
        needs = subprocess.run(["objdump", "-p", OURS / LIBRARY], capture_output=True, text=True, check=True,
                               env={**os.environ, "LC_ALL": "C"}).stdout
        others = [name for name in re.findall(r"NEEDED +(\S+)", needs)
                  if not re.match(r"(libc|libm|libpthread|ld-linux-.*)\.so\.", name)]
        least = max(map(int, re.findall(r"GLIBC_2\.(\d+)", needs)))
        return "py3", "none", f"linux_{machine}" if others else f"manylinux_2_{least}_{machine}"


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Refused(sdist):
    def run(self):
        sys.exit("warpwait: there is no source distribution: build a wheel in a clone, by `make wheel`")


OURS.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    license="Apache-2.0",
    distclass=Binary,
    cmdclass={"build_py": WithLibrary, "bdist_wheel": ForLibrary, "sdist": Refused},
    options={"build": {"build_base": str(OURS / "build")}, "egg_info": {"egg_base": str(OURS)}},
)
