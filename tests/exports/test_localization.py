"""The languages of pages: the catalogue holds every text that code and templates show, whole and with its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po

import bot.web
import exports
from aggregation.findings import FINDINGS
from exports.checklist import LINES
from exports.pages import localization

VERDICTS = ("met", "unmet", "incomplete", "contradictory", "not_applicable", "not_evidenced", "not_seen")
KEYWORDS = {"translate": None, "mark_text": None, "translate_count": (1, 2), "mark_count": (1, 2)} | dict.fromkeys(
    VERDICTS
)
Text = str | tuple[str, str]


def make_key(text: str | Sequence[str | None]) -> Text:
    """A text, or its two forms."""
    return text if isinstance(text, str) else (str(text[0]), str(text[1]))


def list_sources() -> list[Path]:
    """The modules and templates of the installed packages that make pages."""
    folders = [Path(str(package.__file__)).parent for package in (exports, bot.web)]
    return sorted(path for folder in folders for ending in ("*.py", "*.j2") for path in folder.rglob(ending))


def list_texts() -> dict[Text, str]:
    """Every text that is marked for translation on pages, and the file that has it."""
    found: dict[Text, str] = {}
    for path in list_sources():
        method = "python" if path.suffix == ".py" else "jinja2.ext:babel_extract"
        options = {} if path.suffix == ".py" else {"silent": "false"}
        with path.open("rb") as file:
            for _, text, _, _ in extract(method, file, keywords=KEYWORDS, options=options):
                if text and path.name != "localization.py":
                    found[make_key(text)] = path.name
    found |= {line.must_state: "lines.json" for line in LINES}
    return found | dict.fromkeys(FINDINGS.values(), "findings.py")


def read_messages() -> dict[Text, Message]:
    """The messages of the Ukrainian catalogue by their English text."""
    with (localization.CATALOGUES / "uk.po").open("rb") as file:
        return {make_key(message.id): message for message in read_po(file, locale="uk") if message.id}


def list_values(text: Text) -> set[str]:
    """The names in braces."""
    texts = (text,) if isinstance(text, str) else text
    return {name for one in texts for name in re.findall(r"\{(\w+)", one)}


def test_the_catalogue_holds_every_text_and_no_other() -> None:
    texts, messages = list_texts(), read_messages()
    assert len(texts) > 1
    missing = sorted(f"{file}: {text}" for text, file in texts.items() if text not in messages)
    assert not missing, missing
    assert not sorted(str(text) for text in messages.keys() - texts.keys())


def test_every_translation_is_whole_and_has_the_values_of_its_text() -> None:
    for text, message in read_messages().items():
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string or ("",))
        assert all(forms), text
        assert not message.fuzzy, text
        for form in forms:
            assert list_values(form) - {"n"} == list_values(text) - {"n"}, text


AVOIDED = re.compile(
    "накрива|(?i:початков(?:е|ого) числ)|зерн|одномонет|надійн[а-яі]* інтервал|еталону|[а-яі] or [а-яі]"
    r"|(?i:\bмір[аиуо]|\bнавчан|\bнавчальн|\bвідбірк|\bпитан|лічби)"
)
"""Words that a reader stumbled over: the catalogue has others in their place."""


def test_a_thing_has_one_name_in_ukrainian() -> None:
    forms = [str(message.string) for message in read_messages().values()]
    assert [form for form in forms if AVOIDED.search(form)] == []


def test_a_percent_sign_has_one_space_and_a_name_ukrainian_quotes() -> None:
    with localization.use_language("uk"):
        assert localization.localize_number(localization.translate("to 2 %")) == "до 2\u00a0%"
        assert localization.translate("“{name}”", name="why") == "«why»"


@pytest.mark.parametrize(("number", "form"), [(1, "ще 1 відповідь"), (3, "ще 3 відповіді"), (11, "ще 11 відповідей")])
def test_ukrainian_has_three_forms(number: int, form: str) -> None:
    with localization.use_language("uk"):
        assert localization.translate_count("{n} more answer", "{n} more answers", number) == form
    assert localization.translate_count("{n} more answer", "{n} more answers", 1) == "1 more answer"
