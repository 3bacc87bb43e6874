"""Where small changes to C code are possible: the mutants of one file, found from its tokens alone."""
import re

TOKEN = re.compile(r"""(?P<space>\s+|/\*.*?\*/|//[^\n]*)|(?P<line>(?<=\n)[ \t]*\#(?:[^\n\\]|\\.)*)
  |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)|(?P<name>\w+)
  |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||.)""", re.S | re.X)
FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
           "*": "/", "/": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "+=": "-=", "-=": "+=", "&=": "|=", "|=": "&=",
           "<<=": ">>=", ">>=": "<<="}
STEPS = {"++": "--", "--": "++"}
# A statement that begins with one of these is no plain expression, but a declaration or control flow.
WORDS = {"if", "for", "while", "do", "switch", "case", "default", "else", "goto", "const", "static", "struct", "enum", "union",
         "unsigned", "int", "char", "bool", "float", "double", "void", "size_t", "assert", "long", "short", "typedef", "signed"}


def ordinal(text, begin, end):
    """The position of text[begin:end] among its kind on its line: "1st" and so on."""
    line = text[text.rfind("\n", 0, begin) + 1:end]
    count = sum(token[1] == text[begin:end] for token in tokens_of(line))
    return f"{count}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(count, 'th')}"


class Mutant:
    """One change: text[begin:end] becomes `new`."""

    def __init__(self, folder, file, text, begin, end, new, removed=False):
        self.folder, self.file, self.begin, self.end, self.new = folder, file, begin, end, new
        self.line = text.count("\n", 0, begin) + 1
        self.source = text.splitlines()[self.line - 1].strip()
        self.column = begin - text.rfind("\n", 0, begin)
        self.change = "removed: " + " ".join(text[begin:end].split()) if removed else \
            f"{text[begin:end]} -> {new or 'nothing'}, {ordinal(text, begin, end)}"

    def applied(self, text):
        """The file with the change; lines keep their numbers."""
        kept = "\n" * text.count("\n", self.begin, self.end)
        return text[:self.begin] + self.new + kept + text[self.end:]

    def listed(self):
        """The mutant in the format of equivalent.txt."""
        return self.file, self.source, self.change

    def key(self):
        return f"{self.file}:{self.line}:{self.column} {self.change}"

    def __str__(self):
        return f"{self.file}:{self.line}:{self.column}: {self.source}   [{self.change}]"


def tokens_of(text):
    """(kind, text, begin, end) of everything except space, comments and preprocessor lines."""
    return [(m.lastgroup, m[0], m.start(), m.end()) for m in TOKEN.finditer(text) if m.lastgroup not in ("space", "line")]


def closing(tokens, at):
    """Where the bracket opened at `at` closes."""
    depth = 0
    while True:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(tokens[at][1], 0)
        if not depth:
            return at
        at += 1


def bodies(tokens):
    """(first, last) token of each function's body: braces at the outermost level, after a parenthesis."""
    at = 0
    while at < len(tokens):
        if tokens[at][1] in "([{":
            end = closing(tokens, at)
            if tokens[at][1] == "{" and tokens[at - 1][1] == ")":
                yield at, end
            at = end
        at += 1


def statement_end(tokens, at):
    """Where the statement that begins at `at` has its semicolon; None if it is not a plain expression, or `return;` and
    such."""
    kind, word = tokens[at][:2]
    following = tokens[at + 1]
    if word in WORDS or word == "return" and following[1] != ";" or kind not in ("name", "sign") or word in "{};":
        return None
    if kind == "name" and word not in ("return", "break", "continue") and following[0] == "name":
        return None  # a declaration with a named type
    while tokens[at][1] != ";":
        if tokens[at][1] in "([{":
            at = closing(tokens, at)
        elif tokens[at][1] in ")]}:":
            return None
        at += 1
    return at


def begins_statement(tokens, at, heads):
    """Whether a statement may begin at `at`; `heads` are where conditions of if, for and while close."""
    return tokens[at - 1][1] in (";", "{", "}", "else", "do") or at - 1 in heads


def moved(number):
    """The values that replace a constant: one more, and one less if that is not negative."""
    literal = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", number)
    if not literal:
        return []
    value = int(literal[1], 16) if literal[1][:2] in ("0x", "0X") else int(literal[1], 8 if literal[1][0] == "0" else 10)
    return [f"{v}{literal[2]}" for v in (value + 1, value - 1) if v >= 0]


def is_length(tokens, at):
    """Whether the constant is the length of an array in a declaration: `int a[4]`, `int a[2][4]`, not `a[4] = 1`."""
    if tokens[at - 1][1] != "[":
        return False
    at -= 2
    while tokens[at][1] == "]":  # earlier lengths
        while tokens[at][1] != "[":
            at -= 1
        at -= 1
    before = tokens[at - 1]
    return tokens[at][0] == "name" and (before[0] == "name" or before[1] == "*") and \
        before[1] not in ("return", "case", "sizeof", "else")


def mutants_of(folder, file, text):
    """Every mutant of a file, in the order of its text."""
    tokens, found = tokens_of(text), []
    for first, last in bodies(tokens):
        heads, loops, skip = set(), set(), 0
        for at in range(first + 1, last):
            kind, word, begin, end = tokens[at]
            if at < skip:
                continue
            if word in ("assert", "static_assert", "_Static_assert"):
                skip = closing(tokens, at + 1) + 1
                continue
            if word in ("if", "for", "while", "switch") and tokens[at + 1][1] == "(":
                heads.add(closing(tokens, at + 1))
                if word == "for":
                    loops.update(range(at + 1, closing(tokens, at + 1) + 1))
            # clang-format puts space on both sides of binary operators, and of nothing else.
            if word in FLIPPED and text[begin - 1].isspace() and text[end].isspace():
                found.append(Mutant(folder, file, text, begin, end, FLIPPED[word]))
            elif word in STEPS:
                found.append(Mutant(folder, file, text, begin, end, STEPS[word]))
            elif word == "!":
                found.append(Mutant(folder, file, text, begin, end, ""))
            elif kind == "number" and not is_length(tokens, at):
                found += [Mutant(folder, file, text, begin, end, new) for new in moved(word)]
            if begins_statement(tokens, at, heads) and at not in loops:
                semicolon = statement_end(tokens, at)
                if semicolon is not None:
                    found.append(Mutant(folder, file, text, begin, tokens[semicolon][2], "", removed=True))
    return found
