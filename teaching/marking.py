"""The verdict, which is made outside the sandbox: nothing in a learner's process decides a mark.

A learner's kernel has a copy of the course without right answers. A check that runs there only tells what
the answer did with the check's arguments, and with others that are drawn for each hand-in. This module
makes that copy, draws the numbers, and judges what comes back.
"""

import ast
import atexit
import compileall
import functools
import json
import random
import re
import shutil
import tempfile
import unicodedata
from dataclasses import replace
from pathlib import Path

import nbformat

from pe_lessons.exercises import fresh
from pe_lessons.exercises.exercise import Exercise, Numbers
from pe_lessons.exercises.run_answer import Look
from pe_lessons.lessons import REGISTRY

COURSE = Path(__file__).resolve().parents[1] / "pe_lessons"
CALLED = 300  # so many names of so many characters are stored of what an answer called
LONGEST = 5_000_000  # characters of a look; a right answer's has less than a million
DIMENSIONS = 64  # of a value: the product of a million sizes takes minutes
VERDICT = "course_verdict"  # in the metadata of a check: its status, the cause, and what was called
# What the checks say of answers whose mistake has no name, and the cause that stands for it.
UNNAMED = {
    "You return what": "returns a result of the course",
    "does not end. What should stop": "does not end",
    "Your code never writes": "some entries are never written",
    "Work on a copy": "changes an argument",
    "forgot the parentheses": "gives a function back",
    "returns None.": "returns None",
    "raises NotImplementedError": "a part is not written",
    "raise an error, but": "no error where there should be one",
    "should return the shape": "another shape",
}
REFUSED = re.compile(  # the reasons of a check: no others are shown as the check's own words
    r"The check takes one thing, a function, or a list in square brackets, but got \d+\."
    r"|The check wants your \w+ itself, but got (None|something else \(\w{1,40}\))\. Write its name without "
    r"parentheses: `\w+\.check\(your_\w{5,8}\)`\."
    r'|Answer with (letters in quotation marks, as in "a"|a list of \d+ letters, one for each question)\.'
    r"|The cell with your answer stopped with an error, so this would be a reply to an older version\. "
    r"Once that cell runs without an error, run this one again\."
)
NOT_HERE = ast.parse("raise RuntimeError('the course gives no answers while it marks')").body


@functools.cache
def without_answers():
    """A folder with a copy of `pe_lessons` that holds no right answer; it is deleted when Python ends."""
    place = Path(tempfile.mkdtemp(prefix="course_"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    compiled = shutil.ignore_patterns("__pycache__")  # of any Python, from files with answers
    lessons = shutil.copytree(COURSE, place / "pe_lessons", ignore=compiled) / "lessons"
    for mistakes in lessons.rglob("mistakes*.toml"):
        mistakes.write_text("", encoding="utf-8")
    for words in [*lessons.glob("*/hints_and_quiz.md"), lessons / "placement.md"]:
        words.write_text(without_reasons(words.read_text(encoding="utf-8")), encoding="utf-8")
    for answers in lessons.glob("*/answers.py"):
        if "lesson.exercise(" in answers.with_name("__init__.py").read_text(encoding="utf-8"):
            answers.write_text(without_bodies(answers.read_text(encoding="utf-8")), encoding="utf-8")
    compileall.compile_dir(place, quiet=2)
    return place


def without_bodies(source):
    """A program whose functions have their names and arguments only."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.body = NOT_HERE
    return ast.unparse(tree)


def without_reasons(words):
    """Questions that do not tell which choices are right, nor why."""
    kept, reason = [], False
    for line in words.splitlines():
        choice = re.match(r"- \[[x ]\] ", line)
        reason = not choice and reason and not re.match(r"#|\d\. ", line)
        if not reason:
            kept.append(re.sub(r"^- \[x\]", "- [ ]", line))
        reason = reason or bool(choice)
    return "\n".join(kept) + "\n"


@functools.cache
def seeds(name):
    """The seeds of an exercise's fresh trials; each run of a notebook draws anew."""
    exercise = REGISTRY.get(name)
    if not isinstance(exercise, Exercise) or isinstance(exercise, Numbers):
        return []
    return fresh.seeds_for(exercise, random.SystemRandom())


@functools.cache
def renewed(name):
    return REGISTRY[name].renewed(seeds(name))


def read(look):
    """The `Look` of a text that a stranger wrote; what is none raises some error, and soon."""
    if any(len(one.get("shape", ())) > DIMENSIONS for one in json.loads(look).get("seen", ())):
        raise ValueError(f"a value of more than {DIMENSIONS} dimensions")
    look = Look.from_text(look)
    told = re.sub(r"(older version\. ).*(?=Once that cell)", r"\1", look.text or "")  # an error has any words
    look = replace(look, text=told) if look.kind == "refused" else look
    if look.kind == "refused" and not REFUSED.fullmatch(look.text):
        raise ValueError("no check refuses an answer in these words")
    return look


def judged(name, look):
    """The `Result` of an exercise for what its check told, a text; None if the check told nothing of use."""
    try:
        return renewed(name).judge(read(look))
    except Exception:  # whatever a stranger may have sent
        return None


def exercise_of(cell):
    return cell.metadata.nbgrader["grade_id"].removesuffix("-check")


def write_verdict(cell, look):
    """Leave of a check's outputs what nbgrader should count: "Correct", or an error.

    `look` is what the check told, or None. An error of the cell itself stays, and what is printed above it,
    such as why a name is missing. But nbgrader would take a value for partial credit, and a reader a printed
    "Correct" for the check's reply.
    """
    name = exercise_of(cell)
    cell.metadata[VERDICT] = {"status": None, "cause": "NoVerdict"}
    if failed := [one for one in cell.outputs if one.output_type == "error"]:
        cell.metadata[VERDICT]["cause"] = "NameError" if failed[0].ename == "NameError" else None
        failed[0].traceback.insert(0, "The check gave no reply, because its cell failed:")
        printed = [one for one in cell.outputs if one.output_type == "stream"]
        for one in printed:  # colours and unseen signs could hide the name of the check
            seen = re.sub(r"\x1b\[.*?[@-~]", "", one.text)
            kept = (one for one in seen if one == "\n" or unicodedata.category(one)[0] not in "CM")
            one.text = "".join(kept)
        cell.outputs = [one for one in printed if f"{name}:" not in one.text] + failed
        return
    result = judged(name, look) if look else None
    if result is None:
        lost = f"The check of {name} was not heard: something in the notebook has replaced it."
        cell.outputs = [error("NoVerdict", lost)]
        return
    called = {storable(name)[:CALLED] for one in read(look).seen for name in one.called}  # in some trial
    cause = result.cause if result.cause or result.status == "correct" else unnamed(name, look)
    cell.metadata[VERDICT] = {"status": result.status, "cause": cause, "called": sorted(called)[:CALLED]}
    if result.status == "correct":
        cell.outputs = [nbformat.v4.new_output("stream", name="stdout", text=storable(f"{result}\n"))]
    else:
        cell.outputs = [error("CheckFailed", storable(repr(result)))]
        cell.outputs[0].traceback = cell.outputs[0].evalue.splitlines()


def unnamed(name, look):
    """The cause in `UNNAMED` of which the check speaks where it hears no words of the learner's, or None."""
    look = read(look)
    seen = [replace(one, text="" if one.kind == "raised" else one.text, printed="") for one in look.seen]
    look = replace(look, name="<>", text="", course=look.course and "it", seen=tuple(seen))
    said = renewed(name).judge(look).message
    return next((cause for sign, cause in UNNAMED.items() if sign in said), None)


def storable(text):
    """The text without half of an emoji, which cannot be written to a file."""
    return text.encode("utf-8", "replace").decode()


def error(name, text):
    return nbformat.v4.new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])
