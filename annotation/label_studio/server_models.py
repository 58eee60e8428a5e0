"""Models of the responses of Label Studio that we read; those of its SDK are not validated, and differ by call."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

UNREADABLE_REASON = "The annotation is in a form that is not known"
"""Why an annotation is no answer that does not fit its model."""
UNSTORABLE_REASON = "It holds a character that cannot be stored (NUL, or half a character)"
"""Why an annotation is no answer that holds what no database stores as text."""


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
    """An annotation of a task; `was_cancelled` is a skip, `completed_by` the number of the account.

    `problem` is why it cannot be an answer, whatever is asked; then `result` is empty.
    """

    id: int
    completed_by: int | None = None
    result: list[dict[str, Any]] = Field(default_factory=list)
    was_cancelled: bool = False
    lead_time: Annotated[float, Field(allow_inf_nan=False)] | None = None
    problem: str | None = None
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

    @field_validator("annotations", mode="before")
    @classmethod
    def _read_annotations(cls, value: Any, info: ValidationInfo) -> Any:
        """The annotations, each read alone: one that cannot be read does not stop the others."""
        if not isinstance(value, list) or "updated_at" not in info.data:
            return value
        return [_read_annotation(annotation, changed_at=info.data["updated_at"]) for annotation in value]


def _read_annotation(value: Any, *, changed_at: datetime) -> Any:
    """The annotation, or what identifies it with its problem; unchanged where not even its id can be read."""
    identity = value if isinstance(value, dict) else {}
    try:
        annotation = RemoteAnnotation.model_validate({**identity, "problem": None})
    except ValidationError:
        problem = UNREADABLE_REASON
    else:
        if _is_storable(annotation.result):
            return annotation
        problem = UNSTORABLE_REASON
    times = {"created_at": changed_at, "updated_at": changed_at}
    kept = {name: identity[name] for name in ("id", "completed_by") if name in identity}
    return {**kept, **times, "problem": problem}


def _is_storable(value: Any) -> bool:
    """Whether all texts in a JSON value can be stored by a database."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, dict):
        return all(_is_storable(key) and _is_storable(inner) for key, inner in value.items())
    return not isinstance(value, list) or all(map(_is_storable, value))


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
