"""A headless Chromium that acts like a reader: it moves the mouse, turns the wheel and presses keys."""
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "timeline"))
from viewer import CannotStart, Chromium  # pylint: disable=wrong-import-position,unused-import

KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Escape": 27, "Tab": 9,
        "+": 187, "-": 189, "0": 48, ",": 188, ".": 190, "Home": 36, "End": 35}
CTRL, SHIFT = 2, 8
CONTRAST = """(() => {
  const channel = c => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
  const light = rgb => { const [r, g, b] = rgb.match(/[\\d.]+/g).map(Number);
    return .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b); };
  const paper = e => getComputedStyle(e).backgroundColor, clear = e => /, 0\\)$/.test(paper(e));
  const behind = e => { while (clear(e) && e.parentElement) e = e.parentElement; return paper(e); };
  const texts = document.querySelectorAll(%s);
  return Math.min(...[...texts].filter(e => e.offsetParent && e.textContent.trim()).map(e => {
    const a = light(getComputedStyle(e).color), b = light(behind(e));
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05); })); })()"""


def chromium():
    """The program's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Reader(Chromium):
    """Opens pages. `complaints` collects console messages and network requests. `origin` is a server of the test,
    `http://127.0.0.1:8000`, and may be used."""

    def __init__(self, width=1400, height=1000, origin=None):
        self.complaints = []
        self.inner = {}  # the current sessions of frames and workers by kind, the newest last
        self.allowed = ("file:", "data:") + ((f"{origin}/", f"blob:{origin}/") if origin else ())
        if not chromium():
            sys.exit("no chromium: `apt-get install chromium`")
        super().__init__(chromium(), f"{width},{height}")
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        if origin:
            self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        else:
            self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0,
                      uploadThroughput=0)

    def _read(self):
        message = super()._read()
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(values["exceptionDetails"].get("exception", values["exceptionDetails"])))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.complaints.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not values["request"]["url"].startswith(self.allowed):
            self.complaints.append("asked for " + values["request"]["url"])
        elif method == "Target.attachedToTarget":
            self.inner.setdefault(values["targetInfo"]["type"], []).append(values["sessionId"])
        elif method == "Target.detachedFromTarget":
            for sessions in self.inner.values():
                sessions[:] = [session for session in sessions if session != values["sessionId"]]
        return message

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        """A file, or a URL of `origin`."""
        url = str(path) if str(path).startswith("http:") else pathlib.Path(path).resolve().as_uri()
        self.call("Page.navigate", url=url)
        self.wait("document.body && document.body.dataset.ready === 'yes'", 30)
        self.settle()

    def settle(self):
        """Waits until everything requested has been drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, **({} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}))
        self.settle()

    def wheel(self, x, y, turn):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=turn)
        self.settle()

    def drag(self, x, y, to_x, to_y):
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in (1, 2, 3, 4):
            self.mouse("mouseMoved", x + (to_x - x) * part / 4, y + (to_y - y) * part / 4, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        self.settle()

    def key(self, key, modifiers=0):
        values = {"key": key, "windowsVirtualKeyCode": KEYS[key], "modifiers": modifiers}
        text = {"text": "\r"} if key == "Enter" else {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **values, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **values)
        self.settle()

    def write(self, text):
        """Types into the focused element."""
        self.call("Input.insertText", text=text)
        self.settle()

    def in_frame(self, script):
        """Evaluates in the page's newest frame, which a sandbox has put into a separate process; None without a
        frame."""
        self.evaluate("1")  # so that its attachment has been reported
        frames = self.inner.get("iframe")
        if not frames:
            return None
        session, self.session = self.session, frames[-1]
        try:
            return self.evaluate(script)
        finally:
            self.session = session

    def contrast(self, texts):
        """The lowest contrast, as WCAG computes it, of the visible elements that these selectors match."""
        return self.evaluate(CONTRAST % json.dumps(texts))
