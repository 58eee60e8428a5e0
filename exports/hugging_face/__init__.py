"""The folder `hugging_face`: a data set as the Hub and Croissant want it, with its items and people's answers."""

from __future__ import annotations

from exports.hugging_face.card import build_card, build_croissant, find_licence
from exports.hugging_face.data_files import (
    HUMAN_COLUMNS,
    DataFile,
    build_data_files,
    build_human_file,
)

__all__ = [
    "HUMAN_COLUMNS",
    "DataFile",
    "build_card",
    "build_croissant",
    "build_data_files",
    "build_human_file",
    "find_licence",
]
