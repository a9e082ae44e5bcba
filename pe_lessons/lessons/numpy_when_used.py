"""NumPy, imported when it is first used: the first lessons also run where there is none, as on the site."""

import importlib
import importlib.util

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


class Later:
    """Stands for a module until one of its names is asked for."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        return getattr(importlib.import_module(self._name), name)


numpy = Later("numpy")
