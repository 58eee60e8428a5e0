"""The chapters of a release's report: what they count, what they leave out, and that nothing in them is markup."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from aggregation.findings import Finding
from exports.facts import LintFact, TextFact
from exports.model_answers import ReadAnswers, ReadModels
from exports.pages.localization import use_language
from exports.release import build_release_folder
from exports.release_report import build_chapters, campaign_measures
from exports.release_state import ReleaseState, compute_release_state
from exports.report.page import Chapter

HOSTILE = "<script>alert(1)</script>"


def read(state: ReleaseState) -> dict[str, Chapter]:
    return {chapter.id: chapter for chapter in build_chapters(state)}


@pytest.fixture(scope="module")
def state(make_release: Any) -> ReleaseState:
    """A baseline beside two models: one says the same of all, the other knows the gold of all but one."""
    data = make_release.data_set()
    ids, golds = list(data.items["item_id"]), list(data.items["gold"])
    answers = {"always": dict.fromkeys(ids, "так"), "good": dict(zip(ids, golds, strict=True)) | {ids[0]: "так"}}
    models = tuple(
        ReadAnswers(name=name, file=Path("m"), answers=own, stimuli=dict.fromkeys(ids)) for name, own in answers.items()
    )
    return compute_release_state(make_release.inputs(data, models={data.name: ReadModels(models=models)}))


def test_chapters_come_in_their_order_and_empty_ones_not_at_all(make_release: Any, state: ReleaseState) -> None:
    assert list(read(state)) == [
        "models", "flow", "plan", "times", "confidence", "sensitivity", "hard-items", "lint", "texts",
    ]  # fmt: skip
    data = make_release.data_set()
    bare = dataclasses.replace(data, responses=data.responses.assign(seconds=None))
    project = make_release.project(imported=True, texts=(), plan=None, started=None)
    chapters = read(compute_release_state(make_release.inputs(bare, project)))
    assert list(chapters) == ["flow", "confidence", "sensitivity", "hard-items", "lint"]
    assert len(chapters["flow"].panels) == 1


def test_the_flow_says_what_was_taken_away(state: ReleaseState) -> None:
    answers, people = read(state)["flow"].panels
    label = answers.split('aria-label="')[1].split('"')[0]
    assert "all answers: 112" in label
    assert "less: control item: −8" in label
    assert "less: repeat: −8" in label
    assert "answers that count: 96" in label
    told = people.split('aria-label="')[1].split('"')[0]
    assert (
        "invited: 12; invited by friends: 3; consented: 10; started: 10; finished: 8; gave an answer that counts: 8"
        in told
    )


def test_the_plan_stands_beside_what_was_reached(state: ReleaseState) -> None:
    ((_, _, (row,)),) = read(state)["plan"].tables
    assert (row.head, row.cells) == ("так-ні", ("12", "12", "8", "8–8", "± 10.0", "± 6.5"))


def test_times_are_counted_once_each(state: ReleaseState) -> None:
    (panel,) = read(state)["times"].panels
    label = panel.split('aria-label="')[1].split('"')[0]
    counts = [int(part.rsplit(": ", 1)[1].split(" ")[0]) for part in label.split(": ", 1)[1].rstrip(".").split("; ")]
    assert sum(counts) == 96
    assert "median 7.0 s, 96 answers" in label


def test_the_hardest_items_come_first_with_their_votes(state: ReleaseState) -> None:
    ((caption, heads, rows),) = read(state)["hard-items"].tables
    assert caption == "так-ні: the hardest of 12 answered items"
    assert heads == ("Item", "Right", "Gold")
    shares = [int(row.cells[0].split(" ")[0]) for row in rows]
    assert shares == sorted(shares)
    assert all(share < 100 for share in shares)
    assert "× 7" in rows[0].remark or "× 6" in rows[0].remark
    assert "Чи правда" in rows[0].remark


def test_other_rules_stand_beside_the_numbers_as_collected(state: ReleaseState) -> None:
    """Answers of all people take longer than two seconds, and nobody fails half of the control items."""
    chapter = read(state)["sensitivity"]
    ((caption, heads, rows),) = chapter.tables
    assert caption == "так-ні: under other rules"
    assert len(heads) == len(rows[0].cells) + 1
    assert rows[0].head == "as collected"
    assert rows[0].cells[0] == "96"
    by_rule = {row.head: int(row.cells[0]) for row in rows}
    assert by_rule["no rule"] >= by_rule["≥ 2 s"] >= by_rule["≥ 5 s"]
    assert len(chapter.panels) == 2
    assert all("as collected" in panel for panel in chapter.panels)


@pytest.mark.slow
def test_the_lint_has_the_most_serious_first_and_a_row_where_nothing_was_found(make_release: Any) -> None:
    ids = tuple(f"i{number}" for number in range(10))
    findings = tuple(
        LintFact(
            rule=rule, severity=severity, message=Finding("repeats", n=10, m=12), items=ids, remedy=Finding("keep-one")
        )
        for rule, severity in (("long-text", "note"), ("no-group", "warning"), ("empty-option", "error"))
    )
    project = make_release.project(lint=findings)
    ((name, _, rows),) = read(compute_release_state(make_release.inputs(project=project)))["lint"].tables
    assert name == "так-ні"
    assert [row.head for row in rows] == ["empty-option", "no-group", "long-text"]
    assert rows[0].cells == ("error", "10 items")
    names = "i0, i1, i2, i3, i4, i5, i6, i7 … (+2)."
    assert rows[0].remark == f"{Finding('repeats', n=10, m=12)} {Finding('keep-one')} {names}"
    with use_language("uk"):
        ((_, _, rows),) = read(compute_release_state(make_release.inputs(project=project)))["lint"].tables
    assert rows[0].cells == ("помилка", "10 завдань")
    assert rows[0].remark.startswith("10 із 12 завдань повторюють раніші.")
    ((_, _, (row,)),) = read(compute_release_state(make_release.inputs()))["lint"].tables
    assert row.head == "The lint found nothing."


def test_items_without_gold_are_those_on_which_people_agree_least(make_release: Any) -> None:
    data = make_release.data_set()
    bare = dataclasses.replace(data, items=data.items.assign(gold=None, gold_origin=None))
    ((_, heads, rows),) = read(compute_release_state(make_release.inputs(bare)))["hard-items"].tables
    assert heads[1] == "Agree"
    assert rows[0].cells[1] == "–"


def test_models_have_signed_points_with_intervals(state: ReleaseState) -> None:
    chapter = read(state)["models"]
    ((_, _, rows),) = chapter.tables
    assert [row.head for row in rows] == [
        "always, single answers", "always, the majority of 8", "good, single answers", "good, the majority of 8",
    ]  # fmt: skip
    assert rows[0].cells[:2] == ("50.0 %", "+40.6")
    assert rows[2].cells[1].startswith(("−", "+"))
    assert "always +40.6" in chapter.panels[0]


def test_a_p_that_rounds_to_nothing_is_said_to_be_small() -> None:
    assert [campaign_measures._format_p(p) for p in (0.0004, 0.0005, 0.014)] == ["< 0.001", "< 0.001", "0.014"]
    with use_language("uk"):
        assert campaign_measures._format_p(0.0004) == "< 0,001"


def test_equal_texts_of_a_programme_stand_once(make_release: Any) -> None:
    sets = [make_release.data_set(name) for name in ("a", "b")]
    projects = tuple(make_release.project(name) for name in ("a", "b"))
    inputs = make_release.inputs(sets[0], projects[0])
    facts = dataclasses.replace(inputs.facts, projects=projects, is_programme=True)
    whole = dataclasses.replace(
        inputs, facts=facts, data_sets=tuple(sets), benchmark=make_release.source(*sets, name="all", is_group=True)
    )
    texts = read(compute_release_state(whole))["texts"].texts
    assert [text.heading for text in texts] == [
        "Instructions (111111111111, 8 people): a, b", "Consent, version 1 (cccccccccccc, 8 people): a, b",
    ]  # fmt: skip


def test_nothing_in_a_chapter_is_markup(make_release: Any) -> None:
    text = TextFact(kind="instructions", scope="project x", version=HOSTILE, sha256="1" * 64, text=HOSTILE)
    inputs = make_release.inputs(project=make_release.project(texts=(text,)))
    page = build_release_folder(inputs).files["report.html"].decode()
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</p>" in page
    assert page.count("<h2") == len({part.split('"')[1] for part in page.split("<h2 ")[1:]})


def test_hidden_items_do_not_show_their_text(make_release: Any) -> None:
    made = make_release.inputs()
    tasks = tuple(dataclasses.replace(task, hidden=True) for task in made.benchmark.tasks)
    hidden = dataclasses.replace(made, benchmark=dataclasses.replace(made.benchmark, tasks=tasks))
    ((_, _, rows),) = read(compute_release_state(hidden))["hard-items"].tables
    assert "Чи правда" not in rows[0].remark


def test_cuts_keep_fewer_labels_from_one_to_the_next(state: ReleaseState) -> None:
    kept, right = read(state)["confidence"].panels
    label = kept.split('aria-label="')[1].split('"')[0]
    counts = [
        int(part.split(", ")[1].split(" of ")[0]) for part in label.split("confidence: ")[1].rstrip(".").split("; ")
    ]
    assert counts[0] == 12
    assert counts == sorted(counts, reverse=True)
    assert "items of known gold" in right
