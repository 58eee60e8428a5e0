"""The database, on SQLite and PostgreSQL: migrations, transactions, constraints that hold."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from annotation import store, workflow
from annotation.store import database, journal, models, pseudonyms
from annotation.vocabulary import AssignmentStatus, Event, Surface

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HEAVY = ("pandas", "numpy", "crowdkit", "matplotlib", "prometheus_client")
NOT_FOR_THE_BOT = {
    "annotation.store.frames": "makes pandas frames for releases",
    "annotation.store.item_frames": "makes pandas frames of items for releases",
    "annotation.workflow.lifecycle.follow_up_consensus": "computes consensus by pandas, for a command of organisers",
    "annotation.store.migrations.env": "only Alembic can run it",
}
"""Modules that the bot does not import, with the reason."""


def test_a_transaction_that_fails_leaves_nothing(db: database.Database) -> None:
    """An error inside a transaction takes back everything that was written in it."""

    def fail() -> None:
        with db.transaction() as session:
            journal.record_event(session, Event.PROJECT_LOADED, now=NOW)
            raise KeyError("on purpose")

    with pytest.raises(KeyError):
        fail()
    with db.transaction() as session:
        assert journal.get_first_event(session, Event.PROJECT_LOADED) is None


def test_nobody_can_have_two_live_items_in_telegram(db: database.Database) -> None:
    """The schema itself refuses a second live Telegram assignment of one annotator, and one of an item that is not."""
    with db.transaction() as session:
        project = models.Project(
            name="p", title="p", language="uk", instructions="", instructions_sha256="", definition={},
            definition_sha256="", source="", created_at=NOW,
        )  # fmt: skip
        annotator = models.Annotator(pseudonym="x", created_at=NOW)
        session.add_all([project, annotator])
        session.flush()
        items = [
            models.Item(
                project_id=project.id or 0,
                external_id=str(number),
                group_id="g",
                rank=number,
                data={},
                stimulus="",
                stimulus_sha256="",
            )
            for number in range(2)
        ]
        session.add_all(items)
        session.flush()
        ids = [item.id or 0 for item in items]
        annotator_id = annotator.id or 0

    def live(item: int) -> models.Assignment:
        return models.Assignment(
            item_id=item, annotator_id=annotator_id, surface=Surface.TELEGRAM, status=AssignmentStatus.LIVE
        )

    with db.transaction() as session:
        session.add(live(ids[0]))
    for broken in (live(ids[1]), live(99)):
        with pytest.raises(IntegrityError), db.transaction() as session:
            session.add(broken)


def test_times_come_back_in_utc_and_naive_ones_are_refused(db: database.Database) -> None:
    """A stored time keeps its moment; a time without a zone is not stored."""
    with db.transaction() as session:
        journal.record_event(session, Event.KEY_MADE, now=NOW, data={})
    with db.transaction() as session:
        found = journal.get_first_event(session, Event.KEY_MADE)
        assert found is not None
        assert found.at == NOW
    with pytest.raises(sa.exc.StatementError), db.transaction() as session:
        journal.record_event(session, Event.KEY_MADE, now=NOW.replace(tzinfo=None))


def test_pseudonyms_are_keyed_by_namespace_and_name() -> None:
    """The same annotator gets the same pseudonym; another key, namespace or name another one; simulated ones say so."""
    key, other = b"k" * 32, b"o" * 32
    made = [
        pseudonyms.make_pseudonym(one, namespace=namespace, name=name)
        for one, namespace, name in (
            (key, "telegram", "42"),
            (other, "telegram", "42"),
            (key, "toloka", "42"),
            (key, "telegram", "43"),
        )
    ]
    assert len(set(made)) == 4
    assert made[0] == pseudonyms.make_pseudonym(key, namespace="telegram", name="42")
    assert pseudonyms.make_pseudonym(key, namespace="t", name="1", simulated=True).startswith("SIMULATED-")
    assert "42" not in pseudonyms.fingerprint_key(key)


@pytest.mark.process
def test_the_bot_loads_no_pandas() -> None:
    """The bot's process must stay small: no module that it may load brings in pandas, crowd-kit or
    Prometheus's client, which only a health port needs."""
    modules = [
        module.name
        for package in (store, workflow)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    ]
    assert {"annotation.store.judgements", "annotation.workflow.imports.vote_import", *NOT_FOR_THE_BOT} < set(modules)
    own = "bot.application", "bot.delivery.webhook", "bot.commands.bot", "bot.trials", "annotation.simulation.outcome"
    imported = [*(name for name in modules if name not in NOT_FOR_THE_BOT), *own]
    conversation = "bot.conversation.notifications, bot.conversation.update_handler"
    code = (
        f"import sys, {conversation}\nprint('telegram' in sys.modules)\n"
        f"import {', '.join(imported)}\nprint(sorted({set(HEAVY)} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n") == ["False", "[]", ""], "the conversation knows nothing of Telegram's library"


def test_json_is_stored_as_it_is_read(db: database.Database) -> None:
    """Letters are not escaped, which would make a database of Ukrainian texts three times as large."""
    with db.transaction() as session:
        journal.record_event(session, Event.PROJECT_LOADED, now=NOW, data={"назва": "кіт 🐈"})
        stored = session.connection().exec_driver_sql("SELECT CAST(data AS TEXT) FROM journal").scalar()
        assert stored == '{"назва": "кіт 🐈"}'
        (entry,) = session.exec(select(models.Journal)).all()
        assert entry.data == {"назва": "кіт 🐈"}
