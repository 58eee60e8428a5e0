"""What the organisers declared, held against what the release knows: stated, not known, or contradicted."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from aggregation.placeholders import declares_none, is_unknown
from exports.checklist.verdicts import Subject, Verdict, met, not_evidenced, unmet
from exports.pages.display_text import format_count
from exports.pages.localization import show_finding, translate

_TOOLS = re.compile(
    r"\b(?:ai|llms?|ші|ии|gpt\w*|chatgpt|claude|gemini|copilot|google|гугл\w*|web|internet\w*|інтернет\w*|интернет\w*"
    r"|search\w*|пошук\w*|поиск\w*|wyszuk\w*|model\w*|модел\w*|dictionar\w*|словник\w*|словар\w*|słownik\w*|translat\w*"
    r"|переклад\w*|перевод\w*|tłumacz\w*)\b",
    re.IGNORECASE,
)
"""The names of tools in answers to the question after a session."""


def check_declared(subject: Subject, name: str) -> Verdict:
    """A fact that only the organiser can declare: a placeholder is none, and `not known` is no evidence."""
    project = subject.project
    value = project.declared.get(name, "").strip()
    remedy = translate(
        "Write under `declared.{name}` {meaning}, and load the file again with `--yes`.",
        name=name,
        meaning=project.declared_meanings.get(name, ""),
    )
    if not value:
        return unmet("`declared.{name}` is empty.", remedy, name=name)
    if name not in project.stated:
        return unmet("`declared.{name}` is “{value}”, which is a placeholder.", remedy, name=name, value=value)
    if is_unknown(value):
        return not_evidenced("Declared: “{value}”.", remedy, value=value)
    contradiction = _FIND_CONTRADICTION.get(name)
    fact = contradiction(subject) if contradiction is not None and declares_none(value, fact=name) else ""
    if fact:
        return unmet("Declared: “{value}”. This contradicts the data: {fact}.", remedy, value=value, fact=fact)
    return met("Declared: “{value}”.", value=value)


def _find_people(subject: Subject) -> str:
    """People who answered, of whom it is declared that nobody was found, or that they stand for nobody."""
    n_people = subject.first.list_counted_answers()["annotator"].nunique()
    if subject.simulated or not n_people:
        return ""
    return translate("answers of {people} count", people=format_count(n_people, "person"))


def _find_pay(subject: Subject) -> str:
    """Pay that was promised or recorded."""
    pay = subject.project.pay
    return "" if pay is None else translate("pay is on record, {scheme}", scheme=show_finding(pay.scheme))


def _find_tools(subject: Subject) -> str:
    """Tools that people said they had used, after any of their sessions."""
    named = [fact.value or "" for fact in subject.project.attested if fact.n != 0]
    used = [value for value in named if _TOOLS.search(value) and not declares_none(value.partition(",")[0])]
    return translate("people attested “{tools}” after sessions", tools="”, “".join(used)) if used else ""


def _find_differences(subject: Subject) -> str:
    """What the manifest of the benchmark says of the project's tasks; of people elsewhere nothing was seen."""
    if subject.project.imported:
        return ""
    listed = "”, “".join(show_finding(sentence).rstrip(".") for sentence in subject.project.differences)
    return translate("the manifest of the benchmark lists “{differences}”", differences=listed) if listed else ""


_FIND_CONTRADICTION: Mapping[str, Callable[[Subject], str]] = {
    "recruitment": _find_people,
    "population": _find_people,
    "pay": _find_pay,
    "ai_use": _find_tools,
    "stimulus_differences": _find_differences,
}
"""By fact what finds, in the data, that a declared "none" is not so; empty where nothing does."""
