"""Texts that people work by and agree to: every version is kept under its sha256."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from annotation import files
from annotation.campaigns import project as project_files
from annotation.campaigns import stimulus
from annotation.campaigns.people import ConsentSection
from annotation.store.models import Wording
from annotation.vocabulary import WordingKind


def of_project(campaign: project_files.Campaign) -> dict[WordingKind, str]:
    """The texts of a project that are there."""
    definition = campaign.definition
    found = {
        WordingKind.INSTRUCTIONS: campaign.instructions(),
        WordingKind.CONSENT: consent(definition.consent, file=campaign.file),
        WordingKind.WARNING: definition.content_warning or "",
    }
    return {kind: text for kind, text in found.items() if text}


def consent(section: ConsentSection | None, *, file: Path) -> str:
    """What people agree to, read beside the project or programme file that names it; empty where none is asked."""
    return "" if section is None else files.read_text(file.parent / section.file).strip()


def record(session: Session, texts: Mapping[WordingKind, str], *, now: datetime) -> dict[str, str]:
    """Keep the texts; their sha256 by kind."""
    digests = {kind: stimulus.text_digest(text) for kind, text in texts.items()}
    for kind, digest in digests.items():
        if session.get(Wording, (digest, kind)) is None:
            session.add(Wording(sha256=digest, kind=kind, text=texts[kind], since=now))
    session.flush()
    return {kind.value: digest for kind, digest in digests.items()}
