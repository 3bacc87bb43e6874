"""Converts kernel arguments to and from numpy's types."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy

from .errors import BadInput

if TYPE_CHECKING:
    from .program import Argument

# Scalar types of OpenCL C and of assembly.
SCALARS = {"char": "i1", "uchar": "u1", "unsigned char": "u1", "short": "i2", "ushort": "u2", "unsigned short": "u2",
           "int": "i4", "uint": "u4", "unsigned int": "u4", "long": "i8", "ulong": "u8", "unsigned long": "u8",
           "size_t": "u8", "half": "f2", "float": "f4", "double": "f8", "bool": "u1",
           "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8", "f16": "f2", "f32": "f4", "f64": "f8"}


def scalar_of(name: str) -> tuple[numpy.dtype[Any], int] | None:
    """("float4") -> float32 and 4; None for a type that is not a scalar or vector of OpenCL C."""
    for word in (name, name.rstrip("0123456789")):
        if word in SCALARS:
            width = name[len(word):]
            return numpy.dtype(SCALARS[word]), int(width or 1)
    match = re.fullmatch(r"([uf]\d+)x(\d+)", name)
    return (numpy.dtype(SCALARS[match[1]]), int(match[2])) if match and match[1] in SCALARS else None


def same(have: numpy.dtype[Any], want: numpy.dtype[Any]) -> bool:
    """Whether elements of one type may be read as the other: both have the same size, and both are integers (signed,
    unsigned or bool) or floating-point."""
    integers = "iub"
    return have.itemsize == want.itemsize and (have.kind == want.kind or
                                               (have.kind in integers and want.kind in integers))


def array_of(argument: Argument, value: Any) -> numpy.ndarray[Any, Any]:
    """The array for a buffer argument: the value itself, or a view of an object with the buffer protocol. Raises
    BadInput if the kernel cannot work on its bytes."""
    if not isinstance(value, numpy.ndarray):
        try:
            value = numpy.asarray(memoryview(value))
        except TypeError:
            raise BadInput(f"expected an array, a Buffer or None, found {type(value).__name__}; numpy.asarray() makes an array of it") from None
    if value.dtype.hasobject:
        raise BadInput(f"dtype {value.dtype}: Python objects have no bytes that a kernel could read")
    if not value.flags.c_contiguous:
        raise BadInput("the array is not C-contiguous; numpy.ascontiguousarray() makes a copy that is")
    if not value.dtype.isnative:
        raise BadInput(f"dtype {value.dtype}: kernels read little-endian numbers")
    if not value.nbytes:
        raise BadInput("the array is empty; a buffer has at least 1 byte")
    if not value.flags.writeable and "const" not in argument.qualifiers and not argument.constant:
        raise BadInput("the array is read-only and the kernel may write to it; declare the pointer const, or pass a "
                       "copy")
    array: numpy.ndarray[Any, Any] = value
    _check_elements(argument, array.dtype, array.shape)
    return array


def _check_elements(argument: Argument, have: numpy.dtype[Any], shape: tuple[int, ...]) -> None:
    known = scalar_of(argument.source_type.rstrip("*")) if argument.source_type.endswith("*") else None
    if known is None or have.fields is not None or have.kind == "V":
        return
    want, width = known
    if have.kind == "c" and width == 2 and want.kind == "f" and have.itemsize == 2 * want.itemsize:
        return  # a complex number is passed as a pair
    if not same(have, want):
        raise BadInput(f"{argument.source_type}: expected an array of {want}, found {have}")
    if width == 3 and shape[-1] == 3 and len(shape) > 1:
        raise BadInput(f"{argument.source_type}: vectors of 3 are stored as 4: expected a shape that ends with 4, found "
                       f"{shape}")


def value_of(argument: Argument, value: Any) -> bytes:
    """The bytes of a value argument. Python's numbers are converted; numpy's must have the type. Raises BadInput."""
    known = scalar_of(argument.source_type) or scalar_of(argument.type)
    named = argument.source_type or argument.type
    if known is None:
        return _whole(value, argument.bytes, named)
    scalar, width = known
    if width == 1:
        return _scalar(value, scalar, named)
    if isinstance(value, numpy.void) or (isinstance(value, numpy.ndarray) and value.dtype.fields is not None):
        return _whole(value, argument.bytes, named)
    try:
        parts = list(value)
    except TypeError:
        parts = []
    if len(parts) != width:
        raise BadInput(f"{named}: expected {width} numbers, found {value!r}")
    return b"".join(_scalar(part, scalar, named) for part in parts).ljust(argument.bytes, b"\0")


def _whole(value: Any, size: int, named: str) -> bytes:
    """A structure's bytes."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        found = value.tobytes()
    elif isinstance(value, (bytes, bytearray, memoryview)):
        found = bytes(value)
    else:
        raise BadInput(f"{named}: expected {size} bytes or a structured numpy value, found {type(value).__name__}")
    if len(found) != size:
        raise BadInput(f"{named}: expected {size} bytes, found {len(found)}")
    return found


def _scalar(value: Any, scalar: numpy.dtype[Any], named: str) -> bytes:
    if isinstance(value, numpy.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, numpy.generic):
        if not same(value.dtype, scalar):
            raise BadInput(f"{named}: expected {scalar}, found {value.dtype}")
        return value.tobytes()
    if scalar.kind == "f":
        if not isinstance(value, (int, float)):
            raise BadInput(f"{named}: expected a number, found {value!r}")
        try:
            with numpy.errstate(over="ignore"):
                return numpy.asarray(value, scalar).tobytes()
        except OverflowError:
            raise BadInput(f"{named}: the number is too large") from None
    if not isinstance(value, int):
        raise BadInput(f"{named}: expected an integer, found {value!r}")
    # Assembly's integer types accept both signed and unsigned values.
    least = -(1 << 8 * scalar.itemsize - 1) if scalar.kind == "i" or named[:1] == "u" and named[1:].isdigit() else 0
    most = (1 << 8 * scalar.itemsize - (scalar.kind == "i")) - 1
    if not least <= value <= most:
        raise BadInput(f"{named}: {value} is outside [{least}, {most}]")
    return (value & (1 << 8 * scalar.itemsize) - 1).to_bytes(scalar.itemsize, "little")
