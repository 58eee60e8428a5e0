"""The HTML of the dashboard: the frame of a page, its sections, and the files that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from exports.pages.localization import get_language, translate
from exports.pages.scaffold import TableNote, mark_code

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure with its name, and a note below it, empty where there is none."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class ProgressBar:
    """How many of how many are done; `text` says it in words."""

    done: int
    needed: int
    text: str

    @property
    def percent(self) -> int:
        """The share done in whole percent; 100 only where all is done."""
        return min(100, 100 * self.done // self.needed) if self.needed else 0


@dataclass(frozen=True, kw_only=True)
class HourBars:
    """The number of answers in each of the last hours, the oldest first; `text` says it in words."""

    counts: tuple[int, ...]
    text: str

    @property
    def bars(self) -> tuple[tuple[int, float, float], ...]:
        """Of each hour the place of its bar, and where it begins and how high it is, on a ground 40 high."""
        most = max(self.counts, default=0) or 1
        heights = [round(38 * count / most, 1) for count in self.counts]
        return tuple((place * 10, round(40 - height, 1), height) for place, height in enumerate(heights))


@dataclass(frozen=True, kw_only=True)
class LiveRow:
    """A row of a table: its heading with the address it leads to, its cells, and a remark below it.

    `href` and `remark` are empty where there are none; `mark` has the numbers of its notes (`scaffold.PageNotes`).
    """

    head: str
    cells: tuple[str, ...] = ()
    href: str = ""
    remark: str = ""
    mark: str = ""


@dataclass(frozen=True, kw_only=True)
class LiveTable:
    """A table; `nothing` stands in its place where it has no rows, `more` leads to further rows (text, address).

    `notes` stand once below it; `mark` has the numbers of those that are about every row.
    """

    caption: str
    heads: tuple[str, ...]
    rows: tuple[LiveRow, ...]
    nothing: str = ""
    more: tuple[str, str] | None = None
    notes: tuple[TableNote, ...] = ()
    mark: str = ""


class BriefLine(NamedTuple):
    """A line about a project: its name with the address it leads to, and how far it is, in words.

    On the page of the project `head` and `href` are empty.
    """

    head: str
    href: str
    text: str


class TaskLine(NamedTuple):
    """A line about something to do: what it is, since when, about which project, and the command that does it.

    `since` and `about` may be empty.
    """

    what: str
    since: str
    about: str
    command: str


@dataclass(frozen=True, kw_only=True)
class LiveSection:
    """A section of a page, which is replaced as a whole when any of it changes; `id` is unique on the page.

    `state` is a sentence at its top, marked as good or bad by `is_well`; `brief` and `tasks` are lists, of which
    screen readers read out tasks when they come. `how` says how its numbers are made, `notices` are sentences to be
    noticed, `at` is when it was counted, None for what is the same at any time. `href` is where its title leads.
    """

    id: str
    title: str
    how: str = ""
    notices: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    progress: ProgressBar | None = None
    hours: HourBars | None = None
    tables: tuple[LiveTable, ...] = ()
    at: datetime | None = None
    at_text: str = ""
    href: str = ""
    state: str = ""
    is_well: bool = True
    brief: tuple[BriefLine, ...] = ()
    tasks: tuple[TaskLine, ...] = ()


TEMPLATES = "templates"


class NavLink(NamedTuple):
    """A link at the top of a page: its text, its address, and its language where that is another one."""

    text: str
    href: str
    language: str = ""


@cache
def list_assets() -> Mapping[str, tuple[str, str]]:
    """The files that every page needs, by path: content type and content."""
    style = resources.files("exports.pages").joinpath(TEMPLATES, "style.css").read_text("utf-8")
    own = resources.files("exports.dashboard").joinpath(TEMPLATES)
    return {
        "/dashboard.css": ("text/css", style + own.joinpath("dashboard.css").read_text("utf-8")),
        "/dashboard.js": ("text/javascript", own.joinpath("dashboard.js").read_text("utf-8")),
    }


def render_frame(
    *, title: str, lead: str, nav: Sequence[NavLink], sections: Mapping[str, str], events: str, refreshed: str
) -> str:
    """The whole page with its sections as they are now, rendered, by id.

    `events` is the address from which changed sections come, as server-sent events; `refreshed` says when it was
    counted. The language is that of `localization.use_language`.
    """
    return (
        _load_templates()
        .get_template("frame.html.j2")
        .render(
            title=title,
            lead=lead,
            nav=nav,
            sections=sections,
            events=events,
            refreshed=refreshed,
            page_language=get_language(),
        )
    )


def render_login(*, action: str, is_wrong: bool) -> str:
    """The page that asks for the token; `is_wrong` says that the one given was not it."""
    template = _load_templates().get_template("login.html.j2")
    return template.render(action=action, is_wrong=is_wrong, page_language=get_language())


def render_section(section: LiveSection) -> str:
    """The HTML of one section."""
    return _load_templates().get_template("section.html.j2").render(section=section)


@cache
def _load_templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=PackageLoader("exports.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"translate": translate, "mark_code": mark_code}
    return environment
