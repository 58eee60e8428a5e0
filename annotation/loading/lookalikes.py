"""Names in a campaign's files that look alike and are different: ids of items, options, annotators of votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from aggregation import spelling
from annotation.campaigns.questions import ChoiceQuestion, ChoicesQuestion, Question, ScaleQuestion
from annotation.loading.drafts import VoteDraft


def describe_items(ids: Iterable[str], questions: Sequence[Question]) -> Iterator[str]:
    """Yield a sentence about item ids that look alike, and one about the options of each question that do."""
    yield from spelling.describe_lookalikes("item ids", ids)
    for question in questions:
        if isinstance(question, ChoiceQuestion | ChoicesQuestion | ScaleQuestion):
            yield from spelling.describe_lookalikes(f"options of «{question.text}»", question.options or ())


def describe_votes(votes: Iterable[VoteDraft]) -> Iterator[str]:
    """Yield a sentence about annotators in a file of votes whose names look alike."""
    yield from spelling.describe_lookalikes("annotators", (vote.annotator for vote in votes))
