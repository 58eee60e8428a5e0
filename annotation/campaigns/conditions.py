"""Conditions on items and their consensus, as in `hromada follow-up --where`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aggregation import spelling
from aggregation.scoring import normalise_answer
from annotation.campaigns.questions import Question
from annotation.campaigns.questions.question_base import ItemConsensus
from annotation.errors import BadInput, Where

_CONDITION = re.compile(r"\s*([^\s<>=!]+)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*", re.DOTALL)
_MEASURES = frozenset({"votes", "confidence", "count"})
"""The numbers of a consensus that a condition can test, written as `QUESTION.votes` and so on."""
FACT_NAMES = ("id", "group", "pool", "stratum", "tag", "gold", "votes", "confidence")
"""The names in conditions that are no questions: facts of an item, and votes and confidence of the first question."""
GOLD_PLACEHOLDER = "@gold"
"""The value of a condition that stands for the item's gold."""


@dataclass(frozen=True, kw_only=True)
class ConditionFacts:
    """What conditions test of an item: facts by name, each with its values; gold and consensus by question name."""

    facts: Mapping[str, tuple[str, ...]]
    golds: Mapping[str, str] = field(default_factory=dict)
    consensus: Mapping[str, ItemConsensus] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Condition:
    """`NAME OPERATOR VALUE`. The name of a question means its consensus; an empty value means that there is none."""

    name: str
    operator: str
    value: str

    def is_met(self, item: ConditionFacts, questions: Sequence[Question]) -> bool:
        """Whether the item meets the condition. Without a consensus only conditions on its votes can be met."""
        question_name, measure = self.resolve_measure(questions)
        if not question_name:
            return self._matches_labels(self.value, item.facts.get(self.name, ()))
        consensus = item.consensus.get(question_name)
        if consensus is None:
            return measure == "votes" and self._matches_number(0.0)
        if measure:
            measures = {"confidence": consensus.confidence, "votes": consensus.votes, "count": len(consensus.labels)}
            return self._matches_number(measures[measure])
        value = item.golds.get(question_name, "") if self.value == GOLD_PLACEHOLDER else self.value
        rule = next(question.normalisation for question in questions if question.name == question_name)
        return self._matches_labels(
            normalise_answer(rule, value), [normalise_answer(rule, label) for label in consensus.labels]
        )

    def resolve_measure(self, questions: Sequence[Question]) -> tuple[str, str]:
        """Return the question's name, empty for a fact of the item, and the measure, empty for the consensus itself.

        `votes` and `confidence` without a question are those of the first question.
        """
        names = [question.name for question in questions]
        name, _, measure = (self.name, "", "") if self.name in names else self.name.rpartition(".")
        return (names[0] if not name and measure in {"votes", "confidence"} else name), measure

    def _matches_labels(self, value: str, labels: Sequence[str]) -> bool:
        matches = spelling.find_name(value, labels) is not None if value else not any(labels)
        return matches == (self.operator == "=")

    def _matches_number(self, number: float) -> bool:
        limit = float(self.value)
        return {
            "=": number == limit, "!=": number != limit, "<": number < limit, "<=": number <= limit,
            ">": number > limit, ">=": number >= limit,
        }[self.operator]  # fmt: skip


def _list_names(written: str, names: Sequence[str]) -> str:
    similar = spelling.find_similar(written, names)
    return (f"Did you mean {similar}? " if similar else "") + f"There are: {spelling.join_first(names)}."


def parse_condition(text: str, questions: Sequence[Question], *, names: Sequence[str] = FACT_NAMES) -> Condition:
    """Parse a condition on questions and the facts in `names`.

    Raises BadInput for an unknown name, or an operator or value that does not fit it.
    """
    match = _CONDITION.fullmatch(text)
    question_names = [question.name for question in questions]
    measures = [
        f"{question_name}.{measure}" for question_name in question_names for measure in ("confidence", "votes", "count")
    ]
    known_names = [*question_names, *measures, *names]
    where = Where(field=f"--where {text}")
    if match is None:
        raise BadInput("Invalid condition.", where=where, remedy="Write, for example, `answer = yes` or `votes >= 3`.")
    name, operator, value = match[1], match[2], match[3]
    if name not in known_names:
        raise BadInput(f"Unknown name {name!r}.", where=where, remedy=_list_names(name, known_names))
    is_numeric = name.rpartition(".")[2] in _MEASURES and name not in question_names
    if is_numeric and re.fullmatch(r"\d+(\.\d+)?", value) is None:
        raise BadInput(f"{value!r} is not a number.", where=where, remedy="Write it like `votes >= 3`.")
    if not is_numeric and operator not in {"=", "!="}:
        raise BadInput("Text cannot be compared with < or >.", where=where, remedy="Use = or !=.")
    return Condition(name=name, operator=operator, value=value)
