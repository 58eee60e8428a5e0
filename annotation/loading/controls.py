"""Control tasks in a file of votes: items that are there to judge people by, with the right answers that came along."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from annotation.campaigns.project import LabelsSection, ProjectFile
from annotation.loading.drafts import ItemDraft
from annotation.loading.judgements.normaliser import Normaliser
from annotation.loading.judgements.raw import RawVote
from annotation.vocabulary import Pool


@dataclass(frozen=True, kw_only=True)
class Golden:
    """Collects the right answers of items by question, each with the vote that it came with, and the items that had
    an ordinary vote too."""

    definition: ProjectFile
    found: dict[str, dict[str, dict[str, RawVote]]] = field(default_factory=lambda: defaultdict(dict))
    ordinary: set[str] = field(default_factory=set)

    def note(self, item: str, raw: RawVote) -> None:
        """One vote on an item."""
        if not raw.is_control:
            self.ordinary.add(item)
        votes = self.definition.votes
        normalise = Normaliser(votes.labels if votes else LabelsSection())
        questions = {column: name for name, column in (votes.answers if votes else {}).items()}
        for column, text in raw.golden.items():
            name = questions.get(column, self.definition.asked[0].name)
            self.found[item].setdefault(name, {}).setdefault(normalise(text), raw)

    def items(self, drafts: Iterable[ItemDraft]) -> tuple[ItemDraft, ...]:
        """The items with their gold, the main ones first. Who was only ever asked as a control is in that pool; of
        several right answers to the first question the others are accepted too."""
        made = [self._item(draft) for draft in drafts]
        return tuple(sorted(made, key=lambda item: item.pool is Pool.CONTROL))

    def _item(self, draft: ItemDraft) -> ItemDraft:
        known = self.found.get(draft.external_id)
        if not known:
            return draft
        first = self.definition.asked[0].name
        golds = {name: next(iter(answers)) for name, answers in known.items()}
        pool = Pool.MAIN if draft.external_id in self.ordinary else Pool.CONTROL
        accepted = tuple(known.get(first, {}))[1:]
        origin = next(iter(next(iter(known.values())).values())).row
        return replace(draft, gold=golds.get(first), golds=golds, accepted=accepted, pool=pool, origin=origin)
