"""What teachers use: the class folder, the demo's judgement, the guide, the slides, the hub's files."""

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import make_class_folder
import nbformat
import pytest
import slides
import teaching_tables
import yaml
from reexecute import ROOT, find_notebooks
from traitlets.config import Config

from pe_lessons.lessons import REGISTRY

TEACHING = ROOT / "teaching"
GUIDE = (TEACHING / "GUIDE.md").read_text(encoding="utf-8")
SLIDE_TYPES = {"slide", "subslide", "fragment", "skip", "notes"}


def settings_of(path):
    """What Jupyter's programs read from a file of settings."""
    settings = Config()
    exec(path.read_text(), {"get_config": lambda: settings, "__file__": str(path)})
    return settings


def test_a_class_folder_holds_every_lesson_and_the_settings(tmp_path):
    folder = make_class_folder.make(tmp_path / "class")
    for notebook in find_notebooks():
        copy = folder / "source" / notebook.stem / notebook.name
        assert copy.read_bytes() == notebook.read_bytes()
    settings = folder / "nbgrader_config.py"
    settings.write_text("# the teacher's own")
    make_class_folder.make(folder)
    assert settings.read_text() == "# the teacher's own", "a second call leaves the settings"


def test_a_lesson_comes_with_a_text_to_paste(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(make_class_folder, "git", lambda *words: "https://ada:secret@git.example.org/c")
    release = tmp_path / "release" / "03_the_naive_loop" / "03_the_naive_loop.ipynb"
    monkeypatch.setattr(make_class_folder, "release", lambda folder, name: None)
    release.parent.mkdir(parents=True)
    shutil.copy(find_notebooks()[3], release)
    (tmp_path / "nbgrader_config.py").touch()
    for changed in (False, True):
        assert make_class_folder.main([str(tmp_path), "03"]) == 0
        said = capsys.readouterr().out
        assert "worth 3 points" in said and "    Lesson 03 · Write the naive loop" in said
        assert "from https://git.example.org/c as" in said and "secret" not in said
        assert (f"Attach {release}." in said) == ("Save the file" in said) == changed
        (tmp_path / "source" / "03_the_naive_loop" / "03_the_naive_loop.ipynb").write_text("changed")


def test_a_class_folder_is_not_made_among_other_things(tmp_path, capsys):
    (tmp_path / "letters.txt").write_text("private")
    with pytest.raises(ValueError, match="holds other things"):
        make_class_folder.make(tmp_path)
    with pytest.raises(ValueError, match="part of the course"):
        make_class_folder.make(ROOT / "notebooks")
    assert make_class_folder.main([str(tmp_path)]) == 2
    assert "holds other things" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="There is no lesson 'last': give its number"):
        make_class_folder.main([str(tmp_path), "last"])


def test_the_guide_has_an_entry_for_every_lesson_and_names_mistakes_that_the_checks_know():
    known = {mistake.name for one in REGISTRY.values() for mistake in getattr(one, "mistakes", ())}
    entries = re.split(r"(?m)^### (?=\d\d )", GUIDE)[1:]
    found, wanted = [entry[:2] for entry in entries], [notebook.stem[:2] for notebook in find_notebooks()]
    assert found == wanted, f"GUIDE.md should have the entries '### NN ...' of {wanted}, in order"
    for entry in entries:
        for word in ("Goal", "Needs", "Wrong", "Ask"):
            assert f"**{word}:**" in entry, (entry[:30], word)
        wrong = re.search(r"(?m)^- \*\*Wrong:\*\*(.*)$", entry)[1]
        without_speech = re.sub(r'"[^"]*"', "", wrong)
        assert set(re.findall(r"`([^`]+)`", without_speech)) <= known, entry[:30]


def test_the_tables_of_the_guide_are_up_to_date():
    again = "call: python course.py tables"
    assert teaching_tables.MISTAKES.read_text(encoding="utf-8") == teaching_tables.mistakes_table(), again
    times = teaching_tables.LESSON_TIMES.read_text(encoding="utf-8")
    assert times == teaching_tables.times_table(), again
    for file in teaching_tables.WITH_MINUTES:
        text = file.read_text(encoding="utf-8")
        assert text == teaching_tables.with_minutes(text), again


def test_the_reading_paths_lead_to_the_lessons_that_they_name():
    text = teaching_tables.WITH_PATHS.read_text(encoding="utf-8")
    assert list(teaching_tables.reading_paths(text)) == list(teaching_tables.PATHS)
    for match in teaching_tables.PATH.finditer(text):
        assert all(label == file for label, file in re.findall(r"\[(\d\d)\]\([^)]*?(\d\d)_", match[1]))


@pytest.mark.parametrize("notebook", find_notebooks(), ids=lambda path: path.stem)
def test_every_lesson_can_be_shown_as_slides(notebook):
    cells = nbformat.read(notebook, 4).cells
    kinds = [cell.metadata.get("slideshow", {}).get("slide_type", "-") for cell in cells]
    assert set(kinds) <= SLIDE_TYPES | {"-"}
    enough = kinds[0] == "slide" and kinds.count("slide") >= 3
    assert enough, f"the first cell and two more should have the slide_type 'slide', got {kinds}"
    for cell, kind in zip(cells, kinds):
        if cell.metadata.get("nbgrader"):
            assert kind == "skip", f"{cell.id}: answers and checks are no lecture"


def test_slides_ask_nothing_of_the_web(drawn):
    for notebook in drawn(find_notebooks(), 1, "slides"):
        page = slides.page_of(notebook)
        loads = re.findall(r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']([^\"']*)", page)
        assert loads and all(one.startswith(("reveal.js/", "mathjax/", "data:image/")) for one in loads), (
            loads
        )
        assert not re.search(r"@import|url\(['\"]?(https?:)?//|require\(|import mermaid", page)


def test_the_hub_gives_every_learner_the_own_copy(tmp_path):
    settings = settings_of(TEACHING / "jupyterhub" / "jupyterhub_config.py")
    environment = settings.Spawner.environment
    ada = SimpleNamespace(user=SimpleNamespace(name="ada"))
    assert Path(environment["PYTHONPATH"](ada)) == Path("/home/ada/pe_lessons")
    ada.home_dir = str(tmp_path)
    assert Path(environment["PYTHONPATH"](ada)) == tmp_path / "pe_lessons"


HUB = TEACHING / "jupyterhub"


def test_the_hub_is_closed_and_a_failed_pull_ends_no_server(tmp_path):
    values = yaml.safe_load((HUB / "values.yaml").read_text())
    config = values["hub"]["config"]
    assert config["JupyterHub"]["authenticator_class"] == "null"
    assert config["Authenticator"] == {"allow_all": False, "allowed_users": []}
    shell, option, script = values["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"]
    assert (shell, option) == ("sh", "-c")
    if shutil.which("sh"):  # without gitpuller and without /srv/pe_lessons
        subprocess.run([shell, option, script], cwd=tmp_path, check=True, env={"PATH": "/usr/bin:/bin"})
