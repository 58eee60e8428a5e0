"""What goes between Telegram and the bot: where each conversation stands."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlmodel import Field, SQLModel

from annotation.store.models.base import Moment


class Talk(SQLModel, table=True):
    """Where a person's conversation stands, beside the item in her hands: what is asked of her, and what she has said
    so far; `data` is that step's own.
    """

    annotator_id: int = Field(foreign_key="annotator.id", primary_key=True)
    step: str = Field(max_length=32)
    data: dict[str, Any] = Field(default_factory=dict, sa_type=sa.JSON)
    at: datetime = Field(sa_type=Moment)
