"""Run the course on other computers: one that is imitated, and two older ones that this one can be.

    python course.py test-elsewhere [SEEDS] [words for pytest]

A seed says which computer is imitated; without one it is drawn. Words for pytest narrow the run down, as in

    python course.py test-elsewhere 7 8 tests/test_versions_agree.py notebooks/04_vectorized_numpy.ipynb
"""

import itertools
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__ as NUMPY_FEATURES

ROOT = Path(__file__).resolve().parents[1]

# Nothing in these tests hangs on the last bits of a number.
LEFT_OUT = {
    "tests/test_checks_in_a_kernel.py": "which cells have failed",
    "tests/test_claims_runner.py": "the form of claims",
    "tests/test_course.py": "the set-up",
    "tests/test_exercise_engine.py": "checks of toy exercises with whole numbers",
    "tests/test_front_page_sentences.py": "the first page",
    "tests/test_hostile_answers.py": "loops that are stopped, after a time that this takes away",
    "tests/test_imports.py": "what an import loads",
    "tests/test_imitate_last_bits.py": "the imitation itself",
    "tests/test_notebook_guards.py": "the form of notebooks",
    "tests/test_progress.py": "what stands in saved notebooks",
    "tests/test_prose.py": "the text of lessons",
    "tests/test_requirements.py": "versions",
    "tests/test_reset_and_update.py": "files of learners",
    "tests/test_speed.py": "the form of tables of times",
    "tests/test_teaching.py": "the teacher's files",
    "tests/test_wheel.py": "what an installation holds",
    "tests/test_workflows_and_binder.py": "the files of services",
}

PROCESSORS = {
    "without AVX": {
        "ATEN_CPU_CAPABILITY": "default",
        "MKL_CBWR": "COMPATIBLE",
        "OPENBLAS_CORETYPE": "Nehalem",
        "NPY_DISABLE_CPU_FEATURES": " ".join(NUMPY_FEATURES),
    },
    "with a BLAS of 2008 alone": {"OPENBLAS_CORETYPE": "Nehalem"},
    "with AVX2 in MKL alone": {"MKL_CBWR": "AVX2"},
    "with AVX2, without AVX512": {
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_CBWR": "AVX2",
        "OPENBLAS_CORETYPE": "Haswell",
        "NPY_DISABLE_CPU_FEATURES": " ".join(
            name for name in NUMPY_FEATURES if "512" in name or "V4" in name
        ),
    },
}


def imitated(seed, folder):
    """The environment of an imitated computer; what is compiled for it is kept apart."""
    # The exercises count the lines of a learner's program: all but those of installed packages.
    packages = folder / "site-packages"
    packages.mkdir(exist_ok=True)
    shutil.copy(ROOT / "tools/imitate_last_bits.py", packages / "sitecustomize.py")
    path = [str(packages), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "LAST_BITS": str(seed),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        "PYTHONDONTWRITEBYTECODE": "",
    }


def pytest_command(seed, words):
    left_out = [f"--ignore={path}" for path in LEFT_OUT]
    options = f"-q -n 2 --dist loadfile -p no:cacheprovider --hypothesis-seed={seed} --nbval-cell-timeout=900"
    return [sys.executable, "-m", "pytest", *options.split(), *left_out, *words]


def main(words):
    given = list(itertools.takewhile(str.isdecimal, words))
    seeds, words = given or [str(random.randrange(1_000_000))], words[len(given) :]
    again = f"To run it again: python course.py test-elsewhere {' '.join([*seeds, *words])}"
    print(again, flush=True)
    verdicts = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        computers = {f"imitated, seed {seed}": imitated(seed, folder) for seed in seeds}
        if platform.machine().lower() in ("x86_64", "amd64"):
            computers |= PROCESSORS
        for number, (name, settings) in enumerate(computers.items()):
            print(f"\n{name}: {settings}", flush=True)
            kept_apart = {  # failing examples, and machine code, which is of one processor only
                "HYPOTHESIS_STORAGE_DIRECTORY": str(folder / "hypothesis"),
                "TORCHINDUCTOR_CACHE_DIR": str(folder / f"machine_code_{number}"),
            }
            environment = os.environ | settings | kept_apart
            start = time.monotonic()
            command = pytest_command(settings.get("LAST_BITS", seeds[0]), words)
            code = subprocess.run(command, cwd=ROOT, env=environment).returncode
            verdicts.append((name, code == 0, time.monotonic() - start))
    print()
    for name, passed, seconds in verdicts:
        print(f"{'passed' if passed else 'FAILED'}  {name} ({seconds:.0f} s)")
    print(again)
    return int(not all(passed for _, passed, _ in verdicts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
