"""Errors read as sentences: where, what, and what to do next."""

from __future__ import annotations

from aggregation.errors import HromadaError, Refused, Where


def test_an_error_says_where_what_and_what_next() -> None:
    """Place first, with what is known of it; each part can also be read alone."""
    place = Where(file="items.csv", line=3, column=0, field="gold")
    error = Refused("It is empty.", remedy="Fill it.", where=place)
    assert str(error) == "items.csv:3:0, gold: It is empty. Fill it."
    assert (error.problem, error.remedy, error.where) == ("It is empty.", "Fill it.", place)


def test_an_error_without_place_or_remedy_is_its_sentence() -> None:
    """Nothing is printed for what is not known."""
    assert str(HromadaError("It is empty.", where=Where())) == "It is empty."
