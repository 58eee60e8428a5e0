"""Models of the responses of Label Studio that we read; those of its SDK are not validated, and differ by call."""

from __future__ import annotations

from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, field_validator


class _ServerModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class RemoteProject(_ServerModel):
    """A project on the server."""

    id: int
    title: str = ""
    description: str | None = None
    label_config: str = ""
    expert_instruction: str | None = None
    enable_empty_annotation: bool = True
    task_number: int | None = None


class RemoteAnnotation(_ServerModel):
    """An annotation of a task; `was_cancelled` is a skip, `completed_by` the number of the account."""

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
        """The number of the account; the server sends the whole account where a single task is requested."""
        return value.get("id") if isinstance(value, dict) else value

    @field_validator("result", mode="before")
    @classmethod
    def _regions(cls, value: Any) -> Any:
        return [] if value is None else value


class RemoteTask(_ServerModel):
    """A task on the server with its annotations; drafts are not read."""

    id: int
    data: dict[str, Any] = Field(default_factory=dict)
    updated_at: AwareDatetime
    annotations: list[RemoteAnnotation] = Field(default_factory=list)


class RemoteUser(_ServerModel):
    """An account on the server; its name is shown to organisers, and never stored."""

    id: int
    email: str = ""
    first_name: str = ""
    last_name: str = ""

    @property
    def name(self) -> str:
        """The full name, or the e-mail where there is none."""
        return f"{self.first_name} {self.last_name}".strip() or self.email


class RemoteWebhook(_ServerModel):
    """A webhook on the server."""

    id: int
    url: str = ""
