"""Reports a missing Python package of Debian."""
import sys


def stop(missing, *packages):
    """Prints in one line which packages to install for the ImportError `missing`, and ends."""
    print(f"{missing.name} is missing: apt-get install {' '.join(packages)}, and run this with /usr/bin/python3", file=sys.stderr)
    sys.exit(2)
