#!/usr/bin/python3
"""docs/python.md and the package's docstrings: examples print what they show, and every name exists.

usage: tests/python/docs_test.py [--write]    --write updates the page with the current output of its examples"""
import doctest
import importlib
import inspect
import pathlib
import re
import sys
import unittest

import rig
import warpwait as ww

PAGE = rig.ROOT / "docs/python.md"
PAGES = [PAGE, *sorted((rig.ROOT / "docs/notebooks").glob("*.md"))]
OBJECTS = {"report": ww.Report, "device": ww.Device, "kernel": ww.Kernel, "program": ww.Program, "results": ww.sweep.Results}
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


class Names(unittest.TestCase):
    def test_every_name_in_the_pages_exists(self):
        """`ww.Name` and `warpwait.name`; `report.name` and, in a cell about a report, `.name`."""
        found = 0
        for page in PAGES:
            text = page.read_text(encoding="utf-8")
            for dotted in re.findall(r"\b(?:ww|warpwait)((?:\.[A-Za-z_]\w*)+)", text):
                if not dotted.startswith((".ini", ".md")):
                    self.exists(ww, dotted.strip("."), page)
                    found += 1
            for name, attribute in re.findall(r"\b(report|device|kernel|program|results)\.([a-z_]+)\b", text):
                if attribute not in ("md", "json"):
                    self.exists(OBJECTS[name], attribute, page)
                    found += 1
        self.assertGreater(found, 50)

    def exists(self, owner, dotted, page):
        for name in dotted.split("."):
            made_by_init = not hasattr(owner, name) and inspect.isclass(owner) and \
                re.search(rf"self\.{name}\b", inspect.getsource(owner))
            self.assertTrue(hasattr(owner, name) or made_by_init, f"{page.name}: {owner} has no {name} ({dotted})")
            if made_by_init:
                return
            owner = getattr(owner, name)

    def test_every_public_name_is_documented_and_listed_by_dir(self):
        for module in (ww, ww.sweep, ww.trace, ww.plot):
            for name in module.__all__ if hasattr(module, "__all__") else importlib.import_module(
                    f"{module.__name__}._public").__all__:
                self.assertIn(name, dir(module))
                self.assertTrue(name.startswith("__") or inspect.getdoc(getattr(module, name)), f"{module}: {name}")

    def test_public_classes_document_their_public_names(self):
        for name in importlib.import_module("warpwait._public").__all__:
            one = getattr(ww, name)
            if inspect.isclass(one) and not issubclass(one, Exception):
                for attribute, value in vars(one).items():
                    if not attribute.startswith("_") and callable(getattr(value, "fget", value)):
                        self.assertTrue(inspect.getdoc(getattr(one, attribute)), f"{name}.{attribute}")


def load_tests(_loader, tests, _pattern):
    tests.addTest(doctest.DocFileSuite(str(PAGE), module_relative=False, optionflags=FLAGS))
    for path in sorted((rig.PACKAGE / "warpwait").rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            name = ".".join(pathlib.Path(path.relative_to(rig.PACKAGE)).with_suffix("").parts).removesuffix(".__init__")
            tests.addTest(doctest.DocTestSuite(importlib.import_module(name), optionflags=FLAGS))
    return tests


class Writer(doctest.DocTestRunner):
    """Records what examples print if it differs from what they show."""

    def __init__(self):
        super().__init__(optionflags=FLAGS)
        self.printed = {}

    def report_failure(self, out, test, example, got):
        self.printed[example.lineno] = example, got


def write():
    """Updates the page with its examples' output."""
    text, writer = PAGE.read_text(encoding="utf-8"), Writer()
    writer.run(doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0))
    lines = text.splitlines(keepends=True)
    for place, (example, got) in sorted(writer.printed.items(), reverse=True):
        first = place + example.source.count("\n")
        lines[first:first + example.want.count("\n")] = [got]
    PAGE.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
