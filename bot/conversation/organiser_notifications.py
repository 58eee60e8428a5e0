"""What organisers are told without asking: alerts, a digest by day, and where Telegram brought nothing for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from annotation.workflow.notices import daytime
from annotation.workflow.organisers import alerts
from annotation.workflow.organisers.alerts import Observation, OrganiserAlert
from annotation.workflow.organisers.export_requests import ClaimedExport
from bot.conversation import message_layout
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import get_organiser_texts, get_texts, match_language
from bot.conversation.updates_and_calls import (
    ConversationSettings,
    ExportFailure,
    NewDocument,
    NewMessage,
    TelegramCalls,
)
from bot.conversation.views import organiser_cards, organiser_messages
from bot.conversation.views.organiser_cards import OrganiserCard, OrganiserWords

if TYPE_CHECKING:
    from sqlmodel import Session

    from annotation.store.models import Annotator

MAX_REASON = 2000
"""How much is told of why there are no files, in UTF-16 units."""


def observe_campaigns(session: Session, *, now: datetime, settings: ConversationSettings) -> Observation | None:
    """Read what organisers may have to be told; None where there are none. Nothing is written."""
    if not settings.organisers:
        return None
    return alerts.observe_campaigns(session, now=now, telegram_ids=settings.organisers)


def tell_organisers(
    session: Session, *, now: datetime, settings: ConversationSettings, observed: Observation | None
) -> TelegramCalls:
    """The alerts and digests of which organisers were not told, marked as told in the same transaction.

    `observed` is what was read a moment ago, None where nothing was.
    """
    if observed is None:
        return ()
    alerts.store_progress(session, observed)
    found = [*observed.alerts, *alerts.list_incident_alerts(session, observed)]
    calls: list[NewMessage] = []
    for organiser in alerts.list_organisers(session, settings.organisers):
        words = organiser_cards.make_words(
            get_texts(match_language(organiser.language)),
            zone=organiser.time_zone,
            default_zone=settings.time_zone,
            now=now,
        )
        told = observed.told.get(organiser.id or 0, frozenset())
        untold = [alert for alert in found if alert.key not in told]
        for is_urgent in (True, False):
            group = [alert for alert in untold if (alert.kind in alerts.URGENT) is is_urgent]
            calls += _tell_alerts(session, group, organiser=organiser, words=words, is_urgent=is_urgent)
        calls += _send_digest(session, observed, organiser=organiser, words=words)
    return tuple(calls)


def _tell_alerts(
    session: Session,
    found: Sequence[OrganiserAlert],
    *,
    organiser: Annotator,
    words: OrganiserWords,
    is_urgent: bool,
) -> list[NewMessage]:
    """One message with the alerts that are new to an organiser; by night only urgent ones, without a sound.

    It is sent before the day ends, and urgent ones soon; later it is taken back, and they are told of what is so then.
    """
    annotator_id = organiser.id or 0
    day_end = daytime.find_day_end(words.now, words.zone, default=words.zone)
    if day_end is None and not is_urgent:
        return []
    untold = alerts.list_untold(session, found, annotator_id=annotator_id, now=words.now)
    if not untold:
        return []
    notice = alerts.name_message(words.now, is_urgent=is_urgent)
    ends = [*((day_end,) if day_end else ()), *((words.now + alerts.URGENT_TIME,) if is_urgent else ())]
    keys = [alert.key for alert in untold]
    alerts.mark_told(session, keys, annotator_id=annotator_id, notice=notice, now=words.now)
    messages = _build_messages(organiser_messages.render_alerts(untold, words), organiser)
    return [replace(message, silent=day_end is None, notice=notice, send_before=min(ends)) for message in messages]


def _send_digest(
    session: Session, observed: Observation, *, organiser: Annotator, words: OrganiserWords
) -> list[NewMessage]:
    """The digest of the day, where one is due: once a day, as the day begins, while anything runs."""
    annotator_id = organiser.id or 0
    day_end = daytime.find_day_end(words.now, words.zone, default=words.zone)
    key = f"digest {words.now.astimezone(ZoneInfo(words.zone)):%Y-%m-%d}"
    if day_end is None or not observed.digest or alerts.is_told(session, key, annotator_id=annotator_id):
        return []
    alerts.mark_told(session, [key], annotator_id=annotator_id, notice=alerts.DIGEST, now=words.now)
    messages = _build_messages(organiser_messages.render_digest(observed.digest, words), organiser)
    return [replace(message, notice=alerts.DIGEST, send_before=day_end) for message in messages]


def describe_export(
    claimed: ClaimedExport, made: bytes | ExportFailure, *, settings: ConversationSettings
) -> TelegramCalls:
    """The message with the zipped files that an organiser asked for, or why there are none.

    Nothing to whoever has ceased to be one meanwhile.
    """
    if claimed.telegram_id not in settings.organisers:
        return ()
    words = get_organiser_texts(match_language(claimed.language))
    if not isinstance(made, ExportFailure):
        caption = words("export-caption", project=claimed.project)
        return (NewDocument(chat_id=claimed.telegram_id, name=f"{claimed.project}.zip", content=made, caption=caption),)
    if made.kind == "too-large":
        text = words("export-too-large", project=claimed.project, size=made.megabytes)
    else:
        known = {"too-slow": "export-too-slow", "given-up": "export-given-up"}
        reason = message_layout.shorten_text(words(known[made.kind]) if made.kind in known else made.reason, MAX_REASON)
        text = words("export-failed", project=claimed.project, reason=reason)
    told = message_layout.render_messages([TextBlock(text)], get_texts(words.language))
    return tuple(NewMessage(chat_id=claimed.telegram_id, html=part.html, silent=False) for part in told)


def _build_messages(card: OrganiserCard, organiser: Annotator) -> list[NewMessage]:
    chat = organiser.telegram_id or 0
    return [
        NewMessage(chat_id=chat, html=part.html, buttons=part.buttons, silent=False, repeatable=False) for part in card
    ]
