"""Cards for organisers about invitations: the links of a campaign, one of them, and the question before a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.workflow.organisers.campaigns import INVITATION_LASTS, CampaignChoice
from bot.conversation import message_layout
from bot.conversation.updates_and_calls import InlineButton
from bot.conversation.views.organiser_cards import OrganiserCard, OrganiserWords, build_act_button, shorten_title

MOST_LINKS = 10
"""How many invitations are on one card: those that were made last."""
DAYS = (1, INVITATION_LASTS.days)
"""For how many days from now a link can be made to last."""


@dataclass(frozen=True, kw_only=True)
class InvitationLine:
    """An invitation as organisers see it: the link, how many used it, how many may, and until when."""

    id: int
    link: str
    used: int
    most: int | None
    expires_at: datetime | None


def render_invitations(
    campaign: CampaignChoice, lines: Sequence[InvitationLine], words: OrganiserWords, *, has_others: bool
) -> OrganiserCard:
    """The invitations to a campaign, to be copied and forwarded, each with a button, and a button for another one.

    `has_others` says that there are some to the programme of a project.
    """
    start = max(0, len(lines) - MOST_LINKS)
    shown = list(enumerate(lines[start:], start + 1))
    told = [f"{number}) {_describe_line(line, words)}" for number, line in shown]
    chosen = [build_act_button(str(number), "link", campaign.id, campaign.kind, line.id) for number, line in shown]
    new = build_act_button(words("button-new-link"), "new-link", campaign.id, campaign.kind, len(lines))
    back = build_act_button(words("button-back"), "campaign", campaign.id, campaign.kind)
    return words.render_card(
        message_layout.make_bold_block(words("invitations", title=shorten_title(campaign.title))),
        "\n\n".join(told) or (words("invitation-of-programme") if has_others else words("invitation-none")),
        buttons=(*message_layout.arrange_buttons(chosen), (new,), (back,)),
        protect=False,
    )


def render_new_invitation(campaign: CampaignChoice, words: OrganiserWords, *, known: int) -> OrganiserCard:
    """The question before a link is made; `known` is how many there are."""
    make = build_act_button(words("button-make-link"), "make-link", campaign.id, campaign.kind, known)
    title = shorten_title(campaign.title)
    asked = words("invitation-new", title=title, days=INVITATION_LASTS.days)
    return words.render_card(
        asked, *([] if known else [words("invitation-first")]), buttons=((make,), (_build_back(campaign, words),))
    )


def render_invitation(campaign: CampaignChoice, line: InvitationLine, words: OrganiserWords) -> OrganiserCard:
    """One invitation, and until when it can be used: it can end now, or last longer again."""
    address = (campaign.id, campaign.kind, line.id)
    is_ended = line.expires_at is not None and line.expires_at <= words.now
    end = [] if is_ended else [build_act_button(words("button-end-link"), "limit", *address, 0)]
    more = [build_act_button(words("button-link-days", count=days), "limit", *address, days) for days in DAYS]
    return words.render_card(
        message_layout.make_bold_block(words("invitation-one", title=shorten_title(campaign.title))),
        _describe_line(line, words),
        words("invitation-explained"),
        buttons=(*((act,) for act in (*end, *more)), (_build_back(campaign, words),)),
        protect=False,
    )


def _build_back(campaign: CampaignChoice, words: OrganiserWords) -> InlineButton:
    return build_act_button(words("button-back"), "links", campaign.id, campaign.kind)


def _describe_line(line: InvitationLine, words: OrganiserWords) -> str:
    until = ""
    if line.expires_at is not None:
        text_id = "invitation-ended" if line.expires_at <= words.now else "invitation-until"
        until = words(text_id, date=words.format_moment(line.expires_at))
    used = line.used if line.most is None else f"{line.used}/{line.most}"
    return words("invitation-line", link=line.link, used=used, until=until)
