"""tools/renumber.py finds every form of a lesson's number, and nothing else; the course goes up and back."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import renumber

ROOT = Path(__file__).parents[1]

NAMES = ["by_hand", "learned", "name", "rotary"]
UP = {number: number + 1 for number in range(9, 13)}

# (file, text, the same with lesson 09 and all after it moved up by one)
MOVED = [
    ("a.md", "As lesson 09 shows, and Lesson 11.", "As lesson 10 shows, and Lesson 12."),
    ("a.md", "lessons 08, 09 and 11", "lessons 08, 10 and 12"),
    ("a.md", "lessons 03, 10, and 11.", "lessons 03, 11, and 12."),
    ("a.md", "Lessons 09 to 11; lessons 10-12", "Lessons 10 to 12; lessons 11-13"),
    ("a.md", "lessons\n09 or 10", "lessons\n10 or 11"),
    ("a.py", "# what the lessons\n# 08, 09\n# and 11 need", "# what the lessons\n# 08, 10\n# and 12 need"),
    ("a.md", "(lessons [08](08_by_hand.ipynb#Move) and [09](09_learned.ipynb#A-9)).",
     "(lessons [08](08_by_hand.ipynb#Move) and [10](10_learned.ipynb#A-9))."),
    ("a.md", "here ([11](../notebooks/11_rotary.ipynb))", "here ([12](../notebooks/12_rotary.ipynb))"),
    ("a.md", "| [11 The angle](notebooks/11_rotary.ipynb) | 11 |",
     "| [12 The angle](notebooks/12_rotary.ipynb) | 11 |"),
    ("a.md", "`09_learned.mine.ipynb`, notebooks/12_name.ipynb",
     "`10_learned.mine.ipynb`, notebooks/13_name.ipynb"),
    ("a.md", "[x](08_by_hand.ipynb#The-question-for-lesson-09:)",
     "[x](08_by_hand.ipynb#The-question-for-lesson-10:)"),
    ("a.py", "from pe_lessons.exercises.lesson_09 import quiz_09",
     "from pe_lessons.exercises.lesson_10 import quiz_10"),
    ("a.py", 'lesson = of_lesson("11")', 'lesson = of_lesson("12")'),
    ("a.md", "python course.py claims 08 09 11 more", "python course.py claims 08 10 12 more"),
    ("a.md", "python course.py renumber move 12 09", "python course.py renumber move 13 10"),
    ("a.md", "python course.py reset 09 [10 ...]", "python course.py reset 10 [11 ...]"),
    ("a.ipynb", "# 09 · Learned", "# 10 · Learned"),
    ("docs/index.md", "notebooks/09_*\n", "notebooks/10_*\n"),
    ("teaching/GUIDE.md", "### 09 Learned\n- **Needs:** 08, 09, and 2 more.",
     "### 10 Learned\n- **Needs:** 08, 10, and 2 more."),
    ("teaching/LESSON_TIMES.md", "| 09 Learned | 60 |", "| 10 Learned | 60 |"),
    ("teaching/MISTAKES.md", "## 09 Learned", "## 10 Learned"),
    ("tests/test_exact_comparisons.py", '"09 learned-same": "10 are copies"',
     '"10 learned-same": "10 are copies"'),
]  # fmt: skip

# What is no lesson, or one whose number stays.
STAYS = [
    "lesson 08", "lessons 03 and 08", "Python 3.11, 10 000 and 10,000", "in lesson 3, 11 heads", "2009-10-11",
    "in lessons 03 and 11 % of all", "in lesson 11%",
    "in lesson 09:30", "lesson 11,384", "in lessons 07, 10 000 tokens", "in lesson 11.5", "at 9:00-10:30",
    "11 lessons",
    "12_000", "d_model_10", "[10](https://example.org/10_other)", "05_transformers", "lesson 08, 12 tokens",
    "# 10 ways", '"10 copies"', "| 10 | lesson 08 |", "the lessons' 12 heads", "it claims 10", "lesson_080",
]  # fmt: skip


@pytest.mark.parametrize("path, before, after", MOVED)
def test_every_form_of_a_number_is_rewritten(path, before, after):
    assert renumber.rewritten(before, path, NAMES, UP) == after


def test_the_names_of_lessons_are_those_of_the_notebooks():
    assert renumber.stems(["notebooks/02_by_hand.ipynb", "docs/03_x.ipynb"]) == ["by_hand", "name"]


@pytest.mark.parametrize("text", STAYS)
def test_other_numbers_stay(text):
    assert renumber.rewritten(text, "a.md", NAMES, UP) == text


def notebook(title, following, *outputs):
    cells = [
        {"cell_type": "markdown", "id": "title", "source": [f"# {title}\n", "About lesson 09."]},
        {"cell_type": "code", "metadata": {"tags": ["quiz_09"]}, "outputs": list(outputs), "source": []},
        {"cell_type": "markdown", "id": "next", "source": [f"**The question for lesson {following}:** ?"]},
    ]
    return (json.dumps({"cells": cells, "nbformat": 4}, indent=1, ensure_ascii=False) + "\n").encode()


@pytest.fixture
def tree():
    """A course of four lessons, {path: bytes}."""
    said = {"output_type": "stream", "text": ["see lesson 02\n", "lesson 10\n"]}
    drawn = {"output_type": "display_data", "data": {"image/png": "lesson 02", "text/plain": "lesson 02"}}
    return {
        "README.md": b"| [01 B](notebooks/01_b.ipynb) |\n| [02 C](notebooks/02_c.ipynb) |\n"
                     b"| [03 D](notebooks/03_d.ipynb) |\n",
        "docs/picture.png": b"\x89PNG lesson 02 \xff",
        "notebooks/00_a.ipynb": notebook("00 · A", "01"),
        "notebooks/01_b.ipynb": notebook("01 · B", "02"),
        "notebooks/02_c.ipynb": notebook("02 · C", "03", said, drawn),
        "notebooks/03_d.ipynb": notebook("03 · D", "04"),
        "pe_lessons/exercises/lesson_02/__init__.py": b"quiz_02 = lesson.quiz('quiz_02')\n",
        "pe_lessons/exercises/lesson_03/__init__.py": b"quiz_03 = lesson.quiz('quiz_03')\n",
        "teaching/GUIDE.md": b"# Guide\n\n### 01 B\n\none\n\n### 02 C\n\ntwo\n\n### 03 D\n\nthree\n\n"
                             b"## Then\n\nlessons 01-03\n",
        "tests/strangers/lesson_02.toml": b"",
    }  # fmt: skip


def moved(tree, first, last):
    return renumber.renumbered(tree, renumber.plan(first, last, renumber.lessons(tree)))


def test_all_that_has_a_number_is_renamed_and_rewritten(tree):
    after = moved(tree, 2, 3)
    assert sorted(after) == [
        "README.md", "docs/picture.png", "notebooks/00_a.ipynb", "notebooks/01_b.ipynb",
        "notebooks/02_d.ipynb", "notebooks/03_c.ipynb", "pe_lessons/exercises/lesson_02/__init__.py",
        "pe_lessons/exercises/lesson_03/__init__.py", "teaching/GUIDE.md", "tests/strangers/lesson_03.toml",
    ]  # fmt: skip
    assert after["docs/picture.png"] == tree["docs/picture.png"]
    said, drawn = json.loads(after["notebooks/03_c.ipynb"])["cells"][1]["outputs"]
    assert said["text"] == ["see lesson 03\n", "lesson 10\n"]  # there is no lesson 10
    assert drawn["data"] == {"image/png": "lesson 02", "text/plain": "lesson 03"}


def test_a_moved_lesson_takes_its_rows_and_sections_along(tree):
    after = moved(tree, 3, 1)
    assert after["README.md"].decode().splitlines() == [
        "| [01 D](notebooks/01_d.ipynb) |",
        "| [02 B](notebooks/02_b.ipynb) |",
        "| [03 C](notebooks/03_c.ipynb) |",
    ]  # fmt: skip
    guide = after["teaching/GUIDE.md"].decode()
    assert re.findall(r"(?m)^(?:#.*|one|two|three)$", guide) == [
        "# Guide", "### 01 D", "three", "### 02 B", "one", "### 03 C", "two", "## Then"
    ]  # fmt: skip
    assert list(renumber.left_to_do(after)) == [
        "notebooks/00_a.ipynb ends with the question for lesson 02.",
        "notebooks/01_d.ipynb ends with the question for lesson 04.",
        "notebooks/03_c.ipynb ends with the question for lesson 01.",
    ]


@pytest.mark.parametrize("there", [(3, 1), (1, 2)])
def test_there_and_back_changes_nothing(tree, there):
    after = moved(tree, *there)
    assert after != tree and moved(after, *reversed(there)) == tree


TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()


@pytest.fixture(scope="module")
def real():
    if not TRACKED:
        pytest.skip("this copy of the course has no git")
    return renumber.read(path for path in TRACKED if (ROOT / path).is_file())


def test_the_course_there_and_back_is_the_same_bytes(real):
    after = moved(real, 16, 9)
    again = moved(after, 9, 16)
    assert len(after) == len(real) and again.keys() == real.keys()
    assert [path for path in real if again[path] != real[path]] == []


def texts(path, data):
    """The texts in a file: a notebook's one by one."""
    found = []
    if path.endswith(".ipynb"):
        renumber.strings(json.loads(data), lambda text: found.append(text) or text)
        return found
    return [renumber.readable(data)]


# Numbers that look like lessons: a binary count, what learners may type, what is made up for a test, and what
# a cell prints from data in which they are found.
NO_LESSONS = [
    "| binary | 00 | 01 |", "| Gray | 00 | 01 |", "begins with 03,", "as in 00, 01, ...",
    'as in "03".', "[01] ->", "such as 03", "as in ~/class 03 04",
    '"lob", "03"', "[00](notebooks/00_a.ipynb)", "[01](notebooks/01_b.ipynb)", '"# 01 · A title"',
    '"01" in source.cited', 'startswith("00', "medium | 05 |", "medium  05 ",
]  # fmt: skip
LOOKS_LIKE_A_LESSON = re.compile(r"(?<![\w.,:/+\-#])0\d(?![\w:%]|[.,]\d)")


def overlooked(path, text, names):
    """Numbers with a zero in front that no form explains."""
    for known in NO_LESSONS:
        text = text.replace(known, "")
    found = set(renumber.mentions(text, path, names))
    for match in LOOKS_LIKE_A_LESSON.finditer(text):
        if match.start() not in found:
            yield text[max(0, match.start() - 30) : match.end() + 30]


def wrong_links(path, text, names):
    """Links whose words say another number than the file they lead to."""
    said = r"\[(?:(?i:lessons? ))?(\d\d)(?![\w%]|[.,]\d)[^\]\n]*\]\([\w./]*?(\d\d)_(?:STEMS)\.ipynb"
    for match in re.finditer(said.replace("STEMS", "|".join(names)), text):
        if match[1] != match[2]:
            yield match[0]


@pytest.mark.parametrize("complaints", [overlooked, wrong_links])
def test_the_course_writes_numbers_in_forms_that_are_found(real, complaints):
    names = renumber.stems(real)
    found = {
        f"{path}: {complaint}"
        for path, data in real.items()
        if path not in renumber.MADE_UP and path != "constraints.txt"
        for text in texts(path, data)
        for complaint in complaints(path, text, names)
    }
    assert not found, (
        "write these as `lesson 09`, `lessons 03 and 09`, or as another form of tools/renumber.py"
    )


@pytest.mark.parametrize("complaints, text", [
    (overlooked, "See 09 and 11."), (overlooked, "| 09 |"), (overlooked, "(07)"),
    (overlooked, "lessons of 03"),
    (wrong_links, "[lesson 08](09_learned.ipynb#A)"), (wrong_links, "[08](../notebooks/09_learned.ipynb)"),
    (wrong_links, "[08 By hand](notebooks/09_learned.ipynb)"),
])  # fmt: skip
def test_planted_numbers_are_complained_about(complaints, text):
    assert list(complaints("a.md", text, NAMES))


def test_every_lesson_is_in_one_part_of_the_site(real):
    listed = re.findall(r"(?m)^notebooks/(\d\d)_\*$", real["docs/index.md"].decode())
    assert [int(number) for number in listed] == renumber.lessons(real)


COMMIT = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm"]


@pytest.fixture
def repository(tree, tmp_path, monkeypatch):
    for path, data in tree.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    monkeypatch.setattr(renumber, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    for words in (["git", "init", "-q"], ["git", "add", "."], [*COMMIT, "first"]):
        subprocess.run(words, check=True)
    return tmp_path


def test_the_command_renames_writes_and_reports(repository, capsys):
    cache = repository / "pe_lessons/exercises/lesson_02/__pycache__"
    cache.mkdir()
    (cache / "__init__.pyc").write_bytes(b"")
    (repository / ".git/info/exclude").write_text("__pycache__\n")
    (repository / "pe_lessons/exercises/lesson_03/__init__.py").unlink()
    subprocess.run(["git", "rm", "-q", "--cached", "pe_lessons/exercises/lesson_03/__init__.py"], check=True)
    subprocess.run([*COMMIT, "second"], check=True)
    assert renumber.main(["move", "02", "03"]) == 0
    shown = capsys.readouterr().out
    assert "notebooks/02_c.ipynb -> notebooks/03_c.ipynb: 4 lines" in shown
    assert "notebooks/01_b.ipynb ends with the question for lesson 03." in shown
    assert not (repository / "pe_lessons/exercises/lesson_02").exists()
    assert (repository / "pe_lessons/exercises/lesson_03/__init__.py").read_text().startswith("quiz_03")


def test_a_tree_with_changes_is_refused(repository, capsys):
    (repository / "README.md").write_text("mine")
    assert renumber.main(["move", "03", "02"]) == 1
    assert "There are changes that are not committed" in capsys.readouterr().out
    assert (repository / "notebooks/02_c.ipynb").exists() and (repository / "README.md").read_text() == "mine"


@pytest.mark.parametrize("words, said", [
    (["move", "05", "01"], "There is no lesson 05"),
    (["move", "01", "00"], "There is no lesson 00 that could be moved"),
])  # fmt: skip
def test_what_cannot_be_is_refused(repository, capsys, words, said):
    assert renumber.main(words) == 1
    assert said in capsys.readouterr().out
