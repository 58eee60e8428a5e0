"""Texts that users read have none of the words by which foreign English is known; exceptions are named one by one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

import bot

TELL_TALES = {
    "stand, stands, stood (is, has, occurs)": r"\b(?:stands?|stood)\b(?! (?:for|up)\b)(?!-)",
    "lie, lies, lying (is, are)": r"\b(?:lies?|lying)\b",
    "whoever (anyone who)": r"\bwhoever\b",
    "anew (again)": r"(?<!-)\banew\b",
    "mend (fix)": r"\bmend(?:s|ed|ing)?\b",
    "too at the end (also, before the verb)": r",\stoo[.:;,)]",
    "is said, is told (say who says it)": r"\b(?:is|are) (?:said|told)\b",
    "so many (this many, how many)": r"\bso many\b",
    "is no (is not a)": r"(?<!there )\b(?:is|are) no\b(?! longer\b)",
}
"""What to find, by what it is (and what to write in its place)."""
PACKAGES = Path(bot.__file__).parents[1]
CATALOGUES = (
    "bot/conversation/texts/en.ftl",
    "bot/conversation/texts/organisers.en.ftl",
    "annotation/label_studio/texts/en.ftl",
    "exports/pages/languages/uk.po",
)
EXCEPTIONS = {
    ("docs/reference/published-opinions.md", "the middle lies between two points"),
    ("exports/pages/languages/uk.po", "The median lies between two points"),
    ("docs/reference/eval-ua-tion-prompts.md", "The question as it stands"),
}
"""Where such a word is natural: the file, and the phrase around it."""


def list_texts(root: Path) -> Iterator[tuple[str, str]]:
    """The English pages with the commands' help in them, the English of the catalogues, and the messages of errors and
    tables, which are texts of the code; each with its path.
    """
    for page in sorted((root / "docs").rglob("*.md")):
        if not page.name.endswith(".uk.md"):
            yield page.relative_to(root).as_posix(), page.read_text("utf-8")
    for name in CATALOGUES:
        text = (PACKAGES / name).read_text("utf-8")
        if name.endswith(".po"):
            text = "\n".join(line for line in text.splitlines() if line.startswith("msgid "))
        yield name, text
    for package in ("bot", "annotation", "aggregation", "exports"):
        for file in sorted((PACKAGES / package).rglob("*.py")):
            texts = list_literals(ast.parse(file.read_text("utf-8")))
            yield file.relative_to(PACKAGES).as_posix(), " ¶ ".join(texts)


@cache
def read_texts() -> Sequence[tuple[str, str]]:
    """The texts of the checkout, read once."""
    return tuple(list_texts(Path()))


def list_literals(node: ast.AST) -> Iterator[str]:
    """The texts of several words in code but for docstrings; values in them are dots."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
        yield node.value
    for child in ast.iter_child_nodes(node):
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):
            yield from list_literals(child)


def find_tell_tales(name: str, text: str) -> Sequence[str]:
    """A line for each tell-tale word of a text that no exception names."""
    flat = re.sub(r"\s+", " ", text)
    natural = [
        (found.start(), found.end())
        for file, phrase in EXCEPTIONS
        if file == name
        for found in re.finditer(re.escape(phrase), flat)
    ]
    return [
        f"{name}: {label}: …{flat[max(0, found.start() - 40) : found.end() + 40]}…"
        for label, pattern in TELL_TALES.items()
        for found in re.finditer(pattern, flat, re.IGNORECASE)
        if not any(start <= found.start() < end for start, end in natural)
    ]


def test_texts_have_no_tell_tale_words() -> None:
    """ENGLISH.md's list, searched in docs, help and catalogues."""
    texts = read_texts()
    assert len(texts) > 60
    assert [found for name, text in texts for found in find_tell_tales(name, text)] == []


def test_every_exception_is_needed() -> None:
    """A phrase that is gone leaves the list."""
    texts = {name: re.sub(r"\s+", " ", text) for name, text in read_texts()}
    assert [(name, phrase) for name, phrase in sorted(EXCEPTIONS) if phrase not in texts.get(name, "")] == []


def test_texts_of_code_are_read_and_docstrings_are_not() -> None:
    """Also a text that is broken into two, and one with a value in it."""
    code = 'def f(x):\n    """It lies."""\n    return {f"{x} is " f"no {x}.": "Mend " "it."}\n'
    assert list(list_literals(ast.parse(code))) == ["… is no ….", "Mend it."]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Three files lie there.", 1),
        ("The truth stands twice.", 1),
        ("Whoever has it is the bot.", 1),
        ("Type it anew: `--anew` is an option.", 1),
        ("A list of faults to\nmend", 1),
        ("Backups do, too.", 1),
        ("A list is no choice, and it is said.", 2),
        ("Keep so many seconds.", 1),
        ("There is no interval, and it is no longer shown. It stands for all items.", 0),
    ],
)
def test_a_new_tell_tale_is_found(sentence: str, expected: int) -> None:
    """Of each kind, over the end of a line too; what only looks like one is let pass."""
    assert len(find_tell_tales("docs/page.md", sentence)) == expected
