#!/usr/bin/env python3
"""Writes the results that the examples' launch files expect, as raw bytes or pictures, and the input picture of two
examples.

usage: examples/expected.py     rewrites examples/*/expected/*.bin and *.png, and examples/*_sobel_*/picture.png
"""
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).resolve().parent
WORD = 2**32
STRIDES = [1, 2, 4, 8, 16, 32]


def floats(numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def words(numbers):
    return struct.pack(f"<{len(numbers)}I", *(n % WORD for n in numbers))


def seed(count):
    return floats([2.0 * i for i in range(count)])


def bank_conflict():
    return words([16 * (i + 1) for i in range(64)] * len(STRIDES))


def transposed(start):
    return words([start + column * 32 + row for row in range(32) for column in range(32)])


def hashes(start=0, tiles=32, tile_words=256, items=64):
    """Examples 04 to 06: work-item i hashes every 64th word of the stream, from word i on. The words are
    start, start + 1, ..."""
    result = []
    for item in range(items):
        value = 0
        for word in range(item, tiles * tile_words, items):
            value = (value << 5 | value >> 27) % WORD
            value = (value ^ (start + word)) * 16777619 % WORD
        result.append(value)
    return words(result)


def gathered():
    """Each stride has its own 2048 * stride bytes of the input, one stride after the other."""
    return words([512 * (stride - 1) + i * stride for stride in STRIDES for i in range(512)])


def imbalance(base, slope, items=128, rounds=4):
    x = list(range(items))
    for _ in range(rounds):
        for i in range(items):
            for _ in range(base + slope * (i // 32)):
                x[i] = (x[i] * 1664525 + 1013904223) % WORD
        x = [x[i] ^ x[(i + 32) % items] for i in range(items)]
    return words(x)


def chains(start, items=1024, length=8):
    """Word i of the table is start + i; start is a multiple of `items`."""
    return words([sum(start + (item + 128 * step) % items for step in range(length)) for item in range(items)])


def contention():
    return words([8 * 4 * (i + 1) + i for i in range(256)])


def stencil(extents, weights):
    """A stencil over a volume (x, y, z) whose element i is i, with a margin of one element on each side of every axis
    that has weights. weights[axis] are the weights of the neighbors below and above; the element itself has weight
    1."""
    margins = [1 if pair else 0 for pair in weights]
    pitches = [1, extents[0] + 2 * margins[0], (extents[0] + 2 * margins[0]) * (extents[1] + 2 * margins[1])]
    result = []
    for z in range(extents[2]):
        for y in range(extents[1]):
            for x in range(extents[0]):
                at = sum((place + margin) * pitch for place, margin, pitch in zip((x, y, z), margins, pitches))
                result.append(at + sum(pair[0] * (at - pitch) + pair[1] * (at + pitch)
                                       for pair, pitch in zip(weights, pitches) if pair))
    return words(result)


def piped(numbers=2048):
    """Example 13: one kernel hashes i, the other hashes the result again."""
    result = []
    for x in range(numbers):
        for _ in range(24):
            x = (x * 1664525 + 1013904223) % WORD
        for _ in range(32):
            x = ((x << 5 | x >> 27) ^ x * 16777619) % WORD
        result.append(x)
    return words(result)


def chained(rows):
    """Example 19: packet i has `rows` copies of the number i, and each of four stages adds the previous packet."""
    weighed = [sum(weight * max(i - back, 0) for back, weight in enumerate((1, 4, 6, 4, 1))) for i in range(256)]
    return words([number for number in weighed for _ in range(rows)])


WIDTH, HEIGHT = 192, 128


def scene(x, y):
    """A disk and a ramp on a checkerboard; pixels beyond the edge repeat the edge."""
    x, y = min(max(x, 0), WIDTH - 1), min(max(y, 0), HEIGHT - 1)
    if (x - 72) ** 2 + (y - 60) ** 2 < 1600:
        return 250 - ((x - 60) ** 2 + (y - 45) ** 2) // 24
    if x + y > 230:
        return 20 + 2 * (x + y - 230)
    return 90 if (x // 16 + y // 16) % 2 else 40


def edges(x, y):
    across = sum((1, 2, 1)[j] * (scene(x + 1, y + j - 1) - scene(x - 1, y + j - 1)) for j in range(3))
    down = sum((1, 2, 1)[i] * (scene(x + i - 1, y + 1) - scene(x + i - 1, y - 1)) for i in range(3))
    return min(abs(across) + abs(down), 255)


def png(pixel):
    """A grayscale picture."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(pixel(x, y) for x in range(WIDTH)) for y in range(HEIGHT))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 0, 0, 0, 0)) + \
        chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")


FILES = {
    "01_seed/data": seed(256),
    "01_seed/one_warp": seed(32),
    "02_bank_conflict/out": bank_conflict(),
    "03_padding/plain": transposed(0),
    "03_padding/padded": transposed(1024),
    "04_single_buffer/out": hashes(),
    "05_double_buffer/out": hashes(),
    "06_deep_buffer/out": b"".join(hashes(8192 * launch) for launch in range(6)),
    "07_strided_gather/out": gathered(),
    "08_barrier_imbalance/even": imbalance(40, 0),
    "08_barrier_imbalance/uneven": imbalance(4, 24),
    "09_occupancy/out": b"".join(chains(1024 * launch) for launch in range(3)),
    "10_contention/out": contention(),
    "11_stencil_2d/out": stencil((128, 64, 1), ((2, 3), (5, 7), None)),
    "12_stencil_3d/out": stencil((32, 16, 8), ((2, 3), (5, 7), (11, 13))),
    "13_pipe/out": piped(),
    "19_channel/out": chained(1),
    "19_channel/wide": chained(16),
    "15_sweep/deep_buffer": b"".join(hashes(8192 * group) for group in range(3)),
    "15_sweep/stencil": stencil((128, 128, 1), ((2, 3), (5, 7), None)),
}


def main():
    for name, data in FILES.items():
        example, file = name.split("/")
        folder = HERE / example / "expected"
        folder.mkdir(exist_ok=True)
        (folder / f"{file}.bin").write_bytes(data)
    for example in ("17_sobel_image", "18_sobel_tile"):
        (HERE / example / "picture.png").write_bytes(png(scene))
        (HERE / example / "expected").mkdir(exist_ok=True)
        (HERE / example / "expected/edges.png").write_bytes(png(edges))


if __name__ == "__main__":
    main()
