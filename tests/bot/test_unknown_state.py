"""The state of a conversation that another version has stored: the update is parked, and the annotator goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from annotation.store import parked

if TYPE_CHECKING:
    from tests.bot.conftest import Chat


@pytest.mark.parametrize("stored", ["UPDATE conversation SET step = 'dance'", "UPDATE conversation SET data = '[1]'"])
async def test_an_unknown_state_is_parked_and_holds_nobody_up(
    chat: Chat, load: Callable[..., None], stored: str
) -> None:
    """The update is tried twice, with an apology; the next one is answered, and the parked one can be tried again."""
    load(("Яке?", ["перше", "друге"]))
    person = chat.telegram.person(1)
    person.send("/start")
    await chat.deliver()
    with chat.database.transaction() as session:
        session.connection().execute(sa.text(stored))
    person.send("/start")
    await chat.deliver()
    with chat.database.reading() as view:
        [delivery] = parked.list_parked(view)
    assert delivery.reason == "The state of the conversation was stored by another version."
    assert delivery.pseudonym is not None
    assert (delivery.code or "?") in person.messages[-1].text
    seen = len(person.messages)
    person.send("/start")
    await chat.deliver()
    assert len(person.messages) > seen
    assert person.messages[-1].buttons
