"""Messages that time has overtaken: what is left out of them, and which messages they edit.

A message is late where it was not sent when it was stored, or where nobody noted that it was: the bot was killed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import sqlalchemy as sa
from sqlmodel import Session, col

from annotation.store import mailbox
from annotation.store.mailbox import OutboxMessage
from annotation.store.models import Outbox


def settle_calls(
    session: Session, message: OutboxMessage, *, n_made: int = 0, shown: Mapping[int, int]
) -> OutboxMessage:
    """The message with the ids of those that it edits, which were on their way when its calls were stored.

    Of its calls the first `n_made` were made, and stay. `shown` are ids by assignment that are not stored yet. Left out
    is an edit of a message that never came, and a late card of an item that has been answered: it came before. It comes
    again only if it is still to be marked as answered.
    """
    made, rest = message.calls[:n_made], message.calls[n_made:]
    edited = {call["edits"] for call in rest if "edits" in call}
    found = {one: shown.get(one) or mailbox.get_message_id(session, assignment_id=one) for one in edited}
    cards = {call["shows"] for call in rest if message.late and "shows" in call}
    overtaken = (
        cards - _list_waiting(session, cards) - _list_pending_edits(session, message.chat_id) if cards else set()
    )
    calls = [
        {key: value for key, value in call.items() if key != "edits"}
        | ({"data": {**call["data"], "message_id": found[call["edits"]]}} if "edits" in call else {})
        for call in rest
        if ("edits" not in call or found[call["edits"]] is not None)
        and call.get("shows", call.get("illustrates")) not in overtaken
    ]
    return replace(message, calls=[*made, *calls])


def _list_waiting(session: Session, assignment_ids: Collection[int]) -> frozenset[int]:
    """Those of these assignments that wait for an answer, or for another one after an undo."""
    return frozenset(session.connection().execute(_WAITING, {"ids": list(assignment_ids)}).scalars())


def _list_pending_edits(session: Session, chat_id: int) -> frozenset[int]:
    """The assignments whose messages in a chat are still to be edited, once it is known which these are."""
    pending = session.connection().execute(sa.select(col(Outbox.calls)).where(col(Outbox.chat_id) == chat_id)).scalars()
    return frozenset(call["edits"] for calls in pending for call in calls if "edits" in call)


_WAITING = sa.text("""
SELECT id FROM assignment WHERE id IN :ids AND (status = 'live' OR open_revision IS NOT NULL)""").bindparams(
    sa.bindparam("ids", expanding=True)
)
