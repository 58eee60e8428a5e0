"""Answers to what an annotator is asked before the first item: consent, profile, time zone, warning, task card."""

from __future__ import annotations

from dataclasses import replace

from annotation.campaigns import stimulus
from annotation.campaigns.sections.annotators import ProfileField
from annotation.errors import BadInput, Stale
from annotation.vocabulary import UNSAID_TIME_ZONE, UnassignedReason
from annotation.workflow import definitions, participations
from annotation.workflow.annotators import access, consents, registration
from annotation.workflow.assignments import AssignedItem
from annotation.workflow.conversations.conversation_state import ConversationStep
from annotation.workflow.definitions import MAX_ANSWER_LENGTH, Terms, get_terms
from bot.conversation import message_layout, navigation, prompts, requirements, time_zones
from bot.conversation.handlers import command_words
from bot.conversation.message_layout import TextBlock
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import TelegramCalls
from bot.conversation.views import menus, onboarding


def _get_terms(context: UpdateContext, project_id: int) -> Terms:
    project, definition = context.get_project(project_id)
    return get_terms(context.transaction.session, project=project, definition=definition)


def record_consent(context: UpdateContext) -> TelegramCalls:
    """Store that the annotator agreed or declined; the button names the consent text that was shown."""
    callback = context.require_callback()
    terms = _get_terms(context, callback.row_id)
    required = terms.consent
    if required is None or not callback.word or not required.sha256.startswith(callback.word):
        raise Stale("This text is out of date.")
    request = consents.get_consent_request(context.transaction.session, annotator_id=context.annotator_id, terms=terms)
    if not callback.get_number(0):
        return (
            _withdraw_consent(context, terms, required.scope)
            if request is None
            else _record_decline(context, terms, UnassignedReason.CONSENT, "declined")
        )
    if request is None:
        return context.acknowledge("noted")
    consents.give_consent(
        context.transaction.session,
        annotator_id=context.annotator_id,
        terms=terms,
        sha256=required.sha256,
        now=context.now,
    )
    consent_message = onboarding.render_consent(request, context.translate, project_id=callback.row_id)[-1]
    edited = context.edit(replace(consent_message, buttons=()))
    confirmation = message_layout.render_text(context.translate, context.translate("agreed", version=required.version))
    return join_calls(
        context.acknowledge("noted"),
        edited,
        context.send(confirmation),
        navigation.show_current_screen(context.without_tap()),
    )


def _withdraw_consent(context: UpdateContext, terms: Terms, scope: str) -> TelegramCalls:
    """Withdraw the consent of an annotator who declines after they agreed."""
    consents.withdraw_consent(
        context.transaction.session, annotator_id=context.annotator_id, scope=scope, now=context.now
    )
    return _show_decline(context, terms, "consent-withdrawn")


def _record_decline(context: UpdateContext, terms: Terms, reason: UnassignedReason, text_id: str) -> TelegramCalls:
    """Store that the annotator declined the consent or the warning."""
    access.decline_terms(
        context.transaction.session, annotator_id=context.annotator_id, terms=terms, reason=reason, now=context.now
    )
    return _show_decline(context, terms, text_id)


def _show_decline(context: UpdateContext, terms: Terms, text_id: str) -> TelegramCalls:
    """Say what follows from declining, and show an item of another project, if any."""
    context.save_state(context.state.without_prompt())
    next_item = navigation.show_item_after_decline(context.without_tap(), project_id=terms.project.id or 0)
    return join_calls(context.acknowledge(), context.send_text(text_id), next_item)


def record_profile_option(context: UpdateContext) -> TelegramCalls:
    """Store the answer to a profile field that a button names, or that the annotator would rather not say."""
    callback = context.require_callback()
    fields = _get_terms(context, callback.row_id).fields
    field = next(
        (candidate for candidate in fields if onboarding.compute_field_digest(candidate) == callback.word), None
    )
    if field is None:
        raise Stale("That is not asked any more.")
    if not callback.numbers:
        return join_calls(context.acknowledge(), requirements.ask_profile_field(context, field, callback.row_id))
    if len(callback.numbers) > 2:
        return _confirm_profile_text(context, field)
    is_declined = len(callback.numbers) > 1
    if not is_declined and callback.get_number(0) >= len(field.options):
        raise Stale("There is no such option.")
    value = None if is_declined else field.options[callback.get_number(0)]
    registration.save_profile_answer(
        context.transaction.session, annotator_id=context.annotator_id, field=field, value=value, now=context.now
    )
    blocks = [message_layout.make_bold_block(field.text), TextBlock(value or context.translate("rather-not-say"))]
    confirmation = message_layout.render_messages(blocks, context.translate)[-1]
    return join_calls(
        context.acknowledge("noted"), context.edit(confirmation), navigation.show_current_screen(context.without_tap())
    )


def _confirm_profile_text(context: UpdateContext, field: ProfileField) -> TelegramCalls:
    """Store the typed word that is an answer, as the annotator says; raises Stale where something else is asked."""
    state = context.state
    value = state.prompt.get(onboarding.TYPED)
    if value is None or state.profile_field != field.name:
        raise Stale("That is not asked any more.")
    registration.save_profile_answer(
        context.transaction.session, annotator_id=context.annotator_id, field=field, value=value, now=context.now
    )
    told = message_layout.render_text(context.translate, context.translate("profile-noted", value=value))
    edited = context.edit_or_send(told)
    return join_calls(context.acknowledge(), edited, navigation.show_current_screen(context.without_tap()))


def record_profile_text(context: UpdateContext) -> TelegramCalls:
    """Store the typed answer to a profile field; where it is not valid, explain why and ask again."""
    state = context.state
    field = next(
        (
            candidate
            for candidate in _get_terms(context, state.subject_id).fields
            if candidate.name == state.profile_field
        ),
        None,
    )
    if field is None:
        return navigation.show_current_screen(context)
    if field.type == "text" and prompts.may_be_wish(context.text):
        doubt = onboarding.render_profile_doubt(field, context.text, context.translate, project_id=state.subject_id)
        calls = context.ask(
            doubt, ConversationStep.PROFILE, subject_id=state.subject_id, profile_field=state.profile_field
        )
        asked = context.state.prompt | {onboarding.TYPED: context.text}
        context.save_state(replace(context.state, prompt=asked))
        return calls
    try:
        value = registration.save_profile_answer(
            context.transaction.session,
            annotator_id=context.annotator_id,
            field=field,
            value=context.text,
            now=context.now,
        )
    except BadInput:
        wish = command_words.apply_word(context)
        if wish:
            return wish
        again = requirements.ask_profile_field(context, field, state.subject_id)
        return join_calls(_explain_refused_value(context, field), again)
    confirmation = context.send_text("profile-noted", value=value or context.translate("rather-not-say"))
    return join_calls(context.close_prompt(), confirmation, navigation.show_current_screen(context))


def _explain_refused_value(context: UpdateContext, field: ProfileField) -> TelegramCalls:
    """Explain why a typed text is no answer to a profile field."""
    number = prompts.find_number(context.text)
    if field.type == "number" and number:
        return context.send_text("digits-only", number=number)
    if field.type == "number":
        least, most = ("" if bound is None else f"{bound:g}" for bound in field.bounds)
        bounds = "both" if least and most else "least" if least else "most" if most else "none"
        return context.send_text("not-a-number", bounds=bounds, least=least, most=most)
    text_id = {"choice": "choose-shown", "text": "too-long"}[field.type]
    return context.send_text(text_id, most=MAX_ANSWER_LENGTH)


def choose_time_zone(context: UpdateContext) -> TelegramCalls:
    """Store the time zone that the button names, or ask the annotator to type another one."""
    name, row_id = context.require_callback().word, context.require_callback().row_id
    if name == onboarding.OTHER_ZONE:
        back = menus.build_back_row(context.translate, word=_lead_back(row_id))
        question = message_layout.render_text(context.translate, context.translate("zone-type"), buttons=(back,))
        return join_calls(context.acknowledge(), context.ask(question, ConversationStep.ZONE, subject_id=row_id))
    _set_time_zone(context, UNSAID_TIME_ZONE if name == onboarding.NO_ZONE else name)
    zone = time_zones.format_zone(context.annotator.time_zone or "", context.translate)
    is_unsaid = name == onboarding.NO_ZONE and row_id  # then it is day by the clock of the organisers
    noted = context.translate("zone-unsaid") if is_unsaid else context.translate("zone-noted", zone=zone)
    confirmation = message_layout.render_text(context.translate, noted)
    return join_calls(
        context.acknowledge("noted"),
        context.edit(confirmation),
        _go_on_from_zone(context.without_tap(), for_notices=bool(row_id)),
    )


def _lead_back(row_id: int) -> str:
    """Where back from a typed zone leads: work may be paused where it was asked for only to be written to by day."""
    return menus.LATER if row_id else menus.LEAVE


def set_typed_time_zone(context: UpdateContext) -> TelegramCalls:
    """Store a typed city, zone or offset."""
    name = time_zones.parse_time_zone(context.text, now=context.now, language=context.translate.language)
    for_notices = bool(context.state.subject_id)
    if name is None:
        again = requirements.ask_time_zone(context, for_notices=for_notices)
        return join_calls(context.send_text("zone-unknown"), again)
    _set_time_zone(context, name)
    return join_calls(
        context.close_prompt(),
        context.send_text("zone-noted", zone=time_zones.format_zone(name, context.translate)),
        _go_on_from_zone(context, for_notices=for_notices),
    )


def _go_on_from_zone(context: UpdateContext, *, for_notices: bool) -> TelegramCalls:
    """Show the current screen; not where the zone was asked for to be written to by day: work may be paused."""
    if not for_notices:
        return navigation.show_current_screen(context)
    context.save_state(context.state.without_prompt())
    return ()


def _set_time_zone(context: UpdateContext, name: str) -> None:
    try:
        registration.set_time_zone(context.transaction.session, annotator=context.annotator, name=name)
    except BadInput:
        raise Stale("There is no such zone.") from None


def record_warning_reply(context: UpdateContext) -> TelegramCalls:
    """Store that the annotator accepted the content warning or declined it; the button names the text shown."""
    callback = context.require_callback()
    project, definition = context.get_project(callback.row_id)
    digest = stimulus.compute_text_digest(definition.content_warning or "")
    if not callback.word or not digest.startswith(callback.word):
        raise Stale("This warning is out of date.")
    if callback.numbers:
        consents.withdraw_warning(context.transaction.session, annotator_id=context.annotator_id, project=project)
        return _record_decline(
            context, _get_terms(context, callback.row_id), UnassignedReason.WARNING, "warning-declined"
        )
    consents.accept_warning(
        context.transaction.session, annotator_id=context.annotator_id, project=project, sha256=digest, now=context.now
    )
    edited = requirements.remove_prompt_buttons(context)
    return join_calls(context.acknowledge(), edited, navigation.show_current_screen(context.without_tap()))


def mark_card_read(context: UpdateContext) -> TelegramCalls:
    """Store that the task card was read, and remove its button."""
    callback = context.require_callback()
    edited = requirements.mark_card_read(context, project_id=callback.row_id, version=callback.word)
    return join_calls(context.acknowledge(), edited, navigation.show_current_screen(context.without_tap()))


def show_task(context: UpdateContext) -> TelegramCalls:
    """Show the task card again, for the project of the live item or else the latest; a button leads back."""
    item = navigation.get_live_item(context)
    project_id = (
        item.project_id
        if isinstance(item, AssignedItem)
        else participations.find_latest_project(context.transaction.session, annotator_id=context.annotator_id)
    )
    named = None if project_id is None else context.find_project(project_id)
    if named is None:
        return join_calls(context.acknowledge(), navigation.show_current_screen(context.without_tap()))
    project, definition = named
    version = definitions.compute_card_version(project.instructions, definition.examples)
    card = requirements.show_card(context, project, definition, version=version, label_id="go-on")
    return join_calls(context.acknowledge(), card)
