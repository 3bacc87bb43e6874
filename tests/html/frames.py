#!/usr/bin/env python3
"""How smoothly a page with at least 100,000 slices pans in a headless Chromium: the time to draw a frame, and the time
from frame to frame. Exit status 1 if drawing one takes more than 16 ms (median)."""
import json
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import Reader  # pylint: disable=wrong-import-position
from made import Data, warpwait  # pylint: disable=wrong-import-position

RUN = ("run", "tests/bench/double_buffer.json", "--machine", "teaching", "--to", "260000")
PAN = """new Promise(done => {
  const t = page.timeline, drawn = [], frames = [], draw = t.draw.bind(t);
  t.fit(); if (%s > 1) t.zoomBy(%s);
  t.draw = () => { const start = performance.now(); draw(); drawn.push(performance.now() - start); };
  let last = 0, count = 0;
  const step = now => {
    if (last) frames.push(now - last);
    last = now;
    if (++count > 120) { t.draw = draw; return done(JSON.stringify({drawn, frames})); }
    t.panBy(count %% 60 < 30 ? 0.02 : -0.02); t.later(); requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""


def middle_and_95(values):
    return statistics.median(values), sorted(values)[int(0.95 * len(values))]


def main():
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "big.html"
        warpwait(*RUN, "--html", path, "--out", "/dev/null")
        slices = Data(path).points[0]["timeline"]["slices"]
        assert slices >= 100000, f"{slices} slices are too few"
        print(f"{slices} slices, {path.stat().st_size / 1e6:.2f} MB\n")
        print("window       zoom   draw ms, median   95 %   frame ms, median   95 %")
        reader = Reader()
        for width, height in ((1400, 1000), (3840, 2160)):
            reader.size(width, height)
            reader.open(path)
            for zoom in (1, 8, 200):
                measured = json.loads(reader.evaluate(PAN % (zoom, zoom)))
                draw, frame = middle_and_95(measured["drawn"]), middle_and_95(measured["frames"])
                slow |= draw[0] > 16
                print(f"{width}x{height:<6} {zoom:5} {draw[0]:17.1f} {draw[1]:6.1f} {frame[0]:18.1f} {frame[1]:6.1f}")
        reader.close()
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
