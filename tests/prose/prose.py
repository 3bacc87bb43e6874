#!/usr/bin/env python3
"""Checks pages and messages: no word that CONTRIBUTING.md's table replaces, one phrase per situation, links that lead
somewhere, pictures with an alternative text and both color schemes, and docs/README.md with every page and its reading time;
the functions of docs/walks.md are where it says.
Checks the code's comments for the same words, and its identifiers for those of CONTRIBUTING.md's second table.

usage: tests/prose/prose.py [--write] [--messages] [--figures [COMMIT]]
  --write     puts the reading times into docs/README.md
  --messages  prints every message of the C code, sorted by text, with its file and line
  --figures   prints words and Flesch's reading ease of each page and of the messages, and beside them those of a commit
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs/README.md"
A_MINUTE = 200  # words
MESSAGES = ["sim", "tools", "isa", "opencl", "lds", "dma", "models", "traces", "bindings"]
TEMPLATES = {"hw/page.md", "tests/check/oclgrind.md"}  # of pages in docs
SOURCES = {".c", ".h", ".def", ".py", ".js", ".html", ""}
CODE = {".c", ".h", ".def", ".cpp"}
OF_MESSAGES = {"memory is out", "no memory for", "runs out of memory"}  # a comment may say so
EMPTY = ["do", "each", "follow", "give", "go", "keep", "leave", "look", "make", "note", "put", "run", "settle", "take", "turn"]
LONG = 200  # lines of a file in which a function's name must say what it takes, gives or runs


def pages():
    """All Markdown that the project has, but for templates."""
    found = [path for path in ROOT.rglob("*.md") if path.relative_to(ROOT).parts[0] not in {"build", ".git"}]
    return [path for path in sorted(found) if str(path.relative_to(ROOT)) not in TEMPLATES]


def without_code(text):
    """Blocks of code and comments become empty lines, so that numbers of lines stay."""
    def blank(found):
        return "\n" * found[0].count("\n")
    return re.sub(r"<!--.*?-->", blank, re.sub(r"^( *)```.*?^\1```", blank, text, flags=re.M | re.S), flags=re.S)


def words_table(head="word"):
    """(expression, what to write instead), of a table in CONTRIBUTING.md."""
    table = re.search(rf"^\| {head} \| instead \|\n\|.*\n((?:\|.*\n)+)", (ROOT / "CONTRIBUTING.md").read_text(), re.M)
    rows = [row.strip("|").split("|") for row in table[1].splitlines()]
    return [(word.strip(), instead.strip()) for words, instead in rows for word in words.split(",")]


def literals(path):
    """(line, text) of the strings in a source file that have double quotes and end on their line."""
    text = path.read_text(errors="replace")
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)
    for found in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', text):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"\{[^}]*\}", "", found[1])  # without code in f-strings


def texts():
    """(file, line, text) of everything that somebody reads."""
    for page in pages():
        text = without_code(page.read_text())
        if page.name == "CONTRIBUTING.md":  # its style sheet quotes what is not to be written
            text = re.sub(r"^## How we write$.*?(?=^## )", lambda found: "\n" * found[0].count("\n"), text, flags=re.M | re.S)
        for number, line in enumerate(text.splitlines(), 1):
            yield page, number, re.sub(r"`[^`]*`", "", line)
    for folder in MESSAGES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and path.suffix in SOURCES and "build" not in path.parts:
                for line, text in literals(path):
                    if " " in text:
                        yield path, line, text
    for path in commented():
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if comment := re.search(r"(?:;|#(?!include)|//|/\*|^ \*)(.*)", line):
                yield path, number, re.sub(r"`[^`]*`", "", comment[1])


def commented():
    """Machines, kernels and build files, whose comments users read."""
    patterns = ("machines/*.ini", "examples/**/*", "docs/lessons/**/*", "Makefile", "mk/*.mk", "tools/playground/playground.mk", "packages.txt")
    found = (path for pattern in patterns for path in sorted(ROOT.glob(pattern)))
    return [path for path in found if path.suffix in {".ini", ".cl", ".wws", ".wwtt", ".c", ".cpp", ".mk", ".txt", ""} and path.is_file()
            and not path.name.startswith("report")]


def check_words():
    rows = [(re.compile(rf"\b{re.escape(word)}\b", re.I), instead) for word, instead in words_table()]
    assert rows, "CONTRIBUTING.md has a table of words"
    for path, line, text in texts():
        for expression, instead in rows:
            if found := expression.search(text):
                yield f"{path.relative_to(ROOT)}:{line}: '{found[0]}': {instead}"


# ---- code -------------------------------------------------------------------------------------------------------


def comments(text):
    """(line, text) of the comments, each on one line and without code."""
    for found in re.finditer(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', text, re.S):
        if found[0][0] == "/":
            said = re.sub(r"`[^`]*`|\b[\w/]+\.h\b", "", re.sub(r"\s*\n \*", "", found[0]))
            yield text.count("\n", 0, found.start()) + 1, said


def refused_words(text):
    """(line, word, instead) of a C file: names of the second table, which comments write with blanks, and words of the first
    in comments."""
    for word, instead in words_table("name"):
        for found in re.finditer(rf"(?<![a-z0-9]){word.replace('_', '[ _]')}(?![a-z0-9])", text, re.I):
            yield text.count("\n", 0, found.start()) + 1, found[0], instead
    rows = [(re.compile(rf"\b{re.escape(word)}\b", re.I), instead) for word, instead in words_table() if word not in OF_MESSAGES]
    for line, said in comments(text):
        yield from ((line, found[0], instead) for expression, instead in rows if (found := expression.search(said)))


def empty_names(text):
    """(line, name) of functions in a long file whose names are only verbs."""
    if text.count("\n") > LONG:
        for found in re.finditer(rf"^static [^;={{}}()]*?\b({'|'.join(EMPTY)})\(", text, re.M):
            yield text.count("\n", 0, found.start()) + 1, found[1]


def check_code():
    for planted in ("int copies_under_way;", "/* It lets\n * the warps. No colour, under\n * way. */", "enum { LET_GO };"):
        assert list(refused_words(planted)), f"'{planted}' is refused"
    assert not list(refused_words('/* the color of "keepers"; go */ int away;')) and not list(empty_names("static int take(void) {"))
    assert list(empty_names("\n" * LONG + "static struct x *take(void *self) {\n"))
    for folder in MESSAGES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in CODE and path.is_file() and "build" not in path.parts:
                text, name = path.read_text(), path.relative_to(ROOT)
                yield from (f"{name}:{line}: '{word}': {instead}" for line, word, instead in refused_words(text))
                yield from (f"{name}:{line}: '{word}': a name that says what" for line, word in empty_names(text))


# ---- messages ---------------------------------------------------------------------------------------------------

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
LITERALS = re.compile(rf"{LITERAL}(?:\s*(?:[A-Z]\w+\s*)?{LITERAL})*")  # PRIu64 and other macros may join two
VALUE = re.compile(r"%[-+0#]*[\d*]*(?:\.[\d*]+)?(?:hh|ll|[hlzjt])?[a-zA-Z]|<[A-Z]\w+>")
ARTICLES = {"a", "an", "the"}
LEAST_WORDS = 4  # of a message that is compared with others


def messages_of(text):
    """(line, message) of C code: neighboring literals are one message, and a macro between them is <MACRO>."""
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)
    text = re.sub(r"^#include.*$", "", text, flags=re.M)
    for found in LITERALS.finditer(text):
        pieces = re.findall(rf"{LITERAL}|[A-Z]\w+", found[0])
        message = "".join(piece[1:-1] if piece[0] == '"' else f"<{piece}>" for piece in pieces)
        if len(re.findall("[A-Za-z]{2,}", message)) > 1:
            yield text.count("\n", 0, found.start()) + 1, message


def is_c(path):
    return path.endswith((".c", ".h")) and path.partition("/")[0] in MESSAGES


def messages():
    """(message, place) of all C code."""
    for folder in MESSAGES:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            name = str(path.relative_to(ROOT))
            yield from ((message, f"{name}:{line}") for line, message in messages_of(path.read_text()))


def check_messages():
    """Messages with the same words, but for articles and order, are one situation with two phrases."""
    phrases = collections.defaultdict(dict)
    for message, place in messages():
        words = re.findall(r"\b[A-Za-z]+(?:[-'][A-Za-z]+)*\b", VALUE.sub("", message.replace("\\n", " ")))
        words = [word.lower() for word in words]
        key = sorted(word for word in words if word not in ARTICLES)
        if len(key) >= LEAST_WORDS:
            phrases[tuple(key)].setdefault(" ".join(words), (message, place))
    for same in phrases.values():
        (first, where), *others = same.values()
        for message, place in others:
            yield f"{place}: '{message}': {where} says '{first}'"


# ---- links ------------------------------------------------------------------------------------------------------


def anchors(page):
    """The names of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", without_code(page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_links():
    for page in pages():
        text = without_code(page.read_text())
        for found in re.finditer(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", text):
            where = f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}"
            picture, name, target = found.groups()
            if picture and len(name) < 20:
                yield f"{where}: the picture {target} needs a text that says what it shows"
            if re.match(r"\w+:", target):
                continue
            path, _, anchor = target.partition("#")
            to = (page.parent / path).resolve() if path else page
            if not to.exists():
                yield f"{where}: there is no {target}"
            elif picture and "prefers-color-scheme: dark" not in to.read_text(errors="replace"):
                yield f"{where}: {target} must be an SVG file that also suits a dark page, as warpwait-plot and tests/html make them"
            elif anchor and to.suffix == ".md" and anchor not in anchors(to):
                yield f"{where}: {path or page.name} has no heading #{anchor}"


def walked(text):
    """The steps of docs/walks.md: (line, files, functions). A path is relative to the folder of the file before it."""
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.split("|")]
        names = cells[1].split(", ") if len(cells) > 3 else []
        if names and names[0].endswith(".c"):
            files = [ROOT / names[0]]
            for name in names[1:]:
                files.append(ROOT / name if (ROOT / name).exists() else files[-1].parent / name)
            yield number, files, re.findall(r"`(\w+)`", cells[2])


def check_walks():
    for number, files, functions in walked((ROOT / "docs/walks.md").read_text()):
        missing = [path.relative_to(ROOT) for path in files if not path.is_file()]
        code = "" if missing else "".join(path.read_text() for path in files)
        yield from (f"docs/walks.md:{number}: there is no {path}" for path in missing)
        yield from (f"docs/walks.md:{number}: none of its files has {name}()" for name in functions
                    if not missing and not re.search(rf"\b{name}\(", code))


# ---- the index --------------------------------------------------------------------------------------------------


def minutes(page):
    return max(1, round(len(page.read_text().split()) / A_MINUTE))


def check_index(write):
    text = INDEX.read_text()

    def row(found):
        return f"{found[1]}{minutes((INDEX.parent / found[2]).resolve())} |"

    timed = re.sub(r"^(\| \[[^\]]*\]\(([^)]*)\) \|.*\| )\d+ \|$", row, text, flags=re.M)
    if write:
        INDEX.write_text(timed)
    elif timed != text:
        yield "docs/README.md: reading times are stale: run 'tests/prose/prose.py --write'"
    listed = {(INDEX.parent / target).resolve() for target in re.findall(r"\]\(([^)#]*)\)", text)}
    for page in sorted((ROOT / "docs").glob("*.md")):
        if page != INDEX and page not in listed:
            yield f"docs/README.md does not list {page.name}"


# ---- figures ----------------------------------------------------------------------------------------------------


def prose(text):
    """Sentences without code, tables, headings and links' targets."""
    text = without_code(text)
    text = re.sub(r"\]\([^)]*\)", "]", text)
    lines = [line for line in text.splitlines() if not re.match(r"\s*(\||#|!\[)", line)]
    return re.sub(r"`[^`]*`", "code", "\n".join(lines))


def syllables(word):
    word = re.sub(r"[^a-z]", "", word.lower())
    count = len(re.findall(r"[aeiouy]+", word)) - (word.endswith("e") and not word.endswith("le"))
    return max(1, count)


def flesch(text):
    """206.835 - 1.015 words a sentence - 84.6 syllables a word: 60 to 70 is plain English, below 30 is hard."""
    text = prose(text)
    words = re.findall(r"[A-Za-z][A-Za-z'-]*", text)
    sentences = len(re.findall(r"[.!?:;](?:\s|$)|\n\n", text)) or 1
    return 206.835 - 1.015 * len(words) / sentences - 84.6 * sum(map(syllables, words)) / len(words) if words else 0


def shown(commit, name):
    """The text of a file at a commit; None if it had none."""
    done = subprocess.run(["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def as_prose(found):
    """Messages as sentences, without their values."""
    return "\n\n".join(VALUE.sub("x", message).replace("\\n", "\n").replace("```", "") for message in found)


def messages_at(commit):
    listed = subprocess.run(["git", "ls-tree", "-r", "--name-only", commit], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(is_c, listed.stdout.split()):
        yield from (message for _, message in messages_of(shown(commit, name)))


def figures(commit):
    print(f"{'':40}{'words':>8}{'ease':>7}" + (f"{'before':>10}{'ease':>7}" if commit else ""))
    texts = [as_prose(message for message, _ in messages()), as_prose(messages_at(commit)) if commit else None]
    print(f"{'messages':40}" + "   ".join(f"{len(text.split()):8,}{flesch(text):7.1f}" for text in texts if text))
    for page in pages():
        name = str(page.relative_to(ROOT))
        line = f"{name:40}{len(without_code(page.read_text()).split()):8,}{flesch(page.read_text()):7.1f}"
        old = shown(commit, name) if commit else None
        if old:
            line += f"{len(without_code(old).split()):10,}{flesch(old):7.1f}"
        print(line)


def main():
    words = sys.argv[1:]
    if "--figures" in words:
        return figures((words[words.index("--figures") + 1:] or [""])[0])
    if "--messages" in words:
        return print("\n".join(f"{message}  ({place})" for message, place in sorted(messages(), key=lambda row: row[0].lower())))
    wrong = [*check_words(), *check_code(), *check_messages(), *check_links(), *check_walks(), *check_index("--write" in words)]
    print("\n".join(wrong))
    return wrong != []


if __name__ == "__main__":
    sys.exit(main())
