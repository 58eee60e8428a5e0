"""What the consent promises: to see one's data, to withdraw, to be forgotten."""

from __future__ import annotations

import json

from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store import pseudonyms
from annotation.store.models import Participation, Project
from annotation.vocabulary import ParticipationStatus
from annotation.workflow.annotators import consents, data_export, erasure, terms, withdrawal
from bot.conversation.update_context import Visit, joined
from bot.conversation.updates_and_calls import Calls, Document
from bot.conversation.views import choices, message_layout

FILE = "mydata.json"


def my_data(visit: Visit) -> Calls:
    """`/mydata`: everything that is held about the person, as a file."""
    held = data_export.of(visit.session, annotator_id=visit.who)
    content = json.dumps(held, ensure_ascii=False, indent=2).encode()
    caption = visit.say("mydata")
    return (Document(chat_id=visit.incoming.chat_id, name=FILE, content=content, caption=caption),)


def withdraw(visit: Visit) -> Calls:
    """`/withdraw`: which project to leave."""
    chosen = (
        select(Project)
        .join(Participation)
        .where(Participation.annotator_id == visit.who, Participation.status != ParticipationStatus.WITHDRAWN)
    )
    found = [(one.id or 0, one.title) for one in visit.session.exec(chosen.order_by(col(Project.id)))]
    return visit.send(choices.leaving(found, visit.say)) if found else visit.tell("withdraw-nothing")


def withdraw_tap(visit: Visit) -> Calls:
    """A project was chosen, or the choice confirmed: none of her answers there counts from now on."""
    press, known = visit.pressed(), visit.project(visit.pressed().row)
    part = visit.session.get(Participation, (visit.who, press.row))
    if known is None or part is None:
        raise Stale("You take no part in that project.")
    project, definition = known
    if not press.number(0):
        return joined(
            visit.acknowledge(),
            visit.edit(choices.surely_leave(project.title, visit.say, project_id=press.row)),
        )
    left = withdrawal.withdraw(visit.session, annotator_id=visit.who, project=project, now=visit.now)
    if definition.consent is not None:
        scope = terms.project_scope(project)
        consents.withdraw(visit.session, annotator_id=visit.who, scope=scope, now=visit.now)
    told = visit.say("withdrawn-now", project=project.title, answers=left.answers)
    return joined(visit.acknowledge(), visit.replied(message_layout.said(visit.say, told)))


def forget(visit: Visit) -> Calls:
    """`/forget`: does she mean it?"""
    return visit.send(choices.surely_forget(visit.say))


def forget_tap(visit: Visit) -> Calls:
    """She means it: all that she said, answered and is known by is emptied."""
    say = visit.say
    told = joined(visit.acknowledge(), visit.replied(message_layout.said(say, say("forgotten"))))
    erasure.forget(
        visit.session,
        annotator_id=visit.who,
        pseudonym=pseudonyms.stranger(simulated=visit.person.simulated),
        now=visit.now,
    )
    return told
