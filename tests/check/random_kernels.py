#!/usr/bin/env python3
"""Random small kernels: `warpwait check` and tests/check/reference.py must find the same hazards in them.

usage: tests/check/random_kernels.py [--count N] [--seed S] [--language assembly|opencl] [--jobs J] [--keep DIR]
       tests/check/random_kernels.py --show --seed S      prints a kernel

Kernel number S is made from seed S, in assembly, and every fifth one in OpenCL C. About half of them have no race by
construction. If the two disagree, the kernel is shrunk and kept in DIR (build/check), as SEED.wws or SEED.cl with
its launch file."""
import argparse
import collections
import concurrent.futures
import copy as copies
import dataclasses
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import reference
from kernel import GUARDS, GROUP_BYTES, INDICES, RENDERERS, SLOTS, Barrier, Branch, Copy, Kernel, Loop, Touch, Wait

ATOMICS = ("atom", "atomic_load", "atomic_store")
EITHER_WAY = ("M5", "M6", "X9")  # rules in which either side may be reported first


# ---- kernels ----------------------------------------------------------------------------------

class Generator:
    """A tree made from a seed. `safe` kernels wait, and meet at a barrier with both fences, between any two
    statements."""

    def __init__(self, seed, language):
        self.random = random.Random(f"{language} {seed}")
        self.language = language
        self.safe = self.random.random() < 0.5
        self.care = self.random.choice((0.1, 0.3, 0.7))  # how often the other accesses do the same
        self.groups = self.random.choice((1, 1, 1, 2, 3))
        # The reference does not know what atomic operations and fences hand over.
        self.atomics = self.random.random() < 0.6
        self.hands_over = self.atomics and self.groups > 1 and not self.safe

    def pick(self, values):
        return self.random.choice(values)

    def chance(self, part):
        return self.random.random() < part

    def kernel(self):
        warp_size = self.pick((16, 16, 32))
        items = self.pick((1, 5, 16, 16, 20, 32, 48) if warp_size == 16 else (32, 40, 48))
        body = []
        if self.safe or self.chance(0.7):
            body = [Copy(True, "plain", 0, 4, 256, 1, 1, (1, 1, 1, 1), "g", 0, 0), Wait([0], "all")]
        body += self.block(self.random.randint(3, 14), False)
        return Kernel(items, self.groups, warp_size, body)

    def block(self, count, looped):
        nodes = []
        for _ in range(count):
            if nodes and (self.safe or self.chance(self.care)):
                nodes += self.meeting()
            nodes += self.statement(looped)
        return nodes + (self.meeting() if self.safe and looped else [])

    def meeting(self):
        form = self.pick(("all", "twice", "parts"))
        return [Wait(self.random.sample(range(SLOTS), SLOTS), form), Barrier("bar", "lds" if self.hands_over else "all")]

    def statement(self, looped):
        kind = self.random.random()
        if kind < 0.45:
            return [self.touch()]
        if kind < 0.70:
            return self.some_copies()
        if self.safe and kind < 0.80:
            return [self.touch()]
        if kind < 0.78:
            slots = self.random.sample(range(SLOTS), self.random.randint(1, 3))
            return [Wait(slots, self.pick(("all", "twice", "parts", "first")))]
        if kind < 0.88:
            return [self.barrier()]
        if kind < 0.93:
            return [self.branch()]
        if looped:
            return [self.touch()]
        return [Loop(self.random.randint(2, 3), self.chance(0.6), self.block(self.random.randint(1, 3), True))]

    def barrier(self):
        kind = self.pick(("bar", "bar", "copy.fence") + ("bar.warp",) * (self.language == "assembly" and not self.atomics))
        if kind == "bar":
            return Barrier(kind, self.pick(("", "lds") if self.hands_over else ("", "lds", "global", "all")))
        return Barrier(kind, self.pick(("lds", "global", "all")))

    def branch(self):
        sides = [[self.touch() for _ in range(self.random.randint(0, 2))] for _ in range(2)]
        return Branch(self.pick(sorted(GUARDS)), *(sides if not self.safe else [[], sides[1][:1]]))

    def touch(self):
        space = self.pick(("lds", "lds", "lds", "g", "h"))
        what = self.pick(("load", "load", "store", "store") + ATOMICS[:self.random.randint(1, 3) if self.atomics else 0])
        size = self.pick((4,) if self.language == "opencl" else (4, 8)) if what in ATOMICS else self.pick((1, 2, 4, 4, 4, 8, 16))
        index = self.pick(sorted(INDICES))
        if space == "lds" and index == "grid":
            index = "own"
        base, guard = size * self.random.randint(0, 64 // size), self.pick(["", "", "", *sorted(GUARDS)])
        touch = Touch(what, space, size, index, base, guard, self.chance(0.5))
        return self.made_safe(touch) if self.safe else touch

    def made_safe(self, touch):
        """Work-items do not touch each other's data. In global memory, groups write h, at the index in the NDRange, and
        read g."""
        if touch.what == "store" and touch.index in ("same", "half") and touch.guard not in ("first", "last"):
            touch.index = "own"
        if touch.space != "lds" and self.groups > 1:
            touch.space = "g" if touch.what == "load" else "h"
            if touch.space == "h":
                touch.index, touch.size, touch.base, touch.turns = "grid", 4, 0, False
        return touch

    def some_copies(self):
        return [self.copy(slot) for slot in self.random.sample(range(SLOTS), 1 if self.safe else self.pick((1, 1, 2)))]

    def copy(self, slot):
        form = self.pick(("plain", "plain", "strided", "2d", "3d"))
        size = self.pick((1, 2, 4, 4, 8, 16))
        elements = self.random.randint(1, 12)
        lines = self.random.randint(1, 3) if form in ("2d", "3d") else 1
        planes = self.random.randint(1, 2) if form == "3d" else 1
        if size * elements * lines * planes > 128:
            size = 4 if elements * lines * planes <= 32 else 1
        pitch = [elements + self.random.randint(0, 4) for _ in range(2)]
        if form == "strided":
            pitch = [self.random.randint(1, 4), 1]
        plane = [lines * line + self.random.randint(0, 4) for line in pitch]
        align = size if form in ("plain", "strided") else 1
        place, lds = (align * self.random.randint(0, 96 // align) for _ in range(2))
        copy = Copy(self.chance(0.6), form, slot, size, elements, lines, planes, (*pitch, *plane), self.pick("gh"), place,
                    lds, self.chance(0.4), self.chance(0.5))
        if self.safe and self.groups > 1:
            copy.buffer, copy.by_group = ("g", self.chance(0.5)) if copy.to_lds else ("h", True)
            if not copy.to_lds:  # after what work-items write there, in the group's own bytes
                return self.own_bytes(copy)
        return copy

    @staticmethod
    def own_bytes(copy):
        copy.form, copy.lines, copy.planes, copy.turns, copy.place, copy.lds = "plain", 1, 1, False, 1024, 0
        assert copy.elements * copy.size <= GROUP_BYTES
        return copy


def language_of(seed, wanted=None):
    return wanted or ("opencl" if seed % 5 == 4 else "assembly")


# ---- the two answers ----------------------------------------------------------------------------

def run(*words):
    done = subprocess.run([reference.WARPWAIT, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def set_down(kernel, language, folder, name="kernel"):
    """Writes program and launch file, and returns the launch file's path."""
    renderer = RENDERERS[language]()
    program, launch = folder / (name + renderer.suffix), folder / (name + ".json")
    program.write_text(renderer.text(kernel))
    launch.write_text(json.dumps(kernel.launch(program.name), indent=1) + "\n")
    return launch


def same_sides(hazards):
    """If either side may come first, puts the smaller line first: a higher pc need not be a higher line."""
    return {(rule, *sorted(lines)) if rule in EITHER_WAY else (rule, *lines) for rule, *lines in hazards}


def by_reference(launch, folder):
    trace = folder / "kernel.wwt"
    status, _, errors = run("run", launch, "-q", "--why=no", "--trace", trace)
    if status:
        raise SystemExit(f"random_kernels: {launch}: {errors}")
    found, = reference.hazards_of(trace)
    return same_sides(found.sure), same_sides(found.doubtful)


def by_check(launch, *options):
    """The hazards that `warpwait check` reports, or its output if that is not a report."""
    status, output, errors = run("check", launch, "--report", "json", "--max-hazards", 1000000, *options)
    try:
        hazards = json.loads(output)["hazards"]
    except (ValueError, KeyError):
        return {("exit status", status, errors.strip())}
    if status != bool(hazards):
        return {("exit status", status, errors.strip())}
    return same_sides((hazard["rule"].partition("-")[0], hazard["line"], (hazard.get("other") or {}).get("line"))
                      for hazard in hazards)


@dataclasses.dataclass
class Answers:
    sure: set
    doubtful: set
    found: set

    def differ(self):
        return self.missing() or self.extra()

    def missing(self):
        return self.sure - self.found

    def extra(self):
        return self.found - self.sure - self.doubtful


def answers(kernel, language):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        launch = set_down(kernel, language, folder)
        return Answers(*by_reference(launch, folder), by_check(launch))


# ---- smaller ones -----------------------------------------------------------------------------

def smaller(kernel):
    """Smaller variants of the kernel, the largest reductions first."""
    for groups in range(1, kernel.groups):
        yield dataclasses.replace(kernel, groups=groups)
    for items in (1, 2, 16):
        if items < kernel.items:
            yield dataclasses.replace(kernel, items=items)
    for body in smaller_body(kernel.body):
        yield dataclasses.replace(kernel, body=body)


def smaller_body(body):
    for i, node in enumerate(body):
        yield body[:i] + body[i + 1:]
        if isinstance(node, (Loop, Branch)):
            inside = node.body if isinstance(node, Loop) else node.then + node.otherwise
            yield body[:i] + inside + body[i + 1:]
        if isinstance(node, Loop):
            for inner in smaller_body(node.body):
                yield body[:i] + [dataclasses.replace(node, body=inner)] + body[i + 1:]
        if isinstance(node, Touch) and (node.guard or node.turns):
            yield body[:i] + [dataclasses.replace(node, guard="", turns=False)] + body[i + 1:]


def shrunk(kernel, language, kinds):
    """The smallest kernel reachable by steps that each keep a difference of one of these kinds."""
    def still(other):
        try:
            return kinds & kinds_of(answers(other, language))
        except (SystemExit, AssertionError):
            return False
    while True:
        for other in smaller(copies.deepcopy(kernel)):
            if still(other):
                kernel = other
                break
        else:
            return kernel


def kinds_of(given):
    return {("missing", hazard[0]) for hazard in given.missing()} | {("extra", hazard[0]) for hazard in given.extra()}


# ---- all of them ------------------------------------------------------------------------------

def one(seed, wanted, keep):
    """(seed, rules found, what differs)"""
    language = language_of(seed, wanted)
    kernel = Generator(seed, language).kernel()
    given = answers(kernel, language)
    rules = sorted({hazard[0] for hazard in given.sure})
    if not given.differ():
        return seed, rules, ""
    small = shrunk(kernel, language, kinds_of(given))
    keep.mkdir(parents=True, exist_ok=True)
    launch = set_down(small, language, keep, str(seed))
    given = answers(small, language)
    text = launch.with_suffix(RENDERERS[language].suffix).read_text()
    return seed, rules, (f"seed {seed}: {launch}: missing {sorted(given.missing(), key=str)}, "
                         f"not known to the reference {sorted(given.extra(), key=str)}\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="Exit status: 0 all agree; 1 some do not.")
    parser.add_argument("--count", type=int, default=60, help="kernels (60)")
    parser.add_argument("--seed", type=int, default=1, help="of the first of them (1)")
    parser.add_argument("--language", choices=sorted(RENDERERS), help="all in one language")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at once")
    parser.add_argument("--keep", type=pathlib.Path, default=reference.ROOT / "build/check", help="folder for those that differ")
    parser.add_argument("--show", action="store_true", help="print the first kernel, and run nothing")
    arguments = parser.parse_args()
    if arguments.show:
        language = language_of(arguments.seed, arguments.language)
        print(RENDERERS[language]().text(Generator(arguments.seed, language).kernel()), end="")
        return 0
    seeds, rules, failed = range(arguments.seed, arguments.seed + arguments.count), collections.Counter(), 0
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        languages, folders = ([value] * arguments.count for value in (arguments.language, arguments.keep))
        for _, found, difference in pool.map(one, seeds, languages, folders):
            rules.update(found or ["none"])
            failed += bool(difference)
            if difference:
                print(difference, flush=True)
    print("kernels by rule: " + ", ".join(f"{rule} {rules[rule]}" for rule in ("none", *reference.RULES)))
    print(f"{arguments.count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
