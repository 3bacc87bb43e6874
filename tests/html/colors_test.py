#!/usr/bin/env python3
"""Colors, widths and line breaks of our pages and pictures, as far as they follow from style sheets.

Text needs a contrast of 4.5 to 1 with what is behind it, a mark one of 3 to 1 (WCAG). page_test.py opens the pages in a
browser."""
import importlib.util
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
TEXT, MARK = 4.5, 3
DARK = "@media (prefers-color-scheme: dark)"


def load(path):
    """A Python file that is not in a package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts(color):
    digits = color.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    return [int(digits[place:place + 2], 16) / 255 for place in (0, 2, 4)]


def shade(channels, part):
    return [channel + (1 - channel) * part if part > 0 else channel * (1 + part) for channel in channels]


def luminance(channels):
    red, green, blue = (part / 12.92 if part <= .04045 else ((part + .055) / 1.055) ** 2.4 for part in channels)
    return .2126 * red + .7152 * green + .0722 * blue


def contrast(one, other):
    low, high = sorted(luminance(parts(color) if isinstance(color, str) else color) for color in (one, other))
    return (high + .05) / (low + .05)


def variables(text):
    """The colors that a style sheet names, in light and in dark."""
    light, dark = text.split(DARK, 1)
    names = [dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{3,6})\b", sheet)) for sheet in (light, dark.split("}", 2)[0])]
    return [names[0], names[0] | names[1]]


def looks():
    """tools/page/looks.js: the shade of each name in light and in dark, as (color, part)."""
    text = (ROOT / "tools/page/looks.js").read_text()
    on_dark = "".join(re.findall(r"ON_DARK = \{(.*?)\};", text, re.S))
    on_dark = {name: float(part) for name, part in re.findall(r'"([^"]+)": (-?[\d.]+)', on_dark)}
    light = {name: (color, float(part)) for color, names in re.findall(r'\["[^"]+", "(#\w{6})", \{(.*?)\}\]', text)
             for name, part in re.findall(r'"(\w+)": (-?[\d.]+)', names)}
    others = re.search(r"const OTHERS = \{(.*?)\};", text, re.S)[1]
    light |= {name: (color, 0) for name, color in re.findall(r'"([^"]+)": "(#\w{6})"', others)}
    return light, {name: (color, on_dark.get(name, part)) for name, (color, part) in light.items()}


class Colors(unittest.TestCase):
    def above(self, least, pairs):
        for name, one, other in pairs:
            self.assertGreaterEqual(contrast(one, other), least, (name, one, other))

    def test_text_of_pages_has_contrast_in_light_and_dark(self):
        for path, papers, inks in (("tools/page/page.css", ["paper", "panel"], ["ink", "soft", "focus", "hot"]),
                                   ("tools/playground/playground.css", ["paper", "panel"],
                                    ["ink", "soft", "focus", "hot", "directive", "operation", "name", "number"]),
                                   ("bindings/python/warpwait/sweep/report.py", ["page", "card"], ["ink", "quiet", "mark"])):
            for names in variables((ROOT / path).read_text()):
                self.above(TEXT, ((f"{path}: {ink} on {paper}", names[ink], names[paper]) for ink in inks for paper in papers))

    def test_what_the_page_draws_stands_out_from_dark_paper(self):
        paper = variables((ROOT / "tools/page/page.css").read_text())[1]["paper"]
        light, dark = looks()
        self.assertGreater(len(light), 30)
        self.above(MARK, ((name, shade(parts(color), part), paper) for name, (color, part) in dark.items()))

    def test_pale_colors_of_the_page_have_an_outline(self):
        css = (ROOT / "tools/page/page.css").read_text()
        for part in (r"\.swatch \{[^}]*border: 1px solid var\(--soft\)", r"\.stack rect \{ stroke: var\(--soft\)"):
            self.assertRegex(css, part)
        for names in variables(css):
            self.above(MARK, [("outline", names["soft"], names["paper"])])

    def test_the_picture_of_the_readme_stands_out_on_its_own_paper(self):
        picture = (ROOT / "docs/wait.svg").read_text()
        light = dict(re.findall(r"(\.?\w+) \{[^}]*fill: (#\w{6})", picture.split(DARK)[0]))
        dark = light | dict(re.findall(r"(\.?\w+) \{[^}]*fill: (#\w{6})", picture.split(DARK)[1].split("</style>")[0]))
        self.assertIn('<rect class="paper" width="870" height="194"/>', picture)
        for names in (light, dark):
            self.above(TEXT, [("text", names["text"], names[".paper"])])
            self.above(MARK, ((kind, names[kind], names[".paper"]) for kind in (".work", ".wait", ".copy")))

    def test_bars_of_programs_and_their_names_have_contrast(self):
        text = (ROOT / "bindings/icd/warpwait-exec").read_text()
        names = dict(re.findall(r"--(kernel|move): (#\w{6})", text))
        self.above(TEXT, ((name, color, "#ffffff") for name, color in names.items()))
        self.above(MARK, ((name, color, "#121212") for name, color in names.items()))  # Chromium's dark page

    def test_links_and_code_of_the_site_have_contrast(self):
        for theme in ("default", "slate"):
            css = "".join(re.findall(rf'\[data-md-color-scheme="{theme}"\] \{{(.*?)\}}', (ROOT / "packaging/site.css").read_text(), re.S))
            names = dict(re.findall(r"--md-([\w-]+): (#\w{6})", css))
            self.above(TEXT, ((name, names[name], names["default-bg-color"]) for name in ("typeset-a-color", "accent-fg-color")))
            code = [name for name in names if name.startswith("code-hl-") or name == "code-fg-color"]
            self.assertGreater(len(code), 10)
            self.above(TEXT, ((name, names[name], names["code-bg-color"]) for name in code))


class Widths(unittest.TestCase):
    def test_pictures_of_pages_shrink_with_the_page(self):
        pictures = sorted(ROOT.glob("docs/**/*.svg"))
        self.assertGreater(len(pictures), 30)
        for path in pictures:
            self.assertRegex(path.read_text()[:2000], r"<svg [^>]*viewBox=", path)

    def test_narrow_pages_cut_no_table_and_no_code(self):
        exec_page = (ROOT / "bindings/icd/warpwait-exec").read_text()
        self.assertRegex(exec_page, r"@media \(max-width: 45rem\) \{[^@]*\btr \{ display: grid")
        site = (ROOT / "packaging/site.css").read_text()
        for rule in (r"pre > code \{ overflow-x: auto", r"__scrollwrap \{ overflow-x: auto"):
            self.assertRegex(site, rule)


class Site(unittest.TestCase):
    pages = load(ROOT / "packaging/site_pages.py")

    def test_the_generator_reads_markdown_in_html_and_highlights(self):
        site = (ROOT / "packaging/site").read_text()
        for extension in ("md_in_html", "pymdownx.highlight", "pymdownx.superfences"):
            self.assertIn(extension, site)

    def test_folded_answers_are_markdown(self):
        self.assertEqual(self.pages.prepared("<details>\n<summary>One</summary>\n\nA `b`.\n"),
                         '<details markdown="1">\n<summary>One</summary>\n\nA `b`.\n')
        for page in ROOT.glob("docs/lessons/*/README.md"):
            self.assertNotIn("<details>", self.pages.prepared(page.read_text()), page)

    def test_numbers_stay_with_their_units_but_for_code(self):
        self.assertEqual(self.pages.prepared("46.6 % of `46.6 % x` in 1,024 bytes, 2 x\n"),
                         "46.6&nbsp;% of `46.6 % x` in 1,024&nbsp;bytes, 2&nbsp;x\n")
        self.assertEqual(self.pages.prepared("1. One\n2. Two in L2 or 3. x\n"), "1. One\n2. Two in L2 or 3. x\n")
        self.assertEqual(self.pages.prepared("```text\n46.6 % x\n```\n"), "```text\n46.6 % x\n```\n")

    def test_listings_have_a_language(self):
        for listing, language in (("$ warpwait run x", "console"), ("build/warpwait run x", "sh"), ("kernel void f() {", "c"),
                                  ("/* Why */\nint a;", "c"), ("{\n \"a\": 1\n}", "json"), ("[sweep]", "ini"), ("a  b", "text")):
            self.assertEqual(self.pages.prepared(f"A\n```\n{listing}\n```\n"), f"A\n```{language}\n{listing}\n```\n")
        self.assertEqual(self.pages.prepared("```cpp\na\n```\n"), "```cpp\na\n```\n")


class Prose(unittest.TestCase):
    def test_numbers_of_python_pages_stay_with_their_units(self):
        prose = load(ROOT / "bindings/python/warpwait/_html.py").prose
        self.assertEqual(prose("46.6 % & 7,300 cycles, L2 x, 1. y"),
                         "46.6\N{NO-BREAK SPACE}% &amp; 7,300\N{NO-BREAK SPACE}cycles, L2 x, 1. y")


if __name__ == "__main__":
    unittest.main()
