"""Streams: predicts a warp's operations and decodes those that differ from the prediction."""
from __future__ import annotations

import dataclasses
import itertools
import typing

from .._checks import lines_of
from .numbers import Cursor, TraceError, unzigzag

WORD = (1 << 64) - 1


class Kind:
    """A kind of instruction: names of its fields, whether each steps, and names of its vectors."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.fields: list[str] = []
        self.steps: list[bool] = []
        self.vectors: list[str] = []


class Schema:
    """The rows of a trace, from its first block."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[Kind] = []
        self.flags: list[str] = []
        self.notes: list[str] = []
        self.limits: dict[str, int] = {}
        for line in lines_of(text):
            word, *rest = line.split(" ")
            if word in ("trace", "contexts", "shapes"):
                self.limits[word] = int(rest[0])
            elif word == "flag":
                self.flags.append(rest[0])
            elif word == "note":
                self.notes.append(rest[0])
            elif word == "kind":
                self.kinds.append(Kind(rest[0]))
            elif word == "field":
                self.kinds[-1].fields.append(rest[1])
                self.kinds[-1].steps.append(rest[2] == "step")
            elif word == "vector":
                self.kinds[-1].vectors.append(rest[1])


@dataclasses.dataclass
class Note:
    """A note, which only some operations have."""
    kind: str
    values: list[int]
    text: bytes


@dataclasses.dataclass
class Operation:
    """What a warp did at `pc`. mask: the lanes that ran it; fields: name -> number; values: name -> {lane: number}."""
    pc: int
    next: int
    mask: int
    flags: list[str]
    kind: str
    fields: dict[str, int]
    values: dict[str, dict[int, int]]
    notes: list[Note]

    def lanes(self, name: str) -> dict[int, int]:
        """{lane: number} of the vector; empty if the operation has no such vector."""
        return self.values.get(name, {})

    def first(self, name: str) -> int | None:
        """The vector's value in its first lane, or None."""
        return next(iter(self.lanes(name).values()), None)


class Step:
    """Predicts a number as the last one plus a step, or as the number of two to four visits ago."""

    def __init__(self) -> None:
        self.last = self.step = self.turn = 0
        self.before = [0, 0, 0]  # two, three and four visits ago
        self.sure = False

    def predict(self) -> int:
        return self.before[self.turn - 1] if self.turn else (self.last + self.step) & WORD

    def learn(self, value: int, fresh: bool) -> None:
        if not fresh:
            if value == self.predict():
                self.sure = True
            else:
                self._missed(value)
        self.before = [self.last, *self.before[:2]]
        self.last = value

    def _missed(self, value: int) -> None:
        turn = self.before.index(value) + 1 if value in self.before else 0
        if not turn and (self.turn or not self.sure):
            self.step = (value - self.last) & WORD
        self.turn, self.sure = turn, False


class Same(Step):
    """Predicts that a number is the last one."""

    def learn(self, value: int, fresh: bool) -> None:
        self.last = value


class Context:
    """The state of the operation at one pc from its last visit."""

    def __init__(self, kind: Kind, pc: int, mask: int) -> None:
        self.next, self.mask, self.flags, self.fresh = pc + 1, mask, 0, True
        self.fields: list[Step] = [Step() if steps else Same() for steps in kind.steps]
        self.shapes = [0] * len(kind.vectors)
        self.bases = [Step() for _ in kind.vectors]


class Decoder:
    """Decodes a warp's stream, piece by piece."""

    def __init__(self, schema: Schema, program: list[Kind], lanes: int) -> None:
        self.schema, self.program, self.width = schema, program, lanes
        self.pc = -1  # before the first piece
        self.mask = (1 << lanes) - 1
        self.contexts: dict[int, Context] = {}
        self.rows: list[list[int]] = [[]] * schema.limits["shapes"]
        self.next_row = 0

    def piece(self, data: bytes, operations: int) -> typing.Iterator[Operation]:
        """Yields the operations of the next piece."""
        cursor = Cursor(data)
        if self.pc < 0:
            self.pc = cursor.varint()
        while cursor.left():
            for _ in range(cursor.varint()):
                operations -= 1
                yield self._take(cursor, 0)
            if cursor.left():
                operations -= 1
                yield self._take(cursor, cursor.varint())
        if operations:
            raise TraceError("as many operations as the batch announces")

    def _context(self, kind: Kind) -> Context:
        context = self.contexts.get(self.pc)
        if context is None:
            if len(self.contexts) == self.schema.limits["contexts"]:
                self.contexts.clear()
            context = self.contexts[self.pc] = Context(kind, self.pc, self.mask)
        return context

    def _take(self, cursor: Cursor, misses: int) -> Operation:
        bits = itertools.count()

        def number(predicted: int) -> int:
            differs = misses >> next(bits) & 1
            return (predicted + unzigzag(cursor.varint())) & WORD if differs else predicted

        if self.pc >= len(self.program):
            raise TraceError("an operation of the program")
        pc, kind = self.pc, self.program[self.pc]
        context = self._context(kind)
        context.next = self.pc = number(context.next)
        context.mask = self.mask = number(context.mask)
        context.flags = number(context.flags)
        fields: dict[str, int] = {}
        values: dict[str, dict[int, int]] = {}
        if context.mask and kind.fields:
            for name, field in zip(kind.fields, context.fields):
                fields[name] = number(field.predict())
                field.learn(fields[name], context.fresh)
            ran = context.mask & ~fields["left_out"] if kind.vectors else 0
            lanes = [lane for lane in range(self.width) if ran >> lane & 1]
            for i, name in enumerate(kind.vectors if lanes else []):
                if misses >> next(bits) & 1:
                    context.shapes[i] = self._shape(cursor, lanes)
                base = number(context.bases[i].predict())
                context.bases[i].learn(base, context.fresh)
                values[name] = {lane: (base + self._offset(context.shapes[i], lane)) & WORD for lane in lanes}
            context.fresh = False
        notes = misses >> 3 + len(kind.fields) + 2 * len(kind.vectors)
        flags = [name for i, name in enumerate(self.schema.flags) if context.flags >> i & 1]
        return Operation(pc, self.pc, self.mask, flags, kind.name, fields, values,
                         self._notes(cursor) if notes & 1 else [])

    def _offset(self, shape: int, lane: int) -> int:
        return self.rows[shape >> 1][lane] if shape & 1 else unzigzag(shape >> 1) * lane

    def _shape(self, cursor: Cursor, lanes: list[int]) -> int:
        """Reads the number of a shape that differs from the prediction."""
        shape = cursor.varint()
        if shape != 2 * len(self.rows) + 1:
            return shape
        zeros, offset, delta, row = cursor.varint(), 0, 0, []
        for lane in range(self.width):
            if lane in lanes and lane != lanes[0]:
                delta = unzigzag(cursor.varint()) << zeros
                offset += delta
            row.append(offset)
        self.rows[self.next_row] = row
        shape = 2 * self.next_row + 1
        self.next_row = (self.next_row + 1) % len(self.rows)
        return shape

    def _notes(self, cursor: Cursor) -> list[Note]:
        notes = []
        for _ in range(cursor.varint()):
            kind = self.schema.notes[cursor.varint()]
            values = [cursor.varint() for _ in range(cursor.varint())]
            notes.append(Note(kind, values, cursor.bytes(cursor.varint())))
        return notes
