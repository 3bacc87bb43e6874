"""Images as the OpenCL specification describes them: formats, addressing, filters, independent of the simulator's code.

Written from OpenCL 3.0, "Image addressing and filtering" and "Conversion rules for normalized channels". Coordinates
are computed in single precision, one operation after the other; the rest in double precision, rounded once, which is
within the error that the specification allows and what docs/images.md promises."""
from __future__ import annotations

import numpy

F = numpy.float32

# Channels in memory, and the alpha of the border.
ORDERS = {"r": ("r", 1), "a": ("a", 0), "rg": ("rg", 1), "ra": ("ra", 0), "rgba": ("rgba", 0), "bgra": ("bgra", 0),
          "argb": ("argb", 0), "abgr": ("abgr", 0), "intensity": ("i", 0), "luminance": ("l", 1), "rx": ("r", 0),
          "rgx": ("rg", 0), "depth": ("r", 1), "rgb": ("rgb", 1), "rgbx": ("rgb", 0), "srgba": ("rgba", 0),
          "sbgra": ("bgra", 0)}
SCALARS = {"snorm_int8": numpy.int8, "snorm_int16": numpy.int16, "unorm_int8": numpy.uint8, "unorm_int16": numpy.uint16,
           "signed_int8": numpy.int8, "signed_int16": numpy.int16, "signed_int32": numpy.int32,
           "unsigned_int8": numpy.uint8, "unsigned_int16": numpy.uint16, "unsigned_int32": numpy.uint32,
           "half_float": numpy.float16, "float": numpy.float32}
PACKED = {"unorm_short_565": (2, (5, 6, 5)), "unorm_short_555": (2, (5, 5, 5)), "unorm_int_101010": (4, (10, 10, 10)),
          "unorm_int_101010_2": (4, (10, 10, 10, 2))}


def formats() -> list[tuple[str, str]]:
    """Every legal combination of order and type."""
    plain = [(order, kind) for order in ("r", "a", "rg", "ra", "rgba", "rx", "rgx") for kind in SCALARS]
    eight = [(order, kind) for order in ("bgra", "argb", "abgr")
             for kind in ("unorm_int8", "snorm_int8", "signed_int8", "unsigned_int8")]
    light = [(order, kind) for order in ("intensity", "luminance")
             for kind in ("unorm_int8", "unorm_int16", "snorm_int8", "snorm_int16", "half_float", "float")]
    packed = [(order, kind) for order in ("rgb", "rgbx") for kind in list(PACKED)[:3]] + [("rgba", "unorm_int_101010_2")]
    return plain + eight + light + packed + [("depth", "unorm_int16"), ("depth", "float"), ("srgba", "unorm_int8"),
                                             ("sbgra", "unorm_int8")]


def is_integer(kind: str) -> bool:
    return kind.startswith(("signed", "unsigned"))


def texel_bytes(order: str, kind: str) -> int:
    return PACKED[kind][0] if kind in PACKED else len(ORDERS[order][0]) * numpy.dtype(SCALARS[kind]).itemsize


def quiet(values: numpy.ndarray) -> numpy.ndarray:
    """Replaces every NaN by the one quiet NaN."""
    return numpy.where(numpy.isnan(values), F(numpy.nan), values).astype(F)


def decode(order: str, kind: str, raw: bytes) -> numpy.ndarray:
    """Texels as four channels each: floats, or integers as read."""
    letters = ORDERS[order][0]
    if kind in PACKED:
        size, bits = PACKED[kind]
        words = numpy.frombuffer(raw, numpy.uint16 if size == 2 else numpy.uint32).astype(numpy.uint64)
        out = numpy.zeros((len(words), 4), F)
        out[:, 3] = 1
        shift = sum(bits)
        for i, width in enumerate(bits):
            shift -= width
            field = words >> numpy.uint64(shift) & numpy.uint64((1 << width) - 1)
            out[:, i] = (field / float((1 << width) - 1)).astype(F)
        return out
    stored = numpy.frombuffer(raw, SCALARS[kind]).reshape(-1, len(letters))
    if is_integer(kind):
        values = stored.astype(numpy.int64)
    elif kind.startswith("unorm"):
        values = (stored / float(numpy.iinfo(SCALARS[kind]).max)).astype(F)
    elif kind.startswith("snorm"):
        values = numpy.maximum(stored / float(numpy.iinfo(SCALARS[kind]).max), -1).astype(F)
    elif kind == "half_float":
        values = quiet(stored.astype(F))
    else:
        values = stored
    if order.startswith("s"):
        c = stored / 255.0
        linear = numpy.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4).astype(F)
        values = numpy.where(numpy.array([letter != "a" for letter in letters]), linear, values)
    out = numpy.zeros((len(stored), 4), numpy.int64 if is_integer(kind) else F)
    out[:, 3] = 1
    for i, letter in enumerate(letters):
        for channel in {"i": (0, 1, 2, 3), "l": (0, 1, 2)}.get(letter, ("rgba".find(letter),)):
            out[:, channel] = values[:, i]
    return out


def to_norm(values: numpy.ndarray, least: int, most: int) -> numpy.ndarray:
    scaled = numpy.rint((values.astype(F) * F(most)).astype(numpy.float64))
    return numpy.where(numpy.isnan(scaled), 0, numpy.clip(scaled, least, most)).astype(numpy.int64)


def encode(order: str, kind: str, channels: numpy.ndarray) -> bytes:
    """Four channels per texel, floats or integers, as bytes."""
    letters = ORDERS[order][0]
    if kind in PACKED:
        size, bits = PACKED[kind]
        word = numpy.zeros(len(channels), numpy.int64)
        for i, width in enumerate(bits):
            word = word << width | to_norm(channels[:, i], 0, (1 << width) - 1)
        return word.astype(numpy.uint16 if size == 2 else numpy.uint32).tobytes()
    out = numpy.zeros((len(channels), len(letters)), SCALARS[kind])
    for i, letter in enumerate(letters):
        values = channels[:, max("rgba".find(letter), 0)]
        if is_integer(kind):
            info = numpy.iinfo(SCALARS[kind])
            words = values.astype(numpy.int64)
            stored = numpy.clip(words & 0xffffffff if kind.startswith("unsigned") else words, info.min, info.max)
        elif order.startswith("s") and letter != "a":
            c = values.astype(numpy.float64)
            curve = numpy.where(c < 0.0031308, 12.92 * c, 1.055 * numpy.maximum(c, 0) ** (1 / 2.4) - 0.055)
            stored = numpy.rint(255 * numpy.where(c >= 1, 1, numpy.where(c > 0, curve, 0)))
        elif kind.startswith(("unorm", "snorm")):
            info = numpy.iinfo(SCALARS[kind])
            stored = to_norm(values, info.min, info.max)
        elif kind == "half_float":
            with numpy.errstate(all="ignore"):
                stored = quiet(values).astype(numpy.float16)
        else:
            stored = values
        out[:, i] = stored.astype(SCALARS[kind])
    return out.tobytes()


def floor_to_int(values: numpy.ndarray) -> numpy.ndarray:
    clipped = numpy.clip(numpy.where(numpy.isnan(values), F(0), values), F(-2.0**30), F(2.0**30))
    return numpy.floor(clipped).astype(numpy.int64)


def along(values: numpy.ndarray, size: int, mode: str, normalized: bool, linear: bool):
    """Indices of one or two texels along an axis (-1 and `size` are the border), and the weight of the second."""
    with numpy.errstate(all="ignore"):
        if normalized and mode == "repeat":
            u = (values - numpy.floor(values)) * F(size)
        elif normalized and mode == "mirrored_repeat":
            u = numpy.abs(values - F(2) * numpy.rint(F(0.5) * values)) * F(size)
        else:
            u = values * F(size) if normalized else values
        from_ = u - F(0.5)
        first = floor_to_int(from_ if linear else u)
        second = first + 1
        weight = numpy.where(numpy.abs(from_) > F(2.0**30), F(0), from_ - numpy.floor(from_)).astype(F)
        weight = numpy.where(numpy.isnan(weight), F(0), weight)
    if normalized and mode == "repeat":
        if linear:
            first, second = numpy.where(first < 0, first + size, first), numpy.where(second > size - 1, second - size, second)
        else:
            first = numpy.where(first > size - 1, first - size, first)
    elif normalized and mode == "mirrored_repeat":
        first, second = numpy.minimum(numpy.maximum(first, 0), size - 1), numpy.minimum(second, size - 1)
    low, high = (0, size - 1) if mode == "clamp_to_edge" else (-1, size)
    return numpy.clip(first, low, high), numpy.clip(second, low, high), weight


def sample(image: numpy.ndarray, border: numpy.ndarray, coordinates: numpy.ndarray, arrayed: bool, mode: str,
           normalized: bool, linear: bool) -> numpy.ndarray:
    """Reads of an image of channels [z, y, x, 4], or [layer, ...]: coordinates are [n, 1 to 3], floats or integers."""
    sizes = image.shape[2::-1]
    flat = image.shape[1] == 1 and coordinates.shape[1] == 1 + arrayed
    directions = coordinates.shape[1] - arrayed
    whole = coordinates.dtype.kind == "i"
    axes = []
    for i in range(directions):
        if whole:
            low, high = (0, sizes[i] - 1) if mode == "clamp_to_edge" else (-1, sizes[i])
            at = numpy.clip(coordinates[:, i].astype(numpy.int64), low, high)
            axes.append((at, at, numpy.zeros(len(at))))
        else:
            axes.append(along(coordinates[:, i], sizes[i], mode, normalized, linear and not whole))
    layer = numpy.zeros(len(coordinates), numpy.int64)
    if arrayed:
        last = coordinates[:, -1]
        layer = numpy.clip(last if whole else floor_to_int(numpy.rint(last)), 0, image.shape[0] - 1).astype(numpy.int64)
    assert flat or image.shape[1] > 1 or directions > 1
    total = numpy.zeros((len(coordinates), 4), numpy.float64)
    result = None
    for corner in range(1 << directions if linear and not whole else 1):
        index, weight, outside = [], numpy.ones(len(coordinates)), numpy.zeros(len(coordinates), bool)
        for i, (first, second, part) in enumerate(axes):
            at = second if corner >> i & 1 else first
            outside |= (at < 0) | (at >= sizes[i])
            index.append(numpy.clip(at, 0, sizes[i] - 1))
            part = part.astype(numpy.float64)
            weight = weight * (part if corner >> i & 1 else 1 - part)
        while len(index) < 3:
            index.append(numpy.zeros(len(coordinates), numpy.int64))
        texels = image[layer if arrayed else index[2], index[1], index[0]]
        texels = numpy.where(outside[:, None], border, texels)
        if not linear or whole:
            result = texels
        else:
            with numpy.errstate(all="ignore"):
                total += weight[:, None] * texels.astype(numpy.float64)
    if result is None:
        with numpy.errstate(all="ignore"):
            result = quiet(total.astype(F))
    return result
