#!/usr/bin/env python3
"""Runs a launch file through OpenCL on the first available device. tests/check/oclgrind.py starts it under Oclgrind.

usage: oclgrind_host.py LAUNCH.json [OPTION...], with options for the compiler.

Concurrent launches run one after the other, which OpenCL allows. The last line of standard output is the CPU time of
the launches in seconds, without compiling. If something cannot be run, standard error says so and the exit status is
2."""
import json
import math
import pathlib
import re
import sys
import time

import numpy as np
import pyopencl as cl

TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "long": "i8", "ulong": "u8",
         "half": "f2", "float": "f4", "double": "f8"}


class Unsupported(Exception):
    """Oclgrind or this host does not support it."""


def typed(name):
    """An OpenCL C type as a numpy type, its number of components, and the number of components that it occupies."""
    base, width = re.fullmatch(r"([a-z]+)(\d*)", name).groups()
    width = int(width or 1)
    return np.dtype(TYPES[base]), width, 4 if width == 3 else width


def values_of(elem, elements):
    """Elements, each a value or a list of components, as bytes."""
    dtype, width, room = typed(elem)
    array = np.zeros((len(elements), room), dtype)
    array[:, :width] = np.array([np.resize(element, width) for element in elements]).astype(dtype)
    return array


def contents(buffer, folder):
    """A buffer's initial bytes."""
    size = buffer["bytes"]
    if "file" in buffer:
        return np.fromfile(folder / buffer["file"], np.uint8)
    elem = buffer.get("elem", "uint")
    dtype, _, room = typed(elem)
    count = size // (dtype.itemsize * room)
    if "values" in buffer:
        return values_of(elem, buffer["values"])
    if buffer.get("fill") == "iota":
        return values_of(elem, range(count))
    if buffer.get("fill") == "random":
        # The values do not matter: no kernel breaks its rule because of them.
        return np.random.default_rng(buffer.get("seed", 1)).integers(0, 256, size, np.uint8)
    return np.zeros(size, np.uint8)


def image_of(context, image, folder):
    """An image without layers; its texels come from the bytes as a buffer's elements do."""
    kind = image.get("kind", "2d")
    if kind not in ("1d", "2d", "3d"):
        raise Unsupported("images of kind %s" % kind)
    order, channels = image.get("format", "rgba.unorm_int8").upper().split(".")
    image_format = cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, channels))
    shape = tuple(image[size] for size in ("width", "height", "depth") if size in image)
    data = contents({**image, "bytes": math.prod(shape) * image_format.itemsize}, folder)
    return cl.Image(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, image_format, shape, hostbuf=data)


def sampler_of(context, text):
    words = set(text.split(","))
    modes = words - {"normalized", "nearest", "linear"} or {"none"}
    return cl.Sampler(context, "normalized" in words, getattr(cl.addressing_mode, modes.pop().upper()),
                      cl.filter_mode.LINEAR if "linear" in words else cl.filter_mode.NEAREST)


def argument(context, arg, buffers):
    """`buffers` includes images."""
    (kind, value), = ((kind, value) for kind, value in arg.items() if kind != "offset")
    if kind == "buffer":
        if "offset" in arg:
            raise Unsupported("an offset into a buffer")
        return None if value is None else buffers[value]
    if kind == "image":
        return buffers[value]
    if kind == "sampler":
        return sampler_of(context, value)
    if kind == "local":
        return cl.LocalMemory(value)
    if kind == "pipe":
        raise Unsupported("pipes")
    return values_of(kind, [value])


def run(path, options):
    launch_file = json.loads(path.read_text())
    settings = launch_file.get("build", {})
    options = ["-cl-std=" + settings.get("std", "CL2.0"), "-I", str(path.parent), *options]
    options += ["-D%s%s" % (name, "" if value is True else "=%s" % value)
                for name, value in settings.get("defines", {}).items()]
    context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
    queue = cl.CommandQueue(context)
    buffers = {}
    for name, buffer in launch_file.get("buffers", {}).items():
        data = contents(buffer, path.parent)
        buffers[name] = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
    for name, image in launch_file.get("images", {}).items():
        buffers[name] = image_of(context, image, path.parent)
    program = cl.Program(context, (path.parent / launch_file["program"]).read_text())
    program.build(options=options, devices=context.devices)
    begin = time.process_time()
    launches = [part for launch in launch_file["launches"] for part in launch.get("together", [launch])]
    for launch in launches:
        kernel = cl.Kernel(program, launch["kernel"])
        kernel.set_args(*(argument(context, arg, buffers) for arg in launch["args"]))
        cl.enqueue_nd_range_kernel(queue, kernel, launch["global"], launch.get("local"), launch.get("offset"))
        queue.finish()
    print(time.process_time() - begin)


def main():
    try:
        run(pathlib.Path(sys.argv[1]), sys.argv[2:])
    except Unsupported as error:
        sys.exit(complain(error))
    except cl.Error as error:
        errors = re.findall(r"error: (.*)", str(error))
        sys.exit(complain(errors[0] if errors else str(error).splitlines()[0]))


def complain(reason):
    print(reason, file=sys.stderr)
    return 2


if __name__ == "__main__":
    main()
