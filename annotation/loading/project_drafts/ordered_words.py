"""Tells whether labels are points of a scale in words, such as `disagree`, `neutral` and `agree`, and their order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_STRONG = {
    "strongly", "completely", "totally", "fully", "very", "absolutely", "definitely", "цілком", "повністю", "абсолютно",
    "категорично", "зовсім", "дуже", "полностью", "совершенно", "совсем", "очень",
}  # fmt: skip
_WEAK = {
    "somewhat", "slightly", "rather", "mostly", "partly", "probably", "радше", "скоріше", "швидше", "частково",
    "скорее", "частично",
}  # fmt: skip
_NEGATIONS = ("не ", "не", "not ", "dis", "un", "in", "im")
_NEUTRAL = frozenset(
    {
        "neutral", "neither", "undecided", "neither agree nor disagree", "нейтрально", "нейтральний", "нейтральна",
        "і так і ні", "нейтральный", "и да и нет",
    }
)  # fmt: skip
_LADDERS: tuple[Mapping[str, int], ...] = tuple(
    {word: place for place, words in enumerate(ladder.split(", ")) for word in words.split("/")}
    for ladder in (
        "never, rarely/seldom, sometimes/occasionally, often/usually/frequently, always",
        "ніколи, рідко, інколи/іноді/часом, часто, завжди",
        "никогда, редко, иногда, часто, всегда",
        "very poor/terrible/awful, poor/bad, fair/average/acceptable/ok, good, very good, excellent",
        "дуже погано/жахливо, погано, задовільно/нормально/посередньо, добре, дуже добре, відмінно/чудово",
        "очень плохо/ужасно, плохо, удовлетворительно/нормально, хорошо, очень хорошо, отлично",
    )
)


def order_labels(labels: Iterable[str]) -> tuple[str, ...] | None:
    """Return three or more labels from the lowest to the highest; None if their words do not tell an order."""
    listed = [*labels]
    words = {label: re.sub(r"\W+", " ", label).strip().casefold() for label in listed}
    places = _place_on_ladder(words) or _place_by_strength(words)
    if places is None or len({*places.values()}) < max(3, len(listed)):
        return None
    return tuple(sorted(listed, key=lambda label: places[label]))


def _place_on_ladder(words: Mapping[str, str]) -> dict[str, int] | None:
    for ladder in _LADDERS:
        if all(word in ladder for word in words.values()):
            return {label: ladder[word] for label, word in words.items()}
    return None


def _place_by_strength(words: Mapping[str, str]) -> dict[str, int] | None:
    """Places of labels that are one word with its opposite, each alone or with a word that says how far it holds."""
    parts = {label: _split_strength(word) for label, word in words.items() if word not in _NEUTRAL}
    rests = {rest for _, rest in parts.values()}
    for stem in sorted(rests, key=len):
        opposites = {f"{negation}{stem}" for negation in _NEGATIONS}
        if stem and rests <= {stem, *opposites}:
            signed = {label: strength if rest == stem else -strength for label, (strength, rest) in parts.items()}
            return dict.fromkeys(words, 0) | signed
    return None


def _split_strength(word: str) -> tuple[int, str]:
    """How far a label holds, from 1 to 3, and the rest of its words."""
    first, _, rest = word.partition(" ")
    strength = 3 if first in _STRONG else 1 if first in _WEAK else 2
    return (2, word) if strength == 2 else (strength, rest)
