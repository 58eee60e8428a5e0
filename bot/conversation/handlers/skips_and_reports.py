"""What else can be done with an item: pass it over, report it, ask about it; and stop for now."""

from __future__ import annotations

from annotation.errors import BadInput, Stale
from annotation.store.models import Project
from annotation.workflow import assignments, participations
from annotation.workflow.annotators import attestations, messages, withdrawal
from annotation.workflow.assignments import Offer
from bot.conversation import navigation, question_flow
from bot.conversation.conversation_state import Step
from bot.conversation.handlers import answers
from bot.conversation.update_context import Visit, joined
from bot.conversation.updates_and_calls import Calls, Rows
from bot.conversation.views import choices, items, message_layout, project_status

LONGEST = 500
"""How much of a typed reason is kept, in characters."""


def skip(visit: Visit) -> Calls:
    """Pass the item over: the reasons first, then one of them."""
    press = visit.pressed()
    if not press.numbers:
        offer = _held(visit, press.row)
        return _choose(visit, offer, choices.skips(visit.say, assignment_id=press.row), "skip-why")
    if press.number(0) == choices.TYPED:
        return _type(visit, Step.SKIP, "skip-type")
    return _skip(visit, press.row, _one_of(choices.SKIPS, press.number(0)))


def skip_text(visit: Visit) -> Calls:
    """The reason in her own words."""
    return _skip(visit, visit.state.about, visit.text.strip()[:LONGEST])


def _skip(visit: Visit, row: int, reason: str) -> Calls:
    saved = assignments.skip(visit.session, annotator_id=visit.who, assignment_id=row, reason=reason, now=visit.now)
    visit.keep(visit.state.drafted(None, assignment_id=row).at(Step.NONE))
    return visit.acknowledge("skipped") if saved.repeated else answers.ended(visit, saved, "skipped")


def report(visit: Visit) -> Calls:
    """Say what is wrong with the item: the reasons first, then one of them; it can be answered all the same."""
    press = visit.pressed()
    offer = _held(visit, press.row)
    known = visit.project(offer.project_id)
    own = known[1].reports.reasons if known and known[1].reports else ()
    if not press.numbers:
        return _choose(visit, offer, choices.reports(visit.say, own, assignment_id=press.row), "report-why")
    if press.number(0) == choices.TYPED:
        return _type(visit, Step.REPORT, "report-type")
    reason = _one_of(own or choices.REPORTS, press.number(0))
    assignments.report(visit.session, annotator_id=visit.who, assignment_id=press.row, reason=reason, now=visit.now)
    return joined(visit.acknowledge("reported"), _shown(visit, offer))


def report_text(visit: Visit) -> Calls:
    """What is wrong, in her own words."""
    text = visit.text.strip()[:LONGEST]
    assignments.report(
        visit.session, annotator_id=visit.who, assignment_id=visit.state.about, reason="other", text=text, now=visit.now
    )
    return joined(visit.tell("reported"), navigation.lead(visit))


def ask(visit: Visit) -> Calls:
    """A question to the organisers, about the item or about anything."""
    row = visit.press.row if visit.press is not None else 0
    return _type(visit, Step.ASK, "ask-type", row=row)


def ask_text(visit: Visit) -> Calls:
    """The question."""
    about = visit.state.about or None
    try:
        messages.ask(visit.session, annotator_id=visit.who, text=visit.text, now=visit.now, assignment_id=about)
    except BadInput:
        return visit.tell("ask-too-long", most=messages.LONGEST)
    return joined(visit.tell("asked"), navigation.lead(visit))


def back(visit: Visit) -> Calls:
    """To the item, from a list of reasons."""
    return joined(visit.acknowledge(), _shown(visit, _held(visit, visit.pressed().row)))


def pause(visit: Visit) -> Calls:
    """Stop for now: the item goes back for others, and is hers again if it is still there."""
    held = navigation.in_hands(visit)
    withdrawal.take_back_live(visit.session, annotator_id=visit.who, now=visit.now)
    visit.keep(visit.state.at(Step.NONE))
    asked = _attestation(visit, held.project_id) if isinstance(held, Offer) else ()
    return joined(visit.acknowledge(), visit.tell("paused"), asked)


def _attestation(visit: Visit, project_id: int) -> Calls:
    known = visit.project(project_id)
    section = known[1].attestation if known else None
    row = participations.of(visit.session, annotator_id=visit.who, project_id=project_id)
    if section is None or row is None or row.sitting < 1:
        return ()
    asked = project_status.attestation(section, visit.say, project_id=project_id, sitting=row.sitting, pausing=True)
    return visit.spoken().send(asked)


def attest(visit: Visit) -> Calls:
    """What helped her, in the sitting that the button speaks of."""
    press = visit.pressed()
    project = visit.session.get(Project, press.row)
    known = visit.project(press.row)
    section = known[1].attestation if known else None
    if project is None or section is None:
        raise Stale("Nothing is asked there.")
    used = _one_of(section.options, press.number(1))
    attestations.attest(
        visit.session, annotator_id=visit.who, project=project, sitting=press.number(0), used=used, now=visit.now
    )
    noted = message_layout.said(visit.say, section.text, used)
    calls = joined(visit.acknowledge("noted"), visit.edit(noted))
    return calls if press.number(2) else joined(calls, navigation.lead(visit.spoken()))


def _held(visit: Visit, row: int) -> Offer:
    """The item in her hands, if it is this one."""
    offer = navigation.in_hands(visit)
    if not isinstance(offer, Offer) or offer.assignment_id != row:
        raise Stale("That item is not in your hands.")
    return offer


def _choose(visit: Visit, offer: Offer, buttons: Rows, asks: str) -> Calls:
    """The item with other buttons under it."""
    shown = items.with_buttons(
        offer,
        visit.say,
        asking=question_flow.asking(offer, visit.state.draft(offer.assignment_id, offer.revision), visit.say),
        countdown=_counts_down(visit, offer),
        buttons=buttons,
        asks=visit.say(asks),
    )
    return joined(visit.acknowledge(), visit.edit(shown, assignment_id=offer.assignment_id))


def _shown(visit: Visit, offer: Offer) -> Calls:
    draft = visit.state.draft(offer.assignment_id, offer.revision)
    made = items.item(
        offer, visit.say, asking=question_flow.asking(offer, draft, visit.say), countdown=_counts_down(visit, offer)
    )
    return visit.edit(made[-1], assignment_id=offer.assignment_id)


def _counts_down(visit: Visit, offer: Offer) -> bool:
    known = visit.project(offer.project_id)
    return known is not None and navigation.counts_down(known[1])


def _type(visit: Visit, step: Step, message: str, *, row: int | None = None) -> Calls:
    """The next text is what is asked for here."""
    about = visit.pressed().row if row is None else row
    if about and step is not Step.ASK:
        _held(visit, about)
    visit.keep(visit.state.at(step, about=about))
    asked = message_layout.said(visit.say, visit.say(message), reply=visit.say("answer-here"))
    return joined(visit.acknowledge(), visit.send(asked))


def _one_of(several: tuple[str, ...], place: int) -> str:
    if place >= len(several):
        raise Stale("There is no such reason.")
    return several[place]
