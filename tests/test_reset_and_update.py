"""Fresh lessons from real repositories, and not a byte of what a learner wrote is lost."""

import os
import shutil
import subprocess

import pytest
import reexecute
import reset_and_update

ROOT = reexecute.ROOT
FIRST, SECOND = "notebooks/00_first.ipynb", "notebooks/01_second.ipynb"
MINE = "notebooks/00_first.mine.ipynb"

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


class Repository:
    """A folder with a small course in it, and its git."""

    def __init__(self, folder):
        self.folder = folder

    def git(self, *words):
        return subprocess.run(
            ["git", *words], cwd=self.folder, check=True, capture_output=True, text=True
        ).stdout

    def write(self, name, text):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8", newline="\n")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")

    def publish(self, texts):
        """A new version: texts by name, None for a file that goes."""
        for name, text in texts.items():
            self.write(name, text) if text is not None else (self.folder / name).unlink()
        self.commit()

    def notebooks(self):
        return {path.name: path.read_text() for path in sorted((self.folder / "notebooks").iterdir())}


@pytest.fixture
def call(learner, monkeypatch, capsys):
    """A function that calls the tool in the learner's folder, and gives what it says and its exit code."""
    monkeypatch.setattr(reset_and_update, "ROOT", learner.folder)

    def call(*words):
        code = reset_and_update.main([*words])
        return "".join(capsys.readouterr()), code

    return call


@pytest.fixture(autouse=True)
def plain_git(tmp_path, monkeypatch):
    """No settings and no repository but the test's own."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "a")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "a@example.org")
    settings = tmp_path / "gitconfig"
    settings.write_text("[merge]\n\tautoStash = true\n[core]\n\tautocrlf = false\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))


@pytest.fixture
def origin(tmp_path):
    """Where the course is published."""
    origin = Repository(tmp_path / "origin")
    origin.write(".gitignore", (ROOT / ".gitignore").read_text(encoding="utf-8"))
    origin.write("README.md", "a course")
    for name in (FIRST, SECOND):
        origin.write(name, "as published")
    origin.git("init", "--quiet", "--initial-branch=main")
    origin.commit()
    return origin


@pytest.fixture
def learner(origin, tmp_path):
    """A learner's clone."""
    origin.git("clone", "--quiet", str(origin.folder), str(tmp_path / "learner"))
    return Repository(tmp_path / "learner")


def test_a_reset_lesson_is_fresh_and_no_copy_is_overwritten(learner, call):
    texts = ["my answers", "my next answers", "my last answers"]
    names = [MINE, MINE.replace("mine", "mine2"), MINE.replace("mine", "mine3")]
    for text, name in zip(texts, names):
        learner.write(FIRST, text)
        said, code = call("reset", "00" if name == MINE else "0")
        assert code == 0 and name in said
        assert learner.read(FIRST) == "as published"
    assert [learner.read(name) for name in names] == texts
    assert learner.git("status", "--porcelain") == "", "git takes no notice of the copies"


@pytest.mark.parametrize("staged", [False, True])
def test_several_lessons_changed_deleted_staged_or_as_they_were(learner, call, staged):
    learner.write(FIRST, "my answers")
    (learner.folder / SECOND).unlink()
    if staged:
        learner.git("add", FIRST)
    said, code = call("reset", "00", "1")
    assert code == 0
    assert learner.notebooks() == {
        "00_first.ipynb": "as published",
        "00_first.mine.ipynb": "my answers",
        "01_second.ipynb": "as published",
    }
    said, code = call("reset", "00", "1")
    assert code == 0 and said.count("is as the course has it") == 2
    assert len(learner.notebooks()) == 3


@pytest.mark.parametrize("words", [["2"], ["00", "two"], ["0", "README.md"], ["../00"]])
def test_an_unknown_lesson_is_named_and_nothing_happens(learner, call, words):
    learner.write(FIRST, "my answers")
    said, code = call("reset", *words)
    assert code == 1 and f"no lesson {words[-1]}" in said
    assert learner.notebooks() == {"00_first.ipynb": "my answers", "01_second.ipynb": "as published"}


def test_update_keeps_what_only_the_learner_changed(origin, learner, call):
    learner.write(FIRST, "my answers")
    origin.publish({SECOND: "better", "README.md": "a better course"})
    said, code = call("update")
    assert (code, said.strip()) == (0, "The course is up to date.")
    assert learner.notebooks() == {"00_first.ipynb": "my answers", "01_second.ipynb": "better"}
    assert call("update") == ("Nothing is new.\n", 0)


@pytest.mark.parametrize("staged", [False, True])
def test_update_keeps_a_lesson_that_both_changed_beside_the_new_one(origin, learner, call, staged):
    learner.write(FIRST, "my answers")
    if staged:
        learner.git("add", FIRST)
    learner.write(SECOND, "my second answers")
    origin.publish({FIRST: "better", "notebooks/02_third.ipynb": "new"})
    said, code = call("update")
    assert code == 0 and MINE in said and "up to date" in said
    assert learner.notebooks() == {
        "00_first.ipynb": "better",
        "00_first.mine.ipynb": "my answers",
        "01_second.ipynb": "my second answers",
        "02_third.ipynb": "new",
    }


@pytest.mark.parametrize("named", ["README.md", "fast-forward", "origin"])
def test_an_update_that_git_refuses_changes_nothing(origin, learner, call, named):
    origin.publish({FIRST: "better"})
    match named:
        case "README.md":  # both changed a file that is no lesson
            learner.write(named, "my notes")
            origin.publish({named: "other words"})
        case "fast-forward":  # the learner has commits
            learner.write("README.md", "my course")
            learner.git("commit", "--quiet", "--all", "--message", "mine")
        case "origin":  # it is gone
            shutil.rmtree(origin.folder)
    learner.write(FIRST, "my answers")
    before, head = learner.notebooks(), learner.git("rev-parse", "HEAD")
    said, code = call("update")
    assert code == 1 and named in said
    assert (learner.notebooks(), learner.git("rev-parse", "HEAD")) == (before, head)
