#!/usr/bin/env python3
"""Kernels with known hazards: at least one for each rule of tests/check/reference.py and for each of its exceptions.

A case is a name that states what holds, the work-items per group, the work-groups, the expected hazards, and the
body of a kernel. `@a` after a line names it; "X5 b a" is a hazard of rule X5 at line b against line a."""
import pathlib
import re
import subprocess
import sys
import tempfile

import reference

HEAD = """.kernel case
.arg g global
.arg h global
.lds tile 1024
.reg i, at, e, f, v[4], two, w, gid, n
.reg64 p, q, own
.pred first, more
 get.local_id i, x
 get.group_id gid, x
 shl.b32 at, i, 2
 shl.b32 w, gid, 8
 mov.b32 two, 2
 ld.arg.b64 p, g
 ld.arg.b64 q, h
 cvt.u64.u32 own, w
 add.i64 own, p, own
 setp.eq.u32 first, i, 0
"""
CASES = [
    # ---- X5
    ("a work-item reads what a copy is writing", 16, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\nld.lds.b32 v, [at] @b\nwait e"),
    ("after the wait it may", 16, 1, "", "copy.to_lds e, [0], [p], 16, size=4\nwait e\nld.lds.b32 v, [at]"),
    ("a wait for another copy is none", 16, 1, "X5 c b",
     "copy.to_lds e, [64], [p], 16, size=4\ncopy.to_lds f, [0], [p], 16, size=4 @b\nwait e\nld.lds.b32 v, [at] @c\n"
     "wait f"),
    ("an event that covers two copies ends both", 16, 1, "",
     "copy.to_lds e, [0], [p], 16, size=4\ncopy.to_lds e, [64], [p], 16, size=4\nwait e\nld.lds.b32 v, [at]\n"
     "ld.lds.b32 v, [at + 64]"),
    ("a barrier is no wait", 16, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\nbar.all\nld.lds.b32 v, [at] @b\nwait e"),
    ("a copy fence is no wait for work-items", 16, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\ncopy.fence.all\nld.lds.b32 v, [at] @b\nwait e"),
    ("a later copy reads what one is writing", 16, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\ncopy.to_global f, [q], [32], 8, size=4 @b\nwait e, f"),
    ("a fence of that memory orders copies", 16, 1, "",
     "copy.to_lds e, [0], [p], 16, size=4\ncopy.fence.lds\ncopy.to_global f, [q], [32], 8, size=4\nwait e, f"),
    ("a fence of the other memory does not", 16, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\ncopy.fence.global\ncopy.to_global f, [q], [32], 8, size=4 @b\nwait e, f"),
    ("a barrier does not order copies", 16, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\nbar.all\ncopy.to_global f, [q], [32], 8, size=4 @b\nwait e, f"),
    ("gaps of a strided copy are no part of it", 16, 1, "",
     "st.lds.b32 [at], i\nbar.lds\ncopy.to_global.strided e, [p], [0], 8, 2, size=4\nand.b32 v, at, 4\nshl.b32 n, i, 3\nadd.i32 n, n, 4\n"
     "ld.global.b32 v, [p + n]\nwait e"),
    ("what lies in its elements is", 16, 1, "X5 b a",
     "st.lds.b32 [at], i\nbar.lds\ncopy.to_global.strided e, [p], [0], 8, 2, size=4 @a\nshl.b32 n, i, 3\nld.global.b32 v, [p + n] @b\nwait e"),
    ("a group of one item has copies in flight, too", 1, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\nld.lds.b32 v, [at] @b\nwait e"),
    ("a work-item reads what another group's copy writes", 1, 2, "X5 b a",
     "st.lds.b32 [0], i\nbar.lds\ncopy.to_global e, [own], [0], 1, size=4 @a\nwait e\nld.global.b32 v, [p] @b"),
    # ---- X6
    ("a work-item writes what a copy is writing", 16, 1, "X6 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\nst.lds.b32 [at], i @b\nwait e"),
    ("an atomic operation writes", 16, 1, "X6 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\natom.lds.add.i32 _, [at], i @b\nwait e"),
    ("a write before the copy needs a barrier", 16, 1, "X6 a b",
     "st.lds.b32 [at], i @a\ncopy.to_lds e, [0], [p], 16, size=4 @b\nwait e"),
    ("with the right fence", 16, 1, "X6 a b",
     "st.lds.b32 [at], i @a\nbar.global\nbar\ncopy.to_lds e, [0], [p], 16, size=4 @b\nwait e"),
    ("which orders it", 16, 1, "", "st.lds.b32 [at], i\nbar.lds\ncopy.to_lds e, [0], [p], 16, size=4\nwait e"),
    ("a group of one item needs none", 1, 1, "", "st.lds.b32 [at], i\ncopy.to_lds e, [0], [p], 16, size=4\nwait e"),
    ("of two groups nothing orders a write and a copy's write", 1, 2, "X6 b a",
     "st.lds.b32 [0], i\ncopy.to_global e, [own], [0], 1, size=4 @a\nwait e\nsetp.eq.u32 more, gid, 1\n"
     "@more st.global.b32 [p], i @b"),
    # ---- X7
    ("a work-item writes what a copy is reading", 16, 1, "X7 c b",
     "st.lds.b32 [at], i\nbar.lds\ncopy.to_global e, [q], [0], 16, size=4 @b\nst.lds.b32 [at], i @c\nwait e"),
    ("reading it is no hazard", 16, 1, "", "copy.to_lds e, [0], [p], 16, size=4\nld.global.b32 v, [p + at]\nwait e"),
    ("a later copy writes what one is reading", 16, 1, "X7 b a",
     "st.lds.b32 [at], i\nbar.lds\ncopy.to_global e, [q], [0], 16, size=4 @a\ncopy.to_lds f, [0], [p], 16, size=4 @b\nwait e, f"),
    ("a fence of that memory orders them", 16, 1, "",
     "st.lds.b32 [at], i\nbar.lds\ncopy.to_global e, [q], [0], 16, size=4\ncopy.fence.lds\ncopy.to_lds f, [0], [p], 16, size=4\nwait e, f"),
    ("in global memory, too", 16, 1, "X7 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\ncopy.fence.lds\ncopy.to_global f, [p], [0], 16, size=4 @b\nwait e, f"),
    ("where a global fence orders them", 16, 1, "",
     "copy.to_lds e, [0], [p], 16, size=4\ncopy.fence.all\ncopy.to_global f, [p], [0], 16, size=4\nwait e, f"),
    ("a work-item writes what another group's copy reads", 1, 2, "X7 b a",
     "copy.to_lds e, [0], [own], 1, size=4 @a\nwait e\nsetp.eq.u32 more, gid, 1\n@more st.global.b32 [p], i @b"),
    ("a copy writes what another group's copy reads", 1, 2, "X7 b a",
     "copy.to_lds e, [0], [p], 1, size=4 @a\nwait e\nadd.i64 own, own, 4\nadd.i64 own, own, -260\n"
     "setp.eq.u32 more, gid, 1\n"
     "sel.b64 own, p, q, more\ncopy.to_global f, [own], [0], 1, size=4 @b\nwait f"),
    # ---- X8
    ("a copy reads what a work-item has written", 16, 1, "X8 b a",
     "st.lds.b32 [at], i @a\ncopy.to_global e, [q], [0], 16, size=4 @b\nwait e"),
    ("a barrier with the fence of another memory does not help", 16, 1, "X8 b a",
     "st.global.b32 [p + at], i @a\nbar.lds\ncopy.to_lds e, [0], [p], 16, size=4 @b\nwait e"),
    ("with that of this memory it does", 16, 1, "",
     "st.global.b32 [p + at], i\nbar.global\ncopy.to_lds e, [0], [p], 16, size=4\nwait e"),
    ("an atomic operation is a write", 16, 1, "X8 b a",
     "atom.global.add.i32 _, [p], i @a\ncopy.to_lds e, [0], [p], 16, size=4 @b\nwait e"),
    ("copies and waits are no barriers", 16, 1, "X8 c a",
     "st.lds.b32 [at], i @a\ncopy.to_lds e, [128], [p], 4, size=4\nwait e\n"
     "copy.to_global f, [q], [0], 16, size=4 @c\nwait f"),
    ("one work-item need not meet itself", 1, 1, "",
     "st.lds.b32 [at], i\ncopy.to_global e, [q], [0], 1, size=4\nwait e"),
    # ---- X9
    ("two copies write the same bytes", 16, 1, "X9 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\ncopy.to_lds f, [60], [p], 16, size=4 @b\nwait e, f"),
    ("one event does not order them", 16, 1, "X9 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\ncopy.to_lds e, [60], [p], 16, size=4 @b\nwait e"),
    ("next to each other they may", 16, 1, "",
     "copy.to_lds e, [0], [p], 16, size=4\ncopy.to_lds f, [64], [p], 16, size=4\nwait e, f"),
    ("a wait between orders them", 16, 1, "",
     "copy.to_lds e, [0], [p], 16, size=4\nwait e\ncopy.to_lds f, [0], [p], 16, size=4\nwait f"),
    ("a list in two parts ends with its last", 16, 1, "X5 c a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\ncopy.to_lds f, [64], [p], 16, size=4\nwait.more e\n"
     "ld.lds.b32 v, [at] @c\nwait f\n"
     "ld.lds.b32 v, [at]"),
    ("the first of a list are the first", 16, 1, "X5 c b",
     "copy.to_lds e, [0], [p], 16, size=4\ncopy.to_lds f, [64], [p], 16, size=4 @b\nmov.b32 n, 1\nwait.first n, e, f\n"
     "ld.lds.b32 v, [at]\nld.lds.b32 v, [at + 64] @c\nwait f"),
    ("two groups' copies write the same bytes", 1, 2, "X9 a a",
     "st.lds.b32 [0], i\ncopy.to_global e, [q], [0], 1, size=4 @a\nwait e"),
    ("a loop's copy meets itself", 16, 1, "X9 a a",
     "mov.b32 n, 0\nagain: mov.b32 v, f\nmov.b32 f, e\nmov.b32 e, 0\ncopy.to_lds e, [0], [p], 4, size=4 @a\n"
     "add.i32 n, n, 1\n"
     "setp.lt.u32 more, n, 2\n@more bra again\nwait e, f"),
    ("2D copies interleave", 16, 1, "",
     "mov.b32 at, 0\nmov.b32 n, 4\ncopy.to_lds.2d e, [at], [p], two, size=n, lines=two, global_line=n, lds_line=n\n"
     "add.i32 v, at, 8\n"
     "copy.to_lds.2d f, [v], [p], two, size=n, lines=two, global_line=n, lds_line=n\nwait e, f"),
    ("or overlap in some bytes", 16, 1, "X9 b a",
     "mov.b32 at, 0\nmov.b32 n, 4\n"
     "copy.to_lds.2d e, [at], [p], two, size=n, lines=two, global_line=n, lds_line=n @a\nadd.i32 v, at, 7\n"
     "copy.to_lds.2d f, [v], [p], two, size=n, lines=two, global_line=n, lds_line=n @b\nwait e, f"),
    # ---- X16
    ("a read before the copy needs a barrier, if only of its own word", 16, 1, "X16 b a",
     "st.lds.b32 [at], i\nbar.lds\nld.lds.b32 v, [at] @a\ncopy.to_lds e, [0], [p], 16, size=4 @b\nwait e"),
    ("one with the right fence", 16, 1, "X16 b a",
     "st.lds.b32 [at], i\nbar.lds\nld.lds.b32 v, [at] @a\nbar.global\nbar\ncopy.to_lds e, [0], [p], 16, size=4 @b\nwait e"),
    ("which orders the read", 16, 1, "",
     "st.lds.b32 [at], i\nbar.lds\nld.lds.b32 v, [at]\nbar.lds\ncopy.to_lds e, [0], [p], 16, size=4\nwait e"),
    ("a wait for another copy orders no reads", 16, 1, "X16 c b",
     "copy.to_lds e, [0], [p], 16, size=4\ncopy.to_lds f, [64], [p], 16, size=4\nwait e\nld.lds.b32 v, [at] @b\n"
     "wait f\nmov.b32 e, 0\ncopy.to_lds e, [0], [q], 16, size=4 @c\nwait e"),
    ("in a group of one item the program order does", 1, 1, "",
     "st.lds.b32 [at], i\nld.lds.b32 v, [at]\ncopy.to_lds e, [0], [p], 16, size=4\nwait e"),
    ("in global memory, too", 16, 1, "X16 b a",
     "ld.global.b32 v, [p + at] @a\nst.lds.b32 [at], v\nbar.lds\ncopy.to_global e, [p], [0], 16, size=4 @b\nwait e"),
    ("where a global fence orders them", 16, 1, "",
     "ld.global.b32 v, [p + at]\nst.lds.b32 [at], v\nbar.all\ncopy.to_global e, [p], [0], 16, size=4\nwait e"),
    # ---- M5, M6
    ("work-items share a byte of the LDS", 16, 1, "M5 b a",
     "st.lds.b32 [at], i @a\nxor.b32 v, at, 4\nld.lds.b32 v, [v] @b"),
    ("of one warp just as well as of two", 48, 1, "M5 a a", "st.lds.b32 [0], i @a"),
    ("a barrier with the fence orders them", 48, 1, "",
     "st.lds.b32 [at], i\nbar.lds\nxor.b32 v, at, 4\nld.lds.b32 v, [v]"),
    ("a bare one does not", 48, 1, "M5 b a", "st.lds.b32 [at], i @a\nbar\nxor.b32 v, at, 4\nld.lds.b32 v, [v] @b"),
    ("nor does one inside an operation", 48, 1, "M5 b a",
     "st.lds.b32 [at], i @a\nbar.group\nxor.b32 v, at, 4\nld.lds.b32 v, [v] @b"),
    ("nor do copies and waits", 48, 1, "M5 b a",
     "st.lds.b32 [at], i @a\ncopy.to_lds e, [512], [p], 4, size=4\nwait e\nxor.b32 v, at, 4\nld.lds.b32 v, [v] @b"),
    ("atomic operations do not race with each other", 48, 1, "",
     "@first st.lds.b32 [0], i\nbar.lds\natom.lds.add.i32 _, [0], i\natom.lds.min.u32 _, [0], i"),
    ("but with a load they do", 48, 1, "M5 b a",
     "@first st.lds.b32 [0], i\nbar.lds\natom.lds.add.i32 _, [0], i @a\nld.lds.b32 v, [0] @b"),
    ("loads race with nothing", 48, 1, "", "ld.global.b32 v, [p]\nld.global.b32 v, [p]"),
    ("one byte of two accesses is enough", 16, 1, "M5 b a; M5 b b",
     "@first st.lds.b32 [0], i @a\n@!first st.lds.b8 [3], i @b"),
    ("global memory likewise", 48, 1, "M6 b a",
     "st.global.b32 [p + at], i @a\nbar.lds\nxor.b32 v, at, 4\nld.global.b32 v, [p + v] @b"),
    ("where bar.all orders, too", 48, 1, "",
     "st.global.b32 [p + at], i\nbar.all\nxor.b32 v, at, 4\nld.global.b32 v, [p + v]"),
    ("no barrier orders two groups", 1, 2, "M6 a a", "bar.all\nst.global.b32 [p], i @a\nbar.all"),
    ("atomic operations of two groups may meet", 1, 2, "", "atom.global.add.i32 _, [p], i"),
    # ---- M7
    ("the LDS is read before it was written", 16, 1, "M7 a", "ld.lds.b32 v, [at] @a"),
    ("of four bytes, too, one is enough", 16, 1, "", "shl.b32 v, i, 2\nst.lds.b16 [v], i\nld.lds.b32 v, [at]"),
    ("of eight one is enough", 16, 1, "", "shl.b32 n, i, 3\nst.lds.b8 [n], i\nld.lds.b64 v, [n]"),
    ("of sixteen all are missed", 1, 1, "M7 a", "st.lds.b8 [16], i\nld.lds.b128 v, [0] @a"),
    ("a copy writes", 16, 1, "", "copy.to_lds e, [0], [p], 16, size=4\nwait e\nld.lds.b32 v, [at]"),
    ("what it does not reach is not written", 16, 1, "M7 a",
     "copy.to_lds e, [0], [p], 15, size=4\nwait e\nld.lds.b32 v, [at] @a"),
    ("a copy counts from its call", 16, 1, "X5 b a",
     "copy.to_lds e, [0], [p], 16, size=4 @a\nld.lds.b32 v, [at] @b\nwait e"),
    ("a copy that takes it out reads it, too", 16, 1, "M7 b",
     "@first st.lds.b128 [0], v\nbar.lds\ncopy.to_global e, [p], [0], 4, size=4\ncopy.to_global f, [q], [0], 5, size=4 @b\n"
     "wait e, f"),
    ("another group's LDS is another", 1, 2, "M7 a",
     "setp.eq.u32 more, gid, 0\n@more st.lds.b32 [0], i\nld.lds.b32 v, [0] @a"),
    ("a later write is too late", 16, 1, "M7 a", "ld.lds.b32 v, [at] @a\nbar.lds\nst.lds.b32 [at], i"),
]


def source_of(body):
    """Returns the kernel and the line of each name."""
    lines, places = [], {}
    for number, line in enumerate(body.splitlines(), HEAD.count("\n") + 1):
        text, name = re.fullmatch(r"(.*?)(?: @(\w))?", line).groups()
        places[name] = number
        lines.append(text)
    return HEAD + "\n".join(lines) + "\n exit\n", places


def expected_of(hazards, places):
    """Converts "X5 b a; M7 c" to the form of reference.hazards_of()."""
    split = [hazard.split() for hazard in hazards.split(";") if hazard]
    return {(rule, places[here], places[other[0]] if other else None) for rule, here, *other in split}


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        kernel, trace = pathlib.Path(folder) / "case.wws", pathlib.Path(folder) / "case.wwt"
        for name, items, groups, hazards, body in CASES:
            text, places = source_of(body)
            kernel.write_text(text)
            subprocess.run([reference.WARPWAIT, "run", kernel, "--global", str(items * groups), "--local", str(items),
                            "--arg", "buffer:g=4096", "--arg", "buffer:h=4096", "--trace", trace, "-q"],
                           stdout=subprocess.DEVNULL, check=True)
            found, = reference.hazards_of(trace)
            expected = expected_of(hazards, places)
            good = expected == found.sure
            passed, failed = passed + good, failed + (not good)
            if not good:
                print(f"FAILED: {name}: expected {sorted(expected, key=str)}, found {sorted(found.sure, key=str)}\n{text}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
