#!/usr/bin/env -S python3 -B
"""docs/buffering.md: how deep a ring of buffers must be, by a closed form and by runs of example 06.

usage: tests/examples/depth.py [--write]    exit 1 if the closed form, the runs and the page disagree"""
import json
import pathlib
import sys
import tempfile

from page import ROOT, parameters_of, report_of, settle, table

PAGE = "docs/buffering.md"
LAUNCH = "examples/06_deep_buffer/launch.json"
TILE_BYTES = 1024
DEPTHS = range(1, 7)
LATENCIES = [200, 400, 600]
# Multiples of every depth: between the two, the ring turns a whole number of times.
FEW, MANY = 60, 120


def with_tiles(folder, tiles):
    """Example 06 with longer streams."""
    launch = json.loads((ROOT / LAUNCH).read_text())
    launch["program"] = str((ROOT / LAUNCH).with_name(launch["program"]))
    launch["buffers"]["in"]["bytes"] = len(DEPTHS) * tiles * TILE_BYTES
    del launch["check"]
    for index, run in enumerate(launch["launches"]):
        run["args"][0]["offset"] = index * tiles * TILE_BYTES
        run["args"][2]["uint"] = tiles
    path = pathlib.Path(folder) / f"{tiles}.json"
    path.write_text(json.dumps(launch))
    return path


def steady(folder, latency):
    """Cycles and exposed cycles per tile for each depth, in the steady state of the ring."""
    few, many = (report_of(with_tiles(folder, tiles), "--set", f"mem.dram_latency={latency}")["launches"]
                 for tiles in (FEW, MANY))
    return [((b["cycles"] - a["cycles"]) / (MANY - FEW),
             (b["hiding"]["exposed_cycles"] - a["hiding"]["exposed_cycles"]) / (MANY - FEW)) for a, b in zip(few, many)]


def copy_latency(p):
    """From a copy's issue to its completion: a tile in DRAM, on an otherwise idle machine."""
    size = p["dma.granularity"]
    requests = TILE_BYTES // size
    request = 1 + p["mem.link_latency"] + p["mem.dram_latency"] + p["mem.l2_latency"] + 1 + p["mem.link_latency"] + 2
    return 1 + p["dma.setup"] + (requests - 1) + request + p["dma.completion"]


def example_table(launches):
    rows = []
    for depth, launch in zip(DEPTHS, launches):
        hiding = launch["hiding"]
        hidden = 100 * hiding["hidden_cycles"] / hiding["copy_cycles"]
        rows.append([depth, launch["cycles"], hiding["copy_cycles"], hiding["exposed_cycles"], f"{hidden:.1f}"])
    return table(["depth", "cycles", "copy cycles", "exposed cycles", "hidden %"], rows)


def form_table(parameters):
    """The closed form for every depth and latency; raises if a run disagrees."""
    with tempfile.TemporaryDirectory() as folder:
        measured = {latency: steady(folder, latency) for latency in LATENCIES}
    copies = {latency: copy_latency({**parameters, "mem.dram_latency": latency}) for latency in LATENCIES}
    # Two figures belong to the kernel and come from runs; all others must follow.
    own = measured[LATENCIES[0]]
    busy = own[-1][0]
    to_refill = own[0][0] - copies[LATENCIES[0]]
    rows = []
    for depth in DEPTHS:
        exposed = {latency: max(0, (to_refill + copies[latency]) / depth - busy) for latency in LATENCIES}
        for latency in LATENCIES:
            got = measured[latency][depth - 1][1]
            if abs(got - exposed[latency]) > 0.01:
                sys.exit(f"depth {depth}, dram_latency {latency}: {exposed[latency]:.2f} by the closed form, {got:.2f} by the run")
        rows.append([depth, *(f"{exposed[latency]:.2f}" for latency in LATENCIES)])
    enough = ["enough", *(f"{(to_refill + copies[latency]) / busy:.2f}" for latency in LATENCIES)]
    text = f"B = {busy:g} cycles, A = {to_refill:g} cycles, and L = {', '.join(str(copies[n]) for n in LATENCIES)} cycles.\n\n"
    header = ["depth", *(f"exposed a tile, `mem.dram_latency` {latency}" for latency in LATENCIES)]
    return text + table(header, [*rows, enough])


def main():
    report = report_of(LAUNCH)
    write = "--write" in sys.argv
    settle(PAGE, "example", example_table(report["launches"]), write)
    settle(PAGE, "closed form", form_table(parameters_of(report)), write)


if __name__ == "__main__":
    main()
