"""The doctor finds nothing in a healthy model, and names every fault that is planted."""

import pytest
from small_llama import FAULTS, ONLY_IN_A_TABLE, VOCAB_SIZE, SmallLlama

from pe_lessons import doctor


def wrong(findings):
    return [finding for finding in findings if finding.status == "wrong"]


def test_a_healthy_model_is_healthy():
    findings = doctor.examine(SmallLlama(), VOCAB_SIZE, reference=SmallLlama())
    assert not wrong(findings), "\n".join(map(str, findings))
    assert not [finding for finding in findings if finding.status == "not tried"]
    assert {finding.check for finding in findings} == {
        "order", "future", "first position", "shift", "far positions", "batch", "left padding", "step by step",
        "several new tokens", "packing", "reference",
    }  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named_and_nothing_else_is_blamed(fault):
    table = fault in ONLY_IN_A_TABLE
    found = wrong(doctor.examine(SmallLlama(fault, table), VOCAB_SIZE, reference=SmallLlama(table=table)))
    named = [finding.culprit for finding in found if finding.culprit]
    words = FAULTS[fault] if isinstance(FAULTS[fault], tuple) else (FAULTS[fault],)
    assert named, "\n".join(map(str, found))
    assert all(any(word in culprit for word in words) for culprit in named), named


def test_a_table_is_healthy_too():
    findings = doctor.examine(SmallLlama(table=True), VOCAB_SIZE)
    assert not wrong(findings), "\n".join(map(str, findings))
    assert "give them, counted from the first real token" in "\n".join(map(str, findings))
