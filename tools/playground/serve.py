#!/usr/bin/env python3
"""Serves the playground's folder to browsers on this computer, for `warpwait playground`.

Any page in a browser can send requests here, with any host name that resolves to this computer, and any program on
it can connect. So the server answers only requests that name this computer, and only with regular files of the folder.
The number of connections and the time of each are limited.

usage: serve.py FOLDER PORT    PORT 0: 8040, or else the next free port
"""
import contextlib
import errno
import http
import http.server
import os
import re
import signal
import socket
import stat
import sys
import threading
import time
import urllib.parse

HOST, FIRST, TRIED = "127.0.0.1", 8040, 20
NAMES = {HOST, "localhost", "127.0.0.1", "[::1]"}
CONNECTIONS = 64  # at once; a browser opens about six
SECONDS = 60  # for a connection, with request and answer

TYPES = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
         "json": "application/json", "wasm": "application/wasm", "txt": "text/plain; charset=utf-8"}
BUSY = b"HTTP/1.0 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\nRetry-After: 1\r\n\r\n"


def names_this_computer(host):
    """Whether the value of a Host header does. Any port is good: the user may forward another port to ours."""
    return re.fullmatch(r"(.*?)(:[0-9]*)?", host, re.DOTALL)[1].lower() in NAMES


def open_below(folder, path):
    """The regular file at a URL's path, or None. Does not follow symbolic links below the folder."""
    parts = os.fsdecode(urllib.parse.unquote_to_bytes(path)).split("/")[1:]
    if parts == [""]:
        parts = ["index.html"]
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        return None
    with contextlib.ExitStack() as folders:
        try:
            at = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            folders.callback(os.close, at)
            for part in parts[:-1]:
                at = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=at)
                folders.callback(os.close, at)
            # Without O_NONBLOCK, opening a FIFO would wait for a writer.
            file = open(os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at), "rb")
        except OSError:  # includes the IsADirectoryError of open()
            return None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET and HEAD, one request per connection."""

    def version_string(self):
        return "warpwait"

    def do_GET(self):
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or not self.path.startswith("/"):
            return self.send_error(http.HTTPStatus.BAD_REQUEST)
        if not names_this_computer(hosts[0]):
            return self.send_error(http.HTTPStatus.MISDIRECTED_REQUEST, explain=f"This is {HOST}")
        file = open_below(self.server.folder, self.path.partition("?")[0])
        if not file:
            return self.send_error(http.HTTPStatus.NOT_FOUND)
        with file:
            return self.send_file(file)

    do_HEAD = do_GET

    def send_file(self, file):
        size = os.fstat(file.fileno()).st_size
        path = self.path.partition("?")[0]
        self.send_response(http.HTTPStatus.OK)
        self.send_header("Content-Type", TYPES.get("html" if path == "/" else path.rpartition(".")[2],
                                                   "application/octet-stream"))
        self.send_header("Content-Length", str(size))
        self.end_headers()
        if size and self.command == "GET":
            self.connection.sendfile(file, count=size)

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # the folder may be rebuilt
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        super().end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Server(http.server.ThreadingHTTPServer):
    """Runs one thread per connection, up to a limit, and ends each in time, whatever its client does."""

    def __init__(self, address, folder, connections=CONNECTIONS, seconds=SECONDS):
        self.folder, self.connections, self.seconds = folder, connections, seconds
        self.deadlines, self.lock = {}, threading.Lock()
        super().__init__(address, Handler)

    def process_request(self, request, client_address):
        with self.lock:
            full = len(self.deadlines) >= self.connections
            if not full:
                self.deadlines[request] = time.monotonic() + self.seconds
        if not full:
            return super().process_request(request, client_address)
        request.setblocking(False)
        with contextlib.suppress(OSError):
            request.send(BUSY)
        return self.shutdown_request(request)

    def service_actions(self):
        """Called twice a second. Shutting down a connection wakes the thread that waits for it."""
        with self.lock:
            for request, deadline in self.deadlines.items():
                if time.monotonic() >= deadline:
                    with contextlib.suppress(OSError):
                        request.shutdown(socket.SHUT_RDWR)

    def close_request(self, request):
        with self.lock:
            self.deadlines.pop(request, None)
            super().close_request(request)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):  # an OSError is a client that left or was too slow
            super().handle_error(request, client_address)


def fail(text):
    print(f"warpwait: {text}", file=sys.stderr)
    sys.exit(2)


def listen(folder, port):
    """Listens at `port`; if it is 0, at the first free one of FIRST and the next ports, or else at any free port."""
    ports = [port] if port else [*range(FIRST, FIRST + TRIED), 0]
    for each in ports:
        try:
            return Server((HOST, each), folder)
        except OSError as error:
            if port and error.errno == errno.EADDRINUSE:
                fail(f"--port: {port} is taken; omit --port to use a free one")
            if error.errno != errno.EADDRINUSE or each == 0:
                fail(f"port {each} of {HOST}: {os.strerror(error.errno)}")
    return None


def main():
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal() or int(sys.argv[2]) > 65535:
        fail("serve.py FOLDER PORT: needs a folder, and a port from 0 to 65535")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with listen(sys.argv[1], int(sys.argv[2])) as server:
            print(f"http://{HOST}:{server.server_port}/ serves the playground; Ctrl-C stops it", flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
