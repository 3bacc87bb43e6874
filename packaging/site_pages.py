"""Changes copies of the pages into what the site's generator needs. Their Markdown stays what GitHub shows.

usage: site_pages.py FOLDER"""
import pathlib
import re
import shutil
import sys

FENCE = re.compile(r"^(?P<margin> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=margin)```$", re.M | re.S)
INLINE = re.compile(r"(`+)[^`]+\1")
NUMBER = re.compile(r"(?<![\w.])(\d(?:[\d.,]*\d)?) (?=[%A-Za-z])")
# The languages of listings, by what their first lines begin with. Other listings are no code.
LANGUAGES = (("console", r"\$ "), ("sh", r"(build/)?warpwait|make |sudo |apt-get |pip |git |tests/|# "),
             ("c", r"kernel |__kernel |#include|#define|#pragma|/\*|//|(global|local|int|uint|float|void|struct|for) "),
             ("json", r"[{]\s*$|\[\s*$"), ("ini", r"\[[\w.]+\]$"))
NAMES = {"wwtt": "text"}


def language(code):
    """The language of a listing that names none."""
    return next((name for name, begin in LANGUAGES if re.match(begin, code.lstrip(), re.M)), "text")


def fence(found):
    margin, code = found["margin"], found["code"]
    return f"{margin}```{NAMES.get(found['language'], found['language']) or language(code)}\n{code}{margin}```"


def prose(text):
    """Text between listings: Markdown inside HTML is Markdown, and no line ends between a number and its unit."""
    text = re.sub(r"^<(details|div|table)>", r'<\1 markdown="1">', text, flags=re.M)
    kept, parts = 0, []
    for code in INLINE.finditer(text):
        parts += [NUMBER.sub("\\1&nbsp;", text[kept:code.start()]), code[0]]
        kept = code.end()
    return "".join([*parts, NUMBER.sub("\\1&nbsp;", text[kept:])])


def prepared(text):
    """A page with its listings' languages and its prose as above."""
    kept, parts = 0, []
    for found in FENCE.finditer(text):
        parts += [prose(text[kept:found.start()]), fence(found)]
        kept = found.end()
    return "".join([*parts, prose(text[kept:])])


def copy_linked(page, pages):
    """Copies what a page links to: a file as it is; a folder becomes a page that lists its files."""
    for target in re.findall(r"\]\(([^)#\s:]+)[^)]*\)", page.read_text()):
        to = (page.parent / target).resolve()
        source = pathlib.Path(to.relative_to(pages)) if to.is_relative_to(pages) else None
        if source and source.is_file() and not to.exists():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, to)
        elif source and source.is_dir() and not (to / "README.md").exists():
            to.mkdir(parents=True, exist_ok=True)
            names = sorted(path.name for path in source.iterdir() if path.is_file())
            (to / "README.md").write_text(f"# {source}\n\n" + "".join(f"- `{name}`\n" for name in names))


def main():
    pages = pathlib.Path(sys.argv[1]).resolve()
    for page in [*pages.rglob("*.md")]:
        copy_linked(page, pages)
        page.write_text(prepared(page.read_text()))


if __name__ == "__main__":
    main()
