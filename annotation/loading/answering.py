"""Raw votes become answers: labels normalised, every question's answer parsed, what cannot be taken refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation import files
from annotation.campaigns import project
from annotation.campaigns.questions import Choice, Choices, Material, Question, answers
from annotation.errors import BadInput
from annotation.loading.drafts import VoteDraft, cell
from annotation.loading.judgements.normaliser import Normaliser
from annotation.loading.judgements.raw import RawVote
from annotation.vocabulary import ABSTAINED

NO_ANSWER = "no answer"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How the votes of one file are read; `strange` collects labels that no option has, with count and first vote."""

    questions: Sequence[Question]
    section: project.VotesSection
    strange: dict[str, tuple[int, RawVote, tuple[str, ...]]] = field(default_factory=dict)

    def vote(self, raw: RawVote, *, item: str, material: Material, normalise: Normaliser) -> VoteDraft:
        """One vote on an item."""
        if self.section.answers and raw.excluded is not None and not self._says_anything(raw.row):
            return self._draft(raw, item=item, response="", given={})
        if self.section.answers:
            given = self._answers(raw.row, material, normalise)
            first = given.get(self.questions[0].name, "")
            return self._draft(raw, item=item, response=first, given=given)
        label = normalise(raw.answer)
        if not label.strip():
            return self._draft(raw, item=item, response="", given=None)
        question = self.questions[0]
        if isinstance(question, Choice):
            labels = question.labels_of(material.options)
            if label not in labels:
                times, first_raw, known = self.strange.get(label, (0, raw, labels))
                self.strange[label] = (times + 1, first_raw, known)
            return self._draft(raw, item=item, response=label, given=None)
        parsed = _parsed([question], {question.name: label}, material, raw.row)
        return self._draft(raw, item=item, response=parsed[question.name], given=None)

    def _draft(self, raw: RawVote, *, item: str, response: str, given: dict[str, str] | None) -> VoteDraft:
        first = self.questions[0]
        excluded = raw.excluded
        if excluded is None and not response and not given:
            excluded = NO_ANSWER
        if excluded is None and isinstance(first, Choice) and first.abstain is not None and response == first.abstain:
            excluded = ABSTAINED
        return VoteDraft(
            item=item,
            annotator=raw.annotator,
            response=response,
            raw=raw.answer,
            excluded=excluded,
            is_control=raw.is_control,
            origin=raw.row,
            answers=given,
            seconds=raw.seconds,
        )

    def _says_anything(self, row: files.Row) -> bool:
        return any(cell(row, column).strip() for column in self.section.answers.values())

    def _answers(self, row: files.Row, material: Material, normalise: Normaliser) -> dict[str, str]:
        raw: dict[str, object] = {}
        for question in self.questions:
            column = self.section.answers.get(question.name)
            text = "" if column is None else normalise(cell(row, column))
            if text.strip() or (isinstance(question, Choices) and column is not None):
                raw[question.name] = text or []
        if not any(raw.values()) and not all(isinstance(question, Choices) for question in self.questions):
            return {}
        return _parsed(self.questions, raw, material, row)

    def refuse_strange_labels(self) -> None:
        """Raise BadInput naming every label that no option has."""
        if not self.strange:
            return
        _, first, known = next(iter(self.strange.values()))
        named = ", ".join(f"{label!r} ({times} times)" for label, (times, _, _) in self.strange.items())
        raise BadInput(
            f"Labels that are not among the options ({', '.join(known)}): {named}.",
            where=first.row.where(),
            remedy="Map them under `votes.labels.map`, or add them to the options.",
        )


def _parsed(
    questions: Sequence[Question], raw: Mapping[str, object], material: Material, row: files.Row
) -> dict[str, str]:
    try:
        return answers.parsed(questions, raw, material)
    except BadInput as refusal:
        name = refusal.where.field if refusal.where else None
        raise BadInput(refusal.problem, where=row.where(name), remedy=refusal.remedy) from None
