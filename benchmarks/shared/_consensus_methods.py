"""Every consensus method on a few votes; started as a program, in a process that cannot import the modules it is given.

It prints one JSON object: the label of each item by method, and the blocked modules that something tried to import.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import get_args

import pandas as pd

WORDS = {"a": "чорний кіт спить", "b": "чорний кіт сидить", "c": "чорний пес спить"}
"""What annotators wrote who chose these labels."""
POINTS = {"a": "1", "b": "2", "c": "3"}
"""What they are on a scale."""
VOTES = {"i1": "aaab", "i2": "bbbb", "i3": "abbb", "i4": "ccca", "i5": "cbcc", "i6": "aaca"}
"""The labels that four annotators chose, by item."""


@dataclass
class ImportBlocker:
    """A finder that lets nothing import some top-level modules, and remembers what was tried."""

    blocked: frozenset[str]
    tried: set[str] = field(default_factory=set)

    def find_spec(self, name: str, *_: object, **__: object) -> None:
        """Raise ModuleNotFoundError for a blocked module, and leave any other to the next finder."""
        top = name.partition(".")[0]
        if top in self.blocked:
            self.tried.add(top)
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def label_by_every_method() -> dict[str, list[str]]:
    """Return the labels of the items, in their order, by each method that labels items; others rank systems."""
    from aggregation.consensus.methods import RANKING_METHODS, Method, build_label_consensus, derive_anchors_and_skills
    from aggregation.schema import VOTE_COLUMNS, check_votes

    rows = [(item, f"p{number}", label) for item, said in VOTES.items() for number, label in enumerate(said)]
    labels: dict[str, list[str]] = {}
    for method in (one for one in get_args(Method) if one not in RANKING_METHODS):
        is_of_texts, is_of_points = method in {"rover", "closest"}, method in {"mean", "median"}
        written = WORDS if is_of_texts else POINTS if is_of_points else dict(zip("abc", "abc", strict=True))
        answers = [(item, person, written[label]) for item, person, label in rows]
        items = pd.DataFrame(
            {"group": list(VOTES), "gold": [written["a"], *[None] * 5], "n_options": 3},
            index=pd.Index(list(VOTES), dtype=object),
        )
        frame = pd.DataFrame(answers, columns=list(VOTE_COLUMNS), dtype=object)
        votes = check_votes(
            frame,
            items=items,
            classes=None if is_of_texts else tuple(written.values()),
            measurement_level="interval" if is_of_points else "nominal",
        )
        anchors, skills = derive_anchors_and_skills(votes, method=method)
        made = build_label_consensus(votes, method=method, ties="alphabetical", anchors=anchors, skills=skills)
        labels[method] = [str(label) for label in made.labels["label"].sort_index()]
    return labels


def main(blocked: Sequence[str]) -> None:
    """Print the labels as JSON, made without the blocked modules."""
    blocker = ImportBlocker(frozenset(blocked))
    sys.meta_path.insert(0, blocker)
    print(json.dumps({"labels": label_by_every_method(), "tried": sorted(blocker.tried)}))


if __name__ == "__main__":
    main(sys.argv[1:])
