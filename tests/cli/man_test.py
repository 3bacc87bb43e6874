#!/usr/bin/env python3
"""Man pages: each verb has a page with all its options, and neither mandoc nor groff reports a problem.

usage: tests/cli/man_test.py    DOCGEN (default build/docgen) makes the pages."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCGEN = os.environ.get("DOCGEN", str(ROOT / "build/docgen"))
WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))


def printed(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def verbs(group=()):
    """The verbs that help lists, as tuples of words, including groups."""
    listed = re.findall(r"^  ([a-z]+) +[A-Z]", printed(WARPWAIT, *group, "--help").split("\nVerbs:\n")[1], re.MULTILINE)
    for word in listed:
        verb = (*group, word)
        yield verb
        if not group and "\nVerbs:\n" in printed(WARPWAIT, *verb, "--help"):
            yield from verbs(verb)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        subprocess.run([DOCGEN, "man", cls.folder], check=True)
        cls.verbs = [(), *verbs()]

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_each_verb_has_a_page_and_there_are_no_others(self):
        self.assertGreater(len(self.verbs), 25)
        self.assertEqual(sorted(page.name for page in self.folder.iterdir()),
                         sorted("-".join(["warpwait", *verb]) + ".1" for verb in self.verbs))

    def test_mandoc_and_groff_report_no_problems(self):
        pages = sorted(self.folder.iterdir())
        self.assertEqual(printed("mandoc", "-Tlint", *pages), "")
        for page in pages:
            self.assertEqual(printed("groff", "-man", "-ww", "-z", page), "", page.name)

    def test_each_page_lists_everything_in_help(self):
        for verb in self.verbs:
            page = printed("mandoc", "-Tutf8", "-Owidth=1000", self.folder / ("-".join(["warpwait", *verb]) + ".1"))
            page = re.sub(".\b", "", page)
            told = printed(WARPWAIT, *verb, "--help")
            if not told.startswith("Usage: warpwait "):  # implemented in Python
                self.assertIn(verb[0], ("sweep", "exec"))
                continue
            options = re.findall(r"^ {2,6}((?:-\w, )?--[a-z-]+)", told, re.MULTILINE)
            self.assertTrue(options or "\nVerbs:\n" in told, verb)
            for wanted in options + re.findall(r"^  (warpwait .*)$", told, re.MULTILINE):
                self.assertIn(wanted, page, verb)
            for heading in re.findall(r"^([A-Z][^:\n]*):$", told, re.MULTILINE):
                self.assertIn(heading.lower(), page.lower(), verb)

    def test_hidden_options_are_in_no_page(self):
        for page in self.folder.iterdir():
            self.assertNotIn("order", re.findall(r"\\-\\-([a-z]+)", page.read_text(encoding="utf-8")), page.name)


if __name__ == "__main__":
    unittest.main()
