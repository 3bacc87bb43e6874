#!/usr/bin/env python3
"""Reads and stores of images compared with an independent reference: every format, order, kind, addressing mode and
filter.

Each case is a launch: work-items read an image at coordinates from a buffer, or store colors from one. Coordinates
are between texels, at edges and corners, outside, negative, huge, infinite and NaN; colors include denormals, NaNs
and values that no channel can hold. Everything is compared bit by bit."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference  # noqa: E402

WARPWAIT = os.environ.get("WARPWAIT", "build/warpwait")
COUNT = 256
# kind: coordinates, whether the last is a layer, width, height, depth or layers
KINDS = {"1d": (1, False, (13, 1, 1)), "1d_array": (2, True, (13, 1, 3)), "1d_buffer": (1, False, (29, 1, 1)),
         "2d": (2, False, (13, 9, 1)), "2d_array": (3, True, (7, 9, 3)), "3d": (3, False, (5, 9, 4))}
MODES = ("none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat")
WIDTH = {1: "1d", 2: "2d", 3: "3d"}
random = numpy.random.default_rng(24)


def program() -> str:
    """A kernel for each number of coordinates and operation; words are [item * 4 + component]."""
    text = []
    for count, shape in WIDTH.items():
        taken = "".join(f" ld.global.b32 c[{i}], [p + {4 * i}]\n" for i in range(count))
        given = "".join(f" st.global.b32 [q + {4 * i}], v[{i}]\n" for i in range(4))
        loaded = "".join(f" ld.global.b32 v[{i}], [q + {4 * i}]\n" for i in range(4))
        at = "c" if count != 2 else "c2"
        pair = " pack.b64 c2, c[0], c[1]\n" if count == 2 else ""
        for kind, dims in KINDS.items():
            if dims[0] != count:
                continue
            for number in ("float", "int"):
                head = (f".arg image image{kind}\n.arg s sampler\n.arg at global\n.arg out global\n.reg c[4], v[4], w, x\n"
                        ".reg64 i, p, q, y, c2\n ld.arg.b64 i, image\n ld.arg.b32 w, s\n ld.arg.b64 p, at\n"
                        " ld.arg.b64 q, out\n get.global_id x, x\n mul.i32 x, x, 16\n cvt.u64.u32 y, x\n"
                        " add.i64 p, p, y\n add.i64 q, q, y\n").replace("get.global_id x, x", "get.global_id x, x")
                for op in ("sample", "load"):
                    text.append(f".kernel {op}_{kind}_{number}\n{head}{taken}{pair} image.{op}.{shape} v, [i], w, {at}, "
                                f"as={number}\n{given} exit\n")
                text.append(f".kernel store_{kind}_{number}\n{head}{taken}{pair}{loaded} image.store.{shape} [i], {at}, v, "
                            f"as={number}\n exit\n")
    return "".join(text)


def raw_texels(order: str, kind: str, count: int) -> bytes:
    """Random bytes; floats include small numbers, denormals, infinities and NaNs."""
    size = reference.texel_bytes(order, kind)
    if kind not in ("float", "half_float"):
        return random.integers(0, 256, count * size, numpy.uint8).tobytes()
    values = random.normal(size=count * size // numpy.dtype(reference.SCALARS[kind]).itemsize)
    values[::11] *= 1e-40 if kind == "float" else 1e-6
    values[5::37] = numpy.inf
    values[7::41] = numpy.nan
    return values.astype(reference.SCALARS[kind]).tobytes()


def coordinates(kind: str, sizes: tuple[int, int, int], whole: bool, normalized: bool) -> numpy.ndarray:
    count, layered, _ = KINDS[kind]
    sizes_of = [sizes[0], sizes[2] if kind == "1d_array" else sizes[1], sizes[2]][:count]
    columns = []
    for i, size in enumerate(sizes_of):
        if whole:
            column = random.integers(-3, size + 3, COUNT)
            column[::17] = random.choice([-(2**31), 2**31 - 1, -1, size], len(column[::17]))
        else:
            column = random.uniform(-2, size + 2, COUNT)
            column[::3] = numpy.rint(column[::3] * 2) / 2
            column[4::19] = random.choice([numpy.inf, -numpy.inf, numpy.nan, 1e30, -1e30, -0.0, 2.0**24, 1e-42],
                                          len(column[4::19]))
            if normalized and not (layered and i == count - 1):
                column = column / size
        columns.append(column.astype(numpy.int32 if whole else numpy.float32))
    return numpy.stack(columns, 1)


def colors(integer: bool) -> numpy.ndarray:
    if integer:
        out = random.integers(-(2**31), 2**31, (COUNT, 4)).astype(numpy.int64)
        out[::2] = random.integers(-300, 300, (COUNT // 2, 4))
        return out
    out = random.uniform(-1.5, 1.5, (COUNT, 4)).astype(numpy.float32)
    out[::7] = numpy.rint(out[::7] * 255) / 255 + numpy.float32(0.5 / 255)
    out[3::23] = random.choice([numpy.inf, -numpy.inf, numpy.nan, 1e-42, 65519.0, 65520.0, -0.0], out[3::23].shape)
    return out


class Batch:
    """The launches of one launch file, and the expected result of each."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder, self.images, self.buffers, self.launches, self.expected = folder, {}, {}, [], []

    def file(self, data: bytes) -> str:
        name = f"f{len(list(self.folder.iterdir()))}.bin"
        (self.folder / name).write_bytes(data)
        return name

    def add(self, title: str, op: str, kind: str, order: str, channel: str, sampler: str, at: numpy.ndarray,
            texels: bytes, words: bytes, expected: bytes) -> None:
        number = len(self.launches)
        _, layered, sizes = KINDS[kind]
        image = {"kind": kind, "format": f"{order}.{channel}", "width": sizes[0], "file": self.file(texels)}
        if sizes[1] > 1:
            image["height"] = sizes[1]
        if sizes[2] > 1:
            image["layers" if layered else "depth"] = sizes[2]
        padded = numpy.zeros((COUNT, 4), at.dtype)
        padded[:, :at.shape[1]] = at
        self.images[f"i{number}"] = image
        self.buffers[f"a{number}"] = {"bytes": COUNT * 16, "file": self.file(padded.tobytes())}
        self.buffers[f"o{number}"] = {"bytes": COUNT * 16, "file": self.file(words)}
        self.launches.append({"kernel": f"{op}_{kind}_{'int' if reference.is_integer(channel) else 'float'}",
                              "args": [{"image": f"i{number}"}, {"sampler": sampler}, {"buffer": f"a{number}"},
                                       {"buffer": f"o{number}"}], "global": [COUNT], "local": [64]})
        self.expected.append((title, {"image": f"i{number}"} if op == "store" else {"buffer": f"o{number}"},
                              self.file(expected)))

    def run(self, sets: list[str]) -> int:
        checks = [{**what, "expected": name} for _, what, name in self.expected]
        (self.folder / "launch.json").write_text(json.dumps(
            {"program": "k.wws", "machine": "teaching", "images": self.images, "buffers": self.buffers,
             "launches": self.launches, "check": checks}))
        (self.folder / "k.wws").write_text(program())
        done = subprocess.run([WARPWAIT, "run", str(self.folder / "launch.json"), "--verify", "--why=no", "--report",
                               "json", *sum((["--set", word] for word in sets), [])], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if not done.stdout:
            print(done.stderr.decode())
            return 1
        verdicts = json.loads(done.stdout)["verify"]
        failed = [(title, verdict) for (title, _, _), verdict in zip(self.expected, verdicts) if not verdict["passed"]]
        for title, verdict in failed[:10]:
            print(f"{title}: {verdict.get('text') or verdict}")
        assert len(verdicts) == len(self.expected)
        return len(failed)


def add_read(batch: Batch, kind: str, order: str, channel: str, op: str, mode: str, normalized: bool, linear: bool) -> None:
    _, layered, sizes = KINDS[kind]
    texels = raw_texels(order, channel, sizes[0] * sizes[1] * sizes[2])
    image = reference.decode(order, channel, texels).reshape(sizes[2], sizes[1], sizes[0], 4)
    integer = reference.is_integer(channel)
    border = numpy.array([0, 0, 0, reference.ORDERS[order][1]], image.dtype)
    at = coordinates(kind, sizes, op == "load", normalized)
    got = reference.sample(image, border, at, layered, mode, normalized, linear and not integer)
    words = [mode, *(["normalized"] if normalized else []), *(["linear"] if linear else [])]
    batch.add(f"{op} {kind} {order}.{channel} {','.join(words)}", op, kind, order, channel, ",".join(words), at, texels,
              bytes(COUNT * 16), (got.astype(numpy.int64) & 0xffffffff if integer else got.view(numpy.uint32)).astype(
                  numpy.uint32).tobytes())


def add_store(batch: Batch, kind: str, order: str, channel: str) -> None:
    count, layered, sizes = KINDS[kind]
    cells = sizes[0] * sizes[1] * sizes[2]
    texels = bytearray(raw_texels(order, channel, cells))
    size = reference.texel_bytes(order, channel)
    integer = reference.is_integer(channel)
    given = colors(integer)
    encoded = reference.encode(order, channel, given)
    limits = [sizes[0], sizes[2] if kind == "1d_array" else sizes[1], sizes[2]][:count]
    # Each place once: the order of two stores to one texel is undefined.
    at = numpy.full((COUNT, count), -1, numpy.int32)
    places = random.permutation(cells)[:COUNT]
    for i, place in enumerate(places):
        x, rest = place % sizes[0], place // sizes[0]
        at[i] = [x, rest][:count] if len(limits) < 3 else [x, rest % sizes[1], rest // sizes[1]]
        texels_at = place * size
        if i % 9 == 0:
            at[i, random.integers(count)] = random.choice([-1, 2**31 - 1, 4096])
        else:
            texels[texels_at:texels_at + size] = encoded[i * size:(i + 1) * size]
    before = raw_texels(order, channel, cells)
    expected = bytearray(before)
    for i, place in enumerate(places):
        if i % 9:
            expected[place * size:(place + 1) * size] = encoded[i * size:(i + 1) * size]
    words = (given & 0xffffffff).astype(numpy.uint32) if integer else given
    batch.add(f"store {kind} {order}.{channel}", "store", kind, order, channel, "none", at, before, words.tobytes(),
              bytes(expected))


def cases(batch: Batch, part: int) -> None:
    everything = reference.formats()
    for i, (order, channel) in enumerate(everything):
        kind = list(KINDS)[(i + part) % len(KINDS)]
        add_read(batch, kind, order, channel, "load", MODES[(i + part) % 3], False, False)
        if kind != "1d_buffer":
            add_read(batch, kind, order, channel, "sample", MODES[(i + part) % 5], True, (i // 5 + part) % 2 == 0)
        add_store(batch, kind, order, channel)
    for kind in KINDS:
        for mode in MODES:
            for normalized in (False, True):
                for linear in (False, True):
                    if kind != "1d_buffer" and (normalized or "repeat" not in mode):
                        add_read(batch, kind, "rgba", ("unorm_int8", "float", "half_float")[part % 3], "sample", mode,
                                 normalized, linear)


def main() -> int:
    failed = total = 0
    for part, sets in enumerate((["texture.layout=rows"], ["texture.layout=blocks"],
                                 ["texture.layout=blocks", "texture.cache_size=0", "mem.l1_size=16K", "mem.l1_join=on"])):
        with tempfile.TemporaryDirectory() as folder:
            batch = Batch(pathlib.Path(folder))
            cases(batch, part)
            total += len(batch.launches)
            failed += batch.run(sets)
    print(f"{total - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
