#!/usr/bin/env python3
# Time limit: a cell may take 120 s.
"""The notebooks of docs/notebooks run, print what they show, and compute every number in their text.

Each is executed in its own folder, with this Python as its kernel. Outputs must be those in the file, except for
pictures, which may differ. Each number in a notebook's text must be in the source or output of an adjacent cell: one
between this text and the previous one, or the first cell below it. (Numbers in `code` and in links do not count as
text.)

--write puts the current outputs into the files. Words select the notebooks whose names contain them."""
import argparse
import html
import pathlib
import re
import sys
import tempfile

import notebook_kernel
import rig

try:
    import distributed  # noqa: F401
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbclient
    import nbformat
    import pandas  # noqa: F401
    import pyopencl  # noqa: F401
except ImportError as missing:
    print(f"{missing.name} is not installed: skipped")
    sys.exit(0)

NOTEBOOKS = rig.ROOT / "docs/notebooks"
MOST_BYTES = 400_000
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """The outputs, with streams in one piece: on a busy machine, a progress bar divides what a cell prints."""
    whole: list[nbformat.NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream" and whole and whole[-1].output_type == "stream" and whole[-1].name == output.name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def executed(path: pathlib.Path, folder: pathlib.Path) -> nbformat.NotebookNode:
    """The notebook with current outputs, without what progress bars wrote to standard error."""
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}},
                            record_timing=False).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = joined([output for output in cell.outputs if output.get("name") != "stderr"])
            cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                         "language_info": {"name": "python"}}
    return notebook


def shown(output: nbformat.NotebookNode) -> dict[str, str]:
    """The part of an output that is compared; for a picture, only that there is one."""
    if output.output_type == "stream":
        return {output.name: output.text}
    return {kind: "" if kind.startswith("image/") else text for kind, text in output.get("data", {}).items()
            if not (kind == "text/plain" and "image/png" in output["data"])}


def differences(old: nbformat.NotebookNode, new: nbformat.NotebookNode) -> list[str]:
    """Cells whose outputs differ."""
    found = []
    for place, (was, now) in enumerate(zip(old.cells, new.cells)):
        if was.cell_type != "code":
            continue
        before, after = ([shown(output) for output in cell.outputs] for cell in (was, now))
        if before != after:
            first = next(((a, b) for a, b in zip(before, after) if a != b), (before[-1:], after[-1:]))
            found.append(f"cell {place + 1}: outputs differ:\n- {str(first[0])[:2000]}\n+ {str(first[1])[:2000]}")
    return found


def numbers(text: str) -> set[str]:
    """The numbers of a text, without thousands separators."""
    return {number.replace(",", "").rstrip(".") for number in NUMBER.findall(text)}


def prose(source: str) -> str:
    """A text without code and link targets."""
    return re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "", source))


def computed(cell: nbformat.NotebookNode) -> str:
    """A cell's source and output, as text."""
    parts = [cell.source]
    for output in cell.outputs:
        for kind, text in shown(output).items():
            # The page in a frame has so many numbers that any number would be found there.
            parts.append("" if "<iframe" in text else html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", text, flags=re.S))
                         if kind == "text/html" else text)
    return "\n".join(parts)


def unfounded(notebook: nbformat.NotebookNode) -> list[str]:
    """Numbers in the text that no adjacent cell has computed."""
    found = []
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type != "markdown":
            continue
        above = place
        while above and notebook.cells[above - 1].cell_type == "code":
            above -= 1
        below = notebook.cells[place + 1:place + 2]
        beside = [one for one in [*notebook.cells[above:place], *below] if one.cell_type == "code"]
        known = set().union(*(numbers(computed(one)) for one in beside)) if beside else set()
        found += [f"cell {place + 1}: no cell beside it has the number {number}"
                  for number in sorted(numbers(prose(cell.source)) - known)]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        notebook_kernel.prepare(pathlib.Path(folder))
        for path in sorted(NOTEBOOKS.glob("*.ipynb")):
            if options.words and not any(word in path.name for word in options.words):
                continue
            today = executed(path, pathlib.Path(folder))
            if options.write:
                nbformat.write(today, path)
            wrong = [*differences(nbformat.read(path, 4), today), *unfounded(today)]
            if (size := path.stat().st_size) > MOST_BYTES:
                wrong.append(f"{size:,} bytes: expected at most {MOST_BYTES:,}")
            for line in wrong:
                print(f"{path.relative_to(rig.ROOT)}: {line}")
            failed += bool(wrong)
    print("failed; `tests/python/notebooks_test.py --write` writes today's outputs" if failed else "notebooks are as they run")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
