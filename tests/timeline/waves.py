"""Waveforms (.vcd): a small reader, and the waves that a timeline's events add up to, computed independently."""
import collections

PICOSECONDS = 1000000  # of a cycle at 1 MHz

# For each kind of event its waves: the name with the unit's parts, and what an event adds.
SOURCE = {0: "warps"}
WAVES = {
    "group": [("slot{unit}.group", lambda e: 1 + e["group"])],
    "meet": [("slot{unit}.meeting", lambda e: 1 + e["kind"])],
    "copy": [("copies", lambda e: 1)],
    "warp": [("warp{unit}.state", lambda e: 1 + e["stall"]), ("warp{unit}.pc", lambda e: e["pc"])],
    "access": [("warp{unit}.lds_accesses", lambda e: 1)],
    "global": [("warp{unit}.memory_accesses", lambda e: 1)],
    "scheduler": [("scheduler{unit}.state", lambda e: 1 + e["stall"])],
    "banks": [("lds.{source}.banks", lambda e: e["banks"])],
    "queue": [("engine{unit}.queue", lambda e: 1)],
    "channel": [("engine{engine}.channel{channel}.copy", lambda e: e["copy"])],
    "request": [("engine{engine}.channel{channel}.requests", lambda e: 1)],
    "passed": [("port.{source}.messages", lambda e: 1)],
    "served": [("memory.{source}.messages", lambda e: 1)],
}


def add_up(events):
    """Maps a name to [(cycle, value from then on)], for each wave that ever changes."""
    steps = collections.defaultdict(collections.Counter)
    for event in events:
        for name, value in WAVES.get(event.kind, ()):
            unit = event.unit
            name = f"cu{event.cu}." + name.format(unit=unit, engine=unit // 64, channel=unit % 64,
                                                  source=SOURCE.get(unit, f"engine{unit - 1}"))
            steps[name][event.start] += value(event.fields)
            steps[name][event.end] -= value(event.fields)
    waves = {}
    for name, changes in steps.items():
        value, waves[name] = 0, []
        for cycle in sorted(changes):
            value += changes[cycle]
            if changes[cycle]:
                waves[name].append((cycle, value))
    return waves


def read(text, clock_mhz):
    """The same for a file whose waves begin with 0; the second value is its comments."""
    scopes, names, waves, comments, time = [], {}, {}, [], 0
    head, _, body = text.partition("$enddefinitions $end")
    words = iter(head.split())
    for word in words:
        if word == "$scope":
            next(words)
            scopes.append(next(words))
        elif word == "$upscope":
            scopes.pop()
        elif word == "$var":
            _, bits, code, name = next(words), next(words), next(words), next(words)
            names[code] = ".".join(scopes[1:] + [name]), int(bits)
            waves[names[code][0]] = []
        elif word == "$comment":
            comments.append(" ".join(iter(lambda: next(words), "$end")))
    for line in body.partition("$dumpvars")[2].partition("$end")[2].splitlines():
        if line.startswith("#"):
            time = int(line[1:])
            assert time * clock_mhz % PICOSECONDS == 0, line
        elif line:
            value, code = line[1:].split() if line[0] == "b" else (line[0], line[1:])
            waves[names[code][0]].append((time * clock_mhz // PICOSECONDS, int(value, 2)))
    return waves, comments
