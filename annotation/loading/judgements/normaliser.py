"""Labels pass through one explicit normaliser, which reports what it changed and what it could not map."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from annotation.campaigns.project import LabelsSection


@dataclass(frozen=True)
class Normaliser:
    """Strips white space if asked to, then maps; counts every change as (raw, label) → number of votes."""

    section: LabelsSection
    changed: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, raw: str) -> str:
        """The label of a raw answer; an answer that the map does not name stays as it is."""
        stripped = raw.strip() if self.section.strip else raw
        label = self.section.map.get(stripped, stripped)
        if label != raw:
            self.changed[raw, label] += 1
        return label
