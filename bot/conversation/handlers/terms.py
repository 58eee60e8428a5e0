"""What a person is asked before her first item, and how she answers it."""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import col, select

from annotation.campaigns import stimulus
from annotation.campaigns.people import ProfileField
from annotation.campaigns.project import ProjectFile
from annotation.errors import BadInput, Stale
from annotation.store.models import Participation, Project
from annotation.vocabulary import Hindrance
from annotation.workflow.annotators import consents, content_warnings, declining, profiles
from annotation.workflow.annotators import terms as all_terms
from annotation.workflow.annotators.terms import Terms
from annotation.workflow.assignments import Offer
from bot.conversation import navigation, time_zones
from bot.conversation.conversation_state import Step
from bot.conversation.update_context import Visit, joined
from bot.conversation.updates_and_calls import Calls
from bot.conversation.views import message_layout, message_text, onboarding, option_letters
from bot.conversation.views.message_text import Block

UNSAID_ZONE = "UTC"


def _project(visit: Visit, project_id: int) -> tuple[Project, ProjectFile]:
    found = visit.project(project_id)
    if found is None:
        raise Stale("There is no such project.")
    return found


def _terms(visit: Visit, project_id: int) -> Terms:
    project, definition = _project(visit, project_id)
    return all_terms.of(visit.session, project=project, definition=definition)


def consent(visit: Visit) -> Calls:
    """Agreed or declined; the text that was read is the one that is agreed to."""
    press, terms = visit.pressed(), _terms(visit, visit.pressed().row)
    agreement = terms.agreement
    if agreement is None or not press.word or not agreement.sha256.startswith(press.word):
        raise Stale("This text is out of date.")
    asked = consents.asked(visit.session, annotator_id=visit.who, terms=terms)
    if asked is None:
        return visit.acknowledge("noted")
    if not press.number(0):
        return _declined(visit, terms, Hindrance.CONSENT, "declined")
    consents.agree(visit.session, annotator_id=visit.who, terms=terms, sha256=agreement.sha256, now=visit.now)
    read = onboarding.consent(asked, visit.say, project_id=press.row)[-1]
    edited = visit.edit(replace(read, buttons=()))
    told = message_layout.said(visit.say, visit.say("agreed", version=agreement.version))
    return joined(visit.acknowledge("noted"), edited, visit.send(told), navigation.lead(visit.spoken()))


def _declined(visit: Visit, terms: Terms, what: Hindrance, message: str) -> Calls:
    """She would rather not: it is kept, and other work is offered where there is any."""
    declining.decline(visit.session, annotator_id=visit.who, terms=terms, what=what, now=visit.now)
    further = navigation.beyond(visit.spoken(), project_id=terms.project.id or 0)
    return joined(visit.acknowledge(), visit.tell(message), further)


def profile(visit: Visit) -> Calls:
    """A button under a field: one of its options, or that she would rather not say."""
    press = visit.pressed()
    fields = _terms(visit, press.row).fields
    field = next((one for one in fields if onboarding.digest(one) == press.word), None)
    if field is None:
        raise Stale("That is not asked any more.")
    unsaid = len(press.numbers) > 1
    if not unsaid and press.number(0) >= len(field.options):
        raise Stale("There is no such option.")
    value = None if unsaid else field.options[press.number(0)]
    profiles.say(visit.session, annotator_id=visit.who, field=field, value=value, now=visit.now)
    blocks = [message_text.strong(field.text), Block(value or visit.say("rather-not-say"))]
    noted = message_layout.messages(blocks, visit.say)[-1]
    return joined(visit.acknowledge("noted"), visit.edit(noted), navigation.lead(visit.spoken()))


def profile_text(visit: Visit) -> Calls:
    """What was typed into a field; a refusal says why, and asks again."""
    state = visit.state
    field = next((one for one in _terms(visit, state.about).fields if one.name == state.field), None)
    if field is None:
        return navigation.lead(visit)
    try:
        value = _typed(field, visit.text, visit.say.language)
        profiles.say(visit.session, annotator_id=visit.who, field=field, value=value, now=visit.now)
    except BadInput:
        wrong = {"choice": "choose-from-list", "number": "not-a-number", "text": "too-long"}[field.type]
        return joined(visit.tell(wrong, most=profiles.LONGEST), navigation.lead(visit))
    return navigation.lead(visit)


def _typed(field: ProfileField, text: str, language: str) -> str:
    chosen = option_letters.meant(text, field.options, language) if field.options else ()
    return field.options[chosen[0]] if len(chosen) == 1 else text


def zone(visit: Visit) -> Calls:
    """A city, or another way to say when the day begins."""
    name = visit.pressed().word
    if name == onboarding.OTHER:
        visit.keep(visit.state.at(Step.ZONE))
        hint = visit.say("zone-hint")
        return joined(
            visit.acknowledge(), visit.send(message_layout.said(visit.say, visit.say("zone-type"), reply=hint))
        )
    _set_zone(visit, UNSAID_ZONE if name == onboarding.UNSAID else name)
    noted = message_layout.said(
        visit.say, visit.say("zone-noted", zone=onboarding.zone_told(visit.person.time_zone or "", visit.say))
    )
    return joined(visit.acknowledge("noted"), visit.edit(noted), navigation.lead(visit.spoken()))


def zone_text(visit: Visit) -> Calls:
    """A city, a zone or an offset, typed."""
    found = time_zones.meant(visit.text, now=visit.now)
    if found is None:
        return joined(visit.tell("zone-unknown"), navigation.zone(visit))
    _set_zone(visit, found)
    return joined(visit.tell("zone-noted", zone=onboarding.zone_told(found, visit.say)), navigation.lead(visit))


def _set_zone(visit: Visit, name: str) -> None:
    try:
        profiles.set_time_zone(visit.session, person=visit.person, name=name)
    except BadInput:
        raise Stale("There is no such zone.") from None


def warning(visit: Visit) -> Calls:
    """She goes on after the warning that she read, or would rather not see such items."""
    press = visit.pressed()
    project, definition = _project(visit, press.row)
    digest = stimulus.text_digest(definition.content_warning or "")
    if not press.word or not digest.startswith(press.word):
        raise Stale("This warning is out of date.")
    if press.numbers:
        return _declined(visit, _terms(visit, press.row), Hindrance.WARNING, "warning-declined")
    content_warnings.accept(visit.session, annotator_id=visit.who, project=project, sha256=digest, now=visit.now)
    return joined(visit.acknowledge(), navigation.lead(visit.spoken()))


def card(visit: Visit) -> Calls:
    """She has read the card; it stays, without its button."""
    press = visit.pressed()
    project, definition = _project(visit, press.row)
    state = visit.state
    visit.keep(replace(state, cards=state.cards | {str(press.row): press.word}))
    made = onboarding.card(project.title, project.instructions, definition.examples, visit.say)[-1]
    return joined(visit.acknowledge(), visit.edit(made), navigation.lead(visit.spoken()))


def task(visit: Visit) -> Calls:
    """The card once more, of the item in her hands or of where she was last; a button leads back."""
    held = navigation.in_hands(visit)
    known = visit.project(held.project_id if isinstance(held, Offer) else _latest(visit))
    if known is None:
        return joined(visit.acknowledge(), navigation.lead(visit.spoken()))
    version = onboarding.version(known[0].instructions, known[1].examples)
    return joined(visit.acknowledge(), navigation.card(visit, *known, version=version, message="go-on"))


def _latest(visit: Visit) -> int:
    """The project where she worked last; none is 0."""
    hers = select(Participation.project_id).where(
        Participation.annotator_id == visit.who, col(Participation.last_at).is_not(None)
    )
    return visit.session.exec(hers.order_by(col(Participation.last_at).desc()).limit(1)).first() or 0
