#!/usr/bin/env python3
# Time limit: a call may take 120 s.
"""Each write, fsync, close, rename, mkdir, fork, exec and open of every output option fails in turn. The promises:
either a nonzero exit status and one line that names a file of the user's, or correct outputs in spite of the
failure; each output is the old one or all of the new one; nothing else is left; and the next call, with the same
cache, succeeds.

`--most N` tries N points of each kind per call (0: all), spread over them; `--only CALL` tries one call."""
import argparse
import collections
import errno
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import calls  # noqa: E402

MOST, ONLY = 4, None
SHORT = "0"  # a write that writes half
LETTERS = {"w": ("write", errno.ENOSPC), "s": ("fsync", errno.EIO), "c": ("close", errno.EIO),
           "r": ("rename", errno.EACCES), "m": ("mkdir", errno.ENOSPC), "f": ("fork", errno.EAGAIN),
           "e": ("exec", errno.ENOENT), "o": ("open", errno.EACCES), "t": ("cut", errno.EIO), "p": ("pipe", errno.EMFILE)}
# What a line may name: an output, an input, or a folder chosen by the user.
NAMES = re.compile(r"\b(new|out|data|cl|s|l|t|k)\.\w+|standard output|/tmp\b|--jobs|clang-15|\./host\b|/warpwait\b")


def spread(count, most):
    """Up to `most` of the numbers from 1 to `count`, including the first and the last."""
    if not most or count <= most:
        return range(1, count + 1)
    return sorted({1 + round(i * (count - 1) / max(most - 1, 1)) for i in range(most)})


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=calls.FAST)
        root = pathlib.Path(cls.folder.name)
        cls.inputs, cls.at, cls.library = root / "inputs", root / "at", root / "faults.so"
        cls.inputs.mkdir()
        subprocess.run(["cc", "-std=c17", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o",
                        cls.library, pathlib.Path(__file__).parent / "faults.c", "-ldl"], check=True)
        calls.fill(cls.inputs)
        cls.tries, cls.outcomes = collections.Counter(), collections.Counter()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        print("tries:", ", ".join(f"{count} {name}" for name, count in sorted(cls.tries.items())))
        print("outcomes:", ", ".join(f"{count} {name}" for name, count in sorted(cls.outcomes.items())))

    def call(self, name, **more):
        words, outputs = calls.CALLS[name]
        calls.fresh(self.inputs, self.at, outputs)
        return calls.tool(self.at, words, LD_PRELOAD=str(self.library), **more)

    def test_each_fault_is_reported_and_leaves_every_file_whole(self):
        for name in [ONLY] if ONLY else calls.CALLS:
            outputs = calls.CALLS[name][1]
            log = self.at.parent / "log"
            log.unlink(missing_ok=True)
            done = self.call(name, FAULTS_LOG=str(log))
            status = 1 if name == "diff" else 0
            self.assertEqual((done.returncode, done.stderr), (status, b""), name)
            right, out = calls.content(self.at, outputs), done.stdout
            self.assertNotIn(calls.BEFORE, right.values(), name)
            self.assertEqual(calls.strangers(self.at, self.inputs, outputs), [], name)
            for letter, count in collections.Counter(log.read_text()).items():
                call, error = LETTERS[letter]
                ways = [f"{error}", f"{error} s", *((str(errno.EINTR), SHORT) if call == "write" else ())]
                for number in spread(count, MOST):
                    for way in ways:
                        with self.subTest(call=name, fault=f"{call} {number} of {count}, {way}"):
                            self.tries[call] += 1
                            self.try_fault(name, f"{call} {number} {way}", status, right, out)

    def try_fault(self, name, fault, status, right, out):
        outputs = calls.CALLS[name][1]
        done = self.call(name, FAULTS=fault)
        said = done.stderr.decode()
        found = calls.content(self.at, outputs)
        self.assertEqual(calls.strangers(self.at, self.inputs, outputs), [], said)
        if done.returncode == status:
            self.outcomes["right in spite of it"] += 1
            self.assertEqual(found, right, said)
            self.assertEqual(done.stdout, out)
            return
        self.outcomes["told"] += 1
        self.assertEqual(done.returncode, 2, said)
        self.assertRegex(said, NAMES)
        calls.expect_told(self, self.at, name, said, status, right)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=MOST)
    parser.add_argument("--only", choices=calls.CALLS)
    options, rest = parser.parse_known_args()
    MOST, ONLY = options.most, options.only
    unittest.main(argv=sys.argv[:1] + rest, verbosity=0)
