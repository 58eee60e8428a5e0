"""The messages that ask for what is needed before the first item: language, consent, profile, time zone, and so on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from annotation.campaigns.sections.annotators import ExamplesSection, ProfileField
from annotation.workflow.annotators.consents import ConsentRequest
from annotation.workflow.assignments import Journey
from bot.conversation import message_layout, prompts, time_zones
from bot.conversation.inputs import options
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts, get_texts, list_languages
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton
from bot.conversation.views import menus

OTHER_ZONE, NO_ZONE = "other", "unsaid"
"""The words, in place of a zone, in the data of the buttons to type a zone and to tell none."""
TYPED = "typed"
"""The key beside a prompt that asks whether a typed word is the answer to a profile field: the word."""
DIGEST_LENGTH = 16
"""How many characters of a digest fit into the data of a button."""


def render_language_choice(likely: str) -> RenderedMessage:
    """The choice of a language, asked in all of them, that which the annotator's Telegram speaks first."""
    languages = sorted(list_languages(), key=lambda language: language != likely)
    blocks = [TextBlock(get_texts(language)("which-language")) for language in languages]
    buttons = tuple(
        (
            message_layout.build_button(
                get_texts(language)("language-name"),
                ButtonAction.LANGUAGE,
                word=language,
                typed=(str(number), language),
            ),
        )
        for number, language in enumerate(languages, 1)
    )
    return message_layout.render_messages(blocks, get_texts(languages[0]), buttons=buttons)[-1]


def render_consent(request: ConsentRequest, translate: Texts, *, project_id: int) -> tuple[RenderedMessage, ...]:
    """The whole consent text, in parts where it is long, with buttons to agree and decline under the last part.

    Where the project declares a retention, it ends with what becomes of the answers then.
    """
    digest = request.required.sha256[:DIGEST_LENGTH]
    agree = message_layout.build_button(
        translate("agree"), ButtonAction.CONSENT, project_id, 1, word=digest, typed=(prompts.AGREE,)
    )
    decline = message_layout.build_button(
        translate("decline"), ButtonAction.CONSENT, project_id, 0, word=digest, typed=(prompts.DISAGREE,)
    )
    blocks = [message_layout.make_bold_block(translate("consent")), TextBlock(request.text)]
    if request.retention_days is not None:
        blocks.append(TextBlock(translate("consent-retention", days=request.retention_days)))
    return message_layout.render_messages(
        blocks,
        translate,
        buttons=((agree,), (decline,)),
    )


def render_profile_field(
    field: ProfileField, translate: Texts, *, project_id: int, back: InlineButton
) -> RenderedMessage:
    """The question of a profile field: a choice has buttons, other fields are typed; optional ones can be declined.

    The last button leads `back`.
    """
    digest, blocks = compute_field_digest(field), [message_layout.make_bold_block(field.text)]
    labels = tuple(options.isolate_direction(option) for option in field.options)
    letters = options.list_letters(len(labels), translate.language)
    words = prompts.list_option_words(field.options, letters)
    if field.options and not message_layout.are_labels_short(labels):
        blocks.append(TextBlock("\n".join(f"{letter}) {label}" for letter, label in zip(letters, labels, strict=True))))
        labels = letters
    buttons = message_layout.arrange_buttons(
        [
            message_layout.build_button(label, ButtonAction.PROFILE, project_id, index, word=digest, typed=words[index])
            for index, label in enumerate(labels)
        ]
    )
    if not field.options:
        blocks.append(TextBlock(translate("type-number" if field.type == "number" else "type-text")))
    if not field.required:
        decline = message_layout.build_button(
            translate("rather-not-say"), ButtonAction.PROFILE, project_id, len(labels), 1, word=digest
        )
        buttons = (*buttons, (decline,))
    return message_layout.render_messages(blocks, translate, buttons=(*buttons, (back,)))[-1]


def render_profile_doubt(field: ProfileField, text: str, translate: Texts, *, project_id: int) -> RenderedMessage:
    """The question whether a typed word, such as «назад», is the answer to a profile field."""
    digest = compute_field_digest(field)
    answer = message_layout.build_button(
        translate("is-my-answer"), ButtonAction.PROFILE, project_id, 0, 0, 1, word=digest, typed=(prompts.YES,)
    )
    back = message_layout.build_button(
        translate("back"), ButtonAction.PROFILE, project_id, word=digest, typed=(prompts.BACK, prompts.NO)
    )
    blocks = [message_layout.make_bold_block(text), TextBlock(translate("word-or-answer"))]
    return message_layout.render_messages(blocks, translate, buttons=((answer,), (back,)))[-1]


def compute_field_digest(field: ProfileField) -> str:
    """A digest of the field's definition; buttons carry it, so that those of an older definition are recognised."""
    return hashlib.sha256(field.model_dump_json().encode()).hexdigest()[:DIGEST_LENGTH]


def render_time_zone_choice(translate: Texts, *, now: datetime, for_notices: bool = False) -> RenderedMessage:
    """The choice of a time zone: cities with their current time, another zone, or none.

    The row of its buttons is 1 where it is asked for so that the bot writes by day (`for_notices`).
    """
    row_id, back = int(for_notices), menus.build_back_row(translate, word=menus.LATER)
    city_buttons = []
    for name in time_zones.list_common_zones(translate.language):
        label = f"{time_zones.format_zone(name, translate)} · {now.astimezone(ZoneInfo(name)):%H:%M}"
        city_buttons.append(message_layout.build_button(label, ButtonAction.ZONE, row_id, word=name))
    city_rows = tuple(tuple(city_buttons[start : start + 2]) for start in range(0, len(city_buttons), 2))
    other_row = (
        message_layout.build_button(translate("zone-other"), ButtonAction.ZONE, row_id, word=OTHER_ZONE),
        message_layout.build_button(translate("zone-unsaid"), ButtonAction.ZONE, row_id, word=NO_ZONE),
    )
    question = translate("which-zone-by-day" if for_notices else "which-zone")
    return message_layout.render_text(translate, question, buttons=(*city_rows, other_row, back))


def render_warning(text: str, translate: Texts, *, project_id: int, sha256: str) -> tuple[RenderedMessage, ...]:
    """The content warning, with buttons to continue and to decline; `sha256` is the digest of the text."""
    digest = sha256[:DIGEST_LENGTH]
    accept = message_layout.build_button(
        translate("go-on"), ButtonAction.WARNING, project_id, word=digest, typed=(prompts.GO_ON,)
    )
    decline = message_layout.build_button(
        translate("decline-warning"), ButtonAction.WARNING, project_id, 0, word=digest, typed=(prompts.STAY_OUT,)
    )
    blocks = [
        message_layout.make_bold_block(translate("warning")),
        TextBlock(text),
        TextBlock(translate("warning-leave")),
    ]
    return message_layout.render_messages(blocks, translate, buttons=((accept,), (decline,)))


def format_journey(journey: Journey, translate: Texts) -> list[str]:
    """The title of a programme and how much there is to do in it: items and minutes, as far as they are known."""
    if journey.total is None:
        return [journey.title]
    items = translate("journey-items", items=_round(journey.total))
    if journey.seconds is None:
        return [journey.title, translate("journey-ahead", items=items)]
    minutes = _round(max(1, round(journey.seconds / 60)))
    return [journey.title, translate("journey-ahead-minutes", items=items, minutes=minutes)]


def _round(number: int) -> int:
    """The number as it is said with "about": above 20 to the next ten."""
    return number if number < _ABOUT else round(number, -1)


_ABOUT = 20


def render_card(
    title: str,
    instructions: str,
    examples: ExamplesSection | None,
    translate: Texts,
    *,
    pay: str = "",
    buttons: ButtonRows = (),
    above: Sequence[str] = (),
) -> tuple[RenderedMessage, ...]:
    """The task card: the lines `above` it, the title, the instructions, good and bad examples, and what is paid."""
    blocks = [TextBlock("\n".join(above)), message_layout.make_bold_block(title), TextBlock(instructions)]
    if examples is not None:
        for text_id, emoji, listed_examples in (
            ("examples-good", "✅", examples.good),
            ("examples-bad", "🚫", examples.bad),
        ):
            if listed_examples:
                blocks += [
                    message_layout.make_bold_block(translate(text_id)),
                    TextBlock("\n".join(f"{emoji} {example}" for example in listed_examples)),
                ]
    return message_layout.render_messages([*blocks, TextBlock(pay)], translate, buttons=buttons)
