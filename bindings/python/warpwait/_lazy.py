"""Packages whose names are loaded at their first use.

Python runs `warpwait/plot/__init__.py` before `warpwait/plot/command.py`. If the former imported matplotlib, the
command could not report that matplotlib is missing, and could not load it in a safe folder (_drawing.py).
"""
import importlib
import importlib.util
import sys
import typing

from ._optional import need


def public(package: str, *needed: str) -> tuple[typing.Callable[[str], object], typing.Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose public names are those of its module `_public`.

    needed: the optional packages that `_public` imports. The package's modules are attributes, too.
    """
    def get(name: str) -> object:
        if name.startswith("__") and name not in ("__all__", "__version__"):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # `from .plot import command` calls this before it imports the module, which may need no optional package.
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
