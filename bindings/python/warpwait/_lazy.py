"""A package whose names are loaded when they are first used.

Python runs `warpwait/plot/__init__.py` before `warpwait/plot/command.py`. If the former imported matplotlib, the
command could neither say that matplotlib is missing, nor load it from a folder that can be trusted (_drawing.py).
"""
import importlib
import importlib.util
import sys
import typing

from ._optional import need


def public(package: str, *needed: str) -> tuple[typing.Callable[[str], object], typing.Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose public names are those of its module `_public`.

    needed: the optional packages without which `_public` cannot be imported. The package's modules are attributes, too.
    """
    def get(name: str) -> object:
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # `from .plot import command` asks here before it imports the module, which may need nothing.
        if importlib.util.find_spec(f"{package}.{name}"):
            return need(f"{package}.{name}")
        for other in needed:
            need(other)
        module = importlib.import_module("._public", package)
        try:
            value: object = getattr(module, name)
        except AttributeError:
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *importlib.import_module("._public", package).__all__})

    return get, names
