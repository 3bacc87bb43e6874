#!/usr/bin/env python3
"""Each command names a missing optional package in one line, and needs only the documented ones."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "bindings/python"
sys.path[:0] = [str(PACKAGE), str(ROOT / "tests/sweep")]
sys.dont_write_bytecode = True
WARPWAIT = os.environ["WARPWAIT"] = os.path.abspath(os.environ.get("WARPWAIT", ROOT / "build/warpwait"))
import made_store  # noqa: E402
from warpwait._optional import PACKAGES  # noqa: E402

try:
    import distributed  # noqa: F401
    import matplotlib  # noqa: F401
    import pandas  # noqa: F401
    import scipy  # noqa: F401
except ImportError as error:
    print(f"{error.name} is not installed: skipped")
    sys.exit(0)

# Python runs a module of this name before anything else.
BLOCKER = """
import sys


class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {words!r}.split():
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Blocker())
"""
FRAMES, DRAWING = ["numpy", "pandas"], ["matplotlib", "numpy", "pandas"]
PLOT, SWEEP, TRACE = [PACKAGE / "warpwait-plot"], [WARPWAIT, "sweep"], ["/usr/bin/python3", "-m", "warpwait.trace"]
QUESTIONS = {"best": [], "pareto": [], "sensitivity": [], "knee": ["--axis", "dma.queue"], "errors": [], "table": []}
PICTURES = {"hiding": ["--axis", "define.DEPTH"], "heat": ["--axes", "dma.channels,dma.queue"], "pareto": [], "tornado": []}
COMMANDS = [  # (words, the packages that they need)
    *(([*PLOT, what, *files, "-o", "p.png"], DRAWING) for what, files in (
        ("timeline", ["t.wtl"]), ("banks", ["t.wtl"]), ("stalls", ["t.wtl"]), ("stalls", ["r.json"]),
        ("hiding", ["r.json"]))),
    *(([*SWEEP, "query", question, "s.sqlite", *more], FRAMES) for question, more in QUESTIONS.items()),
    *(([*SWEEP, "plot", picture, "s.sqlite", *more, "-o", "p.png"], DRAWING) for picture, more in PICTURES.items()),
    ([*SWEEP, "report", "s.sqlite", "-o", "s.html"], DRAWING),
    ([*SWEEP, "optimize", "plan.ini", "-o", "o.sqlite", "--most", "2"], [*FRAMES, "scipy"]),
    ([*TRACE, "t.wtl"], ["numpy"]),
    ([*TRACE, "t.wwt"], []),
    ([*PLOT, "stalls", "--help"], []),
    ([PACKAGE / "warpwait-sweep", "query", "best", "--help"], []),
]


def line(module):
    """A command's message about a missing package."""
    debian, pip = PACKAGES[module]
    return f"{module} is missing: apt-get install {debian}, or pip install {pip}"


class Missing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        made_store.make(cls.folder / "s.sqlite", made_store.RING, made_store.ring)
        subprocess.run([WARPWAIT, "run", ROOT / "examples/05_double_buffer/launch.json", "--timeline", "t.wtl", "--trace",
                        "t.wwt", "--report", "json", "--out", "r.json"], cwd=cls.folder, check=True)
        (cls.folder / "plan.ini").write_text(f"[sweep]\nlaunch = {ROOT / 'examples/05_double_buffer/launch.json'}\n"
                                             "[axes]\ndma.channels = 1..4*2\n")

    def without(self, modules, words, broken=False):
        """Runs a command with these modules missing. broken: they exist, but raise a bare ImportError."""
        with tempfile.TemporaryDirectory() as folder:
            for module in modules if broken else ():
                pathlib.Path(folder, f"{module}.py").write_text("raise ImportError('broken')\n")
            if not broken:
                pathlib.Path(folder, "sitecustomize.py").write_text(BLOCKER.format(words=" ".join(modules)))
            environment = {**os.environ, "PYTHONPATH": f"{folder}:{PACKAGE}", "PYTHONDONTWRITEBYTECODE": "1"}
            return subprocess.run(list(map(str, words)), cwd=self.folder, env=environment, capture_output=True, text=True,
                                  check=False)

    def refused(self, module, words, broken=False):
        """Asserts exit status 2 and one line."""
        done = self.without([module], words, broken)
        name = {"sweep": "warpwait-sweep", "-m": "warpwait.trace"}.get(words[1], "warpwait-plot")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"{name}: {line(module)}\n"), words)

    def test_each_missing_package_is_named(self):
        for words, needed in COMMANDS:
            for module in needed:
                self.refused(module, words)
        self.assertEqual([path.name for path in self.folder.glob("p.png")], [])

    def test_a_package_that_cannot_be_imported_is_named(self):
        for words, needed in (([*SWEEP, "query", "best", "s.sqlite"], FRAMES),
                              ([*PLOT, "stalls", "r.json", "-o", "p.png"], DRAWING)):
            for module in needed:
                self.refused(module, words, broken=True)

    def test_commands_need_no_other_packages(self):
        for words, needed in COMMANDS:
            others = [module for module in PACKAGES if module not in needed]
            done = self.without(others, words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            for path in self.folder.glob("p.png"):
                path.unlink()

    def test_a_sweep_on_a_cluster_needs_dask(self):
        words = [*SWEEP, "run", "plan.ini", "-o", "c.sqlite", "--dask", "tcp://127.0.0.1:1"]
        for module in ("dask", "distributed"):
            self.refused(module, words)

    def test_python_gets_an_import_error_with_the_same_line(self):
        for program, module in (("warpwait.trace.open_timeline('t.wtl')", "numpy"),
                                ("warpwait.trace.open_timeline('t.wtl').frame()", "pandas"),
                                ("warpwait.trace.open('t.wwt').frame()", "pandas"),
                                ("warpwait.plot.stalls('r.json')", "matplotlib"),
                                ("warpwait.sweep.Store('s.sqlite')", "pandas"),
                                ("warpwait.sweep.pictures", "matplotlib"),
                                ("warpwait.sweep.optimize", "scipy")):
            done = self.without([module], ["/usr/bin/python3", "-c", "import warpwait.plot, warpwait.sweep, warpwait.trace\n"
                                           f"try:\n  {program}\nexcept ImportError as error:\n  print(error)"])
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, line(module) + "\n", ""), program)

    def test_traces_can_be_read_with_the_standard_library_alone(self):
        done = self.without(list(PACKAGES), ["/usr/bin/python3", "-c", "import warpwait.trace\n"
                                             "with warpwait.trace.open('t.wwt') as trace: print(len(list(trace.groups())))"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(int(done.stdout), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
