"""Who answers an update: one ordered list; the first whose condition holds."""

from __future__ import annotations

from collections.abc import Callable

from bot.conversation.callbacks import Verb
from bot.conversation.exchange import Calls, Kind
from bot.conversation.handlers import answering, passing, rights, starting, terms
from bot.conversation.talks import Step
from bot.conversation.visits import Visit

Condition = Callable[[Visit], bool]
Handler = Callable[[Visit], Calls]


def _tapped(verb: Verb) -> Condition:
    return lambda visit: visit.press is not None and visit.press.verb is verb


def _sent(command: str) -> Condition:
    return lambda visit: visit.command == command


def _said(step: Step) -> Condition:
    return lambda visit: visit.state.step is step


def _is(kind: Kind) -> Condition:
    return lambda visit: visit.incoming.kind is kind


HANDLERS: tuple[tuple[Condition, Handler], ...] = (
    (_tapped(Verb.ANSWER), answering.tap),
    (_tapped(Verb.TOGGLE), answering.toggle),
    (_tapped(Verb.DONE), answering.done),
    (_tapped(Verb.OPEN), answering.leave_open),
    (_tapped(Verb.UNDO), answering.undo),
    (_tapped(Verb.KEEP), answering.keep),
    (_tapped(Verb.SKIP), passing.skip),
    (_tapped(Verb.REPORT), passing.report),
    (_tapped(Verb.ASK), passing.ask),
    (_tapped(Verb.BACK), passing.back),
    (_tapped(Verb.PAUSE), passing.pause),
    (_tapped(Verb.TASK), terms.task),
    (_tapped(Verb.LANGUAGE), starting.language),
    (_tapped(Verb.CONSENT), terms.consent),
    (_tapped(Verb.PROFILE), terms.profile),
    (_tapped(Verb.ZONE), terms.zone),
    (_tapped(Verb.WARNING), terms.warning),
    (_tapped(Verb.CARD), terms.card),
    (_tapped(Verb.ENTER), starting.enter),
    (_tapped(Verb.ATTEST), passing.attest),
    (_tapped(Verb.WITHDRAW), rights.withdraw_tap),
    (_tapped(Verb.FORGET), rights.forget_tap),
    (_tapped(Verb.GO_ON), starting.go_on),
    (_is(Kind.TAP), starting.forged),
    (_is(Kind.EDITED), starting.edited),
    (lambda visit: visit.incoming.media is not None, starting.media),
    (_sent("start"), starting.start),
    (_sent("projects"), starting.projects),
    (_sent("task"), terms.task),
    (_sent("ask"), passing.ask),
    (_sent("pause"), passing.pause),
    (_sent("language"), starting.ask_language),
    (_sent("mydata"), rights.my_data),
    (_sent("withdraw"), rights.withdraw),
    (_sent("forget"), rights.forget),
    (_sent("help"), starting.help_),
    (lambda visit: bool(visit.command), starting.unknown_command),
    (_said(Step.LANGUAGE), starting.start_again),
    (_said(Step.PROFILE), terms.profile_text),
    (_said(Step.ZONE), terms.zone_text),
    (_said(Step.SKIP), passing.skip_text),
    (_said(Step.REPORT), passing.report_text),
    (_said(Step.ASK), passing.ask_text),
    (lambda _: True, answering.typed),
)


def handle(visit: Visit) -> Calls:
    """The calls of the first handler that is meant."""
    return next(handler for condition, handler in HANDLERS if condition(visit))(visit)
