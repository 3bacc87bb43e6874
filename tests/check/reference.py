#!/usr/bin/env python3
"""A second opinion on races: which accesses of a recorded run are unordered under the rules of OpenCL C.

usage: tests/check/reference.py TRACE.wwt

It is slow and obvious on purpose. It takes from a trace what every work-item and every copy accessed, forms every
pair that shares a byte, and decides what orders the pair. `warpwait check` has to find the same.

Rules: X5 to X9, X16, M5, M6 and M7. A hazard is (rule, pc here, pc of the other). Some hazards are doubtful. One is
whether the LDS was written before a read (M7) that races with the write. The other is what a checker may omit: if a
work-item's write of the LDS lacks the barrier before a copy, it lacks it before everything after that copy.

Not modeled: pipes, mbarriers, lane copies, and atomics that hand over data through fences."""
import argparse
import collections
import dataclasses
import itertools
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings/python"))
sys.dont_write_bytecode = True
import warpwait.trace  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
LDS, GLOBAL = "lds", "global"
FENCED = {"": (), "lds": (LDS,), "global": (GLOBAL,), "all": (LDS, GLOBAL)}
RULES = ("X5", "X6", "X7", "X8", "X9", "X16", "M5", "M6", "M7")


# ---- the program ------------------------------------------------------------------------------

class Program:
    """The instructions of a program: the operation and the source line at each pc."""

    def __init__(self, encoded):
        self.lines = self._lines(encoded)
        with tempfile.NamedTemporaryFile(suffix=".wwo") as file:
            file.write(encoded)
            file.flush()
            text = subprocess.run([WARPWAIT, "dis", "--assembly", file.name], capture_output=True, text=True, check=True).stdout
        self.operations = [found[1] for found in map(re.compile(r"(?:@!?p\d+)? +([\w.]+)").match, text.splitlines()) if found]
        assert len(self.operations) == len(self.lines), "an operation for each line number"

    @staticmethod
    def _lines(encoded):
        """The line numbers of an object file (isa/encode.c shows the format)."""
        at = 4

        def numbers(count):
            nonlocal at
            at += 4 * count
            return struct.unpack_from(f"<{count}I", encoded, at - 4 * count)

        def string():
            nonlocal at
            length, = numbers(1)
            at += length

        instructions, kernels, constants, variables, _ = numbers(5)
        string()
        for _ in range(kernels):
            string()
            for _ in range(numbers(11)[10]):
                string(), string()
                numbers(3)
            for _ in range(*numbers(1)):
                string()
                numbers(2)
            numbers(5)
        at += constants + variables
        for _ in range(*numbers(1)):
            string()
            numbers(3)
        at += 16 * instructions
        return numbers(instructions)


# ---- what was accessed ------------------------------------------------------------------------

@dataclasses.dataclass(eq=False)
class Access:
    """One lane's load, store or atomic operation."""
    group: int
    warp: int
    lane: int
    place: int  # in the warp's program order
    pc: int
    space: str
    first: int
    size: int
    reads: bool
    writes: bool
    atomic: bool
    epoch: int  # barriers that fence the space, passed by the warp
    step: int  # the same for the warp's own barriers


@dataclasses.dataclass(eq=False)
class Copy:
    """A copy of a work-group. Lists have one entry for each warp."""
    group: int
    pc: int
    reads: str  # the space
    writes: str
    touched: dict  # space -> elements
    fences: dict  # space -> copy fences passed at the call
    places: list
    epochs: list  # space -> barriers passed at the call
    waited: list  # place of the wait


@dataclasses.dataclass
class Group:
    accesses: list
    copies: list
    items: int


class WarpWalk:
    """Reads the operations of one warp and adds its accesses and copies to the group."""

    def __init__(self, program, group, number, warp):
        self.program, self.group, self.number, self.warp = program, group, number, warp
        self.epoch, self.step, self.fences = ({LDS: 0, GLOBAL: 0} for _ in range(3))
        self.calls = 0  # copies so far
        self.live, self.listed = collections.defaultdict(list), []

    def walk(self, operations):
        for place, operation in enumerate(operations):
            name = self.program.operations[operation.pc]
            if not operation.mask:
                continue
            if operation.kind == "access":
                self._access(place, operation, name)
            elif operation.kind == "copy":
                self._copy(place, operation)
            elif operation.kind == "wait":
                self._wait(place, operation.fields)
            elif operation.kind == "plain":
                self._barrier(name)
            elif operation.kind != "prefetch":
                raise SystemExit(f"reference: operations like {name} are not known here")

    def _barrier(self, name):
        found = re.fullmatch(r"(bar\.warp|bar|copy\.fence)\.?(|lds|global|all)", name)
        for space in FENCED[found[2]] if found else ():
            {"bar": self.epoch, "bar.warp": self.step, "copy.fence": self.fences}[found[1]][space] += 1

    def _access(self, place, operation, name):
        space = LDS if ".lds" in name else GLOBAL
        atomic = name.startswith("atom.") or ".atomic" in name
        reads, writes = not name.startswith("st."), not name.startswith("ld.")
        size = int(re.search(r"\d+$", name)[0]) // 8
        for lane, address in operation.values.get("address", {}).items():
            self.group.accesses.append(Access(self.number, self.warp, lane, place, operation.pc, space, address, size,
                                              reads, writes, atomic, self.epoch[space], self.step[space]))

    def _copy(self, place, operation):
        fields = operation.fields
        if self.calls == len(self.group.copies):
            sides = (GLOBAL, LDS) if fields["to_lds"] else (LDS, GLOBAL)
            touched = {space: elements_of(fields, space) for space in sides}
            self.group.copies.append(Copy(self.number, operation.pc, *sides, touched, dict(self.fences), [], [], []))
        copy = self.group.copies[self.calls]
        assert copy.pc == operation.pc and len(copy.places) == self.warp, "all warps make the same calls"
        self.calls += 1
        copy.places.append(place)
        copy.epochs.append(dict(self.epoch))
        copy.waited.append(None)
        self.live[fields["event"]].append(copy)

    def _wait(self, place, fields):
        self.listed += [fields["event" + str(i or "")] for i in range(fields["count"])]
        if not fields["more"]:
            for event in self.listed:
                for copy in self.live.pop(event, []):
                    copy.waited[self.warp] = place
            self.listed = []


def elements_of(fields, space):
    """(first byte, bytes) of each element that a copy accesses on one side; a null pointer moves nothing."""
    size = fields["element_bytes"]
    return [(fields[space] + size * (plane * fields[space + "_plane"] + line * fields[space + "_line"] + element), size)
            for plane in range(fields["planes"]) for line in range(fields["lines"])
            for element in range(fields["elements"]) if fields["global"]]


# ---- the rules --------------------------------------------------------------------------------

def item(access):
    return access.group, access.warp, access.lane


def ordered(a, b):
    """Whether two accesses of a work-group are ordered."""
    if item(a) == item(b) or a.epoch != b.epoch:
        return True
    return a.warp == b.warp and a.step != b.step


def item_pair(a, b):
    if not (a.writes or b.writes) or a.atomic and b.atomic or item(a) == item(b):
        return None
    if a.group == b.group and ordered(a, b):
        return None
    return "M5" if a.space == LDS else "M6", max(a.pc, b.pc), min(a.pc, b.pc)


def item_in_flight(access, copy, writes):
    """Whether the access comes between the copy's call and its wait, or belongs to another work-group. `writes`:
    whether the copy writes there."""
    if access.writes:
        return "X6" if writes else "X7", access.pc, copy.pc
    return ("X5", access.pc, copy.pc) if writes else None


def item_and_copy(access, copy, group):
    writes = copy.writes == access.space
    if access.group != copy.group:
        return item_in_flight(access, copy, writes)
    waited = copy.waited[access.warp]
    if access.place > copy.places[access.warp]:
        return item_in_flight(access, copy, writes) if waited is None or access.place < waited else None
    if group.items == 1 or access.epoch != copy.epochs[access.warp][access.space]:
        return None
    if not access.writes:
        return ("X16", copy.pc, access.pc) if writes else None
    return ("X6", access.pc, copy.pc) if writes else ("X8", copy.pc, access.pc)


def copy_pair(a, b, space):
    """The hazard of two copies that touch the same bytes of `space`: in program order, or of two work-groups."""
    writes = a.writes == space, b.writes == space
    if a.group != b.group:
        if all(writes):
            return "X9", max(a.pc, b.pc), min(a.pc, b.pc)
        return ("X7", a.pc, b.pc) if writes[0] else ("X7", b.pc, a.pc) if writes[1] else None
    if a.waited[0] is not None and a.waited[0] < b.places[0] or a.fences[space] != b.fences[space]:
        return None
    rule = {(True, True): "X9", (True, False): "X5", (False, True): "X7", (False, False): None}[writes]
    return (rule, b.pc, a.pc) if rule else None


def hazard_of(a, b, space, groups):
    if isinstance(a, Access) and isinstance(b, Access):
        return item_pair(a, b)
    if isinstance(a, Copy) and isinstance(b, Copy):
        return copy_pair(a, b, space)
    access, copy = (a, b) if isinstance(a, Access) else (b, a)
    return item_and_copy(access, copy, groups[copy.group])


def before(a, b, group):
    """Whether `a` comes before `b` in the program order of their work-group. One of them is a copy."""
    if isinstance(a, Access):
        return a.place < b.places[a.warp]
    if isinstance(b, Access):
        return a.places[b.warp] < b.place
    return group.copies.index(a) < group.copies.index(b)


def touched_bytes(groups):
    """Maps (space, the work-group of an LDS, byte) to the accesses and copies there."""
    touched = collections.defaultdict(list)
    for number, group in groups.items():
        for access in group.accesses:
            for byte in range(access.first, access.first + access.size):
                touched[access.space, number if access.space == LDS else None, byte].append(access)
        for copy in group.copies:
            for space, elements in copy.touched.items():
                for byte in {byte for first, size in elements for byte in range(first, first + size)}:
                    touched[space, number if space == LDS else None, byte].append(copy)
    return touched


def is_implied(a, b, unfenced, groups):
    """Whether a copy between the two, which lacks the barrier after a write (one of the two), would order these too."""
    return any(write in (a, b) and before(copy, b if write is a else a, groups[copy.group]) for write, copy in unfenced)


def races(groups):
    """The hazards of all pairs that share a byte, and those in the LDS that others imply."""
    sure, implied, known = set(), set(), {}
    for (space, number, _), found in touched_bytes(groups).items():
        pairs = list(itertools.combinations(found, 2))
        for a, b in pairs:
            if (space, a, b) not in known:
                known[space, a, b] = hazard_of(a, b, space, groups)
        unfenced = [(a, b) if isinstance(a, Access) else (b, a) for a, b in pairs
                    if number is not None and known[space, a, b] and isinstance(a, Access) != isinstance(b, Access)]
        unfenced = [(write, copy) for write, copy in unfenced if write.place < copy.places[write.warp]]
        for a, b in pairs:
            if known[space, a, b]:
                (implied if is_implied(a, b, unfenced, groups) else sure).add(known[space, a, b])
    return sure, implied - sure


# ---- M7 ---------------------------------------------------------------------------------------

def written(read, writer, group):
    """Whether `writer`'s data are there for `read`: True, False, or None if the two race."""
    if isinstance(writer, Copy) and isinstance(read, Copy):
        return before(writer, read, group) or (None if copy_pair(read, writer, LDS) else False)
    if isinstance(writer, Copy):
        return before(writer, read, group)
    if isinstance(read, Copy):
        return None if item_and_copy(writer, read, group) else before(writer, read, group)
    if item(read) == item(writer):
        return writer.place < read.place
    if not ordered(read, writer):
        return False if read.pc == writer.pc else None  # one of the atomic operations at a place must come first
    return writer.place < read.place if read.warp == writer.warp else writer.epoch < read.epoch


def lds_bytes(group, reads):
    """(who, first byte, bytes) of every reader or writer of the LDS; for a copy, one for each of its elements."""
    for access in group.accesses:
        if access.space == LDS and (access.reads if reads else access.writes):
            yield access, access.first, access.size
    for copy in group.copies:
        if (copy.reads if reads else copy.writes) == LDS:
            for first, size in copy.touched[LDS]:
                yield copy, first, size


def unwritten(groups):
    """The hazards of M7, and those that races leave undecided."""
    sure, doubtful = set(), set()
    for group in groups.values():
        writers = collections.defaultdict(set)
        for writer, first, size in lds_bytes(group, False):
            for byte in range(first, first + size):
                writers[byte].add(writer)
        for read, first, size in lds_bytes(group, True):
            known = []
            for byte in range(first, first + size):
                answers = {written(read, writer, group) for writer in writers[byte]}
                known.append(True if True in answers else None if None in answers else False)
            if all(answer is False for answer in known):  # if fewer bytes are unwritten, they may be padding
                sure.add(("M7", read.pc, None))
            elif all(answer is not True for answer in known):
                doubtful.add(("M7", read.pc, None))
    return sure, doubtful - sure


# ---- a trace ----------------------------------------------------------------------------------

@dataclasses.dataclass
class Found:
    """The result for one launch: hazards as (rule, line here, line of the other), and the doubtful ones."""
    sure: set
    doubtful: set


def groups_of(trace, launch, program, run):
    """Maps the number of each work-group of a launch to its Group."""
    groups = {}
    of = run["launches"][launch]
    for key, number in trace.groups():
        if key != launch:
            continue
        counts = [-(-whole // part) for whole, part in zip(of["global"], of["local"])]
        index = number % counts[0], number // counts[0] % counts[1], number // counts[0] // counts[1]
        sizes = [min(part, whole - i * part) for i, whole, part in zip(index, of["global"], of["local"])]
        groups[number] = Group([], [], sizes[0] * sizes[1] * sizes[2])
        for warp in range(trace.warps(launch, number)):
            WarpWalk(program, groups[number], number, warp).walk(trace.operations(launch, number, warp))
    return groups


def hazards_of(path):
    """A list of Found, one for each launch of the trace; launches do not race with each other."""
    with warpwait.trace.open(path) as trace:
        run = json.loads(trace.metas["run"])
        programs = [Program(trace.metas[f"program{i}"]) for i in range(len(trace.programs))]
        result = []
        for number, launch in enumerate(trace.launches):
            program = programs[launch.program]
            groups = groups_of(trace, number, program, run)
            (unread, doubtful), (unordered, implied) = unwritten(groups), races(groups)

            def lines(hazards):
                return {(rule, *(pc if pc is None else program.lines[pc] for pc in pcs)) for rule, *pcs in hazards}

            sure = unread | unordered
            result.append(Found(lines(sure), lines((doubtful | implied) - sure)))
        return result


def words(hazard):
    rule, here, other = hazard
    return f"{rule} line {here}" + (f", other line {other}" if other is not None else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", help="a trace, .wwt")
    for number, found in enumerate(hazards_of(parser.parse_args().trace)):
        for hazard in sorted(found.sure, key=str):
            print(f"launch {number}: {words(hazard)}")
        for hazard in sorted(found.doubtful, key=str):
            print(f"launch {number}: perhaps {words(hazard)}")


if __name__ == "__main__":
    main()
