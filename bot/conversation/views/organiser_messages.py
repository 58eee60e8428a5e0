"""Cards for organisers about what is written: questions and reports, answers, messages to all; alerts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from annotation.campaigns.questions.question_base import count_units
from annotation.vocabulary import ProjectStatus
from annotation.workflow.monitoring.needs import DECISIONS, MESSAGES, Need
from annotation.workflow.notices.waiting_announcements import CancelledAnnouncement, WaitingAnnouncement
from annotation.workflow.organisers.alerts import AlertKind, DigestLine, OrganiserAlert
from annotation.workflow.organisers.people import MessageKind, OpenMessage
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import InlineButton
from bot.conversation.views import menus
from bot.conversation.views.organiser_cards import (
    OrganiserCard,
    OrganiserWords,
    build_act_button,
    build_need_buttons,
    render_needs,
    shorten_title,
)

MAX_QUOTED_UNITS = 500
"""How much of an item is quoted above a question about it, in UTF-16 units."""
LEAST_QUOTED_UNITS = 200
"""How much is shown of an item, and of a question about it, whatever stands beside them."""
BREAK_UNITS = 2
"""The empty line after a paragraph."""
TYPED_REPORT = "other"
"""The reason of reports that say it in their own words."""


def describe_message(message: OpenMessage, translate: Texts) -> str:
    """What an annotator wrote, in one text: of a report the chosen problem, and their words."""
    messages = {reason: f"report-{reason}" for reason in menus.REPORT_REASONS}
    reason = translate(messages[message.reason]) if message.reason in messages else message.reason
    return ": ".join(part for part in ("" if reason == TYPED_REPORT else reason, message.text) if part)


def render_open_message(message: OpenMessage, words: OrganiserWords, *, left: int, project_id: int) -> OrganiserCard:
    """A question or report with its item, and what can be done; `project_id` is that of the queue, 0 for all."""
    address = (message.id, int(message.kind), project_id)
    kind = words("kind-question" if message.kind is MessageKind.QUESTION else "kind-report")
    head, notes = words("inbox-place", kind=kind, left=left), []
    lines = [words("inbox-from", name=message.pseudonym, when=words.format_ago(message.at))]
    if message.item is not None:
        lines.insert(0, words("inbox-item", project=shorten_title(message.project or ""), item=message.item))
    elif message.project is not None:
        lines.insert(0, words("inbox-about-project", project=shorten_title(message.project)))
    if message.is_paused:
        notes.append(words("inbox-paused"))
    if message.is_answered:
        notes.append(words("inbox-answered", item=message.item or ""))
    told = (head, "\n".join(lines), *notes)
    stimulus, written = _shorten_texts(message.stimulus, describe_message(message, words.shared), beside=told)
    acts = [build_act_button(words("button-answer"), "answer", *address)]
    if message.project_id is not None and not message.is_answered:
        acts.append(build_act_button(words("button-answer-all"), "answer-all", *address))
    if message.kind is MessageKind.REPORT:
        acts.append(build_act_button(words("button-dismiss"), "dismiss", *address))
    if left > 1:
        acts.append(build_act_button(words("button-next"), "next", *address))
    back = build_act_button(words("button-back"), "campaign" if project_id else "campaigns", project_id, 0)
    return words.render_card(
        message_layout.make_bold_block(head),
        "\n".join(lines),
        TextBlock(stimulus, fold=True),
        message_layout.make_bold_block(written),
        *notes,
        buttons=(*((act,) for act in acts), (back,)),
    )


def _shorten_texts(stimulus: str, written: str, *, beside: Sequence[str]) -> tuple[str, str]:
    """An item and what was written about it, so that both fit one message beside these paragraphs; the item gives way
    first.
    """
    room = message_layout.MAX_UNITS - sum(count_units(text) + BREAK_UNITS for text in ("", "", *beside))
    least = max(LEAST_QUOTED_UNITS, room - count_units(written))
    quoted = message_layout.shorten_text(stimulus, min(MAX_QUOTED_UNITS, least))
    left = max(LEAST_QUOTED_UNITS, room - count_units(quoted))
    return quoted, message_layout.shorten_text(written, left)


def render_empty_inbox(words: OrganiserWords, *, project_id: int) -> OrganiserCard:
    """That nothing waits for an answer."""
    back = build_act_button(words("button-back"), "campaign" if project_id else "campaigns", project_id, 0)
    return words.render_card(words("inbox-nothing"), buttons=((back,),))


def render_instruction_preview(
    text: str, words: OrganiserWords, *, project: str, draft_id: int, message: OpenMessage
) -> OrganiserCard:
    """What would be added to the instructions, to be added or not."""
    add = build_act_button(words("button-add"), "add", draft_id, message.id, int(message.kind), typed=(prompts.YES,))
    drop = _build_drop_button(words, draft_id)
    preview = words("answer-all-preview", project=shorten_title(project))
    return words.render_card(preview, TextBlock(text, fold=False), buttons=((add,), (drop,)))


def render_announcement_preview(
    text: str, words: OrganiserWords, *, draft_id: int, recipients: int, first: datetime
) -> OrganiserCard:
    """A message to all as it will be, to how many it goes and from when, to be sent or not."""
    if not recipients:
        return words.render_card(words("announce-nobody"), buttons=((_build_all_button(words),),))
    send = build_act_button(words("button-send"), "send", draft_id, typed=(prompts.YES,))
    drop = _build_drop_button(words, draft_id)
    told = (words("announce-preview", count=recipients), _describe_start(first, words))
    return words.render_card(" ".join(told), text, buttons=((send,), (drop,)))


def _build_drop_button(words: OrganiserWords, draft_id: int) -> InlineButton:
    """The button that sends nothing."""
    return build_act_button(words("button-dont"), "drop", draft_id, typed=(prompts.STAY_OUT,))


def render_announced(announcement_id: int, words: OrganiserWords, *, recipients: int, first: datetime) -> OrganiserCard:
    """That a message goes to all, and when; with a button that cancels it."""
    cancel = build_act_button(words("button-cancel"), "cancel", announcement_id)
    return words.render_card(
        words("announced-now", count=recipients),
        _describe_start(first, words),
        buttons=((cancel,), (_build_all_button(words),)),
    )


def render_dropped(words: OrganiserWords) -> OrganiserCard:
    """That nothing is sent, with a way back."""
    return words.render_card(words("dropped-now"), buttons=((_build_all_button(words),),))


def render_waiting(waiting: Sequence[WaitingAnnouncement], words: OrganiserWords) -> OrganiserCard:
    """The messages to all that people still wait for, each with a button that cancels it."""
    lines = [f"{number}) {_describe_waiting(one, words)}" for number, one in enumerate(waiting, 1)]
    cancel = [
        (build_act_button(words("button-cancel-number", number=number), "cancel", one.id),)
        for number, one in enumerate(waiting, 1)
    ]
    return words.render_card(
        message_layout.make_bold_block(words("announced")),
        "\n\n".join(lines) or words("announced-nothing"),
        buttons=(*cancel, (_build_all_button(words),)),
    )


def render_cancel_question(waiting: WaitingAnnouncement, words: OrganiserWords) -> OrganiserCard:
    """Whether to cancel a message to all: how many people would not get it, and how many have it."""
    cancel = build_act_button(words("button-cancel-now", count=waiting.waiting), "cancel-now", waiting.id)
    back = build_act_button(words("button-back"), "announced")
    return words.render_card(
        words("cancel-why", count=waiting.waiting, reached=waiting.reached),
        TextBlock(message_layout.shorten_text(waiting.text, MAX_QUOTED_UNITS)),
        buttons=((cancel,), (back,)),
    )


def render_cancelled(cancelled: CancelledAnnouncement, words: OrganiserWords) -> OrganiserCard:
    """That a message goes to nobody else, with a way back."""
    told = words("cancelled-now", count=cancelled.spared, reached=cancelled.reached)
    return words.render_card(told, buttons=((_build_all_button(words),),))


def _describe_waiting(waiting: WaitingAnnouncement, words: OrganiserWords) -> str:
    to = words("announced-to-all") if waiting.title is None else shorten_title(waiting.title)
    counted = words("announced-line", to=to, count=waiting.waiting, reached=waiting.reached)
    text = message_layout.shorten_text(" ".join(waiting.text.split()), LEAST_QUOTED_UNITS)
    return f"{counted} {_describe_start(waiting.next_at, words)}\n{text}"


def _describe_start(first: datetime, words: OrganiserWords) -> str:
    """From when a message to all goes out."""
    return words("announce-at-once") if first <= words.now else words("announce-from", when=words.format_moment(first))


def _build_all_button(words: OrganiserWords) -> InlineButton:
    return build_act_button(words("button-all"), "campaigns")


def render_alerts(alerts: Sequence[OrganiserAlert], words: OrganiserWords, *, needs: Sequence[Need]) -> OrganiserCard:
    """Alerts as one message; of decisions it says how many wait in all, by the list of what `needs` the organisers."""
    decisions = [alert for alert in alerts if alert.kind is AlertKind.DECISION]
    others = [alert for alert in alerts if alert.kind is not AlertKind.DECISION]
    waiting = [need for need in needs if need.kind in DECISIONS]
    lines = _describe_alerts(others, words)
    if decisions:
        titles = dict.fromkeys(shorten_title(alert.title) for alert in decisions if alert.title)
        number = max(sum(need.count for need in waiting), len(decisions))
        lines.append(" ".join([words("alert-decision", count=number), "; ".join(titles)]).strip())
    is_answered_here = len(lines) == 1 and decisions and all(need.kind in MESSAGES for need in waiting)
    act = "inbox" if is_answered_here else "campaigns"
    return words.render_card("\n\n".join(lines), buttons=((build_act_button(words("button-open"), act),),))


def _describe_alerts(alerts: Sequence[OrganiserAlert], words: OrganiserWords) -> list[str]:
    moments = [
        moment
        for alert in alerts
        for moment in (alert.since, alert.until, None if alert.wait is None else alert.wait.until)
    ]
    told = words.format_moments(moments)
    return [_describe_alert(alert, words, *told[3 * at : 3 * at + 3]) for at, alert in enumerate(alerts)]


def _describe_alert(alert: OrganiserAlert, words: OrganiserWords, when: str, until: str, wait_until: str) -> str:
    wait = alert.wait
    why = words("gap-unknown") if wait is None else words(f"gap-{wait.reason.value}", until=wait_until)
    about = {"title": shorten_title(alert.title), "project": alert.project}
    return words(f"alert-{alert.kind.value}", count=alert.count, when=when, until=until, why=why, **about)


def render_digest(lines: Sequence[DigestLine], needs: Sequence[Need], words: OrganiserWords) -> OrganiserCard:
    """What happened since yesterday: a line for each campaign that is not over, and what needs the organisers."""
    format_moment = words.name_zone_once()
    needed, told = render_needs(needs, words, format_moment), []
    for line in lines:
        measured = line.progress
        title, counts = shorten_title(line.title), {"done": measured.done, "needed": measured.needed}
        if line.status is ProjectStatus.PAUSED:
            told.append(words("digest-paused", title=title, **counts))
            continue
        end = "" if line.end is None else words("digest-end", when=format_moment(line.end))
        told.append(words("digest-line", title=title, day=measured.last_day, end=end, **counts))
    ways = ((build_act_button(words("button-open"), "campaigns"),),)
    return words.render_card(
        *needed,
        words("digest"),
        "\n".join(told),
        buttons=(*build_need_buttons(needs, words), *ways),
    )
