#!/usr/bin/env python3
"""Serves the playground's folder to browsers on this computer: `warpwait playground` becomes this.

usage: serve.py FOLDER PORT    PORT 0: 8040, or else the next that is free
"""
import errno
import functools
import http.server
import os
import signal
import sys

HOST, FIRST, TRIED = "127.0.0.1", 8040, 20


class Folder(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript", ".json": "application/json"}

    def end_headers(self):
        self.send_header("Cache-Control", "no-cache")  # the folder may be built anew
        super().end_headers()

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


def fail(text):
    print(f"warpwait: {text}", file=sys.stderr)
    sys.exit(2)


def listen(folder, port):
    """At the port, or the first of those tried that is free, or any."""
    handler = functools.partial(Folder, directory=folder)
    ports = [port] if port else [*range(FIRST, FIRST + TRIED), 0]
    for each in ports:
        try:
            return http.server.ThreadingHTTPServer((HOST, each), handler)
        except OSError as error:
            if port and error.errno == errno.EADDRINUSE:
                fail(f"--port: {port} is taken; without --port a free one is found")
            if error.errno != errno.EADDRINUSE or each == 0:
                fail(f"port {each} of {HOST}: {os.strerror(error.errno)}")
    return None


def main():
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder, port = sys.argv[1], int(sys.argv[2])
    try:
        with listen(folder, port) as server:
            server.daemon_threads = True
            print(f"http://{HOST}:{server.server_port}/ has the playground; Ctrl-C ends it", flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
