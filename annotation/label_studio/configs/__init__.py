"""The labelling configuration and the instructions of a project in Label Studio; pure functions."""

from annotation.label_studio.configs.label_config import render_instructions, render_label_config

__all__ = ["render_instructions", "render_label_config"]
