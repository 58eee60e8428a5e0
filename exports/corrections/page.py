"""stories.html: every text beside its corrections, with the changes marked, and the numbers above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from exports.corrections.displayed_stories import DisplayedStory, display_story
from exports.corrections.summary import (
    CONFIDENCE_LEVEL,
    MEASURES,
    RESAMPLES,
    TIED,
    UNANSWERED,
    UNUSABLE,
    USABLE,
    CorrectionSummary,
    describe_usable_rule,
)
from exports.pages.display_text import capitalize_first, format_count, format_percent, format_percent_interval
from exports.pages.reasons import translate_reason
from exports.pages.scaffold import (
    MAX_ENTRIES,
    DataSetSection,
    Headline,
    TableRow,
    format_interval_note,
    format_remainder,
    get_section_fields,
    list_excluded,
    render_page,
)
from exports.pages.svg import draw_bars
from exports.pages.translation import localize_number, mark_text, translate

MEASURE_NAMES = {
    "cer": mark_text("Characters changed (CER)"),
    "wer": mark_text("Words changed (WER)"),
    "chrf": mark_text("chrF"),
    "words_kept": mark_text("Words kept"),
}
AGREEMENT_NAMES = {
    "exact_match": mark_text("The very same text"),
    "plurality_share": mark_text("Share of the most frequent text"),
    "mean_cer": mark_text("Characters apart (CER)"),
    "mean_chrf": mark_text("chrF"),
}
CHANGE_STEPS = (
    (0.0, mark_text("nothing")), (0.02, mark_text("to 2 %")), (0.05, mark_text("2–5 %")), (0.1, mark_text("5–10 %")),
    (0.2, mark_text("10–20 %")), (0.5, mark_text("20–50 %")),
)  # fmt: skip
"""The upper limit of the share of words changed, and the name, of each bar but the last."""
LAST_STEP = mark_text("over 50 %")


@dataclass(frozen=True, kw_only=True)
class CorrectionsSection(DataSetSection):
    """One `edit` question of a data set; `panels` are SVGs, `order` and `remainder` say which stories are shown."""

    rule: str
    counts: str
    panels: tuple[str, ...]
    measures: tuple[TableRow, ...]
    agreement: tuple[TableRow, ...]
    stories: tuple[DisplayedStory, ...]
    order: str
    remainder: str


def render_corrections(summaries: Sequence[CorrectionSummary], *, seed: int = 0) -> str:
    """Render stories.html as one HTML document that needs nothing from outside; simulated data is stamped."""
    return render_page(
        "corrections.html.j2",
        package="exports.corrections",
        name="stories",
        title=translate("Corrected stories"),
        sections=[_build_section(summary, prefix=f"stories-{number}") for number, summary in enumerate(summaries)],
        confidence_level=CONFIDENCE_LEVEL,
        resamples=RESAMPLES,
        seed=seed,
    )


def _build_section(summary: CorrectionSummary, *, prefix: str) -> CorrectionsSection:
    answered = sorted((story for story in summary.stories if story.corrections), key=lambda story: -story.n_marked)
    return CorrectionsSection(
        **get_section_fields(summary.data),
        headlines=_list_headlines(summary),
        rule=capitalize_first(describe_usable_rule(summary)),
        counts=_describe_counts(summary),
        panels=_draw_panels(summary, prefix=prefix),
        measures=tuple(_build_measure_row(summary, name) for name in MEASURES),
        agreement=_build_agreement_rows(summary),
        stories=tuple(display_story(summary, story) for story in answered[:MAX_ENTRIES]),
        order=_describe_order(summary),
        remainder=format_remainder(len(answered), translate("stories")),
    )


def _list_headlines(summary: CorrectionSummary) -> tuple[Headline, ...]:
    verdicts = Counter(story.verdict for story in summary.stories)
    judged = sum(verdicts.values()) - verdicts[UNANSWERED]
    mean = summary.means["wer"]
    return (
        Headline(
            translate("Usable stories"),
            translate("{part} of {whole}", part=verdicts[USABLE], whole=judged),
            _format_share(verdicts[USABLE], judged),
        ),
        Headline(translate("Unusable"), str(verdicts[UNUSABLE]), _format_share(verdicts[UNUSABLE], judged)),
        *(Headline(translate("Marked “{mark}”", mark=mark), str(count)) for mark, count in summary.marks.most_common()),
        *([Headline(translate("Tied"), str(verdicts[TIED]))] if verdicts[TIED] else []),
        *([Headline(translate("Not answered yet"), str(verdicts[UNANSWERED]))] if verdicts[UNANSWERED] else []),
        Headline(translate("Corrections"), str(len(summary.pairs))),
        Headline(translate("Left as it was"), format_percent(summary.unchanged)),
        Headline(translate("Words changed"), format_percent(mean.value), format_interval_note(mean, as_percent=True)),
    )


def _describe_order(summary: CorrectionSummary) -> str:
    """Which stories come first; empty where annotators marked none."""
    if not summary.marks:
        return ""
    marks = ", ".join(sorted(summary.marks))
    return translate(
        "Those that annotators marked “{marks}” come first, the others follow in their order.", marks=marks
    )


def _format_share(count: int, total: int) -> str:
    return format_percent(count / total) if total else ""


def _draw_panels(summary: CorrectionSummary, *, prefix: str) -> tuple[str, ...]:
    """The panel of the shares of words changed, and that of the reasons why texts were unusable, if there are any."""
    rates, simulated = summary.list_values("wer"), summary.data.simulated
    names = [*(name for _, name in CHANGE_STEPS), LAST_STEP]
    steps = np.searchsorted([limit for limit, _ in CHANGE_STEPS], rates, side="left")
    counts = Counter(names[step] for step in steps)
    panels = [
        draw_bars(
            [(localize_number(translate(name)), counts[name], str(counts[name])) for name in names],
            title=translate("Words changed"),
            subtitle=format_count(len(rates), "correction"),
            prefix=f"{prefix}-words",
            simulated=simulated,
        )
    ]
    if summary.reasons:
        n_unusable = sum(correction.status == UNUSABLE for correction in summary.corrections)
        panels.append(
            draw_bars(
                [
                    (reason, count, f"{count}, {localize_number(f'{100 * share:.0f} %')}")
                    for reason, count, share, _ in summary.reasons
                ],
                title=translate("Why unusable"),
                subtitle=translate(
                    "{answers}; one can give several reasons", answers=format_count(n_unusable, "answer")
                ),
                prefix=f"{prefix}-reasons",
                simulated=simulated,
            )
        )
    return tuple(panels)


def _build_measure_row(summary: CorrectionSummary, name: str) -> TableRow:
    values, mean = summary.list_values(name), summary.means[name]
    low, first, middle, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)) if values else [None] * 5
    return TableRow(
        head=translate(MEASURE_NAMES[name]),
        cells=(
            format_percent(mean.value), format_percent_interval(mean.low, mean.high), format_percent(middle),
            format_percent_interval(first, third), format_percent_interval(low, high), str(len(values)),
        ),
    )  # fmt: skip


def _build_agreement_rows(summary: CorrectionSummary) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(
            head=translate(AGREEMENT_NAMES[row.name]),
            cells=(
                format_percent(row.value), format_percent_interval(row.low, row.high), str(row.n_items),
                str(row.n_votes),
            ),
        )
        for row in summary.agreement
        if row.value is not None
    )  # fmt: skip


def _describe_counts(summary: CorrectionSummary) -> str:
    """How many answers count, by status, and how many are left out, by reason."""
    statuses = Counter(correction.status for correction in summary.corrections)
    counted = ", ".join(f"{translate_reason(status)}: {count}" for status, count in sorted(statuses.items()))
    excluded = list_excluded(summary.data)
    words = translate("Answers that count: {counts}.", counts=counted or translate("none"))
    return words + (" " + translate("Left out: {reasons}.", reasons=excluded) if excluded else "")
