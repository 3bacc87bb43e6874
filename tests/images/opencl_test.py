#!/usr/bin/env python3
"""Images in OpenCL C: every kind, every function and every way to pass a sampler, compared
with the reference.

One kernel per kind reads floats and integers through samplers that are program constants, literals in the kernel,
arguments, or absent; it also writes and queries everything about the image. Another kernel uses blocks of
cl_intel_subgroups."""
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
SIZE = (11, 6, 3)
# kind: type of coordinates, of integer ones, how they are built, layered, sizes
KINDS = {
    "1d": ("float", "int", "{x}", False, (11, 1, 1)),
    "1d_array": ("float2", "int2", "({v}2)({x}, {z})", True, (11, 1, 3)),
    "2d": ("float2", "int2", "({v}2)({x}, {y})", False, (11, 6, 1)),
    "2d_array": ("float4", "int4", "({v}4)({x}, {y}, {z}, 0)", True, (11, 6, 3)),
    "3d": ("float4", "int4", "({v}4)({x}, {y}, {z}, 0)", False, (11, 6, 3)),
}
CL_ORDERS = {"rgba": 0x10B5, "bgra": 0x10B6}
CL_TYPES = {"unorm_int8": 0x10D2, "signed_int16": 0x10D8, "unsigned_int32": 0x10DC, "half_float": 0x10DD}


def kernel(kind: str) -> str:
    floats, wholes, make, _, _ = KINDS[kind]
    at = make.format(v="float", x="p.x", y="p.y", z="p.z")
    whole = make.format(v="int", x="convert_int_rtn(p.x * W)", y="convert_int_rtn(p.y * H)", z="convert_int_rtn(p.z)")
    image = f"image{kind}_t"
    tells = ["get_image_width(f)", "get_image_height(f)" if "2d" in kind or "3d" in kind else "1",
             "get_image_depth(f)" if kind == "3d" else "1", "get_image_array_size(f)" if "array" in kind else "1",
             "get_image_channel_order(f)", "get_image_channel_data_type(f)", "get_image_channel_data_type(i)",
             "get_image_channel_data_type(u)"]
    if kind in ("2d", "3d"):
        tells += ["get_image_dim(f).x", "get_image_dim(f).y"]
    stores = "".join(f"  if (get_global_id(0) == 0) t[{n}] = {tell};\n" for n, tell in enumerate(tells))
    return f"""
float4 help_{kind}(read_only {image} f, sampler_t s, {floats} c) {{ return read_imagef(f, s, c); }}
kernel void k_{kind}(read_only {image} f, read_only {image} i, read_only {image} u, read_only {image} h,
                     write_only {image} of, write_only {image} oi, write_only {image} ou, sampler_t s,
                     global const float4 *at, global float4 *rf, global int4 *ri, global uint4 *ru, global int *t) {{
  const int n = get_global_id(0), W = {SIZE[0]}, H = {SIZE[1]};
  const float4 p = at[n];
  const sampler_t literal = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
  const {floats} c = {at};
  const {wholes} w = {whole};
  rf[n * 6] = read_imagef(f, constant_sampler, c);
  rf[n * 6 + 1] = help_{kind}(f, s, c);
  rf[n * 6 + 2] = read_imagef(f, literal, c);
  rf[n * 6 + 3] = read_imagef(f, edge, w);
  rf[n * 6 + 4] = convert_float4(read_imageh(h, edge, w));
  ri[n * 2] = read_imagei(i, edge, w);
  ru[n * 2] = read_imageui(u, edge, w);
  const bool inside = {' && '.join(f'{part} >= 0 && {part} < {size}' for part, size in insides(kind))};
  rf[n * 6 + 5] = inside ? read_imagef(f, w) : (float4)(0);
  ri[n * 2 + 1] = inside ? read_imagei(i, w) : (int4)(0);
  ru[n * 2 + 1] = inside ? read_imageui(u, w) : (uint4)(0);
  if (inside) {{
    write_imagef(of, w, rf[n * 6 + 3]);
    write_imagei(oi, w, ri[n * 2] + 1);
    write_imageui(ou, w, ru[n * 2] * 3);
  }}
{stores}}}
"""


def insides(kind: str) -> list[tuple[str, int]]:
    sizes = KINDS[kind][4]
    limits = {"1d": (sizes[0],), "1d_array": (sizes[0], sizes[2]), "2d": sizes[:2]}.get(kind, sizes)
    return [("w" if kind == "1d" else f"w.{axis}", size) for axis, size in zip("xyz", limits)]


HEAD = """#pragma OPENCL EXTENSION cl_khr_fp16 : enable
constant sampler_t constant_sampler = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
"""
FORMATS = {"f": ("rgba", "unorm_int8"), "i": ("rgba", "signed_int16"), "u": ("rgba", "unsigned_int32"),
           "h": ("rgba", "half_float"), "of": ("bgra", "unorm_int8"), "oi": ("rgba", "signed_int16"),
           "ou": ("rgba", "unsigned_int32")}


def run(kind: str, folder: pathlib.Path) -> list[str]:
    """Returns the differences."""
    random = numpy.random.default_rng(7)
    _, _, _, layered, sizes = KINDS[kind]
    count, cells = 192, sizes[0] * sizes[1] * sizes[2]
    points = numpy.zeros((count, 4), numpy.float32)
    points[:, :2] = random.uniform(-0.5, 1.5, (count, 2))
    points[:, 2] = random.integers(0, sizes[2], count)
    if kind == "3d":
        points[:, 2] += numpy.float32(0.25)
    places = random.permutation(cells)[:count // 2]  # these are written, once each
    for n, place in enumerate(places):
        x, y, z = place % sizes[0], place // sizes[0] % sizes[1], place // (sizes[0] * sizes[1])
        points[n, :3] = (x + 0.5) / SIZE[0], (y + 0.5) / SIZE[1], z
    points[len(places):, 0] = random.choice([-0.3, 1.2], count - len(places)) + points[len(places):, 0] / 100
    raw = {name: random.integers(0, 256, cells * reference.texel_bytes(*what), numpy.uint8).tobytes()
           for name, what in FORMATS.items()}
    raw["h"] = random.normal(size=cells * 4).astype(numpy.float16).tobytes()
    for name in ("of", "oi", "ou"):
        raw[name] = bytes(len(raw[name]))
    images, args = {}, []
    for name, (order, channel) in FORMATS.items():
        (folder / f"{name}.bin").write_bytes(raw[name])
        image = {"kind": kind, "format": f"{order}.{channel}", "width": sizes[0], "file": f"{name}.bin"}
        if sizes[1] > 1:
            image["height"] = sizes[1]
        if sizes[2] > 1:
            image["layers" if layered else "depth"] = sizes[2]
        images[name] = image
        args.append({"image": name})
    (folder / "at.bin").write_bytes(points.tobytes())
    buffers = {"at": {"bytes": points.nbytes, "file": "at.bin"}, "rf": {"bytes": count * 96}, "ri": {"bytes": count * 32},
               "ru": {"bytes": count * 32}, "t": {"bytes": 64}}
    args += [{"sampler": "normalized,clamp,linear"}, *({"buffer": name} for name in buffers)]
    (folder / "k.cl").write_text(HEAD + kernel(kind))
    (folder / "launch.json").write_text(json.dumps(
        {"program": "k.cl", "build": {"options": ["-w"]}, "images": images, "buffers": buffers,
         "launches": [{"kernel": f"k_{kind}", "args": args, "global": [count], "local": [64]}]}))
    dumps = sum((["--dump", f"{name}={folder}/{name}.out"] for name in [*images, *buffers]), [])
    subprocess.run([WARPWAIT, "run", str(folder / "launch.json"), "--why=no", "--out", os.devnull, *dumps], check=True)
    got = {name: (folder / f"{name}.out").read_bytes() for name in [*images, *buffers]}
    return compare(kind, sizes, layered, points, raw, got)


def compare(kind, sizes, layered, points, raw, got) -> list[str]:
    count = len(points)
    shape = sizes[::-1] + (4,)
    image = {name: reference.decode(*FORMATS[name], raw[name]).reshape(shape) for name in ("f", "i", "u", "h")}
    taken = {"1d": [0], "1d_array": [0, 2], "2d": [0, 1]}.get(kind, [0, 1, 2])
    at = points[:, taken]
    scale = numpy.array([SIZE[0], SIZE[1], 1, 1], numpy.float32)
    whole = numpy.floor(points * scale).astype(numpy.int32)[:, taken]
    limits = numpy.array([size for _, size in insides(kind)])
    inside = ((whole >= 0) & (whole < limits)).all(1)

    def read(name, where, mode, normalized, linear):
        return reference.sample(image[name], numpy.zeros(4, image[name].dtype), where, layered, mode, normalized, linear)
    edge = {name: read(name, whole, "clamp_to_edge", False, False) for name in image}
    rf = [read("f", at, "repeat", True, True), read("f", at, "clamp", True, True),
          read("f", at, "mirrored_repeat", True, False), edge["f"], edge["h"],
          numpy.where(inside[:, None], edge["f"], 0)]
    expected = {"rf": numpy.stack(rf, 1).astype(numpy.float32).tobytes(),
                "ri": numpy.stack([edge["i"], numpy.where(inside[:, None], edge["i"], 0)], 1).astype(numpy.int32).tobytes(),
                "ru": numpy.stack([edge["u"], numpy.where(inside[:, None], edge["u"], 0)], 1).astype(numpy.uint32).tobytes()}
    stored = {"of": edge["f"], "oi": edge["i"] + 1, "ou": edge["u"] * 3 & 0xffffffff}
    for name, values in stored.items():
        out = bytearray(raw[name])
        size = reference.texel_bytes(*FORMATS[name])
        encoded = reference.encode(*FORMATS[name], values)
        for n in range(count):
            if inside[n]:
                x, y, z = (*whole[n], 0, 0)[:3] if kind != "1d_array" else (whole[n][0], 0, whole[n][1])
                place = ((z * sizes[1] + y) * sizes[0] + x) * size
                out[place:place + size] = encoded[n * size:(n + 1) * size]
        expected[name] = bytes(out)
    tells = [sizes[0], sizes[1], sizes[2] if kind == "3d" else 1, sizes[2] if layered else 1, CL_ORDERS["rgba"],
             CL_TYPES["unorm_int8"], CL_TYPES["signed_int16"], CL_TYPES["unsigned_int32"], sizes[0], sizes[1]]
    expected["t"] = numpy.array(tells[:10 if kind in ("2d", "3d") else 8], numpy.int32).tobytes()
    assert inside.sum() > 30 and (~inside).sum() > 30 or kind == "1d"
    return [name for name, bytes_ in expected.items() if got[name][:len(bytes_)] != bytes_]


BLOCKS = """kernel void blocks(read_only image2d_t from, write_only image2d_t to, read_write image2d_t both, global uint2 *u,
                   global ushort *us, global uchar16 *uc, global ulong4 *ul) {
  const int lanes = get_max_sub_group_size(), lane = get_sub_group_local_id(), row = 16 * get_group_id(0);
  const int at = row / 16 * lanes + lane;
  u[at] = intel_sub_group_block_read2(from, (int2)(8, row));
  us[at] = intel_sub_group_block_read_us(from, (int2)(12, row));
  uc[at] = intel_sub_group_block_read_uc16(from, (int2)(4, row));
  ul[at] = intel_sub_group_block_read_ul4(from, (int2)(16, row));
  intel_sub_group_block_write2(to, (int2)(8, row), u[at]);
  intel_sub_group_block_write_uc2(to, (int2)(4 * lanes + 8, row), uc[at].s01);
  intel_sub_group_block_write_us4(to, (int2)(0, row + 2), (ushort4)(us[at], 1, 2, 0xffff));
  intel_sub_group_block_write_ul(to, (int2)(0, row + 6), ul[at].s3);
  intel_sub_group_block_write(both, (int2)(0, row), ~intel_sub_group_block_read(both, (int2)(0, row)));
}
"""


def run_blocks(machine: str, form: str, folder: pathlib.Path) -> list[str]:
    """Blocks of sub-groups, for texels of any size: differences from rows of bytes, and in a replay."""
    pitch, height, groups = 576, 64, 4
    texel = reference.texel_bytes(*form.split("."))
    before = numpy.random.default_rng(3).integers(0, 256, (3, height, pitch), numpy.uint8)
    for name, rows in zip(("from", "to", "both"), before):
        (folder / f"{name}.bin").write_bytes(rows.tobytes())
    images = {name: {"format": form, "width": pitch // texel, "height": height, "file": f"{name}.bin"}
              for name in ("from", "to", "both")}
    buffers = {name: {"bytes": groups * 64 * size} for name, size in (("u", 8), ("us", 2), ("uc", 16), ("ul", 32))}
    args = [{"image": name} for name in images] + [{"buffer": name} for name in buffers]
    (folder / "k.cl").write_text(BLOCKS)
    (folder / "launch.json").write_text(json.dumps(
        {"program": "k.cl", "images": images, "buffers": buffers,
         "launches": [{"kernel": "blocks", "args": args, "global": [groups * 32], "local": [32]}]}))
    dumps = sum((["--dump", f"{name}={folder}/{name}.out"] for name in [*images, *buffers]), [])
    trace, reports = folder / "trace.wwt", [folder / "run.txt", folder / "replay.txt"]
    where = ["--machine", machine, "--set", "cu.warp_size=32"]
    subprocess.run([WARPWAIT, "run", str(folder / "launch.json"), *where, "--why=no", "--trace", str(trace), "--out",
                    str(reports[0]), *dumps], check=True)
    subprocess.run([WARPWAIT, "replay", str(trace), "--why=no", "--out", str(reports[1])], check=True)
    got = {name: (folder / f"{name}.out").read_bytes() for name in [*images, *buffers]}
    from_, to, both = before
    expected: dict[str, list] = {name: [] for name in buffers}
    for row in range(0, groups * 16, 16):
        for lane in range(32):
            def read(x, size, rows):
                return [bytes(from_[row + i, x + size * lane:x + size * (lane + 1)]) for i in range(rows)]
            u, us, uc, ul = read(8, 4, 2), read(12, 2, 1), read(4, 1, 16), read(16, 8, 4)
            for name, parts in (("u", u), ("us", us), ("uc", uc), ("ul", ul)):
                expected[name] += parts
            for x, y, parts in ((8 + 4 * lane, 0, u), (136 + lane, 0, uc[:2]),
                                (2 * lane, 2, [us[0], b"\1\0", b"\2\0", b"\xff\xff"]), (8 * lane, 6, ul[3:])):
                for i, part in enumerate(parts):
                    to[row + y + i, x:x + len(part)] = list(part)
        both[row, :128] = ~both[row, :128]
    wanted = {"from": from_.tobytes(), "to": to.tobytes(), "both": both.tobytes(),
              **{name: b"".join(parts) for name, parts in expected.items()}}
    wrong = [name for name, bytes_ in wanted.items() if got[name][:len(bytes_)] != bytes_]
    return wrong + ["the replay"] * (reports[0].read_text() != reports[1].read_text())


def main() -> int:
    passed = failed = 0
    for machine in ("teaching", "h200"):
        for form in ("r.unorm_int8", "rg.unorm_int8", "rgba.unorm_int8", "rgba.signed_int16", "rgba.float"):
            with tempfile.TemporaryDirectory() as folder:
                wrong = run_blocks(machine, form, pathlib.Path(folder))
            failed += bool(wrong)
            passed += not wrong
            if wrong:
                print(f"blocks of {form} on {machine}: {', '.join(wrong)} differ")
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            wrong = run(kind, pathlib.Path(folder))
        failed += bool(wrong)
        passed += not wrong
        if wrong:
            print(f"{kind}: {', '.join(wrong)} differ")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
