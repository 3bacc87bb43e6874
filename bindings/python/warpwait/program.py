"""Programs and their kernels."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Iterator, Mapping, Sequence
from ctypes import POINTER, byref
from typing import Any, Unpack

import numpy

from . import _library
from ._checks import encoded, lines_of, raw, read, whole
from ._library import Handle, make, text, written
from .errors import BadInput, WarpwaitError, entry
from .launch import Arguments, Launch, Size
from .machine import Machine, context
from .report import Report
from .watch import Options

__all__ = ["Argument", "Kernel", "Program"]

FILE = re.compile(r"[^\s;{}]*\.(cl|wws|wwo|spv|ll|bc)")  # text that was probably meant as a file name
KINDS = ("buffer", "local", "value", "pipe", "image", "sampler")


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument of a kernel.

    kind: "buffer", "local", "value", "pipe", "image" or "sampler". type: as in assembly ("global", "u32", "f32x4");
    source_type and qualifiers: as in OpenCL C ("float4*", "const restrict"), "" if not known. bytes: of a value.
    constant: whether it is a buffer in constant memory. access: of a pipe or an image, "read_only", "write_only" or
    "read_write".
    """
    name: str
    kind: str
    type: str
    bytes: int
    source_type: str
    qualifiers: str
    constant: bool
    access: str


class Kernel:
    """A kernel of a program.

    arguments: a list of Argument. registers, private_bytes, spilled: per work-item; lds_bytes: per work-group, without
    local arguments, in bytes. required_local: reqd_work_group_size, or None. attributes: as in OpenCL C.
    """

    def __init__(self, program: Program, row: Any) -> None:
        kernel, library = row[0], _library.library()
        self.program, self.row = program, row
        self.name = text(kernel.name)
        self.registers: int = kernel.registers
        self.lds_bytes: int = kernel.lds_bytes
        self.private_bytes: int = kernel.private_bytes
        self.spilled: int = kernel.spilled
        self.attributes = text(kernel.attributes)
        required = tuple(kernel.required_local)
        self.required_local: tuple[int, ...] | None = required if any(required) else None
        self.arguments = [self._argument(library.ww_kernel_argument(row, place)[0])
                          for place in range(kernel.argument_count)]

    @staticmethod
    def _argument(row: Any) -> Argument:
        return Argument(text(row.name), KINDS[row.kind], text(row.type), row.bytes, text(row.source_type),
                        text(row.source_qualifiers), row.constant, text(row.access))

    @entry
    def launch(self, *, global_size: Size, local_size: Size | None = None, offset: Size | None = None,
               args: Arguments = ()) -> Launch:
        """A launch of this kernel, which any machine can run. Raises BadInput if an argument does not fit.

        global_size, local_size, offset: work-items, a number or up to three; without local_size, the machine chooses.
        args: in the kernel's order, or a mapping by name. Launch describes what each may be.
        """
        return Launch(self, global_size, local_size, offset, args)

    @entry
    def run(self, machine: Any = None, *, global_size: Size, local_size: Size | None = None,
            offset: Size | None = None, args: Arguments = (), **options: Unpack[Options]) -> Report:
        """Runs the kernel and reports what it cost; arrays among the arguments are changed in place.

        machine: a Machine, its name or file (default: "teaching"), or a Device, whose time, memory and caches carry
        over. The sizes and arguments are those of launch(). options: check, functional, record, timeline, page,
        threads, cycle_limit and progress, as warpwait.watch.Options describes them. Raises BadInput, Unfinished (a
        deadlock or the cycle limit), KeyboardInterrupt and others of warpwait.errors; warns of hazards (HazardWarning).
        """
        from .running import run_launches
        return run_launches([Launch(self, global_size, local_size, offset, args)], machine, options)

    def __reduce__(self) -> tuple[object, ...]:
        return _kernel_again, (self.program, self.name)

    def __repr__(self) -> str:
        told = ", ".join(f"{argument.source_type or argument.type} {argument.name}" for argument in self.arguments)
        return f"<Kernel {self.name}({told})>"


def _kernel_again(program: Program, name: str) -> Kernel:
    return program.kernel(name)


class Program(Mapping[str, Kernel]):
    """Kernels, built for any machine: a mapping from their names.

        Program("kernel void triple(global float *x) { x[get_global_id(0)] *= 3; }")
        Program(pathlib.Path("stencil.cl"), defines={"DEPTH": 3, "FAST": None})

    source: OpenCL C or assembly as text, SPIR-V or an object file as bytes, or a path to one. name: what messages and
    reports call the source. defines: macros; None: defined without a value. options: further options, as in
    clBuildProgram() ('-cl-std=CL2.0 -I "a folder"'). headers: texts that #include finds by these names. constants:
    specialization constants of SPIR-V by their numbers, numpy scalars. registers: the limit per work-item, 16 to 255.
    copies: how to compile asynchronous copies, "machine" (default)
    or "loop". optimize: the level, 0 (code near the source) to 3; None: 2, or 0 with -cl-opt-disable in the options.
    without: compiler passes to leave out, ["unroll", "hoist"].

    log: what clang printed; empty for a program from the cache, unless the options request warnings ("-Wall"). Raises
    BadInput (whose `log` has all of clang's errors). A kernel that cannot be translated is in `refused`, with the
    reason; if there is no other kernel, that is an error.
    """

    @entry
    def __init__(self, source: str | bytes | os.PathLike[str], *, name: str | None = None,
                 defines: Mapping[str, object] | None = None, options: str = "",
                 headers: Mapping[str, str] | None = None, constants: Mapping[int, numpy.generic] | None = None,
                 registers: int = 0, copies: str | None = None,
                 optimize: int | None = None, without: Sequence[str] = ()) -> None:
        words = [options]
        if isinstance(source, os.PathLike):
            path = pathlib.Path(source)
            words.append(f"-I {quoted(str(path.absolute().parent))}")
            name = str(path) if name is None else name
            source = read(path)
        elif isinstance(source, str) and FILE.fullmatch(source):
            raise BadInput(f"{source!r} is read as a program's text; for a file, pass pathlib.Path({source!r})")
        if not isinstance(defines or {}, Mapping):
            raise BadInput(f"defines: expected a mapping from macros to values, found {defines!r}")
        words += [f"-D {quoted(macro if value is None else f'{macro}={word_of(value)}')}"
                  for macro, value in (defines or {}).items()]
        if isinstance(without, str):
            raise BadInput(f"without: expected a list of passes, found {without!r}")
        self.source = encoded("source", source)
        self.name = name
        self.defines = dict(defines or {})
        self._settings: dict[str, Any] = {"options": options, "headers": headers, "constants": constants,
                                          "registers": registers, "copies": copies,
                                          "optimize": optimize, "without": without}
        self.log = ""
        self._build(" ".join(word for word in words if word))

    def _build(self, options: str) -> None:
        settings = self._settings
        bodies = {raw(path): encoded(f"headers: {path}", body) for path, body in (settings["headers"] or {}).items()}
        headers = [_library.Bytes(body, len(body), path) for path, body in bodies.items()]
        values = {number: numpy.asarray(value).tobytes() for number, value in (settings["constants"] or {}).items()}
        constants = [_library.Constant(number, value, len(value)) for number, value in values.items()]
        callbacks, level = _library.Callbacks(), settings["optimize"]
        log, said = callbacks.sink()
        build = _library.Build(
            options=raw(options),
            copies=raw(settings["copies"]) if settings["copies"] else None, registers=whole("registers", settings["registers"], 0, 255), log=log,
            headers=(_library.Bytes * len(headers))(*headers), header_count=len(headers), go_on=_library.go_on,
            constants=(_library.Constant * len(constants))(*constants), constant_count=len(constants),
            optimize=None if level is None else raw(str(whole("optimize", level, 0, 3))),
            without=raw(",".join(settings["without"])) if settings["without"] else None)
        setattr(build, "self", callbacks.number)
        source = _library.Bytes(self.source, len(self.source), raw(self.name) if self.name is not None else None)
        try:
            with callbacks.calling():
                self.handle: Handle = make("program", "program_build", context(), source, byref(build))
        except WarpwaitError as error:
            error.log = _joined(said)
            raise
        self.log = _joined(said)
        self._find_kernels()

    def _find_kernels(self) -> None:
        self._kernels: dict[str, Kernel] = {}
        self.refused: dict[str, str] = {}
        library = _library.library()
        for place in range(library.ww_program_kernel_count(self.handle)):
            row = library.ww_program_kernel_at(self.handle, place)
            if row[0].refused:
                self.refused[text(row[0].name)] = text(row[0].refused)
            else:
                self._kernels[text(row[0].name)] = Kernel(self, row)

    @entry
    def kernel(self, name: str | None = None) -> Kernel:
        """The kernel with that name; without a name, the only kernel. Raises BadInput."""
        row = POINTER(_library.Kernel)()
        _library.call("program_kernel", self.handle, None if name is None else raw(name), byref(row))
        return self._kernels[text(row[0].name)]

    @entry
    def with_(self, defines: Mapping[str, object]) -> Program:
        """The same source built with other macros. Raises BadInput."""
        return Program(self.source, name=self.name, defines={**self.defines, **defines}, **self._settings)

    def __getitem__(self, name: str) -> Kernel:
        return self._kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def file(self) -> str:
        """The file name of the source in reports."""
        return pathlib.PurePath(self.name).name if self.name else "kernel.cl"

    @property
    def lines(self) -> list[str]:
        """The lines of the source; [] for SPIR-V and object files."""
        return [] if b"\0" in self.source else lines_of(self.source.decode("utf-8", "replace"))

    @property
    def object(self) -> bytes:
        """The program as an object file (.wwo), which Program() reads."""
        return written("program_write", self.handle, 0)

    @property
    def assembly(self) -> str:
        """The program as assembly (docs/assembly.md)."""
        return written("program_write", self.handle, 1).decode()

    @property
    @entry
    def spirv(self) -> bytes:
        """The SPIR-V from which it was built. Raises Unsupported if there was none."""
        return written("program_write", self.handle, 2)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.source, self.name, self.defines, self._settings)

    def _repr_html_(self) -> str:
        from .display import program_html
        return program_html(self)

    def __repr__(self) -> str:
        return f"<Program {self.name or ''}: {', '.join(self._kernels)}>".replace(" :", ":")


def _again(source: bytes, name: str | None, defines: dict[str, object], settings: dict[str, Any]) -> Program:
    return Program(source, name=name, defines=defines, **settings)


def quoted(word: str) -> str:
    """A word, quoted for a compiler's options. Raises BadInput."""
    if '"' in word:
        raise BadInput(f"{word}: compiler options cannot contain double quotes")
    return f'"{word}"'


def word_of(value: object) -> str:
    """A macro's value."""
    return str(int(value) if isinstance(value, bool) else value)


def _joined(parts: Sequence[bytes]) -> str:
    return b"".join(parts).decode("utf-8", "replace")


