#!/usr/bin/env python3
"""A reader of trace text, written from docs/trace-text.md alone, compared with the output of `trace convert`."""
import base64
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
sys.dont_write_bytecode = True
import warpwait.trace  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
MODULO = 1 << 64
WORD = re.compile(r'\s*(?:#.*|("(?:[^"\\]|\\.)*")|([^\s#=]+)(=)?(\[[^]]*\]|[^\s#]*)|)')


def number(word):
    return int(word, 0) % MODULO


def string(word):
    """The bytes of a string."""
    escapes = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}
    return re.sub(rb"\\(x[0-9a-fA-F]{2}|.)", lambda m: escapes.get(m[1]) or bytes([int(m[1][1:], 16)]),
                  word[1:-1].encode())


def words_of(line):
    """Splits a line into strings, bare words, and (name, value)."""
    found, at = [], 0
    while at < len(line):
        match = WORD.match(line, at)
        if not match[0] or match.end() == at:
            break
        at = match.end()
        if match[1] is not None:
            found.append(match[1])
        elif match[2] is not None:
            found.append((match[2], match[4]) if match[3] else match[2] + match[4])
    return found


def total(text, **names):
    """A sum of numbers and multiples."""
    result = 0
    for sign, first, name in re.findall(r"([+-]?)(\w+)(?:\*(\w+))?", text):
        result += (-1 if sign == "-" else 1) * number(first) * (names[name] if name else 1)
    return result % MODULO


def listed(text):
    values = []
    for element in text[1:-1].split():
        first, sign, step, times = re.fullmatch(r"(-?\w+)(?:([+-])(\w+))?(?:\*(\w+))?", element).groups()
        step = (-1 if sign == "-" else 1) * number(step) if step else 0
        values += [(number(first) + i * step) % MODULO for i in range(number(times) if times else 1)]
    return values


class Text:
    """metas: name -> bytes; programs: lists of kinds; launches; streams: (launch, group, warp) -> operations as lines."""

    def __init__(self, text, schema):
        self.kinds = {kind.name: kind for kind in schema.kinds}
        self.flags = schema.flags
        self.metas, self.programs, self.launches, self.streams = {}, [], [], {}
        self.ended, self.last = {}, (0, -1)  # the default group
        lines = text.split("\n")
        assert lines[0] == "wwtt 1"
        self.lines = iter(lines[1:])
        section = []  # the lines of the current group
        for line in self.lines:
            words = words_of(line)
            if words and words[0] in ("meta", "program", "launch", "group"):
                self.finish(section)
                section = []
                getattr(self, words[0])(words, section)
            elif words:
                section.append(words)
        self.finish(section)

    def block(self):
        return [re.sub("^ {1,2}", "", line) for line in itertools.takewhile(lambda line: line != "}", self.lines)]

    def meta(self, words, _):
        name = words[1] if words[1][0] != '"' else string(words[1]).decode()
        if words[2][0] == '"':
            self.metas[name] = string(words[2])
            return
        lines = self.block()
        text = "".join(line + "\n" for line in lines)
        self.metas[name] = {"text": text.encode, "base64": lambda: base64.b64decode(text),
                            "json": lambda: json.dumps(json.loads(text), separators=(",", ":")).encode(),
                            "assembly": lambda: None}[words[2]]()

    def program(self, _words, _):
        words = " ".join(line.partition("#")[0] for line in self.block()).split()
        self.programs.append([kind for word in words for kind in
                              [word.partition("*")[0]] * number(word.partition("*")[2] or "1")])

    def launch(self, words, _):
        self.launches.append({"program": len(self.programs) - 1, "lanes": 32, "groups": 1, "warps": 1} |
                             {name: number(value) for name, value in words[1:]})
        self.last = (len(self.launches) - 1, -1)

    def group(self, words, section):
        said = dict(word for word in words if isinstance(word, tuple))
        ranges = [word for word in words[1:] if isinstance(word, str) and word[0].isdigit()]
        launch = number(said.get("launch", str(self.last[0])))
        following = self.last[1] + 1 if launch == self.last[0] else 0
        first, _, last = (ranges or [str(following)])[0].partition("..")
        groups = range(number(first), number(last or first) + 1)
        self.last = (launch, groups[0] - 1 if "more" in words else groups[-1])
        section.append((launch, groups))

    def finish(self, section):
        if not section:
            return
        launch, groups = section[0]
        for group in groups:
            at = 1
            while at < len(section):
                end = next((i for i in range(at + 1, len(section)) if section[i][0] == "warp"), len(section))
                first, _, last = section[at][1].partition("..")
                for warp in range(number(first), number(last or first) + 1):
                    self.run_warp(launch, group, warp, section[at + 1:end])
                at = end

    def run_warp(self, launch, group, warp, lines):
        operations = []
        self.mask = (1 << self.launches[launch]["lanes"]) - 1
        self.run(lines, self.masks(lines), (), (launch, group, warp), operations)
        for operation, after in itertools.zip_longest(operations, operations[1:]):
            if after:
                operation["next"] = after["pc"]
        self.streams.setdefault((launch, group, warp), []).extend(operations)

    def masks(self, lines):
        """The mask of each line: its own, or the previous line's."""
        found = []
        for words in lines:
            self.mask = number(dict(word for word in words if isinstance(word, tuple)).get("mask", str(self.mask)))
            found.append(self.mask)
        return found

    def run(self, lines, masks, turns, where, operations):
        at = 0
        while at < len(lines):
            words = lines[at]
            at += 1
            if words[0] == "note":
                operations[-1]["notes"].append(words[1:])
            elif words[0] == "repeat":
                depth, start = 1, at
                while depth:
                    depth += (lines[at][0] == "repeat") - (lines[at][0] == "}")
                    at += 1
                for turn in range(number(words[1])):
                    self.run(lines[start:at - 1], masks[start:at - 1], (turn, *turns), where, operations)
            else:
                operations.append(self.operation(words, masks[at - 1], turns, where))

    def operation(self, words, mask, turns, where):
        launch, group, warp = where
        pc = number(words[0])
        kind = self.kinds[self.programs[self.launches[launch]["program"]][pc]]
        said, flags, steps = {}, [], {}
        at = 1
        while at < len(words):
            if words[at] == "step":
                steps.setdefault(name, []).append(number(words[at + 1]))
                at += 1
            elif isinstance(words[at], tuple):
                name = words[at][0]
                said[name] = words[at][1]
            else:
                flags.append(words[at])
            at += 1
        more = {name: sum(step * turn for step, turn in zip(steps[name], turns)) for name in steps}
        names = {"warp": warp, "group": group}
        fields = {name: (total(said.get(name, "0"), **names) + more.get(name, 0)) % MODULO for name in kind.fields}
        lanes = [lane for lane in range(64) if mask >> lane & 1]
        if kind.vectors:
            lanes = [lane for lane in lanes if not fields[kind.fields[0]] >> lane & 1]
        values = {}
        for name in kind.vectors if lanes else []:
            text = said[name]
            base = listed(text) if text[0] == "[" else [total(text, lane=lane, **names) for lane in lanes]
            values[name] = {lane: (value + more.get(name, 0)) % MODULO for lane, value in zip(lanes, base, strict=True)}
        return {"pc": pc, "next": number(said.get("next", str(pc + 1))), "mask": mask, "kind": kind.name,
                "flags": [flag for flag in self.flags if flag in flags], "fields": fields if mask else {},
                "values": values, "notes": []}


def note_of(words):
    text = [string(word) for word in words if word[0] == '"']
    return words[0], [number(word) for word in words[1:] if word[0] != '"'], text[0] if text else b""


class TextOfTraces(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def warpwait(self, *arguments):
        subprocess.run([WARPWAIT, *map(str, arguments)], stdout=subprocess.DEVNULL, check=True)

    def expect_same(self, text, trace):
        """The text describes what the trace contains."""
        read = Text(text.read_text(errors="surrogateescape"), trace.schema)
        self.assertEqual(read.programs, [[kind.name for kind in program] for program in trace.programs])
        for name, meta in read.metas.items():
            self.assertIn(meta, (None, trace.metas[name]))
        found = 0
        for (launch, group, warp), stream in read.streams.items():
            operations = list(trace.operations(launch, group, warp))
            self.assertEqual(len(stream), len(operations))
            for ours, theirs in zip(stream, operations):
                self.assertEqual({**ours, "notes": [note_of(note) for note in ours["notes"]]},
                                 {"pc": theirs.pc, "next": theirs.next, "mask": theirs.mask, "kind": theirs.kind,
                                  "flags": theirs.flags, "fields": theirs.fields, "values": theirs.values,
                                  "notes": [(note.kind, list(note.values), note.text) for note in theirs.notes]})
                found += 1
        self.assertGreater(found, 0)
        return found

    def test_text_from_convert_means_the_same_as_its_trace(self):
        for example in ("07_strided_gather/launch.json", "13_pipe/launch_opencl.json"):
            trace, text = self.path / "t.wwt", self.path / "t.wwtt"
            self.warpwait("run", ROOT / "examples" / example, "--trace", trace)
            self.warpwait("trace", "convert", trace, text)
            with warpwait.trace.open(trace) as opened:
                self.expect_same(text, opened)

    def test_handwritten_text_means_the_same_as_its_converted_trace(self):
        text, trace = ROOT / "tests/fuzz/seeds/fuzz_trace_text/kinds", self.path / "t.wwt"
        self.warpwait("trace", "convert", text, trace)
        with warpwait.trace.open(trace) as opened:
            self.assertEqual(self.expect_same(text, opened), 16)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=0)
