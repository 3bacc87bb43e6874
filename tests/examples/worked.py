#!/usr/bin/env -S python3 -B
"""docs/worked-example.md: one warp's life, calculated from the parameters and compared with a run.

usage: tests/examples/worked.py [--write]   exit 1 unless formulas, run and page all agree"""
import sys

from page import parameters_of, report_of, settle, table

PAGE = "docs/worked-example.md"
LAUNCH = "examples/01_seed/launch_one_warp.json"
# What a warp waits for after an instruction's own issue; all other waiting comes before the issue.
AFTER_ISSUE = {
    "bar": {"barrier"},
    "copy": {"copy_join", "dma_queue"},
    "wait": {"copy_wait", "wait_join"},
    "exit": {"drain"},
}
BYTES = 128  # of the tile: 32 lanes, one float each


class Story:
    """Rows (cycle, what happens, because), in order of cause; `issues` are those of the warp."""

    def __init__(self, parameters):
        self.parameters = parameters
        self.rows, self.issues = [], []

    def event(self, what, base, *steps, why=""):
        """An event at `base` plus `steps`, each a parameter's name or a number of cycles."""
        cycle, terms = base, [str(base)]
        for step in steps:
            length = self.parameters[step] if isinstance(step, str) else step
            terms.append(f"`{step}` {length}" if isinstance(step, str) else str(step))
            cycle += length
        self.rows.append((cycle, what, f"{' + '.join(terms)}{': ' if why else ''}{why}"))
        return cycle

    def issue(self, mnemonic, base, *steps, why=""):
        cycle = self.event(f"**`{mnemonic}`** issues", base, *steps, why=why)
        self.issues.append((cycle, mnemonic))
        return cycle


def beats(nbytes, width):
    return -(-nbytes // width)


def copy_in(story, issued):
    """The path of a copy's last request from cold global memory to the LDS; returns the cycle of the event."""
    p = story.parameters
    size = p["dma.granularity"]
    requests = beats(BYTES, size)
    taken = story.event("the DMA engine takes the descriptor", issued, 1)
    first = story.event("its first request leaves", taken, "dma.setup")
    last = story.event("its last request leaves", first, requests - 1,
                       why=f"{BYTES} bytes are {requests} requests of {size}, one a cycle")
    at_l2 = story.event("that one reaches the L2", last, 1, "mem.link_latency", why="the memory port takes 1")
    missed = story.event("DRAM has its data", at_l2, beats(size, p["mem.dram_width"]) - 1, "mem.dram_latency",
                         why="a miss: nobody has touched the tile")
    departs = story.event("its data leave the L2", missed, "mem.l2_latency")
    back = story.event("its data reach the DMA engine", departs, beats(size, p["mem.link_width"]), "mem.link_latency",
                       why=f"{size} bytes on the link, then the way")
    landed = story.event("its beat is in the LDS", back, 1, beats(size, p["dma.write_width"]),
                         why="1 to the LDS, a beat, and the engine knows")
    return story.event("the copy's event completes", landed, "dma.completion")


def copy_out(story, issued):
    p = story.parameters
    size = p["dma.granularity"]
    requests = beats(BYTES, size)
    taken = story.event("the DMA engine takes the descriptor", issued, 1)
    first = story.event("its first read of the LDS leaves", taken, "dma.setup")
    last = story.event("its last read leaves", first, requests - 1)
    read = story.event("that one's data are in the engine", last, 1, beats(size, p["dma.read_width"]))
    at_l2 = story.event("they reach the L2", read, 1, beats(size, p["mem.link_width"]), "mem.link_latency",
                        why="memory port, link, way")
    done = story.event("the L2 has them", at_l2, "mem.l2_latency")
    landed = story.event("the engine knows", done, "mem.link_latency")
    return story.event("the copy's event completes", landed, "dma.completion")


def tell(parameters):
    """The whole story; returns it with the other figures that the report must show."""
    story = Story(parameters)
    group = story.issue("get.group_id", 0, "cu.dispatch_latency", why="the work-group arrives")
    size = story.issue("get.enqueued_local_size", group, 1, why="an instruction a cycle")
    story.issue("get.local_size", size, 1)
    first = story.issue("mul.i32", size, "cu.int_latency", why="needs the size")
    p = story.issue("ld.arg.b64", first, 1)
    address = story.issue("mad.wide.u32", p, "cu.constant_latency", why="needs `p`")
    copy = story.issue("copy.to_lds", address, "cu.mul_latency", why="needs the address")
    here = story.issue("get.local_id", copy, "cu.copy_latency", why="a copy is a meeting of the work-group")
    shift = story.issue("shl.b32", here, "cu.int_latency")
    wait = story.issue("wait", shift, 1)
    copied = copy_in(story, copy)

    load = story.issue("ld.lds.b32", copied, "cu.wait_latency", why="and so is a wait")
    add = story.issue("add.f32", load, 1, "lds.latency", why="no conflict: 1 pass")
    store = story.issue("st.lds.b32", add, "cu.float_latency")
    barrier = story.issue("bar.lds", store, 1, "lds.latency", why="its fence waits for the store")
    out = story.issue("copy.to_global", barrier, "cu.barrier_latency")
    wait_out = story.issue("wait", out, "cu.copy_latency")
    written = copy_out(story, out)
    leave = story.issue("exit", written, "cu.wait_latency")
    cycles = story.event("the launch is over", leave, 1)
    says = {
        "cycles": cycles,
        "slowest copy": copied - copy,
        "fastest copy": written - out,
        "copy cycles": copied - copy + written - out,
        "exposed cycles": copied - wait + written - wait_out,
    }
    return story, says


def issues_of(launch, start):
    """(cycle, mnemonic) of each instruction. One warp runs straight-line code and is always at one instruction, so an
    issue comes after the cycles of the earlier instructions and the warp's own wait before the issue."""
    cycle, issues = start, []
    for row in launch["by_instruction"]:
        stalls, mnemonic = row["stalls"], row["instruction"].split()[0]
        later = AFTER_ISSUE.get(mnemonic.split(".")[0], set()) | {"issued"}
        issues.append((cycle + sum(count for name, count in stalls.items() if name not in later), mnemonic))
        cycle += sum(stalls.values())
    return issues


def main():
    report = report_of(LAUNCH)
    launch = report["launches"][0]
    parameters = parameters_of(report)
    story, says = tell(parameters)
    issues = issues_of(launch, parameters["cu.dispatch_latency"])
    shown = {
        "cycles": launch["cycles"],
        "slowest copy": launch["dma"]["latency"]["max"],
        "fastest copy": launch["dma"]["latency"]["min"],
        "copy cycles": launch["hiding"]["copy_cycles"],
        "exposed cycles": launch["hiding"]["exposed_cycles"],
    }
    if says != shown:
        sys.exit(f"{LAUNCH}: by the formulas {says}, by the run {shown}")
    if story.issues != issues:
        sys.exit(f"{LAUNCH}: by the formulas {story.issues}, by the run {issues}")
    rows = sorted(story.rows, key=lambda row: row[0])
    settle(PAGE, "cycles", table(["cycle", "what happens", "because"], rows, left=["what happens", "because"]),
           "--write" in sys.argv)


if __name__ == "__main__":
    main()
