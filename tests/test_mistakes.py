"""Every mistake is a change of a right answer, made in two styles, and gets its own name in both.

The two styles are witnesses against each other: a change that does not make the mistake it is called after
behaves otherwise in the other style, or gets the name of another mistake.
"""

import dataclasses
import re
import sys

import pytest
from verdicts import EXERCISES, LESSON_OF, verdict

from pe_lessons.exercises import run_answer
from pe_lessons.exercises.exercise import _constant

# Where a mistake does not do the same in both styles: the numbers of the probes, and why.
UNLIKE = {
    ("encoding_module", "table alone"): [4],  # with a batch of 1 the table may keep its batch axis or not
    ("paper_input", "whole table"): [3],  # more rows than words: broadcast or an error
    ("paper_input", "cut by the wrong axis"): [3],  # likewise
    ("delta_step", "outer product turned round"): [6],  # a value of one number: broadcast, or an error
    # behind the table: cut, or an error
    ("learned_rows", "places of one sentence, from first_row"): [5, 6, 7, 10],
    ("learned_rows", "words zeroed instead of padding"): [7],
}

# "The means are right, but ..."; "That is right for the rows" is about a step and stays true.
PRAISE = re.compile(r"(?<!that) (is|are) right([.,;:]| as long| while| but)", re.IGNORECASE)

every_exercise = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.name)


@every_exercise
@run_answer.our_own()
def test_a_mistake_gets_its_own_name_in_both_styles_and_no_other(exercise):
    lesson = LESSON_OF[exercise]
    _, second = lesson.styles(exercise.name)
    others = lesson.changes(exercise.name, second)
    for mistake, (other, _) in zip(exercise.mistakes, others, strict=True):
        result = exercise.judge(run_answer.Look("called", seen=tuple(all_seen(exercise, mistake.wrong))))
        said = [result.cause or result.status, verdict(exercise, other.wrong)]
        assert said == [mistake.name] * 2, (
            f"{mistake.name!r} is taken for {said[0]!r} in one style and for {said[1]!r} in the other. "
            "'correct': this change leaves the answer right. The name of another mistake: it does the same. "
            "None: the two styles do not do the same."
        )
        assert (result.status, result.message) == ("not yet", mistake.say)
        unlike = [
            number
            for number in range(len(exercise._all_probes))
            if mistake.exact is None and not same(exercise, number, mistake.wrong, other.wrong)
        ]
        assert unlike == UNLIKE.get((exercise.name, mistake.name), []), mistake.name
    for known in exercise.mistakes:
        others = [one for one in exercise.mistakes if one is not known]
        pairs = [pair for pair in exercise.pairs if known.name not in pair.name.split(" + ")]
        without = dataclasses.replace(exercise, mistakes=others, pairs=pairs)
        vars(without)["_known"] = exercise._known  # same trials: what one tries, none tries again
        taken = verdict(without, known.wrong)
        [both] = [pair for pair in pairs if pair.name == taken] or [None]
        explained = both and fits(exercise, both, all_seen(exercise, known.wrong))
        assert taken is None or explained, f"{known.name} is taken for {taken}"


def all_seen(exercise, answer):
    return [exercise._behaviour_of(answer, number) for number in range(len(exercise._all_probes))]


def fits(exercise, known, seen):
    return all(exercise._fits(known, number, done) for number, done in enumerate(seen))


def same(exercise, number, one, other):
    first, second = (exercise._behaviour_of(function, number) for function in (one, other))
    both_raise = first.kind == second.kind == "raised"
    return both_raise or without_nan(first).same_as(without_nan(second), exercise.atol)


def without_nan(seen):
    """NaN is like nothing, also not like NaN: the largest float stands for it."""
    entries = (sys.float_info.max if entry != entry else entry for entry in seen.entries)
    return dataclasses.replace(seen, entries=tuple(entries))


@every_exercise
@run_answer.our_own()
def test_two_mistakes_at_once_are_named_or_one_of_them(exercise, drawn):
    """Where one mistake, or two others, do all that was seen, that one has the name, or none has."""
    for pair in drawn(exercise.pairs, 30, str([known.say for known in exercise.mistakes])):
        said, made = verdict(exercise, pair.wrong), set(pair.name.split(" + "))
        assert said != "correct", f"{pair.name} is taken for a right answer"
        everything = all_seen(exercise, pair.wrong)
        seen = everything[: len(exercise.probes)]
        if said is None:
            alike = [one for one in exercise.pairs if fits(exercise, one, everything)]
            assert len(alike) > 1 or _constant(seen) or all(one.kind == "raised" for one in seen), pair.name
        elif not set(said.split(" + ")) <= made:
            [known] = [one for one in exercise.mistakes if one.name == said]
            assert fits(exercise, known, everything), f"{pair.name} is taken for {said}"


@every_exercise
def test_nothing_is_praised_where_two_things_are_wrong(exercise):
    praises = {known.praise for known in exercise.mistakes if known.praise}
    assert not any(praise in pair.say for praise in praises for pair in exercise.pairs)
    at_once = {name for pair in exercise.pairs for name in pair.name.split(" + ")}
    unmarked = [one.fault for one in exercise.mistakes if one.name in at_once and PRAISE.search(one.fault)]
    assert not unmarked, "the other mistake of two makes this false: let it be the `praise` of the mistake"


def test_no_file_holds_a_mistake_that_is_never_made():
    for package in {LESSON_OF[exercise] for exercise in EXERCISES}:
        named = {exercise.name for exercise in EXERCISES if LESSON_OF[exercise] is package}
        apart = package.mistakes.keys() ^ named
        assert not apart, f"in {package.answers.__package__}, an exercise or mistakes alone: {sorted(apart)}"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"arrays": ["m", "0"], "say": "No."}, "'half done'] has no loop"),
        ({"loop": ["m", "0"]}, "'half done'] has no say"),
        ({"loop": ["not in the answer", "0"], "say": "No."}, "'not in the answer' must stand exactly once"),
    ],
)
def test_a_mistake_that_is_written_down_wrongly_is_told_to_its_author(monkeypatch, entry, words):
    [lesson] = {lesson for lesson in LESSON_OF.values() if "weight_back" in lesson.mistakes}
    monkeypatch.setitem(lesson.mistakes["weight_back"], "half done", entry)
    [loop] = [answer for answer in lesson.styles("weight_back") if answer.style == "loop"]
    with pytest.raises(ValueError, match=re.escape(words)):
        list(lesson.changes("weight_back", loop))
