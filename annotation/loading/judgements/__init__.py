"""The formats of vote files; each module reads one format and knows its usual columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation.campaigns.project_file import VotesSection
from annotation.loading.judgements import label_studio_json, label_studio_values, other_tools
from annotation.loading.judgements.other_tools import RawVote


def read_raw_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read raw votes in file order; raises BadInput with the place of the row."""
    match section.format:
        case "toloka":
            return other_tools.read_toloka_votes(path, section)
        case "crowd-kit":
            return other_tools.read_crowd_kit_votes(path, section)
        case "csv":
            return other_tools.read_csv_votes(path, section)
        case "human-response-bot":
            return other_tools.read_bot_votes(path, section)
        case "label-studio":
            if path.suffix.lower() == ".json":
                return label_studio_json.read_votes(path, section)
            return label_studio_values.read_votes(path, section)
