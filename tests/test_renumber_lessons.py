"""A lesson is moved by renaming its notebook: all numbers follow, and nothing else changes."""

import json
import subprocess

import pytest
import renumber_lessons

NUMBERS = {"by_hand": "08", "rotary": "09", "learned": "10"}  # rotary was the tenth, and learned the ninth
MOVED = {"10": "09", "09": "10"}

REWRITTEN = [
    ("As lesson 09 shows, and Lesson 10.", "As lesson 10 shows, and Lesson 09."),
    ("lessons 08, 09 and 10; lessons 08-10", "lessons 08, 10 and 09; lessons 08-09"),
    (
        "([08](08_by_hand.ipynb#Move), [09](09_learned.ipynb#A-9)",
        "([08](08_by_hand.ipynb#Move), [10](10_learned.ipynb#A-9)",
    ),
    ("`09_learned.mine.ipynb`, course.py claims 08 09", "`10_learned.mine.ipynb`, course.py claims 08 10"),
    (
        "- **Goal:** 10 ways. **Needs:** 08, and heads from 09.",
        "- **Goal:** 10 ways. **Needs:** 08, and heads from 10.",
    ),
    (
        "| [09 L](09_learned.ipynb) |\n| [10 R](10_rotary.ipynb) |\n",
        "| [09 R](09_rotary.ipynb) |\n| [10 L](10_learned.ipynb) |\n",
    ),
    (
        "### 09 Learned\n\none\n\n### 10 Rotary\n\ntwo\n\n## Then\n",
        "### 09 Rotary\n\ntwo\n\n### 10 Learned\n\none\n\n## Then\n",
    ),
]

STAYS = [
    "lesson 08", "Python 3.11, 10 000 and 10,000", "2009-10-11", "in lessons 08 and 10 % of all",
    "in lesson 09:30", "lesson 10,384", "in lessons 07, 10 000 tokens", "in lesson 10.5", "11 lessons",
    "in lesson 10%", "10_000", "d_model_10", "[10](https://example.org/10_other)", "lesson 08, 10 tokens",
    "# 10 ways", '"10 copies"', "| 10 | lesson 08 |", "the lessons' 10 heads", "it claims 10", "lesson_080",
]  # fmt: skip


@pytest.mark.parametrize("before, after", REWRITTEN)
def test_numbers_follow_the_names(before, after):
    assert renumber_lessons.renumbered(before, NUMBERS, MOVED) == after
    again = renumber_lessons.renumbered(after, NUMBERS, {})
    assert again == after, "a second call changes nothing"


@pytest.mark.parametrize("text", STAYS)
def test_other_numbers_stay(text):
    assert renumber_lessons.renumbered(text, NUMBERS, MOVED) == text


def notebook(title, following):
    cells = [
        {"cell_type": "markdown", "id": "title", "source": [f"# {title}\n", "You need lesson 01."]},
        {"cell_type": "code", "outputs": [{"data": {"text/plain": "lesson 01"}}], "source": []},
        {"cell_type": "markdown", "id": "next", "source": [f"**The question for lesson {following}:** ?"]},
    ]
    return json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=False) + "\n"


def test_a_lesson_is_put_in_by_renaming_those_after_it(tmp_path, capsys):
    files = {
        "notebooks/00_a.ipynb": notebook("00 · A", "01"),
        "notebooks/01_new.ipynb": notebook("01 · New", "02"),
        "notebooks/02_b.ipynb": notebook("01 · B", "02"),
        "notebooks/02_b.mine.ipynb": notebook("01 · B", "02"),
        "README.md": "| [01 B](notebooks/01_b.ipynb) |\n",
    }
    (tmp_path / "notebooks").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    for words in (["init", "-q"], ["add", "README.md", "notebooks/0?_?.ipynb"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    renumber_lessons.main(tmp_path)
    assert capsys.readouterr().out == "00_a.ipynb: is its last question the one for lesson 01?\n"
    assert (tmp_path / "README.md").read_text() == "| [02 B](notebooks/02_b.ipynb) |\n"
    title, code, _ = json.loads((tmp_path / "notebooks/02_b.ipynb").read_text(encoding="utf-8"))["cells"]
    assert title["source"] == ["# 02 · B\n", "You need lesson 02."]
    assert code["outputs"] == [{"data": {"text/plain": "lesson 01"}}]
    mine = "notebooks/02_b.mine.ipynb"
    assert (tmp_path / mine).read_text(encoding="utf-8") == files[mine]
