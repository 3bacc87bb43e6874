#!/usr/bin/env -S python3 -B
# Time limit: a command may take 120 s.
"""tests/lessons/lessons.py detects errors in a lesson: each row damages lesson 1 once."""
import pathlib
import sys
import tempfile

from console import Place, Wrong, difference, renewed
from lessons import LESSONS, Lesson

FIRST = LESSONS / "01-one-copy-one-wait"
# what is wrong, the lesson's words, their replacement, the expected complaint
DAMAGE = [
    ("nothing", "", "", None),
    ("a section is missing", "## Look\n", "", "the sections are"),
    ("sections change places", "## Try\n", "## Answers\n", "the sections are"),
    ("the title has another number", "# Lesson 1:", "# Lesson 2:", "its title is not"),
    ("the kernel differs", "out[i] = 2 *", "out[i] = 3 *", "no block of 'The kernel'"),
    ("an answer is missing", "<details>\n<summary>2.", "<summary>2.", "questions"),
    ("an output line differs", "cycles         501", "cycles         502", "the run does not print"),
    ("output is left out", "\nmachine        teaching, 1 CU at 1000 MHz", "", "the run does not print"),
    ("the output ends early", "full queues\n...\n", "full queues\n", "the run does not print"),
    ("a command fails", "--set dma.setup=40\n...", "--set dma.setup=x\n...", "exit status 2"),
    ("a command of another program", "$ build/warpwait", "$ ls", "commands begin with"),
    ("a sum is wrong", "`20 + 1 = 21`", "`20 + 1 = 22`", "is not true: it is 21"),
    ("a sum over two lines is wrong", "`370 - 24 = 346`", "`370 -\n24 = 345`", "is not true: it is 346"),
    ("a rounded result is wrong", "39.7 % fewer cycles, and", "`100 * 339 / 1964 ≈ 17.4` % fewer, and", "is not true"),
    ("a sum with commas is right", "`20 + 1 = 21`", "`1,024 + 1000 = 2,024` or `20 + 1 = 21`", None),
    ("a sum with commas is wrong", "`20 + 1 = 21`", "`1,024 + 1000 = 2,025`", "is not true: it is 2024"),
    ("a number with a comma from nowhere", "takes from 20 to 370", "takes from 20 to 1,370", "1,370 is in no output"),
    ("a rounded result is right", "39.7 % fewer cycles, and", "`100 * 339 / 1964 ≈ 17.26` % fewer, and", None),
    ("a sum has a name", "`20 + 1 = 21`", "`issue + 1 = 21`", "no names"),
    ("a sum has a number from nowhere", "`20 + 1 = 21`", "`777 - 756 = 21`", "777 is in no output"),
    ("a number from nowhere", "takes from 20 to 370", "takes from 20 to 371", "371 is in no output"),
    ("a parameter has another value", "| `dma.setup` | 20 |", "| `dma.setup` | 21 |", "dma.setup is 20, not 21"),
    ("a parameter that there is not", "| `dma.setup` |", "| `dma.setups` |", "dma.setups is no parameter"),
    ("a prediction that no run prints", "**350** cycles", "**360** cycles", "**360** is predicted"),
    ("no prediction", "**", "", "no prediction"),
    ("a link leads nowhere", "(kernel.cl)", "(kernel.c)", "no such file"),
    ("a picture is not that of its command", "--size 8x3", "--size 8x4", "is not what its command makes"),
    ("a picture is missing", "](timeline.svg)", "](time.svg)", "time.svg is missing"),
    ("there is no picture", "![The warp waits while the copy is in flight](timeline.svg)", "", "'Look' has no picture"),
    ("a picture without its command", "<!-- made by:", "<!-- of:", "no `<!-- made by"),
    ("a picture's command fails", "timeline build/lesson1.wtl --size", "timeline build/no.wtl --size", "exit status 2"),
    ("the end leads nowhere", "](../", "](././", "it does not end with"),
]
RENEWED = [  # what a page shows, what a run prints, and what the page must show then; None if that is undecidable
    (["a  1", "b 2"], "a 10\nc 3\n", ["a 10", "c 3"]),
    (["...", "b 2", "..."], "a 1\nb  23\nc 3\n", ["...", "b  23", "..."]),
    (["a 1", "...", "c 3.0"], "a 2\nb 2\nc 4.5\n", ["a 2", "...", "c 4.5"]),
    (["...", "b 2", "c 4", "..."], "b 1\nb 2\nc 3\n", ["...", "b 2", "c 3", "..."]),
    (["...", "b 2", "..."], "b 1\nb 2\n", ["...", "b 2", "..."]),
    (["a  9876", "...", "c 1,234.5  x"], "a    12,345\nb 2\nc   67.8  x\n", ["a    12,345", "...", "c   67.8  x"]),
    (["...", "d 2", "..."], "a 1\nb 2\n", None),
    (["...", "a 1", "c 3"], "a 1\nb 2\nc 3\n", None),
    ([], "", []),
]


class Remembering(Place):
    """A place that does not run the same words twice, except for a picture that other commands have redrawn since."""

    def __init__(self, *words):
        super().__init__(*words)
        self.known, self.drawn = {}, ()

    def run(self, words):
        key, draws = tuple(words), words[0] == "bindings/python/warpwait-plot"
        if key not in self.known or draws and key != self.drawn:
            self.known[key] = super().run(words)
        self.drawn = key if draws else self.drawn
        return self.known[key]


def complaints_of(place, old, new):
    lessons = [Lesson(folder) for folder in sorted(LESSONS.glob("[0-9][0-9]-*"))]
    lesson = lessons[0]
    lesson.following = lessons[1] if len(lessons) > 1 else None
    assert old in lesson.text, f"lesson 1 has no '{old}' any more"
    lesson.text = lesson.text.replace(old, new)
    lesson.title = lesson.text.partition("\n")[0].removeprefix("# ")
    try:
        lesson.check(place, False)
    except Wrong as wrong:
        lesson.complain(wrong)
    return lesson.wrong


def damaged(place):
    """Rows of DAMAGE without their complaint."""
    for name, old, new, said in DAMAGE:
        found = complaints_of(place, old, new)
        if bool(found) != bool(said) or said and not any(said in wrong for wrong in found):
            yield f"{name}: {found or 'no complaint'}"


def renewals():
    for shown, output, expected in RENEWED:
        try:
            found = renewed(shown, output)
        except Wrong:
            found = None
        if found != expected or bool(difference(shown, output)) != (found != shown):
            yield f"{shown}, printed {output!r}: {found}"
        if found is not None and difference(found, output):
            yield f"{found}, printed {output!r}: {difference(found, output)}"


def unverified(place):
    """The launch's own check runs."""
    (place.lesson / "expected.bin").write_bytes(bytes(128))
    place.known.clear()
    place.answers.clear()
    if not any("with --verify" in wrong for wrong in complaints_of(place, "", "")):
        yield "expected.bin is wrong: no complaint"


def main():
    try:
        import matplotlib  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
        import pandas  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
    except ImportError as missing:
        print(f"{missing.name} is not installed: skipped")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        place = Remembering(pathlib.Path(folder), FIRST)
        failed = [*damaged(place), *renewals(), *unverified(place)]
    print("\n".join(failed))
    print(f"{len(DAMAGE) + len(RENEWED) + 1 - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
