"""What follows from an answer, on a real database: consequences, places, post hoc, dynamic overlap."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col, func, select

from aggregation.findings import read_plain
from annotation.campaigns import project_file as project_files
from annotation.errors import Conflict
from annotation.store import frames, judgements, overlap_counts, queries, table_base
from annotation.store.database import Database
from annotation.store.models import (
    Annotator,
    Assignment,
    Item,
    Journal,
    Judgement,
    Participation,
    Project,
    RequeuedItem,
)
from annotation.vocabulary import ABSTAINED, EXTRA, AssignmentStatus, Event, ParticipationStatus, Pool, Stage, Surface
from annotation.workflow.lifecycle import projects
from annotation.workflow.quality import enforcement, rules
from annotation.workflow.quality.rules import RuleBreach

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PROJECT = """\
project: cats
title: Коти
language: uk
instructions: Читайте.
{question}
items: {{file: items.csv, id: id, show: [text], gold: gold, where: {{pool: main}}{items}}}
overlap: {overlap}
stages: {{training: {{pool: {{where: {{pool: training}}}}}}}}
controls: {{pool: {{where: {{pool: control}}}}, per_page: 1{controls}}}
pages: {{items: 3}}
quality:
{quality}
"""
QUESTION = 'question: {type: choice, text: "?", options: [так, ні], abstain: не знаю}'
QUALITY = "  - {rule: seconds, least: 5 s, consequence: flag}"
NEVER = "control items right <= 50%, with at least 2"


@dataclass
class Campaign:
    """A running project, with answers made by hand."""

    session: Session
    project: Project
    definition: project_files.ProjectFile

    def person(self, name: str = "p1") -> int:
        """Somebody in the main stage."""
        made = Annotator(pseudonym=name, created_at=NOW)
        self.session.add(made)
        self.session.flush()
        who, where = made.id or 0, self.project.id or 0
        self.session.add(Participation(annotator_id=who, project_id=where, stage=Stage.MAIN, since=NOW, joined_at=NOW))
        self.session.flush()
        return who

    def item(self, name: str) -> Item:
        """An item as it is now."""
        chosen = select(Item).where(Item.external_id == name)
        return self.session.exec(chosen.execution_options(populate_existing=True)).one()

    def assign(self, who: int, name: str, **facts: Any) -> Assignment:
        """An item in somebody's hands."""
        item = self.item(name)
        holds = item.pool is Pool.MAIN
        if holds:
            assert overlap_counts.take_place(self.session, item_id=item.id or 0)
        control = item.pool is Pool.CONTROL
        given = {"status": AssignmentStatus.LIVE, "surface": Surface.TELEGRAM, "stage": item.pool.stage} | facts
        made = Assignment(
            project_id=self.project.id or 0, item_id=item.id or 0, annotator_id=who, holds_place=holds,
            is_control=control, assigned_at=NOW, **given,
        )  # fmt: skip
        self.session.add(made)
        self.session.flush()
        return made

    def answer(self, who: int, name: str, said: str | dict[str, str] = "так", **facts: Any) -> int:
        """An answer, and what follows from it; the id of its assignment."""
        made, self.broken = self.answered(who, name, said, **facts)
        return made

    def answered(
        self, who: int, name: str, said: str | dict[str, str], *, seconds: float | None = 9.0, **facts: Any
    ) -> tuple[int, tuple[RuleBreach, ...]]:
        """An answer and the rules that it broke."""
        made = self.assign(who, name, **{"status": AssignmentStatus.DONE} | facts)
        if made.holds_place:
            overlap_counts.fill_place(self.session, item_id=made.item_id)
        return made.id or 0, self.judge(made.id or 0, said, seconds=seconds)

    def judge(
        self, made: int, said: str | dict[str, str], *, seconds: float | None = 9.0, revision: int = 0
    ) -> tuple[RuleBreach, ...]:
        """One more revision of an answer."""
        first = next(iter(said.values()), "") if isinstance(said, dict) else said
        answers = said if isinstance(said, dict) else None
        self.session.add(
            Judgement(
                assignment_id=made, revision=revision, response=first, response_raw=first, answers=answers,
                seconds=seconds, answered_at=NOW,
                **table_base.list_exclusion_values(ABSTAINED if first == "не знаю" else None),
            )
        )  # fmt: skip
        self.session.flush()
        return enforcement.enforce_rules(
            self.session,
            project=self.project,
            definition=self.definition,
            participation=self.participation(self.session.get_one(Assignment, made).annotator_id),
            assignment_id=made,
            now=NOW,
        )

    def final(self, made: int) -> Judgement:
        """The answer as it stands."""
        chosen = select(Judgement).where(Judgement.assignment_id == made).order_by(col(Judgement.revision).desc())
        return self.session.exec(chosen.limit(1).execution_options(populate_existing=True)).one()

    def reason(self, made: int) -> str | None:
        """Why the answer does not count."""
        return self.final(made).excluded_reason

    def places(self, name: str) -> tuple[int, int, int]:
        """Free, live and done places of an item."""
        item = self.item(name)
        return item.free, item.n_live, item.n_done

    def participation(self, who: int) -> Participation:
        """An annotator's participation."""
        return self.session.get_one(Participation, (who, self.project.id or 0))

    def events(self, event: Event) -> list[dict[str, Any]]:
        """What the journal says."""
        return [one.data for one in self.session.exec(select(Journal).where(Journal.event == event.value))]

    def wants_more(self, name: str) -> bool:
        """Whether an item needs another answer."""
        return enforcement.needs_more_answers(
            self.session, project=self.project, definition=self.definition, item_id=self.item(name).id or 0
        )

    def sound(self) -> None:
        """Every count of every item is what the assignments say."""
        for item in self.session.exec(select(Item).execution_options(populate_existing=True)):
            held = select(func.count()).where(Assignment.item_id == item.id, col(Assignment.holds_place))
            assert item.n_live == self.session.exec(held).one()
            assert item.n_done == self.session.exec(held.where(Assignment.status == AssignmentStatus.DONE)).one()


Make = Callable[..., Campaign]


@pytest.fixture
def campaign(db: Database, tmp_path: Path) -> Iterator[Make]:
    """Loads and starts a project of six main items m1 …, six control items c1 … and six training items t1 …."""
    with db.transaction() as session:

        def made(
            *rules: str, question: str = QUESTION, overlap: str = "3", items: str = "", controls: str = ""
        ) -> Campaign:
            rows = [
                f"{pool[0]}{n},Кіт {pool} {n},так,1,{pool},{own}"
                for pool in ("main", "control", "training")
                for n, own in enumerate(['"[""так"", ""ні""]"', '"[""так"", ""ні"", ""може""]"'] * 3, start=1)
            ]
            (tmp_path / "items.csv").write_text("\n".join(["id,text,gold,kind,pool,own", *rows]) + "\n", "utf-8")
            file = tmp_path / "cats.yaml"
            told = {"question": question, "overlap": overlap, "items": items, "controls": controls}
            file.write_text(PROJECT.format(**told, quality="\n".join(rules) or QUALITY), "utf-8")
            projects.load_project_file(session, file, now=NOW, confirmed=True)
            project = queries.get_project(session, "cats")
            definition = project_files.parse_definition(project.definition)
            least = definition.min_overlap or 0
            session.execute(sa.update(Item).where(col(Item.pool) == Pool.MAIN).values(free=least))
            session.flush()
            return Campaign(session, project, definition)

        yield made


def rule(name: str, consequence: str, keys: str) -> str:
    """One line of `quality`."""
    return f"  - {{rule: {name}, {keys}, consequence: {consequence}}}"


@pytest.mark.parametrize(("accuracy", "out"), [("< 50 %", False), ("<= 50 %", True)])
def test_who_fails_the_controls_is_excluded_with_all_answers(campaign: Make, accuracy: str, out: bool) -> None:
    """Everything of the main stage is excluded, the places are free, what is live is taken back."""
    cats = campaign(rule("control", "exclude", f"accuracy: {accuracy}, min_controls: 2"))
    who, other = cats.person(), cats.person("p2")
    mine = [cats.answer(who, "m1"), cats.answer(who, "m2", "не знаю")]
    theirs = cats.answer(other, "m1")
    held = cats.assign(who, "m3").id or 0
    cats.answer(who, "c1", "так")
    assert cats.participation(who).status is ParticipationStatus.ACTIVE
    last = cats.answer(who, "c2", "ні")
    cats.sound()
    if not out:
        assert cats.reason(mine[0]) is None
        assert cats.places("m1") == (1, 2, 2)
        return
    participation = cats.participation(who)
    assert (participation.status, participation.reason) == (ParticipationStatus.EXCLUDED, NEVER)
    assert [cats.reason(one) for one in (*mine, last, theirs)] == [NEVER, "abstained", NEVER, None]
    assert [cats.places(name) for name in ("m1", "m2", "m3")] == [(2, 1, 1), (3, 0, 0), (3, 0, 0)]
    assert cats.session.get_one(Assignment, held).status is AssignmentStatus.EXPIRED
    assert not cats.final(last).post_hoc
    (event,) = cats.events(Event.ANNOTATOR_EXCLUDED)
    assert (read_plain(event["rule"]), event["assignment"]) == (NEVER, last)
    assert [(one["answers"], one["post_hoc"]) for one in cats.events(Event.ANSWERS_EXCLUDED)] == [(3, False)]
    assert len(cats.session.exec(select(RequeuedItem)).all()) == 3


def test_what_an_excluded_person_still_sends_does_not_count(campaign: Make) -> None:
    """A late answer is excluded at once, and its place given back."""
    cats = campaign(rule("control", "exclude", "accuracy: <= 50 %, min_controls: 1"))
    who = cats.person()
    cats.answer(who, "c1", "ні")
    late = cats.answer(who, "m1")
    assert cats.reason(late) == "control items right <= 50%, with at least 1"
    assert cats.places("m1") == (3, 0, 0)
    cats.sound()


def test_a_person_can_be_readmitted(campaign: Make) -> None:
    """What still has a place counts again; what others have filled meanwhile is extra."""
    cats = campaign(rule("control", "exclude", "accuracy: <= 50 %, min_controls: 1"), overlap="1")
    who, other = cats.person(), cats.person("p2")
    lost, back, abstained = (cats.answer(who, name, said) for name, said in
                             (("m1", "так"), ("m2", "ні"), ("m3", "не знаю")))  # fmt: skip
    control = cats.answer(who, "c1", "ні")
    cats.answer(other, "m1")
    counting = enforcement.readmit_annotator(cats.session, annotator_id=who, project_id=cats.project.id or 0, now=NOW)
    assert counting == 2
    assert [cats.reason(one) for one in (lost, back, abstained, control)] == [EXTRA.reason, None, "abstained", None]
    assert cats.participation(who).status is ParticipationStatus.ACTIVE
    assert [one["answers"] for one in cats.events(Event.ANSWERS_REINSTATED)] == [2]
    cats.sound()
    with pytest.raises(Conflict, match="neither paused nor excluded"):
        enforcement.readmit_annotator(cats.session, annotator_id=who, project_id=cats.project.id or 0, now=NOW)


@pytest.mark.parametrize(
    ("consequence", "flags", "reason", "status"),
    [
        ("flag", ["under 5 s for an item"], None, ParticipationStatus.ACTIVE),
        ("pause", None, None, ParticipationStatus.PAUSED),
        ("exclude", None, "under 5 s for an item", ParticipationStatus.ACTIVE),
    ],
)
def test_each_consequence_of_a_hasty_answer(
    campaign: Make, consequence: str, flags: list[str] | None, reason: str | None, status: ParticipationStatus
) -> None:
    """Flagged beside the answer, the person paused with the reason, or that answer alone excluded."""
    cats = campaign(rule("seconds", consequence, "least: 5 s"))
    who = cats.person()
    slow, fast = cats.answer(who, "m1", seconds=5.0), cats.answer(who, "m2", seconds=4.9)
    assert (cats.final(slow).flags, cats.reason(slow)) == (None, None)
    assert (cats.final(fast).flags, cats.reason(fast), cats.participation(who).status) == (flags, reason, status)
    assert cats.participation(who).reason == ("under 5 s for an item" if consequence == "pause" else None)
    assert cats.places("m2") == ((3, 0, 0) if consequence == "exclude" else (2, 1, 1))
    columns = sa.text("SELECT excluded_reason, flags FROM judgement WHERE assignment_id = :made")
    stored = [one for one in cats.session.execute(columns, {"made": fast}).one() if one is not None]
    code = {"code": "too-fast-item", "arguments": {"seconds": 5.0}}
    for one in stored:
        found = json.loads(one) if isinstance(one, str) else one
        assert found == (code if reason else [code])
    assert len(stored) == (consequence != "pause")
    told = {"flag": Event.QUALITY_FLAGGED, "pause": Event.ANNOTATOR_PAUSED, "exclude": Event.ANSWERS_EXCLUDED}
    assert [len(cats.events(event)) for event in told.values()] == [int(one == consequence) for one in told]
    cats.sound()


def test_a_corrected_answer_is_judged_anew(campaign: Make) -> None:
    """The hasty first answer stays excluded, the corrected one counts, with a place, and every number sees that one."""
    cats = campaign(rule("seconds", "exclude", "least: 5 s"))
    made = cats.answer(cats.person(), "m1", "ні", seconds=2.0)
    assert cats.places("m1") == (3, 0, 0)
    assert queries.list_final_answers(cats.session, project_id=cats.project.id or 0) == []
    cats.judge(made, "так", seconds=8.0, revision=1)
    assert cats.reason(made) is None
    assert cats.places("m1") == (2, 1, 1)
    (row,) = frames.read_responses(cats.session, cats.project).to_dict("records")
    assert (row["response"], row["excluded_reason"]) == ("так", None)
    assert [one[3] for one in queries.list_final_answers(cats.session, project_id=cats.project.id or 0)] == ["так"]
    first = cats.session.exec(select(Judgement).where(Judgement.revision == 0)).one()
    assert first.excluded_reason == "under 5 s for an item"
    cats.sound()


def test_what_the_caller_changed_by_a_statement_is_seen(campaign: Make) -> None:
    """An assignment that was ended by an UPDATE is judged as it is in the database."""
    cats = campaign(rule("seconds", "exclude", "least: 5 s"))
    made = cats.assign(cats.person(), "m1")
    ended = sa.update(Assignment).where(col(Assignment.id) == made.id).values(status=AssignmentStatus.DONE)
    cats.session.connection().execute(ended)
    overlap_counts.fill_place(cats.session, item_id=made.item_id)
    cats.judge(made.id or 0, "так", seconds=1.0)
    assert cats.reason(made.id or 0) == "under 5 s for an item"
    cats.sound()


def test_a_corrected_answer_whose_place_is_gone_is_extra(campaign: Make) -> None:
    """Overlap is never exceeded by a correction."""
    cats = campaign(rule("seconds", "exclude", "least: 5 s"), overlap="1")
    made = cats.answer(cats.person(), "m1", "ні", seconds=2.0)
    cats.answer(cats.person("p2"), "m1")
    cats.judge(made, "так", seconds=8.0, revision=1)
    assert cats.reason(made) == EXTRA.reason
    assert cats.places("m1") == (0, 1, 1)
    cats.sound()


def test_a_correction_may_break_a_rule_that_the_first_answer_kept(campaign: Make) -> None:
    """Undo does not evade a rule."""
    question = 'question: {type: text, text: "?"}'
    cats = campaign(rule("text", "exclude", "refuses: [empty]"), question=question)
    made = cats.answer(cats.person(), "m1", "пухнастий")
    cats.judge(made, "...", revision=1)
    assert cats.reason(made) == "text without words"
    assert cats.places("m1") == (3, 0, 0)
    cats.sound()


def test_a_page_answered_too_fast_is_excluded_whole(campaign: Make) -> None:
    """Three items, one of them a control, in 29 s; the page before stays, and a correction brings the page back."""
    cats = campaign(rule("seconds", "exclude", "least: 30 s, per: page"))
    who = cats.person()
    before = [cats.answer(who, name, seconds=10.0, page=1) for name in ("m1", "m2", "c1")]
    page = [cats.answer(who, name, seconds=9.5, page=2) for name in ("m3", "m4")]
    assert cats.broken == ()
    page.append(cats.answer(who, "c2", seconds=10.0, page=2))
    assert [cats.reason(one) for one in (*before, *page)] == [None] * 3 + ["under 30 s for a page"] * 3
    assert [cats.places(name) for name in ("m1", "m3", "m4")] == [(2, 1, 1), (3, 0, 0), (3, 0, 0)]
    cats.judge(page[0], "ні", seconds=12.0, revision=1)
    assert [cats.reason(one) for one in page] == [None] * 3
    assert cats.places("m4") == (2, 1, 1)
    cats.sound()


@pytest.mark.parametrize(
    ("orders", "said", "out"),
    [
        ([[0, 1, 2], [1, 0, 2], [0, 1, 2]], ["так", "ні", "так"], True),
        ([[0, 1, 2], [1, 0, 2], [0, 1, 2]], ["так", "так", "так"], False),
        ([None, None, None], ["ні", "ні", "ні"], True),
    ],
)
def test_straight_lining_goes_by_the_order_shown(
    campaign: Make, orders: list[list[int] | None], said: list[str], out: bool
) -> None:
    """The same place three times is the rule, whatever stood there."""
    cats = campaign(rule("straight_lining", "exclude", "run: 3"))
    who = cats.person()
    names = ["m1", "c1", "m2"]
    made = [
        cats.answer(who, name, one, option_order=order) for name, one, order in zip(names, said, orders, strict=True)
    ]
    words = "the same place 3 times in a row" if out else None
    assert [cats.reason(one) for one in made] == [words] * 3
    assert cats.participation(who).reason == words
    cats.sound()


def test_texts_are_compared_with_the_annotators_own_and_with_the_item(campaign: Make, tmp_path: Path) -> None:
    """A text copied from the item, one said before, one with a word of the list, as the list was when it was loaded."""
    (tmp_path / "rude.txt").write_text("дідько\n\n", "utf-8")
    keys = "refuses: [copied, repeated, words], words: rude.txt"
    cats = campaign(rule("text", "exclude", keys), question='question: {type: text, text: "?"}')
    (tmp_path / "rude.txt").write_text("собака\n", "utf-8")
    who, other = cats.person(), cats.person("p2")
    assert cats.project.word_lists == {"rude.txt": ["дідько"]}
    made = [
        cats.answer(who, name, said)
        for name, said in (("m1", "кіт MAIN  1"), ("m2", "Собака"), ("m3", "собака"), ("m4", "о, дідько"))
    ]
    assert [cats.reason(one) for one in made] == [
        "text copied from the item", None, "text repeated from item to item", "text with a word of the list",
    ]  # fmt: skip
    assert cats.reason(cats.answer(other, "m1", "собака")) is None


def test_the_right_answer_is_not_copied(campaign: Make) -> None:
    """Gold lies in a column beside the text, and nobody sees it: an annotator who gives it has copied nothing."""
    cats = campaign(rule("text", "exclude", "refuses: [copied]"), question='question: {type: text, text: "?"}')
    gold = cats.item("m1").gold
    assert gold is not None
    assert cats.reason(cats.answer(cats.person(), "m1", gold)) is None


def test_a_changed_word_list_is_a_change_of_the_project(campaign: Make, tmp_path: Path) -> None:
    """Loading again reads the list again."""
    (tmp_path / "rude.txt").write_text("дідько\n", "utf-8")
    rules = rule("text", "flag", "refuses: [words], words: rude.txt")
    digest = campaign(rules, question='question: {type: text, text: "?"}').project.definition_sha256
    (tmp_path / "rude.txt").write_text("собака\n", "utf-8")
    cats = campaign(rules, question='question: {type: text, text: "?"}')
    assert cats.project.definition_sha256 != digest
    assert cats.project.word_lists == {"rude.txt": ["собака"]}


@pytest.mark.parametrize("changed", [False, True])
def test_what_changed_rules_exclude_is_post_hoc(campaign: Make, changed: bool) -> None:
    """The rules are compared with those that were frozen at the start."""
    cats = campaign(rule("seconds", "exclude", "least: 5 s"))
    digest = rules.hash_rules(cats.definition.quality, cats.project.word_lists)
    cats.project.frozen = {"rules": {"quality": "another" if changed else digest}}
    made = cats.answer(cats.person(), "m1", seconds=1.0)
    assert cats.final(made).post_hoc is changed
    assert [one["post_hoc"] for one in cats.events(Event.ANSWERS_EXCLUDED)] == [changed]


def test_controls_are_counted_on_their_questions_and_with_training(campaign: Make) -> None:
    """Only the named question is judged; training counts where the rule says so; abstentions say nothing."""
    asked = (
        'questions: [{name: usable, type: choice, text: "?", options: [так, ні], abstain: не знаю},'
        ' {name: kind, type: scale, text: "?", options: ["1", "2"]}]'
    )
    keys = "accuracy: < 75 %, min_controls: 3, training_counts: yes"
    cats = campaign(
        rule("control", "flag", keys), question=asked, items=", golds: {kind: kind}", controls=", questions: [usable]"
    )
    who = cats.person()
    right, wrong = {"usable": "так", "kind": "2"}, {"usable": "ні", "kind": "1"}
    cats.answer(who, "t1", right)
    cats.answer(who, "c1", right)
    assert cats.broken == ()
    cats.answer(who, "c2", {"usable": "не знаю", "kind": "1"})
    assert cats.broken == ()
    last = cats.answer(who, "c3", wrong)
    assert cats.final(last).flags == ["control and training items right < 75%, with at least 3"]
    cats.answer(who, "m1", wrong)
    assert cats.broken == ()  # control accuracy is checked after an answer to a control item


def test_training_and_qualification_are_left_alone(campaign: Make) -> None:
    """Rules are for answers that somebody uses."""
    cats = campaign(rule("seconds", "exclude", "least: 5 s"))
    assert cats.reason(cats.answer(cats.person(), "t1", seconds=0.1)) is None


SKILLED = "{min: 2, max: 4, confidence: 96 %}"


def skilled(cats: Campaign, name: str, right: int) -> int:
    """A person with four control items, so many of them right: (0.5 + right) / 5."""
    who = cats.person(name)
    for number in range(1, 5):
        cats.answer(who, f"c{number}" if number > 2 else f"t{number}", "так" if number <= right else "ні")
    return who


def test_dynamic_overlap_ends_where_the_votes_are_sure(campaign: Make) -> None:
    """0.7 and 0.9 agree: .9545 with two options goes on, .9767 with three is done."""
    question = 'question: {type: choice, text: "?"}'
    cats = campaign(question=question, overlap=SKILLED, items=", options: own")
    some, good, third = skilled(cats, "some", 3), skilled(cats, "good", 4), skilled(cats, "third", 4)
    for name in ("m1", "m2"):
        cats.answer(some, name)
        assert not cats.wants_more(name)  # a place is free still
        cats.answer(good, name)
    assert (cats.wants_more("m1"), cats.wants_more("m2")) == (True, False)
    overlap_counts.add_places(cats.session, item_id=cats.item("m1").id or 0, number=1, now=NOW)
    live = cats.assign(third, "m1")
    assert not cats.wants_more("m1")  # an answer is still to come
    live.status = AssignmentStatus.DONE
    overlap_counts.fill_place(cats.session, item_id=live.item_id)
    cats.judge(live.id or 0, "так")
    assert not cats.wants_more("m1")  # 0.7, 0.9 and 0.9: .9947
    cats.sound()


def test_dynamic_overlap_ends_at_its_maximum(campaign: Make) -> None:
    """Nobody's skill is known, so nothing is ever sure; the fourth answer is the last."""
    cats = campaign(overlap=SKILLED)
    wanted = []
    for number in range(4):
        if number >= 2:
            overlap_counts.add_places(cats.session, item_id=cats.item("m1").id or 0, number=1, now=NOW)
        cats.answer(cats.person(f"p{number}"), "m1")
        wanted.append(cats.wants_more("m1"))
    assert wanted == [False, True, True, False]
    assert not campaign(overlap="4").wants_more("m1")


def test_what_does_not_count_does_not_make_sure(campaign: Make) -> None:
    """Excluded answers and abstentions are no votes."""
    cats = campaign(rule("seconds", "exclude", "least: 5 s"), overlap="{min: 2, max: 4, confidence: 90 %}")
    one, two, three = (skilled(cats, name, 4) for name in ("one", "two", "three"))
    cats.answer(one, "m1")
    cats.answer(two, "m1", "не знаю")
    assert not cats.wants_more("m1")  # 0.9 and nothing
    cats.answer(one, "m2", "не знаю")
    cats.answer(two, "m2", "не знаю")
    assert cats.wants_more("m2")
    cats.answer(three, "m3", seconds=1.0)
    assert cats.places("m3") == (2, 0, 0)


def test_a_persons_known_items_are_found_by_their_partial_indexes(campaign: Make) -> None:
    """However many other items were answered, nothing else is read."""
    cats = campaign()
    asked: list[tuple[str, Any]] = []
    connection = cats.session.connection()
    postgresql = connection.dialect.name == "postgresql"

    @sa.event.listens_for(connection.engine, "before_cursor_execute")
    def listen(_connection: object, _cursor: object, statement: str, parameters: Any, *_rest: object) -> None:
        asked.append((statement, parameters))

    judgements.list_gold_answers(cats.session, annotator_id=1, project_id=1, training=True)
    sa.event.remove(connection.engine, "before_cursor_execute", listen)
    if postgresql:
        connection.exec_driver_sql("SET LOCAL enable_seqscan = off")
    explain = "EXPLAIN" if postgresql else "EXPLAIN QUERY PLAN"
    plans = [str(connection.exec_driver_sql(f"{explain} {one}", given).all()) for one, given in asked]
    assert ["ix_assignment_control" in plans[0], "ix_assignment_training" in plans[1]] == [True, True]
    assert not any("SCAN" in plan for plan in plans)
