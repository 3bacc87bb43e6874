#!/usr/bin/env python3
"""Programs of Debian's that use OpenCL, as they are, on a simulated device: what of their own checks passes.

usage: tests/icd/programs.py [NAME...]    default: all that are installed. WARPWAIT (default build/warpwait) has the driver
                                          beside it. Exit status 1 if any check fails that is not known to.
"""
import bz2
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).resolve()
BLAS = "xaxpy xdot xscal xswap xcopy xasum xnrm2 xamax xgemv xger xhad xomatcopy".split()
# Of iHAMAX's comparisons 12 fail in one value of 128: the kernel stores an index of 4 bytes where values have 2. Nobody has looked
# further.
BLAS_KNOWN = {"xamax": 12}
# Tests of piglit's that fail, and why it is not the driver.
PIGLIT_KNOWN = {
    "api@clcreateprogramwithbinary": "wants a kernel of a binary that was not built",
    "api@clgetcommandqueueinfo": "wants CL_QUEUE_SIZE of a queue of the host's",
    "api@clgetdeviceinfo": "knows OpenCL 1.1 alone",
    "api@clgetextensionfunctionaddressforplatform": "what the loader answers",
    "api@clsetkernelarg": "has a sampler",
    "program@build@include-directories": "its header is not in the package",
    "program@execute@amdgcn-f32-inline-immediates": "wants denormals to be zero, which -cl-denorms-are-zero allows and does not demand",
    "program@execute@atomic_int64_cmpxchg-local": "has local memory for one number and uses two: a hazard",
    "program@execute@constant-load": "writes 8 bytes to a buffer of 4: a hazard",
}


def run(*words, machine="teaching", sets=(), seconds=1800, cwd=None):
    changes = [word for change in sets for word in ("-s", change)]
    done = subprocess.run([WARPWAIT, "exec", "-m", machine, *changes, "--", *words], capture_output=True, text=True, check=False,
                          timeout=seconds, cwd=cwd, errors="replace",
                          env={**os.environ, "WARPWAIT": str(WARPWAIT)})
    return done.returncode, done.stdout + done.stderr


def clinfo():
    status, text = run("clinfo")
    good = status == 0 and "teaching (simulated)" in text
    return int(good), int(not good), 0, []


def example():
    status, _ = run("/usr/bin/python3", "examples/16_host_program/saxpy.py")
    return int(status == 0), int(status != 0), 0, []


def blas():
    """Each routine's own comparison with a BLAS of the host."""
    passed, failed, skipped, wrong = 0, 0, 0, []
    for routine in BLAS:
        _, text = run(f"clblast_test_{routine}")
        passed += sum(map(int, re.findall(r"(\d+) test\(s\) passed", text)))
        skipped += sum(map(int, re.findall(r"(\d+) test\(s\) skipped", text)))
        bad = sum(map(int, re.findall(r"(\d+) test\(s\) failed", text)))
        failed += bad
        if bad != BLAS_KNOWN.get(routine, 0) or "test(s) passed" not in text:
            wrong.append(routine)
    return passed, failed, skipped, wrong


def hashcat():
    """Finds the word of a hash again; before that, it tests itself."""
    hashes = {"0": "8743b52063cd84097a65d1633f5c74f5", "100": "b89eaac7e61417341b710b727768294d0e6a277b",
              "1400": "127e6fbfe24a750e72930c220a8e138275656b8e5d8f48a98c3c92df2caba935"}
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "words").write_text("hashcat\n")
        for mode, digest in hashes.items():
            _, text = run("hashcat", "-m", mode, "-a", "0", "--force", "--potfile-disable", "-O", "-n", "1", "-u", "1", digest, "words",
                          machine="h200", sets=["cu.count=1"], cwd=folder)
            if "Cracked" not in text:
                wrong.append(mode)
    return len(hashes) - len(wrong), len(wrong), 0, wrong


def piglit():
    with tempfile.TemporaryDirectory() as folder:
        run("piglit", "run", "--timeout", "60", "quick_cl", folder, machine="h200")
        tests = json.loads(bz2.open(f"{folder}/results.json.bz2").read())["tests"]
    counts = {"pass": 0, "skip": 0}
    wrong = []
    for name, test in tests.items():
        if test["result"] in counts:
            counts[test["result"]] += 1
        else:
            wrong.append(name)
    return counts["pass"], len(wrong), counts["skip"], [name for name in wrong if name not in PIGLIT_KNOWN]


PROGRAMS = {"clinfo": ("clinfo", clinfo), "pyopencl": ("/usr/bin/python3", example), "clblast": ("clblast_test_xaxpy", blas),
            "hashcat": ("hashcat", hashcat), "piglit": ("piglit", piglit)}


def main():
    bad = False
    print(f"{'program':<12}{'passed':>8}{'failed':>8}{'skipped':>9}  not expected to fail")
    for name in sys.argv[1:] or PROGRAMS:
        command, check = PROGRAMS[name]
        if not shutil.which(command):
            print(f"{name:<12} is not installed")
            continue
        passed, failed, skipped, wrong = check()
        bad = bad or bool(wrong) or not passed
        print(f"{name:<12}{passed:>8}{failed:>8}{skipped:>9}  {' '.join(wrong)}", flush=True)
    sys.exit(bad)


if __name__ == "__main__":
    main()
