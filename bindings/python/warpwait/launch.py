"""Launches: a kernel with its NDRange and arguments."""
from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import c_uint64
from typing import TYPE_CHECKING, Any

import numpy

from . import _library
from ._library import Handle, make
from ._checks import raw, whole
from .device import Buffer, BufferAt, Device, Image, Local, Pipe
from .errors import BadInput
from .values import array_of, value_of

if TYPE_CHECKING:
    from .program import Argument, Kernel

__all__ = ["Arguments", "Launch", "Size"]

Array = numpy.ndarray[Any, Any]
Size = int | Sequence[int]
Arguments = Sequence[Any] | Mapping[str, Any]


class Launch:
    """A kernel with its NDRange and arguments, which any machine can run any number of times.

    What an argument may be depends on the kernel's declaration:

    - global and constant pointers: numpy arrays (C-contiguous, with the declared element type, or structured), which
      kernels read and change in place, without a copy; other objects with the buffer protocol; a Buffer of a device;
      None, the null pointer.
    - local pointers: Local(bytes).
    - values: Python's numbers, which are converted, or numpy scalars of exactly the declared type; sequences for
      vectors; structured scalars or bytes for structures.
    - pipes: a Pipe of a device. Images: an Image of a device. Samplers: words separated by commas, such as
      "normalized,repeat,linear".

    Do not change an array during a run. A read-only array can only be passed to pointers to const, and is copied.
    """

    def __init__(self, kernel: Kernel, global_size: Size, local_size: Size | None, offset: Size | None,
                 args: Arguments) -> None:
        self.kernel = kernel
        self.global_size = _sizes("global_size", global_size)
        dimensions = len(self.global_size)
        self.local_size = None if local_size is None else _sizes("local_size", local_size, dimensions)
        self.offset = None if offset is None else _sizes("offset", offset, dimensions)
        self.given = list(self._in_order(args))
        self.args = [self._checked(place, argument, value) for place, (argument, value)
                     in enumerate(zip(kernel.arguments, self.given))]

    def _in_order(self, args: Arguments) -> Sequence[Any]:
        """The arguments in the kernel's order."""
        names = [argument.name for argument in self.kernel.arguments]
        if isinstance(args, Mapping):
            for wrong in [*(set(args) - set(names)), *(name for name in names if name not in args)]:
                raise BadInput(f"kernel '{self.kernel.name}': "
                               + (f"argument '{wrong}' is missing" if wrong in names else f"no argument '{wrong}'")
                               + f"; its arguments are {', '.join(names) or 'none'}")
            args = [args[name] for name in names]
        if isinstance(args, (str, bytes, numpy.ndarray)) or not hasattr(args, "__iter__"):
            raise BadInput(f"kernel '{self.kernel.name}': args: expected a sequence or a mapping by name, found "
                           f"{type(args).__name__}")
        args = list(args)
        if len(args) != len(names):
            raise BadInput(f"kernel '{self.kernel.name}': expected {len(names)} argument{'' if len(names) == 1 else 's'} "
                           f"({', '.join(names)}), found {len(args)}")
        return args

    def _checked(self, place: int, argument: Argument, value: Any) -> Any:
        try:
            return _converted(argument, value)
        except BadInput as error:
            raise self._at(place, error) from None

    def _at(self, place: int, error: BadInput) -> BadInput:
        return BadInput(f"kernel '{self.kernel.name}': argument {place + 1}, '{self.kernel.arguments[place].name}': "
                        f"{error}")

    # ---- on a device -------------------------------------------------------------------------------

    def bound(self, device: Device, kept: dict[Any, Handle]) -> Handle:
        """A ww_launch on the device. kept: the buffers of arrays, shared by all launches of a run."""
        handle = make("launch", "launch_new", device.handle, self.kernel.program.handle, self.kernel.row)
        _library.call("launch_range", handle, len(self.global_size), _list(self.offset), _list(self.global_size),
                      _list(self.local_size))
        for place, (argument, value) in enumerate(zip(self.kernel.arguments, self.args)):
            self._set(handle, place, argument, value, device, kept)
        return handle

    def _set(self, handle: Handle, place: int, argument: Argument, value: Any, device: Device,
             kept: dict[Any, Handle]) -> None:
        if isinstance(value, bytes):
            _library.call("launch_value", handle, place, value, len(value))
        elif isinstance(value, Local):
            _library.call("launch_local", handle, place, value.bytes)
        elif value is None:
            _library.call("launch_buffer", handle, place, None, 0)
        elif isinstance(value, str):
            _library.call("launch_sampler", handle, place, raw(value))
        elif isinstance(value, numpy.ndarray):
            _library.call("launch_buffer", handle, place, _buffer_of(argument, value, device, kept), 0)
        else:
            owner = value.buffer if isinstance(value, BufferAt) else value
            if owner.device is not device:
                raise self._at(place, BadInput(f"{owner!r} belongs to another device; run the launch on that one"))
            if isinstance(value, Pipe):
                _library.call("launch_pipe", handle, place, value.handle)
            elif isinstance(value, Image):
                _library.call("launch_image", handle, place, value.handle)
            else:
                offset = value.offset if isinstance(value, BufferAt) else 0
                _library.call("launch_buffer", handle, place, owner.handle, offset)

    def copied(self, kernel: Kernel | None = None) -> Launch:
        """A launch with copies of the arrays, so that a run does not change the caller's; of another kernel if one is
        given. Raises BadInput."""
        copies = _Copies([value for value in self.args if isinstance(value, numpy.ndarray)])
        given = [copies.of(value) if isinstance(value, numpy.ndarray) else given
                 for value, given in zip(self.args, self.given)]
        return Launch(kernel or self.kernel, self.global_size, self.local_size, self.offset, given)

    def __repr__(self) -> str:
        return f"<Launch of {self.kernel.name} over {' x '.join(map(str, self.global_size))} work-items>"


class _Copies:
    """Copies of arrays. Copies of arrays that share memory share memory, too."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self._ranges: list[tuple[int, int, Array]] = []  # from, to, copy
        ends = sorted((array.ctypes.data, array.ctypes.data + array.nbytes) for array in arrays)
        while ends:
            start, end = ends.pop(0)
            while ends and ends[0][0] < end:
                end = max(end, ends.pop(0)[1])
            held = (ctypes.c_char * (end - start)).from_address(start)
            self._ranges.append((start, end, numpy.array(numpy.frombuffer(held, numpy.uint8))))  # type: ignore[call-overload]

    def of(self, array: Array) -> Array:
        """The copy of one of the arrays."""
        place = array.ctypes.data
        start, copy = next((start, copy) for start, end, copy in self._ranges if start <= place < end)
        found: Array = copy[place - start:place - start + array.nbytes].view(array.dtype).reshape(array.shape)
        found.flags.writeable = array.flags.writeable
        return found


def _sizes(name: str, size: Size, dimensions: int | None = None) -> tuple[int, ...]:
    sizes = [size] if hasattr(size, "__index__") else size
    if isinstance(sizes, (str, bytes)) or not hasattr(sizes, "__iter__"):
        raise BadInput(f"{name}: expected a number or up to three, found {size!r}")
    found = tuple(whole(name, one, 0, (1 << 64) - 1) for one in sizes)
    if not 1 <= len(found) <= 3:
        raise BadInput(f"{name}: expected one to three numbers, found {len(found)}")
    if dimensions is not None and len(found) != dimensions:
        raise BadInput(f"{name}: expected {dimensions} number{'' if dimensions == 1 else 's'}, as global_size has, "
                       f"found {len(found)}")
    return found


def _list(sizes: tuple[int, ...] | None) -> Any:
    return None if sizes is None else (c_uint64 * len(sizes))(*sizes)


def _converted(argument: Argument, value: Any) -> Any:
    """The value in the form in which it is set: bytes, an array, Local, None, Buffer, BufferAt or Pipe. Raises
    BadInput."""
    if argument.kind == "value":
        return value_of(argument, value)
    if argument.kind == "local":
        if not isinstance(value, Local):
            raise BadInput(f"local memory: expected warpwait.Local(bytes), found {value!r}")
        return value
    if argument.kind == "pipe":
        if not isinstance(value, Pipe):
            raise BadInput(f"expected a Pipe, found {type(value).__name__}")
        return value
    if argument.kind == "image":
        if not isinstance(value, Image):
            raise BadInput(f"expected an Image of a device, found {type(value).__name__}")
        return value
    if argument.kind == "sampler":
        if not isinstance(value, str):
            raise BadInput(f'expected a sampler, such as "normalized,repeat,linear", found {value!r}')
        return value
    if value is None or isinstance(value, (Buffer, BufferAt)):
        return value
    return array_of(argument, value)


def _buffer_of(argument: Argument, array: numpy.ndarray[Any, Any], device: Device, kept: dict[Any, Handle]) -> Handle:
    """A buffer over the array's memory, or with a copy of it if the array is read-only."""
    place = array.ctypes.data
    key = (place, array.nbytes, array.flags.writeable)
    if key not in kept:
        name = raw(argument.name)
        if array.flags.writeable:
            kept[key] = make("buffer", "buffer_new_over", device.handle, name, place, array.nbytes)
        else:
            kept[key] = make("buffer", "buffer_new", device.handle, name, array.nbytes)
            ctypes.memmove(_library.library().ww_buffer_data(kept[key]), place, array.nbytes)
    return kept[key]
