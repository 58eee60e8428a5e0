"""Where a person is: every entry leads there, and it is always somewhere that goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlmodel import col, select

from annotation.campaigns import stimulus
from annotation.campaigns.project import ProjectFile
from annotation.store import queries
from annotation.store.models import Invitation, Item, Participation, Project
from annotation.vocabulary import Hindrance, ItemStatus, Pool, ProjectStatus
from annotation.workflow import assignments, definitions, participations
from annotation.workflow.allocation import programmes
from annotation.workflow.allocation.programmes import Entry
from annotation.workflow.annotators import attestations, consents, profiles, terms
from annotation.workflow.assignments import Look, Offer
from annotation.workflow.assignments.next_item import HERS
from annotation.workflow.waiting import Waiting
from bot.conversation import question_flow
from bot.conversation.callbacks import Verb
from bot.conversation.conversation_state import Step
from bot.conversation.update_context import Visit, joined
from bot.conversation.updates_and_calls import Call, Calls, Kind
from bot.conversation.views import items, message_layout, onboarding, project_status
from bot.conversation.views.project_status import Line

SEARCHES = 20
"""How often the search for an item goes on within one update, before the person is asked to wait."""
MOST_COUNTED = 500


def lead(visit: Visit, *, in_hand: bool = True) -> Calls:
    """The screen where the person is. `in_hand` is false where she has just given away what she had."""
    if visit.state.step is Step.LANGUAGE:
        return visit.send(onboarding.language())
    state = visit.state.at(Step.NONE)
    visit.keep(replace(state, spent=()) if visit.incoming.kind is Kind.MESSAGE and in_hand else state)
    seen = assignments.look(visit.session, annotator_id=visit.who, now=visit.now)
    if seen.live is not None:
        held = assignments.next_item(visit.session, annotator_id=visit.who, now=visit.now, turn=(), seen=seen)
        if isinstance(held, Offer) or (held.reason in HERS and not held.declined):
            return shown(visit, held)
        seen = replace(seen, live=None, overdue=False)
    entries = programmes.entries(seen.doors)
    if not any(one.projects for one in entries):
        return _nothing(visit, entries)
    return _next(visit, entries, seen=seen, after=not in_hand)


def entries(visit: Visit) -> tuple[Entry, ...]:
    """The doors before which the person stands."""
    return programmes.entries(assignments.look(visit.session, annotator_id=visit.who, now=visit.now).doors)


def _next(visit: Visit, entries: Sequence[Entry], *, seen: Look, after: bool) -> Calls:
    """The next item behind the door that she chose, or the only one; a menu where there are several.

    A door that has nothing for her is said so of, and the others are left.
    """
    if not any(one.projects and one.key not in visit.state.spent for one in entries):
        visit.keep(replace(visit.state, spent=()))
    told: dict[str, Call] = {}
    while doors := [one for one in entries if one.projects and one.key not in visit.state.spent]:
        chosen = [one for one in doors if one.key == visit.state.door]
        if len(doors) > 1 and not chosen:
            return joined(told.values(), menu(visit, doors))
        door = (chosen or doors)[0]
        found = _searched(visit, door.projects, seen=seen)
        calls = shown(visit, found, after=after)
        if isinstance(found, Offer) or found.reason in HERS or found.reason is Hindrance.SEARCHING:
            return joined(told.values(), calls)
        visit.keep(replace(visit.state, door=0, spent=(*visit.state.spent, door.key)))
        told |= {str(call): call for call in calls}
    return tuple(told.values())


def beyond(visit: Visit, *, project_id: int) -> Calls:
    """Where a person goes on who declined what this project asks: behind the same door, or behind another, if any."""
    seen = assignments.look(visit.session, annotator_id=visit.who, now=visit.now)
    doors = [one for one in programmes.entries(seen.doors) if one.projects]
    here = next((one for one in doors if project_id in one.projects), None)
    if here is not None:
        found = _searched(visit, here.projects, seen=seen)
        if isinstance(found, Offer) or not found.declined:
            return shown(visit, found)
        visit.keep(replace(visit.state, door=0, spent=(*visit.state.spent, here.key)))
    others = [one for one in doors if one is not here]
    return _next(visit, others, seen=seen, after=False) if others else ()


def in_hands(visit: Visit) -> Offer | Waiting:
    """The item that the person has, if any."""
    return assignments.next_item(visit.session, annotator_id=visit.who, now=visit.now, turn=())


def _searched(visit: Visit, turn: Sequence[int], *, seen: Look) -> Offer | Waiting:
    found: Offer | Waiting = Waiting(reason=Hindrance.SEARCHING)
    for _ in range(SEARCHES):
        found = assignments.next_item(visit.session, annotator_id=visit.who, now=visit.now, turn=turn, seen=seen)
        if isinstance(found, Offer) or found.reason is not Hindrance.SEARCHING:
            break
    return found


def menu(visit: Visit, doors: Sequence[Entry]) -> Calls:
    """What is open, to choose from."""
    lines = [Line(key=one.key, title=one.title, left=_left(visit, one.projects)) for one in doors]
    return visit.send(project_status.menu(lines, visit.say))


def _left(visit: Visit, projects: Sequence[int]) -> int | None:
    chosen = select(Item.id).where(col(Item.project_id).in_(projects), Item.pool == Pool.MAIN, Item.free > 0)
    counted = len(visit.session.exec(chosen.where(Item.status == ItemStatus.OPEN).limit(MOST_COUNTED + 1)).all())
    return None if counted > MOST_COUNTED else counted


def _nothing(visit: Visit, entries: Sequence[Entry]) -> Calls:
    """Nothing is open to the person: she has done her part, or waits, or was not invited."""
    if entries:
        return visit.tell("quota", project=entries[0].title)
    session = visit.session
    mine = select(Project).join(Participation).where(Participation.annotator_id == visit.who)
    projects = session.exec(mine.order_by(col(Project.id).desc())).all()
    for project in projects:
        if not project.served:
            return visit.tell("elsewhere", project=project.title)
        if project.status in {ProjectStatus.PAUSED, ProjectStatus.LOADED}:
            return shown(visit, Waiting(reason=Hindrance.NOT_RUNNING, project=project.name))
    if projects:
        return shown(visit, Waiting(reason=Hindrance.NOTHING_LEFT))
    invited = session.exec(select(Invitation.id).limit(1)).first() is not None
    return visit.tell("stranger" if invited else "nothing-open")


def shown(visit: Visit, found: Offer | Waiting, *, after: bool = False) -> Calls:
    """The item with what comes before it, or why there is none; `after` says that it follows an answer."""
    if isinstance(found, Waiting):
        return _waiting(visit, found)
    project = visit.session.get_one(Project, found.project_id)
    definition = definitions.of(project)
    if visit.person.time_zone is None:
        return zone(visit)
    version = onboarding.version(found.instructions, definition.examples)
    if visit.state.cards.get(str(found.project_id)) != version:
        return card(visit, project, definition, version=version)
    due = _attestation(visit, project, definition)
    page_over = _page_over(visit, found) if after else ()
    return due or joined(page_over, item(visit, found, definition))


def item(visit: Visit, offer: Offer, definition: ProjectFile) -> Calls:
    """The item, its buttons under the last part."""
    draft = visit.state.draft(offer.assignment_id, offer.revision)
    shown = items.item(
        offer, visit.say, asking=question_flow.asking(offer, draft, visit.say), countdown=counts_down(definition)
    )
    return visit.send(*shown, remember=offer.assignment_id)


def counts_down(definition: ProjectFile) -> bool:
    """Whether the project wants people to see how much is left for all."""
    return definition.reward is not None and definition.reward.countdown


def card(visit: Visit, project: Project, definition: ProjectFile, *, version: str, message: str = "begin") -> Calls:
    """The task on one screen, and a button that begins or leads back."""
    begin = message_layout.button(visit.say(message), Verb.CARD, project.id or 0, word=version)
    made = onboarding.card(project.title, project.instructions, definition.examples, visit.say, buttons=((begin,),))
    return visit.send(*made)


def zone(visit: Visit) -> Calls:
    """When the person's day begins; she may tap or type."""
    visit.keep(visit.state.at(Step.ZONE))
    return visit.send(onboarding.zone(visit.say, now=visit.now))


def _page_over(visit: Visit, offer: Offer) -> Calls:
    page = offer.page
    if page is None or page.number == 1 or page.place != 1 or offer.revision:
        return ()
    return visit.tell("page-over", page=page.number - 1)


def _attestation(visit: Visit, project: Project, definition: ProjectFile) -> Calls:
    if definition.attestation is None:
        return ()
    participation = participations.of(visit.session, annotator_id=visit.who, project_id=project.id or 0)
    due = attestations.due(visit.session, definition=definition, participation=participation, now=visit.now)
    if due is None:
        return ()
    return visit.send(
        project_status.attestation(
            definition.attestation, visit.say, project_id=project.id or 0, sitting=due, pausing=False
        )
    )


def _waiting(visit: Visit, waiting: Waiting) -> Calls:
    if waiting.project is None:
        return visit.send(project_status.hindrance(waiting, visit.say, title="", zone=visit.person.time_zone))
    project = queries.project(visit.session, waiting.project)
    known = visit.project(project.id or 0)
    if waiting.reason in HERS and known is not None:
        return _hers(visit, waiting.reason, *known)
    return visit.send(project_status.hindrance(waiting, visit.say, title=project.title, zone=visit.person.time_zone))


def _hers(visit: Visit, reason: Hindrance, project: Project, definition: ProjectFile) -> Calls:
    """What the person is asked before she gets an item of the project."""
    row, known = project.id or 0, terms.of(visit.session, project=project, definition=definition)
    if reason is Hindrance.CONSENT:
        asked = consents.asked(visit.session, annotator_id=visit.who, terms=known)
        return () if asked is None else visit.send(*onboarding.consent(asked, visit.say, project_id=row))
    if reason is Hindrance.PROFILE:
        given = profiles.answers(visit.session, annotator_id=visit.who)
        field = profiles.missing(known.fields, given)[0]
        visit.keep(visit.state.at(Step.PROFILE, about=row, field=field.name))
        return visit.send(onboarding.profile(field, visit.say, project_id=row))
    if visit.person.time_zone is None:
        return zone(visit)
    text = definition.content_warning or ""
    return visit.send(*onboarding.warning(text, visit.say, project_id=row, sha256=stimulus.text_digest(text)))
