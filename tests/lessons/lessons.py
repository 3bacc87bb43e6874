#!/usr/bin/env -S python3 -B
# Time limit: a command may take 120 s.
"""docs/lessons: what the lessons say is what the machine does.

usage: tests/lessons/lessons.py [--write] [WORD]    --write: updates outputs and pictures in the lessons
                                                    WORD: only lessons whose names contain it

docs/lessons/README.md ends with the rules for writers of lessons; this file checks them."""
import ast
import fractions
import json
import operator
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "examples"))
from console import LEFT_OUT, NUMBER, ROOT, Place, Wrong, commands_of, difference, renewed  # noqa: E402
from page import settle  # noqa: E402

LESSONS = ROOT / "docs/lessons"
SECTIONS = ["What you will learn", "The kernel", "Predict", "Run", "Look", "Try", "Answers"]
LEAST = 10  # smaller numbers need no source
MOST_BYTES = 150 << 10  # of a picture
# Names and words whose numbers do not come from a run.
NAMES = [r"H200", r"Debian 12", r"\d+ minutes", r"\d\d[-_][a-z]\w*", r"[Ee]xample \d+"]
ARITHMETIC = re.compile(r"[\d\s,.+\-*/()]+ [=≈] [\d\s,.+\-*/()=≈]+")
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
MADE_BY = re.compile(r"<!-- made by:(.*?)-->\s*(?:!\[(.*?)\]\((\S+?)\))?", re.S)


def value_of(text):
    """The exact value of plain arithmetic."""
    def walk(node):
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -walk(node.operand)
        if isinstance(node, ast.Constant):
            return fractions.Fraction(ast.get_source_segment(text, node))
        raise ValueError(node)
    text = NUMBER.sub(lambda number: number[0].replace(",", ""), text.strip())
    try:
        return walk(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError) as error:
        raise Wrong(f"`{text}` is no plain arithmetic") from error


def check_arithmetic(span):
    """Checks that `a + b = c` is exact and that `a / b ≈ c` holds when rounded like c. Returns the numbers after the
    signs."""
    left, *rest = re.split(r" ([=≈]) ", span)
    for sign, right in zip(rest[::2], rest[1::2]):
        there, said = value_of(left), value_of(right)
        slack = 0
        if sign == "≈":
            slack = fractions.Fraction(1, 2 * 10 ** len(right.partition(".")[2].strip()))
        if abs(there - said) > slack:
            raise Wrong(f"`{span}` is not true: it is {float(there):g}")
    return numbers_of("  ".join(rest[1::2]))


def number_of(text):
    """The value of a number with or without thousands separators."""
    return fractions.Fraction(text.replace(",", ""))


def numbers_of(text):
    return {number_of(number) for number in NUMBER.findall(text)}


def prose_of(page):
    """The page without blocks, comments and link addresses, with the same lines."""
    def blank(found):
        return "\n" * found[0].count("\n")
    page = re.sub(r"^```.*?^```$", blank, page, flags=re.M | re.S)
    page = re.sub(r"<!--.*?-->", blank, page, flags=re.S)
    return re.sub(r"\]\([^)\s]*\)", "]", page)


class Page:
    """A lesson, or the index, and what is wrong with it."""

    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.wrong, self.printed = [], ""

    def complain(self, what, line=None):
        place = self.path.relative_to(ROOT)
        self.wrong.append(f"{place}:{line}: {what}" if line else f"{place}: {what}")

    def line_of(self, position):
        return self.text.count("\n", 0, position) + 1

    def section(self, name):
        found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", self.text, re.M | re.S)
        return found[1] if found else ""

    # ---- outputs

    def check_outputs(self, place, write):
        """Runs the page's commands and compares what is shown with what they print, or with `write` updates it."""
        lines = self.text.splitlines()
        for command in reversed(self.run_all(place)):
            first = command.line - 1 + len(command.head)
            try:
                if write:
                    lines[first:first + len(command.shown)] = renewed(command.shown, command.output)
                elif wrong := difference(command.shown, command.output):
                    raise Wrong(f"{wrong}: see `make lessons`")
            except Wrong as wrong:
                self.complain(wrong, command.line)
        if write and (new := "\n".join(lines) + "\n") != self.text:
            self.path.write_text(new)
            self.text = new

    def run_all(self, place):
        """The page's commands, each with its output."""
        commands = commands_of(self.text)
        for command in commands:
            status, command.output = place.run(command.words)
            self.printed += f"\n{command.output}"
            # A command may fail if the page shows its whole output; `diff` exits with 1 if two reports differ.
            if status > (command.words[1] == "diff") and (LEFT_OUT in command.shown or not command.shown):
                self.complain(f"exit status {status}: {command.output.strip()[:200]}", command.line)
        return commands

    # ---- numbers

    def check_numbers(self, known, parameters):
        """Arithmetic is correct, parameters are the machine's, and every number has a source. Returns the bold
        numbers."""
        prose = prose_of(self.text)
        for number, text in enumerate(prose.splitlines(), 1):
            known |= self.parameter_row(number, text, parameters)
        for span in re.finditer(r"`([^`]+)`", prose):
            try:
                known |= self.arithmetic(" ".join(span[1].split()))
            except Wrong as wrong:
                self.complain(wrong, prose.count("\n", 0, span.start()) + 1)
        for number, text in enumerate(prose.splitlines(), 1):
            for found in NUMBER.findall(re.sub(rf"\b(?:{'|'.join(NAMES)})", "", text)):
                if number_of(found) >= LEAST and number_of(found) not in known:
                    self.complain(f"{found} is in no output, table, sum, kernel or launch file of this lesson", number)
        return {number_of(found) for found in re.findall(rf"\*\*`?({NUMBER.pattern})`?\*\*", prose)}

    @staticmethod
    def arithmetic(span):
        """The results of a span, if it is arithmetic."""
        if ARITHMETIC.fullmatch(span):
            return check_arithmetic(span)
        if re.search(r" [=≈] ", span) and re.search(r" [-+*/] ", span) and not re.search(r"[\[;]", span):
            raise Wrong(f"`{span}`: arithmetic has numbers alone, no names")
        return set()

    def parameter_row(self, number, text, parameters):
        """The value in a row of a table of parameters, if it is such a row."""
        row = re.match(r"\|\s*`([a-z]+\.[a-z0-9_]+)`\s*\|\s*`?([^|`]*?)`?\s*\|", text)
        if not row:
            return set()
        name, value = row.groups()
        if name not in parameters:
            self.complain(f"{name} is no parameter", number)
        elif str(parameters[name]) != value.replace(",", ""):
            self.complain(f"{name} is {parameters[name]}, not {value}", number)
        return numbers_of(value)

    # ---- links

    def check_links(self):
        for link in re.finditer(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)", self.text):
            if "://" not in link[1] and not (self.path.parent / link[1]).exists():
                self.complain(f"{link[1]}: no such file", self.line_of(link.start()))


class Lesson(Page):
    def __init__(self, folder):
        super().__init__(folder / "README.md")
        self.folder = folder
        self.title, self.following = self.text.partition("\n")[0].removeprefix("# "), None
        self.kernel = next((folder / name for name in ("kernel.cl", "kernel.wws") if (folder / name).exists()), None)

    def teaches(self):
        """of percentages"""
        return re.match(r"\s*(.*?\.(?=\s)|)", self.section(SECTIONS[0]), re.S)[1].replace("\n", " ")

    def check(self, place, write):
        self.check_form()
        self.check_end(write)
        parameters = self.check_launch(place)
        self.check_outputs(place, write)
        self.check_pictures(place, write)
        files = [path for path in [self.kernel, self.folder / "launch.json"] if path and path.exists()]
        commands = " ".join(" ".join(command.words) for command in commands_of(self.text))
        known = numbers_of(" ".join([self.printed, commands, *[path.read_text() for path in files]]))
        known.add(fractions.Fraction(100))  # of percent
        self.check_predictions(self.check_numbers(known, parameters))
        self.check_links()

    def check_form(self):
        """Title and all sections, the kernel, and an answer to each question."""
        if not self.title.startswith(f"Lesson {int(self.folder.name[:2])}: "):
            self.complain(f"its title is not 'Lesson {int(self.folder.name[:2])}: ...'")
        found = re.findall(r"^## (.*)$", self.text, re.M)
        if found != SECTIONS:
            self.complain(f"the sections are {', '.join(found)}, and should be {', '.join(SECTIONS)}")
        blocks = re.findall(r"^```\w*\n(.*?)^```$", self.section("The kernel"), re.M | re.S)
        if self.kernel is None or self.kernel.read_text() not in blocks:
            self.complain("no block of 'The kernel' is what kernel.cl has")
        questions = len(re.findall(r"^\d+\. ", self.section("Try"), re.M))
        answers = len(re.findall(r"^<details>", self.section("Answers"), re.M))
        if not questions or questions != answers:
            self.complain(f"{questions} questions in 'Try', {answers} answers")

    def check_end(self, write):
        """The page's last line links to the next lesson."""
        end = "Back to [all lessons](../README.md)."
        if self.following:
            end = f"Next: [{self.following.title}](../{self.following.folder.name}/README.md)."
        if write:
            body = re.sub(r"\n(Next: |Back to )[^\n]*\Z", "", self.text.rstrip()).rstrip()
            self.text = f"{body}\n\n{end}\n"
            self.path.write_text(self.text)
        elif not self.text.endswith(f"\n\n{end}\n"):
            self.complain(f"it does not end with '{end}': see `make lessons`")

    def check_launch(self, place):
        """The launch's own checks pass. Returns the parameters of its machine."""
        name = str((self.folder / "launch.json").relative_to(ROOT))
        try:
            if not json.loads((self.folder / "launch.json").read_text()).get("check"):
                self.complain("launch.json has no `check`")
        except (OSError, ValueError) as error:
            self.complain(error)
            return {}
        status, printed = place.run(["build/warpwait", "run", name, "--verify", "--report", "json"])
        if status:
            self.complain(f"launch.json with --verify: {printed.strip()[:200]}")
            return {}
        machine = json.loads(printed)["machine"]
        return {key: row["value"] for key, row in machine["parameters"].items()}

    def check_pictures(self, place, write):
        """Every picture exists, and equals the output of the command in the comment before it."""
        made = {found[3]: found for found in MADE_BY.finditer(self.text) if found[3]}
        pictures = re.findall(r"!\[.*?\]\((\S+?)\)", self.section("Look"))
        if not pictures:
            self.complain("'Look' has no picture")
        for name in pictures:
            if name not in made:
                self.complain(f"{name}: no `<!-- made by: ... -->` before it")
                continue
            try:
                self.check_picture(place, made[name], write)
            except Wrong as wrong:
                self.complain(wrong, self.line_of(made[name].start()))
            kept = self.folder / name
            if not kept.exists() or kept.stat().st_size > MOST_BYTES:
                self.complain(f"{name} is missing, or larger than {MOST_BYTES} bytes")

    def check_picture(self, place, found, write):
        for line in found[1].replace("\\\n", " ").strip().splitlines():
            words = shlex.split(line)
            if words[:1] == ["make"]:
                return  # Browser pictures: another target makes them, and a person reviews them.
            status, printed = place.run(words)
            if status:
                raise Wrong(f"`{line.strip()}`: exit status {status}: {printed.strip()[:200]}")
        made, kept = place.lesson / found[3], self.folder / found[3]
        if write:
            shutil.copy(made, kept)
        elif kept.exists() and made.read_bytes() != kept.read_bytes():
            raise Wrong(f"{found[3]} is not what its command makes today: see `make lessons`")

    def check_predictions(self, bold):
        """A bold number is a prediction: a run of the page must also print it."""
        printed = numbers_of(self.printed)
        if not bold:
            self.complain("no prediction: a number in bold, which the run prints, too")
        for number in sorted(bold - printed):
            self.complain(f"**{float(number):g}** is predicted, but no run prints it")


class Index(Page):
    """docs/lessons/README.md, with a row for each lesson: its title and its first sentence."""

    def check(self, lessons, write):
        # Not padded: a new lesson leaves the other rows unchanged.
        rows = [f"| [{lesson.title}]({lesson.folder.name}/README.md) | {lesson.teaches()} |\n" for lesson in lessons]
        try:
            settle(str(self.path.relative_to(ROOT)), "lessons", "| lesson | |\n| --- | --- |\n" + "".join(rows), write)
        except SystemExit as stale:
            self.complain(f"{stale}: see `make lessons`")
        self.check_links()


def chosen(words):
    """All lessons, each with the one before and after it; and those whose names contain all the words."""
    lessons = [Lesson(folder) for folder in sorted(LESSONS.glob("[0-9][0-9]-*"))]
    for lesson, following in zip(lessons, lessons[1:]):
        lesson.following = following
    return lessons, [lesson for lesson in lessons if all(word in lesson.folder.name for word in words)]


def main(arguments):
    write, words = "--write" in arguments, [word for word in arguments if not word.startswith("-")]
    try:
        import matplotlib  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
        import pandas  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
    except ImportError as missing:
        print(f"{missing.name} is not installed: skipped")
        return 0
    lessons, some = chosen(words)
    for lesson in some:
        with tempfile.TemporaryDirectory() as folder:
            try:
                lesson.check(Place(pathlib.Path(folder), lesson.folder), write)
            except Wrong as wrong:
                lesson.complain(wrong)
    index = Index(LESSONS / "README.md")
    index.check(lessons, write)
    failed = [page for page in [*some, index] if page.wrong]
    print("\n".join(wrong for page in failed for wrong in page.wrong))
    print(f"{len(some) + 1 - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
