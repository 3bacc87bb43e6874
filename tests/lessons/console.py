"""Console blocks of a page: commands, the outputs that the page shows, and their current outputs.

A block is ```console; `$ build/warpwait ...` and `$ bindings/python/warpwait-plot ...` are commands, which a
backslash at the end of the line continues, and the lines below them are output. A line `...` stands for any omitted
lines."""
import contextlib
import io
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).resolve()
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
# Reports have thousands separators; sources and command lines do not.
NUMBER = re.compile(r"(?<![\d,.])[1-9]\d{0,2}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?")
LEFT_OUT = "..."


class Wrong(Exception):
    """What is wrong with a page, in one line."""


class Command:
    """One command of a page, and the lines shown below it."""

    def __init__(self, line, head, shown):
        self.line, self.head, self.shown = line, head, shown
        self.words = shlex.split(" ".join(word.rstrip("\\") for word in head)[2:])


def commands_of(page):
    """The commands of all console blocks of a page, in order."""
    found = []
    for block in BLOCK.finditer(page):
        line, more = page.count("\n", 0, block.start(1)) + 1, False
        for number, text in enumerate(block[1].splitlines(), line):
            if more:
                found[-1][1].append(text)
            elif text.startswith("$ "):
                found.append((number, [text], []))
            elif found:
                found[-1][2].append(text.rstrip())
            else:
                raise Wrong(f"{number}: a console block begins with a command, `$ build/warpwait ...`")
            more = text.endswith("\\") and (more or text.startswith("$ "))
    return [Command(*row) for row in found]


def plotted(words):
    """Runs bindings/python/warpwait-plot in this process, which has its libraries loaded: (exit status, output)."""
    sys.path.insert(0, str(ROOT / "bindings/python"))
    try:
        from warpwait.plot.command import main  # pylint: disable=import-outside-toplevel
    finally:
        sys.path.pop(0)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            status = main(words) or 0
        except SystemExit as leave:
            status = leave.code if isinstance(leave.code, int) else 2
    return status, printed.getvalue()


class Place:
    """A folder that looks like the repository's root, in which a lesson's commands may write."""

    def __init__(self, folder, lesson):
        self.folder, self.lesson = folder, folder / lesson.relative_to(ROOT)
        self.answers = {}
        for name in ("examples", "machines", "tests", "traces"):
            if (ROOT / name).exists():
                (folder / name).symlink_to(ROOT / name)
        (folder / "build").mkdir()
        self.lesson.parent.mkdir(parents=True)
        shutil.copytree(lesson, self.lesson)

    def run(self, words):
        """A command's exit status and output, including errors. A command that writes no file runs only once."""
        key, writes = tuple(words), any("build/" in word for word in words[1:])
        if writes or key not in self.answers:
            self.answers[key] = self.answer(words)
        return self.answers[key]

    def answer(self, words):
        if words[0] == "bindings/python/warpwait-plot":
            before = os.getcwd()
            os.chdir(self.folder)
            try:
                return plotted(words[1:])
            finally:
                os.chdir(before)
        if words[0] != "build/warpwait":
            raise Wrong(f"`{shlex.join(words)}`: commands begin with build/warpwait or bindings/python/warpwait-plot")
        environment = {"WARPWAIT_CACHE": str(ROOT / "build/cache"), **os.environ}
        done = subprocess.run([WARPWAIT, *words[1:]], cwd=self.folder, env=environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        return done.returncode, done.stdout


def lines_of(output):
    """The lines of an output without trailing spaces."""
    return [line.rstrip() for line in output.rstrip("\n").split("\n")] if output.strip("\n") else []


def segments_of(shown):
    """The shown lines between omitted ones, as lists; an empty list where the end is open."""
    segments = [[]]
    for text in shown:
        if text == LEFT_OUT:
            segments.append([])
        else:
            segments[-1].append(text)
    return segments


def place_of(segment, lines, start):
    """Where the segment is in the lines, from start on; -1 if nowhere."""
    last = len(lines) - len(segment)
    return next((at for at in range(start, last + 1) if lines[at:at + len(segment)] == segment), -1)


def difference(shown, output):
    """Which of the shown lines are missing from the output, in words; "" if none."""
    lines = lines_of(output)
    segments = segments_of(shown)
    if len(segments) == 1:
        if segments[0] == lines:
            return ""
        pairs = itertools.zip_longest(segments[0], lines, fillvalue="")
        return next(f"the page shows '{told}', the run '{printed}'" for told, printed in pairs if told != printed)
    at = 0
    for number, segment in enumerate(segments):
        if number == 0:
            found = 0 if lines[:len(segment)] == segment else -1
        elif number == len(segments) - 1:
            found = len(lines) - len(segment)
            found = found if found >= at and lines[found:] == segment else -1
        else:
            found = place_of(segment, lines, at)
        if found < 0:
            missing = next((line for line in segment if line not in lines[at:]), segment[0])
            return f"the run does not print '{missing}' there"
        at = found + len(segment)
    return ""


def kind_of(line):
    """A line without its numbers: the same for every run."""
    return re.sub(r"\s+", " ", NUMBER.sub("#", line)).strip()


def renewed(shown, output):
    """The shown lines with their current values: the same parts of the output. Raises Wrong if a part is missing."""
    lines = lines_of(output)
    if LEFT_OUT not in shown:
        return lines
    if not difference(shown, output):
        return shown
    kinds, new, at = [kind_of(line) for line in lines], [], 0
    for number, segment in enumerate(segments_of(shown)):
        # The first segment is at the beginning; the others are where lines of their kinds come next.
        wanted = [kind_of(line) for line in segment]
        at = place_of(wanted, kinds[:len(wanted)] if number == 0 else kinds, at)
        if at < 0:
            raise Wrong(f"the run has nothing like '{segment[0]}' there: renew this block by hand")
        new += [LEFT_OUT] * (number > 0) + lines[at:at + len(segment)]
        at += len(segment)
    if difference(new, output):
        raise Wrong(f"the run does not end with '{shown[-1]}': renew this block by hand")
    return new
