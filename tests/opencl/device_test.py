#!/usr/bin/env python3
"""CUDA and HIP kernels that clang has compiled to LLVM IR run as they are: as text and bitcode, at several levels."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).resolve()
CLANG = os.environ.get("WARPWAIT_CLANG", "clang-15")
CUDA = ("-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_80", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version")
HIP = ("-x", "hip", "--offload-device-only", "--offload-arch=gfx90a", "-nogpuinc", "-nogpulib")
GROUP, WORK, COUNT = 64, 256, 250
IN = [float(i) for i in range(WORK)]


def window(i):
    end = (i // GROUP + 1) * GROUP
    return sum(IN[k] for k in range(i, min(i + 8, end)) if k < COUNT)


def reverse(i):
    return IN[i // GROUP * GROUP + GROUP - 1 - i % GROUP] if i < COUNT else 0.0


class DeviceTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def runs(self, source, words, expected):
        """Compiles the source, and runs its kernel, which must write the expected values."""
        launch = {"buffers": {"in": {"bytes": 4 * WORK, "elem": "float", "fill": "iota"},
                              "out": {"bytes": 4 * WORK, "elem": "float", "fill": "zero"}},
                  "launches": [{"kernel": expected.__name__, "global": [WORK], "local": [GROUP],
                                "args": [{"buffer": "in"}, {"buffer": "out"}, {"int": COUNT}]}],
                  "check": [{"buffer": "out", "mode": "exact", "expected": "expected.bin"}]}
        (self.folder / "expected.bin").write_bytes(struct.pack(f"<{WORK}f", *map(expected, range(WORK))))
        for form, name in (("-S", "kernel.ll"), ("-c", "kernel.bc")):
            for level in ("-O0", "-O2", "-O3"):
                with self.subTest(form=name, level=level):
                    made = self.folder / name
                    subprocess.run([CLANG, *words, level, "-emit-llvm", form, "-o", made, HERE / source], check=True)
                    (self.folder / "launch.json").write_text(json.dumps(dict(launch, program=name)))
                    done = subprocess.run([WARPWAIT, "run", "launch.json", "--verify"], cwd=self.folder, capture_output=True,
                                          text=True, check=False)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_a_cuda_kernel_runs(self):
        self.runs("device_test.cu", CUDA, window)

    def test_a_hip_kernel_runs(self):
        self.runs("device_test.hip", HIP, reverse)


if __name__ == "__main__":
    unittest.main()
