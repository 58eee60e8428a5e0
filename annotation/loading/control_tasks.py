"""Control tasks in files of votes: their right answers become gold of the items."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from annotation.campaigns.project_file import LabelsSection, ProjectFile
from annotation.loading.drafts import ItemDraft
from annotation.loading.judgements.raw_votes import RawVote
from annotation.loading.vote_parser import LabelNormaliser
from annotation.vocabulary import Pool


@dataclass(frozen=True, kw_only=True)
class ControlGoldCollector:
    """Collects the right answers that come with votes.

    `golds` maps item, question and answer to the first vote with it; `ordinary` are the items with ordinary votes too.
    """

    definition: ProjectFile
    golds: dict[str, dict[str, dict[str, RawVote]]] = field(default_factory=lambda: defaultdict(dict))
    ordinary: set[str] = field(default_factory=set)

    def add_vote(self, item: str, raw: RawVote) -> None:
        """Add a vote on an item."""
        if not raw.is_control:
            self.ordinary.add(item)
        if not raw.golden:
            return
        votes = self.definition.votes
        normalise = LabelNormaliser(votes.labels if votes else LabelsSection())
        questions = {column: name for name, column in (votes.answers if votes else {}).items()}
        for column, text in raw.golden.items():
            name = questions.get(column, self.definition.all_questions[0].name)
            self.golds[item].setdefault(name, {}).setdefault(normalise(text), raw)

    def build_items(self, drafts: Iterable[ItemDraft]) -> tuple[ItemDraft, ...]:
        """Return the items with their gold, the main ones first.

        Items without ordinary votes are in the control pool. Further right answers to the first question are accepted.
        """
        items = [self._build_item(draft) for draft in drafts]
        return tuple(sorted(items, key=lambda item: item.pool is Pool.CONTROL))

    def _build_item(self, draft: ItemDraft) -> ItemDraft:
        known = self.golds.get(draft.external_id)
        if not known:
            return draft
        first = self.definition.all_questions[0].name
        golds = {name: next(iter(answers)) for name, answers in known.items()}
        pool = Pool.MAIN if draft.external_id in self.ordinary else Pool.CONTROL
        accepted = tuple(known.get(first, {}))[1:]
        origin = next(iter(next(iter(known.values())).values())).row
        return draft._replace(gold=golds.get(first), golds=golds, accepted=accepted, pool=pool, origin=origin)
