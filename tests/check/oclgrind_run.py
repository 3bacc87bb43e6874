"""Runs a kernel under Oclgrind with all its checks enabled, and classifies its messages."""
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HOST = pathlib.Path(__file__).with_name("oclgrind_host.py")
OPTIONS = ["--data-races", "--uniform-writes", "--uninitialized", "--check-api", "--num-threads", "1", "--max-errors", "20000"]
# With optimization, an access that is needed only after a branch moves into it, where Oclgrind no longer sees it.
BUILD_OPTIONS = ["-cl-opt-disable"]
# The first standard under which the kernel can run counts. Oclgrind implements OpenCL 1.2 and aborts at a wait of 2.0,
# whose list is a generic pointer; some kernels need 2.0.
STANDARDS = ("CL1.2", "CL2.0")
TIMEOUT = 20
NO_END = "no end after %d s" % TIMEOUT

# Oclgrind's messages by their first line, and what the page calls them.
KINDS = (
    (r"Work-group divergence detected \(async copy\)", "divergent copy"),
    (r"Work-group divergence detected \(barrier\)", "divergent barrier or wait"),
    (r"Work-item finished without waiting for events", "events not waited for"),
    (r"Invalid wait event", "invalid wait event"),
    (r"Invalid (read|write) of size \d+ at (\w+) memory address 0x0*$", r"\1 at null (\2)"),
    (r"Invalid (read|write) of size \d+ at (\w+) memory", r"invalid \1 (\2)"),
    (r"Invalid memory (load|store)", r"misaligned \1"),
    (r"Unaligned address", "unaligned address"),
    (r"\S+ data race at (\w+) memory", r"data race (\1)"),
    (r"Uninitialized value written to (\w+) memory", r"uninitialized value (\1)"),
    (r"Index \(.*\) exceeds static array size", "index beyond array"),
    (r"Unsupported image channel data type", "image of another type"),
    (r"Uninitialized address", "uninitialized address"),
    (r"Controlflow depends on uninitialized value", "uninitialized condition"),
    (r"Instruction depends on an uninitialized index value", "uninitialized index"),
)

# Why a kernel cannot run: the first pattern found in Oclgrind's output under all standards.
REASONS = (
    (r"\bpipe\b|_pipe_", "no pipes"),
    (r"copy_[23]D[23]D", "no 2D2D and 3D3D copies"),
    (r"copy_fence", "no copy fences"),
    (r"sub_group", "no sub-groups"),
    (r"atomic", "no atomics of OpenCL 2.0"),
    (r"INVALID_WORK_GROUP_SIZE", "no smaller last work-group"),
    (r"program scope", "no program-scope variables"),
    (r"addrspacecast", "no generic pointers"),
    (r"work_group_(all|any|broadcast|reduce|scan)", "no work-group functions"),
)

# The messages that name each rule itself. Oclgrind does not check rules that are missing here.
ACCESS = r"(invalid (read|write)|(read|write) at null) \((local|global)\)"
NAMES = {
    "G1": r"divergent", "G2": r"divergent", "G3": r"divergent", "M8": r"divergent barrier",
    "X2": ACCESS, "M1": ACCESS + r"|index beyond array", "X15": r"(read|write) at null",
    "X10": r"events not waited for", "X12": r"invalid wait event", "X13": r"invalid wait event|invalid read \(private\)",
    "X14": r"unaligned|misaligned", "M2": r"unaligned|misaligned",
    "M5": r"data race \(local\)", "M6": r"data race \(global\)", "M7": r"uninitialized",
    "I2": r"image of another type",
}


class Outcome:
    """`said`: kinds of messages, each with the lines of its places. `reason`: why the run did not finish, or None."""

    def __init__(self, said, reason, seconds):
        self.said, self.reason, self.seconds = said, reason, seconds


def installed():
    return bool(shutil.which("oclgrind") and importlib.util.find_spec("pyopencl"))


def version():
    text = subprocess.run(["oclgrind", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"Oclgrind (\S+)", text).group(1)


def kind_of(head):
    for pattern, name in KINDS:
        found = re.match(pattern, head)
        if found:
            return found.expand(name)
    return None


def said_in(log):
    """Kinds of messages and their lines. A message starts at the margin; its details are indented."""
    said, lines = {}, set()
    for line in log.splitlines():
        place = re.match(r"\s+At line ([1-9]\d*)", line)
        if place:
            lines.add(int(place.group(1)))
        elif line and not line[0].isspace():
            kind = kind_of(line)
            lines = said.setdefault(kind, set()) if kind else set()
    return said


def without(said, other):
    """What is reported here and not there."""
    rest = {kind: lines - other.get(kind, set()) for kind, lines in said.items()}
    return {kind: lines for kind, lines in rest.items() if lines or kind not in other}


def once(launch, options, standard):
    """An outcome; if the run did not finish, its reason is the whole output."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        command = ["oclgrind", *OPTIONS, "--log", str(log), sys.executable, str(HOST), str(launch), "-cl-std=" + standard,
                   *BUILD_OPTIONS, *options]
        environment = {**os.environ, "PYOPENCL_NO_CACHE": "1", "TMPDIR": folder}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                              start_new_session=True) as process:
            try:
                out, printed = process.communicate(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return Outcome(said_in(log.read_text(errors="replace")), NO_END, None)
        text = log.read_text(errors="replace") if log.exists() else ""
        fatal = process.returncode != 0 or "OCLGRIND FATAL ERROR" in text
        return Outcome(said_in(text), "signal or status %d\n%s\n%s" % (process.returncode, printed, text) if fatal else None,
                       None if fatal else float(out.splitlines()[-1]))


def run(launch, options):
    """The outcome under the first standard that can run the launch."""
    reasons = ""
    for standard in STANDARDS:
        outcome = once(launch, options, standard)
        if not outcome.reason or outcome.reason == NO_END:
            return outcome
        reasons += outcome.reason
    outcome.reason = next((reason for pattern, reason in REASONS if re.search(pattern, reasons)),
                          "Oclgrind ends: " + reasons.splitlines()[1])
    return outcome
