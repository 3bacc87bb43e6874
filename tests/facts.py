"""What a page that shows output must have in common with the output of today: not the words."""
import re


def facts(text):
    """Names, keys, places and numbers: words in backticks, and words with a digit, or a dot, dash or underscore within."""
    return re.findall(r"`[^`]*`|[\w./+%:,-]*(?:\d|\w[._-]\w)[\w./+%:,-]*", text)
