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
import tempfile
import urllib.parse

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = "tests/check/kernels"
ROW = re.compile(r'^HAZARD\(\w+,\s*"([^"]+)",\s*(\w+),', re.M)
SCHEMA = jsonschema.Draft7Validator(json.loads((ROOT / "tests/check/sarif.schema.json").read_text()))
RULES = [(rule, level.lower()) for rule, level in ROW.findall((ROOT / "isa/hazards.def").read_text())]


def check(out, *options):
    """The document, the JSON report, and the exit status of a check."""
    command = [str(pathlib.Path(os.environ.get("WARPWAIT", "build/warpwait")).resolve()), "check", "--report", "json",
               "--sarif", str(out), *options]
    environment = {"WARPWAIT_CACHE": str(ROOT / "build/cache"), **os.environ}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=120, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit("%s\n%s" % (" ".join(command), done.stderr))
    return json.loads(out.read_text()), json.loads(done.stdout), done.returncode


def location_faults(location, where):
    """A region must be in a file that can be opened from the root, and the snippet must be its line."""
    physical = location["physicalLocation"]
    artifact = physical["artifactLocation"]
    if artifact.get("uriBaseId") != "%SRCROOT%":
        yield "%s: a file below the root has no uriBaseId" % where
        return
    path = ROOT / urllib.parse.unquote(artifact["uri"])
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
    folder = ROOT / KERNELS
    for rule, _ in RULES:
        identifier = rule.split("-")[0]
        written = sorted(folder.glob(identifier + "_*.cl"))[:1] + sorted(folder.glob(identifier + "_*.wrong.wws"))[:1]
        for source in written:
            yield source.relative_to(ROOT)


def fingerprints_stay(folder):
    """Lines inserted above a hazard move it but do not change its fingerprints."""
    source = ROOT / KERNELS / "X5_box_with_margin.cl"
    launch = json.loads(source.with_suffix(".json").read_text())
    prints = []
    for above in ("", "/* one */\n/* two */\n"):
        (folder / "moved.cl").write_text(above + source.read_text())
        (folder / "moved.json").write_text(json.dumps({**launch, "program": "moved.cl"}))
        document, _, _ = check(folder / "moved.sarif", "-D", "WRONG", str(folder / "moved.json"))
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

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in wrong_kernels():
            options = ["-D", "WRONG"] if source.suffix == ".cl" else []
            document, report, _ = check(folder / "k.sarif", *options, str(source.with_suffix(".json")))
            count(source.name, document_faults(document, report))
        document, report, status = check(folder / "k.sarif", "examples/05_double_buffer/launch_opencl.json")
        count("nothing found", document_faults(document, report) if status == 0 else ["exit status %d" % status])
        count("fingerprints", fingerprints_stay(folder))
    print("%d passed, %d failed" % (passed, failed))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
