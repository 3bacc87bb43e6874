#!/usr/bin/env python3
"""tests/run repeats programs that hold a time limit, and only these; every test with such a limit declares it."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
DECLARED = "Time limit:"
# What waits for a number of seconds, or measures some.
APART = ("bench", "exhaust", "faults", "fuzz", "mutants")  # whose C sources are no tests
LIMITS = re.compile(r"timeout=|time\.(monotonic|perf_counter|time)\(\)|clock_gettime|\balarm\(")


def scripts():
    """The scripts of `make test`."""
    makefile = (ROOT / "mk/test.mk").read_text().replace("\\\n", "")
    names = " ".join(re.findall(r"^(?:SCRIPTS|PLAIN) +:= (.*)$", makefile, re.M)).split()
    return [ROOT / ("" if name.startswith("hw/") else "tests") / f"{name}.py" for name in names]


def modules(path, found=None):
    """A script, and what it imports from tests."""
    found = {path} if found is None else found
    for name in re.findall(r"^ *(?:from|import) (\w+)", path.read_text(), re.M):
        for module in ROOT.glob(f"tests/*/{name}.py"):
            if module not in found and (module.parent == path.parent or len([*ROOT.glob(f"tests/*/{name}.py")]) == 1):
                found.add(module)
                modules(module, found)
    return found


# Fails at the first run and passes at the second.
ONCE = """
import pathlib, sys
seen = pathlib.Path({seen!r})
if seen.exists():
    sys.exit(0)
seen.touch()
{last}
"""


class Runner(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def program(self, name, declared, last="sys.exit(1)"):
        path = self.folder / f"{name}.py"
        path.write_text(f"# {DECLARED if declared else 'No limit:'} 1 s for this\n" + ONCE.format(seen=str(self.folder / name), last=last))
        return path

    def run_tests(self, *programs, **more):
        done = subprocess.run([ROOT / "tests/run", self.folder / "logs", *programs], capture_output=True, text=True, check=False,
                              cwd=ROOT, env={"PATH": "/usr/bin:/bin", "PYTHON": sys.executable, **more})
        return done.returncode, done.stdout

    def test_a_declared_limit_is_tried_again_alone(self):
        status, said = self.run_tests(self.program("limited", True), self.program("other", True))
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"limited\.py again, alone:\nlimited\.py +1 passed +0 failed")
        self.assertTrue(said.endswith("\n2 passed, 0 failed\n"), said)

    def test_other_failures_count_at_once(self):
        status, said = self.run_tests(self.program("wrong", False), self.program("limited", True))
        self.assertEqual((status, said.count("again, alone")), (1, 1), said)
        self.assertTrue(said.endswith("\n1 passed, 1 failed\n"), said)

    def test_a_test_that_fails_twice_has_failed(self):
        path = self.folder / "never.py"
        path.write_text(f"# {DECLARED} none\nraise SystemExit(1)\n")
        status, said = self.run_tests(path)
        self.assertEqual(status, 1, said)
        self.assertTrue(said.endswith("\n0 passed, 1 failed\n"), said)

    def test_a_stopped_program_is_tried_again(self):
        status, said = self.run_tests(self.program("slow", False, "import time; time.sleep(30)"), TEST_LIMIT="2")
        self.assertEqual(status, 0, said)


class Limits(unittest.TestCase):
    def test_every_limit_is_declared(self):
        self.assertGreater(len(scripts()), 50)
        undeclared = [str(path.relative_to(ROOT)) for path in scripts() if DECLARED not in path.read_text()
                      and any(LIMITS.search(module.read_text()) for module in modules(path))]
        for folder in {path.parent for path in ROOT.glob("tests/*/*.c")} - {ROOT / "tests" / name for name in APART}:
            texts = [path.read_text() for path in folder.glob("*.c")]
            if any(LIMITS.search(text) for text in texts) and not any(DECLARED in text for text in texts):
                undeclared.append(str(folder.relative_to(ROOT)))
        self.assertEqual(sorted(undeclared), [])


if __name__ == "__main__":
    unittest.main()
