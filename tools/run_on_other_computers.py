"""Run the tests as older processors would: python course.py test-elsewhere [words for pytest]

NumPy, OpenBLAS, MKL and PyTorch choose their code by what the processor can do. Each has a variable that
makes it choose other code, whose results differ in their last bits. Nothing may hang on those.
"""

import os
import subprocess
import sys
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_dispatch__ as NUMPY_FEATURES

ROOT = Path(__file__).resolve().parents[1]
WITHOUT_AVX512 = [name for name in NUMPY_FEATURES if "512" in name or "V4" in name]
PROCESSORS = {
    "without AVX": ("default", "COMPATIBLE", "Nehalem", NUMPY_FEATURES),
    "with AVX2, without AVX512": ("avx2", "AVX2", "Haswell", WITHOUT_AVX512),
}


def settings(pytorch, mkl, openblas, numpy):
    return {
        "ATEN_CPU_CAPABILITY": pytorch,
        "MKL_CBWR": mkl,
        "OPENBLAS_CORETYPE": openblas,
        "NPY_DISABLE_CPU_FEATURES": " ".join(numpy),
    }


def main(words):
    failed = []
    for name, choices in PROCESSORS.items():
        print(f"\n{name}: {settings(*choices)}", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", *words]
        if subprocess.run(command, cwd=ROOT, env=os.environ | settings(*choices)).returncode:
            failed.append(name)
    print(f"\nFailed: {', '.join(failed) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
