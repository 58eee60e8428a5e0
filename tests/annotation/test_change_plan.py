"""Loading a changed file: a plan, what may change and what may not, and how the database takes it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select

from annotation.campaigns import project_file
from annotation.errors import BadInput, Conflict
from annotation.loading.campaign import read_contents
from annotation.store import database, journal, migrations, queries
from annotation.store.models import Item, Project
from annotation.vocabulary import Event, ProjectStatus
from annotation.workflow import assignments
from annotation.workflow.annotators import registration
from annotation.workflow.lifecycle import change_plan, projects
from annotation.workflow.monitoring import campaign_status

if TYPE_CHECKING:
    from tests.conftest import LaterRelease

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
Load = Callable[..., None]


def items_of(db: database.Database) -> dict[str, str]:
    """The stored items and what they show, in their order."""
    with db.transaction() as session:
        found = session.exec(select(Item).order_by(sa.text("rank"))).all()
        return {item.external_id: item.stimulus for item in found}


def answer_first(db: database.Database) -> None:
    """Somebody answers the first item."""
    with db.transaction() as session:
        who = (
            registration.register_telegram_annotator(session, telegram_id=1, language="uk", key=b"k" * 32, now=NOW).id
            or 0
        )
        offer = assignments.assign_next_item(assignments.lock_annotator(session, who), now=NOW)
        assert isinstance(offer, assignments.AssignedItem)
        tap(session, who, offer.assignment_id, option=0)


def tap(session: Session, who: int, assignment_id: int, *, option: int) -> assignments.SavedJudgement:
    """A tap on the option at this place of the order shown."""
    transaction = assignments.lock_annotator(session, who)
    opened = assignments.open_assignment(transaction, assignment_id=assignment_id, now=NOW)
    (asked,) = assignments.get_shown_questions(opened)
    answers = {asked.name: asked.labels[option]}
    return assignments.submit_judgement(opened, revision=0, answers=answers, now=NOW)


def change(folder: Path, old: str, new: str, *, file: str = "words.csv") -> Path:
    """Change a file, give the project's."""
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    return folder / "words.yaml"


def reload(db: database.Database, file: Path, *, yes: bool = True) -> projects.LoadedProject:
    """Load the file again."""
    with db.transaction() as session:
        return projects.load_project_file(session, file, now=NOW, confirmed=yes)


def planned(db: database.Database, file: Path) -> change_plan.ChangePlan:
    """What loading the file would change."""
    campaign = project_file.read_project(file)
    with db.transaction() as session:
        found = projects.plan_project(session, campaign, read_contents(campaign))
    assert found is not None
    return found


def test_before_anybody_came_everything_may_change(db: database.Database, load: Load, tmp_path: Path) -> None:
    """Items changed, removed, added, moved, another question: shown first, done with yes, told in the journal."""
    load("words", n=3, start=False)
    change(tmp_path, "words-2,підказка 2,кіт", "words-2,підказка два,кіт")
    change(tmp_path, "words-1,підказка 1,кіт,собака,собака\n", "")
    change(tmp_path, "words-3", "words-4,підказка 4,кіт,собака,кіт\nwords-3")
    file = change(tmp_path, 'text: "Яке?"', 'text: "Котре?"', file="words.yaml")
    plan = planned(db, file)
    assert (plan.keys, plan.added, plan.changed, plan.removed) == (
        ("question",), ("words-4",), ("words-2", "words-3"), ("words-1",)
    )  # fmt: skip
    with pytest.raises(Conflict, match=r"would change it .*items added: words-4.*--yes"):
        reload(db, file, yes=False)
    assert list(items_of(db)) == ["words-1", "words-2", "words-3"]
    assert reload(db, file).plan == plan
    assert items_of(db) == {"words-2": "підказка два", "words-4": "підказка 4", "words-3": "підказка 3"}
    assert reload(db, file).plan.empty
    with db.transaction() as session:
        known = queries.get_project(session, "words")
        assert len(journal.list_project_events(session, Event.PROJECT_CHANGED, project_id=known.id or 0)) == 1


def test_a_changed_file_is_judged_again(db: database.Database, load: Load, tmp_path: Path) -> None:
    """What the lint finds in it is given back and told in the journal; an error refuses it, changing nothing."""
    load("words", n=3)
    file = change(tmp_path, "words-2,підказка 2", "words-2,пiдказка 2")
    found = reload(db, file).findings
    assert [(one.rule.name, one.ids) for one in found] == [("mixed-script", ("words-2",))]
    with db.transaction() as session:
        known = queries.get_project(session, "words")
        (entry,) = journal.list_project_events(session, Event.PROJECT_CHANGED, project_id=known.id or 0)
        assert [(one["rule"], one["ids"]) for one in entry.data["findings"]] == [("mixed-script", ["words-2"])]
    change(tmp_path, "words-3,підказка 3,кіт,собака", "words-3,підказка 3,собака,собака")
    before = items_of(db)
    with pytest.raises(BadInput, match=r"words\.csv:4, first: The option 'собака' occurs twice"):
        reload(db, file)
    assert items_of(db) == before


@pytest.mark.parametrize(
    ("old", "new", "file", "says"),
    [
        ("words-1,підказка 1", "words-1,підказка раз", "words.csv", "item words-1 may not change: people have met it"),
        ("words-1,підказка 1,кіт,собака,собака", "words-9,підказка 1,кіт,собака,собака", "words.csv", "item words-1"),
        ("1,кіт,собака,собака", "1,кіт,собака,кіт", "words.csv", "(gold changed)"),
        ('text: "Яке?"', 'text: "Котре?"', "words.yaml", "the questions may not change"),
        ('text: "Яке?"', 'text: "Яке?", help: "Думайте!"', "words.yaml", "the questions may not change"),
        ("overlap: 2", "overlap: 2\nseed: 5", "words.yaml", "`seed` may not change"),
        ("overlap: 2", "overlap: 5", "words.yaml", "`overlap` may not change: it was started with 2; `hromada extend`"),
        ("gold_origin: construction", "gold_origin: expert", "words.yaml", "gold_origin changed"),
    ],
)  # fmt: skip
def test_what_people_have_met_may_not_change(
    db: database.Database, load: Load, tmp_path: Path, old: str, new: str, file: str, says: str
) -> None:
    """Text, gold, question and seed stay once somebody answered; the sentence says how to go on, nothing is changed."""
    load("words", n=3)
    answer_first(db)
    before = items_of(db)
    path = change(tmp_path, old, new, file=file)
    with pytest.raises(Conflict) as refused:
        reload(db, path)
    assert says in str(refused.value)
    assert "another project name" in str(refused.value)
    assert planned(db, path).forbidden
    assert items_of(db) == before


def test_the_fix_of_a_met_item_is_told_as_it_is_typed(db: database.Database, load: Load, tmp_path: Path) -> None:
    """With the path of the project file, so that it can be copied."""
    load("words", n=3)
    answer_first(db)
    path = change(tmp_path, "words-1,підказка 1", "words-1,підказка раз")
    with pytest.raises(Conflict) as refused:
        reload(db, path)
    assert f"hromada load {path} --fix words-1 (its answers no longer count" in str(refused.value)


def test_what_nobody_has_met_may_still_change(db: database.Database, load: Load, tmp_path: Path) -> None:
    """After answers, other items come, go and change, and so do title and instructions."""
    load("words", n=3)
    answer_first(db)
    change(tmp_path, "words-3,підказка 3,кіт,собака,собака", "words-4,підказка 4,кіт,собака,кіт")
    file = change(tmp_path, "довше?", "коротше?", file="words.yaml")
    assert reload(db, file).plan.keys == ("title",)
    assert list(items_of(db)) == ["words-1", "words-2", "words-4"]
    with db.transaction() as session:
        known = queries.get_project(session, "words")
        assert (known.title, campaign_status.get_campaign_status(session, known).answers) == ("Яке слово коротше?", 1)


def test_an_upgrade_keeps_answers_and_work_goes_on(
    db: database.Database, load: Load, later_release: LaterRelease
) -> None:
    """What was answered before the upgrade is there, and the next item can be assigned."""
    load("words", n=2)
    answer_first(db)
    with later_release.installed():
        migrations.upgrade_schema(db.engine)
        answer_first(db)
    with db.reading() as session:
        known = queries.get_project(session, "words")
        assert campaign_status.get_campaign_status(session, known).answers == 2


def test_the_schema_refuses_a_pool_that_there_is_not(db: database.Database, load: Load) -> None:
    """By a named constraint, on both databases."""
    load("words", n=1)
    with pytest.raises(sa.exc.IntegrityError, match="ck_item_pool"), db.engine.begin() as connection:
        connection.execute(sa.text("UPDATE item SET pool = 'swimming'"))


def test_a_project_that_asks_in_several_ways_is_loaded_and_offered(db: database.Database, tmp_path: Path) -> None:
    """With all that it says; no question is of a type that the bot turns away."""
    (tmp_path / "i.csv").write_text("id,text,gold\n1,так,5\n2,ні,4\n", "utf-8")
    (tmp_path / "p.yaml").write_text(
        "project: p\ntitle: p\nlanguage: uk\n"
        "questions: [{type: scale, text: q, options: [4, 5]}, {type: text, text: why, name: why}]\n"
        "items: {file: i.csv, id: id, show: {field: text}, gold: gold}\noverlap: 1\n".replace(
            "show: {field: text}", "show: [{field: text, title: Текст}]"
        ),
        "utf-8",
    )
    reload(db, tmp_path / "p.yaml")
    with db.transaction() as session:
        known = session.exec(select(Project)).one()
        item = session.exec(select(Item)).first()
        assert item is not None
        assert (item.gold, item.stimulus) == ("5", "Текст\nтак")
        assert item.pieces == [
            {"field": "text", "text": "так", "title": "Текст", "fold": False, "gap": None, "marks": [], "step": 1}
        ]
        who = (
            registration.register_telegram_annotator(session, telegram_id=2, language="uk", key=b"k" * 32, now=NOW).id
            or 0
        )
        known.status = ProjectStatus.RUNNING
        session.add(known)
        shown = assignments.assign_next_item(assignments.lock_annotator(session, who), now=NOW)
        assert isinstance(shown, assignments.AssignedItem)


def test_options_are_shuffled_for_each_annotator_and_taps_mean_what_was_shown(
    db: database.Database, load: Load, tmp_path: Path
) -> None:
    """With `shuffle` people see different orders; the label stored is the one that was tapped."""
    load("words", n=1, overlap=30)
    reload(db, change(tmp_path, 'text: "Яке?"', 'text: "Яке?", shuffle: yes', file="words.yaml"))
    orders = set()
    with db.transaction() as session:
        for number in range(20):
            who = (
                registration.register_telegram_annotator(
                    session, telegram_id=number, language="uk", key=b"k" * 32, now=NOW
                ).id
                or 0
            )
            offer = assignments.assign_next_item(assignments.lock_annotator(session, who), now=NOW)
            assert isinstance(offer, assignments.AssignedItem)
            shown = offer.questions[0].options
            orders.add(shown)
            assert tap(session, who, offer.assignment_id, option=1).answer == shown[1]
    assert orders == {("кіт", "собака"), ("собака", "кіт")}
