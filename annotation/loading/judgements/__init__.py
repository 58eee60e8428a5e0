"""The formats of vote files; each module reads one format and knows its usual columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from annotation.campaigns.project_file import VotesSection
from annotation.loading.judgements import delimited, human_response_bot, label_studio_csv, label_studio_json, toloka
from annotation.loading.judgements.raw_votes import RawVote


def read_raw_votes(path: Path, section: VotesSection) -> Iterator[RawVote]:
    """Read raw votes in file order; raises BadInput with the place of the row."""
    match section.format:
        case "toloka":
            return toloka.read_votes(path, section)
        case "crowd-kit":
            return delimited.read_crowd_kit_votes(path, section)
        case "csv":
            return delimited.read_csv_votes(path, section)
        case "human-response-bot":
            return human_response_bot.read_votes(path, section)
        case "label-studio":
            if path.suffix.lower() == ".json":
                return label_studio_json.read_votes(path, section)
            return label_studio_csv.read_votes(path, section)
