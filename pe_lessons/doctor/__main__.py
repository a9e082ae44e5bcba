"""The doctor on the command line; `--help` says how it is asked."""

import argparse
import dataclasses
import importlib.util
import json
import sys
from pathlib import Path

from pe_lessons import doctor
from pe_lessons.models.words import show


def main(words=None):
    parser = argparse.ArgumentParser(
        prog="python -m pe_lessons.doctor", description=doctor.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("module", help="a Python file with `logits` or `model`")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--strict", action="store_true", help="a check that is not tried has failed")
    options = parser.parse_args(words)
    before = list(sys.path)
    try:
        module = vars(_loaded(Path(options.module)))
        model = module.get("logits") or module.get("model")
        if model is None:
            raise ValueError(f"{options.module} must define a function `logits` or a `model`")
        known = ("vocab_size", "reference", "relative", "tolerance", "window", "require")
        told = {name: module[name] for name in known if name in module}
        findings = doctor.examine(model, **told | ({"require": "all"} if options.strict else {}))
    except (TypeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    finally:
        sys.path[:] = before
        sys.modules.pop(NAME, None)
    if options.json:
        told = {"tried": findings.tried, "findings": [dataclasses.asdict(finding) for finding in findings]}
        show(json.dumps(told, indent=1, allow_nan=False))
    else:
        show(findings)
    statuses = {finding.status for finding in findings}
    if "wrong" in statuses:
        return 1
    return 3 if "failed" in statuses else 0 if findings[0].status == "right" else 2


NAME = "__examined__"


def _loaded(path):
    """The module, which stays known and finds its neighbours for as long as it is asked."""
    if path.suffix != ".py":
        raise ValueError(f"module must be a Python file, a path that ends in .py, got {str(path)!r}")
    if not path.is_file():
        raise ValueError(f"module must be a Python file, and there is no file {str(path)!r}")
    spec = importlib.util.spec_from_file_location(NAME, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module  # a dataclass looks there for the names in its annotations
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ValueError(f"{path} ends in {type(error).__name__}: {error}") from error
    return module


if __name__ == "__main__":
    sys.exit(main())
