"""One command; what it is given says what it does."""

import importlib
import importlib.util
import os
import re
import sys

import wherepos


def main(words=None):
    words = sys.argv[1:] if words is None else words
    given = [word for word in words if not word.startswith("-")]
    if not given:
        print(wherepos.__doc__.strip(), file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    if any(re.match(r"https?://|[\w.-]+:\d+(/|$)", word) for word in given):
        tool = "servers"
    elif any(word.endswith(".py") for word in given):
        tool = "doctor.__main__"
        if not importlib.util.find_spec("torch"):
            print("wherepos needs PyTorch to examine a model: pip install torch", file=sys.stderr)
            return 2
    else:
        tool = "models"
    try:
        return importlib.import_module(f"wherepos.{tool}").main(words)
    except BrokenPipeError:  # `| head` has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
