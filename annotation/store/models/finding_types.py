"""Columns of findings: stored are code and arguments, or the words of a person, never a sentence of hromada."""

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from aggregation.findings import read_plain, write_plain


class FindingText(sa.TypeDecorator[str]):
    """A finding, or words of a person, as JSON text with sorted keys: equal texts are equal in the database too."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The JSON text to store."""
        return None if value is None else json.dumps(write_plain(value), ensure_ascii=False, sort_keys=True)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        """The finding, or the words."""
        return None if value is None else _read_text(value)


class FindingList(sa.TypeDecorator[list[str]]):
    """A list of findings in a column of JSON."""

    impl = sa.JSON(none_as_null=True)
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, dialect: sa.Dialect) -> Any:  # noqa: ARG002
        """The list to store."""
        return None if value is None else [write_plain(text) for text in value]

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> list[str] | None:  # noqa: ARG002
        """The findings."""
        return None if value is None else [read_plain(stored) for stored in value]


@lru_cache(maxsize=4096)
def _read_text(stored: str) -> str:
    return read_plain(json.loads(stored))
