"""The HTML of the dashboard: the frame of a page, its sections, and the files that it needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from exports.dashboard.sections import LiveSection
from exports.pages.scaffold import mark_code
from exports.pages.translation import get_language, translate

if TYPE_CHECKING:
    from jinja2 import Environment

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
    counted. The language is that of `translation.use_language`.
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
