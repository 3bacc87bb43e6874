#!/usr/bin/env python3
"""Opens exported timelines in a real viewer, in a headless Chromium, and reports the result.

The viewer is that of chrome://tracing (Catapult). Debian's Chromium leaves it out; Debian has it in golang-1.19-src,
whose `go tool trace` shows it. Exit status 1 if it warns about a file, or finds other numbers of slices, arrows or
counters than the file has. Python talks only to Chromium, over two pipes."""
import argparse
import base64
import collections
import functools
import glob
import http.server
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

STATIC = "/usr/share/go-*/src/cmd/trace/static"
PAGE = """<!DOCTYPE html>
<script src="webcomponents.min.js"></script>
<link rel="import" href="trace_viewer_full.html">
<style>html, body, #view { margin: 0; width: 100%; height: 100%; overflow: hidden; }
/* The viewer has no dark style. */
@media (prefers-color-scheme: dark) { #view { background: white; filter: invert(.88) hue-rotate(180deg); } }</style>
<body></body>"""
LOAD = """(async () => {
  const text = await (await fetch('timeline.json')).text();
  const container = document.createElement('track-view-container');
  container.id = 'track_view_container';
  window.view = document.createElement('tr-ui-timeline-view');
  view.track_view_container = container;
  Polymer.dom(view).appendChild(container);
  view.id = 'view';
  view.globalMode = true;
  Polymer.dom(document.body).appendChild(view);
  const model = new tr.Model();
  await new tr.importer.Import(model).importTracesWithProgressDialog([text]);
  view.model = model;
  return true;
})()"""
SHOW = """(() => {
  const all = what => Array.from(document.querySelectorAll(what)), viewport = view.trackView_.viewport;
  const moved = viewport.currentDisplayTransform.clone();
  moved.xSetWorldBounds(%s, %s, viewport.modelTrackContainer_.canvas.getBoundingClientRect().width);
  viewport.setDisplayTransformImmediately(moved);
  for (const track of all("*").filter(track => /^copy/.test(track.heading) && track.expanded === false))
    track.expanded = true;
  for (const box of all('#flow_event_filter_dropdown input').filter(box => !box.checked))
    box.click();
  for (const rest of all('tr-ui-b-info-bar-group, tr-ui-a-analysis-view, tr-ui-b-drag-handle, ' +
                         'tr-ui-side-panel-container, tr-ui-b-mouse-mode-selector'))
    rest.style.display = 'none';
})()"""
COUNT = """(() => {
  const found = {slices: 0, beside: 0, counters: 0, arrows: view.model.flowEvents.length};
  const warnings = view.model.importWarnings.map(warning => warning.message);
  for (const process of view.model.getAllProcesses()) {
    found.counters += Object.keys(process.counters).length;
    for (const thread of Object.values(process.threads)) {
      found.slices += thread.sliceGroup.length;
      for (const slice of thread.asyncSliceGroup.getDescendantEvents())
        found.beside++;
    }
  }
  return {found, warnings};
})()"""


# Two pictures, of which a page shows the one for its reader's color scheme.
BOTH = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<style>.dark {{ display: none }}
@media (prefers-color-scheme: dark) {{ .dark {{ display: inline }} .light {{ display: none }} }}</style>
<image class="light" width="{width}" height="{height}" href="data:image/webp;base64,{light}"/>
<image class="dark" width="{width}" height="{height}" href="data:image/webp;base64,{dark}"/>
</svg>
"""


class CannotStart(RuntimeError):
    """There is a browser, but it does not start on this machine."""


class Chromium:
    """A browser with one page. It has `limit` seconds for each answer, and is killed if it does not answer."""

    def __init__(self, program, size, limit=60):
        self.home = tempfile.mkdtemp(prefix="warpwait-viewer-")
        self.limit, self.asked, self.end = limit, "", 0
        self.buffer, self.number, self.session = b"", 0, None
        # Without --disable-dev-shm-usage it does not start where /dev/shm is small or missing.
        self._start([program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.home}",
                     f"--window-size={size}", "--no-first-run", "about:blank"])
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        except (RuntimeError, OSError) as error:
            said = pathlib.Path(self.home, "said").read_text(errors="replace").strip().splitlines()
            self.kill()
            self._leave()
            raise CannotStart(f"{program}: {error}" + (f"; it said: {said[-1][:200]}" if said else "")) from error

    def _start(self, words):
        read, self.out = os.pipe()
        self.input, write = os.pipe()

        def connect():  # the protocol's pipes are 3 and 4
            there, back = os.dup(read), os.dup(write)
            os.dup2(there, 3)
            os.dup2(back, 4)
        with open(os.path.join(self.home, "said"), "wb") as said:
            self.process = subprocess.Popen(words, pass_fds=(3, 4), preexec_fn=connect, start_new_session=True,
                                            stdout=subprocess.DEVNULL, stderr=said)
        os.close(read)
        os.close(write)
        os.set_blocking(self.out, False)

    def call(self, method, **parameters):
        self.number += 1
        self.asked, self.end = method, time.monotonic() + self.limit
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            self._await([], [self.out])
            data = data[os.write(self.out, data):]
        while True:
            answer = self._read()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _await(self, inputs, outputs):
        """Waits until the browser has written or can be written to; kills it if it exceeds its time."""
        if not any(select.select(inputs, outputs, [], max(0, self.end - time.monotonic()))):
            self.kill()
            raise RuntimeError(f"Chromium gave no answer to {self.asked} in {self.limit:g} s, and was killed")

    def _read(self):
        while b"\0" not in self.buffer:
            self._await([self.input], [])
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise RuntimeError(f"Chromium ended before it answered {self.asked}")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def kill(self):
        """Kills it and the processes that it has started."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, script, seconds=60):
        """Waits until the script returns something true."""
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            if time.monotonic() > end:
                raise RuntimeError(f"the viewer does not come to: {script}")
            time.sleep(0.2)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def picture_in_both(self, path, top=0, bottom=None):
        """Writes an SVG file with what is shown in light and in dark, or with that from `top` to `bottom`."""
        shown = self.call("Page.getLayoutMetrics")["cssVisualViewport"]
        width, height = round(shown["clientWidth"]), (round(shown["clientHeight"]) if bottom is None else bottom) - top
        part = {"clip": {"x": 0, "y": top, "width": width, "height": height, "scale": 1}, "captureBeyondViewport": True}
        data = {}
        for scheme in ("dark", "light"):
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            time.sleep(1)  # for what is drawn again
            data[scheme] = self.call("Page.captureScreenshot", format="webp", quality=80, **part)["data"]
        pathlib.Path(path).write_text(BOTH.format(width=width, height=height, **data))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(timeout=30)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            pass
        self.kill()
        self._leave()

    def _leave(self):
        os.close(self.out)
        os.close(self.input)
        shutil.rmtree(self.home, ignore_errors=True)


def serve(static, timeline):
    """A local server of the viewer, the page that contains it, and the timeline. Returns its address."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path == "/":
                return self._give(PAGE.encode(), "text/html")
            if self.path == "/timeline.json":
                return self._give(timeline.read_bytes(), "application/json")
            return super().do_GET()

        def _give(self, data, form):
            self.send_response(200)
            self.send_header("Content-Type", form)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):  # pylint: disable=arguments-differ
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=static))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}/"


def expected(timeline):
    """What the viewer must find."""
    phases, counters = collections.Counter(), set()
    for event in json.loads(timeline.read_text())["traceEvents"]:
        phases[event["ph"]] += 1
        if event["ph"] == "C":
            counters.add((event["pid"], event["name"]))
    return {"slices": phases["X"], "beside": phases["b"], "counters": len(counters), "arrows": phases["s"]}


def view(browser, static, timeline, options):
    """Shows one timeline. Returns whether all of it was found."""
    server, address = serve(static, timeline)
    browser.call("Page.navigate", url=address)
    browser.wait("typeof tr != 'undefined' && tr.importer && tr.importer.Import ? true : false")
    browser.evaluate(LOAD)
    time.sleep(1)  # it draws when it is idle
    if options.picture:
        browser.evaluate(SHOW % (options.start / 1e6, options.end / 1e6))  # it counts in milliseconds
        time.sleep(2)
        browser.picture_in_both(options.picture)
    answer = browser.evaluate(COUNT)
    server.shutdown()
    wanted = expected(timeline)
    good = answer["found"] == wanted and not answer["warnings"]
    print(timeline.name + ": " + ", ".join(f"{number} {what}" for what, number in wanted.items())
          if good else f"{timeline}: found {answer['found']}, has {wanted}, warnings {answer['warnings']}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timeline", type=pathlib.Path, nargs="+", help="JSON that warpwait has exported")
    parser.add_argument("--chromium", default=shutil.which("chromium") or "chromium", metavar="PROGRAM")
    parser.add_argument("--static", metavar="FOLDER", help=f"with trace_viewer_full.html (default: {STATIC})")
    parser.add_argument("--picture", metavar="FILE", help="an SVG of what is shown in the end, in light and dark")
    parser.add_argument("--size", default="1600,1000", metavar="WIDTH,HEIGHT",
                        help="of the window (default: %(default)s)")
    parser.add_argument("--from", dest="start", type=int, default=0, metavar="CYCLE", help="the first on the picture")
    parser.add_argument("--to", dest="end", type=int, default=1000, metavar="CYCLE",
                        help="the last (default: %(default)s)")
    options = parser.parse_args()
    static = options.static or next(iter(glob.glob(STATIC)), None)
    if not static:
        parser.error(f"no {STATIC}: `apt-get install golang-1.19-src`, or --static")
    try:
        browser = Chromium(options.chromium, options.size)
    except (CannotStart, OSError) as error:
        sys.exit(f"Chromium cannot start here: {error}")
    try:
        return 0 if all([view(browser, static, timeline, options) for timeline in options.timeline]) else 1
    finally:
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
