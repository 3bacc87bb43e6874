"""The file: blocks, the index, batches of streams."""
import dataclasses
import struct
import zlib

from . import stream
from .numbers import Cursor, TraceError, unzigzag

MAGIC = b"\x89WWT\r\n\x1a\n"
FILE_HEADER = struct.Struct("<8sII")
BLOCK_HEADER = struct.Struct("<4sIIIIII")
END = struct.Struct("<QQQQ")


@dataclasses.dataclass
class Block:
    """A block's header: where it is, and how its payload is kept."""
    offset: int
    type: str
    method: int
    raw: int
    stored: int
    crc: int

    @property
    def behind(self):
        return self.offset + BLOCK_HEADER.size + self.stored


@dataclasses.dataclass
class Launch:
    """Warps of `lanes` lanes run program number `program`, in `groups` work-groups of up to `warps`."""
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
    pieces: list  # (warp, operations, bytes)
    block: int

    @property
    def operations(self):
        return sum(operations for _, operations, _ in self.pieces)


class Trace:
    """An open trace.

    metas: name -> bytes; programs: a list of kinds' names for each; launches: list of Launch; schema: stream.Schema;
    damage: what made the rest unusable when it was opened with `salvage`, or None.
    """

    def __init__(self, path, salvage=False):
        self.path = str(path)
        self.metas, self.programs, self.launches, self.schema = {}, [], [], None
        self.damage = None
        self._file = open(path, "rb")
        self._size = self._file.seek(0, 2)
        self._blocks = []  # of all types, in the file's order
        self._rows = {}  # (launch, group) -> [(block, place)]
        self._cache = {}
        self._check_header()
        if salvage:
            try:
                self._scan()
            except TraceError as error:
                self.damage = str(error)
        else:
            self._read_index()

    def close(self):
        self._file.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- blocks -------------------------------------------------------------------------------

    def _error(self, offset, expected, found):
        return TraceError(f"{self.path}: offset {offset}: expected {expected}, found {found}")

    def _bytes(self, offset, size):
        self._file.seek(offset)
        found = self._file.read(size)
        if len(found) < size:
            raise self._error(offset, f"{size} bytes", f"{len(found)}")
        return found

    def _check_header(self):
        header = self._bytes(0, FILE_HEADER.size)
        magic, version, crc = FILE_HEADER.unpack(header)
        if magic != MAGIC:
            raise self._error(0, "a trace", magic.hex(" "))
        if crc != zlib.crc32(header[:12]):
            raise self._error(12, "the header's checksum", "another")
        if version != 1:
            raise self._error(8, "version 1", f"version {version}")

    def _block(self, offset, number=None):
        header = self._bytes(offset, BLOCK_HEADER.size)
        kind, found, method, raw, stored, crc, check = BLOCK_HEADER.unpack(header)
        if check != zlib.crc32(header[:-4]):
            raise self._error(offset, "a block's header with the checksum of its bytes", "another")
        if number is not None and found != number:
            raise self._error(offset + 4, f"block number {number}", found)
        return Block(offset, kind.decode("latin-1"), method, raw, stored, crc)

    def _payload(self, block):
        stored = self._bytes(block.offset + BLOCK_HEADER.size, block.stored)
        if zlib.crc32(stored) != block.crc:
            raise self._error(block.offset + BLOCK_HEADER.size, "a payload with the checksum in its header", "another")
        raw = zlib.decompress(stored) if block.method else stored
        if len(raw) != block.raw:
            raise self._error(block.offset, f"{block.raw} bytes", len(raw))
        return raw

    def _take(self, block):
        """Blocks that are read when a trace is opened."""
        if block.type == "schm":
            self.schema = stream.Schema(self._payload(block).decode())
        elif block.type == "meta":
            cursor = Cursor(self._payload(block))
            name = cursor.bytes(cursor.varint()).decode()
            self.metas[name] = cursor.rest()
        elif block.type == "prog":
            self.programs.append([self.schema.kinds[kind] for kind in self._payload(block)])
        elif block.type == "lnch":
            cursor = Cursor(self._payload(block))
            self.launches.append(Launch(*(cursor.varint() for _ in range(4))))

    def _read_index(self):
        offset = max(self._size - BLOCK_HEADER.size - END.size, FILE_HEADER.size)
        try:
            end = self._block(offset)
        except TraceError:
            raise self._error(offset, "the end of a whole trace", "something else") from None
        if end.type != "end ":
            raise self._error(offset, "a block of type end", end.type)
        offset, blocks, batches, _ = END.unpack(self._payload(end))
        number, at = blocks, FILE_HEADER.size
        while len(self._blocks) < blocks:
            cursor, offset, number = self._index_block("blks", offset, number)
            for _ in range(cursor.varint()):
                cursor.varint(), cursor.varint()
                block = self._block(at, len(self._blocks))
                self._take(block)
                self._blocks.append(block)
                at = block.behind
        while batches > 0:
            cursor, offset, number = self._index_block("btch", offset, number)
            launch = group = block = 0
            for _ in range(cursor.varint()):
                more = cursor.varint()
                launch, group = launch + more, cursor.varint() + (0 if more else group)
                block += unzigzag(cursor.varint())
                self._rows.setdefault((launch, group), []).append((block, cursor.varint()))
                batches -= 1

    def _index_block(self, kind, offset, number):
        block = self._block(offset, number)
        if block.type != kind:
            raise self._error(offset, f"a block of type {kind}", block.type)
        return Cursor(self._payload(block)), block.behind, number + 1

    def _scan(self):
        offset = FILE_HEADER.size
        while not self._blocks or self._blocks[-1].type != "end ":
            block = self._block(offset, len(self._blocks))
            self._take(block)
            batches = self._parse(block, len(self._blocks)) if block.type == "data" else []
            for place, batch in enumerate(batches):
                self._rows.setdefault((batch.launch, batch.group), []).append((len(self._blocks), place))
            self._blocks.append(block)
            offset = block.behind

    # ---- batches ------------------------------------------------------------------------------

    def _parse(self, block, number):
        """The batches of a block of data."""
        cursor, batches = Cursor(self._payload(block)), []
        while cursor.left():
            launch, group, warps, cu, start, length, last, count = (cursor.varint() for _ in range(8))
            table, warp = [], 0
            for _ in range(count):
                warp += cursor.varint()
                table.append((warp, cursor.varint(), cursor.varint()))
                warp += 1
            pieces = [(index, operations, cursor.bytes(size)) for index, operations, size in table]
            batches.append(Batch(launch, group, warps, cu, start, start + length, bool(last), pieces, number))
        return batches

    def _batches_of(self, number):
        if number not in self._cache:
            if len(self._cache) >= 16:
                self._cache.pop(next(iter(self._cache)))
            self._cache[number] = self._parse(self._blocks[number], number)
        return self._cache[number]

    def groups(self):
        """(launch, group) of all that began, sorted."""
        return sorted(self._rows)

    def batches(self, launch=None, group=None):
        """The batches of a work-group, or of all, by launch, group and time."""
        for key in sorted(self._rows):
            if launch in (None, key[0]) and group in (None, key[1]):
                for number, place in self._rows[key]:
                    yield self._batches_of(number)[place]

    def operations(self, launch, group, warp):
        """The operations of one warp, from its first to its last."""
        of = self.launches[launch]
        decoder = None
        for batch in self.batches(launch, group):
            for index, operations, piece in batch.pieces:
                if index == warp:
                    decoder = decoder or stream.Decoder(self.schema, self.programs[of.program], of.lanes)
                    try:
                        yield from decoder.piece(piece, operations)
                    except TraceError as error:
                        where = f"launch {launch}, group {group}, warp {warp}"
                        raise self._error(self._blocks[batch.block].offset, error, f"others, in {where}") from None

    def warps(self, launch, group):
        """How many warps the work-group has."""
        return next(self.batches(launch, group)).warps

    def frame(self, launch=None, group=None):
        """The operations as a pandas DataFrame: a row each, without the lanes' values (first is the first lane's)."""
        import pandas
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
        return pandas.DataFrame(rows, columns=columns)
