"""A user of the playground in a headless Chromium, servers of its folder, and the command line for comparison."""
import base64
import functools
import http.server
import json
import pathlib
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/html"))
from browser import Reader  # pylint: disable=wrong-import-position
from made import WARPWAIT  # pylint: disable=wrong-import-position


class Folder(http.server.SimpleHTTPRequestHandler):
    """A static folder, as any web server serves it."""

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Slow(Folder):
    """A distant server that does not know the type of .wasm."""
    extensions_map = {**Folder.extensions_map, ".wasm": "application/octet-stream"}

    def do_GET(self):
        if self.path == "/warpwait.wasm":
            time.sleep(1)
        super().do_GET()


def serve(kind=Folder):
    handler = functools.partial(kind, directory=str(ROOT / "build/playground"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


class Play(Reader):
    """A user of the playground."""

    def __init__(self, origin, folder):
        super().__init__(origin=origin)
        self.origin, self.folder = origin, pathlib.Path(folder)
        self.saved = self.folder / "saved"
        self.saved.mkdir()
        self.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(self.saved))
        self.call("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])

    def visit(self, fragment="", fresh=True):
        # Goes through another page of the origin, so that what the playground stores on leaving is there, or removed.
        self.call("Page.navigate", url=f"{self.origin}/frame.html")
        self.wait("document.readyState === 'complete' && location.pathname === '/frame.html'")
        if fresh:
            self.evaluate("localStorage.clear()")
        self.open(f"{self.origin}/{fragment}")

    def at(self, name, what="textContent"):
        return self.evaluate(f"document.getElementById('{name}').{what}")

    def press(self, name):
        self.evaluate(f"document.getElementById('{name}').click()")
        self.settle()

    def idle(self):
        self.wait("!document.getElementById('run').disabled", 120)
        self.settle()

    def do(self, name):
        """Presses the button and waits for the result."""
        self.press(name)
        self.idle()

    def pick(self, name, value):
        self.evaluate(f"""(() => {{ const select = document.getElementById('{name}'); select.value = {json.dumps(value)};
          select.dispatchEvent(new Event('change')); }})()""")
        self.settle()

    def example(self, word):
        """Picks the first example whose name contains the word; returns its name."""
        names = self.evaluate("[...document.querySelectorAll('#example option')].map(option => option.value)")
        name = next(name for name in names if word in name)
        self.pick("example", name)
        return name

    def tab(self, name):
        self.evaluate(f"document.querySelector('[role=tab][data-name=\"{name}\"]').click()")
        self.settle()

    def text(self, value=None):
        """The text of the open file; with a value, sets it."""
        code = "document.querySelector('.CodeMirror').CodeMirror"
        if value is not None:
            self.evaluate(f"{code}.setValue({json.dumps(value)})")
        return self.evaluate(f"{code}.getValue()")

    def put(self, name, value):
        self.evaluate(f"document.getElementById('{name}').focus()")
        self.write(value)

    def parameter(self, name, value):
        self.press("parameter-add")
        self.write(name)
        self.key("Tab")
        self.write(value)

    def files(self):
        """All text under the tabs, as a user would copy it."""
        found = {}
        for name in self.evaluate("[...document.querySelectorAll('#files [role=tab]')].map(tab => tab.dataset.name)"):
            self.tab(name)
            found[name] = self.text()
        return found

    def save(self, button, name):
        """The file that a Save button produces."""
        path = self.saved / name
        path.unlink(missing_ok=True)
        self.do(button)
        for _ in range(200):
            if path.exists():
                return path
            time.sleep(0.05)
        raise RuntimeError(f"no {name} was saved: {list(self.saved.iterdir())}")

    def give(self, name, path):
        """Gives a file to a button that opens one."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=f"#{name}")
        self.call("DOM.setFileInputFiles", files=[str(path)], nodeId=node["nodeId"])

    def report(self):
        for old in self.saved.iterdir():
            old.unlink()
        self.do("save-report")
        for _ in range(200):
            found = list(self.saved.glob("*.json"))
            if found:
                return found[0].read_text()
            time.sleep(0.05)
        raise RuntimeError(f"no report was saved: {self.at('status')} {self.at('problem')}")

    def state(self):
        rows = "[...document.querySelectorAll('#parameter-rows input')].map(input => input.value)"
        return [self.at("example", "value"), self.at("machine", "value"), self.at("vary", "value"),
                self.at("verify", "checked"), self.evaluate(rows), self.files()]


class Shell:
    """The command line, on the files that the playground shows and on its hidden files."""

    def __init__(self, folder, catalog):
        self.folder, self.catalog, self.count = pathlib.Path(folder), catalog, 0

    def example(self, name):
        return next((one for one in self.catalog["examples"] if one["name"] == name), None)

    def run(self, files, *words, status=0, example=None):
        self.count += 1
        folder = self.folder / f"shell{self.count}"
        folder.mkdir()
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        for path, data in (example or {"binary": {}})["binary"].items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(base64.b64decode(data))
        done = subprocess.run([str(pathlib.Path(WARPWAIT).resolve()), *words], cwd=folder, capture_output=True,
                              text=True, check=False)
        assert done.returncode == status, f"{words}: {done.returncode}: {done.stderr}"
        return done.stdout


def cycles(report):
    return [launch["cycles"] for launch in json.loads(report)["launches"]]
