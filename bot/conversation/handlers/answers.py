"""Answers: one tap, several boxes, a point of a scale, a typed letter; changed again by an undo."""

from __future__ import annotations

import json
from dataclasses import replace

from annotation.campaigns.questions import Choices
from annotation.errors import Stale
from annotation.store.models import Assignment
from annotation.workflow import assignments
from annotation.workflow.assignments import Asked, Offer, Saved
from bot.conversation import navigation, question_flow, rewards
from bot.conversation.callbacks import Press
from bot.conversation.conversation_state import Draft
from bot.conversation.update_context import Visit, joined
from bot.conversation.updates_and_calls import Calls
from bot.conversation.views import items, option_letters, project_status
from bot.conversation.views.message_layout import Message


def tap(visit: Visit) -> Calls:
    """An option of a choice or a point of a scale."""
    press = visit.pressed()
    asked = assignments.asked(visit.session, annotator_id=visit.who, assignment_id=press.row, now=visit.now)
    first, option = asked[0], press.number(2)
    if len(asked) > 1 or isinstance(first.question, Choices):
        return _several(visit, press, [option])
    if press.number(1) or option >= len(first.labels):
        raise Stale("There is no such option.")
    return _submitted(visit, press.row, revision=press.number(0), answers={first.name: first.labels[option]})


def toggle(visit: Visit) -> Calls:
    """A box is ticked or emptied, whichever the button said; nothing is stored as an answer yet."""
    press = visit.pressed()
    offer, draft = _open(visit, press)
    asked, option = offer.questions[press.number(1)], press.number(2)
    question = asked.question
    if not isinstance(question, Choices) or option >= len(asked.options):
        raise Stale("There is no such box.")
    on = {*draft.on, option} if press.number(3) else {*draft.on} - {option}
    if question.most is not None and len(on) > question.most:
        return visit.acknowledge("choose-at-most", most=question.most)
    return joined(visit.acknowledge(), _again(visit, offer, replace(draft, on=sorted(on))))


def done(visit: Visit) -> Calls:
    """The boxes are ticked as they should be."""
    press = visit.pressed()
    if _was_stored(visit, press):
        return visit.acknowledge("saved-already")
    offer, draft = _open(visit, press)
    question = offer.questions[press.number(1)].question
    if not isinstance(question, Choices):
        raise Stale("There are no boxes.")
    if len(draft.on) < question.least:
        return visit.acknowledge("choose-at-least", least=question.least)
    return _given(visit, offer, draft, list(draft.on))


def leave_open(visit: Visit) -> Calls:
    """A question that need not be answered is not."""
    press = visit.pressed()
    if _was_stored(visit, press):
        return visit.acknowledge("saved-already")
    offer, draft = _open(visit, press)
    if offer.questions[press.number(1)].question.required:
        raise Stale("This needs an answer.")
    if len(offer.questions) == 1:
        return visit.acknowledge("answer-or-skip")
    return _given(visit, offer, draft, [question_flow.LEFT_OPEN])


def typed(visit: Visit) -> Calls:
    """A letter, a number or an option in full, in place of a tap; any other text leads to the item."""
    offer = navigation.in_hands(visit)
    if not isinstance(offer, Offer) or not _on_screen(visit, offer):
        return navigation.lead(visit)
    draft = visit.state.draft(offer.assignment_id, offer.revision)
    place = question_flow.next_place(offer, draft) or 0
    asked = offer.questions[place]
    meant = _meant(asked, visit.text, offer.language)
    if meant is None:
        return joined(visit.tell("tap-please"), navigation.lead(visit))
    return _given(visit, offer, draft, meant, place=place)


def undo(visit: Visit) -> Calls:
    """An answered item is open for another answer, in its place in the chat; the old answer stands until then."""
    row = visit.pressed().row
    try:
        offer = assignments.undo(visit.session, annotator_id=visit.who, assignment_id=row, now=visit.now)
    except Stale:
        return visit.acknowledge("undo-closed", alert=True)
    draft = Draft(assignment_id=row, revision=offer.revision, on=_ticked(visit, offer))
    return joined(visit.acknowledge("undo-open"), _again(visit, offer, draft))


def keep(visit: Visit) -> Calls:
    """The answer stays as it was."""
    row = visit.pressed().row
    saved = assignments.keep(visit.session, annotator_id=visit.who, assignment_id=row, now=visit.now)
    visit.keep(visit.state.drafted(None, assignment_id=row))
    return joined(visit.acknowledge("kept"), visit.edit(_marked(visit, saved), assignment_id=row))


def _several(visit: Visit, press: Press, options: list[int]) -> Calls:
    """A tap on one of several questions."""
    if _was_stored(visit, press):
        return visit.acknowledge("saved-already")
    offer, draft = _open(visit, press)
    asked = offer.questions[press.number(1)]
    if isinstance(asked.question, Choices) or options[0] >= len(asked.options):
        raise Stale("There is no such option.")
    return _given(visit, offer, draft, options)


def _open(visit: Visit, press: Press) -> tuple[Offer, Draft]:
    """The item that the button speaks of, at the question that the button speaks of."""
    offer = assignments.waiting(
        visit.session, annotator_id=visit.who, assignment_id=press.row, revision=press.number(0), now=visit.now
    )
    draft = visit.state.draft(press.row, press.number(0))
    if question_flow.next_place(offer, draft) != press.number(1):
        raise Stale("This question is answered.")
    return offer, draft


def _was_stored(visit: Visit, press: Press) -> bool:
    """Whether the item has its answer already: the button was tapped twice."""
    assignment = visit.session.get(Assignment, press.row)
    if assignment is None or assignment.annotator_id != visit.who:
        raise Stale("This item is not yours.")
    return assignments.stored(visit.session, press.row, press.number(0)) is not None


def _given(visit: Visit, offer: Offer, draft: Draft, options: list[int], *, place: int | None = None) -> Calls:
    """One more question is answered: on to the next, or to the next item."""
    at = place if place is not None else visit.pressed().number(1)
    before, draft = draft, question_flow.given(draft, offer.questions[at], options)
    if question_flow.next_place(offer, draft) is not None:
        return joined(visit.acknowledge(), _next_question(visit, offer, before, draft))
    answers = question_flow.raw(offer, draft)
    return _submitted(visit, offer.assignment_id, revision=offer.revision, answers=answers)


def _next_question(visit: Visit, offer: Offer, before: Draft, draft: Draft) -> Calls:
    """In the place of the one before; where it takes more or fewer messages, below, so that no text is lost."""
    was, now = _looks(visit, offer, before), _looks(visit, offer, draft)
    if len(was) == len(now):
        return _again(visit, offer, draft)
    visit.keep(visit.state.drafted(draft, assignment_id=offer.assignment_id))
    left = visit.edit(replace(was[-1], buttons=()), assignment_id=offer.assignment_id)
    return joined(left, visit.send(*now, remember=offer.assignment_id))


def _again(visit: Visit, offer: Offer, draft: Draft) -> Calls:
    """The item as it looks now, in its place."""
    visit.keep(visit.state.drafted(draft, assignment_id=offer.assignment_id))
    return visit.edit(_looks(visit, offer, draft)[-1], assignment_id=offer.assignment_id)


def _looks(visit: Visit, offer: Offer, draft: Draft) -> tuple[Message, ...]:
    known = visit.project(offer.project_id)
    return items.item(
        offer,
        visit.say,
        asking=question_flow.asking(offer, draft, visit.say),
        countdown=known is not None and navigation.counts_down(known[1]),
    )


def _submitted(visit: Visit, assignment_id: int, *, revision: int, answers: dict[str, object]) -> Calls:
    """Stored, marked in its place, and the next item; a tap that came before changes nothing."""
    saved = assignments.submit(
        visit.session,
        annotator_id=visit.who,
        assignment_id=assignment_id,
        revision=revision,
        answers=answers,
        now=visit.now,
    )
    if saved.repeated:
        return _again_saved(visit, saved.assignment_id)
    if visit.state.drafts:
        visit.keep(visit.state.drafted(None, assignment_id=assignment_id))
    return ended(visit, saved, "saved")


def _again_saved(visit: Visit, row: int) -> Calls:
    """The tap that brings an answer again changes nothing but a card that does not say yet what stands."""
    assignment = visit.session.get(Assignment, row)
    told = visit.acknowledge("saved-already")
    if assignment is None or assignment.open_revision is not None:
        return told
    standing = assignments.keep(visit.session, annotator_id=visit.who, assignment_id=row, now=visit.now)
    return joined(told, visit.edit(_marked(visit, standing), assignment_id=row))


def ended(visit: Visit, saved: Saved, message: str) -> Calls:
    """An item is done with: it is marked so, and what follows comes below it."""
    marked = visit.edit(_marked(visit, saved), assignment_id=saved.assignment_id)
    calls = joined(visit.acknowledge(message), marked)
    if saved.decision is not None:
        calls = joined(calls, visit.send(project_status.decision(saved.decision, visit.say)))
    if saved.revision:
        return calls
    return joined(calls, navigation.lead(visit.spoken(), in_hand=False))


def _marked(visit: Visit, saved: Saved) -> Message:
    known = visit.project(saved.project_id)
    reward = known[1].reward if known else None
    emoji = rewards.emoji(reward.emoji if reward else (), assignment_id=saved.assignment_id)
    return items.answered(saved, visit.say, emoji=emoji if saved.stored else "")


def _on_screen(visit: Visit, offer: Offer) -> bool:
    """Whether the person sees the item: nothing else is asked of her before it."""
    return visit.person.time_zone is not None and str(offer.project_id) in visit.state.cards


def _meant(asked: Asked, text: str, language: str) -> list[int] | None:
    """The options that a text stands for; None where it stands for none, or for too many or too few."""
    question, found = asked.question, option_letters.meant(text, asked.options, language)
    if isinstance(question, Choices):
        most = question.most or len(asked.options)
        return sorted(found) if found and question.least <= len(found) <= most else None
    return list(found) if len(found) == 1 else None


def _ticked(visit: Visit, offer: Offer) -> list[int]:
    """The boxes of the answer that stands."""
    first = offer.questions[0]
    earlier = assignments.stored(visit.session, offer.assignment_id, offer.revision - 1)
    if not isinstance(first.question, Choices) or earlier is None or not earlier.response:
        return []
    labels = json.loads(earlier.response)
    return [index for index, label in enumerate(first.labels) if label in labels]
