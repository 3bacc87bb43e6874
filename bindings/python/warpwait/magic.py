"""%%warpwait: OpenCL C in a cell, arrays of the notebook as its arguments, the annotated source as its result."""
from __future__ import annotations

import argparse
import shlex
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

from .device import Device, Local
from .errors import BadInput, HazardWarning, Unfinished, WarpwaitError
from .machine import Machine
from .program import Program
from .running import run

if TYPE_CHECKING:
    from .program import Kernel
    from .report import Lines, Report

__all__ = ["load_ipython_extension", "parser"]

EPILOG = """\
Arguments of the kernel are the notebook's variables of the same names, or what --arg says; arrays are changed in place. The
result is the source with its costs in the margin, below the hazards that were found. The report is the variable `report`
(--out names another).

    %%warpwait h200 -g len(x) -l 64 -a scratch=64*4 -s dma.channels=2
    kernel void f(global float *x, local float *scratch) { ... }
"""


class Parser(argparse.ArgumentParser):
    """A parser that raises BadInput instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise BadInput(f"%%warpwait: {message}; `%%warpwait?` says more")


def parser() -> Parser:
    """The options of %%warpwait."""
    made = Parser(prog="%%warpwait", add_help=False, epilog=EPILOG, allow_abbrev=False,
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("machine", nargs="?", default="teaching", help="a machine's name or file, or a variable that is a Machine or a Device (default: teaching)")
    made.add_argument("-g", "--global", dest="global_size", metavar="X[,Y[,Z]]", required=True,
                      help="work-items: numbers, or an expression of the notebook without blanks")
    made.add_argument("-l", "--local", dest="local_size", metavar="X[,Y[,Z]]", help="work-items of a work-group")
    made.add_argument("-s", "--set", metavar="KEY=VALUE", action="append", default=[], help="a parameter of the machine")
    made.add_argument("-a", "--arg", metavar="NAME=EXPRESSION", action="append", default=[],
                      help="an argument of the kernel; for a local pointer, its bytes")
    made.add_argument("-D", "--define", metavar="NAME[=VALUE]", action="append", default=[], help="a macro")
    made.add_argument("-O", "--optimize", metavar="N", type=int, choices=range(4), help="optimization level (default: 2)")
    made.add_argument("-k", "--kernel", metavar="NAME", help="the kernel (default: the only one)")
    made.add_argument("-o", "--out", metavar="NAME", default="report", help="the variable that gets the report")
    made.add_argument("-c", "--check", action="store_true", help="find and show all hazards")
    return made


def split(word: str) -> tuple[str, str | None]:
    """`a=b` as ("a", "b"), `a` as ("a", None)."""
    name, sign, value = word.partition("=")
    return name, value if sign else None


def evaluated(text: str, names: dict[str, Any]) -> Any:
    """The value of an expression in the notebook."""
    try:
        return eval(text, dict(names))  # pylint: disable=eval-used
    except Exception as error:
        raise BadInput(f"%%warpwait: `{text}`: {type(error).__name__}: {error}") from None


def arguments_of(kernel: Kernel, said: list[str], names: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name: from the options, or the notebook's variables with the same names."""
    given = {}
    for word in said:
        name, text = split(word)
        if text is None:
            raise BadInput(f"%%warpwait: --arg {word}: expected NAME=EXPRESSION")
        given[name] = evaluated(text, names)
    for argument in kernel.arguments:
        if argument.name not in given:
            if argument.name not in names:
                raise BadInput(f"%%warpwait: argument '{argument.name}' of kernel '{kernel.name}': no variable of that "
                               f"name; say --arg {argument.name}=...")
            given[argument.name] = names[argument.name]
        if argument.kind == "local" and isinstance(given[argument.name], int):
            given[argument.name] = Local(given[argument.name])
    return given


def words_of(line: str) -> list[str]:
    """The words of the magic's line."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise BadInput(f"%%warpwait: {line}: {error}") from None


def machine_of(name: str, changes: list[str], names: dict[str, Any]) -> Machine | Device:
    """The machine or device in a variable, or the machine with that name, with parameters changed."""
    known = names.get(name)
    found = known if isinstance(known, (Machine, Device)) else Machine(name)
    if not changes:
        return found
    if isinstance(found, Device):
        raise BadInput(f"%%warpwait: --set {changes[0]}: a Device's machine cannot be changed")
    return found.with_(dict(word.partition("=")[::2] for word in changes))


def run_cell(line: str, cell: str, names: dict[str, Any]) -> Report:
    """Runs a cell. names: the notebook's variables, to which the report is added."""
    options = parser().parse_args(words_of(line))
    machine = machine_of(options.machine, options.set, names)
    program = Program(cell, name="cell.cl", defines=dict(map(split, options.define)), optimize=options.optimize)
    kernel = program.kernel(options.kernel)
    launch = kernel.launch(global_size=evaluated(options.global_size, names),
                           local_size=evaluated(options.local_size, names) if options.local_size else None,
                           args=arguments_of(kernel, options.arg, names))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HazardWarning)  # the cell shows them
            report = run(launch, machine, check=options.check)
    except Unfinished as error:
        names[options.out] = error.report
        raise
    names[options.out] = report
    return report


def load_ipython_extension(shell: Any) -> None:
    """Called by %load_ext warpwait."""
    from IPython.display import display

    def warpwait(line: str, cell: str) -> Lines:
        try:
            report = run_cell(line, cell, shell.user_ns)
        except (WarpwaitError, KeyboardInterrupt) as error:
            log = getattr(error, "log", "").rstrip()
            said = [*([log] if log != str(error) else []), f"{type(error).__name__}: {error}".removesuffix(": ")]
            setattr(error, "_render_traceback_", lambda *_: said)
            raise
        if report.hazards or report.checked:
            display(report.hazards)
        return report.lines

    warpwait.__doc__ = f"{__doc__}\n\n{parser().format_help()}"
    shell.register_magic_function(warpwait, magic_kind="cell", magic_name="warpwait")
