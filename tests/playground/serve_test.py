#!/usr/bin/env python3
# Time limit: the server has 60 s for an answer.
"""What the playground's server answers, and to whom, without a playground.

usage: tests/playground/serve_test.py [WORD]; a word selects tests."""
import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tools/playground"), str(ROOT / "tests")]
import functions  # pylint: disable=wrong-import-position
import serve  # pylint: disable=wrong-import-position

PATIENCE = 60  # of a socket, in seconds: answers normally come much sooner


@contextlib.contextmanager
def serving(folder, **limits):
    server = serve.Server((serve.HOST, 0), str(folder), **limits)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def connect(server):
    return socket.create_connection((serve.HOST, server.server_port), timeout=PATIENCE)


def take(connection):
    """Everything received until the other side closes."""
    data = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := connection.recv(1 << 16):
            data += piece
    return data


def send(server, text):
    with connect(server) as connection:
        connection.sendall(text)
        return take(connection)


def ask(server, path, method="GET", host="127.0.0.1"):
    """Status, headers and body of the answer."""
    said = send(server, f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode("latin-1"))
    head, _, body = said.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    return int(first.split()[1]), dict(line.split(": ", 1) for line in lines), body


def wait(condition):
    while not condition():
        time.sleep(0.01)


def lay_out(folder):
    there = folder / "there"
    (there / "inner").mkdir(parents=True)
    (there / "index.html").write_text("<p>index")
    (there / "warpwait.wasm").write_bytes(b"\0asm" + bytes(1 << 20))
    (there / "inner/one.js").write_text("1;")
    (there / "empty.txt").write_text("")
    (folder / "secret").write_text("secret")
    return there


def a_file_is_sent_with_its_type_and_length(folder):
    with serving(lay_out(folder)) as server:
        for path, kind in (("/", "text/html; charset=utf-8"), ("/index.html", "text/html; charset=utf-8"),
                           ("/inner/one.js?v=1.json", "text/javascript; charset=utf-8"), ("/inner%2fone.js", None),
                           ("/warpwait.wasm", "application/wasm"), ("/empty.txt", "text/plain; charset=utf-8")):
            status, headers, body = ask(server, path)
            assert status == 200 and int(headers["Content-Length"]) == len(body), (path, status, headers)
            assert kind in (None, headers["Content-Type"]), (path, headers)
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-cache"
            assert ask(server, path, "HEAD")[2] == b""
        assert ask(server, "/warpwait.wasm")[2] == (folder / "there/warpwait.wasm").read_bytes()


def a_rebound_host_name_is_refused(folder):
    with serving(lay_out(folder)) as server:
        for host in ("127.0.0.1", "localhost", "LocalHost:80", "[::1]", f"[::1]:{server.server_port}", "127.0.0.1:9"):
            assert ask(server, "/", host=host)[0] == 200, host
        for host in ("evil.example", "evil.example:8040", "localhost.evil.example", "127.0.0.1.evil.example", "", ":80",
                     "127.0.0.1@evil.example", "localhost:80:80", "localhost:x", "[::1", "192.168.1.1",
                     "localhost\r\n evil.example"):
            status, _, body = ask(server, "/", host=host)
            assert status == 421 and b"index" not in body, (host, status)
        for text in (b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
                     b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            assert b" 400 " in send(server, text).split(b"\r\n")[0], text


def a_symbolic_link_does_not_lead_out_of_the_folder(folder):
    there = lay_out(folder)
    (there / "link").symlink_to(folder / "secret")
    (there / "up").symlink_to(folder)
    (there / "inside").symlink_to("index.html")
    linked = folder / "linked"
    linked.symlink_to(there)
    with serving(there) as server:
        for path in ("/link", "/up/secret", "/inside", "/../secret", "/%2e%2e/secret", "/inner/../../secret",
                     "/inner/..%2f..%2fsecret", "//secret", f"/{folder}/secret", "/./index.html"):
            status, _, body = ask(server, path)
            assert status == 404 and b"secret" not in body.replace(path.encode(), b""), (path, status, body)
    with serving(linked) as server:  # the folder itself may be a link
        assert ask(server, "/")[0] == 200


def a_folder_has_no_listing(folder):
    with serving(lay_out(folder)) as server:
        for path in ("/inner", "/inner/", "/inner//one.js", "/index.html/"):
            status, _, body = ask(server, path)
            assert status == 404 and b"one.js" not in body.replace(path.encode(), b""), (path, status, body)


def only_regular_files_are_served(folder):
    there = lay_out(folder)
    os.mkfifo(there / "fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(there / "socket"))
        with serving(there) as server:
            for path in ("/fifo", "/socket", "/nothing", "/inner/nothing/one.js", "/" + "x" * 5000):
                assert ask(server, path)[0] == 404, path


def any_bytes_in_a_path_get_an_answer_without_a_traceback(folder):
    there = lay_out(folder)
    with tempfile.TemporaryFile("w+") as said, contextlib.redirect_stderr(said):
        with serving(there) as server:
            for path in ("/%00", "/a%00b/c", "/%", "/%ff%fe", "/\xff", "/%ed%a0%80", "/%0d%0aX:%20y"):
                assert ask(server, path)[0] == 404, path
            for text in (b"\r\n", b"\0\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/x\r\n\r\n", b"GET /\r\n\r\n",
                         b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n",
                         b"GET /" + b"x" * 70000 + b" HTTP/1.1\r\n\r\n"):
                assert b"index" not in send(server, text), text[:40]
            assert ask(server, "/")[0] == 200
        said.seek(0)
        assert said.read() == ""


def only_get_and_head_are_answered(folder):
    with serving(lay_out(folder)) as server:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get"):
            assert ask(server, "/", method)[0] == 501, method


def a_client_that_never_ends_its_request_is_cut_off(folder):
    with serving(lay_out(folder), seconds=0.2) as server:
        for text in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: local"):
            assert b"index" not in send(server, text), text


def a_client_that_never_reads_is_cut_off(folder):
    there = lay_out(folder)
    (there / "large").write_bytes(bytes(64 << 20))
    with serving(there, seconds=0.2) as server, connect(server) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.recv(1, socket.MSG_PEEK)
        wait(lambda: not server.deadlines)
        assert len(take(connection)) < 64 << 20


def many_slow_clients_use_few_threads(folder):
    with serving(lay_out(folder), connections=8) as server, contextlib.ExitStack() as clients:
        before = threading.active_count()
        slow = [clients.enter_context(connect(server)) for _ in range(8)]
        for _ in range(100):
            assert send(server, b"").startswith(b"HTTP/1.0 503 ")
        assert threading.active_count() <= before + 8
        for client in slow:  # a slot is free again when a client leaves
            client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"index" in take(client)
        wait(lambda: not server.deadlines)
        assert ask(server, "/")[0] == 200


def bad_arguments_are_reported_in_one_line(folder):
    for words in ([], [str(folder)], [str(folder), "x"], [str(folder), "65536"], [str(folder), "-1"], ["", "1", "2"]):
        got = subprocess.run([sys.executable, ROOT / "tools/playground/serve.py", *words], capture_output=True, text=True,
                             check=False)
        assert (got.returncode, got.stdout, got.stderr.count("\n")) == (2, "", 1), (words, got)


TESTS = [a_file_is_sent_with_its_type_and_length, a_rebound_host_name_is_refused,
         a_symbolic_link_does_not_lead_out_of_the_folder, a_folder_has_no_listing, only_regular_files_are_served,
         any_bytes_in_a_path_get_an_answer_without_a_traceback, only_get_and_head_are_answered,
         a_client_that_never_ends_its_request_is_cut_off, a_client_that_never_reads_is_cut_off,
         many_slow_clients_use_few_threads, bad_arguments_are_reported_in_one_line]


if __name__ == "__main__":
    sys.exit(functions.run(TESTS))
