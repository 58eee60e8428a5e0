"""stories.json: how many texts were usable and why the others were not, how much was changed, how far people agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from aggregation import schema
from aggregation.agreement import Coefficient
from aggregation.agreement.estimates import mean_over_items
from aggregation.bootstrap import Draws
from aggregation.texts import text_agreement
from exports.cells import coefficient, rounded
from exports.evidence import excluded
from exports.sheets import Asked, Sheets
from exports.stories.corrections import STATUSES, Correction, corrections, original_of, questions, why_unusable
from exports.stories.edits import Edits

USABLE, UNUSABLE, TIED, OPEN = "usable", "unusable", "tied", "no answer"
RESAMPLES, LEVEL = 1000, 0.95

MEASURES: Mapping[str, Callable[[Edits], float]] = MappingProxyType(
    {
        "cer": lambda found: found.cer,
        "wer": lambda found: found.wer,
        "chrf": lambda found: found.chrf,
        "words_kept": lambda found: found.kept,
    }
)
_POOLED: Mapping[str, Callable[[Edits], tuple[int, int]]] = MappingProxyType(
    {
        "cer": lambda found: (found.characters, found.long_characters),
        "wer": lambda found: (found.words, found.long_words),
    }
)


@dataclass(frozen=True, kw_only=True)
class Story:
    """One text with all that people made of it; `verdict` is what more than half of the corrections and refusals say.

    Texts that were skipped, left empty or changed afterwards say nothing.
    """

    item_id: str
    group: str
    original: str
    corrections: tuple[Correction, ...]

    @property
    def verdict(self) -> str:
        """USABLE, UNUSABLE, TIED or, where nobody said anything, OPEN."""
        says = Counter(one.edits is not None for one in self.corrections if one.edits or one.status == UNUSABLE)
        if not says:
            return OPEN
        return TIED if says[True] == says[False] else USABLE if says[True] > says[False] else UNUSABLE

    @property
    def pairs(self) -> tuple[Correction, ...]:
        """The corrections that are a pair of texts."""
        return tuple(one for one in self.corrections if one.edits is not None)


@dataclass(frozen=True, kw_only=True, eq=False)
class Corrected:
    """One question of the type `edit`: every story of its data set, seen or not, and the numbers over them."""

    sheets: Sheets
    question: Asked
    stories: tuple[Story, ...]
    means: Mapping[str, Coefficient]
    agreement: tuple[Coefficient, ...]

    @property
    def answers(self) -> tuple[Correction, ...]:
        """All answers, by story and annotator."""
        return tuple(one for story in self.stories for one in story.corrections)

    @property
    def pairs(self) -> tuple[Correction, ...]:
        """The answers that are a pair of texts."""
        return tuple(one for one in self.answers if one.edits is not None)

    @property
    def unchanged(self) -> float | None:
        """The share of the pairs in which nothing was changed."""
        return fmean(one.status == "unchanged" for one in self.pairs) if self.pairs else None

    @property
    def reasons(self) -> list[tuple[str, int, float, int]]:
        """Why texts were unusable: reason, answers that give it, their share of all such answers, stories; most first.

        An answer can give several reasons, so the shares may add up to more than 1.
        """
        refused = [one for one in self.answers if one.status == UNUSABLE]
        given = [(reason, one.item_id) for one in refused for reason in one.reasons]
        counts = Counter(reason for reason, _ in given)
        stories = Counter(reason for reason, _ in set(given))
        ranked = sorted(counts, key=lambda reason: (-counts[reason], reason))
        return [(reason, counts[reason], counts[reason] / len(refused), stories[reason]) for reason in ranked]

    def values(self, measure: str) -> list[float]:
        """One measure of MEASURES over all pairs."""
        return [MEASURES[measure](one.edits) for one in self.pairs if one.edits is not None]


def corrected(every: Sequence[Sheets], *, seed: int = 0) -> tuple[Corrected, ...]:
    """One for each question of the type `edit`, in the order of the data sets."""
    return tuple(_corrected(sheets, question, seed=seed) for sheets in every for question in questions(sheets))


def _corrected(sheets: Sheets, question: Asked, *, seed: int) -> Corrected:
    of_items: dict[str, list[Correction]] = defaultdict(list)
    for one in corrections(sheets, question):
        of_items[one.item_id].append(one)
    items = sheets.data.items[["item_id", "group"]].itertuples(index=False)
    stories = tuple(
        Story(
            item_id=str(item),
            group=str(group),
            original=original_of(sheets, question, str(item)),
            corrections=tuple(of_items[str(item)]),
        )
        for item, group in items
    )
    draws = Draws(resamples=RESAMPLES, seed=seed, level=LEVEL)
    return Corrected(
        sheets=sheets,
        question=question,
        stories=stories,
        means={name: _mean(name, measure, stories, draws=draws) for name, measure in MEASURES.items()},
        agreement=_agreement(stories, draws=draws),
    )


def _mean(name: str, measure: Callable[[Edits], float], stories: Sequence[Story], *, draws: Draws) -> Coefficient:
    edited = [story for story in stories if story.pairs]
    values = [fmean(measure(one.edits) for one in story.pairs if one.edits) for story in edited]
    people = {one.annotator for story in edited for one in story.pairs}
    return mean_over_items(
        name,
        np.array(values, dtype=np.float64),
        groups=pd.Series([story.group for story in edited], dtype=object),
        counts=(sum(len(story.pairs) for story in edited), len(people)),
        draws=draws,
        how="mean over stories, each the mean of its corrections",
        undefined="Nobody corrected anything.",
    )


def _agreement(stories: Sequence[Story], *, draws: Draws) -> tuple[Coefficient, ...]:
    """How far several corrections of one story are from each other."""
    rows = [(one.item_id, one.annotator, one.corrected) for story in stories for one in story.pairs]
    index = pd.Index([story.item_id for story in stories], name="item")
    items = pd.DataFrame(
        {"group": [story.group for story in stories], "gold": None, "n_options": 2}, index=index, dtype=object
    )
    votes = schema.votes(pd.DataFrame(rows, columns=list(schema.COLUMNS)), items=items, classes=None)
    return text_agreement(votes, rule="verbatim", resamples=draws.resamples, seed=draws.seed, level=draws.level)


def told(found: Corrected) -> dict[str, Any]:
    """The object of one question in stories.json; shares and rates are fractions."""
    data, verdicts = found.sheets.data, Counter(story.verdict for story in found.stories)
    statuses = Counter(one.status for one in found.answers)
    return {
        "question": found.question.text,
        "simulated": data.simulated,
        "rule": rule(found),
        "counts": {
            "stories": len(found.stories),
            "stories_by_verdict": {name: verdicts[name] for name in (USABLE, UNUSABLE, TIED, OPEN)},
            "answers": len(found.answers),
            "answers_by_status": {name: statuses[name] for name in STATUSES},
            "annotators": len({one.annotator for one in found.answers}),
            "excluded": len(data.dropped()),
            "excluded_by_reason": excluded(data),
        },
        "unusable_reasons": [
            {"reason": reason, "answers": answers, "share": rounded(share), "stories": stories}
            for reason, answers, share, stories in found.reasons
        ],
        "edits": {name: _spread(found, name) for name in MEASURES},
        "unchanged": {"corrections": statuses["unchanged"], "share": rounded(found.unchanged)},
        "several": {
            "stories": sum(len(story.pairs) > 1 for story in found.stories),
            "agreement": [coefficient(row) for row in found.agreement],
        },
    }


def rule(found: Corrected) -> str:
    """What counts as usable, and where the reasons come from, in words."""
    name, conditions = found.question.name, found.question.show_if
    if not conditions:
        return f"A text is usable where “{name}” was answered."
    asked = " and ".join(f"“{earlier}” is {' or '.join(values)}" for earlier, values in conditions.items())
    whys = [one.name for one in why_unusable(found.sheets, found.question)]
    reasons = f"; the reasons are the answers to {', '.join(f'“{one}”' for one in whys)}" if whys else ""
    return f"“{name}” is asked where {asked}; any other answer there means unusable{reasons}."


def _spread(found: Corrected, name: str) -> dict[str, Any]:
    values, mean = found.values(name), found.means[name]
    places = ("min", "quartile_low", "median", "quartile_high", "max")
    quartiles = np.quantile(values, (0, 0.25, 0.5, 0.75, 1)).tolist() if values else (None,) * len(places)
    spread = dict(zip(places, quartiles, strict=True))
    whole = {} if name not in _POOLED else {"pooled": _over_all(found, _POOLED[name])}
    numbers = {key: rounded(value) for key, value in (spread | whole).items()}
    return {"n": len(values), **numbers, "mean": coefficient(mean)}


def _over_all(found: Corrected, parts: Callable[[Edits], tuple[int, int]]) -> float | None:
    """All edits over all lengths: long texts weigh more."""
    both = [parts(one.edits) for one in found.pairs if one.edits is not None]
    length = sum(long for _, long in both)
    return sum(edited for edited, _ in both) / length if length else None
