"""The engine that asks, checks and replies. It knows nothing of positions; `pe_lessons.lessons` does."""

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
