"""A folder for each lesson, with all that it owns: exercises, right answers, mistakes, words and data.

A folder has the name of its notebook without the number: `rotary` belongs to `09_rotary.ipynb`. `REGISTRY`
maps every name to its exercise, question or quiz. Importing the package or one lesson loads that lesson only.
"""

import functools
import importlib
import pkgutil

from pe_lessons.exercises import collect


@functools.cache
def packages():
    """The folders of all lessons, imported."""
    names = sorted(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg)
    return [importlib.import_module(f"{__name__}.{name}") for name in names]


@functools.cache
def _all_lessons():
    return collect(packages())


def exercises():
    """Every exercise that is a function, with the lesson of its package: {exercise: its `Lesson`}."""
    from pe_lessons.exercises.exercise import Exercise

    return {
        one: package.lesson
        for package in packages()
        for one in vars(package).values()
        if isinstance(one, Exercise)
    }


def __getattr__(name):
    if name == "REGISTRY":
        return _all_lessons()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
