"""How the pages are made: one look, one strict frame, nothing loaded from outside."""

from __future__ import annotations

from typing import Any


def rendered(template: str, *, package: str, **values: Any) -> str:
    """A template of a package as one HTML document; it can include the report's `style.css` and `frame.html.j2`."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # slow to import

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("exports.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(**values)
