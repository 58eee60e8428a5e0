"""Who answers an update: one ordered list; the first whose condition holds."""

from __future__ import annotations

from collections.abc import Callable

from bot.conversation.callbacks import Verb
from bot.conversation.conversation_state import Step
from bot.conversation.handlers import answers, data_rights, skips_and_reports, start, terms
from bot.conversation.update_context import Visit
from bot.conversation.updates_and_calls import Calls, Kind

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
    (_tapped(Verb.ANSWER), answers.tap),
    (_tapped(Verb.TOGGLE), answers.toggle),
    (_tapped(Verb.DONE), answers.done),
    (_tapped(Verb.OPEN), answers.leave_open),
    (_tapped(Verb.UNDO), answers.undo),
    (_tapped(Verb.KEEP), answers.keep),
    (_tapped(Verb.SKIP), skips_and_reports.skip),
    (_tapped(Verb.REPORT), skips_and_reports.report),
    (_tapped(Verb.ASK), skips_and_reports.ask),
    (_tapped(Verb.BACK), skips_and_reports.back),
    (_tapped(Verb.PAUSE), skips_and_reports.pause),
    (_tapped(Verb.TASK), terms.task),
    (_tapped(Verb.LANGUAGE), start.language),
    (_tapped(Verb.CONSENT), terms.consent),
    (_tapped(Verb.PROFILE), terms.profile),
    (_tapped(Verb.ZONE), terms.zone),
    (_tapped(Verb.WARNING), terms.warning),
    (_tapped(Verb.CARD), terms.card),
    (_tapped(Verb.ENTER), start.enter),
    (_tapped(Verb.ATTEST), skips_and_reports.attest),
    (_tapped(Verb.WITHDRAW), data_rights.withdraw_tap),
    (_tapped(Verb.FORGET), data_rights.forget_tap),
    (_tapped(Verb.GO_ON), start.go_on),
    (_is(Kind.TAP), start.forged),
    (_is(Kind.EDITED), start.edited),
    (lambda visit: visit.incoming.media is not None, start.media),
    (_sent("start"), start.start),
    (_sent("projects"), start.projects),
    (_sent("task"), terms.task),
    (_sent("ask"), skips_and_reports.ask),
    (_sent("pause"), skips_and_reports.pause),
    (_sent("language"), start.ask_language),
    (_sent("mydata"), data_rights.my_data),
    (_sent("withdraw"), data_rights.withdraw),
    (_sent("forget"), data_rights.forget),
    (_sent("help"), start.help_),
    (lambda visit: bool(visit.command), start.unknown_command),
    (_said(Step.LANGUAGE), start.start_again),
    (_said(Step.PROFILE), terms.profile_text),
    (_said(Step.ZONE), terms.zone_text),
    (_said(Step.SKIP), skips_and_reports.skip_text),
    (_said(Step.REPORT), skips_and_reports.report_text),
    (_said(Step.ASK), skips_and_reports.ask_text),
    (lambda _: True, answers.typed),
)


def handle(visit: Visit) -> Calls:
    """The calls of the first handler that is meant."""
    return next(handler for condition, handler in HANDLERS if condition(visit))(visit)
