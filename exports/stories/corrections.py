"""Every answer to a question of the type `edit` as a pair of texts, or with the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from exports import rows
from exports.sheets import Asked, Sheet, Sheets
from exports.stories.edits import Edits, Part, difference, edits, plain

STORIES: rows.Columns = MappingProxyType(
    {
        "dataset": "text", "question": "text", "item_id": "text", "item_revision": "whole", "group": "text",
        "annotator": "text", "status": "text", "reasons": "texts", "original": "text", "corrected": "text",
        "difference": "pairs", "cer": "number", "wer": "number", "chrf": "number", "words_kept": "number",
        "characters_changed": "whole", "words_changed": "whole", "seconds": "number", "other_answers": "object",
    }
)  # fmt: skip

Status = Literal["corrected", "unchanged", "unusable", "not answered", "skipped", "text changed"]
STATUSES: Mapping[Status, str] = MappingProxyType(
    {
        "corrected": "the text was changed",
        "unchanged": "the text was confirmed as it stood",
        "unusable": "an earlier answer said that there is nothing to correct; its reasons stand beside it",
        "not answered": "the question was asked and left empty",
        "skipped": "the item was skipped",
        "text changed": "the item was changed after the answer, so the text that was corrected is not known any more",
    }
)


@dataclass(frozen=True, kw_only=True)
class Correction:
    """What one person made of one text. `parts` and `edits` are there where `status` is corrected or unchanged.

    `reasons` are the labels that she gave for an unusable one, or why she skipped it; `others` what she answered to all
    other questions.
    """

    dataset: str
    question: str
    item_id: str
    item_revision: int
    group: str
    annotator: str
    status: Status
    original: str
    reasons: tuple[str, ...] = ()
    corrected: str | None = None
    parts: tuple[Part, ...] = ()
    edits: Edits | None = None
    seconds: float | None = None
    others: Mapping[str, str] = field(default_factory=dict)

    @property
    def row(self) -> rows.Row:
        """Its row, with the columns STORIES."""
        told = self.edits
        return {
            "dataset": self.dataset, "question": self.question, "item_id": self.item_id,
            "item_revision": self.item_revision, "group": self.group, "annotator": self.annotator,
            "status": self.status, "reasons": list(self.reasons), "original": self.original,
            "corrected": self.corrected, "difference": [list(part) for part in self.parts] if told else None,
            "cer": told and told.cer, "wer": told and told.wer, "chrf": told and told.chrf,
            "words_kept": told and told.kept, "characters_changed": told and told.characters,
            "words_changed": told and told.words, "seconds": self.seconds, "other_answers": dict(self.others),
        }  # fmt: skip


def questions(sheets: Sheets) -> tuple[Asked, ...]:
    """The questions that ask for a corrected text."""
    return tuple(one for one in sheets.questions if one.kind == "edit")


def why_unusable(sheets: Sheets, edit: Asked) -> tuple[Asked, ...]:
    """The questions for boxes or one option that are asked on those answers which leave the edit out."""
    return tuple(
        one
        for one in sheets.questions
        if one.kind in {"choice", "choices"}
        and any(
            name in edit.show_if and not set(values) & set(edit.show_if[name]) for name, values in one.show_if.items()
        )
    )


def original_of(sheets: Sheets, edit: Asked, item_id: str) -> str:
    """The text that is corrected, as texts are compared; empty where the item has none."""
    return plain(sheets.contents[item_id].fields.get(edit.field or "", ""))


def corrections(sheets: Sheets, edit: Asked) -> Iterator[Correction]:
    """One for each answer that counts, by item and annotator."""
    revisions = dict(zip(sheets.data.items["item_id"], sheets.data.items["item_revision"], strict=True))
    groups = dict(zip(sheets.data.items["item_id"], sheets.data.items["group"], strict=True))
    whys = why_unusable(sheets, edit)
    for sheet in sheets.counted():
        original = original_of(sheets, edit, sheet.item_id)
        said = sheet.answers.get(edit.name)
        status = _status(sheets, edit, sheet, original, known=sheet.item_revision == revisions[sheet.item_id])
        corrected = None if said is None else plain(said)
        pair = corrected is not None and status in {"corrected", "unchanged"}
        parts = difference(original, corrected) if pair and corrected is not None else ()
        yield Correction(
            dataset=sheets.data.name,
            question=edit.name,
            item_id=sheet.item_id,
            item_revision=sheet.item_revision,
            group=str(groups[sheet.item_id]),
            annotator=sheet.annotator,
            status=status,
            original=original,
            reasons=_reasons(sheets, whys, sheet, status=status),
            corrected=corrected,
            parts=parts,
            edits=edits(original, corrected, parts) if pair and corrected is not None else None,
            seconds=sheet.seconds,
            others=_others(sheets, (edit, *whys), sheet),
        )


def _status(sheets: Sheets, edit: Asked, sheet: Sheet, original: str, *, known: bool) -> Status:
    said = sheet.answers.get(edit.name)
    if said is not None:
        return "text changed" if not known else "unchanged" if plain(said) == original else "corrected"
    if sheet.skip_reason is not None:
        return "skipped"
    return "not answered" if sheets.was_asked(edit.name, sheet.answers) else "unusable"


def _reasons(sheets: Sheets, whys: Sequence[Asked], sheet: Sheet, *, status: Status) -> tuple[str, ...]:
    if status == "skipped":
        return (str(sheet.skip_reason),)
    if status != "unusable":
        return ()
    return tuple(label for one in whys for label in sheets.labels(one.name, sheet.answers))


def _others(sheets: Sheets, told: Sequence[Asked], sheet: Sheet) -> dict[str, str]:
    """The answers to all other questions, as stored, in their order."""
    names = {one.name for one in told}
    return {
        one.name: sheet.answers[one.name]
        for one in sheets.questions
        if one.name in sheet.answers and one.name not in names
    }
