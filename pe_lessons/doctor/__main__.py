"""The doctor on the command line; `--help` says how it is asked."""

import argparse
import dataclasses
import importlib.util
import json
import sys
from pathlib import Path

from pe_lessons import doctor


def main(words=None):
    parser = argparse.ArgumentParser(
        prog="python -m pe_lessons.doctor", description=doctor.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("module", help="a Python file with `logits` or `model`")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    options = parser.parse_args(words)
    try:
        module = vars(_loaded(Path(options.module)))
        model = module.get("logits") or module.get("model")
        if model is None:
            raise ValueError(f"{options.module} must define a function `logits` or a `model`")
        known = ("vocab_size", "reference", "relative")
        findings = doctor.examine(model, **{name: module[name] for name in known if name in module})
    except (TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=1))
    else:
        tried = {finding.check for finding in findings if finding.status != "not tried"}
        asked = {finding.check for finding in findings}
        print(*findings, f"{len(tried)} of {len(asked)} checks tried", sep="\n")
    if any(finding.status == "wrong" for finding in findings):
        return 1
    return 0 if findings[0].status == "right" else 2


def _loaded(path):
    if path.suffix != ".py":
        raise ValueError(f"module must be a Python file, a path that ends in .py, got {str(path)!r}")
    if not path.is_file():
        raise ValueError(f"module must be a Python file, and there is no file {str(path)!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))  # as when Python runs the file itself
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{path} ends in {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return module


if __name__ == "__main__":
    sys.exit(main())
