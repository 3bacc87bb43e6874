"""The tests' pages and their contents."""
import base64
import json
import os
import pathlib
import re
import subprocess
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WARPWAIT = os.environ.get("WARPWAIT", str(ROOT / "build/warpwait"))


def warpwait(*words, status=0):
    """Runs it in the project's folder. Returns (standard output, standard error)."""
    done = subprocess.run([str(pathlib.Path(WARPWAIT).resolve()), *map(str, words)], cwd=ROOT, capture_output=True,
                          text=True, check=False)
    assert done.returncode == status, f"{words}: exit status {done.returncode}: {done.stderr}"
    return done.stdout, done.stderr


class Data:
    """The data of a page's scripts: the index and the points."""

    def __init__(self, path):
        self.text = pathlib.Path(path).read_text()
        self.index = json.loads(re.search(r'id="index">(.*?)</script>', self.text).group(1))
        packed = re.findall(r'<script type="text/plain" id="point-\d+">(.*?)</script>', self.text)
        self.points = [json.loads(zlib.decompress(base64.b64decode(point))) for point in packed]

    @staticmethod
    def tracks(point, kind):
        return [track for track in point["timeline"]["tracks"] if track["track"] == kind]
