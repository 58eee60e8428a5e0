"""The ways in: an invitation, the language, the menu, help; and what is not for this bot."""

from __future__ import annotations

from dataclasses import replace

from sqlmodel import col, select

from annotation.errors import Stale
from annotation.store.models import Project
from annotation.workflow.annotators import invitations, withdrawal
from annotation.workflow.annotators.invitations import Entered, Refusal
from annotation.workflow.assignments import Offer
from bot.conversation import navigation
from bot.conversation.conversation_state import Step
from bot.conversation.texts import COMMANDS, LANGUAGES, commands, texts
from bot.conversation.update_context import Visit, joined
from bot.conversation.updates_and_calls import Calls, Commands
from bot.conversation.views import choices, message_layout, onboarding

REFUSALS = {
    Refusal.UNKNOWN: "invitation-unknown",
    Refusal.EXPIRED: "invitation-expired",
    Refusal.USED_UP: "invitation-used-up",
    Refusal.CLOSED: "invitation-closed",
    Refusal.SUSPENDED: "suspended",
}


def start(visit: Visit) -> Calls:
    """`/start`, with the code of an invitation or without: where the person is."""
    words = visit.text.split(maxsplit=1)
    if len(words) == 1:
        return navigation.lead(visit)
    found = invitations.redeem(visit.session, annotator_id=visit.who, code=words[1][:64], now=visit.now)
    if isinstance(found, Refusal):
        return joined(visit.tell(REFUSALS[found]), navigation.lead(visit))
    _enter(visit, found)
    return navigation.lead(visit)


def start_again(visit: Visit) -> Calls:
    """A text where the language is asked for."""
    return navigation.lead(visit)


def _enter(visit: Visit, entered: Entered) -> None:
    """The door that the code opened is the one that she wants to go through."""
    ids = set(visit.session.exec(select(Project.id).where(col(Project.name).in_(entered.projects))))
    for entry in navigation.entries(visit):
        if ids & set(entry.projects):
            visit.keep(replace(visit.state, door=entry.key))


def ask_language(visit: Visit) -> Calls:
    """`/language`: which language to speak."""
    visit.keep(visit.state.at(Step.LANGUAGE))
    return visit.send(onboarding.language())


def language(visit: Visit) -> Calls:
    """The language is chosen; the first time, the person is welcomed in it."""
    chosen = visit.pressed().word
    if chosen not in LANGUAGES:
        raise Stale("There is no such language.")
    asked = visit.state.step is Step.LANGUAGE
    visit.person.language = chosen
    visit.session.add(visit.person)
    visit.keep(visit.state.at(Step.NONE))
    menu = Commands(chat_id=visit.incoming.chat_id, language=chosen, commands=commands(chosen))
    message = "welcome" if visit.person.time_zone is None else "language-noted"
    welcome = message_layout.said(texts(chosen), texts(chosen)(message))
    begun = joined(visit.acknowledge(), visit.edit(welcome), (menu,))
    return joined(begun, navigation.lead(visit.spoken())) if asked else begun


def projects(visit: Visit) -> Calls:
    """`/projects`: what is open; whoever has one project only is where she is."""
    doors = [one for one in navigation.entries(visit) if one.projects]
    return navigation.menu(visit, doors) if len(doors) > 1 else navigation.lead(visit)


def enter(visit: Visit) -> Calls:
    """A line of the menu: what is in her hands elsewhere goes back, and that project begins or goes on."""
    press = visit.pressed()
    key = -press.row if press.number(0) else press.row
    entry = next((one for one in navigation.entries(visit) if one.key == key), None)
    if entry is None:
        raise Stale("That is not open.")
    held = navigation.in_hands(visit)
    if isinstance(held, Offer) and held.project_id not in entry.projects:
        withdrawal.take_back_live(visit.session, annotator_id=visit.who, now=visit.now)
    spent = tuple(one for one in visit.state.spent if one != key)
    visit.keep(replace(visit.state, door=key, spent=spent))
    return joined(visit.acknowledge(), navigation.lead(visit.spoken()))


def go_on(visit: Visit) -> Calls:
    """Where she is; a question that she has answered so is gone."""
    stays = visit.pressed().word == choices.STAY
    gone = visit.edit(message_layout.said(visit.say, visit.say("stays"))) if stays else ()
    return joined(visit.acknowledge(), gone, navigation.lead(visit.spoken()))


def help_(visit: Visit) -> Calls:
    """`/help`: what there is."""
    listed = "\n".join(f"/{name} — {visit.say(f'command-{name}')}" for name in COMMANDS)
    return visit.send(message_layout.said(visit.say, visit.say("help"), listed))


def unknown_command(visit: Visit) -> Calls:
    """A command that there is not."""
    return joined(visit.tell("unknown-command"), navigation.lead(visit))


def media(visit: Visit) -> Calls:
    """A sticker, a photo, a voice message."""
    return joined(visit.tell("only-text"), navigation.lead(visit))


def edited(visit: Visit) -> Calls:
    """A message that was changed after it was sent."""
    return visit.tell("edited")


def forged(_: Visit) -> Calls:
    """A button that this bot did not make, or not in this form."""
    raise Stale("This button is not ours.")
