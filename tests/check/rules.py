#!/usr/bin/env python3
# Time limit: a check may take 120 s.
"""Each rule of isa/hazards.def, tested by kernels that break it and by their correct twins.

tests/check/kernels/RULE_name.cl: correct as it stands; with -D WRONG it breaks RULE and nothing else.
RULE_name.wrong.wws and .right.wws: the same in assembly, which has no macros. launches.txt has the launch of each.

A comment HERE ends the lines at which the wrong one must be reported; OTHER ends those of the other place. A line
`DETAIL words` gives words of the hazard's detail; only kernels with such a line may be about a component store. Hazards
of copies and events must be the same whether an engine or warps carry copies out, so these kernels run with each
dma.copy."""
import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import launches  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPENCL_PAIRS, ASSEMBLY_PAIRS = 3, 1

# Rules that need fewer pairs: how many in OpenCL C and in assembly, and why.
EXCUSED = {
    "I1": (0, 1, "launches refuse images of another kind, and OpenCL C has no way from an image to another type"),
    "M4": (0, 1, "OpenCL C has no mbarriers"),
    "M9": (0, 1, "what OpenCL C can wait for has rules of its own; mbarriers are left"),
    "Q10": (2, 1, "one is refused for one reason: as many are open"),
}

# Kernels about copies run with each of these, except for rules of the engine itself.
COPIES = ("engine", "lanes", "blocking")
OF_COPIES = re.compile(r"[GXN]\d+$")
# Whether fences wait for the LDS or leave the order to it. For rules of work-items that share the LDS.
LOCAL_FENCES = ([], ["--machine", "h200"])
OF_LDS = ("M5", "M10")

ROW = re.compile(r'^HAZARD\((\w+),\s*"([^"]+)",\s*(\w+),\s*(\w+),', re.M)
MARK = r"(?:/\*|//|;)[^*\n]*\b%s\b"


class Rule:
    def __init__(self, identifier, slug, by):
        self.identifier, self.slug, self.by = identifier, slug, by


class Kernel:
    """One half of a pair: how to run it, and what must be reported."""

    def __init__(self, source, launch, wrong, rule, copies="engine", options=()):
        self.source, self.wrong, self.rule = source, wrong, rule
        self.options = ["-D", "WRONG"] if wrong and source.suffix == ".cl" else []
        self.options += ["--set", "dma.copy=" + copies] if copies != "engine" else []
        self.options += options
        self.name = " ".join([source.name, *self.options])
        self.launch = launch


def rules_of(path):
    return {identifier: Rule(identifier, slug, by) for identifier, slug, _, by in ROW.findall(path.read_text())}


def kernels_of(rules, complain):
    """The kernels. Files that are not half of a pair, or have no launch, are reported."""
    kernels, files, rows = [], launches.write(), launches.rows()
    for row in rows.keys() - {stem for source in files for stem in (source.stem, launches.HALF.sub("", source.stem))}:
        complain(row, "a launch without a kernel")
    for source in sorted(launches.KERNELS.iterdir()):
        rule, launch = rules.get(source.name.split("_")[0]), files.get(source)
        if not rule or source.suffix not in (".cl", ".wws"):
            complain(source.name, "no RULE_name.cl or RULE_name.wrong.wws with a RULE of isa/hazards.def")
            continue
        if not launch:
            complain(source.name, "no row in %s" % launches.ROWS.name)
            continue
        if source.suffix == ".cl":
            kernels += [Kernel(source, launch, wrong, rule) for wrong in (False, True)]
            continue
        half = source.suffixes[-2].lstrip(".") if len(source.suffixes) > 1 else ""
        twin = {"wrong": "right", "right": "wrong"}.get(half)
        if not twin or not source.with_name(source.name.replace(".%s." % half, ".%s." % twin)).exists():
            complain(source.name, "no half of RULE_name.wrong.wws and RULE_name.right.wws")
            continue
        kernels.append(Kernel(source, launch, half == "wrong", rule))
    return kernels


def variants(kernels, levels):
    """The kernels: those about copies once for each dma.copy, those about the LDS for both kinds of fences, and those
    in OpenCL C at each level of optimization."""
    for kernel in kernels:
        all_copies = COPIES if OF_COPIES.match(kernel.rule.identifier) else COPIES[:1]
        fences = LOCAL_FENCES if kernel.rule.identifier in OF_LDS else LOCAL_FENCES[:1]
        all_levels = [["--optimize", level] for level in levels if kernel.source.suffix == ".cl"] or [[]]
        for copies, fence, level in itertools.product(all_copies, fences, all_levels):
            yield Kernel(kernel.source, kernel.launch, kernel.wrong, kernel.rule, copies, fence + level)


def count_complaints(kernels, rules):
    """Rules that have fewer pairs than required."""
    found = {}
    for kernel in kernels:
        if kernel.wrong:
            key = kernel.rule.identifier, kernel.source.suffix
            found[key] = found.get(key, 0) + 1
    for rule in rules.values():
        opencl, assembly, _ = EXCUSED.get(rule.identifier, (OPENCL_PAIRS, ASSEMBLY_PAIRS, ""))
        for suffix, least, what in ((".cl", opencl, "OpenCL C"), (".wws", assembly, "assembly")):
            have = found.get((rule.identifier, suffix), 0)
            if have < least:
                yield rule.slug, "%d pairs in %s; at least %d are wanted" % (have, what, least)


def marked(source, mark):
    """Numbers of the lines that end with the comment `mark`."""
    lines = source.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if re.search(MARK % mark, line)}


def place(side):
    return "%s:%s" % (side.get("file"), side.get("line")) if side else "nowhere"


def described(hazards):
    return "; ".join("%s at %s%s%s" % (hazard["rule"], place(hazard),
                                       ", other %s" % place(hazard["other"]) if hazard.get("other") else "",
                                       ", %s" % hazard["detail"] if hazard.get("detail") else "")
                     for hazard in hazards) or "nothing"


def misplaced(kernel, hazards):
    """What is wrong with the lines of the expected hazards, or None."""
    last = len(kernel.source.read_text().splitlines())
    for side in hazards + [hazard["other"] for hazard in hazards if hazard.get("other")]:
        if side["file"] != kernel.source.name or not 1 <= side["line"] <= last:
            return "a line of %s" % kernel.source.name
    for mark, lines in (("HERE", {hazard["line"] for hazard in hazards}),
                        ("OTHER", {hazard["other"]["line"] for hazard in hazards if hazard.get("other")})):
        wanted = marked(kernel.source, mark)
        if wanted and lines != wanted:
            return "%s at line %s" % (mark, ", ".join(map(str, sorted(wanted))))
    return None


def wrong_detail(kernel, hazards):
    """What the details of the expected hazards lack, or None."""
    wanted = re.search(r"^(?://|;) DETAIL (.*)", kernel.source.read_text(), re.M)
    for hazard in hazards:
        if wanted and wanted.group(1) not in hazard["detail"]:
            return 'the detail "%s"' % wanted.group(1)
        if not wanted and "component store" in hazard["detail"]:
            return "no component store"
    return None


def judge(kernel, warpwait, verb):
    """Runs a kernel: returns what was expected and what was found instead, or None. The exit status of `run` does not
    matter."""
    command = [warpwait, verb, "--report", "json", *kernel.options, str(kernel.launch)]
    environment = {"WARPWAIT_CACHE": str(ROOT / "build/cache"), **os.environ}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return "an end", "none after 120 s"
    try:
        hazards = json.loads(done.stdout)["hazards"]
    except (ValueError, KeyError):
        return "a report", "exit status %d: %s" % (done.returncode, done.stderr.strip()[:300] or "no message")
    rules = {hazard["rule"] for hazard in hazards}
    expected = {kernel.rule.slug} if kernel.wrong else set()
    status = int(bool(expected)) if verb == "check" else done.returncode
    if rules != expected or done.returncode != status:
        return ("%s, exit status %d" % (", ".join(expected) or "nothing", status),
                "%s, exit status %d" % (described(hazards), done.returncode))
    lacking = kernel.wrong and hazards and (misplaced(kernel, hazards) or wrong_detail(kernel, hazards))
    return (lacking, described(hazards)) if lacking else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warpwait", default=os.environ.get("WARPWAIT", str(ROOT / "build/warpwait")))
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (2)")
    parser.add_argument("--run", action="store_true", help="ask `warpwait run`, for the rules that it finds, too")
    parser.add_argument("--levels", type=lambda text: text.split(","), default=[], metavar="LEVEL,...",
                        help="levels of optimization (the one that check uses)")
    parser.add_argument("--part", type=int, default=os.environ.get("RULES_PART", 1), help="take every K-th run only (1)")
    parser.add_argument("pattern", nargs="*", help="only kernels whose file name contains one of these")
    # tests/run passes a GoogleTest option to every program.
    arguments, _ = parser.parse_known_args()
    failures = set()

    def complain(name, text):
        failures.add(name)
        print("%s: %s" % (name, text))

    rules = rules_of(ROOT / "isa/hazards.def")
    kernels = kernels_of(rules, complain)
    if arguments.pattern:
        kernels = [kernel for kernel in kernels if any(word in kernel.source.name for word in arguments.pattern)]
        rules = {}
    verb = "check"
    if arguments.run:
        verb = "run"
        kernels = [kernel for kernel in kernels if not kernel.wrong or kernel.rule.by == "RUN"]
        rules = {}
    for name, text in count_complaints(kernels, rules):
        complain(name, text)
    kernels = list(variants(kernels, arguments.levels))[::arguments.part]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for kernel, fault in zip(kernels, pool.map(lambda kernel: judge(kernel, arguments.warpwait, verb), kernels)):
            if fault:
                complain(kernel.name, "expected %s; found %s" % fault)
    asked = {kernel.name for kernel in kernels} | {rule.slug for rule in rules.values()}
    print("%d passed, %d failed" % (len(asked - failures), len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
