"""Devices, which keep their state between runs, and their memory."""
from __future__ import annotations

import ctypes
import math
import os
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy

from . import _library
from ._checks import raw, whole
from ._library import Handle, make
from .errors import BadInput, WarpwaitError, entry
from .machine import Machine

if TYPE_CHECKING:
    from .recording import Recording

__all__ = ["Buffer", "Device", "Image", "Local", "Pipe"]


class Local:
    """Local memory for an argument: `Local(1024)` bytes, or room for an array, `Local((8, 32), numpy.float32)`."""

    def __init__(self, shape: int | tuple[int, ...], dtype: Any = numpy.uint8) -> None:
        self.bytes = shape_of("Local", shape)[1] * dtype_of("Local", dtype).itemsize
        whole("Local", self.bytes, 1, (1 << 64) - 1)

    def __repr__(self) -> str:
        return f"Local({self.bytes})"


def shape_of(name: str, shape: Any) -> tuple[tuple[int, ...], int]:
    """A shape, and its number of elements. Raises BadInput."""
    found = tuple(whole(f"{name}: shape", one, 0, 1 << 62) for one in (shape if isinstance(shape, tuple) else (shape,)))
    return found, math.prod(found)


def dtype_of(name: str, dtype: Any) -> numpy.dtype[Any]:
    """A dtype without Python objects. Raises BadInput."""
    try:
        found: numpy.dtype[Any] = numpy.dtype(dtype)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name}: dtype: {error}") from None
    if found.hasobject or not found.itemsize:
        raise BadInput(f"{name}: dtype {found}: expected numbers or structures of them")
    return found


class Device:
    """A machine at work. Simulated time and the contents of memory and caches carry over from run to run. For figures
    that do not depend on earlier runs, run on a Machine instead.

        device = Device("h200")
        x = device.buffer(numpy.arange(1024, dtype=numpy.float32))
        for _ in range(3):
            kernel.run(device, global_size=1024, args=[x])
        x.array

    A device belongs to one thread at a time: other threads wait until a run ends. It cannot be pickled.
    """

    @entry
    def __init__(self, machine: Machine | str | os.PathLike[str] | None = None) -> None:
        self.machine = Machine.of(machine)
        self.handle: Handle = make("device", "device_new", self.machine.handle)
        self._lock = threading.RLock()
        self._runs = self._lost = False
        DEVICES.add(self)

    @property
    def now(self) -> int:
        """The cycle in which the next run starts; 0 for a new device."""
        return int(_library.library().ww_device_now(self.handle))

    @entry
    def buffer(self, data: Any, dtype: Any = None, name: str = "buffer") -> Buffer:
        """Global memory that contains a copy of an array, or zeros of a shape (an int or a tuple) and a dtype (default:
        float32)."""
        if isinstance(data, (int, tuple)):
            return Buffer(self, data, dtype_of("buffer", numpy.float32 if dtype is None else dtype), name)
        array = numpy.asarray(data, dtype)
        made = Buffer(self, array.shape, array.dtype, name)
        made.array[...] = array
        return made

    @entry
    def pipe(self, packets: int, dtype: Any = numpy.int32, name: str = "pipe") -> Pipe:
        """An empty pipe for up to `packets` packets, each an element of the dtype."""
        return Pipe(self, whole("packets", packets, 1, (1 << 24) - 1), dtype_of("pipe", dtype), name)

    @entry
    def image(self, data: Any, format: str = "rgba.unorm_int8", kind: str | None = None, name: str = "image") -> Image:
        """An image of texels in this format ("rgba.unorm_int8", "r.float", ...): a copy of an array, or zeros.

        The axes of an array are slices or layers, rows, columns and channels, those that the image has: (480, 640, 4)
        is an image of 640 x 480 texels with four channels. Formats with one channel, and those that pack all channels
        into a word, have no axis for channels. For zeros, data is the shape, a tuple without channels: (480, 640).
        kind: "1d", "2d" or "3d", by default according to the axes; or "1d_array", "1d_buffer" or "2d_array".
        """
        return Image(self, data, format, kind, name)

    @contextmanager
    def recording(self) -> Iterator[Recording]:
        """Records all runs within the `with` as one Recording, which is complete when the `with` ends.

            with device.recording() as recording:
                first.run(device, ...)
                second.run(device, ...)
            recording.run("h200")

        Caches are empty when it begins. If runs are missing, raises Unsupported at its end, with the reason.
        """
        from .recording import Recording
        recording = Recording.__new__(Recording)
        recording._open(b"", "recording.wwt", False)
        callbacks = _library.Callbacks()
        sink, parts = callbacks.sink()
        with callbacks.reachable():
            _library.call("device_record", self.handle, sink)
            try:
                yield recording
            except BaseException:
                with suppress(WarpwaitError):
                    _library.call("device_record_end", self.handle)
                raise
            _library.call("device_record_end", self.handle)
        recording._open(b"".join(parts), "recording.wwt", False)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Wraps a run. Raises BadInput in a callback of a run in progress."""
        with self._lock:
            if self._lost:
                raise BadInput("the device was running in another thread when this process was forked; create a new one")
            if self._runs:
                raise BadInput("the device is already running: a callback of a run cannot start another run on it")
            self._runs = True
            try:
                yield
            finally:
                self._runs = False

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Device cannot be pickled: its memory and caches belong to this process; create one from device.machine there")

    def __repr__(self) -> str:
        return f"<Device {self.machine.name} at cycle {self.now}>"


class Buffer:
    """Global memory of a device, zeroed. array: a numpy array over its bytes, to read and write in place, but not
    during a run. address: its address in kernels; one buffer may contain the address of another."""

    def __init__(self, device: Device, shape: int | tuple[int, ...], dtype: numpy.dtype[Any], name: str) -> None:
        self.device, self.name = device, name
        shape, count = shape_of("buffer", shape)
        size = whole("buffer: bytes", count * dtype_of("buffer", dtype).itemsize, 1, 1 << 40)
        self.handle = make("buffer", "buffer_new", device.handle, raw(name), size)
        memory = (ctypes.c_char * size).from_address(_library.library().ww_buffer_data(self.handle))
        memory.owner = self.handle  # type: ignore[attr-defined]
        flat: numpy.ndarray[Any, Any] = numpy.frombuffer(memory, dtype)  # type: ignore[call-overload]
        self.array = flat.reshape(shape)

    @property
    def address(self) -> int:
        """Its address in kernels."""
        return int(_library.library().ww_buffer_address(self.handle))

    def at(self, offset: int) -> BufferAt:
        """An argument that points `offset` bytes into the buffer."""
        return BufferAt(self, whole("offset", offset, 0, self.array.nbytes - 1))

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        return self.array.shape

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The array's dtype."""
        found: numpy.dtype[Any] = self.array.dtype
        return found

    def __getitem__(self, place: Any) -> Any:
        return self.array[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        self.array[place] = value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> numpy.ndarray[Any, Any]:
        return numpy.array(self.array, dtype) if copy else numpy.asarray(self.array, dtype)

    def __len__(self) -> int:
        return len(self.array)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Buffer cannot be pickled: it is a device's memory; pickle buffer.array")

    def __repr__(self) -> str:
        return f"<Buffer {self.name}: {self.array.shape} of {self.array.dtype}>"


class BufferAt:
    """A place in a buffer."""

    def __init__(self, buffer: Buffer, offset: int) -> None:
        self.buffer, self.offset = buffer, offset


class Pipe:
    """A FIFO of packets on a device."""

    def __init__(self, device: Device, packets: int, dtype: numpy.dtype[Any], name: str) -> None:
        self.device, self.packets, self.dtype, self.name = device, packets, dtype, name
        self.handle = make("pipe", "pipe_new", device.handle, raw(name), dtype.itemsize, packets)

    @property
    def array(self) -> numpy.ndarray[Any, Any]:
        """A copy of the packets that can be read, the oldest first."""
        library = _library.library()
        parts = [ctypes.string_at(library.ww_pipe_packet(self.handle, place), self.dtype.itemsize)
                 for place in range(library.ww_pipe_packets(self.handle))]
        return numpy.frombuffer(b"".join(parts), self.dtype)

    def __len__(self) -> int:
        return int(_library.library().ww_pipe_packets(self.handle))

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a Pipe cannot be pickled: it is a device's memory; pickle pipe.array")

    def __repr__(self) -> str:
        return f"<Pipe {self.name}: {len(self)} of {self.packets} packets of {self.dtype}>"


# The numpy type of a channel, or of a texel that packs all its channels.
CHANNELS = {"snorm_int8": numpy.int8, "snorm_int16": numpy.int16, "unorm_int8": numpy.uint8, "unorm_int16": numpy.uint16,
            "signed_int8": numpy.int8, "signed_int16": numpy.int16, "signed_int32": numpy.int32,
            "unsigned_int8": numpy.uint8, "unsigned_int16": numpy.uint16, "unsigned_int32": numpy.uint32,
            "half_float": numpy.float16, "float": numpy.float32}
PACKED = {"unorm_short_565": numpy.uint16, "unorm_short_555": numpy.uint16, "unorm_int_101010": numpy.uint32,
          "unorm_int_101010_2": numpy.uint32}
# The number of channels of an order, if it has several. Orders that only packed types have are not listed.
SEVERAL = {"rg": 2, "ra": 2, "rgx": 2, "rgba": 4, "bgra": 4, "argb": 4, "abgr": 4, "srgba": 4, "sbgra": 4}


class Image:
    """An image on a device. shape: the array's, with channels; dtype: of a channel, or of a packed texel."""

    def __init__(self, device: Device, data: Any, format: str, kind: str | None, name: str) -> None:
        order, _, channel = format.partition(".")
        found = CHANNELS.get(channel) or PACKED.get(channel)
        if found is None:
            raise BadInput(f"image: no channel type '{channel}'; legal: {', '.join([*CHANNELS, *PACKED])}")
        self.device, self.name, self.format = device, name, format
        self.dtype: numpy.dtype[Any] = numpy.dtype(found)
        channels = 1 if channel in PACKED else SEVERAL.get(order, 1)
        array = None if isinstance(data, tuple) else numpy.asarray(data)
        texels = tuple(data) if array is None else array.shape if channels == 1 else array.shape[:-1]
        if array is not None and channels > 1 and array.shape[-1:] != (channels,):
            raise BadInput(f"image: {format} has {channels} channels, the last axis of an array of shape {array.shape}")
        if not 1 <= len(texels) <= 3:
            raise BadInput(f"image: expected one to three sizes in texels, found {texels}")
        self.kind = kind or f"{len(texels)}d"
        if len(texels) != {"1d": 1, "1d_buffer": 1, "2d": 2, "1d_array": 2}.get(self.kind, 3):
            raise BadInput(f"image: a {self.kind} image does not have {len(texels)} sizes")
        sizes = [whole("image", size, 1, 1 << 27) for size in reversed(texels)] + [0, 0]
        layers = self.kind.endswith("array")
        height = 0 if self.kind == "1d_array" else sizes[1]
        last = sizes[1] if self.kind == "1d_array" else sizes[2]
        self.shape: tuple[int, ...] = texels if channels == 1 else (*texels, channels)
        self._region = (ctypes.c_uint32 * 3)(sizes[0], sizes[1] or 1, sizes[2] or 1)
        if self.kind == "1d_array":
            self._region = (ctypes.c_uint32 * 3)(sizes[0], 1, sizes[1])
        shape = _library.Shape(kind=raw(self.kind), format=raw(format), width=sizes[0], height=height,
                               depth=0 if layers else last, layers=last if layers else 0)
        self.handle = make("image", "image_new", device.handle, raw(name), ctypes.byref(shape))
        if array is not None:
            self.write(array)

    def write(self, array: Any) -> None:
        """Sets all texels from an array of the image's shape."""
        packed = numpy.ascontiguousarray(numpy.asarray(array), self.dtype)
        if packed.shape != self.shape:
            raise BadInput(f"image: expected an array of shape {self.shape}, found {packed.shape}")
        _library.call("image_write", self.handle, (ctypes.c_uint32 * 3)(), self._region, packed.ctypes.data, 0, 0)

    @property
    def array(self) -> numpy.ndarray[Any, Any]:
        """A copy of all texels."""
        packed = numpy.zeros(self.shape, self.dtype)
        _library.call("image_read", self.handle, (ctypes.c_uint32 * 3)(), self._region, packed.ctypes.data, 0, 0)
        return packed

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an Image cannot be pickled: it is a device's memory; pickle image.array")

    def __repr__(self) -> str:
        return f"<Image {self.name}: {self.kind} {self.format}, {self.shape}>"


DEVICES: weakref.WeakSet[Device] = weakref.WeakSet()


def _forked() -> None:
    """Runs in a forked child, which has none of the parent's other threads: frees their locks. Devices that were
    running are lost."""
    for device in list(DEVICES):
        device._lost = device._lost or device._runs
        device._lock, device._runs = threading.RLock(), False


os.register_at_fork(after_in_child=_forked)
