"""Expressions over columns, in the notation of sweep files' constraints and costs.

    dma.channels <= dma.queue && !(define.DEPTH > 4 || mem.l1_size == 0)

Numbers (with K, M, G), names, + - * / % ^, comparisons, && || !, parentheses, min, max, abs, log2, ceil, floor; words
in quotes, which compare with == and != alone. Comparisons give 1 or 0 and do not chain. A division by zero, and a word
where a number is wanted, is not a number: no comparison holds for it, and it is not true. Values are arrays, one entry
a point.
"""
from __future__ import annotations

import re
import typing

import numpy
import pandas

from .._arrays import Flags, Floats
from ._errors import SweepError, unknown

Token = typing.Tuple[str, str, int]  # kind, text, place
Tree = typing.Callable[[pandas.DataFrame], typing.Any]
Binary = typing.Callable[[typing.Any, typing.Any], typing.Any]

TOKEN = re.compile(r"""\s*(?:(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[KMG]?(?![\w.]))
    |(?P<name>[A-Za-z_][\w.]*)|(?P<word>"[^"]*"|'[^']*')|(?P<sign>&&|\|\||[<>=!]=|[-+*/%^<>!(),])|(?P<end>$))""", re.X)
LONGEST = 200  # characters of a number; a line of a sweep file has fewer
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def as_numbers(value: typing.Any) -> Floats:
    """Numbers as they are; words are not numbers, and no comparison holds for them."""
    array = numpy.asarray(value)
    return array.astype(float) if array.dtype.kind in "biuf" else numpy.full(array.shape, numpy.nan)


def truth(value: typing.Any) -> Flags:
    """Whether a value holds: it is a number, and not zero."""
    numbers = as_numbers(value)
    held: Flags = (numbers < 0) | (numbers > 0)
    return held


def equal(a: typing.Any, b: typing.Any) -> Flags:
    """Whether two values are the same number, or the same word."""
    numeric = [numpy.asarray(value).dtype.kind in "biuf" for value in (a, b)]
    if numeric[0] != numeric[1]:  # a word in quotes beside a column of numbers: meant as the number that it says
        words, numbers = (b, a) if numeric[0] else (a, b)
        said = number_of(str(words)) if numpy.ndim(words) == 0 else None
        return numpy.asarray(numbers == (numpy.nan if said is None else said))
    return numpy.asarray(a == b)


def of_numbers(function: Binary) -> Binary:
    """A function of two values that makes numbers of them first."""
    return lambda a, b: function(as_numbers(a), as_numbers(b))


# Binary operators from the loosest to the tightest; those of a row group from the left, but for comparisons.
LEVELS: list[dict[str, Binary]] = [
    {"||": lambda a, b: truth(a) | truth(b)},
    {"&&": lambda a, b: truth(a) & truth(b)},
    {"==": equal, "!=": lambda a, b: ~equal(a, b), "<": of_numbers(numpy.less), "<=": of_numbers(numpy.less_equal),
     ">": of_numbers(numpy.greater), ">=": of_numbers(numpy.greater_equal)},
    {"+": of_numbers(numpy.add), "-": of_numbers(numpy.subtract)},
    {"*": of_numbers(numpy.multiply), "/": of_numbers(lambda a, b: numpy.where(b == 0, numpy.nan, a / b)),
     "%": of_numbers(numpy.fmod)},
]
COMPARISONS, NESTING = LEVELS[2], 64
FUNCTIONS: dict[str, tuple[int, typing.Callable[..., typing.Any]]] = {
    "min": (2, numpy.minimum), "max": (2, numpy.maximum), "abs": (1, numpy.abs), "log2": (1, numpy.log2),
    "ceil": (1, numpy.ceil), "floor": (1, numpy.floor)}


def number_of(text: str) -> float | None:
    """`64K` as 65536.0; None when the text is no number."""
    text = text.strip()
    if len(text) > LONGEST:  # the pattern tries each of its digits as the last
        return None
    sign = -1 if text[:1] == "-" else 1
    match = TOKEN.fullmatch(text[1:] if sign < 0 else text)
    if not match or match["number"] is None:
        return None
    digits, unit = match["number"], 1
    if digits[-1] in UNITS:
        digits, unit = digits[:-1], UNITS[digits[-1]]
    return sign * unit * (int(digits, 16) if digits[:2].lower() == "0x" else float(digits))


class Expression:
    """One that has been read: its text, the names that it uses, and its value over a frame of points."""

    def __init__(self, text: str) -> None:
        self.text, self._deep = text.strip(), 0
        self.names: list[str] = []
        self._tokens = self._split(text)
        self._tree = self._binary(0)
        if self._tokens[0][0] != "end":
            self._wrong("an operator")

    def value(self, frame: pandas.DataFrame) -> Floats:
        """An array of numbers, one for each row of the frame, which must have all names as columns."""
        with numpy.errstate(all="ignore"):
            return numpy.broadcast_to(as_numbers(self._tree(frame)), (len(frame),)).copy()

    def holds(self, frame: pandas.DataFrame) -> Flags:
        """Likewise, whether it holds; what is not a number does not."""
        return truth(self.value(frame))

    def check(self, known: typing.Iterable[str]) -> typing.Self:
        """Raises SweepError when a name is not among `known`. Returns the expression."""
        for name in self.names:
            if name not in known:
                raise unknown("axis or metric", name, known)
        return self

    def _split(self, text: str) -> list[Token]:
        tokens: list[Token] = []
        place = 0
        while True:
            match = TOKEN.match(text, place)
            if not match:
                place += len(text[place:]) - len(text[place:].lstrip())
                raise SweepError(f"`{text}`: column {place + 1}: {text[place:].split()[0]!r} is no part of an "
                                 "expression")
            kind = str(match.lastgroup)  # the pattern has no way to match without a group
            tokens.append((kind, match[kind], match.start(kind)))
            if kind == "end":
                return tokens
            place = match.end()

    def _wrong(self, expected: str) -> typing.NoReturn:
        _, found, place = self._tokens[0]
        raise SweepError(f"`{self.text}`: column {place + 1}: expected {expected}, found {found or 'the end'}")

    def _accept(self, *signs: str) -> str | None:
        if self._tokens[0][0] == "sign" and self._tokens[0][1] in signs:
            return self._tokens.pop(0)[1]
        return None

    def _expect(self, sign: str) -> None:
        if not self._accept(sign):
            self._wrong(sign)

    def _binary(self, level: int) -> Tree:
        if level == len(LEVELS):
            return self._unary()
        left = self._binary(level + 1)
        while sign := self._accept(*LEVELS[level]):
            left = self._apply(LEVELS[level][sign], left, self._binary(level + 1))
            if sign in COMPARISONS and self._tokens[0][1] in COMPARISONS:
                self._wrong("&& or ||, for comparisons do not chain")
        return left

    def _unary(self) -> Tree:
        self._deep += 1
        if self._deep > NESTING:
            raise SweepError(f"`{self.text[:40]}...`: nested deeper than {NESTING}")
        value = self._signed()
        self._deep -= 1
        return value

    def _signed(self) -> Tree:
        if sign := self._accept("-", "+", "!"):
            operand = self._unary()
            return {"-": lambda frame: -as_numbers(operand(frame)), "+": operand,
                    "!": lambda frame: ~truth(operand(frame))}[sign]
        base = self._primary()
        if self._accept("^"):
            return self._apply(of_numbers(numpy.power), base, self._unary())
        return base

    @staticmethod
    def _apply(operator: Binary, left: Tree, right: Tree) -> Tree:
        return lambda frame: operator(left(frame), right(frame))

    def _primary(self) -> Tree:
        kind, text, _ = self._tokens[0]
        if self._accept("("):
            inside = self._binary(0)
            self._expect(")")
            return inside
        if kind not in ("number", "name", "word"):
            self._wrong("a number, a name or (")
        self._tokens.pop(0)
        if kind == "number":
            constant = number_of(text)
            return lambda frame: numpy.float64(constant)
        if kind == "word":
            return lambda frame: text[1:-1]
        if text in FUNCTIONS and self._accept("("):
            return self._call(text)
        self.names.append(text)
        return lambda frame: frame[text].to_numpy()

    def _call(self, name: str) -> Tree:
        count, function = FUNCTIONS[name]
        arguments = [self._binary(0)]
        while self._accept(","):
            arguments.append(self._binary(0))
        self._expect(")")
        if len(arguments) < count or (count == 1 and len(arguments) > 1):
            raise SweepError(f"`{self.text}`: {name} takes {'one value' if count == 1 else 'two values or more'}")

        def value(frame: pandas.DataFrame) -> Floats:
            values = [as_numbers(argument(frame)) for argument in arguments]
            result: Floats = values[0] if count == 2 else function(values[0])
            for other in values[1:]:
                result = function(result, other)
            return result
        return value
