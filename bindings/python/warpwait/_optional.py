"""Packages that only a part of Warpwait needs: nothing else may fail when one is missing."""
import importlib
import types

# By module: the Debian package that has it, and what pip calls it.
PACKAGES = {
    "dask": ("python3-distributed", "distributed"),
    "distributed": ("python3-distributed", "distributed"),
    "matplotlib": ("python3-matplotlib", "matplotlib"),
    "numpy": ("python3-numpy", "numpy"),
    "pandas": ("python3-pandas", "pandas"),
    "scipy": ("python3-scipy", "scipy"),
}


class MissingPackage(ImportError):
    """An optional package is not installed. The text is one line that says how to install it."""


def need(module: str) -> types.ModuleType:
    """Imports a module of an optional package, such as `scipy.optimize`, or one that imports such packages itself.

    Raises MissingPackage when the package is missing.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        # pandas, for one, has an error without a name when its own numpy is missing.
        names = [(name or "").partition(".")[0] for name in (error.name, module)]
        missing = next((name for name in names if name in PACKAGES), None)
        if missing is None or (error.name and not isinstance(error, ModuleNotFoundError)):
            raise  # it is there, and broken in another way: half imported, since Ctrl-C came, for one
        debian, pip = PACKAGES[missing]
        raise MissingPackage(f"{missing} is missing: apt-get install {debian}, or pip install {pip}",
                             name=missing) from error
