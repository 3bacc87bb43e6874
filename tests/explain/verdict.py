#!/usr/bin/env -S python3 -B
"""Whether the bottleneck that `warpwait run` names is the limit that, according to `warpwait explain`, saves most.

usage: tests/explain/verdict.py [--copies N] [--random N] [--seed S] [--jobs J] [--list] [--write]

Three suites: N configurations of the DMA engine and of memory for the kernels of tests/explain/kernels/tiles.cl
(300), N random kernels of tests/check/random_kernels.py on random machines (300), and every launch of examples/,
docs/lessons and tests/explain/planted.py. For each launch, `run` names one limit or none; `explain` lifts every
limit of the machine. The name is correct if lifting it saves most, or within 2 % of the launch's cycles of that; no
name is correct if nothing saves more than that. The same is checked for `run --why=no`, which goes by accounts: its
names stand for the limits in LIKELY.

--list shows the launches with a wrong name. --write puts the table into docs/explain.md."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/check"), str(ROOT / "tests/replay"), str(ROOT / "tests/explain")]
import law  # noqa: E402
import planted  # noqa: E402
import random_kernels as kernels  # noqa: E402

WARPWAIT = os.path.abspath(os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
NEAR = 0.02      # of a launch's cycles: how far below the best a named limit may be
CYCLES = 300000  # of a launch, at most: a longer one is replaced by another draw
TRIES = 20       # until one accepts the kernel, or finishes
MACHINES = ("teaching", "teaching", "dsp", "h200")
TILES = ROOT / "tests/explain/kernels/tiles.cl"


def tool(*words):
    done = subprocess.run([WARPWAIT, *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def report_of(path, *words):
    status, out, _ = tool("run", path, "-q", "--report", "json", "--host", "plain", "--max-cycles", CYCLES, *words)
    return json.loads(out) if status == 0 else None


# ---- suites ------------------------------------------------------------------------------------


def copies_case(seed, folder):
    """A kernel of tiles.cl on `teaching` with another engine and other memory: the first that finishes in time."""
    generator = random.Random(f"copies {seed}")
    for _ in range(TRIES):
        path = draw_copies(seed, generator.choice, folder)
        if report_of(path, "--why=no"):
            return path
    return None


def draw_copies(seed, pick, folder):
    groups, local = pick((1, 2, 4, 8)), 64
    tiles, words = pick((4, 8, 16)), pick((128, 256, 512, 1024))
    changed = {
        "dma.channels": pick((1, 2, 4, 8, 16)), "dma.outstanding": pick((1, 2, 4, 8, 16, 32, 64, 128)),
        "dma.setup": pick((0, 20, 20, 50, 100, 300)), "dma.completion": pick((0, 10, 10, 30)),
        "dma.read_width": pick((4, 8, 16, 32, 64, 64, 128)), "dma.write_width": pick((4, 8, 16, 32, 64, 64, 128)),
        "dma.granularity": pick((16, 32, 64, 64, 128)), "dma.queue": pick((1, 2, 8, 8, 16)),
        "mem.dram_latency": pick((50, 100, 200, 200, 400, 800)), "mem.dram_width": pick((8, 32, 64, 128)),
        "mem.link_width": pick((16, 32, 64, 128)),
    }
    bytes_ = 4 * groups * tiles * words
    launch = {
        "program": str(TILES), "machine": "teaching", "set": changed,
        "buffers": {"in": {"bytes": bytes_, "elem": "uint", "fill": "iota"},
                    "out": {"bytes": max(bytes_, 4 * groups * local), "elem": "uint", "fill": "zero"}},
        "launches": [{"kernel": ("two_buffers", "there_and_back", "rows")[seed % 3],
                      "global": [groups * local], "local": [local],
                      "args": [{"buffer": "in"}, {"buffer": "out"}, {"uint": tiles}, {"uint": words},
                               {"uint": pick((0, 1, 4, 16))}, {"local": 8 * words}]}],
    }
    path = folder / f"copies_{seed}.json"
    path.write_text(json.dumps(launch))
    return path


def random_case(seed, folder):
    """A random kernel, on the first random machine that accepts it."""
    generator = random.Random(f"verdict {seed}")
    language = kernels.language_of(seed)
    kernel = kernels.Generator(seed, language).kernel()
    path = kernels.set_down(kernel, language, folder, str(seed))
    launch, rows = json.loads(path.read_text()), law.parameters()
    for _ in range(TRIES):
        launch["machine"] = generator.choice(MACHINES)
        now = json.loads(tool("run", ROOT / "examples/02_bank_conflict/launch.json", "--machine", launch["machine"],
                              "--report", "json")[1])["machine"]["parameters"]
        words = law.other_machine(generator, rows, now)[1::2]
        launch["set"] = {"cu.warp_size": kernel.warp_size, **dict(word.split("=") for word in words)}
        path.write_text(json.dumps(launch))
        if report_of(path, "--why=no"):
            return path
    return None


def written(folder):
    """The launch files that are written by hand."""
    yield from sorted((ROOT / "examples").glob("*/launch*.json"))
    yield from sorted((ROOT / "docs/lessons").glob("*/launch*.json"))
    for limit in planted.PLANTED:
        yield planted.write(folder, limit)


# ---- the verdict -------------------------------------------------------------------------------

# The names that accounts give, and the limits that each stands for.
LIKELY = {
    "issue_slots": ["issue"], "lds_passes": ["lds_conflicts"], "dma_engines": ["dma_width", "dma_lines"],
    "dma_channels": ["dma_channels"], "dma_outstanding": ["dma_requests"], "link_down": ["l2_width"], "link_up": ["l2_width"],
    "l2": ["l2_width"], "dram": ["dram_width"],
    "dependency": ["execution"], "unit": ["units"], "not_selected": ["issue"], "lds": ["lds_latency"],
    "lds_conflict": ["lds_conflicts"], "lds_contention": ["lds_contention"], "lds_queue": ["lds_queue"],
    "memory": ["dram_latency", "l2_latency"], "memory_queue": ["accesses"], "fence": ["fences"], "barrier": ["barriers"],
    "copy_join": ["dma_setup"], "dma_queue": ["dma_queue"], "copy_data": ["dram_latency", "l2_latency"],
    "copy_wait": ["dma_setup", "dram_latency", "l2_latency"], "wait_join": ["dma_setup"], "pipe": ["dram_latency", "l2_latency"],
    "drain": ["dram_latency", "l2_latency"],
}


def limits_named(bottleneck):
    named = bottleneck["limit"]
    if bottleneck["by"] == "accounts":
        return ["units"] if named and named.startswith("unit_") else LIKELY.get(named, [])
    return [named] if named else []


def judge(path):
    """For each launch: its name, what run names with and without lifting limits, and what lifting each limit saves."""
    asked, likely = report_of(path), report_of(path, "--why=no")
    if not asked:
        return []
    status, out, told = tool("explain", path, "-q", "--no-changes", "--report", "json", "--host", "plain", "--jobs", 1,
                             "--max-cycles", CYCLES)
    if status:
        raise SystemExit(f"{path}: {told.strip()}")
    found, by_number = [], {launch["launch"]: launch for launch in json.loads(out)["launches"]}
    for number, launch in enumerate(asked["launches"], 1):
        if number not in by_number or launch["end"] != "finished":
            continue
        found.append({"name": f"{path.parent.name}/{path.name}:{number}", "cycles": by_number[number]["cycles"],
                      "saved": {row["limit"]: row["saved"] for row in by_number[number]["limits"]},
                      "by": launch["bottleneck"]["by"], "named": limits_named(launch["bottleneck"]),
                      "likely": limits_named(likely["launches"][number - 1]["bottleneck"])})
    return found


def right(row, names):
    worth = max((row["saved"].get(name, 0) for name in row[names]), default=0)
    return worth >= max(row["saved"].values(), default=0) - NEAR * row["cycles"]


def share(found, names):
    hold = sum(right(row, names) for row in found)
    return f"{hold} of {len(found)}, {100 * hold / len(found):.1f} %"


# ---- the table ---------------------------------------------------------------------------------

SUITES = {
    "copies": "DMA configurations of the three kernels of `tests/explain/kernels/tiles.cl`",
    "random": "random kernels on random machines",
    "written": "launches of `examples`, lessons and planted bottlenecks",
}
PAGE, BEGIN, END = ROOT / "docs/explain.md", "<!-- verdicts: made by tests/explain/verdict.py --write -->\n", "<!-- end of verdicts -->"


def table(rows):
    lines = ["", "| launches | the limit named | as likely, by accounts (`--why=no`) |", "|---|---|---|"]
    lines += [f"| {SUITES[suite]} | {share(found, 'named')} | {share(found, 'likely')} |" for suite, found in rows.items()]
    return "\n".join(lines) + "\n\n"


def write(text):
    page = PAGE.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    PAGE.write_text(page[:begin] + text + page[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--copies", type=int, default=300)
    parser.add_argument("--random", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true", help="show what does not hold")
    parser.add_argument("--write", action="store_true", help="put the table into docs/explain.md")
    asked = parser.parse_args()
    rows = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool:
        folder = pathlib.Path(folder)

        def run(suite, make, *given):
            path = make(*given)
            return suite, judge(path) if path else []

        jobs = [pool.submit(run, "copies", copies_case, asked.seed + i, folder) for i in range(asked.copies)]
        jobs += [pool.submit(run, "random", random_case, asked.seed + i, folder) for i in range(asked.random)]
        jobs += [pool.submit(run, "written", lambda path: path, path) for path in written(folder)]
        for job in jobs:
            suite, found = job.result()
            rows[suite] += found
    print(table(rows), end="")
    for found in rows.values():
        for row in found if asked.list else []:
            if not right(row, "named"):
                best = max(row["saved"], key=row["saved"].get)
                print(f"{row['name']}: named {row['named']} by {row['by']}; {best} saves {row['saved'][best]} of {row['cycles']}")
    if asked.write:
        write(table(rows))
    return 0 if all(right(row, "named") for found in rows.values() for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
