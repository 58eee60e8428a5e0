"""All the answers of one person to one item: which questions are asked, and what was answered."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Mapping, Sequence

from annotation.campaigns.questions.base import Material, Question, as_json
from annotation.errors import BadInput, Where


def asked(question: Question, answers: Mapping[str, str]) -> bool:
    """Whether the earlier answers (as stored, by question) let the question be asked: every condition of `show_if`."""
    return all(_holds(values, answers.get(name)) for name, values in (question.show_if or {}).items())


def _holds(values: Sequence[str], stored: str | None) -> bool:
    if stored is None:
        return False
    try:
        given = json.loads(stored) if stored.startswith("[") else [stored]
    except ValueError:
        given = [stored]
    return any(one in values for one in given if isinstance(one, str))


def parsed(questions: Sequence[Question], raw: Mapping[str, object], material: Material) -> dict[str, str]:
    """Raw answers by question as they are stored, in the order of the questions.

    Raises BadInput, in the question's own words, for an answer that cannot be taken, one that is missing, one to a
    question that was not asked, and one to a question that there is not.
    """
    known = [question.name for question in questions]
    for name in raw:
        if name not in known:
            raise BadInput(
                f"There is no question {name!r}.", where=Where(field=name), remedy=f"There are: {', '.join(known)}."
            )
    found: dict[str, str] = {}
    for question in questions:
        given = raw.get(question.name)
        missing = question.unanswered(given)
        if not asked(question, found):
            if not missing and as_json(given) != []:
                raise question.refusal("was not asked here.", "Leave it out.")
        elif not missing:
            found[question.name] = question.stored(question.parse(given, material))
        elif question.required:
            raise question.refusal("is not answered.", "It needs an answer.")
    return found


def order(count: int, *, shuffle: bool, seed: int, key: Sequence[str], last: bool = False) -> list[int]:
    """The indices of `count` options in the order shown to one person: the same seed and key give the same order.

    `key` names project, question, item and annotator. `last` says that the last option (abstention) stays where it is.
    """
    moving = list(range(count - last))
    if shuffle:
        digest = hashlib.sha256("\x1f".join([str(seed), *key]).encode()).digest()
        random.Random(int.from_bytes(digest)).shuffle(moving)  # noqa: S311  # an order, not a secret
    return [*moving, count - 1] if last else moving
