"""The controls of Label Studio: one for each question type, found by the name of the type.

Each is a `ControlType`: it builds the XML of a question's control, reads what people did with it, and shows an answer.
They know nothing of servers and of the database, so that exports can be read without either.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.campaigns.questions import Question
from annotation.label_studio_controls.control_base import ControlType
from annotation.label_studio_controls.option_controls import (
    ChoiceControl,
    ChoicesControl,
    PreferenceControl,
    ScaleControl,
)
from annotation.label_studio_controls.span_control import SpanControl
from annotation.label_studio_controls.text_controls import EditControl, TextControl

CONTROLS: Mapping[str, ControlType[Any]] = {
    "choice": ChoiceControl(),
    "choices": ChoicesControl(),
    "scale": ScaleControl(),
    "text": TextControl(),
    "span": SpanControl(),
    "edit": EditControl(),
    "preference": PreferenceControl(),
}
"""The controls by the name of the question's type (`question.kind`)."""
CONTROLS_BY_VALUE: Mapping[str, ControlType[Any]] = {control.value_key: control for control in CONTROLS.values()}
"""One control by each `value_key`: those that share a key read what is under it alike."""


def get_control(question: Question) -> ControlType[Any]:
    """Return the control of a question."""
    return CONTROLS[question.kind]
