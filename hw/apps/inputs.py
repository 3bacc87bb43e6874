"""The initial contents of the kernels' buffers, and the digests of results that are compared.

measure/apps.cpp makes the same bytes on the GPU's side, so that data-dependent kernels take the same paths. Contents
are a word, followed by numbers after colons: `zero`; `f:LOW:HIGH` and `d:LOW:HIGH` floats and doubles between two
values; `i:N` integers below N; `iota` 0, 1, 2, ...; `hot:N` integers below N, seven of eight below 4; `csr:MEAN:KIND`
where the rows of a sparse matrix begin, all of the mean length, or (1) of random lengths, or (2) of random lengths with
a sixteenth eight times as long; `perm` a list that visits every element once.
"""
import array
import dataclasses

import needed

try:
    import numpy as np
except ImportError as missing:
    needed.stop(missing, "python3-numpy", "python3-scipy")

TYPES = {"uchar": np.uint8, "int": np.int32, "uint": np.uint32, "float": np.float32, "float2": np.float32, "float4": np.float32,
         "double": np.float64}
WIDTHS = {"float2": 2, "float4": 4}  # elements of a vector
BLOCK = 1 << 20  # numbers made at once
SINGLES = 64  # elements of a result that are compared one by one


def mix(numbers):
    """32 random bits for each 64-bit number: SplitMix64."""
    x = numbers + np.uint64(0x9e3779b97f4a7c15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(16)).astype(np.uint32)


def _blocks(count, seed):
    """(first index, random bits) for each block of `count` elements."""
    for first in range(0, count, BLOCK):
        yield first, mix(np.arange(first, min(count, first + BLOCK), dtype=np.uint64) + np.uint64(seed << 40))


def _floats(bits, low, high):
    return low + (high - low) * (bits >> np.uint32(8)).astype(np.float64) / 16777216.0


def _doubles(bits, low, high):
    return low + (high - low) * bits.astype(np.float64) / 4294967296.0


def _hot(bits, below):
    rest = bits >> np.uint32(3)
    return np.where(bits % np.uint32(8), rest % np.uint32(4), rest % np.uint32(below))


def _rows(bits, average, kind):
    """Lengths of rows of a sparse matrix."""
    if not kind:
        return np.full(len(bits), average, np.uint32)
    lengths = 1 + bits % np.uint32(2 * average - 1)
    return np.where((kind == 2) & ((bits >> np.uint32(16)) % np.uint32(16) == 0), 8 * lengths, lengths)


BY_ELEMENT = {"f": _floats, "d": _doubles, "i": lambda bits, below: bits % np.uint32(below), "hot": _hot, "csr": _rows}


def _cycle(count, seed):
    """A permutation that is one cycle: Sattolo's shuffle."""
    items = array.array("I", range(count))
    places = np.empty(count, np.uint32)
    for first, bits in _blocks(count, seed):
        places[first:first + len(bits)] = bits % np.maximum(1, np.arange(first, first + len(bits), dtype=np.uint32))
    for last in range(count, 1, -BLOCK):
        first = max(1, last - BLOCK)
        for i, j in zip(range(last - 1, first - 1, -1), places[first:last][::-1].tolist()):
            items[i], items[j] = items[j], items[i]
    return np.frombuffer(items, np.uint32)


def elements(kind, type, count, seed):
    """The `count` elements of `type` that a buffer starts with."""
    word, *numbers = kind.split(":")
    numbers = [float(number) if word in "fd" else int(number) for number in numbers]
    count *= WIDTHS.get(type, 1)
    if word == "zero":
        return np.zeros(count, TYPES[type])
    if word == "iota":
        return np.arange(count).astype(TYPES[type])
    if word == "perm":
        return _cycle(count, seed)
    made = np.empty(count, TYPES[type])
    for first, bits in _blocks(count, seed):
        made[first:first + len(bits)] = BY_ELEMENT[word](bits, *numbers)
    return np.concatenate(([0], np.cumsum(made[:-1]))).astype(made.dtype) if word == "csr" else made


@dataclasses.dataclass(frozen=True)
class Contents:
    """The initial bytes of a buffer. `seed`: of the argument, so that a kernel's buffers differ."""
    kind: str
    type: str
    count: int
    seed: int

    def size(self):
        return self.count * WIDTHS.get(self.type, 1) * np.dtype(TYPES[self.type]).itemsize

    def data(self):
        return elements(self.kind, self.type, self.count, self.seed).tobytes()


@dataclasses.dataclass(frozen=True)
class Digest:
    """A digest of a result: the sums of its elements, of their magnitudes and of products with random weights, and some
    random elements. Integers are unsigned."""
    type: str

    def of(self, data):
        values = np.frombuffer(data, TYPES["uint" if self.type == "int" else self.type]).astype(np.float64)
        weights = np.concatenate([bits & np.uint32(1023) for _, bits in _blocks(len(values), 0)])
        single = mix(np.arange(SINGLES, dtype=np.uint64) * np.uint64(7919)) % np.uint32(len(values))
        return [float(values.sum()), float(np.abs(values).sum()), float((values * weights).sum()), *map(float, values[single])]


def difference(expected, found, tolerance):
    """What is wrong with a digest, in a clause, or None."""
    magnitude = expected[1]
    room = [magnitude, magnitude, 1023 * magnitude] + [max(1.0, abs(value)) for value in expected[3:]]
    names = ["sum", "sum of magnitudes", "weighted sum"] + [f"sample {i}" for i in range(SINGLES)]
    for name, want, got, of in zip(names, expected, found, room):
        if not abs(want - got) <= tolerance * of + 1e-6:
            return f"{name} {got:.9g}, not {want:.9g}"
    return None
