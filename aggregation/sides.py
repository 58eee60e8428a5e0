"""What files call the sides of compared texts, a tie, and "both bad"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aggregation import spelling

SIDES = ("first", "second", "third", "fourth", "fifth", "sixth")
"""The stored answers that choose one of the compared texts, by the place of its column in the project file."""
TIE, BOTH_BAD = "tie", "both_bad"
"""The stored answers that choose none of the compared texts: they are equal, or equally bad."""
LETTERS = ("ABCDEF", "АБВГДЕ")
"""The letters of the sides, Latin and Cyrillic."""
TIE_WORDS = ("tie", "tied", "draw", "equal", "same", "нічия", "однаково", "ничья", "одинаково")
BOTH_BAD_WORDS = ("both_bad", "both bad", "bothbad", "tie (bothbad)", "обидві погані", "обидва погані", "обе плохие")
SHOWN_SIDES = frozenset({"left", "right", "ліворуч", "праворуч", "ліва", "права", "слева", "справа"})
"""Words for sides as they were shown, which name no text unless the order is known."""


def find_meanings(
    written: str, *, n_sides: int, names: Sequence[Sequence[str]] = (), undecided: Sequence[tuple[str, str]]
) -> tuple[str, ...]:
    """The labels that a text of a file can mean, in their order: several where it is ambiguous, none where it is none.

    A side is meant by its label, its letter, its number from 1, and its `names`: for each side those of its column and
    of its system. `undecided` are the other labels of the question with their own words.
    """
    key = spelling.build_key(written).casefold()
    exact = [label for label in (*SIDES[:n_sides], *(label for label, _ in undecided)) if label == key]
    if exact:
        return (exact[0],)
    listed = list(_list_words(n_sides, names, undecided))
    keys = [(label, {spelling.build_key(word).casefold() for word in words} - {""}) for label, words in listed]
    return tuple(label for label, words in keys if key in words)


def _list_words(
    n_sides: int, names: Sequence[Sequence[str]], undecided: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for place, label in enumerate(SIDES[:n_sides]):
        own = names[place] if names else ()
        yield label, (*(letters[place] for letters in LETTERS), str(place + 1), *own)
    usual = {TIE: TIE_WORDS, BOTH_BAD: BOTH_BAD_WORDS}
    for label, text in undecided:
        yield label, (*usual[label], text)
