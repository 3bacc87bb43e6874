"""Machines: all parameters of a GPU (docs/parameters.md)."""
from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterator, Mapping
from ctypes import byref, c_char, c_char_p, c_uint64
from typing import TYPE_CHECKING

from . import _library
from ._checks import encoded, raw
from ._library import Handle, make, text
from .errors import BadInput, entry, hint

if TYPE_CHECKING:
    from .tables import Table

__all__ = ["Machine", "Parameter", "machines", "parameters"]

Value = int | str


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of machines.

    unit: "" for a choice. choices: the valid words; () for a number, which is from minimum to maximum, inclusive.
    default: as text.
    """
    key: str
    unit: str
    text: str
    choices: tuple[str, ...]
    default: str
    minimum: int
    maximum: int


@functools.cache
def parameters() -> dict[str, Parameter]:
    """All parameters of machines by key, in the order of docs/parameters.md."""
    found: dict[str, Parameter] = {}
    row = _library.Parameter()
    while _library.library().ww_parameter_at(len(found), byref(row)):
        key = text(row.key)
        found[key] = Parameter(key, text(row.unit), text(row.text), tuple(text(row.choices).split()), text(row.usual),
                               row.minimum, row.maximum)
    return found


def machines() -> list[str]:
    """Names of the built-in machines: "teaching", "h200", ..."""
    found: list[str] = []
    while name := _library.library().ww_preset_at(len(found)):
        found.append(text(name))
    return found


@functools.cache
def context() -> Handle:
    """The context that builds programs and loads machines, configured by the environment (docs/library.md)."""
    return make("context", "context_new", None)


def changes_of(changes: Mapping[str, object]) -> list[bytes]:
    """Changes as words "key=value" for the library. Values are integers, words, True or False."""
    return [raw(f"{key}={str(value).lower() if isinstance(value, bool) else value}")
            for key, value in changes.items()]


class Machine(Mapping[str, Value]):
    """A GPU: a mapping from its parameters ("dma.channels") to their values, which are integers or, for choices, words.
    It never changes, and any number of threads may use it at once.

        Machine("h200")                            # a built-in machine
        Machine("my.ini")                          # a file: a path with a '/' or an extension
        Machine("h200", **{"dma.channels": 2})     # with parameters changed

    Raises BadInput if a parameter's name or value is not valid, or parameters contradict each other.
    """

    @entry
    def __init__(self, name: str | os.PathLike[str] = "teaching", /, **changes: Value) -> None:
        self._load("machine_load", context(), raw(name))
        self._source: tuple[str, bytes, bytes] = ("load", raw(name), b"")
        if changes:
            self._change(changes_of(changes))

    def _load(self, function: str, *arguments: object) -> None:
        self.handle, self._changes = make("machine", function, *arguments), list[bytes]()

    def _change(self, words: list[bytes]) -> None:
        self.handle = make("machine", "machine_with", self.handle, (c_char_p * len(words))(*words), len(words))
        self._changes = self._changes + words

    @classmethod
    @entry
    def parse(cls, ini: str, name: str = "machine.ini") -> Machine:
        """A machine from the text of an INI file. Messages and reports call it `name`."""
        return cls._parsed(encoded("ini", ini), raw(name))

    @classmethod
    def _parsed(cls, ini: bytes, name: bytes) -> Machine:
        machine = cls.__new__(cls)
        machine._load("machine_parse", context(), _library.Bytes(ini, len(ini), name))
        machine._source = ("parse", ini, name)
        return machine

    @classmethod
    def of(cls, machine: Machine | str | os.PathLike[str] | None) -> Machine:
        """The machine itself, or the machine with that name; None is "teaching"."""
        if not isinstance(machine, (Machine, str, os.PathLike, type(None))):
            raise BadInput(f"machine: expected a Machine, its name or a path, found {type(machine).__name__}")
        return machine if isinstance(machine, Machine) else cls("teaching" if machine is None else machine)

    @classmethod
    def of_handle(cls, handle: Handle, source: tuple[str, bytes, bytes]) -> Machine:
        """The machine of a handle. `source` says how to make it again, for pickling."""
        machine = cls.__new__(cls)
        machine.handle, machine._changes, machine._source = handle, [], source
        return machine

    @entry
    def with_(self, changes: Mapping[str, Value] | None = None, /, **more: Value) -> Machine:
        """A copy with parameters changed, in order: `m.with_({"dma.channels": 2})`. Raises BadInput."""
        changed = type(self).of_handle(self.handle, self._source)
        changed._changes = self._changes
        changed._change(changes_of({**(changes or {}), **more}))
        return changed

    @property
    def name(self) -> str:
        """The built-in machine's or the file's name, without folder and extension."""
        return text(_library.library().ww_machine_name(self.handle))

    def changed(self) -> dict[str, str]:
        """The changed parameters and their values, as text."""
        return dict(word.decode().split("=", 1) for word in self._changes)

    @entry
    def __getitem__(self, key: str) -> Value:
        if key not in parameters():
            raise KeyError(f"no parameter {key!r}{hint(str(key), parameters())}")
        value, word = c_uint64(), (c_char * 32)()
        _library.call("machine_value", self.handle, raw(key), byref(value), word)
        return text(word.value) if parameters()[key].choices else value.value

    def __iter__(self) -> Iterator[str]:
        return iter(parameters())

    def __len__(self) -> int:
        return len(parameters())

    def __contains__(self, key: object) -> bool:
        return key in parameters()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Machine) and self.name == other.name and dict(self) == dict(other)

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.values())))

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self._source, tuple(self._changes))

    def to_dict(self) -> dict[str, Value]:
        """All parameters and their values."""
        return dict(self)

    def table(self) -> Table:
        """All parameters: key, value, unit, default and description."""
        from .tables import Table
        return Table([{"key": key, "value": self[key], "unit": row.unit, "default": row.default, "text": row.text}
                      for key, row in parameters().items()], f"Machine {self.name}")

    def to_pandas(self) -> object:
        """The table as a pandas DataFrame."""
        return self.table().to_pandas()

    def _repr_html_(self) -> str:
        from .display import machine_html
        return machine_html(self)

    def __repr__(self) -> str:
        changes = ", ".join(f"{key}={value}" for key, value in self.changed().items())
        return f"<Machine {self.name}{', ' if changes else ''}{changes}>"


def _again(source: tuple[str, bytes, bytes], changes: tuple[bytes, ...]) -> Machine:
    """Makes a pickled machine again."""
    how, what, name = source
    machine: Machine
    if how == "recording":
        from .recording import Recording
        machine = Recording(what).machine
    else:
        machine = Machine._parsed(what, name) if how == "parse" else Machine(os.fsdecode(what))
    if changes:
        machine._change(list(changes))
    return machine
