#!/usr/bin/env python3
# Time limit: a call has 60 s to end after its signal.
"""Signals at random times, for every verb and every kind of output. The promises: the call either finishes as if
undisturbed, or exits with 128 plus the signal's number and one line; each output is the old one or all of the new
one; nothing else is left; and a second call, in the same folder with the same cache, succeeds.

`--signals N` sends N, `--seed N` repeats a run."""
import argparse
import collections
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import calls  # noqa: E402

SIGNALS, SEED = 60, None
SENT = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals(unittest.TestCase):
    def test_a_signal_at_any_time_leaves_every_file_whole(self):
        seed = SEED if SEED is not None else random.SystemRandom().randrange(1 << 32)
        print("seed:", seed)
        self.random, self.outcomes = random.Random(seed), collections.Counter()
        with tempfile.TemporaryDirectory(dir=calls.FAST) as folder:
            self.inputs, self.at = pathlib.Path(folder) / "inputs", pathlib.Path(folder) / "at"
            self.inputs.mkdir()
            calls.fill(self.inputs)
            # A signal to exec ends its program; exec_test.py has that.
            names = [name for name, (words, _) in calls.CALLS.items() if not words.startswith("exec ")]
            right = {name: self.whole(name) for name in names}
            for number in range(SIGNALS):
                name, sent = self.random.choice(names), self.random.choice(SENT)
                with self.subTest(number=number, call=name, signal=sent.name):
                    self.try_signal(name, sent, *right[name])
        print("outcomes:", ", ".join(f"{count} {name}" for name, count in sorted(self.outcomes.items())))

    def whole(self, name):
        """Exit status, outputs and seconds of an undisturbed call."""
        words, outputs = calls.CALLS[name]
        calls.fresh(self.inputs, self.at, outputs)
        begun = time.monotonic()
        done = calls.tool(self.at, words)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, calls.content(self.at, outputs), time.monotonic() - begun

    def try_signal(self, name, sent, status, right, seconds):
        words, outputs = calls.CALLS[name]
        calls.fresh(self.inputs, self.at, outputs)
        with subprocess.Popen([calls.WARPWAIT, *words.split()], cwd=self.at, env=calls.environment(self.at),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(self.random.uniform(0, seconds))
            process.send_signal(sent)
            said = process.communicate(timeout=60)[1].decode()
        found = calls.content(self.at, outputs)
        self.outcomes[f"ended by {sent.name}" if process.returncode not in (0, 1) else "through"] += 1
        self.assertEqual(calls.strangers(self.at, self.inputs, outputs), [], said)
        if process.returncode == -sent:  # it had not started yet
            self.assertEqual((said, found), ("", dict.fromkeys(outputs, calls.BEFORE)))
        elif process.returncode == status:
            self.assertEqual((said, found), ("", right))
        else:
            self.assertEqual(process.returncode, 128 + sent, said)
            calls.expect_told(self, self.at, name, said, status, right)
            return
        calls.expect_right(self, self.at, name, status, right)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--signals", type=int, default=SIGNALS)
    parser.add_argument("--seed", type=int)
    options, rest = parser.parse_known_args()
    SIGNALS, SEED = options.signals, options.seed
    unittest.main(argv=sys.argv[:1] + rest, verbosity=0)
