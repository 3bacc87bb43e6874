#!/usr/bin/env python3
"""Checks JSON against the Trace Event Format: phases and their required fields, pairs, nesting, arrows, names.

usage: tests/timeline/trace_events.py FILE...    one line for each error; exit status 1 if there is one.

Times are compared in thousandths of the format's microsecond, which is Perfetto's resolution."""
import collections
import json
import pathlib
import sys

NUMBER, WHOLE, WORD, OBJECT = (int, float), int, str, dict
COMMON = {"ph": WORD, "pid": WHOLE, "tid": WHOLE, "name": WORD, "ts": NUMBER}
# Phase: the additional fields that its events must have, and may have.
PHASES = {
    "X": ({"dur": NUMBER, "cat": WORD}, {"args": OBJECT, "cname": WORD}),
    "b": ({"id": WORD, "cat": WORD}, {"args": OBJECT}),
    "e": ({"id": WORD, "cat": WORD}, {}),
    "s": ({"id": WHOLE, "cat": WORD}, {}),
    "f": ({"id": WHOLE, "cat": WORD, "bp": WORD}, {}),
    "C": ({"args": OBJECT}, {}),
    "M": ({"args": OBJECT}, {}),
}
NAMES = {"process_name": "name", "thread_name": "name", "process_sort_index": "sort_index",
         "thread_sort_index": "sort_index"}
TOP = {"traceEvents": list, "displayTimeUnit": WORD, "otherData": OBJECT}
# Colors that chrome://tracing's viewer knows; it refuses a file with any other.
COLORS = set("thread_state_uninterruptible thread_state_iowait thread_state_running thread_state_runnable "
              "thread_state_unknown background_memory_dump light_memory_dump detailed_memory_dump "
              "vsync_highlight_color generic_work good bad terrible black grey white yellow olive rail_response "
              "rail_animation rail_idle rail_load startup heap_dump_stack_frame heap_dump_object_type "
              "heap_dump_child_node_arrow cq_build_running cq_build_passed cq_build_failed cq_build_abandoned "
              "cq_build_attempt_runnig cq_build_attempt_passed cq_build_attempt_failed".split())


def fine(time):
    return round(time * 1000)


def shape(event):
    """What is wrong with one event by itself."""
    if event.get("ph") not in PHASES:
        yield f"unknown phase {event.get('ph')!r}"
        return
    required, optional = PHASES[event["ph"]]
    for key, form in {**COMMON, **required}.items():
        if not isinstance(event.get(key), form) or isinstance(event.get(key), bool):
            yield f"{key} is {event.get(key)!r}"
    for key in event.keys() - COMMON.keys() - required.keys() - optional.keys():
        yield f"{key} has no place in phase {event['ph']}"
    for key in "ts", "dur":
        if isinstance(event.get(key), NUMBER) and event[key] < 0:
            yield f"{key} is negative"
    if event.get("cname", "good") not in COLORS:
        yield f"cname {event['cname']!r} is no color"
    if event["ph"] == "M" and list(event.get("args", {})) != [NAMES.get(event["name"])]:
        yield f"{event['name']} with {event.get('args')}"
    if event["ph"] == "C" and not all(isinstance(value, NUMBER) for value in event.get("args", {0: ""}).values()):
        yield "a counter without numbers"
    if event["ph"] == "f" and event.get("bp") != "e":
        yield "an arrow that does not end at what encloses it"


def pairs(events):
    """Slices outside of tracks: each `b` has an `e` with the same name, not before it, and those of one id nest."""
    opened = collections.defaultdict(list)
    for event in events:
        key = (event["pid"], event.get("cat"), event.get("id"))
        if event["ph"] == "b":
            if opened[key] and event["ts"] < opened[key][-1]["ts"]:
                yield f"{event['name']} begins before what it is in: {event}"
            opened[key].append(event)
        elif event["ph"] == "e":
            begin = opened[key].pop() if opened[key] else None
            if not begin or begin["name"] != event["name"] or begin["ts"] > event["ts"]:
                yield f"an end without its beginning: {event}"
    for left in opened.values():
        for event in left:
            yield f"never ends: {event}"


def slices(events):
    """The slices of each track, as (from, to), in order."""
    tracks = collections.defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            start = fine(event["ts"])
            tracks[event["pid"], event["tid"]].append((start, start + fine(event["dur"])))
    for track in tracks.values():
        track.sort(key=lambda slice: (slice[0], -slice[1]))
    return tracks


def nesting(tracks):
    for (process, track), ordered in tracks.items():
        around = []
        for start, end in ordered:
            while around and around[-1] <= start:
                around.pop()
            if around and end > around[-1]:
                yield f"process {process}, track {track}: [{start}, {end}) overlaps one that ends at {around[-1]}"
            around.append(end)


def arrows(events, tracks):
    ends = collections.defaultdict(list)
    starts = {where: {at for start, end in ordered for at in range(start, end)} for where, ordered in tracks.items()
              if where in {(event["pid"], event["tid"]) for event in events if event["ph"] in "sf"}}
    for event in events:
        if event["ph"] in "sf":
            ends[event["cat"], event["name"], event["id"]].append(event)
            if fine(event["ts"]) not in starts.get((event["pid"], event["tid"]), ()):
                yield f"an arrow that is bound to no slice: {event}"
    for key, both in ends.items():
        if [event["ph"] for event in both] != ["s", "f"] or both[0]["ts"] > both[1]["ts"]:
            yield f"arrow {key} does not begin once and end once, later"


def names(events):
    named = {(event["name"], event["pid"], event["tid"]) for event in events if event["ph"] == "M"}
    for event in events:
        if event["ph"] != "M" and ("process_name", event["pid"], 0) not in named:
            yield f"a process without a name: {event}"
        if event["ph"] in "Xsf" and ("thread_name", event["pid"], event["tid"]) not in named:
            yield f"a track without a name: {event}"


def faults(document):
    """Everything that is wrong with the document, as lines."""
    for key, form in TOP.items():
        if not isinstance(document.get(key), form):
            yield f"{key}: {document.get(key)!r}"
            return
    if document["displayTimeUnit"] not in ("ms", "ns"):
        yield f"displayTimeUnit: {document['displayTimeUnit']}"
    events = document["traceEvents"]
    wrong = [f"{fault}: {event}" for event in events for fault in shape(event)]
    yield from wrong
    if wrong:
        return
    tracks = slices(events)
    for check in pairs(events), nesting(tracks), arrows(events, tracks), names(events):
        yield from check


def main():
    status = 0
    for path in sys.argv[1:]:
        for fault in faults(json.loads(pathlib.Path(path).read_text(encoding="utf-8"))):
            print(f"{path}: {fault}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
