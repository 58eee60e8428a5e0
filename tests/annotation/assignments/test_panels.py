"""Panels: each gives every item its own number of answers, and each person is in one of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
from sqlmodel import Session, select

from annotation.campaigns.sections.annotators import ProfileField
from annotation.errors import Conflict, Stale
from annotation.store import invariants, item_queue, overlap_counts, panel_members, queries
from annotation.store.item_queue import PanelQuota
from annotation.store.models import Annotator, Assignment, Cohort, Item, ItemRow, Participation
from annotation.vocabulary import AssignmentStatus, Exclusion, ExclusionKind, ProjectStatus, UnassignedReason
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import registration, roster
from annotation.workflow.lifecycle import projects, transitions
from annotation.workflow.monitoring import campaign_status
from annotation.workflow.quality import exclusions

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

NATIVE = {"name": "native", "text": "Рідна мова?", "options": ["українська", "інша"]}
EXPERTS = {"cohort": "translators", "votes": 1}
LAY = {"profile": {"native": "українська"}, "votes": 2}
KEYS: dict[str, Any] = {"panels": {"experts": EXPERTS, "lay": LAY}, "profile": [NATIVE], "overlap": 3}


def add_person(scenario: Scenario, number: int, *, cohort: str | None = None, native: str | None = None) -> int:
    """An annotator of this cohort who said that of their mother tongue, or would rather not say."""
    who = scenario.person(number)
    with scenario.db.transaction() as session:
        if cohort is not None:
            session.add(Cohort(annotator_id=who, name=cohort))
        field = ProfileField.model_validate(NATIVE)
        registration.save_profile_answer(session, annotator_id=who, field=field, value=native, now=scenario.now)
    return who


def add_expert(scenario: Scenario, number: int) -> int:
    """A translator."""
    return add_person(scenario, number, cohort="translators")


def add_layman(scenario: Scenario, number: int) -> int:
    """A native speaker."""
    return add_person(scenario, number, native="українська")


def count_places(scenario: Scenario) -> dict[str, dict[str | None, int]]:
    """How many places each panel has in each item."""
    counts: dict[str, dict[str | None, int]] = {}
    with scenario.db.transaction() as session:
        assert invariants.list_violations(session) == ()
        rows = select(Item.external_id, Participation.panel).join(Assignment, Assignment.item_id == Item.id)  # type: ignore[arg-type]
        rows = rows.join(Participation, Participation.annotator_id == Assignment.annotator_id)  # type: ignore[arg-type]
        for item, panel in session.exec(rows.where(Assignment.holds_place)):
            of_item = counts.setdefault(item, {})
            of_item[panel] = of_item.get(panel, 0) + 1
    return counts


def test_an_item_gets_its_number_of_answers_from_each_panel(scenario: Scenario) -> None:
    """Three native speakers come first and two translators later: no panel takes a place of the other.

    The last of each finds nothing to do, and is not among the people who answered.
    """
    project = scenario.project(**KEYS)
    lay = [add_layman(scenario, number) for number in (1, 2, 3)]
    assert sum(len(scenario.all(who, project=project)) for who in lay) == 2 * 3
    experts = [add_expert(scenario, number) for number in (4, 5)]
    assert sum(len(scenario.all(who, project=project)) for who in experts) == 1 * 3
    counts = count_places(scenario)
    with scenario.db.transaction() as session:
        counted = campaign_status.get_campaign_status(session, queries.get_project(session, "p")).panels
    assert {name: vars(counts) for name, counts in counted.items()} == {
        "experts": {"people": 1, "answers": 3, "wanted": 3},
        "lay": {"people": 2, "answers": 6, "wanted": 6},
    }
    assert len(counts) == 3
    assert all(of_item == {"lay": 2, "experts": 1} for of_item in counts.values())
    assert scenario.wait(lay[0], project).reason is UnassignedReason.NOTHING_LEFT


def test_a_place_that_becomes_free_again_is_its_panels(scenario: Scenario) -> None:
    """A translator's lease expires: another translator gets the item, and no native speaker."""
    project = scenario.project(items=1, **KEYS)
    first, second = add_expert(scenario, 1), add_expert(scenario, 2)
    layman = add_layman(scenario, 3)
    scenario.assign(first, project)
    assert scenario.wait(second, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.answers(layman, 1, project=project)
    scenario.now += timedelta(days=2)
    assert scenario.wait(layman, project).reason is UnassignedReason.NOTHING_LEFT
    scenario.assign(second, project)
    assert count_places(scenario) == {"p-m-1": {"lay": 1, "experts": 1}}


def test_an_answer_after_its_lease_takes_no_place_of_another_panel(scenario: Scenario) -> None:
    """The panel got its answer from somebody else meanwhile: the late one is kept as extra."""
    project = scenario.project(items=1, **KEYS)
    first, second = add_expert(scenario, 1), add_expert(scenario, 2)
    late = scenario.assign(first, project)
    scenario.now += timedelta(days=2)
    scenario.answers(second, 1, project=project)
    scenario.submit(first, late)
    with scenario.db.transaction() as session:
        answer = [judgement for judgement in session.exec(select(Assignment)) if judgement.annotator_id == first]
        assert [(row.status, row.holds_place) for row in answer] == [(AssignmentStatus.DONE, False)]
    assert count_places(scenario) == {"p-m-1": {"experts": 1}}


def test_a_reinstated_answer_takes_no_place_of_another_panel(scenario: Scenario) -> None:
    """An excluded translator's place went to another one; it does not come back at the cost of the native speakers."""
    project = scenario.project(items=1, **KEYS)
    first, second = add_expert(scenario, 1), add_expert(scenario, 2)
    answered = scenario.assign(first, project)
    scenario.submit(first, answered)
    reason = Exclusion(ExclusionKind.ORGANISER, "asked a friend")
    ids = [answered.assignment_id]
    with scenario.db.transaction() as session:
        exclusions.exclude_answers(session, assignment_ids=ids, exclusion=reason, post_hoc=False, now=scenario.now)
    scenario.answers(second, 1, project=project)
    with scenario.db.transaction() as session:
        counted = exclusions.reinstate_answers(session, assignment_ids=ids, exclusion=reason, now=scenario.now)
    assert counted == 0
    assert count_places(scenario) == {"p-m-1": {"experts": 1}}


def test_a_place_that_was_taken_at_the_same_moment_is_given_back(scenario: Scenario) -> None:
    """The count is read again once the item is locked, so that two processes at once do not exceed it."""
    project = scenario.project(items=1, **KEYS)
    scenario.assign(add_expert(scenario, 1), project)
    second = add_expert(scenario, 2)
    with scenario.db.transaction() as session:
        item = session.exec(select(Item).where(Item.project_id == project)).one()
        assert overlap_counts.take_place(session, item_id=item.id or 0)
        assert not item_queue.has_place_of_panel(session, PanelQuota("experts", 1), item_id=item.id or 0)
        overlap_counts.return_place(session, item_id=item.id or 0)
    assert scenario.wait(second, project).reason is UnassignedReason.NOTHING_LEFT
    with scenario.db.transaction() as session:
        item = session.exec(select(Item).where(Item.project_id == project)).one()
        assert (item.free, item.n_live) == (2, 1)


@pytest.mark.parametrize("backend", ["postgresql"])  # on SQLite writers wait for each other
def test_two_of_a_panel_at_once_get_one_place(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the search for an item and the taking of its place another translator is handed it, and commits."""
    project = scenario.project(items=1, **KEYS)
    first, second = add_expert(scenario, 1), add_expert(scenario, 2)
    take, others = overlap_counts.take_first_place, [first]

    def take_after_another(session: Session, item_ids: Sequence[int]) -> ItemRow | None:
        if others:
            scenario.assign(others.pop(), project)
        return take(session, item_ids)

    monkeypatch.setattr(overlap_counts, "take_first_place", take_after_another)
    assert scenario.wait(second, project).reason is UnassignedReason.NOTHING_LEFT
    assert count_places(scenario) == {"p-m-1": {"experts": 1}}


def test_who_is_in_no_panel_or_in_two_is_handed_nothing(scenario: Scenario) -> None:
    """Organisers read why in the list of people."""
    project = scenario.project(**KEYS)
    neither = add_person(scenario, 1, native="інша")
    both = add_person(scenario, 2, cohort="translators", native="українська")
    for who in (neither, both):
        assert scenario.wait(who, project).reason is UnassignedReason.NOT_ADMITTED
    with scenario.db.transaction() as session:
        listed = roster.get_roster(session, project=queries.get_project(session, "p"), now=scenario.now)
    assert {entry.explanation for entry in listed.annotators} == {
        "panels: not in experts or lay",
        "panels: in experts and lay, where one is possible",
    }


def test_a_person_stays_in_the_panel_of_their_first_item(scenario: Scenario) -> None:
    """A native speaker becomes a translator, and goes on as a native speaker."""
    project = scenario.project(**KEYS)
    who = add_layman(scenario, 1)
    scenario.answers(who, 1, project=project)
    with scenario.db.transaction() as session:
        session.add(Cohort(annotator_id=who, name="translators"))
    scenario.all(who, project=project)
    assert all(of_item == {"lay": 1} for of_item in count_places(scenario).values())
    with scenario.db.transaction() as session:
        stored = queries.get_project(session, "p")
        panels = definitions.get_project_definition(stored).panels
        assert set(panel_members.read_panel_members(session, stored, panels).values()) == {("lay",)}


def test_a_person_in_two_panels_is_refused_at_the_start(scenario: Scenario) -> None:
    """By pseudonym, with what to do; taken out of the cohort they stop nothing."""
    scenario.project(instructions="Читайте.", **KEYS)
    who = add_person(scenario, 1, cohort="translators", native="українська")
    add_layman(scenario, 2)
    with scenario.db.transaction() as session:
        project = queries.get_project(session, "p")
        project.status = ProjectStatus.LOADED
        session.add(project)
        pseudonym = session.get_one(Annotator, who).pseudonym
        session.flush()
        with pytest.raises(Conflict, match=rf"1 person is in two panels: {pseudonym} \(experts and lay\).") as refused:
            transitions.start_project(session, project=project, now=scenario.now)
        assert "hromada people cohort PERSON COHORT --remove" in (refused.value.remedy or "")
        session.delete(session.get_one(Cohort, (who, "translators")))
        session.flush()
        transitions.start_project(session, project=project, now=scenario.now)
        frozen = project.frozen
    assert frozen is not None


def test_started_panels_may_not_change(scenario: Scenario) -> None:
    """Neither who is in them nor how much they give; nor does an extension raise the overlap past them."""
    scenario.project(instructions="Читайте.", **KEYS)
    file = scenario.folder / "p.yaml"
    with scenario.db.transaction() as session:
        project = queries.get_project(session, "p")
        project.status = ProjectStatus.LOADED
        session.flush()
        transitions.start_project(session, project=project, now=scenario.now)
    changed = file.read_text("utf-8").replace('"votes": 1', '"votes": 2').replace('"overlap": 3', '"overlap": 4')
    file.write_text(changed, "utf-8")
    with scenario.db.transaction() as session, pytest.raises(Conflict, match="`panels`"):
        projects.load_project_file(session, file, now=scenario.now, confirmed=True)
    with scenario.db.transaction() as session:
        project = queries.get_project(session, "p")
        with pytest.raises(Conflict, match="gets 3 answers to every item"):
            transitions.extend_project(session, project=project, now=scenario.now, overlap=5)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_order_of_steps_gives_an_item_more_answers_of_a_panel(scenario: Scenario, seed: int) -> None:
    """Answers in time and late, skips that are taken back, leases that end, exclusions and reinstatements."""
    rng = random.Random(seed)  # noqa: S311  # steps of a test
    project = scenario.project(items=4, **KEYS)
    people = [add_expert(scenario, 1), add_expert(scenario, 2), *(add_layman(scenario, number) for number in (3, 4, 5))]
    reason, shown = Exclusion(ExclusionKind.ORGANISER, "why"), dict[int, tuple[int, assignments.AssignedItem]]()
    for _ in range(60):
        who, step = rng.choice(people), rng.choice(("ask", "ask", "answer", "skip", "wait", "exclude", "reinstate"))
        scenario.now += timedelta(minutes=1)
        mine = [assigned for owner, assigned in shown.values() if owner == who]
        if step == "ask" and isinstance(asked := scenario.request_item(who, project), assignments.AssignedItem):
            shown[asked.assignment_id] = who, asked
        elif step == "wait":
            scenario.now += timedelta(hours=rng.choice((1, 30)))
        elif mine and step in ("answer", "skip"):
            assigned = rng.choice(mine)
            with suppress(Stale):
                (scenario.submit if step == "answer" else scenario.skip)(who, assigned)
        elif mine:
            ids = [rng.choice(mine).assignment_id]
            with scenario.db.transaction() as session:
                if step == "exclude":
                    exclusions.exclude_answers(
                        session, assignment_ids=ids, exclusion=reason, post_hoc=False, now=scenario.now
                    )
                else:
                    exclusions.reinstate_answers(session, assignment_ids=ids, exclusion=reason, now=scenario.now)
        for of_item in count_places(scenario).values():
            assert of_item.get("experts", 0) <= 1
            assert of_item.get("lay", 0) <= 2
    assert len(shown) > 4
