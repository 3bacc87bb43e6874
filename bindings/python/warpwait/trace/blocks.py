"""The file format: blocks, metas, the index of blocks."""
from __future__ import annotations

import dataclasses
import io
import os
import struct
import typing
import zlib

from .._checks import raw
from .numbers import Cursor, TraceError

FILE_HEADER = struct.Struct("<8sII")
BLOCK_HEADER = struct.Struct("<4sIIIIII")


@dataclasses.dataclass
class Block:
    """A block's header: where it is, and how its payload is stored."""
    offset: int
    type: str
    method: int
    raw: int
    stored: int
    crc: int

    cut: bool = False  # the file ends in the payload

    @property
    def behind(self) -> int:
        return self.offset + BLOCK_HEADER.size + self.stored


class BlockFile:
    """An open file of blocks, from a path or from its bytes.

    metas: name -> bytes; damage: why the rest is unusable if it was opened with `salvage` and is damaged, else None.
    """
    MAGIC, NAME = b"", ""

    def __init__(self, path: str | os.PathLike[str] | bytes, salvage: bool = False) -> None:
        if not isinstance(path, bytes):
            raw(path)
        self.path = "its bytes" if isinstance(path, bytes) else str(path)
        self.metas: dict[str, bytes] = {}
        self.damage: str | None = None
        self._file: typing.BinaryIO = io.BytesIO(path) if isinstance(path, bytes) else open(path, "rb")
        self._size = self._file.seek(0, 2)
        self._blocks: list[Block] = []  # of all types, in file order
        try:
            self._check_header()
            if salvage:
                self._salvage()
            else:
                self._read_whole()
        except BaseException:
            self.close()
            raise

    def _read_whole(self) -> None:
        try:
            self._read_index()
        except TraceError as error:
            if str(error).startswith(self.path):
                raise
            raise TraceError(f"{self.path}: expected {error} of the index, found another") from None

    def _salvage(self) -> None:
        try:
            self._scan()
        except TraceError as error:
            self.damage = str(error)

    def _read_index(self) -> None:
        """Reads the last blocks of a complete file. Raises TraceError."""
        raise NotImplementedError

    def _scanned(self, block: Block, number: int) -> None:
        """Adds a block of data to the index when the file has none."""
        raise NotImplementedError

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> typing.Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- blocks -------------------------------------------------------------------------------

    def _error(self, offset: int, expected: object, found: object) -> TraceError:
        return TraceError(f"{self.path}: offset {offset}: expected {expected}, found {found}")

    def _bytes(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        found = self._file.read(size)
        if len(found) < size:
            raise self._error(offset, f"{size} bytes", f"{len(found)}")
        return found

    def _check_header(self) -> None:
        header = self._bytes(0, FILE_HEADER.size)
        magic, version, crc = FILE_HEADER.unpack(header)
        if magic != self.MAGIC:
            raise self._error(0, self.NAME, magic.hex(" "))
        if crc != zlib.crc32(header[:12]):
            raise self._error(12, "the header's checksum", "another")
        if version != 1:
            raise self._error(8, "version 1", f"version {version}")

    def _block(self, offset: int, number: int | None = None) -> Block:
        header = self._bytes(offset, BLOCK_HEADER.size)
        kind, found, method, raw, stored, crc, check = BLOCK_HEADER.unpack(header)
        if check != zlib.crc32(header[:-4]):
            raise self._error(offset, "a block's header with the checksum of its bytes", "another")
        if number is not None and found != number:
            raise self._error(offset + 4, f"block number {number}", found)
        return Block(offset, kind.decode("latin-1"), method, raw, stored, crc)

    def _payload(self, block: Block) -> bytes:
        if block.cut:
            self._file.seek(block.offset + BLOCK_HEADER.size)
            stored = self._file.read()
            return zlib.decompressobj().decompress(stored, block.raw) if block.method else stored
        stored = self._bytes(block.offset + BLOCK_HEADER.size, block.stored)
        if zlib.crc32(stored) != block.crc:
            raise self._error(block.offset + BLOCK_HEADER.size, "a payload with the checksum in its header", "another")
        try:
            raw = zlib.decompressobj().decompress(stored, block.raw + 1) if block.method else stored
        except zlib.error:
            raise self._error(block.offset, "zlib data", "others") from None
        if len(raw) != block.raw:
            raise self._error(block.offset, f"{block.raw} bytes", len(raw))
        return raw

    def _take(self, block: Block) -> None:
        """Reads a block that is needed when a file is opened."""
        if block.type == "meta":
            cursor = Cursor(self._payload(block))
            name = cursor.bytes(cursor.varint()).decode()
            self.metas[name] = cursor.rest()

    def _taken(self, block: Block) -> None:
        """Like _take(), but reports any unexpected contents, which another writer may have written, as damage."""
        try:
            self._take(block)
        except TraceError as error:
            if str(error).startswith(self.path):
                raise
            raise self._error(block.offset, error, "another") from None
        except (ValueError, LookupError, AttributeError, TypeError):
            raise self._error(block.offset, f"what a block of type {block.type} has", "others") from None

    def _read_end(self, layout: struct.Struct) -> tuple[int, ...]:
        """The numbers in the end block, which is last in a complete file."""
        offset = max(self._size - BLOCK_HEADER.size - layout.size, FILE_HEADER.size)
        try:
            end = self._block(offset)
        except TraceError:
            raise self._error(offset, f"the end of {self.NAME.replace('a ', 'a whole ')}", "something else") from None
        if end.type != "end " or end.raw != layout.size:
            raise self._error(offset, "a block of type end", end.type)
        return layout.unpack(self._payload(end))

    def _read_blocks(self, offset: int, blocks: int) -> tuple[int, int]:
        """Reads the index at `offset`; returns the offset and the number of the block after it."""
        number, at = blocks, FILE_HEADER.size
        while len(self._blocks) < blocks:
            cursor, offset, number = self._index_block("blks", offset, number)
            for _ in range(cursor.varint()):
                cursor.varint(), cursor.varint()
                block = self._block(at, len(self._blocks))
                self._taken(block)
                self._blocks.append(block)
                at = block.behind
        return offset, number

    def _index_block(self, kind: str, offset: int, number: int) -> tuple[Cursor, int, int]:
        block = self._block(offset, number)
        if block.type != kind:
            raise self._error(offset, f"a block of type {kind}", block.type)
        return Cursor(self._payload(block)), block.behind, number + 1

    def _scan(self) -> None:
        offset = FILE_HEADER.size
        while not self._blocks or self._blocks[-1].type != "end ":
            block = self._block(offset, len(self._blocks))
            self._taken(block)
            if block.type == "data":
                self._scanned(block, len(self._blocks))
            self._blocks.append(block)
            offset = block.behind
