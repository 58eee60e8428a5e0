"""What is stored about an annotator, in words, with a button to correct each answer about themselves."""

from __future__ import annotations

from annotation.workflow.annotators.own_data import DataSummary
from bot.conversation import message_layout, prompts, time_zones
from bot.conversation.message_layout import RenderedMessage, TextBlock
from bot.conversation.texts import Texts
from bot.conversation.updates_and_calls import ButtonAction
from bot.conversation.views import onboarding


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
