"""Invitations in the chat: the links of a campaign, a new one after a question, and until when each can be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from annotation.errors import Stale
from annotation.workflow.annotators import invitations
from annotation.workflow.organisers import campaigns
from annotation.workflow.organisers.campaigns import CampaignChoice, CampaignInvitation
from bot.conversation import organiser_notifications
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import CallbackData, TelegramCalls
from bot.conversation.views import organiser_invitations
from bot.conversation.views.organiser_cards import OrganiserCard
from bot.conversation.views.organiser_invitations import InvitationLine

if TYPE_CHECKING:
    pass


def _get_campaign(context: UpdateContext, callback: CallbackData) -> CampaignChoice:
    return campaigns.get_campaign(context.transaction.session, kind=callback.get_number(0), campaign_id=callback.row_id)


def _send_invitations(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """The invitations in a message of their own, which can be forwarded."""
    card = _render_invitations(context, _get_campaign(context, callback))
    return join_calls(context.acknowledge(), context.send(*card))


def _show_invitations(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    return organiser_notifications.show_card(context, _render_invitations(context, _get_campaign(context, callback)))


def _ask_for_invitation(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Ask before a link is made: after the first one nobody joins without a link."""
    campaign = _get_campaign(context, callback)
    card = organiser_invitations.render_new_invitation(
        campaign, organiser_notifications.make_words(context), known=callback.get_number(1)
    )
    return organiser_notifications.show_card(context, card)


def _make_invitation(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    campaign = _get_campaign(context, callback)
    campaigns.create_invitation(
        context.transaction.session,
        campaign=campaign,
        known=callback.get_number(1),
        by=context.annotator_id,
        now=context.now,
    )
    return organiser_notifications.show_card(context, _render_invitations(context, campaign))


def _show_invitation(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    card = organiser_invitations.render_invitation(
        _get_campaign(context, callback),
        _describe_invitation(context, _get_invitation(context, callback)),
        organiser_notifications.make_words(context),
    )
    return organiser_notifications.show_card(context, card)


def _limit_invitation(context: UpdateContext, callback: CallbackData) -> TelegramCalls:
    """Let the link be used for so many days from now; for none it ends at once."""
    days = callback.get_number(2)
    if days > campaigns.INVITATION_LASTS.days:
        raise Stale("No button offers this many days.")
    campaigns.limit_invitation(
        context.transaction.session,
        invitation=_get_invitation(context, callback),
        campaign=_get_campaign(context, callback),
        expires_at=context.now + timedelta(days=days),
        by=context.annotator_id,
        now=context.now,
    )
    return _show_invitations(context, callback)


def _get_invitation(context: UpdateContext, callback: CallbackData) -> CampaignInvitation:
    """The invitation of a button; raises Stale if the campaign has none with this id."""
    campaign = _get_campaign(context, callback)
    for invitation in campaigns.list_invitations(context.transaction.session, campaign):
        if invitation.id == callback.get_number(1):
            return invitation
    raise Stale("There is no such invitation.")


def _describe_invitation(context: UpdateContext, invitation: CampaignInvitation) -> InvitationLine:
    return InvitationLine(
        id=invitation.id or 0,
        link=invitations.format_link(invitation.code, bot_name=context.settings.bot_name),
        used=invitation.used,
        most=invitation.max_uses,
        expires_at=invitation.expires_at,
    )


def _render_invitations(context: UpdateContext, campaign: CampaignChoice) -> OrganiserCard:
    made = campaigns.list_invitations(context.transaction.session, campaign)
    return organiser_invitations.render_invitations(
        campaign,
        [_describe_invitation(context, invitation) for invitation in made],
        organiser_notifications.make_words(context),
        has_others=campaigns.is_programme_invited(context.transaction.session, campaign),
    )


TAPS: Mapping[str, Callable[[UpdateContext, CallbackData], TelegramCalls]] = {
    "invite": _send_invitations,
    "links": _show_invitations,
    "new-link": _ask_for_invitation,
    "make-link": _make_invitation,
    "link": _show_invitation,
    "limit": _limit_invitation,
}
"""What the buttons about invitations do, by their words."""
