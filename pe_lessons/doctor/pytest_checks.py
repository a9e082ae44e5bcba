"""The doctor's checks as tests of your own: an item for each, so that what was left out is a skip.

from pe_lessons.doctor.pytest_checks import checks

test_positions = checks(logits, relative=True)
"""

import functools

import pytest

from pe_lessons import doctor
from pe_lessons.doctor.examined_model import hyphened


def checks(logits, vocab_size=None, **kwargs):
    """A test with an item for each check; arguments as for `doctor.examine`.

    A finding is a failure with its id and its lesson. A check that was left out is a skip with its reason,
    or a failure if `require` names it.
    """
    names = ["order", *doctor.CHECKS, *["reference"] * ("reference" in kwargs)]

    @functools.cache  # the model is examined once, when the first item runs
    def examined():
        return doctor.examine(logits, vocab_size, **kwargs)

    @pytest.mark.parametrize("check", names, ids=hyphened)
    def test(check):
        report = examined()
        # what is wrong before any check is tried belongs to the first item
        found = [one for one in report if one.check == check or (check == "order" and one.check not in names)]
        blamed = [one for one in found if one.status in ("wrong", "failed")]
        if check == "order" and not blamed and report[0].status != "right":
            blamed = report[:1]
        if blamed:
            pytest.fail("\n".join(map(str, blamed)), pytrace=False)
        if not found or found[0].status == "not tried":
            pytest.skip(found[0].says if found else report[0].says)

    return test
