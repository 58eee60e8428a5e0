"""Findings: codes with arguments, which pages translate, files print in English, and databases keep."""

from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import asdict, dataclass

import pandas as pd
import pytest
from sqlalchemy.dialects import sqlite

from aggregation.findings import (
    FINDINGS,
    Finding,
    get_code,
    join_findings,
    name_coverage,
    name_figure,
    read_plain,
    split_findings,
    write_plain,
)
from annotation.store.table_base import FindingList, FindingText
from exports.pages.localization import show_finding, use_language
from exports.records import read_frame, write_frame

PLACEHOLDER = re.compile(r"\{(\w+)(?:!r)?(?::([^}]*))?\}")
FEW = Finding("few-groups", n=3, least=5)
COVERED = Finding("covered", share=name_coverage(".88-.99"))
NESTED = Finding("two-way-items", n=12, made=Finding("by-people"), m=40, coverage=Finding("not-simulated"))


def make_arguments(sentence: str) -> dict[str, int | float | str]:
    """Values that can be seen in a sentence: numbers where they are formatted as such, else a text of data."""
    return {name: 0.25 if how else f"labels-{name}" for name, how in PLACEHOLDER.findall(sentence)}


@pytest.mark.parametrize("code", FINDINGS)
def test_each_code_has_its_ukrainian_and_uses_each_argument(code: str) -> None:
    arguments = make_arguments(FINDINGS[code])
    finding = Finding(code, **arguments)
    with use_language("uk"):
        shown = show_finding(finding)
        others = [
            show_finding(Finding(code, **arguments | {name: 0.75 if isinstance(value, float) else "expert"}))
            for name, value in arguments.items()
        ]
    assert shown not in others
    data = re.sub(r"labels-\w+|stimulus_sha256|annotators\.csv|`[^`]*`", "", shown)
    assert not re.search("[A-Za-z]{3,} [a-z]{2,}", data), data
    assert show_finding(finding) == finding == FINDINGS[code].format(**arguments)


@pytest.mark.parametrize("finding", [FEW, NESTED, join_findings(FEW, "надто коротко"), name_figure(".90-.99")])
def test_copies_keep_code_and_arguments(finding: Finding) -> None:
    @dataclass(frozen=True)
    class Row:
        reason: str

    frame = pd.DataFrame({"reason": [finding, "words", None]}, dtype=object)
    kept = [
        pickle.loads(pickle.dumps(finding)),  # noqa: S301  # our own
        copy.deepcopy(finding),
        asdict(Row(finding))["reason"],
        read_plain(json.loads(json.dumps(write_plain(finding)))),
        read_frame({"rows.jsonl": write_frame(frame)}, "rows.jsonl")["reason"][0],
    ]
    for one in kept:
        assert (one, one.code, one.arguments) == (finding, finding.code, finding.arguments)
    assert json.loads(json.dumps(asdict(Row(finding)))) == {"reason": str(finding)}
    assert frame["reason"].dropna().to_csv(index=False, header=False).splitlines()[-1] == "words"


def test_numbers_are_written_as_the_language_does_and_data_are_left_alone() -> None:
    with use_language("uk"):
        assert show_finding(FEW) == "Інтервалу немає: груп завдань 3, а потрібно щонайменше 5."
        assert show_finding(Finding("too-fast-item", seconds=2.5)) == "менше 2,5 с на завдання"
        assert show_finding(Finding("controls-share", share=0.1)) == "10\u00a0% завдань"
        assert show_finding(name_figure("< 50%")) == "< 50\u00a0%"
        assert show_finding(Finding("random-within", column="labels")) == "випадково в межах labels"
        assert show_finding(Finding("rejected-because", why="expert")) == "відхилено під час перегляду: expert"
        assert show_finding("No item has two votes, so there is nothing to compare.").startswith("No item")
        assert show_finding("expert") == "expert"
        assert show_finding(COVERED).endswith("у 88–99\u00a0% випадків (docs/explanation/coverage.md)")
    assert "covered 88–99 % in simulation" in show_finding(COVERED)
    assert "covered .88-.99 in simulation" in COVERED
    assert show_finding(name_coverage(".05")) == "5 %"
    assert show_finding(FEW) == "No interval: 3 groups of items are fewer than 5."


def test_a_finding_without_its_arguments_or_with_an_unknown_code_is_refused() -> None:
    for code in ("few-groups", "nothing of the kind"):
        with pytest.raises(KeyError):
            Finding(code, n=3)


def test_sentences_of_earlier_databases_are_read_as_they_are() -> None:
    """They were stored before there were codes."""
    dialect = sqlite.dialect()
    assert FindingText().process_result_value("repeat, the first counts", dialect) == "repeat, the first counts"
    assert FindingList().process_result_value(["under 5 s"], dialect) == ["under 5 s"]
    stored = FindingText().process_bind_param("{}", dialect)
    assert FindingText().process_result_value(stored, dialect) == "{}"


def test_joined_sentences_can_be_told_apart() -> None:
    """Each with its code, in their order, so that a table can say each one once."""
    sentences = (Finding("not-covered"), "words", Finding("few-people-panel", n=3, least=5))
    assert split_findings(join_findings(*sentences)) == sentences
    assert [get_code(one) for one in split_findings(join_findings(*sentences))] == [
        "not-covered",
        "",
        "few-people-panel",
    ]
    assert split_findings("") == ()
