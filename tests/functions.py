"""Runs functions as tests: each gets its own folder and fails by an exception."""
import pathlib
import sys
import tempfile


def run(tests, *given):
    """Exit status of the tests whose names contain the first word of the command line; each is called with `given`,
    then its folder."""
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen, failed = [test for test in tests if word in test.__name__], 0
    for test in chosen:
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(*given, pathlib.Path(folder))
            except Exception as error:  # pylint: disable=broad-except
                failed += 1
                print(f"{test.__name__}: {type(error).__name__}: {str(error)[:2000]}")
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0
