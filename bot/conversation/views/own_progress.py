"""An annotator's progress as lines: one for each project, those of a programme below its title."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from annotation.workflow.annotators.own_data import DataSummary
from annotation.workflow.assignments import OwnProgress, ProgressState
from bot.conversation import message_layout, prompts, time_zones
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction
from bot.conversation.views import onboarding
from bot.conversation.views.items import STAGE_TEXTS


def render_summary(summary: DataSummary, translate: Texts, *, zone: str | None) -> tuple[RenderedMessage, ...]:
    """The summary, with buttons to correct profile answers and one to go on; `zone` is the annotator's time zone."""
    telegram = [translate("mydata-telegram", language=translate("language-name"))]
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


MARKS = {
    ProgressState.WAITING: "·",
    ProgressState.BEGUN: "▸",
    ProgressState.DONE: "✓",
    ProgressState.PAUSED: "‖",
    ProgressState.CLOSED: "✓",
    ProgressState.STOPPED: "–",
}
"""How a line begins."""
STATE_TEXTS = {
    ProgressState.PAUSED: "progress-paused",
    ProgressState.CLOSED: "progress-closed",
    ProgressState.STOPPED: "progress-stopped",
}
"""The ids of the texts that end a line."""
MAX_TITLE = 24
"""How much of a project's title stands in a line, in UTF-16 units."""
_NO_BREAK = "\u00a0"
"""The space inside a count, so that a phone breaks the line between counts."""


def build_progress_blocks(listed: Sequence[OwnProgress], translate: Texts) -> list[TextBlock]:
    """The lines of all projects; a programme's title stands above its own, bold, and what all have answered below."""
    blocks = []
    for programme, group in groupby(listed, key=lambda progress: progress.programme):
        members = list(group)
        lines = [format_progress(progress, translate, with_shared=programme is None) for progress in members]
        lines += [] if programme is None else _list_shared_total(members, translate)
        head = message_layout.shorten_text(programme or "", 2 * MAX_TITLE)
        bold = ((0, len(head)),) if head else ()
        blocks.append(TextBlock("\n".join([head, *lines] if head else lines), bold))
    return blocks


def _list_shared_total(members: Sequence[OwnProgress], translate: Texts) -> list[str]:
    """How many answers all annotators gave in the projects of a programme that show it; nothing where none does."""
    shared = [(one.answered, one.wanted) for one in members if one.answered is not None and one.wanted is not None]
    answered, wanted = sum(one for one, _ in shared), sum(one for _, one in shared)
    return [translate("shared-count", answered=answered, wanted=wanted).replace(" ", _NO_BREAK)] if shared else []


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
    if progress.preparing is not None:
        return translate(STAGE_TEXTS[progress.preparing])
    total = progress.total
    parts = [str(progress.done) if total is None else translate("own-count", number=progress.done, total=total)]
    if progress.state in STATE_TEXTS:
        parts.append(translate(STATE_TEXTS[progress.state]))
    if with_shared and progress.answered is not None and progress.wanted is not None:
        parts.append(translate("shared-count", answered=progress.answered, wanted=progress.wanted))
    return " · ".join(part.replace(" ", _NO_BREAK) for part in parts)
