"""The append-only table of events."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field

from annotation.store.models.base import Moment, Row


class Journal(Row, table=True):
    """The append-only table of events (`vocabulary.Event`; no check, so that a new event needs no migration).

    `data` never holds an identity.
    """

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_type=Moment)
    event: str = Field(max_length=32)
    project_id: int | None = Field(default=None, foreign_key="project.id")
    annotator_id: int | None = Field(default=None, foreign_key="annotator.id")
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
