#!/usr/bin/env python3
# Time limit: a call may take 60 s.
"""Damaged traces on the command line: each is reported with the offset, what was expected and what was found, or its
intact prefix is read. `--flips 1000` tries that many flipped bits instead of a few, `--kills N` that many recorders."""
import argparse
import os
import pathlib
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
FLIPS, KILLS = 40, 8
TOLD = re.compile(r"warpwait: [^\n]*\.wwt: offset \d+: expected [^\n]+, found [^\n]+\n")
PREFIX = re.compile(r"; before it, (\d+) operations of \d+ work-groups? in \d+ launch(es)? are read\n")

# A random number generator makes each lane's next address from the last: the trace cannot be small.
KERNEL = """.kernel wild
.arg data global
.arg rounds u32
.reg i, r, n
.reg64 p
.pred c
  get.global_id i, x
  ld.arg.b32 r, rounds
again:
  ld.arg.b64 p, data
  mul.i32 i, i, 1664525
  add.i32 i, i, 1013904223
  shr.u32 n, i, 12
  mad.wide.u32 p, n, 4, p
  ld.global.b32 n, [p]
  sub.i32 r, r, 1
  setp.ne.u32 c, r, 0
  bar
@c bra again
  exit
"""

# The same, with copies at which all warps of a work-group meet.
MEETING = KERNEL.replace(".reg i, r, n", ".lds tile 1024\n.reg i, r, n, e").replace("  mul", """\
  copy.to_lds e, [tile], [p], 64, size=4
  wait e
  mul""", 1)


def tool(*arguments, **more):
    """Status, standard output and standard error; a tool that hangs fails the test."""
    done = subprocess.run([WARPWAIT, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False,
                          **more)
    return done.returncode, done.stdout, done.stderr


def blocks(trace):
    """Where each block begins, and where the last one ends."""
    at, found = 16, []
    while at < len(trace):
        found.append(at)
        at += 28 + struct.unpack_from("<I", trace, at + 16)[0]
    return found + [at]


class Damage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "wild.wws").write_text(KERNEL)
        status, _, said = cls.record("whole.wwt", 60)
        assert status == 0, said
        cls.trace = (cls.path / "whole.wwt").read_bytes()
        cls.blocks = blocks(cls.trace)
        cls.head = tool("trace", "head", cls.path / "whole.wwt")
        cls.replay = tool("replay", "--why=no", cls.path / "whole.wwt")
        cls.operations = int(re.search(r"operations +(\d+) in", tool("trace", "info", cls.path / "whole.wwt")[1])[1])

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def command(cls, name, rounds):
        return ["run", cls.path / "wild.wws", "--global", 1024, "--local", 64, "--arg", "buffer:data=4194304",
                "--arg", f"uint:{rounds}", "--out", cls.path / "report", "--trace", cls.path / name]

    @classmethod
    def record(cls, name, rounds, **more):
        return tool(*cls.command(name, rounds), **more)

    def verbs(self, damaged):
        """All ways to read a whole trace."""
        whole, out = self.path / "whole.wwt", self.path / "out.wwt"
        return {"validate": ["trace", "validate", damaged], "info": ["trace", "info", damaged],
                "diff": ["trace", "diff", whole, damaged], "slice": ["trace", "slice", damaged, "-o", out],
                "merge": ["trace", "merge", whole, damaged, "-o", out], "replay": ["replay", damaged]}

    def check_reported(self, trace, what):
        damaged = self.path / "damaged.wwt"
        damaged.write_bytes(trace)
        for verb, command in self.verbs(damaged).items():
            with self.subTest(what=what, verb=verb):
                status, out, said = tool(*command)
                self.assertEqual((status, out), (2, ""))
                self.assertRegex(said, TOLD)
                self.assertEqual(said.count("\n"), 1)
                self.assertLessEqual(int(re.search(r"offset (\d+)", said)[1]), len(self.trace))
        self.assertEqual([file.name for file in self.path.glob("out*")], [])
        return damaged

    def cuts(self):
        """Before each block, within its header, and within its payload."""
        places = {0, 7}
        for start, end in zip(self.blocks, self.blocks[1:]):
            places |= {start, start + 13, (start + 28 + end) // 2, end - 1}
        return sorted(places)

    def test_every_verb_reports_a_trace_that_ends_early(self):
        self.assertGreater(len(self.blocks), 12)
        for cut in self.cuts():
            damaged = self.check_reported(self.trace[:cut], f"cut at {cut}")
            self.assertEqual(tool("trace", "head", damaged)[0], 2)

    def test_every_verb_reports_a_flipped_bit(self):
        random_bits = random.Random(1)
        for _ in range(FLIPS):
            bit = random_bits.randrange(8 * len(self.trace))
            trace = bytearray(self.trace)
            trace[bit // 8] ^= 1 << bit % 8
            damaged = self.check_reported(bytes(trace), f"bit {bit}")
            self.check_salvaged(damaged, bit)
            status, out, said = tool("trace", "head", damaged)  # which need not read the place of the bit
            self.assertTrue((status, out, said) == self.head or status == 2 and TOLD.fullmatch(said), bit)

    def check_salvaged(self, damaged, bit):
        """The part before the bit is read; the report may differ only if the replay says that the trace is
        incomplete."""
        status, _, said = tool("trace", "validate", "--salvage", damaged)
        if bit < 8 * 16:
            self.assertEqual(status, 2)
            return
        self.assertEqual(status, 0, (bit, said))
        whole = int(PREFIX.search(said)[1]) == self.operations
        status, out, said = tool("replay", "--salvage", "--why=no", damaged)
        self.assertRegex(said, PREFIX)
        if whole and status == 0:
            self.assertEqual(out, self.replay[1])
        else:
            self.assertIn(status, (1, 2), (bit, said))

    def test_everything_before_the_cut_is_salvaged(self):
        damaged, before = self.path / "damaged.wwt", 0
        for cut in self.cuts():
            damaged.write_bytes(self.trace[:cut])
            status, _, said = tool("trace", "validate", "--salvage", damaged)
            if cut < 16:
                self.assertEqual(status, 2)
                continue
            self.assertEqual(status, 0, (cut, said))
            found = PREFIX.search(said)
            self.assertTrue(found, (cut, said))
            self.assertGreaterEqual(int(found[1]), before)
            before = int(found[1])
            self.check_replayed(damaged, cut)
        self.assertGreater(before, 0)

    def check_replayed(self, damaged, cut):
        """A prefix without the launch is not a job; a longer one ends where it was cut, and the report says so."""
        status, out, said = tool("replay", "--salvage", "--why=no", damaged)
        self.assertRegex(said, PREFIX)
        self.assertIn(status, (0, 1, 2), (cut, said))
        if status == 2:
            self.assertEqual(out, "")
            self.assertRegex(said, r"has no (launch|program|meta)|does not say what was run")
        else:
            self.assertIn("kernel         wild", out)
            self.assertTrue(status == 0 or re.search(r"\d+ warps? ends? where the recording was cut off", said), said)

    def test_warps_of_a_prefix_do_not_wait_for_warps_that_ended(self):
        (self.path / "meet.wws").write_text(MEETING)
        command = [str(self.path / "meet.wws"), *self.command("meet.wwt", 200)[2:]]
        status, _, said = tool("run", *command)
        self.assertEqual(status, 0, said)
        trace, damaged, ended = (self.path / "meet.wwt").read_bytes(), self.path / "damaged.wwt", 0
        for cut in blocks(trace)[:-1]:
            damaged.write_bytes(trace[:cut])
            status, _, said = tool("replay", "--salvage", damaged)
            self.assertNotIn("deadlock", said)
            ended += " warps end where the recording was cut off" in said
        self.assertGreater(ended, 3)

    def test_a_slice_of_a_prefix_is_a_complete_trace(self):
        damaged, out = self.path / "damaged.wwt", self.path / "saved.wwt"
        damaged.write_bytes(self.trace[:self.blocks[-4]])
        status, _, said = tool("trace", "slice", "--salvage", damaged, "-o", out)
        self.assertEqual(status, 0, said)
        self.assertEqual(tool("trace", "validate", out), (0, "", ""))

    def check_prefix(self, path, what):
        """An unfinished recording is not a complete trace, but is valid up to its last block."""
        self.assertEqual(tool("trace", "validate", path)[0], 2, what)
        status, _, said = tool("trace", "validate", "--salvage", path)
        self.assertEqual(status, 0, (what, said))
        return int(PREFIX.search(said)[1])

    def left_over(self, name):
        """The file under this name, or the temporary one that was to replace it."""
        return sorted(file.name for file in self.path.iterdir() if name in file.name)

    def written(self, name):
        """The bytes that a recorder has written to its temporary file."""
        return max((file.stat().st_size for file in self.path.glob(f".{name}.??????")), default=0)

    def test_a_file_size_limit_is_reported_and_the_old_file_stays(self):
        (self.path / "limited.wwt").write_bytes(b"as it was")
        for limit in (len(self.trace) // 2, len(self.trace) - 5, self.blocks[1], 1000, 20):
            def restrict(limit=limit):
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
            status, _, said = self.record("limited.wwt", 60, preexec_fn=restrict)
            self.assertEqual(status, 2, (limit, said))
            self.assertRegex(said, r"^warpwait: --trace: [^\n]*limited.wwt: offset \d+: cannot be written: File too "
                                   r"large\n$")
            self.assertEqual(self.left_over("limited"), ["limited.wwt"])
            self.assertEqual((self.path / "limited.wwt").read_bytes(), b"as it was")

    def test_a_full_disk_is_reported(self):
        status, _, said = tool(*self.command("x", 60)[:-1], "/dev/full")
        self.assertEqual(status, 2)
        self.assertRegex(said, r"^warpwait: --trace: /dev/full: [^\n]*No space left on device[^\n]*\n$")

    def test_a_killed_recorder_leaves_a_file_that_is_valid_up_to_its_last_block(self):
        generator, path, most = random.Random(2), self.path / "killed.wwt", 0
        path.write_bytes(b"as it was")
        for _ in range(KILLS):
            # Killed once so much is written: a moment says little about how far a recorder has come.
            enough = generator.randrange(8 * self.blocks[-1])
            with subprocess.Popen([WARPWAIT, *map(str, self.command("killed.wwt", 100000))]) as recorder:
                while recorder.poll() is None and self.written("killed.wwt") < enough:
                    time.sleep(0.001)
                self.assertIsNone(recorder.poll(), "the recorder ended before it was killed")
                recorder.send_signal(signal.SIGKILL)
            self.assertEqual(path.read_bytes(), b"as it was")
            for beside in self.path.glob(".killed.wwt.??????"):
                if beside.stat().st_size > 16:
                    most = max(most, self.check_prefix(beside, "killed"))
                beside.unlink()
        self.assertGreater(most, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=FLIPS)
    parser.add_argument("--kills", type=int, default=KILLS)
    options, rest = parser.parse_known_args()
    FLIPS, KILLS = options.flips, options.kills
    unittest.main(argv=sys.argv[:1] + rest, verbosity=0)
