"""Stores for tests, made by a function instead of a simulator."""
import itertools
import sqlite3

METRICS = [("cycles", "cycles", "From the start to the end"), ("hiding.exposed_cycles", "warp-cycles", "Exposed"),
           ("cost", "", "Of the plan")]


def make(path, axes, function, rows=None, metrics=METRICS, factors=None):
    """Writes a store. axes: {name: values as they are written}. function: from a point {name: value} to (metric,
    ...), or to a word: the status of a point that did not finish, with its reason behind a colon. rows: numbers of the
    grid's points that are there (None: all). factors: axes that go together with + between (None: each is alone)."""
    base = sqlite3.connect(path)
    names = [f'"{name}"' for name in [*axes, *(name for name, _, _ in metrics)]]
    base.executescript(f"""
        CREATE TABLE sweep(name TEXT PRIMARY KEY, value TEXT);
        CREATE TABLE axes(position INTEGER PRIMARY KEY, name TEXT, kind TEXT, words TEXT);
        CREATE TABLE metrics(position INTEGER PRIMARY KEY, name TEXT, unit TEXT, text TEXT);
        CREATE TABLE points(key TEXT PRIMARY KEY, number INTEGER, status TEXT, reason TEXT, {', '.join(names)});
        CREATE TABLE effort(key TEXT PRIMARY KEY, seconds REAL, how TEXT);""")
    facts = {"version": "1", "plan.file": "made.ini", "machine": "teaching", "text": "[sweep]\nlaunch = l.json",
             "factors": factors or " ".join(axes)}
    base.executemany("INSERT INTO sweep VALUES (?, ?)", facts.items())
    for position, (name, values) in enumerate(axes.items()):
        base.execute("INSERT INTO axes VALUES (?, ?, 'parameter', ?)", (position, name, " ".join(map(str, values))))
    base.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?)",
                     [(position, *metric) for position, metric in enumerate(metrics)])
    grid = list(itertools.product(*axes.values()))
    for number in range(len(grid)) if rows is None else rows:
        point = dict(zip(axes, grid[number]))
        came_out = function(point)
        status, reason, values = "finished", None, came_out
        if isinstance(came_out, str):
            (status, _, reason), values = came_out.partition(":"), [None] * len(metrics)
        key = " ".join(f"{name}={point[name]}" for name in sorted(point))
        base.execute(f"INSERT INTO points VALUES (?, ?, ?, ?{', ?' * len(names)})",
                     (key, number, status, reason, *grid[number], *values))
    base.commit()
    base.close()


RING = {"dma.channels": [1, 2, 4, 8], "dma.queue": [1, 2, 4, 8, 16, 32], "define.DEPTH": [1, 2, 3, 4, 5, 6],
        "mem.dram_latency": [200, 400, 600], "machine": ["teaching", "h200"]}


def ring(point):
    """A ring of buffers in the manner of docs/buffering.md: cycles, exposed cycles, cost."""
    channels, queue, depth = point["dma.channels"], point["dma.queue"], point["define.DEPTH"]
    if queue < channels and depth == 6:
        return "deadlock:warps 0 and 1 wait for copies that no channel takes"
    latency = point["mem.dram_latency"] * (1 if point["machine"] == "teaching" else .5) + 150
    busy, refill = 126, 70
    tile = max(busy, (refill + latency) / depth, latency / channels, latency / (2 * queue))
    cycles = round(32 * tile + latency)
    return cycles, round(32 * (tile - busy)), depth * 4096 + queue * 64 + channels * 512
