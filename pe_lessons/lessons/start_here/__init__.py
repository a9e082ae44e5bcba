"""Exercises of lesson 00: how exercises work."""

from pe_lessons.exercises.lesson_files import Lesson

lesson = Lesson(__name__)

count_positions = lesson.exercise(
    "count_positions",
    mine="my_positions",
    probes=(("the cat chased the mouse",), ("to be or not to be",), ("two  spaces",)),
    edge_probes=(("",), ("three   blanks",), (" It's 3 o'clock ",)),
)

cell_question = lesson.question("cell_question")
quiz_start_here = lesson.quiz("quiz_start_here")
