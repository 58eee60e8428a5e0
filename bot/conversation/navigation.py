"""Navigation: which screen an annotator sees next. Every screen says what to do, or why there is no item.

`show_` functions return the calls that send a screen, `ask_` functions those that send a question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from annotation.vocabulary import AssignmentEnd, ProjectStatus, Surface, UnassignedReason
from annotation.workflow import assignments, definitions, participations
from annotation.workflow.allocation import open_projects
from annotation.workflow.allocation.open_projects import ProjectChoice
from annotation.workflow.annotators import access, invitations, withdrawal
from annotation.workflow.assignments import AssignedItem, Eligibility, Offer
from annotation.workflow.conversations.conversation_state import AnswerDraft, ConversationStep
from annotation.workflow.notices import wishes
from annotation.workflow.participations import NothingAssigned
from bot.conversation import (
    attestation_questions,
    case_queue,
    message_layout,
    requirements,
    return_card,
    updates_and_calls,
    work_sessions,
)
from bot.conversation.message_layout import RenderedMessage
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import (
    ButtonAction,
    ButtonRows,
    InlineButton,
    NewMessage,
    TelegramCall,
    TelegramCalls,
    UpdateKind,
)
from bot.conversation.views import items, menus, onboarding, own_progress

MAX_MESSAGES = 4
"""An item that takes more messages than this is too long for a phone."""
MOVE = "move"
"""The word in the data of the SKIP button that leaves an item for Label Studio."""


def offer_label_studio(context: UpdateContext, item: AssignedItem, *, n_messages: int) -> TelegramCalls:
    """Say above a long item where it is easier to read, with a button that leaves it for there.

    No call where the annotator has no batch of the project, or the address is not known, and for a change of an answer.
    """
    address = context.settings.label_studio_url
    if address is None or item.revision:
        return ()
    remote_id = assignments.find_remote_batch(
        context.transaction.session, annotator_id=context.annotator_id, project_id=item.project_id
    )
    if remote_id is None:
        return ()
    button = message_layout.build_button(
        context.translate("long-move"), ButtonAction.SKIP, item.assignment_id, word=MOVE
    )
    text = context.translate("long-item", messages=n_messages, address=f"{address.rstrip('/')}/projects/{remote_id}")
    return context.send(message_layout.render_text(context.translate, text, buttons=((button,),)))


SEARCHED_AGAIN = {*access.RESOLVABLE_REASONS, UnassignedReason.SEARCHING}
"""The reasons after which the annotator does something, and the search goes on."""
PASSING_REASONS = {UnassignedReason.NOTHING_LEFT, UnassignedReason.COOL_DOWN, UnassignedReason.NOT_RUNNING}
"""Why there may be something to answer later although there is nothing now; a cap too, where it ends by itself."""


def may_pass(result: NothingAssigned) -> bool:
    """Whether there may be something to answer later, without anything that the annotator does."""
    return result.reason in PASSING_REASONS or result.until is not None


def add_news_offer(
    context: UpdateContext, explanations: Sequence[TelegramCall], results: Sequence[NothingAssigned]
) -> TelegramCalls:
    """The explanations why there is nothing to answer now, the last with the offer to write when there is something.

    It is offered where that may come (`results` are the reasons), unless a reminder tomorrow is; where it is wanted
    already, that is said instead; never to somebody without Telegram. The labels of the buttons may be typed; any other
    text means what it means without them.
    """
    if not (explanations and context.has_telegram):
        return tuple(explanations)
    *earlier, last = explanations
    if not isinstance(last, NewMessage):
        raise TypeError("an explanation is a message")
    message = RenderedMessage(html=last.html, buttons=last.buttons)
    if any(map(may_pass, results)):
        wish = wishes.note_nothing_to_answer(context.transaction.session, annotator_id=context.annotator_id)
        added = None if _has_reminder(last) else menus.render_news_offer(wish, context.translate)
        if added is not None:
            message = replace(added, html=f"{last.html}\n\n{added.html}", buttons=(*added.buttons, *last.buttons))
    return (*earlier, *(context.ask(message, ConversationStep.NONE) if message.buttons else context.send(message)))


def _has_reminder(message: NewMessage) -> bool:
    """Whether a message offers a reminder tomorrow already."""
    once = updates_and_calls.CallbackData(ButtonAction.NOTICE, word=menus.NoticeWord.ONCE)
    return any(updates_and_calls.decode_callback(button.data) == once for row in message.buttons for button in row)


MAX_SEARCHES = 20
"""How many times one update searches for an item before the annotator is asked to wait."""


def show_current_screen(context: UpdateContext, *, item_finished: bool = False) -> TelegramCalls:
    """Show the screen that the annotator needs now. `item_finished`: this update answered or skipped an item."""
    if context.state.step is ConversationStep.LANGUAGE:
        return context.ask(onboarding.render_language_choice(context.translate.language), ConversationStep.LANGUAGE)
    if context.state.step in case_queue.CASE_STEPS:
        older = case_queue.remove_case_buttons(context)
        context.save_state(context.state.with_step(ConversationStep.NONE))
        return join_calls(older, show_current_screen(context, item_finished=item_finished))
    state = context.state.with_step(ConversationStep.NONE)
    context.save_state(
        replace(state, exhausted_entries=())
        if context.incoming.kind is UpdateKind.MESSAGE and not item_finished
        else state
    )
    eligibility = assignments.get_eligibility(context.transaction, now=context.now)
    if eligibility.live_assignment_id is not None:
        result = assignments.assign_next_item(
            context.transaction, now=context.now, project_ids=(), eligibility=eligibility
        )
        if isinstance(result, AssignedItem) or (result.reason in access.RESOLVABLE_REASONS and not result.declined):
            return show_assignment_result(context, result)
        eligibility = replace(eligibility, live_assignment_id=None, has_overdue_leases=False)
    entries = open_projects.list_choices(eligibility.open_projects)
    if not any(entry.projects for entry in entries):
        return _explain_nothing_open(context, entries)
    return _show_next_item(context, entries, eligibility=eligibility, item_finished=item_finished)


def list_menu_entries(context: UpdateContext) -> tuple[ProjectChoice, ...]:
    """The projects and programmes that the annotator has joined, as entries of the menu."""
    return open_projects.list_choices(assignments.get_eligibility(context.transaction, now=context.now).open_projects)


def _show_next_item(
    context: UpdateContext, entries: Sequence[ProjectChoice], *, eligibility: Eligibility, item_finished: bool
) -> TelegramCalls:
    """Show the next item of the chosen menu entry, or of the only one; the menu where none of several is chosen.

    An entry that has no item now is explained and marked as exhausted, and the other entries are searched. Where none
    has one, an attestation that is due is asked first, and the search is repeated after it.
    """
    if not _list_open_entries(context, entries):
        context.save_state(replace(context.state, exhausted_entries=()))
    before = context.state
    explanations: dict[str, TelegramCall] = {}  # by their text, so that none is sent twice
    ended: dict[int, NothingAssigned | None] = {}
    results: list[NothingAssigned] = []
    for entry in entries:
        if entry.key == context.state.entry and not entry.projects:
            ended[entry.key] = None
            _mark_exhausted(context, entry)
    while open_entries := _list_open_entries(context, entries):
        chosen = [entry for entry in open_entries if entry.key == context.state.entry]
        if len(open_entries) > 1 and not chosen and (menu := show_menu(context, open_entries)):
            return join_calls(explanations.values(), _tell_ended(context, ended, has_buttons=False), menu)
        entry = (chosen or open_entries)[0]
        result = _search_item(context, entry.projects, eligibility=eligibility)
        if isinstance(result, NothingAssigned) and return_card.is_end(result, key=entry.key):
            ended[entry.key] = result
        else:
            calls = show_assignment_result(context, result, item_finished=item_finished)
            if isinstance(result, AssignedItem) or result.reason in SEARCHED_AGAIN:
                return join_calls(explanations.values(), _tell_ended(context, ended, has_buttons=False), calls)
            explanations |= {str(call): call for call in calls}
        _mark_exhausted(context, entry)
        results.append(result)
    asked = attestation_questions.ask_at_end(context)
    if asked:
        context.save_state(replace(context.state, entry=before.entry, exhausted_entries=before.exhausted_entries))
        return asked
    work_sessions.forget_session(context)
    explained = add_news_offer(context, (*explanations.values(), *_tell_ended(context, ended)), results)
    return join_calls(explained, case_queue.offer_cases(context))


def _tell_ended(
    context: UpdateContext, ended: Mapping[int, NothingAssigned | None], *, has_buttons: bool = True
) -> TelegramCalls:
    """The card of the menu entries that have ended, or that there are no questions yet; no call for no entry."""
    if not ended:
        return ()
    card = return_card.render_end(context, ended, has_buttons=has_buttons)
    if card is not None:
        return context.send(card)
    is_told = has_buttons and any(result is not None for result in ended.values())
    return context.send_text("nothing-yet") if is_told else ()


def _list_open_entries(context: UpdateContext, entries: Sequence[ProjectChoice]) -> list[ProjectChoice]:
    return [entry for entry in entries if entry.projects and entry.key not in context.state.exhausted_entries]


def _mark_exhausted(context: UpdateContext, entry: ProjectChoice) -> None:
    exhausted = (*context.state.exhausted_entries, entry.key)
    context.save_state(replace(context.state, entry=0, exhausted_entries=exhausted))


def show_item_after_decline(context: UpdateContext, *, project_id: int) -> TelegramCalls:
    """Show an item after the annotator declined a project's terms: of the same menu entry, or of another."""
    eligibility = assignments.get_eligibility(context.transaction, now=context.now)
    open_entries = [entry for entry in open_projects.list_choices(eligibility.open_projects) if entry.projects]
    current = next((entry for entry in open_entries if project_id in entry.projects), None)
    if current is not None:
        result = _search_item(context, current.projects, eligibility=eligibility)
        if isinstance(result, AssignedItem) or not result.declined:
            return show_assignment_result(context, result)
        _mark_exhausted(context, current)
    others = [entry for entry in open_entries if entry is not current]
    return _show_next_item(context, others, eligibility=eligibility, item_finished=False) if others else ()


def get_live_item(context: UpdateContext) -> AssignedItem | NothingAssigned:
    """The item that the annotator has in Telegram now, or why there is none; no new item is assigned."""
    return assignments.assign_next_item(context.transaction, now=context.now, project_ids=())


def release_live_item(context: UpdateContext) -> None:
    """Give back the item that the annotator has in Telegram; a batch in Label Studio stays as it is."""
    withdrawal.release_live_assignments(
        context.transaction.session,
        annotator_id=context.annotator_id,
        now=context.now,
        why=AssignmentEnd.PAUSED,
        surface=Surface.TELEGRAM,
    )


def _search_item(
    context: UpdateContext, projects: Sequence[int], *, eligibility: Eligibility
) -> AssignedItem | NothingAssigned:
    """Assign an item of these projects, or find out why there is none; an unfinished search is continued."""
    for _ in range(MAX_SEARCHES):
        result = assignments.assign_next_item(
            context.transaction,
            now=context.now,
            project_ids=projects,
            eligibility=eligibility,
        )
        if isinstance(result, AssignedItem) or result.reason is not UnassignedReason.SEARCHING:
            return result
    return NothingAssigned(reason=UnassignedReason.SEARCHING)


def show_menu(context: UpdateContext, entries: Sequence[ProjectChoice]) -> TelegramCalls:
    """Show the menu of these open projects, and why the others have nothing; no call where none has an item."""
    offers = assignments.list_offers(context.transaction, now=context.now)
    keys = {entry.key for entry in entries}
    shown = [offer for offer in offers if offer.refusal is not None or offer.key in keys]
    if all(offer.refusal is not None for offer in shown):
        return ()
    return context.ask(render_menu(context, shown))


def render_menu(context: UpdateContext, offers: Sequence[Offer]) -> RenderedMessage:
    """The menu of projects in the annotator's language and time zone."""
    return menus.render_menu(offers, context.translate, zone=context.annotator.time_zone, now=context.now)


def _explain_nothing_open(context: UpdateContext, entries: Sequence[ProjectChoice]) -> TelegramCalls:
    """Explain why no project is open: quota reached, paused, all done, or no invitation redeemed.

    An adjudicator is shown the case that waits; an attestation that is due comes first.
    """
    is_adjudicator = case_queue.is_adjudicator(context)
    queued = case_queue.find_next_case(context) if is_adjudicator else None
    if queued is not None:
        return case_queue.ask_case(context, queued)
    asked = attestation_questions.ask_at_end(context)
    if asked:
        return asked
    work_sessions.forget_session(context)
    projects = participations.list_joined_projects(context.transaction.session, annotator_id=context.annotator_id)
    stopped = [
        NothingAssigned(reason=UnassignedReason.NOT_RUNNING, project=project.name)
        for project in reversed(projects)
        if project.status in {ProjectStatus.PAUSED, ProjectStatus.LOADED}
    ]
    are_closed = bool(projects) and all(project.status is ProjectStatus.CLOSED for project in projects)
    keys = {progress.key for progress in assignments.list_own_progress(context.transaction, now=context.now)}
    if entries:
        keys = {entry.key for entry in entries}
    is_ended = bool(entries) or not stopped or any(key < 0 for key in keys)
    card = return_card.render_end(context, dict.fromkeys(sorted(keys))) if keys and is_ended else None
    if card is not None and (entries or stopped or are_closed):
        return add_news_offer(context, context.send(card), stopped)
    if stopped:
        return add_news_offer(context, show_assignment_result(context, stopped[0]), stopped)
    if projects:
        nothing = NothingAssigned(reason=UnassignedReason.NOTHING_LEFT)
        said = context.send(card) if card is not None else context.send_text("nothing-yet")
        return add_news_offer(context, said, [nothing])
    if is_adjudicator:
        text_id = "case-nothing"
    else:
        text_id = "stranger" if invitations.has_invitations(context.transaction.session) else "nothing-open"
    return context.send_text(text_id)


def show_assignment_result(
    context: UpdateContext, result: AssignedItem | NothingAssigned, *, item_finished: bool = False
) -> TelegramCalls:
    """Show the assigned item, or the first question or task card that has to come before it, or why there is none."""
    if isinstance(result, NothingAssigned):
        return _explain_no_item(context, result)
    project, definition = context.get_project(result.project_id)
    counts_days = definition.caps is not None and definition.caps.items_per_day is not None
    if context.annotator.time_zone is None and counts_days:
        return requirements.ask_time_zone(context)
    version = definitions.compute_card_version(result.instructions, definition.examples)
    if context.state.read_cards.get(str(result.project_id)) != version:
        before = (
            assignments.find_finished_before(context.transaction, project_id=result.project_id, now=context.now)
            if item_finished
            else None
        )
        above = () if before is None else (own_progress.format_progress(before, context.translate, with_shared=False),)
        return requirements.show_card(
            context, project, definition, version=version, above=above, journey=result.journey
        )
    attestation: TelegramCalls = ()
    if definition.attestation:
        attestation = attestation_questions.ask_before_item(context, definition, project_id=result.project_id)
    page_end = _announce_page_end(context, result) if item_finished else ()
    return attestation or join_calls(page_end, show_item(context, result))


def show_item(context: UpdateContext, item: AssignedItem) -> TelegramCalls:
    """Show the item in new messages, with its buttons under the last."""
    context.shown_items[item.assignment_id] = item
    draft = context.state.get_draft(item.assignment_id, item.revision)
    messages = render_item(context, item, draft)
    is_long = len(messages) > MAX_MESSAGES
    offer = offer_label_studio(context, item, n_messages=len(messages)) if is_long else ()
    older = () if item.is_new else remove_item_buttons(context, item)
    return join_calls(older, offer, context.send(*messages, assignment_id=item.assignment_id))


def remove_item_buttons(context: UpdateContext, item: AssignedItem) -> TelegramCalls:
    """Remove the buttons under the message that shows the item, if there is one, so that at most one has them."""
    draft = context.state.get_draft(item.assignment_id, item.revision)
    shown = render_item(context, item, draft)[-1]
    return context.without_tap().edit(replace(shown, buttons=()), assignment_id=item.assignment_id)


def render_item(context: UpdateContext, item: AssignedItem, draft: AnswerDraft) -> tuple[RenderedMessage, ...]:
    """The messages of an item with the question to ask next and the answers of the draft.

    Where the draft has all answers, as after an undo, it is asked which of them to change.
    """
    if draft.answers and items.find_asked(item, draft) is None:
        return items.render_answer_summary(item, draft, context.translate)
    progress = items.build_item_progress(item, draft, context.translate)
    return add_page_button(context, item, items.render_item(item, context.translate, progress=progress))


def add_page_button(
    context: UpdateContext, item: AssignedItem, messages: Sequence[RenderedMessage]
) -> tuple[RenderedMessage, ...]:
    """The messages with a button to the answer page under the last, where the project offers it for such an item."""
    *earlier, last = messages
    definition, row = context.find_definition(item.project_id), build_page_row(context, item)
    kinds = {shown.question.kind for shown in item.questions} | ({"long"} if earlier else set())
    if definition is None or not (definition.surface.page & kinds or item.is_clearer_on_page):
        return tuple(messages)
    return (*earlier, replace(last, buttons=(*row, *last.buttons)))


def build_page_row(context: UpdateContext, item: AssignedItem) -> ButtonRows:
    """The row with the button to the answer page; none without an address, and in the second pass."""
    if context.settings.page_url is None or item.second_pass is not None:
        return ()
    return (build_page_button(context, assignment_id=item.assignment_id),)


def build_page_button(context: UpdateContext, *, assignment_id: int = 0) -> tuple[InlineButton, ...]:
    """The button to the answer page, at an assignment or at the item in hand."""
    url = f"{context.settings.page_url}?a={assignment_id}&l={context.translate.language}"
    return (InlineButton(context.translate("page-open"), "", page=url),)


def _announce_page_end(context: UpdateContext, item: AssignedItem) -> TelegramCalls:
    """Say that the page before is finished and suggest a rest, where the item is the first of a later page."""
    page = item.page
    if page is None or page.number == 1 or page.position != 1 or item.revision:
        return ()
    return context.send_text("page-over", page=page.number - 1)


def _explain_no_item(context: UpdateContext, result: NothingAssigned) -> TelegramCalls:
    """Explain why there is no item, or ask what the annotator has to answer first."""
    title = ""
    if result.project is not None:
        project, definition = definitions.get_named_project(context.transaction.session, result.project)
        if result.reason in access.RESOLVABLE_REASONS:
            return requirements.ask_requirement(context, result.reason, project, definition)
        title = project.title
        if result.reason is UnassignedReason.NOT_RUNNING:
            terms = definitions.get_terms(context.transaction.session, project=project, definition=definition)
            title = title if terms.programme is None else terms.programme.title
    if result.reason in return_card.ENDS:
        return _tell_ended(context, {_find_entry_key(context, result): result})
    explanation = own_progress.render_unassigned_reason(
        result, context.translate, title=title, zone=context.annotator.time_zone, now=context.now
    )
    return context.ask(explanation) if explanation.buttons else context.send(explanation)


def _find_entry_key(context: UpdateContext, result: NothingAssigned) -> int:
    """The key of the menu entry that the result is about, 0 where it names no project."""
    entries = list_menu_entries(context)
    for entry in entries:
        if any(context.get_project(project_id)[0].name == result.project for project_id in entry.projects):
            return entry.key
    return 0
