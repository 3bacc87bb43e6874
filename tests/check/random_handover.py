#!/usr/bin/env python3
"""Random kernels that hand over data by atomics, fences and barriers: `warpwait check` and the rules of OpenCL must find
the same races in them.

usage: tests/check/random_handover.py [--count N] [--seed S] [--jobs J] [--keep DIR]
       tests/check/random_handover.py --show --seed S      prints a kernel and its races

Kernel number S is made from seed S. Two to four work-items pass a flag on, each to the next one, and write and read
plain words before and after. Orders, scopes and fence flags are random, and often wrong. The work-items wait for each
other in the order of the program, so one walk over it computes what OpenCL's two relations, global-happens-before and
local-happens-before, order. A kernel whose answers differ is kept in DIR (build/check)."""
import argparse
import collections
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))
LANES, ITEMS, GROUPS, WORDS = 32, 96, 3, 8  # a warp, a work-group, work-groups, words and flags in each memory
SUB_GROUP, WORK_GROUP, DEVICE = range(3)
SCOPES = {"memory_scope_sub_group": SUB_GROUP, "memory_scope_work_group": WORK_GROUP, "memory_scope_device": DEVICE,
          "memory_scope_all_svm_devices": DEVICE}
FLAGS = {"CLK_LOCAL_MEM_FENCE": "l", "CLK_GLOBAL_MEM_FENCE": "g", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE": "lg"}
RELEASES, ACQUIRES = ("release", "acq_rel", "seq_cst"), ("acquire", "acq_rel", "seq_cst")
RULES = ("M5", "M6", "M10")  # M10: only the lockstep of lanes orders the two


# ---- what OpenCL orders -----------------------------------------------------------------------

def needed(one, other):
    """The narrowest scope that includes two work-items (group, item)."""
    if one[0] != other[0]:
        return DEVICE
    return SUB_GROUP if one[1] // LANES == other[1] // LANES else WORK_GROUP


class Message:
    """What a release has handed over: accesses to `memory`, known in `scope`. `plain`: it takes no rule about
    sequentially consistent operations to hand these over at the flag."""

    def __init__(self, item, memory, scope, known, sequential, plain):
        self.item, self.memory, self.scope, self.known = item, memory, scope, frozenset(known)
        self.sequential, self.plain = sequential, plain


class Relations:
    """What each work-item knows to be over, per memory: a set of accesses."""

    def __init__(self):
        self.known = collections.defaultdict(set)  # (item, memory)
        self.fenced = collections.defaultdict(list)  # (item, memory of an atomic): messages of its fences
        self.offered = collections.defaultdict(list)  # (item, memory of an atomic): messages that it has read
        self.at = collections.defaultdict(list)  # by flag
        self.doubtful = False  # whether they depend on what OpenCL leaves open

    def access(self, item, memory, line):
        self.known[item, memory].add((item, line))

    def release_fence(self, item, flags, scope):
        for through, memory in itertools.product(flags, flags):
            self.fenced[item, through].append(
                Message(item, memory, scope, self.known[item, memory], False, through == memory))

    def acquire_fence(self, item, flags, scope):
        for through in flags:
            for message in self.offered[item, through]:
                if message.memory in flags:
                    self.take(item, message, scope, not message.sequential)

    def store(self, item, flag, order, scope):
        memory = flag[0]
        self.at[flag] += self.fenced[item, memory]
        if order in RELEASES:
            self.at[flag].append(Message(item, memory, scope, self.known[item, memory], False, True))
        if order == "seq_cst":
            other = "g" if memory == "l" else "l"
            self.at[flag].append(Message(item, other, scope, self.known[item, other], True, False))

    def load(self, item, flag, order, scope):
        for message in self.at[flag]:
            if order in ACQUIRES and (message.memory == flag[0] or order == "seq_cst"):
                self.take(item, message, scope, message.plain or message.sequential)
            self.offered[item, flag[0]].append(message)

    def take(self, item, message, scope, sure):
        if min(scope, message.scope) >= needed(item, message.item):
            self.known[item, message.memory] |= message.known if sure else set()
            self.doubtful |= not sure

    def barrier(self, items, flags, scope):
        for memory in flags:
            together = set().union(*(self.known[item, memory] for item in items))
            for item in items:
                self.known[item, memory] |= together
        for item in items:
            self.acquire_fence(item, flags, scope)
        for memory in flags:
            together = set().union(*(self.known[item, memory] for item in items))
            for item in items:
                self.known[item, memory] |= together
        for item in items:
            self.release_fence(item, flags, scope)


# ---- kernels ----------------------------------------------------------------------------------

class Kernel:
    """A random kernel: its text, and its races (line, line)."""

    def __init__(self, seed):
        self.random = random.Random(f"handover {seed}")
        self.lines = ["kernel void k(global int *g, global atomic_int *fg, global int *out) {",
                      f"  local int l[{WORDS}];", f"  local atomic_int fl[{WORDS}];",
                      "  uint group = get_group_id(0), item = get_local_id(0);", f"  if (item < {WORDS}) {{", "    l[item] = 0;",
                      "    atomic_init(&fl[item], 0);", "  }", "  barrier(CLK_LOCAL_MEM_FENCE);"]
        self.relations, self.races = Relations(), set()
        self.items = self.participants()
        self.care = self.random.choice((0.5, 0.8, 1.0))  # how often what is random is right
        self.written = {}  # (memory, group of an LDS, word): (item, line)
        for hop, (sender, receiver) in enumerate(zip(self.items, self.items[1:])):
            self.hop(hop, sender, receiver)
        self.begin(self.items[-1])
        self.read_all(self.items[-1])
        self.lines += ["  }", "}"]
        self.text = "\n".join(self.lines) + "\n"

    def participants(self):
        """Two lanes of a warp; or two to four work-items of different warps, because the checker knows what warps
        acquire less exactly than what their lanes do."""
        if self.random.random() < 0.3:
            group, lanes = self.random.randrange(GROUPS), self.random.sample(range(LANES), 2)
            return [(group, lane) for lane in lanes]
        warps = [(group, warp) for group in range(GROUPS) for warp in range(ITEMS // LANES)]
        chosen = self.random.sample(warps, self.random.randint(2, 4))
        if self.random.random() < 0.4:
            chosen = [(chosen[0][0], warp) for warp in self.random.sample(range(ITEMS // LANES), min(len(chosen), 3))]
        return [(group, warp * LANES + self.random.randrange(LANES)) for group, warp in chosen]

    def add(self, text):
        self.lines.append(text)
        return len(self.lines)

    def begin(self, item):
        self.add(f"  if (group == {item[0]} && item == {item[1]}) {{")

    def pick(self, right, anything):
        return self.random.choice(right if self.random.random() < self.care else anything)

    def scope(self, item, other):
        every = list(SCOPES)
        return self.pick([name for name in every if SCOPES[name] >= needed(item, other)], every)

    def flags(self, memories):
        return self.pick([text for text, flags in FLAGS.items() if set(memories) <= set(flags)], list(FLAGS))

    def note_race(self, item, memory, line, other):
        if other[0] != item and other not in self.relations.known[item, memory]:
            self.races.add(frozenset((line, other[1])))

    def write(self, item, memory, word):
        line = self.add(f"    {memory}[{word}] = {len(self.lines)};")
        self.written[memory, word, item[0] if memory == "l" else None] = item, line
        self.relations.access(item, memory, line)

    def read_all(self, item):
        for (memory, word, group), other in self.written.items():
            if group in (None, item[0]):
                line = self.add(f"    out[{len(self.lines)}] = {memory}[{word}];")
                self.note_race(item, memory, line, other)
                self.relations.access(item, memory, line)

    def hop(self, number, sender, receiver):
        """The sender writes a word, and raises a flag for which the receiver waits; or the two meet at a barrier."""
        together = sender[0] == receiver[0]
        data = self.random.choice("lg") if together else "g"
        memory = self.random.choice("lg") if together else "g"
        ways = ["atomic", "atomic", "fence"] + ["barrier"] * (memory == data)
        send, receive = self.random.choice(ways), self.random.choice(ways)
        sequential = data != memory and (send == "atomic" or receive == "atomic")
        self.begin(sender)
        if self.random.random() < 0.5:
            self.read_all(sender)
        self.write(sender, data, number)
        if send == "fence":
            self.fence(sender, receiver, RELEASES, data + memory)
        if send == "barrier":
            self.barrier(sender, receiver, data + memory)
        self.raise_flag(sender, receiver, memory, number, self.order(send, RELEASES, sequential))
        self.add("  }")
        self.begin(receiver)
        self.wait_for_flag(receiver, sender, memory, number, self.order(receive, ACQUIRES, sequential))
        if receive == "fence":
            self.fence(receiver, sender, ACQUIRES, data + memory)
        if receive == "barrier":
            self.barrier(receiver, sender, data + memory)
        self.add("  }")

    def order(self, way, right, sequential):
        allowed = [order for order in (("release", "seq_cst") if right is RELEASES else ("acquire", "seq_cst"))]
        if way != "atomic":
            return self.random.choice(["relaxed"] * 3 + allowed)
        return self.pick(["seq_cst"] if sequential else allowed, ["relaxed", *allowed])

    def fence(self, item, other, right, memories):
        flags, scope = self.flags(memories), self.scope(item, other)
        order = self.pick(right, ("relaxed", "acquire", "release", "acq_rel", "seq_cst"))
        text = f"atomic_work_item_fence({flags}, memory_order_{order}, {scope});"
        if SCOPES[scope] == WORK_GROUP and self.random.random() < 0.5:  # the same in OpenCL 1.x
            name = {"acquire": "read_mem_fence", "release": "write_mem_fence", "acq_rel": "mem_fence"}.get(order)
            text = f"{name}({flags});" if name else text
        self.add("    " + text)
        if order in ACQUIRES:
            self.relations.acquire_fence(item, FLAGS[flags], SCOPES[scope])
        if order in RELEASES:
            self.relations.release_fence(item, FLAGS[flags], SCOPES[scope])

    def barrier(self, item, other, memories):
        flags = self.flags(memories)
        scope = self.pick(["memory_scope_device"], ["memory_scope_work_group", "memory_scope_device"])
        self.add("  }")
        self.add(f"  barrier({flags});" if SCOPES[scope] == WORK_GROUP else f"  work_group_barrier({flags}, {scope});")
        self.begin(item)
        for group in {item[0] for item in self.items}:
            self.relations.barrier([item for item in self.items if item[0] == group], FLAGS[flags], SCOPES[scope])

    def raise_flag(self, sender, receiver, memory, number, order):
        scope = self.scope(sender, receiver)
        names = f"&f{memory}[{number}], 1"
        text = f"atomic_{self.random.choice(('store', 'exchange'))}_explicit({names}, memory_order_{order}, {scope});"
        if order == "relaxed" and self.random.random() < 0.3:  # in OpenCL 1.x
            text, scope = f"atomic_xchg((volatile {'local' if memory == 'l' else 'global'} int *){names});", "memory_scope_work_group"
        self.raised = self.add("    " + text), self.widened(order, scope)
        self.relations.store(sender, (memory, number), order, SCOPES[scope])

    @staticmethod
    def widened(order, scope):
        """The atomics of OpenCL 1.x are relaxed and have the scope of the work-group, but count for the device."""
        return DEVICE if order == "relaxed" and SCOPES[scope] == WORK_GROUP else SCOPES[scope]

    def wait_for_flag(self, receiver, sender, memory, number, order):
        scope = self.scope(receiver, sender)
        line = self.add(f"    while (!atomic_load_explicit(&f{memory}[{number}], memory_order_{order}, {scope})) ;")
        if min(self.widened(order, scope), self.raised[1]) < needed(sender, receiver):
            self.races.add(frozenset((line, self.raised[0])))
        self.relations.load(receiver, (memory, number), order, SCOPES[scope])

    def launch(self, program):
        buffers = {name: {"bytes": 1024, "elem": "int", "fill": "zero"} for name in ("g", "fg", "out")}
        return {"program": program, "buffers": buffers, "launches": [
            {"kernel": "k", "global": [ITEMS * GROUPS], "local": [ITEMS], "args": [{"buffer": name} for name in buffers]}]}


# ---- the two answers --------------------------------------------------------------------------

def set_down(kernel, folder, name):
    (folder / f"{name}.cl").write_text(kernel.text)
    launch = folder / f"{name}.json"
    launch.write_text(json.dumps(kernel.launch(f"{name}.cl"), indent=1) + "\n")
    return launch


def by_check(launch):
    """The races that `warpwait check` reports, or its output if that is not a report of races."""
    done = subprocess.run([WARPWAIT, "check", launch, "--report", "json"], capture_output=True, text=True, check=False)
    try:
        hazards = json.loads(done.stdout)["hazards"]
    except (ValueError, KeyError):
        return {done.stderr.strip() or f"exit status {done.returncode}"}
    return {frozenset((hazard["line"], hazard["other"]["line"])) if hazard["rule"].split("-")[0] in RULES
            else hazard["rule"] for hazard in hazards}


def shown(races):
    return ", ".join(sorted(" and ".join(map(str, sorted(race))) if isinstance(race, frozenset) else race for race in races)) or "none"


def one(seed, keep):
    """(has races, what differs)"""
    kernel = Kernel(seed)
    with tempfile.TemporaryDirectory() as name:
        found = by_check(set_down(kernel, pathlib.Path(name), "kernel"))
    if found == kernel.races or kernel.relations.doubtful:
        return bool(kernel.races), ""
    keep.mkdir(parents=True, exist_ok=True)
    launch = set_down(kernel, keep, f"handover{seed}")
    return bool(kernel.races), (f"seed {seed}: {launch}: races at lines {shown(kernel.races)}; found {shown(found)}\n"
                                f"{kernel.text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="Exit status: 0 all agree; 1 some do not.")
    parser.add_argument("--count", type=int, default=60, help="kernels (60)")
    parser.add_argument("--seed", type=int, default=1, help="of the first of them (1)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at once")
    parser.add_argument("--keep", type=pathlib.Path, default=ROOT / "build/check", help="folder for those that differ")
    parser.add_argument("--show", action="store_true", help="print the first kernel, and run nothing")
    arguments, _ = parser.parse_known_args()  # tests/run passes a GoogleTest option to every program
    if arguments.show:
        kernel = Kernel(arguments.seed)
        print(kernel.text + f"races at lines {shown(kernel.races)}")
        return 0
    seeds, racy, failed = range(arguments.seed, arguments.seed + arguments.count), 0, 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for has_races, difference in pool.map(lambda seed: one(seed, arguments.keep), seeds):
            racy += has_races
            failed += bool(difference)
            if difference:
                print(difference, flush=True)
    print(f"{racy} kernels with races, {arguments.count - racy} without")
    print(f"{arguments.count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
