"""Messages about an annotator's status: why there is no item, a qualification's result, and the attestation.

The attestation is the question which aids were used in a work session.
"""

from __future__ import annotations

from annotation.campaigns.sections.annotators import AttestationSection
from annotation.vocabulary import UnassignedReason
from annotation.workflow.assignments import QualificationDecision
from annotation.workflow.participations import NothingAssigned
from bot.conversation import message_layout, time_zones
from bot.conversation.callbacks import ButtonAction
from bot.conversation.inputs import options
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts

REASON_TEXTS = {
    UnassignedReason.NOT_ADMITTED: "not-admitted",
    UnassignedReason.NOT_RUNNING: "not-running",
    UnassignedReason.SUSPENDED: "suspended",
    UnassignedReason.PAUSED: "paused-by-rule",
    UnassignedReason.EXCLUDED: "excluded",
    UnassignedReason.FAILED: "failed",
    UnassignedReason.COOL_DOWN: "cool-down",
    UnassignedReason.WITHDRAWN: "withdrawn",
    UnassignedReason.QUOTA: "quota",
    UnassignedReason.NOTHING_LEFT: "all-done",
    UnassignedReason.SEARCHING: "searching",
}
"""The ids of the texts that explain why an annotator gets no item."""


def render_unassigned_reason(
    result: NothingAssigned, translate: Texts, *, title: str, zone: str | None
) -> RenderedMessage:
    """Why there is no item now, until when, and what the annotator can do; `title` is the project's, `zone` theirs."""
    until = "" if result.until is None else time_zones.format_time(result.until, translate, zone=zone)
    if result.reason is UnassignedReason.CAP:
        return message_layout.render_text(translate, translate("cap-until", until=until) if until else translate("cap"))
    if result.reason is UnassignedReason.COOL_DOWN:
        return message_layout.render_text(translate, translate("cool-down", project=title, until=until))
    if result.reason is UnassignedReason.SEARCHING:
        return message_layout.render_text(
            translate,
            translate("searching"),
            buttons=((message_layout.build_button(translate("go-on"), ButtonAction.GO_ON),),),
        )
    text_id = REASON_TEXTS[result.reason]
    names_project = text_id not in {"suspended", "all-done"}
    return message_layout.render_text(
        translate, translate(text_id, project=title) if names_project else translate(text_id)
    )


def render_qualification_result(decision: QualificationDecision, translate: Texts) -> RenderedMessage:
    """The result of a qualification; the time of the next attempt is told in a message of its own."""
    text_id = "passed" if decision.passed else "failed-now" if decision.retry_at is None else "failed-retry"
    return message_layout.render_text(translate, translate(text_id, right=decision.n_right, of=decision.n_answered))


def render_attestation(
    section: AttestationSection, translate: Texts, *, project_id: int, work_session: int, pausing: bool
) -> RenderedMessage:
    """The question about aids at the end of a work session; `pausing` says that no item follows the answer."""
    letters = options.list_letters(len(section.options), translate.language)
    labels = section.options if message_layout.are_labels_short(section.options) else letters
    option_list = "\n".join(f"{letter}) {option}" for letter, option in zip(letters, section.options, strict=True))
    buttons = [
        message_layout.build_button(label, ButtonAction.ATTEST, project_id, work_session, index, int(pausing))
        for index, label in enumerate(labels)
    ]
    blocks = [
        TextBlock(translate("sitting-over")),
        TextBlock(section.text),
        TextBlock("" if labels == section.options else option_list),
    ]
    return message_layout.render_messages(blocks, translate, buttons=message_layout.arrange_buttons(buttons))[-1]
