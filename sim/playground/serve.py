#!/usr/bin/env python3
"""Serves the playground's folder to browsers on this computer: `warpwait playground` becomes this.

Any page that a browser shows can send requests here, under any host name that resolves to this computer, and any
program on it can connect. So only requests that name this computer are answered, and only with regular files of the
folder; the number of connections has a limit, and each one has a time limit.

usage: serve.py FOLDER PORT    PORT 0: 8040, or else the next that is free
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
SECONDS = 60  # for the whole of a connection, request and answer

TYPES = {"html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
         "json": "application/json", "wasm": "application/wasm", "txt": "text/plain; charset=utf-8"}
BUSY = b"HTTP/1.0 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\nRetry-After: 1\r\n\r\n"


def names_this_computer(host):
    """Whether the value of a Host header does, with any port: somebody may forward another one to ours."""
    return re.fullmatch(r"(.*?)(:[0-9]*)?", host, re.DOTALL)[1].lower() in NAMES


def open_below(folder, path):
    """The regular file that the path of a URL names, or None. No symbolic link below the folder is followed."""
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
            # Without O_NONBLOCK, opening a FIFO would wait for somebody to write to it.
            file = open(os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at), "rb")
        except OSError:  # IsADirectoryError, from open(), among them
            return None
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return file
    file.close()
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers GET and HEAD, one request a connection."""

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
        self.send_header("Cache-Control", "no-cache")  # the folder may be built anew
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        super().end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class Server(http.server.ThreadingHTTPServer):
    """A thread a connection, but only so many, and each ends in time, whatever its client does."""

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
        """Called twice a second. Shutting a connection down wakes the thread that waits for it."""
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
        if not isinstance(sys.exc_info()[1], OSError):  # which is a client that is gone, or was too slow
            super().handle_error(request, client_address)


def fail(text):
    print(f"warpwait: {text}", file=sys.stderr)
    sys.exit(2)


def listen(folder, port):
    """At the port, or the first of those tried that is free, or any."""
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
