"""Worked examples on the card of a project, before its first item."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from annotation.campaigns.sections import Section, Text, as_list

Several = Annotated[tuple[Text, ...], BeforeValidator(as_list)]


class ExamplesSection(Section):
    """`examples:` answers to follow, and answers to avoid, each with its reason in the same line."""

    good: Several = ()
    bad: Several = ()
