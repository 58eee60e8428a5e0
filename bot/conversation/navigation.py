"""Navigation: which screen an annotator sees next. Every screen says what to do, or why there is no item.

`show_` functions return the calls that send a screen, `ask_` functions those that send a question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from annotation.vocabulary import ParticipationStatus, ProjectStatus, UnassignedReason
from annotation.workflow import assignments, definitions, participations
from annotation.workflow.allocation import open_projects
from annotation.workflow.allocation.open_projects import ProjectChoice
from annotation.workflow.annotators import access, invitations, own_data
from annotation.workflow.assignments import AssignedItem, Eligibility, OwnProgress, ProgressState
from annotation.workflow.conversations.conversation_state import AnswerDraft, ConversationStep
from annotation.workflow.notices import wishes
from annotation.workflow.participations import NothingAssigned
from bot.conversation import attestation_questions, case_queue, message_layout, requirements, work_sessions
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.update_context import UpdateContext, join_calls
from bot.conversation.updates_and_calls import ButtonAction, NewMessage, TelegramCall, TelegramCalls, UpdateKind
from bot.conversation.views import items, menus, onboarding, own_progress
from bot.conversation.views.menus import MenuLine

OTHER_SCREENS = {*access.RESOLVABLE_REASONS, UnassignedReason.SEARCHING, UnassignedReason.SUSPENDED}
"""The reasons for having no item that are no end of a programme."""
STOP_TEXTS: Mapping[ParticipationStatus | None, str] = {
    ParticipationStatus.PAUSED: "paused-by-rule",
    ParticipationStatus.EXCLUDED: "excluded",
}
"""The ids of the texts that tell, below the lines, what these do not: who stopped the annotator in a project."""


def show_programme_end(
    context: UpdateContext, keys: Collection[int], result: NothingAssigned | None = None
) -> TelegramCalls:
    """Show how far the annotator is in the programmes with these menu keys, which have no item for them any more.

    No call where `result` says that there will be items, where something else has to be said, and where the annotator
    has done nothing.
    """
    if result is not None and (result.until is not None or result.reason in OTHER_SCREENS):
        return ()
    listed = assignments.list_own_progress(context.transaction, now=context.now, exhausted=keys)
    ended = [progress for progress in listed if progress.key in keys]
    if not any(progress.done or progress.answers for progress in ended):
        return ()
    blocks = [
        *own_progress.build_progress_blocks(ended, context.translate),
        TextBlock("\n".join(_list_stops(context, ended))),
        TextBlock(_format_end(ended, context.translate)),
    ]
    return context.send(message_layout.render_messages(blocks, context.translate)[-1])


def show_end_of_closed(context: UpdateContext) -> TelegramCalls:
    """Show how far the annotator is where no project is open and they joined a programme; no call otherwise."""
    listed = assignments.list_own_progress(context.transaction, now=context.now)
    keys = {progress.key for progress in listed}
    return show_programme_end(context, keys) if any(key < 0 for key in keys) else ()


def _list_stops(context: UpdateContext, ended: Sequence[OwnProgress]) -> list[str]:
    """A sentence about each project in which a rule or the organisers stopped the annotator."""
    stopped = [progress for progress in ended if progress.state is ProgressState.STOPPED]
    return [
        context.translate(STOP_TEXTS[progress.status], project=progress.title)
        for progress in stopped
        if progress.status in STOP_TEXTS
    ]


def _format_end(ended: Sequence[OwnProgress], translate: Texts) -> str:
    """What ended, how many answers were given, thanks, and how to hear of more."""
    answers = sum(progress.answers for progress in ended)
    states = {progress.state for progress in ended}
    if ProgressState.PAUSED in states:
        return translate("programme-paused", answers=answers)
    if states == {ProgressState.CLOSED}:
        return translate("all-closed", answers=answers)
    return translate("programme-done", answers=answers)


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


PASSING_REASONS = {UnassignedReason.NOTHING_LEFT, UnassignedReason.COOL_DOWN, UnassignedReason.NOT_RUNNING}
"""Why there may be something to answer later although there is nothing now; a cap too, where it ends by itself."""


def may_pass(result: NothingAssigned) -> bool:
    """Whether there may be something to answer later, without anything that the annotator does."""
    return result.reason in PASSING_REASONS or result.until is not None


def add_news_offer(
    context: UpdateContext, explanations: Sequence[TelegramCall], results: Sequence[NothingAssigned]
) -> TelegramCalls:
    """The explanations why there is nothing to answer now, the last with the offer to write when there is something.

    It is offered where that may come (`results` are the reasons); where it is wanted already, that is said instead. The
    label of the button may be typed; any other text means what it means without the offer.
    """
    if not any(map(may_pass, results)):
        return tuple(explanations)
    *earlier, last = explanations
    wish = wishes.note_nothing_to_answer(context.transaction.session, annotator_id=context.annotator_id)
    added = menus.render_news_offer(wish, context.translate)
    if not isinstance(last, NewMessage):
        raise TypeError("an explanation is a message")
    message = replace(added, html=f"{last.html}\n\n{added.html}", buttons=(*last.buttons, *added.buttons))
    return (*earlier, *(context.ask(message, ConversationStep.NONE) if message.buttons else context.send(message)))


def send_pause(context: UpdateContext, text_id: str, **arguments: int) -> TelegramCalls:
    """Say that work is paused, with a button that shows what the bot writes first."""
    paused = message_layout.render_text(context.translate, context.translate(text_id, **arguments))
    return context.send(replace(paused, buttons=((menus.build_card_button(context.translate),),)))


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
        return join_calls(_explain_nothing_open(context, entries), attestation_questions.ask_at_end(context))
    return _show_next_item(context, entries, eligibility=eligibility, item_finished=item_finished)


def list_menu_entries(context: UpdateContext) -> tuple[ProjectChoice, ...]:
    """The projects and programmes that the annotator has joined, as entries of the menu."""
    return open_projects.list_choices(assignments.get_eligibility(context.transaction, now=context.now).open_projects)


def _show_next_item(
    context: UpdateContext, entries: Sequence[ProjectChoice], *, eligibility: Eligibility, item_finished: bool
) -> TelegramCalls:
    """Show the next item of the chosen menu entry, or of the only one; the menu where none of several is chosen.

    An entry that has no item now is explained and marked as exhausted, and the other entries are searched.
    """
    if not _list_open_entries(context, entries):
        context.save_state(replace(context.state, exhausted_entries=()))
    explanations: dict[str, TelegramCall] = {}  # by their text, so that none is sent twice
    results: list[NothingAssigned] = []
    for entry in entries:
        if entry.key == context.state.entry and not entry.projects:
            explanations |= {str(call): call for call in show_programme_end(context, [entry.key])}
            _mark_exhausted(context, entry)
    while open_entries := _list_open_entries(context, entries):
        chosen = [entry for entry in open_entries if entry.key == context.state.entry]
        if len(open_entries) > 1 and not chosen:
            return join_calls(explanations.values(), show_menu(context, open_entries))
        entry = (chosen or open_entries)[0]
        result = _search_item(context, entry.projects, eligibility=eligibility)
        calls = _show_end(context, entry, result) or show_assignment_result(
            context, result, item_finished=item_finished
        )
        if isinstance(result, AssignedItem) or result.reason in {
            *access.RESOLVABLE_REASONS,
            UnassignedReason.SEARCHING,
        }:
            return join_calls(explanations.values(), calls)
        _mark_exhausted(context, entry)
        results.append(result)
        explanations |= {str(call): call for call in calls}
    work_sessions.forget_session(context)
    explained = add_news_offer(context, [*explanations.values()], results)
    return join_calls(explained, case_queue.offer_cases(context) or attestation_questions.ask_at_end(context))


def _show_end(context: UpdateContext, entry: ProjectChoice, result: AssignedItem | NothingAssigned) -> TelegramCalls:
    """Show the end of a programme that has no item any more; no call in any other case."""
    if entry.key > 0 or isinstance(result, AssignedItem):
        return ()
    return show_programme_end(context, [entry.key], result)


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
    """Show the menu of open projects."""
    lines = [
        MenuLine(
            key=entry.key,
            title=entry.title,
            left=open_projects.count_open_items(
                context.transaction.session,
                project_ids=entry.projects,
                annotator_id=context.transaction.annotator_id,
            ),
        )
        for entry in entries
    ]
    return context.ask(menus.render_menu(lines, context.translate))


def _explain_nothing_open(context: UpdateContext, entries: Sequence[ProjectChoice]) -> TelegramCalls:
    """Explain why no project is open: quota reached, paused, all done, or no invitation redeemed.

    An adjudicator is shown the case that waits.
    """
    is_adjudicator = case_queue.is_adjudicator(context)
    queued = case_queue.find_next_case(context) if is_adjudicator else None
    if queued is not None:
        return case_queue.ask_case(context, queued)
    work_sessions.forget_session(context)
    ended = show_programme_end(context, [entry.key for entry in entries])
    ended = ended or show_end_of_closed(context)
    projects = participations.list_joined_projects(context.transaction.session, annotator_id=context.annotator_id)
    stopped = [
        NothingAssigned(reason=UnassignedReason.NOT_RUNNING, project=project.name)
        for project in reversed(projects)
        if project.status in {ProjectStatus.PAUSED, ProjectStatus.LOADED}
    ]
    if entries and not ended:
        ended = context.send_text("quota", project=entries[0].title, answers=_count_answers(context))
    if ended or stopped:
        said = ended or show_assignment_result(context, stopped[0])
        return add_news_offer(context, said, stopped)
    if projects and all(project.status is ProjectStatus.CLOSED for project in projects):
        return context.send_text("all-closed", answers=_count_answers(context))
    if projects:
        nothing = NothingAssigned(reason=UnassignedReason.NOTHING_LEFT)
        return add_news_offer(context, show_assignment_result(context, nothing), [nothing])
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
    return items.render_item(
        item,
        context.translate,
        progress=items.build_item_progress(item, draft, context.translate),
    )


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
    if result.reason is UnassignedReason.NOTHING_LEFT:
        return context.send_text("all-done", answers=_count_answers(context))
    is_done = result.reason in {UnassignedReason.CAP, UnassignedReason.QUOTA}
    explanation = own_progress.render_unassigned_reason(
        result,
        context.translate,
        title=title,
        zone=context.annotator.time_zone,
        answers=_count_answers(context) if is_done else 0,
        now=context.now,
    )
    return context.ask(explanation) if explanation.buttons else context.send(explanation)


def _count_answers(context: UpdateContext) -> int:
    return own_data.count_answers(context.transaction.session, annotator_id=context.annotator_id)
