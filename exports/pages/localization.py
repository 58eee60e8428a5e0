"""The languages of pages: English is the text in the code and templates, `languages/uk.po` has its Ukrainian (gettext).

A page is made inside `use_language`; whatever calls `translate` on the way speaks that language. Outside of it, as in
the terminal and in the files for machines, the text is English.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from aggregation.findings import FINDINGS, Finding, split_findings

LANGUAGES = ("en", "uk")
"""The languages of pages for organisers and readers, the first being that of the text in the code."""
CATALOGUES = Path(__file__).parent / "languages"
NO_BREAK_SPACE = "\u00a0"

_language: ContextVar[str] = ContextVar("language", default=LANGUAGES[0])


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Make `translate` speak this language, one of LANGUAGES, until the end of the block."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def get_language() -> str:
    """The language that `translate` speaks now."""
    return _language.get()


def translate(text: str, /, **values: object) -> str:
    """The text in the language of the page, with `{name}` replaced by the value of that name."""
    translated = load_catalogue(get_language()).gettext(text)
    return translated.format(**values) if values else translated


def translate_count(one: str, many: str, number: int, /, **values: object) -> str:
    """The form of a text that goes with a number, its `{n}`: in English `one` or `many`, in Ukrainian one of three."""
    translated = load_catalogue(get_language()).ngettext(one, many, number)
    return translated.format(n=number, **values)


def show_finding(text: str) -> str:
    """A finding in the language of the page, with its numbers; any other text is data, or words of a person, as it is.

    How often intervals cover is in percent. Findings among the arguments are translated in their turn.
    """
    if not isinstance(text, Finding):
        return str(text)
    if text.code == "coverage":
        return localize_number(re.sub(r"\.(\d\d)(?:-\.(\d\d))?", _write_percents, str(text)))
    if text.code == "figure":
        return localize_number(str(text))
    return translate(FINDINGS[text.code], **{name: _localize(value) for name, value in text.arguments.items()})


def _write_percents(shares: re.Match[str]) -> str:
    """Shares as tables write them, .90-.99, as percents: 90–99 %."""
    return "–".join(share.lstrip("0") or "0" for share in shares.groups() if share) + " %"


def show_findings(texts: Iterable[str]) -> str:
    """The texts one after another, each in the language of the page."""
    return " ".join(show_finding(text) for text in texts if text)


def list_findings(*texts: str) -> tuple[str, ...]:
    """The sentences of the texts, joined ones apart, each once and in the language of the page."""
    return tuple(dict.fromkeys(show_finding(one) for text in texts for one in split_findings(text)))


def _localize(value: object) -> object:
    return show_finding(value) if isinstance(value, str) else _LocalNumber(value)


class _LocalNumber:
    """A number that is formatted as the language of the page writes it."""

    def __init__(self, number: object) -> None:
        self._number = number

    def __format__(self, how: str) -> str:
        return localize_number(format(self._number, how))


def mark_text(text: str) -> str:
    """The text as it is: a mark for texts of constants, which are translated where they are shown."""
    return text


def mark_count(one: str, many: str) -> tuple[str, str]:
    """Both forms as they are: a mark for forms in constants, which `translate_count` gets where they are shown."""
    return one, many


def localize_number(text: str) -> str:
    """Numbers as the language of the page writes them, of a text that has nothing else: 95.7 % is 95,7 % in Ukrainian.

    Where the comma is the decimal mark, a semicolon stands between numbers, and the percent sign does not break off.
    """
    if get_language() != "uk":
        return text
    spaced = re.sub(r"(?<=\d), (?=[-+−]?\.?\d)", "; ", text)
    marked = re.sub(r"(?<=\d)\.(?=\d)", ",", re.sub(r"(?<!\d)\.(?=\d)", "0,", spaced))
    return re.sub(f"[ {NO_BREAK_SPACE}]?%", f"{NO_BREAK_SPACE}%", marked)


@cache
def load_catalogue(language: str) -> NullTranslations:
    """The translations of a language; raises FileNotFoundError for one that is not in LANGUAGES."""
    if language == LANGUAGES[0]:
        return NullTranslations()
    from babel.messages import mofile, pofile  # slow to import

    with (CATALOGUES / f"{language}.po").open("rb") as file:
        catalogue = pofile.read_po(file, locale=language, abort_invalid=True)
    compiled = io.BytesIO()
    mofile.write_mo(compiled, catalogue)
    compiled.seek(0)
    return GNUTranslations(compiled)
