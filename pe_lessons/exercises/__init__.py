"""The exercises and the quizzes of the course, a folder for each lesson; `lesson_files` reads them.

`REGISTRY` maps every name to its exercise, question or quiz.

Importing the package or one lesson loads that lesson only.
"""

import functools
import importlib
import pkgutil
from types import MappingProxyType


def collect(modules):
    """Map the name of every exercise, question and quiz in these modules to it."""
    from pe_lessons.exercises.exercise import Exercise
    from pe_lessons.exercises.question import Question, Quiz

    registry = {}
    for module in modules:
        for exercise in vars(module).values():
            if not isinstance(exercise, Exercise | Question | Quiz):
                continue
            if registry.setdefault(exercise.name, exercise) is not exercise:
                raise ValueError(f"two exercises are called {exercise.name!r}, one is in {module.__name__}")
    return MappingProxyType(registry)


@functools.cache
def _all_lessons():
    names = sorted(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg)
    return collect(importlib.import_module(f"{__name__}.{name}") for name in names)


def __getattr__(name):
    if name == "REGISTRY":
        return _all_lessons()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
