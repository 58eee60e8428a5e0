"""Declared facts at the gate: placeholders, what is not known, a "none" that the data contradict; and as Markdown."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from exports import heds, paper
from exports.checklist import build_checklist_files, check_release
from exports.fact_tables.tables import build_text_files
from exports.facts import Pay, ProfileCount
from exports.release_state import ReleaseState, compute_release_state

LINES = {
    "ethics": "R09", "population": "R11", "recruitment": "R12", "pay": "R17", "stimulus_differences": "R20",
    "ai_use": "R22", "licence": "R40",
}  # fmt: skip
USED = (("language model", 4), ("no", None))


def declare(make: Any, declared: dict[str, str], **facts: Any) -> ReleaseState:
    """A release in order but for these declared facts, and other facts."""
    project = make.project(**facts)
    stated = {name: text for name, text in (dict(project.declared) | declared).items() if text}
    return compute_release_state(make.inputs(project=dataclasses.replace(project, declared=stated)))


def attest(*cells: tuple[str, int | None]) -> tuple[ProfileCount, ...]:
    """Answers to the question after a session."""
    return tuple(ProfileCount(field="attestation", question="What helped?", value=value, n=n) for value, n in cells)


def test_placeholders_of_an_older_file_are_no_facts_anywhere(make_release: Any) -> None:
    """The gate names each; the paragraph, the tables, HEDS and facts.json say that nothing is declared."""
    placeholders = dict(
        zip(LINES, ("-", "n/a", "x", "…", "none?", "TODO", "ліцензія тут [назва ліцензії]"), strict=True)
    )
    state = declare(make_release, placeholders)
    checklist = check_release(state)
    found = {line.id: line for line in checklist.lines}
    assert {line.id for line in checklist.blocking} == {*LINES.values()} - {"R20"}, "the manifest lists what differs"
    for name, text in placeholders.items() - {("stimulus_differences", "none?")}:
        line = found[LINES[name]]
        assert f"`declared.{name}` is “{text}”, which is a placeholder." in line.evidence
        assert f"what {name} should state" in line.remedy
    files = paper.build_paper_files(state)
    assert "An ethics review is not declared." in files["paragraph.md"]
    assert "Оплату не вказано." in files["paragraph.uk.md"]
    assert "The pay is not declared." in files["tables/people.md"]
    declared = json.loads(build_text_files(state)["facts.json"])["projects"]["так-ні"]["declared"]
    assert {fact["value"] for fact in declared.values()} == {None}
    assert "n/a" not in heds.build_heds_file(state)


def test_what_is_not_known_is_not_evidenced(make_release: Any) -> None:
    """Nothing stops, and the release is a secondary one; the paragraph says it in its language, a reason as it is."""
    state = declare(make_release, dict.fromkeys(LINES, "not known") | {"ai_use": "not known: nobody was asked"})
    checklist = check_release(state)
    assert {line.id for line in checklist.lines if line.status == "not evidenced"} == set(LINES.values())
    assert (checklist.status, checklist.blocking) == ("secondary", ())
    files = paper.build_paper_files(state)
    assert "Ethics review: not known." in files["paragraph.md"]
    assert "Етична експертиза: невідомо." in files["paragraph.uk.md"]
    assert "search engines: not known: nobody was asked." in files["paragraph.md"]


CONTRADICTED: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "tools that people attested": ("ai_use", "none", {"attested": attest(*USED)}, "“language model” after sessions"),
    "a suppressed few of them": ("ai_use", "ні", {"attested": attest(("пошуком", None))}, "people attested “пошуком”"),
    "promised pay": ("pay", "volunteers", {"pay": Pay(scheme="12 EUR an hour", currency="EUR")}, "12 EUR an hour"),
    "people who were found": ("recruitment", "none", {}, "answers of 8 people count"),
    "people who stand for somebody": ("population", "nobody", {}, "answers of 8 people count"),
    "differences in the manifest": (
        "stimulus_differences",
        "none",
        {},
        "People saw the options in an order of their own",
    ),
}
AGREED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "no tool was used": ("ai_use", "none", {"attested": attest(("нічим, крім словника в голові", 8), ("no", 3))}),
    "tools are owned up to": ("ai_use", "not allowed; a few used them", {"attested": attest(*USED)}),
    "unpaid, and no pay on record": ("pay", "none", {}),
    "no review": ("ethics", "none", {}),
    "a plain no": ("ethics", "no", {}),
    "answered elsewhere": ("licence", "none", {"imported": True}),
}


@pytest.mark.parametrize("name", CONTRADICTED)
def test_a_declared_none_that_the_data_contradict_stops_the_release(make_release: Any, name: str) -> None:
    """The fact is named."""
    fact, text, facts, said = CONTRADICTED[name]
    (line,) = check_release(declare(make_release, {fact: text}, **facts)).blocking
    assert (line.id, said in line.evidence, bool(line.remedy)) == (LINES[fact], True, True), line.evidence


@pytest.mark.parametrize("name", AGREED)
def test_a_declared_none_that_nothing_contradicts_stands(make_release: Any, name: str) -> None:
    fact, text, facts = AGREED[name]
    lines = {line.id: line for line in check_release(declare(make_release, {fact: text}, **facts)).lines}
    assert lines[LINES[fact]].status == "met", lines[LINES[fact]].evidence


def test_a_reason_of_signs_excludes_nothing(make_release: Any) -> None:
    data = make_release.data_set()
    reasons = data.responses["excluded_reason"]
    assert reasons.notna().any()
    dashed = data.responses.assign(excluded_reason=reasons.where(reasons.isna(), "–"))
    state = compute_release_state(make_release.inputs(dataclasses.replace(data, responses=dashed)))
    assert "R25" in {line.id for line in check_release(state).blocking}


def test_what_organisers_wrote_is_no_markup(make_release: Any) -> None:
    """As in README.md; keys in code, comparisons and intervals stay readable."""
    title = "1. <b>Назва</b> | *так*"
    declared = {"ethics": "board [7](http://x) ~~no~~ | <i>yes</i>", "pay": ""}
    state = declare(make_release, declared)
    facts = dataclasses.replace(state.inputs.facts, title=title)
    state = dataclasses.replace(state, inputs=dataclasses.replace(state.inputs, facts=facts))
    listed = build_checklist_files(check_release(state), state)["checklist.md"]
    said = paper.build_paper_files(state)["paragraph.md"]
    assert "# What a report must state: 1. \\<b\\>Назва\\</b\\> \\| \\*так\\*\n" in listed
    ethics = "board \\[7\\](http://x) \\~\\~no\\~\\~ \\| \\<i\\>yes\\</i\\>"
    assert f"| Declared: “{ethics}”. |" in listed
    assert "| `declared.pay` is empty. → Write under `declared.pay` what pay" in listed
    assert all(line.count(" | ") == 4 for line in listed.splitlines() if line.startswith("| R"))
    assert said.startswith("1\\. \\<b\\>Назва\\</b\\> \\| \\*так\\*: 12 items")
    assert f"Ethics review: {ethics}." in said
    assert "0.812 [0.731–0.874]" in said
