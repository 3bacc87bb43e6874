#!/usr/bin/env python3
# Time limit: a sweep may take 120 s.
"""Random points of random plans (presets, parameters, defines, arguments by name and by number, zips, samples,
constraints, costs): each row equals what `warpwait run` reports with the same settings. `--points 1000 --seed 2`
tests other points."""
import argparse
import json
import pathlib
import random
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]
import sweep_test  # noqa: E402

EXAMPLES = sorted((sweep_test.ROOT / "examples").glob("*/launch*.json"))
CYCLES = 300000
PARAMETERS = {
    "mem.dram_latency": [50, 100, 400, 900], "mem.l2_latency": [20, 50, 150], "mem.l1_size": [0, 16384, 32768],
    "mem.l2_size": [65536, 1048576], "dma.channels": [1, 2, 4, 8], "dma.queue": [1, 2, 4, 16], "dma.issue_gap": [1, 3, 8],
    "dma.alignment": [1, 4, 16], "dma.read_width": [16, 32, 64], "dma.setup": [0, 10, 77], "lds.banks": [16, 32],
    "cu.warp_size": [16, 32], "cu.count": [1, 2, 3], "cu.warps": [8, 16], "cu.clock_mhz": [500, 1000, 1700]}


class Plan:
    """A random plan in a folder: its file, and for each row the `warpwait run` command that must report the same."""

    def __init__(self, folder, draw):
        self.folder, self.own = folder, draw.random() < .5
        self.launch = folder / "sums.json" if self.own else draw.choice(EXAMPLES)
        (folder / "sums.cl").write_text(sweep_test.SUMS)
        (folder / "sums.json").write_text(json.dumps(sweep_test.SUMS_LAUNCH))
        *self.names, setting = draw.sample(sorted(PARAMETERS), draw.randint(2, 5))
        self.settings = {setting: draw.choice(PARAMETERS[setting])} if draw.random() < .5 else {}
        self.machine = draw.choice(["teaching", "h200"]) if draw.random() < .3 else None
        self.cost = draw.random() < .5
        self.path = folder / "plan.ini"
        self.path.write_text(self.text(draw))

    def text(self, draw):
        """The sweep file."""
        first, last = self.names[0], self.names[-1]
        lines = ["[sweep]", f"launch = {self.launch}"]
        axes = {name: " ".join(map(str, PARAMETERS[name])) for name in self.names}
        if draw.random() < .3:
            axes["machine"] = draw.choice(["teaching h200", "teaching dsp h200"])
        elif self.machine:
            lines.append(f"machine = {self.machine}")
        if self.own:
            axes["define.STRIDE"] = draw.choice(["1 2 8", "1..4", "5"])
            axes[draw.choice(["arg.tiles", "arg.3", "launch.2.arg.tiles", "launch.1.arg.3"])] = "1 3"
            if draw.random() < .5:
                axes["launch.2.arg.scale"], axes["arg.room"] = "1:2:3:4 4:3:2:1", "256 1K"
        zipped = self.names[:2] if len(self.names) > 2 and draw.random() < .5 else []
        count = min(len(PARAMETERS[name]) for name in zipped) if zipped else 0
        if self.cost:
            lines.append(f"cost = {first} * 3 + max({last}, 7) / 4")
        lines += [f"sample = {draw.choice(['grid', 'latin 2', 'random 2'])}", f"seed = {draw.randint(0, 99)}"]
        lines += ["[set]", *(f"{name} = {value}" for name, value in self.settings.items())]
        lines += ["[axes]", *(f"{name} = {words}" for name, words in axes.items() if name not in zipped)]
        lines += ["[zip both]"] if zipped else []
        lines += [f"{name} = {' '.join(axes[name].split()[:count])}" for name in zipped]
        lines += ["[constraints]", f"some = {first} <= {PARAMETERS[first][-1]} && {last} != {PARAMETERS[last][-1] + 1}"]
        return "\n".join(lines) + "\n"

    def point(self, row):
        """The launch file with the row's arguments."""
        if not self.own:
            return self.launch
        launch = json.loads(json.dumps(sweep_test.SUMS_LAUNCH))
        places = {"tiles": 2, "3": 2, "scale": 3, "room": 4}
        for name, word in row.items():
            head, _, last = name.rpartition("arg.")
            for number, entry in enumerate(launch["launches"], 1):
                if head in ("", f"launch.{number}.") and name != last:
                    kind, = entry["args"][places[last]]
                    entry["args"][places[last]] = {kind: word.split(":") if kind == "float4" else int(word)}
        path = self.folder / "point.json"
        path.write_text(json.dumps(launch))
        return path

    def run(self, row):
        """The result of `warpwait run` for a row: exit status, standard output, standard error."""
        words = ["--report", "json", "--max-cycles", CYCLES]
        for name, value in {**self.settings, **{name: row[name] for name in self.names}}.items():
            words += ["--set", f"{name}={value}"]
        machine = row.get("machine", None if "machine" in row else self.machine)
        words += ["--machine", machine] if machine else []
        words += ["-D", f"STRIDE={row['define.STRIDE']}"] if self.own else []
        return sweep_test.tool("run", self.point(row), *words)


def differs(plan, row, test):
    """What is wrong with a row; None if it is correct."""
    status, out, told = plan.run(row)
    if row["status"] != "finished":
        end = told.strip()[-40:]
        return None if status and (row["reason"] or "").endswith(end) else f"{row['reason']!r} and not {told!r}"
    if status:
        return told
    test.axes = plan.names
    first, last = plan.names[0], plan.names[-1]
    try:
        test.check(row, json.loads(out))
        if plan.cost:
            test.assertEqual(row["cost"], row[first] * 3 + max(row[last], 7) / 4)
    except AssertionError as error:
        return str(error)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    draw, test, passed, failed = random.Random(asked.seed), sweep_test.Sweep(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        while passed + failed < asked.points:
            plan = Plan(pathlib.Path(folder), draw)
            store = pathlib.Path(folder, "plan.sqlite")
            store.unlink(missing_ok=True)
            done = sweep_test.tool("sweep", "run", plan.path, "--limit", 40, "--jobs", 2, "--max-cycles", CYCLES)
            table = sorted(sweep_test.rows(store).values(), key=lambda row: row["key"]) if done[0] == 0 else []
            if not table:
                print(f"{done[2]}{plan.path.read_text()}")
            wrong = [row["key"] + ": " + said for row in draw.sample(table, min(len(table), 6))
                     if (said := differs(plan, row, test))]
            if wrong:
                print("\n".join(wrong), plan.path.read_text(), sep="\n")
            failed += len(wrong) or not table
            passed += min(len(table), 6) - len(wrong)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
