#!/usr/bin/env python3
"""The law of replay on the command line: every example and every kernel of tests/bench, recorded and replayed.

usage: tests/replay/law.py [--machines N] [--seed S] [LAUNCH.json ...]

For each launch file: recording does not change what `run` writes; the trace has the same bytes on both hosts;
`replay` prints what `run` printed, on both hosts, as text with annotated source and as JSON; on N other machines
(default 1), which differ in six parameters, `replay --set ...` equals `run --set ...`, unless the recording says
that the kernel depends on time; and merged slices of the trace equal the trace byte for byte. Exit status 0 if all
of this holds."""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
HOSTS = ["plain", "systemc"]
# Parameters that change what a kernel computes or whether it fits, not only its time.
NOT_TIMES = {"cu.warp_size", "cu.clock_mhz", "lds.size", "cu.registers", "cu.register_unit", "cu.lds_unit",
             "cu.lds_reserved", "cu.warps", "cu.count"}
NOT_TIMES_EITHER = ("isa.", "dma.copy", "dma.swizzle", "dma.pad", "dma.out_of_bounds", "dma.misaligned", "dma.alignment")
LOOPS = 24  # of a kernel of tests/bench, instead of thousands


def tool(*words):
    """Runs warpwait; returns (exit status, standard output, standard error)."""
    done = subprocess.run([WARPWAIT, *map(str, words)], capture_output=True, text=True, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def launch_files(folder):
    """Every example, and the kernels of tests/bench with few loops."""
    yield from sorted((ROOT / "examples").glob("*/launch*.json"))
    for path in sorted((ROOT / "tests/bench").glob("*.json")):
        launch = json.loads(path.read_text())
        launch["program"] = str(ROOT / "tests/bench" / launch.get("program", path.stem + ".cl"))
        launch["launches"][0]["args"][-1]["uint"] = LOOPS
        few = folder / path.name
        few.write_text(json.dumps(launch))
        yield few


def parameters():
    """{key: its range, as `warpwait params` prints it} of the parameters that only change times."""
    rows = re.findall(r"^\| `([\w.]+)` \| [^|]* \| [^|]* \| ([^|]*) \|", tool("params", "--markdown")[1], re.M)
    return {key: words for key, words in rows if key not in NOT_TIMES and not key.startswith(NOT_TIMES_EITHER)}


def other_value(generator, words, value):
    """A quarter to four times a parameter's value, or another word."""
    bounds = re.match(r"(\d+) to (\d+)(, power of 2)?", words)
    if not bounds:
        return generator.choice(words.split())
    if bounds[3]:
        value = value << generator.randrange(3) >> generator.randrange(3)
    else:
        value = generator.randint(value // 4, 4 * value + 2)
    return min(max(value, int(bounds[1])), int(bounds[2]))


def other_machine(generator, rows, now):
    """Six --set options."""
    words = []
    for key in generator.sample(sorted(rows), 6):
        words += ["--set", f"{key}={other_value(generator, rows[key], now[key]['value'])}"]
    return words


class Law:
    def __init__(self, folder):
        self.folder, self.faults, self.held, self.marked, self.refused = folder, 0, 0, 0, 0

    def expect(self, holds, what):
        self.held += bool(holds)
        if not holds:
            self.faults += 1
            print(f"broken: {what}")

    def on_its_machine(self, path):
        """Records on both hosts, replays on both; returns the trace and the report."""
        traces = [self.folder / f"{host}.wwt" for host in HOSTS]
        reports = [("--annotate", "--why=no"), ("--report", "json", "--why=no")]
        ran = [tool("run", path, "-q", *report) for report in reports]
        for host, trace in zip(HOSTS, traces):
            recorded = tool("run", path, "-q", "--host", host, *reports[1], "--trace", trace)
            self.expect(recorded == ran[1], f"{path}: recording on host {host} changes what run says")
            for report, expected in zip(reports, ran):
                status, out, err = tool("replay", trace, "-q", "--host", host, *report)
                err = "".join(line for line in err.splitlines(True) if "depends on time" not in line)
                self.expect((status, out, err) == expected, f"{path}: replay {' '.join(report)} on host {host}")
        self.expect(traces[0].read_bytes() == traces[1].read_bytes(), f"{path}: the hosts' traces differ")
        return traces[0], json.loads(ran[1][1])

    def cut_and_joined(self, path, trace, report):
        """A slice of everything equals the trace, and so do merged slices of all launches, unless pipes forbid it."""
        whole, first, rest = (self.folder / f"{name}.wwt" for name in ("whole", "first", "rest"))
        tool("trace", "slice", trace, "-o", whole)
        self.expect(whole.read_bytes() == trace.read_bytes(), f"{path}: a slice of everything is not the trace")
        for cut in range(1, len(report["launches"])):
            if cut in report["launches"][cut]["together"]:
                continue
            cuts = [tool("trace", "slice", trace, "--launch", f"1-{cut}", "-o", first),
                    tool("trace", "slice", trace, "--launch", f"{cut + 1}-999", "-o", rest)]
            if "has pipes" in cuts[1][2]:
                continue
            merged = tool("trace", "merge", first, rest, "-o", whole)
            self.expect(cuts + [merged] == 3 * [(0, "", "")], f"{path}: cut behind launch {cut}: {cuts} {merged}")
            self.expect(whole.read_bytes() == trace.read_bytes(), f"{path}: cut behind launch {cut}, and merged")

    def elsewhere(self, path, trace, sets):
        words = ("-q", "--host", "plain", "--report", "json", "--why=no", *sets)
        ran, replayed = tool("run", path, *words), tool("replay", trace, *words)
        if ran[0] == 2 or replayed[0] == 2:
            self.refused += 1
            self.expect(ran[0] == 2, f"{path}: {' '.join(sets)}: refused by replay alone: {replayed[2]}")
        elif "depends on time" in replayed[2]:
            self.marked += 1
        else:
            self.expect(ran == replayed, f"{path}: {' '.join(sets)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("launch", nargs="*", type=pathlib.Path)
    parser.add_argument("--machines", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        law, generator, rows = Law(folder), random.Random(options.seed), parameters()
        for path in options.launch or launch_files(folder):
            trace, report = law.on_its_machine(path)
            law.cut_and_joined(path, trace, report)
            for _ in range(options.machines):
                law.elsewhere(path, trace, other_machine(generator, rows, report["machine"]["parameters"]))
    print(f"{law.held} held, {law.faults} broken; {law.refused} machines refused, {law.marked} kernels marked")
    return 1 if law.faults else 0


if __name__ == "__main__":
    sys.exit(main())
