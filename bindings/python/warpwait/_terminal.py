"""Makes text with control characters safe for a terminal."""
from __future__ import annotations

import re
import typing

# All control characters but tabs and line ends, and bytes that were not UTF-8.
CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\udc80-\\udcff]")


def hexadecimal(found: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in found[0].encode(errors="surrogateescape"))


def shown(text: object, stream: typing.TextIO) -> str:
    """The text for the stream. A terminal would obey control characters, so it gets them as \\x1b and the like; other
    streams get them unchanged."""
    return CONTROL.sub(hexadecimal, str(text)) if stream.isatty() else str(text)
