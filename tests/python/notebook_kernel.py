"""The Jupyter kernel of the tests: this Python, with the build's package, driver and command."""
import json
import os
import pathlib
import sys

import rig


def prepare(folder: pathlib.Path) -> None:
    """Makes this process start such kernels; the folder holds their files."""
    kernel = folder / "kernels/python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text(json.dumps({
        "argv": [sys.executable, "-Xfrozen_modules=off", "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3", "language": "python"}))
    build = rig.WARPWAIT.parent
    os.environ |= {"JUPYTER_PATH": str(folder), "IPYTHONDIR": str(folder / "ipython"), "PYTHONPATH": str(rig.PACKAGE),
                   "MPLCONFIGDIR": str(folder / "matplotlib"), "OCL_ICD_VENDORS": str(build / "libwarpwait-opencl.so"),
                   "PATH": f"{build}:{os.environ['PATH']}"}
