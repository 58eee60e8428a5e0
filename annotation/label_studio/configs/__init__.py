"""The labelling configuration and the instructions of a project in Label Studio; pure functions."""

from annotation.label_studio.configs.decision_config import (
    render_adjudication_config,
    render_decision_instructions,
    render_review_config,
)
from annotation.label_studio.configs.label_config import render_instructions, render_label_config

__all__ = [
    "render_adjudication_config",
    "render_decision_instructions",
    "render_instructions",
    "render_label_config",
    "render_review_config",
]
