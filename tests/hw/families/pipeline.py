"""Not built yet."""
from case import Unmodelled


def model(row):
    raise Unmodelled("not built yet")
