"""The answer page: the item that somebody has now, what they do with it, and the draft of what they enter.

An answer is a tap like any other (`update_handler.build_page_tap`), so that nothing of the work is done in another way
than in the chat; what is shown is read again after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.errors import Stale
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import invitations, page_accounts
from annotation.workflow.annotators.invitations import InvitationRefusal
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation import navigation, updates_and_calls
from bot.conversation.handlers import start
from bot.conversation.picture_addresses import make_picture_address
from bot.conversation.texts import get_texts, list_commands, match_language
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import MessageEdit, TapAcknowledgement, TelegramCall
from bot.conversation.views import answer_page as view
from bot.conversation.views import items

MAX_DRAFT_CHARACTERS, MAX_DEVICES = 60_000, 8
"""The longest draft, as JSON, more than any answer that a question takes; and how many devices it knows."""


@dataclass(frozen=True, kw_only=True)
class PageDraft:
    """What was entered on the page for one question, as its `apply_entered` takes it, but not sent as an answer.

    `base` is the version that the page knows, `device` names one opening of the page, and `seq` counts its changes.
    """

    assignment_id: int
    revision: int
    question: str
    base: int
    device: str
    seq: int
    value: Any


def describe_work(context: UpdateContext, assignment_id: int) -> dict[str, Any]:
    """The item to answer now, None where there is none on the page, and its draft, None where nothing was entered.

    It is the assignment of this id where an undo has opened it, otherwise the one that the annotator has in hand.
    """
    item = find_item(context, assignment_id)
    if item is None:
        return {"item": None, "draft": None}
    draft, stored = _get_draft(context, item)
    asked = items.find_asked(item, draft)
    name = "" if asked is None else asked.shown.name
    definition = context.find_definition(item.project_id)
    reasons = definition.reports.reasons if definition is not None and definition.reports is not None else ()
    described = view.describe_item(
        item,
        draft,
        context.translate,
        stored=stored.get(name),
        report_reasons=reasons,
        pictures=_describe_pictures(context, item),
    )
    kept = draft.page if draft.page is not None and draft.page["question"] == name else None
    return {"item": described, "draft": kept}


def _describe_pictures(context: UpdateContext, item: AssignedItem) -> dict[str, dict[str, Any]]:
    """The address and the size of each picture of an item, by its name; the addresses hold for five minutes."""
    sizes = assignments.get_picture_sizes(context.transaction.session, item.images)
    key, now = context.settings.key, context.now
    return {
        name: {
            "src": make_picture_address(name, assignment_id=item.assignment_id, key=key, now=now),
            "width": width,
            "height": height,
        }
        for name, (width, height) in sizes.items()
    }


def find_item(context: UpdateContext, assignment_id: int) -> AssignedItem | None:
    """The item to answer on the page; None where something comes before it in the chat, such as the task card."""
    shown = next(reversed(context.shown_items.values()), None)
    if shown is not None and shown.second_pass is None:
        return shown
    if assignment_id:
        try:
            opened = context.open_assignment(assignment_id)
            revision = opened.assignment.open_revision
            if revision:
                return assignments.get_open_item(opened, revision=revision)
        except Stale:
            pass  # another's is answered as one that does not exist
    live = navigation.get_live_item(context)
    if not isinstance(live, AssignedItem) or live.second_pass is not None:
        return None
    _, definition = context.get_project(live.project_id)
    version = definitions.compute_card_version(live.instructions, definition.examples)
    return live if context.state.read_cards.get(str(live.project_id)) == version else None


def _get_draft(context: UpdateContext, item: AssignedItem) -> tuple[AnswerDraft, dict[str, str]]:
    """The draft of an item, and the stored answers that it changes."""
    draft = context.state.get_draft(item.assignment_id, item.revision)
    if not item.revision:
        return draft, {}
    opened = context.open_assignment(item.assignment_id)
    judgement = assignments.get_judgement(opened, revision=item.revision - 1)
    return draft, {} if judgement is None else assignments.get_stored_answers(opened.context, judgement)


class DraftConflict(Exception):
    """Another device has stored a newer draft, `stored`, or None if that draft is gone."""

    def __init__(self, stored: dict[str, Any] | None) -> None:
        super().__init__("there is another draft")
        self.stored = stored


def save_draft(context: UpdateContext, sent: PageDraft) -> int:
    """Store what was entered on the page and renew the lease; returns the version that is stored now.

    It is accepted if `base` is the stored version, or the device is the same and `seq` is higher; an older `seq` of the
    same device changes nothing. Its `seen` has the last `seq` of each device that went into it, so that a device knows
    whether its own copy did. Raises DraftConflict otherwise, and Stale where the item waits for no such answer.
    """
    opened = context.open_assignment(sent.assignment_id)
    item = assignments.get_open_item(opened, revision=sent.revision)
    draft = context.state.get_draft(sent.assignment_id, sent.revision)
    asked = items.find_asked(item, draft)
    if asked is None or asked.shown.name != sent.question:
        raise Stale("This question is not asked now.")
    stored = draft.page if draft.page is not None and draft.page["question"] == sent.question else None
    version = 0 if stored is None else int(stored["version"])
    is_same = stored is not None and stored["device"] == sent.device
    if is_same and stored is not None and sent.seq <= stored["seq"]:
        return version
    if not is_same and sent.base != version:
        raise DraftConflict(stored)
    seen = {} if stored is None else dict([*stored.get("seen", {}).items()][-MAX_DEVICES:])
    page = {"question": sent.question, "version": version + 1, "device": sent.device, "seq": sent.seq}
    page["seen"] = seen | {sent.device: sent.seq}
    changed = replace(draft, page=page | {"value": sent.value, "at": int(context.now.timestamp())})
    context.save_state(context.state.with_draft(changed, assignment_id=sent.assignment_id))
    assignments.renew_lease(opened, now=context.now)
    return version + 1


def summarise_calls(calls: Sequence[TelegramCall]) -> dict[str, Any]:
    """What calls that answer a tap mean for the page: the toast, and the button that opens the item again."""
    texts = [call.text for call in calls if isinstance(call, TapAcknowledgement) and call.text]
    undo = [view.find_undo(call.buttons) for call in calls if isinstance(call, MessageEdit)]
    return {"toast": "\n".join(texts), "undo": next(filter(None, undo), None)}


def explain_refusal(refusal: InvitationRefusal, language: str) -> str:
    """The sentence of the chat about an invitation that cannot be redeemed."""
    return get_texts(match_language(language))(start.REFUSAL_TEXTS[refusal])


def describe_account(context: UpdateContext) -> dict[str, Any]:
    """What the page needs of somebody without Telegram.

    That is their `language`, the commands of the chat as a `menu`, and the link `move` by which they continue in
    Telegram, None where the name of the bot is not known.
    """
    commands = list_commands(context.translate.language)
    menu = [{"text": f"/{name}", "label": commands[name]} for name in view.ACCOUNT_COMMANDS if name in commands]
    code = page_accounts.make_code(context.incoming.telegram_id, context.settings.key).replace("-", "")
    name = context.settings.bot_name
    move = None if name is None else invitations.format_link(code, bot_name=name)
    return {"language": context.translate.language, "menu": menu, "move": move}


def find_assignment(data: str) -> int:
    """The assignment that the data of a button names; 0 for data that names none."""
    callback = updates_and_calls.decode_callback(data)
    return 0 if callback is None else callback.row_id
