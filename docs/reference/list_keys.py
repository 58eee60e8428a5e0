"""Write project-keys*.md: every key of a project file and of a programme file, from the models that check them.

python docs/reference/list_keys.py [--check]: with --check nothing is written, and a page that is old is an error.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from annotation.campaigns.programme_file import ProgrammeFile
from annotation.campaigns.project_file import ProjectFile
from annotation.campaigns.sections.quality import Threshold
from annotation.campaigns.sections.stages import PassMark
from annotation.campaigns.validation_errors import list_sections

FOLDER = Path(__file__).parent
Model = type[BaseModel]
PAGES = {
    "project-keys.md": ("Keys of the project file", ""),
    "project-keys-questions.md": ("Keys of questions", "questions"),
    "project-keys-sources.md": ("Keys of items, votes, gold and stages", "sources stages"),
    "project-keys-quality.md": ("Keys of quality rules and panels", "quality panels"),
}
"""Each page: its title, and the modules whose sections it has; the first has those of all others."""
INTRODUCTION = (
    "Every key as the program checks it, written by `make reference`. [The project file](project-file.md) says what"
    " each is for. A dash: the key can be left out.\n\n"
)
WORDS: dict[Any, str] = {
    bool: "`yes` or `no`",
    int: "whole number",
    float: "number",
    Decimal: "number",
    str: "text",
    Threshold: "`< 50 %` or `<= 50 %`",
    PassMark: "`21 of 30` or `60 %`",
}
FORMS = {
    "parse_duration": "duration, as `30 min`",
    "_parse_share": "share, as `60 %`",
    "_refuse_forbidden": "path of a file",
}
"""What is written for a key, by the validator that reads it."""
LARGEST = 2**31 - 1
LIMITS = ((Ge, "ge", "from"), (Gt, "gt", "above"), (Le, "le", "to"), (Lt, "lt", "below"))


def list_models() -> list[Model]:
    """The two files, then all sections below them by name."""
    found = (list_sections(ProjectFile) | list_sections(ProgrammeFile)) - {Threshold, PassMark}
    files: list[Model] = [ProjectFile, ProgrammeFile]
    return files + sorted(found - {*files}, key=lambda model: model.__name__)


def find_page(model: Model) -> str:
    """The page that has a section."""
    parts = model.__module__.split(".")
    names = (name for name, (_, modules) in PAGES.items() if {*modules.split()} & {*parts})
    return next(names, "project-keys.md")


def name_section(model: Model) -> str:
    """What a section is called: its key where its docstring begins with one, else the name of its class in words."""
    key = re.match(r"`(\w+):`", inspect.getdoc(model) or "")
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", model.__name__).removesuffix(" Section")
    return f"`{key[1]}`" if key else words.capitalize()


def link_section(model: Model, *, page: str) -> str:
    """A link to a section from a page."""
    place = re.sub(r"\W+", "-", name_section(model).strip("`").lower())
    file = find_page(model)
    return f"[{name_section(model)}]({'' if file == page else file}#{place})"


def describe_type(kind: Any, *, page: str) -> str:
    """A type in words."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is None:
        return _describe_class(kind, page=page)
    if origin is Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if origin is Annotated and (form := find_form(parts[1:])):
        return form
    if origin in {Union, UnionType}:
        return " or ".join(
            dict.fromkeys(describe_type(part, page=page) for part in parts if part is not type(None)),
        )
    before = {tuple: "list: ", dict: "mapping: "}.get(origin, "")
    return before + describe_type(parts[origin is dict], page=page)


def _describe_class(kind: type[Any], *, page: str) -> str:
    if kind in WORDS:
        return WORDS[kind]
    if issubclass(kind, Enum):
        return ", ".join(f"`{member.value}`" for member in kind)
    return link_section(kind, page=page)


def find_form(metadata: Sequence[Any]) -> str:
    """The words for a value with a form of its own, or none."""
    names = (getattr(getattr(one, "func", None), "__name__", "") for one in metadata)
    return next((FORMS[name] for name in names if name in FORMS), "")


def describe_limits(field: FieldInfo) -> str:
    """The smallest and the largest value or length, if there is one."""
    words = [
        f"{word} {getattr(limit, name):g}"
        for limit in field.metadata
        for kind, name, word in LIMITS
        if isinstance(limit, kind) and getattr(limit, name) != LARGEST
    ]
    lengths = [limit for limit in field.metadata if isinstance(limit, MinLen | MaxLen)]
    words += [f"at least {limit.min_length}" for limit in lengths if isinstance(limit, MinLen) and limit.min_length > 1]
    words += [f"at most {limit.max_length}" for limit in lengths if isinstance(limit, MaxLen)]
    return f" ({', '.join(words)})" if words else ""


def describe_default(field: FieldInfo) -> str:
    """What counts if the key is left out."""
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, Enum):
        value = value.value
    if isinstance(value, bool):
        return "`yes`" if value else "`no`"
    return "–" if value is None or value in ("", (), {}) or isinstance(value, BaseModel) else f"`{value}`"


def write_section(model: Model, *, page: str) -> Iterator[str]:
    """The heading of a section, what it is, and the table of its keys."""
    sentence = re.sub(r"^`\w+:` ", "", (inspect.getdoc(model) or "").partition("\n\n")[0].replace("\n", " "))
    yield f"\n## {name_section(model)}\n\n{sentence[:1].upper()}{sentence[1:]}\n\n"
    yield "| key | value | default |\n|---|---|---|\n"
    for name, field in model.model_fields.items():
        value = find_form(field.metadata) or describe_type(field.annotation, page=page) + describe_limits(field)
        yield f"| `{field.alias or name}` | {value.replace('|', chr(92) + '|')} | {describe_default(field)} |\n"


def write_pages() -> dict[Path, str]:
    """The text of each page."""
    models = list_models()
    return {
        FOLDER / page: f"# {title}\n\n{INTRODUCTION}{_link_others(page)}"
        + "".join(part for model in models if find_page(model) == page for part in write_section(model, page=page))
        for page, (title, _) in PAGES.items()
    }


def _link_others(page: str) -> str:
    others: Sequence[str] = [f"[{title}]({name})" for name, (title, _) in PAGES.items() if name != page]
    return f"Also: {', '.join(others)}.\n"


def main() -> None:
    """Renew the pages, or say which one is old."""
    for page, text in write_pages().items():
        if "--check" not in sys.argv[1:]:
            page.write_text(text, "utf-8")
        elif not page.exists() or page.read_text("utf-8") != text:
            sys.exit(f"{page.name} is old. Renew it: make reference")


if __name__ == "__main__":
    main()
