"""The content of texts: empty of words, repeated, copied from the item, or with a word that an organiser refuses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from aggregation.scoring import NORMALISATIONS, tokens
from annotation.campaigns.rules import TextRule
from annotation.workflow.quality.breaches import Breach, Scope, in_words

normalised = NORMALISATIONS["ukrainian"]
"""Apostrophes, case, blanks and stress marks do not count: as texts are compared everywhere else."""


def text(
    rule: TextRule,
    given: Mapping[str, str],
    *,
    earlier: Sequence[Mapping[str, str]] = (),
    shown: Collection[str] = (),
    refused: Collection[str] = (),
) -> Breach | None:
    """Whether one of the texts `given` (by question) breaks the rule.

    `earlier` are the person's texts on other items, `shown` the texts of the item, `refused` the words of the list.
    """
    for what in rule.refuses:
        for name, answer in given.items():
            others = [one[name] for one in earlier if name in one]
            if _refuses(what, answer, others=others, shown=shown, refused=refused):
                return Breach(words=in_words(rule, what), scope=Scope.ANSWER, consequence=rule.consequence)
    return None


def _refuses(
    what: str, answer: str, *, others: Collection[str], shown: Collection[str], refused: Collection[str]
) -> bool:
    if what == "empty":
        return not tokens(answer)
    if what == "words":
        return any(_holds(answer, word) for word in refused)
    return _among(answer, others if what == "repeated" else shown)


def _among(answer: str, others: Collection[str]) -> bool:
    plain = normalised(answer)
    return plain != "" and any(plain == normalised(one) for one in others)


def _holds(answer: str, word: str) -> bool:
    """Whether the words of `word` stand in the answer, whole and one after another."""
    wanted, said = tokens(normalised(word)), tokens(normalised(answer))
    return bool(wanted) and any(
        said[start : start + len(wanted)] == wanted for start in range(len(said) - len(wanted) + 1)
    )
