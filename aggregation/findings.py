"""What was found, as a code with arguments: why a number is missing or doubtful, why an answer does not count.

`findings.json` has the sentence of each code, by what it is about. Tables and JSON print it in English, which is the
value of the string; pages translate the code with its arguments (`exports.pages.localization.show_finding`), and
databases and raw files store both. Text that people wrote, and data, are never findings.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

FINDINGS: Mapping[str, str] = {
    code: sentence
    for group in json.loads(Path(__file__).with_suffix(".json").read_bytes()).values()
    for code, sentence in group.items()
}
"""The English sentence of each code, with its arguments in braces; it is the msgid in `exports/pages/languages`."""
Argument: TypeAlias = "int | float | str"
"""A number, which pages write as their language does; a text of the data, which nobody translates; or a finding, such
as the name of a method, which is translated in its turn.
"""


class Finding(str):
    """A finding: as a string its English text, with `code`, a key of FINDINGS, and `arguments` by name.

    Raises KeyError for an unknown code or a missing argument.
    """

    code: str
    arguments: Mapping[str, Argument]

    def __new__(cls, code: str, /, **arguments: Argument) -> Finding:
        finding = super().__new__(cls, FINDINGS[code].format(**arguments))
        finding.code, finding.arguments = code, MappingProxyType(arguments)
        return finding

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles keep code and arguments."""
        return read_plain, (write_plain(self),)


def write_plain(text: str) -> dict[str, Any]:
    """What is stored of a text: code and arguments of a finding, or the words of a person."""
    if not isinstance(text, Finding):
        return {"words": text}
    arguments = {
        name: write_plain(value) if isinstance(value, Finding) else value for name, value in text.arguments.items()
    }
    return {"code": text.code, "arguments": arguments}


def read_plain(stored: Mapping[str, Any] | str) -> str:
    """The text that `write_plain` stored; a text, stored before there were codes, is itself.

    Raises KeyError for anything else, and for an unknown code.
    """
    if isinstance(stored, str):
        return stored
    if "words" in stored:
        return str(stored["words"])
    arguments = {
        name: read_plain(value) if isinstance(value, Mapping) else value for name, value in stored["arguments"].items()
    }
    return Finding(stored["code"], **arguments)


def get_code(text: str | None) -> str:
    """The code of a finding; empty for any other text."""
    return text.code if isinstance(text, Finding) else ""


def join_findings(*texts: str) -> str:
    """Several sentences as one text, without those that are empty."""
    joined, *others = [text for text in texts if text] or [""]
    for other in others:
        joined = Finding("both", first=joined, second=other)
    return joined


def split_findings(text: str) -> tuple[str, ...]:
    """The sentences that `join_findings` joined; none of an empty text."""
    if isinstance(text, Finding) and text.code == "both":
        parts = (part for part in text.arguments.values() if isinstance(part, str))
        return tuple(one for part in parts for one in split_findings(part))
    return (text,) if text else ()


def name_figure(text: object) -> Finding:
    """A text of nothing but numbers and their signs, which pages write as their language does: ".90-.99", "< 50%"."""
    return Finding("figure", text=str(text))


def name_coverage(text: str) -> Finding:
    """How often intervals cover, as tables write it: ".90-.99" or ".41"; pages write 90–99 % and 41 %."""
    return Finding("coverage", text=text)
