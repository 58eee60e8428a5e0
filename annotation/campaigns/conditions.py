"""Conditions on an item and its consensus, as `hromada derive --where` takes them: pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.campaigns.questions import Question
from annotation.campaigns.questions.base import as_json
from annotation.errors import BadInput, Where

_CONDITION = re.compile(r"\s*([^\s<>=!]+)\s*(<=|>=|!=|=|<|>)\s*(.*?)\s*", re.DOTALL)
FACTS = ("id", "group", "pool", "stratum", "tag", "gold", "votes", "confidence")
GOLD = "@gold"


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """What people agree on: one label or several boxes; none where they tie. `confidence` is the share behind it."""

    labels: tuple[str, ...]
    confidence: float
    votes: int


@dataclass(frozen=True, kw_only=True)
class Subject:
    """An item as conditions see it; `golds` and `agreed` by question, the first one's facts without a name too."""

    facts: Mapping[str, tuple[str, ...]]
    golds: Mapping[str, str] = field(default_factory=dict)
    agreed: Mapping[str, Agreed] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Condition:
    """`NAME SIGN VALUE`. A question's name stands for what people agree on; an empty value for nothing."""

    name: str
    sign: str
    value: str

    def holds(self, subject: Subject, questions: Sequence[Question]) -> bool:
        """Whether the item meets it. What people tie on, or did not answer, meets no condition on that question."""
        name, of = self.about(questions)
        if not name:
            return self._compares(self.value, subject.facts.get(self.name, ()))
        agreed = subject.agreed.get(name)
        if agreed is None:
            return of == "votes" and self._measures(0.0)
        if of:
            measures = {"confidence": agreed.confidence, "votes": agreed.votes, "count": len(agreed.labels)}
            return self._measures(measures[of])
        value = subject.golds.get(name, "") if self.value == GOLD else self.value
        return self._compares(value, agreed.labels)

    def about(self, questions: Sequence[Question]) -> tuple[str, str]:
        """The question that it speaks of, empty for a fact of the item, and the measure, empty for what is agreed on.

        `votes` and `confidence` alone are those of the first question.
        """
        names = [question.name for question in questions]
        name, _, of = (self.name, "", "") if self.name in names else self.name.rpartition(".")
        return (names[0] if not name and of in {"votes", "confidence"} else name), of

    def _compares(self, value: str, having: Sequence[str]) -> bool:
        found = value in having if value else not any(having)
        return found == (self.sign == "=")

    def _measures(self, number: float) -> bool:
        limit = float(self.value)
        return {
            "=": number == limit, "!=": number != limit, "<": number < limit, "<=": number <= limit,
            ">": number > limit, ">=": number >= limit,
        }[self.sign]  # fmt: skip


def parsed(text: str, questions: Sequence[Question]) -> Condition:
    """A condition as typed; raises BadInput for anything that no item could meet or fail."""
    found = _CONDITION.fullmatch(text)
    names = [question.name for question in questions]
    known = [*names, *(f"{name}.{of}" for name in names for of in ("confidence", "votes", "count")), *FACTS]
    where = Where(field=f"--where {text}")
    if found is None:
        raise BadInput("This is no condition.", where=where, remedy="Write it like `answer = yes` or `votes >= 3`.")
    name, sign, value = found[1], found[2], found[3]
    if name not in known:
        raise BadInput(f"Nothing is named {name!r}.", where=where, remedy=f"There are: {', '.join(known)}.")
    numeric = name.rpartition(".")[2] in {"confidence", "votes", "count"} and name not in names
    if numeric and re.fullmatch(r"\d+(\.\d+)?", value) is None:
        raise BadInput(f"{value!r} is no number.", where=where, remedy="Write it like `votes >= 3`.")
    if not numeric and sign not in {"=", "!="}:
        raise BadInput("Words have no order.", where=where, remedy="Compare them with = or !=.")
    return Condition(name=name, sign=sign, value=value)


def agree(question: Question, stored: Sequence[str]) -> Agreed | None:
    """The majority of stored answers: of the labels, or of every box by itself; None for a tie and for no answers.

    The confidence of boxes is that of the least certain one.
    """
    if not stored:
        return None
    if question.kind == "choices":
        lists = [as_json(one) for one in stored]
        times = Counter(box for boxes in lists if isinstance(boxes, list) for box in boxes)
        kept = tuple(box for box, number in times.items() if number * 2 > len(stored))
        sure = min((max(number, len(stored) - number) for number in times.values()), default=len(stored))
        if any(number * 2 == len(stored) for number in times.values()):
            return None
        return Agreed(labels=tuple(sorted(kept)), confidence=sure / len(stored), votes=len(stored))
    ranked = Counter(stored).most_common()
    if len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
        return None
    return Agreed(labels=(ranked[0][0],), confidence=ranked[0][1] / len(stored), votes=len(stored))
