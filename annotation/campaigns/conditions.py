"""Conditions on items and their consensus, as in `hromada follow-up --where`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.campaigns.questions import Question
from annotation.campaigns.questions.question_base import decode_json
from annotation.errors import BadInput, Where

_CONDITION = re.compile(r"\s*([^\s<>=!]+)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*", re.DOTALL)
FACTS = ("id", "group", "pool", "stratum", "tag", "gold", "votes", "confidence")
GOLD = "@gold"


@dataclass(frozen=True, kw_only=True)
class ItemConsensus:
    """The consensus on a question: one label or several boxes; `confidence` is the share of votes for it."""

    labels: tuple[str, ...]
    confidence: float
    votes: int


@dataclass(frozen=True, kw_only=True)
class ConditionFacts:
    """The facts of an item that conditions test; `golds` and `consensus` are by question name."""

    facts: Mapping[str, tuple[str, ...]]
    golds: Mapping[str, str] = field(default_factory=dict)
    consensus: Mapping[str, ItemConsensus] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Condition:
    """`NAME OPERATOR VALUE`. The name of a question stands for its consensus; an empty value for no answer."""

    name: str
    operator: str
    value: str

    def is_met(self, subject: ConditionFacts, questions: Sequence[Question]) -> bool:
        """Whether the item meets the condition. Without a consensus no condition on the question is met."""
        name, measure = self.resolve_measure(questions)
        if not name:
            return self._matches_labels(self.value, subject.facts.get(self.name, ()))
        consensus = subject.consensus.get(name)
        if consensus is None:
            return measure == "votes" and self._matches_number(0.0)
        if measure:
            measures = {"confidence": consensus.confidence, "votes": consensus.votes, "count": len(consensus.labels)}
            return self._matches_number(measures[measure])
        value = subject.golds.get(name, "") if self.value == GOLD else self.value
        return self._matches_labels(value, consensus.labels)

    def resolve_measure(self, questions: Sequence[Question]) -> tuple[str, str]:
        """Return the question, empty for a fact of the item, and the measure, empty for the consensus itself.

        `votes` and `confidence` without a question are those of the first question.
        """
        names = [question.name for question in questions]
        name, _, measure = (self.name, "", "") if self.name in names else self.name.rpartition(".")
        return (names[0] if not name and measure in {"votes", "confidence"} else name), measure

    def _matches_labels(self, value: str, labels: Sequence[str]) -> bool:
        matches = value in labels if value else not any(labels)
        return matches == (self.operator == "=")

    def _matches_number(self, number: float) -> bool:
        limit = float(self.value)
        return {
            "=": number == limit, "!=": number != limit, "<": number < limit, "<=": number <= limit,
            ">": number > limit, ">=": number >= limit,
        }[self.operator]  # fmt: skip


def parse_condition(text: str, questions: Sequence[Question]) -> Condition:
    """Parse a condition; raises BadInput for an unknown name, or an operator or value that does not fit it."""
    match = _CONDITION.fullmatch(text)
    names = [question.name for question in questions]
    known = [*names, *(f"{name}.{measure}" for name in names for measure in ("confidence", "votes", "count")), *FACTS]
    where = Where(field=f"--where {text}")
    if match is None:
        raise BadInput("This is no condition.", where=where, remedy="Write it like `answer = yes` or `votes >= 3`.")
    name, sign, value = match[1], match[2], match[3]
    if name not in known:
        raise BadInput(f"Nothing is named {name!r}.", where=where, remedy=f"There are: {', '.join(known)}.")
    numeric = name.rpartition(".")[2] in {"confidence", "votes", "count"} and name not in names
    if numeric and re.fullmatch(r"\d+(\.\d+)?", value) is None:
        raise BadInput(f"{value!r} is no number.", where=where, remedy="Write it like `votes >= 3`.")
    if not numeric and sign not in {"=", "!="}:
        raise BadInput("Words have no order.", where=where, remedy="Compare them with = or !=.")
    return Condition(name=name, operator=sign, value=value)


def compute_consensus(question: Question, answers: Sequence[str]) -> ItemConsensus | None:
    """Compute the majority of stored answers: of the labels, or of every box; None for a tie and for no answers.

    The confidence of several boxes is that of the least certain one.
    """
    if not answers:
        return None
    if question.kind == "choices":
        lists = [decode_json(answer) for answer in answers]
        times = Counter(box for boxes in lists if isinstance(boxes, list) for box in boxes)
        kept = tuple(box for box, number in times.items() if number * 2 > len(answers))
        certain = min((max(number, len(answers) - number) for number in times.values()), default=len(answers))
        if any(number * 2 == len(answers) for number in times.values()):
            return None
        return ItemConsensus(labels=tuple(sorted(kept)), confidence=certain / len(answers), votes=len(answers))
    ranked = Counter(answers).most_common()
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return None
    return ItemConsensus(labels=(ranked[0][0],), confidence=ranked[0][1] / len(answers), votes=len(answers))
