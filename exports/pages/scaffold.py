"""The scaffold of every published HTML page: sections by data set, headline figures, table rows, one base template."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup, escape

from aggregation.agreement.table import Coefficient
from exports.inputs import DataSet
from exports.pages.display_text import (
    FOR_NEW_PEOPLE,
    FOR_THESE_PEOPLE,
    format_coefficient_interval,
    format_level,
    format_percent_interval,
)
from exports.pages.localization import (
    LANGUAGES,
    get_language,
    show_finding,
    translate,
    translate_count,
    use_language,
)

if TYPE_CHECKING:
    from jinja2 import Environment

_CODE = re.compile("`([^`]+)`")
MAX_ENTRIES = 1000
"""How many stories or items of a data set a page shows; the files beside it hold all."""


LANGUAGE_NAMES: Mapping[str, str] = MappingProxyType({"en": "English", "uk": "Українською"})


class Headline(NamedTuple):
    """A figure under "At a glance": its name, its value, and a note beside the value, empty where there is none.

    `details` are the lines below it: its interval and for whom that is, whose answers it is of, by which rule.
    """

    name: str
    value: str
    note: str = ""
    details: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class TableRow:
    """A row of a table: its heading, its cells, and a remark shown below it across the whole table.

    `notes` are sentences that other rows and tables can share: a page shows each once (`PageNotes`).
    """

    head: str
    cells: tuple[str, ...]
    remark: str = ""
    notes: tuple[str, ...] = ()


class TableNote(NamedTuple):
    """A note below a table with its number."""

    mark: str
    text: str


class NumberedNotes(NamedTuple):
    """The notes below a table, and the marks of its caption and of its rows: those of each group, in their order."""

    notes: tuple[TableNote, ...]
    caption: str
    marks: tuple[tuple[str, ...], ...]


class PageNotes:
    """The notes of a page, each shown once, below the first table that has it, under a number of its own."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, groups: Sequence[Sequence[TableRow]]) -> NumberedNotes:
        """The notes that no earlier table of the page has, and the marks of a table's rows, such as "1, 3".

        What is true of every row is marked at the caption, before the others.
        """
        rows = [row for group in groups for row in group]
        texts = list(dict.fromkeys(text for row in rows for text in row.notes if text))
        shared = [text for text in texts if all(text in row.notes for row in rows)]
        new = [text for text in (*shared, *texts) if text not in self._numbers]
        for text in new:
            self._numbers.setdefault(text, len(self._numbers) + 1)

        def mark(own: Sequence[str]) -> str:
            return ", ".join(map(str, sorted({self._numbers[text] for text in own if text})))

        return NumberedNotes(
            notes=tuple(TableNote(mark([text]), text) for text in dict.fromkeys(new)),
            caption=mark(shared),
            marks=tuple(
                tuple(mark([text for text in row.notes if text not in shared]) for row in group) for group in groups
            ),
        )


@dataclass(frozen=True, kw_only=True)
class DataSetSection:
    """The fields of a data set that every page shows. Each page adds fields of its own in a subclass.

    `no_headlines` is shown in place of `headlines` where there are none; `cautions` are sentences above them that say
    what makes them doubtful.
    """

    name: str
    title: str
    language: str
    simulated: bool
    headlines: tuple[Headline, ...]
    no_headlines: str = ""
    cautions: tuple[str, ...] = ()


def get_section_fields(data: DataSet) -> dict[str, Any]:
    """The fields of DataSetSection that are the data set's own: name, title, language, simulated."""
    return {"name": data.name, "title": data.title, "language": data.language, "simulated": data.simulated}


def list_excluded(data: DataSet) -> str:
    """How many answers do not count, by reason, as text; empty where all count."""
    return ", ".join(f"{show_finding(reason)}: {count}" for reason, count in data.count_excluded().items())


def format_interval_note(coefficient: Coefficient) -> str:
    """The interval of a coefficient in brackets, empty where it has none."""
    name, low, high = coefficient.name, coefficient.low, coefficient.high
    return "" if low is None else f"[{format_coefficient_interval(name, low, high)}]"


def describe_interval(
    coefficient: Coefficient, *, confidence_level: float, as_percent: bool = False
) -> tuple[str, ...]:
    """The intervals of a coefficient with their level and population as lines below a figure, new people first.

    The reason of a coefficient without intervals, and no line if there is neither.
    """
    ends = (
        (FOR_NEW_PEOPLE, coefficient.new_people_low, coefficient.new_people_high),
        (FOR_THESE_PEOPLE, coefficient.low, coefficient.high),
    )
    lines = []
    for population, low, high in ends:
        if low is not None:
            shown = (
                format_percent_interval(low, high)
                if as_percent
                else format_coefficient_interval(coefficient.name, low, high)
            )
            lines.append(translate(population, level=format_level(confidence_level), interval=shown))
    reason = coefficient.reason or ("" if lines[1:] else coefficient.new_people_reason)
    return (*lines, show_finding(reason)) if reason else tuple(lines)


def format_remainder(total: int, noun: str) -> str:
    """The sentence that says how many entries beyond MAX_ENTRIES are not on the page; empty where all are.

    `noun` is the name of the entries in the language of the page, as it stands with many of them.
    """
    if total <= MAX_ENTRIES:
        return ""
    return translate("{n} more {noun} are in the files next to this page.", n=total - MAX_ENTRIES, noun=noun)


def mark_code(text: str) -> Markup:
    """The text as HTML, what stands between backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704  # escaped first


def get_page_name(name: str, language: str) -> str:
    """The file name of a page in a language: report.html in English, report.uk.html in Ukrainian."""
    return f"{name}.html" if language == LANGUAGES[0] else f"{name}.{language}.html"


def build_pages(name: str, render: Callable[[], str]) -> dict[str, str]:
    """Render a page in every language: file name → page. `render` is called once for each, inside `use_language`."""
    pages = {}
    for language in LANGUAGES:
        with use_language(language):
            pages[get_page_name(name, language)] = render()
    return pages


def render_page(
    template: str,
    *,
    package: str,
    name: str,
    title: str,
    sections: Sequence[DataSetSection],
    confidence_level: float,
    **values: Any,
) -> str:
    """Render a template of `package`, which extends `base.html.j2`, as one HTML document.

    The document needs nothing from outside: no script, no address, pictures inside. Where any section is simulated its
    title and a banner say SIMULATED. `confidence_level` is the share that intervals cover, 0 to 1, which the template
    gets as text in percent (`level`). The page is in the language of `localization.use_language`, and links to its
    files in the other languages: `name` is that of its file without the ending (see `get_page_name`). `values` are
    further variables of the template, and a missing one is an error.
    """
    simulated = [section.name for section in sections if section.simulated]
    return (
        _load_templates(package)
        .get_template(template)
        .render(
            title=title,
            page_language=get_language(),
            other_languages=[
                (language, LANGUAGE_NAMES[language], get_page_name(name, language))
                for language in LANGUAGES
                if language != get_language()
            ],
            sections=sections,
            simulated=simulated,
            all_simulated=len(simulated) == len(sections),
            level=format_level(confidence_level),
            page_notes=PageNotes(),
            **values,
        )
    )


@cache
def _load_templates(package: str) -> Environment:
    """The templates of a package; each is compiled once, for every data set, page and language."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("exports.pages")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "translate": translate,
        "translate_count": translate_count,
        "mark_code": mark_code,
    }
    return environment
