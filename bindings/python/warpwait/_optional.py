"""Packages that only a part of Warpwait needs. If one is missing, only that part may fail."""
import importlib
import types

# For each module, its Debian package and its name for pip.
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
    """Imports a module of an optional package, such as `scipy.optimize`, or a module that imports such packages.

    Raises MissingPackage when the package is missing.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        # Some errors have no name, for example pandas' error when numpy is missing.
        names = [(name or "").partition(".")[0] for name in (error.name, module)]
        missing = next((name for name in names if name in PACKAGES), None)
        if missing is None or (error.name and not isinstance(error, ModuleNotFoundError)):
            raise  # the package is there but broken in another way, for example half imported because of Ctrl-C
        debian, pip = PACKAGES[missing]
        raise MissingPackage(f"{missing} is missing: apt-get install {debian}, or pip install {pip}",
                             name=missing) from error
