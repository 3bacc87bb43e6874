"""Text for a terminal, whatever it holds."""
from __future__ import annotations

import re
import typing

# All but tabs and ends of lines; and bytes that were no UTF-8.
CONTROL = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\udc80-\\udcff]")


def hexadecimal(found: re.Match[str]) -> str:
    return "".join(f"\\x{byte:02x}" for byte in found[0].encode(errors="surrogateescape"))


def shown(text: object, stream: typing.TextIO) -> str:
    """The text as the stream is to have it: a terminal gets control characters as \\x1b and the like, since they could
    steer it, and others get them as they are."""
    return CONTROL.sub(hexadecimal, str(text)) if stream.isatty() else str(text)
