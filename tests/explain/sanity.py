#!/usr/bin/env python3
"""Random kernels on random machines: the output of `warpwait explain` is consistent and agrees with runs.

usage: tests/explain/sanity.py [--seeds N] [--seed S] [--rows R] [--jobs J] [--keep DIR]

Kernel and machine number S are made from seed S: a kernel of tests/check/random_kernels.py on a built-in machine
with six changed parameters, as in tests/replay/law.py. Every limit is lifted alone, and

- no case takes more cycles than the base, or than a case that lifts some of its limits, plus the tolerance, unless
it is reported as an anomaly in JSON, text and advice; - savings, shares, sums of pairs, parts of the kernel and
waits at its lines follow from the cycles shown; - the base's cycles and waits equal those of `run`, and so do those
of R of the rows (default 2); - the text agrees with the JSON for any --jobs, and the trace of the launch is
explained like the launch.

Every fourth kernel depends on time: the number of its iterations comes from the clock, from its turn at an atomic
operation, or from another work-group's flag. Then each machine gets a run, and the output says so; the trace is
replayed on each machine, and the output says so.

A failing case is left in DIR (build/explain) as SEED.json. Exit status 0 if all of this holds."""
import argparse
import concurrent.futures
import functools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/check"), str(ROOT / "tests/replay")]
import law  # noqa: E402
import random_kernels as kernels  # noqa: E402

WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
MACHINES = ("teaching", "teaching", "dsp", "h200")
TRIES = 20  # machines to try until one accepts the kernel
CYCLES = 100000  # of a launch, at most
EVERY = 4  # how many kernels there are to one that depends on time
# The first instructions of a kernel of several work-groups, in registers of random_kernels.py.
LOOP = """
T0:
 setp.lt.s32 again, w, 1
@again bra T1
 ld.global.b32 v, [g]
 sub.i32 w, w, 1
 bra T0
T1:
"""
TIMED = {
    "clock": " get.clock p\n cvt.u32.u64 w, p\n and.b32 w, w, 7" + LOOP,
    "atomic": " mov.b32 v, 1\n atom.global.add.i32 w, [h + 4092], v\n and.b32 w, w, 7" + LOOP,
    "shared": """ setp.eq.u32 leader, group, 0
 mov.b32 v, 12345
@leader st.global.atomic.b32 [h + 4092], v
T0:
 ld.global.atomic.b32 w, [h + 4092]
 setp.ne.u32 again, w, v
@again bra T0
""",
}
LAST = " ld.arg.b64 h, ha\n"  # the last of the common first instructions
GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")  # a comma that separates thousands
ROW = re.compile(r"(\S.*?)\s+(\d+)\s+(-?\d+)\s+(-?\d+\.\d)(  \(anomaly\))?(  \(run\))?(?:  (.*))?")


def tool(*words):
    done = subprocess.run([WARPWAIT, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def sets(keys):
    return [word for key in keys.split() for word in ("--set", key)]


@functools.cache
def parameters_of(machine):
    words = ("run", ROOT / "examples/02_bank_conflict/launch.json", "--machine", machine, "--report", "json")
    return json.loads(tool(*words)[1])["machine"]["parameters"]


def waits(report):
    """Maps (launch, line) to what warps waited there, bucket by bucket."""
    found = {}
    for number, launch in enumerate(report["launches"], 1):
        for line in launch["by_line"]:
            found[number, line["line"]] = {stall: cycles for stall, cycles in line["stalls"].items() if stall != "issued"}
    return found


class Kernel:
    """A launch file, and the checks on its explanation."""

    def __init__(self, seed, folder, options, rows):
        self.seed, self.folder, self.random = seed, folder, random.Random(f"explain {seed}")
        self.options, self.rows = options, rows
        self.by = sorted(TIMED)[seed // EVERY % len(TIMED)] if seed % EVERY == 0 else None
        self.broken, self.held, self.anomalies, self.timed, self.cases = [], 0, 0, 0, 0

    def expect(self, holds, what):
        self.held += bool(holds)
        if not holds:
            self.broken.append(what)

    # ---- the launch -----------------------------------------------------------------------------------------

    def make(self):
        """Writes launch files until a machine accepts one; returns the report of its run."""
        language = kernels.language_of(self.seed, "assembly" if self.by else None)
        kernel = kernels.Generator(self.seed, language).kernel()
        kernel.groups = max(kernel.groups, 2 if self.by else 1)
        self.path = kernels.set_down(kernel, language, self.folder, str(self.seed))
        if self.by:
            program = self.path.with_suffix(".wws")
            program.write_text(program.read_text().replace(LAST, LAST + TIMED[self.by], 1))
        launch = json.loads(self.path.read_text())
        for _ in range(TRIES):
            launch["machine"] = self.random.choice(MACHINES)
            words = law.other_machine(self.random, self.rows, parameters_of(launch["machine"]))[1::2]
            launch["set"] = {"cu.warp_size": kernel.warp_size, **dict(word.split("=") for word in words)}
            self.path.write_text(json.dumps(launch))
            status, out, told = self.run()
            if status == 0:
                self.report = json.loads(out)
                return True
            refused = tool("explain", self.path, "-q", "--max-cycles", CYCLES)
            self.expect(refused[0] == status and not refused[1] and told.splitlines()[-1] in refused[2],
                        f"run ends with {status}: {told}, explain with {refused[0]}: {refused[2]}")
        return False

    def run(self, *words):
        return tool("run", self.path, "-q", "--report", "json", "--host", "plain", "--max-cycles", CYCLES, *words)

    def explain(self, *words, path=None):
        return tool("explain", path or self.path, "-q", "--max-cycles", CYCLES, "--no-changes", *words)

    # ---- the checks -----------------------------------------------------------------------------------------

    def check(self):
        if not self.make():
            return
        status, out, told = self.explain("--report", "json", "--jobs", 1)
        self.expect(status == 0, f"explain ends with {status}: {told}")
        if status:
            return
        self.told = json.loads(out)
        self.timed += self.told["depends_on_time"] is not None
        why = self.told["depends_on_time"]
        self.expect(not self.by or (why and why.endswith(" what the kernel does")), f"depends on time: {why}")
        for launch, ran in zip(self.told["launches"], self.report["launches"]):
            self.check_cases(launch, ran)
            self.check_parts(launch, ran)
            self.check_runs(launch)
        self.expect(len(self.told["launches"]) == len(self.report["launches"]), "launches")
        self.check_text(self.explain("--jobs", 3))
        self.check_how(self.told, "run")
        self.check_trace(out)

    def check_cases(self, launch, ran):
        rows, base, saved = launch["limits"], launch["cycles"], {}
        self.expect(base == ran["cycles"], f"the base takes {base}, a run {ran['cycles']} cycles")
        self.expect(launch["tolerance"] == max(16, base // 100), "tolerance")
        self.expect([row["saved"] for row in rows] == sorted((row["saved"] for row in rows), reverse=True), "ranks")
        advice = [line for line in launch["advice"] if line.startswith("Scheduling anomalies")]
        self.expect(bool(advice) == any(case["anomaly"] for case in self.all_cases(launch)), "anomalies in the advice")
        for case in self.all_cases(launch):
            name = " ".join(case["without"])
            self.cases += 1
            self.expect(case["saved"] == base - case["cycles"], f"{name}: saved")
            self.expect(abs(case["saved_share"] * base - case["saved"]) < 1e-6 * base, f"{name}: share")
            self.expect(case["anomaly"] == self.is_anomaly(launch, case), f"{name}: anomaly")
            self.anomalies += case["anomaly"]
            saved[tuple(case["without"])] = case["saved"]
        for row in rows:
            said = any(f" lifting {row['name']} takes" in line for line in advice)
            self.expect(row["anomaly"] == said, f"{row['limit']}: advice {advice}")
        for pair in launch["pairs"]:
            self.expect(pair["sum"] == sum(saved[limit,] for limit in pair["without"]), f"{pair}: sum")
        mostly = launch["all_but_computing"] and launch["all_but_computing"]["cycles"] > base // 2
        self.expect(mostly or "is computing" not in launch["advice"][0], f"is not computing: {launch['advice'][0]}")
        for case in launch["failed"]:
            self.expect(case["status"] in ("refused", "cycle_limit") and case["reason"], f"failed: {case}")

    def is_anomaly(self, launch, case):
        """The keys of absent limits are also in `without`, but not in a row."""
        less = [other["cycles"] for other in self.all_cases(launch) if set(other["without"]) <= set(case["without"])]
        return case["cycles"] > min([launch["cycles"], *less]) + launch["tolerance"]

    @staticmethod
    def all_cases(launch):
        whole = [case for case in (launch["all"], launch["all_but_computing"]) if case]
        return [*launch["limits"], *launch["pairs"], *launch["causes"].values(), *whole]

    def check_parts(self, launch, ran):
        phases, ends = launch["phases"], [0]
        for phase in phases:
            self.expect(phase["from"] == ends[-1] and phase["to"] >= phase["from"], f"{phase}: begins")
            self.expect(0 <= phase["stall_share"] <= 1 + 1e-9, f"{phase}: share")
            self.expect(phase["saved"] > 0 if phase["limit"] else phase["saved"] == 0, f"{phase}: saved")
            ends.append(phase["to"])
        self.expect(ends[-1] == launch["cycles"], f"parts end at {ends[-1]}")
        known = waits(self.report)
        for place in launch["places"]:
            stalls = known[place["launch"], place["line"]]
            self.expect(place["wait"] == sum(stalls.values()), f"{place['place']}: wait")
            self.expect(stalls[place["stall"]] == max(stalls.values()), f"{place['place']}: stall")
            self.expect(place["limit"] is None or place["left"][place["limit"]] < place["wait"], f"{place['place']}: left")
        least = sorted((place["wait"] for place in launch["places"]), reverse=True)
        self.expect([place["wait"] for place in launch["places"]] == least, "places")
        if launch["places"] and len(launch["places"]) < 6:
            shown = {(place["launch"], place["line"]) for place in launch["places"]}
            rest = [sum(stalls.values()) for line, stalls in known.items() if line not in shown]
            self.expect(all(50 * wait < ran["resident_cycles"] for wait in rest), "a place is missing")

    def check_runs(self, launch):
        for row in self.random.sample(launch["limits"], min(self.options.rows, len(launch["limits"]))):
            status, out, told = self.run(*sets(row["set"]))
            self.expect(status == 0, f"{row['limit']}: a run ends with {status}: {told}")
            if status:
                continue
            report = json.loads(out)
            self.expect(report["launches"][launch["launch"] - 1]["cycles"] == row["cycles"], f"{row['limit']}: a run")
            known = waits(report)
            for place in launch["places"]:
                left = sum(known.get((place["launch"], place["line"]), {}).values())
                self.expect(place["left"].get(row["limit"], left) == left, f"{row['limit']}: left at {place['place']}")

    def check_text(self, answer):
        status, text, told = answer
        text = GROUPED.sub("", text)
        launch, = self.told["launches"]
        self.expect(status == 0 and not told, f"the text ends with {status}: {told}")
        self.expect(f"\ncycles         {launch['cycles']}\n" in text, "text: cycles")
        table = [match.groups() for match in map(ROW.fullmatch, text.splitlines()) if match]
        names = {row["name"]: row for row in launch["limits"] if row["saved"]}
        name_of = {row["limit"]: row["name"] for row in launch["limits"]}
        names.update({" + ".join(map(name_of.get, pair["without"])): pair for pair in launch["pairs"]})
        found = {name: (int(cycles), int(saved), percent, bool(anomaly))
                 for name, cycles, saved, percent, anomaly, *_ in table}
        for name, row in names.items():
            said = (row["cycles"], row["saved"], f"{100 * row['saved_share']:.1f}", row["anomaly"])
            self.expect(found.get(name) == said, f"text: {name} is {found.get(name)}, not {said}")
        flat = " ".join(text.split())
        timed = "each machine below is run, not replayed" in flat
        self.expect(timed == (self.told["depends_on_time"] is not None), "text: depends on time")
        for sentence in launch["advice"]:
            self.expect(GROUPED.sub("", " ".join(sentence.split())) in flat, f"text: has not '{sentence}'")
        for case in self.all_cases(launch):
            self.expect(not case["anomaly"] or any(int(row[1]) == case["cycles"] and row[4] for row in table),
                        f"text: {case['without']} is no anomaly")

    def check_how(self, told, how):
        """If the kernel depends on time, all cases are runs, or all are replays."""
        if told["depends_on_time"]:
            found = {case["how"] for launch in told["launches"] for case in self.all_cases(launch)}
            self.expect(found <= {how}, f"depends on time, and is {found}")

    def check_timed_trace(self, trace, told):
        self.expect(told["depends_on_time"] == self.told["depends_on_time"], "the trace: depends on time")
        self.expect([launch["cycles"] for launch in told["launches"]] == [launch["cycles"] for launch in self.told["launches"]],
                    "the trace: cycles of the base")
        self.check_how(told, "replayed")
        status, text, said = tool("explain", trace, "--max-cycles", CYCLES)
        self.expect(status == 0 and "Replays repeat what it did in the recording" in " ".join(text.split()) and "time" in said,
                    f"the trace: does not say that it depends on time: {said}")

    def check_trace(self, expected):
        trace = self.folder / f"{self.seed}.wwt"
        status, _, told = self.run("--trace", trace)
        self.expect(status == 0, f"no trace: {told}")
        status, out, told = self.explain("--report", "json", path=trace)
        self.expect(status == 0, f"the trace: explain ends with {status}: {told}")
        if status:
            return
        if self.told["depends_on_time"]:
            self.check_timed_trace(trace, json.loads(out))
            return
        if not any(case["how"] == "run" for launch in self.told["launches"] for case in self.all_cases(launch)):
            self.expect(out == expected, "the trace is explained otherwise")
            return
        for one, other in zip(self.told["launches"], json.loads(out)["launches"]):
            replayed = {row["limit"]: row for row in one["limits"] if row["how"] == "replayed"}
            self.expect({row["limit"]: row for row in other["limits"]} == replayed, "the trace's rows are others")


def check_seed(seed, options, rows):
    with tempfile.TemporaryDirectory() as name:
        kernel = Kernel(seed, pathlib.Path(name), options, rows)
        kernel.check()
        if kernel.broken:
            options.keep.mkdir(parents=True, exist_ok=True)
            for path in kernel.folder.glob(f"{seed}.*"):
                shutil.copy(path, options.keep)
        return kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=2)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build/explain")
    options = parser.parse_args()
    rows = law.parameters()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.seeds)
        done = list(pool.map(lambda seed: check_seed(seed, options, rows), seeds))
    for kernel in done:
        for what in kernel.broken[:8]:
            print(f"broken: {options.keep}/{kernel.seed}.json: {what}")
    broken = sum(len(kernel.broken) for kernel in done)
    print(f"{sum(kernel.cases for kernel in done)} cases of {len(done)} kernels, {sum(kernel.anomalies for kernel in done)} "
          f"anomalies, {sum(kernel.timed for kernel in done)} kernels run; {sum(kernel.held for kernel in done)} held, {broken} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
