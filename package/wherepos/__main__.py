"""One command; what it is given says what it does."""

import importlib
import importlib.util
import sys

import wherepos


def main(words=None):
    words = sys.argv[1:] if words is None else words
    given = [word for word in words if not word.startswith("-")]
    if not given:
        print(wherepos.__doc__.strip(), file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    if given[0].startswith(("http://", "https://")):
        tool = "servers"
    elif given[0].endswith(".py"):
        tool = "doctor.__main__"
        if not importlib.util.find_spec("torch"):
            print("wherepos needs PyTorch to examine a model: pip install torch", file=sys.stderr)
            return 2
    else:
        tool = "models"
    return importlib.import_module(f"wherepos.{tool}").main(words)


if __name__ == "__main__":
    sys.exit(main())
