#!/usr/bin/env python3
"""What `make demo` and `make test` show while they install packages: packaging/packages, with programs that pretend to be
dpkg-query, apt-get and id."""
import os
import pathlib
import pty
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = {
    "dpkg-query": '[ "$3" = here ] && echo "install ok installed"',
    "id": "echo 0",
    "apt-get": """echo "$*" >>"$CALLS"
[ "$1" = install ] || exit 0
echo "0 upgraded, 3 newly installed, 0 to remove and 7 not upgraded."
echo "Get:1 http://deb.debian.org/debian bookworm/main amd64 libtwo amd64 1.2-3 [34.5 kB]"
echo "Get:2 http://deb.debian.org/debian bookworm/main amd64 two amd64 1.2-3 [3 kB]"
echo "Selecting previously unselected package two."
echo "Setting up libtwo:amd64 (1.2-3) ..."
echo "Setting up two (1.2-3) ..."
exit ${FAILS:-0}""",
}
ALL = "# For the build\nhere\n\ntwo\nthree\n"


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, script in PROGRAMS.items():
            path = self.folder / name
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        self.environment = {"PATH": f"{self.folder}:/usr/bin:/bin", "CALLS": str(self.folder / "calls")}

    def calls(self):
        path = self.folder / "calls"
        return path.read_text().splitlines() if path.exists() else []

    def install(self, packages=ALL, terminal=False, **more):
        """Exit status and output."""
        main, other = pty.openpty() if terminal else os.pipe()
        try:
            done = subprocess.run([ROOT / "packaging/packages"], input=packages, text=True, stdout=other, check=False,
                                  env={**self.environment, **more})
            os.close(other)
            said = b""
            while part := self.read(main):
                said += part
            return done.returncode, said.decode().replace("\r\n", "\n")
        finally:
            os.close(main)

    @staticmethod
    def read(descriptor):
        try:
            return os.read(descriptor, 1 << 16)
        except OSError:  # the terminal is closed
            return b""

    def test_a_terminal_shows_each_package(self):
        self.assertEqual(self.install(terminal=True), (0, "installing: two three\n  fetching 1 of 3: libtwo\n  fetching 2 of 3: two\n"
                                                          "  setting up 1 of 3: libtwo:amd64\n  setting up 2 of 3: two\n"))
        self.assertEqual(self.calls(), ["update -qq", "install -y -q --no-install-recommends two three"])

    def test_a_pipe_has_one_line(self):
        self.assertEqual(self.install(), (0, "installing: two three\n"))

    def test_nothing_is_shown_if_nothing_is_missing(self):
        for terminal in (False, True):
            self.assertEqual(self.install("here\n", terminal), (0, ""))
        self.assertEqual(self.calls(), [])

    def test_a_failure_of_apt_fails(self):
        for terminal in (False, True):
            self.assertEqual(self.install(terminal=terminal, FAILS="100")[0], 100)

    def test_every_target_uses_it(self):
        makefile = (ROOT / "Makefile").read_text()
        self.assertIn("\n\t@$(PART) | packaging/packages\n", makefile)
        self.assertEqual(makefile.count("apt-get install -y"), 0)


if __name__ == "__main__":
    unittest.main()
