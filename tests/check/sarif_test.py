#!/usr/bin/env python3
# Time limit: a check may take 120 s.
"""`warpwait check --sarif` writes SARIF 2.1.0. The output is compared with sarif.schema.json, which requires what the
specification requires of the parts that are written and forbids everything else, and with rules that a schema cannot
express."""
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse

import jsonschema

sys.dont_write_bytecode = True
import launches  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCHES = launches.write()
ROW = re.compile(r'^HAZARD\(\w+,\s*"([^"]+)",\s*(\w+),', re.M)
SCHEMA = jsonschema.Draft7Validator(json.loads((ROOT / "tests/check/sarif.schema.json").read_text()))
RULES = [(rule, level.lower()) for rule, level in ROW.findall((ROOT / "isa/hazards.def").read_text())]


# Where the checks run, and whose files they name. A fixed place, so that the cache knows the kernels.
FOLDER = ROOT / "build/check/sarif"
WARPWAIT = str(pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).resolve())


def check(*options):
    """The document, the JSON report, and the exit status of a check."""
    command = [WARPWAIT, "check", "--report", "json", "--sarif", "k.sarif", *options]
    environment = {"WARPWAIT_CACHE": str(ROOT / "build/cache"), **os.environ}
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, env=environment, timeout=120, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit("%s\n%s" % (" ".join(command), done.stderr))
    return json.loads((FOLDER / "k.sarif").read_text()), json.loads(done.stdout), done.returncode


def location_faults(location, where):
    """A region must be in a file that can be opened from the root, and the snippet must be its line."""
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    if artifact.get("uriBaseId") != "%SRCROOT%":
        yield "%s: a file below the root has no uriBaseId" % where
        return
    path = FOLDER / urllib.parse.unquote(artifact["uri"])
    if not path.is_file():
        yield "%s: no file %s" % (where, artifact["uri"])
        return
    region = physical.get("region")
    lines = path.read_text().splitlines()
    if not region or region["startLine"] > len(lines):
        yield "%s: no line of %s" % (where, artifact["uri"])
    elif region["snippet"]["text"] != lines[region["startLine"] - 1]:
        yield "%s: the snippet is not line %d" % (where, region["startLine"])
    elif region.get("startColumn", 1) > len(lines[region["startLine"] - 1]):
        yield "%s: column %d is behind the line" % (where, region["startColumn"])


def result_faults(run, result, hazard):
    where = result["ruleId"]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    if rule["id"] != result["ruleId"] or result["level"] != rule["defaultConfiguration"]["level"]:
        yield "%s: ruleIndex or level is another rule's" % where
    if len(result["locations"]) != 1:
        yield "%s: %d locations" % (where, len(result["locations"]))
    for location in result["locations"] + result.get("relatedLocations", []):
        yield from location_faults(location, where)
        if location["physicalLocation"]["artifactLocation"] not in [part["location"] for part in run["artifacts"]]:
            yield "%s: its file is no artifact" % where
    region = result["locations"][0]["physicalLocation"]["region"]
    said = (result["ruleId"], region["startLine"], result["occurrenceCount"], bool(result.get("relatedLocations")))
    known = (hazard["rule"], hazard["line"], hazard["count"], bool(hazard["other"]))
    if said != known:
        yield "%s: %s, but the report has %s" % (where, said, known)


def document_faults(document, report):
    faults = sorted(SCHEMA.iter_errors(document), key=str)
    for fault in faults:
        yield "%s: %s" % ("/".join(map(str, fault.absolute_path)), fault.message[:200])
    if faults:
        return
    run = document["runs"][0]
    rules = [(rule["id"], rule["defaultConfiguration"]["level"]) for rule in run["tool"]["driver"]["rules"]]
    if rules != RULES:
        yield "rules are not the rows of isa/hazards.def"
    names = [rule["name"] for rule in run["tool"]["driver"]["rules"]]
    if len(set(names)) != len(names):
        yield "two rules have one name"
    prints = [result["partialFingerprints"]["warpwaitSourceText/v1"] for result in run["results"]]
    if len(set(prints)) != len(prints):
        yield "two results have one fingerprint"
    texts = {json.dumps((result["ruleId"], [part["physicalLocation"]["region"].get("snippet") for part in
                                            result["locations"] + result.get("relatedLocations", [])]))
             for result in run["results"]}
    if len({text.split(":")[0] for text in prints}) < len(texts):
        yield "a fingerprint does not depend on rule and source"
    if len(run["results"]) != len(report["hazards"]):
        yield "%d results, but %d hazards in the report" % (len(run["results"]), len(report["hazards"]))
        return
    for result, hazard in zip(run["results"], report["hazards"]):
        yield from result_faults(run, result, hazard)


def wrong_kernels():
    """For each rule, a wrong kernel if there is one; for every other rule also a second one, in assembly."""
    for rule, _ in RULES:
        identifier = rule.split("-")[0]
        for end in (".cl", ".wrong.wws"):
            yield from [source for source in LAUNCHES if re.fullmatch(identifier + "_.*" + re.escape(end), source.name)][:1]


def placed(source, above=""):
    """A kernel and its launch beside each other, where the checks run: the launch's name."""
    (FOLDER / source.name).write_text(above + source.read_text())
    launch = FOLDER / LAUNCHES[source].name
    launch.write_text(json.dumps({**json.loads(LAUNCHES[source].read_text()), "program": source.name}))
    return launch.name


def fingerprints_stay():
    """Lines inserted above a hazard move it but do not change its fingerprints."""
    source = launches.KERNELS / "X5_box_with_margin.cl"
    prints = []
    for above in ("", "/* one */\n/* two */\n"):
        document, _, _ = check("-D", "WRONG", placed(source, above))
        prints.append([result["partialFingerprints"] for result in document["runs"][0]["results"]])
    return [] if prints[0] and prints[0] == prints[1] else ["fingerprints %s and %s" % tuple(prints)]


def main():
    passed = failed = 0

    def count(name, faults):
        nonlocal passed, failed
        faults = list(faults)
        passed, failed = passed + (not faults), failed + bool(faults)
        for fault in faults[:5]:
            print("%s: %s" % (name, fault))

    FOLDER.mkdir(parents=True, exist_ok=True)
    for source in wrong_kernels():
        document, report, _ = check(*(["-D", "WRONG"] if source.suffix == ".cl" else []), placed(source))
        count(source.name, document_faults(document, report))
    document, report, status = check(str(ROOT / "examples/05_double_buffer/launch_opencl.json"))
    count("nothing found", document_faults(document, report) if status == 0 else ["exit status %d" % status])
    count("fingerprints", fingerprints_stay())
    print("%d passed, %d failed" % (passed, failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
