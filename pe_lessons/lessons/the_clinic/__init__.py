"""Exercises of lesson 24, the clinic; its riddles are in cases.toml, and `clinic` asks them."""

from pathlib import Path

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)
CASES = Path(__file__).with_name("cases.toml")

quiz_the_clinic = lesson.quiz("quiz_the_clinic")
