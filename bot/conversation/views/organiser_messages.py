"""Cards for organisers about what is written: questions and reports, answers, invitations, messages to all; alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.campaigns.questions.question_base import count_units
from annotation.vocabulary import ProjectStatus
from annotation.workflow.organisers.alerts import AlertKind, DigestLine, OrganiserAlert
from annotation.workflow.organisers.campaigns import CampaignChoice
from annotation.workflow.organisers.people import MessageKind, OpenMessage
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import InlineButton
from bot.conversation.views import menus
from bot.conversation.views.organiser_cards import OrganiserCard, OrganiserWords, build_act_button, shorten_title

MAX_QUOTED_UNITS = 500
"""How much of an item is quoted above a question about it, in UTF-16 units."""
LEAST_QUOTED_UNITS = 200
"""How much is shown of an item, and of a question about it, whatever stands beside them."""
BREAK_UNITS = 2
"""The empty line after a paragraph."""
TYPED_REPORT = "other"
"""The reason of reports that say it in their own words."""


@dataclass(frozen=True, kw_only=True)
class InvitationLine:
    """An invitation as organisers see it: the link, how many used it, how many may, and until when."""

    link: str
    used: int
    most: int | None
    expires_at: datetime | None


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


def render_announcement_preview(text: str, words: OrganiserWords, *, draft_id: int, recipients: int) -> OrganiserCard:
    """A message to all as it will be, and to how many it goes, to be sent or not."""
    if not recipients:
        return words.render_card(words("announce-nobody"))
    send = build_act_button(words("button-send"), "send", draft_id, typed=(prompts.YES,))
    drop = _build_drop_button(words, draft_id)
    return words.render_card(words("announce-preview", count=recipients), text, buttons=((send,), (drop,)))


def _build_drop_button(words: OrganiserWords, draft_id: int) -> InlineButton:
    """The button that sends nothing."""
    return build_act_button(words("button-dont"), "drop", draft_id, typed=(prompts.STAY_OUT,))


def render_invitations(
    campaign: CampaignChoice, lines: Sequence[InvitationLine], words: OrganiserWords, *, known: int, has_others: bool
) -> OrganiserCard:
    """The invitations to a campaign, to be copied and forwarded, and a button for another one.

    `has_others` says that there are some to the programme of a project.
    """
    shown = lines[-10:]
    ends = words.format_moments([line.expires_at for line in shown])
    told = [
        words(
            "invitation-line",
            link=line.link,
            used=line.used if line.most is None else f"{line.used}/{line.most}",
            until=words("invitation-until", date=end) if end else "",
        )
        for line, end in zip(shown, ends, strict=True)
    ]
    new = build_act_button(words("button-new-link"), "new-link", campaign.id, campaign.kind, known)
    back = build_act_button(words("button-back"), "campaign", campaign.id, campaign.kind)
    return words.render_card(
        message_layout.make_bold_block(words("invitations", title=shorten_title(campaign.title))),
        "\n\n".join(told) or (words("invitation-of-programme") if has_others else words("invitation-none")),
        buttons=((new,), (back,)),
        protect=False,
    )


def render_alerts(alerts: Sequence[OrganiserAlert], words: OrganiserWords) -> OrganiserCard:
    """Alerts as one message; decisions that wait are counted together."""
    decisions = [alert for alert in alerts if alert.kind is AlertKind.DECISION]
    others = [alert for alert in alerts if alert.kind is not AlertKind.DECISION]
    lines = _describe_alerts(others, words)
    if decisions:
        titles = dict.fromkeys(shorten_title(alert.title) for alert in decisions if alert.title)
        counted = words("alert-decision", count=len(decisions))
        lines.append(f"{counted} {'; '.join(titles)}".strip())
    act = "inbox" if decisions and len(lines) == 1 else "campaigns"
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
    arguments = {"title": shorten_title(alert.title), "when": when, "until": until, "why": why}
    return words(f"alert-{alert.kind.value}", count=alert.count, **arguments)


def render_digest(lines: Sequence[DigestLine], words: OrganiserWords) -> OrganiserCard:
    """What happened since yesterday: a line for each campaign that is not over, and the decisions that wait."""
    told = []
    running = [None if line.status is ProjectStatus.PAUSED else line.end for line in lines]
    for line, when in zip(lines, words.format_moments(running), strict=True):
        measured = line.progress
        title, counts = shorten_title(line.title), {"done": measured.done, "needed": measured.needed}
        if line.status is ProjectStatus.PAUSED:
            told.append(words("digest-paused", title=title, **counts))
            continue
        end = words("digest-end", when=when) if when else ""
        told.append(words("digest-line", title=title, day=measured.last_day, end=end, **counts))
    decisions = sum(line.decisions for line in lines)
    waiting = [words("digest-decisions", count=decisions)] if decisions else []
    button = build_act_button(words("button-open"), "inbox" if decisions else "campaigns")
    return words.render_card(words("digest"), "\n".join(told), *waiting, buttons=((button,),))
