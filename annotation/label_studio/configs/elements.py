"""XML as Label Studio reads it: elements with attributes that mean what they say."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement  # written here, never read

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_JOINER = "\u2060"


def literal(text: str) -> str:
    """A text that stays itself: Label Studio puts a field of the task where it finds `$` and a name."""
    return _NO_XML.sub("", text).replace("$", f"{_JOINER}${_JOINER}")


def add(parent: Element, tag: str, **attributes: str | int | bool | None) -> Element:
    """A child; attributes that are None are left out, switches are written as Label Studio writes them."""
    written = {name: _written(value) for name, value in attributes.items() if value is not None}
    return SubElement(parent, tag, written)


def block(parent: Element, name: str, **attributes: str | None) -> Element:
    """A View with a class of our own."""
    return add(parent, "View", className=f"hr-{name}", **attributes)


def head(parent: Element, text: str, *, name: str = "head", size: int = 5) -> None:
    """Words above something."""
    add(block(parent, name), "Header", value=literal(text), size=size)


def _written(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _NO_XML.sub("", str(value))
