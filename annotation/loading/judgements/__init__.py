"""Votes as they come from other tools, as raw rows: one format a file, which names its usual columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation.campaigns.project import VotesSection
from annotation.loading.judgements import (
    crowd_kit,
    delimited,
    human_response_bot,
    label_studio_csv,
    label_studio_json,
    toloka,
)
from annotation.loading.judgements.raw import RawVote


def read(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Raw votes in file order; raises BadInput with the row's place."""
    match section.format:
        case "toloka":
            return toloka.read(path, section)
        case "crowd-kit":
            return crowd_kit.read(path, section)
        case "csv":
            return delimited.read(path, section)
        case "human-response-bot":
            return human_response_bot.read(path, section)
        case "label-studio":
            if path.suffix.lower() == ".json":
                return label_studio_json.read(path, section)
            return label_studio_csv.read(path, section)
