"""A project definition as Label Studio's labelling configuration and instructions: pure functions."""

from annotation.label_studio.configs.instructions import instructions
from annotation.label_studio.configs.rendering import rendered

__all__ = ["instructions", "rendered"]
