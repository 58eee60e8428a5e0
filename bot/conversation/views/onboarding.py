"""What an annotator is asked before the first item: language, consent, profile, time zone, warning, task card."""

from __future__ import annotations

import hashlib
from datetime import datetime
from zoneinfo import ZoneInfo

from annotation.campaigns.sections.annotators import ExamplesSection, ProfileField
from annotation.workflow.annotators.consents import ConsentRequest
from bot.conversation import time_zones
from bot.conversation.callbacks import ButtonAction
from bot.conversation.texts import LANGUAGES, Texts, get_texts
from bot.conversation.updates_and_calls import ButtonRows
from bot.conversation.views import message_layout, questions
from bot.conversation.views.message_layout import RenderedMessage, TextBlock

OTHER_ZONE, NO_ZONE = "other", "unsaid"
DIGEST_LENGTH = 16


def render_language_choice() -> RenderedMessage:
    """The choice of a language, asked in all of them."""
    questions_asked = [TextBlock(get_texts(language)("which-language")) for language in LANGUAGES]
    buttons = tuple(
        (message_layout.build_button(get_texts(language)("language-name"), ButtonAction.LANGUAGE, word=language),)
        for language in LANGUAGES
    )
    return message_layout.render_messages(questions_asked, get_texts(LANGUAGES[0]), buttons=buttons)[-1]


def render_consent(request: ConsentRequest, translate: Texts, *, project_id: int) -> tuple[RenderedMessage, ...]:
    """The whole consent text, in parts where it is long, with the two answers under the last part."""
    digest = request.required.sha256[:DIGEST_LENGTH]
    buttons = (
        (message_layout.build_button(translate("agree"), ButtonAction.CONSENT, project_id, 1, word=digest),),
        (message_layout.build_button(translate("decline"), ButtonAction.CONSENT, project_id, 0, word=digest),),
    )
    return message_layout.render_messages(
        [message_layout.make_bold_block(translate("consent")), TextBlock(request.text)], translate, buttons=buttons
    )


def render_profile_field(field: ProfileField, translate: Texts, *, project_id: int) -> RenderedMessage:
    """One profile field: buttons for a choice, otherwise a text to type; optional fields can be left open."""
    digest, blocks = compute_field_digest(field), [message_layout.make_bold_block(field.text)]
    labels = tuple(questions.isolate_direction(option) for option in field.options)
    if field.options and not message_layout.are_labels_short(labels):
        letters = questions.list_letters(len(labels), translate.language)
        blocks.append(TextBlock("\n".join(f"{name}) {label}" for name, label in zip(letters, labels, strict=True))))
        labels = letters
    buttons = message_layout.arrange_buttons(
        [
            message_layout.build_button(label, ButtonAction.PROFILE, project_id, index, word=digest)
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
    input_hint = translate("answer-here") if not buttons else None
    return message_layout.render_messages(blocks, translate, buttons=buttons, input_hint=input_hint)[-1]


def compute_field_digest(field: ProfileField) -> str:
    """A digest of the field, so that a button of an older definition is recognised."""
    return hashlib.sha256(field.model_dump_json().encode()).hexdigest()[:DIGEST_LENGTH]


def render_time_zone_choice(translate: Texts, *, now: datetime) -> RenderedMessage:
    """The choice of a time zone: cities with their current time."""
    cities = []
    for name in time_zones.COMMON_ZONES[translate.language]:
        label = f"{translate(time_zones.get_city_message_id(name))} · {now.astimezone(ZoneInfo(name)):%H:%M}"
        cities.append(message_layout.build_button(label, ButtonAction.ZONE, word=name))
    pairs = tuple(tuple(cities[start : start + 2]) for start in range(0, len(cities), 2))
    others = (
        message_layout.build_button(translate("zone-other"), ButtonAction.ZONE, word=OTHER_ZONE),
        message_layout.build_button(translate("zone-unsaid"), ButtonAction.ZONE, word=NO_ZONE),
    )
    return message_layout.render_text(translate, translate("which-zone"), buttons=(*pairs, others))


def render_warning(text: str, translate: Texts, *, project_id: int, sha256: str) -> tuple[RenderedMessage, ...]:
    """The content warning before the first item."""
    go_on = message_layout.build_button(
        translate("go-on"), ButtonAction.WARNING, project_id, word=sha256[:DIGEST_LENGTH]
    )
    decline = message_layout.build_button(
        translate("decline-warning"), ButtonAction.WARNING, project_id, 0, word=sha256[:DIGEST_LENGTH]
    )
    blocks = [
        message_layout.make_bold_block(translate("warning")),
        TextBlock(text),
        TextBlock(translate("warning-leave")),
    ]
    return message_layout.render_messages(blocks, translate, buttons=((go_on,), (decline,)))


def render_card(
    title: str, instructions: str, examples: ExamplesSection | None, translate: Texts, *, buttons: ButtonRows = ()
) -> tuple[RenderedMessage, ...]:
    """The task card: its instructions, good and bad examples."""
    blocks = [message_layout.make_bold_block(title), TextBlock(instructions)]
    if examples is not None:
        for message, mark, examples_listed in (
            ("examples-good", "✅", examples.good),
            ("examples-bad", "🚫", examples.bad),
        ):
            if examples_listed:
                blocks += [
                    message_layout.make_bold_block(translate(message)),
                    TextBlock("\n".join(f"{mark} {example}" for example in examples_listed)),
                ]
    return message_layout.render_messages(blocks, translate, buttons=buttons)
