"""Runs cases in warpwait, several at a time, and caches their outcomes.

The key of an outcome is everything on which it depends: the simulator's bytes, the machine's values, the parameters
that are set, and the case.
"""
import concurrent.futures
import copy
import dataclasses
import hashlib
import json
import os
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

from case import GPU, HOSTS, Like, Outcome, Unmodeled

# What compute units share. A part of the machine gets its share of these.
SHARED = ("mem.l2_size", "mem.l2_width", "mem.dram_width", "mem.l2_slices", "mem.dram_channels", "mem.clusters",
          "cu.dispatch_rate")
PORTS = ("mem.cluster_width", "mem.cluster_up_width")  # of a cluster: they keep the total over all clusters of a part
SECONDS = 600  # a case that takes longer is aborted


class Failure(Exception):
    """The simulator could not run, or refused its input. The text is one line."""


class Machine:
    """A machine by name or file, and parameters to change, as texts "key=value"."""

    def __init__(self, warpwait, name, sets=()):
        self.warpwait, self.name, self.sets = os.path.abspath(warpwait), name, tuple(sets)
        try:
            self.binary = hashlib.sha256(pathlib.Path(self.warpwait).read_bytes()).hexdigest()
        except OSError as error:
            raise Failure(f"{warpwait}: {error.strerror}; build it, or say where it is in $WARPWAIT") from None
        if os.path.exists(name):
            self.name = os.path.abspath(name)
        # Asks warpwait instead of reading the file, which may have a base.
        lines = self._say("params", "--machine", self.name).splitlines()[1:]
        self.values = dict(line.split()[:2] for line in lines if line.strip())
        self.values.update(item.split("=", 1) for item in self.sets)
        GPU.count, GPU.clock_mhz = number(self.values["cu.count"]), number(self.values["cu.clock_mhz"])
        GPU.l2_size = number(self.values["mem.l2_size"])
        GPU.host = HOSTS.get(name, ())

    def _say(self, *arguments):
        told = subprocess.run([self.warpwait, *arguments], capture_output=True, text=True)
        if told.returncode:
            raise Failure(told.stderr.strip().splitlines()[-1])
        return told.stdout

    def text(self):
        """The machine's file."""
        return pathlib.Path(self.name).read_text() if os.path.exists(self.name) else self._say("machines", self.name)

    def having(self, values):
        """This machine with parameters {key: whole number}; values that it already has are not set."""
        other = copy.copy(self)
        changed = {key: str(value) for key, value in values.items() if number(self.values[key]) != value}
        other.sets = self.sets + tuple(f"{key}={value}" for key, value in changed.items())
        other.values = {**self.values, **changed}
        return other

    def cut(self, case):
        """The parameters to set for a case: as many compute units as it needs, and their share of what they share."""
        sets = {"cu.count": str(case.cus)}
        for name in SHARED if case.share > 1 else ():
            value = number(self.values.get(name, "0"))
            if value > 1:
                sets[name] = str(max(1, round(value / case.share)))
        clusters = number(self.values.get("mem.clusters", "0"))
        for name in PORTS if case.share > 1 and clusters else ():
            width = number(self.values[name]) * clusters / case.share / int(sets.get("mem.clusters", clusters))
            sets[name] = str(max(1, round(width)))
        if case.share > 1 and clusters and number(self.values.get("mem.l2_partition_cus", "0")):
            # Chosen so that each of the part's few clusters has CUs near either half, like all clusters of the machine.
            sets["mem.l2_partition_cus"] = str(number(self.values["mem.cluster_unit"]) * (int(sets["mem.clusters"]) + 1))
        if case.share == 1:
            sets["mem.clusters"] = str(self._clusters(case.cus))
        sets.update(case.sets)
        return sets

    def _clusters(self, cus):
        """The number of clusters that `cus` compute units occupy, even partly."""
        clusters, count = number(self.values.get("mem.clusters", "0")), number(self.values.get("cu.count", "1"))
        return min(clusters, 1 + cus * clusters // count)


def number(text):
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    return int(text[:-1] if unit > 1 else text) * unit


def launch_file(case, sets):
    buffers = {}
    for buffer in case.buffers:
        entry = {"bytes": buffer.bytes}
        if buffer.contents:
            entry["file"] = f"{buffer.name}.in"
        elif buffer.words:
            entry["values"] = list(buffer.words)
        else:
            entry["fill"] = buffer.fill
        buffers[buffer.name] = entry
    images = {image.name: {"kind": image.kind, "format": image.format, **dict(zip(("width", "height", "depth"), image.sizes)),
                           **({"file": f"{image.name}.in"} if image.contents else {})} for image in case.images}
    launches = [{"kernel": launch.kernel, "global": launch.sizes()[0], "local": launch.sizes()[1],
                 "args": [dict([arg]) for arg in launch.args]} for launch in case.launches]
    whole = {"name": "case", "program": f"kernel.{case.language}", "set": sets, "buffers": buffers, "images": images,
             "launches": launches}
    if case.build:
        whole["build"] = {key: dict(value) if isinstance(value, tuple) else value for key, value in case.build}
    return json.dumps(whole)


def _like(told):
    return Like(told["limit"], tuple(told["operations"]), tuple(told["kinds"]))


def _counts(launch):
    """The counters of a launch, and how often each instruction was issued."""
    told = {name: launch[name] for name in ("registers", "spilled_words", "warp_instructions", "cu", "memory", "stalls")}
    told["lds"] = {name: value for name, value in launch["lds"].items() if name != "by_instruction"}
    told["groups_per_cu"], told["issues"] = launch["occupancy"]["groups_per_cu"], {}
    for instruction in launch["by_instruction"]:
        mnemonic = next(word for word in instruction["instruction"].split() if not word.startswith("@"))
        told["issues"][mnemonic] = told["issues"].get(mnemonic, 0) + instruction["issues"]
    return told


def _command(machine, case, folder):
    command = [machine.warpwait, "run", str(folder / "launch.json"), "--machine", machine.name, "--quiet", "--host",
               "plain", "--why=no", "--report", "json", "--out", str(folder / "report.json"), *case.options]
    for item in machine.sets:
        command += ["--set", item]
    for buffer in case.buffers:
        if buffer.reads or buffer.digest:
            command += ["--dump", f"{buffer.name}={folder / buffer.name}.bin"]
    return command


def _outcome(case, folder, seconds):
    """The outcome of a run, from the files in its folder."""
    report = json.loads((folder / "report.json").read_text())
    words, digests = {}, {}
    for buffer in case.buffers:
        data = (folder / f"{buffer.name}.bin").read_bytes() if buffer.reads or buffer.digest else b""
        if buffer.reads:
            words[buffer.name] = list(struct.unpack(f"<{len(data) // 8}Q", data[:len(data) // 8 * 8]))
        if buffer.digest:
            digests[buffer.name] = buffer.digest.of(data)
    launches = report["launches"]
    return Outcome(tuple(launch["cycles"] for launch in launches), words,
                   tuple(launch["event_cycles"] for launch in launches), _like(launches[-1]["fidelity"]), digests,
                   _counts(launches[-1]) if case.counts else {}, round(seconds, 2))


def _run(machine, case, sets):
    """Runs a case; returns the outcome, or an Unmodeled with the simulator's message."""
    with tempfile.TemporaryDirectory(prefix="warpwait-hw-") as folder:
        folder = pathlib.Path(folder)
        (folder / f"kernel.{case.language}").write_text(case.source)
        (folder / "launch.json").write_text(launch_file(case, sets))
        for held in (*case.buffers, *case.images):
            if held.contents:
                (folder / f"{held.name}.in").write_bytes(held.contents.data())
        began = time.monotonic()
        try:
            done = subprocess.run(_command(machine, case, folder), capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Unmodeled(f"the run took more than {SECONDS} s") from None
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise Unmodeled(f"warpwait: {said.replace(str(folder) + '/', '')}")
        return _outcome(case, folder, time.monotonic() - began)


class Cache:
    """Outcomes by key, in an SQLite file that several processes can share."""

    def __init__(self, path):
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.base = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self.base.execute("PRAGMA journal_mode=WAL")
        self.base.execute("CREATE TABLE IF NOT EXISTS outcome (key TEXT PRIMARY KEY, value TEXT)")
        self.base.commit()

    def get(self, key):
        found = self.base.execute("SELECT value FROM outcome WHERE key = ?", (key,)).fetchone()
        return json.loads(found[0]) if found else None

    def put(self, key, value):
        self.base.execute("INSERT OR REPLACE INTO outcome VALUES (?, ?)", (key, json.dumps(value)))
        self.base.commit()


def _restored(kept):
    if "unmodeled" in kept:
        return Unmodeled(kept["unmodeled"])
    return Outcome(tuple(kept["cycles"]), kept["words"], tuple(kept["events"]), _like(kept["like"]), kept["digests"],
                   kept["counts"], kept["seconds"])


class Runner:
    def __init__(self, machine, cache, jobs=None, progress=None):
        """`progress`: called from time to time with the numbers of finished cases and of all."""
        self.machine, self.cache = machine, Cache(cache)
        self.jobs, self.progress = jobs or os.cpu_count(), progress

    def _key(self, machine, case, sets):
        parts = (machine.binary, sorted(machine.values.items()), sorted(sets.items()), case)
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def run(self, cases, machine=None):
        """{case: Outcome or Unmodeled} for all `cases`, on the runner's machine or another."""
        machine = machine or self.machine
        outcomes, missing = {}, []
        for case in dict.fromkeys(cases):
            sets = machine.cut(case)
            kept = self.cache.get(self._key(machine, case, sets))
            if kept is None:
                missing.append((case, sets))
            else:
                outcomes[case] = _restored(kept)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            running = {pool.submit(_run, machine, case, sets): (case, sets) for case, sets in missing}
            shown = 0
            try:
                for done, future in enumerate(concurrent.futures.as_completed(running), 1):
                    case, sets = running[future]
                    outcomes[case] = self._keep(self._key(machine, case, sets), future)
                    if self.progress and (time.monotonic() - shown > 0.5 or done == len(missing)):
                        shown = time.monotonic()
                        self.progress(done, len(missing))
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return outcomes

    def _keep(self, key, future):
        """Returns the outcome of a run and adds it to the cache."""
        try:
            outcome = future.result()
            kept = dataclasses.asdict(outcome)
        except Unmodeled as reason:
            outcome, kept = reason, {"unmodeled": str(reason)}
        self.cache.put(key, kept)
        return outcome


class Terminal:
    """A line of progress on a terminal; does nothing elsewhere."""

    def __init__(self):
        self.label, self.shown = "", sys.stderr.isatty()

    def say(self, label=""):
        """Shows what is being done from now on."""
        self.label = label
        self._write(label)

    def __call__(self, done, total):
        self._write(f"{self.label}{': ' if self.label else ''}{done} of {total} runs" if done < total else "")

    def _write(self, text):
        if self.shown:
            sys.stderr.write(f"\r{text}\x1b[K")
            sys.stderr.flush()
