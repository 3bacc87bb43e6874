"""Stores for tests, made by a function instead of a simulator."""
import contextlib
import math
import sqlite3

METRICS = [("cycles", "cycles", "From the start to the end"), ("hiding.exposed_cycles", "warp-cycles", "Exposed"),
           ("cost", "", "Of the plan")]


def make(path, axes, function, rows=None, metrics=METRICS, factors=None, cost=""):
    """Writes a store. axes: {name: values as written}. function: see add(). rows: numbers of the grid's points that the
    store has (None: all). factors: axes that vary together, joined by + (None: each varies alone)."""
    names = [f'"{name}"' for name in [*axes, *(name for name, _, _ in metrics)]]
    facts = {"warpwait": "0.1.0", "~plan": "made.ini", "~machine": "teaching", "cost": cost,
             "factors": factors or " ".join(axes)}
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.executescript(f"""
            PRAGMA application_id = 1465348983; PRAGMA user_version = 1;
            CREATE TABLE sweep(name TEXT PRIMARY KEY, value TEXT);
            CREATE TABLE axes(position INTEGER PRIMARY KEY, name TEXT, kind TEXT, words TEXT);
            CREATE TABLE metrics(position INTEGER PRIMARY KEY, name TEXT, unit TEXT, text TEXT);
            CREATE TABLE points(key TEXT PRIMARY KEY, number INTEGER, status TEXT, reason TEXT, {', '.join(names)});
            CREATE TABLE effort(key TEXT PRIMARY KEY, seconds REAL, how TEXT);""")
        base.executemany("INSERT INTO sweep VALUES (?, ?)", facts.items())
        base.executemany("INSERT INTO axes VALUES (?, ?, 'parameter', ?)",
                         [(position, name, " ".join(map(str, axes[name]))) for position, name in enumerate(axes)])
        base.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?)",
                         [(position, *metric) for position, metric in enumerate(metrics)])
        base.commit()
    add(path, axes, function, range(math.prod(map(len, axes.values()))) if rows is None else rows, len(metrics))


def point_of(axes, number):
    """The point of a number, {name: value}: the last axis varies fastest."""
    point = {}
    for name in reversed(axes):
        number, level = divmod(number, len(axes[name]))
        point[name] = axes[name][level]
    return {name: point[name] for name in axes}


def add(path, axes, function, numbers, metrics=len(METRICS)):
    """Adds points. function maps a point to (metric, ...); or to a word, the status of an unfinished point, with its
    reason after a colon; or to None: a constraint excludes it."""
    with contextlib.closing(sqlite3.connect(path)) as base:
        for number in numbers:
            point = point_of(axes, number)
            values = function(point)
            status, reason = "finished", None
            if isinstance(values, str):
                (status, _, reason), values = values.partition(":"), [None] * metrics
            if values is not None:
                key = " ".join(f"{name}={point[name]}" for name in sorted(point))
                base.execute(f"INSERT INTO points VALUES (?, ?, ?, ?{', ?' * (len(axes) + metrics)})",
                             (key, number, status, reason, *point.values(), *values))
        base.commit()


RING = {"dma.channels": [1, 2, 4, 8], "dma.queue": [1, 2, 4, 8, 16, 32], "define.DEPTH": [1, 2, 3, 4, 5, 6],
        "mem.dram_latency": [200, 400, 600], "machine": ["teaching", "h200"]}


def ring(point):
    """A ring of buffers like that of docs/buffering.md: cycles, exposed cycles, cost."""
    channels, queue, depth = point["dma.channels"], point["dma.queue"], point["define.DEPTH"]
    if queue < channels and depth == 6:
        return "deadlock:warps 0 and 1 wait for copies that no channel takes"
    latency = point["mem.dram_latency"] * (1 if point["machine"] == "teaching" else .5) + 150
    busy, refill = 126, 70
    tile = max(busy, (refill + latency) / depth, latency / channels, latency / (2 * queue))
    return round(32 * tile + latency), round(32 * (tile - busy)), depth * 4096 + queue * 64 + channels * 512
