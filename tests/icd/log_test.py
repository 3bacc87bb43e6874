#!/usr/bin/env python3
"""Damaged and hostile logs: `warpwait exec --log` reports from each, or refuses it in one line.

usage: tests/icd/log_test.py [--count N] [--seed N]   default: 1,000 damaged logs from seed 1"""
import argparse
import contextlib
import html.parser
import importlib.machinery
import importlib.util
import io
import itertools
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).resolve()
COUNT, SEED = 1000, 1

KERNEL = {"command": "kernel", "pid": 7, "device": 0, "queue": 1, "times": [0, 1000, 2000, 2130], "machine": "teaching", "part": "compute",
          "kernel": "saxpy", "global": [64], "local": [64], "cycles": 130.0, "overhead": 30, "checked": True,
          "bound": "Bound by DRAM latency: it costs most.", "hazards": 1}
LOG = [KERNEL,
       {"hazard": "M1-access-out-of-bounds", "line": 7, "count": 1, "kernel": "saxpy", "message": "too far", "detail": "byte 256", "file": "kernel.cl",
        "caller": ["/home/you/program", 4660]},
       {"report": "kernel  saxpy\ncycles  130\n", "values": {"launches": [{"kernel": "saxpy", "cycles": 130}]}, "kernel": "saxpy", "machine": "teaching"},
       {**KERNEL, "times": [1000, 2000, 3000, 3000], "global": [0, 4], "cycles": 0.0, "hazards": 0, "functional": False},
       {"command": "read", "pid": 7, "device": 0, "queue": 1, "times": [2000, 3000, 4000, 4400], "machine": "teaching", "part": "to host", "bytes": 512},
       {"failure": "kernel", "pid": 7, "device": 0, "queue": 1, "error": "CL_OUT_OF_RESOURCES", "machine": "teaching", "reason": "too large",
        "kernel": "saxpy"},
       {"command": "marker", "pid": 7, "device": 0, "queue": 2, "times": [2000, 3000, 4000, 4000], "machine": "teaching", "error": -5}]

# Values for any field. A text in <> is written as it is, because json.dumps() makes no such JSON.
VALUES = [None, True, False, 0, -1, 1, 1.5, -0.5, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**400, 1e308, "", "kernel", "0", [], [1], [1, 2, 3, 4],
          [4, 3, 2, 1], [0, 0, 0, 2**63 - 1], [-1, 0, 0, 0], [None], ["a", "b"], ["a", -1], {}, {"a": 1}, "\ud800", "\udcff", "\0", "a\nb", "a\r\tb",
          "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg", "\x1b]0;owned\x07\x1b[2J\x7f\x9b31m", "</script><script>hacked = 1</script>", "\" onload=\"hacked = 1",
          "<img src=x>", "javascript:hacked", "../../../../etc/passwd", "/etc/passwd", "-rf", "x" * 5000, "\u00e9\U0001f600" * 150,
          "<NaN>", "<-Infinity>", "<1e999>", "<" + "1" * 5000 + ">", "<" + "[" * 100 + "]" * 100 + ">", "<" + "[" * 10**5 + "]" * 10**5 + ">",
          "<" + '{"a":' * 900 + "1" + "}" * 900 + ">"]
TAGS = set("html meta title style h1 h2 p div table tr th td a ul li span i".split())


def in_json(value):
    return value[1:-1] if isinstance(value, str) and value.startswith("<") and value[1:2] in "N-1[{" else json.dumps(value)


def line_of(pairs):
    return ("{" + ",".join(f"{json.dumps(key)}:{in_json(value)}" for key, value in pairs) + "}\n").encode()


def with_value(pairs, key, value):
    return [(other, value if other == key else old) for other, old in pairs]


def each_field():
    """Logs in which one field is missing, appears twice, or has one of the values."""
    for number, line in enumerate(LOG):
        pairs = list(line.items())
        for key, old in pairs:
            changed = [[pair for pair in pairs if pair[0] != key], [*pairs, (key, old)], *(with_value(pairs, key, value) for value in VALUES)]
            for other in changed:
                yield b"".join(line_of(other if at == number else row.items()) for at, row in enumerate(LOG))


def at_random(seed):
    """Logs with several damages, also of bytes and lines."""
    rng = random.Random(seed)
    while True:
        lines = [list(line.items()) for line in rng.choices(LOG, k=rng.randint(1, 8))]
        for _ in range(rng.randint(0, 2)):
            at = rng.randrange(len(lines))
            lines[at] = with_value(lines[at], rng.choice(lines[at])[0], rng.choice(VALUES[:-7]))
        log = bytearray(b"".join(map(line_of, lines)))
        for _ in range(rng.choice([0, 0, 1, 3])):
            at = rng.randrange(len(log))
            log[at:at + rng.choice([0, 1, 1, 30])] = rng.choice([b"", b"\n", b"\0", b"\xff", b"\xed\xa0\x80", b"\r", b"[", b"}", b"\xe2\x80\xa8", bytes([rng.randrange(256)])])
        yield bytes(log[:rng.choice([len(log), len(log), rng.randint(0, len(log))])])


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Tags(html.parser.HTMLParser):
    """The tags and attributes of a page, and the places of its links."""
    def __init__(self, text):
        super().__init__()
        self.tags, self.keys, self.links = set(), set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.keys.update(key for key, _ in attrs)
        self.links += [value for key, value in attrs if key == "href"]


def loaded():
    """`exec` as a module, because thousands of processes would take minutes."""
    path = str(ROOT / "bindings/icd/warpwait-exec")
    loader = importlib.machinery.SourceFileLoader("warpwait_exec", path)
    with unittest.mock.patch.object(sys, "dont_write_bytecode", True):
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("warpwait_exec", loader))
        loader.exec_module(module)
    return module


def no_constant(word):
    raise ValueError(word)


class Logs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.exec = loaded()
        cls.holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.folder = pathlib.Path(cls.holder.name)
        cls.log = cls.folder / "log"
        (cls.folder / "page").mkdir()
        (cls.folder / "page/saxpy-0.html").touch()

    def report(self, log, *options):
        """The exit status and what a terminal gets."""
        self.log.write_bytes(log)
        said = Terminal()
        with unittest.mock.patch.object(sys, "argv", ["exec", "--log", str(self.log), *options]), contextlib.redirect_stderr(said):
            try:
                self.exec.main()
            except SystemExit as ended:
                return int(ended.code or 0), said.getvalue()
        raise AssertionError("the command does not end")

    def check_reported(self, log):
        """Whether the log is refused. Everything that is written can be read by others, and runs nothing."""
        status, said = self.report(log, "-r", "text", "--html", str(self.folder / "page"), "--timeline", str(self.folder / "timeline"))
        self.assertNotRegex(said, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        if status:
            self.assertEqual(status, 2)
            self.assertRegex(said, re.escape(f"warpwait: {self.log}:") + r"\d+: [^\n]+\n\Z")
            return True
        json.loads((self.folder / "timeline").read_text(), parse_constant=no_constant)
        page = Tags((self.folder / "page/index.html").read_text())
        self.assertLessEqual(page.tags, TAGS)
        self.assertLessEqual(page.keys, {"lang", "charset", "name", "content", "class", "style", "title", "href"})
        self.assertLessEqual(set(page.links), {"saxpy-0.html"})
        self.assertEqual(self.report(log, "-r", "json", "--out", str(self.folder / "out")), (0, ""))
        json.loads((self.folder / "out").read_text(), parse_constant=no_constant)
        return False

    def test_each_damaged_field_is_reported_or_refused_in_one_line(self):
        refused = sum(self.check_reported(log) for log in each_field())
        self.assertGreater(refused, 1000)

    def test_logs_with_random_damage_are_reported_or_refused_in_one_line(self):
        for number, log in enumerate(itertools.islice(at_random(SEED), COUNT)):
            with self.subTest(seed=SEED, number=number):
                self.check_reported(log)

    def test_diff_compares_damaged_logs_or_refuses_them_in_one_line(self):
        report = subprocess.run([WARPWAIT, "run", ROOT / "examples/01_seed/launch.json", "--report", "json"], capture_output=True, text=True, check=True)
        values = json.loads(report.stdout)
        values["launches"][0]["kernel"] = LOG[2]["kernel"]
        whole, damaged = self.folder / "whole", self.folder / "damaged"
        with unittest.mock.patch.dict(LOG[2], {"values": values}):
            whole.write_bytes(b"".join(line_of(line.items()) for line in LOG))
            outcomes = set()
            for log in itertools.chain(itertools.islice(each_field(), 0, None, 12), itertools.islice(at_random(SEED), COUNT // 10)):
                damaged.write_bytes(log)
                done = subprocess.run([WARPWAIT, "diff", whole, damaged, "--report", "json"], capture_output=True, check=False)
                outcomes.add(done.returncode)
                if done.returncode == 2:
                    self.assertRegex(done.stderr, rb"\Awarpwait: [^\n]*damaged[^\n]+\n\Z")
                else:
                    json.loads(done.stdout, parse_constant=no_constant)
        self.assertEqual(outcomes, {0, 1, 2})

    def test_the_line_names_the_field_its_value_and_what_is_legal(self):
        for change, said in (({"device": -1}, "2: device: -1: must be a whole number in [0, 9223372036854775807]"),
                             ({"command": "<script>"}, '2: command: "<script>": must be one of kernel, read, write, copy, fill, map, unmap, '
                                                       "migrate, free, marker, barrier"),
                             ({"times": [3, 2, 1, 0]}, "2: times: [3, 2, 1, 0]: must be a list of four whole numbers, none smaller than the one "
                                                       "before it"),
                             ({"kernel": "\ud800"}, '2: kernel: "\\ud800": must be a text')):
            log = line_of(KERNEL.items()) + line_of({**KERNEL, **change}.items())
            self.assertEqual(self.report(log), (2, f"warpwait: {self.log}:{said}\n"))
        missing = line_of((key, value) for key, value in KERNEL.items() if key != "times")
        self.assertIn(":1: times: is missing; it must be a list of four", self.report(missing)[1])

    def test_a_log_makes_no_program_read_the_files_that_it_names(self):
        with unittest.mock.patch.object(self.exec.subprocess, "run", side_effect=AssertionError):
            self.assertIn("enqueued at program+0x1234", self.report(b"".join(line_of(line.items()) for line in LOG))[1])

    def test_lines_end_at_line_feeds_alone(self):
        for mark in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029":
            line = json.dumps({**LOG[2], "report": f"a{mark}b\n"}, ensure_ascii=ord(mark) < 32).encode() + b"\n"
            self.log.write_bytes(line_of(KERNEL.items()) + line)
            done = subprocess.run([WARPWAIT, "exec", "--log", self.log], capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr.endswith(f"a{mark}b\n".encode())), (0, True), done.stderr)

    def test_the_time_for_a_log_grows_like_its_size(self):
        """All commands overlap, so each has its own row of the timeline: a search through the rows would take minutes."""
        lines = (line_of({**LOG[4], "times": [0, 0, 10**6 + number, 10**9]}.items()) for number in range(50000))
        self.assertEqual(self.report(b"".join(lines), "--timeline", str(self.folder / "timeline"))[0], 0)

    def test_endless_files_and_folders_are_refused(self):
        for path, said in (("/dev/zero", "/dev/zero:1: is longer than 268,435,456 bytes"), (self.folder, f"{self.folder}: Is a directory"),
                           ("/no/log", "/no/log: No such file or directory")):
            done = subprocess.run([WARPWAIT, "exec", "--log", path], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (2, f"warpwait: {said}\n"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=COUNT, help="damaged logs (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=SEED, help="of the damage (default: %(default)s)")
    given, rest = parser.parse_known_args()
    COUNT, SEED = given.count, given.seed
    unittest.main(argv=[sys.argv[0], *rest])
