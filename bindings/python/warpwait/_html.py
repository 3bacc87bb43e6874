"""Text of our HTML pages."""
from __future__ import annotations

import html
import re

NUMBER = re.compile(r"(?<![\w.])(\d(?:[\d.,]*\d)?) (?=[%A-Za-z])")


def prose(text: str) -> str:
    """Words as HTML, their numbers tied to their units: no line ends between the two."""
    return NUMBER.sub("\\1\N{NO-BREAK SPACE}", html.escape(text))
