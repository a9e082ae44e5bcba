"""What holds reader and doctor to the library, tried without it; and that its tables are up to date."""

import re

from evidence import reader_and_doctor
from pe_lessons import models

TABLES = reader_and_doctor.RESULTS.read_text(encoding="utf-8")
PAGES = [(reader_and_doctor.ROOT / name).read_text("utf-8") for name in ("README.md", "AT_WORK.md")]


def rows(title):
    part = TABLES.split(f"## {title}")[1].split("\n## ")[0]
    return [line.split(" | ") for line in part.splitlines() if line.startswith("| ")][2:]


def test_the_tables_are_those_of_today():
    assert [row[0][2:] for row in rows("The reader: the gallery")] == list(models.gallery())
    names = reader_and_doctor.ARCHITECTURES
    assert [row[0][2:] for row in rows(f"The doctor: {len(names)}")] == names
    assert "False alarms in all: 0." in TABLES and "*DIFFERENT*: none" in TABLES


def test_the_pages_say_what_the_tables_say():
    pattern = r"[Oo]n (\d+) architectures .* named (?:the cause of )?(\d+) of (\d+) planted faults"
    said = [re.search(pattern, page) for page in PAGES]
    faults = rows("The doctor: planted faults")
    # these say what was seen, and where to look
    guesses = "Look first at", "the mask is not used, or"
    named = [row for row in faults if row[2].strip(" |") and not any(one in row[2] for one in guesses)]
    tables = [len(reader_and_doctor.ARCHITECTURES), len(named), len(faults)]
    assert [[int(number) for number in one.groups()] for one in said] == [tables, tables]
    assert f"`models.gallery()` has {len(models.gallery())} well-known configs" in PAGES[1]
