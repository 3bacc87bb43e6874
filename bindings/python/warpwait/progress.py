"""Progress of a call: a bar on a terminal and in notebooks, nothing elsewhere."""
from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable
from typing import Any

from .errors import BadInput

__all__ = ["Bar", "told"]

SILENT = 1.0  # seconds before the bar appears
EVERY = .2    # seconds between two updates


def is_wanted() -> bool:
    """Whether a person sees standard error: on a terminal, or in a notebook."""
    error = sys.stderr
    return error is not None and (type(error).__module__.startswith("ipykernel") or error.isatty())


def bar_by_tqdm(what: str) -> Any:
    """tqdm's bar, with widgets if they are installed; None without tqdm."""
    widgets = importlib.util.find_spec("ipywidgets")  # without them, tqdm.auto warns in notebooks
    try:
        module = importlib.import_module("tqdm.auto" if widgets else "tqdm")
    except ImportError:
        return None
    return module.tqdm(desc=what, leave=False)


class Bar:
    """A bar by tqdm, or a line of text without tqdm."""

    def __init__(self, what: str) -> None:
        self.what, self.begun = what, time.monotonic()
        self.next = self.begun + SILENT
        self._bar: Any = None
        self._has_begun = False

    def __call__(self, done: int, of: int) -> None:
        """Shows that `done` of `of` are done; `of` is 0 if it is not known yet."""
        now = time.monotonic()
        if now < self.next:
            return
        self.next = now + EVERY
        if not self._has_begun:
            self._has_begun, self._bar = True, bar_by_tqdm(self.what)
            if self._bar is not None:
                self._bar.start_t -= now - self.begun
        if self._bar is None:
            sys.stderr.write(f"\r{self.what}: {done:,}{f' of {of:,}' if of else ''}\x1b[K")
            sys.stderr.flush()
            return
        self._bar.total, self._bar.n = of or None, done
        self._bar.refresh()

    def close(self) -> None:
        """Removes the bar."""
        if self._bar is not None:
            self._bar.close()
        elif self._has_begun:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def told(progress: Any, what: str) -> tuple[Callable[[int, int, int], bool | None] | None, Callable[[], None]]:
    """The function that reports a call's progress, or None, and a function to call at its end."""
    if not callable(progress) and progress not in (True, False, None):
        raise BadInput(f"progress: expected a function, True, False or None, found {progress!r}")
    if callable(progress):
        return progress, lambda: None
    if progress is False or (progress is None and not is_wanted()):
        return None, lambda: None
    bar = Bar(what)
    return lambda _, done, of: bar(done, of), bar.close
