"""An annotator's progress as lines: one for each project, those of a programme below its title."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import IntEnum
from itertools import groupby

from annotation.campaigns.sections.annotators import AttestationSection
from annotation.vocabulary import Stage, UnassignedReason
from annotation.workflow.annotators.own_data import DataSummary
from annotation.workflow.assignments import OwnProgress, ProgressState, QualificationDecision
from annotation.workflow.participations import NothingAssigned
from bot.conversation import message_layout, prompts, time_zones
from bot.conversation.inputs import options
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction
from bot.conversation.views import onboarding
from bot.conversation.views.items import STAGE_TEXTS

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


def format_until(at: datetime, translate: Texts, *, zone: str | None, now: datetime) -> str:
    """The time at which a reason ends, in the annotator's time zone."""
    return time_zones.format_time(at, translate, zone=zone, now=now)


def render_unassigned_reason(
    result: NothingAssigned, translate: Texts, *, title: str, zone: str | None, now: datetime
) -> RenderedMessage:
    """Why there is no item now, until when, and what the annotator can do; `title` is the project's, `zone` theirs."""
    until = "" if result.until is None else format_until(result.until, translate, zone=zone, now=now)
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


def render_qualification_result(
    decision: QualificationDecision, translate: Texts, *, title: str = "", until: str = ""
) -> RenderedMessage:
    """The result of a training or qualification.

    `title` is that of the data set, in a programme. There the next item may be another data set's: what follows from a
    failure is told here, and not that the main items begin. `until` is when the next attempt opens, empty for now.
    """
    texts = [_format_result(decision, translate, may_go_on=not (title and until))]
    is_over = not decision.passed and decision.retry_at is None
    if title and is_over:
        texts.append(translate("failed", project=title))
    elif title and until:
        texts.append(translate("cool-down", project=title, until=until))
    elif not title and decision.passed and decision.next_stage is Stage.MAIN:
        texts.append(translate("main-begins"))
    heading = "" if is_over or until else title
    return message_layout.render_messages(
        [message_layout.make_bold_block(heading), TextBlock(" ".join(texts))], translate
    )[-1]


def _format_result(decision: QualificationDecision, translate: Texts, *, may_go_on: bool) -> str:
    if decision.n_needed is None:
        return translate(OVER_TEXTS[decision.stage])
    failed = "failed-retry" if decision.retry_at is not None and may_go_on else "failed-now"
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


def render_summary(
    summary: DataSummary, translate: Texts, *, zone: str | None, has_telegram: bool
) -> tuple[RenderedMessage, ...]:
    """The summary, with buttons to correct profile answers and one to go on; `zone` is the annotator's time zone."""
    number = "mydata-telegram" if has_telegram else "mydata-page"
    telegram = [translate(number, language=translate("language-name"))]
    telegram += [translate("zone-noted", zone=time_zones.format_zone(zone, translate))] if zone else []
    projects = [
        translate(
            "mydata-project",
            project=project.title,
            date=time_zones.format_date(project.joined_at, translate, zone=zone),
            answers=project.answered,
            skipped=project.skipped,
        )
        for project in summary.projects
    ]
    consents = [
        translate(
            "mydata-consent" if consent.withdrawn_at is None else "mydata-consent-withdrawn",
            version=consent.version,
            date=time_zones.format_date(consent.withdrawn_at or consent.at, translate, zone=zone),
        )
        for consent in summary.consents
    ]
    told = [
        f"{number}) {answer.field.text} — {answer.value or translate('rather-not-say')}"
        for number, answer in enumerate(summary.profile, 1)
    ]
    questions = [translate("mydata-questions", count=summary.n_questions)] if summary.n_questions else []
    wishes = [
        translate(text_id)
        for text_id, on in (("mydata-reminders", summary.reminders), ("mydata-news", summary.news))
        if on
    ]
    blocks = [
        message_layout.make_bold_block(translate("mydata-heading")),
        TextBlock("\n".join([*telegram, *projects, *consents, *questions, *wishes])),
        *([TextBlock("\n".join([translate("mydata-profile"), *told]))] if told else []),
        TextBlock(translate("mydata-rights")),
    ]
    corrections = [
        message_layout.build_button(
            f"✎ {number}",
            ButtonAction.PROFILE,
            answer.project_id,
            word=onboarding.compute_field_digest(answer.field),
            typed=(answer.field.text, str(number)),
        )
        for number, answer in enumerate(summary.profile, 1)
    ]
    rows = tuple(tuple(corrections[start : start + 4]) for start in range(0, len(corrections), 4))
    go_on = message_layout.build_button(translate("go-on"), ButtonAction.GO_ON, typed=(prompts.GO_ON,))
    return message_layout.render_messages(blocks, translate, buttons=(*rows, (go_on,)))


_MOST_SECONDS = 100
"""A longer median is told in minutes."""


def list_session_lines(translate: Texts, *, number: int, seconds: float, median: float | None) -> list[str]:
    """How many items a session had in how much active time, and the median of the seconds of an item."""
    lines = [translate("session-over", number=number, minutes=max(1, round(seconds / 60)))]
    if median is not None and median < _MOST_SECONDS:
        lines.append(translate("session-seconds", seconds=max(1, round(median))))
    elif median is not None:
        lines.append(translate("session-minutes", minutes=round(median / 60)))
    return lines


MARKS = {
    ProgressState.WAITING: "·",
    ProgressState.BEGUN: "▸",
    ProgressState.DONE: "✓",
    ProgressState.PAUSED: "‖",
    ProgressState.CLOSED: "✓",
    ProgressState.STOPPED: "–",
    ProgressState.FAILED: "–",
}
"""How a line begins."""
STATE_TEXTS = {
    ProgressState.PAUSED: "progress-paused",
    ProgressState.CLOSED: "progress-closed",
    ProgressState.STOPPED: "progress-stopped",
}
"""The ids of the texts that end a line."""
MAX_TITLE = 32
"""How much of a project's title stands in a line, in UTF-16 units."""
_NO_BREAK = "\u00a0"
"""The space inside a count, so that a phone breaks the line between counts."""


def build_progress_blocks(
    listed: Sequence[OwnProgress], translate: Texts, *, with_shared: bool = True
) -> list[TextBlock]:
    """The lines of all projects; a programme's title stands above its own, bold, and what all have answered below.

    Without `with_shared` they are about the annotator alone.
    """
    blocks = []
    for programme, group in groupby(listed, key=lambda progress: progress.programme):
        members = list(group)
        is_shared = with_shared and programme is None
        lines = [format_progress(progress, translate, with_shared=is_shared) for progress in members]
        lines += _list_shared_total(members, translate) if with_shared and programme is not None else []
        head = message_layout.shorten_text(programme or "", 2 * MAX_TITLE)
        bold = ((0, len(head)),) if head else ()
        blocks.append(TextBlock("\n".join([head, *lines] if head else lines), bold))
    return blocks


def _list_shared_total(members: Sequence[OwnProgress], translate: Texts) -> list[str]:
    """How many answers all annotators gave in the projects of a programme that show it; nothing where none does."""
    shared = next((own.shared for own in members if own.shared is not None), None)
    if shared is None:
        return []
    return [translate("shared-count", answered=shared[0], wanted=shared[1]).replace(" ", _NO_BREAK)]


def format_progress(progress: OwnProgress, translate: Texts, *, with_shared: bool = True) -> str:
    """One line: the project, how many items of how many are done, and the answers of all where they are shown.

    Before the pilot or the main stage it names the stage alone.
    """
    line = f"{MARKS[progress.state]} {message_layout.shorten_text(progress.title, MAX_TITLE)}"
    is_unknown = progress.state is ProgressState.WAITING and progress.total is None
    return line if is_unknown else f"{line} — {_format_counts(progress, translate, with_shared=with_shared)}"


def _format_counts(progress: OwnProgress, translate: Texts, *, with_shared: bool) -> str:
    if progress.state is ProgressState.DONE and not progress.done:
        return translate("progress-nothing")
    if progress.state is ProgressState.FAILED:
        return translate("progress-failed")
    if progress.preparing is not None:
        return translate(STAGE_TEXTS[progress.preparing])
    total = progress.total
    parts = [str(progress.done) if total is None else translate("own-count", number=progress.done, total=total)]
    if progress.state in STATE_TEXTS:
        parts.append(translate(STATE_TEXTS[progress.state]))
    if with_shared and progress.answered is not None and progress.wanted is not None:
        parts.append(translate("shared-count", answered=progress.answered, wanted=progress.wanted))
    return " · ".join(part.replace(" ", _NO_BREAK) for part in parts)
