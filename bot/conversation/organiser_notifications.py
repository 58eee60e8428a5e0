"""What organisers are told without asking: alerts, a digest by day, and where Telegram brought nothing for a while."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from annotation.errors import Stale
from annotation.workflow.monitoring import needs
from annotation.workflow.monitoring.needs import Need
from annotation.workflow.notices import announcements, waiting_announcements
from annotation.workflow.notices.waiting_announcements import WaitingAnnouncement
from annotation.workflow.organisers import alerts, campaigns, people
from annotation.workflow.organisers.alerts import Observation, OrganiserAlert
from annotation.workflow.organisers.campaigns import CampaignChoice, ProjectOverview
from annotation.workflow.organisers.people import ClaimedExport, MessageKind, OpenMessage
from bot.conversation import message_layout
from bot.conversation.texts import get_organiser_texts, get_texts, match_language
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import (
    CallbackData,
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


def is_organiser(context: UpdateContext) -> bool:
    """Whether the person is an organiser, by the settings."""
    return context.incoming.telegram_id in context.settings.organisers


def make_words(context: UpdateContext) -> OrganiserWords:
    """How the organiser is spoken to."""
    return organiser_cards.make_words(
        context.translate, zone=context.annotator.time_zone, default_zone=context.settings.time_zone, now=context.now
    )


def show_card(context: UpdateContext, card: OrganiserCard, toast: str = "") -> TelegramCalls:
    """Acknowledge the tap and show a card in place of the tapped one; its further parts are new messages."""
    first, *more = card
    return join_calls(context.acknowledge_with(toast), context.edit_or_send(first), context.send(*more))


def list_needs(context: UpdateContext) -> tuple[Need, ...]:
    """What needs the organisers now."""
    look = context.settings.look_at_machine
    return needs.list_needs(
        context.transaction.session,
        now=context.now,
        default_zone=context.settings.time_zone,
        machine=None if look is None else look(),
    )


def render_campaigns(context: UpdateContext, *, page: int = 0) -> OrganiserCard:
    """What needs the organisers, and a page of all campaigns, from 0; the last one if there are fewer pages."""
    found = list_needs(context)
    listed = campaigns.list_campaigns(context.transaction.session, needs=found)
    shown = min(page, max(0, len(listed) - 1) // organiser_cards.PAGE)
    start = shown * organiser_cards.PAGE
    cards = [
        (campaign, summarise_campaign(context, campaign, found))
        for campaign in listed[start : start + organiser_cards.PAGE]
    ]
    return organiser_cards.render_campaigns(
        cards,
        make_words(context),
        needs=found,
        announced=list_waiting_announcements(context),
        page=shown,
        total=len(listed),
    )


def summarise_campaign(
    context: UpdateContext, campaign: CampaignChoice, found: Sequence[Need]
) -> Sequence[ProjectOverview]:
    """How far each project of a campaign is; `found` is what needs the organisers."""
    return [
        campaigns.summarise_project(context.transaction.session, project, needs=found, now=context.now)
        for project in campaign.projects
    ]


def list_waiting_announcements(context: UpdateContext) -> tuple[WaitingAnnouncement, ...]:
    """The messages to all that people still wait for."""
    return waiting_announcements.list_waiting_announcements(
        context.transaction.session, now=context.now, default_zone=context.settings.time_zone
    )


def get_message(context: UpdateContext, callback: CallbackData) -> OpenMessage:
    """The question or report that a button names; raises Stale where it does not wait any more."""
    number = callback.get_number(0)
    if number not in set(MessageKind):
        raise Stale("There are no such messages.")
    return people.get_open_message(context.transaction.session, kind=MessageKind(number), message_id=callback.row_id)


def render_next_message(context: UpdateContext, *, project_id: int, after: OpenMessage | None = None) -> OrganiserCard:
    """The card of the message that waits next in a project (0: in all), after another one, or that none does."""
    words = make_words(context)
    place = None if after is None else people.get_place(after)
    following = people.find_next_message(context.transaction.session, project_id=project_id or None, after=place)
    if following is None:
        return organiser_messages.render_empty_inbox(words, project_id=project_id)
    left = people.count_open_messages(context.transaction.session, project_id=project_id or None)
    return organiser_messages.render_open_message(following, words, left=left, project_id=project_id)


def quote_message(message: OpenMessage) -> str:
    """What an answer repeats of a message, in the language of its writer."""
    return organiser_messages.describe_message(message, get_texts(match_language(message.language)))


MAX_REASON = 2000
"""How much is told of why there are no files, in UTF-16 units."""


def observe_campaigns(session: Session, *, now: datetime, settings: ConversationSettings) -> Observation | None:
    """Read what organisers may have to be told; None where there are none. Nothing is written."""
    if not settings.organisers:
        return None
    look = settings.look_at_machine
    return alerts.observe_campaigns(
        session,
        now=now,
        telegram_ids=settings.organisers,
        default_zone=settings.time_zone,
        machine=None if look is None else look(),
    )


def tell_organisers(
    session: Session, *, now: datetime, settings: ConversationSettings, observed: Observation | None
) -> TelegramCalls:
    """The alerts and digests of which organisers were not told, marked as told in the same transaction.

    `observed` is what was read a moment ago, None where nothing was.
    """
    if observed is None:
        return ()
    alerts.store_progress(session, observed)
    due = [*observed.alerts, *alerts.list_incident_alerts(session, observed)]
    calls: list[NewMessage] = []
    for organiser in alerts.list_organisers(session, settings.organisers):
        words = organiser_cards.make_words(
            get_texts(match_language(organiser.language)),
            zone=organiser.time_zone,
            default_zone=settings.time_zone,
            now=now,
        )
        told = observed.told.get(organiser.id or 0, frozenset())
        untold = [alert for alert in due if alert.key not in told]
        for is_urgent in (True, False):
            group = [alert for alert in untold if (alert.kind in alerts.URGENT) is is_urgent]
            calls += _tell_alerts(
                session, group, organiser=organiser, words=words, is_urgent=is_urgent, needs=observed.needs or ()
            )
        calls += _send_digest(session, observed, organiser=organiser, words=words, settings=settings)
    return tuple(calls)


def _tell_alerts(
    session: Session,
    found: Sequence[OrganiserAlert],
    *,
    organiser: Annotator,
    words: OrganiserWords,
    is_urgent: bool,
    needs: Sequence[Need],
) -> list[NewMessage]:
    """One message with the alerts that are new to an organiser; by night only urgent ones, without a sound.

    It is sent before the day ends, and urgent ones soon; later it is taken back, and they are told of what is so then.
    """
    annotator_id = organiser.id or 0
    day_end = announcements.find_day_end(words.now, words.zone, default=words.zone)
    if day_end is None and not is_urgent:
        return []
    untold = alerts.list_untold(session, found, annotator_id=annotator_id, now=words.now)
    if not untold:
        return []
    notice = alerts.name_message(words.now, is_urgent=is_urgent)
    ends = [*((day_end,) if day_end else ()), *((words.now + alerts.URGENT_TIME,) if is_urgent else ())]
    keys = [alert.key for alert in untold]
    alerts.mark_told(session, keys, annotator_id=annotator_id, notice=notice, now=words.now)
    messages = _build_messages(organiser_messages.render_alerts(untold, words, needs=needs), organiser)
    return [replace(message, silent=day_end is None, notice=notice, send_before=min(ends)) for message in messages]


def _send_digest(
    session: Session,
    observed: Observation,
    *,
    organiser: Annotator,
    words: OrganiserWords,
    settings: ConversationSettings,
) -> list[NewMessage]:
    """The digest of the day if one is due: once a day, as the day begins, while anything runs."""
    key = alerts.find_due_digest(session, organiser, now=words.now, default_zone=settings.time_zone)
    if key is None or observed.needs is None:
        return []
    day_end = announcements.find_day_end(words.now, words.zone, default=words.zone)
    annotator_id = organiser.id or 0
    alerts.mark_told(session, [key], annotator_id=annotator_id, notice=alerts.DIGEST, now=words.now)
    messages = _build_messages(organiser_messages.render_digest(observed.digest, observed.needs, words), organiser)
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
        texts = {"too-slow": "export-too-slow", "given-up": "export-given-up"}
        reason = message_layout.shorten_text(words(texts[made.kind]) if made.kind in texts else made.reason, MAX_REASON)
        text = words("export-failed", project=claimed.project, reason=reason)
    told = message_layout.render_messages([message_layout.mark_commands(text)], get_texts(words.language))
    return tuple(NewMessage(chat_id=claimed.telegram_id, html=part.html, silent=False) for part in told)


def _build_messages(card: OrganiserCard, organiser: Annotator) -> list[NewMessage]:
    chat = organiser.telegram_id or 0
    return [
        NewMessage(chat_id=chat, html=part.html, buttons=part.buttons, silent=False, repeatable=False) for part in card
    ]
