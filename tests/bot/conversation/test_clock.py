"""A clock that is set back while somebody answers: nobody is judged by a duration that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from sqlmodel import col, select

from annotation.store import invariants, models, queries
from annotation.workflow.annotators import payments
from annotation.workflow.monitoring import item_history, progress
from annotation.workflow.organisers import people

if TYPE_CHECKING:
    from annotation.store.database import Database
    from tests.bot.conversation.conftest import Chat

TEN_MINUTES = timedelta(minutes=10)
RULE = "quality: [{rule: seconds, least: 1 s, consequence: exclude}]"


@pytest.mark.parametrize("back", [TEN_MINUTES, timedelta(days=366)])
def test_an_answer_before_its_item_was_shown_took_nobody_knows_how_long(
    db: Database, chat: Chat, load: Callable[..., None], back: timedelta
) -> None:
    """It counts, although every answer has to take a second; means and medians leave it out, and say why."""
    load(more=RULE)
    chat.say("/start")
    chat.tap("Українська")
    if chat.last.labels[0] == "Почати":
        chat.tap("Почати")
    chat.now += timedelta(seconds=20) - back
    chat.tap("А")
    chat.now += timedelta(seconds=19)
    chat.tap("А")
    with db.reading() as view:
        project = queries.get_project(view, "words")
        first, second = view.exec(select(models.Judgement).order_by(col(models.Judgement.id))).all()
        assert (first.seconds, first.excluded_kind) == (None, None)
        assert first.seconds_unknown is not None
        assert first.seconds_unknown.value == "answered before it was shown"
        assert (second.seconds, second.seconds_unknown) == (20.0, None)
        items = view.exec(select(models.Item).order_by(col(models.Item.id))).all()
        tallies = progress.measure_items(view, items, with_votes=False)
        assert sorted(str(one.seconds) for one in tallies) == ["20.0", "None"]
        answered_first = view.get_one(models.Assignment, first.assignment_id)
        name = view.get_one(models.Item, answered_first.item_id).external_id
        events = item_history.get_item_history(view, project, name, with_votes=False).events
        assert "answered, and nobody knows how long it took: answered before it was shown" in [
            event.what for event in events
        ]
        (who,) = view.exec(select(models.Annotator)).all()
        assert people.get_person(view, project_id=project.id or 0, annotator_id=who.id or 0).median_seconds is None
        work = payments.summarise_recent_work(view, annotator_id=who.id or 0, since=chat.now - timedelta(days=1))
        assert (work.seconds, work.median) == (20.0, None)  # one answer has no pace
        assert invariants.list_violations(view) == ()
