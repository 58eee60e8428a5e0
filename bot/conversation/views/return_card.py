"""The return card: what somebody has done today and in all, what there is together, their pay, and how to come back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from babel.numbers import format_currency

from annotation.campaigns.sections.annotators import PaySection
from annotation.workflow.annotators.own_work import OwnWork
from annotation.workflow.annotators.payments import Money
from annotation.workflow.assignments import OwnProgress
from bot.conversation import message_layout, prompts
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows
from bot.conversation.views import menus, own_progress

LEAST_DAYS = 2
"""So many days in a row are told."""


@dataclass(frozen=True, kw_only=True)
class CardButtons:
    """The buttons of a card: sizes of a further session, a reminder tomorrow, a link for friends, the way on.

    Of the sizes those are shown that are at most what is `left`; None where that is not known. `invites` is the id
    of the project for whose friends the link is, 0 for no such button.
    """

    sizes: bool = False
    left: int | None = None
    reminds: bool = False
    invites: int = 0
    leads_on: bool = False


def render_return_card(
    translate: Texts,
    *,
    head: Sequence[str],
    scope: Sequence[OwnProgress],
    work: OwnWork | None,
    earned: Sequence[Money],
    foot: str = "",
    buttons: CardButtons,
) -> RenderedMessage:
    """The card for the projects of `scope`; the first line of its head is bold, and `work` is None without any."""
    first, *others = head
    blocks = [
        TextBlock("\n".join([first, *others]), ((0, len(first)),)),
        *own_progress.build_progress_blocks(scope, translate, with_shared=False),
        TextBlock("\n".join(_list_figures(translate, scope, work, earned))),
        TextBlock(foot),
    ]
    return message_layout.render_messages(blocks, translate, buttons=_build_rows(translate, buttons))[-1]


def _list_figures(
    translate: Texts, scope: Sequence[OwnProgress], work: OwnWork | None, earned: Sequence[Money]
) -> list[str]:
    """Today and in all; what all have, and how much of it is the annotator's; days in a row; pay."""
    if work is None:
        return []
    trained = translate("card-own-training", training=work.training) if work.training else ""
    lines = [" ".join(filter(None, (translate("card-own", today=work.today, total=work.total), trained)))]
    shared = {own.key: own.shared for own in scope if own.shared is not None}
    shared |= {
        own.key: (own.answered, own.wanted)
        for own in scope
        if own.key not in shared and own.answered is not None and own.wanted is not None
    }
    answered, wanted = (sum(numbers[at] for numbers in shared.values()) for at in (0, 1))
    if wanted:
        own = min(answered, sum(progress.given for progress in scope if progress.key in shared))
        lines.append(translate("card-together", answered=answered, wanted=wanted, own=own))
    if work.days >= LEAST_DAYS:
        lines.append(translate("card-days", days=work.days))
    return [*lines, *format_earned(earned, translate)]


def format_earned(earned: Sequence[Money], translate: Texts) -> list[str]:
    """What was earned so far, a line for each currency."""
    return [
        translate("earned", amount=format_amount(Decimal(money.hundredths) / 100, money.currency, translate))
        for money in earned
    ]


def format_pay(pay: PaySection | None, translate: Texts) -> str:
    """What a project pays, on its task card; empty for one that pays nothing."""
    if pay is None:
        return ""
    text_id, rate = ("pay-per-hour", pay.per_hour) if pay.per_hour is not None else ("pay-per-item", pay.per_item)
    told = translate(text_id, amount=format_amount(rate or Decimal(0), pay.currency, translate))
    return told if pay.rejected else " ".join([told, translate("pay-not-rejected")])


def format_amount(amount: Decimal, currency: str, translate: Texts) -> str:
    """An amount as it is written in the language, with all its decimal places, a code apart from the number."""
    written = format_currency(amount, currency, locale=translate.language, decimal_quantization=False)
    return re.sub(r"(?<=[A-Z])(?=\d)", "\u00a0", written)


def _build_rows(translate: Texts, buttons: CardButtons) -> ButtonRows:
    rows = menus.build_size_row(translate, left=buttons.left, first="session-more") if buttons.sizes else ()
    offers = [menus.build_reminder_button(translate)] if buttons.reminds else []
    if buttons.invites:
        offers.append(message_layout.build_button(translate("invite-friend"), ButtonAction.INVITE, buttons.invites))
    rows += message_layout.arrange_buttons(offers)
    if not buttons.leads_on:
        return rows
    go_on = message_layout.build_button(
        translate("go-on"), ButtonAction.SESSION, 0, menus.ENDLESS, typed=(prompts.GO_ON,)
    )
    return (*rows, (go_on,))


def render_invitation(link: str, translate: Texts, *, uses: int, used: int) -> RenderedMessage:
    """The link that an annotator gives to friends, to be copied or forwarded."""
    if used >= uses:
        return message_layout.render_text(translate, translate("invite-used-up", uses=uses))
    return message_layout.render_text(translate, translate("invite-link", left=uses - used), link)
