"""Versions of the texts that annotators read or agree to (instructions, consent, warning), each kept by its sha256."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from sqlmodel import Session

from annotation import input_files
from annotation.campaigns import project_file, stimulus
from annotation.campaigns.sections.annotators import ConsentSection
from annotation.store.models import TextVersion
from annotation.vocabulary import TextKind


def read_project_texts(campaign: project_file.CheckedProject) -> dict[TextKind, str]:
    """The texts of a project by kind, without empty ones."""
    definition = campaign.definition
    texts = {
        TextKind.INSTRUCTIONS: campaign.read_instructions(),
        TextKind.CONSENT: read_consent_text(definition.consent, file=campaign.path),
        TextKind.WARNING: definition.content_warning or "",
    }
    return {kind: text for kind, text in texts.items() if text}


def read_consent_text(section: ConsentSection | None, *, file: Path) -> str:
    """The consent text, read beside the project or programme file that names it; empty where there is none."""
    return "" if section is None else input_files.read_text(file.parent / section.file).strip()


def save_text_versions(session: Session, texts: Mapping[TextKind, str], *, now: datetime) -> dict[str, str]:
    """Store those of the texts that are not stored yet; return the sha256 of every text, by the value of its kind."""
    digests = {kind: stimulus.compute_text_digest(text) for kind, text in texts.items()}
    for kind, digest in digests.items():
        if session.get(TextVersion, (digest, kind)) is None:
            session.add(TextVersion(sha256=digest, kind=kind, text=texts[kind], since=now))
    session.flush()
    return {kind.value: digest for kind, digest in digests.items()}
