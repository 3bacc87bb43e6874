"""Shared by the tests of pages: pages that are made once, a browser, and the runner."""
import argparse
import json
import pathlib
import tempfile

from browser import CannotStart, Reader, chromium
from made import warpwait

LAUNCH = "examples/05_double_buffer/launch.json"
CONFLICT = "examples/02_bank_conflict/launch.json"


class Made:
    """Files that several tests use, made once."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.reader = None

    def page(self, name, *words):
        path = self.folder / f"{name}.html"
        if not path.exists():
            report = self.folder / f"{name}.json"
            warpwait(*words, "--html", path, "--report", "json", "--out", report)
        return path

    def report(self, name):
        return json.loads((self.folder / f"{name}.json").read_text())

    def varied(self):
        return self.page("varied", "run", LAUNCH, "--html-vary", "dma.setup=0,20,40")

    def conflict(self):
        return self.page("conflict", "run", CONFLICT)


def start():
    """A browser; or None and the reason if none starts."""
    try:
        if chromium():
            return Reader()
        print("no chromium: the page is not opened in a browser")
    except CannotStart as error:
        print(f"Chromium cannot start here, the page is not opened in it: {error}")
    return None


def main(found, documentation):
    """Runs the tests among a program's names; those that begin with web_ run in a browser, if there is one."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("word", nargs="?", default="")
    options, _ = parser.parse_known_args()
    word = "" if options.word.startswith("-") else options.word
    tests = [(name, test) for name, test in found.items() if name.startswith(("test_", "web_")) and word in name]
    passed = failed = 0
    reader = start() if any(name.startswith("web_") for name, _ in tests) else None
    if not reader:
        tests = [(name, test) for name, test in tests if name.startswith("test_")]
    with tempfile.TemporaryDirectory() as folder:
        made = Made(folder)
        for name, test in tests:
            try:
                if name.startswith("web_"):
                    assert reader.process.poll() is None, "not tried: the browser is gone"
                    reader.complaints.clear()
                    reader.size(1400, 1000)
                    test(reader, made)
                    assert not reader.complaints, reader.complaints
                else:
                    test(made)
                passed += 1
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"{name}: {type(error).__name__}: {error}")
        if reader:
            reader.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
