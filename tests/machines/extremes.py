#!/usr/bin/env python3
# Time limit: a run may take 120 s.
"""Random machines at the limits of their parameters: the accounts of every machine add up.

usage: tests/machines/extremes.py [--count N] [--seed S] [--show] [--keep DIR]

Machine number S is made from seed S: each parameter of `warpwait params` is at its default, at its minimum or
maximum, next to one of these, or somewhere between. What machine_check() of models/machine.c refuses is repaired. A
machine that cannot hold a work-group of the launch must be refused in one line, and is counted. Each machine runs a
launch file of examples/, or a random kernel of tests/check/random_kernels.py, on both hosts with every output at
once:

- the exit status is 0 and each check of --verify passes, unless the machine moves bytes elsewhere (padded, swizzled
or refused copies) or takes too many cycles; a random kernel may deadlock, with exit status 1; - report, trace,
timeline and buffers are identical on both hosts, except for the waveform, which only one of them has; - figures that
the report counts in two ways are equal, and no share of a peak is above it.

A failing case is printed as a command and left in DIR (build/machines). Exit status 0 if all of this holds."""
import argparse
import collections
import csv
import json
import math
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/check"))
import random_kernels  # noqa: E402

WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
EXAMPLES = sorted(ROOT.glob("examples/*/launch*.json"))
TIMELINES = ("wtl", "json", "vcd", "csv")
TRIES = 50       # machines to try until one accepts the launch
SECONDS = 120    # of a run; most take a tenth of one
LONG = 1000       # cycles of a latency
CYCLES = 3000000  # a run is cut short there: its accounts add up nevertheless
# Arrays of the simulator grow with these: their maximum needs more memory or time than a test should take.
MOST = {"cu.count": 40, "lds.size": 1 << 20, "dma.outstanding": 200, "mem.l2_size": 1 << 24, "mem.l2_slices": 64,
        "mem.dram_channels": 64, "cu.copy_overhead": 20, "dma.retry_gap": 1000}
ROW = re.compile(r"^\| `(\w+\.\w+)` \| \S+ \| (\S+) \| (.+?) \| (.*?) \| ")


class Parameter:
    """A row of `warpwait params`: its choices, or its range."""

    def __init__(self, name, initial, legal, unit):
        self.name, self.initial = name, initial
        self.latency = unit == "cycles"
        self.choices, self.least, self.most, self.powers = None, 0, 0, "power of 2" in legal
        bounds = re.match(r"(\d+) to (\d+)", legal)
        if bounds:
            self.least, self.most = int(bounds[1]), min(int(bounds[2]), MOST.get(name, int(bounds[2])))
        else:
            self.choices = legal.split()

    def value(self, generator):
        if self.choices:
            return generator.choice(self.choices)
        # Most kernels should finish, so latencies reach their maximum only sometimes.
        most = min(self.most, LONG) if self.latency and generator.random() < 0.9 else self.most
        between = math.exp(generator.uniform(math.log(self.least + 1), math.log(most + 1))) - 1
        if self.powers:
            between = 1 << generator.randint(self.least.bit_length() - 1, self.most.bit_length() - 1)
            return generator.choice((self.least, self.most, between))
        number = generator.choice((self.least, most, self.least + 1, most - 1, round(between), round(between)))
        return max(self.least, min(most, number))


def parameters():
    told = subprocess.run([WARPWAIT, "params", "--markdown"], capture_output=True, text=True, check=True).stdout
    return [Parameter(*row.groups()) for row in map(ROW.match, told.splitlines()) if row]


def mend(machine, get):
    """Turns a drawn machine into one that machine_check() accepts."""
    line, room = get("mem.line"), get("mem.line") * get("mem.l2_ways") * get("mem.l2_slices") * get("mem.l2_partitions")
    machine["mem.sector"] = min(get("mem.sector"), line)
    if get("mem.l1_size"):
        machine["mem.l1_size"] = max(get("mem.l1_size"), line * get("mem.l1_ways"))
    if get("mem.l2_size"):
        machine["mem.l2_size"] = max(get("mem.l2_size"), room)
    machine["mem.dram_row_miss"] = max(get("mem.dram_row_miss"), get("mem.dram_row_hit"))
    machine["mem.dram_row_conflict"] = max(get("mem.dram_row_conflict"), get("mem.dram_row_miss"))
    if get("mem.dram_refresh"):
        machine["mem.dram_refresh"] = max(get("mem.dram_refresh"), 2)
        machine["mem.dram_refresh_cycles"] = min(get("mem.dram_refresh_cycles"), get("mem.dram_refresh") - 1)
    if get("dma.copy") != "engine":
        machine.update({"dma.swizzle": "none", "dma.pad": 0})
    machine["cu.lds_unit"] = min(get("cu.lds_unit"), get("lds.size"))


def draw(generator, rows):
    """The parameters of a machine that are not at their defaults."""
    machine, changed = {}, generator.choice((0.05, 0.2, 0.5, 1.0))
    initial = {row.name: row.initial if row.choices else int(row.initial) for row in rows}
    for row in rows:
        if generator.random() < changed:
            machine[row.name] = row.value(generator)
    # Work-groups have to fit, and half of the machines must leave bytes where kernels expect them.
    for name in ("cu.warps", "cu.group_size", "lds.size", "cu.registers"):
        if generator.random() < 0.7:
            machine.pop(name, None)
    if generator.random() < 0.7:
        machine.update({"dma.swizzle": "none", "dma.pad": 0, "dma.misaligned": "shift"})
    mend(machine, lambda name: machine.get(name, initial[name]))
    return {name: value for name, value in machine.items() if value != initial[name]}


def moves_elsewhere(machine):
    padded = machine.get("dma.pad") and machine.get("dma.pad_interval")
    return padded or "dma.swizzle" in machine or machine.get("dma.misaligned") == "refuse"


# ---- runs --------------------------------------------------------------------------------------------

class Subject:
    """A launch file, and the names of its buffers and pipes."""

    def __init__(self, launch, checked):
        self.launch, self.checked = launch, checked
        described = json.loads(launch.read_text())
        self.buffers = [*described.get("buffers", {}), *described.get("pipes", {})]
        # Kernels that wait for each other deadlock if there is room for only one.
        self.together = any("together" in step for step in described["launches"])
        self.warps = described.get("set", {}).get("cu.warp_size")

    def dumps(self, folder):
        return [word for name in self.buffers for word in ("--dump", f"{name}={folder / ('dump.' + name)}")]


def subject_of(generator, seed, folder):
    if generator.random() < 0.6:
        return Subject(generator.choice(EXAMPLES), True)
    language = "opencl" if generator.random() < 0.1 else "assembly"
    kernel = random_kernels.Generator(seed, language).kernel()
    return Subject(random_kernels.set_down(kernel, language, folder), False)


def run(subject, settings, host, timeline, folder):
    """(exit status, messages) of a run with every output."""
    folder.mkdir(exist_ok=True)
    words = [WARPWAIT, "run", str(subject.launch), "-q", "--why=no", "--host", host, "--report", "json", "--verify", *settings]
    words += ["--max-cycles", str(CYCLES)]
    words += ["--out", str(folder / "report.json"), "--trace", str(folder / "trace.wwt")]
    words += ["--timeline", str(folder / f"timeline.{timeline}"), *subject.dumps(folder)]
    if host == "systemc":
        words += ["--vcd", str(folder / "waves.vcd")]
    else:
        words += ["--html", str(folder / "page.html")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=SECONDS)
    return done.returncode, done.stdout + done.stderr, shlex.join(words)


# ---- accounts ----------------------------------------------------------------------------------------

def equal(found, what, one, other):
    if one != other:
        found.append(f"{what}: {one} and {other}")


def at_most(found, what, small, large):
    if small > large:
        found.append(f"{what}: {small} is more than {large}")


def total(rows, key):
    return sum(row[key] for row in rows)


def check_stalls(launch, found):
    stalls, instructions, cu = launch["stalls"], launch["by_instruction"], launch["cu"]
    equal(found, "stalls, resident_cycles", sum(stalls.values()), launch["resident_cycles"])
    for bucket in stalls:
        equal(found, f"stalls.{bucket} of instructions, of all",
              sum(row["stalls"].get(bucket, 0) for row in instructions), stalls[bucket])
    equal(found, "stalls.issued, what issues", stalls["issued"],
          cu["warp_instructions"] + cu["copy_retries"] + cu["copy_slots"])
    equal(found, "cycles of lines, resident_cycles", total(launch["by_line"], "cycles"), launch["resident_cycles"])
    for line in launch["by_line"]:
        equal(found, f"stalls, cycles of line {line['line']}", sum(line["stalls"].values()), line["cycles"])
    for row in instructions:
        at_most(found, f"issues, issued of instruction {row['pc']}", row["issues"], row["stalls"].get("issued", 0))


def check_instructions(launch, found):
    instructions, lines, cu = launch["by_instruction"], launch["by_line"], launch["cu"]
    equal(found, "warp_instructions of instructions", total(instructions, "issues"), cu["warp_instructions"])
    equal(found, "lane_instructions of instructions", total(instructions, "lanes"), cu["lane_instructions"])
    for key in ("issues", "sectors", "copies", "copy_bytes", "copy_requests"):
        equal(found, f"{key} of lines, of instructions", total(lines, key), total(instructions, key))
    equal(found, "copies of instructions", total(instructions, "copies"), cu["copies"])
    equal(found, "copy_bytes of instructions", total(instructions, "copy_bytes"), cu["copy_bytes"])
    equal(found, "copies, their forms", cu["copies"], sum(cu[f"copies_{form}"] for form in ("plain", "strided", "2d", "3d")))
    at_most(found, "warp_copies, copies", cu["warp_copies"], cu["copies"])


def check_lds(launch, together, found):
    lds = launch["lds"]
    instructions = [row for one in together for row in one["lds"]["by_instruction"]]
    hold = equal if all(one["end"] == "finished" for one in together) else at_most  # per instruction, with the reply
    for key in ("accesses", "passes", "conflict_cycles", "contention_cycles"):
        hold(found, f"lds.{key} of instructions", total(instructions, key), lds[key])
    hold(found, "lds.max_ways of instructions", max((row["max_ways"] for row in instructions), default=0), lds["max_ways"])
    equal(found, "lds_conflict_cycles of lines, of instructions", total(launch["by_line"], "lds_conflict_cycles"),
          total(lds["by_instruction"], "conflict_cycles"))


def check_copies(launch, found):
    dma, cu, hiding = launch["dma"], launch["cu"], launch["hiding"]
    latency = dma["latency"]
    equal(found, "dma.latency.count, its bins", latency["count"], total(latency["bins"], "count"))
    if latency["count"]:
        at_most(found, "dma.latency.min, mean", latency["min"], latency["mean"] + 1e-6 * latency["mean"])
        at_most(found, "dma.latency.mean, max", latency["mean"], latency["max"] + 1e-6 * latency["max"])
        at_most(found, "dma.latency.p50, p99", latency["p50"], latency["p99"])
    equal(found, "dma.descriptors, their dimensions", dma["descriptors"],
          dma["descriptors_1d"] + dma["descriptors_2d"] + dma["descriptors_3d"])
    equal(found, "hiding", hiding["copy_cycles"], hiding["hidden_cycles"] + hiding["exposed_cycles"])
    equal(found, "cu.copy_cycles, hiding", cu["copy_cycles"], hiding["copy_cycles"])
    equal(found, "cu.exposed_cycles, hiding", cu["exposed_cycles"], hiding["exposed_cycles"])
    at_most(found, "hiding.exposed_cycles, copy_cycles", hiding["exposed_cycles"], hiding["copy_cycles"])
    equal(found, "dma.queue_full_cycles, stalls.dma_queue", dma["queue_full_cycles"], launch["stalls"]["dma_queue"])


def check_shared_copies(launch, together, value, found):
    """What concurrent launches share."""
    dma, counted = launch["dma"], [one["cu"] for one in together]
    finished = all(one["end"] == "finished" for one in together)
    hold_requests = equal if finished else at_most  # counted per instruction when it lands
    hold_requests(found, "copy_requests of instructions, of engines and warps",
                  sum(total(one["by_instruction"], "copy_requests") for one in together),
                  dma["requests"] + total(counted, "copy_accesses"))
    if finished:
        equal(found, "dma.latency.count, copies", dma["latency"]["count"], total(counted, "copies"))
        equal(found, "dma.descriptors, copies of engines", dma["descriptors"],
              total(counted, "copies") - total(counted, "warp_copies"))
        if value["dma.copy"] == "engine":
            equal(found, "dma.bytes, copy_bytes", dma["bytes"] - dma["zero_bytes"], total(counted, "copy_bytes"))
    equal(found, "dma.channel_cycles, its accounts", dma["channel_cycles"],
          sum(dma[f"{account}_cycles"] for account in ("setup", "sending", "turn", "room", "data", "quota", "fence")))
    interval, engines = dma["timeline"]["interval"], value["dma.engines"] * math.ceil(value["cu.count"] / value["dma.cus"])
    for key, cycles in (("queue", dma["queue_cycles"]), ("channels", dma["channel_cycles"])):
        means = dma["timeline"][key]
        if means:
            last = launch["together_cycles"] - interval * (len(means) - 1)
            area = engines * (interval * sum(means[:-1]) + last * means[-1])
            if not math.isclose(area, cycles, rel_tol=1e-6, abs_tol=1e-3):
                found.append(f"dma.timeline.{key}: its area is {area}, not {cycles}")


def check_time(launch, value, found):
    cus, cycles, cu = value["cu.count"], launch["cycles"], launch["cu"]
    at_most(found, "cycles, together_cycles", cycles, launch["together_cycles"])
    at_most(found, "cu.active_cycles, those of all CUs", cu["active_cycles"], cus * cycles)
    at_most(found, "cu.issue_cycles, active_cycles", cu["issue_cycles"], cu["active_cycles"])
    at_most(found, "resident_cycles, those of all slots", launch["resident_cycles"], cus * value["cu.warps"] * cycles)
    at_most(found, "issues, slots of schedulers", launch["stalls"]["issued"],
            cu["active_cycles"] * value["cu.schedulers"])
    for name, share in shares(launch["utilization"]):
        if not 0 <= share <= 1 + 1e-9:
            found.append(f"utilization.{name}: {share}")


def shares(utilization):
    for name, share in utilization.items():
        if isinstance(share, dict):
            yield from shares(share)
        elif isinstance(share, (int, float)):
            yield name, share


def check_memory(launch, together, value, found):
    memory, dma = launch["memory"], launch["dma"]
    touched = sum(total(one["by_instruction"], "sectors") for one in together)
    for name in ("l2_hit_rate", "dram_row_hit_rate", "dram_row_miss_rate", "dram_row_conflict_rate"):
        if not 0 <= memory[name] <= 1:
            found.append(f"memory.{name}: {memory[name]}")
    # The memory does not see what an L1 serves, nor, if a run is cut short, what is in flight.
    finished = all(one["end"] == "finished" for one in together)
    hold = equal if finished and not value["mem.l1_size"] else at_most
    hold(found, "memory.sectors, sectors of instructions", memory["sectors"], touched)
    # A line in flight between partitions may also be in flight to the other one.
    at_most(found, "memory.l2_merges, lines", memory["l2_merges"], memory["l2_hits"] + memory["l2_misses"] + memory["l2_far"])
    if finished:
        equal(found, "lds.dma_bytes, dma.bytes", launch["lds"]["dma_bytes"], dma["bytes"])
        equal(found, "dma.requests, those at the memory", dma["requests"], memory["dma_reads"] + memory["dma_writes"])
        equal(found, "dma.bytes, memory.dma_bytes", dma["bytes"] - dma["zero_bytes"], memory["dma_bytes"])
        equal(found, "work_groups, those that finished", launch["work_groups"], launch["cu"]["work_groups"])


def check_report(report):
    """Returns what does not add up."""
    found, value = [], {name: row["value"] for name, row in report["machine"]["parameters"].items()}
    for number, launch in enumerate(report["launches"], 1):
        wrong, together = [], [report["launches"][at - 1] for at in {number, *launch["together"]}]
        check_stalls(launch, wrong)
        check_instructions(launch, wrong)
        check_lds(launch, together, wrong)
        check_copies(launch, wrong)
        check_shared_copies(launch, together, value, wrong)
        check_time(launch, value, wrong)
        check_memory(launch, together, value, wrong)
        found += [f"launch {number}: {what}" for what in wrong]
    return found


def check_timeline(report, path):
    """The events of warps in a timeline, by bucket, equal their accounts."""
    spent = [collections.Counter() for _ in report["launches"]]
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if row["name"] == "warp":
                spent[int(row["launch"])][row["stall"]] += int(row["to"]) - int(row["from"])
    found = []
    for launch, told in zip(report["launches"], spent):
        for bucket, cycles in launch["stalls"].items():
            equal(found, f"timeline's {bucket} of {launch['kernel']}, stalls", told[bucket], cycles)
    return found


# ---- one machine -------------------------------------------------------------------------------------

def differing(one, other):
    """Files in both folders with different bytes."""
    names = sorted(set(os.listdir(one)) & set(os.listdir(other)))
    return [name for name in names if (one / name).read_bytes() != (other / name).read_bytes()]


def judge(subject, machine, timeline, folder):
    """(None if the machine is refused, otherwise complaints; the command)"""
    settings = [word for name, value in machine.items() for word in ("--set", f"{name}={value}")]
    one, other = folder / "systemc", folder / "plain"
    try:
        status, said, command = run(subject, settings, "systemc", timeline, one)
        again, said_again, _ = run(subject, settings, "plain", timeline, other)
    except subprocess.TimeoutExpired as late:
        return [f"takes more than {SECONDS} seconds"], shlex.join(late.cmd)
    if status == 2 and again == 2 and said.count("\n") == 1 and said == said_again:
        return None, command
    if status != again or said.replace(str(one), "") != said_again.replace(str(other), ""):
        return [f"hosts end with {status} and {again}: {said}{said_again}"], command
    # Without a check that could fail, 1 means a deadlock; with one, that copies moved bytes elsewhere.
    unfinished = "not finished after" in said or subject.together and "deadlock" in said
    if status not in ((0,) if subject.checked and not moves_elsewhere(machine) and not unfinished else (0, 1)):
        return [f"exit status {status}: {said}"], command
    complaints = [f"{name}: not the same on both hosts" for name in differing(one, other)]
    report = json.loads((one / "report.json").read_text())
    complaints += check_report(report)
    if timeline == "csv":
        complaints += check_timeline(report, one / "timeline.csv")
    return complaints, command


def try_seed(seed, rows, folder):
    """(machines that were refused, whether one ran, complaints, the command)"""
    generator = random.Random(seed)
    subject = subject_of(generator, seed, folder)
    for refused in range(TRIES):
        machine = draw(generator, rows)
        if subject.warps:
            machine["cu.warp_size"] = subject.warps
        complaints, command = judge(subject, machine, generator.choice(TIMELINES), folder)
        if complaints is not None:
            return refused, True, complaints, command
        for host in ("systemc", "plain"):
            shutil.rmtree(folder / host)
    return TRIES, False, [], ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="Exit status: 0 all holds; 1 not.")
    parser.add_argument("--count", type=int, default=50, help="machines (50)")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the others follow (1)")
    parser.add_argument("--show", action="store_true", help="print the commands")
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build/machines", help="for what does not hold (build/machines)")
    asked = parser.parse_args()
    rows, sums = parameters(), collections.Counter()
    for seed in range(asked.seed, asked.seed + asked.count):
        with tempfile.TemporaryDirectory() as folder:
            refused, ran, complaints, command = try_seed(seed, rows, pathlib.Path(folder))
            sums.update(refused=refused, ran=int(ran), wrong=int(bool(complaints)))
            if complaints:
                kept = asked.keep / str(seed)
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(folder, kept)
                print(f"seed {seed}:", *complaints, command.replace(folder, str(kept)), sep="\n  ", flush=True)
            elif asked.show:
                print(f"seed {seed}: {command}")
    print(f"seeds {asked.seed} to {asked.seed + asked.count - 1}: {sums['ran']} machines ran, {sums['refused']} were refused, "
          f"{sums['wrong']} are wrong")
    return 1 if sums["wrong"] or not sums["ran"] else 0


if __name__ == "__main__":
    sys.exit(main())
