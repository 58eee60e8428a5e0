"""Additions to the instructions of a project while people work: a new version, which everybody reads before they go on.

The file of the project is not changed. A file that says what it said when it was loaded changes nothing when it is
loaded again; a changed one brings its own instructions, which `load` counts among the changed texts.
"""

from __future__ import annotations

from datetime import datetime

from sqlmodel import Session

from annotation.errors import BadInput, Where
from annotation.store import journal
from annotation.store.models import Project
from annotation.vocabulary import Event, TextKind
from annotation.workflow import text_versions
from annotation.workflow.lifecycle import freeze


def add_to_instructions(session: Session, *, project: Project, text: str, now: datetime) -> str:
    """Add a paragraph to the instructions and return the sha256 of the new version; after the start it is post hoc.

    Raises BadInput for an empty paragraph.
    """
    addition = text.strip()
    if not addition:
        raise BadInput("There is nothing in it.", where=Where(field="text"), remedy="Write a sentence.")
    session.refresh(project, with_for_update=True)
    instructions = f"{project.instructions}\n\n{addition}" if project.instructions else addition
    digests = text_versions.save_text_versions(session, {TextKind.INSTRUCTIONS: instructions}, now=now)
    digest = digests[TextKind.INSTRUCTIONS.value]
    project.instructions, project.instructions_sha256 = instructions, digest
    project.texts = (project.texts or {}) | digests
    freeze.add_post_hoc_change(project, what="an answer to all was added to the instructions", now=now)
    session.add(project)
    session.flush()
    data = {"texts": project.texts, "changed_texts": ["instructions"], "post_hoc": project.started_at is not None}
    journal.record_event(session, Event.PROJECT_CHANGED, now=now, project_id=project.id, data=data)
    return digest
