#!/usr/bin/env python3
"""Renders the notebooks of docs/notebooks as nbconvert does, in light and dark, and writes pages and pictures to a
folder.

usage: pictures.py FOLDER. Needs jupyter-nbconvert and chromium."""
import os
import pathlib
import subprocess
import sys

NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "docs/notebooks"
WIDTH, HEIGHT = 1150, 7000


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/notebooks").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        for theme in "light", "dark":
            name = f"{path.stem}-{theme}"
            subprocess.run(["jupyter-nbconvert", "--to", "html", "--theme", theme, "--output-dir", folder, "--output", name,
                            path], check=True, capture_output=True)
            subprocess.run([os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--no-sandbox", "--hide-scrollbars",
                            f"--window-size={WIDTH},{HEIGHT}", "--virtual-time-budget=4000",
                            f"--screenshot={folder / name}.png", (folder / f"{name}.html").as_uri()],
                           check=True, capture_output=True, timeout=120)
            print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
