"""Two accounts of one person in a scenario, and what holds once they are one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlmodel import col

from annotation.store import database, frames, invariants, judgements, queries
from annotation.store.models import Assignment, Item, Judgement
from annotation.vocabulary import FIRST_PAGE_ID
from annotation.workflow.annotators import united_accounts
from annotation.workflow.annotators.united_accounts import Move

if TYPE_CHECKING:
    from tests.annotation.assignments.conftest import Scenario

YES, NO = "так", "ні"


def begin(scenario: Scenario, **keys: Any) -> tuple[int, int, int]:
    """A running project whose items come in the order of the file, an account of the page, and one with Telegram."""
    project = scenario.project(**keys)
    put_in_order(scenario)
    return project, scenario.person(FIRST_PAGE_ID + 1), scenario.person(1)


def put_in_order(scenario: Scenario) -> None:
    """Let everybody get the items in the order of the file."""
    with scenario.db.transaction() as session:
        session.connection().execute(sa.update(Item).values(queue_position=Item.rank + 10**9))


def unite(scenario: Scenario, page: int, own: int, *, is_confirmed: bool = True) -> Move:
    """Unite two accounts; all that must always hold holds then, and of one person no item counts twice."""
    with scenario.db.transaction() as session:
        moved = united_accounts.move_to_telegram(
            session,
            account=database.lock_annotator(session, page),
            own=database.lock_annotator(session, own),
            is_confirmed=is_confirmed,
            now=scenario.now,
        )
    check(scenario)
    return moved


def check(scenario: Scenario) -> None:
    """What must always hold."""
    with scenario.db.reading() as view:
        assert invariants.list_violations(view) == ()
        counted = Counter(tuple(row) for row in view.connection().execute(_COUNTED))
        assert [pair for pair, number in counted.items() if number > 1] == []


_COUNTED = (
    sa.select(col(Assignment.item_id), col(Assignment.annotator_id))
    .join(Judgement, col(Judgement.assignment_id) == col(Assignment.id))
    .where(judgements.build_final_revision_condition(), judgements.build_counting_condition())
    .where(col(Judgement.skip_reason).is_(None))
)


def list_responses(scenario: Scenario) -> list[tuple[str, str | None, str | None, int | None]]:
    """The exported answers: item, response, why it does not count, and its position."""
    with scenario.db.reading() as view:
        frame = frames.read_responses(view, queries.get_project(view, "p"))
        return [
            tuple(row) for row in frame[["item_id", "response", "excluded_reason", "position"]].itertuples(index=False)
        ]
