"""What is read of Label Studio's answers, in our own models: those of its SDK are not validated, and differ by call."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator


class _Read(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class RemoteProject(_Read):
    """A project there."""

    id: int
    title: str = ""
    description: str | None = None
    label_config: str = ""
    expert_instruction: str | None = None
    task_number: int | None = None


class RemoteAnnotation(_Read):
    """What one account said of a task; `was_cancelled` is a skip. `completed_by` is the account's number."""

    id: int
    completed_by: int | None = None
    result: list[dict[str, Any]] = Field(default_factory=list)
    was_cancelled: bool = False
    lead_time: float | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime

    @field_validator("completed_by", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        """A number in lists, the whole user where one task is asked for."""
        return value.get("id") if isinstance(value, dict) else value

    @field_validator("result", mode="before")
    @classmethod
    def _regions(cls, value: Any) -> Any:
        return [] if value is None else value


class RemoteTask(_Read):
    """A task there, with all its annotations; drafts are nobody's answers and are not read."""

    id: int
    data: dict[str, Any] = Field(default_factory=dict)
    updated_at: AwareDatetime
    annotations: list[RemoteAnnotation] = Field(default_factory=list)


class RemoteUser(_Read):
    """An account there; its name is shown to organisers, and never stored."""

    id: int
    email: str = ""
    first_name: str = ""
    last_name: str = ""

    @property
    def name(self) -> str:
        """As people call it."""
        return f"{self.first_name} {self.last_name}".strip() or self.email


class RemoteWebhook(_Read):
    """A webhook there."""

    id: int
    url: str = ""
