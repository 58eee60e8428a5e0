"""What somebody sends besides text on the chat page, from the update to the answer."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from bot.emulator.model import MEDIA

if TYPE_CHECKING:
    from tests.bot.conftest import Chat


async def test_a_photo_a_sticker_and_a_voice_message_are_not_read(chat: Chat, load: Callable[..., None]) -> None:
    """Each is told so, and the question comes again; any other kind is refused."""
    load(("кіт — собака", ["кіт", "собака"]))
    person = chat.person()
    await chat.send(person, "/start")
    await chat.tap(person, "Українська")
    for kind in MEDIA:
        chat.now += timedelta(minutes=2)  # once a minute
        before = len(person.messages)
        person.send_media(kind)
        await chat.deliver()
        assert any("Ми читаємо лише текст." in one.text for one in person.messages[before:]), kind
    with pytest.raises(ValueError, match="photo, sticker, voice"):
        person.send_media("poll")
