"""Timelines (.wtl): events as columns of numbers, read with numpy."""
from __future__ import annotations

import dataclasses
import functools
import itertools
import json
import os
import struct
import typing

import numpy

from .._arrays import Whole, Words
from .._checks import lines_of
from .._optional import need
from .blocks import Block, BlockFile
from .numbers import Cursor, TraceError

if typing.TYPE_CHECKING:
    import pandas

END = struct.Struct("<QQQQQ")
WORD = numpy.uint64
BATCH_EVENTS = 8192  # at most
CUS, UNITS = 1024, 4096  # numbers of compute units and units are below these


class Kind:
    """A kind of event: its name, the block that emits it, what its `unit` is, and (name, type) of its fields."""

    def __init__(self, name: str, block: str, text: str) -> None:
        self.name, self.block, self.text = name, block, text
        self.unit = ""
        self.fields: list[tuple[str, str]] = []


class Schema:
    """The rows of a timeline, from its first block."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.kinds: list[Kind] = []
        self.blocks: dict[str, str] = {}
        for line in lines_of(text):
            word, rest = line.split(" ", 1)
            if word == "block":
                name, self.blocks[name] = rest.split(" ", 1)
            elif word == "kind":
                self.kinds.append(Kind(*rest.split(" ", 2)))
            elif word == "unit":
                self.kinds[-1].unit = rest.split(" ", 1)[1]
            elif word == "field":
                _, name, form, _ = rest.split(" ", 3)
                self.kinds[-1].fields.append((name, form))


@dataclasses.dataclass
class Event:
    """An event in the cycles [start, end). fields: name -> number."""
    kind: str
    cu: int
    unit: int
    start: int
    end: int
    fields: dict[str, int]


# ---- columns ----------------------------------------------------------------------------------

def varints(data: bytes) -> Words:
    """All varints in the bytes."""
    octets = numpy.frombuffer(data, numpy.uint8)
    last = octets < 0x80
    if last.all():
        return octets.astype(WORD)
    ends = numpy.flatnonzero(last)
    if not last[-1]:
        raise TraceError("a number")
    starts = numpy.append(0, ends[:-1] + 1)
    place = numpy.arange(len(octets)) - numpy.repeat(starts, ends - starts + 1)
    values: Words = numpy.add.reduceat((octets & 0x7f).astype(WORD) << (7 * place).astype(WORD), starts)
    return values


def unzigzag(codes: Words) -> Words:
    numbers: Words = codes >> WORD(1) ^ -(codes & WORD(1))
    return numbers


def column(cursor: Cursor, count: int) -> Words:
    """Reads the next column, of `count` values."""
    head = cursor.varint()
    data = cursor.bytes(head >> 1)
    values = varints(data) if data else numpy.zeros(0, WORD)
    if head & 1:
        places = numpy.cumsum(values[::2] + WORD(1)).astype(numpy.int64) - 1
        if len(values) % 2 or (len(places) and places[-1] >= count):
            raise TraceError(f"a column of {count} values")
        dense = numpy.zeros(count, WORD)
        dense[places] = values[1::2]
        return dense
    if len(values) != count:
        raise TraceError(f"a column of {count} values")
    return values


class Contexts:
    """Groups events by unit, to add up values from one event of a unit to its next."""

    def __init__(self, units: Words) -> None:
        self._order = numpy.argsort(units, kind="stable")
        self._units = units[self._order]
        firsts = numpy.flatnonzero(numpy.concatenate(([True], self._units[1:] != self._units[:-1])))
        self._firsts = firsts
        self._lengths = numpy.diff(numpy.append(firsts, len(units)))

    def add_up(self, values: Words, operation: numpy.ufunc = numpy.add, back: numpy.ufunc = numpy.subtract) -> Words:
        """For each event, the sum (or the result of another operation) of its unit's values so far."""
        values = values[self._order]
        sums: Words = operation.accumulate(values)
        before = back(sums[self._firsts], values[self._firsts])
        result = numpy.empty_like(sums)
        result[self._order] = back(sums, numpy.repeat(before, self._lengths))
        return result


@dataclasses.dataclass
class Batch:
    """Events of a stream. kinds: the kind's number of each event; columns: kind -> name of the column -> array."""
    stream: int
    cu: int
    kinds: Words
    columns: dict[int, dict[str, Words]]


def kind_columns(kind: Kind, cursor: Cursor, count: int, base: int) -> dict[str, Words]:
    units: Words = numpy.cumsum(unzigzag(column(cursor, count)))
    if units.max() >= UNITS:
        raise TraceError(f"units below {UNITS}")
    contexts = Contexts(units)
    moves, lengths = unzigzag(column(cursor, count)), column(cursor, count)
    end: Words = contexts.add_up(moves + lengths) + WORD(base)
    found = {"unit": units, "from": end - lengths, "to": end}
    for name, form in kind.fields:
        values = column(cursor, count)
        if form == "mask":
            found[name] = contexts.add_up(values, numpy.bitwise_xor, numpy.bitwise_xor)
        elif form == "cycle":
            found[name] = found["from"] + unzigzag(values)
        else:
            found[name] = contexts.add_up(unzigzag(values))
    return found


def batches(schema: Schema, payload: bytes) -> typing.Iterator[Batch]:
    """The batches of a block of data."""
    cursor = Cursor(payload)
    while cursor.left():
        stream, cu, base, events, size = (cursor.varint() for _ in range(5))
        body = Cursor(cursor.bytes(size))
        if not 1 <= events <= BATCH_EVENTS:
            raise TraceError(f"1 to {BATCH_EVENTS} events of a batch")
        if cu >= CUS:
            raise TraceError(f"a compute unit below {CUS}")
        kinds: Words = numpy.cumsum(unzigzag(column(body, events)))
        present, firsts, counts = numpy.unique(kinds, return_index=True, return_counts=True)
        if present[-1] >= len(schema.kinds):
            raise TraceError("kinds that the schema has")
        found = {int(present[i]): kind_columns(schema.kinds[int(present[i])], body, int(counts[i]), base)
                 for i in numpy.argsort(firsts)}
        if body.left():
            raise TraceError("the end of a batch")
        yield Batch(stream, cu, kinds, found)


# ---- the file ---------------------------------------------------------------------------------

class Timeline(BlockFile):
    """An open timeline.

    metas: name -> bytes; run: the meta "run" as a dictionary; schema: Schema; count, start, end: the number of events,
    and the cycles that they cover; damage: why the rest is unusable if it was opened with `salvage` and is damaged,
    else None.
    """
    MAGIC, NAME = b"\x89WWL\r\n\x1a\n", "a timeline"

    def __init__(self, path: str | os.PathLike[str] | bytes, salvage: bool = False) -> None:
        self.schema = Schema("")  # the file's first block has it
        self.count, self.start, self.end = 0, 0, 0
        super().__init__(path, salvage)

    def _take(self, block: Block) -> None:
        if block.type == "schm":
            self.schema = Schema(self._payload(block).decode())
        else:
            super()._take(block)

    def _read_index(self) -> None:
        offset, blocks, self.count, self.start, self.end = self._read_end(END)
        self._read_blocks(offset, blocks)

    def _scanned(self, block: Block, number: int) -> None:
        for batch in list(self._batches_of(block)):
            start = min(int(columns["from"].min()) for columns in batch.columns.values())
            self.start = min(self.start, start) if self.count else start
            self.end = max([self.end] + [int(columns["to"].max()) for columns in batch.columns.values()])
            self.count += len(batch.kinds)

    def _batches_of(self, block: Block) -> typing.Iterator[Batch]:
        try:
            yield from batches(self.schema, self._payload(block))
        except TraceError as error:
            if str(error).startswith(self.path):
                raise
            raise self._error(block.offset, error, "another") from None

    def raw_bytes(self) -> int:
        """Uncompressed bytes of all batches."""
        return sum(block.raw for block in self._blocks if block.type == "data")

    def batches(self) -> typing.Iterator[Batch]:
        """All batches, in file order."""
        for block in self._blocks:
            if block.type == "data":
                yield from self._batches_of(block)

    def events(self) -> typing.Iterator[Event]:
        """All events, in file order. Raises TraceError at damage."""
        for batch in self.batches():
            rows = {}
            for number, columns in batch.columns.items():
                kind = self.schema.kinds[number]
                names = [name for name, _ in kind.fields]
                rows[number] = (kind.name, names, zip(*(values.tolist() for values in columns.values())))
            for number in batch.kinds.tolist():
                kind_name, names, events = rows[number]
                unit, start, end, *fields = next(events)
                yield Event(kind_name, batch.cu, unit, start, end, dict(zip(names, fields)))

    # ---- what ran ------------------------------------------------------------------------------

    @functools.cached_property
    def run(self) -> dict[str, typing.Any]:
        try:
            run = json.loads(self.metas.get("run", b"{}"))
        except (ValueError, RecursionError) as error:
            raise TraceError(f"{self.path}: meta 'run': {error}") from None
        if not isinstance(run, dict):
            raise TraceError(f"{self.path}: meta 'run': expected a JSON object")
        return run

    def stalls(self) -> list[str]:
        """The names of the stall buckets, by number."""
        return [row["name"] for row in self.run.get("stalls", [])]

    def code(self, launch: int, pc: int) -> dict[str, typing.Any]:
        """{"text", "file", "line"} of an instruction of a launch; {} if the timeline does not have them."""
        try:
            code: dict[str, typing.Any] = self.run["programs"][self.run["launches"][launch]["program"]]["code"][pc]
            return code
        except (KeyError, IndexError, TypeError):
            return {}

    def _lines(self, launches: Whole, pcs: Whole) -> Whole:
        """The source line of each event; 0 if there is none."""
        lines = numpy.zeros(len(pcs), numpy.int64)
        for launch in numpy.unique(launches).tolist():
            of = launches == launch
            known, places = numpy.unique(pcs[of], return_inverse=True)
            lines[of] = numpy.array([self.code(launch, pc).get("line") or 0 for pc in known.tolist()])[places]
        return lines

    # ---- frames --------------------------------------------------------------------------------

    @typing.overload
    def frame(self, kind: None = None) -> dict[str, pandas.DataFrame]:
        ...

    @typing.overload
    def frame(self, kind: str) -> pandas.DataFrame:
        ...

    def frame(self, kind: str | None = None) -> pandas.DataFrame | dict[str, pandas.DataFrame]:
        """The events of a kind as a pandas DataFrame: columns cu, unit, from, to (cycles) and the kind's fields, one
        row per event in file order. Words and names of buckets are categories, flags are bool. Kinds with a pc also
        have the source line. Without a kind: name -> frame, for all kinds that occur.

        Raises ValueError for a kind that the file lacks, TraceError at damage, and MissingPackage without pandas.
        """
        names = [row.name for row in self.schema.kinds]
        if kind is not None and kind not in names:
            raise ValueError(f"kind {kind!r} is not one of: {' '.join(names)}")
        found: dict[int, list[tuple[int, dict[str, Words]]]] = {}
        for batch in self.batches():
            for number, columns in batch.columns.items():
                if kind in (None, names[number]):
                    found.setdefault(number, []).append((batch.cu, columns))
        frames = {names[number]: self._frame(self.schema.kinds[number], found.get(number, []))
                  for number in (sorted(found) if kind is None else [names.index(kind)])}
        return frames if kind is None else frames[kind]

    def _frame(self, kind: Kind, parts: list[tuple[int, dict[str, Words]]]) -> pandas.DataFrame:
        forms = dict(kind.fields)
        columns: dict[str, typing.Any] = {"cu": numpy.repeat([cu for cu, _ in parts], [len(part["unit"]) for _, part in parts])
                   if parts else numpy.zeros(0, numpy.int64)}
        for name in itertools.chain(["unit", "from", "to"], forms):
            values = numpy.concatenate([part[name] for _, part in parts]) if parts else numpy.zeros(0, WORD)
            columns[name] = self._typed(values, forms.get(name, "number"))
        if "pc" in columns and "launch" in columns:
            columns["line"] = self._lines(columns["launch"], columns["pc"])
        return need("pandas").DataFrame(columns)

    def _typed(self, values: Words, form: str) -> object:
        """A column in its type. If the type has too few words for the values, the column stays numbers."""
        words = self.stalls() if form == "stall" else form.split("|") if "|" in form else []
        if words and (not len(values) or values.max() < len(words)):
            return need("pandas").Categorical.from_codes(values.astype(numpy.int64), words)
        if form == "flag":
            return values != 0
        return values if form in ("mask", "address") else values.astype(numpy.int64)
