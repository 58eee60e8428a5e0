"""The XML of a labelling configuration: views, headers, choices and text fields, and the names of data keys."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from annotation.campaigns.questions import Question

if TYPE_CHECKING:  # elements make elements, so that the bot, which reads exports, loads no XML
    from xml.etree.ElementTree import Element

DIGIT_HOTKEYS = "1234567890"
UNUSED_HOTKEYS = tuple(f"ctrl+alt+shift+{key}" for key in "qwetyiopasdfgjklzxcvbn")
"""Combinations that nobody presses, for options that are to have no key: Label Studio gives them one of its own."""
_ROW = "1234567890qwetyiopasdfgjklzxcvbn"
_FAR_HOTKEYS = tuple(f"{keys}+{key}" for keys in ("ctrl+alt+meta", "alt+shift+meta", "ctrl+shift+meta") for key in _ROW)
STOPPED = '.lsf-controls :is(button[name=submit], [data-testid$="-dropdown"]) { opacity: .4; pointer-events: none; }'
"""The end of a rule of CSS that stops Submit and Update, which Label Studio's own settings cannot."""
_FORBIDDEN_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORD_JOINER = "\u2060"


def has_task_options(question: Question) -> bool:
    """Whether the options are part of the task, because they or their order differ from item to item."""
    return question.takes_item_options and (question.fixed_options is None or question.is_shuffled)


def get_options_key(question: Question) -> str:
    """The data key of a question's options."""
    return f"options_{_escape_key(question.name)}"


def drop_letter_keys(options: list[dict[str, str]]) -> list[dict[str, str]]:
    """Options of a task for a page where texts are typed: more of them than digits all have keys that nobody presses.

    Label Studio gives a letter to those without a key, and words typed outside of a field would choose them.
    """
    if len(options) <= len(DIGIT_HOTKEYS):
        return options
    return [option | {"hotkey": key} for option, key in zip(options, _FAR_HOTKEYS, strict=False)]


def get_edit_key(question: Question) -> str:
    """The data key of the text to correct."""
    return f"edit_{_escape_key(question.name)}"


def get_none_control(name: str) -> str:
    """The name of the control for "nothing", beside the control of a question."""
    return f"{name}:none"


def get_unmarked_class(name: str) -> str:
    """The CSS class of what a question about parts shows while "Marked" is ticked and no part is marked."""
    return f"unmarked-{_escape_key(name)}"


def get_text_key(column: str) -> str:
    """The data key of a text in which spans are marked."""
    return f"text_{_escape_key(column)}"


def get_text_object(column: str) -> str:
    """The name of the object that shows a text in which spans are marked."""
    return f"text:{_escape_key(column)}"


def get_image_key(column: str) -> str:
    """The data key of a picture."""
    return f"image_{_escape_key(column)}"


def get_image_object(column: str) -> str:
    """The name of the object that shows a picture."""
    return f"image:{_escape_key(column)}"


def get_side_key(number: int) -> str:
    """The data key of a compared text, counted from 1 as shown."""
    return f"side_{number}"


def get_side_object(number: int) -> str:
    """The name of the object that shows a compared text."""
    return f"side:{number}"


def _escape_key(name: str) -> str:
    """Label Studio reads letters, digits and `_` after a `$`; any other character is replaced by its code."""
    return re.sub(r"[^A-Za-z0-9_]", lambda match: f"_{ord(match[0]):x}", name)


def escape_variables(text: str) -> str:
    """The text with every `$` escaped, since Label Studio replaces `$` and a name by a field of the task."""
    return _FORBIDDEN_IN_XML.sub("", text).replace("$", f"{_WORD_JOINER}${_WORD_JOINER}")


def escape_html(text: str) -> str:
    """The text as HTML of a task, in which a carriage return stays one."""
    return html.escape(text).replace("\r", "&#13;")


def add_element(parent: Element, tag: str, **attributes: str | int | bool | None) -> Element:
    """Add a child; attributes that are None are left out, booleans are `true` and `false`."""
    formatted = {name: _format_attribute(value) for name, value in attributes.items() if value is not None}
    child = parent.makeelement(tag, formatted)
    parent.append(child)
    return child


def _format_attribute(value: str | int | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _FORBIDDEN_IN_XML.sub("", str(value))


def add_view(parent: Element, name: str, **attributes: str | None) -> Element:
    """Add a View with a CSS class of ours."""
    return add_element(parent, "View", className=f"hr-{name}", **attributes)


def add_box(
    parent: Element, name: str, to_name: str, text: str, *, alias: str = "yes", **attributes: str | int | bool | None
) -> None:
    """Add a single box to tick; `hotkey` is that of the box, the other attributes are those of the control."""
    hotkey = attributes.pop("hotkey", None)
    box = add_element(parent, "Choices", name=name, toName=to_name, choice="multiple", **attributes)
    add_element(box, "Choice", value=escape_variables(text), alias=alias, hotkey=hotkey)


def escape_css(text: str) -> str:
    """The text for a string of CSS: every character but letters and digits by its code."""
    return re.sub(r"[^\w]", lambda match: f"\\{ord(match[0]):x} ", text)


def add_header(parent: Element, text: str, *, name: str = "head", size: int = 5) -> None:
    """Add a View with a header."""
    add_element(add_view(parent, name), "Header", value=escape_variables(text), size=size)


def add_text_area(
    parent: Element,
    name: str,
    to_name: str,
    *,
    rows: int,
    begin_key: str | None = None,
    placeholder: str | None = None,
    requirement: Mapping[str, str | bool | None],
) -> None:
    """Add a field for one text, which begins with the text of a data key or has a placeholder."""
    add_element(
        parent,
        "TextArea",
        name=name,
        toName=to_name,
        value=None if begin_key is None else f"${begin_key}",
        rows=rows,
        maxSubmissions=1,
        editable=True,
        transcription=True,  # a text that is a draft stays a field
        showSubmitButton=False,
        placeholder=placeholder,
        **requirement,
    )
