"""A lesson is moved by renaming its notebook: all numbers follow, and nothing else changes."""

import json
import subprocess

import renumber_lessons

NUMBERS = {"by_hand": "08", "rotary": "09", "learned": "10"}  # rotary was the tenth, and learned the ninth
MOVED = {"10": "09", "09": "10"}


def test_numbers_follow_the_names_and_other_numbers_stay():
    before = """As lesson 09 shows, in lessons 08, 09 and 10, with 10,000 tokens and 10 % of all, see
[09](09_learned.ipynb#A-9), `10_rotary.mine.ipynb` and course.py claims 08 09.

### 09 Learned

one

### 10 Rotary

two
"""
    after = """As lesson 10 shows, in lessons 08, 10 and 09, with 10,000 tokens and 10 % of all, see
[10](10_learned.ipynb#A-9), `09_rotary.mine.ipynb` and course.py claims 08 10.

### 09 Rotary

two

### 10 Learned

one
"""
    assert renumber_lessons.renumbered(before, NUMBERS, MOVED) == after
    assert renumber_lessons.renumbered(after, NUMBERS, {}) == after, "a second call changes nothing"


def notebook(title, following):
    cells = [
        {"cell_type": "markdown", "id": "title", "source": [f"# {title}\n", "You need lesson 01."]},
        {"cell_type": "code", "outputs": [{"data": {"text/plain": "lesson 01"}}], "source": []},
        {
            "cell_type": "markdown",
            "id": "next",
            "source": [following and f"**The question for [lesson {following[:2]}]({following}.ipynb):** ?"],
        },
    ]
    return json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=False) + "\n"


def test_a_lesson_is_put_in_by_renaming_those_after_it(tmp_path, capsys):
    files = {
        "notebooks/00_a.ipynb": notebook("00 · A", "01_b"),
        "notebooks/01_new.ipynb": notebook("01 · New", "02_b"),
        "notebooks/02_b.ipynb": notebook("01 · B", ""),
        "notebooks/02_b.mine.ipynb": notebook("01 · B", ""),
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
