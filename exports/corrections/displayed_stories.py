"""A story on the page: the original beside every correction, the changes marked, and what annotators said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from aggregation.text_difference import DiffPart, compute_difference, normalize_text
from exports.corrections.summary import CorrectedStory, CorrectionSummary
from exports.corrections.text_pairs import VERDICTS, Correction, list_mark_questions
from exports.pages.display_text import capitalize_first, format_count, format_percent
from exports.pages.reasons import translate_reason
from exports.pages.translation import translate

_TAGS = {"=": "", "-": "del", "+": "ins"}


class DisplayedPart(NamedTuple):
    """A part of a difference: its HTML tag, the symbol that makes a changed blank visible (else empty), its text."""

    tag: str
    blank_symbol: str
    text: str


@dataclass(frozen=True, kw_only=True)
class DisplayedCorrection:
    """One annotator's correction of a story; `notes` are (question, answer) of the other questions but the marks."""

    annotator: str
    language: str
    status: str
    change: str
    reasons: tuple[str, ...]
    parts: tuple[DisplayedPart, ...]
    notes: tuple[tuple[str, str], ...]
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class DisplayedStory:
    """A story with all its corrections."""

    item_id: str
    summary: str
    length: str
    original: str
    corrections: tuple[DisplayedCorrection, ...]


def display_story(summary: CorrectionSummary, story: CorrectedStory) -> DisplayedStory:
    """The story as the page shows it; corrections that were marked come first."""
    return DisplayedStory(
        item_id=story.item_id,
        summary=f"{capitalize_first(translate_reason(story.verdict))}; "
        + format_count(len(story.corrections), "answer"),
        length=format_count(len(story.original.split()), "word"),
        original=story.original,
        corrections=(
            *(
                _display_correction(summary, correction)
                for correction in sorted(story.corrections, key=lambda one: not one.marks)
            ),
            *_display_merged_text(summary, story),
        ),
    )


def _display_merged_text(summary: CorrectionSummary, story: CorrectedStory) -> tuple[DisplayedCorrection, ...]:
    """The text of an adjudicator, where it is none of the corrections; empty where there is none such."""
    decided = summary.responses.adjudicated.get(summary.question.name, {}).get(story.item_id)
    if decided is None or decided.gold is None or any(one.adjudicated == "gold" for one in story.corrections):
        return ()
    merged, published = normalize_text(decided.gold), VERDICTS["gold"]
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
    hidden = {*summary.question.show_if, *(one.name for one in list_mark_questions(summary.responses))}
    return DisplayedCorrection(
        annotator=correction.annotator,
        language=summary.data.language,
        status=", ".join(
            [
                translate_reason(correction.status),
                *([translate(VERDICTS[correction.adjudicated])] if correction.adjudicated else []),
            ]
        ),
        change=_describe_change(correction),
        reasons=correction.reasons,
        parts=tuple(map(_display_part, correction.parts)) if correction.status == "corrected" else (),
        marks=correction.marks,
        notes=tuple(
            (texts[name], ", ".join(labels)) for name, labels in answers.items() if labels and name not in hidden
        ),
    )


def _describe_change(correction: Correction) -> str:
    if correction.edits is None:
        return ""
    if correction.status == "unchanged":
        return translate("The text stays as it was.")
    words, characters = format_percent(correction.edits.wer), format_percent(correction.edits.cer)
    return translate("{words} of words, {characters} of characters changed", words=words, characters=characters)


def _display_part(part: DiffPart) -> DisplayedPart:
    """A part with its tag; a changed blank gets a symbol, since it shows neither underline nor strike-through."""
    tag = _TAGS[part.sign]
    blank = bool(tag) and part.text.isspace()
    symbol = "¶" if blank and "\n" in part.text else "␣" if blank else ""
    return DisplayedPart(tag=tag, blank_symbol=symbol, text=part.text)
