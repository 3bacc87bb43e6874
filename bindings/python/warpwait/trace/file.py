"""Traces: blocks, the index, batches of streams."""
from __future__ import annotations

import dataclasses
import os
import struct
import typing
import zlib

from .._optional import need
from . import stream
from .blocks import Block, BlockFile
from .numbers import Cursor, TraceError, unzigzag

if typing.TYPE_CHECKING:
    import pandas

END = struct.Struct("<QQQQ")


@dataclasses.dataclass
class Launch:
    """A launch: warps of `lanes` lanes run program number `program`, in `groups` work-groups of up to `warps` warps."""
    program: int
    lanes: int
    groups: int
    warps: int


@dataclasses.dataclass
class Batch:
    """What a work-group did between two cycles: pieces of its warps' streams."""
    launch: int
    group: int
    warps: int
    cu: int
    start: int  # cycle
    end: int
    last: bool
    pieces: list[tuple[int, int, bytes]]  # (warp, operations, bytes)
    block: int

    @property
    def operations(self) -> int:
        return sum(operations for _, operations, _ in self.pieces)


class Trace(BlockFile):
    """An open trace.

    metas: name -> bytes; programs: for each, the list of its instructions' kinds; launches: list of Launch; schema:
    stream.Schema; damage: why the rest is unusable if it was opened with `salvage` and is damaged, else None.
    """
    MAGIC, NAME = b"\x89WWT\r\n\x1a\n", "a trace"

    def __init__(self, path: str | os.PathLike[str], salvage: bool = False) -> None:
        self.programs: list[list[stream.Kind]] = []
        self.launches: list[Launch] = []
        self.schema = stream.Schema("")  # the file's first block has it
        self._rows: dict[tuple[int, int], list[tuple[int, int]]] = {}  # (launch, group) -> [(block, place)]
        self._cache: dict[int, list[Batch]] = {}
        super().__init__(path, salvage)

    def _take(self, block: Block) -> None:
        """Reads a block that is needed when a trace is opened."""
        if block.type == "schm":
            self.schema = stream.Schema(self._payload(block).decode())
        elif block.type == "prog":
            self.programs.append([self.schema.kinds[kind] for kind in self._payload(block)])
        elif block.type == "lnch":
            cursor = Cursor(self._payload(block))
            self.launches.append(Launch(*(cursor.varint() for _ in range(4))))
        else:
            super()._take(block)

    def _read_index(self) -> None:
        offset, blocks, batches, _ = self._read_end(END)
        offset, number = self._read_blocks(offset, blocks)
        while batches > 0:
            cursor, offset, number = self._index_block("btch", offset, number)
            launch = group = block = 0
            for _ in range(cursor.varint()):
                more = cursor.varint()
                launch, group = launch + more, cursor.varint() + (0 if more else group)
                block += unzigzag(cursor.varint())
                self._rows.setdefault((launch, group), []).append((block, cursor.varint()))
                batches -= 1

    def _salvage(self) -> None:
        super()._salvage()
        if self.damage and self._blocks:
            try:
                self._take_cut()
            except (TraceError, zlib.error):
                pass

    def _take_cut(self) -> None:
        """Reads what is left of a block of data in which the file ends."""
        block = self._block(self._blocks[-1].behind, len(self._blocks))
        if block.type == "data" and block.behind > self._size:
            block.cut = True
            self._scanned(block, len(self._blocks))
            self._blocks.append(block)

    def _scanned(self, block: Block, number: int) -> None:
        for place, batch in enumerate(self._parse(block, number)):
            self._rows.setdefault((batch.launch, batch.group), []).append((number, place))

    # ---- batches ------------------------------------------------------------------------------

    def _parse(self, block: Block, number: int) -> list[Batch]:
        """The batches of a block of data."""
        cursor = Cursor(self._payload(block))
        batches: list[Batch] = []
        while cursor.left():
            try:
                batches.append(self._batch(cursor, number))
            except TraceError:
                if block.cut:
                    break
                raise
        return batches

    @staticmethod
    def _batch(cursor: Cursor, number: int) -> Batch:
        launch, group, warps, cu, start, length, last, count = (cursor.varint() for _ in range(8))
        table, warp = [], 0
        for _ in range(count):
            warp += cursor.varint()
            table.append((warp, cursor.varint(), cursor.varint()))
            warp += 1
        pieces = [(index, operations, cursor.bytes(size)) for index, operations, size in table]
        return Batch(launch, group, warps, cu, start, start + length, bool(last), pieces, number)

    def _batches_of(self, number: int) -> list[Batch]:
        if number not in self._cache:
            if len(self._cache) >= 16:
                self._cache.pop(next(iter(self._cache)))
            self._cache[number] = self._parse(self._blocks[number], number)
        return self._cache[number]

    def groups(self) -> list[tuple[int, int]]:
        """(launch, group) of all work-groups that started, sorted."""
        return sorted(self._rows)

    def batches(self, launch: int | None = None, group: int | None = None) -> typing.Iterator[Batch]:
        """The batches of a work-group, or of all, by launch, group and time. Raises TraceError at a damaged one."""
        for key in sorted(self._rows):
            if launch in (None, key[0]) and group in (None, key[1]):
                for number, place in self._rows[key]:
                    yield self._batches_of(number)[place]

    def operations(self, launch: int, group: int, warp: int) -> typing.Iterator[stream.Operation]:
        """The operations of one warp, from its first to its last. Raises IndexError for a launch that does not exist,
        and TraceError at damage."""
        of = self.launches[launch]
        decoder: stream.Decoder | None = None
        for batch in self.batches(launch, group):
            for index, operations, piece in batch.pieces:
                if index == warp:
                    decoder = decoder or stream.Decoder(self.schema, self.programs[of.program], of.lanes)
                    try:
                        yield from decoder.piece(piece, operations)
                    except TraceError as error:
                        where = f"launch {launch}, group {group}, warp {warp}"
                        raise self._error(self._blocks[batch.block].offset, error, f"others, in {where}") from None

    def warps(self, launch: int, group: int) -> int:
        """The number of warps of the work-group."""
        return next(self.batches(launch, group)).warps

    def frame(self, launch: int | None = None, group: int | None = None) -> pandas.DataFrame:
        """The operations as a pandas DataFrame, a row each in the order of launch, group, warp and time.

        Columns: launch, group, warp, place (in the warp), pc, next (the pc after it), kind, lanes (how many ran it),
        flags (words separated by commas), address (bytes; the first lane's, missing if there is none). launch, group:
        None for all. Raises TraceError, and MissingPackage without pandas.
        """
        rows = []
        for of, number in self.groups():
            if launch not in (None, of) or group not in (None, number):
                continue
            for warp in range(self.warps(of, number)):
                for place, operation in enumerate(self.operations(of, number, warp)):
                    rows.append((of, number, warp, place, operation.pc, operation.next, operation.kind,
                                 operation.mask.bit_count(),
                                 ",".join(operation.flags), operation.first("address")))
        columns = ["launch", "group", "warp", "place", "pc", "next", "kind", "lanes", "flags", "address"]
        return need("pandas").DataFrame(rows, columns=columns)
