"""Messages about an annotator's status: why there is no item, a qualification's result, and the attestation.

The attestation is the question which aids were used in a work session.
"""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum

from annotation.campaigns.sections.annotators import AttestationSection
from annotation.vocabulary import Stage, UnassignedReason
from annotation.workflow.assignments import QualificationDecision
from annotation.workflow.participations import NothingAssigned
from bot.conversation import message_layout, prompts, time_zones
from bot.conversation.inputs import options
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction

REASON_TEXTS = {
    UnassignedReason.NOT_ADMITTED: "not-admitted",
    UnassignedReason.NOT_RUNNING: "not-running",
    UnassignedReason.SUSPENDED: "suspended",
    UnassignedReason.PAUSED: "paused-by-rule",
    UnassignedReason.EXCLUDED: "excluded",
    UnassignedReason.FAILED: "failed",
    UnassignedReason.COOL_DOWN: "cool-down",
    UnassignedReason.WITHDRAWN: "withdrawn",
    UnassignedReason.SEARCHING: "searching",
}
"""The ids of the texts that explain why an annotator gets no item."""


class AttestationMoment(IntEnum):
    """When the annotator is asked which aids they used; the numbers stand in buttons, and never change.

    BEFORE_ITEM: about the work session before, and an item follows the answer; PAUSE: they stop; END: nothing is left.
    """

    BEFORE_ITEM = 0
    PAUSE = 1
    END = 2


OVER_TEXTS = {Stage.TRAINING: "training-over", Stage.QUALIFICATION: "qualification-over"}
"""The ids of the texts that say that a stage without a pass mark is over."""
PASSED_TEXTS = {Stage.TRAINING: "training-passed", Stage.QUALIFICATION: "qualification-passed"}
"""The ids of the texts that say that a stage is passed."""


def render_unassigned_reason(
    result: NothingAssigned, translate: Texts, *, title: str, zone: str | None, answers: int, now: datetime
) -> RenderedMessage:
    """Why there is no item now, until when, and what the annotator can do.

    `title` is the project's, `zone` the annotator's; `answers` is how many they gave, told where they are done.
    """
    until = "" if result.until is None else time_zones.format_time(result.until, translate, zone=zone, now=now)
    if result.reason is UnassignedReason.CAP:
        text = translate("cap-until", until=until) if until else translate("cap", answers=answers)
        return message_layout.render_text(translate, text)
    if result.reason is UnassignedReason.QUOTA:
        return message_layout.render_text(translate, translate("quota", project=title, answers=answers))
    if result.reason is UnassignedReason.COOL_DOWN:
        return message_layout.render_text(translate, translate("cool-down", project=title, until=until))
    if result.reason is UnassignedReason.SEARCHING:
        return message_layout.render_text(
            translate,
            translate("searching"),
            buttons=((message_layout.build_button(translate("go-on"), ButtonAction.GO_ON, typed=(prompts.GO_ON,)),),),
        )
    text_id = REASON_TEXTS[result.reason]
    names_project = text_id != "suspended"
    return message_layout.render_text(
        translate, translate(text_id, project=title) if names_project else translate(text_id)
    )


def render_qualification_result(decision: QualificationDecision, translate: Texts) -> RenderedMessage:
    """The result of a training or qualification; the time of the next attempt is told in a message of its own."""
    texts = [_format_result(decision, translate)]
    if decision.passed and decision.next_stage is Stage.MAIN:
        texts.append(translate("main-begins"))
    return message_layout.render_text(translate, " ".join(texts))


def _format_result(decision: QualificationDecision, translate: Texts) -> str:
    if decision.n_needed is None:
        return translate(OVER_TEXTS[decision.stage])
    failed = "failed-now" if decision.retry_at is None else "failed-retry"
    result = translate("result", right=decision.n_right, of=decision.n_answered, needed=decision.n_needed)
    return translate(PASSED_TEXTS[decision.stage] if decision.passed else failed, result=result)


def render_attestation(
    section: AttestationSection, translate: Texts, *, project_id: int, work_session: int, moment: AttestationMoment
) -> RenderedMessage:
    """The question about aids after a work session, or at its end."""
    letters = options.list_letters(len(section.options), translate.language)
    labels = section.options if message_layout.are_labels_short(section.options) else letters
    option_list = "\n".join(f"{letter}) {option}" for letter, option in zip(letters, section.options, strict=True))
    words = prompts.list_option_words(section.options, letters)
    buttons = [
        message_layout.build_button(
            label, ButtonAction.ATTEST, project_id, work_session, index, moment, typed=words[index]
        )
        for index, label in enumerate(labels)
    ]
    blocks = [
        TextBlock(translate("sitting-over" if moment is AttestationMoment.BEFORE_ITEM else "sitting-ends")),
        TextBlock(section.text),
        TextBlock("" if labels == section.options else option_list),
    ]
    return message_layout.render_messages(blocks, translate, buttons=message_layout.arrange_buttons(buttons))[-1]
