"""What is asked of an annotator before the first item of a project, or between items, and the task card.

`ask_` functions return the calls that send a question, `show_` functions those that send a screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from annotation.campaigns import stimulus
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.annotators import ProfileField
from annotation.vocabulary import UnassignedReason
from annotation.workflow import assignments, definitions
from annotation.workflow.annotators import consents
from annotation.workflow.assignments import Journey
from annotation.workflow.conversations.conversation_state import ConversationStep
from bot.conversation import message_layout, prompts
from bot.conversation.update_context import UpdateContext
from bot.conversation.updates_and_calls import ButtonAction, ButtonRows, InlineButton, TelegramCalls
from bot.conversation.views import menus, onboarding, return_card

if TYPE_CHECKING:
    from annotation.store.models import ProjectRow


def ask_requirement(
    context: UpdateContext, reason: UnassignedReason, project: ProjectRow, definition: ProjectFile
) -> TelegramCalls:
    """Ask for what the project requires before the first item: consent, a profile field, or the content warning."""
    project_id = project.id or 0
    project_terms = definitions.get_terms(context.transaction.session, project=project, definition=definition)
    if reason is UnassignedReason.CONSENT:
        request = consents.get_consent_request(
            context.transaction.session, annotator_id=context.annotator_id, terms=project_terms
        )
        if request is None:
            return ()
        return context.ask(onboarding.render_consent(request, context.translate, project_id=project_id))
    if reason is UnassignedReason.PROFILE:
        answers = definitions.get_profile_answers(context.transaction.session, annotator_id=context.annotator_id)
        field = definitions.list_missing_fields(project_terms.fields, answers)[0]
        return ask_profile_field(context, field, project_id)
    text = definition.content_warning or ""
    digest = stimulus.compute_text_digest(text)
    return context.ask(onboarding.render_warning(text, context.translate, project_id=project_id, sha256=digest))


def ask_profile_field(context: UpdateContext, field: ProfileField, project_id: int) -> TelegramCalls:
    """Ask for the answer to a profile field of a project."""
    back = _build_back_from_field(context, field, project_id)
    question = onboarding.render_profile_field(field, context.translate, project_id=project_id, back=back)
    return context.ask(question, ConversationStep.PROFILE, subject_id=project_id, profile_field=field.name)


def _build_back_from_field(context: UpdateContext, field: ProfileField, project_id: int) -> InlineButton:
    """The button back from a profile field: to the field before, out of the first, or out of one that has an answer."""
    project, definition = context.get_project(project_id)
    fields = definitions.get_terms(context.transaction.session, project=project, definition=definition).fields
    answers = definitions.get_profile_answers(context.transaction.session, annotator_id=context.annotator_id)
    index = next(number for number, listed in enumerate(fields) if listed.name == field.name)
    if field not in definitions.list_missing_fields(fields, answers):
        return menus.build_back_row(context.translate)[0]
    if index == 0:
        return menus.build_back_row(context.translate, word=menus.LATER)[0]
    digest = onboarding.compute_field_digest(fields[index - 1])
    typed = (prompts.BACK,)
    return message_layout.build_button(
        context.translate("back"), ButtonAction.PROFILE, project_id, word=digest, typed=typed
    )


def ask_time_zone(context: UpdateContext, *, for_notices: bool = False) -> TelegramCalls:
    """Ask for the time zone, which can be tapped or typed; `for_notices` says that the bot is to write by day."""
    choice = onboarding.render_time_zone_choice(context.translate, now=context.now, for_notices=for_notices)
    return context.ask(choice, ConversationStep.ZONE, subject_id=int(for_notices))


def show_card(
    context: UpdateContext,
    project: ProjectRow,
    definition: ProjectFile,
    *,
    version: str,
    label_id: str = "begin",
    above: Sequence[str] = (),
    journey: Journey | None = None,
) -> TelegramCalls:
    """Show the task card with a button that leads to the item; `label_id` is the id of the button's text.

    Where work begins and no session is chosen, further buttons begin one of so many items: in a programme below its
    first card, which also says how much there is to do. `above` are lines to stand above the card.
    """
    is_first = journey is None or journey.number == 1
    if journey is not None and is_first:
        above = (*above, *onboarding.format_journey(journey, context.translate))
    project_id = project.id or 0
    button = message_layout.build_button(
        context.translate(label_id), ButtonAction.CARD, project_id, word=version, typed=(prompts.GO_ON,)
    )
    asks_size = label_id == "begin" and is_first and not context.state.session_goal
    sizes = _build_size_row(context, project_id=project_id, version=version) if asks_size else ()
    card = onboarding.render_card(
        project.title,
        project.instructions,
        definition.examples,
        context.translate,
        pay=_format_pay(context, definition),
        buttons=((button,), *sizes),
        above=above,
    )
    return context.ask(card)


def _build_size_row(context: UpdateContext, *, project_id: int, version: str) -> ButtonRows:
    """The row of the sizes of a session that are at most what there is to do."""
    listed = assignments.list_own_progress(context.transaction, now=context.now)
    key = next((progress.key for progress in listed if progress.project_id == project_id), 0)
    left = assignments.count_left([progress for progress in listed if progress.key == key])
    return menus.build_size_row(context.translate, left=left, first="session-only", project_id=project_id, word=version)


def mark_card_read(context: UpdateContext, *, project_id: int, version: str) -> TelegramCalls:
    """Store that this version of a task card was read, and remove its buttons; raises Stale for an unknown project."""
    project, definition = context.get_project(project_id)
    read_cards = context.state.read_cards | {str(project_id): version}
    context.save_state(replace(context.state, read_cards=read_cards))
    return remove_prompt_buttons(context) or context.edit(
        onboarding.render_card(
            project.title,
            project.instructions,
            definition.examples,
            context.translate,
            pay=_format_pay(context, definition),
        )[-1]
    )


def _format_pay(context: UpdateContext, definition: ProjectFile) -> str:
    """What the project pays; empty where it pays nothing."""
    return return_card.format_pay(definition.reward.pay if definition.reward else None, context.translate)


def remove_prompt_buttons(context: UpdateContext) -> TelegramCalls:
    """Remove the buttons under the tapped message, where it is the one that asked last."""
    state = context.state
    if not state.prompt or state.asked_in != context.incoming.message_id:
        return ()
    return context.edit(replace(prompts.decode_prompt(state.prompt), buttons=()))
