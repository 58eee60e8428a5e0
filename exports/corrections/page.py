"""stories.html: every text beside its corrections, with the changes marked, and the numbers above them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aggregation.text_difference import DiffPart, compute_difference, normalize_text
from exports.corrections.comparison import CorrectionComparison, compare_corrections
from exports.corrections.correction import DECISIONS, Correction, list_mark_questions
from exports.corrections.summary import (
    CONFIDENCE_LEVEL,
    MEASURES,
    RESAMPLES,
    TIED,
    UNANSWERED,
    UNUSABLE,
    USABLE,
    CorrectedStory,
    CorrectionSummary,
    describe_usable_rule,
)
from exports.pages.display_text import (
    capitalize_first,
    format_count,
    format_percent,
    format_percent_interval,
    format_share,
)
from exports.pages.localization import localize_number, mark_text, translate
from exports.pages.scaffold import (
    MAX_ENTRIES,
    DataSetSection,
    Headline,
    TableRow,
    describe_interval,
    format_remainder,
    get_section_fields,
    list_excluded,
    render_page,
)
from exports.pages.svg import draw_bars

_TAGS = {"=": "", "-": "del", "+": "ins"}


class DisplayedPart(NamedTuple):
    """A part of a difference: its HTML tag, the symbol that makes a changed blank visible (else empty), its text."""

    tag: str
    blank_symbol: str
    text: str


@dataclass(frozen=True, kw_only=True)
class DisplayedCorrection:
    """One annotator's correction of a story; `notes` are (question, answer) of the other questions but the marks.

    `warning` says that most of the text was dropped, and is empty otherwise.
    """

    annotator: str
    language: str
    status: str
    change: str
    reasons: tuple[str, ...]
    parts: tuple[DisplayedPart, ...]
    notes: tuple[tuple[str, str], ...]
    marks: tuple[str, ...] = ()
    warning: str = ""


@dataclass(frozen=True, kw_only=True)
class DisplayedComparison:
    """Two corrections of a story compared: a heading, what is said of them, and where they differ."""

    heading: str
    summary: str
    parts: tuple[DisplayedPart, ...]


@dataclass(frozen=True, kw_only=True)
class DisplayedStory:
    """A story with all its corrections, and with each two of them compared."""

    item_id: str
    summary: str
    length: str
    original: str
    corrections: tuple[DisplayedCorrection, ...]
    comparisons: tuple[DisplayedComparison, ...] = ()


def display_story(summary: CorrectionSummary, story: CorrectedStory) -> DisplayedStory:
    """The story as the page shows it; corrections that were marked come first."""
    return DisplayedStory(
        item_id=story.item_id,
        summary=f"{capitalize_first(translate(story.verdict))}; " + format_count(len(story.corrections), "answer"),
        length=format_count(len(story.original.split()), "word"),
        original=story.original,
        corrections=(
            *(
                _display_correction(summary, correction)
                for correction in sorted(story.corrections, key=lambda correction: not correction.marks)
            ),
            *_display_merged_text(summary, story),
        ),
        comparisons=tuple(map(_display_comparison, compare_corrections(story.pairs))),
    )


def _display_comparison(comparison: CorrectionComparison) -> DisplayedComparison:
    said = [
        translate("the very same text")
        if comparison.is_same
        else translate("{share} of words apart", share=format_percent(comparison.apart))
    ]
    if comparison.changes:
        said.append(
            translate("both made {shared} of {changes} changes", shared=comparison.shared, changes=comparison.changes)
        )
    return DisplayedComparison(
        heading=translate("{one} and {other}", one=comparison.one, other=comparison.other),
        summary=", ".join(said),
        parts=tuple(map(_display_part, comparison.parts)),
    )


def _display_merged_text(summary: CorrectionSummary, story: CorrectedStory) -> tuple[DisplayedCorrection, ...]:
    """The text of an adjudicator, where it is none of the corrections; empty where there is none such."""
    decided = summary.responses.adjudicated.get(summary.question.name, {}).get(story.item_id)
    if (
        decided is None
        or decided.gold is None
        or any(correction.adjudicated == "gold" for correction in story.corrections)
    ):
        return ()
    merged, published = normalize_text(decided.gold), DECISIONS["gold"]
    parts = compute_difference(story.original, merged)
    return (
        DisplayedCorrection(
            annotator=translate("Adjudicator"),
            language=summary.data.language,
            status=translate(published),
            change="",
            reasons=(),
            parts=tuple(map(_display_part, parts)),
            notes=(),
        ),
    )


def _display_correction(summary: CorrectionSummary, correction: Correction) -> DisplayedCorrection:
    texts = {question.name: question.text for question in summary.responses.questions}
    answers = {name: summary.responses.list_labels(name, correction.other_answers) for name in correction.other_answers}
    hidden = {*summary.question.show_if, *(question.name for question in list_mark_questions(summary.responses))}
    return DisplayedCorrection(
        annotator=correction.annotator,
        language=summary.data.language,
        status=", ".join(
            [
                translate(correction.status),
                *([translate(DECISIONS[correction.adjudicated])] if correction.adjudicated else []),
            ]
        ),
        change=_describe_change(correction),
        reasons=correction.reasons,
        parts=tuple(map(_display_part, correction.parts)) if correction.status == "corrected" else (),
        marks=correction.marks,
        warning=translate("most of the text was deleted")
        if correction.edits is not None and correction.edits.most_dropped
        else "",
        notes=tuple(
            (texts[name], ", ".join(labels)) for name, labels in answers.items() if labels and name not in hidden
        ),
    )


def _describe_change(correction: Correction) -> str:
    if correction.edits is None:
        return ""
    if correction.status == "unchanged":
        return translate("The text stays as it was.")
    if correction.edits.most_dropped:
        before = len(correction.original.split())
        return translate("Words now: {now}; before: {before}.", now=correction.edits.corrected_words, before=before)
    words, characters = format_percent(correction.edits.wer), format_percent(correction.edits.cer)
    return translate("{words} of words, {characters} of characters changed", words=words, characters=characters)


def _display_part(part: DiffPart) -> DisplayedPart:
    """A part with its tag; a changed blank gets a symbol, since it shows neither underline nor strike-through."""
    tag = _TAGS[part.sign]
    blank = bool(tag) and part.text.isspace()
    symbol = "¶" if blank and "\n" in part.text else "␣" if blank else ""
    return DisplayedPart(tag=tag, blank_symbol=symbol, text=part.text)


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
        sections=[_build_section(summary) for summary in summaries],
        confidence_level=CONFIDENCE_LEVEL,
        resamples=RESAMPLES,
        seed=seed,
    )


def _build_section(summary: CorrectionSummary) -> CorrectionsSection:
    answered = sorted(
        (story for story in summary.stories if story.corrections), key=lambda story: (-story.n_dropped, -story.n_marked)
    )
    return CorrectionsSection(
        **get_section_fields(summary.data),
        headlines=_list_headlines(summary),
        rule=capitalize_first(describe_usable_rule(summary)),
        counts=_describe_counts(summary),
        panels=_draw_panels(summary),
        measures=tuple(_build_measure_row(summary, name) for name in MEASURES),
        agreement=_build_agreement_rows(summary),
        stories=tuple(display_story(summary, story) for story in answered[:MAX_ENTRIES]),
        order=_describe_order(summary),
        remainder=format_remainder(len(answered), translate("stories")),
    )


def _list_headlines(summary: CorrectionSummary) -> tuple[Headline, ...]:
    verdicts = Counter(story.verdict for story in summary.stories)
    judged = sum(verdicts.values()) - verdicts[UNANSWERED]
    words, values = summary.pooled["wer"], summary.list_values("wer")
    return (
        Headline(
            translate("Usable stories"),
            translate("{part} of {whole}", part=verdicts[USABLE], whole=judged),
            format_share(verdicts[USABLE], judged),
        ),
        Headline(translate("Unusable"), str(verdicts[UNUSABLE]), format_share(verdicts[UNUSABLE], judged)),
        *(Headline(translate("Marked “{mark}”", mark=mark), str(count)) for mark, count in summary.marks.most_common()),
        *([Headline(translate("Tied"), str(verdicts[TIED]))] if verdicts[TIED] else []),
        *([Headline(translate("Not answered yet"), str(verdicts[UNANSWERED]))] if verdicts[UNANSWERED] else []),
        Headline(translate("Corrections"), str(len(summary.pairs))),
        Headline(translate("Left as it was"), format_percent(summary.unchanged)),
        *([Headline(translate("Mostly deleted"), str(summary.n_dropped))] if summary.n_dropped else []),
        Headline(
            translate("Words changed"),
            format_percent(words.value),
            details=(
                *describe_interval(words, confidence_level=CONFIDENCE_LEVEL, as_percent=True),
                translate("{corrections} together", corrections=format_count(len(summary.pairs), "correction")),
                *([translate("median: {share}", share=format_percent(float(np.median(values))))] if values else []),
            ),
        ),
    )


def _describe_order(summary: CorrectionSummary) -> str:
    """Which stories come first; empty where nothing was mostly deleted, and annotators marked none."""
    marks, said = ", ".join(sorted(summary.marks)), []
    if summary.n_dropped:
        said.append(translate("Stories of which somebody deleted most come first."))
    if marks and summary.n_dropped:
        said.append(translate("Those that annotators marked “{marks}” follow.", marks=marks))
    elif marks:
        said.append(
            translate(
                "Those that annotators marked “{marks}” come first, the others follow in their order.", marks=marks
            )
        )
    return " ".join(said)


def _draw_panels(summary: CorrectionSummary) -> tuple[str, ...]:
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
                simulated=simulated,
            )
        )
    return tuple(panels)


def _build_measure_row(summary: CorrectionSummary, name: str) -> TableRow:
    values, overall = summary.list_values(name), summary.pooled.get(name, summary.means[name])
    low, first, middle, third, high = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)) if values else [None] * 5
    return TableRow(
        head=translate(MEASURE_NAMES[name]),
        cells=(
            format_percent(overall.value), format_percent_interval(overall.low, overall.high), format_percent(middle),
            format_percent_interval(first, third), format_percent_interval(low, high), str(len(values)),
        ),
    )  # fmt: skip


def _build_agreement_rows(summary: CorrectionSummary) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(
            head=translate(AGREEMENT_NAMES[row.name]),
            cells=(
                format_percent(row.value), format_percent_interval(row.low, row.high),
                format_percent_interval(row.new_people_low, row.new_people_high), str(row.n_items), str(row.n_votes),
            ),
        )
        for row in summary.agreement
        if row.value is not None
    )  # fmt: skip


def _describe_counts(summary: CorrectionSummary) -> str:
    """How many answers count, by status, and how many are left out, by reason."""
    statuses = Counter(correction.status for correction in summary.corrections)
    counted = ", ".join(f"{translate(status)}: {count}" for status, count in sorted(statuses.items()))
    excluded = list_excluded(summary.data)
    words = translate("Answers that count: {counts}.", counts=counted or translate("none"))
    return words + (" " + translate("Left out: {reasons}.", reasons=excluded) if excluded else "")
