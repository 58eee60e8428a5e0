"""The first item of a campaign as the chat will show it, in the terminal."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from annotation.campaigns.project_file import CheckedProject
from annotation.campaigns.stimulus import render_pieces
from annotation.loading.campaign import CampaignContents
from annotation.vocabulary import Pool, Stage
from annotation.workflow.assignments import AssignedItem, ShownQuestion
from annotation.workflow.conversations.conversation_state import AnswerDraft
from bot.conversation.texts import get_texts, match_language
from bot.conversation.updates_and_calls import InlineButton
from bot.conversation.views import items

MAX_LINES = 16
"""How much of a long text is shown."""
MAX_ROWS = 8
"""How many rows of buttons are shown."""
_TAG = re.compile(r"<[^>]+>")


def render_first_item(campaign: CheckedProject, contents: CampaignContents) -> list[str]:
    """Return the lines of the message with which the first item is asked, and its buttons in brackets."""
    item = _build_item(campaign, contents)
    translate = get_texts(match_language(campaign.definition.language))
    progress = items.build_item_progress(item, AnswerDraft(assignment_id=0, revision=0), translate)
    messages = items.render_item(item, translate, progress=progress)
    lines = [line for message in messages for line in html.unescape(_TAG.sub("", message.html)).splitlines()]
    rows = [_format_row(row) for message in messages for row in message.buttons]
    return [*_cut(lines, MAX_LINES), *_cut(rows, MAX_ROWS)]


def _build_item(campaign: CheckedProject, contents: CampaignContents) -> AssignedItem:
    """The first item of the main stage as somebody would get it."""
    first = next((one for one in contents.items if one.pool is Pool.MAIN), contents.items[0])
    questions = [question.with_positions(len(first.options or ())) for question in contents.questions]
    return AssignedItem(
        assignment_id=0,
        revision=0,
        project=campaign.definition.title,
        project_id=0,
        language=campaign.definition.language,
        instructions="",
        stage=Stage.MAIN,
        item=first.external_id,
        stimulus=render_pieces([piece for piece in first.pieces if piece.step == 1]),
        pieces=tuple(piece.to_dict() for piece in first.pieces if piece.step == 1),
        questions=tuple(
            ShownQuestion(
                question=question,
                options=question.get_options(first.options),
                labels=question.get_labels(first.options),
                field_text=str(first.data.get(question.text_column or "", "")),
            )
            for question in questions
            if question.step == 1
        ),
        number=1,
        countdown=None,
        pass_mark=None,
        page=None,
    )


def _format_row(row: tuple[InlineButton, ...]) -> str:
    return " ".join(f"[ {button.label} ]" for button in row)


def _cut(lines: list[str], most: int) -> Iterator[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"… {len(lines) - most} more lines"
